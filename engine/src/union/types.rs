//! The validation of an object against its types. A server performs it in addition to its union policy.

use super::policy::{Policy, UnionGates};
use crate::document::{Doc, MAX_DEPTH, OwnedDoc, OwnedMap};
use crate::error::{Error, ErrorKind};
use crate::field_path::{FieldPath, PathSegment};
use crate::patch::PatchContext;
use crate::schema::{Field, Required, Schema, StructType, Type, TypeId};

/// Returns the errors of an object with their paths: unknown values of closed enums, missing required fields, and
/// values of the wrong kind. Unknown fields are ignored here; decoding drops or refuses them.
pub(super) fn errors(context: &PatchContext, policy: &dyn Policy, object: &OwnedDoc) -> Vec<Error> {
    let mut validation = Validation {
        schema: &context.schema,
        has_unions: policy.gates() != Some(UnionGates::OFF),
        path: FieldPath::root(),
        errors: Vec::new(),
    };
    validation.validate(context.root, object);
    validation.errors
}

struct Validation<'a> {
    schema: &'a Schema,
    /// Whether the server knows what a discriminator is. Without it, a discriminator is a string like any other: "requests will
    /// simply skip union validation".
    has_unions: bool,
    /// The path of the current value.
    path: FieldPath,
    errors: Vec<Error>,
}

impl Validation<'_> {
    fn validate(&mut self, ty: TypeId, value: &OwnedDoc) {
        if self.path.segments().len() > MAX_DEPTH {
            let message = format!("nested too deeply: at most {MAX_DEPTH} levels are validated");
            return self.report(Error::new(ErrorKind::TooDeep, message));
        }
        match (self.schema.get(ty), value) {
            (_, Doc::Null) | (Type::Any, _) => {}
            (Type::Enum(e), Doc::String(value)) => {
                if let Err(error) = e.check(value) {
                    self.report(error);
                }
            }
            (Type::Struct(s), Doc::Map(fields)) => self.validate_fields(s, fields),
            (Type::Map(values), Doc::Map(map)) => {
                for (key, value) in map.iter() {
                    self.descend(PathSegment::Key(key.clone()), *values, value);
                }
            }
            (Type::List(item_type), Doc::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.descend(PathSegment::Index(index), *item_type, item);
                }
            }
            (ty, value) if ty.accepts_scalar(value.kind()) => {}
            (ty, value) => {
                let message = format!("expected {}, found {}", ty.describe(), value.kind().with_article());
                self.report(Error::new(ErrorKind::Undecodable, message));
            }
        }
    }

    fn validate_fields(&mut self, s: &StructType, fields: &OwnedMap) {
        for field in s.fields() {
            let value = fields.get(&field.name).filter(|value| !is_absent(field, value));
            if !self.has_unions && is_discriminator(s, field) && matches!(value, None | Some(Doc::String(_)))
            {
                continue;
            }
            match value {
                Some(value) => self.descend(PathSegment::Key(field.name.clone()), field.ty, value),
                None if field.required == Required::Yes => {
                    let expected = self.describe_values(field);
                    let message = format!("a required field of {} is missing: expected {expected}", s.name);
                    self.report(Error::new(ErrorKind::RequiredFieldMissing, message).at(&field.name));
                }
                None => {}
            }
        }
    }

    /// Describes the values that a field expects, for messages.
    fn describe_values(&self, field: &Field) -> String {
        match self.schema.get(field.ty) {
            Type::Enum(e) if e.closed => {
                let quoted: Vec<String> =
                    e.values.iter().map(|value| format!("{:?}", value.as_str())).collect();
                format!("one of {}", quoted.join(", "))
            }
            ty => ty.describe(),
        }
    }

    fn descend(&mut self, segment: PathSegment, ty: TypeId, value: &OwnedDoc) {
        self.path.push(segment);
        self.validate(ty, value);
        self.path.pop();
    }

    fn report(&mut self, error: Error) {
        self.errors.push(error.at_path(&self.path));
    }
}

fn is_discriminator(s: &StructType, field: &Field) -> bool {
    s.unions().iter().filter_map(|union| union.discriminator.as_ref()).any(|d| d.field == field.name)
}

/// Returns true if the value is null, or an empty string that encoding omits (`omitempty`).
fn is_absent(field: &Field, value: &OwnedDoc) -> bool {
    let is_omitted = field.omit_empty && !field.is_pointer;
    value.is_null() || (is_omitted && value.as_str().is_some_and(str::is_empty))
}
