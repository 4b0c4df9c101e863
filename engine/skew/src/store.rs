//! The store of the object of a scenario: in the simulation, or by a server that runs.

use std::borrow::Cow;

use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::patch::PatchContext;

use super::apply_tool::ManifestRequest;
use super::operations::{
    ApiRequestOptions, FieldManagerOptions, Operation, OperationError, OperationKind, OperationOptions,
    Operations, Role,
};
use super::party::{Server, Webhook};
use super::request::RequestType;
use super::scenario::Scenario;
use super::simulated_server::{ServerRequest, SimulatedServer, Written};
use super::step::Record;
use super::stored_object::{StoredObject, kind_of_root, take_managed_fields, with_managed_fields};

/// An object as a server returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadObject {
    /// The object without its managed fields. Null if it does not exist.
    pub object: OwnedDoc,
    /// The entries of `metadata.managedFields`.
    pub managed_fields: Vec<OwnedDoc>,
    /// The resource version. Only the server knows what it means.
    pub resource_version: String,
}

/// A request to a server that runs.
#[derive(Clone, Copy, Debug)]
pub struct LiveRequest<'a> {
    /// The type of the request.
    pub request_type: RequestType,
    /// The body. A whole object has no managed fields and no resource version here.
    pub body: &'a OwnedDoc,
    /// The managed fields that a whole object has.
    pub managed_fields: &'a [OwnedDoc],
    /// The resource version that the request has. Without it, the server does not check whether the object has changed.
    pub resource_version: Option<&'a str>,
    /// The field manager.
    pub manager: &'a str,
    /// Whether a server-side apply takes fields from other managers.
    pub force: bool,
    /// The subresource to which the request is sent. Empty for the main resource.
    pub subresource: &'a str,
    /// Whether the server does not store the result.
    pub is_dry_run: bool,
}

impl<'a> LiveRequest<'a> {
    fn of(request: &'a ServerRequest<'_>, resource_version: Option<&'a str>) -> Self {
        LiveRequest {
            request_type: request.request_type,
            body: request.body,
            managed_fields: request.managed_fields,
            resource_version,
            manager: &request.options.manager,
            force: request.options.force,
            subresource: &request.options.subresource,
            is_dry_run: false,
        }
    }
}

/// The end of the requests of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedManifest {
    /// The requests that the tool sent, as a list.
    pub requests: OwnedDoc,
    /// The object after them.
    pub object: ReadObject,
}

/// A server that runs and keeps the object of a scenario, such as a real API server. It stands for all servers of the
/// scenario: before a request, it becomes the server that the request is sent to.
pub trait LiveServer<F> {
    /// Returns the object as `server` returns it.
    ///
    /// # Errors
    /// [`OperationError::Refused`] if the server refuses the request for another reason than that the object does not
    /// exist. [`OperationError::NoAnswer`] if it does not answer.
    fn read(&mut self, server: &Server) -> Result<ReadObject, OperationError<F>>;

    /// Sends a request to `server`. Returns the object that the server returns.
    ///
    /// # Errors
    /// [`OperationError::Refused`] if the server refuses the request. [`OperationError::NoAnswer`] if it does not
    /// answer.
    fn write(&mut self, server: &Server, request: &LiveRequest<'_>) -> Result<ReadObject, OperationError<F>>;

    /// Lets the real code of a tool apply a manifest to `server`. Returns `None` if there is none, so that the tool is
    /// simulated.
    ///
    /// # Errors
    /// As [`LiveServer::write`]: the tool can be refused, and can refuse the manifest itself.
    fn apply_manifest(
        &mut self,
        _server: &Server,
        _request: &ManifestRequest<'_>,
    ) -> Option<Result<AppliedManifest, OperationError<F>>> {
        None
    }

    /// Returns the object as it is stored, whatever the servers of the scenario know. It has no managed fields.
    ///
    /// # Errors
    /// As [`LiveServer::read`].
    fn stored(&mut self) -> Result<OwnedDoc, OperationError<F>>;
}

/// The store of the object that the requests of a scenario change.
pub(super) trait Store<F> {
    /// Returns the object as a server of the scenario returns it.
    fn read(&mut self, server: &Server) -> Result<ReadObject, OperationError<F>>;

    /// Lets a server of the scenario process a request. `version` is the resource version that the client sends.
    fn write(
        &mut self,
        server: &Server,
        request: &ServerRequest<'_>,
        version: Option<&str>,
        record: Record<'_>,
    ) -> Result<(), OperationError<F>>;

