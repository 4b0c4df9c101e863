//! A Skewer adapter of `kube-fake-client`. README.md says what it asks of the library.

mod endpoint;
mod fields;

use http::Request as HttpRequest;
use kube_fake_client::ClientBuilder;
use serde_json::{Map, Value};
use skewer_adapter::{About, Failure, Request, as_object, converse};
use tokio::runtime::Runtime;

use crate::endpoint::{Declared, Endpoint};

const ABOUT: About = About {
    name: "kube-fake-client",
    version: "0.3.0",
    operations: &["apply", "json-merge-apply", "json-patch-apply", "server-side-apply"],
    // Left out, not empty: the fake client stores directives as data, and the cells about them show what it does instead.
    directives: None,
    tools: &[],
};

/// The name of objects that have none.
const NAME: &str = "object";

/// A PATCH request to the fake client.
struct Patch {
    content_type: &'static str,
    /// What follows the object in the path: the subresource and the query.
    suffix: String,
    body: Value,
}

/// Runs a patch on a client that stores the live object, and returns the object after it.
fn patch(
    runtime: &Runtime,
    endpoint: &Endpoint,
    live: Option<&Value>,
    patch: &Patch,
) -> Result<Value, Failure> {
    let name = |object: &Value| object["metadata"]["name"].as_str().map(str::to_owned);
    let name = live.and_then(name).or_else(|| name(&patch.body)).unwrap_or_else(|| NAME.to_owned());
    let namespace = live.unwrap_or(&patch.body)["metadata"]["namespace"].as_str();
    let path = format!("{}/{}{}", endpoint.path(namespace), fields::percent_encode(&name), patch.suffix);
    runtime.block_on(async {
        let mut builder = ClientBuilder::new().with_return_managed_fields();
        if let Some(live) = live {
            builder = builder.with_runtime_objects(vec![live.clone()]);
        }
        if !endpoint.is_built_in() {
            endpoint.declare();
            builder = builder.with_resource::<Declared>();
        }
        // As for API servers: an object that cannot be stored is no test of the operation.
        let cannot_store =
            |error| Failure::Unsupported(format!("the fake client cannot store the live object: {error}"));
        let client = builder.build().await.map_err(cannot_store)?;
        let request = HttpRequest::patch(path)
            .header(http::header::CONTENT_TYPE, patch.content_type)
            .body(patch.body.to_string().into_bytes())
            .map_err(|error| Failure::Unsupported(format!("the request cannot be made: {error}")))?;
        client.request::<Value>(request).await.map_err(|error| classify(&error, patch))
    })
}

fn classify(error: &kube::Error, patch: &Patch) -> Failure {
    let kube::Error::Api(status) = error else {
        let message = error.to_string();
        let kind = if message.contains("recursion limit") { "too-deep" } else { "unclassified" };
        return Failure::Refused(kind, message);
    };
    let message = &status.message;
    let is_json_patch = patch.content_type == "application/json-patch+json";
    let kind = match status.reason.as_str() {
        "Conflict" => "conflict",
        "NotFound" => "not-found",
        // Metadata is the only part of an object that the fake client decodes.
        "Invalid" if message.contains("Failed to parse metadata") || message.contains("missing metadata") => {
            "undecodable"
        }
        "InternalError" if !is_json_patch && !patch.body.is_object() => "invalid-document",
        "Invalid" | "InternalError" | "BadRequest" if is_json_patch => "json-patch-failed",
        _ => "unclassified",
    };
    Failure::Refused(kind, message.clone())
}

/// The live object with the members that the fake client needs, or `unsupported`.
fn stored(live: &Map<String, Value>, endpoint: &Endpoint) -> Result<Value, Failure> {
    let mut object = live.clone();
    object.entry("apiVersion").or_insert_with(|| endpoint.api_version().into());
    object.entry("kind").or_insert_with(|| endpoint.kind.clone().into());
    let Value::Object(metadata) = object.entry("metadata").or_insert_with(|| Map::new().into()) else {
        return Err(Failure::Unsupported(
            "the fake client stores objects whose metadata is a map".to_owned(),
        ));
    };
    metadata.entry("name").or_insert_with(|| NAME.into());
    fields::decode_owners(metadata)?;
    Ok(Value::Object(object))
}

