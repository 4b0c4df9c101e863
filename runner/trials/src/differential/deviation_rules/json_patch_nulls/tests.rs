use std::sync::Arc;

use rstest::rstest;
use skewer_engine::document::from_json;
use skewer_engine::patch::json_patch;
use skewer_engine::schema::builtin;

use super::super::test_support::{ours, refused, result, trial};
use super::*;
use crate::differential::generate::TypeSource;
use crate::differential::trial::TrialRequest;
use crate::differential::types::{TrialTypes, TypesOrigin};

const TYPES: &str = "type T struct {\n}";
const NIL: &str = "runtime error: invalid memory address or nil pointer dereference";

fn panic(message: &str) -> Answer {
    Answer::Panic(message.to_owned())
}

/// A request with a JSON patch to the server of a release. The answers are those of 1.34.8 and 1.37.2.
#[rstest]
#[case::a_path_through_a_null_in_an_old_release(
    34,
    r#"[{"op":"replace","path":"/data","value":null},{"op":"remove","path":"/data/a"}]"#,
    panic(NIL),
    true
)]
#[case::a_path_through_a_null(
    37,
    r#"[{"op":"replace","path":"/data","value":null},{"op":"remove","path":"/data/a"}]"#,
    panic(NIL),
    false
)]
#[case::nothing_against_nothing_in_an_old_release(
    34,
    r#"[{"op":"test","path":"/immutable"}]"#,
    panic(NIL),
    true
)]
#[case::nothing_against_nothing(37, r#"[{"op":"test","path":"/immutable"}]"#, panic(NIL), false)]
#[case::a_null_without_a_name(
    34,
    r#"[{"op":"test","path":"/immutable"},{"op":"add","path":"/metadata/name"}]"#,
    panic(NIL),
    true
)]
#[case::a_result_after_a_test_of_a_copied_null(
    37,
    r#"[{"op":"add","path":"/data","value":null},{"op":"copy","from":"/data","path":"/x"},{"op":"test","path":"/x","value":{}}]"#,
    result(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}"#),
    true
)]
fn nulls_in_requests_are_explained(
    #[case] server: u32,
    #[case] patch: &str,
    #[case] theirs: Answer,
    #[case] explained: bool,
) {
    let TypeSource::Release(kinds) = TypeSource::of_server(builtin::newest(), server).unwrap() else {
        panic!("the source is a release")
    };
    let is_map =
        |types: &&Arc<TrialTypes>| matches!(types.origin, TypesOrigin::Release { kind: "ConfigMap", .. });
    let types = Arc::clone(kinds.iter().find(is_map).unwrap());
    let live = r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"b"}}"#;
    let trial = trial(OperationKind::Request, TYPES, &[live, patch]);
    let request = TrialRequest { request_type: RequestType::JsonPatch, ..TrialRequest::default() };
    let trial = Trial { types, request, ..trial };
    assert_eq!(explains(&trial, &ours(&trial), &theirs), explained);
}

/// Answers of the library, and similar answers that must not be explained.
#[rstest]
#[case::a_list_with_null(
    r#"{"a":[null]}"#,
    r#"[{"op":"test","path":"/a","value":[null]}]"#,
    panic(NIL),
    true
)]
#[case::a_map_with_a_difference_before_a_null(
    r#"{"a":{"b":1,"c":[null]}}"#,
    r#"[{"op":"test","path":"/a","value":{"b":2,"c":[null]}}]"#,
    panic(NIL),
    true
)]
#[case::a_map_with_a_difference_after_a_null(
    r#"{"a":{"b":[null],"c":1}}"#,
    r#"[{"op":"test","path":"/a","value":{"b":[null],"c":2}}]"#,
    panic(NIL),
    true
)]
#[case::a_list_with_a_difference_before_a_null(
    r#"{"a":[1,null]}"#,
    r#"[{"op":"test","path":"/a","value":[2,null]}]"#,
    panic(NIL),
    false
)]
#[case::another_panic(r#"{"a":[null]}"#, r#"[{"op":"test","path":"/a","value":[null]}]"#, panic("no"), false)]
#[case::a_panic_without_null(r#"{"a":[1]}"#, r#"[{"op":"test","path":"/a","value":[1]}]"#, panic(NIL), false)]
#[case::a_null_in_a_map(
    r#"{"a":{"b":null}}"#,
    r#"[{"op":"test","path":"/a","value":{"b":null}}]"#,
    panic(NIL),
    false
)]
#[case::the_document_against_nothing("{}", r#"[{"op":"test","path":""}]"#, panic(NIL), true)]
#[case::a_null_that_was_set(
    r#"{"a":{}}"#,
    r#"[{"op":"add","path":"/a/b","value":null},{"op":"test","path":"/a","value":{"b":null}}]"#,
    refused("json-patch-failed", ""),
    true
)]
#[case::a_null_that_was_there(
    r#"{"a":{"b":null}}"#,
    r#"[{"op":"test","path":"/a","value":{"b":null}}]"#,
    refused("json-patch-failed", ""),
    false
)]
#[case::a_copied_null_is_an_empty_map(
    "{}",
    r#"[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b","value":{}}]"#,
    result(r#"{"a":null,"b":null}"#),
    true
)]
#[case::another_result(
    "{}",
    r#"[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b","value":{}}]"#,
    result(r#"{"a":null,"b":{}}"#),
    false
)]
#[case::something_in_a_copied_null(
    "{}",
    r#"[{"op":"add","path":"/a","value":null},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/c","value":1}]"#,
    panic("assignment to entry in nil map"),
    true
)]
fn the_model_predicts_the_answers_of_the_library(
    #[case] live: &str,
    #[case] patch: &str,
    #[case] theirs: Answer,
    #[case] explained: bool,
) {
    let trial = trial(OperationKind::JsonPatchApply, TYPES, &[live, patch]);
    assert_eq!(explains(&trial, &ours(&trial), &theirs), explained);
}

/// Therefore, the rule does not explain a difference that has another reason than nulls.
#[test]
fn the_model_with_one_null_agrees_with_the_engine() {
    use crate::differential::generate::{TypeSource, generate_trial, types_of_trial};
    for number in 0..3000 {
        let types = types_of_trial(&TypeSource::Random, 4, number).unwrap();
        let trial = generate_trial(4, number, &types, &[OperationKind::JsonPatchApply]);
        let model = Model::apply(&trial.documents[0], &trial.documents[1], Nulls::One);
        assert!(is_model_answer(&model, &ours(&trial)), "{:?}: {model:?}", trial.documents);
    }
    let live = from_json(b"{}").unwrap();
    assert!(json_patch::apply(&live, &live).is_err());
}
