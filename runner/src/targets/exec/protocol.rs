//! The messages of the adapter protocol, version 1, as `runner/adapters/PROTOCOL.md` describes them.
//!
//! One struct for all requests and one for all replies, with most members optional: a message that is wrong in
//! one member is still a message, and says which request it speaks of.

use std::borrow::Cow;

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use skewer_engine::OwnedDoc;
use skewer_engine::document::{JsonError, parse_json};
use skewer_engine::skew::OperationKind;
use skewer_reports::control_characters::escape_text;

/// The version of the protocol.
pub(crate) const VERSION: u32 = 1;

/// Longest line of an adapter, in bytes. The largest Kubernetes objects have some 3 MiB.
pub(crate) const MAX_REPLY_BYTES: usize = 16 << 20;

/// Longest line of a runner, in bytes. It can contain a schema, and the schemas of all types of Kubernetes have 10 MiB.
pub(crate) const MAX_REQUEST_BYTES: usize = 64 << 20;

/// Maximum number of items of a list in a message, outside of documents.
const MAX_ITEMS: usize = 1000;

/// Maximum length of a name in a message, in characters.
const MAX_NAME_CHARS: usize = 200;

/// Maximum length of a text that is kept of a reply, in characters.
const MAX_TEXT_CHARS: usize = 4000;

/// The operation of the protocol that is not one of the engine's: no cell of the corpus asks for it.
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
    #[serde(
        default = "no_document",
        deserialize_with = "some_bounded_list",
        skip_serializing_if = "Option::is_none"
    )]
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

/// Reads a list of at most [`MAX_ITEMS`].
fn bounded_list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(BoundedList(PhantomData))
}

fn some_bounded_list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    bounded_list(deserializer).map(Some)
}

struct BoundedList<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedList<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            if items.len() >= MAX_ITEMS {
                return Err(A::Error::custom(format_args!("a list of more than {MAX_ITEMS} items")));
            }
            items.push(item);
        }
        Ok(items)
    }
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

/// What an implementation can do.
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
    /// It has a result, which is not read yet.
    Result(Box<RawValue>),
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

/// Parses a message. Its documents are not read yet.
pub(crate) fn parse_message<'a, T: Deserialize<'a>>(line: &'a [u8]) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    // What is skipped, or not read yet, takes no stack.
    deserializer.disable_recursion_limit();
    let message = T::deserialize(&mut deserializer)?;
    deserializer.end().map(|()| message)
}

/// Parses a line of an adapter.
pub(crate) fn parse_reply(line: &[u8]) -> ReplyLine {
    match parse_message::<Reply<RawDocument<'_>>>(line) {
        Ok(reply) => interpret_reply(reply),
        Err(error) => {
            // The sequence number can be readable even if the answer is not.
            #[derive(Deserialize)]
            struct RequestNumber {
                seq: u64,
                #[serde(default, rename = "result")]
                _result: IgnoredAny,
            }
            let why = not_a_reply(&error, line);
            match parse_message::<RequestNumber>(line) {
                Ok(RequestNumber { seq, .. }) => ReplyLine::Answer(seq, Answer::Malformed(why)),
                Err(_) => ReplyLine::Malformed(why),
            }
        }
    }
}

/// Describes a reply that cannot be read, after "the target".
pub(crate) fn not_a_reply(error: &dyn fmt::Display, line: &[u8]) -> String {
    let error = visible_text(&error.to_string(), MAX_NAME_CHARS);
    format!("answered with a line that is no reply ({error}): {}", excerpt(line))
}

