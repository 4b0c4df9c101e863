//! Additions to the text of a suite file. Everything that is not added stays as it is, including comments.

use skewer_cases::PinnedFinalState;
use skewer_cases::format::{ExpectationSpec, FinalStateSpec, OneOrMore, OrderedMap};
use skewer_cases::yaml::{MAX_COLUMNS, Spanned};
use skewer_skew::Outcome;

use super::AcceptedFile;
use super::conditions::Entry;
use super::state::Described;
use crate::kep::axis_values::AxisValues;

/// An addition to an expectation.
pub(super) struct Addition {
    /// The line of the expectation, counted from 1.
    pub(super) line: usize,
    /// The final states of the expectation.
    pub(super) final_states: Vec<Entry<Described>>,
    /// Expectations that are inserted before it.
    pub(super) expectations: Vec<Entry<(Outcome, Described)>>,
}

/// Makes the additions to the text of a suite file.
pub(super) fn insert(file: &str, text: &str, mut additions: Vec<Addition>) -> AcceptedFile {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut accepted =
        AcceptedFile { file: file.to_owned(), text: String::new(), pinned: 0, added: 0, skipped: Vec::new() };
    // Lines after an insertion move, so that the last addition is made first.
    additions.sort_by_key(|addition| std::cmp::Reverse(addition.line));
    for addition in additions {
        if pin_in_flow_style(&mut lines, &addition) {
            accepted.pinned += 1;
            continue;
        }
        let Some(entry) = ExpectationLines::find(&lines, addition.line) else {
            accepted.skipped.push(addition.line);
            continue;
        };
        if !addition.final_states.is_empty() {
            let (at, new) = entry.pin(&addition.final_states);
            lines.splice(at..at, new);
            accepted.pinned += 1;
        }
        accepted.added += addition.expectations.len();
        let new: Vec<String> =
            addition.expectations.iter().flat_map(|expectation| entry.new_expectation(expectation)).collect();
        lines.splice(entry.first..entry.first, new);
    }
    accepted.skipped.reverse();
    accepted.text = lines.join("\n") + "\n";
    accepted
}

/// Adds final states to an expectation that is a map on one line: `- {error: invalid-directive}`. Returns false if the
/// expectation is written in another way.
fn pin_in_flow_style(lines: &mut [String], addition: &Addition) -> bool {
    let Some(line) = addition.line.checked_sub(1).and_then(|index| lines.get_mut(index)) else {
        return false;
    };
    let is_flow =
        line.trim_start().starts_with("- {") && line.ends_with('}') && addition.expectations.is_empty();
    if !is_flow || addition.final_states.is_empty() {
        return false;
    }
    let added = match pin(&addition.final_states) {
        // The line is extended, and keeps its error.
        ExpectationSpec { error: Some(_), at, .. } if line.contains("error: ") => {
            ExpectationSpec { at, ..ExpectationSpec::default() }
        }
        _ => ExpectationSpec {
            final_states: final_states(&addition.final_states),
            ..ExpectationSpec::default()
        },
    };
    let added = added.print_flow_keys();
    line.truncate(line.len() - 1);
    let dash = line.len() - line.trim_start().len();
    let separator = match line.chars().count() + added.chars().count() + 3 {
        0..=MAX_COLUMNS => " ".to_owned(),
        _ => format!("\n{}", " ".repeat(dash + 3)),
    };
    line.extend([",", &separator, &added, "}"]);
    true
}

/// The lines of an expectation that is written with one key per line.
struct ExpectationLines {
    /// The index of the line with the dash.
    first: usize,
    /// The index of the line after which keys are added: that of `error`, or else that of `outcome`.
    anchor: usize,
    /// Whether the anchor is the key `error`.
    has_error: bool,
    /// The number of columns before the dash.
    indent: usize,
}

impl ExpectationLines {
    /// Finds the lines of the expectation at a line. Returns `None` if it has no line with the key `outcome` or `error`.
    fn find(lines: &[String], line: usize) -> Option<Self> {
        let first = line.checked_sub(1)?;
        let dash = lines.get(first)?.find("- ")?;
        if !lines[first][..dash].trim().is_empty() {
            return None;
        }
        let is_inside = |line: &String| line.trim().is_empty() || line.len() - line.trim_start().len() > dash;
        let end = first + 1 + lines[first + 1..].iter().take_while(|line| is_inside(line)).count();
        let key = |index: usize| {
            let line = &lines[index];
            let is_key = index == first || line.len() - line.trim_start().len() == dash + 2;
            is_key.then(|| line.get(dash + 2..)).flatten()
        };
        let with_key =
            |name: &str| (first..end).find(|index| key(*index).is_some_and(|key| key.starts_with(name)));
        let (outcome, error) = (with_key("outcome: "), with_key("error: "));
        Some(ExpectationLines { first, anchor: error.or(outcome)?, has_error: error.is_some(), indent: dash })
    }

    /// Returns the lines that pin final states, and the index at which they belong.
    fn pin(&self, final_states: &[Entry<Described>]) -> (usize, Vec<String>) {
        let mut pinned = pin(final_states);
        if self.has_error {
            pinned.error = None;
        }
        (self.anchor + 1, pinned.print_keys(self.indent + 2))
    }

    /// Returns the lines of an expectation for cells that fail.
    fn new_expectation(
        &self,
        Entry { when, value: (outcome, state) }: &Entry<(Outcome, Described)>,
    ) -> Vec<String> {
        let is_pinned = super::needs_pin(*outcome);
        let expectation = ExpectationSpec {
            when: condition(when),
            outcome: Some((*outcome).into()),
            final_states: is_pinned.then(|| state.to_spec().into()).into_iter().collect(),
            ..ExpectationSpec::default()
        };
        let mut lines = expectation.print_keys(self.indent + 2);
        lines[0].replace_range(self.indent..=self.indent, "-");
        lines
    }
}

/// Returns the keys that pin final states: those of the error if there is no other state.
fn pin(entries: &[Entry<Described>]) -> ExpectationSpec {
    match entries {
        [Entry { when, value: PinnedFinalState::Refused(error) }] if when.is_empty() => ExpectationSpec {
            error: Some(error.kind.id().into()),
            at: error.path.as_ref().map(|path| path.to_string().into()),
            ..ExpectationSpec::default()
        },
        several => ExpectationSpec { final_states: final_states(several), ..ExpectationSpec::default() },
    }
}

fn final_states(entries: &[Entry<Described>]) -> Vec<Spanned<FinalStateSpec>> {
    let spec =
        |entry: &Entry<Described>| FinalStateSpec { when: condition(&entry.when), ..entry.value.to_spec() };
    entries.iter().map(|entry| spec(entry).into()).collect()
}

fn condition(when: &AxisValues) -> OrderedMap<OneOrMore> {
    when.iter().map(|(axis, values)| (axis.clone(), values.iter().cloned().collect())).collect()
}
