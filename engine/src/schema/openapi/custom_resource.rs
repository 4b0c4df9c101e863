//! `CustomResourceDefinition` (`apiextensions.k8s.io/v1`).

use super::document::{Reader, optional_field};
use super::extensions::marker;
use super::keywords::{GROUP_VERSION_KIND, PRESERVE_UNKNOWN};
use crate::document::{Doc, OwnedDoc, OwnedMap, Text};
use crate::schema::{FieldDecl, ScalarType, Shape, TypeExpr, go};

impl Reader {
    /// Reads every version of a definition.
    pub(super) fn custom_resource(&mut self, document: &OwnedMap) {
        const READ: &str = "apiextensions.k8s.io/v1";
        if let Some(version) = self.string_at(document, "apiVersion").filter(|version| *version != READ) {
            let message = format!("the version {version:?} is not read: {READ} is");
            self.at("apiVersion", |reader| reader.error(message));
            return;
        }
        if let Some(spec) = self.map_at(document, "spec") {
            self.at("spec", |reader| reader.versions(spec));
        }
        // Every custom resource has it.
        self.types.extend(go::well_known_declarations(OBJECT_META));
    }

    fn versions(&mut self, spec: &OwnedMap) {
        let group = self.string_at(spec, "group");
        let names = self.map_at(spec, "names");
        let kind = names.and_then(|names| self.at("names", |reader| reader.string_at(names, "kind")));
        let (Some(group), Some(kind)) = (group, kind) else { return };
        self.at("versions", |reader| {
            let Some(versions) = spec.get("versions").and_then(Doc::as_list).filter(|v| !v.is_empty()) else {
                return reader.error("a list of versions is due here");
            };
            for (i, version) in versions.iter().enumerate() {
                reader.at_index(i, |reader| reader.version(group, kind, version));
            }
        });
    }

    /// One item of `spec.versions`.
    fn version(&mut self, group: &str, kind: &str, version: &OwnedDoc) {
        let Some(version) = self.map(version) else { return };
        let Some(name) = self.string_at(version, "name") else { return };
        let Some(schema) = self.map_at(version, "schema") else { return };
        let schema = self.at("schema", |reader| reader.value_at(schema, "openAPIV3Schema"));
        let Some(schema) = schema else { return };
        let type_name = published_name(group, name, kind);
        if !self.names.insert(type_name.clone()) {
            self.at("name", |reader| reader.error(format!("the version {name:?} twice")));
            return;
        }
        let gvk = [("group", group), ("kind", kind), ("version", name)];
        let gvk: OwnedMap = gvk.into_iter().map(|(key, value)| (Text::from(key), Doc::from(value))).collect();
        let gvk = marker(GROUP_VERSION_KIND, &Doc::List(vec![Doc::Map(gvk)]).to_string());
        let index = self.types.len();
        self.at("schema", |reader| {
            reader.at("openAPIV3Schema", |reader| reader.definition(&type_name, schema, vec![gvk]));
        });
        match self.types.get_mut(index).map(|ty| &mut ty.shape) {
            Some(Shape::Struct(fields)) => add_object_fields(fields),
            // An object of which nothing is said but that it keeps all fields.
            Some(shape) if *shape == Shape::Alias(TypeExpr::Map(Box::new(TypeExpr::Any))) => {
                let mut fields = Vec::new();
                add_object_fields(&mut fields);
                *shape = Shape::Struct(fields);
                self.types[index].markers.push(marker(PRESERVE_UNKNOWN, "true"));
            }
            _ => self.at("schema", |reader| {
                reader.at("openAPIV3Schema", |reader| {
                    reader.error("the schema of a custom resource is an object");
                });
            }),
        }
    }
}

const OBJECT_META: &str = "metav1.ObjectMeta";

/// How API servers name the type of a custom resource: `com.example.v1.CronTab`.
fn published_name(group: &str, version: &str, kind: &str) -> String {
    let mut parts: Vec<&str> = group.rsplit('.').collect();
    parts.extend([version, kind]);
    parts.join(".")
}

/// Every custom resource has these fields, whatever its schema says of them (`apiextensions-apiserver`,
/// `pkg/controller/openapi/builder`).
fn add_object_fields(fields: &mut Vec<FieldDecl>) {
    let string = TypeExpr::Scalar(ScalarType::String);
    let own = [
        ("apiVersion", string.clone()),
        ("kind", string),
        ("metadata", TypeExpr::Named(OBJECT_META.to_owned())),
    ];
    for (name, ty) in own {
        match fields.iter_mut().find(|field| field.name == name) {
            Some(field) => field.ty = ty,
            None => fields.push(optional_field(name, ty)),
        }
    }
    fields.sort_by(|a, b| a.name.cmp(&b.name));
}
