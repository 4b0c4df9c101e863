//! Which cells of a corpus a run takes.

use skewer_cases::{Cell, Level};

/// What the user asked for. Everything that is named must hold.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Patterns over ids, of which one must match; none matches all. Text without `*` matches anywhere in an
    /// id, a pattern with `*` matches the whole of it.
    pub patterns: Vec<String>,
    /// Patterns are whole ids.
    pub exact: bool,
    /// Patterns over ids, of which none may match.
    pub skip: Vec<String>,
    /// Axes with the value that they must have.
    pub axes: Vec<(String, String)>,
    /// Levels, of which one must be the cell's; none takes all.
    pub levels: Vec<Level>,
    /// Upstream issues or KEP rows.
    pub issues: Vec<String>,
    /// Only cells that cite a row of the KEP's matrix.
    pub kep: bool,
    /// Which part of the selection, of how many.
    pub shard: Option<(u32, u32)>,
}

impl Selection {
    /// Is the cell in the part that this run takes of the selection?
    #[must_use]
    pub fn is_in_shard(&self, cell: &Cell<'_>) -> bool {
        self.shard.is_none_or(|(index, count)| shard_of(&cell.id(), count) == index)
    }

    /// Does the selection, all its shards together, take this cell?
    #[must_use]
    pub fn takes(&self, cell: &Cell<'_>) -> bool {
        let levels = self.levels.is_empty() || self.levels.contains(&cell.case.level);
        let kep = !self.kep || !cell.case.kep.is_empty();
        let issues = self.issues.is_empty()
            || cell
                .case
                .issue
                .iter()
                .any(|issue| self.issues.iter().any(|wanted| issue.contains(wanted.as_str())));
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
        let matches = |pattern: &String| if self.exact { *pattern == id } else { matches(pattern, &id) };
        (self.patterns.is_empty() || self.patterns.iter().any(matches))
            && !self.skip.iter().any(|pattern| self::matches(pattern, &id))
    }
}

/// The shard that an id belongs to, from 1. It depends on the id alone, so that a new case moves no other.
fn shard_of(id: &str, count: u32) -> u32 {
    // FNV-1a: stable for ever, which std's hasher does not promise.
    let hash =
        id.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    1 + hash % count.max(1)
}

/// Does a pattern match an id?
pub(crate) fn matches(pattern: &str, id: &str) -> bool {
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
                Some(at) => rest = &rest[at + part.len()..],
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
        assert_eq!(matches(pattern, id), expected);
    }

    #[test]
    fn every_id_is_in_one_shard() {
        for id in ["a", "b/c", "retain-keys/x[a=b]"] {
            assert!((1..=3).contains(&shard_of(id, 3)));
        }
    }
}
