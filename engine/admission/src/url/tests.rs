//! A comparison with Go: see `testdata.json`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Url;

#[derive(Deserialize)]
struct Data {
    urls: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    /// Whether `ParseRequestURI` accepts the text.
    request: bool,
    /// The parts that `Parse` reads.
    parts: Option<Parts>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Parts {
    scheme: String,
    user: bool,
    host: String,
    hostname: String,
    port: String,
    path: String,
    query: BTreeMap<String, Vec<String>>,
    text: String,
}

#[test]
fn a_text_is_a_url_and_has_the_parts_that_go_reads() {
    let data: Data = serde_json::from_str(include_str!("testdata.json")).unwrap();
    for Case { text, request, parts } in data.urls {
        assert_eq!(Url::parse_request_uri(&text).is_some(), request, "{text:?}");
        let is_relative = parts.as_ref().is_some_and(|parts| parts.text.is_empty());
        let read = Url::parse(&text).map(|url| Parts {
            scheme: url.scheme.clone(),
            user: url.user.is_some(),
            host: url.host(),
            hostname: url.hostname(),
            port: url.port(),
            path: url.escaped_path(),
            query: url.query_values(),
            text: if is_relative { String::new() } else { url.to_text() },
        });
        assert_eq!(read, parts, "{text:?}");
    }
}
