//! The messages of the adapter protocol, version 1, as `runner/adapters/PROTOCOL.md` describes them.
//!
//! There is one struct for all requests and one for all replies, and most members are optional: a message with one wrong
//! member is still a message, and names its request.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use skewer_engine::OwnedDoc;
use skewer_engine::document::{JsonError, parse_json};
use skewer_engine::skew::OperationKind;

use super::bounded_list::bounded_list;
use super::documents::Documents;

/// The version of the protocol.
pub(crate) const VERSION: u32 = 1;

/// Longest line of an adapter, in bytes. The largest Kubernetes objects have some 3 MiB.
pub(crate) const MAX_REPLY_BYTES: usize = 16 << 20;

/// Longest line of a runner, in bytes. It can contain a schema, and the schemas of all types of Kubernetes have 10 MiB.
pub(crate) const MAX_REQUEST_BYTES: usize = 64 << 20;

/// The operation of the protocol that the engine does not have. No cell of the corpus needs it.
const VALIDATE_UNION: &str = "validate-union";

/// Returns the names of the operations of the protocol.
pub(crate) fn operation_names() -> Vec<&'static str> {
    OperationKind::ALL.iter().map(|kind| kind.name()).chain([VALIDATE_UNION]).collect()
}

/// The lookups of the protocol.
pub(crate) const LOOKUPS: [&str; 3] = ["openapi", "struct", "unstructured"];

/// The kinds of union of the protocol.
pub(crate) const UNION_KINDS: [&str; 3] = ["discriminated", "exactly-one", "zero-or-one"];

/// A document in a message that was not read yet. The reader of documents has limits of its own, and the rest of the
/// message can be read even if a document cannot.
pub(crate) type RawDocument<'a> = &'a RawValue;

/// Reads a document of a message.
///
/// # Errors
/// Fails if the text is not a document, or is beyond a limit of the engine.
pub(crate) fn read_document(raw: RawDocument<'_>) -> Result<OwnedDoc, JsonError> {
    parse_json(raw.get().as_bytes())
}

/// A line from the runner to an adapter. `D` is a document: borrowed where it is written, owned where it is
/// read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
pub(crate) struct Request<D> {
    /// `start`, `run` or `stop`.
    pub(crate) kind: Cow<'static, str>,
    /// The sequence number of a `run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seq: Option<u64>,
    /// With `start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<u32>,
    /// The name of the operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) operation: Option<Cow<'static, str>>,
    /// The type of the documents.
    #[serde(default = "no_document", skip_serializing_if = "Option::is_none")]
    pub(crate) schema: Option<SchemaMessage<D>>,
    /// The documents.
    #[serde(default = "no_document", skip_serializing_if = "Option::is_none")]
    pub(crate) documents: Option<Documents<D>>,
    /// The directives that the party knows.
    #[serde(default, skip_serializing_if = "ProfileMessage::is_default")]
    pub(crate) profile: ProfileMessage,
    /// The options of the operation.
    #[serde(default, skip_serializing_if = "OptionsMessage::is_default")]
    pub(crate) options: OptionsMessage,
}

impl<D> Request<D> {
    /// Makes a request with nothing but its kind.
    pub(crate) fn of(kind: &'static str) -> Self {
        Request {
            kind: Cow::Borrowed(kind),
            seq: None,
            protocol: None,
            operation: None,
            schema: None,
            documents: None,
            profile: ProfileMessage::default(),
            options: OptionsMessage::default(),
        }
    }
}

// The attribute `default` alone needs a default of the document, and a borrowed document has none.
fn no_document<T>() -> Option<T> {
    None
}

/// The type of the documents: in full, or by the id under which it was sent before.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
pub(crate) struct SchemaMessage<D> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) root: Option<String>,
    #[serde(default = "no_document", skip_serializing_if = "Option::is_none")]
    pub(crate) openapi: Option<D>,
}

fn some_even_if_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The directives that a party knows, as a difference from the latest release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProfileMessage {
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) without: Vec<Cow<'static, str>>,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) with: Vec<Cow<'static, str>>,
}

impl ProfileMessage {
    fn is_default(&self) -> bool {
        *self == ProfileMessage::default()
    }
}

/// The options of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OptionsMessage {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) overwrite: bool,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) preconditions: Vec<PreconditionMessage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lookup: Option<Cow<'static, str>>,
}

impl OptionsMessage {
    fn is_default(&self) -> bool {
        *self == OptionsMessage::default()
    }
}

/// A key that a patch must not change: one of the two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreconditionMessage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key_unchanged: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) metadata_key_unchanged: Option<String>,
}

/// A line from an adapter to the runner. `D` is a document: owned where it is written, not yet read where it is read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
pub(crate) struct Reply<D = OwnedDoc> {
    /// `started`, `result`, `refused`, `unsupported` or `error`.
    pub(crate) kind: Cow<'static, str>,
    /// The sequence number of the request that is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seq: Option<u64>,
    /// With `result`.
    #[serde(
        default = "no_document",
        deserialize_with = "some_even_if_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) result: Option<D>,
    /// With `refused`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Refusal>,
    /// With `unsupported`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// With `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// With `started`, like all that follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) supports: Option<Capabilities>,
}

impl Reply {
    /// Makes a reply with nothing but its kind.
    pub(crate) fn of(kind: &'static str) -> Self {
        Reply {
            kind: Cow::Borrowed(kind),
            seq: None,
            result: None,
            error: None,
            reason: None,
            message: None,
            protocol: None,
            name: None,
            version: None,
            language: None,
            supports: None,
        }
    }

    /// Makes an `error` reply.
    pub(crate) fn error(seq: Option<u64>, message: impl Into<String>) -> Self {
        Reply { seq, message: Some(message.into()), ..Reply::of("error") }
    }
}

/// The error with which an operation was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refusal {
    /// The id of an error kind, or `panic`, or `unclassified`.
    pub(crate) kind: Cow<'static, str>,
    /// The name of the directive that is invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) directive: Option<String>,
    /// The message, in the words of the implementation.
    #[serde(default)]
    pub(crate) message: String,
    /// The field path in the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
}

/// The capabilities of an implementation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Capabilities {
    #[serde(deserialize_with = "bounded_list")]
    pub(crate) operations: Vec<String>,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) directives: Vec<String>,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) lookups: Vec<String>,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) unions: Vec<String>,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub(crate) lossy_numbers: Vec<String>,
}

/// Parses a message. Its documents are not read yet.
///
/// # Errors
/// Fails if the line is not one JSON value, or has members of the wrong type.
pub(crate) fn parse_message<'a, T: Deserialize<'a>>(line: &'a [u8]) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    // A value that is skipped, or not read yet, takes no stack.
    deserializer.disable_recursion_limit();
    let message = T::deserialize(&mut deserializer)?;
    deserializer.end().map(|()| message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_and_seq_come_first() {
        let request: Request<&OwnedDoc> = Request { seq: Some(0), ..Request::of("run") };
        assert_eq!(serde_json::to_string(&request).unwrap(), r#"{"kind":"run","seq":0}"#);
    }
}