    /// Returns the object with its managed fields after a request that is a dry run.
    fn try_write(
        &mut self,
        server: &Server,
        request: &ServerRequest<'_>,
    ) -> Result<OwnedDoc, OperationError<F>>;

    /// Lets the real code of a tool apply a manifest. Returns the requests that it sent, or `None` if the tool is simulated.
    fn apply_manifest(
        &mut self,
        _server: &Server,
        _request: &ManifestRequest<'_>,
    ) -> Option<Result<OwnedDoc, OperationError<F>>> {
        None
    }

    /// Returns the object after the last request, with its managed fields. Null if it does not exist.
    fn document(&self) -> Cow<'_, OwnedDoc>;

    /// Returns the stored object without its managed fields. Null if it does not exist.
    fn stored(&mut self) -> Result<OwnedDoc, OperationError<F>>;
}

/// The store of a simulation.
pub(super) struct SimulatedStore<'a, F> {
    stored: StoredObject,
    /// The kind of an object that does not say its own.
    kind: &'a str,
    operations: &'a dyn Operations<F>,
    /// Whether the server keeps managed fields. They have an effect only if one of the requests is a server-side apply.
    keeps_managed_fields: bool,
    /// The webhook that servers call, with the context of a party that is up to date.
    webhook: Option<(&'a Webhook, &'a PatchContext)>,
}

impl<'a, F> SimulatedStore<'a, F> {
    /// Returns the store at the beginning of a scenario.
    pub(super) fn new(scenario: &'a Scenario, operations: &'a dyn Operations<F>) -> Self {
        let keeps_managed_fields = scenario.keeps_managed_fields();
        let stored = StoredObject::new(&scenario.stored, keeps_managed_fields);
        let kind = kind_of_root(&scenario.full_context);
        let webhook = scenario.webhook.as_deref().map(|webhook| (webhook, &scenario.full_context));
        SimulatedStore { stored, kind, operations, keeps_managed_fields, webhook }
    }

    fn simulate<'t>(&'t self, server: &'t Server, time: Option<&'t str>) -> SimulatedServer<'t> {
        SimulatedServer {
            server,
            kind: self.kind,
            keeps_managed_fields: self.keeps_managed_fields,
            webhook: self.webhook,
            time,
            endpoint: None,
        }
    }

    fn resource_version(&self) -> String {
        self.stored.resource_version.to_string()
    }

    /// Sends a request to an implementation that is an API server. Returns the object that it stores, and its managed
    /// fields.
    fn send_to_api_server(
        &self,
        server: &Server,
        request: &ServerRequest<'_>,
    ) -> Result<Written, OperationError<F>> {
        // A request that creates the object is sent to a server that does not have it.
        let is_created = request.request_type == RequestType::Create;
        let live = if is_created { Cow::Owned(Doc::Null) } else { self.document() };
        let body = if request.request_type.is_whole_object() {
            with_managed_fields(request.body, request.managed_fields)
        } else {
            Cow::Borrowed(request.body)
        };
        let operands = [(Role::Live, (&*live).into()), (Role::Body, (&*body).into())];
        let operation =
            Operation::new(OperationKind::Request, Some(&server.context), operands).map_err(Error::from)?;
        let options = OperationOptions {
            // Without a manager, the result has no managed fields.
            field_manager: FieldManagerOptions {
                manager: if self.keeps_managed_fields { &request.options.manager } else { "" },
                force: request.options.force,
                subresource: &request.options.subresource,
                ..FieldManagerOptions::default()
            },
            request: ApiRequestOptions {
                request_type: request.request_type,
                strict: server.strict,
                ..ApiRequestOptions::default()
            },
            ..OperationOptions::default()
        };
        let mut object = self.operations.perform(&operation.with_options(options))?;
        let managed_fields =
            if self.keeps_managed_fields { take_managed_fields(&mut object) } else { Vec::new() };
        Ok((object, managed_fields))
    }

    /// Lets a server process a request.
    fn process(
        &self,
        server: &Server,
        request: &ServerRequest<'_>,
        record: Record<'_>,
    ) -> Result<Written, OperationError<F>> {
        if self.operations.is_api_server() {
            return self.send_to_api_server(server, request);
        }
        let time = time_of_write(self.stored.resource_version);
        self.simulate(server, Some(&time)).process(request, &self.stored, self.operations, record)
    }

    /// Refuses a request with the resource version of an object that has changed since, and an update of a custom
    /// resource without a resource version. Most built-in types allow such an update (`AllowUnconditionalUpdate`).
    fn check_resource_version(
        &self,
        server: &Server,
        request: &ServerRequest<'_>,
        version: Option<&str>,
    ) -> Result<()> {
        match version {
            Some(version) if version != self.resource_version() => {
                let message =
                    "the object has been modified since it was read: apply the change to the latest version";
                Err(Error::new(ErrorKind::Conflict, message))
            }
            None if request.request_type == RequestType::Update && server.context.custom_resource => {
                let message = "an update of a custom resource needs a resource version";
                let error = Error::new(ErrorKind::RequiredFieldMissing, message);
                Err(error.at("resourceVersion").at("metadata"))
            }
            _ => Ok(()),
        }
    }
}

