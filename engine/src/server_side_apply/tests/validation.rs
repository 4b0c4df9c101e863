//! Validation of an object next to another one that is valid, as requests validate the live object.

use rstest::rstest;

use super::*;
use crate::error::ErrorKind;
use crate::server_side_apply::validate::{Duplicates, validate};

/// Specs of which some are valid, some have errors in several places, and many share equal parts.
const SPECS: [&str; 30] = [
    "{}",
    "null",
    r#"{"replicas":1}"#,
    r#"{"replicas":"x","ports":[{"port":1,"name":1}]}"#,
    r#"{"ports":{}}"#,
    r#"{"ports":[{"port":1,"name":"a"},{"port":2,"name":"b"}]}"#,
    r#"{"ports":[{"port":1,"name":"a"},{"port":2,"name":2}]}"#,
    r#"{"ports":[{"port":2,"name":"b"},{"port":1,"name":"a"}]}"#,
    r#"{"ports":[{"port":1,"name":"a"},{"port":1,"name":"a"}]}"#,
    r#"{"ports":[{"port":9007199254740992},{"port":2}]}"#,
    r#"{"ports":[{"port":9007199254740992},{"port":9007199254740993}]}"#,
    r#"{"ports":[{"port":9007199254740992},{"port":9007199254740993},{"port":1,"name":1}],"other":1}"#,
    r#"{"ports":[{"port":1,"name":"a"},null,{"port":2,"name":2}]}"#,
    r#"{"items":[{"id":"a","value":"x"},{"id":"b"}]}"#,
    r#"{"items":[{"id":"a","value":"x"},{"id":"a","value":1}]}"#,
    r#"{"items":[{"id":"a","value":"x"},{"value":"x"},{"id":"b","value":1}]}"#,
    r#"{"items":[{"id":"a"},{"id":9007199254740992}]}"#,
    r#"{"items":[{"id":9007199254740993},{"id":9007199254740992}]}"#,
    r#"{"items":[{"id":"a"},1,{"id":"b","value":1}]}"#,
    r#"{"names":["a","b"]}"#,
    r#"{"names":["a","a"]}"#,
    r#"{"names":["a",1]}"#,
    r#"{"names":["a",null]}"#,
    r#"{"names":[[],"a",1]}"#,
    r#"{"numbers":[9007199254740992]}"#,
    r#"{"numbers":[9007199254740992,9007199254740993]}"#,
    r#"{"numbers":[9007199254740992,"x"]}"#,
    r#"{"args":["a",{},null],"template":{"image":1}}"#,
    r#"{"args":["a"],"any":[{"x":[1]}]}"#,
    r#"{"any":{"x":{"y":[1]}},"template":{"image":"x"}}"#,
];

#[test]
fn a_valid_object_does_not_change_the_errors_of_another_one() {
    let resource = resource();
    let place = resource.versions[0].place();
    let objects = SPECS.map(object);
    let mut valid = 0;
    for other in objects.iter().filter(|object| validate(place, object, None, Duplicates::Allowed).is_ok()) {
        valid += 1;
        for object in &objects {
            let expected = validate(place, object, None, Duplicates::Allowed);
            assert_eq!(
                validate(place, object, Some(other), Duplicates::Allowed),
                expected,
                "{object} {other}"
            );
        }
    }
    assert_eq!(valid, 14);
}

/// The errors in identities precede those in items. Items after the first one without an identity are not checked.
#[rstest]
#[case::strings(r#"{"names":["a","a"],"items":[{"id":"a"},{"id":"a"}]}"#, &[])]
#[case::integer(r#"{"names":["a",1]}"#, &[(ErrorKind::WrongKind, "spec.names[1]")])]
#[case::no_scalar(r#"{"names":["a",[],1]}"#, &[(ErrorKind::InvalidListItem, "spec.names[1]")])]
#[case::null(
    r#"{"names":[1,null]}"#,
    &[(ErrorKind::InvalidListItem, "spec.names[1]"), (ErrorKind::WrongKind, "spec.names[0]")]
)]
#[case::no_key(r#"{"items":[{"id":"a"},{"value":1}]}"#, &[(ErrorKind::MissingListKeys, "spec.items[1]")])]
#[case::indistinct(
    r#"{"items":[{"id":"a"},{"id":9007199254740992},{"id":9007199254740993}]}"#,
    &[(ErrorKind::IndistinctNumbers, "spec.items[2]")]
)]
#[case::indistinct_after_a_float(
    r#"{"items":[{"id":9007199254740992.0},{"id":9007199254740992},{"id":9007199254740993}]}"#,
    &[(ErrorKind::IndistinctNumbers, "spec.items[2]")]
)]
fn the_identities_of_items_are_validated(#[case] spec: &str, #[case] expected: &[(ErrorKind, &str)]) {
    let result = validate(resource().versions[0].place(), &object(spec), None, Duplicates::Allowed);
    let Err(error) = result else { return assert!(expected.is_empty()) };
    assert_eq!((error.kind(), error.path().to_string().as_str()), expected[0]);
    let kinds: Vec<_> = expected.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(error.kinds(), kinds);
}

/// With text, an error says which document cannot be read.
#[rstest]
#[case::configuration(apply_text(None, "{"), "the configuration is not a valid JSON document: ")]
#[case::applied_to(apply_text(Some("nul"), "{}"), "the live object is not a valid JSON document: ")]
#[case::new(update_text(None, ""), "the new object is not a valid JSON document: ")]
#[case::updated(update_text(Some("{}{}"), "{}"), "the live object is not a valid JSON document: ")]
fn an_error_names_the_document(#[case] result: Result<Vec<u8>>, #[case] expected: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidDocument);
    assert!(error.message().starts_with(expected), "{error}");
}

fn apply_text(live: Option<&str>, configuration: &str) -> Result<Vec<u8>> {
    Server::new().manager().apply_json(live.map(str::as_bytes), configuration.as_bytes(), REQUEST)
}

fn update_text(live: Option<&str>, new: &str) -> Result<Vec<u8>> {
    Server::new().manager().update_json(live.map(str::as_bytes), new.as_bytes(), REQUEST)
}

const REQUEST: WriteRequest<'_> = WriteRequest { manager: "m", force: false, time: None };
