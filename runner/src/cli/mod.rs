//! The command line.

mod apply;
mod arguments;
mod audit;
mod collect_results;
mod compare;
mod coverage;
mod deviations;
mod differential;
mod docs;
mod explain;
mod failure;
mod fmt;
mod input;
mod interrupt;
mod kep;
mod laws;
mod list;
mod merge;
mod mutants;
mod new;
mod output;
mod patch;
mod progress;
mod releases;
mod report;
mod run;
mod schema;
mod scoreboard;
mod show;
mod table;
mod target;
mod target_failure;
mod topology;
mod union;
mod workers;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use skewer_reports::control_characters::{escape_line, escape_text};

use self::failure::Result;
use self::output::{ColorChoice, Stream};
use crate::exit;
pub use crate::exit::Exit;

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
    /// Run the corpus and random requests on the API servers of all installed Kubernetes releases, and say what differs.
    Releases(releases::ReleasesArguments),
    /// Put the results of several implementations side by side: capabilities, and the smallest cells that are wrong.
    Scoreboard(scoreboard::ScoreboardArguments),
    /// Tabulate what changes of a topology do to the owners of fields (server-side apply), in Markdown.
    Topology(topology::TopologyArguments),
    /// Print a shell completion script: `skewer completions bash`.
    Completions(docs::CompletionsArguments),
    /// Print the man page of a command (`skewer man run | man -l -`), or write all man pages.
    Man(docs::ManArguments),
    /// Merge the results files of all shards into one results file of the whole run.
    Merge(merge::MergeArguments),
    /// Report which statements and examples of the design documents, and which error kinds, the cases show; fail on a gap.
    Coverage(coverage::CoverageArguments),
    /// Test the corpus: run it on semantic mutants of the engine, and report which cells notice them.
    Mutants(mutants::MutantsArguments),
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

/// Runs the command line. The first of the `arguments` is the name of the program.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(report_panic));
    let words: Vec<OsString> = arguments.into_iter().collect();
    output::set_color_choice(color_option(&words).unwrap_or_default());
    let arguments = match parse(&words) {
        Ok(arguments) => arguments,
        Err(error) => return print_usage(&words, &error).into(),
    };
    output::set_color_choice(arguments.color);
    let exit = match &arguments.command {
        Command::Run(arguments) => run::run(arguments),
        Command::List(arguments) => list::list(arguments),
        Command::Show(arguments) => show::show(arguments),
        Command::Explain(arguments) => explain::explain(arguments),
        Command::Laws(arguments) => laws::laws(arguments),
        Command::Compare(arguments) => compare::compare(arguments),
        Command::Report(arguments) => report::report(arguments),
        Command::Audit(arguments) => audit::audit(arguments),
        Command::Kep(arguments) => kep::kep(arguments),
        Command::Releases(arguments) => releases::releases(arguments),
        Command::Topology(arguments) => topology::topology(arguments),
        Command::Completions(arguments) => docs::completions(arguments, Arguments::command()),
        Command::Man(arguments) => docs::man(arguments, Arguments::command()),
        Command::Merge(arguments) => merge::merge(arguments),
        Command::Coverage(arguments) => coverage::coverage(arguments),
        Command::Mutants(arguments) => mutants::mutants(arguments),
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
    };
    exit.unwrap_or_else(|failure| {
        output::failure(&failure);
        failure.exit
    })
    .into()
}

/// Parses the command line. Help has the width of standard output.
fn parse(words: &[OsString]) -> std::result::Result<Arguments, clap::Error> {
    let command = Arguments::command().term_width(Stream::Output.style().text_width());
    command.try_get_matches_from(words).and_then(|matches| Arguments::from_arg_matches(&matches))
}

/// Returns the value of `--color`, for help and for the errors of a command line that cannot be parsed.
fn color_option(words: &[OsString]) -> Option<ColorChoice> {
    let mut words = words.iter().filter_map(|word| word.to_str());
    let value = words.find_map(|word| word.strip_prefix("--color"))?;
    let value = if value.is_empty() { words.next() } else { value.strip_prefix('=') }?;
    ColorChoice::from_str(value, true).ok()
}

/// Prints the help, the version or a usage error, and returns the exit code.
fn print_usage(words: &[OsString], error: &clap::Error) -> Exit {
    // clap also returns the help and the version as errors. They go to standard output.
    let (stream, exit) =
        if error.use_stderr() { (Stream::Error, Exit::CouldNotRun) } else { (Stream::Output, Exit::Ok) };
    // The message quotes the arguments. They are parsed a second time, with control characters escaped, so that clap's
    // colours are the only control characters in the message.
    let escaped: Vec<OsString> =
        words.iter().map(|word| escape_line(&word.to_string_lossy()).into_owned().into()).collect();
    let escaped = parse(&escaped);
    let text = match &escaped {
        Err(escaped) if stream.has_color() => escaped.render().ansi().to_string(),
        Err(escaped) => escaped.render().to_string(),
        // The escaped arguments are valid: the error is in a character that was escaped.
        Ok(_) => escape_text(&error.render().to_string()).into_owned(),
    };
    // If the stream is closed, there is nowhere to report that.
    let _ = stream.print_styled(&text);
    exit
}

/// Prints a panic in the format of Rust's default hook, but with control characters escaped.
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
