//! Single requests to a server that has an object: each is a scenario, which the simulation runs.

use std::sync::Arc;

use skewer_engine::{Doc, Error, OwnedDoc};
use skewer_skew::{FinalState, RequestOptions, Scenario, StepName, ToolRequest, run_built_in};

use crate::served::ServedKind;

/// A request, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The request.
    pub request: ToolRequest,
    /// The object after the request, with its managed fields, or the refusal.
    pub end: Result<OwnedDoc, Error>,
}

impl Answered {
    /// Sends a request to the simulation. `live` is the object with its managed fields; without it, the request creates the
    /// object.
    #[must_use]
    pub fn simulate(request: ToolRequest, served: &ServedKind, live: Option<&OwnedDoc>) -> Answered {
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
}
