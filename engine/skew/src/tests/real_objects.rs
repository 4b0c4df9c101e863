//! Scenarios with objects as servers return them: with managed fields, whatever the kind of request.

use std::sync::Arc;

use skewer_engine::document::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::builtin;

use super::json;
use crate::{Decoding, Request, RequestOptions, Scenario, StepName, run_built_in};

/// Runs a request with a document on a stored `ConfigMap`. Returns the object with its managed fields.
#[track_caller]
fn send(stored: &str, request: Request, [last_applied, document]: [&str; 2]) -> OwnedDoc {
    let release = builtin::newest();
    let root = release.resolve("ConfigMap").unwrap();
    let context = PatchContext::of(Arc::clone(release.schema()), root).unwrap();
    let mut scenario = Scenario {
        request,
        options: RequestOptions { manager: "tool".into(), ..RequestOptions::default() },
        last_applied: Some(Arc::new(json(last_applied))),
        configuration: Some(Arc::new(json(document))),
        tracks_owners: true,
        ..Scenario::up_to_date(Arc::new(json(stored)), context)
    };
    scenario.client.decoding = Decoding::Unstructured;
    let mut result = None;
    let end = run_built_in(&scenario, &mut |step, document| {
        if step == StepName::Result {
            result = Some(document.clone());
        }
    });
    result.unwrap_or_else(|| panic!("{end:?}"))
}

const STORED: &str = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","managedFields":[
    {"manager":"legacy","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:x":{}}}}
]},"data":{"x":"1","y":"1"}}"#;

#[test]
fn an_update_changes_owners_even_if_no_request_is_an_apply() {
    let document =
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"2","y":"1"}}"#;
    let result = send(STORED, Request::Update, ["{}", document]).to_string();
    assert!(result.contains(r#""manager":"tool""#) && !result.contains(r#""manager":"legacy""#), "{result}");
}

#[test]
fn a_client_can_send_managed_fields_of_its_own() {
    let migrated = STORED
        .replace(r#""manager":"legacy","operation":"Update""#, r#""manager":"tool","operation":"Apply""#);
    let result = send(STORED, Request::Update, ["{}", &migrated]).to_string();
    assert!(
        result.contains(r#""manager":"tool","operation":"Apply""#) && !result.contains("legacy"),
        "{result}"
    );
}

#[test]
fn client_side_apply_goes_from_one_manifest_to_another() {
    let last_applied =
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","y":"1"}}"#;
    let manifest = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"3"}}"#;
    let result = send(STORED, Request::ClientSideApply, [last_applied, manifest]);
    let data = result.as_map().and_then(|result| result.get("data")).unwrap();
    assert_eq!(data.to_string(), r#"{"x":"3"}"#);
}
