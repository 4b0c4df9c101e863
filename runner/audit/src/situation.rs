//! Situations: an object that was stored, and a request that is sent later.

use std::sync::Arc;

use skewer_admission::prune::prune;
use skewer_admission::structural::StructuralSchema;
use skewer_engine::{Doc, Error, FieldPath, OwnedDoc, OwnedMap, PathSegment, Result, Text};
use skewer_skew::{
    Decoding, Edit, FinalState, Intent, OtherRequest, Request, RequestOptions, Scenario, StepName,
    run_built_in,
};

use super::clients::ClientStyle;
use super::effect::value_at_mut;
use super::revision::{Revisions, Side};

/// The change that the client makes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClientEdit {
    /// A label: nothing near the changed element.
    Label,
    /// The value at a path is set.
    Set(FieldPath, OwnedDoc),
    /// The value at a path is removed.
    Remove(FieldPath),
    /// The fields of the map at a path are replaced by others, as far as the client knows them.
    Choose(FieldPath, OwnedMap),
    /// The client creates the object; no object was stored before.
    Create,
}

/// The name of the label that [`ClientEdit::Label`] sets.
const LABEL: &str = "touched";

/// An object that was stored under one version, and a request that a client sends to a server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SkewSituation {
    /// The object.
    pub object: OwnedDoc,
    /// The version in force when the object was created.
    pub created: Side,
    /// The version in force when the request arrives.
    pub server: Side,
    /// The types of the client. They matter only if the client is typed.
    pub client: Side,
    /// The way in which the client writes.
    pub style: ClientStyle,
    /// The change that the client makes.
    pub edit: ClientEdit,
    /// A value of the object that another manager applied. The client does not have it in its configuration.
    pub shared: Option<FieldPath>,
    /// The part of the object that the request writes.
    pub written: WrittenPart,
}

/// The part of an object that a request can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenPart {
    /// All but the status, if that has a subresource of its own.
    Main,
    /// The status, through its subresource: the client is a controller.
    Status,
}

/// The documents that the clients of a situation send.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sent {
    /// The object that was created. `None` if the request of the situation creates it.
    pub created: Option<OwnedDoc>,
    /// The object with the status that a controller wrote after the creation. `None` if a creation writes the status, or
    /// if there is none.
    pub status: Option<OwnedDoc>,
    /// The configuration that another manager applied before the request.
    pub shared: Option<OwnedDoc>,
    /// The request.
    pub request: Request,
    /// The intended change.
    pub intent: Intent,
    /// The manifest of a client that applies.
    pub manifest: Option<OwnedDoc>,
    /// The manifest that the client applied last, with the names that the fields have in the version of the client.
    /// `None` if the client does not apply.
    last_manifest: Option<OwnedDoc>,
}

/// The name of the manager that owns a part of the object.
pub(super) const OTHER_MANAGER: &str = "another-manager";

/// The name of the manager that writes the status of a new object.
const STATUS_MANAGER: &str = "status-controller";

/// The field and the subresource of the status.
pub(super) const STATUS: &str = "status";

impl Sent {
    /// Returns the request that created the object.
    #[must_use]
    pub fn creation(&self) -> Request {
        if self.request == Request::ServerSideApply { Request::ServerSideApply } else { Request::Create }
    }

    /// Returns the manifest that the client applied last. `None` if the client does not apply.
    #[must_use]
    pub fn last_applied(&self) -> Option<&OwnedDoc> {
        self.last_manifest.as_ref()
    }
}

/// The course of a situation, step by step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Happened {
    /// The documents of the steps.
    pub steps: Vec<(StepName, OwnedDoc)>,
    /// The final state.
    pub final_state: FinalState,
}

impl Happened {
    /// Returns the stored object after the request, with its nulls. `None` if the request was refused.
    #[must_use]
    pub fn result(&self) -> Option<&OwnedDoc> {
        self.steps.iter().rev().find(|(step, _)| *step == StepName::Result).map(|(_, document)| document)
    }
}

impl SkewSituation {
    /// A client without types creates an object, and nothing is skewed.
    pub(super) fn creation(object: OwnedDoc, side: Side) -> Self {
        let (style, edit) = (ClientStyle::UntypedUpdate, ClientEdit::Create);
        let written = WrittenPart::Main;
        SkewSituation {
            object,
            created: side,
            server: side,
            client: side,
            style,
            edit,
            shared: None,
            written,
        }
    }

