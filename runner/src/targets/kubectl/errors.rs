//! Error kinds of the messages of kubectl. Its errors can be told apart only by their messages.

use skewer_engine::ErrorKind;

/// Prefixes of messages, with their error kinds. Many messages contain parts of documents, so only the prefix is
/// reliable.
const MESSAGE_PREFIXES: &[(&str, ErrorKind)] = &[
    ("unable to find api field", ErrorKind::UnknownField),
    ("merging an object in json but data type is not struct", ErrorKind::UnknownField),
    ("expected slice or array type", ErrorKind::SchemaMismatch),
    ("unexpected slice of slice", ErrorKind::ListOfLists),
    ("lists of lists are not supported", ErrorKind::ListOfLists),
    ("expected a ", ErrorKind::WrongKind),
    ("value for key ", ErrorKind::WrongKind),
    ("unknown patch type: ", ErrorKind::UnknownPatchDirective),
    ("invalid value for special key: ", ErrorKind::UnknownPatchDirective),
    ("merging lists cannot yet be specified in the patch", ErrorKind::MergeDirectiveInList),
    ("The order in patch list", ErrorKind::ElementOrderMismatch),
    ("invalid patch format of setElementOrder list", ErrorKind::BadSetElementOrder),
    ("invalid patch format of primitive list", ErrorKind::BadDeleteFromPrimitiveList),
    ("invalid patch format of retainKeys", ErrorKind::BadRetainKeys),
    ("patch content doesn't match retainKeys list", ErrorKind::BadRetainKeys),
    ("cannot merge lists without merge key", ErrorKind::UndeclaredMergeKey),
    ("list element types are not identical", ErrorKind::MixedList),
    ("no elements in any of the given slices", ErrorKind::EmptyList),
    ("strategic merge patch format is not supported", ErrorKind::UnsupportedPatchFormat),
    ("strategic merge patch is not supported for ", ErrorKind::UnsupportedPatchFormat),
    ("invalid JSON document", ErrorKind::InvalidDocument),
    ("Invalid JSON Document", ErrorKind::InvalidDocument),
    ("Invalid JSON Patch", ErrorKind::InvalidDocument),
];

/// Prefixes of messages about documents that kubectl does not accept as objects, before or after the patch.
const NOT_AN_OBJECT_PREFIXES: &[&str] = &[
    "Object 'Kind' is missing",
    "Object 'apiVersion' is missing",
    "no objects passed to patch",
    "unable to decode",
];

/// Returns the error kind of a message.
pub(super) fn error_kind(message: &str) -> Option<ErrorKind> {
    if message.starts_with("map: map[") && message.contains("does not contain declared merge key: ") {
        return Some(ErrorKind::MissingMergeKey);
    }
    MESSAGE_PREFIXES.iter().find(|(prefix, _)| message.starts_with(prefix)).map(|(_, kind)| *kind)
}

/// Returns true if the message says that the document is not an object, which no rule of patches requires.
pub(super) fn is_not_an_object(message: &str) -> bool {
    NOT_AN_OBJECT_PREFIXES.iter().any(|prefix| message.starts_with(prefix))
        || message.ends_with("type unstructured.detector")
}
