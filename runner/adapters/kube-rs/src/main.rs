//! A Skewer adapter of `kube`, the client of Kubernetes for Rust, in the role of a client. README.md says what it asks of the
//! library.

mod recorder;

use std::time::Duration;

use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::GroupVersionKind;
use kube::discovery::{self, Scope};
use kube::{Client, Config};
use serde_json::{Value, json};
use skewer_adapter::{About, Failure, Request, converse};
use tokio::runtime::Builder;

use crate::recorder::Recorder;

const ABOUT: About = About {
    name: "kube-rs",
    version: env!("CARGO_PKG_VERSION"),
    operations: &["apply-manifest"],
    directives: None,
    tools: &["controller-update", "controller-patch", "controller-apply"],
};

/// The field manager that the cases give a controller.
const MANAGER: &str = "controller";

/// The time in which a server lists the type of the object, as a definition that was just installed is not listed at once.
const PATIENCE: Duration = Duration::from_secs(20);

type Result<T> = std::result::Result<T, kube::Error>;

fn main() -> std::io::Result<()> {
    converse(&ABOUT, |request| {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::BadRequest(error.to_string()))?;
        runtime.block_on(run(request))
    })
}

async fn run(request: &Request<'_>) -> std::result::Result<Value, Failure> {
    let tool = request.text_option("tool");
    if !ABOUT.tools.contains(&tool) {
        return Err(Failure::Unsupported(format!("kube-rs is not the tool {tool:?}")));
    }
    let manifest = request.required("modified")?;
    let broken = |error: String| Failure::BadRequest(error);
    let kubeconfig =
        Kubeconfig::read_from(request.text_option("kubeconfig")).map_err(|error| broken(error.to_string()))?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    let config = config.map_err(|error| broken(error.to_string()))?;
    let recorder = Recorder::default();
    let client = recorder.client(config).map_err(|error| broken(error.to_string()))?;
    let api = api(client, request.text_option("namespace"), manifest).await.map_err(broken)?;
    let error = apply(&api, tool, manifest).await.err();
    let mut answer = json!({"requests": recorder.requests()});
    if let Some(error) = error {
        answer["error"] = json!({"message": error.to_string()});
    }
    Ok(answer)
}

/// Returns the access to the objects of the manifest's type, once the server lists it.
async fn api(
    client: Client,
    namespace: &str,
    manifest: &Value,
) -> std::result::Result<Api<DynamicObject>, String> {
    let text = |key: &str| manifest[key].as_str().unwrap_or_default();
    let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
    let kind = GroupVersionKind::gvk(group, version, text("kind"));
    let listed = async {
        loop {
            match discovery::pinned_kind(&client, &kind).await {
                Ok((resource, capabilities)) => return (resource, capabilities.scope),
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    let (resource, scope) = tokio::time::timeout(PATIENCE, listed)
        .await
        .map_err(|_| format!("the server does not list {kind:?}"))?;
    Ok(match scope {
        Scope::Namespaced => Api::namespaced_with(client, namespace, &resource),
        Scope::Cluster => Api::all_with(client, &resource),
    })
}

/// Applies a manifest as the tool does. The fields of the manifest are set, as in most controllers.
async fn apply(api: &Api<DynamicObject>, tool: &str, manifest: &Value) -> Result<()> {
    let name = manifest["metadata"]["name"].as_str().unwrap_or_default();
    let written = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
    if tool == "controller-apply" {
        let parameters = PatchParams::apply(MANAGER).force();
        return api.patch(name, &parameters, &Patch::Apply(manifest)).await.map(drop);
    }
    let Some(live) = api.get_opt(name).await? else {
        let object = serde_json::from_value(manifest.clone()).map_err(kube::Error::SerdeError)?;
        return api.create(&written, &object).await.map(drop);
    };
    if tool == "controller-patch" {
        let parameters = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
        return api.patch(name, &parameters, &Patch::Merge(manifest)).await.map(drop);
    }
    let mut object = serde_json::to_value(live).map_err(kube::Error::SerdeError)?;
    set(&mut object, manifest);
    let object = serde_json::from_value(object).map_err(kube::Error::SerdeError)?;
    api.replace(name, &written, &object).await.map(drop)
}

/// Sets the fields of a manifest in an object.
fn set(object: &mut Value, manifest: &Value) {
    match (object, manifest) {
        (Value::Object(object), Value::Object(manifest)) => {
            for (key, value) in manifest {
                set(object.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (object, manifest) => *object = manifest.clone(),
    }
}
