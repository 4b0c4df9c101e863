//! Scenarios: what a client and a server of different versions do with one object.

use super::intent::Intent;
use super::party::{Client, Server};
use super::request::{Request, RequestOptions};
use crate::document::OwnedDoc;
use crate::patch::PatchContext;

/// One client, one server, one stored object, one intent.
#[derive(Clone, Copy, Debug)]
pub struct Scenario<'a> {
    /// The live object. It conforms to the types of `full_context`.
    pub stored: &'a OwnedDoc,
    /// The last-applied object. Only [`Request::ClientSideApply`] needs it.
    pub last_applied: Option<&'a OwnedDoc>,
    /// The change that the user wants.
    pub intent: &'a Intent,
    /// The context of a party that is up to date. The stored object and the intent are expressed in its types.
    pub full_context: &'a PatchContext,
    /// The party that reads the object, edits it, and sends the request.
    pub client: &'a Client,
    /// The party that merges the request and stores the object.
    pub server: &'a Server,
    /// The kind of request by which the client sends the change.
    pub request: Request,
    /// The options of the request.
    pub options: &'a RequestOptions,
    /// The apply configuration to which the intent is applied. Only [`Request::ServerSideApply`] needs it; without it,
    /// the last-applied object is the configuration.
    pub configuration: Option<&'a OwnedDoc>,
    /// The requests that the server processes before the client reads the object.
    pub history: &'a [OtherRequest],
    /// The requests that the server processes between the client's read and its request.
    pub meanwhile: &'a [OtherRequest],
}

impl<'a> Scenario<'a> {
    /// Returns the servers that get requests, each as often as it gets one.
    pub fn servers(&self) -> impl Iterator<Item = &'a Server> + use<'a> {
        let own = self.server;
        let others = self.history.iter().chain(self.meanwhile);
        others.map(move |other| other.server.as_ref().unwrap_or(own)).chain([own])
    }

    /// Returns true if one of the requests is a server-side apply, so that managed fields have an effect.
    pub(super) fn keeps_managed_fields(&self) -> bool {
        let others = self.history.iter().chain(self.meanwhile).map(|other| other.request);
        std::iter::once(self.request).chain(others).any(|request| request == Request::ServerSideApply)
    }
}

/// A request that another client sends before the request of a scenario.
#[derive(Clone, Debug)]
pub struct OtherRequest {
    /// The client.
    pub client: Client,
    /// The server that processes the request. `None` stands for the server of the scenario.
    pub server: Option<Server>,
    /// The kind of request.
    pub request: Request,
    /// The options of the request.
    pub options: RequestOptions,
    /// The document that the client starts with: an apply configuration, or a whole object. `None` stands for the object
    /// that the client reads.
    pub document: Option<OwnedDoc>,
    /// The change that the client makes to the document.
    pub intent: Intent,
}
