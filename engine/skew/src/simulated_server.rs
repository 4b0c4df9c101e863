//! The simulated API server: it processes a request that writes an object, and returns the object to store.

use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::field_path::FieldPath;
use skewer_engine::patch::{LibraryChange, Overwrite, PatchContext, PatchLibrary, json_merge, json_patch};
use skewer_engine::server_side_apply::BEFORE_FIRST_APPLY;
use skewer_engine::union::Admitted;

use super::convert::{Decoder, UnknownFieldHandling, convert, without_unset_fields};
use super::endpoint::Endpoint;
use super::operations::{
    FieldManagerOptions, Operation, OperationError, OperationKind, OperationOptions, Operations, Role,
    UnionWrite,
};
use super::owner_entry::entries;
use super::party::{Server, Webhook};
use super::request::{RequestOptions, RequestType};
use super::served_resource::STATUS;
use super::step::{Record, StepName};
use super::stored_object::{Identity, StoredObject, take_managed_fields, with_managed_fields};

/// The operations of an implementation, as one party performs them for one request.
pub(super) struct PartyOperations<'a, F> {
    pub(super) operations: &'a dyn Operations<F>,
    /// The context of the party.
    pub(super) context: &'a PatchContext,
    pub(super) options: &'a RequestOptions,
    /// The subresource to which the request is sent. Empty for the main resource.
    pub(super) subresource: &'a str,
}

impl<F> PartyOperations<'_, F> {
    /// Performs an operation.
    pub(super) fn perform(
        &self,
        kind: OperationKind,
        documents: &[(Role, &OwnedDoc)],
    ) -> Result<OwnedDoc, OperationError<F>> {
        self.perform_with(kind, documents, FieldManagerOptions::default())
    }

    /// Performs an operation of a field manager, which has a time and a resource.
    fn perform_with(
        &self,
        kind: OperationKind,
        documents: &[(Role, &OwnedDoc)],
        manager: FieldManagerOptions<'_>,
    ) -> Result<OwnedDoc, OperationError<F>> {
        let operands = documents.iter().map(|(role, document)| (*role, (*document).into()));
        let operation = Operation::new(kind, Some(self.context), operands).map_err(Error::from)?;
        let field_manager = FieldManagerOptions {
            manager: &self.options.manager,
            force: self.options.force,
            subresource: self.subresource,
            ..manager
        };
        let options =
            OperationOptions { overwrite: Overwrite::Yes, field_manager, ..OperationOptions::default() };
        self.operations.perform(&operation.with_options(options))
    }
}

/// A request as it arrives at a server.
pub(super) struct ServerRequest<'a> {
    pub(super) request_type: RequestType,
    /// The body. A whole object has no managed fields here.
    pub(super) body: &'a OwnedDoc,
    /// The managed fields that a whole object has.
    pub(super) managed_fields: &'a [OwnedDoc],
    pub(super) options: &'a RequestOptions,
    /// The context with which the server merges a patch of a negotiated version. `None` stands for the server's own.
    pub(super) negotiated: Option<&'a PatchContext>,
}

impl ServerRequest<'_> {
    /// Returns the decoder of the object that results from the request. `server` is the context of the server.
    fn decoder(&self, server: &PatchContext) -> Decoder {
        match self.request_type {
            RequestType::StrategicMergePatch | RequestType::ServerSideApply
                if !server.library.has(LibraryChange::EmptyBytesKept) =>
            {
                Decoder::UnstructuredWithoutEmptyBytes
            }
            RequestType::StrategicMergePatch | RequestType::ServerSideApply => Decoder::Unstructured,
            RequestType::Create
            | RequestType::Update
            | RequestType::JsonMergePatch
            | RequestType::JsonPatch => Decoder::Json,
        }
    }
}

/// The object that a server stores, and its managed fields.
pub(super) type Written = (OwnedDoc, Vec<OwnedDoc>);

