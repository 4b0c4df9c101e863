//! The operation `request`: what the handlers of an API server do besides merging. The upstream functions are those of
//! `k8s.io/apiserver/pkg/endpoints/handlers`.

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::document::{Doc, from_json};
use skewer_engine::patch::{PatchContext, PatchLibrary};
use skewer_engine::schema::builtin;

use crate::{ApiRequestOptions, BuiltIn, Operation, OperationKind, OperationOptions, RequestType, Role};

const CREATE: RequestType = RequestType::Create;
const UPDATE: RequestType = RequestType::Update;
const STRATEGIC: RequestType = RequestType::StrategicMergePatch;
const MERGE: RequestType = RequestType::JsonMergePatch;
const JSON_PATCH: RequestType = RequestType::JsonPatch;

/// Sends a request to the server of a release. Returns the stored object, or the kind of the refusal. An empty text is an
/// object that does not exist.
fn send(
    (release, kind): (&str, &str),
    (request_type, strict): (RequestType, bool),
    (live, body): (&str, &str),
) -> String {
    let release = builtin::release(release).unwrap();
    let context = PatchContext::of(Arc::clone(release.schema()), release.resolve(kind).unwrap()).unwrap();
    let context = PatchContext { library: PatchLibrary::of_release(release.minor()), ..context };
    let read = |text: &str| from_json(text.as_bytes()).unwrap();
    let live = if live.is_empty() { Doc::Null } else { read(live) };
    let body = read(body);
    let operands = [(Role::Live, (&live).into()), (Role::Body, (&body).into())];
    let operation = Operation::new(OperationKind::Request, Some(&context), operands).unwrap();
    let request = ApiRequestOptions { request_type, strict, ..ApiRequestOptions::default() };
    let operation = operation.with_options(OperationOptions { request, ..OperationOptions::default() });
    match BuiltIn::execute(&operation) {
        Ok(object) => object.to_string(),
        Err(error) => error.kind().id().to_owned(),
    }
}

const MAP: &str = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#;

/// Upstream: `checkName`, `transformDecodeError`, `RequestScope.AcceptsGroupVersion`.
#[rstest]
#[case::the_name_is_not_changed(MERGE, MAP, r#"{"metadata":{"name":"b"}}"#, "wrong-name")]
#[case::the_name_is_not_removed(MERGE, MAP, r#"{"metadata":null}"#, "wrong-name")]
#[case::an_assumed_name_is_not_removed(
    JSON_PATCH,
    "{}",
    r#"[{"op":"add","path":"/metadata","value":{}}]"#,
    "wrong-name"
)]
#[case::a_whole_object_has_the_name(UPDATE, MAP, r#"{"metadata":{"name":"b"}}"#, "wrong-name")]
#[case::a_whole_object_without_a_name(
    UPDATE,
    "{}",
    r#"{"data":{"a":"b"}}"#,
    r#"{"data":{"a":"b"},"metadata":{}}"#
)]
#[case::a_new_object_has_any_name(CREATE, "", r#"{"metadata":{"name":"b"}}"#, r#"{"metadata":{"name":"b"}}"#)]
#[case::json_is_decoded_into_the_kind_that_it_names(MERGE, MAP, r#"{"kind":"Pod"}"#, "wrong-api-version")]
#[case::a_strategic_patch_is_not(STRATEGIC, MAP, r#"{"kind":"Pod"}"#, MAP)]
#[case::a_kind_is_text(UPDATE, MAP, r#"{"kind":7}"#, "undecodable")]
#[case::the_kind_is_that_of_the_endpoint(UPDATE, MAP, r#"{"kind":"","metadata":{"name":"a"}}"#, MAP)]
#[case::a_list_is_no_object(UPDATE, "{}", "[]", "invalid-document")]
#[case::null_is_an_object_without_a_name(UPDATE, "{}", "null", "wrong-name")]
#[case::a_whole_object_is_decoded_before_the_live_one_is_read(UPDATE, "", r#"{"data":7}"#, "undecodable")]
#[case::a_patch_is_decoded_after_the_live_object_is_read(MERGE, "", r#"{"data":7}"#, "not-found")]
fn the_object_of_a_request_is_that_of_its_endpoint(
    #[case] request_type: RequestType,
    #[case] live: &str,
    #[case] body: &str,
    #[case] expected: &str,
) {
    let stored = send(("newest", "v1/ConfigMap"), (request_type, false), (live, body));
    assert_eq!(stored, expected);
}

