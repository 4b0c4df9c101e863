//! The reader of `CustomResourceDefinition`s.

use skewer_engine::document::{OwnedDoc, OwnedMap};
use skewer_engine::error::Error;
use skewer_engine::schema::openapi::{decode_definition, is_old_definition};

use super::{Conversion, CustomResourceDefinition, Scale, Scope, Version, check};
use crate::fields::Fields;
use crate::structural::StructuralSchema;

/// The API version of definitions.
const VERSION: &str = "apiextensions.k8s.io/v1";

impl CustomResourceDefinition {
    /// Reads a definition of `apiextensions.k8s.io/v1`, or one of `v1beta1` as a server converts it.
    ///
    /// # Errors
    ///
    /// Returns all errors. Their paths are paths of the document. For a definition that a server refuses, the errors are those of
    /// [`CustomResourceDefinition::check`].
    pub fn read(document: &OwnedDoc) -> Result<Self, Vec<Error>> {
        let mut fields = Fields::default();
        let decoded = decode_definition(document);
        let is_old = is_old_definition(document);
        let definition = read_definition(&decoded, &mut fields);
        let definition = definition.map(|read| CustomResourceDefinition { is_old, ..read });
        fields.finish(definition).map_err(|errors| {
            let is_read = |key: &str, expected: &str| {
                decoded.as_map().and_then(|decoded| decoded.get(key)?.as_str()) == Some(expected)
            };
            let is_definition = is_read("apiVersion", VERSION) && is_read("kind", "CustomResourceDefinition");
            let refused = if is_definition && !is_old { check::errors(&decoded) } else { Vec::new() };
            if refused.is_empty() { errors } else { refused }
        })
    }

    /// Reads a definition that an API server accepts.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`CustomResourceDefinition::read`], or those of [`CustomResourceDefinition::check`].
    pub fn read_accepted(document: &OwnedDoc) -> Result<Self, Vec<Error>> {
        let definition = CustomResourceDefinition::read(document)?;
        let errors = definition.check();
        if errors.is_empty() { Ok(definition) } else { Err(errors) }
    }
}

fn read_definition(source: &OwnedDoc, fields: &mut Fields) -> Option<CustomResourceDefinition> {
    let document = source;
    let Some(document) = document.as_map() else {
        fields
            .error(format!("expected a CustomResourceDefinition, found {}", document.kind().with_article()));
        return None;
    };
    let kind = fields.text(document, "kind");
    if kind.as_deref() != Some("CustomResourceDefinition") {
        fields.error("expected a CustomResourceDefinition, with `kind: CustomResourceDefinition`");
        return None;
    }
    let api_version = fields.text(document, "apiVersion").unwrap_or_default();
    if api_version != VERSION {
        let message = format!("unsupported version {api_version:?}: expected {VERSION}");
        fields.at_key("apiVersion", |fields| fields.error(message));
        return None;
    }
    let metadata = fields.map(document, "metadata");
    let name = fields
        .at_key("metadata", |fields| metadata.and_then(|metadata| fields.text(metadata, "name")))
        .unwrap_or_default();
    let status = fields.map(document, "status");
    let stored_versions = fields.at_key("status", |fields| {
        status.map(|status| fields.texts(status, "storedVersions")).unwrap_or_default()
    });
    let spec = fields.map(document, "spec");
    let spec = fields.required(document, "spec", spec)?;
    fields.at_key("spec", |fields| {
        let definition = read_spec(spec, fields)?;
        Some(CustomResourceDefinition { name, stored_versions, source: source.clone(), ..definition })
    })
}

fn read_spec(spec: &OwnedMap, fields: &mut Fields) -> Option<CustomResourceDefinition> {
    let group = fields.text(spec, "group");
    let group = fields.required(spec, "group", group);
    let names = fields.map(spec, "names");
    let names = fields.required(spec, "names", names);
    let kind = fields.at_key("names", |fields| {
        let kind = fields.text(names?, "kind");
        fields.required(names?, "kind", kind)
    });
    let scope = match fields.text(spec, "scope").as_deref() {
        Some("Cluster") => Scope::Cluster,
        Some("Namespaced") | None => Scope::Namespaced,
        Some(other) => {
            let message = format!("expected Namespaced or Cluster, found {other:?}");
            fields.at_key("scope", |fields| fields.error(message));
            Scope::Namespaced
        }
    };
    let conversion = fields.map(spec, "conversion");
    let conversion = fields.at_key("conversion", |fields| {
        let strategy = conversion.and_then(|conversion| fields.text(conversion, "strategy"));
        if strategy.as_deref() == Some("Webhook") { Conversion::Webhook } else { Conversion::None }
    });
    let preserve_unknown_fields = fields.flag(spec, "preserveUnknownFields");
    Some(CustomResourceDefinition {
        name: String::new(),
        group: group?,
        kind: kind?,
        scope,
        versions: read_versions(spec, fields),
        conversion,
        preserve_unknown_fields,
        stored_versions: Vec::new(),
        is_old: false,
        source: OwnedDoc::Null,
    })
}

fn read_versions(spec: &OwnedMap, fields: &mut Fields) -> Vec<Version> {
    let items = fields.list(spec, "versions");
    fields.at_key("versions", |fields| {
        if items.is_empty() {
            fields.error("expected at least one version");
        }
        let mut versions: Vec<Version> = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            fields.at_index(index, |fields| {
                let Some(version) = read_version(item, fields) else { return };
                if versions.iter().any(|other| other.name == version.name) {
                    fields
                        .at_key("name", |fields| fields.error(format!("the version {} twice", version.name)));
                }
                versions.push(version);
            });
        }
        versions
    })
}

