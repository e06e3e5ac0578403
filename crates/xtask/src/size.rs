//! What a visitor downloads: gzipped sizes of the page and of the engine, and their limits.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::failure::{Failure, Outcome};
use crate::workspace::{self, Workspace};
use crate::{page, shell};

/// The service worker, which lists every file: it is fetched once the page stands.
const SERVICE_WORKER: &str = "strand-offline.js";

/// The script of pages with snippets, which the playground only names, in the text for such a page.
const SNIPPET: &str = "strand-snippet.js";

/// A kilobyte of the limits.
const KILOBYTE: u64 = 1000;

/// Gzips each file that is named on the command line, as a host does, and prints the sizes.
const MEASURE: &str = "const {readFileSync} = require('fs'), {gzipSync} = require('zlib');\
    console.log(JSON.stringify(process.argv.slice(1).map((path) => {\
        const bytes = readFileSync(path);\
        return {bytes: bytes.length, gzipped: gzipSync(bytes, {level: 9}).length};\
    })))";

/// Files that are weighed together.
struct Gate {
    name: &'static str,
    extensions: &'static [&'static str],
    /// How the names begin, and how they don't.
    prefixes: &'static [&'static str],
    other: Option<&'static str>,
    /// Whether they are files that a visitor of the playground fetches later or never.
    later: bool,
    limit: u64,
}

/// How the name of the engine's later part begins.
const LATER: &str = "strand-later";

const GATES: [Gate; 4] = [
    Gate {
        name: "page and editor",
        extensions: &["html", "js", "mjs", "css"],
        prefixes: &[""],
        other: None,
        later: false,
        limit: 200 * KILOBYTE,
    },
    Gate {
        name: "engine, until there are values",
        extensions: &["wasm"],
        prefixes: &[""],
        other: Some(LATER),
        later: false,
        limit: 400 * KILOBYTE,
    },
    Gate {
        name: "engine, the later part",
        extensions: &["wasm"],
        prefixes: &[LATER],
        other: None,
        later: false,
        // What has been reached is held. Two parts weigh some 40 KB more than one module: stubs, exports and imports.
        limit: 450 * KILOBYTE,
    },
    Gate {
        name: "a snippet in another page, without the engine",
        extensions: &["js"],
        prefixes: &["strand-snippet", "snippet-"],
        other: None,
        later: true,
        // What it weighs: the script of each page that has one, and what comes when somebody turns to it.
        limit: 165 * KILOBYTE,
    },
];

#[derive(Clone, Copy, Debug, Deserialize)]
struct Size {
    bytes: u64,
    gzipped: u64,
}

/// Prints the table of sizes; fails where a limit is passed.
pub fn check(workspace: &Workspace) -> Outcome {
    let site = page::site(workspace);
    let files = files_below(&site)?;
    let texts = texts(&files, &site)?;
    let mut failures = Vec::new();
    for gate in &GATES {
        let chosen: Vec<&PathBuf> = files
            .iter()
            .filter(|file| {
                gate.weighs(file)
                    && !is_article(file, &site)
                    && gate.later == is_later(file, &texts)
            })
            .collect();
        if chosen.is_empty() {
            return Err(Failure::new(format!(
                "{} has no file of the {}: build the page first",
                site.display(),
                gate.name
            )));
        }
        let sizes = measure(&chosen)?;
        let rows: Vec<(String, Size)> = chosen
            .iter()
            .map(|file| {
                file.strip_prefix(&site)
                    .unwrap_or(file)
                    .display()
                    .to_string()
            })
            .zip(sizes)
            .collect();
        failures.extend(gate.report(&rows));
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(failures.join("\n")))
    }
}

impl Gate {
    fn weighs(&self, file: &Path) -> bool {
        let text =
            |part: Option<&'_ std::ffi::OsStr>| part.map(|it| it.to_string_lossy().into_owned());
        let name = text(file.file_name()).unwrap_or_default();
        let kind = text(file.extension()).unwrap_or_default();
        self.extensions.contains(&kind.as_str())
            && self.prefixes.iter().any(|prefix| name.starts_with(prefix))
            && !self.other.is_some_and(|other| name.starts_with(other))
    }

    /// Prints one line per file and the sum; gives the sentence for a sum over the limit.
    fn report(&self, rows: &[(String, Size)]) -> Option<String> {
        for (name, size) in rows {
            shell::line(&format!(
                "  {:>8}  {:>8}  {name}",
                kilobytes(size.bytes),
                kilobytes(size.gzipped)
            ));
        }
        let gzipped: u64 = rows.iter().map(|(_, size)| size.gzipped).sum();
        let sum = format!(
            "{}: {} KB of {} KB gzipped",
            self.name,
            kilobytes(gzipped),
            self.limit / KILOBYTE
        );
        shell::line(&format!("  {sum}"));
        (gzipped > self.limit).then_some(sum)
    }
}

