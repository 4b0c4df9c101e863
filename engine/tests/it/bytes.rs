//! Patch operations on JSON text.

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::ErrorKind;
use skewer_engine::patch::{Overwrite, PatchContext, Precondition, bytes};
use skewer_engine::schema::builtin;

use crate::helpers::kind;

fn pod() -> PatchContext {
    PatchContext::of(Arc::clone(builtin::newest().schema()), "core/v1.Pod").unwrap()
}

fn text(bytes: skewer_engine::Result<Vec<u8>>) -> String {
    String::from_utf8(bytes.unwrap()).unwrap()
}

const LIVE: &[u8] =
    br#"{"metadata":{"finalizers":["a","b"],"generation":9007199254740993},"spec":{"replicas":1.0}}"#;

#[test]
fn apply_leaves_integers_and_floats_unchanged() {
    let patch = br#"{"metadata":{"finalizers":["c"],"$deleteFromPrimitiveList/finalizers":["a"]}}"#;
    assert_eq!(
        text(bytes::apply(&pod(), LIVE, patch)),
        r#"{"metadata":{"finalizers":["c","b"],"generation":9007199254740993},"spec":{"replicas":1.0}}"#
    );
}

#[test]
fn an_empty_input_is_an_empty_object() {
    let pod = pod();
    let patch = br#"{"spec":{"hostNetwork":true}}"#;
    assert_eq!(text(bytes::apply(&pod, b"", patch)).as_bytes(), patch);
    assert_eq!(text(bytes::apply(&pod, patch, b"")).as_bytes(), patch);
    assert_eq!(text(bytes::two_way(&pod, b"", patch)).as_bytes(), patch);
    assert_eq!(text(bytes::two_way(&pod, b"", b"")), "{}");
    assert_eq!(text(bytes::combine(&pod, &[b"", patch])).as_bytes(), patch);
    assert!(!bytes::have_conflicts(&pod, b"", patch).unwrap());
    assert_eq!(text(bytes::json_merge_apply(b"", patch)).as_bytes(), patch);
    assert_eq!(text(bytes::json_merge_two_way(b"", patch)).as_bytes(), patch);
    let documents = bytes::ThreeWayTexts { last_applied: b"", modified: patch, live: b"" };
    assert_eq!(text(bytes::three_way(&pod, documents, Overwrite::No, &[])).as_bytes(), patch);
    assert_eq!(text(bytes::json_merge_three_way(documents, &[])).as_bytes(), patch);
    assert_eq!(text(bytes::json_patch_apply(b"", b"[]")), "{}");
    assert_eq!(kind(bytes::json_patch_apply(b"{}", b"")), ErrorKind::InvalidDocument);
}

#[test]
fn three_way_patches_delete_applied_fields_and_check_preconditions() {
    let pod = pod();
    let documents = bytes::ThreeWayTexts {
        last_applied: br#"{"kind":"Pod","spec":{"hostNetwork":true}}"#,
        modified: br#"{"spec":{}}"#,
        live: br#"{"kind":"Pod","spec":{"hostNetwork":true}}"#,
    };
    let patch = r#"{"kind":null,"spec":{"hostNetwork":null}}"#;
    assert_eq!(text(bytes::three_way(&pod, documents, Overwrite::Yes, &[])), patch);
    assert_eq!(text(bytes::json_merge_three_way(documents, &[])), patch);
    let kind_unchanged = [Precondition::KeyUnchanged("kind".into())];
    let refused = [
        bytes::three_way(&pod, documents, Overwrite::Yes, &kind_unchanged),
        bytes::json_merge_three_way(documents, &kind_unchanged),
    ];
    for refused in refused {
        assert_eq!(kind(refused), ErrorKind::PreconditionFailed);
    }
}

#[test]
fn conflicts_are_reported() {
    let (left, right) = (br#"{"spec":{"hostname":"a"}}"#, br#"{"spec":{"hostname":"b"}}"#);
    assert!(bytes::have_conflicts(&pod(), left, right).unwrap());
    assert!(!bytes::have_conflicts(&pod(), left, left).unwrap());
}

#[rstest]
#[case::object(bytes::apply(&pod(), b"{", b"{}"), "the object is not a valid JSON document: EOF")]
#[case::patch(bytes::apply(&pod(), b"{}", b"{}{}"), "the patch is not a valid JSON document: trailing")]
#[case::original(bytes::two_way(&pod(), b"nul", b"{}"), "the original document is not a valid JSON document")]
#[case::second_patch(bytes::combine(&pod(), &[b"{}", b"{\"a\":1,\"a\":2}"]), "patch 2 is not a valid JSON document: duplicate key \"a\"")]
#[case::json_patch(bytes::json_patch_apply(b"{}", b"[}"), "the patch is not a valid JSON document")]
#[case::not_an_object(bytes::apply(&pod(), b"[]", b"{}"), "the object to patch must be an object, not a list")]
fn the_error_of_a_malformed_document_names_the_document(
    #[case] result: skewer_engine::Result<Vec<u8>>,
    #[case] message: &str,
) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidDocument);
    assert!(error.to_string().starts_with(message), "{error}");
}

#[test]
fn strategic_merge_patch_of_a_custom_resource_is_refused() {
    let resource = PatchContext { custom_resource: true, ..pod() };
    let documents = bytes::ThreeWayTexts { last_applied: b"", modified: b"", live: b"" };
    let results = [
        bytes::apply(&resource, b"", b""),
        bytes::two_way(&resource, b"", b""),
        bytes::three_way(&resource, documents, Overwrite::Yes, &[]),
        bytes::combine(&resource, &[b""]),
        bytes::have_conflicts(&resource, b"", b"").map(|_| Vec::new()),
    ];
    for result in results {
        assert_eq!(kind(result), ErrorKind::UnsupportedPatchFormat);
    }
}
