//! The messages of the adapter protocol, version 1, as `runner/adapters/PROTOCOL.md` describes them.
//!
//! One struct for all requests and one for all replies, with most members optional: a message that is wrong in
//! one member is still a message, and says which request it speaks of.

use std::borrow::Cow;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use skewer_engine::OwnedDoc;
use skewer_engine::document::{JsonError, parse_json};

/// The version of the protocol.
pub(crate) const VERSION: u32 = 1;

/// A line from the runner to an adapter. `D` is a document: borrowed where it is written, the text of it where it is
/// read, and owned after [`Request::read_documents`].
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

impl Request<&RawValue> {
    /// Reads the documents of the request with the engine's reader.
    pub(crate) fn read_documents(self) -> Result<Request<OwnedDoc>, JsonError> {
        let read = |text: Option<&RawValue>| text.map(|text| parse_json(text.get().as_bytes())).transpose();
        let schema = match self.schema {
            Some(SchemaMessage { id, root, openapi }) => {
                Some(SchemaMessage { id, root, openapi: read(openapi)? })
            }
            None => None,
        };
        let documents = match self.documents {
            Some(documents) => {
                let patches = documents.patches.map(|patches| {
                    patches.iter().map(|text| parse_json(text.get().as_bytes())).collect::<Result<_, _>>()
                });
                Some(Documents {
                    live: read(documents.live)?,
                    patch: read(documents.patch)?,
                    patches: patches.transpose()?,
                    original: read(documents.original)?,
                    modified: read(documents.modified)?,
                    last_applied: read(documents.last_applied)?,
                })
            }
            None => None,
        };
        Ok(Request {
            schema,
            documents,
            kind: self.kind,
            seq: self.seq,
            protocol: self.protocol,
            operation: self.operation,
            profile: self.profile,
            options: self.options,
        })
    }
}

// serde's plain `default` would ask documents for one, and borrowed documents have none.
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

/// The documents of an operation, by role. `null` is a document, and absence is none.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "D: Deserialize<'de>"))]
pub(crate) struct Documents<D> {
    #[serde(
        default = "no_document",
        deserialize_with = "some_even_if_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) live: Option<D>,
    #[serde(
        default = "no_document",
        deserialize_with = "some_even_if_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) patch: Option<D>,
    #[serde(default = "no_document", skip_serializing_if = "Option::is_none")]
    pub(crate) patches: Option<Vec<D>>,
    #[serde(
        default = "no_document",
        deserialize_with = "some_even_if_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) original: Option<D>,
    #[serde(
        default = "no_document",
        deserialize_with = "some_even_if_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) modified: Option<D>,
    #[serde(
        default = "no_document",
        deserialize_with = "some_even_if_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) last_applied: Option<D>,
}

impl<D> Default for Documents<D> {
    fn default() -> Self {
        Documents {
            live: None,
            patch: None,
            patches: None,
            original: None,
            modified: None,
            last_applied: None,
        }
    }
}

fn some_even_if_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The directives that a party knows, as a difference from the latest release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProfileMessage {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) without: Vec<Cow<'static, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) preconditions: Vec<PreconditionMessage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lookup: Option<Cow<'static, str>>,
}

impl OptionsMessage {
    fn is_default(&self) -> bool {
        *self == OptionsMessage::default()
    }
}

/// Reads a document, also null, with the engine's reader.
fn document<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<OwnedDoc>, D::Error> {
    let text = <&RawValue>::deserialize(deserializer)?;
    parse_json(text.get().as_bytes()).map(Some).map_err(|error| D::Error::custom(error.problem()))
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

/// A line from an adapter to the runner.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reply {
    /// `started`, `result`, `refused`, `unsupported` or `error`.
    pub(crate) kind: Cow<'static, str>,
    /// The sequence number of the request that is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seq: Option<u64>,
    /// With `result`.
    #[serde(default, deserialize_with = "document", skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<OwnedDoc>,
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
        Reply { kind: Cow::Borrowed(kind), ..Reply::default() }
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
    /// The message, in the words of the implementation.
    #[serde(default)]
    pub(crate) message: String,
    /// The field path in the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
}

