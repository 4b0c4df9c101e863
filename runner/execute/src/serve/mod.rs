//! `skewer serve`: the built-in engine as an adapter, which answers requests of the protocol in
//! `runner/adapters/PROTOCOL.md`.

mod session;

use std::io::{BufReader, Read, Write};

use skewer_engine::directive::REGISTRY;
use skewer_skew::OperationKind;

use skewer_protocol::lines::{LineRead, read_line, skip_line};
use skewer_protocol::messages::{
    ADMIT, Capabilities, DIALECTS, LOOKUPS, MAX_REQUEST_BYTES, RawDocument, Reply, RequestMessage,
    VALIDATE_DEFINITION, VERSION, parse_message,
};

use self::session::Session;

/// Answers requests until a `stop` request or the end of the input.
///
/// # Errors
/// Fails if the input cannot be read, or the output cannot be written.
pub fn serve(input: impl Read, mut output: impl Write) -> std::io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut session = None;
    let mut line = Vec::new();
    loop {
        // Flushes once for all requests that arrived together.
        if !input.buffer().contains(&b'\n') {
            output.flush()?;
        }
        match read_line(&mut input, &mut line, MAX_REQUEST_BYTES)? {
            LineRead::Line => {}
            LineRead::TooLong => {
                skip_line(&mut input)?;
                let limit = MAX_REQUEST_BYTES >> 20;
                write_reply(&mut output, &Reply::error(None, format!("the line has more than {limit} MiB")))?;
                continue;
            }
            LineRead::End => return output.flush(),
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let reply = match parse_message::<RequestMessage<RawDocument<'_>>>(&line) {
            Ok(request) if request.kind == "stop" => return output.flush(),
            Ok(request) => answer(request, &line, &mut session),
            Err(error) => reply_to_unreadable_line(&line, &error),
        };
        write_reply(&mut output, &reply)?;
    }
}

fn write_reply(output: &mut impl Write, reply: &Reply) -> std::io::Result<()> {
    serde_json::to_writer(&mut *output, reply)?;
    output.write_all(b"\n")
}

fn answer(request: RequestMessage<RawDocument<'_>>, line: &[u8], session: &mut Option<Session>) -> Reply {
    let seq = request.seq;
    match (&*request.kind, seq, session) {
        ("start", _, session) => match request.protocol {
            Some(VERSION) => {
                session.get_or_insert_default();
                start_reply()
            }
            other => {
                Reply::error(None, format!("protocol {other:?} is not known; expected version {VERSION}"))
            }
        },
        ("run", None, _) => Reply::error(None, "`run` needs a `seq`"),
        ("run", Some(_), None) => Reply::error(seq, "`start` comes first"),
        ("run", Some(seq), Some(session)) => match request.operation.as_deref() {
            Some(ADMIT) => session::admit(seq, line),
            Some(VALIDATE_DEFINITION) => session::validate_definition(seq, line),
            _ => session.run(seq, request),
        },
        (kind, ..) => Reply::error(seq, format!("requests of kind {kind:?} are not known")),
    }
}

fn start_reply() -> Reply {
    let directives = REGISTRY.iter().map(|directive| directive.name().to_owned());
    Reply {
        protocol: Some(VERSION),
        name: Some("skewer".to_owned()),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        language: Some("Rust".to_owned()),
        supports: Some(Capabilities {
            operations: OperationKind::ALL
                .iter()
                .map(|kind| kind.name())
                .chain([ADMIT, VALIDATE_DEFINITION])
                .map(str::to_owned)
                .collect(),
            directives: Some(directives.collect()),
            dialects: Some(DIALECTS.map(str::to_owned).to_vec()),
            // In all lookups, the engine finds patch metadata as an API server does, also in recursive types.
            lookups: LOOKUPS.map(str::to_owned).into(),
            ..Capabilities::default()
        }),
        ..Reply::of("started")
    }
}

