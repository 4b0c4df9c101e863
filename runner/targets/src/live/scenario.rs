//! A scenario on real servers.

use std::path::Path;

use skewer_engine::schema::builtin::ReleaseKind;
use skewer_engine::{Doc, OwnedDoc};
use skewer_skew::{
    AppliedManifest, FinalState, LiveRequest, LiveServer, ManifestRequest, Operations, ReadObject, Request,
    Scenario, Server, ServerAccess, StepName,
};

use super::client_program::refusal_of_client;
use super::cluster::Cluster;
use super::definition::{DefinitionNames, Schemas, map, with_versions};
use super::documents::ObjectNames;
use super::refusal::accepted;
use super::request::{ContentType, Method, ObjectWrite, Response};
use super::resource::{NotLive, collection};
use super::workspace::LiveServers;
use crate::{OperationError, TargetFailure, TargetFailureKind};

/// The servers of a scenario.
pub struct LiveScenario<'a> {
    servers: &'a LiveServers,
    /// The clients, which can be programs.
    operations: &'a dyn Operations<TargetFailure>,
    names: ObjectNames,
    types: Types,
    /// The object with which a client starts that creates an object.
    start: Option<OwnedDoc>,
    /// The texts of the warnings of all requests.
    warnings: Vec<String>,
    /// The reason why the scenario cannot go on.
    not_live: Option<NotLive>,
}

enum Types {
    Custom {
        names: DefinitionNames,
        /// The group in this run.
        group: String,
        /// The definition of the server that gets the request of the scenario, with the versions of all owners of the stored
        /// object. A server cannot keep the fields of an owner in a version that it does not know.
        storing: OwnedDoc,
    },
    BuiltIn {
        api_version: String,
        kind: String,
    },
}

/// The end of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveEnd {
    /// The final state.
    pub final_state: FinalState,
    /// The warnings of all requests.
    pub warnings: Vec<String>,
}

impl<'a> LiveScenario<'a> {
    /// Runs a scenario: the clients are simulated with `operations`, and the servers are real.
    ///
    /// # Errors
    /// Fails if the servers cannot be those of the scenario, or if one does not answer. A request of the history that is
    /// refused fails with its refusal.
    pub fn run(
        servers: &'a LiveServers,
        scenario: &Scenario,
        operations: &'a dyn Operations<TargetFailure>,
        record: &mut dyn FnMut(StepName, &OwnedDoc),
    ) -> Result<LiveEnd, NotLive> {
        let (names, types) = describe_object(servers, scenario)?;
        let _alone = servers.lock();
        let is_created = scenario.request == Request::Create;
        let start = (is_created && !scenario.stored.is_null()).then(|| (*scenario.stored).clone());
        let is_stored = start.is_none() && !scenario.stored.is_null();
        let mut live =
            LiveScenario { servers, operations, names, types, start, warnings: Vec::new(), not_live: None };
        // Of a run that was interrupted, or of the cell before.
        live.delete()?;
        let stored = if is_stored { live.store(scenario) } else { Ok(()) };
        let end =
            stored.and_then(|()| match skewer_skew::run_live(scenario, operations, &mut live, record) {
                Ok(final_state) => Ok(final_state),
                Err(OperationError::Refused(error)) => {
                    Err(NotLive::NotAbout(format!("the cell cannot be run: {error}")))
                }
                Err(OperationError::NoAnswer(failure)) => {
                    Err(live.not_live.take().unwrap_or(NotLive::Failed(failure)))
                }
            });
        live.delete()?;
        end.map(|final_state| LiveEnd { final_state, warnings: std::mem::take(&mut live.warnings) })
    }

