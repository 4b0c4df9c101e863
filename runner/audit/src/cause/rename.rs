//! Fields that were renamed.

use std::collections::BTreeMap;

use skewer_engine::OwnedDoc;

use crate::change::PropertyChange;
use crate::facts::{Facts, Property};
use crate::renames::FieldRename;
use crate::schema_path::{SchemaPath, SchemaStep};

/// Returns the changes that declared renames are about, each group with its renames. The change of a field that is
/// inside of a removed or added one is that of the outer field. Renames that share a change are one group.
pub(super) fn declared_groups(
    changes: &[PropertyChange],
    declared: &[FieldRename],
) -> Vec<(Vec<usize>, Vec<FieldRename>)> {
    let mut groups: Vec<(Vec<usize>, Vec<FieldRename>)> = Vec::new();
    for rename in declared {
        let removed = changes
            .iter()
            .position(|change| change.is_removed_field() && rename.from.is_within(&change.path));
        let added =
            changes.iter().position(|change| change.is_added_field() && rename.to.is_within(&change.path));
        let (Some(removed), Some(added)) = (removed, added) else { continue };
        let (mut group, mut renames) = (vec![removed, added], vec![rename.clone()]);
        groups.retain(|(other, others)| {
            let is_shared = other.contains(&removed) || other.contains(&added);
            if is_shared {
                group.extend(other);
                renames.extend(others.iter().cloned());
            }
            !is_shared
        });
        // The removed fields come first: a cause has the path of its first change.
        group.sort_by_key(|at| (!changes[*at].is_removed_field(), *at));
        group.dedup();
        renames.sort_by(|a, b| a.from.cmp(&b.from));
        groups.push((group, renames));
    }
    groups
}

/// Returns what reports say about declared renames.
pub(super) fn declared_title(renames: &[FieldRename]) -> String {
    match renames {
        [FieldRename { from, to, .. }] if from.parent() == to.parent() => {
            format!("field renamed to {}", to.field_name().unwrap_or_default())
        }
        _ => {
            let pairs: Vec<String> =
                renames.iter().map(|rename| format!("{} to {}", rename.from, rename.to)).collect();
            let fields = if pairs.len() == 1 { "field" } else { "fields" };
            format!("{fields} renamed: {}", pairs.join(", "))
        }
    }
}

/// Returns the pairs of a removed and an added field that look like one field with a new name.
pub(super) fn renames(
    changes: &[PropertyChange],
    old: &BTreeMap<SchemaPath, Facts>,
    new: &BTreeMap<SchemaPath, Facts>,
) -> Vec<(usize, usize)> {
    let is_renamed = |removed: usize, added: usize| {
        let (from, to) = (&changes[removed].path, &changes[added].path);
        changes[removed].is_removed_field()
            && changes[added].is_added_field()
            && from.parent() == to.parent()
            // The items of a list and the values of a map have no name.
            && [from, to].iter().all(|path| path.field_name().is_some())
            && (is_only_case(from, to) && ty(old, from) == ty(new, to)
                || (within(old, from).count() > 1 || are_similar(from, to)) && within(old, from).eq(within(new, to)))
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

/// Returns true if the names of two fields differ only in the case of letters. Their limits can differ, too.
fn is_only_case(a: &SchemaPath, b: &SchemaPath) -> bool {
    a.field_name().zip(b.field_name()).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
}

fn ty<'f>(facts: &'f BTreeMap<SchemaPath, Facts>, path: &SchemaPath) -> Option<&'f OwnedDoc> {
    facts.get(path)?.get(&Property::Type)
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
