//! The messages of the adapter protocol, version 1, as `runner/adapters/PROTOCOL.md` describes them.
//!
//! One struct covers all requests, and one covers all replies. Most of their members are optional, so that the runner
//! can still read which request a message belongs to when another member of that message is wrong.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use skewer_engine::OwnedDoc;
use skewer_engine::document::{JsonError, parse_json};
use skewer_engine::error::ManagerOperation;
use skewer_skew::OperationKind;

use crate::bounded_list::{BoundedList, bounded_list, optional_bounded_list};
use crate::documents::Documents;

/// The protocol version that the runner speaks.
pub const VERSION: u32 = 1;

/// Maximum length of a line that an adapter sends, in bytes. The largest Kubernetes objects have some 3 MiB.
pub const MAX_REPLY_BYTES: usize = 16 << 20;

/// Maximum length of a line that the runner sends, in bytes. A line can contain a schema, and the schemas of all
/// Kubernetes types have 10 MiB.
pub const MAX_REQUEST_BYTES: usize = 64 << 20;

/// The operations of the protocol on one union. The simulated server sends them, and no case has them.
pub const UNION_OPERATIONS: [&str; 2] = ["validate-union", "normalize-union"];

/// The operation that normalizes and validates the unions of an object. The simulated server sends it, and no case has it.
pub const ADMIT_UNION: &str = "admit-union";

/// The operation that admits a custom resource. No cell of the corpus needs it.
pub const ADMIT: &str = "admit";

/// The operation that says whether a server accepts a definition. No cell of the corpus needs it.
pub const VALIDATE_DEFINITION: &str = "validate-definition";

/// The operation of a client: it applies a manifest to a server.
pub const APPLY_MANIFEST: &str = "apply-manifest";

/// Returns the names of all operations in the protocol.
#[must_use]
pub fn operation_names() -> Vec<&'static str> {
    let others =
        UNION_OPERATIONS.into_iter().chain([ADMIT_UNION, ADMIT, VALIDATE_DEFINITION, APPLY_MANIFEST]);
    OperationKind::ALL.iter().map(|kind| kind.name()).chain(others).collect()
}

/// The name of the lookup for objects whose type is unknown to the implementation.
pub const UNSTRUCTURED_LOOKUP: &str = "unstructured";

/// The names of the lookups in the protocol.
pub const LOOKUPS: [&str; 3] = ["openapi", "struct", UNSTRUCTURED_LOOKUP];

/// The names of the schema dialects in the protocol.
pub const DIALECTS: [&str; 2] = ["patch-metadata", "list-topology"];

/// The names of the union kinds in the protocol.
pub const UNION_KINDS: [&str; 4] = ["discriminated", "exactly-one", "zero-or-one", "modal"];

/// The text of a document in a message, before it is parsed. A document has limits of its own: if it exceeds them,
/// the rest of the message can still be read.
pub type RawDocument<'a> = &'a RawValue;

/// Parses a document of a message.
///
/// # Errors
/// Fails if the text is not valid JSON, or exceeds a limit of the engine.
pub fn read_document(raw: RawDocument<'_>) -> Result<OwnedDoc, JsonError> {
    parse_json(raw.get().as_bytes())
}

/// A line from the runner to an adapter. `D` is the document type: borrowed in a request that is written, owned in a
/// request that was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
pub struct RequestMessage<D> {
    /// `start`, `run` or `stop`.
    pub kind: Cow<'static, str>,
    /// The sequence number of the request, if the kind is `run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The protocol version, if the kind is `start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<u32>,
    /// The name of the operation, if the kind is `run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Cow<'static, str>>,
    /// The type of the documents, if the kind is `run`.
    #[serde(default = "no_document", skip_serializing_if = "Option::is_none")]
    pub schema: Option<SchemaMessage<D>>,
    /// The operands of the operation, if the kind is `run`.
    #[serde(default = "no_document", skip_serializing_if = "Option::is_none")]
    pub documents: Option<Documents<D>>,
    /// The directives that the party knows.
    #[serde(default, skip_serializing_if = "ProfileMessage::is_default")]
    pub profile: ProfileMessage,
    /// The options of the operation.
    #[serde(default, skip_serializing_if = "OptionsMessage::is_default")]
    pub options: OptionsMessage,
}

