//! Debian packages, where this program may install them.

use std::process::Command;

use crate::failure::{Failure, Outcome};
use crate::shell;

/// Installs Debian packages as root; anyone else gets the line to type.
pub fn install(packages: &[&str], purpose: &str) -> Outcome {
    let list = packages.join(" ");
    if shell::find_program("apt-get").is_none() {
        return Err(Failure::new(format!(
            "{purpose} is missing: install the counterpart of Debian's {list}"
        )));
    }
    if !is_root() {
        return Err(Failure::new(format!(
            "{purpose} is missing: run `sudo apt-get install {list}`"
        )));
    }
    shell::heading(&format!("Installing {list} with apt-get"));
    // The list of packages is often too old to name files that still exist, or empty on a fresh machine.
    if shell::run(&mut install_command(packages)).is_err() {
        shell::run(apt_get().args(["update", "-qq"]))?;
        shell::run(&mut install_command(packages))?;
    }
    Ok(())
}

fn install_command(packages: &[&str]) -> Command {
    let mut command = apt_get();
    command
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(packages);
    command
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn is_root() -> bool {
    shell::capture(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}
