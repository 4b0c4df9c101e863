//! The objects of situations: which elements they have, and other forms of them.

use skewer_admission::structural::{NestedValidation, StructuralSchema, ValueType};
use skewer_engine::schema::ListType;
use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};

use super::explored::FieldFate;
use super::instance::{Wanted, concrete, with_value};
use super::search::{find_object, is_accepted};
use crate::cause::Cause;
use crate::change::PropertyChange;
use crate::effect::value_at;
use crate::facts::Property;
use crate::revision::{Revisions, Side};
use crate::sample;
use crate::schema_path::{SchemaPath, SchemaStep};

/// Returns an object of one side in whose list two items have the same keys, if the list can have such items there. `None` if
/// the change is not about the type of a list.
pub(super) fn with_repeated_item(
    revisions: &Revisions,
    side: Side,
    object: &OwnedDoc,
    cause: &Cause,
) -> Option<OwnedDoc> {
    if !cause.has(Property::ListType) && !cause.has(Property::ListMapKeys) {
        return None;
    }
    let path = concrete(object, cause.path.steps())?;
    // The keys of the side that can refuse the items.
    let keys = &sample::element(revisions.get(side.other()).schema(), cause.path.steps())?.list_map_keys;
    let items_schema = sample::element(revisions.get(side).schema(), cause.path.steps())?.items.as_deref()?;
    let items = value_at(object, &path)?.as_list()?;
    let first = items.first()?;
    let second = first.clone();
    // Where possible, the items differ in a field that is no key: a set can have such items. A key of both sides stays.
    let others = items_schema.properties.iter().filter(|(name, _)| !keys.contains(name));
    for (name, schema) in others {
        let value = first.as_map().and_then(|map| map.get(name)).unwrap_or(&Doc::Null);
        let Some(other) = sample::other_value(schema, value) else { continue };
        let mut changed = second.clone();
        if let Some(map) = changed.as_map_mut() {
            map.insert(name.clone().into(), other);
        }
        let repeated = with_value(object.clone(), &path, Doc::List(vec![first.clone(), changed]));
        if is_accepted(revisions, side, &repeated) {
            return Some(repeated);
        }
    }
    let repeated = with_value(object.clone(), &path, Doc::List(vec![first.clone(), second]));
    is_accepted(revisions, side, &repeated).then_some(repeated)
}

/// Returns true if a change is that equal items of a list are refused, which can have several.
pub(super) fn refuses_equal_items(revisions: &Revisions, cause: &Cause) -> bool {
    let element = |side| sample::element(revisions.get(side).schema(), cause.path.steps());
    let (Some(old), Some(new)) = (element(Side::Old), element(Side::New)) else { return false };
    let refuses = |schema: &StructuralSchema| {
        matches!(schema.list_type, Some(ListType::Set | ListType::Map)) || schema.validation.unique_items
    };
    cause.has(Property::ListType)
        && !refuses(old)
        && refuses(new)
        && old.validation.max_items.is_none_or(|most| most > 1)
}

/// Returns what a server with the old definition does with a field that is added.
pub(super) fn fate_on_old_server(revisions: &Revisions, cause: &Cause) -> FieldFate {
    let around = cause.path.parent();
    let around = around.and_then(|path| sample::element(revisions.old.schema(), path.steps()));
    let is_kept = cause.changes.iter().all(PropertyChange::is_added_field)
        && around.is_some_and(|schema| schema.preserve_unknown_fields);
    if is_kept { FieldFate::Kept } else { FieldFate::Dropped }
}

/// Returns an object that has another field beside a value whose default changed: without the value, something is left for the
/// server to complete. `None` if the change is about something else, or if there is no such object.
pub(super) fn with_another_field(revisions: &Revisions, cause: &Cause) -> Option<OwnedDoc> {
    let schema = sample::element(revisions.old.schema(), cause.path.parent()?.steps())?;
    let find = |other: SchemaPath| {
        find_object(revisions, Side::Old, &[(cause.path.clone(), None), (other, None)], &[]).ok()
    };
    let names = schema.properties.keys().map(String::as_str);
    cause.fields_beside_default(names).into_iter().find_map(find)
}

/// Returns objects that have two fields in the changed object, so that two managers can own one each: an optional field, and
/// another one if there is one. Each object has another optional field. There are none if the change is not about the type of
/// a map.
pub(super) fn with_two_fields<'r>(
    revisions: &'r Revisions,
    cause: &'r Cause,
) -> impl Iterator<Item = OwnedDoc> + use<'r> {
    /// The most optional fields that are tried.
    const MAX_FIELDS: usize = 6;
    /// The most fields that are tried beside an optional one. An object cannot always have both.
    const MAX_OTHERS: usize = 3;
    let schema = cause.has(Property::MapType).then_some(revisions.old.schema());
    let schema = schema.and_then(|schema| sample::element(schema, cause.path.steps()));
    let find = |names: Vec<&String>| {
        let paths = names.into_iter().map(|name| cause.path.child(SchemaStep::Field(name.clone())));
        let wanted: Vec<Wanted> = paths.map(|path| (path, None)).collect();
        find_object(revisions, Side::Old, &wanted, &[]).ok()
    };
    schema.into_iter().flat_map(move |schema| {
        let is_optional = |name: &&String| !schema.validation.required.contains(*name);
        let optional = schema.properties.keys().filter(is_optional).take(MAX_FIELDS);
        optional.filter_map(move |optional| {
            let others = schema.properties.keys().filter(|other| *other != optional).take(MAX_OTHERS);
            others.map(|other| vec![optional, other]).chain([vec![optional]]).find_map(find)
        })
    })
}