/// Whether a file is a written page, which a visitor of the playground doesn't download.
fn is_article(file: &Path, site: &Path) -> bool {
    let folders = ["codes", "reference", "gallery"];
    folders
        .iter()
        .any(|folder| file.starts_with(site.join(folder)))
}

/// The page's own markup and scripts.
fn texts(files: &[PathBuf], site: &Path) -> Outcome<Vec<String>> {
    let speaks = |file: &&PathBuf| {
        let kind = file.extension().and_then(|extension| extension.to_str());
        matches!(kind, Some("html" | "js"))
            && !is_article(file, site)
            && !file.ends_with(SERVICE_WORKER)
    };
    files
        .iter()
        .filter(speaks)
        .map(|file| workspace::read(file))
        .collect()
}

/// Whether a script comes only when a part of the page asks for it by `import(…)`, or belongs to the written pages.
fn is_later(file: &Path, texts: &[String]) -> bool {
    let name = file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    if name == SERVICE_WORKER || name == SNIPPET {
        return true;
    }
    if !name.ends_with(".js") {
        return false;
    }
    let at_once = |text: &String| {
        text.match_indices(&name).any(|(at, _)| {
            let before = text[..at]
                .trim_end_matches("assets/")
                .trim_end_matches("./");
            !before
                .trim_end_matches(['`', '"', '\''])
                .ends_with("import(")
        })
    };
    !texts.iter().any(at_once)
}

fn measure(files: &[&PathBuf]) -> Outcome<Vec<Size>> {
    let json = shell::capture(Command::new("node").args(["-e", MEASURE, "--"]).args(files))?;
    let sizes: Vec<Size> = serde_json::from_str(&json)
        .map_err(|error| Failure::new(format!("node's sizes can't be read: {error}")))?;
    if sizes.len() == files.len() {
        Ok(sizes)
    } else {
        Err(Failure::new("node measured another number of files"))
    }
}

fn kilobytes(bytes: u64) -> String {
    format!(
        "{}.{}",
        bytes / KILOBYTE,
        bytes % KILOBYTE / (KILOBYTE / 10)
    )
}

fn files_below(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let fail = |error| Failure::io("read", folder, &error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATE: Gate = Gate {
        name: "engine",
        extensions: &["wasm"],
        prefixes: &[""],
        other: Some(LATER),
        later: false,
        limit: 1000,
    };

    fn row(gzipped: u64) -> (String, Size) {
        (
            "a.wasm".to_owned(),
            Size {
                bytes: 2 * gzipped,
                gzipped,
            },
        )
    }

    #[test]
    fn a_sum_over_the_limit_is_reported() {
        assert_eq!(GATE.report(&[row(400), row(600)]), None);
        assert_eq!(
            GATE.report(&[row(400), row(601)]).as_deref(),
            Some("engine: 1.0 KB of 1 KB gzipped")
        );
    }

    #[test]
    fn what_is_imported_on_demand_comes_later() {
        let texts = [
            r#"<script src="./assets/index-1.js"></script>"#.to_owned(),
            "import{a}from\"./shared-2.js\";new URL(`worker-3.js`);import(`./qr-4.js`)".to_owned(),
            "import(`./assets/snippet-6.js`)".to_owned(),
            "`<script src=\"strand-snippet.js\">`".to_owned(),
        ];
        let later = |name: &str| is_later(Path::new(name), &texts);
        assert!(!later("assets/index-1.js") && !later("shared-2.js") && !later("worker-3.js"));
        assert!(later("qr-4.js") && later("article-5.js"));
        assert!(later("snippet-6.js") && later("strand-snippet.js"));
        assert!(!later("index.html"));
        assert!(later(SERVICE_WORKER));
    }

    #[test]
    fn a_snippet_has_a_gate_of_its_own() {
        let snippets: Vec<&Gate> = GATES
            .iter()
            .filter(|gate| gate.later && gate.weighs(Path::new("assets/snippet-live-1a2b.js")))
            .collect();
        assert_eq!(snippets.len(), 1);
        assert!(snippets[0].weighs(Path::new("strand-snippet.js")));
        assert!(!snippets[0].weighs(Path::new("assets/qr-1a2b.js")));
    }

    #[test]
    fn a_gate_weighs_its_own_kinds_of_file() {
        assert!(GATE.weighs(Path::new("assets/engine-1a2b.wasm")));
        assert!(!GATE.weighs(Path::new("assets/wasm.js")));
        assert!(!GATE.weighs(Path::new("wasm")));
        assert!(!GATE.weighs(Path::new("assets/strand-later-1a2b.wasm")));
    }
}
