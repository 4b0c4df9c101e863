//! A failed cell: the expectation, the result, and the command that runs the cell again.

use std::fmt::Write as _;

use skewer_results::control_characters::{escape_line, escape_text};
use skewer_results::model::Cell;

use super::tone::Tone;
use crate::diff;
use crate::style::Style;

/// Renders a failed cell, over several lines.
#[must_use]
pub fn failure(cell: &Cell, style: Style) -> String {
    let mut text = String::new();
    let status = cell.status.as_str().to_uppercase();
    let _ = writeln!(
        text,
        "{} {}",
        style.paint(Tone::Bad, &status),
        style.paint(Tone::Strong, &escape_line(&cell.id))
    );
    if let Some(location) = &cell.location {
        push_field(&mut text, style, "at", &location.to_string());
    }
    if let Some(expected) = cell.expected_text() {
        push_field(&mut text, style, "expected", &expected);
    }
    if let Some(actual) = cell.actual_or_outcome() {
        push_field(&mut text, style, "actual", &actual);
    }
    if let Some(because) = &cell.because {
        push_field(&mut text, style, "because", because);
    }
    if let Some(message) = cell.message_text() {
        push_field(&mut text, style, "message", &message);
    }
    if let Some(deviation) = &cell.deviation {
        let link = deviation.link.as_ref().map(|link| format!(" ({link})")).unwrap_or_default();
        push_field(&mut text, style, "deviation", &format!("{}{link}", deviation.reason));
    }
    if !cell.paths.is_empty() {
        push_field(&mut text, style, cell.paths_label(), &cell.paths.join("\n"));
    }
    if let Some(diff) = diff::of_cell(cell) {
        for line in escape_text(&diff).lines() {
            let _ = writeln!(text, "    {}", paint_diff(line, style));
        }
    }
    if let Some(rerun) = &cell.rerun {
        push_field(&mut text, style, "rerun", rerun);
    }
    text
}

/// Adds a field with its name. Further lines of the value are below the first.
pub(super) fn push_field(text: &mut String, style: Style, name: &str, value: &str) {
    let label = format!("{name:>12}");
    let value = escape_text(value);
    let mut lines = value.trim_end().lines();
    let _ = writeln!(text, "{}  {}", style.paint(Tone::Quiet, &label), lines.next().unwrap_or_default());
    for line in lines {
        let _ = writeln!(text, "{:14}{line}", "");
    }
}

pub(super) fn paint_diff(line: &str, style: Style) -> std::borrow::Cow<'_, str> {
    match line.as_bytes().first() {
        Some(b'+') => style.paint(Tone::Good, line),
        Some(b'-') => style.paint(Tone::Bad, line),
        Some(b'@') => style.paint(Tone::Quiet, line),
        _ => line.into(),
    }
}
