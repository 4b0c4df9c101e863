//! Documents with fixed fields, decoded as Go does: fields that the type does not have, and most fields with the zero value of
//! their type, are left out.

use std::sync::LazyLock;

use regex::Regex;
use skewer_engine::document::{Doc, OwnedDoc, OwnedMap, Text};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::field_path::{FieldPath, PathSegment};

static TIME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.,][0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$").expect("a valid expression")
});

/// The type of a field. Except for objects, their maps, and optional values, the zero value is left out.
#[derive(Clone, Copy)]
pub(crate) enum GoType {
    Text,
    /// A pointer to a text. An empty text is kept.
    OptionalText,
    Flag,
    /// A pointer to a boolean, whose false is kept.
    OptionalFlag,
    Integer,
    /// A pointer to an integer, whose zero is kept.
    OptionalInteger,
    /// An integer of 32 bits. Zero is kept.
    ShortInteger,
    /// A pointer to a number, whose zero is kept.
    OptionalNumber,
    Time,
    /// Bytes in base64.
    Bytes,
    Any,
    Texts,
    /// A list of texts. An empty list is kept.
    KeptTexts,
    /// A list of values of users. An empty list is kept.
    Values,
    TextMap,
    Object(&'static [GoField]),
    Objects(&'static [GoField]),
    /// A list of objects. An empty list is kept.
    KeptObjects(&'static [GoField]),
    ObjectMap(&'static [GoField]),
    /// An object, or true or false.
    ObjectOrFlag(&'static [GoField]),
    /// An object or a list of objects. Any other value counts as an empty list.
    ObjectOrObjects(&'static [GoField]),
    /// A map of objects or lists of texts. Any other value is left out.
    ObjectOrTextsMap(&'static [GoField]),
}

pub(crate) struct GoField {
    name: &'static str,
    ty: GoType,
    is_always_written: bool,
}

pub(crate) const fn field(name: &'static str, ty: GoType) -> GoField {
    GoField { name, ty, is_always_written: false }
}

pub(crate) const fn written(name: &'static str) -> GoField {
    GoField { name, ty: GoType::Text, is_always_written: true }
}

fn undecodable(expected: &str, value: &OwnedDoc, path: &FieldPath) -> Error {
    let message = format!("expected {expected}, found {}", value.kind().with_article());
    Error::new(ErrorKind::Undecodable, message).at_path(path)
}

/// Decodes an object with fixed fields. Null has none of them. Adds the paths of unknown fields.
///
/// # Errors
///
/// [`ErrorKind::Undecodable`] if a field does not have its type.
pub(crate) fn decode_object(
    fields: &[GoField],
    value: &OwnedDoc,
    path: &mut FieldPath,
    unknown: &mut Vec<FieldPath>,
) -> Result<OwnedDoc> {
    let mut decoded = OwnedMap::new();
    let empty = OwnedMap::new();
    let map = match value {
        Doc::Null => &empty,
        Doc::Map(map) => map,
        _ => return Err(undecodable("a map", value, path)),
    };
    for (key, value) in map.iter() {
        path.push(PathSegment::Key(key.clone()));
        match fields.iter().find(|field| field.name == key.as_str()) {
            Some(field) => {
                if let Some(value) = decode(field.ty, value, path, unknown)? {
                    decoded.insert(key.clone(), value);
                }
            }
            None => unknown.push(path.clone()),
        }
        path.pop();
    }
    for field in fields.iter().filter(|field| field.is_always_written) {
        if !decoded.contains_key(field.name) {
            decoded.insert(Text::from_static(field.name), Doc::from(""));
        }
    }
    Ok(Doc::Map(decoded))
}

/// Decodes the value of a field. Returns `None` if it is the zero value.
fn decode(
    ty: GoType,
    value: &OwnedDoc,
    path: &mut FieldPath,
    unknown: &mut Vec<FieldPath>,
) -> Result<Option<OwnedDoc>> {
    let decoded = match (ty, value) {
        (_, Doc::Null) => return Ok(None),
        (GoType::Text, Doc::String(text)) => (!text.as_str().is_empty()).then(|| value.clone()),
        (GoType::Flag, Doc::Bool(set)) => set.then(|| value.clone()),
        (GoType::Integer, Doc::Int(number)) => (*number != 0).then(|| value.clone()),
        (GoType::ShortInteger, Doc::Int(number)) if i32::try_from(*number).is_ok() => Some(value.clone()),
        (GoType::Bytes, Doc::String(text)) if is_base64(text) => Some(value.clone()),
        (GoType::OptionalText, Doc::String(_))
        | (GoType::OptionalInteger, Doc::Int(_))
        | (GoType::OptionalNumber, Doc::Int(_) | Doc::Float(_))
        | (GoType::OptionalFlag | GoType::ObjectOrFlag(_), Doc::Bool(_))
        | (GoType::Values, Doc::List(_))
        | (GoType::Any, _) => Some(value.clone()),
        (GoType::Time, Doc::String(text)) if TIME.is_match(text.as_str()) => Some(value.clone()),
        (GoType::Texts | GoType::KeptTexts, Doc::List(items)) => {
            let texts = decode_items(items, path, |item, path| text_or_empty(item, path))?;
            (!texts.is_empty() || matches!(ty, GoType::KeptTexts)).then_some(Doc::List(texts))
        }
        (GoType::TextMap, Doc::Map(map)) => {
            let texts = decode_values(map, path, |value, path| text_or_empty(value, path))?;
            (!texts.is_empty()).then_some(Doc::Map(texts))
        }
        (
            GoType::Object(fields) | GoType::ObjectOrFlag(fields) | GoType::ObjectOrObjects(fields),
            Doc::Map(_),
        ) => Some(decode_object(fields, value, path, unknown)?),
        (
            GoType::Objects(fields) | GoType::KeptObjects(fields) | GoType::ObjectOrObjects(fields),
            Doc::List(items),
        ) => {
            let objects = decode_items(items, path, |item, path| decode_object(fields, item, path, unknown))?;
            let is_kept = !matches!(ty, GoType::Objects(_)) || !objects.is_empty();
            is_kept.then_some(Doc::List(objects))
        }
        (GoType::ObjectMap(fields), Doc::Map(map)) => {
            let decode = |value: &OwnedDoc, path: &mut FieldPath| decode_object(fields, value, path, unknown);
            Some(Doc::Map(decode_values(map, path, decode)?))
        }
        (GoType::ObjectOrObjects(_), _) => Some(Doc::List(Vec::new())),
        (GoType::ObjectOrTextsMap(fields), Doc::Map(map)) => {
            let decode = |value: &OwnedDoc, path: &mut FieldPath| match value {
                Doc::Map(_) => decode_object(fields, value, path, unknown),
                Doc::List(items) => {
                    Ok(Doc::List(decode_items(items, path, |item, path| text_or_empty(item, path))?))
                }
                _ => Ok(Doc::Null),
            };
            Some(Doc::Map(decode_values(map, path, decode)?))
        }
        (ty, value) => return Err(undecodable(describe(ty), value, path)),
    };
    Ok(decoded)
}

fn decode_items(
    items: &[OwnedDoc],
    path: &mut FieldPath,
    mut decode: impl FnMut(&OwnedDoc, &mut FieldPath) -> Result<OwnedDoc>,
) -> Result<Vec<OwnedDoc>> {
    let mut decoded = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        path.push(PathSegment::Index(index));
        decoded.push(decode(item, path)?);
        path.pop();
    }
    Ok(decoded)
}

fn decode_values(
    map: &OwnedMap,
    path: &mut FieldPath,
    mut decode: impl FnMut(&OwnedDoc, &mut FieldPath) -> Result<OwnedDoc>,
) -> Result<OwnedMap> {
    let mut decoded = OwnedMap::new();
    for (key, value) in map.iter() {
        path.push(PathSegment::Key(key.clone()));
        decoded.insert(key.clone(), decode(value, path)?);
        path.pop();
    }
    Ok(decoded)
}

fn text_or_empty(value: &OwnedDoc, path: &FieldPath) -> Result<OwnedDoc> {
    match value {
        Doc::Null => Ok(Doc::from("")),
        Doc::String(_) => Ok(value.clone()),
        _ => Err(undecodable("a string", value, path)),
    }
}

/// Upstream: `base64.StdEncoding`, which ignores line breaks.
fn is_base64(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    let code = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - code.len() <= 2
        && code.len() % 4 != 1
        && code.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/'))
}

fn describe(ty: GoType) -> &'static str {
    match ty {
        GoType::Text | GoType::OptionalText => "a string",
        GoType::Integer | GoType::OptionalInteger => "an integer",
        GoType::ShortInteger => "an integer of 32 bits",
        GoType::OptionalNumber => "a number",
        GoType::Flag | GoType::OptionalFlag => "true or false",
        GoType::Time => "a time such as 2006-01-02T15:04:05Z",
        GoType::Bytes => "text in base64",
        GoType::Any => "a value",
        GoType::Values | GoType::ObjectOrObjects(_) => "a list",
        GoType::Texts | GoType::KeptTexts => "a list of strings",
        GoType::TextMap => "a map of strings",
        GoType::Object(_) => "a map",
        GoType::ObjectOrFlag(_) => "a map, true or false",
        GoType::Objects(_) | GoType::KeptObjects(_) => "a list of maps",
        GoType::ObjectMap(_) | GoType::ObjectOrTextsMap(_) => "a map of maps",
    }
}
