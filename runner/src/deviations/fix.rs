//! Rewriting a deviation file from a full run.

use std::collections::BTreeMap;
use std::fmt::Write;

use skewer_cases::yaml;
use skewer_engine::Doc;
use skewer_reports::{Cell, Status};

use super::entry::{is_excusable, names};
use super::{Deviations, Entry, UNEXPLAINED};

/// A deviation file as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The file.
    pub text: String,
    /// How many cells the entries excuse that were there before.
    pub kept: usize,
    /// Entries that excused nothing, by what they said was found.
    pub dropped: Vec<String>,
    /// Cells of new entries, which somebody has to explain.
    pub added: Vec<String>,
}

/// What becomes of one entry.
struct Kept<'e> {
    entry: &'e Entry,
    patterns: Vec<String>,
}

/// The file that fits the results of a full run, made without a deviation file. Entries that still hold are
/// kept, patterns that are too broad become the ids that they excuse, and what is not explained is added.
/// Comments above the first key stay; others are lost.
#[must_use]
pub fn fix(target: &str, before: Option<&Deviations>, cells: &[Cell]) -> Fixed {
    let entries = before.map_or(&[][..], |deviations| &deviations.entries);
    let mut owned: Vec<Vec<&Cell>> = vec![Vec::new(); entries.len()];
    let mut new: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| is_excusable(cell.status)) {
        match entries.iter().position(|entry| entry.names(&cell.id) && entry.explains(cell)) {
            Some(entry) => owned[entry].push(cell),
            None => new.entry(short(cell)).or_default().push(cell.id.clone()),
        }
    }
    let kept: Vec<_> = entries.iter().zip(&owned).map(|(entry, owned)| keep(entry, owned, cells)).collect();
    let dropped = kept.iter().filter(|kept| kept.patterns.is_empty());
    let dropped = dropped.map(|kept| kept.entry.found.value.clone()).collect();
    let mut text = heading(before);
    let _ = writeln!(text, "target: {}\ndeviations:", scalar(target));
    for Kept { entry, patterns } in kept.iter().filter(|kept| !kept.patterns.is_empty()) {
        write_entry(
            &mut text,
            patterns,
            &entry.found,
            (&entry.because, entry.link.as_deref(), entry.sometimes),
        );
    }
    for (found, ids) in &new {
        write_entry(&mut text, ids, found, (UNEXPLAINED, None, false));
    }
    if text.ends_with("deviations:\n") {
        text.truncate(text.len() - 1);
        text.push_str(" []\n");
    }
    Fixed {
        text,
        kept: owned.iter().map(Vec::len).sum(),
        dropped,
        added: new.into_values().flatten().collect(),
    }
}

fn keep<'e>(entry: &'e Entry, owned: &[&Cell], cells: &[Cell]) -> Kept<'e> {
    let mut patterns = Vec::new();
    for pattern in &entry.cells.0 {
        let mut named = cells.iter().filter(|cell| names(pattern, &cell.id));
        if entry.sometimes {
            // One run cannot tell that it never fails.
            patterns.extend(named.next().map(|_| pattern.value.clone()));
            continue;
        }
        let excused: Vec<_> = owned.iter().filter(|cell| names(pattern, &cell.id)).collect();
        let too_broad = named.any(|cell| cell.status == Status::Pass);
        if too_broad {
            patterns.extend(excused.iter().map(|cell| cell.id.clone()));
        } else if !excused.is_empty() {
            patterns.push(pattern.value.clone());
        }
    }
    Kept { entry, patterns }
}

/// What the target did, without what only this run would show.
fn short(cell: &Cell) -> String {
    let text = cell.actual.as_deref().or(cell.message.as_deref()).unwrap_or(cell.status.as_str());
    let line = text.lines().next().unwrap_or_default();
    line.split(" (").next().unwrap_or_default().trim().to_owned()
}

/// The comments at the head of the file.
fn heading(before: Option<&Deviations>) -> String {
    let text = before.map_or("", |deviations| deviations.document().text());
    text.split_inclusive('\n').take_while(|line| line.trim().is_empty() || line.starts_with('#')).collect()
}

