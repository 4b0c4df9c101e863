//! Causes: changes that belong together, and so have one finding.

use std::collections::BTreeMap;

use skewer_engine::{Doc, OwnedDoc};

use super::change::Change;
use super::facts::{Facts, Property};
use super::schema_path::{SchemaPath, SchemaStep};

/// One or more changes that only make sense together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cause {
    /// The element that the reports name.
    pub path: SchemaPath,
    /// What was changed, such as `list type atomic -> map[name]`.
    pub title: String,
    /// The changes. The first is that of `path`.
    pub changes: Vec<Change>,
    /// The union to which the cause adds a member, if it does.
    pub union_member: Option<UnionMember>,
}

/// How a union selects a member that was added, and another member that it had before.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UnionMember {
    /// The discriminator, if there is one.
    pub discriminator: Option<SchemaPath>,
    /// The value of the discriminator that selects the new member.
    pub value: OwnedDoc,
    /// A member that the union had before.
    pub other: Option<SchemaPath>,
    /// The value of the discriminator that selects the other member.
    pub other_value: OwnedDoc,
}

/// Groups changes into causes.
///
/// - The list type and the keys of a list are one cause.
/// - A field and the value of the discriminator that selects it are one cause: a member of a union. The rules and
///   alternatives of the object that name the field belong to it, too.
/// - A field that was removed and a field that was added in the same object are one cause if they are equal but for their
///   names, and no other pair is: the field was renamed. This is a guess.
#[must_use]
pub fn causes(
    changes: &[Change],
    old: &BTreeMap<SchemaPath, Facts>,
    new: &BTreeMap<SchemaPath, Facts>,
) -> Vec<Cause> {
    let mut is_taken = vec![false; changes.len()];
    let mut causes = Vec::new();
    for (removed, added) in renames(changes, old, new) {
        (is_taken[removed], is_taken[added]) = (true, true);
        causes.push(Cause {
            path: changes[removed].path.clone(),
            title: format!(
                "field renamed to {}? (a guess)",
                changes[added].path.field_name().unwrap_or_default()
            ),
            changes: vec![changes[removed].clone(), changes[added].clone()],
            union_member: None,
        });
    }
    for (index, change) in changes.iter().enumerate().filter(|(_, change)| change.is_added_field()) {
        if is_taken[index] {
            continue;
        }
        let belonging: Vec<usize> = (0..changes.len())
            .filter(|at| !is_taken[*at] && *at != index && belongs_to_member(&changes[*at], change))
            .collect();
        let is_union_member = belonging.iter().any(|at| changes[*at].property != Property::Rules);
        if !is_union_member {
            continue;
        }
        is_taken[index] = true;
        let union_member = union_member(change, belonging.iter().map(|at| &changes[*at]), new);
        let mut members = vec![change.clone()];
        for at in belonging {
            is_taken[at] = true;
            members.push(changes[at].clone());
        }
        causes.push(Cause {
            path: change.path.clone(),
            title: "union member added".to_owned(),
            changes: members,
            union_member: Some(union_member),
        });
    }
    for (index, change) in changes.iter().enumerate() {
        if is_taken[index] {
            continue;
        }
        is_taken[index] = true;
        let mut members = vec![change.clone()];
        for (at, other) in changes.iter().enumerate() {
            let is_same_list = other.path == change.path
                && matches!(other.property, Property::ListType | Property::ListMapKeys)
                && matches!(change.property, Property::ListType | Property::ListMapKeys);
            if !is_taken[at] && is_same_list {
                is_taken[at] = true;
                members.push(other.clone());
            }
        }
        let title = title_of(&members);
        let path = match change.property {
            Property::StatusSubresource => SchemaPath::from_iter([SchemaStep::Field("status".to_owned())]),
            _ => change.path.clone(),
        };
        causes.push(Cause { path, title, changes: members, union_member: None });
    }
    causes.sort_by(|a, b| (&a.path, &a.title).cmp(&(&b.path, &b.title)));
    causes
}

