//! An exchange: a client reads an object, edits it and sends a request, and the server stores the result.

use super::convert::{UnknownFieldHandling, convert};
use super::intent::Intent;
use super::operation::{
    FieldManagerOptions, Operation, OperationError, OperationKind, OperationOptions, Operations, Role,
};
use super::party::{Client, Decoding, Server};
use super::request::{OtherRequest, Request, RequestOptions};
use super::run::{Scenario, StepName};
use super::stored::{Identity, StoredObject, take_managed_fields, with_managed_fields};
use crate::document::{Doc, Map, OwnedDoc};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::{Overwrite, PatchContext};

/// The records of the documents of an exchange.
type Record<'r> = &'r mut dyn FnMut(StepName, &OwnedDoc);

/// One client, one server and one request.
pub(super) struct Exchange<'a> {
    client: &'a Client,
    server: &'a Server,
    request: Request,
    options: &'a RequestOptions,
    intent: &'a Intent,
    full_context: &'a PatchContext,
    last_applied: Option<&'a OwnedDoc>,
    /// The document that the client edits. `None` stands for the object that the client reads.
    document: Option<&'a OwnedDoc>,
    /// Whether the server keeps managed fields. They have an effect only if one of the requests is a server-side apply.
    keeps_managed_fields: bool,
}

/// The object that a client has read, and its edits. Other clients can write the object before the client sends its
/// request, which is created from this.
pub(super) struct Prepared {
    /// The stored object as the client has decoded it.
    decoded: OwnedDoc,
    /// The object or the apply configuration after the edits.
    edited: OwnedDoc,
    /// The managed fields of the object that the client read.
    managed_fields: Vec<OwnedDoc>,
    /// The resource version of the object that the client read.
    resource_version: u64,
}

impl<'a> Exchange<'a> {
    /// Returns the exchange of the scenario's own client.
    pub(super) fn of_scenario(scenario: &Scenario<'a>) -> Self {
        Exchange {
            client: scenario.client,
            server: scenario.server,
            request: scenario.request,
            options: scenario.options,
            intent: scenario.intent,
            full_context: scenario.full_context,
            last_applied: scenario.last_applied,
            document: (scenario.request == Request::ServerSideApply)
                .then_some(scenario.configuration.or(scenario.last_applied))
                .flatten(),
            keeps_managed_fields: scenario.keeps_managed_fields(),
        }
    }

    /// Returns the exchange of another client.
    pub(super) fn of_other(scenario: &Scenario<'a>, other: &'a OtherRequest) -> Self {
        Exchange {
            client: &other.client,
            server: other.server.as_ref().unwrap_or(scenario.server),
            request: other.request,
            options: &other.options,
            intent: &other.intent,
            full_context: scenario.full_context,
            last_applied: None,
            document: other.document.as_ref(),
            keeps_managed_fields: scenario.keeps_managed_fields(),
        }
    }

    /// Reads the stored object and makes the edits of the intent.
    pub(super) fn prepare(&self, stored: &StoredObject, record: Record<'_>) -> Result<Prepared> {
        let read = self.read(stored)?;
        record(StepName::Read, &read);
        let decoded = self.client.decode(read)?;
        record(StepName::Decoded, &decoded);
        let base = match (self.request, self.last_applied, self.document) {
            (Request::ClientSideApply, Some(last_applied), _) => last_applied.clone(),
            (Request::ClientSideApply, None, _) => {
                let message = "request client-side-apply: expected a last-applied object";
                return Err(Error::new(ErrorKind::InvalidIntent, message));
            }
            (_, _, Some(document)) => document.clone(),
            (Request::ServerSideApply, _, None) => Doc::Map(Map::new()),
            _ => decoded.clone(),
        };
        let mut edited = base;
        self.intent.edit(&mut edited, &self.client.context, self.full_context)?;
        let edited = if self.request == Request::ServerSideApply {
            self.decode_configuration(&edited)?
        } else {
            self.client.decode(edited)?
        };
        record(StepName::Edited, &edited);
        let (managed_fields, resource_version) = (stored.managed_fields.clone(), stored.resource_version);
        Ok(Prepared { decoded, edited, managed_fields, resource_version })
    }

    /// Returns the stored object as the server returns it. Null if it does not exist.
    fn read(&self, stored: &StoredObject) -> Result<OwnedDoc> {
        let object = stored.object.as_ref().unwrap_or(&Doc::Null);
        convert(&self.server.context, object, UnknownFieldHandling::Drop)
    }

    /// Decodes an apply configuration as the client does. A typed client uses types in which every field is optional:
    /// a field that it does not know is lost, and a field that is not set is not sent.
    fn decode_configuration(&self, configuration: &OwnedDoc) -> Result<OwnedDoc> {
        match self.client.decoding {
            Decoding::Unstructured => Ok(configuration.clone()),
            Decoding::Structured => {
                let decoded = self.client.decode(configuration.clone())?;
                let mut kept = only_members_of(&decoded, configuration);
                // Every object has these members, whether its type declares them or not.
                if let (Doc::Map(kept), Doc::Map(written)) = (&mut kept, configuration) {
                    for (key, value) in written.iter().filter(|(key, _)| is_member_of_objects(key)) {
                        kept.insert(key.clone(), value.clone());
                    }
                }
                Ok(kept)
            }
        }
    }

