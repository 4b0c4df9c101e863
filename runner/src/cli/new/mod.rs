//! `skewer new`: writes the files with which a suite, a directive or an adapter begins. The templates are in
//! `runner/templates`.

mod adapter;
mod directive;
mod files;
mod names;
mod suite;

use clap::Subcommand;

use crate::cli::failure::Result;

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

pub(super) fn new(command: &NewCommand) -> Result {
    match command {
        NewCommand::Suite(arguments) => suite::suite(arguments),
        NewCommand::Directive(arguments) => directive::directive(arguments),
        NewCommand::Adapter(arguments) => adapter::adapter(arguments),
    }
}
