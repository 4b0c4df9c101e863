//! What `skewer` and `skewer-lab` do before and after a command: parsing arguments, and reporting errors and panics.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Parser, ValueEnum};
use skewer_execute::exit::Exit;
use skewer_results::control_characters::{escape_line, escape_text};

use super::failure::Result;
use super::output;
use super::stream::{self, ColorChoice, Stream};

/// The arguments of a program that has commands.
pub trait ProgramArguments: Parser {
    /// Returns the value of `--color`.
    fn color(&self) -> ColorChoice;

    /// Runs the command.
    ///
    /// # Errors
    /// Fails if the command fails.
    fn run(&self) -> Result;
}

/// Runs a program. The first of the `arguments` is its name.
pub fn main<P: ProgramArguments>(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(report_panic));
    let words: Vec<OsString> = arguments.into_iter().collect();
    stream::set_color_choice(color_option(&words).unwrap_or_default());
    let arguments = match parse::<P>(&words) {
        Ok(arguments) => arguments,
        Err(error) => return print_usage::<P>(&words, &error).into(),
    };
    stream::set_color_choice(arguments.color());
    let exit = arguments.run().unwrap_or_else(|failure| {
        output::failure(&failure);
        failure.exit
    });
    exit.into()
}

/// Parses the command line. Help has the width of standard output.
fn parse<P: ProgramArguments>(words: &[OsString]) -> std::result::Result<P, clap::Error> {
    let command = P::command().term_width(Stream::Output.style().text_width());
    let parsed = command.try_get_matches_from(words).and_then(|matches| P::from_arg_matches(&matches));
    parsed.map_err(|error| with_suggestion(error, words))
}

/// Commands that one tries first, each with the command before it, and what they are called.
const OTHER_NAMES: [(&str, &str, &str); 16] = [
    ("", "admit", "union validate --schema crd.yaml --new FILE"),
    ("", "check", "schema check"),
    ("", "diff", "patch diff"),
    ("", "format", "fmt"),
    ("", "init", "new suite"),
    ("", "install", "target install"),
    ("", "lint", "schema check"),
    ("", "targets", "target list"),
    ("", "test", "run"),
    ("", "validate", "union validate"),
    ("patch", "create", "patch diff"),
    ("patch", "three-way", "patch diff3"),
    ("schema", "diff", "audit"),
    ("schema", "lint", "schema check"),
    ("schema", "validate", "schema check"),
    ("union", "apply", "union normalize"),
];

/// Names the right command if a user tried another name for it.
fn with_suggestion(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    if let Some(ContextValue::String(tried)) = error.get(ContextKind::InvalidSubcommand) {
        let position = words.iter().position(|word| word.to_str() == Some(tried));
        let before = position.and_then(|at| words.get(at.checked_sub(1)?)?.to_str()).unwrap_or_default();
        let is_meant = |(parent, name, _): &&(&str, &str, &str)| {
            name == tried && (parent.is_empty() || *parent == before)
        };
        if let Some((.., right)) = OTHER_NAMES.iter().filter(is_meant).max_by_key(|(parent, ..)| parent.len())
        {
            let right = ContextValue::Strings(vec![(*right).to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, right);
        }
    }
    error
}

/// Returns the value of `--color`, for help and for the errors of a command line that cannot be parsed.
fn color_option(words: &[OsString]) -> Option<ColorChoice> {
    let mut words = words.iter().filter_map(|word| word.to_str());
    let value = words.find_map(|word| word.strip_prefix("--color"))?;
    let value = if value.is_empty() { words.next() } else { value.strip_prefix('=') }?;
    ColorChoice::from_str(value, true).ok()
}

/// Prints the help, the version or a usage error, and returns the exit code.
fn print_usage<P: ProgramArguments>(words: &[OsString], error: &clap::Error) -> Exit {
    // clap also returns the help and the version as errors. They go to standard output.
    let (stream, exit) =
        if error.use_stderr() { (Stream::Error, Exit::CouldNotRun) } else { (Stream::Output, Exit::Ok) };
    // The message quotes the arguments. They are parsed a second time, with control characters escaped, so that clap's
    // colours are the only control characters in the message.
    let escaped: Vec<OsString> =
        words.iter().map(|word| escape_line(&word.to_string_lossy()).into_owned().into()).collect();
    let escaped = parse::<P>(&escaped);
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
