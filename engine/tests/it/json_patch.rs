//! JSON patch: messages, limits and properties. The suites `upstream/json-patch` and `json-patch/operations` have the
//! cases for the results of operations.

use proptest::prelude::*;
use rstest::rstest;
use skewer_engine::document::MAX_DEPTH;
use skewer_engine::patch::json_patch::{self, MAX_COPIED_BYTES, MAX_OPERATIONS};
use skewer_engine::{Doc, ErrorKind, OwnedDoc};

use crate::helpers::{json, kind};

const LIVE: &str = r#"{"a":{"b":1,"c/d":2,"e~f":3},"l":[10,20,30],"n":null}"#;

fn apply(operations: &str) -> skewer_engine::Result<OwnedDoc> {
    json_patch::apply(&json(LIVE), &json(operations))
}

#[rstest]
#[case::patch_is_a_map("{}", "a JSON patch must be a list of operations, not a map")]
#[case::operation_is_a_number("[1]", "[0]: an operation must be an object, not an integer")]
#[case::unknown_operation(
    r#"[{"op":"ad","path":"/x"}]"#,
    r#"[0].op: unknown operation "ad" (expected add, "#
)]
#[case::missing_op(r#"[{"path":"/x"}]"#, r#"[0]: the operation has no "op""#)]
#[case::missing_path(r#"[{"op":"add"}]"#, r#"[0]: the operation has no "path""#)]
#[case::missing_from(r#"[{"op":"move","path":"/x"}]"#, r#"[0]: the operation has no "from""#)]
#[case::path_is_a_number(r#"[{"op":"add","path":1}]"#, "[0].path: expected a string, found an integer")]
#[case::path_without_a_slash(
    r#"[{"op":"add","path":"x","value":1}]"#,
    r#"[0]: add "x": "x" is not a JSON pointer"#
)]
#[case::remove_of_a_missing_field(
    r#"[{"op":"test","path":"/n","value":null},{"op":"remove","path":"/x"}]"#,
    r#"[1]: remove "/x": "#
)]
#[case::move_of_a_missing_field(
    r#"[{"op":"move","from":"/x","path":"/y"}]"#,
    r#"[0]: move "/x" to "/y": the document has no value at "/x""#
)]
#[case::move_into_itself(
    r#"[{"op":"move","from":"/a","path":"/a/x"}]"#,
    r#"the document has no value at "/a/x""#
)]
#[case::parent_is_missing(
    r#"[{"op":"add","path":"/x/y","value":1}]"#,
    r#"the document has no value at "/x/y""#
)]
#[case::parent_is_a_scalar(r#"[{"op":"add","path":"/a/b/c","value":1}]"#, "the document has no value at")]
#[case::parent_is_null(r#"[{"op":"replace","path":"/n/x","value":1}]"#, "the document has no value at")]
#[case::index_too_large(
    r#"[{"op":"add","path":"/l/4","value":1}]"#,
    "the list has no index 4 (its length is 3)"
)]
#[case::index_too_small(r#"[{"op":"remove","path":"/l/-4"}]"#, "the list has no index -4")]
#[case::index_is_not_a_number(r#"[{"op":"replace","path":"/l/x","value":1}]"#, r#""x" is not a list index"#)]
#[case::remove_at_the_end_of_a_list(r#"[{"op":"remove","path":"/l/-"}]"#, r#""-" is not a list index"#)]
#[case::add_of_the_document(
    r#"[{"op":"add","path":"","value":{}}]"#,
    "only replace and test can have the path"
)]
#[case::remove_of_the_document(r#"[{"op":"remove","path":""}]"#, "only replace and test can have the path")]
#[case::scalar_for_the_document(
    r#"[{"op":"replace","path":"","value":1}]"#,
    "only an object or a list can replace the whole document"
)]
#[case::test_of_another_value(
    r#"[{"op":"test","path":"/a/b","value":1.0}]"#,
    r#"[0]: test "/a/b": value did not match: the value is 1"#
)]
#[case::test_of_a_missing_field(
    r#"[{"op":"test","path":"/x","value":1}]"#,
    r#"the document has no value at "/x""#
)]
#[case::test_of_an_existing_field_for_null(
    r#"[{"op":"test","path":"/a/b","value":null}]"#,
    "value did not match: the value is 1"
)]
fn failures_name_the_operation_and_the_path(#[case] operations: &str, #[case] message: &str) {
    let error = apply(operations).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JsonPatchFailed);
    assert!(error.to_string().contains(message), "{error}");
}