fn interpret_reply(reply: Reply<RawDocument<'_>>) -> ReplyLine {
    let text = |text: String| visible_text(&text, MAX_TEXT_CHARS);
    let kind = reply.kind;
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
    let message = reply.message.map(text);
    let Some(seq) = reply.seq else {
        return ReplyLine::Malformed(match message {
            Some(message) => format!("answered with an error: {message}"),
            None => format!("answered `{}` without `seq`", visible_text(&kind, MAX_NAME_CHARS)),
        });
    };
    let answer = match (&*kind, reply.result, reply.error, reply.reason) {
        ("result", Some(result), _, _) => Answer::Result(result.to_owned()),
        ("refused", _, Some(refusal), _) => Answer::Refused(Refusal {
            kind: visible_text(&refusal.kind, MAX_NAME_CHARS).into(),
            directive: refusal.directive.map(|name| visible_text(&name, MAX_NAME_CHARS)),
            message: text(refusal.message),
            path: refusal.path.map(text),
        }),
        ("unsupported", _, _, reason) => Answer::Unsupported(reason.map(text).unwrap_or_default()),
        ("error", ..) => {
            Answer::Malformed(format!("answered with an error: {}", message.unwrap_or_default()))
        }
        ("result", None, ..) => Answer::Malformed("answered `result` without a `result`".to_owned()),
        ("refused", _, None, _) => Answer::Malformed("answered `refused` without an `error`".to_owned()),
        _ => {
            let kind = visible_text(&kind, MAX_NAME_CHARS);
            Answer::Malformed(format!("answered with an unknown kind of reply, {kind:?}"))
        }
    };
    ReplyLine::Answer(seq, answer)
}

/// Checks that the names that an adapter gives can be printed.
///
/// # Errors
/// Returns the reason, after "the target".
pub(crate) fn check_info(info: &AdapterInfo) -> Result<(), String> {
    let supports = &info.supports;
    let name = [("name", &info.name)];
    let optional = [("version", &info.version), ("language", &info.language)];
    let lists = [
        ("supports.operations", &supports.operations),
        ("supports.directives", &supports.directives),
        ("supports.lookups", &supports.lookups),
        ("supports.unions", &supports.unions),
        ("supports.lossyNumbers", &supports.lossy_numbers),
    ];
    let mut names = name
        .into_iter()
        .chain(optional.into_iter().filter_map(|(member, name)| name.as_ref().map(|name| (member, name))))
        .chain(lists.into_iter().flat_map(|(member, names)| names.iter().map(move |name| (member, name))));
    names.try_for_each(|(member, name)| {
        let shown = visible_text(name, 40);
        if name.chars().nth(MAX_NAME_CHARS).is_some() {
            return Err(format!(
                "answered `started` with a `{member}` of more than {MAX_NAME_CHARS} characters: {shown}"
            ));
        }
        if name.chars().any(char::is_control) {
            return Err(format!("answered `started` with control characters in `{member}`: {shown}"));
        }
        Ok(())
    })
}

/// Returns the beginning of a text of an adapter, safe to show.
pub(crate) fn visible_text(text: &str, max_chars: usize) -> String {
    let start = text.char_indices().nth(max_chars).map_or(text, |(end, _)| &text[..end]);
    let ellipsis = if start.len() < text.len() { "…" } else { "" };
    format!("{}{ellipsis}", escape_text(start))
}

/// The beginning of a line, for messages.
pub(crate) fn excerpt(line: &[u8]) -> String {
    const MAX_CHARS: usize = 160;
    // A character has at most four bytes.
    let start = &line[..line.len().min(4 * (MAX_CHARS + 1))];
    visible_text(&String::from_utf8_lossy(start), MAX_CHARS)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

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
            ReplyLine::Answer(seq, Answer::Result(text)) => format!("{seq} Result({text})"),
            ReplyLine::Answer(seq, Answer::Refused(r)) => format!("{seq} Refused({}: {})", r.kind, r.message),
            ReplyLine::Answer(seq, Answer::Unsupported(why)) => format!("{seq} Unsupported({why})"),
            ReplyLine::Answer(seq, Answer::Malformed(why)) => format!("{seq} Malformed({why})"),
            ReplyLine::Malformed(why) => format!("Malformed({why})"),
        };
        assert_eq!(found, expected);
    }

    #[rstest]
    #[case::wrong_type(r#"{"kind":"result","seq":9,"result":{},"reason":4}"#)]
    #[case::no_json_at_the_end(r#"{"kind":"unsupported","seq":9,"reason":[]}"#)]
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
        let request: Request<RawDocument<'_>> =
            parse_message(br#"{"kind":"run","documents":{"live":null,"patch":{"a":1}}}"#).unwrap();
        let documents = request.documents.unwrap();
        assert_eq!(documents.live.map(RawValue::get), Some("null"));
        assert!(documents.original.is_none());
    }

    #[test]
    fn kind_and_seq_come_first() {
        let request: Request<&OwnedDoc> = Request { seq: Some(0), ..Request::of("run") };
        assert_eq!(serde_json::to_string(&request).unwrap(), r#"{"kind":"run","seq":0}"#);
    }
}
