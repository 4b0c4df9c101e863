//! The command line.

// Every failure is a message for the user of a command. Beside the commands, only the lab calls these functions.
#![allow(clippy::missing_errors_doc)]

mod apply;
pub mod arguments;
mod audit;
mod collect_results;
mod compare;
mod deviations;
mod differential;
mod docs;
mod explain;
pub mod failure;
mod fmt;
mod input;
mod interrupt;
mod kep;
mod laws;
mod list;
mod new;
pub mod output;
mod patch;
mod preflight;
pub mod program;
pub mod progress;
mod report;
mod run;
mod schema;
mod scoreboard;
mod show;
mod stream;
mod table;
mod target;
mod target_failure;
pub mod topology;
mod union;
pub mod workers;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use skewer_execute::exit;
pub use skewer_execute::exit::Exit;

use self::failure::Result;
use self::output::ColorChoice;
use self::program::ProgramArguments;

/// Conformance tests for Kubernetes patches and unions under version skew.
///
/// A case describes a live object, the change that a client intends, and what client and server know. Skewer runs the
/// case at every point of its version matrix. It reports which points are safe, which fail with an error, and which go
/// wrong silently.
#[derive(Debug, Parser)]
#[command(name = "skewer", version, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 success; 1 a cell failed, no cell of a suite was run, or a patch was refused; 2 the \
                  command could not run (bad usage, bad file); 3 the target failed; 4 nothing was selected; 130 \
                  interrupted."
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// When to colour the output. Without it, `NO_COLOR`, `CLICOLOR_FORCE` and `CARGO_TERM_COLOR` decide, in this order, and
    /// then the terminal.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true
    )]
    color: ColorChoice,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run cells on a target and print the results.
    Run(run::RunArguments),
    /// List the ids of cells.
    List(list::ListArguments),
    /// Show one cell step by step: each document on the way to the final state, and the reason for the outcome.
    Show(show::ShowArguments),
    /// Explain a word of a result, a case or a message: an outcome, an error kind, a directive, an exit code.
    Explain(explain::ExplainArguments),
    /// Check every directive against the laws of patch evolution, and print counter-examples.
    Laws(laws::LawsArguments),
    /// Compare two results files: regressions, improvements and other differences.
    Compare(compare::CompareArguments),
    /// Render a results file in another format.
    Report(report::ReportArguments),
    /// Summarize the test matrix of KEP-1027 (unions) by policy, and check whether the KEP's conclusions follow.
    Kep(kep::KepArguments),
    /// Find out what a change of your own types does to stored objects and to clients that have not been upgraded.
    Audit(audit::AuditArguments),
    /// Find out what the next step of a tool does to your objects: who owns their fields, and what gets stuck or refused.
    Preflight(preflight::PreflightArguments),
    /// Put the results of several implementations side by side: capabilities, and the smallest cells that are wrong.
    Scoreboard(scoreboard::ScoreboardArguments),
    /// Tabulate what changes of a topology do to the owners of fields (server-side apply), in Markdown.
    Topology(topology::TopologyArguments),
    /// Print a shell completion script: `skewer completions bash`.
    Completions(docs::CompletionsArguments),
    /// Print the man page of a command (`skewer man run | man -l -`), or write all man pages.
    Man(docs::ManArguments),
    /// Merge the results files of all shards into one results file of the whole run.
    Merge(report::MergeArguments),
    /// Show the known deviations of a target, or rewrite the deviation file.
    Deviations(deviations::DeviationsArguments),
    /// Apply, create, merge and compare patches from files or standard input.
    Patch(patch::PatchCommand),
    /// Run a server-side apply, or an update with managed fields, on files; print the object and the owners of its fields.
    Apply(apply::ApplyArguments),
    /// Show, list, convert and check types and their patch metadata.
    Schema(schema::SchemaCommand),
    /// List the unions of types, and apply a union policy to an object.
    #[command(subcommand)]
    Union(union::UnionCommand),
    /// Compare the built-in engine with a target on random documents.
    Differential(differential::DifferentialArguments),
    /// Write the files with which a suite, a directive or an adapter begins.
    #[command(subcommand)]
    New(new::NewCommand),
    /// Format suite files: one layout for all files, with their comments.
    Fmt(fmt::FmtArguments),
    /// Serve the built-in engine as a target: read requests of the adapter protocol from standard input.
    Serve,
    /// List, install, check and remove targets: the implementations under test.
    Target(target::TargetCommand),
}

impl ProgramArguments for Arguments {
    fn color(&self) -> ColorChoice {
        self.color
    }

    fn run(&self) -> Result {
        match &self.command {
            Command::Run(arguments) => run::run(arguments),
            Command::List(arguments) => list::list(arguments),
            Command::Show(arguments) => show::show(arguments),
            Command::Explain(arguments) => explain::explain(arguments),
            Command::Laws(arguments) => laws::laws(arguments),
            Command::Compare(arguments) => compare::compare(arguments),
            Command::Report(arguments) => report::report(arguments),
            Command::Audit(arguments) => audit::audit(arguments),
            Command::Preflight(arguments) => preflight::run(arguments),
            Command::Kep(arguments) => kep::kep(arguments),
            Command::Topology(arguments) => topology::topology(arguments),
            Command::Completions(arguments) => docs::completions(arguments, Arguments::command()),
            Command::Man(arguments) => docs::man(arguments, Arguments::command()),
            Command::Merge(arguments) => report::merge(arguments),
            Command::Deviations(arguments) => deviations::deviations(arguments),
            Command::Patch(arguments) => patch::patch(arguments),
            Command::Apply(arguments) => apply::apply(arguments),
            Command::Scoreboard(arguments) => scoreboard::scoreboard(arguments),
            Command::Schema(arguments) => schema::schema(arguments),
            Command::Union(command) => union::union(command),
            Command::Differential(arguments) => differential::differential(arguments),
            Command::New(command) => new::new(command),
            Command::Fmt(arguments) => fmt::fmt(arguments),
            Command::Serve => serve(),
            Command::Target(arguments) => target::target(arguments),
        }
    }
}

/// Runs the command line. The first of the `arguments` is the name of the program.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    program::main::<Arguments>(arguments)
}

fn serve() -> Result {
    let served = skewer_targets::serve::serve(std::io::stdin().lock(), std::io::stdout().lock());
    output::check_written(served).map(|()| Exit::Ok)
}
