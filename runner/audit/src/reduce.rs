//! A version of a definition without what no object of an audit has.
//!
//! The objects of an audit have the elements that changed, and beside them only what must be there. What other elements can
//! contain makes no difference, but a server compiles it: for each change of a large definition again.

use std::collections::BTreeSet;

use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};

use super::cause::Cause;
use super::isolate::element;
use super::schema_path::{SchemaPath, SchemaStep};

/// Returns a version (an item of `spec.versions`) in which elements beside those of a cause contain only fields that they
/// must have, or that something refers to: a rule, a default, an alternative, a key of a list, or a path outside of the
/// schema.
pub(crate) fn reduced(version: &OwnedDoc, cause: &Cause) -> OwnedDoc {
    let Some(version) = version.as_map() else { return version.clone() };
    let mut words = BTreeSet::new();
    for (_, value) in version.iter() {
        collect_words(value, false, &mut words);
    }
    let schema = version.get("schema").and_then(|schema| schema.as_map()?.get("openAPIV3Schema"));
    let reducer = Reducer { elements: elements(cause, schema), words };
    let entries = version.iter().map(|(key, value)| match (key.as_str(), value.as_map()) {
        ("schema", Some(schema)) => {
            let of_schema = |value: &OwnedDoc| reducer.schema(value, &SchemaPath::default());
            (
                key.clone(),
                Doc::Map(schema.iter().map(|(key, value)| (key.clone(), of_schema(value))).collect()),
            )
        }
        _ => (key.clone(), value.clone()),
    });
    Doc::Map(entries.collect())
}

/// Returns the elements that a cause changes, or that it needs. Objects can also have a field beside a changed default, with a
/// field of its own.
fn elements(cause: &Cause, schema: Option<&OwnedDoc>) -> Vec<SchemaPath> {
    let around = cause.path.parent().and_then(|parent| element(schema?, parent.steps()));
    let fields = around.and_then(|around| around.as_map()?.get("properties")?.as_map());
    let names = fields.into_iter().flat_map(OwnedMap::keys).map(Text::as_str);
    let changed = cause.changes.iter().map(|change| &change.path);
    let renamed = cause.renamed.iter().flat_map(|rename| [&rename.from, &rename.to]);
    let member =
        cause.union_member.iter().flat_map(|member| member.discriminator.iter().chain(&member.other));
    let own = [&cause.path].into_iter().chain(changed).chain(renamed).chain(member).cloned();
    own.chain(cause.fields_beside_default(names)).collect()
}

/// The keywords that refer to any of the fields of an object.
const KEYWORDS_ABOUT_FIELDS: [&str; 7] =
    ["minProperties", "allOf", "anyOf", "oneOf", "not", "default", "x-kubernetes-embedded-resource"];

struct Reducer {
    elements: Vec<SchemaPath>,
    /// All words of the version that can be the name of a field.
    words: BTreeSet<String>,
}

impl Reducer {
    fn schema(&self, schema: &OwnedDoc, path: &SchemaPath) -> OwnedDoc {
        let Some(map) = schema.as_map() else { return schema.clone() };
        if self.elements.iter().any(|element| path.is_within(element)) {
            return schema.clone();
        }
        let is_around = self.elements.iter().any(|element| element.is_within(path));
        let keeps_all = is_around || KEYWORDS_ABOUT_FIELDS.iter().any(|keyword| map.contains_key(keyword));
        let keyword = |key: &str, value: &OwnedDoc| match (key, value) {
            ("properties", Doc::Map(fields)) => {
                let kept =
                    fields.iter().filter(|(name, field)| keeps_all || self.is_needed(name.as_str(), field));
                let of_field = |name: &str, field: &OwnedDoc| {
                    self.schema(field, &path.child(SchemaStep::Field(name.to_owned())))
                };
                let fields: OwnedMap =
                    kept.map(|(name, field)| (name.clone(), of_field(name.as_str(), field))).collect();
                Doc::Map(fields)
            }
            ("items", inner) => self.schema(inner, &path.child(SchemaStep::Items)),
            ("additionalProperties", inner) => self.schema(inner, &path.child(SchemaStep::Values)),
            (_, other) => other.clone(),
        };
        let kept = map.iter().filter(|(key, _)| key.as_str() != "description");
        Doc::Map(kept.map(|(key, value)| (key.clone(), keyword(key.as_str(), value))).collect())
    }

    /// Returns true if an object can need a field, or if something can name it.
    fn is_needed(&self, name: &str, field: &OwnedDoc) -> bool {
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric());
        let has_default = field.as_map().is_some_and(|field| field.contains_key("default"));
        // Rules name other fields in another way.
        !is_plain || has_default || self.words.contains(name)
    }
}

/// Collects the words of everything that can refer to fields by their names: keys and texts, but not the names of the fields
/// of a schema, and no descriptions. Required fields are among them.
fn collect_words(value: &OwnedDoc, has_names: bool, words: &mut BTreeSet<String>) {
    match value {
        Doc::String(text) => {
            let all = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            words.extend(all.map(str::to_owned));
        }
        Doc::List(items) => items.iter().for_each(|item| collect_words(item, false, words)),
        Doc::Map(map) => {
            for (key, value) in map.iter() {
                let is_prose = !has_names && matches!(key.as_str(), "description" | "pattern");
                if is_prose && value.as_str().is_some() {
                    continue;
                }
                if !has_names {
                    words.insert(key.as_str().to_owned());
                }
                collect_words(value, !has_names && key.as_str() == "properties", words);
            }
        }
        _ => {}
    }
}
