//! The objects of situations: the smallest ones that a server accepts.

use skewer_admission::structural::NestedValidation;
use skewer_engine::{Doc, FieldPath, OwnedDoc, OwnedMap, PathSegment, Text};
use skewer_skew::FinalState;

use super::rule::{elements_of_rules, literals_of_rules};
use crate::cause::Cause;
use crate::effect::value_at;
use crate::facts::Property;
use crate::revision::{Revisions, Side};
use crate::sample::{self, MAX_TRIED, Sampler};
use crate::schema_path::{SchemaPath, SchemaStep};
use crate::situation::SkewSituation;

/// Returns an object without the changed element, if its absence matters: the element became required, or has another
/// default.
pub(super) fn object_without(revisions: &Revisions, cause: &Cause) -> Option<OwnedDoc> {
    let change = &cause.changes[0];
    if !matches!(change.property, Property::Required | Property::Default) {
        return None;
    }
    let mut parent = cause.path.parent()?;
    while sample::element(revisions.old.schema(), parent.steps()).is_none() {
        parent = parent.parent()?;
    }
    let identified = |object| with_identity(revisions, object);
    // The element can be in a list without items, or in an object without fields.
    let mut sampler = Sampler::default();
    for _ in 0..MAX_TRIED {
        let sample = sampler.sample(revisions.old.schema(), std::slice::from_ref(&parent)).map(identified);
        let is_found = |object: &OwnedDoc| {
            concrete(object, parent.steps()).is_some()
                && concrete(object, cause.path.steps()).is_none()
                && is_accepted(revisions, Side::Old, object)
        };
        if let Some(object) = sample.filter(is_found) {
            return Some(object);
        }
        if !sampler.next_combination() {
            break;
        }
    }
    None
}

/// Returns an object in whose list two items have the same keys, if the list can have such items. `None` if the change is
/// not about the type of a list.
pub(super) fn with_repeated_item(
    revisions: &Revisions,
    object: &OwnedDoc,
    cause: &Cause,
) -> Option<OwnedDoc> {
    if !cause.has(Property::ListType) && !cause.has(Property::ListMapKeys) {
        return None;
    }
    let path = concrete(object, cause.path.steps())?;
    let keys = &sample::element(revisions.new.schema(), cause.path.steps())?.list_map_keys;
    let items_schema = sample::element(revisions.old.schema(), cause.path.steps())?.items.as_deref()?;
    let items = value_at(object, &path)?.as_list()?;
    let first = items.first()?;
    let mut second = first.clone();
    // Where possible, the items differ in a field that is no key: a set can have such items.
    let others = items_schema.properties.iter().filter(|(name, _)| !keys.contains(name));
    for (name, schema) in others {
        let value = first.as_map().and_then(|map| map.get(name)).unwrap_or(&Doc::Null);
        if let (Some(other), Some(map)) = (sample::other_value(schema, value), second.as_map_mut()) {
            map.insert(name.clone().into(), other);
            break;
        }
    }
    let repeated = with_value(object.clone(), &path, Doc::List(vec![first.clone(), second]));
    is_accepted(revisions, Side::Old, &repeated).then_some(repeated)
}

/// Returns an object that has two fields in the changed object, so that two managers can own one each. `None` if the change
/// is not about the type of a map.
pub(super) fn with_two_fields(revisions: &Revisions, cause: &Cause) -> Option<OwnedDoc> {
    if !cause.has(Property::MapType) {
        return None;
    }
    let schema = sample::element(revisions.old.schema(), cause.path.steps())?;
    let fields = schema.properties.keys().map(|name| cause.path.child(SchemaStep::Field(name.clone())));
    let wanted: Vec<Wanted> = fields.take(2).map(|path| (path, None)).collect();
    if wanted.len() < 2 {
        return None;
    }
    find_object(revisions, Side::Old, &wanted)
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

/// An element that an object must have, with its value if that matters.
pub(super) type Wanted = (SchemaPath, Option<OwnedDoc>);

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
    if cause.renamed.is_empty() {
        return wanted_elements(revisions, cause, side);
    }
    let fields = cause.renamed.iter().map(|rename| match side {
        Side::Old => rename.from.clone(),
        Side::New => rename.to.clone(),
    });
    fields.map(|path| (path, None)).collect()
}

