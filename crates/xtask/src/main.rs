//! The project's commands: build and serve the page, run every test, keep the tree's rules.
#![expect(clippy::print_stderr, reason = "a program for the terminal")]

mod bench;
mod differential;
mod engine;
mod example;
mod failure;
mod fuzz;
mod page;
mod program;
mod programs;
mod record;
mod server;
mod setup;
mod shell;
mod size;
mod test;
mod tidy;
mod words;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Outcome;
use server::Server;
use workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Set up what is missing, build the page and serve it on 127.0.0.1
    Serve {
        /// The port to use, or the next one that is free
        #[arg(long, default_value_t = 8000)]
        port: u16,
    },
    /// Set up what is missing and build the page into web/dist
    Build,
    /// Set up what is missing and run every test, or the steps that are named
    Test {
        /// Steps to run, in their usual order
        steps: Vec<String>,
        /// Print the steps instead of running them
        #[arg(long)]
        list: bool,
    },
    /// Check the rules of the tree: layering, crate tables, file sizes, links, dependencies
    Tidy,
    /// Weigh the built page and engine against their limits
    Size,
    /// Time the engine in Chromium beside its peers there and native NumPy
    Bench(bench::Options),
    /// Write web/src/generated/words.ts from the tables of the language
    Words,
    /// Record expected values anew from real NumPy and PyTorch
    Record {
        /// Run only the recorders whose path contains this text
        filter: Option<String>,
    },
    /// Run random programs in the interpreter and on real PyTorch, which must agree
    Programs {
        /// The seed; another one every time without it
        #[arg(long)]
        seed: Option<u64>,
        /// How many programs
        #[arg(long, default_value_t = 1000)]
        count: u64,
    },
    /// Feed the engine and the language input that a fuzzer finds, by coverage, with an address sanitizer
    Fuzz {
        /// Targets, by their names in tests/fuzz/targets; all without any
        targets: Vec<String>,
        /// How long each runs
        #[arg(long, default_value_t = 600)]
        seconds: u64,
    },
    /// Compare the array engine with real NumPy on freshly drawn cases
    Differential {
        /// Families of cases, by the names of the scripts in tests/numpy; all without any
        families: Vec<String>,
        /// The seed; another one every time without it
        #[arg(long)]
        seed: Option<u64>,
        /// How many cases per family, instead of the family's own number
        #[arg(long)]
        count: Option<u64>,
    },
}

fn main() -> ExitCode {
    match perform(Arguments::parse().command) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{}: {failure}", shell::paint("1;31", "error"));
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> Outcome<ExitCode> {
    let workspace = Workspace::find()?;
    match task {
        Task::Serve { port } => serve(&workspace, port)?,
        Task::Build => {
            page::build_all(&workspace)?;
            shell::line(&format!("Built {}", page::site(&workspace).display()));
        }
        Task::Test { list: true, .. } => test::list(),
        Task::Test { steps, .. } => return test::run(&workspace, &steps),
        Task::Tidy => tidy::check(&workspace)?,
        Task::Size => size::check(&workspace)?,
        Task::Bench(options) => bench::run(&workspace, &options)?,
        Task::Words => words::generate(&workspace)?,
        Task::Fuzz { targets, seconds } => fuzz::run(&workspace, &targets, seconds)?,
        Task::Differential {
            families,
            seed,
            count,
        } => differential::run(&workspace, &families, seed, count)?,
        Task::Programs { seed, count } => programs::run(&workspace, seed, count)?,
        Task::Record { filter } => record::run(&workspace, filter.as_deref())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn serve(workspace: &Workspace, port: u16) -> Outcome {
    page::build_all(workspace)?;
    let server = Server::bind(&page::site(workspace), port)?;
    shell::line(&format!(
        "\nStrand is served at {}\nCtrl-C ends it.",
        shell::paint("1;32", &server.url())
    ));
    server.run();
    Ok(())
}
