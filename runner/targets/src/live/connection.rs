//! The HTTP connection to an API server.

use std::path::Path;
use std::time::Duration;

use http::{HeaderMap, Request};
use http_body_util::BodyExt;
use kube_client::client::Body;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use skewer_engine::Doc;
use skewer_engine::document::from_json;
use tokio::runtime::Runtime;

use super::request::{ClusterRequest, Response};
use crate::{TargetFailure, TargetFailureKind};

/// A connection to an API server, with the runtime that it needs.
pub(super) struct Connection {
    runtime: Runtime,
    client: Client,
    address: String,
    host: String,
    timeout: Duration,
}

impl Connection {
    /// Opens a connection to the API server of a kubeconfig file, as [`Cluster::connect`](super::Cluster::connect) does.
    pub(super) fn open(
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
        let host = config.cluster_url.host().unwrap_or_default().to_owned();
        let address = config.cluster_url.to_string();
        let client = {
            let _guard = runtime.enter();
            Client::try_from(config).map_err(|error| format!("{address}: {error}"))?
        };
        Ok(Connection { runtime, client, address, host, timeout })
    }

    /// Returns the address of the server.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the name or the IP address of the host.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// Sends a request.
    pub(super) fn send(&self, request: &ClusterRequest<'_>) -> Result<Response, TargetFailure> {
        let failed = |kind, why: String| TargetFailure { kind, why };
        let ClusterRequest { method, path, .. } = request;
        let body = request.body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let message = Request::builder()
            .method(method.name())
            .uri(*path)
            .header("content-type", request.content_type.name())
            .header("accept", "application/json")
            .body(Body::from(body))
            .map_err(|error| failed(TargetFailureKind::Crash, format!("{path}: {error}")))?;
        let sent = self.runtime.block_on(async {
            tokio::time::timeout(self.timeout, async {
                let response = self.client.send(message).await.map_err(|error| describe(&error))?;
                let (parts, body) = response.into_parts();
                let bytes = body.collect().await.map_err(|error| describe(&error))?.to_bytes();
                Ok::<_, String>((parts, bytes))
            })
            .await
        });
        let (parts, bytes) = match sent {
            Err(_) => {
                let after = self.timeout.as_secs_f32();
                let why = format!("no answer to {} {path} within {after} s", method.name());
                return Err(failed(TargetFailureKind::TimeOut, why));
            }
            Ok(Err(why)) => {
                return Err(failed(TargetFailureKind::Crash, format!("{} {path}: {why}", method.name())));
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