/// Returns an object that the server stores before the change and refuses after it, found by trying random values in the
/// elements that the changed rules are about.
pub(super) fn find_refused_object(revisions: &Revisions, cause: &Cause) -> Option<OwnedDoc> {
    /// The number of random objects. Rules about two fields need a few dozen.
    const RANDOM: u64 = 400;
    let schema = revisions.old.schema();
    let (elements, literals) = (elements_of_rules(schema, cause), literals_of_rules(cause));
    let identified = |object| with_identity(revisions, object);
    let is_refused = |object: &OwnedDoc| {
        is_accepted(revisions, Side::Old, object) && !is_accepted(revisions, Side::New, object)
    };
    (1..=RANDOM).find_map(|seed| {
        let mut sampler = Sampler::random(seed).with_literals(literals.clone());
        let mut wanted = elements.clone();
        wanted.retain(|_| sampler.choose(4) > 0);
        wanted.push(cause.path.clone());
        sampler.sample(schema, &wanted).map(identified).filter(is_refused)
    })
}

/// Returns an object with these elements that a server of one side stores. An object that the other side refuses comes
/// first; among those, and without one, the smallest.
pub(super) fn find_object(revisions: &Revisions, side: Side, wanted: &[Wanted]) -> Option<OwnedDoc> {
    let paths: Vec<SchemaPath> = wanted.iter().map(|(path, _)| path.clone()).collect();
    let values = wanted.iter().filter_map(|(path, value)| Some((path, value.as_ref()?)));
    let values: Vec<(&SchemaPath, &OwnedDoc)> = values.collect();
    let other = if side == Side::Old { Side::New } else { Side::Old };
    let revision = revisions.get(side);
    let mut sampler = Sampler::default();
    let mut smallest = None;
    let identified = |object| with_identity(revisions, object);
    for _ in 0..MAX_TRIED {
        let sample = sampler.sample(revision.schema(), &paths).map(|object| with_values(object, &values));
        if let Some(object) = sample.map(identified)
            && is_accepted(revisions, side, &object)
        {
            if !is_accepted(revisions, other, &object) {
                return Some(object);
            }
            smallest = smallest.or(Some(object));
        }
        if !sampler.next_combination() {
            break;
        }
    }
    smallest
}

/// Returns true if a server of one side creates an object, and stores the status that a controller writes.
fn is_accepted(revisions: &Revisions, side: Side, object: &OwnedDoc) -> bool {
    let is_stored = |situation: SkewSituation| {
        let happened = situation.run(revisions);
        matches!(happened.map(|happened| happened.final_state), Ok(FinalState::Stored(_)))
    };
    let creation = SkewSituation::creation(object.clone(), side);
    let status = creation.writing_status(revisions);
    is_stored(creation) && status.is_none_or(is_stored)
}

/// Sets the values of elements that an object has.
pub(super) fn with_values(mut object: OwnedDoc, values: &[(&SchemaPath, &OwnedDoc)]) -> OwnedDoc {
    for (path, value) in values {
        let Some(path) = concrete(&object, path.steps()) else { continue };
        object = with_value(object, &path, (*value).clone());
    }
    object
}

fn with_value(mut object: OwnedDoc, path: &FieldPath, value: OwnedDoc) -> OwnedDoc {
    let place = path.segments().iter().try_fold(&mut object, |value, segment| match segment {
        PathSegment::Key(key) => value.as_map_mut()?.get_mut(key),
        PathSegment::Index(index) => value.as_list_mut()?.get_mut(*index),
    });
    if let Some(place) = place {
        *place = value;
    }
    object
}

/// Adds the name that every object has.
fn with_identity(revisions: &Revisions, mut object: OwnedDoc) -> OwnedDoc {
    if !revisions.old.is_object {
        return object;
    }
    if let Some(map) = object.as_map_mut() {
        let mut metadata = OwnedMap::new();
        metadata.insert(Text::from_static("name"), Doc::from("example"));
        map.insert(Text::from_static("metadata"), Doc::Map(metadata));
    }
    object
}

/// Returns the first path in an object that is an instance of a schema path. Not every item of a list has every field.
pub(super) fn concrete(object: &OwnedDoc, steps: &[SchemaStep]) -> Option<FieldPath> {
    fn find(value: &OwnedDoc, steps: &[SchemaStep], path: &mut FieldPath) -> bool {
        let Some((step, rest)) = steps.split_first() else { return true };
        let mut descend = |segment: PathSegment, inner: &OwnedDoc| {
            path.push(segment);
            let is_found = find(inner, rest, path);
            if !is_found {
                path.pop();
            }
            is_found
        };
        match (step, value) {
            (SchemaStep::Field(name), Doc::Map(map)) => {
                map.get(name).is_some_and(|inner| descend(PathSegment::Key(name.clone().into()), inner))
            }
            (SchemaStep::Items, Doc::List(items)) => {
                items.iter().enumerate().any(|(index, item)| descend(PathSegment::Index(index), item))
            }
            (SchemaStep::Values, Doc::Map(map)) => {
                map.iter().any(|(key, inner)| descend(PathSegment::Key(key.clone()), inner))
            }
            _ => false,
        }
    }
    let mut path = FieldPath::root();
    find(object, steps, &mut path).then_some(path)
}
