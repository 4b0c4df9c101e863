//! Mapping of kubectl's error messages to error kinds. The message is the only part of a kubectl error that shows its
//! kind.

use skewer_engine::{Error, ErrorKind};

/// Message prefixes with their error kinds. Only the prefix is compared, because the rest of a message often contains
/// parts of documents.
const MESSAGE_PREFIXES: &[(&str, ErrorKind)] = &[
    ("unable to find api field", ErrorKind::UnknownField),
    ("merging an object in json but data type is not struct", ErrorKind::UnknownField),
    ("expected slice or array type", ErrorKind::SchemaMismatch),
    ("unexpected slice of slice", ErrorKind::ListOfLists),
    ("lists of lists are not supported", ErrorKind::ListOfLists),
    ("expected a ", ErrorKind::WrongKind),
    ("value for key ", ErrorKind::WrongKind),
    ("cannot merge lists without merge key", ErrorKind::UndeclaredMergeKey),
    ("list element types are not identical", ErrorKind::MixedList),
    ("no elements in any of the given slices", ErrorKind::EmptyList),
    ("strategic merge patch format is not supported", ErrorKind::UnsupportedPatchFormat),
    ("strategic merge patch is not supported for ", ErrorKind::UnsupportedPatchFormat),
    ("invalid JSON document", ErrorKind::InvalidDocument),
    ("Invalid JSON Document", ErrorKind::InvalidDocument),
    ("Invalid JSON Patch", ErrorKind::InvalidDocument),
];

/// Prefixes of messages about a directive, with the name of that directive.
const DIRECTIVE_PREFIXES: &[(&str, &str)] = &[
    ("unknown patch type: ", "$patch"),
    ("invalid value for special key: ", "$patch"),
    ("merging lists cannot yet be specified in the patch", "$patch"),
    ("The order in patch list", "$setElementOrder"),
    ("invalid patch format of setElementOrder list", "$setElementOrder"),
    ("invalid patch format of primitive list", "$deleteFromPrimitiveList"),
    ("invalid patch format of retainKeys", "$retainKeys"),
    ("patch content doesn't match retainKeys list", "$retainKeys"),
];

/// Prefixes of the messages with which kubectl rejects a document as an object, before or after it applies the patch.
const NOT_AN_OBJECT_PREFIXES: &[&str] = &[
    "Object 'Kind' is missing",
    "Object 'apiVersion' is missing",
    "no objects passed to patch",
    "unable to decode",
];

/// Returns the error for a message, or `None` if the prefix is unknown.
pub(super) fn classified_error(message: &str) -> Option<Error> {
    if message.starts_with("map: map[") && message.contains("does not contain declared merge key: ") {
        return Some(Error::new(ErrorKind::MissingMergeKey, message));
    }
    let directive = DIRECTIVE_PREFIXES.iter().find(|(prefix, _)| message.starts_with(prefix));
    if let Some((_, directive)) = directive {
        return Some(Error::invalid_directive(directive, message));
    }
    let kind = MESSAGE_PREFIXES.iter().find(|(prefix, _)| message.starts_with(prefix));
    kind.map(|(_, kind)| Error::new(*kind, message))
}

/// Returns true if the message says that a document is not an object. The patch formats have no such rule.
pub(super) fn is_not_an_object(message: &str) -> bool {
    NOT_AN_OBJECT_PREFIXES.iter().any(|prefix| message.starts_with(prefix))
        || message.ends_with("type unstructured.detector")
}
