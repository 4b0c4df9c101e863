//! `skewer completions` and `skewer man`: what shells and `man` want to know of the command line.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Arguments, Failure, Result, output};
use crate::exit::Exit;

/// The arguments of `skewer completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell.
    shell: Shell,
}

/// Prints a completion script.
pub(super) fn completions(arguments: &CompletionsArguments) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "skewer", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}

/// Prints the man page.
pub(super) fn man() -> Result {
    let mut page = Vec::new();
    clap_mangen::Man::new(Arguments::command()).render(&mut page).map_err(|error| Failure::output(&error))?;
    output::print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Ok)
}
