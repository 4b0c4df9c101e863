//! `skewer target remove`.

use std::fmt::Write;

use clap::Args;

use super::selection::{ReleaseSelection, cache_failure, locate_cache, megabytes, selected};
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::output;

/// The arguments of `skewer target remove`.
#[derive(Debug, Args)]
pub(super) struct RemoveArguments {
    /// Releases to remove: apiserver:1.28, for example, or all.
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<ReleaseSelection>,
}

/// Runs the command.
pub(super) fn remove(arguments: &RemoveArguments) -> Result {
    let cache = locate_cache()?;
    let is_all = arguments.targets.contains(&ReleaseSelection::All);
    let mut text = String::new();
    for release in selected(&arguments.targets) {
        match cache.remove(release).map_err(|error| cache_failure(&cache, &error))? {
            Some(bytes) => {
                let _ = writeln!(text, "removed {} ({})", release.target(), megabytes(bytes));
            }
            None if is_all => {}
            None => {
                let _ = writeln!(text, "{} is not installed", release.target());
            }
        }
    }
    if text.is_empty() {
        text.push_str("no release of apiserver is installed\n");
    }
    output::print(&text)?;
    Ok(Exit::Ok)
}
