//! Running other programs, and speaking to the terminal.

use std::env;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Outcome};

/// Announces a part of the work that takes a while.
pub fn heading(text: &str) {
    line(&paint("1;36", &format!("=== {text}")));
}

/// One line of progress or result.
pub fn line(text: &str) {
    // A closed pipe (`cargo xtask test | head`) must not end the work halfway.
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Puts a text in the place of the terminal's last line, which isn't ended.
fn rewrite_line(text: &str) {
    let mut out = io::stdout().lock();
    let _ = write!(out, "\r\u{1b}[K{text}").and_then(|()| out.flush());
}

/// Colours a text for a terminal; other readers get it plain.
pub fn paint(style: &str, text: &str) -> String {
    let colours = io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none();
    if colours {
        format!("\u{1b}[{style}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// A duration as a person reads it: `0.4 s`, `12 s`, `3 min 05 s`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if time < Duration::from_secs(10) {
        format!("{:.1} s", time.as_secs_f64())
    } else if seconds < 60 {
        format!("{seconds} s")
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

/// Runs a program with its output on the terminal; any other end than success is a failure.
pub fn run(command: &mut Command) -> Outcome {
    // What was printed so far must stand above what the program prints.
    let _ = io::stdout().flush();
    let status = command
        .status()
        .map_err(|error| not_started(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "`{}` ended with {status}",
            shown(command)
        )))
    }
}

/// Runs a program that takes long and says much: on the terminal one line tells how far it is, elsewhere one in half a
/// minute does. All that it wrote to its errors goes into the failure.
pub fn run_long(command: &mut Command) -> Outcome {
    let _ = io::stdout().flush();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_started(command, &error))?;
    let said = child
        .stderr
        .take()
        .map(Progress::follow)
        .unwrap_or_default();
    let status = child.wait().map_err(|error| not_started(command, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{said}\n`{}` ended with {status}",
        shown(command)
    )))
}

/// The line that tells how far a long program is.
struct Progress {
    start: Instant,
    told: Duration,
    on_terminal: bool,
}

impl Progress {
    /// Tells of what is read until its end, and gives all of it.
    fn follow(from: impl io::Read + Send + 'static) -> String {
        let (sender, lines) = mpsc::channel();
        let reader = thread::spawn(move || {
            let mut from = BufReader::new(from);
            let mut line = Vec::new();
            while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                line.clear();
                if sender.send(text).is_err() {
                    break;
                }
            }
        });
        let mut progress = Self {
            start: Instant::now(),
            told: Duration::ZERO,
            on_terminal: io::stdout().is_terminal(),
        };
        let mut all: Vec<String> = Vec::new();
        loop {
            match lines.recv_timeout(Duration::from_millis(500)) {
                Ok(line) => all.push(line),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            progress.tell(all.last().map_or("", String::as_str));
        }
        if progress.on_terminal {
            rewrite_line("");
        }
        let _ = reader.join();
        all.join("\n")
    }

    fn tell(&mut self, last: &str) {
        let passed = self.start.elapsed();
        let every = if self.on_terminal { 1 } else { 30 };
        if passed < self.told + Duration::from_secs(every) {
            return;
        }
        self.told = passed;
        let last: String = last.trim().chars().take(60).collect();
        let text = format!("    {} · {last}", duration(passed));
        if self.on_terminal {
            rewrite_line(&text);
        } else {
            line(&text);
        }
    }
}

/// Runs a program and gives what it wrote to its standard output; its errors go into the failure.
pub fn capture(command: &mut Command) -> Outcome<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| not_started(command, &error))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::new(format!(
            "`{}` ended with {}\n{}",
            shown(command),
            output.status,
            errors.trim_end()
        )));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| Failure::new(format!("`{}` wrote text that isn't UTF-8", shown(command))))
}

/// The file that a program's name stands for, looked up as the shell does.
pub fn find_program(name: &str) -> Option<PathBuf> {
    find_in(name, &env::var_os("PATH")?)
}

/// `PATH` with folders put in front of it.
pub fn path_with(folders: &[PathBuf]) -> Outcome<std::ffi::OsString> {
    let old = env::var_os("PATH").unwrap_or_default();
    env::join_paths(folders.iter().cloned().chain(env::split_paths(&old)))
        .map_err(|error| Failure::new(format!("can't extend PATH: {error}")))
}

fn find_in(name: &str, path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path)
        .map(|folder| folder.join(name))
        .find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

fn not_started(command: &Command, error: &io::Error) -> Failure {
    let program = command.get_program().to_string_lossy().into_owned();
    if error.kind() == io::ErrorKind::NotFound {
        Failure::new(format!("`{program}` isn't installed, or isn't on the PATH"))
    } else {
        Failure::new(format!("`{program}` can't be started: {error}"))
    }
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(duration(Duration::from_millis(437)), "0.4 s");
        assert_eq!(duration(Duration::from_secs(59)), "59 s");
        assert_eq!(duration(Duration::from_secs(185)), "3 min 05 s");
    }

    #[test]
    fn a_program_that_is_missing_is_named() {
        let failure = run(&mut Command::new("no-such-program-of-strand")).unwrap_err();
        assert!(
            failure
                .to_string()
                .contains("`no-such-program-of-strand` isn't installed")
        );
    }

    #[test]
    fn a_long_program_that_fails_says_all_it_said() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo first >&2; echo last >&2; exit 3"]);
        let failure = run_long(&mut command).unwrap_err().to_string();
        assert!(failure.starts_with("first\nlast\n`sh -c "), "{failure}");
        assert!(run_long(Command::new("sh").args(["-c", "echo good >&2"])).is_ok());
    }

    #[test]
    fn a_failed_program_is_shown_with_its_arguments_and_its_errors() {
        let failure = capture(Command::new("sh").args(["-c", "echo reason >&2; exit 3"]))
            .unwrap_err()
            .to_string();
        assert!(
            failure.starts_with("`sh -c ") && failure.ends_with("reason"),
            "{failure}"
        );
    }
}
