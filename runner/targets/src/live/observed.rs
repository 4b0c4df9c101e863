//! A cluster of a user that is only observed: it gets reads and dry runs, and stores nothing of them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};
use skewer_skew::{BuiltIn, FinalState, LiveRequest, LiveServer, ReadObject, Scenario, Server, StepName};

use super::cluster::Cluster;
use super::documents::ObjectNames;
use super::refusal::accepted;
use super::request::{ObjectWrite, Response, query_value};
use super::resource::{NotLive, Resource, check, collection};
use crate::{OperationError, TargetFailure};

/// Maximum number of objects in a response to a list.
const PAGE: usize = 250;

/// The answer of a server that has a webhook with side effects. Upstream: `NewDryRunUnsupportedErr` (k8s.io/apiserver, webhook).
const NO_DRY_RUN: &str = "does not support dry run";

/// A cluster to which this program sends no request that stores anything.
pub struct ObservedCluster {
    cluster: Cluster,
    resources: Mutex<HashMap<[String; 2], Resource>>,
}

/// A kind that a cluster serves, in the version that the cluster prefers.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterKind {
    api_version: String,
    resource: Resource,
}

impl ObservedCluster {
    /// Connects to the API server of a kubeconfig file, as [`Cluster::connect`] does.
    ///
    /// # Errors
    /// Fails if the file cannot be used, or if the server does not tell its version. The message has no credentials.
    pub fn connect(
        kubeconfig: Option<&Path>,
        context: Option<&str>,
        timeout: Duration,
    ) -> Result<Self, String> {
        let cluster = Cluster::connect(kubeconfig, context, timeout)?;
        Ok(ObservedCluster { cluster, resources: Mutex::default() })
    }

    /// Returns the server and its version.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Finds a kind by a name that `kubectl get` accepts: the kind, the plural, the singular or a short name, and then a dot and
    /// the group if it is needed. The core group comes first.
    ///
    /// # Errors
    /// Fails if no resource has the name, or if the server does not answer.
    pub fn kind(&self, name: &str) -> Result<ClusterKind, NotLive> {
        let (wanted, group) = name.split_once('.').map_or((name, None), |(name, group)| (name, Some(group)));
        let wanted = wanted.to_lowercase();
        let is_wanted = |resource: &Resource| {
            resource.kind.to_lowercase() == wanted
                || resource.plural == wanted
                || resource.names.contains(&wanted)
        };
        for api_version in self.preferred_versions(group)? {
            // A group whose server is down is no reason to know nothing of the others.
            let Ok(resources) = Resource::all_of(&self.cluster, &api_version) else { continue };
            if let Some(resource) = resources.into_iter().find(is_wanted) {
                return Ok(ClusterKind { api_version, resource });
            }
        }
        Err(NotLive::NotAbout(format!("{} has no kind {name}", self.cluster.address())))
    }

    /// Returns the preferred versions of all groups, or of one.
    fn preferred_versions(&self, wanted: Option<&str>) -> Result<Vec<String>, NotLive> {
        let response = self.cluster.get("/apis")?;
        check(&response, "the API groups cannot be read")?;
        let groups = response.body.as_map().and_then(|body| body.get("groups")).and_then(Doc::as_list);
        let groups = groups.unwrap_or_default().iter().filter_map(Doc::as_map);
        let named =
            groups.filter(|group| wanted.is_none() || group.get("name").and_then(Doc::as_str) == wanted);
        let preferred = named.filter_map(|group| {
            Some(group.get("preferredVersion")?.as_map()?.get("groupVersion")?.as_str()?.to_owned())
        });
        let core = wanted.is_none().then(|| "v1".to_owned());
        Ok(core.into_iter().chain(preferred).collect())
    }

