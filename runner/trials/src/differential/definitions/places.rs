//! The places of a definition that can be changed.

use serde_json::Value;

use crate::random_testing::Random;

/// A place of a definition.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A member, as a JSON pointer.
    At(&'static str),
    /// One of the versions.
    Version,
    /// The schema of a version.
    Root,
    /// Any schema, also inside `allOf` and the like.
    Schema,
    /// Any value of the specification and the metadata.
    Value,
}

/// The keywords with schemas, and how they have them.
const SCHEMAS: [(&str, bool); 8] = [
    ("properties", true),
    ("additionalProperties", false),
    ("items", false),
    ("not", false),
    ("allOf", true),
    ("anyOf", true),
    ("oneOf", true),
    ("definitions", true),
];

/// Returns a random place of a kind, if the definition has one.
pub(super) fn find<'d>(
    random: &mut Random,
    definition: &'d mut Value,
    place: Place,
) -> Option<&'d mut Value> {
    let pointer = match place {
        Place::At(pointer) => pointer.to_owned(),
        Place::Version => format!("/spec/versions/{}", version(random, definition)),
        Place::Root => root(version(random, definition)),
        Place::Schema => {
            let root = root(version(random, definition));
            let mut found = Vec::new();
            schemas(definition.pointer(&root)?, &root, &mut found);
            (!found.is_empty()).then(|| random.pick(&found).clone())?
        }
        Place::Value => {
            let mut found = Vec::new();
            for member in ["spec", "metadata"] {
                values(&definition[member], &format!("/{member}"), &mut found);
            }
            (!found.is_empty()).then(|| random.pick(&found).clone())?
        }
    };
    definition.pointer_mut(&pointer)
}

fn version(random: &mut Random, definition: &Value) -> usize {
    random.below(definition["spec"]["versions"].as_array().map_or(1, |versions| versions.len().max(1)))
}

fn root(version: usize) -> String {
    format!("/spec/versions/{version}/schema/openAPIV3Schema")
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn schemas(schema: &Value, pointer: &str, found: &mut Vec<String>) {
    if !schema.is_object() {
        return;
    }
    found.push(pointer.to_owned());
    for (key, has_several) in SCHEMAS {
        let pointer = format!("{pointer}/{key}");
        match &schema[key] {
            Value::Object(of) if has_several => {
                of.iter()
                    .for_each(|(name, inner)| schemas(inner, &format!("{pointer}/{}", escape(name)), found));
            }
            Value::Array(of) if has_several => {
                of.iter()
                    .enumerate()
                    .for_each(|(index, inner)| schemas(inner, &format!("{pointer}/{index}"), found));
            }
            inner => schemas(inner, &pointer, found),
        }
    }
}

fn values(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let mut add = |pointer: String, value: &Value| {
        found.push(pointer.clone());
        values(value, &pointer, found);
    };
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| add(format!("{pointer}/{}", escape(key)), value));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| add(format!("{pointer}/{index}"), value));
        }
        _ => {}
    }
}