    /// Creates the client's request from what the client knows, merges it on the server, and stores the result.
    pub(super) fn send<F>(
        &self,
        prepared: &Prepared,
        stored: &mut StoredObject,
        operations: &dyn Operations<F>,
        record: Record<'_>,
    ) -> Result<(), OperationError<F>> {
        let body = self.create_body(prepared, operations)?;
        record(StepName::Request, &body);
        self.check_resource_version(prepared, stored)?;
        let read = self.read(stored)?;
        let (merged, managed_fields) = if self.request == Request::ServerSideApply {
            self.apply_on_server(&body, (&read, stored), operations)?
        } else {
            let merged = self.merge(body, &read, operations)?;
            let managed_fields =
                self.update_managed_fields(&merged, prepared, (&read, stored), operations)?;
            (merged, managed_fields)
        };
        record(StepName::Merged, &with_managed_fields(&merged, &managed_fields));
        let old = (self.request != Request::Create && stored.object.is_some()).then_some(&read);
        let mut admitted = self.server.store(old, &merged)?;
        if !admitted.changes.is_empty() {
            record(StepName::Normalized, &admitted.object);
            // A field that normalization cleared has its zero value in a Go type.
            admitted.object = convert(&self.server.context, &admitted.object, UnknownFieldHandling::Drop)?;
        }
        stored.write(admitted.object, managed_fields);
        record(StepName::Result, &stored.document());
        Ok(())
    }

    fn perform<F>(
        &self,
        kind: OperationKind,
        documents: &[(Role, &OwnedDoc)],
        operations: &dyn Operations<F>,
    ) -> Result<OwnedDoc, OperationError<F>> {
        self.perform_at(kind, documents, None, operations)
    }

    /// Performs an operation at a time, which only a field manager needs.
    fn perform_at<F>(
        &self,
        kind: OperationKind,
        documents: &[(Role, &OwnedDoc)],
        time: Option<&str>,
        operations: &dyn Operations<F>,
    ) -> Result<OwnedDoc, OperationError<F>> {
        let context = match kind.declaration().performer {
            super::Performer::Client => &self.client.context,
            super::Performer::Server => &self.server.context,
        };
        let operands = documents.iter().map(|(role, document)| (*role, (*document).into()));
        let operation = Operation::new(kind, Some(context), operands).map_err(Error::from)?;
        let field_manager = FieldManagerOptions {
            manager: &self.options.manager,
            force: self.options.force,
            time,
            ..FieldManagerOptions::default()
        };
        let options =
            OperationOptions { overwrite: Overwrite::Yes, field_manager, ..OperationOptions::default() };
        operations.perform(&operation.with_options(options))
    }

    /// Returns the time of the next write: each write is a second after the one before.
    fn time(stored: &StoredObject) -> String {
        let second = stored.resource_version;
        format!("2000-01-01T{:02}:{:02}:{:02}Z", second / 3600 % 24, second / 60 % 60, second % 60)
    }

    /// Creates the body of the request.
    fn create_body<F>(
        &self,
        prepared: &Prepared,
        operations: &dyn Operations<F>,
    ) -> Result<OwnedDoc, OperationError<F>> {
        let Prepared { decoded, edited, .. } = prepared;
        let two_documents = [(Role::Original, decoded), (Role::Modified, edited)];
        match self.request {
            Request::Create | Request::Update | Request::ServerSideApply => Ok(edited.clone()),
            Request::JsonMergePatch => {
                self.perform(OperationKind::JsonMergeTwoWay, &two_documents, operations)
            }
            Request::StrategicMergePatch => self.perform(OperationKind::TwoWay, &two_documents, operations),
            Request::ClientSideApply => {
                let last_applied = self.last_applied.unwrap_or(&Doc::Null);
                let documents =
                    [(Role::LastApplied, last_applied), (Role::Modified, edited), (Role::Live, decoded)];
                let is_strategic = !self.client.context.custom_resource;
                let kind =
                    if is_strategic { OperationKind::ThreeWay } else { OperationKind::JsonMergeThreeWay };
                self.perform(kind, &documents, operations)
            }
        }
    }

    /// Refuses a request with the resource version of an object that has changed since, and an update of a custom
    /// resource without a resource version. Most built-in types allow such an update (`AllowUnconditionalUpdate`).
    fn check_resource_version(&self, prepared: &Prepared, stored: &StoredObject) -> Result<()> {
        if self.options.sends_resource_version(self.request) {
            if prepared.resource_version != stored.resource_version {
                let message =
                    "the object has been modified since it was read: apply the change to the latest version";
                return Err(Error::new(ErrorKind::Conflict, message));
            }
        } else if self.request == Request::Update && self.server.context.custom_resource {
            let message = "an update of a custom resource needs a resource version";
            let error = Error::new(ErrorKind::RequiredFieldMissing, message);
            return Err(error.at("resourceVersion").at("metadata"));
        }
        Ok(())
    }

