//! Cells grouped by kind: examples in full, then a list of the kinds.

use std::fmt::Write as _;

use skewer_results::control_characters::escape_line;
use skewer_results::model::Results;

use super::failure::failure;
use super::summary::{heading, summary};
use super::tone::Tone;
use crate::result_kind::{ExampleLimit, ResultGroup, ResultGroups};
use crate::style::{Style, wrap};
use crate::summary::Summary;

/// Maximum number of kinds in the list.
const MAX_KINDS_LISTED: usize = 12;

/// Maximum number of lines with the cells of one kind.
const MAX_PATTERN_LINES: usize = 2;

/// Width of the list if that of the terminal is unknown.
const DEFAULT_WIDTH: usize = 100;

/// Width of the column with the number of cells, and of the indentation below it.
const INDENTATION: usize = 8;

/// The word for the cells that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellNoun {
    /// The cells that make the run fail.
    Failures,
    /// The cells that the user asked for.
    SelectedCells,
}

impl CellNoun {
    fn count(self, cells: usize) -> String {
        let noun = match self {
            CellNoun::Failures => "failure",
            CellNoun::SelectedCells => "selected cell",
        };
        format!("{cells} {noun}{}", if cells == 1 { "" } else { "s" })
    }
}

/// Renders the examples of each group in full, then the list of all kinds with the ids of their cells as patterns. The
/// list is left out if it would add nothing: each cell is shown in full, and has a kind of its own.
///
/// `summary` has the numbers of cells of the suites.
#[must_use]
pub fn result_groups(groups: &ResultGroups, summary: &Summary, noun: CellNoun, style: Style) -> String {
    let sorted = groups.sorted();
    let mut text = String::new();
    let is_grouped = sorted.iter().any(|(group, _)| group.cells > 1);
    let mut shown = 0;
    for (group, examples) in &sorted {
        if is_grouped && !examples.is_empty() {
            let heading = format!("{}: {}", noun.count(group.cells), kind_text(group));
            let _ = writeln!(text, "\n{}", style.paint(Tone::Strong, &format!("── {heading}")));
        }
        for cell in *examples {
            text.push('\n');
            text.push_str(&failure(cell, style));
        }
        shown += examples.len();
    }
    if is_grouped || shown < groups.cells() {
        push_list(&mut text, &sorted, summary, style);
        let kinds = if sorted.len() == 1 { "1 kind".to_owned() } else { format!("{} kinds", sorted.len()) };
        let _ = writeln!(text, "\n{} of {kinds}", noun.count(groups.cells()));
        text.push_str(&hint_about_the_rest(groups.cells(), shown, style));
    }
    text
}

/// Returns the text of a kind, with control characters escaped.
fn kind_text(group: &ResultGroup) -> String {
    match &group.kind {
        Some(kind) => escape_line(&kind.to_string()).into_owned(),
        None => "other kinds".to_owned(),
    }
}

fn push_list(
    text: &mut String,
    sorted: &[(&ResultGroup, &[skewer_results::model::Cell])],
    summary: &Summary,
    style: Style,
) {
    for (index, (group, _)) in sorted.iter().take(MAX_KINDS_LISTED).enumerate() {
        if index == 0 {
            text.push('\n');
        }
        let is_failure = group.kind.as_ref().is_some_and(|kind| kind.status().is_failure());
        let tone = if is_failure { Tone::Bad } else { Tone::Strong };
        let count = format!("{:>6}", group.cells);
        let _ = writeln!(text, "{}  {}", style.paint(tone, &count), kind_text(group));
        push_patterns(text, group, summary, style);
    }
    let rest = sorted.get(MAX_KINDS_LISTED..).unwrap_or_default();
    if !rest.is_empty() {
        let cells: usize = rest.iter().map(|(group, _)| group.cells).sum();
        let kinds =
            if rest.len() == 1 { "1 more kind".to_owned() } else { format!("{} more kinds", rest.len()) };
        let _ = writeln!(text, "{cells:>6}  of {kinds}");
    }
}

/// Adds the patterns of a group, each with its number of cells, over a limited number of lines.
fn push_patterns(text: &mut String, group: &ResultGroup, summary: &Summary, style: Style) {
    let width = style.width.unwrap_or(DEFAULT_WIDTH);
    let parts = group.suites();
    let mut line = String::new();
    let mut lines = 1;
    for (index, part) in parts.iter().enumerate() {
        let of = summary.cells_of_suite(part.suite);
        let all = if part.pattern.ends_with("/*") { format!(" of {of}") } else { String::new() };
        let item = format!("{} {}{all}", escape_line(&part.pattern), part.cells);
        let left = parts.len() - index;
        let reserved = if lines == MAX_PATTERN_LINES && left > 1 { ", and 100 more suites".len() } else { 1 };
        let is_too_long = INDENTATION + line.len() + 2 + item.len() + reserved > width;
        if !line.is_empty() && is_too_long {
            if lines == MAX_PATTERN_LINES {
                let rest = format!("and {left} more suite{}", if left == 1 { "" } else { "s" });
                // A long name leaves no room beside it.
                let fits = INDENTATION + line.len() + 2 + rest.len() <= width;
                let separator = if fits { " ".to_owned() } else { format!("\n{:INDENTATION$}", "") };
                let _ = write!(line, ",{separator}{rest}");
                break;
            }
            let _ = writeln!(text, "{:INDENTATION$}{line},", "");
            line.clear();
            lines += 1;
        }
        line.push_str(if line.is_empty() { "" } else { ", " });
        line.push_str(&item);
    }
    let _ = writeln!(text, "{:INDENTATION$}{line}", "");
}

