//! The titles of changes in reports.

use std::collections::BTreeMap;

use skewer_engine::{Doc, OwnedDoc};

use crate::change::PropertyChange;
use crate::facts::{Facts, Property, values};
use crate::schema_path::{SchemaPath, SchemaStep};
use crate::shorten::short;

/// Returns what reports say about the changes of a cause. `new` is the schema after them.
pub(super) fn title_of(changes: &[&PropertyChange], new: &BTreeMap<SchemaPath, Facts>) -> String {
    let is_required = |change: &PropertyChange| {
        new.get(&change.path).is_some_and(|facts| facts.contains_key(&Property::Required))
    };
    if let ([first, ..], Some(values)) = (changes, typed_values(changes, new))
        && first.property == Property::UnknownFields
    {
        return format!("any fields -> map of {values}");
    }
    match changes {
        [change] if change.is_added_field() && is_required(change) => "required field added".to_owned(),
        [first, ..] if matches!(first.property, Property::ListType | Property::ListMapKeys) => {
            list_title(changes)
        }
        [first, ..] if matches!(first.property, Property::UnknownFields | Property::Type) => {
            title_of_change(first)
        }
        _ => changes.iter().map(|change| title_of_change(change)).collect::<Vec<_>>().join(", "),
    }
}

/// Returns the type of the values of a map that had any fields before.
fn typed_values<'f>(changes: &[&PropertyChange], new: &'f BTreeMap<SchemaPath, Facts>) -> Option<&'f str> {
    let values = changes.iter().find(|change| change.is_added_values())?;
    new.get(&values.path)?.get(&Property::Type)?.as_str()
}

fn list_title(changes: &[&PropertyChange]) -> String {
    let list_type = |side: fn(&PropertyChange) -> Option<&OwnedDoc>| {
        let value = |property| changes.iter().find(|c| c.property == property).and_then(|c| side(c));
        let ty = value(Property::ListType).and_then(Doc::as_str);
        let keys: Vec<&str> = values(value(Property::ListMapKeys)).iter().filter_map(Doc::as_str).collect();
        match (ty, keys.is_empty()) {
            (None, true) => "atomic".to_owned(),
            (ty, true) => ty.unwrap_or("map").to_owned(),
            (ty, false) => format!("{}[{}]", ty.unwrap_or("map"), keys.join(",")),
        }
    };
    format!("list type {} -> {}", list_type(|c| c.old.as_ref()), list_type(|c| c.new.as_ref()))
}

fn title_of_change(change: &PropertyChange) -> String {
    let name = change.property.name();
    let is_field = matches!(change.path.steps().last(), Some(SchemaStep::Field(_)));
    let element = if is_field { "field" } else { "element" };
    match change.property {
        Property::Field if change.new.is_some() => format!("{element} added"),
        Property::Field => format!("{element} removed"),
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

fn enum_title(change: &PropertyChange) -> String {
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

fn rules_title(change: &PropertyChange) -> String {
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