    /// Stores the object of the scenario as it is, and without managed fields.
    fn store(&mut self, scenario: &Scenario) -> Result<(), NotLive> {
        let stored = &*scenario.stored;
        self.install_open()?;
        let (cluster, path, api_version) = self.storage_endpoint()?;
        let object = self.names.complete(stored, &api_version);
        let response = cluster.send(Method::Post, &path, ContentType::Json, Some(&object))?;
        if !response.is_success() {
            let why = format!("the stored object cannot be created: {}", response.message());
            return Err(NotLive::NotAbout(why));
        }
        let path = format!("{path}/{}", self.names.name);
        if let (Types::BuiltIn { .. }, Some(status)) =
            (&self.types, stored.as_map().and_then(|o| o.get("status")))
        {
            // A server creates an object without its status. A kind without the subresource has none that is cleared.
            let status = map([("status", status.clone())]);
            let path = format!("{path}/status");
            cluster.send(Method::Patch, &path, ContentType::MergePatch, Some(&status))?;
        }
        let entries = stored.as_map().and_then(|o| o.get("metadata")?.as_map()?.get("managedFields"));
        // An empty entry stands for no managed fields.
        let entries = match entries.and_then(Doc::as_list) {
            Some(entries) => entries.iter().map(|entry| self.names.entry_on_server(entry)).collect(),
            None => vec![Doc::Map(skewer_engine::Map::new())],
        };
        let entries = Doc::List(entries);
        let owners = map([("metadata", map([("managedFields", entries)]))]);
        let response = cluster.send(Method::Patch, &path, ContentType::MergePatch, Some(&owners))?;
        let kept = self.names.read(&response.body).object;
        let comparable = |object: &OwnedDoc| {
            let context = &scenario.full_context;
            skewer_skew::with_empty_structs(
                context,
                skewer_skew::without_unset_fields(context, object.clone()),
            )
        };
        let wanted = skewer_skew::without_managed_fields(stored.clone());
        let paths =
            skewer_skew::differing_paths(&scenario.full_context, &comparable(&kept), &comparable(&wanted));
        if let (Types::BuiltIn { .. }, false) = (&self.types, paths.is_empty()) {
            let paths = paths.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let why = format!("the server completes the stored object, which the case must have: {paths}");
            return Err(NotLive::NotAbout(why));
        }
        Ok(())
    }

    /// Deletes the object, if it exists.
    fn delete(&mut self) -> Result<(), NotLive> {
        let (cluster, path, _) = self.storage_endpoint()?;
        let path = format!("{path}/{}", self.names.name);
        let response = cluster.delete(&path)?;
        let metadata = response.body.as_map().and_then(|body| body.get("metadata")).and_then(Doc::as_map);
        let waits = metadata.is_some_and(|metadata| metadata.contains_key("finalizers"));
        if waits {
            self.install_open()?;
            let removal = map([("metadata", map([("finalizers", Doc::Null)]))]);
            cluster.send(Method::Patch, &path, ContentType::MergePatch, Some(&removal))?;
        }
        Ok(())
    }

    /// Lets the server keep custom resources as they are.
    fn install_open(&self) -> Result<(), NotLive> {
        match &self.types {
            Types::Custom { storing, .. } => self.servers.install(storing, Schemas::Open),
            Types::BuiltIn { .. } => Ok(()),
        }
    }

    /// Returns where objects are stored: the server, the path of the collection, and the API version.
    fn storage_endpoint(&self) -> Result<(&'a Cluster, String, String), NotLive> {
        let cluster = self.servers.newest();
        match &self.types {
            Types::Custom { names, group, .. } => {
                let namespace = if names.is_namespaced { Some(self.servers.namespace()?) } else { None };
                let path = collection(group, &names.storage, namespace, &names.plural);
                Ok((cluster, path, format!("{group}/{}", names.storage)))
            }
            Types::BuiltIn { api_version, kind } => {
                Ok((cluster, self.built_in_path(cluster, api_version, kind)?, api_version.clone()))
            }
        }
    }

    fn built_in_path(&self, cluster: &Cluster, api_version: &str, kind: &str) -> Result<String, NotLive> {
        let resource = self.servers.resource(cluster, api_version, kind)?;
        let namespace = if resource.is_namespaced { Some(self.servers.namespace()?) } else { None };
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        Ok(collection(group, version, namespace, &resource.plural))
    }

