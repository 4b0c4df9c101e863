//! The changes between two versions of a schema.

use std::collections::BTreeMap;

use skewer_engine::{Doc, OwnedDoc};

use super::facts::{Facts, Property, values};
use super::revision::Side;
use super::schema_path::{SchemaPath, SchemaStep};

/// A change of one property of one element.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PropertyChange {
    /// The element.
    pub path: SchemaPath,
    /// The property. [`Property::Field`] if the element itself was added or removed.
    pub property: Property,
    /// The value in the old schema. `None` if the old schema does not have the property.
    pub old: Option<OwnedDoc>,
    /// The value in the new schema. `None` if the new schema does not have the property.
    pub new: Option<OwnedDoc>,
}

impl PropertyChange {
    /// Returns true if the new schema has an element that the old one does not have.
    #[must_use]
    pub fn is_added_field(&self) -> bool {
        self.property == Property::Field && self.new.is_some()
    }

    /// Returns true if the values of a map were added to its schema.
    #[must_use]
    pub fn is_added_values(&self) -> bool {
        self.is_added_field() && self.path.steps().last() == Some(&SchemaStep::Values)
    }

    /// Returns true if objects can have fields that they could not have before: one, or any.
    #[must_use]
    pub fn permits_new_fields(&self) -> bool {
        self.is_added_field() || (self.property == Property::UnknownFields && self.new.is_some())
    }

    /// Returns true if the new schema has a default, and the old one has none.
    #[must_use]
    pub fn is_added_default(&self) -> bool {
        self.property == Property::Default && self.old.is_none()
    }

    /// Returns the rules that only one of the schemas has.
    pub(super) fn rules_only_of(&self, side: Side) -> Vec<&str> {
        if self.property != Property::Rules {
            return Vec::new();
        }
        let (own, others) = match side {
            Side::Old => (&self.old, &self.new),
            Side::New => (&self.new, &self.old),
        };
        let rules = values(own.as_ref()).iter().filter(|rule| !values(others.as_ref()).contains(rule));
        rules.filter_map(Doc::as_str).collect()
    }

    /// Returns true if the old schema has an element that the new one does not have.
    #[must_use]
    pub fn is_removed_field(&self) -> bool {
        self.property == Property::Field && self.old.is_some()
    }
}

/// Returns the changes from one schema to another, sorted by path and property. An element that was added or removed is
/// one change, whatever it contains.
#[must_use]
pub fn changes(old: &BTreeMap<SchemaPath, Facts>, new: &BTreeMap<SchemaPath, Facts>) -> Vec<PropertyChange> {
    let mut changes = Vec::new();
    for (path, facts) in old {
        match new.get(path) {
            Some(new_facts) => changes.extend(changed_facts(path, facts, new_facts)),
            None => changes.extend(changed_field(path, new, Some(facts), None)),
        }
    }
    for (path, facts) in new.iter().filter(|(path, _)| !old.contains_key(path)) {
        changes.extend(changed_field(path, old, None, Some(facts)));
    }
    changes.sort_by(|a, b| (&a.path, a.property).cmp(&(&b.path, b.property)));
    changes
}

/// Returns the change of an element that only one of two schemas has. `other` is the schema that does not have it.
/// `None` if the element that contains it is missing, too.
fn changed_field(
    path: &SchemaPath,
    other: &BTreeMap<SchemaPath, Facts>,
    old: Option<&Facts>,
    new: Option<&Facts>,
) -> Option<PropertyChange> {
    let is_outermost = path.parent().is_some_and(|parent| other.contains_key(&parent));
    let type_of = |facts: Option<&Facts>| facts.and_then(|facts| facts.get(&Property::Type)).cloned();
    is_outermost.then(|| PropertyChange {
        path: path.clone(),
        property: Property::Field,
        old: type_of(old),
        new: type_of(new),
    })
}

fn changed_facts<'a>(
    path: &'a SchemaPath,
    old: &'a Facts,
    new: &'a Facts,
) -> impl Iterator<Item = PropertyChange> + 'a {
    let removed = old.keys().filter(|property| !new.contains_key(property));
    let properties = new.keys().chain(removed).filter(|property| old.get(property) != new.get(property));
    properties.map(|property| PropertyChange {
        path: path.clone(),
        property: *property,
        old: old.get(property).cloned(),
        new: new.get(property).cloned(),
    })
}
