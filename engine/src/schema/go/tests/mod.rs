mod edges;
mod errors;
mod fields;
mod names;
mod proposals;
mod robustness;

use super::{GoError, GoErrorKind, read};
use crate::schema::{Declarations, EnumValue, FieldDecl, Shape, TypeDecl};

/// Reads a text. Panics if the text has errors.
#[track_caller]
fn ok(source: &str) -> Declarations {
    read(source).unwrap_or_else(|errors| panic!("{}", shown(&errors)))
}

/// Returns the errors of a text. Panics if the text has no errors.
#[track_caller]
fn refused(source: &str) -> Vec<GoError> {
    read(source).expect_err("the text must be refused")
}

fn shown(errors: &[GoError]) -> String {
    errors.iter().map(|e| format!("{e} [{}]", e.kind.id())).collect::<Vec<_>>().join("\n")
}

/// Returns the line and the kind of each error.
#[track_caller]
fn kinds(source: &str) -> Vec<(u32, GoErrorKind)> {
    refused(source).iter().map(|e| (e.line, e.kind)).collect()
}

#[track_caller]
fn decl<'a>(declarations: &'a Declarations, name: &str) -> &'a TypeDecl {
    declarations.get(name).unwrap_or_else(|| panic!("no type {name}"))
}

#[track_caller]
fn fields<'a>(declarations: &'a Declarations, name: &str) -> &'a [FieldDecl] {
    match &decl(declarations, name).shape {
        Shape::Struct(fields) => fields,
        other => panic!("{name} is no struct: {other:?}"),
    }
}

#[track_caller]
fn field<'a>(declarations: &'a Declarations, ty: &str, name: &str) -> &'a FieldDecl {
    let found = fields(declarations, ty).iter().find(|f| f.name == name);
    found.unwrap_or_else(|| panic!("{ty} has no field {name:?}"))
}

/// Returns the only field of the struct `T`, which has this body.
#[track_caller]
fn only_field(body: &str) -> FieldDecl {
    let declarations = ok(&format!("type T struct {{\n{body}\n}}"));
    let [field] = fields(&declarations, "T") else { panic!("one field is expected") };
    field.clone()
}

#[track_caller]
fn values<'a>(declarations: &'a Declarations, name: &str) -> (&'a [EnumValue], bool) {
    match &decl(declarations, name).shape {
        Shape::Enum { values, closed } => (values, *closed),
        other => panic!("{name} is no enum: {other:?}"),
    }
}

fn texts(values: &[EnumValue]) -> Vec<&str> {
    values.iter().map(|v| v.value.as_str()).collect()
}
