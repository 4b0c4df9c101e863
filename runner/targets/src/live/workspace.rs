//! The servers of a run, with the namespace and the definitions that the run creates there.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use skewer_engine::schema::builtin::ReleaseKind;
use skewer_engine::{Doc, OwnedDoc};
use skewer_skew::Server;

use super::clean_up::{
    CleanUpCommand, CleanUpProcess, RUN_LABEL, new_run, remove_definitions, remove_namespace,
};
use super::cluster::Cluster;
use super::definition::{DefinitionNames, PROBE_FIELD, PROBE_VERSION, Schemas, installed_form, map, text};
use super::process::ServerProcess;
use super::request::{ContentType, Method};
use super::resource::{NotLive, Resource, check, collection};
use crate::{TargetFailure, TargetFailureKind};

/// The API servers of a run. Several servers have the same etcd, and each another release.
///
/// The run creates a namespace and custom resource definitions of its own, and removes them at the end. It changes nothing
/// else.
pub struct LiveServers {
    /// The newest release first.
    servers: Vec<LiveServer>,
    /// The name of the run. It is part of the names of all that the run creates.
    run: String,
    /// Whether definitions may be installed. They belong to the whole cluster.
    allows_definitions: bool,
    /// Starts the process that cleans up if this program is killed. Servers of this program end with it anyway.
    clean_up: Option<CleanUpCommand>,
    state: Mutex<State>,
    /// Held while a scenario runs: the scenarios exchange the same definitions.
    scenario: Mutex<()>,
}

struct LiveServer {
    cluster: Cluster,
    /// The process, if this program has started the server.
    _process: Option<ServerProcess>,
}

#[derive(Default)]
struct State {
    has_namespace: bool,
    clean_up: Option<CleanUpProcess>,
    definitions: HashMap<String, Installed>,
    /// The number of the last definition that was installed.
    number: u32,
    /// The resources of built-in kinds, by release, API version and kind.
    resources: HashMap<(u32, String, String), Resource>,
    requests: u64,
}

struct Installed {
    definition: OwnedDoc,
    schemas: Schemas,
}

/// Maximum time until a definition is in force.
const DEFINITION_PATIENCE: Duration = Duration::from_secs(60);

impl LiveServers {
    /// Connects to servers that this program has started. They have the same etcd. Those that were started first end last.
    ///
    /// # Errors
    /// Fails if a server does not answer.
    pub fn of_processes(processes: Vec<ServerProcess>, timeout: Duration) -> Result<Self, String> {
        let mut servers = Vec::new();
        for process in processes {
            let cluster = Cluster::connect(Some(process.kubeconfig()), None, timeout)?;
            servers.push(LiveServer { cluster, _process: Some(process) });
        }
        Ok(LiveServers::of(servers, true, None))
    }

    /// Uses a running cluster. Definitions are installed only if that is allowed. `clean_up` starts a process that removes
    /// what the run has created if this program is killed.
    #[must_use]
    pub fn of_cluster(cluster: Cluster, allows_definitions: bool, clean_up: Option<CleanUpCommand>) -> Self {
        LiveServers::of(vec![LiveServer { cluster, _process: None }], allows_definitions, clean_up)
    }

    fn of(mut servers: Vec<LiveServer>, allows_definitions: bool, clean_up: Option<CleanUpCommand>) -> Self {
        servers.sort_by_key(|server| std::cmp::Reverse(server.cluster.minor()));
        let (state, scenario) = (Mutex::default(), Mutex::default());
        LiveServers { servers, run: new_run(), allows_definitions, clean_up, state, scenario }
    }

    /// Returns the servers, the newest release first.
    pub fn clusters(&self) -> impl Iterator<Item = &Cluster> {
        self.servers.iter().map(|server| &server.cluster)
    }

    /// Returns the newest server. It processes the requests for custom resources.
    #[must_use]
    pub fn newest(&self) -> &Cluster {
        &self.servers[0].cluster
    }