    /// Calls `read` with each object of a kind in all namespaces, page by page.
    ///
    /// # Errors
    /// Fails if the server refuses the list, or does not answer.
    pub fn each_object(&self, kind: &ClusterKind, read: &mut dyn FnMut(OwnedDoc)) -> Result<(), NotLive> {
        let (group, version) = kind.api_version.rsplit_once('/').unwrap_or(("", &kind.api_version));
        let path = collection(group, version, None, &kind.resource.plural);
        let mut continued = String::new();
        loop {
            let response = self.cluster.get(&format!("{path}?limit={PAGE}{continued}"))?;
            check(&response, &format!("{} cannot be listed", kind.resource.plural))?;
            let Doc::Map(mut body) = response.body else { return Ok(()) };
            let token =
                body.get("metadata").and_then(|metadata| metadata.as_map()?.get("continue")?.as_str());
            let token = token.filter(|token| !token.is_empty());
            continued = token.map_or_else(String::new, |token| format!("&continue={}", query_value(token)));
            for item in body.remove("items").and_then(Doc::into_list).unwrap_or_default() {
                read(kind.typed(item));
            }
            if continued.is_empty() {
                return Ok(());
            }
        }
    }

    /// Reads the definition of a kind. `None` if the kind is built in, or served by another server.
    ///
    /// # Errors
    /// Fails if the server refuses the request, or does not answer.
    pub fn definition(&self, kind: &ClusterKind) -> Result<Option<OwnedDoc>, NotLive> {
        // The groups of definitions have a dot. Not everybody may read definitions.
        if !kind.api_version.contains('.') {
            return Ok(None);
        }
        let name = kind.name();
        let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
        let response = self.cluster.get(&path)?;
        if response.status == 404 {
            return Ok(None);
        }
        check(&response, &format!("the definition {name} cannot be read"))?;
        Ok(Some(response.body))
    }

    /// Runs a scenario as a dry run. `version` is the resource version of the stored object of the scenario, if it is known.
    /// Calls `record` with the documents of its steps.
    ///
    /// # Errors
    /// Fails if the cluster does not have the object as the scenario has it, or does not answer.
    pub fn dry_run(
        &self,
        scenario: &Scenario,
        version: Option<&str>,
        record: &mut dyn FnMut(StepName, &OwnedDoc),
    ) -> Result<FinalState, NotLive> {
        let object =
            if scenario.stored.is_null() { &scenario.configuration } else { &Some(scenario.stored.clone()) };
        let metadata = |key: &str| {
            object.as_ref()?.as_map()?.get("metadata")?.as_map()?.get(key)?.as_str().map(str::to_owned)
        };
        let member = |key: &str| object.as_ref()?.as_map()?.get(key)?.as_str().map(str::to_owned);
        let (Some(api_version), Some(kind), Some(name)) =
            (member("apiVersion"), member("kind"), metadata("name"))
        else {
            return Err(NotLive::NotAbout("the object has no apiVersion, kind or name".to_owned()));
        };
        let resource = self.resource(&api_version, &kind)?;
        let namespace = metadata("namespace").filter(|_| resource.is_namespaced);
        if resource.is_namespaced && namespace.is_none() {
            return Err(NotLive::NotAbout("the manifest names no namespace".to_owned()));
        }
        let (group, in_group) = api_version.rsplit_once('/').unwrap_or(("", &api_version));
        let collection = collection(group, in_group, namespace.as_deref(), &resource.plural);
        let groups = [group.to_owned(), group.to_owned()];
        let names = ObjectNames::of(scenario, &kind, groups).map_err(NotLive::NotAbout)?;
        let stored = Doc::Null;
        let mut observed = DryRun { cluster: &self.cluster, names, collection, name, api_version, stored };
        observed.check_object(scenario, version)?;
        match skewer_skew::run_live(scenario, &BuiltIn, &mut observed, record) {
            Ok(FinalState::Refused(error)) if error.message().contains(NO_DRY_RUN) => {
                Err(NotLive::NotAbout(error.message().to_owned()))
            }
            Ok(end) => Ok(end),
            Err(OperationError::Refused(error)) => Err(error.into()),
            Err(OperationError::NoAnswer(failure)) => Err(NotLive::Failed(failure)),
        }
    }

