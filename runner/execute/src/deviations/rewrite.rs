//! Rewriting a deviation file from the results of a full run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use skewer_cases::yaml;
use skewer_engine::Doc;
use skewer_results::control_characters::escape_line;
use skewer_results::{Cell, Status};

use super::cause::Cause;
use super::known_deviation::{is_excusable, matches_cell_id};
use super::patterns::patterns_for;
use super::{Deviations, KnownDeviation, KnownFailure, UNEXPLAINED};

/// The result of rewriting a deviation file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewrittenFile {
    /// The new content of the file.
    pub text: String,
    /// Number of failed cells that entries of the previous file excuse.
    pub still_excused: usize,
    /// The `found` of the removed entries, which excused no cell.
    pub dropped: Vec<String>,
    /// The ids of the cells of each new entry. The entries need a reason.
    pub added: Vec<Vec<String>>,
}

/// An entry of the previous file, with its patterns in the new file.
struct RetainedEntry<'e> {
    entry: &'e KnownDeviation,
    patterns: Vec<String>,
}

/// Rewrites a deviation file from the results of a full run without a deviation file.
///
/// Entries that excuse a cell are kept. A pattern that also matches a passing cell is replaced by the ids of the
/// excused cells. Failures that no entry explains get new entries: one for each operation and kind of failure, with a
/// comment that describes it. `operation_of` returns the operation of a cell, or its request. Comments above the first
/// key are kept; others are lost.
#[must_use]
pub fn rewrite(
    target: &str,
    previous: Option<&Deviations>,
    cells: &[Cell],
    operation_of: impl Fn(&Cell) -> String,
) -> RewrittenFile {
    let entries = previous.map_or(&[][..], |deviations| &deviations.entries);
    let mut excused_by_entry: Vec<Vec<&Cell>> = vec![Vec::new(); entries.len()];
    let mut new: BTreeMap<Cause, Vec<&Cell>> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| is_excusable(cell.status)) {
        match entries.iter().position(|entry| entry.covers_cell(&cell.id) && entry.explains_failure(cell)) {
            Some(entry) => excused_by_entry[entry].push(cell),
            None => new.entry(Cause::of(cell, &operation_of(cell))).or_default().push(cell),
        }
    }
    let retained: Vec<_> = entries
        .iter()
        .zip(&excused_by_entry)
        .map(|(entry, excused_by_entry)| retain_entry(entry, excused_by_entry, cells))
        .collect();
    let dropped = retained.iter().filter(|retained| retained.patterns.is_empty());
    let dropped = dropped.map(|retained| retained.entry.found.to_string()).collect();
    let mut text = header_comments(previous);
    let _ = writeln!(text, "target: {}", yaml_scalar(target));
    if let Some(version) = previous.and_then(|deviations| deviations.version.as_deref()) {
        let _ = writeln!(text, "version: {}", yaml_scalar(version));
    }
    text.push_str("deviations:\n");
    for RetainedEntry { entry, patterns } in retained.iter().filter(|retained| !retained.patterns.is_empty())
    {
        let known = NewEntry {
            because: &entry.because,
            link: entry.link.as_deref(),
            sometimes: entry.sometimes,
            ..NewEntry::of(patterns, &entry.found.0)
        };
        write_entry(&mut text, &known);
    }
    for (cause, failed) in &new {
        text.push_str(&comment(cause, failed));
        let patterns = patterns_for(failed, cells);
        let failure = cause.failure_of(failed);
        let known =
            NewEntry { because: UNEXPLAINED, ..NewEntry::of(&patterns, std::slice::from_ref(&failure)) };
        write_entry(&mut text, &known);
    }
    if text.ends_with("deviations:\n") {
        text.truncate(text.len() - 1);
        text.push_str(" []\n");
    }
    RewrittenFile {
        text,
        still_excused: excused_by_entry.iter().map(Vec::len).sum(),
        dropped,
        added: new.into_values().map(|cells| cells.iter().map(|cell| cell.id.clone()).collect()).collect(),
    }
}

