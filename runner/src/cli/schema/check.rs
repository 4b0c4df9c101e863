//! `skewer schema check`.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use skewer_cases::Types;
use skewer_engine::schema::{FieldDecl, PatchMeta, Shape, Type};

use super::super::document::File;
use super::super::{Failure, Result, output};
use crate::exit::Exit;

/// The arguments of `skewer schema check`.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 the file can be used; 1 it is wrong; 2 it could not be read.")]
pub(super) struct CheckArguments {
    /// Go types, an OpenAPI document, or a custom resource definition; - is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Carries the command out.
pub(super) fn check(arguments: &CheckArguments) -> Result {
    let file = File::read(&arguments.file)?;
    match Types::read(&file.name, &file.bytes) {
        Ok(types) => output::print(&summary(&types)).map(|()| Exit::Ok),
        Err(errors) => Err(Failure::new(Exit::CellFailed, output::file_errors(&errors))),
    }
}

fn summary(types: &Types) -> String {
    let declared = &types.declarations().types;
    let structs = || {
        declared
            .iter()
            .filter_map(|ty| if let Shape::Struct(fields) = &ty.shape { Some(fields) } else { None })
    };
    let enums = declared.iter().filter(|ty| matches!(ty.shape, Shape::Enum { .. })).count();
    let fields = structs().map(Vec::len).sum();
    let patched = structs().flatten().filter(|field| is_patched(field)).count();
    let schema = types.schema();
    let unions = declared.iter().filter_map(|ty| match schema.get(schema.named(&ty.name)?) {
        Type::Struct(held) => Some(held.unions().iter().filter(|union| belongs(ty, union)).count()),
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

fn is_patched(field: &FieldDecl) -> bool {
    field.patch != PatchMeta::default()
}

/// Is the union made of fields that the struct declares itself, and not of those that it embeds?
fn belongs(ty: &skewer_engine::schema::TypeDecl, union: &skewer_engine::schema::union::Union) -> bool {
    let Shape::Struct(fields) = &ty.shape else { return false };
    union.members.iter().any(|member| fields.iter().any(|field| field.name == member.field.as_str()))
}
