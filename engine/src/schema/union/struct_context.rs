//! The context in which the unions of one struct are read: its fields, the errors, and the warnings.

use rustc_hash::FxHashSet;

use super::errors::{UnionError, UnionErrorKind};
use super::type_lookup::{ResolvedType, resolve};
use crate::document::{OwnedText, Text};
use crate::schema::declarations::{EnumValue, FieldDecl, TypeDecl};
use crate::schema::resolution::DeclarationIndex;

/// A warning about a union marker: it is ignored, because it does not declare a union that can be validated, or it does
/// not follow a recommendation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnionWarning {
    /// The type and the field, such as `LimitResponse.type`.
    pub field: String,
    /// The marker and what is wrong with it, such as `+unionDiscriminator without +unionMember in the same struct`.
    pub description: String,
    /// The line in the source, counted from 1. 0 if the line is unknown.
    pub line: u32,
}

/// The context in which the unions of one struct are read.
pub(super) struct StructContext<'r, 'd> {
    pub(super) types: &'r DeclarationIndex<'d>,
    pub(super) fields: &'d [FieldDecl],
    pub(super) decl: &'d TypeDecl,
    /// The structs that embed this struct or are embedded in it, by the index of their declaration.
    pub(super) adjacent_structs: &'r [usize],
    pub(super) errors: &'r mut Vec<UnionError>,
    pub(super) warnings: &'r mut Vec<UnionWarning>,
    pub(super) size: &'r mut UnionSize,
}

/// Maximum size of all names and values in the unions of a schema, in bytes. Copies count, because each discriminator
/// has a copy of the values of its enum, and each struct has a copy of the unions that it embeds.
pub const MAX_UNION_SIZE: usize = 32 << 20;

/// The size of the unions that were read so far.
#[derive(Default)]
pub(super) struct UnionSize {
    bytes: usize,
    /// Whether the error about the limit was reported.
    is_reported: bool,
}

impl UnionSize {
    /// Adds the size of texts. If this would exceed the limit, returns false and adds nothing.
    pub(super) fn add<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> bool {
        // Each text takes 24 bytes. A short text is stored in these bytes. A longer text takes further bytes.
        let added = texts.fold(0_usize, |sum, text| sum.saturating_add(24 + text.len()));
        match self.bytes.checked_add(added).filter(|bytes| *bytes <= MAX_UNION_SIZE) {
            Some(bytes) => {
                self.bytes = bytes;
                true
            }
            None => false,
        }
    }

    /// Marks the error about the limit as reported. Returns true if it was not reported before.
    pub(super) fn is_first_report(&mut self) -> bool {
        !std::mem::replace(&mut self.is_reported, true)
    }
}

/// Returns the error message for unions that exceed [`MAX_UNION_SIZE`].
pub(super) fn too_large() -> String {
    format!("the names and values in the unions of this schema have more than {MAX_UNION_SIZE} bytes in all")
}

/// Maximum number of errors for which the discriminators of neighbouring structs are searched, to suggest a correction.
const MAX_EXPLAINED: usize = 1_000;

impl<'d> StructContext<'_, 'd> {
    pub(super) fn error(
        &mut self,
        field: &FieldDecl,
        line: u32,
        kind: UnionErrorKind,
        message: impl Into<String>,
    ) {
        let subject = type_and_field(self.decl, field);
        let (type_name, key) = (self.decl.name.clone(), field.name.clone());
        self.errors.push(UnionError { line, subject, type_name, key, kind, message: message.into() });
    }

    pub(super) fn warn(&mut self, field: &FieldDecl, description: &str, line: u32) {
        self.warnings.push(UnionWarning {
            field: type_and_field(self.decl, field),
            description: description.to_owned(),
            line,
        });
    }

    pub(super) fn warn_about(&mut self, field: &str, description: &str) {
        if let Some(field) = self.fields.iter().find(|f| f.name == field) {
            self.warn(field, description, field.line);
        }
    }

    /// Returns the values of the enum of a discriminator without repetitions. If the values exceed the size limit,
    /// reports an error and returns no values.
    pub(super) fn distinct_values(&mut self, field: &FieldDecl, values: &[EnumValue]) -> Vec<OwnedText> {
        if !self.size.add(values.iter().map(|value| value.value.as_str())) {
            if self.size.is_first_report() {
                self.error(field, field.line, UnionErrorKind::TooLarge, too_large());
            }
            return Vec::new();
        }
        let mut seen = FxHashSet::default();
        let distinct = values.iter().filter(|value| seen.insert(value.value.as_str()));
        distinct.map(|value| Text::from(&value.value)).collect()
    }

    /// Returns true if a struct that embeds this struct or is embedded in it has a discriminator with this name.
    pub(super) fn is_adjacent_discriminator(&self, name: &str) -> bool {
        self.adjacent_discriminators().any(|field| field.go_name == name || field.name == name)
    }

    pub(super) fn has_adjacent_discriminators(&self) -> bool {
        self.adjacent_discriminators().next().is_some()
    }

    fn adjacent_discriminators(&self) -> impl Iterator<Item = &'d FieldDecl> {
        let structs = if self.errors.len() < MAX_EXPLAINED { self.adjacent_structs } else { &[] };
        let fields = structs.iter().flat_map(|index| self.types.struct_fields(*index).unwrap_or_default());
        fields.filter(|field| field.marker("unionDiscriminator").is_some())
    }

    /// Returns the value of `Member::zero_is_unset` for a field. The value is false if the source is not Go, because
    /// such a source does not tell whether the field is a pointer.
    pub(super) fn zero_is_unset(&self, field: &FieldDecl) -> bool {
        let is_pointer = self.types.resolve(&field.ty).is_pointer || field.go_name.is_empty();
        !is_pointer && !matches!(resolve(self.types, &field.ty), ResolvedType::Struct | ResolvedType::Any)
    }
}

/// Returns the names of a type and a field, such as `LimitResponse.type`. The Go name of the field is used if there is
/// one.
fn type_and_field(decl: &TypeDecl, field: &FieldDecl) -> String {
    let name = if field.go_name.is_empty() { &field.name } else { &field.go_name };
    format!("{}.{name}", decl.name)
}