    /// Becomes a server of the scenario. Returns the server, the path of the collection, and the API version of the
    /// endpoint.
    fn endpoint(&self, server: &Server) -> Result<(&'a Cluster, String, String), NotLive> {
        let cluster = self.servers.cluster_of(server)?;
        match &self.types {
            Types::Custom { names, group, .. } => {
                let (definition, version) = definition_of(server)?;
                self.servers.install(definition, Schemas::Own)?;
                let namespace = if names.is_namespaced { Some(self.servers.namespace()?) } else { None };
                let path = collection(group, version, namespace, &names.plural);
                Ok((cluster, path, format!("{group}/{version}")))
            }
            Types::BuiltIn { api_version, kind } => {
                Ok((cluster, self.built_in_path(cluster, api_version, kind)?, api_version.clone()))
            }
        }
    }

    /// Keeps the reason why the scenario cannot go on, and returns a failure in its place.
    fn fail(&mut self, why: NotLive) -> OperationError {
        let failure = match &why {
            NotLive::Failed(failure) => failure.clone(),
            NotLive::NotAbout(why) => {
                TargetFailure { kind: TargetFailureKind::Unsupported, why: why.clone() }
            }
        };
        self.not_live = Some(why);
        failure.into()
    }

    fn try_read(&mut self, server: &Server) -> Result<Response, NotLive> {
        let is_unserved = server.admission.as_ref().is_some_and(|admission| !admission.version.served);
        // A client of a version that is no longer served has read the object before.
        let (cluster, path, _) = if is_unserved { self.storage_endpoint()? } else { self.endpoint(server)? };
        self.servers.count_request();
        Ok(cluster.get(&format!("{path}/{}", self.names.name))?)
    }

    fn try_write(&mut self, server: &Server, request: &LiveRequest<'_>) -> Result<Response, NotLive> {
        let (cluster, collection, api_version) = self.endpoint(server)?;
        let write = ObjectWrite::of(request, server.strict, &collection, &self.names.name);
        let body = self.names.body(request, &api_version);
        self.servers.count_request();
        Ok(cluster.send(write.method, &write.path, write.content_type, Some(&body))?)
    }

    /// Lets the program of a client apply a manifest. Returns `None` if the tool is simulated.
    fn try_apply_manifest(
        &self,
        server: &Server,
        request: &ManifestRequest<'_>,
    ) -> Result<Option<Result<OwnedDoc, OperationError>>, NotLive> {
        let (cluster, _, api_version) = self.endpoint(server)?;
        let Some(kubeconfig) = cluster.kubeconfig().and_then(Path::to_str) else {
            let why = "a client needs the path of a kubeconfig file (--kubeconfig)";
            return Err(NotLive::NotAbout(why.to_owned()));
        };
        let namespace = self.servers.namespace()?;
        let is_namespaced = match &self.types {
            Types::Custom { names, .. } => names.is_namespaced,
            Types::BuiltIn { api_version, kind } => {
                self.servers.resource(cluster, api_version, kind)?.is_namespaced
            }
        };
        let namespace_of_object = is_namespaced.then_some(namespace);
        let on_server =
            |manifest: &OwnedDoc| self.names.manifest(manifest, &api_version, namespace_of_object);
        let (previous, manifest) = (request.previous.map(on_server), on_server(request.manifest));
        let request = ManifestRequest { previous: previous.as_ref(), manifest: &manifest, ..*request };
        self.servers.count_request();
        Ok(self.operations.apply_manifest(&request, ServerAccess { kubeconfig, namespace }))
    }

    fn accept(&mut self, response: &Response) -> Result<ReadObject, OperationError> {
        self.warnings.extend(response.warnings.iter().cloned());
        accepted(&self.names, response)
    }
}