    /// Returns the situation in which a controller of the same version writes the status of the object, which a client of
    /// the version of the server created without it. `None` if the status has no subresource on the server, or if the
    /// object has none.
    pub(super) fn writing_status(&self, revisions: &Revisions) -> Option<Self> {
        let path = [PathSegment::Key(STATUS.into())];
        let status = self.object.as_map()?.get(STATUS).filter(|status| !status.is_null())?.clone();
        let mut at = FieldPath::root();
        at.push(PathSegment::Key(STATUS.into()));
        revisions.get(self.server).has_status_subresource().then(|| SkewSituation {
            object: without(&self.object, &path),
            created: self.server,
            edit: ClientEdit::Set(at, status),
            written: WrittenPart::Status,
            ..self.clone()
        })
    }

    /// Runs the situation. The final state is that which the server reads later: a server-side apply can store a field below an
    /// object that keeps unknown fields, and each later request reads the object without it. Upstream: `schemaCoercingDecoder`
    /// (`customresource_handler.go`), which prunes what is read from storage.
    ///
    /// # Errors
    ///
    /// Fails if the object cannot be created in the first place, or if the client cannot make its edit.
    pub fn run(&self, revisions: &Revisions) -> Result<Happened> {
        let mut happened = self.run_with(revisions, run_built_in)?;
        let revision = revisions.get(self.server);
        if self.style == ClientStyle::ServerSideApply
            && let (Some(admission), FinalState::Stored(object)) =
                (&revision.admission, &mut happened.final_state)
            && admission.storage_version().is_none()
            && !admission.options.preserve_unknown_fields
        {
            prune(revision.schema(), object);
        }
        Ok(happened)
    }

    /// Runs the situation in another way than with the engine. `run` is given the scenario, and is called once.
    ///
    /// # Errors
    ///
    /// Those of `run`, and of a client that cannot make its edit.
    pub fn run_with<E: From<Error>>(
        &self,
        revisions: &Revisions,
        run: impl FnOnce(&Scenario, &mut dyn FnMut(StepName, &OwnedDoc)) -> Result<FinalState, E>,
    ) -> Result<Happened, E> {
        let sent = self.sent(revisions)?;
        let history = self.history(revisions, &sent);
        let written = match sent.request {
            // What a client creates is no stored object, which a server would convert to the version of the request.
            Request::Create => Some(self.object.clone()),
            Request::ServerSideApply => sent.manifest,
            // `kubectl apply` starts with the last manifest, from which the intent removes what the client does not know.
            _ => None,
        };
        let full_context = revisions.get(self.widest()).context.clone();
        let scenario = Scenario {
            last_applied: sent.last_manifest.map(Arc::new),
            intent: Arc::new(sent.intent),
            client: revisions.get(self.client).client(self.style.decoding()),
            server: revisions.get(self.server).server(),
            request: sent.request,
            options: self.options(),
            configuration: written.map(Arc::new),
            history,
            ..Scenario::up_to_date(Arc::default(), full_context)
        };
        let mut steps = Vec::new();
        let final_state = run(&scenario, &mut |step, document| steps.push((step, document.clone())))?;
        let happened = Happened { steps, final_state };
        if self.style == ClientStyle::StrictUpdate
            && let Some((_, read)) = happened.steps.iter().find(|(step, _)| *step == StepName::Stored)
            && let Some(error) = revisions.get(self.client).undecodable_value(read)
        {
            return Err(error.into());
        }
        Ok(happened)
    }

    /// Returns what the clients send.
    ///
    /// # Errors
    ///
    /// Fails if the client cannot make its edit.
    pub fn sent(&self, revisions: &Revisions) -> Result<Sent> {
        let own = match &self.shared {
            Some(path) => without(&self.object, path.segments()),
            None => self.object.clone(),
        };
        let is_create = self.edit == ClientEdit::Create;
        let request = match self.style {
            ClientStyle::ServerSideApply => Request::ServerSideApply,
            _ if is_create => Request::Create,
            style => style.request(revisions.get(self.client).context.custom_resource),
        };
        // A manifest of another version has only the fields of that version. `kubectl apply` starts with the last manifest,
        // so that the other fields are removed from it.
        let mut last_manifest = own.clone();
        let manifest = if self.client == self.created || is_create {
            own.clone()
        } else {
            // Its renamed fields have the names of that version. The old names in the last manifest have no effect: the
            // patch removes them from an object that does not have them.
            revisions.get(self.created).move_to_storage(&mut last_manifest);
            revisions.get(self.client).move_from_storage(&mut last_manifest);
            revisions.get(self.client).known_part(&last_manifest)
        };
        let mut intent = self.intent(&last_manifest)?;
        if self.style == ClientStyle::ClientSideApply {
            let mut removed = Vec::new();
            missing_paths(&last_manifest, &manifest, &mut FieldPath::root(), &mut removed);
            let removals = removed.iter().map(|path| Ok(Edit::Remove(path.to_string().parse()?)));
            intent.0.splice(0..0, removals.collect::<Result<Vec<_>>>()?);
        }
        let is_apply = matches!(self.style, ClientStyle::ClientSideApply | ClientStyle::ServerSideApply);
        let schema = revisions.get(self.created).schema();
        let shared = self.shared.as_ref().and_then(|path| only(&self.object, path.segments(), schema));
        let shared = shared.filter(|_| !is_create);
        let has_status = own.as_map().and_then(|own| own.get(STATUS)).is_some_and(|status| !status.is_null());
        let has_status = has_status && revisions.get(self.created).has_status_subresource();
        Ok(Sent {
            status: (!is_create && has_status).then(|| own.clone()),
            created: (!is_create).then_some(own),
            shared,
            last_manifest: is_apply.then_some(last_manifest),
            request,
            intent,
            manifest: is_apply.then_some(manifest),
        })
    }