impl<F> Store<F> for SimulatedStore<'_, F> {
    fn read(&mut self, server: &Server) -> Result<ReadObject, OperationError<F>> {
        Ok(ReadObject {
            object: self.simulate(server, None).read(&self.stored)?,
            managed_fields: self.stored.managed_fields.clone(),
            resource_version: self.resource_version(),
        })
    }

    fn write(
        &mut self,
        server: &Server,
        request: &ServerRequest<'_>,
        version: Option<&str>,
        record: Record<'_>,
    ) -> Result<(), OperationError<F>> {
        self.check_resource_version(server, request, version)?;
        let (object, managed_fields) = self.process(server, request, record)?;
        self.stored.write(object, managed_fields);
        Ok(())
    }

    fn try_write(
        &mut self,
        server: &Server,
        request: &ServerRequest<'_>,
    ) -> Result<OwnedDoc, OperationError<F>> {
        let (object, managed_fields) = self.process(server, request, &mut |_, _| {})?;
        Ok(with_managed_fields(&object, &managed_fields).into_owned())
    }

    fn document(&self) -> Cow<'_, OwnedDoc> {
        self.stored.document()
    }

    fn stored(&mut self) -> Result<OwnedDoc, OperationError<F>> {
        Ok(self.stored.object.clone().unwrap_or(Doc::Null))
    }
}

/// Returns the time of a write: each write is a second after the one before.
fn time_of_write(second: u64) -> String {
    format!("2000-01-01T{:02}:{:02}:{:02}Z", second / 3600 % 24, second / 60 % 60, second % 60)
}

/// The store of a server that runs.
pub(super) struct LiveStore<'a, F> {
    server: &'a mut dyn LiveServer<F>,
    /// The object that the server returned last.
    last: ReadObject,
}

impl<'a, F> LiveStore<'a, F> {
    /// Returns the store of a server. `stored` is the object that the server has.
    pub(super) fn new(server: &'a mut dyn LiveServer<F>, stored: &OwnedDoc) -> Self {
        let mut object = stored.clone();
        let managed_fields = take_managed_fields(&mut object);
        let last = ReadObject { object, managed_fields, resource_version: String::new() };
        LiveStore { server, last }
    }
}

impl<F> Store<F> for LiveStore<'_, F> {
    fn read(&mut self, server: &Server) -> Result<ReadObject, OperationError<F>> {
        self.last = self.server.read(server)?;
        Ok(self.last.clone())
    }

    fn write(
        &mut self,
        server: &Server,
        request: &ServerRequest<'_>,
        version: Option<&str>,
        _record: Record<'_>,
    ) -> Result<(), OperationError<F>> {
        self.last = self.server.write(server, &LiveRequest::of(request, version))?;
        Ok(())
    }

    fn try_write(
        &mut self,
        server: &Server,
        request: &ServerRequest<'_>,
    ) -> Result<OwnedDoc, OperationError<F>> {
        let request = LiveRequest { is_dry_run: true, ..LiveRequest::of(request, None) };
        let tried = self.server.write(server, &request)?;
        Ok(with_managed_fields(&tried.object, &tried.managed_fields).into_owned())
    }

    fn apply_manifest(
        &mut self,
        server: &Server,
        request: &ManifestRequest<'_>,
    ) -> Option<Result<OwnedDoc, OperationError<F>>> {
        let answer = self.server.apply_manifest(server, request)?;
        Some(answer.map(|applied| {
            self.last = applied.object;
            applied.requests
        }))
    }

    fn document(&self) -> Cow<'_, OwnedDoc> {
        if self.last.object.is_null() {
            return Cow::Owned(Doc::Null);
        }
        with_managed_fields(&self.last.object, &self.last.managed_fields)
    }

    fn stored(&mut self) -> Result<OwnedDoc, OperationError<F>> {
        self.server.stored()
    }
}
