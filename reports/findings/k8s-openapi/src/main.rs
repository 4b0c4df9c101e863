//! Shows what `DeepMerge` of `k8s-openapi` does with strategic merge patches. Prints the documents and the result of each
//! finding as JSON, one finding on each line.

use k8s_openapi::DeepMerge;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{Pod, Service};
use k8s_openapi::api::networking::v1::Ingress;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value, json};

fn merge<T: DeepMerge + DeserializeOwned + Serialize>(
    live: &Value,
    patch: &Value,
) -> serde_json::Result<Value> {
    let mut object: T = from_value(live.clone())?;
    object.merge_from(from_value(patch.clone())?);
    serde_json::to_value(object)
}

fn show<T: DeepMerge + DeserializeOwned + Serialize>(finding: &str, live: &Value, patch: &Value) {
    let mut record = json!({"finding": finding, "live": live, "patch": patch});
    match merge::<T>(live, patch) {
        Ok(result) => record["result"] = result,
        Err(error) => record["error"] = error.to_string().into(),
    }
    println!("{record}");
}

fn required_field() {
    show::<HorizontalPodAutoscaler>(
        "required-field",
        &json!({
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"},
            "spec": {"maxReplicas": 5, "scaleTargetRef": {"kind": "Deployment", "name": "web"}}
        }),
        &json!({"spec": {"minReplicas": 2}}),
    );
}

fn required_name() {
    show::<Ingress>(
        "required-name",
        &json!({
            "apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "web"},
            "spec": {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}
        }),
        &json!({"spec": {"defaultBackend": {"service": {"port": {"number": 8080}}}}}),
    );
}

fn deletion() {
    show::<Pod>(
        "deletion",
        &json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
            "spec": {"containers": [
                {"name": "app", "securityContext": {"privileged": true}}, {"name": "debug", "image": "shell"}
            ]}
        }),
        &json!({"spec": {"containers": [
            {"name": "app", "securityContext": {"privileged": null}}, {"name": "debug", "$patch": "delete"}
        ]}}),
    );
}

fn service_selector() {
    show::<Service>(
        "service-selector",
        &json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
            "spec": {"selector": {"app": "web", "tier": "front"}}
        }),
        &json!({"spec": {"selector": {"release": "2"}}}),
    );
}

fn main() {
    required_field();
    required_name();
    deletion();
    service_selector();
}
