//! Whole requests to an API server: the kind of their objects, and their options.

use std::borrow::Cow;

use skewer_engine::patch::PatchContext;
use skewer_engine::schema::builtin::ReleaseKind;
use skewer_skew::Operation;

use skewer_protocol::messages::OptionsMessage;

/// The value of the option `fieldValidation` with which a server refuses unknown fields.
const STRICT: &str = "Strict";

/// Returns the kind of the objects of a context, if the types are those of a Kubernetes release.
pub(super) fn kind_of(context: &PatchContext) -> Option<ReleaseKind> {
    ReleaseKind::of(&context.schema, context.root)
}

/// Sets the options that only a whole request has.
pub(super) fn set_options(options: &mut OptionsMessage, operation: &Operation<'_>) {
    let of_types = operation.context().and_then(kind_of);
    let request = operation.options().request;
    options.request = Some(Cow::Borrowed(request.request_type.name()));
    options.field_validation = request.strict.then_some(Cow::Borrowed(STRICT));
    let kind = request.kind.or(of_types.map(|of_types| of_types.kind));
    options.kind = kind.map(str::to_owned);
    if options.api_version.is_none() {
        options.api_version = of_types.map(|of_types| of_types.api_version.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rstest::rstest;
    use skewer_engine::document::from_json;
    use skewer_engine::schema::builtin;
    use skewer_engine::{Doc, OwnedDoc};
    use skewer_skew::{
        ApiRequestOptions, BuiltIn, Operation, OperationKind, OperationOptions, RequestType, Role,
    };

    use super::super::reply::{ReplyLine, parse_reply};
    use super::super::request::PreparedRequest;
    use super::super::result::result_of_answer;
    use super::super::schema_registry::{SchemaRegistry, SentSchemas};
    use super::*;
    use crate::OperationError;

    /// Sends a whole request to `skewer serve`, and returns its result and that of the engine.
    fn send_request(
        request_type: RequestType,
        documents: &[(Role, &str)],
        strict: bool,
    ) -> [Result<OwnedDoc, OperationError>; 2] {
        let release = builtin::newest();
        let context =
            PatchContext::of(Arc::clone(release.schema()), release.resolve("v1/Pod").unwrap()).unwrap();
        let documents: Vec<(Role, OwnedDoc)> = documents
            .iter()
            .map(|(role, text)| {
                let text_of_body = || Doc::from(*text).to_static();
                (*role, from_json(text.as_bytes()).unwrap_or_else(|_| text_of_body()))
            })
            .collect();
        let operands = documents.iter().map(|(role, document)| (*role, document.into()));
        let operation = Operation::new(OperationKind::Request, Some(&context), operands).unwrap();
        let request = ApiRequestOptions { request_type, strict, ..ApiRequestOptions::default() };
        let operation = operation.with_options(OperationOptions { request, ..OperationOptions::default() });
        let prepared = PreparedRequest::new(&operation, &SchemaRegistry::default(), &[]);
        let line = prepared.line(1, &mut SentSchemas::new());
        assert!(!String::from_utf8_lossy(&line).contains("schema"), "a server has its own types");
        let input = [br#"{"kind":"start","protocol":1}"#, &b"\n"[..], &line].concat();
        let mut output = Vec::new();
        crate::serve::serve(&*input, &mut output).unwrap();
        let reply = output.split(|byte| *byte == b'\n').nth(1).unwrap();
        let ReplyLine::Answer(1, answer) = parse_reply(reply) else { panic!("no answer") };
        [result_of_answer(answer, &prepared), BuiltIn::execute(&operation).map_err(OperationError::Refused)]
    }

    #[rstest]
    #[case::created(RequestType::Create, &[(Role::Body, r#"{"spec":{"hostname":"h"}}"#)], false, "h")]
    #[case::no_live_object(RequestType::Update, &[(Role::Live, "null"), (Role::Body, "{}")], false, "not-found")]
    #[case::the_last_of_two_keys_counts(
    RequestType::StrategicMergePatch,
    &[(Role::Live, "{}"), (Role::Body, "{\"spec\":{\"hostname\":\"g\",\n\"hostname\":\"h\"}}")],
    false,
    "h"
)]
    #[case::two_keys_are_refused(
    RequestType::StrategicMergePatch,
    &[(Role::Live, "{}"), (Role::Body, r#"{"spec":{"hostname":"g","hostname":"h"}}"#)],
    true,
    "invalid-document"
)]
    fn a_whole_request_is_sent_and_served(
        #[case] request_type: RequestType,
        #[case] documents: &[(Role, &str)],
        #[case] strict: bool,
        #[case] expected: &str,
    ) {
        for answer in send_request(request_type, documents, strict) {
            match answer {
                Ok(pod) => {
                    let spec = pod.as_map().and_then(|pod| pod.get("spec")).and_then(Doc::as_map).unwrap();
                    assert_eq!(spec.get("hostname").and_then(Doc::as_str), Some(expected), "{pod}");
                }
                Err(OperationError::Refused(error)) => assert_eq!(error.kind().id(), expected, "{error}"),
                Err(no_answer) => panic!("{no_answer:?}"),
            }
        }
    }
}