fn hint_about_the_rest(cells: usize, shown: usize, style: Style) -> String {
    if shown == cells {
        return String::new();
    }
    let hint = format!(
        "{shown} of them are shown in full: --failures all shows all, and so does --report html=FILE"
    );
    wrap(&hint, "", "", style.text_width())
}

/// Renders the report on a run: the properties of the run, the summary by suite, all failures, and their kinds.
#[must_use]
pub fn report(results: &Results, style: Style) -> String {
    let mut text = heading(results);
    let counts = Summary::of(results);
    text.push_str(&summary(&counts, style));
    let groups = ResultGroups::of(results.failures(), ExampleLimit::All);
    text.push_str(&result_groups(&groups, &counts, CellNoun::Failures, style));
    text
}

#[cfg(test)]
mod tests {
    use skewer_results::model::{Answer, AnswerPart, Cell};
    use skewer_results::vocabulary::Status;

    use super::*;
    use crate::result_kind::ExampleLimit;

    const NARROW: Style = Style { color: false, width: Some(80) };

    fn failed(suite: &str, case: &str, point: &str, actual: &str) -> Cell {
        Cell {
            actual: Some(Answer::of_words(actual)),
            expected: vec![Answer::of_part(AnswerPart::Result)],
            ..Cell::new(format!("{suite}/{case}{point}"), suite, case, Status::Fail)
        }
    }

    fn rendered(cells: &[Cell], limit: ExampleLimit, style: Style) -> String {
        let mut summary = Summary::default();
        for cell in cells {
            summary.add(cell);
        }
        result_groups(&ResultGroups::of(cells, limit), &summary, CellNoun::Failures, style)
    }

    #[test]
    fn failures_of_one_kind_have_one_example_and_patterns() {
        let mut cells: Vec<Cell> =
            (0..400).map(|n| failed("keys", "many", &format!("[n={n}]"), "refused: conflict")).collect();
        cells.push(failed("keys", "plain", "", "refused: conflict"));
        cells.push(failed("other", "single", "", "refused: wrong-kind at a.b"));
        let text = rendered(&cells, ExampleLimit::OfLargestGroups(10), NARROW);
        assert_eq!(text.matches("FAIL ").count(), 2, "{text}");
        assert!(text.contains("── 401 failures: fail: refused: conflict, expected this result\n"), "{text}");
        assert!(
            text.contains(
                "\n   401  fail: refused: conflict, expected this result\n        keys/* 401 of 401\n"
            ),
            "{text}"
        );
        assert!(text.contains("        other/single 1\n"), "{text}");
        assert!(text.ends_with(
            "\n402 failures of 2 kinds\n2 of them are shown in full: --failures all shows all, and so does --report\nhtml=FILE\n"
        ), "{text}");
    }

    #[test]
    fn failures_of_different_kinds_need_no_list() {
        let cells = [failed("s", "a", "", "x"), failed("s", "b", "", "y")];
        let text = rendered(&cells, ExampleLimit::OfLargestGroups(10), NARROW);
        assert_eq!(text.matches("FAIL ").count(), 2, "{text}");
        assert!(!text.contains("kinds") && !text.contains("──"), "{text}");
        assert_eq!(rendered(&[], ExampleLimit::All, NARROW), "");
    }

    #[test]
    fn the_list_fits_the_width_and_a_screen() {
        let mut cells = Vec::new();
        for kind in 0..40_usize {
            for suite in 0..30 {
                let suite = format!("a-rather-long-folder/suite-with-a-long-name-and-the-number-{suite}");
                cells.extend((0..2).map(|n| failed(&suite, &format!("c{n}"), "", &"x".repeat(kind + 1))));
            }
        }
        let text = rendered(&cells, ExampleLimit::Cells(0), NARROW);
        assert!(text.lines().count() <= 55, "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert!(text.contains(" more suites\n") && text.contains("  1680  of 28 more kinds\n"), "{text}");
    }

    #[test]
    fn all_failures_are_shown_on_request() {
        let cells: Vec<Cell> = (0..30).map(|n| failed("s", "c", &format!("[n={n}]"), "x")).collect();
        let text = rendered(&cells, ExampleLimit::All, NARROW);
        assert_eq!(text.matches("FAIL ").count(), 30);
        assert!(text.ends_with("\n30 failures of 1 kind\n"), "{text}");
    }
}
