//! Apply requests: what is owned, merged, removed and refused.

use rstest::rstest;

use super::super::remove::remove;
use super::*;
use crate::error::ErrorKind;
use crate::server_side_apply::FieldSet;

#[rstest]
#[case::scalar(r#"{"replicas":1}"#, r#"{"f:replicas":{}}"#)]
#[case::undeclared_key(r#"{"labels":{"a":"b"}}"#, r#"{"f:labels":{"f:a":{}}}"#)]
#[case::atomic_map(r#"{"selector":{"a":"b"}}"#, r#"{"f:selector":{}}"#)]
#[case::atomic_list(r#"{"args":["a"]}"#, r#"{"f:args":{}}"#)]
#[case::set(r#"{"names":["b","a"]}"#, r#"{"f:names":{"v:\"a\"":{},"v:\"b\"":{}}}"#)]
#[case::item_with_default_key(
    r#"{"ports":[{"port":53}]}"#,
    r#"{"f:ports":{"k:{\"port\":53,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}"#
)]
#[case::empty_map(r#"{"labels":{}}"#, r#"{"f:labels":{}}"#)]
#[case::null(r#"{"replicas":null}"#, r#"{"f:replicas":{}}"#)]
#[case::raw_extension(r#"{"any":{"a":{"b":1}}}"#, r#"{"f:any":{}}"#)]
fn an_apply_request_owns_its_leaves(#[case] spec: &str, #[case] fields: &str) {
    let server = Server::new().apply("m", spec);
    assert_eq!(server.owners(), [format!("m: {fields}")]);
}

/// Both ports are the same 64-bit float, by which items are looked up. In a field set, integers have their exact order.
#[test]
fn a_field_set_has_the_exact_order_of_integers() {
    let ports = r#"{"ports":[{"port":9223372036854775807},{"port":9223372036854775806,"protocol":"UDP"}]}"#;
    let owners = Server::new().apply("a", ports).owners();
    let [less, greater] = ["806", "807"].map(|end| owners[0].find(&format!("{end},")));
    assert!(less.is_some() && less < greater, "{owners:?}");
}

