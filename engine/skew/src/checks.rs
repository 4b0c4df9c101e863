//! The checks of a stored object that need only its types.

use skewer_engine::document::{Doc, OwnedDoc, OwnedText};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::union::DeclarationForm;
use skewer_engine::schema::{Required, Type, TypeId};

/// Refuses a document that lacks a field that an `OpenAPI` schema requires. A Go type has a zero value for each of its
/// fields, so that none is missing.
pub(super) fn refuse_missing_fields(context: &PatchContext, document: &OwnedDoc, ty: TypeId) -> Result<()> {
    match (context.schema.get(ty), document) {
        (Type::Struct(s), Doc::Map(map)) => s.fields().try_for_each(|field| match map.get(&field.name) {
            Some(value) if !value.is_null() => {
                refuse_missing_fields(context, value, field.ty).map_err(|e| e.at(&field.name))
            }
            _ if field.required == Required::Yes && !field.is_go => {
                let message = format!("a required field of {} is missing", s.name);
                Err(Error::new(ErrorKind::RequiredFieldMissing, message).at(&field.name))
            }
            _ => Ok(()),
        }),
        (Type::Map(values), Doc::Map(map)) => map.iter().try_for_each(|(key, value)| {
            refuse_missing_fields(context, value, *values).map_err(|e| e.at(key))
        }),
        (Type::List(item_type), Doc::List(items)) => {
            items.iter().enumerate().try_for_each(|(index, item)| {
                refuse_missing_fields(context, item, *item_type).map_err(|e| e.at_index(index))
            })
        }
        _ => Ok(()),
    }
}

/// Refuses a document with a value that a closed enum of the server's types does not have. Skips the discriminators of
/// unions, because only the union policy decides on them.
pub(super) fn refuse_unknown_enum_values(
    context: &PatchContext,
    document: &OwnedDoc,
    ty: TypeId,
) -> Result<()> {
    match (context.schema.get(ty), document) {
        (Type::Enum(e), Doc::String(value)) => e.check(value),
        (Type::Struct(s), Doc::Map(map)) => {
            let is_discriminator = |key: &OwnedText| {
                // The discriminator of a modal union is an enum like any other: the union has no rule for its values.
                let mut unions = s.unions().iter().filter(|union| union.form != DeclarationForm::Modal);
                unions.any(|union| union.discriminator.as_ref().is_some_and(|d| d.field == *key))
            };
            map.iter().filter(|(key, _)| !is_discriminator(key)).try_for_each(|(key, value)| {
                s.field(key).map_or(Ok(()), |field| {
                    refuse_unknown_enum_values(context, value, field.ty).map_err(|e| e.at(key))
                })
            })
        }
        (Type::Map(values), Doc::Map(map)) => map.iter().try_for_each(|(key, value)| {
            refuse_unknown_enum_values(context, value, *values).map_err(|e| e.at(key))
        }),
        (Type::List(item_type), Doc::List(items)) => {
            items.iter().enumerate().try_for_each(|(index, item)| {
                refuse_unknown_enum_values(context, item, *item_type).map_err(|e| e.at_index(index))
            })
        }
        _ => Ok(()),
    }
}
