//! Single requests to a server that has an object: each is a scenario, which the simulation runs.

use std::sync::Arc;

use skewer_engine::{Doc, Error, OwnedDoc};
use skewer_skew::{FinalState, Request, RequestOptions, Scenario, StepName, run_built_in};

use crate::served::ServedKind;

/// A request that a tool sends.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRequest {
    /// The request in words, such as `helm applies the manifest`.
    pub about: String,
    /// The kind of request.
    pub request: Request,
    /// The field manager.
    pub manager: String,
    /// Whether a server-side apply takes fields from other managers.
    pub force: bool,
    /// Whether the server refuses unknown fields (`fieldValidation=Strict`).
    pub is_strict: bool,
    /// The manifest, the apply configuration, or the whole object.
    pub document: OwnedDoc,
    /// The manifest before. Only a client-side apply has one.
    pub last_applied: Option<OwnedDoc>,
}

/// A request, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The request.
    pub request: ToolRequest,
    /// The object after the request, with its managed fields, or the refusal.
    pub end: Result<OwnedDoc, Error>,
}

impl ToolRequest {
    /// Creates a request that is not forced.
    #[must_use]
    pub fn new(about: impl Into<String>, request: Request, manager: &str, document: OwnedDoc) -> Self {
        ToolRequest {
            about: about.into(),
            request,
            manager: manager.to_owned(),
            force: false,
            is_strict: false,
            document,
            last_applied: None,
        }
    }

    /// Sends the request. `live` is the object with its managed fields; without it, the request creates the object.
    #[must_use]
    pub fn send(self, served: &ServedKind, live: Option<&OwnedDoc>) -> Answered {
        let stored = live.cloned().unwrap_or(Doc::Null);
        let context = served.server.context.clone();
        let mut scenario = Scenario {
            client: served.client.clone(),
            server: served.server.clone(),
            full_admission: served.server.admission.clone(),
            request: self.request,
            options: RequestOptions {
                manager: self.manager.as_str().into(),
                force: self.force,
                ..RequestOptions::default()
            },
            configuration: Some(Arc::new(self.document.clone())),
            last_applied: self.last_applied.clone().map(Arc::new),
            tracks_owners: true,
            ..Scenario::up_to_date(Arc::new(stored), context)
        };
        scenario.server.strict = self.is_strict;
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
        Answered { request: self, end }
    }
}