    fn options(&self) -> RequestOptions {
        let subresource = match self.written {
            WrittenPart::Main => "",
            WrittenPart::Status => STATUS,
        };
        RequestOptions {
            manager: self.style.name().into(),
            subresource: subresource.into(),
            ..RequestOptions::default()
        }
    }

    /// Returns the request with which a controller writes the status of a new object, and the name of its manager. A
    /// controller that applies the status later has applied it before.
    pub(super) fn status_writer(&self) -> (Request, &'static str) {
        match (self.written, self.style) {
            (WrittenPart::Status, ClientStyle::ServerSideApply) => {
                (Request::ServerSideApply, self.style.name())
            }
            _ => (Request::Update, STATUS_MANAGER),
        }
    }

    /// Returns the requests that create the object: that of the client, and that of another manager, if there is one.
    fn history(&self, revisions: &Revisions, sent: &Sent) -> Vec<OtherRequest> {
        let Some(own) = &sent.created else { return Vec::new() };
        let created = revisions.get(self.created);
        let options = RequestOptions { subresource: "".into(), ..self.options() };
        let create = OtherRequest {
            client: created.client(Decoding::Unstructured),
            server: Some(created.server()),
            request: sent.creation(),
            options: options.clone(),
            document: Some(Arc::new(own.clone())),
            intent: Arc::default(),
        };
        let subresource = if self.shares_status(revisions) { STATUS } else { "" };
        let other = sent.shared.as_ref().map(|configuration| OtherRequest {
            request: Request::ServerSideApply,
            options: RequestOptions {
                manager: OTHER_MANAGER.into(),
                subresource: subresource.into(),
                ..options
            },
            document: Some(Arc::new(configuration.clone())),
            ..create.clone()
        });
        let (status_request, status_manager) = self.status_writer();
        let status = sent.status.as_ref().map(|object| OtherRequest {
            request: status_request,
            options: RequestOptions {
                manager: status_manager.into(),
                subresource: STATUS.into(),
                ..RequestOptions::default()
            },
            document: Some(Arc::new(object.clone())),
            ..create.clone()
        });
        std::iter::once(create).chain(status).chain(other).collect()
    }

    /// Returns true if the value that another manager applied is in the status, and if that has a subresource.
    pub(super) fn shares_status(&self, revisions: &Revisions) -> bool {
        let first = self.shared.as_ref().and_then(|path| path.segments().first());
        matches!(first, Some(PathSegment::Key(key)) if key.as_str() == STATUS)
            && revisions.get(self.created).has_status_subresource()
    }

    /// Returns the version in whose types the edit is expressed.
    fn widest(&self) -> Side {
        self.created.max(self.server).max(self.client)
    }

    fn intent(&self, own: &OwnedDoc) -> Result<Intent> {
        let edits = match &self.edit {
            ClientEdit::Create => Vec::new(),
            ClientEdit::Label => {
                let mut path = FieldPath::root();
                for key in ["metadata", "labels", LABEL] {
                    path.push(PathSegment::Key(key.into()));
                }
                vec![Edit::Set(at_path(&path, Doc::from("true"), &Doc::Null))]
            }
            ClientEdit::Set(path, value) => vec![Edit::Set(at_path(path, value.clone(), own))],
            ClientEdit::Remove(path) => vec![Edit::Remove(path.to_string().parse()?)],
            ClientEdit::Choose(path, fields) => {
                vec![Edit::Choose { selector: path.to_string().parse()?, fields: fields.clone() }]
            }
        };
        Ok(Intent(edits))
    }
}

