use serde_json::json;

use super::*;

fn reply(operation: &str, documents: Value, options: Value, schema: Option<&str>) -> Value {
    let mut request =
        json!({"kind": "run", "seq": 1, "operation": operation, "documents": documents, "options": options});
    if let Some(root) = schema {
        request["schema"] = json!({"root": root, "openapi": {"components": {"schemas": {root: {}}}}});
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    skewer_adapter::replies(&ABOUT, &[request], |request| operate(&runtime, request)).remove(0)
}

fn apply(operation: &str, live: Value, patch: Value) -> Value {
    let reply = reply(operation, json!({"live": live, "patch": patch}), json!({}), None);
    assert_eq!(reply["kind"], "result", "{reply}");
    reply["result"].clone()
}

fn server_side_apply(live: Value, configuration: Value, manager: &str) -> Value {
    let documents = json!({"live": live, "configuration": configuration});
    reply("server-side-apply", documents, json!({"manager": manager}), None)
}

#[test]
fn a_strategic_merge_patch_is_a_json_merge_patch() {
    for root in [Some("core.v1.Service"), Some("core.v1.Node"), Some("Service"), None] {
        let live = json!({"spec": {"ports": [{"port": 1}, {"port": 2}]}});
        let patch = json!({"spec": {"ports": [{"port": 3, "$patch": "delete"}], "$retainKeys": ["ports"]}});
        let reply = reply("apply", json!({"live": live, "patch": patch}), json!({}), root);
        assert_eq!(reply["result"], patch, "{reply}");
    }
}

#[test]
fn json_merge_patches_and_json_patches_are_applied() {
    let live = json!({"a": {"b": 1, "c": 2}});
    assert_eq!(apply("json-merge-apply", live.clone(), json!({"a": {"b": null}})), json!({"a": {"c": 2}}));
    let operations = json!([{"op": "test", "path": "/a/b", "value": 1}, {"op": "remove", "path": "/a/b"}]);
    assert_eq!(apply("json-patch-apply", live.clone(), operations), json!({"a": {"c": 2}}));
    let operations = json!([{"op": "remove", "path": "/b"}]);
    let reply = reply("json-patch-apply", json!({"live": live, "patch": operations}), json!({}), None);
    assert_eq!(reply["error"]["kind"], "json-patch-failed", "{reply}");
}

#[test]
fn members_of_the_documents_are_kept() {
    let live = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b"}});
    let patch = json!({"metadata": {"labels": {"a": "b"}, "uid": "u"}});
    let result = apply("apply", live, patch);
    assert_eq!(result["apiVersion"], "v1");
    let metadata: Vec<&String> = result["metadata"].as_object().expect("a map").keys().collect();
    assert_eq!(metadata, ["labels", "name", "namespace", "uid"]);
}

#[test]
fn applied_fields_get_an_owner_and_conflicts_are_refused() {
    let widget =
        |size: i64| json!({"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"size": size}});
    let first = server_side_apply(json!({}), widget(1), "a")["result"].clone();
    let entry = json!({
        "apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": "{\"f:spec\":{\"f:size\":{}}}",
        "manager": "a", "operation": "Apply",
    });
    let mut expected = widget(1);
    expected["metadata"]["managedFields"] = json!([entry]);
    assert_eq!(first, expected);
    for size in [1, 2] {
        let reply = server_side_apply(first.clone(), widget(size), "b");
        assert_eq!(reply["error"]["kind"], "conflict", "{reply}");
    }
    let empty = json!({"apiVersion": "example.com/v1", "kind": "Widget"});
    assert_eq!(server_side_apply(first, empty, "a")["result"]["spec"], json!({"size": 1}));
}

#[test]
fn what_it_cannot_do() {
    for live in [json!([]), json!({"metadata": 1}), json!({"kind": 1}), json!({"metadata": {"labels": 1}})] {
        let reply = reply("json-merge-apply", json!({"live": live, "patch": {}}), json!({}), None);
        assert_eq!(reply["kind"], "unsupported", "{reply}");
    }
    let whole = json!([{"op": "test", "path": "", "value": {}}]);
    let documents = json!({"live": {}, "patch": whole});
    assert_eq!(reply("json-patch-apply", documents, json!({}), None)["kind"], "unsupported");
    let reply = reply("json-merge-apply", json!({"live": {}, "patch": 1}), json!({}), None);
    assert_eq!(reply["error"]["kind"], "invalid-document", "{reply}");
    let widget = json!({"apiVersion": "example.com/v1", "kind": "Widget"});
    assert_eq!(server_side_apply(json!({}), widget, "")["kind"], "unsupported");
}