fn retain_entry<'e>(
    entry: &'e KnownDeviation,
    excused_by_entry: &[&Cell],
    cells: &[Cell],
) -> RetainedEntry<'e> {
    let mut patterns = Vec::new();
    for pattern in &entry.cells.0 {
        let mut named = cells.iter().filter(|cell| matches_cell_id(pattern, &cell.id));
        if entry.sometimes {
            // A single run does not show that the cells never fail.
            patterns.extend(named.next().map(|_| pattern.value.clone()));
            continue;
        }
        let matching: Vec<_> =
            excused_by_entry.iter().filter(|cell| matches_cell_id(pattern, &cell.id)).collect();
        let is_too_broad = named.any(|cell| cell.status == Status::Pass);
        if is_too_broad {
            patterns.extend(matching.iter().map(|cell| cell.id.clone()));
        } else if !matching.is_empty() {
            patterns.push(pattern.value.clone());
        }
    }
    RetainedEntry { entry, patterns }
}

/// Renders the comment above a new entry: how many cells it has, and the smallest of them as an example.
fn comment(cause: &Cause, cells: &[&Cell]) -> String {
    let cases: BTreeSet<(&str, &str)> = cells.iter().map(|cell| (&*cell.suite, &*cell.case)).collect();
    let number = |count, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let (cell_count, case_count) = (number(cells.len(), "cell"), number(cases.len(), "case"));
    let mut text = format!("  # {}: {cell_count} of {case_count}", cause.operation);
    if let Some(example) = cells.iter().min_by_key(|cell| size(cell)) {
        let _ = write!(text, ", for example {}", example.id);
        for (name, value) in [("expected", example.expected_text()), ("actual", example.actual_text())] {
            let line = value.as_deref().and_then(|value| value.lines().next());
            let _ = line.map(|line| write!(text, "\n  #   {name}: {}", escape_line(line)));
        }
    }
    text.push('\n');
    text
}

/// Returns the size of the documents of a cell, which tells the simplest example.
fn size(cell: &Cell) -> (usize, usize) {
    let documents = [&cell.expected_document, &cell.actual_document];
    (documents.into_iter().flatten().map(String::len).sum(), cell.id.len())
}

/// Returns the comments at the head of the file.
fn header_comments(previous: Option<&Deviations>) -> String {
    let text = previous.map_or("", |deviations| deviations.document().text());
    text.split_inclusive('\n').take_while(|line| line.trim().is_empty() || line.starts_with('#')).collect()
}

/// An entry that is written.
struct NewEntry<'a> {
    cells: &'a [String],
    found: &'a [KnownFailure],
    because: &'a str,
    link: Option<&'a str>,
    sometimes: bool,
}

impl<'a> NewEntry<'a> {
    fn of(cells: &'a [String], found: &'a [KnownFailure]) -> Self {
        NewEntry { cells, found, because: "", link: None, sometimes: false }
    }
}

fn write_entry(text: &mut String, entry: &NewEntry<'_>) {
    match entry.cells {
        [cell] => {
            let _ = writeln!(text, "  - cells: {}", yaml_scalar(cell));
        }
        cells => {
            text.push_str("  - cells:\n");
            for cell in cells {
                let _ = writeln!(text, "      - {}", yaml_scalar(cell));
            }
        }
    }
    match entry.found {
        [failure] => {
            let _ = writeln!(text, "    found: {failure}");
        }
        failures => {
            text.push_str("    found:\n");
            for failure in failures {
                let _ = writeln!(text, "      - {failure}");
            }
        }
    }
    let _ = writeln!(text, "    because: {}", folded_scalar(entry.because));
    if let Some(link) = entry.link {
        let _ = writeln!(text, "    link: {}", yaml_scalar(link));
    }
    if entry.sometimes {
        text.push_str("    sometimes: true\n");
    }
}

/// Renders a string as a YAML scalar on one line.
fn yaml_scalar(text: &str) -> String {
    let value = Doc::from(text);
    let plain = yaml::write(&value);
    let plain = plain.trim_end();
    if plain.contains('\n') { value.to_string() } else { plain.to_owned() }
}

