//! Printing to standard output and standard error, and its style.

use std::io::{ErrorKind, IsTerminal, Write};

use skewer_cases::yaml::FileErrors;
use skewer_reports::terminal::Style;

use crate::cli::failure::{Failure, Result};

/// Writes to standard output. Somebody who closes the pipe has read enough (`skewer list | head`): the command goes on, and
/// exits as it would have.
pub(super) fn print(text: &str) -> Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::output(&error)),
        _ => Ok(()),
    }
}

/// Writes an error to standard error. Nothing is left to do when that fails too.
pub(super) fn error(message: &str) {
    if !message.is_empty() {
        let _ = writeln!(std::io::stderr().lock(), "{}", message.trim_end());
    }
}

/// Returns the style of standard output: colour only on a terminal, unless `NO_COLOR` or `CARGO_TERM_COLOR` says
/// otherwise. The width is `COLUMNS`, else that of the terminal, else unlimited.
pub(super) fn style() -> Style {
    let terminal = std::io::stdout().is_terminal();
    let of_terminal =
        || console::Term::stdout().size_checked().filter(|_| terminal).map(|(_, columns)| columns.into());
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    Style { color: has_color(terminal), width: asked.filter(|columns| *columns > 0).or_else(of_terminal) }
}

/// Renders the errors of a file: with frames on a terminal, as plain lines elsewhere.
pub(super) fn render_file_errors(errors: &FileErrors) -> String {
    const ERROR_FRAME_WIDTH: usize = 100;
    let terminal = std::io::stderr().is_terminal();
    if terminal { errors.graphical(has_color(terminal), ERROR_FRAME_WIDTH) } else { errors.to_string() }
}

/// Whether text is coloured.
fn has_color(terminal: bool) -> bool {
    if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return false;
    }
    match std::env::var("CARGO_TERM_COLOR").as_deref() {
        Ok("always") => true,
        Ok("never") => false,
        _ => terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}