/// Returns how a union selects a member that was added.
fn union_member<'c>(
    added: &Change,
    belonging: impl Iterator<Item = &'c Change>,
    new: &BTreeMap<SchemaPath, Facts>,
) -> UnionMember {
    let name = added.path.field_name().unwrap_or_default();
    let parent = added.path.parent().unwrap_or_default();
    let sibling = |name: &str| parent.child(SchemaStep::Field(name.to_owned()));
    let siblings = || {
        let inside = new.range(parent.clone()..).take_while(|(path, _)| path.is_within(&parent));
        inside.filter(|(path, _)| path.parent().as_ref() == Some(&parent) && **path != added.path)
    };
    let (mut discriminator, mut value, mut other, mut other_value) = (None, Doc::Null, None, Doc::Null);
    for change in belonging {
        match change.property {
            Property::Enum => {
                let is_value =
                    |value: &&OwnedDoc| value.as_str().is_some_and(|text| is_same_word(text, name));
                value = values(change.new.as_ref()).iter().find(is_value).cloned().unwrap_or(Doc::Null);
                for old_value in values(change.old.as_ref()) {
                    let is_member = |path: &SchemaPath| {
                        let names = path.field_name().zip(old_value.as_str());
                        names.is_some_and(|(field, value)| is_same_word(value, field))
                    };
                    if let Some((path, _)) = siblings().find(|(path, _)| is_member(path)) {
                        (other, other_value) = (Some(path.clone()), old_value.clone());
                        break;
                    }
                }
                discriminator = Some(change.path.clone());
            }
            _ if other.is_none() => {
                let text = change.old.as_ref().map(ToString::to_string).unwrap_or_default();
                let mut named = siblings().filter_map(|(path, _)| path.field_name());
                other = named.find(|field| mentions(&text, field)).map(sibling);
            }
            _ => {}
        }
    }
    UnionMember { discriminator, value, other, other_value }
}

/// Returns the pairs of a removed and an added field that look like one field with a new name.
fn renames(
    changes: &[Change],
    old: &BTreeMap<SchemaPath, Facts>,
    new: &BTreeMap<SchemaPath, Facts>,
) -> Vec<(usize, usize)> {
    let is_renamed = |removed: usize, added: usize| {
        let (from, to) = (&changes[removed].path, &changes[added].path);
        changes[removed].is_removed_field()
            && changes[added].is_added_field()
            && from.parent() == to.parent()
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

/// Returns the facts of an element and of all that it contains, with paths that start at the element.
fn within<'f>(
    facts: &'f BTreeMap<SchemaPath, Facts>,
    path: &'f SchemaPath,
) -> impl Iterator<Item = (&'f [SchemaStep], &'f Facts)> {
    let inside = facts.range(path.clone()..).take_while(|(other, _)| other.is_within(path));
    inside.map(|(other, facts)| (&other.steps()[path.steps().len()..], facts))
}

/// Returns true if a change lets a union select a field that was added.
fn belongs_to_member(change: &Change, added: &Change) -> bool {
    let (Some(parent), Some(name)) = (added.path.parent(), added.path.field_name()) else { return false };
    let is_of_parent = change.path == parent;
    let is_sibling = change.path.parent().as_ref() == Some(&parent);
    match change.property {
        Property::Enum if is_sibling => {
            let (old, new) = (values(change.old.as_ref()), values(change.new.as_ref()));
            let mut added_values = new.iter().filter(|value| !old.contains(value));
            added_values.any(|value| value.as_str().is_some_and(|value| is_same_word(value, name)))
        }
        Property::Alternatives(_) | Property::Rules if is_of_parent => {
            let mentions =
                |value: Option<&OwnedDoc>| value.is_some_and(|value| mentions(&value.to_string(), name));
            mentions(change.new.as_ref()) && !mentions(change.old.as_ref())
        }
        _ => false,
    }
}

fn values(list: Option<&OwnedDoc>) -> &[OwnedDoc] {
    list.and_then(Doc::as_list).unwrap_or_default()
}

/// Returns true if the value of a discriminator is the name of a field, whatever its case and punctuation:
/// `RollingUpdate` and `rollingUpdate`.
fn is_same_word(value: &str, field: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    letters(value) == letters(field)
}

/// Returns true if a text contains a word.
fn mentions(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_none_or(|c| !is_part(c));
        let after = text[at + word.len()..].chars().next().is_none_or(|c| !is_part(c));
        before && after
    })
}