/// Collects the paths of the values that a part of an object lacks.
fn missing_paths(object: &OwnedDoc, part: &OwnedDoc, path: &mut FieldPath, missing: &mut Vec<FieldPath>) {
    match (object, part) {
        (Doc::Map(object), Doc::Map(part)) => {
            for (key, value) in object.iter() {
                path.push(PathSegment::Key(key.clone()));
                match part.get(key) {
                    Some(inner) => missing_paths(value, inner, path, missing),
                    None => missing.push(path.clone()),
                }
                path.pop();
            }
        }
        (Doc::List(object), Doc::List(part)) => {
            for (index, (value, inner)) in object.iter().zip(part).enumerate() {
                path.push(PathSegment::Index(index));
                missing_paths(value, inner, path, missing);
                path.pop();
            }
        }
        _ => {}
    }
}

fn without(object: &OwnedDoc, path: &[PathSegment]) -> OwnedDoc {
    let mut object = object.clone();
    let Some((last, container)) = path.split_last() else { return object };
    let found = value_at_mut(&mut object, container);
    match (found, last) {
        (Some(Doc::Map(map)), PathSegment::Key(key)) => drop(map.remove(key)),
        (Some(Doc::List(items)), PathSegment::Index(index)) if *index < items.len() => {
            drop(items.remove(*index));
        }
        _ => {}
    }
    object
}

/// Returns an object that has only the name and the value at a path, and the keys of the items on the way. `None` if the object
/// does not have the value.
fn only(object: &OwnedDoc, path: &[PathSegment], schema: &StructuralSchema) -> Option<OwnedDoc> {
    fn build(value: &OwnedDoc, path: &[PathSegment], schema: Option<&StructuralSchema>) -> Option<OwnedDoc> {
        match path.split_first() {
            None => Some(value.clone()),
            Some((PathSegment::Key(key), rest)) => {
                let mut map = OwnedMap::new();
                let inner = value.as_map()?.get(key)?;
                map.insert(key.clone(), build(inner, rest, schema.and_then(|schema| schema.field(key)))?);
                Some(Doc::Map(map))
            }
            Some((PathSegment::Index(index), rest)) => {
                let item = value.as_list()?.get(*index)?;
                let mut only = build(item, rest, schema.and_then(|schema| schema.items.as_deref()))?;
                for key in schema.into_iter().flat_map(|schema| &schema.list_map_keys) {
                    if let (Some(only), Some(value)) =
                        (only.as_map_mut(), item.as_map().and_then(|item| item.get(key)))
                    {
                        only.insert(key.clone().into(), value.clone());
                    }
                }
                Some(Doc::List(vec![only]))
            }
        }
    }
    const METADATA: &str = "metadata";
    let mut only = build(object, path, Some(schema))?;
    let metadata = object.as_map()?.get(METADATA)?.clone();
    only.as_map_mut()?.insert(Text::from_static(METADATA), metadata);
    Some(only)
}

/// Returns a document that has only this value. A list on the way is taken whole from the object.
fn at_path(path: &FieldPath, value: OwnedDoc, object: &OwnedDoc) -> OwnedDoc {
    fn build(segments: &[PathSegment], value: OwnedDoc, object: &OwnedDoc) -> OwnedDoc {
        match segments.split_first() {
            None => value,
            Some((PathSegment::Key(key), rest)) => {
                let inner = object.as_map().and_then(|map| map.get(key)).unwrap_or(&Doc::Null);
                let mut map = OwnedMap::new();
                map.insert(Text::from(key.as_str()), build(rest, value, inner));
                Doc::Map(map)
            }
            Some((PathSegment::Index(index), rest)) => {
                let mut items = object.as_list().unwrap_or_default().to_vec();
                if let Some(item) = items.get_mut(*index) {
                    let edited = build(rest, value, item);
                    *item = merged(item.clone(), edited);
                }
                Doc::List(items)
            }
        }
    }
    build(path.segments(), value, object).to_static()
}

/// Merges maps recursively. Any other value is replaced.
pub(super) fn merged(base: OwnedDoc, edited: OwnedDoc) -> OwnedDoc {
    match (base, edited) {
        (Doc::Map(mut base), Doc::Map(edited)) => {
            for (key, value) in edited.iter() {
                let old = base.get(key).cloned().unwrap_or(Doc::Null);
                base.insert(key.clone(), merged(old, value.clone()));
            }
            Doc::Map(base)
        }
        (_, edited) => edited,
    }
}
