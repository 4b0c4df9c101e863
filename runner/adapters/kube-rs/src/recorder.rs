//! The requests that the library sends.

use std::sync::{Arc, Mutex, PoisonError};

use http::{Request, Response};
use kube::client::{Body, ClientBuilder};
use kube::{Client, Config, Error};
use serde_json::{Value, json};

/// The requests to objects, in their order. Those for the lists of types are left out.
#[derive(Clone, Default)]
pub struct Recorder {
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Recorder {
    /// Returns a client whose requests are recorded.
    ///
    /// # Errors
    ///
    /// The configuration cannot be used.
    pub fn client(&self, config: Config) -> Result<Client, Error> {
        let namespace = config.default_namespace.clone();
        let server = ClientBuilder::try_from(config)?.build();
        let recorder = self.clone();
        let record = move |request| recorder.clone().send(server.clone(), request);
        Ok(Client::new(tower::service_fn(record), namespace))
    }

    /// Returns the requests.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn send(self, server: Client, request: Request<Body>) -> Result<Response<Body>, Error> {
        let path = request.uri().path_and_query().map_or("", |path| path.as_str()).to_owned();
        if !concerns_objects(request.uri().path()) {
            return server.send(request).await;
        }
        let (parts, body) = request.into_parts();
        let body = body.collect_bytes().await?;
        let mut entry = json!({"method": parts.method.as_str(), "path": path});
        if let Some(content_type) = parts.headers.get(http::header::CONTENT_TYPE) {
            entry["contentType"] = json!(String::from_utf8_lossy(content_type.as_bytes()));
        }
        if !body.is_empty() {
            entry["body"] = as_json(&body);
        }
        let response = server.send(Request::from_parts(parts, Body::from(body.to_vec()))).await?;
        let (parts, body) = response.into_parts();
        let body = body.collect_bytes().await?;
        entry["status"] = json!(parts.status.as_u16());
        if parts.status.as_u16() >= 400 {
            entry["response"] = as_json(&body);
        }
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
        Ok(Response::from_parts(parts, Body::from(body.to_vec())))
    }
}

/// Whether a path is that of objects: `/api/VERSION/…` or `/apis/GROUP/VERSION/…`.
fn concerns_objects(path: &str) -> bool {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    match parts[0] {
        "api" => parts.len() > 2,
        "apis" => parts.len() > 3,
        _ => false,
    }
}

/// Returns a text that is JSON as it is, and any other text as a string.
fn as_json(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or_else(|_| json!(String::from_utf8_lossy(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_objects_are_recorded() {
        for path in ["/version", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/openapi/v3"] {
            assert!(!concerns_objects(path), "{path}");
        }
        for path in ["/api/v1/namespaces/n/configmaps/c", "/apis/apps/v1/namespaces/n/deployments"] {
            assert!(concerns_objects(path), "{path}");
        }
    }
}