impl LiveServer<TargetFailure> for LiveScenario<'_> {
    fn read(&mut self, server: &Server) -> Result<ReadObject, OperationError> {
        if let Some(start) = &self.start {
            let (managed_fields, resource_version) = (Vec::new(), String::new());
            return Ok(ReadObject { object: start.clone(), managed_fields, resource_version });
        }
        let response = self.try_read(server).map_err(|why| self.fail(why))?;
        if response.status == 404 {
            let (managed_fields, resource_version) = (Vec::new(), String::new());
            return Ok(ReadObject { object: Doc::Null, managed_fields, resource_version });
        }
        self.accept(&response)
    }

    fn write(&mut self, server: &Server, request: &LiveRequest<'_>) -> Result<ReadObject, OperationError> {
        let response = self.try_write(server, request).map_err(|why| self.fail(why))?;
        self.accept(&response)
    }

    fn apply_manifest(
        &mut self,
        server: &Server,
        request: &ManifestRequest<'_>,
    ) -> Option<Result<AppliedManifest, OperationError>> {
        let answer = match self.try_apply_manifest(server, request) {
            Ok(answer) => answer?,
            Err(why) => return Some(Err(self.fail(why))),
        };
        Some(answer.and_then(|answer| {
            if let Some(error) = refusal_of_client(&answer) {
                return Err(error.into());
            }
            Ok(AppliedManifest { requests: answer, object: self.read(server)? })
        }))
    }

    fn stored(&mut self) -> Result<OwnedDoc, OperationError> {
        let read = self.install_open().and_then(|()| {
            let (cluster, path, _) = self.storage_endpoint()?;
            Ok(cluster.get(&format!("{path}/{}", self.names.name))?)
        });
        let response = read.map_err(|why| self.fail(why))?;
        Ok(self.accept(&response)?.object)
    }
}

/// Returns what the run needs to know of the object of a scenario.
fn describe_object(servers: &LiveServers, scenario: &Scenario) -> Result<(ObjectNames, Types), NotLive> {
    for server in scenario.servers() {
        if server.policy.name() != "none" {
            let why = format!("no server has the union policy {}", server.policy.name());
            return Err(NotLive::NotAbout(why));
        }
        servers.cluster_of(server)?;
    }
    let (types, kind, groups) = if scenario.server.admission.is_some() {
        let (definition, _) = definition_of(&scenario.server)?;
        let names = DefinitionNames::of(definition)
            .ok_or_else(|| NotLive::NotAbout("the definition lacks names".to_owned()))?;
        let group = servers.group(&names.group);
        let (kind, groups) = (names.kind.clone(), [names.group.clone(), group.clone()]);
        let storing = with_versions(definition, &versions_of_owners(&scenario.stored, &names.group));
        (Types::Custom { names, group, storing }, kind, groups)
    } else {
        let context = &scenario.server.context;
        let kind = ReleaseKind::of(&context.schema, context.root)
            .ok_or_else(|| NotLive::NotAbout("the type is no kind of a release".to_owned()))?;
        let types = Types::BuiltIn { api_version: kind.api_version.to_owned(), kind: kind.kind.to_owned() };
        (types, kind.kind.to_owned(), [String::new(), String::new()])
    };
    let names = ObjectNames::of(scenario, &kind, groups).map_err(NotLive::NotAbout)?;
    Ok((names, types))
}

/// Returns the versions of a group in which the owners of an object have written.
fn versions_of_owners(object: &OwnedDoc, group: &str) -> Vec<String> {
    let owners = skewer_skew::owners(object).into_iter();
    let versions = owners.filter_map(|owner| {
        let (of, version) = owner.api_version.rsplit_once('/')?;
        (of == group).then(|| version.to_owned())
    });
    versions.collect()
}

/// Returns the definition of a server, and the version of its endpoint.
fn definition_of(server: &Server) -> Result<(&OwnedDoc, &str), NotLive> {
    let not_about = |why: &str| NotLive::NotAbout(why.to_owned());
    let admission = server.admission.as_deref();
    let admission = admission.ok_or_else(|| not_about("the types of a server are no definition"))?;
    let definition = admission.definition().ok_or_else(|| {
        not_about(
            "the server lacks elements of the definition (`without`): write the old definition as a schema",
        )
    })?;
    if admission.options.preserve_unknown_fields {
        return Err(not_about("preserveUnknownFields: true is only for definitions of v1beta1"));
    }
    if admission.moves_fields() {
        return Err(not_about("a conversion webhook is declared, which the run does not have"));
    }
    Ok((definition.document(), &admission.version.name))
}