/// Renders a string as a YAML scalar. A long string is folded over several lines.
fn folded_scalar(text: &str) -> String {
    const WIDTH: usize = 100;
    let words: Vec<&str> = text.split(' ').collect();
    if text.len() <= WIDTH || text.contains('\n') || words.iter().any(|word| word.is_empty()) {
        return yaml_scalar(text);
    }
    let mut folded = ">-".to_owned();
    let mut width = WIDTH;
    for word in words {
        if width + word.len() >= WIDTH {
            folded.push_str("\n     ");
            width = 0;
        }
        folded.push(' ');
        folded.push_str(word);
        width += word.len() + 1;
    }
    folded
}

#[cfg(test)]
mod tests {
    use skewer_results::{Answer, AnswerError, AnswerPart, Reason};

    use super::*;
    use crate::deviations::DeviationJudge;

    fn cell(id: &str, status: Status, actual: Answer) -> Cell {
        Cell { actual: Some(actual), ..Cell::new(id, "s", "c", status) }
    }

    fn refused(kind: &str, message: &str) -> Answer {
        let message = Some(message.into());
        Answer::of_error(AnswerError { message, ..AnswerError::of_kind(kind) })
    }

    fn result() -> Answer {
        Answer::of_part(AnswerPart::Result)
    }

    fn crashed(id: &str) -> Cell {
        Cell { reasons: vec![Reason::Crash("panic: nil".into())], ..Cell::new(id, "s", "c", Status::Crash) }
    }

    fn cells() -> Vec<Cell> {
        vec![
            cell("s/a[x=1]", Status::Fail, refused("conflict", "a: b")),
            cell("s/a[x=2]", Status::Pass, result()),
            cell("s/b", Status::Fail, refused("wrong-kind", "b")),
            crashed("s/c"),
            cell("s/d", Status::Pass, result()),
            Cell::new("s/e", "s", "c", Status::Error),
        ]
    }

    const LONG: &str = "The library looks the field up in a table that it made when the type was first seen, and \
                        that table has no place for it: nothing can be done about that here.";

    fn previous() -> Deviations {
        let text = format!(
            "# Ours.\n\ntarget: t\ndeviations:\n  - {{cells: 's/a[*]', found: {{error: conflict}}, because: '{LONG}'}}\n  \
             - {{cells: s/d, found: {{message: x}}, because: gone}}\n  - {{cells: s/c, found: {{status: crash, message: panic}}, because: 'yes', link: 'http://x/#y', sometimes: true}}\n"
        );
        Deviations::read("t.yaml", text.as_bytes()).unwrap()
    }

