//! Node and the npm packages of a folder.

use std::path::Path;
use std::process::Command;

use super::required;
use crate::failure::{Failure, Outcome};
use crate::shell;
use crate::workspace;

/// The oldest Node whose test runner and typed-array handling the scripts rely on.
const OLDEST: (u32, u32) = (20, 19);

const ADVICE: &str =
    "install Node 20.19 or newer (Debian: apt-get install nodejs npm; others: nodejs.org)";

/// The copy of the lock file that `node_modules` was installed from.
const STAMP: &str = "node_modules/.installed-from.json";

/// Fails with one line where Node or npm is missing or too old.
pub fn ensure() -> Outcome {
    required("node", ADVICE)?;
    required("npm", ADVICE)?;
    let version = shell::capture(Command::new("node").arg("--version"))?;
    match parse_version(&version) {
        Some(found) if found >= OLDEST => Ok(()),
        _ => Err(Failure::new(format!(
            "`node` is {}, which is too old: {ADVICE}",
            version.trim()
        ))),
    }
}

/// Installs the packages of `folder` as its lock file has them, unless that is done already.
pub fn ensure_packages(folder: &Path) -> Outcome {
    ensure()?;
    if !folder.join("package.json").is_file() {
        return Err(Failure::new(format!(
            "{} is missing",
            folder.join("package.json").display()
        )));
    }
    let lock = workspace::read(&folder.join("package-lock.json"))?;
    let stamp = folder.join(STAMP);
    if workspace::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    shell::heading(&format!(
        "Installing the npm packages of {}",
        folder.display()
    ));
    shell::run(npm(folder).args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]))?;
    workspace::write_if_changed(&stamp, &lock)
}

/// npm in a folder.
pub fn npm(folder: &Path) -> Command {
    let mut command = Command::new("npm");
    command
        .current_dir(folder)
        .env("npm_config_update_notifier", "false");
    command
}

/// Runs a script of the folder's package.json.
pub fn run_script(folder: &Path, script: &str) -> Outcome {
    shell::run(npm(folder).args(["run", "--silent", script]))
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text
        .trim()
        .strip_prefix('v')?
        .split('.')
        .map(|part| part.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(parse_version("v20.20.2\n"), Some((20, 20)));
        assert!(parse_version("v20.9.0") < Some(OLDEST));
        assert!(parse_version("v9.11.0") < Some(OLDEST));
        assert_eq!(parse_version("20"), None);
    }

    #[test]
    fn a_folder_without_a_package_is_named() {
        let failure = ensure_packages(Path::new("/nowhere"))
            .unwrap_err()
            .to_string();
        assert!(
            failure.contains("/nowhere/package.json is missing")
                || failure.contains("isn't installed"),
            "{failure}"
        );
    }
}