/// Returns true if two managers can own a part each of the changed element: one of a list, of a map, or of an object with an
/// optional field, that is not in an atomic list or map.
pub(super) fn can_be_shared(schema: &StructuralSchema, path: &SchemaPath) -> bool {
    let is_atomic = |schema: &StructuralSchema| match schema.ty {
        Some(ValueType::Array) => schema.list_type.is_none_or(|ty| ty.name() == "atomic"),
        _ => schema.map_type.is_some_and(|ty| ty.name() == "atomic"),
    };
    let mut parent = path.parent();
    while let Some(at) = parent {
        if sample::element(schema, at.steps()).is_none_or(is_atomic) {
            return false;
        }
        parent = at.parent();
    }
    sample::element(schema, path.steps()).is_some_and(|schema| {
        let is_optional = |name: &String| !schema.validation.required.contains(name);
        schema.ty == Some(ValueType::Array)
            || schema.additional_properties.is_some()
            || schema.properties.keys().any(is_optional)
    })
}

/// Returns an object without the fields that the alternatives of `oneOf` or `anyOf` list, but with a new field beside them.
/// `None` unless all fields of before are listed, and the new one is not: it looks like one more of them.
pub(super) fn with_only_the_new_field(
    revisions: &Revisions,
    object: &OwnedDoc,
    cause: &Cause,
) -> Option<OwnedDoc> {
    let [change] = cause.changes.as_slice() else { return None };
    let (parent, name) = (cause.path.parent()?, cause.path.field_name()?);
    let schema = sample::element(revisions.new.schema(), parent.steps())?;
    let is_list_of_fields = |alternatives: &&Vec<NestedValidation>| {
        let listed = |name: &str| {
            alternatives.iter().any(|nested| nested.validation.required.iter().any(|field| field == name))
        };
        let others = || schema.properties.keys().filter(|field| *field != name);
        change.is_added_field()
            && others().count() > 1
            && others().all(|field| listed(field))
            && !listed(name)
    };
    let alternatives = [&schema.validation.one_of, &schema.validation.any_of];
    alternatives.into_iter().find(is_list_of_fields)?;
    let path = concrete(object, parent.steps())?;
    let value = value_at(object, &path)?.as_map()?.get(name)?.clone();
    let mut only = OwnedMap::new();
    only.insert(Text::from(name).to_static(), value);
    Some(with_value(object.clone(), &path, Doc::Map(only)))
}

/// Returns the elements that an object of one side must have: the changed element, or what contains it if the side does
/// not have it. An object with a union also has the member that the side knows, and the value that selects it.
pub(super) fn wanted_elements(revisions: &Revisions, cause: &Cause, side: Side) -> Vec<Wanted> {
    let schema = revisions.get(side).schema();
    let exists = |path: &SchemaPath| sample::element(schema, path.steps()).is_some();
    if let Some(union) = &cause.union_member {
        let (member, value) = match side {
            Side::New => (Some(&cause.path), &union.value),
            Side::Old => (union.other.as_ref(), &union.other_value),
        };
        let selected = (!value.is_null()).then(|| value.clone());
        let wanted: Vec<Wanted> = member
            .map(|path| (path.clone(), None))
            .into_iter()
            .chain(union.discriminator.clone().map(|path| (path, selected)))
            .filter(|(path, _)| exists(path))
            .collect();
        if !wanted.is_empty() {
            return wanted;
        }
    }
    let mut path = cause.path.clone();
    while !exists(&path) {
        path = path.parent().unwrap_or_default();
    }
    // The fields that an object has where it kept unknown fields before.
    let added =
        cause.changes.iter().filter(|change| cause.has(Property::UnknownFields) && change.is_added_field());
    let added: Vec<Wanted> =
        added.map(|change| (change.path.clone(), None)).filter(|(path, _)| exists(path)).collect();
    if !added.is_empty() {
        return added;
    }
    let is_nullable = sample::element(schema, path.steps()).is_some_and(|schema| schema.nullable);
    let is_null = cause.has(Property::Nullable) && is_nullable && path == cause.path;
    vec![(path, is_null.then_some(Doc::Null))]
}

/// Returns the elements that an object of one of two versions of a definition must have: a renamed field has its name
/// in that version.
pub(super) fn wanted_in_version(revisions: &Revisions, cause: &Cause, side: Side) -> Vec<Wanted> {
    if let (Side::New, Some(name)) = (side, cause.guessed_name()) {
        return vec![(name.clone(), None)];
    }
    if cause.renamed.is_empty() {
        return wanted_elements(revisions, cause, side);
    }
    let fields = cause.renamed.iter().map(|rename| match side {
        Side::Old => rename.from.clone(),
        Side::New => rename.to.clone(),
    });
    fields.map(|path| (path, None)).collect()
}