    fn resource(&self, api_version: &str, kind: &str) -> Result<Resource, NotLive> {
        let key = [api_version.to_owned(), kind.to_owned()];
        let mut known = self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resource) = known.get(&key) {
            return Ok(resource.clone());
        }
        let resource = Resource::find(&self.cluster, api_version, kind)?;
        known.insert(key, resource.clone());
        Ok(resource)
    }
}

impl std::fmt::Debug for ObservedCluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ObservedCluster").field(&self.cluster.address()).finish()
    }
}

impl ClusterKind {
    /// Returns the name of the resource with its group, such as `deployments.apps`.
    #[must_use]
    pub fn name(&self) -> String {
        let group = self.api_version.rsplit_once('/').map(|(group, _)| format!(".{group}"));
        format!("{}{}", self.resource.plural, group.unwrap_or_default())
    }

    /// Returns an item of a list with its type, which only the list has.
    fn typed(&self, item: OwnedDoc) -> OwnedDoc {
        let Doc::Map(members) = item else { return item };
        let types = [("apiVersion", &self.api_version), ("kind", &self.resource.kind)];
        let types = types.map(|(key, value)| (Text::from_static(key), Doc::from(value.clone())));
        let is_type = |key: &str| matches!(key, "apiVersion" | "kind");
        let others = members.into_iter().filter(|(key, _)| !is_type(key));
        Doc::Map(types.into_iter().chain(others).collect::<OwnedMap>())
    }
}

/// The object of a scenario in an observed cluster.
struct DryRun<'a> {
    cluster: &'a Cluster,
    names: ObjectNames,
    collection: String,
    name: String,
    api_version: String,
    /// The object of the last response, which the cluster has not stored.
    stored: OwnedDoc,
}

impl DryRun<'_> {
    fn get(&self) -> Result<Response, TargetFailure> {
        self.cluster.get(&format!("{}/{}", self.collection, self.name))
    }

    /// Fails if the cluster does not have the object with which the scenario begins.
    fn check_object(&self, scenario: &Scenario, version: Option<&str>) -> Result<(), NotLive> {
        let response = self.get()?;
        let not_about = |why: &str| Err(NotLive::NotAbout(why.to_owned()));
        match (response.status, scenario.stored.is_null()) {
            (404, true) => return Ok(()),
            (404, false) => return not_about("the cluster does not have the object"),
            (_, true) if response.is_success() => return not_about("the cluster has the object already"),
            _ => check(&response, "the object cannot be read")?,
        }
        let current = self.names.read(&response.body).resource_version;
        if version.is_some_and(|version| version != current) {
            return not_about("the object has changed since it was read");
        }
        Ok(())
    }
}

impl LiveServer<TargetFailure> for DryRun<'_> {
    fn read(&mut self, _: &Server) -> Result<ReadObject, OperationError> {
        let response = self.get()?;
        if response.status == 404 {
            let (managed_fields, resource_version) = (Vec::new(), String::new());
            return Ok(ReadObject { object: Doc::Null, managed_fields, resource_version });
        }
        accepted(&self.names, &response)
    }

    fn write(&mut self, server: &Server, request: &LiveRequest<'_>) -> Result<ReadObject, OperationError> {
        let request = LiveRequest { is_dry_run: true, ..*request };
        let write = ObjectWrite::of(&request, server.strict, &self.collection, &self.name);
        let body = self.names.body(&request, &self.api_version);
        let response = self.cluster.send(write.method, &write.path, write.content_type, Some(&body))?;
        let read = accepted(&self.names, &response)?;
        self.stored = read.object.clone();
        Ok(read)
    }

    fn stored(&mut self) -> Result<OwnedDoc, OperationError> {
        Ok(self.stored.clone())
    }
}
