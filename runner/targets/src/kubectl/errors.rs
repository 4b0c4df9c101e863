//! Mapping of kubectl's error messages to error kinds. The message is the only part of a kubectl error that shows its
//! kind.

use skewer_engine::{Error, ErrorKind};

use crate::OperationError;
use crate::failure::{crashed, unsupported};
use crate::visible_text::visible_text;

/// Maximum number of characters of a message.
const MAX_MESSAGE_CHARS: usize = 4000;

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

/// Returns the error of a failed `kubectl patch`.
pub(super) fn interpret_failure(stderr: &str) -> OperationError {
    let message = visible_message(stderr);
    if let Some(panic) = message.lines().find(|line| line.starts_with("panic: ")) {
        return crashed(panic);
    }
    let message = message.strip_prefix("error: ").unwrap_or(&message).trim();
    match classified_error(message) {
        Some(error) => error.into(),
        None if is_not_an_object(message) => unsupported(message),
        None => Error::new(ErrorKind::Unclassified, message).into(),
    }
}

pub(super) fn visible_message(message: &str) -> String {
    visible_text(message, MAX_MESSAGE_CHARS)
}

/// Returns the error of a failed `kubectl apply`. Its message has the documents before the message of the library.
pub(super) fn apply_failure(stderr: &str) -> OperationError {
    let cause = stderr.rsplit_once("\nfor:: ").map_or(stderr, |(_, cause)| cause);
    if cause.starts_with("patch:")
        && cause.contains("\nconflicts with changes made from original to current:")
    {
        return Error::new(ErrorKind::Conflict, "the live object was changed in another way").into();
    }
    if cause.starts_with("precondition failed for:") {
        return Error::new(ErrorKind::PreconditionFailed, visible_message(cause)).into();
    }
    interpret_failure(cause)
}

/// Returns the error for a message, or `None` if the prefix is unknown.
fn classified_error(message: &str) -> Option<Error> {
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
fn is_not_an_object(message: &str) -> bool {
    NOT_AN_OBJECT_PREFIXES.iter().any(|prefix| message.starts_with(prefix))
        || message.ends_with("type unstructured.detector")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::conflict(
        "error: x\nfor:: patch:\na: 1\n\nconflicts with changes made from original to current:\na: 2\n",
        ErrorKind::Conflict
    )]
    #[case::a_document_with_these_words("error: x\nfor:: y\n\nfor:: expected a struct", ErrorKind::WrongKind)]
    #[case::precondition(
        "error: x\nfor:: precondition failed for:\nkind: A\n",
        ErrorKind::PreconditionFailed
    )]
    #[case::unknown("error: the weather", ErrorKind::Unclassified)]
    fn a_failure_has_the_kind_of_its_cause(#[case] message: &str, #[case] expected: ErrorKind) {
        let OperationError::Refused(error) = apply_failure(message) else { panic!("{message}") };
        assert_eq!(error.kind(), expected);
    }
}
