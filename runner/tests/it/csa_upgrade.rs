//! The upgrade of managed fields from client-side to server-side apply, compared with `csaupgrade` of
//! `k8s.io/client-go`. The test needs the Go adapter.

use std::fmt::Write;
use std::fs::File;
use std::process::Command;

use serde_json::{Value as Json, json};
use skewer_engine::document::from_json;
use skewer_engine::server_side_apply::{CsaUpgrade, upgrade_managed_fields};
use skewer_engine::{ErrorKind, OwnedDoc};

use crate::helpers::go_adapter;

const UPDATERS: [&str; 2] = ["kubectl-client-side-apply", "before-first-apply"];
const APPLIER: &str = "kubectl";

/// Returns an entry of managed fields.
fn entry(manager: &str, operation: &str, api_version: &str, fields: &str) -> Json {
    json!({"manager": manager, "operation": operation, "apiVersion": api_version,
           "fieldsType": "FieldsV1", "fieldsV1": fields, "time": "2026-01-02T03:04:05Z"})
}

fn updated(api_version: &str, fields: &str) -> Json {
    entry(UPDATERS[0], "Update", api_version, fields)
}

fn applied(api_version: &str, fields: &str) -> Json {
    entry(APPLIER, "Apply", api_version, fields)
}

fn with(mut entry: Json, member: &str, value: Json) -> Json {
    entry[member] = value;
    entry
}

fn without(mut entry: Json, member: &str) -> Json {
    entry.as_object_mut().unwrap().remove(member);
    entry
}

