//! Settings: the parties, documents, intent and requests of a point of the matrix. The setting of a point is that of the
//! case, overlaid with the contributions of axis values and overlays. The scenario of the point follows from it.

mod intent;
mod other_request;
mod parties;
mod party;
mod types_name;
mod views;
mod webhook;

use std::collections::BTreeMap;
use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::{Doc, OwnedDoc, OwnedText};
use skewer_skew::{Intent, Request, Role, Scenario};
use skewer_yaml::Diagnostics;

use self::intent::resolve_intent;
pub(crate) use self::other_request::OtherRequestSetting;
use self::parties::CellParties;
pub use self::parties::PlanError;
pub(crate) use self::party::{PartySetting, request_options, server_options};
pub(crate) use self::types_name::TypesName;
pub(crate) use self::views::{CaseTypes, Views};
pub(crate) use self::webhook::WebhookSetting;
use crate::format::{Level, RequestName, SettingSpec};

/// The documents, parties, intent and request of a point of the matrix, or the part of these that a case or an axis
/// value contributes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Setting {
    pub(crate) client: PartySetting,
    pub(crate) server: PartySetting,
    /// The mutating webhook of the cluster.
    pub(crate) webhook: Option<Arc<WebhookSetting>>,
    /// The documents by role. Points that do not overlay a document share it.
    pub(crate) documents: BTreeMap<Role, Arc<OwnedDoc>>,
    pub(crate) intent: Option<Arc<Intent>>,
    /// The requests that the server processes before the client reads the object.
    pub(crate) history: Vec<Arc<OtherRequestSetting>>,
    /// The requests that the server processes between the client's read and its request.
    pub(crate) meanwhile: Vec<Arc<OtherRequestSetting>>,
    pub(crate) request: Option<RequestName>,
    /// The subresource to which the request is sent. `None` stands for the main resource.
    pub(crate) subresource: Option<OwnedText>,
    /// The types of the objects.
    pub(crate) types: TypesName,
    /// The conformance level of the point. `None` stands for the level of the case.
    pub(crate) level: Option<Level>,
}

impl Setting {
    /// Converts the setting of a case, or the contribution of an axis value or an overlay.
    pub(crate) fn resolve(
        spec: &SettingSpec,
        all_directives: &DirectiveSet,
        diagnostics: &Diagnostics,
    ) -> Self {
        let client = spec.client.as_ref();
        let server = spec.server.as_ref();
        let requests = |specs| {
            OtherRequestSetting::resolve_all(specs, all_directives, diagnostics).map(Arc::new).collect()
        };
        let documents = spec.documents.by_role.iter();
        Setting {
            client: client
                .map(|client| PartySetting::resolve_client(client, all_directives, diagnostics))
                .unwrap_or_default(),
            server: server
                .map(|server| PartySetting::resolve_server(server, all_directives, diagnostics))
                .unwrap_or_default(),
            webhook: spec
                .webhook
                .as_ref()
                .map(|webhook| Arc::new(WebhookSetting::resolve(webhook, all_directives, diagnostics))),
            documents: documents.map(|(role, document)| (*role, Arc::new(document.clone()))).collect(),
            intent: spec.intent.as_ref().map(|intent| Arc::new(resolve_intent(intent, diagnostics))),
            history: requests(&spec.history),
            meanwhile: requests(&spec.meanwhile),
            request: spec.request,
            subresource: spec.subresource.as_ref().map(|name| name.value.as_str().into()),
            types: TypesName {
                schema: spec.schema.as_ref().map(|schema| schema.span),
                root: spec.root.as_ref().map(|root| root.value.as_str().into()),
            },
            level: spec.level,
        }
    }

    /// Iterates over the clients that negotiate, each with its server.
    pub(crate) fn negotiations(&self) -> impl Iterator<Item = (&PartySetting, &PartySetting)> {
        let of_others = self.other_requests().map(|other| {
            let server = other.server.as_ref().unwrap_or(&self.server);
            (&other.client, server)
        });
        of_others.chain([(&self.client, &self.server)]).filter(|(client, _)| client.negotiates == Some(true))
    }

