//! The types of an audit, as its suite refers to them.

use std::fs;
use std::path::{Component, Path, PathBuf};

use skewer_cases::SchemaFormat;
use skewer_cases::format::SchemaSpec;
use skewer_cases::yaml::{self, OptionalField};
use skewer_engine::{Doc, OwnedDoc};

use crate::input::{AuditedTypes, DefinitionFile};

/// Returns a version of a definition. A file that consists of the definition is referred to; any other definition is part of
/// the suite.
pub(crate) fn of_definition(file: &DefinitionFile, document: &OwnedDoc, version: &str) -> SchemaSpec {
    let name = file.file.name();
    let in_file = fs::read(name).ok().and_then(|content| yaml::read_manifest(name, &content).ok());
    let crd = match in_file {
        Some(read) if read == *document => Doc::from(format!("{name}#{version}")),
        _ => document.clone(),
    };
    let definition = &file.definition;
    SchemaSpec {
        crd: OptionalField::Given(crd.into()),
        root: Some(format!("{}/{version}/{}", definition.group, definition.kind).into()),
        ..SchemaSpec::default()
    }
}

/// Returns the types of a kind.
pub(crate) fn of_types(types: &AuditedTypes, kind: &str) -> SchemaSpec {
    let text = types.text.as_deref().unwrap_or_default();
    let mut schema = SchemaSpec { root: Some(kind.into()), ..SchemaSpec::default() };
    match types.types.format() {
        SchemaFormat::Release => schema.builtin = Some(types.types.display_name().into()),
        SchemaFormat::Go => return SchemaSpec::of_go(text, kind),
        SchemaFormat::OpenApi | SchemaFormat::CustomResourceDefinition => {
            if let Ok(document) = yaml::read_document("", text.as_bytes()) {
                schema.openapi = OptionalField::Given(document.into());
            }
        }
    }
    schema
}

/// Returns the old and the new types of a case in a suite file. The paths of definitions are relative to this file.
pub(super) fn in_suite(schemas: &[SchemaSpec], suite: &Path) -> SchemaSpec {
    let mut sides = schemas.iter().map(|schema| {
        let reference = schema.crd.as_ref().and_then(|crd| crd.as_str()?.rsplit_once('#'));
        let crd = reference.map(|(file, version)| {
            let path = format!("{}#{version}", relative(Path::new(file), suite));
            OptionalField::Given(Doc::from(path).into())
        });
        let schema = schema.clone();
        Box::new(SchemaSpec { crd: crd.unwrap_or(schema.crd), ..schema })
    });
    SchemaSpec { old: sides.next(), new: sides.next(), ..SchemaSpec::default() }
}

/// Returns the path of a file, relative to the folder of the suite. A file elsewhere keeps its absolute path.
fn relative(file: &Path, suite: &Path) -> String {
    let absolute = |path: &Path| path.canonicalize().ok();
    let folder = match suite.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let (Some(file), Some(folder)) = (absolute(file), absolute(folder)) else {
        return file.display().to_string();
    };
    let common = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(file.components().skip(common)).collect();
    path.display().to_string()
}
