//! Single requests to a server that has an object: each is a scenario, which the simulation runs, or a real server.

use std::sync::Arc;

use skewer_engine::{Doc, Error, OwnedDoc};
use skewer_skew::{
    BuiltIn, FinalState, OperationError, Operations, RequestOptions, Scenario, StepName, ToolRequest,
    run_built_in,
};
use skewer_targets::TargetFailure;
use skewer_targets::live::{LiveScenario, LiveServers, METADATA_OF_SERVER, NotLive, ObservedCluster};

use crate::served::ServedKind;

/// A request, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The request.
    pub request: ToolRequest,
    /// The object after the request, with its managed fields, or the refusal.
    pub end: Result<OwnedDoc, Error>,
}

/// A function that sends a request. It gets the object before the request, with its managed fields.
pub type Answer<'a, F> = dyn FnMut(ToolRequest, Option<&OwnedDoc>) -> Result<Answered, F> + 'a;

impl Answered {
    /// Sends a request to the simulation. `live` is the object with its managed fields; without it, the request creates the
    /// object.
    #[must_use]
    pub fn simulate(request: ToolRequest, served: &ServedKind, live: Option<&OwnedDoc>) -> Answered {
        let scenario = scenario_of(&request, served, live);
        let mut result = None;
        let end = run_built_in(&scenario, &mut keep_result(&mut result));
        Answered::of(request, end.unwrap_or_else(FinalState::Refused), result)
    }

    /// Sends a request to the cluster that has the object, as a dry run: the cluster does not store the result. The other
    /// arguments are those of [`Answered::simulate`].
    ///
    /// # Errors
    ///
    /// Returns the reason why the cluster does not have the object as it is here, or does not answer.
    pub fn dry_run(
        cluster: &ObservedCluster,
        request: ToolRequest,
        served: &ServedKind,
        live: Option<&OwnedDoc>,
    ) -> Result<Answered, NotLive> {
        let metadata = live.and_then(|live| live.as_map()?.get("metadata")?.as_map());
        let version = metadata.and_then(|metadata| metadata.get("resourceVersion")?.as_str());
        let scenario = scenario_on_servers(&request, served, live);
        let mut result = None;
        let end = cluster.dry_run(&scenario, version, &mut keep_result(&mut result))?;
        Ok(Answered::of(request, end, result))
    }

    fn of(request: ToolRequest, end: FinalState, result: Option<OwnedDoc>) -> Answered {
        let end = match end {
            FinalState::Stored(object) => Ok(result.unwrap_or(object)),
            FinalState::Refused(error) => Err(error),
        };
        Answered { request, end }
    }
}

/// Servers on which a step is taken once more.
pub trait StepServers {
    /// Returns the version of the servers in reports.
    fn version(&self) -> String;

    /// Sends a request to servers that have the object before it. The arguments are those of [`Answered::simulate`].
    ///
    /// # Errors
    ///
    /// Returns the reason why the servers cannot have the object, or do not answer.
    fn answer(
        &self,
        request: ToolRequest,
        served: &ServedKind,
        live: Option<&OwnedDoc>,
    ) -> Result<Answered, NotLive>;
}

impl StepServers for LiveServers {
    fn version(&self) -> String {
        self.newest().version().to_owned()
    }

    fn answer(
        &self,
        request: ToolRequest,
        served: &ServedKind,
        live: Option<&OwnedDoc>,
    ) -> Result<Answered, NotLive> {
        let scenario = scenario_on_servers(&request, served, live);
        let mut result = None;
        let end = LiveScenario::run(self, &scenario, &BuiltIn, &mut keep_result(&mut result))?;
        Ok(Answered::of(request, end.final_state, result))
    }
}

/// Simulated servers that perform operations as another implementation does.
pub struct SimulatedServers<'a>(pub &'a dyn Operations<TargetFailure>);

impl StepServers for SimulatedServers<'_> {
    fn version(&self) -> String {
        "of the simulation".to_owned()
    }

    fn answer(
        &self,
        request: ToolRequest,
        served: &ServedKind,
        live: Option<&OwnedDoc>,
    ) -> Result<Answered, NotLive> {
        let scenario = scenario_of(&request, served, live);
        let mut result = None;
        let end = skewer_skew::run(&scenario, self.0, &mut keep_result(&mut result));
        let end = match end {
            Ok(end) => end,
            Err(OperationError::Refused(error)) => FinalState::Refused(error),
            Err(OperationError::NoAnswer(failure)) => return Err(failure.into()),
        };
        Ok(Answered::of(request, end, result))
    }
}

/// Returns a function that keeps the result among the documents of the steps.
fn keep_result(result: &mut Option<OwnedDoc>) -> impl FnMut(StepName, &OwnedDoc) {
    move |step, document| {
        if step == StepName::Result {
            *result = Some(document.clone());
        }
    }
}

/// Returns the scenario of a request whose documents have no metadata that another server has set.
fn scenario_on_servers(request: &ToolRequest, served: &ServedKind, live: Option<&OwnedDoc>) -> Scenario {
    let mut scenario = scenario_of(request, served, live.map(without_metadata_of_server).as_ref());
    let configuration = scenario.configuration.as_deref().map(without_metadata_of_server);
    scenario.configuration = configuration.map(Arc::new);
    scenario
}

fn scenario_of(request: &ToolRequest, served: &ServedKind, live: Option<&OwnedDoc>) -> Scenario {
    let stored = live.cloned().unwrap_or(Doc::Null);
    let context = served.server.context.clone();
    let mut scenario = Scenario {
        client: served.client.clone(),
        server: served.server.clone(),
        full_admission: served.server.admission.clone(),
        request: request.request,
        options: RequestOptions {
            manager: request.manager.as_str().into(),
            force: request.force,
            ..RequestOptions::default()
        },
        configuration: Some(Arc::new(request.document.clone())),
        last_applied: request.last_applied.clone().map(Arc::new),
        tracks_owners: true,
        ..Scenario::up_to_date(Arc::new(stored), context)
    };
    scenario.server.strict = request.is_strict;
    scenario
}

/// Returns an object without the metadata that another server has set.
fn without_metadata_of_server(object: &OwnedDoc) -> OwnedDoc {
    let mut object = object.clone();
    let metadata = object.as_map_mut().and_then(|object| object.get_mut("metadata")?.as_map_mut());
    if let Some(metadata) = metadata {
        metadata.retain(|key, _| !METADATA_OF_SERVER.contains(&key.as_str()));
    }
    object
}
