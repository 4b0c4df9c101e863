//! `skewer schema check`.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use skewer_audit::input::DefinitionFile;
use skewer_audit::input::documents::definitions;
use skewer_cases::{CustomResourceVersion, SchemaFormat, Types, yaml};
use skewer_engine::schema::union::Union;
use skewer_engine::schema::{FieldDecl, MetadataTags, PatchMeta, Shape, Type};
use skewer_engine::{Error, OwnedDoc};

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::InputFile;
use crate::cli::output;

/// The arguments of `skewer schema check`.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 the file is valid; 1 the file is invalid; 2 the file cannot be read.")]
pub(super) struct CheckArguments {
    /// File with Go types, an OpenAPI document, or custom resource definitions; - is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn check(arguments: &CheckArguments) -> Result {
    let file = InputFile::read(&arguments.file)?;
    let is_definition = |document: OwnedDoc| skewer_audit::input::is_definition(&document);
    let mentions_definition = String::from_utf8_lossy(&file.bytes).contains("kind: CustomResourceDefinition");
    if mentions_definition && !yaml::read_manifest(&file.name, &file.bytes).is_ok_and(is_definition) {
        let found = definitions(&file.name, &file.bytes)
            .map_err(|errors| Failure::of_files(Exit::CellFailed, [&errors]))?;
        if !found.is_empty() {
            return check_each(&found);
        }
    }
    match Types::read(&file.name, &file.bytes) {
        Ok(types) => {
            if types.format() == SchemaFormat::CustomResourceDefinition
                && let Ok(read) = DefinitionFile::read(&file.name, &file.bytes)
            {
                warn_of_reading(&read);
                note_not_simulated(&read);
            }
            output::print(&summarize(&types)).map(|()| Exit::Ok)
        }
        Err(errors) => Err(Failure::of_files(Exit::CellFailed, [&errors])),
    }
}

/// Checks the definitions of a file with several documents, or with a list.
fn check_each(found: &[DefinitionFile]) -> Result {
    found.iter().for_each(warn_of_reading);
    found.iter().for_each(note_not_simulated);
    let check = |read: &DefinitionFile| {
        let name = read.place();
        let types = match read.definition.check() {
            errors if errors.is_empty() => {
                Types::from_document(&name, &read.document, &MetadataTags::registered())
            }
            errors => Err(errors),
        };
        types.map_err(|errors| Failure::of_files(Exit::CellFailed, [&read.errors(&errors)]))
    };
    let mut refused = Vec::new();
    for checked in found.iter().map(check) {
        match checked {
            Ok(types) => output::print(&summarize(&types))?,
            Err(failure) => refused.push(failure),
        }
    }
    Failure::join(refused).map_or(Ok(Exit::Ok), Err)
}

/// Prints what Kubernetes reads otherwise than the author of a definition may mean.
pub(in crate::cli) fn warn_of_reading(read: &DefinitionFile) {
    for warning in read.file.warnings() {
        output::error(&format!("warning: {warning}"));
    }
    if read.definition.is_old {
        let place = read.place();
        output::error(&format!(
            "note: {place}: read as apiextensions.k8s.io/v1, to which servers from 1.16 to 1.21 converted v1beta1"
        ));
    }
}

/// Returns the errors because of which an API server cannot have a definition. One that servers of today refuse to create is kept
/// where an older one stored it, if an update without a change is accepted. It has a note.
pub(in crate::cli) fn refusals_of_established(read: &DefinitionFile) -> Vec<Error> {
    let kept = read.refusals(Some(&read.definition));
    if let (Some(first), true) = (read.refusals(None).first(), kept.is_empty()) {
        output::error(&format!(
            "note: {}:{}: servers of today refuse to create the definition, and keep it if it is there: {}",
            read.file.name(),
            read.line_of(first.path()),
            first.message()
        ));
    }
    kept
}

/// Prints the parts of a definition that no command simulates.
fn note_not_simulated(read: &DefinitionFile) {
    for version in &read.definition.versions {
        let Ok(resource) = CustomResourceVersion::read(&read.document, &version.name) else { continue };
        for (path, part) in resource.not_simulated() {
            output::error(&format!("note: {}:{}: {part}", read.file.name(), read.line_of(&path)));
        }
    }
}

fn summarize(types: &Types) -> String {
    let declarations = types.declarations();
    let declared = &declarations.types;
    let structs = || {
        declared
            .iter()
            .filter_map(|ty| if let Shape::Struct(fields) = &ty.shape { Some(fields) } else { None })
    };
    let enums = declared.iter().filter(|ty| matches!(ty.shape, Shape::Enum { .. })).count();
    let fields = structs().map(Vec::len).sum();
    let patched = structs().flatten().filter(|field| has_patch_metadata(field)).count();
    let schema = types.schema();
    let unions = declared.iter().filter_map(|ty| match (&ty.shape, schema.get(schema.named(&ty.name)?)) {
        (Shape::Struct(fields), Type::Struct(struct_type)) if !struct_type.unions().is_empty() => {
            // A compiled struct also has the unions of its embedded structs, which are counted where they are declared.
            let declared_fields: HashSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            let is_declared_here = |union: &&Union| {
                union.members.iter().any(|member| declared_fields.contains(member.field.as_str()))
            };
            Some(struct_type.unions().iter().filter(is_declared_here).count())
        }
        _ => None,
    });
    let mut text = format!("{}: {}\n", types.display_name(), types.format().describe());
    for (count, one, many) in [
        (declared.len(), "type", "types"),
        (types.kinds().sorted().len(), "kind of objects", "kinds of objects"),
        (structs().count(), "struct", "structs"),
        (enums, "enum", "enums"),
        (fields, "field", "fields"),
        (patched, "field with patch metadata", "fields with patch metadata"),
        (unions.sum(), "union", "unions"),
    ] {
        let _ = writeln!(text, "{count:>7} {}", if count == 1 { one } else { many });
    }
    text
}

fn has_patch_metadata(field: &FieldDecl) -> bool {
    field.patch != PatchMeta::default()
}
