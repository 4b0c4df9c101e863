//! Pruning: fields that a schema does not have are dropped. Upstream: `apiextensions-apiserver`, package `pruning`
//! (`PruneWithOptions`).

use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::field_path::{FieldPath, PathSegment};

use super::structural::{AdditionalProperties, StructuralSchema};

/// The fields that every object has.
const OBJECT_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes the fields of an object that its schema does not have. Returns their paths. The metadata of objects is kept as
/// it is.
pub fn prune(schema: &StructuralSchema, object: &mut OwnedDoc) -> Vec<FieldPath> {
    prune_value(schema, object, true)
}

/// Removes the fields of a value that its schema does not have. `is_object` says whether it has metadata.
pub(super) fn prune_value(
    schema: &StructuralSchema,
    value: &mut OwnedDoc,
    is_object: bool,
) -> Vec<FieldPath> {
    let mut pruning = Pruning { path: FieldPath::root(), dropped: Vec::new() };
    pruning.prune(Some(schema), value, is_object);
    pruning.dropped
}

struct Pruning {
    path: FieldPath,
    dropped: Vec<FieldPath>,
}

impl Pruning {
    /// Prunes a value. Without a schema, nothing in it is known. Upstream: `prune`.
    fn prune(&mut self, schema: Option<&StructuralSchema>, value: &mut OwnedDoc, is_object: bool) {
        if let Some(schema) = schema.filter(|schema| schema.preserve_unknown_fields) {
            return self.keep_unknown(schema, value, is_object);
        }
        match value {
            Doc::Map(map) => {
                let is_object = is_object || schema.is_some_and(|schema| schema.embedded_resource);
                map.retain(|key, value| {
                    if is_object && OBJECT_FIELDS.contains(&key.as_str()) {
                        return true;
                    }
                    self.path.push(PathSegment::Key(key.clone()));
                    let field = schema.map_or(Known::No, |schema| known_field(schema, key));
                    match field {
                        Known::With(field) => self.prune(Some(field), value, false),
                        Known::WithoutSchema => self.prune(None, value, false),
                        Known::No => self.dropped.push(self.path.clone()),
                    }
                    self.path.pop();
                    !matches!(field, Known::No)
                });
            }
            Doc::List(items) => {
                let schema = schema.and_then(|schema| schema.items.as_deref());
                self.each_item(items, |pruning, item| pruning.prune(schema, item, false));
            }
            _ => {}
        }
    }

    /// Prunes the known fields of a value that keeps unknown ones. Upstream: `skipPrune`.
    fn keep_unknown(&mut self, schema: &StructuralSchema, value: &mut OwnedDoc, is_object: bool) {
        match value {
            Doc::Map(map) => {
                let is_object = is_object || schema.embedded_resource;
                for (key, value) in map.iter_mut() {
                    if is_object && OBJECT_FIELDS.contains(&key.as_str()) {
                        continue;
                    }
                    self.path.push(PathSegment::Key(key.clone()));
                    match known_field(schema, key) {
                        Known::With(field) => self.prune(Some(field), value, false),
                        Known::WithoutSchema => self.prune(None, value, false),
                        Known::No => {}
                    }
                    self.path.pop();
                }
            }
            Doc::List(items) => {
                let Some(schema) = &schema.items else { return };
                self.each_item(items, |pruning, item| pruning.keep_unknown(schema, item, false));
            }
            _ => {}
        }
    }

    fn each_item(&mut self, items: &mut [OwnedDoc], prune: impl Fn(&mut Self, &mut OwnedDoc)) {
        for (index, item) in items.iter_mut().enumerate() {
            self.path.push(PathSegment::Index(index));
            prune(self, item);
            self.path.pop();
        }
    }
}

/// Whether a schema has a field.
enum Known<'s> {
    With(&'s StructuralSchema),
    WithoutSchema,
    No,
}

/// Returns the schema of a field. The values of `additionalProperties: true` and `false` have no schema, so that they
/// keep no fields.
fn known_field<'s>(schema: &'s StructuralSchema, name: &str) -> Known<'s> {
    match (schema.properties.get(name), &schema.additional_properties) {
        (Some(property), _) => Known::With(property),
        (None, Some(AdditionalProperties::Schema(values))) => Known::With(values),
        (None, Some(AdditionalProperties::Any)) => Known::WithoutSchema,
        // Upstream keeps what validation then refuses.
        (None, None) if schema.forbids_other_fields => Known::WithoutSchema,
        (None, None) => Known::No,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::definition::CustomResourceDefinition;
    use skewer_engine::document::from_json;

    /// The expectations are those of `pruning.Prune` of `apiextensions-apiserver` 0.37.2.
    #[rstest]
    #[case::any_values(
        r#"{"type":"object","additionalProperties":true}"#,
        r#"{"x":{"y":1},"z":[{"w":1}],"q":2}"#,
        r#"{"q":2,"x":{},"z":[{}]}"#,
        "a.x.y a.z[0].w"
    )]
    #[case::no_values(
        r#"{"type":"object","additionalProperties":false}"#,
        r#"{"x":{"y":1},"q":2}"#,
        r#"{"q":2,"x":{}}"#,
        "a.x.y"
    )]
    #[case::known_field_where_unknown_ones_are_kept(
        r#"{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"b":{"type":"object"}}}"#,
        r#"{"x":{"y":1},"b":{"w":1},"q":[{"e":1}]}"#,
        r#"{"b":{},"q":[{"e":1}],"x":{"y":1}}"#,
        "a.b.w"
    )]
    #[case::items_without_a_schema(
        r#"{"type":"array","items":{"type":"array"}}"#,
        r#"[[{"x":1}]]"#,
        "[[{}]]",
        "a[0][0].x"
    )]
    fn fields_that_are_not_known_are_dropped(
        #[case] schema: &str,
        #[case] value: &str,
        #[case] expected: &str,
        #[case] paths: &str,
    ) {
        let read = |json: &str| from_json(json.as_bytes()).expect("valid JSON").to_static();
        let definition = format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{{"group":"example.com",
            "names":{{"kind":"Tab"}},"versions":[{{"name":"v1","schema":{{"openAPIV3Schema":{{"type":"object",
            "properties":{{"a":{schema}}}}}}}}}]}}}}"#
        );
        let definition = CustomResourceDefinition::read(&read(&definition)).expect("a valid definition");
        let mut object = read(&format!(r#"{{"a":{value},"metadata":{{"x":1}}}}"#));
        let dropped = prune(&definition.versions[0].schema, &mut object);
        assert_eq!(object, read(&format!(r#"{{"a":{expected},"metadata":{{"x":1}}}}"#)));
        let mut dropped: Vec<String> = dropped.iter().map(ToString::to_string).collect();
        dropped.sort_unstable();
        assert_eq!(dropped.join(" "), paths);
    }
}