fn read_version(version: &OwnedDoc, fields: &mut Fields) -> Option<Version> {
    let Some(version) = version.as_map() else {
        fields.error(format!("expected a version, found {}", version.kind().with_article()));
        return None;
    };
    let name = fields.text(version, "name");
    let name = fields.required(version, "name", name)?;
    let schema = fields.map(version, "schema");
    let schema = fields.required(version, "schema", schema)?;
    let schema = fields.at_key("schema", |fields| {
        let root = fields.map(schema, "openAPIV3Schema");
        let root = fields.required(schema, "openAPIV3Schema", root)?;
        Some(fields.at_key("openAPIV3Schema", |fields| StructuralSchema::read(root, fields)))
    })?;
    let subresources = fields.map(version, "subresources");
    let scale = fields.at_key("subresources", |fields| {
        let scale = fields.map(subresources?, "scale")?;
        fields.at_key("scale", |fields| {
            let spec = fields.text(scale, "specReplicasPath");
            let status = fields.text(scale, "statusReplicasPath");
            Some(Scale {
                spec_replicas_path: fields.required(scale, "specReplicasPath", spec)?,
                status_replicas_path: fields.required(scale, "statusReplicasPath", status)?,
                label_selector_path: fields.text(scale, "labelSelectorPath"),
            })
        })
    });
    Some(Version {
        served: fields.flag(version, "served"),
        storage: fields.flag(version, "storage"),
        deprecated: fields.flag(version, "deprecated"),
        schema,
        has_status: subresources.is_some_and(|map| map.get("status").is_some_and(|status| !status.is_null())),
        scale,
        name,
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use skewer_engine::document::{Doc, from_json};

    fn read(json: &str) -> Result<CustomResourceDefinition, Vec<String>> {
        let document: OwnedDoc = from_json(json.as_bytes()).expect("valid JSON").to_static();
        CustomResourceDefinition::read(&document)
            .map_err(|errors| errors.iter().map(ToString::to_string).collect())
    }

    const DEFINITION: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":"tabs.example.com"},"spec":{"group":"example.com","scope":"Cluster",
        "names":{"kind":"Tab","plural":"tabs"},"versions":[{"name":"v1","served":true,"storage":true,
        "subresources":{"status":{},"scale":{"specReplicasPath":".spec.n","statusReplicasPath":".status.n"}},
        "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","required":["n"],
        "properties":{"n":{"type":"integer","minimum":1,"default":2}}}}}}}]},"status":{"storedVersions":["v1"]}}"#;

    #[test]
    fn a_definition_is_read_completely() {
        let definition = read(DEFINITION).expect("a valid definition");
        assert_eq!((definition.group.as_str(), definition.kind.as_str()), ("example.com", "Tab"));
        assert_eq!((definition.scope, definition.name.as_str()), (Scope::Cluster, "tabs.example.com"));
        assert_eq!(definition.stored_versions, ["v1"]);
        let version = &definition.versions[0];
        assert!(version.served && version.storage && version.has_status && !version.deprecated);
        assert_eq!(version.scale.as_ref().map(|scale| scale.spec_replicas_path.as_str()), Some(".spec.n"));
        let spec = &version.schema.properties["spec"];
        assert_eq!(spec.validation.required, ["n"]);
        assert_eq!(spec.properties["n"].validation.minimum, Some(1.0));
        assert_eq!(spec.properties["n"].default, Some(Doc::Int(2)));
    }

    #[rstest]
    #[case::kind(
        "\"CustomResourceDefinition\"",
        "\"Pod\"",
        "expected a CustomResourceDefinition, with `kind: CustomResourceDefinition`"
    )]
    #[case::version(
        "/v1\"",
        "/v2\"",
        "apiVersion: unsupported version \"apiextensions.k8s.io/v2\": expected apiextensions.k8s.io/v1"
    )]
    #[case::no_group(
        "\"group\":\"example.com\",",
        "",
        "metadata.name: Invalid value: expected tabs.: the plural and the group; spec.group: Required value: missing"
    )]
    #[case::scope("Cluster", "Galaxy", "spec.scope: Unsupported value: expected Namespaced or Cluster")]
    #[case::served(
        "\"served\":true",
        "\"served\":1",
        "spec.versions[0].served: expected true or false, found an integer"
    )]
    #[case::no_schema(
        "openAPIV3Schema",
        "schema",
        "spec.versions[0].schema.openAPIV3Schema: Required value: missing: a version has a schema"
    )]
    #[case::type_of_a_value(
        "\"integer\",\"minimum\":1,\"default\":2",
        "\"int\"",
        "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.n.type: Unsupported value: expected object, array, string, integer, number or boolean, found \"int\""
    )]
    #[case::required(
        "[\"n\"]",
        "[1]",
        "spec.versions[0].schema.openAPIV3Schema.properties.spec.required[0]: expected a string, found an integer"
    )]
    fn an_error_has_the_path_of_what_is_wrong(#[case] from: &str, #[case] to: &str, #[case] expected: &str) {
        let errors = read(&DEFINITION.replacen(from, to, 1)).expect_err("an invalid definition");
        assert_eq!(errors.join("; "), expected);
    }
}
