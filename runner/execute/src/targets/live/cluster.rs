//! Requests to an API server.

use std::path::Path;
use std::time::Duration;

use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt;
use kube_client::client::Body;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use skewer_engine::document::from_json;
use skewer_engine::{Doc, OwnedDoc};
use tokio::runtime::Runtime;

use crate::targets::{TargetFailure, TargetFailureKind};

/// An API server, and how to reach it.
pub struct Cluster {
    runtime: Runtime,
    client: Client,
    address: String,
    /// The version that the server reports: `v1.36.3`.
    version: String,
    minor: u32,
    timeout: Duration,
}

/// The response of an API server.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The texts of the `Warning` headers.
    pub warnings: Vec<String>,
    /// The body. Null if it is no JSON.
    pub body: OwnedDoc,
}

impl Response {
    /// Returns true if the server has accepted the request.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns the message of a refusal.
    #[must_use]
    pub fn message(&self) -> &str {
        self.body.as_map().and_then(|body| body.get("message")).and_then(Doc::as_str).unwrap_or("no message")
    }
}

/// The content type of the body of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentType {
    Json,
    MergePatch,
    StrategicMergePatch,
    JsonPatch,
    Apply,
}

impl ContentType {
    fn name(self) -> &'static str {
        match self {
            ContentType::Json => "application/json",
            ContentType::MergePatch => "application/merge-patch+json",
            ContentType::StrategicMergePatch => "application/strategic-merge-patch+json",
            ContentType::JsonPatch => "application/json-patch+json",
            // JSON is YAML. Releases before 1.32 have no other content type.
            ContentType::Apply => "application/apply-patch+yaml",
        }
    }
}

impl Cluster {
    /// Connects to the API server of a kubeconfig file. Without a file, that of `$KUBECONFIG` or `~/.kube/config` is used.
    ///
    /// # Errors
    /// Fails if the file cannot be used, or if the server does not tell its version. The message has no credentials.
    pub fn connect(
        kubeconfig: Option<&Path>,
        context: Option<&str>,
        timeout: Duration,
    ) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("cannot start the HTTP client: {error}"))?;
        let file = match kubeconfig {
            Some(path) => {
                Kubeconfig::read_from(path).map_err(|error| format!("{}: {error}", path.display()))?
            }
            None => Kubeconfig::read().map_err(|error| format!("kubeconfig: {error}"))?,
        };
        let options =
            KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
        let mut config = runtime
            .block_on(Config::from_custom_kubeconfig(file, &options))
            .map_err(|error| format!("kubeconfig: {error}"))?;
        config.read_timeout = Some(timeout);
        let address = config.cluster_url.to_string();
        let client = {
            let _guard = runtime.enter();
            Client::try_from(config).map_err(|error| format!("{address}: {error}"))?
        };
        let mut cluster = Cluster { runtime, client, address, version: String::new(), minor: 0, timeout };
        cluster.read_version()?;
        Ok(cluster)
    }

    fn read_version(&mut self) -> Result<(), String> {
        let answer = self.get("/version").map_err(|failure| format!("{}: {}", self.address, failure.why))?;
        let text = |key: &str| answer.body.as_map()?.get(key)?.as_str().map(str::to_owned);
        self.version = text("gitVersion").unwrap_or_default();
        // Some providers write `36+`.
        let minor = text("minor").unwrap_or_default();
        let minor = minor.trim_end_matches(|c: char| !c.is_ascii_digit()).parse();
        self.minor = minor.map_err(|_| {
            format!("{}: expected the version of an API server, but got HTTP {}", self.address, answer.status)
        })?;
        Ok(())
    }

    /// Returns the address of the server.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the version that the server reports, such as `v1.36.3`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the minor version of the release: 36 for 1.36.
    #[must_use]
    pub fn minor(&self) -> u32 {
        self.minor
    }

    /// Returns true if the server listens on this machine only.
    #[must_use]
    pub fn is_on_loopback(&self) -> bool {
        let host = self.address.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
        host.is_some_and(|host| {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
        })
    }

    /// Reads a resource.
    pub(super) fn get(&self, path: &str) -> Result<Response, TargetFailure> {
        self.send(&Method::GET, path, ContentType::Json, None)
    }

    /// Deletes a resource, or a collection.
    pub(super) fn delete(&self, path: &str) -> Result<Response, TargetFailure> {
        self.send(&Method::DELETE, path, ContentType::Json, None)
    }

    /// Sends a request.
    pub(super) fn send(
        &self,
        method: &Method,
        path: &str,
        content_type: ContentType,
        body: Option<&OwnedDoc>,
    ) -> Result<Response, TargetFailure> {
        let failed = |kind, why: String| TargetFailure { kind, why };
        let request = Request::builder()
            .method(method.clone())
            .uri(path)
            .header("content-type", content_type.name())
            .header("accept", "application/json")
            .body(Body::from(body.map(|body| body.to_string().into_bytes()).unwrap_or_default()))
            .map_err(|error| failed(TargetFailureKind::Crash, format!("{path}: {error}")))?;
        let sent = self.runtime.block_on(async {
            tokio::time::timeout(self.timeout, async {
                let response = self.client.send(request).await.map_err(|error| describe(&error))?;
                let (parts, body) = response.into_parts();
                let bytes = body.collect().await.map_err(|error| describe(&error))?.to_bytes();
                Ok::<_, String>((parts, bytes))
            })
            .await
        });
        let (parts, bytes) = match sent {
            Err(_) => {
                let why = format!("no answer to {method} {path} within {} s", self.timeout.as_secs_f32());
                return Err(failed(TargetFailureKind::TimeOut, why));
            }
            Ok(Err(why)) => {
                return Err(failed(TargetFailureKind::Crash, format!("{method} {path}: {why}")));
            }
            Ok(Ok(answer)) => answer,
        };
        Ok(Response {
            status: parts.status.as_u16(),
            warnings: warnings(&parts.headers),
            body: from_json(&bytes).unwrap_or(Doc::Null),
        })
    }
}

/// Returns the message of an error with those of its causes.
fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// Reads `299 - "the text"`.
fn warnings(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all("warning").iter().filter_map(|value| value.to_str().ok());
    values
        .map(|value| {
            let text = value.splitn(3, ' ').nth(2).unwrap_or(value);
            text.trim_matches('"').replace("\\\"", "\"")
        })
        .collect()
}