    /// Merges the body of a request that is no server-side apply into the stored object.
    fn merge<F>(
        &self,
        body: OwnedDoc,
        read: &OwnedDoc,
        operations: &dyn Operations<F>,
    ) -> Result<OwnedDoc, OperationError<F>> {
        // The content type of the request decides, not the server: kubectl sends a JSON merge patch for a custom
        // resource.
        let kind = match self.request {
            Request::JsonMergePatch => OperationKind::JsonMergeApply,
            Request::ClientSideApply if self.client.context.custom_resource => OperationKind::JsonMergeApply,
            Request::ClientSideApply | Request::StrategicMergePatch => OperationKind::Apply,
            Request::Create | Request::Update | Request::ServerSideApply => return Ok(body),
        };
        self.perform(kind, &[(Role::Live, read), (Role::Patch, &body)], operations)
    }

    /// Applies a configuration to the stored object. Returns the object and its managed fields.
    fn apply_on_server<F>(
        &self,
        configuration: &OwnedDoc,
        (read, stored): (&OwnedDoc, &StoredObject),
        operations: &dyn Operations<F>,
    ) -> Result<(OwnedDoc, Vec<OwnedDoc>), OperationError<F>> {
        let identity = Identity::of(&[configuration, read], self.kind());
        let configuration = identity.add_to(configuration, false);
        let live = identity.add_to(&with_managed_fields(read, &stored.managed_fields), true);
        let mut documents = vec![(Role::Configuration, &configuration)];
        documents.extend(stored.object.as_ref().map(|_| (Role::Live, &live)));
        let time = Self::time(stored);
        let mut merged =
            self.perform_at(OperationKind::ServerSideApply, &documents, Some(&time), operations)?;
        let managed_fields = take_managed_fields(&mut merged);
        Ok((identity.remove_from(merged), managed_fields))
    }

    /// Returns the managed fields after a request that is no server-side apply. If they cannot be computed, those of the
    /// stored object remain, as on an API server. Upstream: `FieldManager.UpdateNoErrors`.
    fn update_managed_fields<F>(
        &self,
        merged: &OwnedDoc,
        prepared: &Prepared,
        (read, stored): (&OwnedDoc, &StoredObject),
        operations: &dyn Operations<F>,
    ) -> Result<Vec<OwnedDoc>, OperationError<F>> {
        if !self.keeps_managed_fields {
            return Ok(Vec::new());
        }
        // An object that the server cannot decode is refused when it is stored.
        let Ok(new) = convert(&self.server.context, merged, UnknownFieldHandling::Drop) else {
            return Ok(Vec::new());
        };
        // A client sends the managed fields that it read. A patch does not contain them.
        let sent =
            if self.request.is_whole_object() { &prepared.managed_fields } else { &stored.managed_fields };
        let identity = Identity::of(&[&new, read], self.kind());
        let new = identity.add_to(&with_managed_fields(&new, sent), stored.object.is_some());
        let live = identity.add_to(&with_managed_fields(read, &stored.managed_fields), true);
        let mut documents = vec![(Role::New, &new)];
        documents.extend(stored.object.as_ref().map(|_| (Role::Live, &live)));
        let time = Self::time(stored);
        match self.perform_at(OperationKind::ManagedUpdate, &documents, Some(&time), operations) {
            Ok(mut updated) => Ok(take_managed_fields(&mut updated)),
            Err(OperationError::Refused(_)) => Ok(stored.managed_fields.clone()),
            Err(no_answer) => Err(no_answer),
        }
    }

    /// Returns the kind of an object that does not say its own: the name of its type, without the package or group.
    fn kind(&self) -> &str {
        let context = &self.full_context;
        context
            .schema
            .as_struct(context.root)
            .map_or("Object", |ty| ty.name.rsplit('.').next().unwrap_or(&ty.name))
    }
}

impl Scenario<'_> {
    /// Returns true if one of the requests is a server-side apply, so that managed fields have an effect.
    pub(super) fn keeps_managed_fields(&self) -> bool {
        let others = self.history.iter().chain(self.meanwhile).map(|other| other.request);
        std::iter::once(self.request).chain(others).any(|request| request == Request::ServerSideApply)
    }
}

fn is_member_of_objects(key: &str) -> bool {
    matches!(key, "apiVersion" | "kind" | "metadata")
}

/// Returns the members of a decoded document that the document had before it was decoded.
fn only_members_of(decoded: &OwnedDoc, written: &OwnedDoc) -> OwnedDoc {
    match (decoded, written) {
        (Doc::Map(decoded), Doc::Map(written)) => {
            let kept = decoded.iter().filter_map(|(key, value)| {
                written.get(key).map(|written| (key.clone(), only_members_of(value, written)))
            });
            Doc::Map(kept.collect())
        }
        (Doc::List(decoded), Doc::List(written)) => {
            let items =
                decoded.iter().zip(written).map(|(decoded, written)| only_members_of(decoded, written));
            Doc::List(items.collect())
        }
        (decoded, _) => decoded.clone(),
    }
}
