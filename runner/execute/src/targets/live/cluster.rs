//! Requests to an API server.

use std::path::Path;
use std::time::Duration;

use skewer_engine::{Doc, OwnedDoc};

#[cfg(feature = "network")]
use super::connection::Connection;
use crate::targets::TargetFailure;

/// An API server, and how to reach it.
pub struct Cluster {
    connection: Connection,
    /// The version that the server reports: `v1.36.3`.
    version: String,
    minor: u32,
}

/// The connection of a program that is built without the feature `network`: there is none.
#[cfg(not(feature = "network"))]
enum Connection {}

#[cfg(not(feature = "network"))]
impl Connection {
    fn open(_: Option<&Path>, _: Option<&str>, _: Duration) -> Result<Self, String> {
        Err(crate::targets::NEEDS_NETWORK.to_owned())
    }

    fn address(&self) -> &str {
        match *self {}
    }

    fn host(&self) -> &str {
        match *self {}
    }

    fn send(&self, _: &ClusterRequest<'_>) -> Result<Response, TargetFailure> {
        match *self {}
    }
}

/// A request to an API server.
#[cfg_attr(not(feature = "network"), expect(dead_code, reason = "only a connection reads a request"))]
pub(super) struct ClusterRequest<'a> {
    pub(super) method: Method,
    pub(super) path: &'a str,
    pub(super) content_type: ContentType,
    pub(super) body: Option<&'a OwnedDoc>,
}

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    #[cfg(feature = "network")]
    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
        }
    }
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
    #[cfg(feature = "network")]
    pub(super) fn name(self) -> &'static str {
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
        let connection = Connection::open(kubeconfig, context, timeout)?;
        let mut cluster = Cluster { connection, version: String::new(), minor: 0 };
        cluster.read_version()?;
        Ok(cluster)
    }

    fn read_version(&mut self) -> Result<(), String> {
        let answer =
            self.get("/version").map_err(|failure| format!("{}: {}", self.address(), failure.why))?;
        let text = |key: &str| answer.body.as_map()?.get(key)?.as_str().map(str::to_owned);
        self.version = text("gitVersion").unwrap_or_default();
        // Some providers write `36+`.
        let minor = text("minor").unwrap_or_default();
        let minor = minor.trim_end_matches(|c: char| !c.is_ascii_digit()).parse();
        self.minor = minor.map_err(|_| {
            format!(
                "{}: expected the version of an API server, but got HTTP {}",
                self.address(),
                answer.status
            )
        })?;
        Ok(())
    }

    /// Returns the address of the server.
    #[must_use]
    pub fn address(&self) -> &str {
        self.connection.address()
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
        let host = self.connection.host().trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Reads a resource.
    pub(super) fn get(&self, path: &str) -> Result<Response, TargetFailure> {
        self.send(Method::Get, path, ContentType::Json, None)
    }

    /// Deletes a resource, or a collection.
    pub(super) fn delete(&self, path: &str) -> Result<Response, TargetFailure> {
        self.send(Method::Delete, path, ContentType::Json, None)
    }

    /// Sends a request.
    pub(super) fn send(
        &self,
        method: Method,
        path: &str,
        content_type: ContentType,
        body: Option<&OwnedDoc>,
    ) -> Result<Response, TargetFailure> {
        self.connection.send(&ClusterRequest { method, path, content_type, body })
    }
}