/// A server that stores one object.
#[derive(Clone, Copy)]
pub(super) struct SimulatedServer<'a> {
    pub(super) server: &'a Server,
    /// The kind of an object that does not say its own.
    pub(super) kind: &'a str,
    /// Whether the server keeps managed fields.
    pub(super) keeps_managed_fields: bool,
    /// The webhook that the server calls, with the context of a party that is up to date.
    pub(super) webhook: Option<(&'a Webhook, &'a PatchContext)>,
    /// The time of the request, if the times of managed fields matter.
    pub(super) time: Option<&'a str>,
    /// The endpoint of a whole request. The server checks that the object is that of the endpoint. Without an admission, only
    /// the request handlers are simulated, which do not validate the object.
    pub(super) endpoint: Option<&'a Endpoint>,
}

impl SimulatedServer<'_> {
    /// Returns the stored object as the server returns it. Null if it does not exist.
    pub(super) fn read(&self, stored: &StoredObject) -> Result<OwnedDoc> {
        let object = stored.object.as_ref().unwrap_or(&Doc::Null);
        match &self.server.admission {
            Some(_) if object.is_null() => Ok(Doc::Null),
            _ => self.server.completed(object),
        }
    }

    /// Merges a request into the stored object, and converts and validates the result. An implementation performs the
    /// operations.
    pub(super) fn process<F>(
        &self,
        request: &ServerRequest<'_>,
        stored: &StoredObject,
        operations: &dyn Operations<F>,
        record: Record<'_>,
    ) -> Result<Written, OperationError<F>> {
        let operations = PartyOperations {
            operations,
            context: &self.server.context,
            options: request.options,
            subresource: &request.options.subresource,
        };
        if self.server.admission.as_ref().is_some_and(|admission| !admission.version.served) {
            return Err(Error::new(ErrorKind::NotFound, "the server does not serve this version").into());
        }
        let read = self.read(stored)?;
        let current = Current { read: &read, stored };
        self.check_subresource(request, stored)?;
        let (merged, managed_fields) = if request.request_type == RequestType::ServerSideApply {
            self.apply(request.body, current, &operations)?
        } else {
            let context = request.negotiated.unwrap_or(operations.context);
            let mut merged = merge(request, &read, &PartyOperations { context, ..operations })?;
            if let Some(endpoint) = self.endpoint {
                merged = endpoint.with_type(request.request_type, merged)?;
            }
            let managed_fields = self.update_managed_fields(&merged, request, current, &operations)?;
            (merged, managed_fields)
        };
        record(StepName::Merged, &with_managed_fields(&merged, &managed_fields));
        let mut received = if self.is_unchanged(request, &merged, current) {
            merged
        } else {
            self.server.decode(&merged, request.decoder(&self.server.context))?
        };
        // Upstream: the handlers call mutating admission after the field manager (`UpdateResource`, `patchResource`), so that
        // nobody becomes the owner of what a webhook changes.
        if let Some((webhook, full_context)) = self.webhook {
            let mutated = webhook.mutate(&received, full_context)?;
            record(StepName::Mutated, &mutated);
            received = Server { strict: false, ..self.server.clone() }.decode(&mutated, Decoder::Json)?;
        }
        if self.has_only_handlers() {
            return Ok((received, managed_fields));
        }
        let is_created = request.request_type == RequestType::Create || stored.object.is_none();
        let old = (!is_created).then_some(&read);
        let admit_unions = |new| self.admit_unions(request.request_type, old, new, operations.operations);
        let mut admitted =
            self.server.store_decoded(&request.options.subresource, old, received, admit_unions)?;
        if self.server.admission.is_none() && !admitted.changes.is_empty() {
            record(StepName::Normalized, &admitted.object);
            // A field that normalization cleared has its zero value in a Go type.
            admitted.object =
                convert(&self.server.context, &admitted.object, Decoder::Json, UnknownFieldHandling::Drop)?;
        }
        Ok((admitted.object, managed_fields))
    }

    /// Returns true if a server-side apply changes no value. The object then stays as it was read, and gets no defaults. Upstream:
    /// `structuredMergeManager.Apply`, `Updater.Apply`.
    fn is_unchanged(&self, request: &ServerRequest<'_>, merged: &OwnedDoc, current: Current<'_>) -> bool {
        let is_apply =
            request.request_type == RequestType::ServerSideApply && self.server.admission.is_some();
        is_apply && current.stored.object.is_some() && merged == current.read
    }

    /// Lets an implementation decide on the unions of an object, or else the policy of the server.
    fn admit_unions<F>(
        &self,
        request_type: RequestType,
        old: Option<&OwnedDoc>,
        new: OwnedDoc,
        operations: &dyn Operations<F>,
    ) -> Result<Admitted, OperationError<F>> {
        let Server { context, policy, .. } = self.server;
        let write = UnionWrite { context, policy: *policy, request_type, old, new: &new };
        let asked = context.schema.has_unions().then(|| operations.admit_unions(&write)).flatten();
        match asked {
            Some(answer) => answer,
            None => Ok(self.server.admit_unions(old, new)?),
        }
    }

    /// Returns true if only the request handlers are simulated, which have no strategy of the resource.
    fn has_only_handlers(&self) -> bool {
        self.endpoint.is_some() && self.server.admission.is_none()
    }

    /// Refuses a request to a subresource that the server does not have, and one that would create the object.
    fn check_subresource(&self, request: &ServerRequest<'_>, stored: &StoredObject) -> Result<()> {
        if request.options.subresource.is_empty() || self.has_only_handlers() {
            return Ok(());
        }
        let name = request.options.subresource.as_str();
        if name != STATUS || !self.server.resource().has_status_subresource() {
            let message = format!("the server has no subresource {name} of the objects");
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        if stored.object.is_none() || request.request_type == RequestType::Create {
            let message = format!("a request to the subresource {name} needs an object that exists");
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        Ok(())
    }

    /// Returns the identity of an object. `documents` are its forms.
    fn identity(&self, documents: &[&OwnedDoc]) -> Identity {
        Identity::of(documents, self.kind, self.server.resource().api_version())
    }

    /// Performs an operation of a field manager on an object that has an identity.
    fn manage<F>(
        &self,
        kind: OperationKind,
        documents: &[(Role, &OwnedDoc)],
        identity: &Identity,
        operations: &PartyOperations<'_, F>,
    ) -> Result<OwnedDoc, OperationError<F>> {
        let resource = match identity.api_version() {
            Some(version) if !self.has_only_handlers() => {
                self.server.resource().resource(version, operations.subresource)?
            }
            _ => None,
        };
        let options = FieldManagerOptions {
            time: self.time,
            resource: resource.as_ref(),
            ..FieldManagerOptions::default()
        };
        operations.perform_with(kind, documents, options)
    }

    /// Returns the object that a request changes if there is no stored object.
    fn new_object(&self, identity: &Identity) -> Option<OwnedDoc> {
        self.server.resource().new_object().map(|new| identity.add_to(new, false))
    }

    /// Applies a configuration to the stored object. Returns the object and its managed fields.
    fn apply<F>(
        &self,
        configuration: &OwnedDoc,
        current: Current<'_>,
        operations: &PartyOperations<'_, F>,
    ) -> Result<Written, OperationError<F>> {
        let identity = self.identity(&[configuration, current.read]);
        let configuration = identity.add_to(configuration.clone(), false);
        let mut live = current.live_object(&identity);
        let mut documents = vec![(Role::Configuration, &configuration)];
        if current.stored.object.is_some() {
            if current.stored.managed_fields.is_empty()
                && let Some(new) = self.new_object(&identity)
            {
                let documents = [(Role::Live, &new), (Role::New, &live)];
                // Libraries that do not track creations track this one.
                let library = operations.context.library.with(LibraryChange::CreationsTracked);
                let context = PatchContext { library, ..operations.context.clone() };
                let manager = BEFORE_FIRST_APPLY.into();
                let options = RequestOptions { manager, ..operations.options.clone() };
                let before = PartyOperations { context: &context, options: &options, ..*operations };
                live = self.manage(OperationKind::ManagedUpdate, &documents, &identity, &before)?;
                // The object can have only fields that Go always writes. The field manager, which does not know them, would
                // look for their owner once more.
                if entries(&live).is_empty() {
                    live = without_unset_fields(&self.server.context, live);
                }
            }
            documents.push((Role::Live, &live));
        }
        let mut merged = self.manage(OperationKind::ServerSideApply, &documents, &identity, operations)?;
        let managed_fields = take_managed_fields(&mut merged);
        Ok((identity.remove_from(merged), managed_fields))
    }

    /// Returns the managed fields after a request that is no server-side apply. If they cannot be computed, those of the
    /// stored object remain, or all are removed ([`LibraryChange::OwnersKept`]). Upstream: `FieldManager.UpdateNoErrors`.
    fn update_managed_fields<F>(
        &self,
        merged: &OwnedDoc,
        request: &ServerRequest<'_>,
        current: Current<'_>,
        operations: &PartyOperations<'_, F>,
    ) -> Result<Vec<OwnedDoc>, OperationError<F>> {
        if !self.keeps_managed_fields {
            return Ok(Vec::new());
        }
        // An object that the server cannot decode is refused when it is stored.
        let decoder = request.decoder(&self.server.context);
        let new = match &self.server.admission {
            Some(admission) => admission.decode(merged, false),
            None => self.server.convert(merged, decoder),
        };
        let Ok(new) = new else { return Ok(Vec::new()) };
        // A client sends the managed fields that it read. A patch does not contain them.
        let sent = if request.request_type.is_whole_object() {
            request.managed_fields
        } else {
            &current.stored.managed_fields
        };
        let identity = self.identity(&[&new, current.read]);
        let new =
            identity.add_to(with_managed_fields(&new, sent).into_owned(), current.stored.object.is_some());
        let live = match &current.stored.object {
            Some(_) => Some(current.live_object(&identity)),
            None => self.new_object(&identity),
        };
        let mut documents = vec![(Role::New, &new)];
        documents.extend(live.as_ref().map(|live| (Role::Live, live)));
        let keeps_owners = self.server.context.library.has(LibraryChange::OwnersKept);
        match self.manage(OperationKind::ManagedUpdate, &documents, &identity, operations) {
            Ok(mut updated) => Ok(take_managed_fields(&mut updated)),
            Err(OperationError::Refused(_)) if !keeps_owners => Ok(Vec::new()),
            Err(OperationError::Refused(_)) => Ok(current.stored.managed_fields.clone()),
            Err(no_answer) => Err(no_answer),
        }
    }
}

/// The object before a request.
#[derive(Clone, Copy)]
struct Current<'a> {
    /// The object as the server returns it.
    read: &'a OwnedDoc,
    stored: &'a StoredObject,
}

