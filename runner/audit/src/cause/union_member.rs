//! Members that were added to unions.

use std::collections::BTreeMap;

use skewer_engine::{Doc, OwnedDoc};

use crate::change::PropertyChange;
use crate::facts::{Facts, Property, values};
use crate::schema_path::{SchemaPath, SchemaStep};

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

/// Returns how a union selects a member that was added.
pub(super) fn union_member<'c>(
    added: &PropertyChange,
    belonging: impl Iterator<Item = &'c PropertyChange>,
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
    let mut is_exclusive_object = true;
    for change in belonging {
        is_exclusive_object = false;
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
    // In an object that can have only one field, any other field is another member.
    let is_first_field = |path: &&SchemaPath| path.field_name().is_some();
    if is_exclusive_object {
        other = siblings().map(|(path, _)| path).find(is_first_field).cloned();
    }
    UnionMember { discriminator, value, other, other_value }
}

/// Returns true if a field was added to an object that can have only one of its fields.
pub(super) fn is_in_exclusive_object(added: &PropertyChange, old: &BTreeMap<SchemaPath, Facts>) -> bool {
    let facts = added.path.parent().and_then(|parent| old.get(&parent));
    let most = facts.and_then(|facts| facts.get(&Property::Bound("maxProperties")));
    most == Some(&Doc::Int(1))
}

/// Returns true if a change lets a union select a field that was added.
pub(super) fn belongs_to_member(change: &PropertyChange, added: &PropertyChange) -> bool {
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

/// Returns true if the value of a discriminator is the name of a field, whatever its case and punctuation:
/// `RollingUpdate` and `rollingUpdate`.
fn is_same_word(value: &str, field: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    letters(value) == letters(field)
}

fn mentions(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_none_or(|c| !is_part(c));
        let after = text[at + word.len()..].chars().next().is_none_or(|c| !is_part(c));
        before && after
    })
}
