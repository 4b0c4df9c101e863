//! Cells as columns of numbers. Each text is stored once. The format is compact, so that a page of 100,000 cells loads
//! fast.
//!
//! - `texts`: all texts; number 0 is no text.
//! - `lists`: all lists of numbers; number 0 is the empty list. A list contains numbers of texts or of lists.
//! - `columns`: by name, a number for each cell. Most are numbers of texts; `axes`, `kep`, `issue`, `paths`,
//!   `rerun`, `steps` and `directives` are numbers of lists; `line` and `took` are counts. A column that contains 0 only is left out.
//!   Runs of equal numbers are written as number and length.
//!
//! The id of a cell is left out if it consists of suite, case and axes in the usual form. A command that runs the cell
//! again is written as the texts before and after the id. The result in the other run `N` of several runs is in the
//! columns `run.N.status`, `run.N.outcome` and `run.N.covers`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use skewer_results::model::{Cell, Owner, Step};
use skewer_results::owners;
use skewer_results::vocabulary::Outcome;

use crate::compare::cell_change::CellChange;
use crate::directives::DirectiveWords;
use crate::run_report::EarlierRun;

#[derive(Default, Serialize)]
pub(super) struct CellTable<'a> {
    count: usize,
    texts: Interner<Option<Cow<'a, str>>>,
    lists: Interner<Vec<u32>>,
    columns: BTreeMap<String, RunLengthColumn>,
}

/// A cell, with its change if the page is that of a comparison.
pub(super) struct CellRow<'a> {
    pub(super) cell: &'a Cell,
    /// Heading under which a comparison lists the cell.
    pub(super) list: Option<&'static str>,
    /// Change of the cell, if both runs have the cell and its results differ.
    pub(super) change: Option<&'a CellChange<'a>>,
}

impl<'a> CellTable<'a> {
    /// Makes the table, with the results of the cells in other runs.
    pub(super) fn of(rows: impl Iterator<Item = CellRow<'a>> + Clone, earlier_runs: &[EarlierRun]) -> Self {
        let directives = DirectiveWords::of(rows.clone().map(|row| row.cell));
        let mut table = CellTable::default();
        table.texts.number_of(None);
        table.lists.number_of(Vec::new());
        for row in rows {
            table.add_names(row.cell);
            table.add_result(row.cell, "");
            table.add_provenance(row.cell);
            let named = directives.directives_of(row.cell).into_iter().map(|name| format!("${name}"));
            table.set_list("directives", named);
            for (number, run) in earlier_runs.iter().enumerate() {
                table.add_earlier_result(number, run, &row.cell.id);
            }
            if let Some(list) = row.list {
                table.set_text("change", Some(list));
            }
            if let Some(change) = row.change {
                table.add_result(change.old, "was.");
                table.set_text("was.id", (change.old.id != change.new.id).then_some(change.old.id.as_str()));
                table.set_list("differing", change.differing_fields.iter().copied());
            }
            table.count += 1;
        }
        let count = table.count;
        table.columns.values_mut().for_each(|column| column.pad_to(count));
        table
    }

    fn add_names(&mut self, cell: &'a Cell) {
        self.set_text("suite", Some(&cell.suite));
        self.set_text("case", Some(&cell.case));
        self.set_list("axes", cell.axes.iter().map(|(name, _)| name));
        for (name, value) in cell.axes.iter() {
            self.set_text(&format!("axis.{name}"), Some(value));
        }
        self.set_text("id", (cell.id != default_id(cell)).then_some(cell.id.as_str()));
        let rerun = cell.rerun.as_deref().map(|rerun| match rerun.split_once(&cell.id) {
            Some((before, after)) => vec![before, after],
            None => vec![rerun],
        });
        self.set_list("rerun", rerun.into_iter().flatten());
    }

    /// Adds the result of the cell in one run. The prefix of the column names distinguishes the old run from the new
    /// one.
    fn add_result(&mut self, cell: &'a Cell, prefix: &str) {
        let mut set = |name: &str, text: Option<&'a str>| self.set_text(&format!("{prefix}{name}"), text);
        set("level", Some(cell.level.as_str()));
        set("status", Some(cell.status.as_str()));
        set("outcome", cell.outcome.map(Outcome::as_str));
        set("covers", cell.covers.map(Outcome::as_str));
        let verdict = cell.actual.as_ref().and_then(|answer| answer.verdict.as_ref());
        set("verdict", verdict.map(|verdict| verdict.verdict.as_str()));
        let sentences = [
            ("expected", cell.expected_text()),
            ("actual", cell.actual_text()),
            ("message", cell.message_text()),
        ];
        for (name, text) in sentences {
            self.set_own_text(&format!("{prefix}{name}"), text.map(Cow::Owned));
        }
        let mut set = |name: &str, text: Option<&'a str>| self.set_text(&format!("{prefix}{name}"), text);
        set("expected_document", cell.expected_document.as_deref());
        set("actual_document", cell.actual_document.as_deref());
        self.set_list(&format!("{prefix}paths"), cell.paths.iter().map(String::as_str));
        self.set_own_text(&format!("{prefix}conflicts"), owners_text(&cell.conflicts));
        let steps: Vec<u32> = cell.steps.iter().map(|step| self.number_of_step(step)).collect();
        let steps = self.lists.number_of(steps);
        self.set_number(&format!("{prefix}steps"), steps);
    }