/// The values of `metadata.managedFields`. No result depends on the order of the updaters.
fn table() -> Vec<Json> {
    let containers = r#"{"f:spec":{"f:containers":{"k:{\"name\":\"b\"}":{".":{},"f:image":{},"f:name":{}},"k:{\"name\":\"a\"}":{}}}}"#;
    let finalizers = r#"{"f:metadata":{"f:finalizers":{".":{},"v:\"<x>\"":{}},"z:later":{}},"f:spec":{}}"#;
    let of_status = |entry: Json| with(entry, "subresource", json!("status"));
    let other = entry("controller", "Update", "v1", r#"{"f:b":{},"f:a":{}}"#);
    let second = |api_version: &str, fields: &str| entry(UPDATERS[1], "Update", api_version, fields);
    vec![
        json!(null),
        json!([]),
        json!({}),
        json!(["x"]),
        json!([other]),
        json!([updated("v1", containers)]),
        json!([other, updated("v1", containers), other]),
        json!([applied("v1", containers)]),
        json!([applied("v1", containers), updated("v1", finalizers)]),
        json!([updated("v1", containers), other, applied("v1", containers)]),
        json!([updated("v1", finalizers), applied("v2", containers), updated("v3", "{}")]),
        json!([updated("v1", finalizers), applied("v2", "{}"), updated("v2", containers)]),
        json!([updated("v2", finalizers), updated("v1", containers)]),
        json!([applied("v1", "{}"), updated("v1", finalizers), updated("v1", containers)]),
        json!([second("v1", finalizers), updated("v1", containers)]),
        json!([second("v1", finalizers), applied("v1", "{}"), updated("v1", containers), other]),
        json!([second("v2", finalizers), applied("v1", "{}"), updated("v1", containers)]),
        json!([second("v1", finalizers)]),
        json!([of_status(updated("v1", containers)), updated("v1", finalizers)]),
        json!([of_status(applied("v1", containers)), updated("v1", finalizers)]),
        json!([of_status(applied("v1", "{}")), of_status(updated("v1", finalizers)), applied("v1", "{}")]),
        json!([with(updated("v1", ""), "fieldsV1", json!({"f:b": {}, "f:<a>": {}, "v:1": null}))]),
        json!([with(other.clone(), "fieldsV1", json!({"f:b": {}, "f:<a>": {}, "v:1e400": 1.0}))]),
        json!([without(other.clone(), "fieldsV1"), with(other.clone(), "fieldsV1", json!("null"))]),
        json!([
            with(updated("v1", "{}"), "unknown", json!(1)),
            with(other.clone(), "subresource", json!(""))
        ]),
        json!([with(updated("v1", "{}"), "time", json!("yesterday"))]),
        json!([without(updated("", "{}"), "fieldsType"), applied("", containers)]),
        json!([entry(APPLIER, "Update", "v1", containers), updated("v1", finalizers)]),
        json!([entry(UPDATERS[0], "Apply", "v1", containers)]),
        json!([updated("v1", "{")]),
        json!([updated("v1", "")]),
        json!([updated("v1", r#"{"x":{}}"#)]),
        json!([updated("v1", r#"{"f:a":1}"#)]),
        json!([updated("v1", "null")]),
        json!([without(updated("v1", "{}"), "fieldsV1")]),
        json!([applied("v1", "{}"), updated("v1", "[]"), other]),
        json!([applied("v1", "{"), other]),
        json!([applied("v1", "{}"), updated("v2", "{"), with(other.clone(), "fieldsV1", json!("{"))]),
    ]
}

/// Runs the requests in the adapter, and returns the results or the kinds of errors.
fn replies_of(program: &str, requests: &[Json]) -> Vec<Result<Json, String>> {
    let mut lines = String::from("{\"kind\":\"start\",\"protocol\":1}\n");
    for request in requests {
        let _ = writeln!(lines, "{request}");
    }
    lines.push_str("{\"kind\":\"stop\"}\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("requests");
    std::fs::write(&path, lines).unwrap();
    let output = Command::new(program).stdin(File::open(&path).unwrap()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut replies = vec![None; requests.len()];
    for line in String::from_utf8(output.stdout).unwrap().lines().skip(1) {
        let mut reply: Json = serde_json::from_str(line).unwrap();
        let index = usize::try_from(reply["seq"].as_u64().unwrap()).unwrap();
        let answer = match reply["kind"].as_str() {
            Some("result") => Ok(reply["result"].take()),
            _ => Err(reply["error"]["kind"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned()),
        };
        replies[index] = Some(answer);
    }
    replies.into_iter().map(|reply| reply.expect("a reply to each request")).collect()
}

/// Returns the result of the engine. The adapter returns entries without times.
fn result_of_engine(object: &Json, subresource: &str) -> Result<Json, String> {
    let object: OwnedDoc = from_json(object.to_string().as_bytes()).unwrap();
    let upgrade = CsaUpgrade { updaters: &UPDATERS, applier: APPLIER, subresource };
    let upgraded = upgrade_managed_fields(&object, upgrade).map_err(|error| error.kind().id().to_owned())?;
    let mut upgraded: Json = serde_json::from_str(&upgraded.to_string()).unwrap();
    let entries = upgraded.pointer_mut("/metadata/managedFields").and_then(Json::as_array_mut);
    for entry in entries.into_iter().flatten() {
        entry.as_object_mut().unwrap().remove("time");
    }
    Ok(upgraded)
}

#[test]
fn the_engine_and_csaupgrade_agree() {
    let Some(program) = go_adapter() else { return };
    let mut expected = Vec::new();
    let mut requests = Vec::new();
    for managed_fields in table() {
        for subresource in ["", "status"] {
            let metadata = json!({"name": "x", "managedFields": managed_fields});
            let live = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"a": 1}});
            requests.push(json!({
                "kind": "run", "seq": requests.len(), "operation": "upgrade-managed-fields",
                "documents": {"live": live},
                "options": {"csaManagers": UPDATERS, "manager": APPLIER, "subresource": subresource},
            }));
            expected.push((result_of_engine(&live, subresource), live));
        }
    }
    let replies = replies_of(&program, &requests);
    let errors = replies.iter().filter(|reply| reply.is_err()).count();
    assert!(errors > 5 && errors < replies.len() / 2, "{errors} of {} replies are errors", replies.len());
    for (reply, (expected, live)) in replies.into_iter().zip(expected) {
        assert!(reply.as_ref().err().is_none_or(|kind| *kind == ErrorKind::InvalidManagedFields.id()));
        assert_eq!(expected, reply, "the engine (left) and csaupgrade differ on {live}");
    }
}
