//! Publication of the types of a resource with several versions as one `OpenAPI` document.

use std::sync::Arc;

use skewer_engine::schema::{Schema, TypeId};
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};

use super::openapi::publish_for_server_side_apply;

/// The prefix of references to components.
const REFERENCE_PREFIX: &str = "#/components/schemas/";

/// The types of the versions of a resource in the form in which they are sent to an adapter.
#[derive(Clone, Debug)]
pub(super) struct PublishedVersions {
    /// For each version, the name of the component that describes the object.
    pub(super) roots: Vec<String>,
    /// The OpenAPI document with the components of all versions.
    pub(super) openapi: OwnedDoc,
}

/// Publishes the root type of each version. Versions with the same type share its components. If there are several
/// types, the names of their components have different prefixes.
pub(super) fn publish_versions(types: &[(&Arc<Schema>, TypeId)]) -> PublishedVersions {
    let is_same = |(a, a_root): &(&Arc<Schema>, TypeId), (b, b_root): &(&Arc<Schema>, TypeId)| {
        Arc::ptr_eq(a, b) && a_root == b_root
    };
    let mut distinct: Vec<(&Arc<Schema>, TypeId)> = Vec::new();
    let mut indices = Vec::new();
    for version in types {
        let known = distinct.iter().position(|other| is_same(other, version));
        indices.push(known.unwrap_or(distinct.len()));
        if known.is_none() {
            distinct.push(*version);
        }
    }
    let mut components = Map::new();
    let mut roots = Vec::new();
    for (index, (schema, root)) in distinct.iter().enumerate() {
        let prefix = if distinct.len() == 1 { String::new() } else { format!("{index}.") };
        let published = publish_for_server_side_apply(schema, *root);
        for (name, component) in components_of(published.openapi) {
            components.insert(Text::from(format!("{prefix}{name}")), with_references(component, &prefix));
        }
        roots.push(format!("{prefix}{}", published.root));
    }
    let schemas = [(Text::from_static("schemas"), Doc::Map(components))].into_iter().collect();
    let openapi = Doc::Map([(Text::from_static("components"), Doc::Map(schemas))].into_iter().collect());
    PublishedVersions { roots: indices.into_iter().map(|index| roots[index].clone()).collect(), openapi }
}

/// Returns the components of a published document.
fn components_of(openapi: OwnedDoc) -> OwnedMap {
    let member = |document: OwnedDoc, name: &str| match document {
        Doc::Map(mut map) => map.remove(name).unwrap_or_default(),
        _ => Doc::Null,
    };
    match member(member(openapi, "components"), "schemas") {
        Doc::Map(components) => components,
        _ => Map::new(),
    }
}

/// Adds a prefix to the component name of every reference.
fn with_references(value: OwnedDoc, prefix: &str) -> OwnedDoc {
    match value {
        Doc::Map(map) => {
            let renamed = |(key, value): (_, OwnedDoc)| {
                let name = match &value {
                    Doc::String(text) if key == "$ref" => text.strip_prefix(REFERENCE_PREFIX),
                    _ => None,
                };
                let value = match name {
                    Some(name) => Doc::from(format!("{REFERENCE_PREFIX}{prefix}{name}")),
                    None => with_references(value, prefix),
                };
                (key, value)
            };
            Doc::Map(map.into_iter().map(renamed).collect())
        }
        Doc::List(items) => Doc::List(items.into_iter().map(|item| with_references(item, prefix)).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::context;
    use super::*;

    const NESTED: &str = r#"
        type T struct { Spec S `json:"spec"` }
        type S struct { A string `json:"a"` }
    "#;

    #[test]
    fn versions_with_different_types_have_different_components() {
        let (one, other) = (context(NESTED), context(r#"type T struct { B string `json:"b"` }"#));
        let types = [(&one.schema, one.root), (&other.schema, other.root), (&one.schema, one.root)];
        let PublishedVersions { roots, openapi } = publish_versions(&types);
        assert_eq!(roots, ["0.T", "1.T", "0.T"]);
        let components = components_of(openapi);
        let names: Vec<&str> = components.keys().map(Text::as_str).collect();
        let of_metadata = ["ManagedFieldsEntry", "ObjectMeta", "OwnerReference"];
        let mut expected: Vec<String> =
            ["0", "1"].iter().flat_map(|i| of_metadata.map(|name| format!("{i}.metav1.{name}"))).collect();
        expected.extend(["0.S", "0.T", "1.T"].map(str::to_owned));
        expected.sort_unstable();
        assert_eq!(names, expected);
        let reference = components.get("0.T").map(ToString::to_string).unwrap_or_default();
        assert!(reference.contains(r##""spec":{"$ref":"#/components/schemas/0.S"}"##), "{reference}");
    }

    #[test]
    fn versions_of_one_type_have_the_components_of_that_type() {
        let one = context(NESTED);
        let PublishedVersions { roots, openapi } = publish_versions(&[(&one.schema, one.root); 2]);
        assert_eq!(roots, ["T", "T"]);
        assert_eq!(openapi, publish_for_server_side_apply(&one.schema, one.root).openapi);
    }
}
