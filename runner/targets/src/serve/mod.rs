//! `skewer serve`: the built-in engine as an adapter, which answers requests of the protocol in
//! `runner/adapters/PROTOCOL.md`.

mod session;
mod unions;

use std::io::{BufReader, Read, Write};

use skewer_engine::directive::REGISTRY;
use skewer_skew::OperationKind;

use skewer_protocol::lines::{LineRead, read_line, skip_line};
use skewer_protocol::messages::{
    ADMIT, ADMIT_UNION, Capabilities, DIALECTS, LOOKUPS, MAX_REQUEST_BYTES, RawDocument, Reply,
    RequestMessage, VALIDATE_DEFINITION, VERSION, parse_message,
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
            Some(ADMIT_UNION) => session.admit_unions(seq, line),
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
                .chain([ADMIT, ADMIT_UNION, VALIDATE_DEFINITION])
                .map(str::to_owned)
                .collect(),
            directives: Some(directives.collect()),
            dialects: Some(DIALECTS.map(str::to_owned).to_vec()),
            // In all lookups, the engine finds patch metadata as an API server does, also in recursive types.
            lookups: LOOKUPS.map(str::to_owned).into(),
            policies: unions::POLICIES.map(str::to_owned).into(),
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

    const UNION_SCHEMA: &str = r#""schema":{"id":"u","root":"T","openapi":{"components":{"schemas":{"T":{"type":"object",
        "properties":{"type":{"type":"string","default":"N","x-kubernetes-unions":{"fieldMembers":{"A":{"name":"a"},"B":{"name":"b","optional":true},"N":null}}},
        "a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"},"d":{"type":"integer"},"e":{"type":"string"}},
        "x-skewer-unions":[{"kind":"exactly-one","members":[{"field":"c","value":"c"},{"field":"d","value":"d"}]},
        {"kind":"modal","discriminator":"e","members":[]}]}}}}}"#;

    #[rstest]
    #[case::members_are_cleared(
        r#"{"type":"A","a":1,"c":1}"#,
        r#"{"type":"B","a":1,"c":1}"#,
        "own,true,false",
        r#""result":{"c":1,"type":"B"}"#
    )]
    #[case::the_gate_is_off(
        r#"{"type":"A","a":1}"#,
        r#"{"type":"B","a":1}"#,
        "own,false,false",
        r#""result":{"a":1,"type":"B"}"#
    )]
    #[case::the_default_of_the_discriminator(
        r#"{"c":1}"#,
        r#"{"a":1,"c":1}"#,
        "own,true,false",
        r#""path":"a""#
    )]
    #[case::without_a_discriminator(
        r#"{"c":1}"#,
        r#"{"c":1,"d":1}"#,
        "own,true,false",
        r#""kind":"union-several-members""#
    )]
    #[case::no_member(r#"{"c":1}"#, "{}", "own,true,false", r#""kind":"union-no-member""#)]
    #[case::not_ratcheting(
        r#"{"type":"A","c":1}"#,
        r#"{"type":"A","c":2}"#,
        "own,true,false",
        r#""kind":"union-selected-member-empty""#
    )]
    #[case::ratcheting(
        r#"{"type":"A","c":1}"#,
        r#"{"type":"A","c":2}"#,
        "own,true,true",
        r#""result":{"c":2,"type":"A"}"#
    )]
    #[case::by_name(
        r#"{"type":"A","c":1}"#,
        r#"{"type":"A","c":2}"#,
        "kep-1027-ratcheting,true,false",
        r#""result":{"c":2,"type":"A"}"#
    )]
    #[case::rules_that_are_not_known(
        "{}",
        "{}",
        "declarative,true,false",
        r#""reason":"the rules \"declarative\" are not known""#
    )]
    fn unions_are_admitted(
        #[case] old: &str,
        #[case] new: &str,
        #[case] rules: &str,
        #[case] expected: &str,
    ) {
        let [policy, gate, ratcheting] = rules.split(',').collect::<Vec<_>>().try_into().unwrap();
        let schema = UNION_SCHEMA.replace('\n', "");
        let request = format!(
            r#"{{"kind":"run","seq":1,"operation":"admit-union",{schema},"documents":{{"old":{old},"new":{new}}},"options":{{"policy":"{policy}","gate":{gate},"ratcheting":{ratcheting},"request":"update"}}}}"#
        );
        let reply = &conversation(&[START, &request])[1];
        assert!(reply.contains(expected), "{reply}");
    }

    #[rstest]
    #[case::no_field(
        r#"{"kind":"exactly-one","members":[{"field":"z","value":"z"}]}"#,
        "T has no field z, which the union contains"
    )]
    #[case::no_kind(r#"{"kind":"dance","members":[]}"#, "expected a known `kind`")]
    #[case::no_member_names(
        r#"{"kind":"exactly-one","members":[{}]}"#,
        "expected members with a `field` and a `value`"
    )]
    fn a_description_of_a_union_that_makes_no_sense_is_refused(#[case] union: &str, #[case] expected: &str) {
        let (begin, _) = UNION_SCHEMA.split_once(r#"{"kind":"exactly-one""#).unwrap();
        let schema = format!("{begin}{union}]}}}}}}}}}}").replace('\n', "");
        let request = format!(
            r#"{{"kind":"run","seq":1,"operation":"admit-union",{schema},"documents":{{"new":{{}}}},"options":{{"policy":"own","gate":true,"ratcheting":false}}}}"#
        );
        let reply = &conversation(&[START, &request])[1];
        assert!(reply.contains(r#""kind":"invalid-schema""#) && reply.contains(expected), "{reply}");
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