fn write_entry(
    text: &mut String,
    cells: &[String],
    found: &str,
    (because, link, sometimes): (&str, Option<&str>, bool),
) {
    match cells {
        [cell] => {
            let _ = writeln!(text, "  - cells: {}", scalar(cell));
        }
        cells => {
            text.push_str("  - cells:\n");
            for cell in cells {
                let _ = writeln!(text, "      - {}", scalar(cell));
            }
        }
    }
    let _ = writeln!(text, "    found: {}", scalar(found));
    let _ = writeln!(text, "    because: {}", prose(because));
    if let Some(link) = link {
        let _ = writeln!(text, "    link: {}", scalar(link));
    }
    if sometimes {
        text.push_str("    sometimes: true\n");
    }
}

/// A string on one line.
fn scalar(text: &str) -> String {
    let value = Doc::from(text);
    let plain = yaml::write(&value);
    let plain = plain.trim_end();
    if plain.contains('\n') { value.to_string() } else { plain.to_owned() }
}

/// A string that may be folded over several lines.
fn prose(text: &str) -> String {
    const WIDTH: usize = 100;
    let words: Vec<&str> = text.split(' ').collect();
    if text.len() <= WIDTH || text.contains('\n') || words.iter().any(|word| word.is_empty()) {
        return scalar(text);
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
    use super::*;
    use crate::deviations::Judge;

    fn cell(id: &str, status: Status, actual: &str) -> Cell {
        Cell { actual: Some(actual.to_owned()), ..Cell::new(id, "s", "c", status) }
    }

    fn cells() -> Vec<Cell> {
        vec![
            cell("s/a[x=1]", Status::Fail, "refused: conflict (a: b)"),
            cell("s/a[x=2]", Status::Pass, "a result"),
            cell("s/b", Status::Fail, "refused: wrong-kind (b)"),
            cell("s/c", Status::Crash, "panic: nil"),
            cell("s/d", Status::Pass, "a result"),
            cell("s/e", Status::Error, "the case is wrong"),
        ]
    }

    const LONG: &str = "The library looks the field up in a table that it made when the type was first seen, and \
                        that table has no place for it: nothing can be done about that here.";

    fn before() -> Deviations {
        let text = format!(
            "# Ours.\n\ntarget: t\ndeviations:\n  - {{cells: 's/a[*]', found: 'refused: conflict', because: '{LONG}'}}\n  \
             - {{cells: s/d, found: x, because: gone}}\n  - {{cells: s/c, found: panic, because: 'yes', link: 'http://x/#y', sometimes: true}}\n"
        );
        Deviations::read("t.yaml", text.as_bytes()).unwrap()
    }

    /// The property that counts: after `--fix` and an explanation, the same run is green.
    #[test]
    fn a_fixed_file_fits_the_run_that_it_was_made_from() {
        for before in [None, Some(before())] {
            let fixed = fix("t", before.as_ref(), &cells());
            let text = fixed.text.replace("because: unexplained", "because: we know");
            let deviations =
                Deviations::read("t.yaml", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
            let mut judge = Judge::new(&deviations);
            for mut cell in cells() {
                judge.judge(&mut cell);
                assert!(!cell.status.is_failure() || cell.status == Status::Error, "{cell:?}\n{text}");
            }
            let ids: Vec<_> = cells().into_iter().map(|cell| (cell.id, true)).collect();
            assert_eq!(judge.finish(&ids).map(|errors| errors.to_string()), None, "{text}");
        }
    }

    #[test]
    fn what_holds_is_kept_and_the_rest_is_told() {
        let fixed = fix("t", Some(&before()), &cells());
        assert_eq!(
            (fixed.kept, fixed.dropped, fixed.added),
            (2, vec!["x".to_owned()], vec!["s/b".to_owned()])
        );
        assert!(
            fixed.text.starts_with("# Ours.\n\ntarget: t\ndeviations:\n  - cells: s/a[x=1]\n"),
            "{}",
            fixed.text
        );
        let read = Deviations::read("t.yaml", fixed.text.as_bytes()).unwrap();
        assert_eq!(read.entries[0].because.value, LONG);
        assert_eq!(read.entries[1].link.as_deref(), Some("http://x/#y"));
    }

    #[test]
    fn nothing_to_say_is_a_file_too() {
        let fixed = fix("t", None, &[cell("s/a", Status::Pass, "a result")]);
        assert_eq!(fixed.text, "target: t\ndeviations: []\n");
    }
}
