//! The command line.

mod check;
mod compare;
mod corpus;
mod laws;
mod list;
mod merge;
mod output;
mod report;
mod run;
mod show;
mod target;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::exit::Exit;

/// Conformance tests for Kubernetes patches and unions under version skew.
///
/// A case says what is stored, what a client wants, and what client and server know. Skewer runs it at every
/// point of its matrix and reports which are safe, which fail loudly, and which silently go wrong.
#[derive(Debug, Parser)]
#[command(name = "skewer", version, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 all good; 1 a cell failed; 2 could not run (bad usage, bad case file); \
                        3 the target failed; 4 nothing was selected."
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run cells and print what came of them.
    Run(run::RunArguments),
    /// List the cells that there are.
    List(list::ListArguments),
    /// Show one cell step by step: every document on its way, and why the outcome is what it is.
    Show(show::ShowArguments),
    /// Try the laws of patch evolution on every directive: a table with counter-examples.
    Laws(laws::LawsArguments),
    /// Compare two results files: what got worse, better, or otherwise different.
    Compare(compare::CompareArguments),
    /// Render a results file again, in any format.
    Report(report::ReportArguments),
    /// Join the results files of shards into that of the whole run.
    Merge(merge::MergeArguments),
    /// Try a target: does it start, what does it support, does it answer?
    Target(check::TargetCommand),
}

/// Runs the command line; `arguments` begin with the program's name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors; clap knows where each goes.
            let exit = if error.use_stderr() { Exit::CouldNotRun } else { Exit::Ok };
            let _ = error.print();
            return exit.into();
        }
    };
    let exit = match &arguments.command {
        Command::Run(arguments) => run::run(arguments),
        Command::List(arguments) => list::list(arguments),
        Command::Show(arguments) => show::show(arguments),
        Command::Laws(arguments) => laws::laws(arguments),
        Command::Compare(arguments) => compare::compare(arguments),
        Command::Report(arguments) => report::report(arguments),
        Command::Merge(arguments) => merge::merge(arguments),
        Command::Target(arguments) => check::target(arguments),
    };
    exit.unwrap_or_else(|failure| {
        output::error(&failure.message);
        failure.exit
    })
    .into()
}

/// Why a command ended early.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
}

impl Failure {
    fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure { exit, message: message.into() }
    }

    /// Output went to a pipe that was closed, or a file could not be written.
    fn output(error: &std::io::Error) -> Self {
        // Somebody who closes the pipe has read enough (`skewer list | head`).
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure::new(Exit::Ok, String::new());
        }
        Failure::new(Exit::CouldNotRun, format!("cannot write the output: {error}"))
    }
}

type Result<T = Exit> = std::result::Result<T, Failure>;
