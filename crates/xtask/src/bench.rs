//! The engine's speed in a browser, beside its peers there and native NumPy on one thread.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde::Deserialize;

use crate::failure::{Failure, Outcome};
use crate::setup::{chromium, node, python};
use crate::workspace::{self, Workspace};
use crate::{engine, example, shell};

/// Engines to compare with, and what makes modules of them. They lie in the cache folder.
const PEERS: [(&str, &str); 4] = [
    ("@jax-js/jax", "0.1.25"),
    ("@tensorflow/tfjs-backend-wasm", "4.22.0"),
    ("@tensorflow/tfjs-core", "4.22.0"),
    ("esbuild", "0.28.2"),
];

const FOLDER: &str = "bench-peers";

/// The versions that the folder was completed with.
const STAMP: &str = "installed.txt";

const README: &str = "crates/strand_array/README.md";
const START: &str = "<!-- bench: written by `cargo xtask bench --write` -->\n";
const END: &str = "<!-- bench: end -->";

#[derive(Args)]
pub struct Options {
    /// Only workloads whose name contains one of these, separated by commas
    #[arg(long, default_value = "")]
    only: String,
    /// Turns that every engine gets; the medians are printed
    #[arg(long, default_value_t = 9)]
    rounds: u32,
    /// Leave out the other engines of the browser
    #[arg(long)]
    no_peers: bool,
    /// Write the table into the README of the engine's crate
    #[arg(long, conflicts_with_all = ["only", "no_peers"])]
    write: bool,
}

/// What the measuring script writes.
#[derive(Deserialize)]
struct Table {
    rows: Vec<Row>,
    means: Vec<(String, f64, usize)>,
    numpy: String,
    browser: String,
}

#[derive(Deserialize)]
struct Row {
    workload: Workload,
    times: BTreeMap<String, f64>,
    ratios: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Workload {
    work: String,
    peer: String,
    mark: f64,
}

pub fn run(workspace: &Workspace, options: &Options) -> Outcome {
    node::ensure_packages(&workspace.root)?;
    let module = build(workspace)?;
    let out = workspace.target.join("bench.json");
    let mut script = Command::new("node");
    script
        .arg("tests/bench/bench.mjs")
        .args(["--only", &options.only])
        .args(["--rounds", &options.rounds.to_string()])
        .arg("--out")
        .arg(&out)
        .current_dir(&workspace.root)
        .env("STRAND_BENCH", module)
        .env("STRAND_PYTHON", python::ensure(workspace)?)
        .env(chromium::VARIABLE, chromium::ensure()?);
    if !options.no_peers {
        script.arg("--peers").arg(ensure_peers(workspace)?);
    }
    shell::heading("Ratios to native NumPy on one thread; smaller is better");
    shell::run(&mut script)?;
    if options.write {
        write(workspace, &workspace::read(&out)?)?;
    }
    Ok(())
}

/// The workloads as a module of their own, compiled and optimised as the page's engine is.
fn build(workspace: &Workspace) -> Outcome<PathBuf> {
    let compiled = example::build(workspace, "bench")?;
    let module = compiled.with_file_name("bench.optimised.wasm");
    engine::optimise(workspace, &compiled, &module)?;
    Ok(module)
}

fn ensure_peers(workspace: &Workspace) -> Outcome<PathBuf> {
    let folder = workspace.cache.join(FOLDER);
    let wanted = PEERS.map(|(name, version)| format!("{name}@{version}"));
    let stamp = folder.join(STAMP);
    if workspace::read(&stamp).is_ok_and(|found| found == wanted.join("\n")) {
        return Ok(folder);
    }
    shell::heading("Installing the peers (once; about 80 MB)");
    workspace::write_if_changed(&folder.join("package.json"), "{ \"private\": true }\n")?;
    shell::run(
        node::npm(&folder)
            .args(["install", "--no-audit", "--no-fund", "--loglevel=error"])
            .args(&wanted),
    )?;
    workspace::write_if_changed(&stamp, &wanted.join("\n"))?;
    Ok(folder)
}

fn write(workspace: &Workspace, json: &str) -> Outcome {
    let table: Table = serde_json::from_str(json)
        .map_err(|error| Failure::new(format!("the measured times can't be read: {error}")))?;
    let path = workspace.root.join(README);
    let text = put_in(&workspace::read(&path)?, &table.markdown(), &path)?;
    workspace::write_if_changed(&path, &text)
}

/// The text with the part between the two marks replaced.
fn put_in(text: &str, table: &str, path: &Path) -> Outcome<String> {
    let parts = text
        .split_once(START)
        .and_then(|(before, rest)| rest.split_once(END).map(|(_, after)| (before, after)));
    let (before, after) =
        parts.ok_or_else(|| Failure::new(format!("{} lacks the table's marks", path.display())))?;
    Ok(format!("{before}{START}{table}{END}{after}"))
}

impl Table {
    fn markdown(&self) -> String {
        let mut text = String::from(
            "| work | NumPy, ms | Strand | best peer in this run | best peer before | mark | |\n\
             | --- | ---: | ---: | --- | --- | ---: | --- |\n",
        );
        for row in &self.rows {
            text.push_str(&row.markdown(&self.numpy));
        }
        let means: Vec<String> = self
            .means
            .iter()
            .map(|(name, mean, rows)| format!("{name} {} ({rows} rows)", short(*mean)))
            .collect();
        // Writing to a string can't fail.
        let _ = writeln!(
            text,
            "\nGeometric means: {}. Measured with {} and native {} on one thread.",
            means.join(", "),
            self.browser,
            self.numpy
        );
        text
    }
}

impl Row {
    fn markdown(&self, numpy: &str) -> String {
        let own = self.ratios.get("strand").copied();
        let peers = self.ratios.iter().filter(|(name, _)| *name != "strand");
        let best = peers.min_by(|a, b| a.1.total_cmp(b.1));
        format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            self.workload.work,
            self.times.get(numpy).map_or("–".into(), |ms| short(*ms)),
            own.map_or("–".into(), short),
            best.map_or("–".into(), |(name, ratio)| format!(
                "{} {name}",
                short(*ratio)
            )),
            self.workload.peer,
            self.workload.mark,
            own.map_or("failed", |ratio| if ratio <= self.workload.mark {
                "met"
            } else {
                "missed"
            }),
        )
    }
}

/// A number with two digits that count, or three where they are its whole part.
fn short(value: f64) -> String {
    match value {
        v if v < 0.1 => format!("{v:.3}"),
        v if v < 1.0 => format!("{v:.2}"),
        v if v < 10.0 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_the_place_of_the_one_before() {
        let text = format!("a\n{START}old\n{END}\nb\n");
        let new = put_in(&text, "new\n", Path::new("README.md")).unwrap();
        assert_eq!(new, format!("a\n{START}new\n{END}\nb\n"));
        assert!(put_in("nothing", "new\n", Path::new("README.md")).is_err());
    }

    #[test]
    fn a_row_names_the_best_peer() {
        let row = Row {
            workload: Workload {
                work: "sum".into(),
                peer: "0.39 jax-js".into(),
                mark: 0.38,
            },
            times: BTreeMap::from([("NumPy".into(), 0.5)]),
            ratios: BTreeMap::from([
                ("strand".into(), 0.3),
                ("tfjs".into(), 3.4),
                ("jax-js".into(), 0.4),
            ]),
        };
        assert_eq!(
            row.markdown("NumPy"),
            "| sum | 0.50 | 0.30 | 0.40 jax-js | 0.39 jax-js | 0.38 | met |\n"
        );
    }
}