/// Upstream: `dedupOwnerReferences`.
#[test]
fn repeated_owner_references_are_removed() {
    let owner = |name: &str| format!(r#"{{"apiVersion":"v1","kind":"K","name":"{name}","uid":"u"}}"#);
    let owners =
        |owners: &[String]| format!(r#"{{"metadata":{{"ownerReferences":[{}]}}}}"#, owners.join(","));
    let (a, b) = (owner("a"), owner("b"));
    let body = owners(&[a.clone(), b.clone(), a.clone()]);
    let stored = send(("newest", "v1/ConfigMap"), (MERGE, false), ("{}", &body));
    assert_eq!(stored, owners(&[a, b]));
}

/// The handlers do not validate objects: that is the task of the registry of each kind.
#[test]
fn values_of_enums_are_not_validated() {
    let stored = send(("newest", "v1/Service"), (MERGE, false), ("{}", r#"{"spec":{"type":"No"}}"#));
    assert_eq!(stored, r#"{"metadata":{},"spec":{"type":"No"},"status":{"loadBalancer":{}}}"#);
}

#[rstest]
#[case::an_unknown_field(MERGE, r#"{"x":1}"#, "strict-unknown-field")]
#[case::a_wrong_value_comes_first(MERGE, r#"{"x":1,"data":7}"#, "undecodable")]
#[case::an_unknown_member_of_an_operation(
    JSON_PATCH,
    r#"[{"op":"remove","path":"/data","x":1}]"#,
    "strict-unknown-field"
)]
#[case::a_patch_that_does_not_apply_comes_first(
    JSON_PATCH,
    r#"[{"op":"remove","path":"/y","x":1}]"#,
    "json-patch-failed"
)]
fn strict_validation_comes_after_decoding(
    #[case] request_type: RequestType,
    #[case] body: &str,
    #[case] expected: &str,
) {
    let live = r#"{"data":{"a":"b"}}"#;
    assert_eq!(send(("newest", "v1/ConfigMap"), (request_type, true), (live, body)), expected);
}

/// The versions of `github.com/evanphx/json-patch`: 4.9 up to 1.21, 4.11 in 1.22, 4.12 since 1.23. And upstream's
/// `sliceFromUnstructured`, which keeps empty bytes since 1.26.
#[rstest]
#[case::null_items_are_dropped(
    "kubernetes-1.20",
    MERGE,
    r#"{"metadata":{"finalizers":[null,"a"]}}"#,
    r#"["a"]"#
)]
#[case::null_items_are_zero_values(
    "kubernetes-1.22",
    MERGE,
    r#"{"metadata":{"finalizers":[null,"a"]}}"#,
    r#"["","a"]"#
)]
#[case::the_root_cannot_be_tested(
    "kubernetes-1.22",
    JSON_PATCH,
    r#"[{"op":"test","path":"","value":{}}]"#,
    "json-patch-failed"
)]
#[case::the_root_cannot_be_replaced(
    "kubernetes-1.22",
    JSON_PATCH,
    r#"[{"op":"replace","path":"","value":{"metadata":{"name":"skewer","finalizers":["a"]}}}]"#,
    "json-patch-failed"
)]
#[case::the_root_can_be_replaced(
    "kubernetes-1.24",
    JSON_PATCH,
    r#"[{"op":"replace","path":"","value":{"metadata":{"name":"skewer","finalizers":["a"]}}}]"#,
    r#"["a"]"#
)]
#[case::empty_bytes_are_null("kubernetes-1.24", STRATEGIC, r#"{"binaryData":{"a":""}}"#, r#"{"a":null}"#)]
#[case::empty_bytes_are_kept("kubernetes-1.26", STRATEGIC, r#"{"binaryData":{"a":""}}"#, r#"{"a":""}"#)]
fn a_release_processes_requests_with_its_libraries(
    #[case] release: &str,
    #[case] request_type: RequestType,
    #[case] body: &str,
    #[case] expected: &str,
) {
    let stored = send((release, "v1/ConfigMap"), (request_type, false), ("{}", body));
    assert!(stored.contains(expected), "{stored}");
}