    /// Returns the name of the run.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Returns the number of requests to objects.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.state().requests
    }

    /// Waits until no other scenario runs.
    pub(super) fn lock(&self) -> MutexGuard<'_, ()> {
        self.scenario.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the server that a request to `server` is sent to.
    ///
    /// # Errors
    /// Fails if no server has its release.
    pub(super) fn cluster_of(&self, server: &Server) -> Result<&Cluster, NotLive> {
        if server.admission.is_some() {
            return Ok(self.newest());
        }
        let not_about = |why: String| NotLive::NotAbout(why);
        let kind = ReleaseKind::of(&server.context.schema, server.context.root).ok_or_else(|| {
            not_about("the types are neither built in nor those of a definition".to_owned())
        })?;
        let name = kind.release.name();
        let wanted = self.clusters().find(|cluster| format!("kubernetes-1.{}", cluster.minor()) == name);
        wanted.ok_or_else(|| {
            let running: Vec<&str> = self.clusters().map(Cluster::version).collect();
            not_about(format!("the server is {name}; running are {}", running.join(", ")))
        })
    }

    /// Returns the namespace of the run, and creates it before its first use.
    pub(super) fn namespace(&self) -> Result<&str, NotLive> {
        let mut state = self.state();
        if !state.has_namespace {
            self.start_clean_up_process(&mut state)?;
            let namespace = map([
                ("apiVersion", text("v1")),
                ("kind", text("Namespace")),
                ("metadata", map([("name", text(&self.run)), ("labels", self.labels())])),
            ]);
            let cluster = self.newest();
            let path = "/api/v1/namespaces";
            let response = cluster.send(Method::Post, path, ContentType::Json, Some(&namespace))?;
            check(&response, "the namespace of the run cannot be created")?;
            state.has_namespace = true;
        }
        Ok(&self.run)
    }

    /// Starts the process that cleans up if this program is killed, before the run creates anything.
    fn start_clean_up_process(&self, state: &mut State) -> Result<(), NotLive> {
        if let (Some(command), None) = (&self.clean_up, &state.clean_up) {
            let process = CleanUpProcess::start(command, &self.run);
            let process = process.map_err(|error| {
                let why = format!("the process that cleans up after the run cannot be started: {error}");
                TargetFailure { kind: TargetFailureKind::Crash, why }
            })?;
            state.clean_up = Some(process);
        }
        Ok(())
    }

    fn labels(&self) -> OwnedDoc {
        map([(RUN_LABEL, text(&self.run))])
    }

    /// Returns the group of a definition in this run. No other definition has it.
    pub(super) fn group(&self, group: &str) -> String {
        format!("{}.{group}", self.run)
    }

    /// Lets the newest server serve a definition, and waits until it is in force.
    pub(super) fn install(&self, definition: &OwnedDoc, schemas: Schemas) -> Result<(), NotLive> {
        if !self.allows_definitions {
            let why =
                "the cell needs a CustomResourceDefinition, which belongs to the whole cluster: --allow-crds";
            return Err(NotLive::NotAbout(why.to_owned()));
        }
        let names = DefinitionNames::of(definition)
            .ok_or_else(|| NotLive::NotAbout("the definition lacks names or a storage version".to_owned()))?;
        let group = self.group(&names.group);
        let name = format!("{}.{group}", names.plural);
        let mut state = self.state();
        let installed = state.definitions.get(&name);
        if installed.is_some_and(|i| i.schemas == schemas && i.definition == *definition) {
            return Ok(());
        }
        let is_new = installed.is_none();
        self.start_clean_up_process(&mut state)?;
        state.number += 1;
        let number = state.number;
        let document = installed_form(definition, &group, number, schemas, &self.labels())
            .ok_or_else(|| NotLive::NotAbout("the definition has no versions".to_owned()))?;
        self.put_definition(&name, document, is_new)?;
        let definition = definition.clone();
        state.definitions.insert(name, Installed { definition, schemas });
        drop(state);
        self.wait_until_in_force(&names, &group, number)
    }

    fn put_definition(&self, name: &str, document: OwnedDoc, is_new: bool) -> Result<(), NotLive> {
        const PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let cluster = self.newest();
        let response = if is_new {
            cluster.send(Method::Post, PATH, ContentType::Json, Some(&document))?
        } else {
            let path = format!("{PATH}/{name}");
            let current = cluster.get(&path)?;
            let metadata = current.body.as_map().and_then(|body| body.get("metadata")).cloned();
            let mut document = document;
            if let (Doc::Map(members), Some(metadata)) = (&mut document, metadata) {
                members.insert("metadata".into(), metadata);
            }
            cluster.send(Method::Put, &path, ContentType::Json, Some(&document))?
        };
        check(&response, "the server refuses the definition")
    }

    /// Creates an object of the probe version in dry runs, until the server knows the number.
    fn wait_until_in_force(&self, names: &DefinitionNames, group: &str, number: u32) -> Result<(), NotLive> {
        let namespace = if names.is_namespaced { Some(self.namespace()?) } else { None };
        let path = format!("{}?dryRun=All", collection(group, PROBE_VERSION, namespace, &names.plural));
        let object = map([
            ("apiVersion", text(&format!("{group}/{PROBE_VERSION}"))),
            ("kind", text(&names.kind)),
            ("metadata", map([("name", text("skewer-probe"))])),
            (PROBE_FIELD, Doc::from(i64::from(number))),
        ]);
        let start = Instant::now();
        let mut pause = Duration::from_millis(2);
        loop {
            let response = self.newest().send(Method::Post, &path, ContentType::Json, Some(&object))?;
            if response.is_success() {
                return Ok(());
            }
            if start.elapsed() > DEFINITION_PATIENCE {
                let why =
                    format!("the definition of {} is not in force: {}", names.plural, response.message());
                return Err(TargetFailure { kind: TargetFailureKind::TimeOut, why }.into());
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// Returns the resource of a built-in kind.
    pub(super) fn resource(
        &self,
        cluster: &Cluster,
        api_version: &str,
        kind: &str,
    ) -> Result<Resource, NotLive> {
        let key = (cluster.minor(), api_version.to_owned(), kind.to_owned());
        if let Some(resource) = self.state().resources.get(&key) {
            return Ok(resource.clone());
        }
        let resource = Resource::find(cluster, api_version, kind)?;
        self.state().resources.insert(key, resource.clone());
        Ok(resource)
    }

    /// Counts a request to an object.
    pub(super) fn count_request(&self) {
        self.state().requests += 1;
    }

    /// Removes all that the run has created. Servers of this program lose it with their processes.
    ///
    /// # Errors
    /// Fails if something cannot be removed.
    pub fn clean_up(&self) -> Result<(), TargetFailure> {
        let mut state = self.state();
        if !std::mem::take(&mut state.definitions).is_empty() {
            remove_definitions(self.newest(), &self.run)?;
        }
        if std::mem::take(&mut state.has_namespace) {
            remove_namespace(self.newest(), &self.run)?;
        }
        if let Some(process) = state.clean_up.take() {
            process.dismiss();
        }
        Ok(())
    }
}

impl fmt::Debug for LiveServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LiveServers").field(&self.run).finish()
    }
}

impl Drop for LiveServers {
    fn drop(&mut self) {
        // There is nobody to tell. `clean_up` reports failures.
        let _ = self.clean_up();
    }
}
