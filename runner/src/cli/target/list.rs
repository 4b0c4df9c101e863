//! `skewer target list`.

use std::time::Duration;

use skewer_targets::installed::{InstallState, Installable};
use skewer_targets::{BuiltInTarget, ExecOptions, ExecTarget, Target, TargetSpec};

use super::selection::{cache_failure, locate_cache, megabytes};
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::table::render_table;
use crate::cli::{interrupt, output};

pub(super) fn list() -> Result {
    interrupt::end_targets_with_program()?;
    let cache = locate_cache()?;
    let version = BuiltInTarget.info().version.unwrap_or_default();
    let mut rows = vec![row("builtin", "ready", &version, ""), kubectl_row()];
    let mut is_complete = true;
    for program in Installable::all() {
        let state = cache.state(program).map_err(|error| cache_failure(&cache, &error))?;
        rows.push(program_row(program, state));
        is_complete &= matches!(state, InstallState::Installed { .. });
    }
    rows.push(row(ExecTarget::NAME_FORM, "any adapter", "", ""));
    let table = render_table(&["TARGET", "STATE", "VERSION", "SIZE", "NEEDS"], &rows);
    let advice =
        if is_complete { "" } else { "`skewer target install TARGET` builds and installs a target.\n" };
    let folder = cache.folder().display();
    output::print(&format!("{table}\n{advice}Folder of the installed targets: {folder}\n")).map(|()| Exit::Ok)
}

fn row(target: &str, state: &str, version: &str, size: &str) -> Vec<String> {
    [target, state, version, size].map(str::to_owned).to_vec()
}

fn kubectl_row() -> Vec<String> {
    const TIMEOUT: Duration = Duration::from_secs(10);
    match TargetSpec::Kubectl.open(&ExecOptions::new(TIMEOUT, 1)) {
        Ok(kubectl) => row("kubectl", "found", &kubectl.info().version.unwrap_or_default(), ""),
        Err(_) if !cfg!(feature = "network") => row("kubectl", "needs the feature network", "", ""),
        Err(_) if is_on_path("kubectl") => row("kubectl", "found, but does not tell its version", "", ""),
        Err(_) => row("kubectl", "not found", "", ""),
    }
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn program_row(program: Installable, state: InstallState) -> Vec<String> {
    let (state, size) = match state {
        InstallState::NotInstalled => ("not installed", String::new()),
        InstallState::Outdated { bytes } => ("outdated", megabytes(bytes)),
        InstallState::Installed { bytes } => ("installed", megabytes(bytes)),
    };
    let tool = program.tool();
    let missing = if tool.is_on_path() { "" } else { " (not found)" };
    let mut row = row(&program.target(), state, &program.version(), &size);
    row.push(format!("{}{missing}", tool.command()));
    row
}