    /// Adds the result of a cell in another run.
    fn add_earlier_result(&mut self, number: usize, run: &EarlierRun, id: &str) {
        let Some(label) = run.label(id) else { return };
        let mut set = |name: &str, text| self.set_text(&format!("run.{number}.{name}"), text);
        set("status", Some(label.status.as_str()));
        set("outcome", label.outcome.map(Outcome::as_str));
        set("covers", label.covers.map(Outcome::as_str));
    }

    fn add_provenance(&mut self, cell: &'a Cell) {
        let source = cell.source.as_ref();
        let deviation = cell.deviation.as_ref();
        let location = cell.location.as_ref();
        self.set_text("document", source.map(|source| &*source.document));
        self.set_text("section", source.and_then(|source| source.section.as_deref()));
        self.set_text("about", cell.about.as_deref());
        self.set_text("because", cell.because.as_deref());
        self.set_text("target", cell.target.as_deref());
        self.set_text("deviation", deviation.map(|deviation| deviation.reason.as_str()));
        self.set_text("deviation_link", deviation.and_then(|deviation| deviation.link.as_deref()));
        self.set_text("file", location.map(|location| &*location.file));
        self.set_number("line", location.map_or(0, |location| location.line));
        self.set_list("kep", cell.kep.iter().map(ToString::to_string));
        self.set_list("issue", cell.issue.iter().map(String::as_str));
        // A duration above `u32::MAX` microseconds (71 minutes) is shown as this maximum. 0 means that no duration is
        // known.
        let took = |micros: u64| u32::try_from(micros).unwrap_or(u32::MAX).max(1);
        self.set_number("took", cell.duration_us.map_or(0, took));
    }

    /// Returns the number of the list with the name, the note and the document of a step, and with its owners as text if
    /// it has any.
    fn number_of_step(&mut self, step: &'a Step) -> u32 {
        let texts = [Some(step.name.as_str()), step.note.as_deref(), step.document.as_deref()];
        let texts = texts.map(|text| text.map(Cow::Borrowed));
        let owners = owners_text(&step.owners).map(Some);
        let number = |text: Option<_>| text.map_or(0, |text| self.texts.number_of(Some(text)));
        let numbers = texts.into_iter().chain(owners).map(number).collect();
        self.lists.number_of(numbers)
    }

    fn set_text(&mut self, column: &str, text: Option<&'a str>) {
        self.set_own_text(column, text.map(Cow::Borrowed));
    }

    fn set_own_text(&mut self, column: &str, text: Option<Cow<'a, str>>) {
        if let Some(text) = text {
            let number = self.texts.number_of(Some(text));
            self.set_number(column, number);
        }
    }

    fn set_list(&mut self, column: &str, texts: impl IntoIterator<Item = impl Into<Cow<'a, str>>>) {
        let numbers = texts.into_iter().map(|text| self.texts.number_of(Some(text.into()))).collect();
        let number = self.lists.number_of(numbers);
        self.set_number(column, number);
    }

    /// Sets the number of the current row in a column.
    fn set_number(&mut self, column: &str, number: u32) {
        if number == 0 {
            return;
        }
        if !self.columns.contains_key(column) {
            self.columns.insert(column.to_owned(), RunLengthColumn::default());
        }
        if let Some(column) = self.columns.get_mut(column) {
            column.pad_to(self.count);
            column.push(number, 1);
        }
    }
}

/// Returns the text of owners, or `None` if there are none.
fn owners_text(owners: &[Owner]) -> Option<Cow<'static, str>> {
    (!owners.is_empty()).then(|| owners::text(owners).into())
}

/// Returns the id that a cell has by default: `suite/case[axes]`, or `suite/case` without axes.
fn default_id(cell: &Cell) -> String {
    let point = if cell.axes.is_empty() { String::new() } else { format!("[{}]", cell.axes) };
    format!("{}/{}{point}", cell.suite, cell.case)
}

/// A set of distinct values, each with a number.
struct Interner<T> {
    numbers: HashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner { numbers: HashMap::new() }
    }
}

impl<T: std::hash::Hash + Eq> Interner<T> {
    fn number_of(&mut self, value: T) -> u32 {
        // Fewer than four thousand million texts fit into a page.
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(value).or_insert(next)
    }
}

impl<T: Serialize> Serialize for Interner<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut values: Vec<(&T, &u32)> = self.numbers.iter().collect();
        values.sort_unstable_by_key(|(_, number)| **number);
        serializer.collect_seq(values.into_iter().map(|(value, _)| value))
    }
}

/// Numbers, with the length of each run of equal numbers.
#[derive(Default)]
struct RunLengthColumn {
    runs: Vec<(u32, usize)>,
    length: usize,
}

impl RunLengthColumn {
    fn push(&mut self, number: u32, times: usize) {
        self.length += times;
        match self.runs.last_mut() {
            Some((last, count)) if *last == number => *count += times,
            _ => self.runs.push((number, times)),
        }
    }

    /// Appends zeros until the column has `length` numbers.
    fn pad_to(&mut self, length: usize) {
        if length > self.length {
            self.push(0, length - self.length);
        }
    }
}

/// Serializes as an array of the numbers. If it is shorter, serializes as an object with `runs` instead: an array in
/// which each number is followed by the length of its run.
impl Serialize for RunLengthColumn {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.runs.len() * 2 > self.length {
            let numbers = self.runs.iter().flat_map(|(number, times)| std::iter::repeat_n(number, *times));
            return serializer.collect_seq(numbers);
        }
        let runs: Vec<usize> =
            self.runs.iter().flat_map(|(number, times)| [*number as usize, *times]).collect();
        BTreeMap::from([("runs", runs)]).serialize(serializer)
    }
}
