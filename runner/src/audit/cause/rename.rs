//! Fields that were renamed.

use std::collections::BTreeMap;

use crate::audit::change::Change;
use crate::audit::facts::Facts;
use crate::audit::schema_path::{SchemaPath, SchemaStep};

/// Returns the pairs of a removed and an added field that look like one field with a new name.
pub(super) fn renames(
    changes: &[Change],
    old: &BTreeMap<SchemaPath, Facts>,
    new: &BTreeMap<SchemaPath, Facts>,
) -> Vec<(usize, usize)> {
    let is_renamed = |removed: usize, added: usize| {
        let (from, to) = (&changes[removed].path, &changes[added].path);
        changes[removed].is_removed_field()
            && changes[added].is_added_field()
            && from.parent() == to.parent()
            && (within(old, from).count() > 1 || are_similar(from, to))
            && within(old, from).eq(within(new, to))
    };
    let mut pairs = Vec::new();
    for removed in 0..changes.len() {
        let mut candidates = (0..changes.len()).filter(|added| is_renamed(removed, *added));
        if let (Some(added), None) = (candidates.next(), candidates.next()) {
            let is_only = (0..changes.len()).filter(|other| is_renamed(*other, added)).count() == 1;
            pairs.extend(is_only.then_some((removed, added)));
        }
    }
    pairs
}

/// Returns true if the names of two fields are similar. Two plain strings look alike, whatever they mean.
fn are_similar(a: &SchemaPath, b: &SchemaPath) -> bool {
    /// The similarity of two names with a common beginning, such as `size` and `sizeGiB`, is above this.
    const SIMILAR: f64 = 0.75;
    let lower = |path: &SchemaPath| path.field_name().unwrap_or_default().to_lowercase();
    let (a, b) = (lower(a), lower(b));
    a.contains(&b) || b.contains(&a) || strsim::jaro_winkler(&a, &b) > SIMILAR
}

/// Returns the facts of an element and of all that it contains, with paths that start at the element.
fn within<'f>(
    facts: &'f BTreeMap<SchemaPath, Facts>,
    path: &'f SchemaPath,
) -> impl Iterator<Item = (&'f [SchemaStep], &'f Facts)> {
    let inside = facts.range(path.clone()..).take_while(|(other, _)| other.is_within(path));
    inside.map(|(other, facts)| (&other.steps()[path.steps().len()..], facts))
}
