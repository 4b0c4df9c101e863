//! Printing to standard output and standard error, and its style.
//!
//! All text goes through here. What is printed for people has no control characters, no invisible characters and no
//! commands to a CI system in it, whatever a case, a target or an argument contains (see
//! [`skewer_reports::control_characters`]). What is printed for programs is printed as it is: whoever renders such a
//! document escapes it as its format does.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

use console::Term;
use serde::Serialize;
use skewer_cases::yaml::FileErrors;
use skewer_reports::control_characters::{escape_except_colors, escape_text};
use skewer_reports::json;
use skewer_reports::terminal::Style;

use crate::cli::failure::{Failure, Result};

/// The stream on which a text for people is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

impl Stream {
    /// Returns the style of the stream: colour only on a terminal, unless `NO_COLOR` or `CARGO_TERM_COLOR` says otherwise.
    /// The width is `COLUMNS`, else that of the terminal, else unlimited.
    pub(super) fn style(self) -> Style {
        let is_terminal = self.is_terminal();
        let of_terminal =
            || self.term().size_checked().filter(|_| is_terminal).map(|(_, width)| width.into());
        let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        Style { color: self.has_color(), width: asked.filter(|columns| *columns > 0).or_else(of_terminal) }
    }

    /// Prints a text that was rendered in the [style](Stream::style) of the stream: its colours are kept. The pieces that it
    /// was put together from must be escaped, because a colour that comes with them is not told from ours.
    pub(super) fn print_styled(self, text: &str) -> Result<()> {
        self.write(&if self.has_color() { escape_except_colors(text) } else { escape_text(text) })
    }

    /// Prints a plain text.
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

    /// Whether text is coloured.
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

/// Prints a plain text for people to standard output.
pub(super) fn print(text: &str) -> Result<()> {
    Stream::Output.print(text)
}

/// Prints a document for programs to standard output, as it is.
pub(super) fn print_document(text: &str) -> Result<()> {
    write_output(text)
}

/// Prints a message to standard error.
pub(super) fn error(message: &str) {
    write_error_message(&escape_text(message));
}

/// Prints the failure of a command to standard error. Frames around source lines keep their colours.
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

/// Returns the error of writing to standard output, if it is one. Somebody who closes the pipe has read enough (`skewer list
/// | head`): the command goes on, and exits as it would have.
pub(super) fn check_written(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::output(&error)),
        _ => Ok(()),
    }
}

fn write_error(text: &str) {
    // Nothing is left to do when that fails too.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Renders the errors of a file for standard error: with frames on a terminal, as plain lines elsewhere.
pub(super) fn render_file_errors(errors: &FileErrors) -> String {
    const ERROR_FRAME_WIDTH: usize = 100;
    if Stream::Error.is_terminal() {
        errors.graphical(Stream::Error.has_color(), ERROR_FRAME_WIDTH)
    } else {
        errors.to_string()
    }
}
