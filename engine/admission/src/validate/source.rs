//! The schemas that validate a value. `OpenAPI` validation does not tell structural schemas from those in `allOf`.

use super::format::TextFormat;
use crate::AdmissionOptions;
use crate::structural::{NestedValidation, StructuralSchema, ValueType, ValueValidation};

/// A schema of a value, or a schema inside `allOf`, `anyOf`, `oneOf` or `not`.
#[derive(Clone, Copy)]
pub(super) struct Source<'s> {
    kind: Kind<'s>,
    pub(super) options: AdmissionOptions,
}

#[derive(Clone, Copy)]
enum Kind<'s> {
    Schema(&'s StructuralSchema),
    Nested(&'s NestedValidation),
}

impl<'s> Source<'s> {
    pub(super) fn new(schema: &'s StructuralSchema, options: AdmissionOptions) -> Self {
        Source { kind: Kind::Schema(schema), options }
    }

    /// Returns the source for a schema inside this one.
    pub(super) fn nested(self, nested: &'s NestedValidation) -> Self {
        Source { kind: Kind::Nested(nested), ..self }
    }

    /// Returns the structural schema. There is none inside `allOf` and the like.
    pub(super) fn schema(self) -> Option<&'s StructuralSchema> {
        match self.kind {
            Kind::Schema(schema) => Some(schema),
            Kind::Nested(_) => None,
        }
    }

    /// Returns the valid types. There are none if all types are valid.
    pub(super) fn types(self) -> &'s [ValueType] {
        match self.kind {
            Kind::Schema(schema) if schema.int_or_string => &[ValueType::Integer, ValueType::String],
            Kind::Schema(schema) => schema.ty.as_slice(),
            Kind::Nested(nested) => nested.ty.as_slice(),
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
        self.schema().is_some_and(|schema| schema.nullable)
    }

    pub(super) fn validation(self) -> &'s ValueValidation {
        match self.kind {
            Kind::Schema(schema) => &schema.validation,
            Kind::Nested(nested) => &nested.validation,
        }
    }

    /// Returns the format if it is one of strings that the server knows, with its name. The server ignores formats that do
    /// not fit the type. Upstream: `StripUnsupportedFormatsPostProcessorForVersion`.
    pub(super) fn string_format(self) -> Option<(&'s str, TextFormat)> {
        let name = self.validation().format.as_deref()?;
        let is_number = matches!(self.ty(), Some(ValueType::Integer | ValueType::Number));
        TextFormat::of_strings(name, self.options.has_name_formats())
            .filter(|_| !is_number)
            .map(|format| (name, format))
    }

    pub(super) fn field(self, name: &str) -> Option<Source<'s>> {
        let kind = match self.kind {
            Kind::Schema(schema) => Kind::Schema(schema.field(name)?),
            Kind::Nested(nested) => {
                let field = nested.properties.get(name).or(nested.additional_properties.as_deref());
                Kind::Nested(field?)
            }
        };
        Some(Source { kind, ..self })
    }

    pub(super) fn items(self) -> Option<Source<'s>> {
        let kind = match self.kind {
            Kind::Schema(schema) => Kind::Schema(schema.items.as_deref()?),
            Kind::Nested(nested) => Kind::Nested(nested.items.as_deref()?),
        };
        Some(Source { kind, ..self })
    }
}
