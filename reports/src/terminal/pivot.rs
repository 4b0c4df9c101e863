//! The table of outcomes by two properties.

use std::fmt::Write as _;

use skewer_results::control_characters::escape_line;
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::Style as TableStyle;
use tabled::settings::object::{Cell as TableCell, Rows};

use super::tone::Tone;
use crate::pivot::{Pivot, ResultLabel};
use crate::style::Style;

/// Renders the table. A table that is too wide becomes a list with one paragraph for each row.
#[must_use]
pub fn pivot(pivot: &Pivot, style: Style) -> String {
    let table = table(pivot, style);
    let mut text = if style.fits(table.total_width()) {
        table.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
    } else {
        list(pivot)
    };
    if pivot.left_out > 0 {
        let _ = writeln!(
            text,
            "not shown: {} cells without {} or {}",
            pivot.left_out, pivot.row_key, pivot.column_key
        );
    }
    text
}

fn table(pivot: &Pivot, style: Style) -> Table {
    let mut builder = Builder::default();
    let corner = format!("{} \\ {}", pivot.row_key, pivot.column_key);
    builder.push_record(
        [corner].into_iter().chain(pivot.columns.iter().map(|name| escape_line(name).into_owned())),
    );
    for (row, name) in pivot.rows.iter().enumerate() {
        let counts = (0..pivot.columns.len()).map(|column| labels_text(pivot.counts_at(row, column), "\n"));
        builder.push_record([escape_line(name).into_owned()].into_iter().chain(counts));
    }
    let mut table = builder.build();
    table.with(TableStyle::modern());
    if style.color {
        table.modify(Rows::first(), Tone::Strong.table_color());
        for row in 0..pivot.rows.len() {
            for column in 0..pivot.columns.len() {
                if let Some(tone) = most_urgent_tone(pivot.counts_at(row, column)) {
                    table.modify(TableCell::new(row + 1, column + 1), tone.table_color());
                }
            }
        }
    }
    table
}

fn list(pivot: &Pivot) -> String {
    let mut text = String::new();
    for (row, name) in pivot.rows.iter().enumerate() {
        let _ = writeln!(text, "{} {}", pivot.row_key, escape_line(name));
        for (column, name) in pivot.columns.iter().enumerate() {
            let labels = pivot.counts_at(row, column);
            if !labels.is_empty() {
                let _ = writeln!(
                    text,
                    "  {} {}: {}",
                    pivot.column_key,
                    escape_line(name),
                    labels_text(labels, ", ")
                );
            }
        }
    }
    text
}

/// Renders one field of the table. Counts are shown if the field contains several cells.
fn labels_text(labels: &[(ResultLabel, usize)], between: &str) -> String {
    match labels {
        [] => "-".to_owned(),
        [(label, 1)] => label.to_string(),
        several => {
            let counted: Vec<String> =
                several.iter().map(|(label, count)| format!("{count} {label}")).collect();
            counted.join(between)
        }
    }
}

/// Returns the most urgent tone of a field.
fn most_urgent_tone(labels: &[(ResultLabel, usize)]) -> Option<Tone> {
    let tones: Vec<Tone> = labels.iter().map(|(label, _)| Tone::of(*label)).collect();
    [Tone::Bad, Tone::Doubtful, Tone::Quiet, Tone::Good].into_iter().find(|tone| tones.contains(tone))
}