/// What an implementation can do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Capabilities {
    pub(crate) operations: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) directives: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lookups: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) unions: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lossy_numbers: Vec<String>,
}

/// The description that an adapter gives of itself when it starts.
#[derive(Clone, Debug)]
pub(crate) struct AdapterInfo {
    pub(crate) protocol: u32,
    pub(crate) name: String,
    pub(crate) version: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) supports: Capabilities,
}

/// The answer of an adapter to one request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// It has a result.
    Result(OwnedDoc),
    /// It was refused.
    Refused(Refusal),
    /// The implementation does not support it.
    Unsupported(String),
    /// The adapter could not read the request, or we could not read its reply.
    Malformed(String),
}

/// A parsed line of an adapter.
#[derive(Debug)]
pub(crate) enum ReplyLine {
    /// The reply to `start`.
    Started(Box<AdapterInfo>),
    /// The reply to a `run`.
    Answer(u64, Answer),
    /// A line that belongs to no request.
    Malformed(String),
}

/// Parses a message. Documents have their own limit on nesting.
pub(crate) fn parse_message<'l, T: Deserialize<'l>>(line: &'l [u8]) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    deserializer.disable_recursion_limit();
    let message = T::deserialize(&mut deserializer)?;
    deserializer.end().map(|()| message)
}

/// Parses a line of an adapter.
pub(crate) fn parse_reply(line: &[u8]) -> ReplyLine {
    match parse_message::<Reply>(line) {
        Ok(reply) => interpret_reply(reply),
        Err(error) => {
            // The sequence number can be readable even if the answer is not.
            #[derive(Deserialize)]
            struct RequestNumber {
                seq: u64,
                #[serde(default, rename = "result")]
                _result: IgnoredAny,
            }
            let why = format!("answered with a line that is no reply ({error}): {}", excerpt(line));
            match parse_message::<RequestNumber>(line) {
                Ok(RequestNumber { seq, .. }) => ReplyLine::Answer(seq, Answer::Malformed(why)),
                Err(_) => ReplyLine::Malformed(why),
            }
        }
    }
}

fn interpret_reply(reply: Reply) -> ReplyLine {
    let kind = reply.kind.clone();
    if kind == "started" {
        return match (reply.protocol, reply.name, reply.supports) {
            (Some(protocol), Some(name), Some(supports)) => ReplyLine::Started(Box::new(AdapterInfo {
                protocol,
                name,
                version: reply.version,
                language: reply.language,
                supports,
            })),
            _ => {
                ReplyLine::Malformed("answered `started` without `protocol`, `name` or `supports`".to_owned())
            }
        };
    }
    let message = reply.message;
    let Some(seq) = reply.seq else {
        return ReplyLine::Malformed(match message {
            Some(message) => format!("answered with an error: {message}"),
            None => format!("answered `{kind}` without `seq`"),
        });
    };
    let answer = match (&*kind, reply.result, reply.error, reply.reason) {
        ("result", Some(result), _, _) => Answer::Result(result),
        ("refused", _, Some(refusal), _) => Answer::Refused(refusal),
        ("unsupported", _, _, reason) => Answer::Unsupported(reason.unwrap_or_default()),
        ("error", ..) => {
            Answer::Malformed(format!("answered with an error: {}", message.unwrap_or_default()))
        }
        ("result", None, ..) => Answer::Malformed("answered `result` without a `result`".to_owned()),
        ("refused", _, None, _) => Answer::Malformed("answered `refused` without an `error`".to_owned()),
        _ => Answer::Malformed(format!("answered with an unknown kind of reply, {kind:?}")),
    };
    ReplyLine::Answer(seq, answer)
}

