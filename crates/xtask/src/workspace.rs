//! Where things lie: the checkout, cargo's target folder, the user's cache folder.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::{Failure, Outcome};
use crate::shell;

/// The folders that every command works with.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The root of the checkout.
    pub root: PathBuf,
    /// Cargo's target folder, `CARGO_TARGET_DIR` and configuration included.
    pub target: PathBuf,
    /// Installed tools, kept between checkouts and keyed by version.
    pub cache: PathBuf,
}

impl Workspace {
    pub fn find() -> Outcome<Workspace> {
        let manifest_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest_folder
            .ancestors()
            .nth(2)
            .filter(|root| root.join("Cargo.toml").is_file())
            .ok_or_else(|| Failure::new("the checkout that xtask was built from is gone: run `cargo xtask` in a checkout"))?
            .to_path_buf();
        let metadata = cargo_metadata(&root, &["--no-deps"])?;
        let target = metadata["target_directory"]
            .as_str()
            .map(PathBuf::from)
            .ok_or_else(|| Failure::new("`cargo metadata` names no target folder"))?;
        Ok(Workspace {
            root,
            target,
            cache: cache_folder(|name| env::var_os(name))?,
        })
    }

    /// Every file that git tracks or would track, relative to the root, in git's order.
    pub fn files(&self) -> Outcome<Vec<PathBuf>> {
        let mut git = Command::new("git");
        git.args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(&self.root);
        let listing = shell::capture(&mut git)?;
        let mut files: Vec<PathBuf> = listing
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(PathBuf::from)
            .collect();
        files.sort();
        files.dedup();
        files.retain(|file| self.root.join(file).is_file());
        Ok(files)
    }

    /// The version of a package in Cargo.lock.
    pub fn locked_version(&self, package: &str) -> Outcome<String> {
        let path = self.root.join("Cargo.lock");
        locked_version(&read(&path)?, package)
            .ok_or_else(|| Failure::new(format!("Cargo.lock has no package `{package}`")))
    }
}

/// `cargo metadata` as JSON, for the workspace at `root`.
pub fn cargo_metadata(root: &Path, arguments: &[&str]) -> Outcome<Value> {
    let mut cargo = cargo();
    cargo
        .args(["metadata", "--format-version", "1"])
        .args(arguments)
        .current_dir(root);
    serde_json::from_str(&shell::capture(&mut cargo)?).map_err(|error| {
        Failure::new(format!(
            "`cargo metadata` gave text that isn't JSON: {error}"
        ))
    })
}

/// The cargo that runs this program, else the one on the path.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// A whole text file.
pub fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| Failure::io("read", path, &error))
}

/// Writes a text file and its folder, and leaves an equal file's time stamp alone: builds look at it.
pub fn write_if_changed(path: &Path, text: &str) -> Outcome {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    fs::write(path, text).map_err(|error| Failure::io("write", path, &error))
}

pub fn create_folder(path: &Path) -> Outcome {
    fs::create_dir_all(path).map_err(|error| Failure::io("create", path, &error))
}

/// Removes a file; one that isn't there is removed already.
pub fn remove_file(path: &Path) -> Outcome {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::io("remove", path, &error))
        }
        _ => Ok(()),
    }
}

fn cache_folder(variable: impl Fn(&str) -> Option<OsString>) -> Outcome<PathBuf> {
    let set = |name: &str| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    set("STRAND_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("strand")))
        .or_else(|| set("HOME").map(|home| home.join(".cache").join("strand")))
        .ok_or_else(|| Failure::new("no folder for installed tools: set HOME or STRAND_CACHE"))
}

fn locked_version(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.next()?;
    Some(
        lines
            .next()?
            .strip_prefix("version = \"")?
            .strip_suffix('"')?
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_folder_follows_the_first_variable_that_is_set() {
        let with = |pairs: &'static [(&str, &str)]| {
            cache_folder(move |name| {
                pairs
                    .iter()
                    .find(|pair| pair.0 == name)
                    .map(|pair| pair.1.into())
            })
        };
        assert_eq!(
            with(&[
                ("STRAND_CACHE", "/s"),
                ("XDG_CACHE_HOME", "/x"),
                ("HOME", "/h")
            ]),
            Ok("/s".into())
        );
        assert_eq!(
            with(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]),
            Ok("/x/strand".into())
        );
        assert_eq!(
            with(&[("XDG_CACHE_HOME", ""), ("HOME", "/h")]),
            Ok("/h/.cache/strand".into())
        );
        assert!(with(&[]).is_err());
    }

    #[test]
    fn a_locked_version_belongs_to_exactly_that_package() {
        let lock = "[[package]]\nname = \"wasm-bindgen-shared\"\nversion = \"9.9.9\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\nsource = \"registry\"\n";
        assert_eq!(
            locked_version(lock, "wasm-bindgen").as_deref(),
            Some("0.2.130")
        );
        assert_eq!(locked_version(lock, "wasm"), None);
    }
}