impl<D> RequestMessage<D> {
    /// Makes a request that has only a kind.
    #[must_use]
    pub fn of(kind: &'static str) -> Self {
        RequestMessage {
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

// Without a path, the attribute `default` requires `D: Default`, which a borrowed document does not implement.
fn no_document<T>() -> Option<T> {
    None
}

/// The type of the documents: either the whole schema, or the id of a schema that was sent before.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
pub struct SchemaMessage<D> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    #[serde(default = "no_document", skip_serializing_if = "Option::is_none")]
    pub openapi: Option<D>,
}

fn some_even_if_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The directives that a party knows, as a difference from the directives of the latest Kubernetes release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileMessage {
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<Cow<'static, str>>,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<Cow<'static, str>>,
}

impl ProfileMessage {
    fn is_default(&self) -> bool {
        *self == ProfileMessage::default()
    }
}

/// The options of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OptionsMessage {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overwrite: bool,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub preconditions: Vec<PreconditionMessage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup: Option<Cow<'static, str>>,
    /// The name of the field manager.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub manager: String,
    /// The type of a whole request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Cow<'static, str>>,
    /// How a server validates the fields of a whole request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_validation: Option<Cow<'static, str>>,
    /// The kind of the endpoint of a whole request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether the field manager takes fields from other managers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subresource: String,
    /// The API version of the request, if it differs from that of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// The versions of the resource.
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<VersionMessage>,
    /// The managers of client-side apply whose fields the field manager takes over.
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub csa_managers: Vec<String>,
}

/// A version of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionMessage {
    pub api_version: String,
    /// The component of the schema that describes the object in this version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub renames: Vec<RenameMessage>,
    /// The paths of the fields that requests of this version do not change.
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub reset_fields: Vec<BoundedList<String>>,
}

/// A field with another path in one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenameMessage {
    /// The path in versions without a rename.
    pub hub: BoundedList<String>,
    /// The path in this version.
    pub version: BoundedList<String>,
}

impl OptionsMessage {
    fn is_default(&self) -> bool {
        *self == OptionsMessage::default()
    }
}

/// A precondition: a key that a patch must not change. Exactly one member is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreconditionMessage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_unchanged: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata_key_unchanged: Option<String>,
}

/// A line from an adapter to the runner. `D` is the document type: owned in a reply that is written, unparsed in a
/// reply that was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
pub struct Reply<D = OwnedDoc> {
    /// `started`, `result`, `refused`, `unsupported` or `error`.
    pub kind: Cow<'static, str>,
    /// The sequence number of the request that this reply answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The result of the operation, if the kind is `result`.
    #[serde(
        default = "no_document",
        deserialize_with = "some_even_if_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub result: Option<D>,
    /// The error, if the kind is `refused`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
    /// The reason, if the kind is `unsupported`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The message, if the kind is `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The protocol version, if the kind is `started`. All members below belong to `started` too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supports: Option<Capabilities>,
}

impl Reply {
    /// Makes a reply that has only a kind.
    #[must_use]
    pub fn of(kind: &'static str) -> Self {
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
    pub fn error(seq: Option<u64>, message: impl Into<String>) -> Self {
        Reply { seq, message: Some(message.into()), ..Reply::of("error") }
    }
}

/// The error with which an operation was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The id of an error kind, `panic` or `unclassified`.
    pub kind: Cow<'static, str>,
    /// The name of the directive that the error is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<String>,
    /// The error message of the implementation.
    #[serde(default)]
    pub message: String,
    /// The field path that the error is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The ids of all error kinds, if the message reports errors of several kinds.
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<Cow<'static, str>>,
    /// The conflicts with other field managers.
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<ConflictMessage>,
}

/// A conflict with another field manager.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConflictMessage {
    /// The name of the other manager.
    pub manager: String,
    /// The operation with which the other manager became an owner of the field.
    pub operation: ManagerOperation,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subresource: Option<String>,
    /// The path of the field, in the notation of field sets.
    pub path: String,
}

/// The capabilities that an adapter declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    #[serde(deserialize_with = "bounded_list")]
    pub operations: Vec<String>,
    /// The directives that the implementation knows. `None` if the adapter does not say.
    #[serde(default, deserialize_with = "optional_bounded_list", skip_serializing_if = "Option::is_none")]
    pub directives: Option<Vec<String>>,
    /// The extensions of schemas that the adapter reads. `None` if the adapter does not say.
    #[serde(default, deserialize_with = "optional_bounded_list", skip_serializing_if = "Option::is_none")]
    pub dialects: Option<Vec<String>>,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub lookups: Vec<String>,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub unions: Vec<String>,
    /// The names of the union policies whose rules the implementation has.
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub lossy_numbers: Vec<String>,
    /// The tools as which a client applies manifests.
    #[serde(default, deserialize_with = "bounded_list", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// Parses a message, but not the documents in it.
///
/// # Errors
/// Fails if the line is not one JSON value, or has members of the wrong type.
pub fn parse_message<'a, T: Deserialize<'a>>(line: &'a [u8]) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    // Skipped values and unparsed documents use no stack.
    deserializer.disable_recursion_limit();
    let message = T::deserialize(&mut deserializer)?;
    deserializer.end().map(|()| message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_and_seq_come_first() {
        let request: RequestMessage<&OwnedDoc> = RequestMessage { seq: Some(0), ..RequestMessage::of("run") };
        assert_eq!(serde_json::to_string(&request).unwrap(), r#"{"kind":"run","seq":0}"#);
    }
}
