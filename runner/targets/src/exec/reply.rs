//! Parsing and interpretation of the lines that an adapter sends.

use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use skewer_protocol::messages::{Capabilities, ConflictMessage, RawDocument, Refusal, Reply, parse_message};

use crate::visible_text::{excerpt, visible_text};

/// Maximum length of a name in a message, in characters.
const MAX_NAME_CHARS: usize = 200;

/// Maximum number of characters that are kept of a text in a reply.
const MAX_TEXT_CHARS: usize = 4000;

/// The self-description that an adapter sends when it starts.
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
pub(crate) enum AdapterAnswer {
    /// The operation has a result, which is not parsed yet.
    Result(Box<RawValue>),
    /// The implementation refused the operation.
    Refused(Refusal),
    /// The implementation does not support the operation.
    Unsupported(String),
    /// The adapter could not read the request, or its reply cannot be read.
    Malformed(String),
}

/// A parsed line from an adapter.
#[derive(Debug)]
pub(crate) enum ReplyLine {
    /// The reply to `start`.
    Started(Box<AdapterInfo>),
    /// The reply to a `run`.
    Answer(u64, AdapterAnswer),
    /// A line that does not say which request it answers.
    Malformed(String),
}

/// Parses a line from an adapter.
pub(crate) fn parse_reply(line: &[u8]) -> ReplyLine {
    match parse_message::<Reply<RawDocument<'_>>>(line) {
        Ok(reply) => interpret_reply(reply),
        Err(error) => {
            // The sequence number can be readable even if the rest of the line is not.
            #[derive(Deserialize)]
            struct RequestNumber {
                seq: u64,
                #[serde(default, rename = "result")]
                _result: IgnoredAny,
            }
            let why = not_a_reply(&error, line);
            match parse_message::<RequestNumber>(line) {
                Ok(RequestNumber { seq, .. }) => ReplyLine::Answer(seq, AdapterAnswer::Malformed(why)),
                Err(_) => ReplyLine::Malformed(why),
            }
        }
    }
}

/// Returns the message for a line that is not a valid reply. The message continues a sentence that begins with "the
/// target".
pub(crate) fn not_a_reply(error: &dyn fmt::Display, line: &[u8]) -> String {
    let error = visible_text(&error.to_string(), MAX_NAME_CHARS);
    format!("wrote a line that is not a valid reply ({error}): {}", excerpt(line))
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
        ("result", Some(result), _, _) => AdapterAnswer::Result(result.to_owned()),
        ("refused", _, Some(refusal), _) => AdapterAnswer::Refused(with_visible_texts(refusal)),
        ("unsupported", _, _, reason) => AdapterAnswer::Unsupported(reason.map(text).unwrap_or_default()),
        ("error", ..) => {
            AdapterAnswer::Malformed(format!("answered with an error: {}", message.unwrap_or_default()))
        }
        ("result", None, ..) => AdapterAnswer::Malformed("answered `result` without a `result`".to_owned()),
        ("refused", _, None, _) => {
            AdapterAnswer::Malformed("answered `refused` without an `error`".to_owned())
        }
        _ => {
            let kind = visible_text(&kind, MAX_NAME_CHARS);
            AdapterAnswer::Malformed(format!("answered with an unknown kind of reply, {kind:?}"))
        }
    };
    ReplyLine::Answer(seq, answer)
}

/// Limits the length of the texts of a refusal, and makes control characters in them visible.
fn with_visible_texts(refusal: Refusal) -> Refusal {
    let text = |text: String| visible_text(&text, MAX_TEXT_CHARS);
    let name = |name: &str| visible_text(name, MAX_NAME_CHARS);
    Refusal {
        kind: name(&refusal.kind).into(),
        directive: refusal.directive.map(|directive| name(&directive)),
        message: text(refusal.message),
        path: refusal.path.map(text),
        kinds: refusal.kinds.iter().map(|kind| name(kind).into()).collect(),
        conflicts: refusal
            .conflicts
            .into_iter()
            .map(|conflict| ConflictMessage {
                manager: text(conflict.manager),
                operation: conflict.operation,
                api_version: conflict.api_version.map(text),
                subresource: conflict.subresource.map(text),
                path: text(conflict.path),
            })
            .collect(),
    }
}

/// Checks that the names in a self-description are short enough and have no control characters.
///
/// # Errors
/// Fails with the reason. The reason continues a sentence that begins with "the target".
pub(crate) fn check_info(info: &AdapterInfo) -> Result<(), String> {
    let supports = &info.supports;
    let name = [("name", &info.name)];
    let optional = [("version", &info.version), ("language", &info.language)];
    let lists = [
        ("supports.operations", supports.operations.as_slice()),
        ("supports.directives", supports.directives.as_deref().unwrap_or_default()),
        ("supports.dialects", supports.dialects.as_deref().unwrap_or_default()),
        ("supports.lookups", &supports.lookups),
        ("supports.unions", &supports.unions),
        ("supports.policies", &supports.policies),
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
            ReplyLine::Answer(seq, AdapterAnswer::Result(text)) => format!("{seq} Result({text})"),
            ReplyLine::Answer(seq, AdapterAnswer::Refused(r)) => {
                format!("{seq} Refused({}: {})", r.kind, r.message)
            }
            ReplyLine::Answer(seq, AdapterAnswer::Unsupported(why)) => format!("{seq} Unsupported({why})"),
            ReplyLine::Answer(seq, AdapterAnswer::Malformed(why)) => format!("{seq} Malformed({why})"),
            ReplyLine::Malformed(why) => format!("Malformed({why})"),
        };
        assert_eq!(found, expected);
    }

    #[rstest]
    #[case::wrong_type(r#"{"kind":"result","seq":9,"result":{},"reason":4}"#)]
    #[case::no_json_at_the_end(r#"{"kind":"unsupported","seq":9,"reason":[]}"#)]
    fn a_bad_reply_still_names_its_request(#[case] line: &str) {
        assert!(
            matches!(parse_reply(line.as_bytes()), ReplyLine::Answer(9, AdapterAnswer::Malformed(_))),
            "{line}"
        );
    }

    #[rstest]
    #[case("hello")]
    #[case("")]
    #[case("[]")]
    #[case(r#"{"kind":"result","seq":"9"}"#)]
    fn a_line_that_is_no_reply_names_no_request(#[case] line: &str) {
        assert!(matches!(parse_reply(line.as_bytes()), ReplyLine::Malformed(_)), "{line}");
    }
}
