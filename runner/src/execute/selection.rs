//! The selection of the cells of a corpus for a run.

use skewer_cases::{Cell, Level};

/// The conditions by which a user selects cells. A cell must meet all of them.
#[derive(Clone, Debug, Default)]
pub struct Selection {
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

impl Selection {
    /// Returns true if the cell belongs to the shard to run.
    #[must_use]
    pub fn is_in_shard(&self, cell: &Cell<'_>) -> bool {
        self.shard.is_none_or(|(index, count)| shard_of(&cell.id(), count) == index)
    }

    /// Returns true if the cell meets all conditions other than the shard.
    #[must_use]
    pub fn has_cell(&self, cell: &Cell<'_>) -> bool {
        let levels = self.levels.is_empty() || self.levels.contains(&cell.level());
        let rows = (self.kep || !self.rows.is_empty()).then(|| cell.kep_rows());
        let kep = rows.is_none_or(|rows| {
            !rows.is_empty() && (self.rows.is_empty() || self.rows.iter().any(|row| rows.contains(row)))
        });
        let issues =
            self.issues.is_empty()
                || cell.case.issue.iter().any(|issue| {
                    self.issues.iter().any(|part_of_name| issue.contains(part_of_name.as_str()))
                });
        if !(levels && kep && issues) {
            return false;
        }
        let coordinates = cell.coordinates();
        let axes =
            self.axes.iter().all(|(axis, value)| coordinates.contains(&(axis.as_str(), value.as_str())));
        if !axes {
            return false;
        }
        if self.patterns.is_empty() && self.skip.is_empty() {
            return true;
        }
        let id = cell.id();
        let is_match =
            |pattern: &String| if self.exact { *pattern == id } else { pattern_matches(pattern, &id) };
        (self.patterns.is_empty() || self.patterns.iter().any(is_match))
            && !self.skip.iter().any(|pattern| pattern_matches(pattern, &id))
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
pub(crate) fn pattern_matches(pattern: &str, id: &str) -> bool {
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
