//! The schemas that validate a value. `OpenAPI` validation does not tell structural schemas from those in `allOf`.

use crate::admission::structural::{NestedValidation, StructuralSchema, ValueType, ValueValidation};

/// A schema of a value, or a schema inside `allOf`, `anyOf`, `oneOf` or `not`.
#[derive(Clone, Copy)]
pub(super) enum Source<'s> {
    Schema(&'s StructuralSchema),
    Nested(&'s NestedValidation),
}

impl<'s> Source<'s> {
    /// Returns the valid types. There are none if all types are valid.
    pub(super) fn types(self) -> &'s [ValueType] {
        match self {
            Source::Schema(schema) if schema.int_or_string => &[ValueType::Integer, ValueType::String],
            Source::Schema(schema) => schema.ty.as_slice(),
            Source::Nested(nested) => nested.ty.as_slice(),
        }
    }

    /// Returns the type if there is exactly one.
    pub(super) fn ty(self) -> Option<ValueType> {
        match self.types() {
            [ty] => Some(*ty),
            _ => None,
        }
    }

    pub(super) fn is_nullable(self) -> bool {
        matches!(self, Source::Schema(schema) if schema.nullable)
    }

    pub(super) fn validation(self) -> &'s ValueValidation {
        match self {
            Source::Schema(schema) => &schema.validation,
            Source::Nested(nested) => &nested.validation,
        }
    }

    pub(super) fn field(self, name: &str) -> Option<Source<'s>> {
        match self {
            Source::Schema(schema) => schema.field(name).map(Source::Schema),
            Source::Nested(nested) => {
                let field = nested.properties.get(name).or(nested.additional_properties.as_deref());
                field.map(Source::Nested)
            }
        }
    }

    pub(super) fn items(self) -> Option<Source<'s>> {
        match self {
            Source::Schema(schema) => schema.items.as_deref().map(Source::Schema),
            Source::Nested(nested) => nested.items.as_deref().map(Source::Nested),
        }
    }
}
