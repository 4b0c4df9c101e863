//! Reads a `CustomResourceDefinition` (`apiextensions.k8s.io/v1`).

use super::keywords::{EMBEDDED_RESOURCE, GROUP_VERSION_KIND, PRESERVE_UNKNOWN};
use super::reader::{Reader, marker_with_value};
use crate::document::{Doc, OwnedDoc, OwnedMap, Text};
use crate::schema::well_known::{self, OBJECT_META};
use crate::schema::{FieldDecl, ScalarType, Shape, TypeExpr};

impl Reader {
    /// Reads every version of a definition.
    pub(super) fn read_custom_resource(&mut self, document: &OwnedMap) {
        const SUPPORTED_VERSION: &str = "apiextensions.k8s.io/v1";
        if let Some(version) =
            self.string_at(document, "apiVersion").filter(|version| *version != SUPPORTED_VERSION)
        {
            let message = format!("unsupported version {version:?}: expected {SUPPORTED_VERSION}");
            self.at_key("apiVersion", |reader| reader.error(message));
            return;
        }
        if let Some(spec) = self.map_at(document, "spec") {
            // All objects of the definition keep unknown fields. Upstream: `ToSchemaFromOpenAPI`, which is called with this field.
            self.keeps_unknown_fields = matches!(spec.get("preserveUnknownFields"), Some(Doc::Bool(true)));
            self.at_key("spec", |reader| reader.read_versions(spec));
            self.keeps_unknown_fields = false;
        }
        // The type of the `metadata` that every custom resource has.
        self.types.extend(well_known::with_references([OBJECT_META]).into_iter().cloned());
    }

    fn read_versions(&mut self, spec: &OwnedMap) {
        let group = self.string_at(spec, "group");
        let names = self.map_at(spec, "names");
        let kind = names.and_then(|names| self.at_key("names", |reader| reader.string_at(names, "kind")));
        let (Some(group), Some(kind)) = (group, kind) else { return };
        self.at_key("versions", |reader| {
            let Some(versions) = spec.get("versions").and_then(Doc::as_list).filter(|v| !v.is_empty()) else {
                return reader.error("expected a list of versions");
            };
            for (i, version) in versions.iter().enumerate() {
                reader.at_index(i, |reader| reader.read_version(group, kind, version));
            }
        });
    }

    /// Reads one item of `spec.versions`.
    fn read_version(&mut self, group: &str, kind: &str, version: &OwnedDoc) {
        let Some(version) = self.map(version) else { return };
        let Some(name) = self.string_at(version, "name") else { return };
        let Some(schema) = self.map_at(version, "schema") else { return };
        let schema = self.at_key("schema", |reader| reader.required_value(schema, "openAPIV3Schema"));
        let Some(schema) = schema else { return };
        let type_name = published_name(group, name, kind);
        if !self.type_names.insert(type_name.clone()) {
            self.at_key("name", |reader| reader.error(format!("the version {name:?} twice")));
            return;
        }
        let gvk = [("group", group), ("kind", kind), ("version", name)];
        let gvk: OwnedMap = gvk.into_iter().map(|(key, value)| (Text::from(key), Doc::from(value))).collect();
        let gvk = marker_with_value(GROUP_VERSION_KIND, &Doc::List(vec![Doc::Map(gvk)]).to_string());
        let index = self.types.len();
        self.at_key("schema", |reader| {
            reader.at_key("openAPIV3Schema", |reader| reader.read_definition(&type_name, schema, vec![gvk]));
        });
        match self.types.get_mut(index).map(|ty| &mut ty.shape) {
            Some(Shape::Struct(fields)) => add_object_fields(fields),
            // This is an object without properties.
            Some(shape) if *shape == Shape::Alias(TypeExpr::Map(Box::new(TypeExpr::Any))) => {
                let mut fields = Vec::new();
                add_object_fields(&mut fields);
                *shape = Shape::Struct(fields);
                let keeps_unknown_fields = self.keeps_unknown_fields
                    || schema.as_map().is_some_and(|schema| self.flag(schema, PRESERVE_UNKNOWN));
                if keeps_unknown_fields {
                    self.types[index].markers.push(marker_with_value(PRESERVE_UNKNOWN, "true"));
                }
            }
            _ => self.at_key("schema", |reader| {
                reader.at_key("openAPIV3Schema", |reader| {
                    reader.error("the schema of a custom resource is an object");
                });
            }),
        }
    }
}

/// Returns the name under which API servers publish the type of a custom resource: `com.example.v1.CronTab`.
/// Returns the name of the type of the objects of a definition in one version, such as `com.example.v1.Tab`.
#[must_use]
pub fn published_name(group: &str, version: &str, kind: &str) -> String {
    let mut parts: Vec<&str> = group.rsplit('.').collect();
    parts.extend([version, kind]);
    parts.join(".")
}

impl Reader {
    /// Returns true if the schema is that of an object of its own. In published documents, such a schema has the fields
    /// of an object already.
    pub(super) fn is_embedded_resource(&self, schema: &OwnedMap) -> bool {
        !self.is_published && matches!(schema.get(EMBEDDED_RESOURCE), Some(Doc::Bool(true)))
    }
}

/// Adds the fields that servers add to the schema of an embedded resource (`apiextensions-apiserver`,
/// `addEmbeddedProperties`).
pub(super) fn add_embedded_resource_fields(fields: &mut Vec<FieldDecl>) {
    add_object_fields(fields);
    for field in fields.iter_mut().filter(|field| matches!(field.name.as_str(), "apiVersion" | "kind")) {
        (field.required, field.omit_empty) = (Some(true), false);
    }
}

/// Adds the fields that every custom resource has, whatever its schema declares (`apiextensions-apiserver`,
/// `pkg/controller/openapi/builder`).
fn add_object_fields(fields: &mut Vec<FieldDecl>) {
    let string = TypeExpr::Scalar(ScalarType::String);
    let object_fields = [
        ("apiVersion", string.clone()),
        ("kind", string),
        ("metadata", TypeExpr::Named(OBJECT_META.to_owned())),
    ];
    for (name, ty) in object_fields {
        match fields.iter_mut().find(|field| field.name == name) {
            Some(field) => field.ty = ty,
            None => fields.push(FieldDecl::new(name, ty).optional()),
        }
    }
    fields.sort_by(|a, b| a.name.cmp(&b.name));
}
