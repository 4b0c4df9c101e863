//! `CustomResourceDefinition`s.

use super::structural::StructuralSchema;

/// A custom resource definition, as far as it affects requests and stored objects.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CustomResourceDefinition {
    /// The name of the definition, such as `crontabs.example.com`. Empty if the document has none.
    pub name: String,
    /// The API group, such as `example.com`.
    pub group: String,
    /// The kind of the objects, such as `CronTab`.
    pub kind: String,
    /// Whether the objects have a namespace.
    pub scope: Scope,
    /// The versions, in the order of the document.
    pub versions: Vec<Version>,
    /// How objects are converted between versions.
    pub conversion: Conversion,
    /// Whether unknown fields are kept, as in definitions of `apiextensions.k8s.io/v1beta1`
    /// (`spec.preserveUnknownFields`).
    pub preserve_unknown_fields: bool,
    /// The versions in which objects are or were stored (`status.storedVersions`).
    pub stored_versions: Vec<String>,
}

/// Whether the objects of a kind have a namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The objects are in namespaces.
    #[default]
    Namespaced,
    /// The objects belong to the cluster.
    Cluster,
}

/// How objects are converted between versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// Only `apiVersion` changes.
    #[default]
    None,
    /// A webhook converts the objects. It is not simulated.
    Webhook,
}

/// A version of a custom resource.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Version {
    /// The name of the version, such as `v1`.
    pub name: String,
    /// Whether requests can use the version.
    pub served: bool,
    /// Whether objects are stored in the version.
    pub storage: bool,
    /// Whether the version is deprecated.
    pub deprecated: bool,
    /// The schema of the objects.
    pub schema: StructuralSchema,
    /// Whether the version has the subresource `status`.
    pub has_status: bool,
    /// The subresource `scale`, if the version has it.
    pub scale: Option<Scale>,
}

/// The fields that the subresource `scale` reads and writes, as JSON paths such as `.spec.replicas`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scale {
    /// The number of replicas that is wanted.
    pub spec_replicas_path: String,
    /// The number of replicas that exist.
    pub status_replicas_path: String,
    /// The label selector of the replicas.
    pub label_selector_path: Option<String>,
}

// TEMPORARY READER
use super::structural::*;
use crate::document::{Doc, OwnedDoc, OwnedMap};
use crate::error::{Error, ErrorKind};
use std::collections::BTreeMap;

impl CustomResourceDefinition {
    /// Reads.
    pub fn read(document: &OwnedDoc) -> Result<Self, Vec<Error>> {
        let e = |m: &str| vec![Error::new(ErrorKind::InvalidSchema, m.to_owned())];
        let spec = document
            .as_map()
            .and_then(|m| m.get("spec"))
            .and_then(Doc::as_map)
            .ok_or_else(|| e("no spec"))?;
        let s = |m: &OwnedMap, k: &str| m.get(k).and_then(Doc::as_str).unwrap_or("").to_owned();
        let b = |m: &OwnedMap, k: &str| matches!(m.get(k), Some(Doc::Bool(true)));
        let names = spec.get("names").and_then(Doc::as_map).ok_or_else(|| e("names"))?;
        let mut versions = Vec::new();
        for v in spec.get("versions").and_then(Doc::as_list).unwrap_or_default() {
            let v = v.as_map().ok_or_else(|| e("version"))?;
            let schema = v
                .get("schema")
                .and_then(Doc::as_map)
                .and_then(|m| m.get("openAPIV3Schema"))
                .ok_or_else(|| e("schema"))?;
            let sub = v.get("subresources").and_then(Doc::as_map);
            versions.push(Version {
                name: s(v, "name"),
                served: b(v, "served"),
                storage: b(v, "storage"),
                deprecated: b(v, "deprecated"),
                schema: schema_of(schema),
                has_status: sub.is_some_and(|m| m.contains_key("status")),
                scale: None,
            });
        }
        Ok(CustomResourceDefinition {
            name: String::new(),
            group: s(spec, "group"),
            kind: s(names, "kind"),
            scope: Scope::Namespaced,
            versions,
            conversion: Conversion::None,
            preserve_unknown_fields: false,
            stored_versions: vec![],
        })
    }
}
fn schema_of(d: &OwnedDoc) -> StructuralSchema {
    let empty = OwnedMap::new();
    let m = d.as_map().unwrap_or(&empty);
    let b = |k: &str| matches!(m.get(k), Some(Doc::Bool(true)));
    let s = |k: &str| m.get(k).and_then(Doc::as_str).map(str::to_owned);
    let strs = |k: &str| {
        m.get(k)
            .and_then(Doc::as_list)
            .unwrap_or_default()
            .iter()
            .filter_map(Doc::as_str)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    StructuralSchema {
        ty: match m.get("type").and_then(Doc::as_str) {
            Some("object") => Some(ValueType::Object),
            Some("array") => Some(ValueType::Array),
            Some("string") => Some(ValueType::String),
            Some("integer") => Some(ValueType::Integer),
            Some("number") => Some(ValueType::Number),
            Some("boolean") => Some(ValueType::Boolean),
            _ => None,
        },
        nullable: b("nullable"),
        default: m.get("default").cloned(),
        properties: m
            .get("properties")
            .and_then(Doc::as_map)
            .map(|p| p.iter().map(|(k, v)| (k.to_string(), schema_of(v))).collect::<BTreeMap<_, _>>())
            .unwrap_or_default(),
        additional_properties: match m.get("additionalProperties") {
            Some(Doc::Bool(true)) => Some(AdditionalProperties::Any),
            Some(v @ Doc::Map(_)) => Some(AdditionalProperties::Schema(Box::new(schema_of(v)))),
            _ => None,
        },
        items: m.get("items").map(|v| Box::new(schema_of(v))),
        preserve_unknown_fields: b("x-kubernetes-preserve-unknown-fields"),
        embedded_resource: b("x-kubernetes-embedded-resource"),
        int_or_string: b("x-kubernetes-int-or-string"),
        list_type: match s("x-kubernetes-list-type").as_deref() {
            Some("map") => Some(crate::schema::ListType::Map),
            Some("set") => Some(crate::schema::ListType::Set),
            Some("atomic") => Some(crate::schema::ListType::Atomic),
            _ => None,
        },
        list_map_keys: strs("x-kubernetes-list-map-keys"),
        map_type: None,
        rules: m
            .get("x-kubernetes-validations")
            .and_then(Doc::as_list)
            .unwrap_or_default()
            .iter()
            .filter_map(Doc::as_map)
            .map(|r| ValidationRule {
                rule: r.get("rule").and_then(Doc::as_str).unwrap_or("").to_owned(),
                ..Default::default()
            })
            .collect(),
        validation: ValueValidation {
            required: strs("required"),
            enum_values: m.get("enum").and_then(Doc::as_list).unwrap_or_default().to_vec(),
            pattern: s("pattern"),
            format: s("format"),
            ..Default::default()
        },
    }
}
