//! The table of results by one property.

use std::fmt::Write as _;

use skewer_results::control_characters::escape_line;
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::object::{Cell as TableCell, Columns, Rows};
use tabled::settings::{Alignment, Style as TableStyle};

use super::tone::Tone;
use crate::counts_by_value::CountsByValue;
use crate::style::Style;

/// Renders the table with a row for each value, or with a column for each value if `as_columns` is true. A table that
/// is too wide becomes a list with one paragraph for each value.
#[must_use]
pub fn counts(counts: &CountsByValue, as_columns: bool, style: Style) -> String {
    let table = table(counts, as_columns, style);
    let mut text = if style.fits(table.total_width()) {
        table.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
    } else {
        list(counts)
    };
    if counts.left_out > 0 {
        let key = escape_line(&counts.key.to_string()).into_owned();
        let _ = writeln!(text, "not shown: {} cells without {key}", counts.left_out);
    }
    text
}

/// Returns the lines of the table, each with its heading: `cells`, then the results.
fn table(counts: &CountsByValue, as_columns: bool, style: Style) -> Table {
    let number = |count: usize| if count == 0 { "·".to_owned() } else { count.to_string() };
    let mut heading = vec![escape_line(&counts.key.to_string()).into_owned(), "cells".to_owned()];
    heading.extend(counts.labels.iter().map(ToString::to_string));
    let mut records = vec![heading];
    for value in &counts.values {
        let mut record = vec![escape_line(value).into_owned(), counts.total(value).to_string()];
        record.extend(counts.labels.iter().map(|label| number(counts.count(value, *label))));
        records.push(record);
    }
    let mut builder = Builder::default();
    if as_columns {
        for index in 0..records[0].len() {
            builder.push_record(records.iter().map(|record| record[index].clone()));
        }
    } else {
        for record in records {
            builder.push_record(record);
        }
    }
    let mut table = builder.build();
    table.with(TableStyle::modern()).modify(Columns::new(1..), Alignment::right());
    if style.color {
        table.modify(Rows::first(), Tone::Strong.table_color());
        for (row, value) in counts.values.iter().enumerate() {
            for (column, label) in counts.labels.iter().enumerate() {
                if counts.count(value, *label) > 0 {
                    let (row, column) = (row + 1, column + 2);
                    let field = if as_columns { (column, row) } else { (row, column) };
                    table.modify(TableCell::new(field.0, field.1), Tone::of(*label).table_color());
                }
            }
        }
    }
    table
}

fn list(counts: &CountsByValue) -> String {
    let mut text = String::new();
    for value in &counts.values {
        let _ = write!(
            text,
            "{} {}\n  cells: {}\n",
            escape_line(&counts.key.to_string()),
            escape_line(value),
            counts.total(value)
        );
        for label in &counts.labels {
            let count = counts.count(value, *label);
            if count > 0 {
                let _ = writeln!(text, "  {label}: {count}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::GroupKey;
    use crate::test_support;

    fn rendered(as_columns: bool, width: Option<usize>) -> String {
        let results = test_support::sample_results();
        let by_client = CountsByValue::new(GroupKey::Axis("client".into()), &results.cells);
        counts(&by_client, as_columns, Style { color: false, width })
    }

    #[test]
    fn one_property_is_a_table_of_rows_or_columns() {
        insta::assert_snapshot!("counts_as_rows", rendered(false, None));
        insta::assert_snapshot!("counts_as_columns", rendered(true, None));
    }

    #[test]
    fn a_narrow_terminal_gets_a_list() {
        insta::assert_snapshot!("counts_in_a_list", rendered(false, Some(30)));
        assert_eq!(rendered(false, Some(30)), rendered(true, Some(30)));
    }
}
