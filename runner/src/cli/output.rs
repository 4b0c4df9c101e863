//! Printing to standard output and standard error.
//!
//! All commands print through this module. Text for people is escaped: it contains no control characters, no invisible
//! characters and no CI commands, whatever a case, a target or an argument contains (see
//! [`skewer_reports::control_characters`]). Documents for programs are printed unchanged, because their renderers
//! escape them in the syntax of the format.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

use console::Term;
use serde::Serialize;
use skewer_cases::yaml::FileErrors;
use skewer_reports::control_characters::{escape_except_colors, escape_text};
use skewer_reports::json;
use skewer_reports::terminal::Style;

use crate::cli::failure::{Failure, Result};

/// The stream for text that people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

impl Stream {
    /// Returns the style of the stream. Its width is `COLUMNS`, or else the width of the terminal, or else unlimited.
    pub(super) fn style(self) -> Style {
        let is_terminal = self.is_terminal();
        let terminal_width =
            || self.term().size_checked().filter(|_| is_terminal).map(|(_, width)| width.into());
        let columns: Option<usize> = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let width = columns.filter(|columns| *columns > 0).or_else(terminal_width);
        Style { color: self.has_color(), width }
    }

    /// Prints text that was rendered in the [style](Stream::style) of the stream, and keeps its colours. The renderer
    /// must have escaped all foreign text, because its colour codes could not be told from those of the renderer.
    pub(super) fn print_styled(self, text: &str) -> Result<()> {
        self.write(&if self.has_color() { escape_except_colors(text) } else { escape_text(text) })
    }

    /// Prints plain text.
    pub(super) fn print(self, text: &str) -> Result<()> {
        self.write(&escape_text(text))
    }

    fn write(self, text: &str) -> Result<()> {
        match self {
            Stream::Output => write_output(text),
            Stream::Error => {
                write_error(text);
                Ok(())
            }
        }
    }

    /// Returns true if text is coloured: on a terminal, unless `NO_COLOR` or `CARGO_TERM_COLOR` says otherwise.
    pub(super) fn has_color(self) -> bool {
        if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
            return false;
        }
        match std::env::var("CARGO_TERM_COLOR").as_deref() {
            Ok("always") => true,
            Ok("never") => false,
            _ => self.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        }
    }

    fn is_terminal(self) -> bool {
        match self {
            Stream::Output => io::stdout().is_terminal(),
            Stream::Error => io::stderr().is_terminal(),
        }
    }

    fn term(self) -> Term {
        match self {
            Stream::Output => Term::stdout(),
            Stream::Error => Term::stderr(),
        }
    }
}

/// Prints plain text for people to standard output.
pub(super) fn print(text: &str) -> Result<()> {
    Stream::Output.print(text)
}

/// Prints a document for programs to standard output, unchanged.
pub(super) fn print_document(text: &str) -> Result<()> {
    write_output(text)
}

/// Prints a message to standard error.
pub(super) fn error(message: &str) {
    write_error_message(&escape_text(message));
}

/// Prints the failure of a command to standard error. Source excerpts keep their colours.
pub(super) fn failure(failure: &Failure) {
    let color = Stream::Error.has_color();
    let message = failure.message();
    write_error_message(&if color { escape_except_colors(message) } else { escape_text(message) });
}

fn write_error_message(message: &str) {
    if !message.is_empty() {
        write_error(&format!("{}\n", message.trim_end()));
    }
}

fn write_output(text: &str) -> Result<()> {
    check_written(io::stdout().lock().write_all(text.as_bytes()))
}

/// Prints a value to standard output as indented JSON. A large value is written in pieces.
pub(super) fn print_json(value: &impl Serialize) -> Result<()> {
    let mut output = BufWriter::new(io::stdout().lock());
    check_written(json::write_pretty(value, &mut output).and_then(|()| output.flush()))
}

/// Converts an error of writing to standard output to a failure. A closed pipe is not a failure: in `skewer list |
/// head`, the command continues and keeps its exit code.
pub(super) fn check_written(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::output(&error)),
        _ => Ok(()),
    }
}

fn write_error(text: &str) {
    // If standard error is closed, there is nowhere to report that.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Renders the errors of a file for standard error: with source excerpts in frames on a terminal, else as plain lines.
pub(super) fn render_file_errors(errors: &FileErrors) -> String {
    const ERROR_FRAME_WIDTH: usize = 100;
    if Stream::Error.is_terminal() {
        errors.graphical(Stream::Error.has_color(), ERROR_FRAME_WIDTH)
    } else {
        errors.to_string()
    }
}
