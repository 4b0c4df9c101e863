//! A definition with only some of the changes of another one.
//!
//! A finding is attributed to its cause by running the situation with the old definition and only this change. The
//! smallest object then shows the effect of one change.

use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};

use super::cause::Cause;
use super::change::PropertyChange;
use super::facts::Property;
use super::schema_path::SchemaStep;

/// Returns an old version (an item of `spec.versions`) with the changes of a cause.
#[must_use]
pub fn with_changes(old: &OwnedDoc, new: &OwnedDoc, cause: &Cause) -> OwnedDoc {
    let mut version = old.clone();
    for change in &cause.changes {
        match change.property {
            Property::StatusSubresource | Property::ScaleSubresource => {
                copy_keywords(&["subresources"], Some(&mut version), Some(new));
            }
            Property::Served => copy_keywords(&["served"], Some(&mut version), Some(new)),
            _ => {
                if let (Some(schema), Some(new)) = (schema_mut(&mut version), schema(new)) {
                    apply(change, cause, schema, new);
                }
            }
        }
    }
    version
}

fn schema(version: &OwnedDoc) -> Option<&OwnedDoc> {
    version.as_map()?.get("schema")?.as_map()?.get("openAPIV3Schema")
}

fn schema_mut(version: &mut OwnedDoc) -> Option<&mut OwnedDoc> {
    version.as_map_mut()?.get_mut("schema")?.as_map_mut()?.get_mut("openAPIV3Schema")
}

fn apply(change: &PropertyChange, cause: &Cause, schema: &mut OwnedDoc, new: &OwnedDoc) {
    let steps = change.path.steps();
    if change.property == Property::Default && change.path != cause.path {
        let inner = &cause.path.steps()[steps.len()..];
        return copy_member_of_default(inner, element_mut(schema, steps), element(new, steps));
    }
    let Some((last, parent_steps)) = steps.split_last() else {
        return copy_keywords(&keywords(change.property), Some(schema), Some(new));
    };
    match change.property {
        Property::Field | Property::Type => {
            let new_parent = element(new, parent_steps);
            copy_element(last, element_mut(schema, parent_steps), new_parent);
            copy_required(last, element_mut(schema, parent_steps), new_parent);
        }
        Property::Required => {
            copy_required(last, element_mut(schema, parent_steps), element(new, parent_steps));
        }
        property => copy_keywords(&keywords(property), element_mut(schema, steps), element(new, steps)),
    }
}

fn keywords(property: Property) -> Vec<&'static str> {
    let keyword = match property {
        // The first are handled apart. The last three are not part of definitions.
        Property::Field
        | Property::Type
        | Property::Required
        | Property::StatusSubresource
        | Property::ScaleSubresource
        | Property::Served
        | Property::PatchStrategy
        | Property::PatchDirectives
        | Property::MergeKey => return Vec::new(),
        Property::Nullable => "nullable",
        Property::Default => "default",
        Property::Enum => "enum",
        Property::Pattern => "pattern",
        Property::Format => "format",
        Property::UnknownFields => "x-kubernetes-preserve-unknown-fields",
        Property::EmbeddedResource => "x-kubernetes-embedded-resource",
        Property::ListType | Property::ListMapKeys => {
            return vec!["x-kubernetes-list-type", "x-kubernetes-list-map-keys"];
        }
        Property::MapType => "x-kubernetes-map-type",
        Property::Rules => "x-kubernetes-validations",
        Property::Bound("exclusiveMaximum") => return vec!["exclusiveMaximum", "maximum"],
        Property::Bound("exclusiveMinimum") => return vec!["exclusiveMinimum", "minimum"],
        Property::Bound(keyword) | Property::Alternatives(keyword) => keyword,
    };
    vec![keyword]
}

