//! Requests to an API server.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skewer_engine::OwnedDoc;

#[cfg(feature = "network")]
use super::connection::Connection;
use super::request::{ClusterRequest, ContentType, Method, Response};
use crate::TargetFailure;

/// An API server, and how to reach it.
pub struct Cluster {
    connection: Connection,
    kubeconfig: Option<PathBuf>,
    /// The version that the server reports: `v1.36.3`.
    version: String,
    minor: u32,
}

/// The message about a target that a program without the feature `network` does not have.
#[cfg(not(feature = "network"))]
pub const NEEDS_NETWORK: &str = "this skewer is built without the network, which kubectl, kube:R and kube need: install it with \
     `cargo install --locked --path runner --features network`";

/// The connection of a program that is built without the feature `network`: there is none.
#[cfg(not(feature = "network"))]
enum Connection {}

#[cfg(not(feature = "network"))]
impl Connection {
    fn open(_: Option<&Path>, _: Option<&str>, _: Duration) -> Result<Self, String> {
        Err(NEEDS_NETWORK.to_owned())
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
        let mut cluster = Cluster {
            connection,
            kubeconfig: kubeconfig.map(Path::to_owned),
            version: String::new(),
            minor: 0,
        };
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

    /// Returns the kubeconfig file, if one was named.
    pub(super) fn kubeconfig(&self) -> Option<&Path> {
        self.kubeconfig.as_deref()
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
