//! `skewer new`: writes the files with which a suite, a directive or an adapter begins. The templates are in
//! `runner/templates`.

mod adapter;
mod directive;
mod names;
mod suite;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Subcommand;

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};

/// The subcommands of `skewer new`.
#[derive(Debug, Subcommand)]
pub(super) enum NewCommand {
    /// Write a suite that passes, with comments that say what to edit.
    Suite(suite::SuiteArguments),
    /// Write a directive, its line in the registry, its suite and the record of its laws; only in a checkout of Skewer.
    Directive(directive::DirectiveArguments),
    /// Write an adapter for an implementation in another language, and a file of its known deviations.
    Adapter(adapter::AdapterArguments),
}

/// Runs the command.
pub(super) fn new(command: &NewCommand) -> Result {
    match command {
        NewCommand::Suite(arguments) => suite::suite(arguments),
        NewCommand::Directive(arguments) => directive::directive(arguments),
        NewCommand::Adapter(arguments) => adapter::adapter(arguments),
    }
}

struct NewFile {
    path: PathBuf,
    content: String,
}

/// Creates files, and the folders that contain them. Writes nothing if one of the files exists.
///
/// # Errors
/// Fails if a file exists or cannot be written.
fn create(files: &[NewFile]) -> Result<()> {
    if let Some(file) = files.iter().find(|file| file.path.symlink_metadata().is_ok()) {
        let message = format!("{} exists: choose another name, or remove it", file.path.display());
        return Err(Failure::new(Exit::CouldNotRun, message));
    }
    for file in files {
        create_file(file).map_err(|error| cannot_write(&file.path, &error))?;
    }
    Ok(())
}

fn create_file(file: &NewFile) -> std::io::Result<()> {
    if let Some(folder) = file.path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::File::create_new(&file.path)?.write_all(file.content.as_bytes())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Exit::CouldNotRun, format!("cannot write {}: {error}", path.display()))
}
