//! Plain text tables with aligned columns.

use console::measure_text_width;
use skewer_results::control_characters::escape_line;

/// Renders a table as text. Columns with a heading but no content are omitted.
pub(super) fn render_table(heading: &[&str], rows: &[Vec<String>]) -> String {
    const GAP: usize = 2;
    let used: Vec<usize> = (0..heading.len())
        .filter(|column| rows.iter().any(|row| row.get(*column).is_some_and(|cell| !cell.is_empty())))
        .collect();
    let cell = |row: &[String], column: usize| {
        // The escaped text determines the width.
        row.get(column).map(|text| escape_line(text).into_owned()).unwrap_or_default()
    };
    let heading: Vec<String> = heading.iter().map(|&title| title.to_owned()).collect();
    let lines: Vec<&[String]> =
        std::iter::once(heading.as_slice()).chain(rows.iter().map(Vec::as_slice)).collect();
    let width =
        |column: usize| lines.iter().map(|row| measure_text_width(&cell(row, column))).max().unwrap_or(0);
    let widths: Vec<usize> = used.iter().map(|column| width(*column)).collect();
    let mut text = String::new();
    for row in lines {
        let mut line = String::new();
        for (column, width) in used.iter().zip(&widths) {
            let cell = cell(row, *column);
            line.push_str(&cell);
            line.push_str(&" ".repeat(width + GAP - measure_text_width(&cell)));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_empty_columns_are_omitted() {
        let rows = [["日本", "", "x"], ["a", "", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(render_table(&["A", "B", "C"], &rows), "A     C\n日本  x\na\n");
    }
}
