//! `skewer completions` and `skewer man`: completion scripts and man pages of the command line.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

/// The arguments of `skewer completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// Shell that will load the script.
    shell: Shell,
}

/// Prints a completion script. `skewer` is the root command.
pub(super) fn completions(arguments: &CompletionsArguments, mut skewer: Command) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut skewer, "skewer", &mut script);
    output::print_document(&String::from_utf8_lossy(&script)).map(|()| Exit::Ok)
}

/// The arguments of `skewer man`.
#[derive(Debug, Args)]
pub(super) struct ManArguments {
    /// Command whose page is printed: `skewer man run`, `skewer man patch apply`. Default: skewer itself.
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write the pages of all commands to this folder instead: `skewer.1`, `skewer-run.1`, ….
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    dir: Option<PathBuf>,
}

/// Prints one man page, or writes all man pages. `skewer` is the root command.
pub(super) fn man(arguments: &ManArguments, skewer: Command) -> Result {
    let mut skewer = skewer.disable_help_subcommand(true);
    skewer.build();
    if let Some(dir) = &arguments.dir {
        let written = std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(skewer, dir));
        return match written {
            Ok(()) => Ok(Exit::Ok),
            Err(error) => {
                let message = format!("cannot write the man pages to {}: {error}", dir.display());
                Err(Failure::could_not_run(message))
            }
        };
    }
    let mut command = &skewer;
    for name in &arguments.command {
        command = command.find_subcommand(name).ok_or_else(|| {
            let path = command.get_bin_name().unwrap_or("skewer");
            Failure::could_not_run(format!(
                "`{path}` has no command `{name}`: `{path} --help` lists its commands"
            ))
        })?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(|error| Failure::output(&error))?;
    output::print_document(&String::from_utf8_lossy(&page)).map(|()| Exit::Ok)
}
