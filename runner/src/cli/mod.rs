//! The command line.

mod arguments;
mod compare;
mod coverage;
mod deviations;
mod differential;
mod docs;
mod exit;
mod failure;
mod input;
mod interrupt;
mod kep;
mod laws;
mod list;
mod merge;
mod output;
mod patch;
mod report;
mod run;
mod schema;
mod show;
mod target;
mod target_failure;
mod union;
mod workers;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use skewer_reports::control_characters::{escape_line, escape_text};

use self::failure::Result;
use self::output::Stream;
pub use exit::Exit;

/// Conformance tests for Kubernetes patches and unions under version skew.
///
/// A case says what is stored, what a client wants, and what client and server know. Skewer runs it at every
/// point of its matrix and reports which are safe, which fail loudly, and which silently go wrong.
#[derive(Debug, Parser)]
#[command(name = "skewer", version, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 all good; 1 a cell failed, no cell of a suite was run, or a patch was refused; 2 could not run (bad usage, bad file); \
                        3 the target failed; 4 nothing was selected; 130 interrupted."
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
    /// What the test matrix of KEP-1027 (unions) says, by policy, and whether the KEP's conclusions follow.
    Kep(kep::KepArguments),
    /// Print a completion script for a shell: `skewer completions bash`.
    Completions(docs::CompletionsArguments),
    /// Print the man page of a command, for `skewer man run | man -l -`; or write all of them.
    Man(docs::ManArguments),
    /// Join the results files of shards into that of the whole run.
    Merge(merge::MergeArguments),
    /// Count what of the design documents, and of the engine's errors, the cases cover; something uncovered is a failure.
    Coverage(coverage::CoverageArguments),
    /// Show the known deviations of a target, or rewrite their file.
    Deviations(deviations::DeviationsArguments),
    /// Apply and create patches by hand, on files or standard input.
    Patch(patch::PatchCommand),
    /// The types of Kubernetes and your own, with their patch metadata: show, list, convert, check.
    Schema(schema::SchemaCommand),
    /// Unions: find them in types, and see what a server's policy makes of an object.
    #[command(subcommand)]
    Union(union::UnionCommand),
    /// Compare the built-in engine with a target on random documents.
    Differential(differential::DifferentialArguments),
    /// Speak the adapter protocol on standard input and output, with our own engine: a target for others.
    Serve,
    /// Try a target: does it start, what does it support, does it answer?
    Target(target::TargetCommand),
}

/// Runs the command line; `arguments` begin with the program's name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(report_panic));
    let words: Vec<OsString> = arguments.into_iter().collect();
    let arguments = match Arguments::try_parse_from(&words) {
        Ok(arguments) => arguments,
        Err(error) => return print_usage(&words, &error).into(),
    };
    let exit = match &arguments.command {
        Command::Run(arguments) => run::run(arguments),
        Command::List(arguments) => list::list(arguments),
        Command::Show(arguments) => show::show(arguments),
        Command::Laws(arguments) => laws::laws(arguments),
        Command::Compare(arguments) => compare::compare(arguments),
        Command::Report(arguments) => report::report(arguments),
        Command::Kep(arguments) => kep::kep(arguments),
        Command::Completions(arguments) => docs::completions(arguments, Arguments::command()),
        Command::Man(arguments) => docs::man(arguments, Arguments::command()),
        Command::Merge(arguments) => merge::merge(arguments),
        Command::Coverage(arguments) => coverage::coverage(arguments),
        Command::Deviations(arguments) => deviations::deviations(arguments),
        Command::Patch(arguments) => patch::patch(arguments),
        Command::Schema(arguments) => schema::schema(arguments),
        Command::Union(command) => union::union(command),
        Command::Differential(arguments) => differential::differential(arguments),
        Command::Serve => serve(),
        Command::Target(arguments) => target::target(arguments),
    };
    exit.unwrap_or_else(|failure| {
        output::failure(&failure);
        failure.exit
    })
    .into()
}

/// Prints the help, the version, or an error of usage, and returns the exit code.
fn print_usage(words: &[OsString], error: &clap::Error) -> Exit {
    // Help and version are no errors; clap knows where each goes.
    let (stream, exit) =
        if error.use_stderr() { (Stream::Error, Exit::CouldNotRun) } else { (Stream::Output, Exit::Ok) };
    // An error repeats arguments. It is made once more, of arguments without colours, so that the only ones are clap's.
    let escaped =
        Arguments::try_parse_from(words.iter().map(|word| escape_line(&word.to_string_lossy()).into_owned()));
    let text = match &escaped {
        Err(escaped) if stream.has_color() => escaped.render().ansi().to_string(),
        Err(escaped) => escaped.render().to_string(),
        // What is wrong with an argument is not wrong with its escaped form.
        Ok(_) => escape_text(&error.render().to_string()).into_owned(),
    };
    // Nobody is left to hear of an error.
    let _ = stream.print_styled(&text);
    exit
}

/// Prints a panic as Rust does. Its message can contain anything.
fn report_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let thread = std::thread::current();
    output::error(&format!("thread '{}' {panic}", thread.name().unwrap_or("<unnamed>")));
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        output::error(&backtrace.to_string());
    }
}

fn serve() -> Result {
    let served = crate::serve::serve(std::io::stdin().lock(), std::io::stdout().lock());
    output::check_written(served).map(|()| Exit::Ok)
}
