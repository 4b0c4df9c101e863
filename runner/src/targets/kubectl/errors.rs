//! The messages of kubectl, which has nothing else to tell its errors by, as kinds of errors.

use skewer_engine::ErrorKind;

/// Beginnings of messages. Documents are printed into many of them, so that only the beginning can be trusted.
const BEGINNINGS: &[(&str, ErrorKind)] = &[
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

/// Beginnings of what kubectl says of documents that it does not take for objects, before or after the patch.
const NO_OBJECT: &[&str] = &[
    "Object 'Kind' is missing",
    "Object 'apiVersion' is missing",
    "no objects passed to patch",
    "unable to decode",
];

/// The kind of an error.
pub(super) fn kind(message: &str) -> Option<ErrorKind> {
    if message.starts_with("map: map[") && message.contains("does not contain declared merge key: ") {
        return Some(ErrorKind::MissingMergeKey);
    }
    BEGINNINGS.iter().find(|(beginning, _)| message.starts_with(beginning)).map(|(_, kind)| *kind)
}

/// Is it kubectl that wants more of the document than a patch does?
pub(super) fn is_no_object(message: &str) -> bool {
    NO_OBJECT.iter().any(|beginning| message.starts_with(beginning))
        || message.ends_with("type unstructured.detector")
}
