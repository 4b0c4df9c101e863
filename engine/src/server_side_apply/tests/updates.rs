//! Update requests: who becomes an owner, and who ceases to be one.

use rstest::rstest;

use super::*;

#[test]
fn an_update_owns_what_it_changes_with_the_containers_that_it_adds() {
    let server = Server::new()
        .apply("a", r#"{"replicas":1}"#)
        .update("u", r#"{"replicas":1,"template":{"image":"x"},"ports":[{"port":1}]}"#);
    assert_eq!(
        server.owners(),
        [
            r#"a: {"f:replicas":{}}"#,
            r#"u: {"f:ports":{".":{},"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:template":{".":{},"f:image":{}}}"#,
        ]
    );
}

#[test]
fn an_update_takes_and_removes_fields() {
    let server = Server::new().apply("a", r#"{"replicas":1,"paused":true}"#).update("u", r#"{"replicas":2}"#);
    assert_eq!(server.owners(), [r#"u: {"f:replicas":{}}"#]);
}

#[test]
fn an_update_without_a_change_owns_nothing() {
    let server = Server::new().apply("a", r#"{"replicas":1}"#).update("u", r#"{"replicas":1}"#);
    assert_eq!(server.owners(), [r#"a: {"f:replicas":{}}"#]);
}

#[test]
fn updates_of_one_manager_are_united() {
    let server = Server::new()
        .update("u", r#"{"replicas":1}"#)
        .update("u", r#"{"replicas":1,"paused":true}"#)
        .update("", r#"{"replicas":2,"paused":true}"#);
    assert_eq!(server.owners(), [r#"u: {".":{},"f:paused":{}}"#, r#"unknown: {"f:replicas":{}}"#]);
}

#[test]
fn at_most_ten_updaters_remain() {
    let mut server = Server::new().apply("a", r#"{"paused":true}"#);
    for number in 0..12 {
        let keys: Vec<String> = (0..=number).map(|key| format!(r#""k{key:02}":"x""#)).collect();
        let spec = format!(r#"{{"paused":true,"labels":{{{}}}}}"#, keys.join(","));
        server = server.update(&format!("u{number:02}"), &spec);
    }
    let owners = server.owners();
    assert_eq!(owners.len(), 11);
    assert_eq!(owners[1], r#"ancient-changes: {"f:labels":{".":{},"f:k00":{},"f:k01":{},"f:k02":{}}}"#);
}

/// The order is that of the times and, if these are equal, of the names. Go loses the owner likewise.
#[test]
fn the_merged_updaters_lose_their_fields_if_they_are_the_second_oldest() {
    let entry = |manager: &str, second: u32| {
        format!(
            r#"{{"manager":"{manager}","operation":"Update","apiVersion":"v1","time":"2024-01-01T00:00:{second:02}Z","fieldsType":"FieldsV1","fieldsV1":{{"f:spec":{{"f:labels":{{"f:{manager}":{{}}}}}}}}}}"#
        )
    };
    let owners_with = |second_of_merged: u32| {
        let others = (1..10).map(|number| entry(&format!("u{number}"), if number == 1 { 2 } else { 10 }));
        let entries: Vec<String> = others.chain([entry("ancient-changes", second_of_merged)]).collect();
        let labels: Vec<String> = (1..10).map(|number| format!(r#""u{number}":"x""#)).collect();
        let labels = labels.join(",");
        let object = |entries: &str, replicas: u32| {
            json(&format!(
                r#"{{"apiVersion":"v1","kind":"Object","metadata":{{"name":"x","uid":"x","managedFields":{entries}}},"spec":{{"replicas":{replicas},"labels":{{{labels},"ancient-changes":"x"}}}}}}"#
            ))
        };
        let entries = format!("[{}]", entries.join(","));
        let request = WriteRequest { manager: "one", ..WriteRequest::default() };
        let server = Server::new();
        let updated = server.manager().update(Some(&object(&entries, 1)), &object(&entries, 2), request);
        Server { stored: Some(updated.unwrap()), ..server }.owners()
    };
    let unmerged = |number: u32| format!(r#"u{number}: {{"f:labels":{{"f:u{number}":{{}}}}}}"#);
    let one = r#"one: {"f:replicas":{}}"#.to_owned();
    let expected: Vec<String> = (1..10).map(unmerged).chain([one.clone()]).collect();
    assert_eq!(owners_with(10), expected);
    // A second later, it is the third of them, and the second one is merged into it.
    let merged = r#"ancient-changes: {"f:labels":{"f:ancient-changes":{},"f:u2":{}}}"#.to_owned();
    let expected: Vec<String> =
        [unmerged(1), merged].into_iter().chain((3..10).map(unmerged)).chain([one]).collect();
    assert_eq!(owners_with(11), expected);
}

#[test]
fn a_request_can_reset_the_managed_fields() {
    for reset in ["[]", "[{}]"] {
        let server = Server::new().apply("a", r#"{"replicas":1}"#);
        let new = format!(
            r#"{{"apiVersion":"v1","kind":"Object","metadata":{{"name":"x","managedFields":{reset}}},"spec":{{"replicas":2}}}}"#
        );
        let request = WriteRequest { manager: "u", ..WriteRequest::default() };
        let object = server.manager().update(server.stored.as_ref(), &json(&new), request).unwrap();
        let server = Server { stored: Some(object), ..Server::new() };
        assert_eq!(server.owners(), [r#"u: {"f:replicas":{}}"#]);
    }
}

#[test]
fn managed_fields_of_a_request_count_if_they_can_be_read() {
    let server = Server::new().apply("a", r#"{"replicas":1}"#);
    let entry = |operation: &str| {
        let entry = format!(
            r#"{{"manager":"given","operation":"{operation}","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{{"f:spec":{{"f:paused":{{}}}}}}}}"#
        );
        let new = format!(
            r#"{{"apiVersion":"v1","kind":"Object","metadata":{{"name":"x","managedFields":[{entry}]}},"spec":{{"replicas":1}}}}"#
        );
        let object = server.manager().update(server.stored.as_ref(), &json(&new), WriteRequest::default());
        Server { stored: Some(object.unwrap()), ..Server::new() }.owners()
    };
    assert_eq!(entry("Apply"), [r#"given: {"f:paused":{}}"#]);
    assert_eq!(entry("Other"), [r#"a: {"f:replicas":{}}"#]);
}

#[test]
fn an_object_with_a_uid_and_without_managed_fields_is_not_tracked() {
    let server = Server::new();
    let live = r#"{"apiVersion":"v1","kind":"Object","metadata":{"uid":"u"},"spec":{"replicas":1}}"#;
    let object = server.manager().update(Some(&json(live)), &json(live), WriteRequest::default()).unwrap();
    assert_eq!(entries_of(&object), Vec::<OwnedDoc>::new());
}

/// Upstream: `isResetManagedFields`.
#[rstest]
#[case::no_entries("[]", true)]
#[case::an_empty_entry("[{}]", true)]
#[case::empty_members(r#"[{"manager":"","time":null,"fieldsV1":null}]"#, true)]
#[case::a_manager(r#"[{"manager":"x"}]"#, false)]
#[case::fields(r#"[{"fieldsV1":{}}]"#, false)]
#[case::two_entries("[{},{}]", false)]
fn a_request_can_remove_all_managed_fields(#[case] value: &str, #[case] is_removed: bool) {
    let object = |managed_fields: &str| {
        json(&format!(
            r#"{{"apiVersion":"v1","kind":"Object","metadata":{{{managed_fields}"name":"x"}},"spec":{{"replicas":1}}}}"#
        ))
    };
    let server = Server::new().apply("a", r#"{"replicas":1}"#);
    let new = object(&format!(r#""managedFields":{value},"#));
    let stored = server.manager().update(server.stored.as_ref(), &new, WriteRequest::default()).unwrap();
    if is_removed {
        assert_eq!(stored, object(""));
    } else {
        let server = Server { stored: Some(stored), ..Server::new() };
        assert_eq!(server.owners(), [r#"a: {"f:replicas":{}}"#]);
    }
}
