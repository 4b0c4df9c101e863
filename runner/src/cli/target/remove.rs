//! `skewer target remove`.

use std::fmt::Write;

use clap::Args;
use skewer_targets::installed::Installable;

use super::selection::{ProgramSelection, cache_failure, locate_cache, megabytes, selected};
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::output;

/// The arguments of `skewer target remove`.
#[derive(Debug, Args)]
pub(super) struct RemoveArguments {
    /// Targets to remove: apiserver:1.28, for example; all releases of apiserver (`all`), or the adapters of all other
    /// implementations (`implementations`).
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<ProgramSelection>,
}

pub(super) fn remove(arguments: &RemoveArguments) -> Result {
    let cache = locate_cache()?;
    let is_named = |program: &Installable| arguments.targets.contains(&ProgramSelection::One(*program));
    let mut text = String::new();
    for program in selected(&arguments.targets) {
        match cache.remove(program).map_err(|error| cache_failure(&cache, &error))? {
            Some(bytes) => {
                let _ = writeln!(text, "removed {} ({})", program.target(), megabytes(bytes));
            }
            None if is_named(&program) => {
                let _ = writeln!(text, "{} is not installed", program.target());
            }
            None => {}
        }
    }
    if text.is_empty() {
        text.push_str("none of these targets is installed\n");
    }
    output::print(&text).map(|()| Exit::Ok)
}
