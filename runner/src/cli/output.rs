//! Printing to standard output and standard error.
//!
//! All commands print through this module. Text for people is escaped: it contains no control characters, no invisible
//! characters and no CI commands, whatever a case, a target or an argument contains (see
//! [`skewer_results::control_characters`]). Documents for programs are printed unchanged, because their renderers
//! escape them in the syntax of the format.

use std::io::{self, BufWriter, ErrorKind, Write};

use serde::Serialize;
use skewer_results::control_characters::{escape_except_colors, escape_text};
use skewer_results::json;

use crate::cli::failure::{Failure, Result};
use crate::cli::progress::suspended;
pub use crate::cli::stream::{ColorChoice, Stream};

impl Stream {
    /// Prints text that was rendered in the [style](Stream::style) of the stream, and keeps its colours. The renderer
    /// must have escaped all foreign text, because its colour codes could not be told from those of the renderer.
    pub(super) fn print_styled(self, text: &str) -> Result<()> {
        self.write(&if self.has_color() { escape_except_colors(text) } else { escape_text(text) })
    }

    /// Prints plain text.
    pub fn print(self, text: &str) -> Result<()> {
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
}

/// Returns a number with its noun: `1 cell`, `2 cells`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Prints plain text for people to standard output.
pub fn print(text: &str) -> Result<()> {
    Stream::Output.print(text)
}

/// Prints a document for programs to standard output, unchanged.
pub fn print_document(text: &str) -> Result<()> {
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
    check_written(suspended(|| io::stdout().lock().write_all(text.as_bytes())))
}

/// Prints a value to standard output as indented JSON. A large value is written in pieces.
pub fn print_json(value: &impl Serialize) -> Result<()> {
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
    let _ = suspended(|| io::stderr().lock().write_all(text.as_bytes()));
}
