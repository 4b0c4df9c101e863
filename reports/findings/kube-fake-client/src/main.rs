//! Shows what `kube-fake-client` does with requests. Prints the requests and the stored object of each finding as JSON, one
//! finding on each line.

use std::cell::RefCell;
use std::error::Error;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::Api;
use kube::api::{Patch, PatchParams};
use kube_fake_client::ClientBuilder;
use serde_json::{Value, json};

type Outcome = Result<Value, Box<dyn Error>>;

thread_local! {
    /// The requests of the finding that runs.
    static REQUESTS: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Sends an apply configuration, and records the request.
async fn apply(api: &Api<ConfigMap>, manager: &str, body: Value) -> kube::Result<ConfigMap> {
    REQUESTS.with_borrow_mut(|requests| {
        requests.push(json!({"request": "server-side-apply", "manager": manager, "body": &body}));
    });
    api.patch("web", &PatchParams::apply(manager), &Patch::Apply(body)).await
}

/// An image is changed. The Pod has a sidecar.
async fn sidecar() -> Outcome {
    let live = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "default"},
        "spec": {"containers": [{"name": "app", "image": "app:1"}, {"name": "proxy", "image": "proxy:1"}]}
    });
    let patch = json!({"spec": {"containers": [{"name": "app", "image": "app:2"}]}});
    let client = ClientBuilder::new().with_runtime_objects(vec![live.clone()]).build().await?;
    let pods: Api<Pod> = Api::namespaced(client, "default");
    let pod = pods.patch("web", &PatchParams::default(), &Patch::Strategic(patch.clone())).await?;
    Ok(json!({"live": live, "patch": patch, "result": {"spec": pod.spec}}))
}

/// A patch with a directive.
async fn directive() -> Outcome {
    let live = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {}, "template": {}, "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2}}}
    });
    let patch = json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}});
    let client = ClientBuilder::new().with_runtime_objects(vec![live.clone()]).build().await?;
    let deployments: Api<Deployment> = Api::namespaced(client, "default");
    let deployment =
        deployments.patch("web", &PatchParams::default(), &Patch::Strategic(patch.clone())).await?;
    let strategy = deployment.spec.and_then(|spec| spec.strategy);
    Ok(json!({"live": live, "patch": patch, "result": {"spec": {"strategy": strategy}}}))
}

/// A field that an applier leaves out.
async fn field_given_up() -> Outcome {
    let client = ClientBuilder::new().build().await?;
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    let header =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web", "namespace": "default"}});
    let with = |data: Value| {
        let mut body = header.clone();
        body["data"] = data;
        body
    };
    apply(&maps, "a", with(json!({"kept": "1", "dropped": "1"}))).await?;
    apply(&maps, "a", with(json!({"kept": "1"}))).await?;
    Ok(json!({"result": {"data": maps.get("web").await?.data}}))
}

/// Two appliers that want the same value.
async fn equal_values() -> Outcome {
    let client = ClientBuilder::new().build().await?;
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    let body = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web", "namespace": "default"}, "data": {"k": "1"}
    });
    apply(&maps, "a", body.clone()).await?;
    apply(&maps, "b", body).await?;
    Ok(json!({"result": {"data": maps.get("web").await?.data}}))
}

async fn run() {
    let print = |finding: &str, outcome: Outcome| {
        let mut record = outcome.unwrap_or_else(|error| json!({"error": error.to_string()}));
        record["finding"] = finding.into();
        let requests = REQUESTS.take();
        if !requests.is_empty() {
            record["requests"] = requests.into();
        }
        println!("{record}");
    };
    print("sidecar", sidecar().await);
    print("directive", directive().await);
    print("field-given-up", field_given_up().await);
    print("equal-values", equal_values().await);
}

fn main() -> std::io::Result<()> {
    tokio::runtime::Builder::new_current_thread().build()?.block_on(run());
    Ok(())
}