/// The beginning of a line, for messages.
pub(crate) fn excerpt(line: &[u8]) -> String {
    const MAX_CHARS: usize = 160;
    let text = String::from_utf8_lossy(line);
    let mut excerpt: String = text.chars().take(MAX_CHARS).collect();
    if excerpt.len() < text.len() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use skewer_engine::Doc;

    use super::*;

    #[rstest]
    #[case(r#"{"kind":"result","seq":3,"result":{"a":1.0}}"#, r#"3 Result({"a":1.0})"#)]
    #[case(r#"{"kind":"result","seq":3,"result":null}"#, "3 Result(null)")]
    #[case(r#"{"seq":3,"extra":[],"kind":"unsupported","reason":"no"}"#, "3 Unsupported(no)")]
    #[case(
        r#"{"kind":"refused","seq":3,"error":{"kind":"conflict","message":"m"}}"#,
        "3 Refused(conflict: m)"
    )]
    #[case(r#"{"kind":"result","seq":3}"#, "3 Malformed(answered `result` without a `result`)")]
    #[case(r#"{"kind":"error","seq":3,"message":"m"}"#, "3 Malformed(answered with an error: m)")]
    #[case(r#"{"kind":"what","seq":3}"#, r#"3 Malformed(answered with an unknown kind of reply, "what")"#)]
    #[case(r#"{"kind":"error","message":"m"}"#, "Malformed(answered with an error: m)")]
    fn replies_are_interpreted(#[case] line: &str, #[case] expected: &str) {
        let found = match parse_reply(line.as_bytes()) {
            ReplyLine::Started(_) => "started".to_owned(),
            ReplyLine::Answer(seq, Answer::Result(value)) => format!("{seq} Result({value})"),
            ReplyLine::Answer(seq, Answer::Refused(r)) => format!("{seq} Refused({}: {})", r.kind, r.message),
            ReplyLine::Answer(seq, Answer::Unsupported(why)) => format!("{seq} Unsupported({why})"),
            ReplyLine::Answer(seq, Answer::Malformed(why)) => format!("{seq} Malformed({why})"),
            ReplyLine::Malformed(why) => format!("Malformed({why})"),
        };
        assert_eq!(found, expected);
    }

    #[rstest]
    #[case::wrong_type(r#"{"kind":"result","seq":9,"result":{},"reason":4}"#)]
    #[case::key_twice_in_the_result(r#"{"kind":"result","seq":9,"result":{"a":1,"a":2}}"#)]
    #[case::number_out_of_range(r#"{"kind":"result","seq":9,"result":1e999}"#)]
    fn a_bad_reply_still_names_its_request(#[case] line: &str) {
        assert!(matches!(parse_reply(line.as_bytes()), ReplyLine::Answer(9, Answer::Malformed(_))), "{line}");
    }

    #[rstest]
    #[case("hello")]
    #[case("")]
    #[case("[]")]
    #[case(r#"{"kind":"result","seq":"9"}"#)]
    fn a_line_that_is_no_reply_names_no_request(#[case] line: &str) {
        assert!(matches!(parse_reply(line.as_bytes()), ReplyLine::Malformed(_)), "{line}");
    }

    #[test]
    fn null_is_a_document_and_absence_is_none() {
        let request: Request<OwnedDoc> =
            serde_json::from_str(r#"{"kind":"run","documents":{"live":null,"patch":{"a":1}}}"#).unwrap();
        let documents = request.documents.unwrap();
        assert_eq!(documents.live, Some(Doc::Null));
        assert_eq!(documents.original, None);
    }

    #[test]
    fn kind_and_seq_come_first() {
        let request: Request<&OwnedDoc> = Request { seq: Some(0), ..Request::of("run") };
        assert_eq!(serde_json::to_string(&request).unwrap(), r#"{"kind":"run","seq":0}"#);
    }
}
