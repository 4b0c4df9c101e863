//! The selection of the cells of a corpus for a run.

use std::borrow::Cow;
use std::fmt;

use skewer_cases::{Cell, CorpusFile, Level};
use skewer_results as results;

/// The conditions by which a user selects cells. A cell must meet all of them.
#[derive(Clone, Debug, Default)]
pub struct CellSelection {
    /// Patterns for the id of the cell, at least one of which must match. An empty list selects every id. A pattern
    /// with `*` must match the whole id; a pattern without `*` matches any part of it.
    pub patterns: Vec<String>,
    /// Whether a pattern must equal the whole id.
    pub exact: bool,
    /// Patterns for the id of the cell, none of which may match.
    pub skip: Vec<String>,
    /// Axes, each with the value that the cell must have on it.
    pub axes: Vec<(String, String)>,
    /// Levels, one of which the cell must have. An empty list selects every level.
    pub levels: Vec<Level>,
    /// Parts of the names of upstream issues or KEP rows. The cell must cite an issue or row that contains one of
    /// them.
    pub issues: Vec<String>,
    /// Whether the cell must cite a row of the KEP's matrix.
    pub kep: bool,
    /// Numbers of rows of the KEP's matrix, one of which the cell must cover. An empty list selects every cell.
    pub rows: Vec<u32>,
    /// The number of the shard to run, counted from 1, and the total number of shards.
    pub shard: Option<(u32, u32)>,
}

/// A cell of a corpus or of a results file, with the properties by which it can be selected.
pub trait SelectableCell {
    /// Returns the id.
    fn id(&self) -> Cow<'_, str>;
    /// Returns the name of the suite.
    fn suite(&self) -> &str;
    /// Returns the name of the case within its suite.
    fn case(&self) -> &str;
    /// Returns the level.
    fn level(&self) -> Level;
    /// Returns the upstream issues that the case cites.
    fn issues(&self) -> &[String];
    /// Returns the rows of the KEP's matrix that the cell covers.
    fn kep_rows(&self) -> Cow<'_, [u32]>;
    /// Returns the axes with the values of the cell.
    fn coordinates(&self) -> Vec<(&str, &str)>;
}

impl SelectableCell for Cell<'_> {
    fn id(&self) -> Cow<'_, str> {
        Cell::id(self).into()
    }

    fn suite(&self) -> &str {
        &self.case.suite
    }

    fn case(&self) -> &str {
        &self.case.id
    }

    fn level(&self) -> Level {
        Cell::level(self)
    }

    fn issues(&self) -> &[String] {
        &self.case.issue
    }

    fn kep_rows(&self) -> Cow<'_, [u32]> {
        Cell::kep_rows(self).into()
    }

    fn coordinates(&self) -> Vec<(&str, &str)> {
        Cell::coordinates(self)
    }
}

/// Returns the level that a results file names.
#[must_use]
pub fn level_of_cases(level: results::Level) -> Level {
    match level {
        results::Level::Required => Level::Required,
        results::Level::Recommended => Level::Recommended,
        results::Level::Proposed => Level::Proposed,
        results::Level::Erratum => Level::Erratum,
    }
}

impl SelectableCell for results::Cell {
    fn id(&self) -> Cow<'_, str> {
        self.id.as_str().into()
    }

    fn suite(&self) -> &str {
        &self.suite
    }

    fn case(&self) -> &str {
        &self.case
    }

    fn level(&self) -> Level {
        level_of_cases(self.level)
    }

    fn issues(&self) -> &[String] {
        &self.issue
    }

    fn kep_rows(&self) -> Cow<'_, [u32]> {
        self.kep.as_slice().into()
    }

    fn coordinates(&self) -> Vec<(&str, &str)> {
        self.axes.iter().collect()
    }
}

impl CellSelection {
    /// Returns true if the cell belongs to the shard to run.
    #[must_use]
    pub fn is_in_shard(&self, cell: &impl SelectableCell) -> bool {
        self.shard.is_none_or(|(index, count)| shard_of(&cell.id(), count) == index)
    }

    /// Returns true if the cell meets all conditions other than the shard.
    #[must_use]
    pub fn has_cell(&self, cell: &impl SelectableCell) -> bool {
        self.conditions().iter().all(|condition| condition.accepts(cell))
    }

    /// Returns false only if a file of the embedded corpus has none of the cells. Most files need not be parsed then.
    #[must_use]
    pub fn can_select_from(&self, file: &CorpusFile) -> bool {
        self.conditions().iter().all(|condition| match condition {
            SelectionCondition::Patterns(patterns) | SelectionCondition::Ids(patterns) => {
                patterns.iter().any(|pattern| file.can_have_id_with(pattern))
            }
            SelectionCondition::Axis(axis, value) => {
                file.can_have_id_with(axis) && file.can_have_id_with(value)
            }
            SelectionCondition::Issues(issues) => issues.iter().any(|issue| file.contains(issue)),
            // The rows are those of a case (`kep`), or of a suite (`kep-rows`).
            SelectionCondition::Kep | SelectionCondition::Rows(_) => file.contains("kep"),
            SelectionCondition::Skip(_) | SelectionCondition::Levels(_) => true,
        })
    }

