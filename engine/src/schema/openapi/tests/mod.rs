mod documents;
mod errors;
#[cfg(feature = "go")]
mod keywords;
#[cfg(feature = "go")]
mod round_trip;
#[cfg(feature = "go")]
mod unions;
mod upstream;

use super::{read, write_v2, write_v3};
use crate::document::OwnedDoc;
use crate::schema::{Declarations, FieldDecl, Shape, TypeExpr};
use crate::test_support::json;

/// Reads a document. Panics if the document has errors.
#[track_caller]
fn ok(document: &OwnedDoc) -> Declarations {
    read(document).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Returns the displayed errors of a document. Panics if the document has no errors.
#[track_caller]
fn refused(document: &OwnedDoc) -> Vec<String> {
    read(document).expect_err("the document must be refused").iter().map(ToString::to_string).collect()
}

fn v3(schemas: &str) -> OwnedDoc {
    json(&format!(r#"{{"openapi":"3.0.0","components":{{"schemas":{schemas}}}}}"#))
}

/// Returns a v3 document with a type `T` that has one property `a` with this schema.
fn with_property(schema: &str) -> OwnedDoc {
    v3(&format!(r#"{{"T":{{"type":"object","properties":{{"a":{schema}}}}}}}"#))
}

#[track_caller]
fn fields<'a>(declarations: &'a Declarations, name: &str) -> &'a [FieldDecl] {
    match declarations.get(name).map(|decl| &decl.shape) {
        Some(Shape::Struct(fields)) => fields,
        other => panic!("{name} is no struct: {other:?}"),
    }
}

#[track_caller]
fn field<'a>(declarations: &'a Declarations, ty: &str, name: &str) -> &'a FieldDecl {
    let found = fields(declarations, ty).iter().find(|f| f.name == name);
    found.unwrap_or_else(|| panic!("{ty} has no field {name:?}"))
}

fn names(declarations: &Declarations) -> Vec<&str> {
    declarations.types.iter().map(|ty| ty.name.as_str()).collect()
}

fn named(name: &str) -> TypeExpr {
    TypeExpr::Named(name.to_owned())
}

fn markers(field: &FieldDecl) -> Vec<String> {
    field.markers.iter().map(|marker| format!("{}{}", marker.name, marker.value)).collect()
}