fn title_of(changes: &[Change]) -> String {
    let change = &changes[0];
    let list_type = |side: fn(&Change) -> Option<&OwnedDoc>| {
        let value = |property| changes.iter().find(|c| c.property == property).and_then(side);
        let ty = value(Property::ListType).and_then(Doc::as_str);
        let keys: Vec<&str> = values(value(Property::ListMapKeys)).iter().filter_map(Doc::as_str).collect();
        match (ty, keys.is_empty()) {
            (None, true) => "atomic".to_owned(),
            (ty, true) => ty.unwrap_or("map").to_owned(),
            (ty, false) => format!("{}[{}]", ty.unwrap_or("map"), keys.join(",")),
        }
    };
    let name = change.property.name();
    let is_field = matches!(change.path.steps().last(), Some(SchemaStep::Field(_)));
    let element = if is_field { "field" } else { "element" };
    match change.property {
        Property::Field if change.new.is_some() => format!("{element} added"),
        Property::Field => format!("{element} removed"),
        Property::ListType | Property::ListMapKeys => {
            format!("list type {} -> {}", list_type(|c| c.old.as_ref()), list_type(|c| c.new.as_ref()))
        }
        Property::Required if change.new.is_some() => "made required".to_owned(),
        Property::Required => "made optional".to_owned(),
        Property::Nullable if change.new.is_some() => "null permitted".to_owned(),
        Property::Nullable => "null no longer permitted".to_owned(),
        Property::UnknownFields if change.new.is_some() => "unknown fields kept".to_owned(),
        Property::UnknownFields => "unknown fields no longer kept".to_owned(),
        Property::StatusSubresource | Property::ScaleSubresource => {
            format!("{name} {}", if change.new.is_some() { "added" } else { "removed" })
        }
        Property::Served if change.new.is_some() => "version served".to_owned(),
        Property::Served => "version no longer served".to_owned(),
        Property::Enum => enum_title(change),
        Property::Rules => rules_title(change),
        Property::Alternatives(keyword) => format!("{keyword} changed"),
        Property::MapType => {
            let side =
                |value: Option<&OwnedDoc>| value.and_then(Doc::as_str).unwrap_or("granular").to_owned();
            format!("map type {} -> {}", side(change.old.as_ref()), side(change.new.as_ref()))
        }
        _ => match (&change.old, &change.new) {
            (Some(old), Some(new)) => format!("{name} {} -> {}", short(old), short(new)),
            (None, Some(new)) => format!("{name} {} added", short(new)),
            (Some(old), None) => format!("{name} {} removed", short(old)),
            (None, None) => format!("{name} changed"),
        },
    }
}

fn enum_title(change: &Change) -> String {
    let (old, new) = (values(change.old.as_ref()), values(change.new.as_ref()));
    if old.is_empty() || new.is_empty() {
        return if old.is_empty() { "enum added".to_owned() } else { "enum removed".to_owned() };
    }
    let text = |values: Vec<&OwnedDoc>, verb: &str| match values.len() {
        0 => None,
        1 => Some(format!("enum value {} {verb}", short(values[0]))),
        count => Some(format!("{count} enum values {verb}")),
    };
    let added = text(new.iter().filter(|value| !old.contains(value)).collect(), "added");
    let removed = text(old.iter().filter(|value| !new.contains(value)).collect(), "removed");
    [removed, added].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn rules_title(change: &Change) -> String {
    let (old, new) = (values(change.old.as_ref()), values(change.new.as_ref()));
    let (added, removed) = (
        new.iter().filter(|rule| !old.contains(rule)).count(),
        old.iter().filter(|rule| !new.contains(rule)).count(),
    );
    match (added, removed) {
        (1, 0) => "CEL rule added".to_owned(),
        (count, 0) => format!("{count} CEL rules added"),
        (0, 1) => "CEL rule removed".to_owned(),
        (0, count) => format!("{count} CEL rules removed"),
        (1, 1) => "CEL rule changed".to_owned(),
        _ => "CEL rules changed".to_owned(),
    }
}

/// Returns a value as JSON, shortened for a title.
fn short(value: &OwnedDoc) -> String {
    const LONGEST: usize = 32;
    let text = value.as_str().map_or_else(|| value.to_string(), |text| format!("{text:?}"));
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
