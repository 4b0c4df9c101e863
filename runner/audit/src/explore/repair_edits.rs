//! The edits of an object against one error of a server.

use skewer_admission::structural::{AdditionalProperties, NestedValidation, StructuralSchema, ValueType};
use skewer_engine::{Doc, Error, FieldPath, OwnedDoc, PathSegment};

use super::obstacle::{failed_rule, schema_path_of};
use super::rule::{elements_of_rule, literals_of_rule};
use crate::effect::{value_at, value_at_mut};
use crate::sample::{Sampler, element, values_to_try};
use crate::schema_path::{SchemaPath, SchemaStep};

/// The number of values that are tried at one place.
const MAX_VALUES: usize = 24;

/// The number of items or values of a list or map in which an element is looked for.
const MAX_INSTANCES: usize = 3;

/// The number of absent fields that are tried in an object that is refused as a whole.
const MAX_ABSENT: usize = 8;

/// A place of an object where it is edited.
struct Place {
    /// The path of a value, or of one that could be added.
    path: FieldPath,
    /// The element inside of an added value that is wanted.
    rest: Vec<SchemaStep>,
}

/// Returns objects that differ from a refused one in one place that an error is about, the likely ones first.
pub(super) fn edits_against(schema: &StructuralSchema, object: &OwnedDoc, error: &Error) -> Vec<OwnedDoc> {
    let (places, literals) = if let Some((path, rule)) = failed_rule(schema, error) {
        (places_of_rule(schema, object, error, &path, &rule.rule), literals_of_rule(&rule.rule))
    } else {
        let (mut places, mut literals) = places_of_keyword(schema, object, error.path());
        // It can be a rule that cannot be evaluated: such an error does not say which.
        let at = schema_path_of(schema, error.path());
        for rule in element(schema, at.steps()).into_iter().flat_map(|schema| &schema.rules) {
            places.extend(places_of_rule(schema, object, error, &at, &rule.rule));
            literals.extend(literals_of_rule(&rule.rule));
        }
        (places, literals)
    };
    let edits = places.iter().map(|place| edits_at(schema, object, place, &literals)).collect();
    interleaved(edits)
}

/// Returns the first members of all lists, then the second ones, and so on.
fn interleaved(lists: Vec<Vec<OwnedDoc>>) -> Vec<OwnedDoc> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}

fn places_of_rule(
    schema: &StructuralSchema,
    object: &OwnedDoc,
    error: &Error,
    at: &SchemaPath,
    rule: &str,
) -> Vec<Place> {
    // An error can be at a field of the value with the rule.
    let mut own = error.path().clone();
    while own.segments().len() > at.steps().len() {
        own.pop();
    }
    let Some(value) = value_at(object, &own) else { return Vec::new() };
    let mut elements = elements_of_rule(schema, at, rule);
    if rule.contains("metadata.name") && at.steps().is_empty() {
        elements
            .push(["metadata", "name"].map(|name| SchemaStep::Field(name.to_owned())).into_iter().collect());
    }
    elements.sort();
    elements.dedup();
    let inside = elements.iter().map(|element| &element.steps()[at.steps().len()..]);
    let mut places: Vec<Place> = inside.flat_map(|steps| places_in(value, &own, steps)).collect();
    places.push(Place { path: own, rest: Vec::new() });
    places
}