    /// Iterates over the requests of other clients.
    pub(crate) fn other_requests(&self) -> impl Iterator<Item = &OtherRequestSetting> {
        self.history.iter().chain(&self.meanwhile).map(Arc::as_ref)
    }

    /// Returns true if the client or another client sends a server-side apply.
    pub(crate) fn has_server_side_apply(&self) -> bool {
        let of_client = self.request.and_then(RequestName::request);
        let mut requests = self.other_requests().map(|other| other.request).chain(of_client);
        requests.any(Request::takes_fields)
    }

    /// Overlays the contribution of an axis value. Documents are overlaid, edits of the intent and requests of other
    /// clients are appended, and every other property that the contribution sets replaces that of this setting.
    pub(crate) fn overlay(&mut self, contribution: &Setting) {
        self.client.overlay(&contribution.client);
        self.server.overlay(&contribution.server);
        if contribution.webhook.is_some() {
            self.webhook.clone_from(&contribution.webhook);
        }
        for (role, overlay) in &contribution.documents {
            match self.documents.get_mut(role) {
                Some(document) => overlay_document(Arc::make_mut(document), overlay),
                None => {
                    self.documents.insert(*role, Arc::clone(overlay));
                }
            }
        }
        if let Some(more) = &contribution.intent {
            Arc::make_mut(self.intent.get_or_insert_default()).0.extend(more.0.iter().cloned());
        }
        self.history.extend(contribution.history.iter().cloned());
        self.meanwhile.extend(contribution.meanwhile.iter().cloned());
        self.request = contribution.request.or(self.request);
        self.level = contribution.level.or(self.level);
        if contribution.subresource.is_some() {
            self.subresource.clone_from(&contribution.subresource);
        }
        self.types.overlay(&contribution.types);
    }

    /// Returns the scenario that the setting describes.
    ///
    /// # Errors
    /// Returns an error if the setting lacks a part. Loading a suite rules this out.
    pub(crate) fn scenario(mut self, views: &Views) -> Result<Scenario, PlanError> {
        let request = self.request.and_then(RequestName::request).ok_or(PlanError::without("request"))?;
        let types = &self.types;
        let creates_object =
            request.can_create() || self.history.first().is_some_and(|other| other.request.can_create());
        let stored = match self.documents.remove(&Role::Live) {
            Some(live) => live,
            None if creates_object => Arc::new(Doc::Null),
            None => return Err(PlanError::without("live")),
        };
        let mut configuration = self.documents.remove(&Role::Configuration);
        let needs_intent = !request.takes_fields() || configuration.is_none();
        if request == Request::ApplyManifest {
            let earlier = self.history.iter().rev().find(|other| other.request == request);
            configuration = configuration.or_else(|| earlier?.document.clone());
        }
        let intent = match self.intent {
            None if needs_intent => return Err(PlanError::without("intent")),
            intent => intent.unwrap_or_default(),
        };
        let parties = CellParties { client: &self.client, server: &self.server };
        Ok(Scenario {
            stored,
            last_applied: self.documents.remove(&Role::LastApplied),
            intent,
            full_context: views.up_to_date(types).ok_or(PlanError::without("root type"))?.clone(),
            full_admission: views.up_to_date_admission(types),
            client: views.client(types, &self.client, &self.server)?,
            server: views.server(types, &self.server)?,
            webhook: self.webhook.as_ref().map(|webhook| webhook.webhook(types, views)).transpose()?,
            request,
            options: self.client.request_options(self.subresource),
            // Only an apply request has one; at other points of a matrix, the case describes the change by its intent.
            configuration: configuration.filter(|_| request.takes_fields()),
            history: views.other_requests(types, &self.history, parties)?,
            meanwhile: views.other_requests(types, &self.meanwhile, parties)?,
            tracks_owners: false,
        })
    }
}

/// Overlays a document. Maps are merged recursively, and any other value is replaced.
fn overlay_document(document: &mut OwnedDoc, overlay: &OwnedDoc) {
    match (document, overlay) {
        (Doc::Map(document), Doc::Map(overlay)) => {
            for (key, value) in overlay.iter() {
                match document.get_mut(key) {
                    Some(present) => overlay_document(present, value),
                    None => {
                        document.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (document, overlay) => *document = overlay.clone(),
    }
}
