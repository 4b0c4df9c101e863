//! Managed fields of several API versions, versions that no longer exist, and changes of topology.

use rstest::rstest;

use super::super::reconcile::reconcile;
use super::*;
use crate::document::Text;
use crate::error::ErrorKind;
use crate::server_side_apply::{FieldSet, Rename};

fn path(names: &[&str]) -> Vec<crate::document::OwnedText> {
    names.iter().map(|name| Text::from(*name)).collect()
}

/// In v2, `replicas` is called `count`.
fn two_versions() -> Resource {
    let mut second = version("v2", &TYPES.replace("json:\"replicas,omitempty\"", "json:\"count,omitempty\""));
    second.renames = vec![Rename { hub: path(&["spec", "replicas"]), version: path(&["spec", "count"]) }];
    Resource::new(vec![version("v1", TYPES), second])
}

fn object_v2(spec: &str) -> OwnedDoc {
    json(&format!(r#"{{"apiVersion":"v2","kind":"Object","metadata":{{"name":"x"}},"spec":{spec}}}"#))
}

#[test]
fn a_field_has_its_owner_under_the_name_of_another_version() {
    let mut server = Server { resource: two_versions(), stored: None }.apply("a", r#"{"replicas":1}"#);
    let second = FieldManager { api_version: "v2", ..server.manager() };
    let request = WriteRequest { manager: "b", ..WriteRequest::default() };
    let error = second.apply(server.stored.as_ref(), &object_v2(r#"{"count":2}"#), request).unwrap_err();
    assert_eq!(error.conflicts()[0].path, ".spec.replicas");
    let forced = second.apply(
        server.stored.as_ref(),
        &object_v2(r#"{"count":2}"#),
        WriteRequest { force: true, ..request },
    );
    server.stored = Some(forced.unwrap());
    assert_eq!(server.spec(), r#"{"count":2}"#);
    assert_eq!(server.owners(), [r#"b: {"f:count":{}}"#]);
}

/// The manager applied in v2 before, so that its fields are removed under their names in v2.
#[test]
fn a_field_is_removed_under_the_name_of_the_version_in_which_it_was_applied() {
    let server = Server { resource: two_versions(), stored: None };
    let second = FieldManager { api_version: "v2", ..server.manager() };
    let request = WriteRequest { manager: "a", ..WriteRequest::default() };
    let object = second.apply(None, &object_v2(r#"{"count":1,"paused":true}"#), request).unwrap();
    let server = Server { resource: two_versions(), stored: Some(object) }.apply("a", r#"{"paused":true}"#);
    assert_eq!(server.spec(), r#"{"paused":true}"#);
    assert_eq!(server.owners(), [r#"a: {"f:paused":{}}"#]);
}

#[test]
fn a_field_cannot_be_moved_into_a_value_that_is_not_a_map() {
    let mut resource = two_versions();
    resource.versions[1].renames[0].version = path(&["spec", "paused", "count"]);
    let server = Server { resource, stored: Some(object(r#"{"replicas":1,"paused":true}"#)) };
    let second = FieldManager { api_version: "v2", ..server.manager() };
    let updated = second.update(server.stored.as_ref(), &object_v2("{}"), WriteRequest::default());
    assert_eq!(updated.unwrap_err().kind(), ErrorKind::ConversionFailed);
}

#[test]
fn managers_of_a_version_that_does_not_exist_own_nothing() {
    let entry = r#"{"manager":"old","operation":"Apply","apiVersion":"v0","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}}"#;
    let live = json(&format!(
        r#"{{"apiVersion":"v1","kind":"Object","metadata":{{"name":"x","managedFields":[{entry}]}},"spec":{{"replicas":1}}}}"#
    ));
    let server = Server { stored: Some(live.clone()), ..Server::new() }.apply("m", r#"{"replicas":2}"#);
    assert_eq!(server.owners(), [r#"m: {"f:replicas":{}}"#]);
    // The same manager prunes nothing.
    let server = Server { stored: Some(live), ..Server::new() }.apply("old", r#"{"paused":true}"#);
    assert_eq!(server.spec(), r#"{"paused":true,"replicas":1}"#);
}

#[test]
fn reset_fields_have_no_owner() {
    let mut resource = resource();
    resource.versions[0].reset_fields = vec![path(&["spec", "template"])];
    let server = Server { resource, stored: None }
        .apply("a", r#"{"replicas":1,"template":{"image":"x"}}"#)
        .update("u", r#"{"replicas":1,"template":{"image":"y"},"paused":true}"#);
    assert_eq!(server.owners(), [r#"a: {"f:replicas":{}}"#, r#"u: {"f:paused":{}}"#]);
}

/// Returns a server on which a manager applied a spec when the types were others.
fn after_change(old_types: &str, spec: &str) -> Server {
    let old = Server { resource: Resource::new(vec![version("v1", old_types)]), stored: None };
    Server { stored: old.apply("a", spec).stored, ..Server::new() }
}

#[test]
fn the_owner_of_a_part_owns_all_of_what_became_atomic() {
    let granular = TYPES.replace("  // +mapType=atomic\n", "");
    let mut server = after_change(&granular, r#"{"selector":{"a":"x"}}"#);
    let error = server.refused("b", r#"{"selector":{"b":"y"}}"#);
    assert_eq!(error.conflicts()[0].path, ".spec.selector");
    let server = server.apply("a", r#"{"selector":{"a":"x"}}"#);
    assert_eq!(server.owners(), [r#"a: {"f:selector":{}}"#]);
}

/// The owner of the atomic map keeps its one path. It does not own the fields, and so blocks nobody.
#[test]
fn the_owner_of_what_was_atomic_owns_none_of_its_parts() {
    let atomic = TYPES.replace("  Labels   map", "  // +mapType=atomic\n  Labels   map");
    let server = after_change(&atomic, r#"{"labels":{"a":"x"}}"#).apply("b", r#"{"labels":{"a":"y"}}"#);
    assert_eq!(server.spec(), r#"{"labels":{"a":"y"}}"#);
    assert_eq!(server.owners(), [r#"a: {"f:labels":{}}"#, r#"b: {"f:labels":{"f:a":{}}}"#]);
}

/// A set cannot have the root, so that upstream changes nothing if the object itself is atomic.
#[rstest]
#[case::granular("", r#"{"f:selector":{}}"#)]
#[case::atomic("// +structType=atomic\n", r#"{"f:selector":{"f:a":{}}}"#)]
fn fields_in_an_atomic_object_are_not_reconciled(#[case] marker: &str, #[case] expected: &str) {
    let types = format!(
        "{marker}type Object struct {{\n// +mapType=atomic\nSelector map[string]string `json:\"selector\"`\n}}"
    );
    let mut set = FieldSet::from_json(r#"{"f:selector":{"f:a":{}}}"#).unwrap();
    reconcile(&mut set, version("v1", &types).place());
    assert_eq!(set.to_json(), expected);
}
