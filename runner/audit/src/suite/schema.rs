//! The types of an audit, as its suite refers to them.

use std::fmt::Write;
use std::fs;
use std::path::{Component, Path, PathBuf};

use skewer_cases::SchemaFormat;
use skewer_cases::yaml::{self, write_flow_string};
use skewer_engine::OwnedDoc;
use skewer_reports::audit::SuiteSchema;

use crate::input::DefinitionFile;
use crate::run::AuditedTypes;

/// Returns a version of a definition. A file that consists of the definition is referred to; any other definition is part of
/// the suite.
pub(crate) fn of_definition(file: &DefinitionFile, document: &OwnedDoc, version: &str) -> SuiteSchema {
    let name = file.file.name();
    let is_file = || {
        let content = fs::read(name).ok()?;
        yaml::read_manifest(name, &content).ok().filter(|read| read == document)
    };
    let definition = &file.definition;
    SuiteSchema {
        key: "crd",
        file: is_file().map(|_| name.to_owned()),
        value: yaml::write(document),
        version: Some(version.to_owned()),
        root: format!("{}/{version}/{}", definition.group, definition.kind),
    }
}

/// Returns the types of a kind.
pub(crate) fn of_types(types: &AuditedTypes, kind: &str) -> SuiteSchema {
    let text = types.text.clone().unwrap_or_default();
    let (key, value) = match types.types.format() {
        SchemaFormat::Release => ("builtin", types.types.display_name().to_owned()),
        SchemaFormat::Go => ("go", text),
        SchemaFormat::OpenApi | SchemaFormat::CustomResourceDefinition => ("openapi", text),
    };
    SuiteSchema { key, file: None, value, version: None, root: kind.to_owned() }
}

/// Writes the old and the new types of a case.
pub(super) fn write(text: &mut String, schemas: &[SuiteSchema], suite: &Path) {
    for (side, schema) in ["old", "new"].into_iter().zip(schemas) {
        let _ = writeln!(text, "      {side}:");
        match (&schema.file, &schema.version, schema.key) {
            (Some(file), Some(version), key) => {
                let reference = format!("{}#{version}", relative(Path::new(file), suite));
                let _ = writeln!(text, "        {key}: {}", write_flow_string(&reference));
            }
            (_, _, key @ "builtin") => {
                let _ = writeln!(text, "        {key}: {}", schema.value);
            }
            (_, _, key) => {
                let _ = writeln!(text, "        {key}:{}", if key == "go" { " |" } else { "" });
                for line in schema.value.lines() {
                    // YAML has no tabs in indentation. Go reads spaces, too.
                    let line = if key == "go" { line.replace('\t', "  ") } else { line.to_owned() };
                    let _ = writeln!(text, "          {line}");
                }
            }
        }
        let _ = writeln!(text, "        root: {}", write_flow_string(&schema.root));
    }
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