    /// After `--fix`, and with the reasons filled in, the same run passes.
    #[test]
    fn a_rewritten_file_excuses_all_failures_of_its_run() {
        for previous in [None, Some(previous())] {
            let rewritten = rewrite("t", previous.as_ref(), &cells(), |_| "apply".to_owned());
            let text = rewritten.text.replace("because: unexplained", "because: we know");
            let deviations =
                Deviations::read("t.yaml", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
            let mut judge = DeviationJudge::new(&deviations);
            for cell in cells() {
                let cell = judge.judge(cell);
                assert!(!cell.status.is_failure() || cell.status == Status::Error, "{cell:?}\n{text}");
            }
            let ids: Vec<_> = cells().into_iter().map(|cell| (cell.id, true)).collect();
            assert_eq!(judge.finish(&ids).map(|errors| errors.to_string()), None, "{text}");
        }
    }

    #[test]
    fn used_entries_are_kept_and_removed_and_new_entries_are_reported() {
        let rewritten = rewrite("t", Some(&previous()), &cells(), |_| "apply".to_owned());
        assert_eq!(
            (rewritten.still_excused, rewritten.dropped, rewritten.added),
            (2, vec![r#"{message: "x"}"#.to_owned()], vec![vec!["s/b".to_owned()]])
        );
        assert!(
            rewritten.text.starts_with("# Ours.\n\ntarget: t\ndeviations:\n  - cells: s/a[x=1]\n"),
            "{}",
            rewritten.text
        );
        let read = Deviations::read("t.yaml", rewritten.text.as_bytes()).unwrap();
        assert_eq!(read.entries[0].because.value, LONG);
        assert_eq!(read.entries[1].link.as_deref(), Some("http://x/#y"));
    }

    #[test]
    fn a_run_without_failures_gives_an_empty_list() {
        let rewritten = rewrite("t", None, &[cell("s/a", Status::Pass, result())], |_| "apply".to_owned());
        assert_eq!(rewritten.text, "target: t\ndeviations: []\n");
    }

    #[test]
    fn a_new_entry_is_about_one_operation_and_one_kind_of_failure() {
        let fail = |id, actual| cell(id, Status::Fail, actual);
        let cells = [
            fail("s/a[x=1]", refused("conflict", "of \"a\"")),
            fail("s/a[x=2]", refused("wrong-kind", "m")),
            fail("s/a[x=3]", refused("conflict", "of \"b\"")),
            fail("s/b[x=1]", refused("conflict", "of \"a\"")),
            cell("s/b[x=2]", Status::Pass, result()),
            fail("t/c", refused("conflict", "of \"a\"")),
        ];
        let operation_of = |cell: &Cell| if cell.id == "t/c" { "merge" } else { "apply" }.to_owned();
        let rewritten = rewrite("t", None, &cells, operation_of);
        assert_eq!(
            rewritten.text,
            "target: t
deviations:
  # apply: 3 cells of 1 case, for example s/a[x=1]
  #   actual: refused: conflict (of \"a\")
  - cells:
      - s/a[x=1]
      - s/a[x=3]
      - s/b[x=1]
    found: {error: conflict}
    because: unexplained
  # apply: 1 cell of 1 case, for example s/a[x=2]
  #   actual: refused: wrong-kind (m)
  - cells: s/a[x=2]
    found: {error: wrong-kind}
    because: unexplained
  # merge: 1 cell of 1 case, for example t/c
  #   actual: refused: conflict (of \"a\")
  - cells: t/c
    found: {error: conflict}
    because: unexplained
"
        );
        let sizes: Vec<usize> = rewritten.added.iter().map(Vec::len).collect();
        assert_eq!(sizes, [3, 1, 1]);
    }

    /// A cell that a pattern of one entry excuses is not excused by that of another one, although both match it.
    #[test]
    fn entries_with_overlapping_patterns_keep_their_cells() {
        let fail = |id, actual| Cell {
            suite: "s".into(),
            case: id_of_case(id).into(),
            ..cell(id, Status::Fail, actual)
        };
        let cells = [
            fail("s/a", refused("conflict", "x")),
            fail("s/b", refused("conflict", "x")),
            fail("s/c", refused("wrong-kind", "y")),
        ];
        let rewritten = rewrite("t", None, &cells, |_| "apply".to_owned());
        assert!(rewritten.text.contains("cells: s/*\n    found: {error: conflict}"), "{}", rewritten.text);
        let explained = rewritten.text.replace("unexplained", "y");
        let read = Deviations::read("t.yaml", explained.as_bytes()).unwrap();
        let again = rewrite("t", Some(&read), &cells, |_| "apply".to_owned());
        assert_eq!((again.still_excused, again.added.len(), again.dropped.len()), (3, 0, 0));
    }

    fn id_of_case(id: &str) -> &str {
        id.rsplit('/').next().unwrap_or_default()
    }

    #[test]
    fn the_version_is_kept() {
        let text = "target: t\nversion: '0.37'\ndeviations: []\n";
        let previous = Deviations::read("t.yaml", text.as_bytes()).unwrap();
        let rewritten = rewrite("t", Some(&previous), &cells(), |_| "apply".to_owned());
        let read = Deviations::read("t.yaml", rewritten.text.as_bytes()).unwrap();
        assert_eq!(read.version.as_deref(), Some("0.37"));
    }
}
