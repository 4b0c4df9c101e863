//! The edits of an object against one error of a server.

use skewer_admission::Admission;
use skewer_admission::structural::{AdditionalProperties, NestedValidation, StructuralSchema};
use skewer_engine::{Doc, Error, FieldPath, OwnedDoc, PathSegment};

use super::obstacle::{failed_rule, schema_path_of};
use super::witness::{
    Budget, Objects, interleaved, literals_at, satisfying, schema_at, with_value, without_value,
};
use crate::effect::value_at;
use crate::sample::{Sampler, element, other_value, values_to_try};
use crate::schema_path::SchemaPath;

/// The number of values that are tried at one place.
const MAX_VALUES: usize = 24;

/// The number of absent fields that are tried in an object that is refused as a whole.
const MAX_ABSENT: usize = 8;

/// Returns objects that differ from a refused one in one place that an error is about, the likely ones first.
pub(super) fn edits_against(
    admission: &Admission,
    objects: &Objects,
    error: &Error,
    budget: &Budget,
) -> Vec<OwnedDoc> {
    let schema = &admission.version.schema;
    let object = &objects.new;
    if let Some((path, rule)) = failed_rule(schema, error) {
        // An error can be at a field of the value with the rule.
        let mut own = error.path().clone();
        while own.segments().len() > path.steps().len() {
            own.pop();
        }
        return satisfying(admission, objects, &own, &rule.rule, budget);
    }
    let at = schema_path_of(schema, error.path());
    let rules = element(schema, at.steps()).into_iter().flat_map(|schema| &schema.rules);
    // It can be a rule that cannot be evaluated: such an error does not say which.
    let mut edits: Vec<Vec<OwnedDoc>> =
        rules.map(|rule| satisfying(admission, objects, error.path(), &rule.rule, budget)).collect();
    let (places, literals) = places_of_keyword(schema, object, error.path());
    edits.extend(places.iter().map(|place| edits_at(admission, object, place, &literals)));
    interleaved(edits)
}

/// Returns the places that an error of a keyword is about, and the values that the keywords there name.
fn places_of_keyword(
    schema: &StructuralSchema,
    object: &OwnedDoc,
    path: &FieldPath,
) -> (Vec<FieldPath>, Vec<OwnedDoc>) {
    let mut places = vec![path.clone()];
    let mut literals = Vec::new();
    let own = schema_path_of(schema, path);
    let Some(own_schema) = element(schema, own.steps()) else { return (places, literals) };
    let validation = &own_schema.validation;
    let mut named = Vec::new();
    let not = validation.not.as_deref();
    for nested in validation.all_of.iter().chain(&validation.any_of).chain(&validation.one_of).chain(not) {
        collect_named(nested, &mut named, &mut literals);
    }
    // The keys of an item that occurs twice.
    let list = own.parent().and_then(|list| element(schema, list.steps()));
    let keys = list.map(|list| list.list_map_keys.as_slice()).unwrap_or_default();
    named.extend(keys.iter().cloned());
    if let Some(Doc::Map(map)) = value_at(object, path) {
        let other = |key: &String| other_value(own_schema.properties.get(key)?, map.get(key)?);
        literals.extend(keys.iter().filter_map(other));
        let absent = own_schema.properties.keys().filter(|name| !map.contains_key(name));
        named.extend(absent.take(MAX_ABSENT).cloned());
        named.retain(|name| own_schema.properties.contains_key(name));
        let mut known = std::collections::BTreeSet::new();
        named.retain(|name| known.insert(name.clone()));
        places.extend(named.into_iter().map(|name| {
            let mut place = path.clone();
            place.push(PathSegment::Key(name.into()));
            place
        }));
    }
    (places, literals)
}

/// Collects the fields and the values that a schema inside of a schema names.
fn collect_named(nested: &NestedValidation, names: &mut Vec<String>, values: &mut Vec<OwnedDoc>) {
    values.extend(nested.validation.enum_values.iter().cloned());
    names.extend(nested.validation.required.iter().cloned());
    let inner = &nested.validation;
    let not = inner.not.as_deref();
    for nested in inner.all_of.iter().chain(&inner.any_of).chain(&inner.one_of).chain(not) {
        collect_named(nested, names, values);
    }
    for (name, field) in &nested.properties {
        names.push(name.clone());
        collect_named(field, &mut Vec::new(), values);
    }
}

fn edits_at(
    admission: &Admission,
    object: &OwnedDoc,
    place: &FieldPath,
    literals: &[OwnedDoc],
) -> Vec<OwnedDoc> {
    let schema = &admission.version.schema;
    let Some(own) = schema_at(schema, place.segments()) else { return Vec::new() };
    let mut literals = literals.to_vec();
    // The rules of the value have to hold, too.
    literals.extend(literals_at(admission, place));
    let values = values_to_try(own, &literals).into_iter();
    let with = |value: OwnedDoc| with_value(schema, object, place, value);
    let Some(value) = value_at(object, place) else {
        return values.take(MAX_VALUES).filter_map(with).collect();
    };
    let removed = without_value(object, place);
    let resized = resized(own, value).into_iter().filter_map(with);
    let values = values.filter(|other| other != value).take(MAX_VALUES).filter_map(with);
    removed.into_iter().chain(resized).chain(values).collect()
}

/// Returns lists and maps of other sizes: a longer and a shorter one.
fn resized(schema: &StructuralSchema, value: &OwnedDoc) -> Vec<OwnedDoc> {
    match value {
        Doc::List(items) => {
            let sampled =
                Sampler::default().with_size(items.len() + 1).sample(schema, &[SchemaPath::default()]);
            let further = sampled.as_ref().and_then(|sampled| sampled.as_list()?.last());
            let longer = further.map(|further| Doc::List(items.iter().chain([further]).cloned().collect()));
            let shorter = items.split_last().map(|(_, rest)| Doc::List(rest.to_vec()));
            longer.into_iter().chain(shorter).collect()
        }
        Doc::Map(map) => {
            let Some(AdditionalProperties::Schema(values)) = &schema.additional_properties else {
                return Vec::new();
            };
            let with = |value| {
                let mut longer = map.clone();
                longer.insert(format!("key-{}", map.len()).into(), value);
                Doc::Map(longer)
            };
            Sampler::default().sample(values, &[]).map(with).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
