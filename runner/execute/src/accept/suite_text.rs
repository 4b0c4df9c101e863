//! Additions to the text of a suite file. Everything that is not added stays as it is, including comments.

use std::collections::BTreeSet;

use skewer_cases::yaml::write_flow;
use skewer_cases::{BaseDocument, PinnedFinalState};
use skewer_engine::skew::Outcome;
use skewer_engine::{Doc, OwnedDoc, OwnedMap};

use super::AcceptedFile;
use super::conditions::Entry;
use super::state::Described;
use crate::kep::axis_values::AxisValues;

/// Maximum length of a line that is added, if it can be broken.
const MAX_COLUMNS: usize = 120;

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
    if !is_flow {
        return false;
    }
    let has_error = line.contains("error: ");
    let added = match addition.final_states.as_slice() {
        [] => return false,
        [Entry { when, value: PinnedFinalState::Refused(error) }] if when.is_empty() && has_error => {
            let path = error.path.as_ref().map_or_else(String::new, ToString::to_string);
            format!("at: {}", write_flow(&Doc::from(path)))
        }
        several => {
            let entries: Vec<String> = several.iter().map(flow_entry).collect();
            format!("final-states: [{}]", entries.join(", "))
        }
    };
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
        let indent = " ".repeat(self.indent + 2);
        let new = match final_states {
            [Entry { when, value: PinnedFinalState::Refused(error) }] if when.is_empty() => {
                let kind = (!self.has_error).then(|| format!("{indent}error: {}", error.kind.id()));
                let path = error.path.as_ref().map(|path| Doc::from(path.to_string()));
                kind.into_iter()
                    .chain(path.map(|path| format!("{indent}at: {}", write_flow(&path))))
                    .collect()
            }
            several => final_state_lines(several, &indent),
        };
        (self.anchor + 1, new)
    }

    /// Returns the lines of an expectation for cells that fail.
    fn new_expectation(&self, entry: &Entry<(Outcome, Described)>) -> Vec<String> {
        let (dash, indent) = (" ".repeat(self.indent), " ".repeat(self.indent + 2));
        let (outcome, state) = &entry.value;
        let mut lines = Vec::new();
        if !entry.when.is_empty() {
            lines.push(format!("{indent}when: {}", write_flow(&Doc::Map(conditions(&entry.when)))));
        }
        lines.push(format!("{indent}outcome: {outcome}"));
        if super::needs_pin(*outcome) {
            let pinned = Entry { when: AxisValues::new(), value: state.clone() };
            lines.extend(final_state_lines(&[pinned], &indent));
        }
        lines[0].replace_range(..dash.len() + 2, &format!("{dash}- "));
        lines
    }
}

fn final_state_lines(entries: &[Entry<Described>], indent: &str) -> Vec<String> {
    let mut lines = vec![format!("{indent}final-states:")];
    for entry in entries {
        let flow = format!("{indent}  - {}", flow_entry(entry));
        if flow.chars().count() <= MAX_COLUMNS {
            lines.push(flow);
            continue;
        }
        for (index, text) in key_texts(entry).iter().enumerate() {
            let dash = if index == 0 { "- " } else { "  " };
            lines.push(format!("{indent}  {dash}{text}"));
        }
    }
    lines
}

/// Returns an entry of `final-states` on one line.
fn flow_entry(entry: &Entry<Described>) -> String {
    format!("{{{}}}", key_texts(entry).join(", "))
}

fn key_texts(entry: &Entry<Described>) -> Vec<String> {
    entry_keys(entry).iter().map(|(key, value)| format!("{key}: {}", write_flow(value))).collect()
}

/// Returns the keys of an entry of `final-states` with their values, in the order in which they are written.
fn entry_keys(entry: &Entry<Described>) -> Vec<(&'static str, OwnedDoc)> {
    let mut keys = Vec::new();
    if !entry.when.is_empty() {
        keys.push(("when", Doc::Map(conditions(&entry.when))));
    }
    match &entry.value {
        PinnedFinalState::Document(document) => keys.push(("result", document.clone())),
        PinnedFinalState::Edited(edited) => {
            let base = match edited.base {
                BaseDocument::Live => "live",
                BaseDocument::Ideal => "ideal",
            };
            keys.push(("of", Doc::from(base)));
            if !edited.set.is_empty() {
                let set = edited.set.iter().map(|(path, value)| (path.to_string().into(), value.clone()));
                keys.push(("set", Doc::Map(set.collect())));
            }
            if !edited.remove.is_empty() {
                let remove = edited.remove.iter().map(|path| Doc::from(path.to_string()));
                keys.push(("remove", Doc::List(remove.collect())));
            }
        }
        PinnedFinalState::Refused(error) => {
            keys.push(("error", Doc::from(error.kind.id())));
            keys.extend(error.path.as_ref().map(|path| ("at", Doc::from(path.to_string()))));
        }
    }
    keys
}

/// Returns the conditions as a document. A single value is not written as a list.
fn conditions(when: &AxisValues) -> OwnedMap {
    let values = |values: &BTreeSet<String>| -> OwnedDoc {
        let mut texts = values.iter().map(|value| Doc::from(value.as_str()));
        match texts.len() {
            1 => texts.next().unwrap_or(Doc::Null),
            _ => Doc::List(texts.collect()),
        }
    };
    when.iter().map(|(axis, of_axis)| (axis.as_str().into(), values(of_axis))).collect()
}
