//! The `strand` program: check, run, torch, fmt, explain.
//!
//! Exit status: 0 without errors, 1 with errors in the text, 2 where a file can't be read or the
//! command line is wrong, 3 for an error while running.

#![allow(
    clippy::print_stderr,
    reason = "where this program says what it cannot do"
)]

mod check;
mod explain;
mod format;
mod input;
mod output;
mod run;
mod suite;
mod torch;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A small typed tensor language with named axes.
#[derive(Parser)]
#[command(name = "strand", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check programs and say what is wrong.
    Check {
        /// `.strand` files, Markdown files with `strand` fences, or `-` for standard input.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print one JSON object (of one file).
        #[arg(long)]
        json: bool,
    },
    /// Run a program's script, or one of its functions.
    Run(run::Arguments),
    /// Print the PyTorch text.
    Torch {
        /// A `.strand` file, or `-` for standard input.
        file: PathBuf,
    },
    /// Format programs in place.
    Fmt {
        /// `.strand` files, or `-` to read standard input and print.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Change nothing; exit with 1 where a file isn't formatted.
        #[arg(long)]
        check: bool,
    },
    /// Say what a code means, with a program that gives it and the mended one.
    Explain {
        /// `E0503`; without one, all codes are listed.
        code: Option<String>,
    },
    /// Print the words to highlight.
    #[command(hide = true)]
    Words {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Run Markdown suites.
    #[command(hide = true)]
    Suite(suite::Arguments),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let status = match cli.command {
        Command::Check { files, json } => check::run(&files, json),
        Command::Run(arguments) => run::run(&arguments),
        Command::Torch { file } => torch::run(&file),
        Command::Fmt { files, check } => format::run(&files, check),
        Command::Explain { code } => explain::run(code.as_deref()),
        Command::Words { json } => words::run(json),
        Command::Suite(arguments) => suite::run(&arguments),
    };
    ExitCode::from(status.code())
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    /// All is well.
    Fine,
    /// The text has errors.
    Errors,
    /// A file can't be read or written, or an argument is wrong.
    Unreadable,
    /// An error while running.
    Failed,
}

impl Status {
    fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Errors => 1,
            Self::Unreadable => 2,
            Self::Failed => 3,
        }
    }
}
