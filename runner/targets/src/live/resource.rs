//! The resources of an API server, and the paths of their objects.

use skewer_engine::{Doc, Error, OwnedMap};

use super::cluster::Cluster;
use super::request::Response;
use crate::TargetFailure;

/// The reason why a scenario is not run on real servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotLive {
    /// The servers cannot be what the scenario needs.
    NotAbout(String),
    /// A server did not answer.
    Failed(TargetFailure),
}

impl NotLive {
    /// Returns the reason in words.
    #[must_use]
    pub fn why(self) -> String {
        match self {
            NotLive::NotAbout(why) => why,
            NotLive::Failed(failure) => failure.why,
        }
    }
}

impl From<Error> for NotLive {
    fn from(error: Error) -> Self {
        NotLive::NotAbout(error.to_string())
    }
}

impl From<TargetFailure> for NotLive {
    fn from(failure: TargetFailure) -> Self {
        NotLive::Failed(failure)
    }
}

/// A resource of an API server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Resource {
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) is_namespaced: bool,
    /// The other names that users may write: the singular, and short names.
    pub(super) names: Vec<String>,
}

impl Resource {
    /// Asks a server for the resources of an API version. Subresources are left out.
    pub(super) fn all_of(cluster: &Cluster, api_version: &str) -> Result<Vec<Self>, NotLive> {
        let root = if api_version.contains('/') { "/apis" } else { "/api" };
        let response = cluster.get(&format!("{root}/{api_version}"))?;
        check(&response, &format!("{} does not serve {api_version}", cluster.version()))?;
        let list = response.body.as_map().and_then(|body| body.get("resources")).and_then(Doc::as_list);
        let resources = list.unwrap_or_default().iter().filter_map(Doc::as_map).map(Resource::read);
        Ok(resources.filter(|resource| !resource.plural.contains('/')).collect())
    }

    /// Asks a server for the resource of a kind.
    pub(super) fn find(cluster: &Cluster, api_version: &str, kind: &str) -> Result<Self, NotLive> {
        let found =
            Resource::all_of(cluster, api_version)?.into_iter().find(|resource| resource.kind == kind);
        let not_served = || format!("{} does not serve {kind} of {api_version}", cluster.version());
        found.ok_or_else(|| NotLive::NotAbout(not_served()))
    }

    fn read(resource: &OwnedMap) -> Self {
        let text = |key: &str| resource.get(key).and_then(Doc::as_str).unwrap_or_default().to_owned();
        let short_names = resource.get("shortNames").and_then(Doc::as_list).unwrap_or_default();
        let short_names = short_names.iter().filter_map(Doc::as_str).map(str::to_owned);
        Resource {
            kind: text("kind"),
            plural: text("name"),
            is_namespaced: resource.get("namespaced") == Some(&Doc::Bool(true)),
            names: short_names.chain([text("singularName")]).filter(|name| !name.is_empty()).collect(),
        }
    }
}

/// Returns the path of a collection of objects. Without a namespace, it is that of the whole cluster.
pub(super) fn collection(group: &str, version: &str, namespace: Option<&str>, plural: &str) -> String {
    let root = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
    match namespace {
        Some(namespace) => format!("{root}/namespaces/{namespace}/{plural}"),
        None => format!("{root}/{plural}"),
    }
}

/// Fails with the message of a response that is a refusal.
pub(super) fn check(response: &Response, what: &str) -> Result<(), NotLive> {
    if response.is_success() {
        return Ok(());
    }
    Err(NotLive::NotAbout(format!("{what}: {}", response.message())))
}