impl Current<'_> {
    /// Returns the object in the form in which a field manager gets it.
    fn live_object(self, identity: &Identity) -> OwnedDoc {
        identity.add_to(with_managed_fields(self.read, &self.stored.managed_fields).into_owned(), true)
    }
}

/// Merges the body of a request that is no server-side apply into the stored object.
fn merge<F>(
    request: &ServerRequest<'_>,
    read: &OwnedDoc,
    operations: &PartyOperations<'_, F>,
) -> Result<OwnedDoc, OperationError<F>> {
    let kind = match request.request_type {
        RequestType::JsonMergePatch => OperationKind::JsonMergeApply,
        RequestType::StrategicMergePatch => OperationKind::Apply,
        RequestType::JsonPatch => OperationKind::JsonPatchApply,
        RequestType::Create | RequestType::Update | RequestType::ServerSideApply => {
            return Ok(request.body.clone());
        }
    };
    let library = operations.context.library;
    if kind == OperationKind::JsonPatchApply {
        refuse_unsupported(library, read, request.body)?;
    }
    if kind == OperationKind::JsonMergeApply && library != PatchLibrary::NEWEST {
        let body = json_merge::as_read_by(library, request.body.clone());
        return operations.perform(kind, &[(Role::Live, read), (Role::Patch, &body)]);
    }
    operations.perform(kind, &[(Role::Live, read), (Role::Patch, request.body)])
}

/// Refuses a JSON patch that only newer libraries support. Any other error is left to the implementation.
fn refuse_unsupported(library: PatchLibrary, read: &OwnedDoc, patch: &OwnedDoc) -> Result<()> {
    if library == PatchLibrary::NEWEST || json_patch::apply(read, patch).is_err() {
        return Ok(());
    }
    // The answer of a server does not say which operation failed.
    json_patch::apply_with(library, read, patch)
        .map(drop)
        .map_err(|error| error.with_path(Some(FieldPath::root())))
}