/// Applies a patch to a stored object: strategic merge patch, JSON merge patch and JSON patch.
fn apply(runtime: &Runtime, request: &Request<'_>, content_type: &'static str) -> Result<Value, Failure> {
    let live = match request.document("live") {
        Some(Value::Object(_)) | None => as_object(request.document("live"))?,
        Some(Value::Null) if request.operation() == "apply" => Map::new(),
        Some(_) => return Err(Failure::Unsupported("the fake client stores objects only".to_owned())),
    };
    let body = match (request.operation(), request.required("patch")?) {
        ("apply", patch) => Value::Object(as_object(Some(patch))?),
        (_, patch) => patch.clone(),
    };
    if request.operation() == "json-patch-apply" && fields::names_document(&body) {
        return Err(Failure::Unsupported("the stored object has more members than the document".to_owned()));
    }
    let endpoint = Endpoint::of(&[&live], request.built_in_type().as_deref())?;
    let object = stored(&live, &endpoint)?;
    let sent = Patch { content_type, suffix: String::new(), body };
    let mut result = patch(runtime, &endpoint, Some(&object), &sent)?;
    fields::remove_added(&mut result, |path| {
        fields::has(&Value::Object(live.clone()), path)
            || fields::has(&sent.body, path)
            || fields::names(&sent.body, path)
    });
    Ok(result)
}

fn server_side_apply(runtime: &Runtime, request: &Request<'_>) -> Result<Value, Failure> {
    let unsupported = |reason: &str| Err(Failure::Unsupported(reason.to_owned()));
    let configuration = as_object(Some(request.required("configuration")?))?;
    let live = as_object(request.document("live"))?;
    let manager = request.text_option("manager");
    if manager.is_empty() {
        return unsupported("the fake client needs the name of the field manager");
    }
    // One version says no more than the request itself: which fields this endpoint resets is for the fake client to know.
    if request.option("versions").and_then(Value::as_array).is_some_and(|versions| versions.len() > 1) {
        return unsupported("the fake client does not convert objects");
    }
    let asked = request.option("apiVersion").or_else(|| live.get("apiVersion"));
    if asked.is_some_and(|asked| configuration.get("apiVersion") != Some(asked)) {
        return unsupported("the fake client has one version of an object");
    }
    let subresource = match request.text_option("subresource") {
        "" => "",
        "status" => "/status",
        _ => return unsupported("the fake client has no subresource but status"),
    };
    let force = request.option("force").and_then(Value::as_bool).unwrap_or_default();
    let endpoint = Endpoint::of(&[&configuration, &live], request.built_in_type().as_deref())?;
    let object = if live.is_empty() { None } else { Some(stored(&live, &endpoint)?) };
    let sent = Patch {
        content_type: "application/apply-patch+yaml",
        suffix: format!("{subresource}?fieldManager={}&force={force}", fields::percent_encode(manager)),
        body: Value::Object(configuration.clone()),
    };
    let mut result = patch(runtime, &endpoint, object.as_ref(), &sent)?;
    fields::remove_added(&mut result, |path| {
        path == ["metadata", "managedFields"]
            || fields::has(&Value::Object(live.clone()), path)
            || fields::has(&sent.body, path)
    });
    fields::encode_owners(&mut result);
    Ok(result)
}

fn operate(runtime: &Runtime, request: &Request<'_>) -> Result<Value, Failure> {
    match request.operation() {
        "server-side-apply" => server_side_apply(runtime, request),
        "json-merge-apply" => apply(runtime, request, "application/merge-patch+json"),
        "json-patch-apply" => apply(runtime, request, "application/json-patch+json"),
        _ => {
            request.check_profile(&[])?;
            if !matches!(request.text_option("lookup"), "" | "openapi") {
                return Err(Failure::Unsupported("the fake client looks up no merge keys".to_owned()));
            }
            apply(runtime, request, "application/strategic-merge-patch+json")
        }
    }
}

fn main() -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    converse(&ABOUT, |request| operate(&runtime, request))
}

#[cfg(test)]
mod tests;