fn copy_keywords(keywords: &[&'static str], to: Option<&mut OwnedDoc>, from: Option<&OwnedDoc>) {
    let (Some(Doc::Map(to)), Some(Doc::Map(from))) = (to, from) else { return };
    for keyword in keywords {
        match from.get(keyword) {
            Some(value) => drop(to.insert(Text::from_static(keyword), value.clone())),
            None => drop(to.remove(keyword)),
        }
    }
}

/// Copies what the default of an object says about an element in it.
fn copy_member_of_default(steps: &[SchemaStep], to: Option<&mut OwnedDoc>, from: Option<&OwnedDoc>) {
    const DEFAULT: &str = "default";
    let (Some(Doc::Map(to)), Some(from)) = (to, from.and_then(Doc::as_map)) else { return };
    let (Some(mut to), Some(mut from)) = (to.get_mut(DEFAULT), from.get(DEFAULT)) else { return };
    let Some((SchemaStep::Field(last), steps)) = steps.split_last() else { return };
    for step in steps {
        let SchemaStep::Field(name) = step else { return };
        let inner =
            (to.as_map_mut().and_then(|map| map.get_mut(name)), from.as_map().and_then(|map| map.get(name)));
        let (Some(inner_to), Some(inner_from)) = inner else { return };
        (to, from) = (inner_to, inner_from);
    }
    let (Some(to), Some(from)) = (to.as_map_mut(), from.as_map()) else { return };
    match from.get(last) {
        Some(value) => drop(to.insert(Text::from(last.as_str()), value.clone())),
        None => drop(to.remove(last)),
    }
}

/// Returns the keyword under which a schema has an element, and the name of the field.
fn place_of(step: &SchemaStep) -> (&'static str, Option<&str>) {
    match step {
        SchemaStep::Field(name) => ("properties", Some(name)),
        SchemaStep::Items => ("items", None),
        SchemaStep::Values => ("additionalProperties", None),
    }
}

fn copy_element(step: &SchemaStep, to: Option<&mut OwnedDoc>, from: Option<&OwnedDoc>) {
    let (Some(Doc::Map(to)), Some(Doc::Map(from))) = (to, from) else { return };
    let (keyword, name) = place_of(step);
    let Some(name) = name else {
        return match from.get(keyword) {
            Some(value) => drop(to.insert(Text::from_static(keyword), value.clone())),
            None => drop(to.remove(keyword)),
        };
    };
    if !to.contains_key(keyword) {
        to.insert(Text::from_static(keyword), Doc::Map(Map::new()));
    }
    let value = from.get(keyword).and_then(Doc::as_map).and_then(|fields| fields.get(name));
    let Some(Doc::Map(fields)) = to.get_mut(keyword) else { return };
    match value {
        Some(value) => drop(fields.insert(Text::from(name), value.clone())),
        None => drop(fields.remove(name)),
    }
}

/// Makes a field required, or optional, as in another schema.
fn copy_required(step: &SchemaStep, to: Option<&mut OwnedDoc>, from: Option<&OwnedDoc>) {
    const REQUIRED: &str = "required";
    let (Some(Doc::Map(to)), Some(Doc::Map(from)), SchemaStep::Field(name)) = (to, from, step) else {
        return;
    };
    let list = |schema: &OwnedMap| -> Vec<OwnedDoc> {
        schema.get(REQUIRED).and_then(Doc::as_list).unwrap_or_default().to_vec()
    };
    let is_required = list(from).iter().any(|field| field.as_str() == Some(name));
    let mut required = list(to);
    required.retain(|field| field.as_str() != Some(name));
    if is_required {
        required.push(Doc::from(name.clone()));
    }
    if required.is_empty() {
        to.remove(REQUIRED);
    } else {
        to.insert(Text::from_static(REQUIRED), Doc::List(required));
    }
}

/// Returns the schema of an element.
#[must_use]
pub fn element<'d>(schema: &'d OwnedDoc, steps: &[SchemaStep]) -> Option<&'d OwnedDoc> {
    steps.iter().try_fold(schema, |schema, step| {
        let (keyword, name) = place_of(step);
        let found = schema.as_map()?.get(keyword)?;
        name.map_or(Some(found), |name| found.as_map()?.get(name))
    })
}

fn element_mut<'d>(schema: &'d mut OwnedDoc, steps: &[SchemaStep]) -> Option<&'d mut OwnedDoc> {
    steps.iter().try_fold(schema, |schema, step| {
        let (keyword, name) = place_of(step);
        let found = schema.as_map_mut()?.get_mut(keyword)?;
        match name {
            Some(name) => found.as_map_mut()?.get_mut(name),
            None => Some(found),
        }
    })
}
