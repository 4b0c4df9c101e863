//! The answers of clients that are programs: the requests that they sent, and their own errors.

use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc, OwnedMap};

use super::refusal::refusal;
use super::request::Response;

/// Returns the error with which a tool ended: that of the last request that the server refused, or one of its own.
pub(super) fn refusal_of_client(answer: &OwnedDoc) -> Option<Error> {
    let answer = answer.as_map()?;
    let error = answer.get("error")?.as_map()?;
    let text = |key: &str| error.get(key).and_then(Doc::as_str).unwrap_or_default();
    let message = text("message").to_owned();
    if let Some(kind) = ErrorKind::from_id(text("kind")) {
        return Some(Error::new(kind, message));
    }
    let requests = answer.get("requests").and_then(Doc::as_list).unwrap_or_default();
    let refused = requests.iter().rev().filter_map(Doc::as_map).find_map(refused_response);
    Some(refused.map_or_else(|| Error::new(ErrorKind::Unclassified, message), |response| refusal(&response)))
}

/// Returns the response of a request that was refused. An object that is not found is no refusal of a read.
fn refused_response(request: &OwnedMap) -> Option<Response> {
    let Doc::Int(status) = request.get("status")? else { return None };
    let status = u16::try_from(*status).ok()?;
    let is_read = request.get("method").and_then(Doc::as_str) == Some("GET");
    (status >= 400 && !(is_read && status == 404)).then(|| Response {
        status,
        warnings: Vec::new(),
        body: request.get("response").cloned().unwrap_or(Doc::Null),
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;

    use super::*;

    const NOT_FOUND: &str = r#"{"method":"GET","path":"/p","status":404}"#;
    const CONFLICT: &str =
        r#"{"method":"PATCH","path":"/p","status":409,"response":{"message":"m","reason":"Conflict"}}"#;

    #[rstest]
    #[case::no_error(&format!(r#"{{"requests":[{CONFLICT}]}}"#), None)]
    #[case::of_the_server(&format!(r#"{{"requests":[{CONFLICT},{NOT_FOUND}],"error":{{"message":"t"}}}}"#), Some("conflict: m"))]
    #[case::its_own(&format!(r#"{{"requests":[{NOT_FOUND}],"error":{{"message":"t"}}}}"#), Some("unclassified: t"))]
    #[case::its_own_kind(
        &format!(r#"{{"requests":[{CONFLICT}],"error":{{"kind":"already-exists","message":"t"}}}}"#),
        Some("already-exists: t")
    )]
    fn the_error_of_a_client_is_that_of_the_server_or_its_own(
        #[case] answer: &str,
        #[case] expected: Option<&str>,
    ) {
        let error = refusal_of_client(&from_json(answer.as_bytes()).unwrap());
        let described = error.map(|error| format!("{}: {}", error.kind().id(), error.message()));
        assert_eq!(described.as_deref(), expected);
    }
}