#[rstest]
#[case::longest_complete_value(78, &format!("the value is \"{}\"", "x".repeat(78)))]
#[case::shortened_value(79, &format!("the value is \"{}…", "x".repeat(79)))]
fn the_error_of_a_failed_test_shows_the_start_of_the_value(#[case] length: usize, #[case] end: &str) {
    let live = json(&format!(r#"{{"a":"{}"}}"#, "x".repeat(length)));
    let test = json(r#"[{"op":"test","path":"/a","value":"y"}]"#);
    let error = json_patch::apply(&live, &test).unwrap_err();
    assert!(error.message().ends_with(end), "{error}");
}

/// Upstream compares the texts `0.0` and `-0.0`.
#[rstest]
#[case::scalar("/a/0", "-0.0", false)]
#[case::in_a_list("/a", "[-0.0]", false)]
#[case::in_a_map("", r#"{"a":[-0.0]}"#, false)]
#[case::same_sign("/a", "[0.0]", true)]
#[case::longer_list("/a", "[0.0,1]", false)]
#[case::larger_map("", r#"{"a":[0.0],"b":1}"#, false)]
fn a_test_tells_the_signs_of_zeros_apart(#[case] path: &str, #[case] value: &str, #[case] succeeds: bool) {
    let live = Doc::Map([("a".into(), Doc::List(vec![Doc::Float(0.0)]))].into_iter().collect());
    let test = json(&format!(r#"[{{"op":"test","path":"{path}","value":{value}}}]"#));
    assert_eq!(json_patch::apply(&live, &test).is_ok(), succeeds);
}

#[test]
fn a_scalar_document_is_refused() {
    assert_eq!(kind(json_patch::apply(&Doc::Null, &json("[]"))), ErrorKind::InvalidDocument);
}

#[test]
fn numbers_keep_their_kind() {
    let live = json(r#"{"a":9007199254740993,"b":1.0,"c":-0.0,"d":1e300}"#);
    let patched = json_patch::apply(&live, &json(r#"[{"op":"move","from":"/a","path":"/e"}]"#)).unwrap();
    assert_eq!(patched, json(r#"{"b":1.0,"c":-0.0,"d":1e300,"e":9007199254740993}"#));
}

fn repeated(operation: &str, times: usize) -> OwnedDoc {
    json(&format!("[{}]", vec![operation; times].join(",")))
}

#[test]
fn the_number_of_operations_is_limited() {
    let test = r#"{"op":"test","path":"/x","value":null}"#;
    assert!(json_patch::apply(&json("{}"), &repeated(test, MAX_OPERATIONS)).is_ok());
    let error = json_patch::apply(&json("{}"), &repeated(test, MAX_OPERATIONS + 1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JsonPatchFailed);
}

#[test]
fn repeated_copies_are_limited() {
    // The list doubles with every step.
    let patch = repeated(r#"{"op":"copy","from":"/l","path":"/l/-"}"#, 64);
    let error = json_patch::apply(&json(r#"{"l":[1]}"#), &patch).unwrap_err();
    assert!(error.message().contains(&MAX_COPIED_BYTES.to_string()), "{error}");
}

/// Upstream adds up the JSON lengths of all copied values. The limit of kube-apiserver is 3 MiB.
#[rstest]
#[case::maximum(&[3_145_728], true)]
#[case::one_byte_too_many(&[3_145_729], false)]
#[case::two_copies_that_fit(&[3_145_700, 28], true)]
#[case::two_copies_that_are_too_long_together(&[3_145_700, 29], false)]
fn the_number_of_copied_bytes_is_limited(#[case] sizes: &[usize], #[case] is_allowed: bool) {
    // The two quotes of a string count too.
    let fields = sizes.iter().enumerate().map(|(i, size)| format!(r#""{i}":"{}""#, "x".repeat(size - 2)));
    let live = json(&format!("{{{}}}", fields.collect::<Vec<_>>().join(",")));
    let copies = (0..sizes.len()).map(|i| format!(r#"{{"op":"copy","from":"/{i}","path":"/to{i}"}}"#));
    let patch = json(&format!("[{}]", copies.collect::<Vec<_>>().join(",")));
    let result = json_patch::apply(&live, &patch);
    assert_eq!(result.is_ok(), is_allowed, "{:?}", result.err());
}

#[rstest]
#[case::maps(r#"{"a":"#, "}")]
#[case::lists("[", "]")]
fn nesting_depth_is_limited(#[case] open: &str, #[case] close: &str) {
    // The patch has two levels around the value: the list of operations and the operation.
    let deep = format!("{}1{}", open.repeat(MAX_DEPTH - 2), close.repeat(MAX_DEPTH - 2));
    let live = json(r#"{"x":{"y":{}}}"#);
    let add = |path: &str| json(&format!(r#"[{{"op":"add","path":"{path}","value":{deep}}}]"#));
    assert!(json_patch::apply(&live, &add("/x/z")).is_ok());
    let error = json_patch::apply(&live, &add("/x/y/z")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooDeep);
    let live = json(&format!(r#"{{"a":{deep},"x":{{"y":{{}}}}}}"#));
    let move_to = |path: &str| json(&format!(r#"[{{"op":"move","from":"/a","path":"{path}"}}]"#));
    assert!(json_patch::apply(&live, &move_to("/x/z")).is_ok());
    assert_eq!(kind(json_patch::apply(&live, &move_to("/x/y/z"))), ErrorKind::TooDeep);
}

/// Generates JSON pointers, some of which do not exist in the document.
fn path() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec!["a", "b", "l", "0", "1", "-1", "-", "", "~0", "~1", "~"]);
    prop::collection::vec(token, 0..4)
        .prop_map(|tokens| tokens.iter().fold(String::new(), |path, token| path + "/" + token))
}

fn operation() -> impl Strategy<Value = String> {
    let op = prop::sample::select(vec!["add", "remove", "replace", "move", "copy", "test"]);
    let value = prop::sample::select(vec!["null", "1", "[]", r#"{"a":[1,{"b":2}]}"#]);
    (op, path(), path(), value).prop_map(|(op, from, path, value)| {
        format!(r#"{{"op":"{op}","from":"{from}","path":"{path}","value":{value}}}"#)
    })
}

proptest! {
    #[test]
    fn a_patch_equals_its_operations_applied_one_by_one(operations in prop::collection::vec(operation(), 0..6)) {
        let live = json(r#"{"a":{"l":[1,{"b":null}]},"b":[[],{"a":1}],"l":[1,2]}"#);
        let together = json_patch::apply(&live, &json(&format!("[{}]", operations.join(","))));
        let mut one_by_one = Ok(live);
        for operation in &operations {
            one_by_one = one_by_one.and_then(|live| json_patch::apply(&live, &json(&format!("[{operation}]"))));
        }
        prop_assert_eq!(together.ok(), one_by_one.ok());
    }
}
