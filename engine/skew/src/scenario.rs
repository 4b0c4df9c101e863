//! Scenarios: what a client and a server of different versions do with one object.

use std::sync::Arc;

use skewer_admission::Admission;
use skewer_engine::document::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::union::policy;

use super::intent::Intent;
use super::party::{BuiltInDefaults, Client, Decoding, Server, Webhook};
use super::request::{Request, RequestOptions};
use super::stored_object::without_managed_fields;

/// One client, one server, one live object, one intent, and the requests of other clients. A clone shares the documents,
/// the intents and the types.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The live object. It conforms to the types of `full_context`. Null if it does not exist.
    pub stored: Arc<OwnedDoc>,
    /// The last-applied object. Only [`Request::ClientSideApply`] needs it.
    pub last_applied: Option<Arc<OwnedDoc>>,
    /// The change that the user wants.
    pub intent: Arc<Intent>,
    /// The patch context of a party that is up to date. The live object and the intent are expressed in its types.
    pub full_context: PatchContext,
    /// The admission of a server that is up to date, if the object is a custom resource. Only the ideal needs it.
    pub full_admission: Option<Arc<Admission>>,
    /// The party that reads the object, edits it, and sends the request.
    pub client: Client,
    /// The party that merges the request and stores the object.
    pub server: Server,
    /// The mutating webhook of the cluster, if there is one. Each server calls it.
    pub webhook: Option<Arc<Webhook>>,
    /// The kind of request by which the client sends the change.
    pub request: Request,
    /// The options of the request.
    pub options: RequestOptions,
    /// The document that the client starts with, to which the intent is applied: an apply configuration, a manifest, or a
    /// whole object, as in [`OtherRequest::document`]. Without it, a client that applies starts with the last-applied
    /// object, and any other client with the object that it reads.
    pub configuration: Option<Arc<OwnedDoc>>,
    /// The requests that the server processes before the client reads the object.
    pub history: Vec<OtherRequest>,
    /// The requests that the server processes between the client's read and its request.
    pub meanwhile: Vec<OtherRequest>,
    /// Whether servers keep managed fields even if no request is a server-side apply. Real servers do. Without server-side
    /// apply, managed fields have no effect on other fields.
    pub tracks_owners: bool,
}

impl Scenario {
    /// Creates a scenario of parties that are up to date: an update without a change. The client decodes the object into
    /// structs, and the server has no union policy.
    #[must_use]
    pub fn up_to_date(stored: Arc<OwnedDoc>, context: PatchContext) -> Self {
        Scenario {
            stored,
            last_applied: None,
            intent: Arc::default(),
            full_context: context.clone(),
            full_admission: None,
            client: Client::new(context.clone(), Decoding::Structured),
            server: Server {
                context,
                strict: false,
                policy: policy::NONE,
                admission: None,
                defaults: BuiltInDefaults::NotSimulated,
            },
            webhook: None,
            request: Request::Update,
            options: RequestOptions::default(),
            configuration: None,
            history: Vec::new(),
            meanwhile: Vec::new(),
            tracks_owners: false,
        }
    }

    /// Returns true if the ideal is the request of the client itself, which is then forced: a server-side apply without an
    /// intent says what is sent, and not what the user wants.
    #[must_use]
    pub fn ideal_is_request(&self) -> bool {
        // An intent without edits is no intent.
        self.request.takes_fields() && self.intent.0.is_empty()
    }

    /// Returns the scenario of the ideal. The client and the server are up to date, and the client reads the object after
    /// all other requests. An intent is sent as the whole object, so that no patch format affects the result. A
    /// server-side apply without an intent is the same request, but forced.
    #[must_use]
    pub fn ideal(&self) -> Scenario {
        let is_forced = self.ideal_is_request();
        let mut ideal = self.clone();
        ideal.client.context = self.full_context.clone();
        ideal.client.negotiated = None;
        if let Some(webhook) = &mut ideal.webhook {
            Arc::make_mut(webhook).party.context = self.full_context.clone();
        }
        ideal.server.context =
            PatchContext { spare_capacity: self.server.context.spare_capacity, ..self.full_context.clone() };
        ideal.server.admission.clone_from(&self.full_admission);
        ideal.request = self.request.of_ideal(is_forced);
        ideal.options.force |= is_forced;
        if ideal.request != self.request && !is_forced {
            // The edits are made to the object that the client reads.
            ideal.configuration = None;
        }
        ideal.options.resource_version = None;
        ideal.history.append(&mut ideal.meanwhile);
        // The server of the ideal would take the managed fields for a part of the object.
        if self.keeps_managed_fields() && !ideal.keeps_managed_fields() {
            ideal.stored = Arc::new(without_managed_fields((*self.stored).clone()));
        }
        ideal
    }

    /// Returns the requests of other clients, in their order.
    fn others(&self) -> impl Iterator<Item = &OtherRequest> {
        self.history.iter().chain(&self.meanwhile)
    }

    /// Returns true if other clients send requests.
    #[must_use]
    pub fn has_other_requests(&self) -> bool {
        self.others().next().is_some()
    }

    /// Returns the servers that get requests, each as often as it gets one.
    pub fn servers(&self) -> impl Iterator<Item = &Server> {
        self.others().map(|other| other.server.as_ref().unwrap_or(&self.server)).chain([&self.server])
    }

    /// Returns true if one of the requests is those of a tool.
    #[must_use]
    pub fn has_tool(&self) -> bool {
        self.request == Request::ApplyManifest
            || self.others().any(|other| other.request == Request::ApplyManifest)
    }

    /// Returns true if one of the requests is a server-side apply or those of a tool, or if the scenario [tracks
    /// owners](Scenario::tracks_owners). Otherwise, the server keeps no managed fields, and those in documents are fields
    /// like any others.
    #[must_use]
    pub fn keeps_managed_fields(&self) -> bool {
        let mut requests = self.others().map(|other| other.request).chain([self.request]);
        self.tracks_owners || requests.any(Request::takes_fields)
    }
}

/// A request that another client sends before the request of a scenario. A clone shares the document and the intent.
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
    /// that the client reads. If the live object has managed fields, those of a whole object are sent: a client can change
    /// them. Without any, the client sends those that it reads.
    pub document: Option<Arc<OwnedDoc>>,
    /// The change that the client makes to the document.
    pub intent: Arc<Intent>,
}
