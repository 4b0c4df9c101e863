//! The state of reading the unions of one struct: its fields, the errors, and the markers that are ignored.

use super::errors::{UnionError, UnionErrorKind};
use super::type_lookup::{ResolvedType, TypeLookup};
use crate::schema::declarations::{FieldDecl, TypeDecl};

/// A marker that refers to a union and declares none that could be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredUnionMarker {
    /// The type and the field: `LimitResponse.type`.
    pub field: String,
    /// The marker and the reason: `+unionDiscriminator without any +unionMember beside it`.
    pub description: String,
    /// Line in the source, from 1; 0 when unknown.
    pub line: u32,
}

/// The state of reading the unions of one struct.
pub(super) struct StructContext<'r, 'd> {
    pub(super) types: &'r TypeLookup<'d>,
    pub(super) fields: &'d [FieldDecl],
    pub(super) decl: &'d TypeDecl,
    /// The fields marked as discriminators in structs that embed this one, or that it embeds.
    pub(super) adjacent_discriminators: &'r [&'d FieldDecl],
    pub(super) errors: &'r mut Vec<UnionError>,
    pub(super) ignored_markers: &'r mut Vec<IgnoredUnionMarker>,
}

impl StructContext<'_, '_> {
    pub(super) fn error(
        &mut self,
        field: &FieldDecl,
        line: u32,
        kind: UnionErrorKind,
        message: impl Into<String>,
    ) {
        let subject = type_and_field(self.decl, field);
        self.errors.push(UnionError { line, subject, kind, message: message.into() });
    }

    pub(super) fn ignore_marker(&mut self, field: &FieldDecl, description: &str, line: u32) {
        self.ignored_markers.push(IgnoredUnionMarker {
            field: type_and_field(self.decl, field),
            description: description.to_owned(),
            line,
        });
    }

    pub(super) fn ignore_marker_on(&mut self, field: &str, description: &str) {
        if let Some(field) = self.fields.iter().find(|f| f.name == field) {
            self.ignore_marker(field, description, field.line);
        }
    }

    /// Returns true for a discriminator of a struct that embeds this one, or is embedded in it.
    pub(super) fn is_adjacent_discriminator(&self, name: &str) -> bool {
        self.adjacent_discriminators.iter().any(|field| field.go_name == name || field.name == name)
    }

    pub(super) fn has_adjacent_discriminators(&self) -> bool {
        !self.adjacent_discriminators.is_empty()
    }

    /// Returns the value of `Member::zero_is_unset`. Without a Go name pointers are unknown: then presence decides.
    pub(super) fn zero_is_unset(&self, field: &FieldDecl) -> bool {
        let is_pointer = self.types.is_pointer(&field.ty) || field.go_name.is_empty();
        !is_pointer
            && !matches!(self.types.resolve(&field.ty), ResolvedType::Struct { .. } | ResolvedType::Any)
    }
}

/// Returns the Go names of a type and one of its fields: `LimitResponse.type`.
fn type_and_field(decl: &TypeDecl, field: &FieldDecl) -> String {
    let name = if field.go_name.is_empty() { &field.name } else { &field.go_name };
    format!("{}.{name}", decl.name)
}