/// Returns the places of an element in a value. Where the value does not have it, the place is the first absent one.
fn places_in(value: &OwnedDoc, path: &FieldPath, steps: &[SchemaStep]) -> Vec<Place> {
    let Some((step, rest)) = steps.split_first() else {
        return vec![Place { path: path.clone(), rest: Vec::new() }];
    };
    match (step, value) {
        (SchemaStep::Field(name), Doc::Map(map)) => {
            let path = below(path, PathSegment::Key(name.clone().into()));
            match map.get(name) {
                Some(inner) => places_in(inner, &path, rest),
                None => vec![Place { path, rest: rest.to_vec() }],
            }
        }
        (SchemaStep::Items, Doc::List(items)) => {
            let items = items.iter().take(MAX_INSTANCES).enumerate();
            items.flat_map(|(at, item)| places_in(item, &below(path, PathSegment::Index(at)), rest)).collect()
        }
        (SchemaStep::Values, Doc::Map(map)) => {
            let values = map.iter().take(MAX_INSTANCES);
            let below = |key: &skewer_engine::Text<'_>| below(path, PathSegment::Key(key.to_static()));
            values.flat_map(|(key, value)| places_in(value, &below(key), rest)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the places that an error of a keyword is about, and the values that the keywords there name.
fn places_of_keyword(
    schema: &StructuralSchema,
    object: &OwnedDoc,
    path: &FieldPath,
) -> (Vec<Place>, Vec<OwnedDoc>) {
    let here = |path: FieldPath| Place { path, rest: Vec::new() };
    let mut places = vec![here(path.clone())];
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
    named.extend(list.into_iter().flat_map(|list| list.list_map_keys.iter().cloned()));
    if let Some(Doc::Map(map)) = value_at(object, path) {
        let absent = own_schema.properties.keys().filter(|name| !map.contains_key(name));
        named.extend(absent.take(MAX_ABSENT).cloned());
        named.retain(|name| own_schema.properties.contains_key(name));
        let mut known = std::collections::BTreeSet::new();
        named.retain(|name| known.insert(name.clone()));
        places.extend(named.into_iter().map(|name| here(below(path, PathSegment::Key(name.into())))));
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
    schema: &StructuralSchema,
    object: &OwnedDoc,
    place: &Place,
    literals: &[OwnedDoc],
) -> Vec<OwnedDoc> {
    let mut text = StructuralSchema::default();
    text.ty = Some(ValueType::String);
    let path = schema_path_of(schema, &place.path);
    let own = match place.path.segments() {
        segments if segments.len() == path.steps().len() => element(schema, path.steps()),
        // The schema of a definition does not have to declare the metadata.
        [PathSegment::Key(first), PathSegment::Key(second)]
            if first.as_str() == "metadata" && second.as_str() == "name" =>
        {
            Some(&text)
        }
        _ => None,
    };
    let Some(own) = own else { return Vec::new() };
    // The other rules of the value have to hold, too.
    let of_rules = own.rules.iter().flat_map(|rule| literals_of_rule(&rule.rule));
    let mut literals = literals.to_vec();
    literals.extend(of_rules.filter(|literal| !literals.contains(literal)).collect::<Vec<_>>());
    let literals = &literals[..];
    let with = |value: OwnedDoc| with_value_at(object, &place.path, Some(value));
    let Some(value) = value_at(object, &place.path) else {
        return added_values(own, &place.rest, literals).into_iter().filter_map(with).collect();
    };
    let removed = with_value_at(object, &place.path, None);
    let resized = resized(own, value, literals).into_iter().filter_map(with);
    let values = values_to_try(own, literals).into_iter().filter(|other| other != value);
    removed.into_iter().chain(resized).chain(values.take(MAX_VALUES).filter_map(with)).collect()
}

fn added_values(schema: &StructuralSchema, rest: &[SchemaStep], literals: &[OwnedDoc]) -> Vec<OwnedDoc> {
    if rest.is_empty() {
        return values_to_try(schema, literals).into_iter().take(MAX_VALUES).collect();
    }
    let wanted: SchemaPath = rest.iter().cloned().collect();
    let mut sampler = Sampler::default().with_literals(literals.to_vec()).with_invalid_scalars();
    let mut values = Vec::new();
    for _ in 0..MAX_VALUES {
        values.extend(sampler.sample(schema, std::slice::from_ref(&wanted)));
        if !sampler.next_combination() {
            break;
        }
    }
    values
}

/// Returns lists and maps of other sizes: longer and shorter ones. A rule often names the keys of a map with their values.
fn resized(schema: &StructuralSchema, value: &OwnedDoc, literals: &[OwnedDoc]) -> Vec<OwnedDoc> {
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
            let keys = literals.iter().filter_map(Doc::as_str).map(str::to_owned);
            let next = format!("key-{}", map.len());
            let longer = keys.chain([next]).filter(|key| !map.contains_key(key)).flat_map(|key| {
                let sampled = Sampler::default().sample(values, &[]);
                let named = values_to_try(values, literals).into_iter().filter(|it| literals.contains(it));
                let with = move |value: OwnedDoc| {
                    let mut longer = map.clone();
                    longer.insert(key.clone().into(), value);
                    Doc::Map(longer)
                };
                sampled.into_iter().chain(named).map(with)
            });
            longer.take(MAX_VALUES).collect()
        }
        _ => Vec::new(),
    }
}

fn below(path: &FieldPath, segment: PathSegment) -> FieldPath {
    let mut path = path.clone();
    path.push(segment);
    path
}

/// Returns an object with another value at a path, or without one. `None` if nothing contains the path.
fn with_value_at(object: &OwnedDoc, path: &FieldPath, value: Option<OwnedDoc>) -> Option<OwnedDoc> {
    let (last, parents) = path.segments().split_last()?;
    let mut changed = object.clone();
    let parent = value_at_mut(&mut changed, parents)?;
    match (last, parent, value) {
        (PathSegment::Key(key), Doc::Map(map), Some(value)) => drop(map.insert(key.clone(), value)),
        (PathSegment::Key(key), Doc::Map(map), None) => drop(map.remove(key)?),
        (PathSegment::Index(index), Doc::List(items), Some(value)) => *items.get_mut(*index)? = value,
        (PathSegment::Index(index), Doc::List(items), None) if *index < items.len() => {
            drop(items.remove(*index));
        }
        _ => return None,
    }
    Some(changed)
}
