//! Entries of managed fields: their form, their order, and the annotation of client-side apply.

use rstest::rstest;

use super::*;
use crate::error::ErrorKind;

fn with_metadata(metadata: &str, spec: &str) -> OwnedDoc {
    json(&format!(r#"{{"apiVersion":"v1","kind":"Object","metadata":{metadata},"spec":{spec}}}"#))
}

#[test]
fn entries_have_the_members_of_upstream() {
    let server = Server::new();
    let request = WriteRequest { manager: "m", force: false, time: Some("2024-01-01T00:00:00Z") };
    let manager = FieldManager { subresource: "status", ..server.manager() };
    let object = manager.apply(None, &object(r#"{"replicas":1}"#), request).unwrap();
    assert_eq!(
        entries_of(&object)[0].to_string(),
        r#"{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":"{\"f:spec\":{\"f:replicas\":{}}}","manager":"m","operation":"Apply","subresource":"status","time":"2024-01-01T00:00:00Z"}"#
    );
}

#[test]
fn entries_are_sorted_by_operation_time_and_manager() {
    let entry = |manager: &str, operation: &str, time: &str| {
        format!(
            r#"{{"manager":"{manager}","operation":"{operation}","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{{"f:spec":{{"f:replicas":{{}}}}}}{time}}}"#
        )
    };
    let (old, new) = (r#","time":"2020-01-01T00:00:00Z""#, r#","time":"2021-01-01T00:00:00+01:00""#);
    let entries = [
        entry("a", "Update", ""),
        entry("b", "Apply", new),
        entry("c", "Apply", old),
        entry("d", "Apply", old),
    ];
    let live = with_metadata(&format!(r#"{{"managedFields":[{}]}}"#, entries.join(",")), r#"{"replicas":1}"#);
    let server = Server { stored: Some(live), ..Server::new() }.apply("e", r#"{"replicas":1}"#);
    let managers: Vec<String> =
        server.owners().iter().map(|owner| owner.split(':').next().unwrap().to_owned()).collect();
    assert_eq!(managers, ["c", "d", "b", "e", "a"]);
}

/// The time of the first entry does not outlive it.
#[test]
fn of_two_entries_of_one_manager_the_second_counts() {
    let entry = |manager: &str, time: &str| {
        format!(
            r#"{{"manager":"{manager}","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{{"f:spec":{{"f:replicas":{{}}}}}}{time}}}"#
        )
    };
    let (old, new) = (r#","time":"2020-01-01T00:00:00Z""#, r#","time":"2021-01-01T00:00:00Z""#);
    let entries = [entry("a", old), entry("b", new), entry("b", "")];
    let live = with_metadata(&format!(r#"{{"managedFields":[{}]}}"#, entries.join(",")), r#"{"replicas":1}"#);
    let server = Server { stored: Some(live), ..Server::new() }.update("u", r#"{"replicas":1}"#);
    let owners = server.owners();
    assert_eq!(owners, [r#"b: {"f:replicas":{}}"#, r#"a: {"f:replicas":{}}"#]);
}

#[rstest]
#[case::operation(r#"{"operation":"Patch","apiVersion":"v1","fieldsType":"FieldsV1"}"#)]
#[case::no_version(r#"{"operation":"Apply","fieldsType":"FieldsV1"}"#)]
#[case::no_type(r#"{"operation":"Apply","apiVersion":"v1"}"#)]
#[case::fields(r#"{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"x":{}}}"#)]
fn invalid_entries_of_the_live_object_refuse_an_apply_request(#[case] entry: &str) {
    let live = with_metadata(&format!(r#"{{"managedFields":[{entry}]}}"#), "{}");
    let mut server = Server { stored: Some(live), ..Server::new() };
    assert_eq!(server.refused("m", "{}").kind(), ErrorKind::InvalidManagedFields);
}

#[test]
fn entries_that_cannot_be_decoded_count_as_none() {
    let live = with_metadata(r#"{"managedFields":[{"manager":1}]}"#, r#"{"replicas":1}"#);
    let server = Server { stored: Some(live), ..Server::new() };
    let request = WriteRequest { manager: "u", ..WriteRequest::default() };
    let new = object(r#"{"replicas":2}"#);
    let object = server.manager().update(server.stored.as_ref(), &new, request);
    // Upstream reads the object with its types, to which the entry does not fit.
    assert_eq!(object.unwrap_err().kind(), ErrorKind::WrongKind);
}

const APPLIED: &str =
    r#"{\"apiVersion\":\"v1\",\"kind\":\"Object\",\"spec\":{\"replicas\":1,\"paused\":true}}"#;

fn applied_by_client() -> OwnedDoc {
    with_metadata(
        &format!(r#"{{"annotations":{{"kubectl.kubernetes.io/last-applied-configuration":"{APPLIED}"}}}}"#),
        r#"{"replicas":1,"paused":false}"#,
    )
}

#[test]
fn kubectl_takes_the_fields_that_its_annotation_lists() {
    let mut server = Server { stored: Some(applied_by_client()), ..Server::new() };
    assert_eq!(server.refused("other", r#"{"replicas":2}"#).kind(), ErrorKind::Conflict);
    // The live object has another value for `paused`: the annotation does not say who set it.
    let error = server.refused("kubectl", r#"{"replicas":2,"paused":true}"#);
    let paths: Vec<&str> = error.conflicts().iter().map(|conflict| conflict.path.as_str()).collect();
    assert_eq!(paths, [".spec.paused"]);
    let server = server.apply("kubectl", r#"{"replicas":2}"#);
    assert_eq!(server.spec(), r#"{"paused":false,"replicas":2}"#);
}

#[test]
fn kubectl_keeps_its_annotation_up_to_date() {
    let server =
        Server { stored: Some(applied_by_client()), ..Server::new() }.apply("kubectl", r#"{"replicas":2}"#);
    let metadata = server.stored.as_ref().and_then(|object| object.as_map()?.get("metadata")).unwrap();
    let annotations = metadata.as_map().unwrap().get("annotations").unwrap();
    let expected = concat!(
        r#"{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"kind\":\"Object\","#,
        r#"\"metadata\":{\"name\":\"x\"},\"spec\":{\"replicas\":2}}\n"}"#
    );
    assert_eq!(annotations.to_string(), expected);
}
