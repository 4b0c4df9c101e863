use std::collections::BTreeMap;
use std::sync::Arc;

use skewer_engine::{Doc, OwnedDoc, OwnedText};
use skewer_skew::{Intent, Request, Role};

use super::party::PartySetting;
use crate::format::{Level, RequestName};

/// The documents, parties, intent and request of a point of the matrix, or the part of these that a case or an axis
/// value contributes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Setting {
    pub(crate) client: PartySetting,
    pub(crate) server: PartySetting,
    /// The documents by role. Points that do not overlay a document share it.
    pub(crate) documents: BTreeMap<Role, Arc<OwnedDoc>>,
    pub(crate) intent: Option<Arc<Intent>>,
    /// The requests that the server processes before the client reads the object.
    pub(crate) history: Vec<Arc<OtherRequestSetting>>,
    /// The requests that the server processes between the client's read and its request.
    pub(crate) meanwhile: Vec<Arc<OtherRequestSetting>>,
    pub(crate) request: Option<RequestName>,
    /// The type of the objects. `None` stands for the root type of the schema.
    pub(crate) root: Option<OwnedText>,
    /// The conformance level of the point. `None` stands for the level of the case.
    pub(crate) level: Option<Level>,
}

/// A request of another client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OtherRequestSetting {
    pub(crate) client: PartySetting,
    /// The server that processes the request. `None` stands for the server of the cell.
    pub(crate) server: Option<PartySetting>,
    pub(crate) request: Request,
    /// The document that the client edits. `None` stands for the object that the client reads.
    pub(crate) document: Option<Arc<OwnedDoc>>,
    pub(crate) intent: Arc<Intent>,
}

impl OtherRequestSetting {
    /// Returns true if the object need not exist before the request.
    pub(crate) fn can_create_object(&self) -> bool {
        matches!(self.request, Request::Create | Request::ServerSideApply)
    }
}

impl Setting {
    /// Iterates over the requests of other clients.
    pub(crate) fn other_requests(&self) -> impl Iterator<Item = &OtherRequestSetting> {
        self.history.iter().chain(&self.meanwhile).map(Arc::as_ref)
    }

    /// Returns true if the client or another client sends a server-side apply.
    pub(crate) fn has_server_side_apply(&self) -> bool {
        let of_client = self.request.and_then(RequestName::request);
        let mut requests = self.other_requests().map(|other| other.request).chain(of_client);
        requests.any(|request| request == Request::ServerSideApply)
    }

    /// Overlays the contribution of an axis value. Documents are overlaid, edits of the intent and requests of other
    /// clients are appended, and every other property that the contribution sets replaces that of this setting.
    pub(crate) fn overlay(&mut self, contribution: &Setting) {
        self.client.overlay(&contribution.client);
        self.server.overlay(&contribution.server);
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
        if contribution.root.is_some() {
            self.root.clone_from(&contribution.root);
        }
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