    /// Returns the conditions other than the shard, in the order in which messages name them.
    #[must_use]
    pub fn conditions(&self) -> Vec<SelectionCondition<'_>> {
        let mut conditions = Vec::new();
        if !self.patterns.is_empty() {
            conditions.push(if self.exact {
                SelectionCondition::Ids(&self.patterns)
            } else {
                SelectionCondition::Patterns(&self.patterns)
            });
        }
        conditions.extend(self.skip.iter().map(|pattern| SelectionCondition::Skip(pattern)));
        conditions.extend(self.axes.iter().map(|(axis, value)| SelectionCondition::Axis(axis, value)));
        conditions.extend((!self.levels.is_empty()).then_some(SelectionCondition::Levels(&self.levels)));
        conditions.extend((!self.issues.is_empty()).then_some(SelectionCondition::Issues(&self.issues)));
        conditions.extend(self.kep.then_some(SelectionCondition::Kep));
        conditions.extend((!self.rows.is_empty()).then_some(SelectionCondition::Rows(&self.rows)));
        conditions
    }
}

/// A condition of a [`CellSelection`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionCondition<'s> {
    /// One of these patterns matches the id.
    Patterns(&'s [String]),
    /// The id is one of these.
    Ids(&'s [String]),
    /// This pattern does not match the id.
    Skip(&'s str),
    /// The cell has this value on this axis.
    Axis(&'s str, &'s str),
    /// The level is one of these.
    Levels(&'s [Level]),
    /// The case cites an issue whose name contains one of these texts.
    Issues(&'s [String]),
    /// The cell covers a row of the KEP's matrix.
    Kep,
    /// The cell covers one of these rows of the KEP's matrix.
    Rows(&'s [u32]),
}

impl SelectionCondition<'_> {
    /// Returns true if the cell meets the condition.
    #[must_use]
    pub fn accepts(&self, cell: &impl SelectableCell) -> bool {
        match self {
            SelectionCondition::Patterns(patterns) => {
                let id = cell.id();
                patterns.iter().any(|pattern| pattern_matches(pattern, &id))
            }
            SelectionCondition::Ids(ids) => {
                let id = cell.id();
                ids.iter().any(|known| *known == id)
            }
            SelectionCondition::Skip(pattern) => !pattern_matches(pattern, &cell.id()),
            SelectionCondition::Axis(axis, value) => cell.coordinates().contains(&(axis, value)),
            SelectionCondition::Levels(levels) => levels.contains(&cell.level()),
            SelectionCondition::Issues(parts) => {
                cell.issues().iter().any(|issue| parts.iter().any(|part| issue.contains(part.as_str())))
            }
            SelectionCondition::Kep => !cell.kep_rows().is_empty(),
            SelectionCondition::Rows(rows) => rows.iter().any(|row| cell.kep_rows().contains(row)),
        }
    }
}

/// Displays as arguments of the command line, without quotes.
impl fmt::Display for SelectionCondition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = |f: &mut fmt::Formatter<'_>, name: &str, values: Vec<String>| {
            let options: Vec<String> = values.iter().map(|value| format!("{name} {value}")).collect();
            f.write_str(&options.join(" "))
        };
        match self {
            SelectionCondition::Patterns(patterns) => f.write_str(&patterns.join(" ")),
            SelectionCondition::Ids(ids) => write!(f, "--exact {}", ids.join(" ")),
            SelectionCondition::Skip(pattern) => write!(f, "--skip {pattern}"),
            SelectionCondition::Axis(axis, value) => write!(f, "--axis {axis}={value}"),
            SelectionCondition::Levels(levels) => {
                options(f, "--level", levels.iter().map(|level| level.name().to_owned()).collect())
            }
            SelectionCondition::Issues(parts) => options(f, "--issue", parts.to_vec()),
            SelectionCondition::Kep => f.write_str("--kep"),
            SelectionCondition::Rows(rows) => {
                options(f, "--row", rows.iter().map(ToString::to_string).collect())
            }
        }
    }
}

/// Returns the shard of an id, counted from 1. The shard depends only on the id, so that adding a case moves no other
/// case to another shard.
fn shard_of(id: &str, count: u32) -> u32 {
    // FNV-1a is used because the hasher of `std` can change between releases.
    let hash =
        id.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    1 + hash % count.max(1)
}

/// Returns true if a pattern matches an id.
#[must_use]
pub fn pattern_matches(pattern: &str, id: &str) -> bool {
    if !pattern.contains('*') {
        return id.contains(pattern);
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = id.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            match rest.find(part) {
                Some(index) => rest = &rest[index + part.len()..],
                None => return false,
            }
        }
    }
    last.is_none_or(|last| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("keys", "retain-keys/a[client=old]", true)]
    #[case("retain-*", "retain-keys/a[client=old]", true)]
    #[case("*/a", "retain-keys/a[client=old]", false)]
    #[case("*/a[*=old]", "retain-keys/a[client=old]", true)]
    #[case("*old]*", "retain-keys/a[client=old]", true)]
    #[case("*", "", true)]
    #[case("a*a", "a", false)]
    fn patterns(#[case] pattern: &str, #[case] id: &str, #[case] expected: bool) {
        assert_eq!(pattern_matches(pattern, id), expected);
    }

    #[test]
    fn every_id_has_a_shard() {
        for id in ["a", "b/c", "retain-keys/x[a=b]"] {
            assert!((1..=3).contains(&shard_of(id, 3)));
        }
    }
}