/// Returns the reply to a line that is not a valid request. The reply has the sequence number if that number is
/// readable.
fn reply_to_unreadable_line(line: &[u8], why: &serde_json::Error) -> Reply {
    #[derive(serde::Deserialize)]
    struct RequestNumber {
        seq: u64,
    }
    let seq = parse_message::<RequestNumber>(line).ok().map(|number| number.seq);
    Reply::error(seq, format!("the line is not a request: {why}"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn conversation(lines: &[&str]) -> Vec<String> {
        let mut output = Vec::new();
        serve(lines.join("\n").as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
    }

    const START: &str = r#"{"kind":"start","protocol":1}"#;
    const SCHEMA: &str = r#""schema":{"id":"s","root":"T","openapi":{"components":{"schemas":{"T":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"x-kubernetes-patch-strategy":"merge"}}}}}}}"#;

    #[rstest]
    #[case::result(
        r#""operation":"apply",S,"documents":{"live":{"a":["x"]},"patch":{"a":["y"]}}"#,
        r#"{"kind":"result","seq":1,"result":{"a":["y","x"]}}"#
    )]
    #[case::a_document_that_is_left_out_is_empty(
        r#""operation":"apply",S,"documents":{"patch":{"a":["y"]}}"#,
        r#"{"kind":"result","seq":1,"result":{"a":["y"]}}"#
    )]
    #[case::a_document_that_must_be_there(
        r#""operation":"apply",S,"documents":{"live":{}}"#,
        r#"{"kind":"error","seq":1,"message":"the document `patch` is missing"}"#
    )]
    #[case::refused(
        r#""operation":"apply",S,"documents":{"live":{"a":["x"]},"patch":{"a":[1]}}"#,
        r#"{"kind":"refused","seq":1,"error":{"kind":"mixed-list","#
    )]
    #[case::not_known(r#""operation":"dance","documents":{}"#, r#"{"kind":"unsupported","seq":1,"reason":"#)]
    #[case::a_directive_that_is_not_known(
        r#""operation":"apply",S,"documents":{"patch":{}},"profile":{"with":["$dance"]}"#,
        r#"{"kind":"unsupported","seq":1,"reason":"the directive $dance is not known"}"#
    )]
    #[case::a_directive_that_is_forgotten(
        r#""operation":"apply",S,"documents":{"live":{"a":["x"]},"patch":{"$deleteFromPrimitiveList/a":["x"]}},"profile":{"without":["$deleteFromPrimitiveList"]}"#,
        r#"{"kind":"result","seq":1,"result":{"$deleteFromPrimitiveList/a":["x"],"a":["x"]}}"#
    )]
    #[case::no_schema(
        r#""operation":"apply","documents":{"patch":{}}"#,
        r#"{"kind":"error","seq":1,"message":"`apply` needs a `schema`"}"#
    )]
    #[case::no_such_schema(
        r#""operation":"apply","schema":{"id":"x"},"documents":{"patch":{}}"#,
        r#"{"kind":"error","seq":1,"message":"no schema was sent with the id x"}"#
    )]
    #[case::a_precondition(
        r#""operation":"two-way",S,"documents":{"original":{"kind":"a"},"modified":{"kind":"b"}},"options":{"preconditions":[{"keyUnchanged":"kind"}]}"#,
        r#"{"kind":"refused","seq":1,"error":{"kind":"precondition-failed","#
    )]
    #[case::json_patch(
        r#""operation":"json-patch-apply","documents":{"live":{"a":1},"patch":[{"op":"remove","path":"/a"}]}"#,
        r#"{"kind":"result","seq":1,"result":{}}"#
    )]
    fn requests_are_answered(#[case] request: &str, #[case] expected: &str) {
        let request = format!(r#"{{"kind":"run","seq":1,{}}}"#, request.replace('S', SCHEMA));
        let replies = conversation(&[START, &request]);
        assert!(replies[1].starts_with(expected), "{}", replies[1]);
    }

    #[test]
    fn a_bad_line_fails_alone() {
        let deep = format!(
            r#"{{"kind":"run","seq":7,"documents":{{"patch":{}}}}}"#,
            "[".repeat(600) + &"]".repeat(600)
        );
        let out_of_range = r#"{"kind":"run","seq":9,"documents":{"patch":{"a":1e400}}}"#;
        let twice = r#"{"kind":"run","seq":8,"documents":{"patch":{"a":1,"a":2}}}"#;
        let (no_start, unknown) = (r#"{"kind":"run","seq":1}"#, r#"{"kind":"dance"}"#);
        let replies = conversation(&["hello", no_start, START, &deep, out_of_range, twice, unknown]);
        let begins = [
            r#"{"kind":"error","message":"the line is not a request"#,
            r#"{"kind":"error","seq":1,"message":"`start` comes first"}"#,
            r#"{"kind":"started","protocol":1,"name":"skewer""#,
            r#"{"kind":"refused","seq":7,"error":{"kind":"too-deep","message":"nested too deeply: at most 512"#,
            r#"{"kind":"refused","seq":9,"error":{"kind":"invalid-document","message":"number out of range"#,
            r#"{"kind":"error","seq":8,"message":"the line is not a request"#,
            r#"{"kind":"error","message":"requests of kind"#,
        ];
        for (reply, begin) in replies.iter().zip(begins) {
            // The members of a reply have the order `kind`, `seq`, `message`.
            assert!(reply.starts_with(begin), "{reply}");
        }
        assert_eq!(replies.len(), begins.len());
    }

    /// Numbers and strings are read as Go reads them: `-0` is an integer, and half a surrogate pair becomes U+FFFD.
    #[test]
    fn documents_are_read_by_the_engine() {
        let request = r#"{"kind":"run","seq":1,"operation":"json-merge-apply","documents":{"live":{},"patch":{"a":[-0,-0.0],"b":"\ud800"}}}"#;
        let expected = "{\"kind\":\"result\",\"seq\":1,\"result\":{\"a\":[0,-0.0],\"b\":\"\u{fffd}\"}}";
        assert_eq!(conversation(&[START, request])[1], expected);
    }

    #[test]
    fn a_line_that_is_too_long_fails_alone() {
        let long = std::io::repeat(b'x').take(MAX_REQUEST_BYTES as u64 + 1);
        let mut output = Vec::new();
        serve(long.chain(&b"\n"[..]).chain(START.as_bytes()), &mut output).unwrap();
        let replies = String::from_utf8(output).unwrap();
        let (first, second) = replies.split_once('\n').unwrap();
        assert_eq!(first, r#"{"kind":"error","message":"the line has more than 64 MiB"}"#);
        assert!(second.starts_with(r#"{"kind":"started""#), "{second}");
    }

    #[test]
    fn a_list_outside_of_documents_has_a_limit() {
        let many = vec!["null"; 1001].join(",");
        let request =
            format!(r#"{{"kind":"run","seq":1,"operation":"merge","documents":{{"patches":[{many}]}}}}"#);
        let reply = &conversation(&[START, &request])[1];
        assert!(
            reply.starts_with(r#"{"kind":"error","seq":1,"#)
                && reply.contains("a list of more than 1000 items"),
            "{reply}"
        );
    }

    /// When the maximum number of schemas is stored, a new id is refused, but a request can still replace the schema
    /// of an old id.
    #[test]
    fn the_number_of_schemas_is_limited() {
        let request = |seq: usize, id: usize| {
            let schema = SCHEMA.replace(r#""id":"s""#, &format!(r#""id":"s{id}""#));
            format!(
                r#"{{"kind":"run","seq":{seq},"operation":"apply",{schema},"documents":{{"patch":{{}}}}}}"#
            )
        };
        let mut lines = vec![START.to_owned()];
        lines.extend((0..=4096).map(|id| request(id, id)));
        lines.push(request(5000, 0));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let replies = conversation(&lines);
        let results = replies.iter().filter(|reply| reply.starts_with(r#"{"kind":"result""#)).count();
        assert_eq!(results, 4097);
        assert!(
            replies[4097].contains("at most 4096 schemas and 128 MiB of them are kept"),
            "{}",
            replies[4097]
        );
    }

    #[test]
    fn nothing_is_answered_after_stop() {
        assert_eq!(conversation(&[START, r#"{"kind":"stop"}"#, START]).len(), 1);
    }
}
