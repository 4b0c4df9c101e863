//! Single requests to a server that has an object: each is a scenario, which the simulation runs, or a real server.

use std::sync::Arc;

use skewer_engine::{Doc, Error, OwnedDoc};
use skewer_execute::targets::live::{LiveScenario, LiveServers, METADATA_OF_SERVER, NotLive};
use skewer_skew::{BuiltIn, FinalState, RequestOptions, Scenario, StepName, ToolRequest, run_built_in};

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
        let end = run_built_in(&scenario, &mut |step, document| {
            if step == StepName::Result {
                result = Some(document.clone());
            }
        });
        let end = match end {
            Ok(FinalState::Stored(object)) => Ok(result.unwrap_or(object)),
            Ok(FinalState::Refused(error)) | Err(error) => Err(error),
        };
        Answered { request, end }
    }

    /// Sends a request to real servers, which have the object before it. The arguments are those of [`Answered::simulate`].
    ///
    /// # Errors
    ///
    /// Returns the reason why the servers cannot have the object, or do not answer.
    pub fn on_servers(
        servers: &LiveServers,
        request: ToolRequest,
        served: &ServedKind,
        live: Option<&OwnedDoc>,
    ) -> Result<Answered, NotLive> {
        let mut scenario = scenario_of(&request, served, live.map(without_metadata_of_server).as_ref());
        let configuration = scenario.configuration.as_deref().map(without_metadata_of_server);
        scenario.configuration = configuration.map(Arc::new);
        let mut result = None;
        let end = LiveScenario::run(servers, &scenario, &BuiltIn, &mut |step, document| {
            if step == StepName::Result {
                result = Some(document.clone());
            }
        })?;
        let end = match end.final_state {
            FinalState::Stored(object) => Ok(result.unwrap_or(object)),
            FinalState::Refused(error) => Err(error),
        };
        Ok(Answered { request, end })
    }
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