#[test]
fn an_empty_granular_list_has_no_owner() {
    assert_eq!(Server::new().apply("m", r#"{"ports":[]}"#).owners(), Vec::<String>::new());
}

#[test]
fn a_field_that_is_applied_no_longer_is_removed() {
    let server = Server::new().apply("m", r#"{"replicas":1,"paused":true}"#).apply("m", r#"{"paused":true}"#);
    assert_eq!(server.spec(), r#"{"paused":true}"#);
}

#[test]
fn a_field_with_another_owner_remains() {
    let both = Server::new().apply("a", r#"{"replicas":1,"paused":true}"#).apply("b", r#"{"replicas":1}"#);
    let server = both.apply("a", r#"{"paused":true}"#);
    assert_eq!(server.spec(), r#"{"paused":true,"replicas":1}"#);
    assert_eq!(server.owners(), [r#"a: {"f:paused":{}}"#, r#"b: {"f:replicas":{}}"#]);
}

#[test]
fn pruning_leaves_a_null() {
    let server = Server::new().apply("m", r#"{"replicas":1}"#).apply("m", "{}");
    assert_eq!(server.spec(), "null");
}

#[test]
fn a_null_over_the_content_of_another_manager_changes_nothing() {
    let server = Server::new().apply("a", r#"{"template":{"image":"x"}}"#).apply("b", r#"{"template":null}"#);
    assert_eq!(server.spec(), r#"{"template":{"image":"x"}}"#);
    assert_eq!(server.owners(), [r#"a: {"f:template":{"f:image":{}}}"#, r#"b: {"f:template":{}}"#]);
}

#[test]
fn an_item_takes_along_what_an_updater_set_in_it() {
    let server = Server::new()
        .apply("a", r#"{"paused":true,"ports":[{"port":1}]}"#)
        .update("u", r#"{"paused":true,"ports":[{"port":1,"weight":5}]}"#)
        .apply("a", r#"{"paused":true}"#);
    assert_eq!(server.spec(), r#"{"paused":true,"ports":null}"#);
}

#[test]
fn conflicts_name_managers_and_paths() {
    let mut server = Server::new()
        .apply("a", r#"{"ports":[{"port":1,"weight":1}]}"#)
        .update("u", r#"{"ports":[{"port":1,"weight":1}],"replicas":1}"#);
    let error = server.refused("b", r#"{"ports":[{"port":1,"weight":2}],"replicas":2}"#);
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(
        error.message(),
        "Apply failed with 2 conflicts: conflicts with \"a\":\n- .spec.ports[port=1,protocol=\"TCP\"].weight\n\
         conflicts with \"u\" using v1:\n- .spec.replicas"
    );
    let managers: Vec<&str> = error.conflicts().iter().map(|conflict| conflict.manager.as_str()).collect();
    assert_eq!(managers, ["a", "u"]);
    let error = server.refused("b", r#"{"replicas":2}"#);
    assert_eq!(error.message(), "Apply failed with 1 conflict: conflict with \"u\" using v1: .spec.replicas");
}

#[test]
fn a_forced_request_takes_fields() {
    let server = Server::new().apply("a", r#"{"replicas":1,"paused":true}"#).force("b", r#"{"replicas":2}"#);
    assert_eq!(server.owners(), [r#"a: {"f:paused":{}}"#, r#"b: {"f:replicas":{}}"#]);
}

#[test]
fn the_same_value_has_two_owners() {
    let server = Server::new().apply("a", r#"{"replicas":1}"#).apply("b", r#"{"replicas":1}"#);
    assert_eq!(server.owners(), [r#"a: {"f:replicas":{}}"#, r#"b: {"f:replicas":{}}"#]);
}

#[rstest]
#[case::undeclared(r#"{"replica":1}"#, ErrorKind::FieldNotDeclared, "spec.replica")]
#[case::wrong_kind(r#"{"replicas":"x"}"#, ErrorKind::WrongKind, "spec.replicas")]
#[case::repeated_item(
    r#"{"ports":[{"port":1},{"port":1,"protocol":"TCP"}]}"#,
    ErrorKind::DuplicateListItem,
    "spec.ports[1]"
)]
#[case::repeated_value(r#"{"names":["a","b","a"]}"#, ErrorKind::DuplicateListItem, "spec.names[2]")]
#[case::null_item(r#"{"ports":[null]}"#, ErrorKind::InvalidListItem, "spec.ports[0]")]
#[case::map_in_a_set(r#"{"names":[{}]}"#, ErrorKind::InvalidListItem, "spec.names[0]")]
#[case::indistinct(
    r#"{"numbers":[9007199254740992,9007199254740993]}"#,
    ErrorKind::IndistinctNumbers,
    "spec.numbers[1]"
)]
fn an_invalid_configuration_is_refused(#[case] spec: &str, #[case] kind: ErrorKind, #[case] path: &str) {
    let error = Server::new().refused("m", spec);
    assert_eq!((error.kind(), error.path().to_string().as_str()), (kind, path));
}

#[test]
fn all_kinds_of_errors_are_reported() {
    let error = Server::new().refused("m", r#"{"replica":1,"paused":1,"names":["a","a"]}"#);
    assert_eq!(
        error.kinds(),
        [ErrorKind::DuplicateListItem, ErrorKind::FieldNotDeclared, ErrorKind::WrongKind]
    );
    // The message is that of the first kind.
    assert_eq!(
        (error.kind(), error.path().to_string().as_str()),
        (ErrorKind::DuplicateListItem, "spec.names[1]")
    );
}

/// The ports are the same 64-bit float. They precede the protocols.
#[test]
fn owned_items_are_sorted_by_exact_integers() {
    let first = r#"{"port":9007199254740992,"protocol":"b"}"#;
    let server = Server::new()
        .apply("m", &format!(r#"{{"ports":[{first},{{"port":9007199254740993,"protocol":"a"}}]}}"#));
    let key = |port: &str, protocol: &str| {
        let element = format!(r#""k:{{\"port\":{port},\"protocol\":\"{protocol}\"}}""#);
        format!(r#"{element}:{{".":{{}},"f:port":{{}},"f:protocol":{{}}}}"#)
    };
    let (first, second) = (key("9007199254740992", "b"), key("9007199254740993", "a"));
    assert_eq!(server.owners(), [format!(r#"m: {{"f:ports":{{{first},{second}}}}}"#)]);
}

/// The items with the same integer are not next to each other, and a float equals both integers. An update may repeat
/// items.
#[rstest]
#[case::integers("[9007199254740992,9007199254740993,9007199254740992]")]
#[case::a_float_between("[9007199254740992,9007199254740992.0,9007199254740993]")]
#[case::a_float_first("[9007199254740992.0,9007199254740992,9007199254740993]")]
fn items_can_be_both_repeated_and_indistinct(#[case] numbers: &str) {
    let spec = format!(r#"{{"numbers":{numbers}}}"#);
    let mut server = Server::new();
    assert_eq!(server.refused("m", &spec).kinds(), [ErrorKind::DuplicateListItem]);
    let updated = server.manager().update(None, &object(&spec), WriteRequest::default());
    assert_eq!(updated.unwrap_err().kinds(), [ErrorKind::IndistinctNumbers]);
}

/// A key that is a pointer has no default, unlike the number 0 of a plain integer. An item with some of the keys is
/// another item than one with all of them.
#[test]
fn an_item_without_keys_is_refused() {
    let types = TYPES
        .replace("  // +default=\"TCP\"\n", "")
        .replace("Port int `json:\"port\"`", "Port *int `json:\"port\"`");
    let mut server = Server { resource: Resource::new(vec![version("v1", &types)]), stored: None };
    let error = server.refused("m", r#"{"ports":[{"weight":1}]}"#);
    assert_eq!(error.kind(), ErrorKind::MissingListKeys);
    let server =
        server.apply("a", r#"{"ports":[{"port":1}]}"#).apply("b", r#"{"ports":[{"protocol":"UDP"}]}"#);
    assert_eq!(server.spec(), r#"{"ports":[{"port":1},{"protocol":"UDP"}]}"#);
}

#[test]
fn a_configuration_has_no_managed_fields() {
    let mut configuration = object("{}");
    let metadata = configuration.as_map_mut().and_then(|map| map.get_mut("metadata")).unwrap();
    metadata.as_map_mut().unwrap().insert("managedFields".into(), Doc::List(Vec::new()));
    let server = Server::new();
    let error = server.manager().apply(None, &configuration, WriteRequest::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidManagedFields);
}

#[test]
fn an_undeclared_field_of_the_live_object_refuses_every_request() {
    let mut server = Server { stored: Some(object(r#"{"other":1}"#)), ..Server::new() };
    assert_eq!(server.refused("m", r#"{"replicas":1}"#).kind(), ErrorKind::FieldNotDeclared);
}

#[test]
fn a_request_of_a_version_that_the_resource_lacks_is_refused() {
    let server = Server::new();
    let manager = FieldManager { api_version: "v2", ..server.manager() };
    let configuration = json(r#"{"apiVersion":"v2","kind":"Object"}"#);
    let error = manager.apply(None, &configuration, WriteRequest::default()).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::WrongApiVersion, "the resource has no version v2")
    );
}

#[rstest]
#[case::another_version(r#"{"apiVersion":"v2","kind":"Object"}"#, "v2 and kind Object")]
#[case::another_kind(r#"{"apiVersion":"v1","kind":"Other"}"#, "v1 and kind Other")]
fn a_configuration_of_another_version_or_kind_is_refused(#[case] configuration: &str, #[case] found: &str) {
    let (server, live) = (Server::new(), object("{}"));
    let error = server.manager().apply(Some(&live), &json(configuration), WriteRequest::default());
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongApiVersion);
    let expected = format!("the configuration has apiVersion {found}: expected v1 and Object");
    assert_eq!(error.message(), expected);
}

/// The order is what `TypedValue.Merge` returns.
#[rstest]
#[case::live_items_keep_their_order("a,b,c", "d", "a,b,c,d")]
#[case::configured_items_keep_their_order("a,b,c", "c,a", "b,c,a")]
#[case::an_item_moves_before_its_successor("a,b,c,d", "d,x,a", "b,c,d,x,a")]
#[case::an_item_between("a,c", "a,b,c", "a,b,c")]
#[case::a_live_item_after_a_shared_one("a,x", "a,b", "a,x,b")]
#[case::nothing_shared("a,b", "x,y", "a,b,x,y")]
#[case::reversed("a,b,c", "c,b,a", "c,b,a")]
fn merged_lists_have_upstreams_order(#[case] live: &str, #[case] configured: &str, #[case] merged: &str) {
    let list = |names: &str| {
        let names: Vec<String> = names.split(',').map(|name| format!("{name:?}")).collect();
        format!(r#"{{"names":[{}]}}"#, names.join(","))
    };
    let server = Server { stored: Some(object(&list(live))), ..Server::new() };
    assert_eq!(server.force("m", &list(configured)).spec(), list(merged));
}

#[test]
fn items_of_one_identity_in_a_live_list_become_one_if_they_are_taken() {
    let live = object(r#"{"ports":[{"port":1,"weight":1},{"port":1,"weight":2},{"port":2}]}"#);
    let mut server = Server { stored: Some(live), ..Server::new() };
    let error = server.refused("m", r#"{"ports":[{"port":1,"weight":3}]}"#);
    assert_eq!(error.conflicts()[0].path, r#".spec.ports[port=1,protocol="TCP"]"#);
    let server = server.force("m", r#"{"ports":[{"port":1,"weight":3}]}"#);
    assert_eq!(server.spec(), r#"{"ports":[{"port":1,"weight":3},{"port":2}]}"#);
}

/// The item belongs to nobody: it is `{}` after its last field was taken, and nothing of the list remains.
#[test]
fn an_item_of_which_nothing_remains_disappears() {
    let server = Server::new()
        .apply("a", r#"{"ports":[{}]}"#)
        .apply("b", r#"{"ports":[{"name":"x"}],"paused":true}"#)
        .apply("b", r#"{"paused":true}"#);
    assert_eq!(server.spec(), r#"{"paused":true,"ports":null}"#);
}

#[test]
fn the_first_apply_gives_existing_fields_an_owner() {
    let server = Server { stored: Some(object(r#"{"replicas":1,"paused":true}"#)), ..Server::new() };
    let owners = server.apply("a", r#"{"replicas":1}"#).owners();
    let of_existing = r#"before-first-apply: {".":{},"f:paused":{},"f:replicas":{}}"#;
    assert_eq!(owners, [r#"a: {"f:replicas":{}}"#, of_existing]);
}

#[test]
fn the_fields_of_a_shared_item_are_merged() {
    let server = Server::new()
        .apply("a", r#"{"ports":[{"port":1,"protocol":"TCP","name":"x"},{"port":2,"protocol":"TCP"}]}"#)
        .apply("b", r#"{"ports":[{"port":1,"protocol":"TCP","weight":5}]}"#);
    let merged =
        r#"{"ports":[{"name":"x","port":1,"protocol":"TCP","weight":5},{"port":2,"protocol":"TCP"}]}"#;
    assert_eq!(server.spec(), merged);
}

/// The results are those of `TypedValue.RemoveItems`.
#[rstest]
#[case::a_key(r#"{"labels":{"a":"b","c":"d"}}"#, r#"{"f:labels":{"f:a":{}}}"#, r#"{"labels":{"c":"d"}}"#)]
#[case::the_last_key(r#"{"labels":{"a":"b"}}"#, r#"{"f:labels":{"f:a":{}}}"#, r#"{"labels":null}"#)]
#[case::in_an_empty_map(r#"{"labels":{}}"#, r#"{"f:labels":{"f:a":{}}}"#, r#"{"labels":null}"#)]
#[case::an_item(r#"{"names":["a","b"]}"#, r#"{"f:names":{"v:\"a\"":{}}}"#, r#"{"names":["b"]}"#)]
#[case::the_last_item(r#"{"names":["a"]}"#, r#"{"f:names":{"v:\"a\"":{}}}"#, r#"{"names":null}"#)]
#[case::in_an_item(
    r#"{"ports":[{"port":1,"protocol":"TCP","name":"x"}]}"#,
    r#"{"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{"f:name":{}}}}"#,
    r#"{"ports":[{"port":1,"protocol":"TCP"}]}"#
)]
#[case::in_an_atomic_map(
    r#"{"selector":{"a":"b","c":"d"}}"#,
    r#"{"f:selector":{"f:a":{}}}"#,
    r#"{"selector":null}"#
)]
#[case::in_an_atomic_list(r#"{"args":["a","b"]}"#, r#"{"f:args":{"v:\"a\"":{}}}"#, r#"{"args":null}"#)]
#[case::in_a_scalar(r#"{"replicas":1}"#, r#"{"f:replicas":{"f:x":{}}}"#, r#"{"replicas":1}"#)]
fn fields_of_a_set_are_removed(#[case] spec: &str, #[case] removed: &str, #[case] expected: &str) {
    let mut value = object(spec);
    let removed = FieldSet::from_json(&format!(r#"{{"f:spec":{removed}}}"#)).unwrap();
    remove(Some(resource().versions[0].place()), &mut value, &removed);
    assert_eq!(value, object(expected));
}
