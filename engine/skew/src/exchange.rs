//! An exchange: a client reads an object, edits it and sends a request, and the server stores the result.

use std::rc::Rc;
use std::sync::Arc;

use skewer_engine::document::{Doc, Map, OwnedDoc};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::patch::PatchContext;

use super::apply_tool::{ApplyTool, ManifestRequest};
use super::intent::Intent;
use super::operations::{OperationError, OperationKind, Operations, Role};
use super::party::{Client, Decoding, Server};
use super::request::{Request, RequestOptions};
use super::scenario::{OtherRequest, Scenario};
use super::simulated_server::{PartyOperations, ServerRequest};
use super::step::{Record, StepName};
use super::store::{ReadObject, Store};
use super::stored_object::take_managed_fields;
use super::tool_course::{ManifestApply, ToolChange, ToolRequest};

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
    /// The manifest that a tool applied last.
    applied: Option<Rc<ToolManifest>>,
}

/// A manifest that a tool has applied.
#[derive(Debug)]
pub(super) struct ToolManifest {
    tool: Option<Arc<ApplyTool>>,
    manifest: OwnedDoc,
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
    resource_version: String,
}

impl<'a> Exchange<'a> {
    /// Returns the exchange of the scenario's own client.
    pub(super) fn of_scenario(scenario: &'a Scenario) -> Self {
        Exchange {
            client: &scenario.client,
            server: &scenario.server,
            request: scenario.request,
            options: &scenario.options,
            intent: &scenario.intent,
            full_context: &scenario.full_context,
            last_applied: scenario.last_applied.as_deref(),
            document: match scenario.request {
                Request::ServerSideApply => {
                    scenario.configuration.as_deref().or(scenario.last_applied.as_deref())
                }
                _ => scenario.configuration.as_deref(),
            },
            applied: None,
        }
    }

    /// Returns the exchange of another client.
    pub(super) fn of_other(scenario: &'a Scenario, other: &'a OtherRequest) -> Self {
        Exchange {
            client: &other.client,
            server: other.server.as_ref().unwrap_or(&scenario.server),
            request: other.request,
            options: &other.options,
            intent: &other.intent,
            full_context: &scenario.full_context,
            last_applied: None,
            document: other.document.as_deref(),
            applied: None,
        }
    }

    /// Returns the exchange after a tool has applied a manifest.
    pub(super) fn after(self, applied: Option<&Rc<ToolManifest>>) -> Self {
        Exchange { applied: applied.cloned(), ..self }
    }

    /// Returns the manifest that the exchange applies, if it is that of a tool.
    pub(super) fn applied_manifest(&self, prepared: Prepared) -> Option<Rc<ToolManifest>> {
        let tool = self.options.tool.clone();
        let manifest = || Rc::new(ToolManifest { tool, manifest: prepared.edited });
        (self.request == Request::ApplyManifest).then(manifest)
    }

    /// Reads the stored object and makes the edits of the intent.
    pub(super) fn prepare<F>(
        &self,
        store: &mut dyn Store<F>,
        record: Record<'_>,
    ) -> Result<Prepared, OperationError<F>> {
        let ReadObject { object: read, mut managed_fields, resource_version } = store.read(self.server)?;
        record(StepName::Read, &read);
        let decoded = self.client.decode(read)?;
        record(StepName::Decoded, &decoded);
        let mut base = match (self.request, self.last_applied, self.document) {
            (Request::ClientSideApply, Some(_), Some(manifest)) => manifest.clone(),
            (Request::ClientSideApply, Some(last_applied), None) => last_applied.clone(),
            (Request::ClientSideApply, None, _) => {
                let message = "request client-side-apply: expected a last-applied object";
                return Err(Error::new(ErrorKind::InvalidIntent, message).into());
            }
            (_, _, Some(document)) => document.clone(),
            (Request::ApplyManifest, _, None) => {
                let applied = self.applied.as_ref().map(|applied| applied.manifest.clone());
                applied.ok_or_else(|| {
                    Error::new(ErrorKind::InvalidIntent, "request apply-manifest: expected a manifest")
                })?
            }
            (Request::ServerSideApply, _, None) => Doc::Map(Map::new()),
            _ => decoded.clone(),
        };
        // An object without owners can be that of a server that keeps none, whose objects have no managed fields.
        if self.request == Request::Update && !managed_fields.is_empty() {
            let own = take_managed_fields(&mut base);
            if !own.is_empty() {
                managed_fields = own;
            }
        }
        let mut edited = base;
        self.intent.edit(&mut edited, &self.client.context, self.full_context)?;
        let edited = match self.request {
            Request::ServerSideApply => self.decode_configuration(&edited)?,
            // A tool sends the text of the user.
            Request::ApplyManifest => edited,
            _ => self.client.decode(edited)?,
        };
        record(StepName::Edited, &edited);
        Ok(Prepared { decoded, edited, managed_fields, resource_version })
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

    /// Creates the client's request from what the client knows, and lets the server process it and store the result.
    pub(super) fn send<F>(
        &self,
        prepared: &Prepared,
        store: &mut dyn Store<F>,
        operations: &dyn Operations<F>,
        record: Record<'_>,
    ) -> Result<(), OperationError<F>> {
        if self.request == Request::ApplyManifest {
            return self.apply_manifest(&prepared.edited, store, operations, record);
        }
        let body = self.create_body(prepared, operations)?;
        record(StepName::Request, &body);
        let request = self.server_request(&body, prepared);
        let version =
            self.options.sends_resource_version(self.request).then_some(&*prepared.resource_version);
        store.write(self.server, &request, version, record)?;
        record(StepName::Result, &store.document());
        Ok(())
    }

    fn server_request<'r>(&'r self, body: &'r OwnedDoc, prepared: &'r Prepared) -> ServerRequest<'r> {
        ServerRequest {
            request_type: self.request.request_type(self.client.context.custom_resource),
            body,
            managed_fields: &prepared.managed_fields,
            options: self.options,
            negotiated: self.client.negotiated.as_deref(),
        }
    }

    /// Lets the tool apply a manifest: its real code, or its model.
    fn apply_manifest<F>(
        &self,
        manifest: &OwnedDoc,
        store: &mut dyn Store<F>,
        operations: &dyn Operations<F>,
        record: Record<'_>,
    ) -> Result<(), OperationError<F>> {
        let tool = self.options.tool.as_deref().ok_or_else(|| {
            Error::new(ErrorKind::InvalidIntent, "request apply-manifest: expected a client with a tool")
        })?;
        let force = self.options.force && tool.force_option.is_some();
        let previous = self.applied.as_ref().map(|applied| &applied.manifest);
        let previous_tool =
            self.applied.as_ref().and_then(|applied| applied.tool.as_deref()).map(|tool| tool.name);
        let request = ManifestRequest { tool, previous_tool, previous, manifest, force };
        if let Some(requests) = store.apply_manifest(self.server, &request) {
            record(StepName::Request, &requests?);
        } else {
            let change = match previous_tool {
                None => ToolChange::First,
                Some(name) if name == tool.name => ToolChange::Never,
                Some(_) => ToolChange::Now,
            };
            let is_custom_resource = self.client.context.custom_resource;
            let apply = ManifestApply { manifest, previous, change, is_custom_resource, force };
            let live = Some(store.document().into_owned()).filter(|live| !live.is_null());
            tool.apply(apply, live.as_ref(), &mut |request, _| {
                self.send_of_tool(request, store, operations, record)
            })?;
        }
        record(StepName::Result, &store.document());
        Ok(())
    }

    /// Sends one request of a tool. Returns the object after it, or after it would have been stored.
    fn send_of_tool<F>(
        &self,
        request: &ToolRequest,
        store: &mut dyn Store<F>,
        operations: &dyn Operations<F>,
        record: Record<'_>,
    ) -> Result<OwnedDoc, OperationError<F>> {
        let (manager, force) = (request.manager.as_str().into(), request.force);
        let exchange = Exchange {
            client: &Client { decoding: Decoding::Unstructured, ..self.client.clone() },
            server: &Server { strict: self.server.strict || request.is_strict, ..self.server.clone() },
            request: request.request,
            options: &RequestOptions { manager, force, ..RequestOptions::default() },
            intent: &Intent::default(),
            full_context: self.full_context,
            last_applied: request.last_applied.as_ref(),
            document: Some(&request.document),
            applied: None,
        };
        let prepared = exchange.prepare(store, &mut |_, _| {})?;
        if request.is_dry_run {
            let body = exchange.create_body(&prepared, operations)?;
            return store.try_write(exchange.server, &exchange.server_request(&body, &prepared));
        }
        exchange.send(&prepared, store, operations, &mut |step, document| {
            if step == StepName::Request {
                record(step, document);
            }
        })?;
        Ok(store.document().into_owned())
    }

    /// Creates the body of the request.
    fn create_body<F>(
        &self,
        prepared: &Prepared,
        operations: &dyn Operations<F>,
    ) -> Result<OwnedDoc, OperationError<F>> {
        let Prepared { decoded, edited, .. } = prepared;
        let two_documents = [(Role::Original, decoded), (Role::Modified, edited)];
        let client = PartyOperations {
            operations,
            context: &self.client.context,
            options: self.options,
            subresource: "",
        };
        match self.request {
            Request::Create | Request::Update | Request::ServerSideApply | Request::ApplyManifest => {
                Ok(edited.clone())
            }
            Request::JsonMergePatch => client.perform(OperationKind::JsonMergeTwoWay, &two_documents),
            Request::StrategicMergePatch => client.perform(OperationKind::TwoWay, &two_documents),
            Request::ClientSideApply => {
                let last_applied = self.last_applied.unwrap_or(&Doc::Null);
                let documents =
                    [(Role::LastApplied, last_applied), (Role::Modified, edited), (Role::Live, decoded)];
                let is_strategic = !self.client.context.custom_resource;
                let kind =
                    if is_strategic { OperationKind::ThreeWay } else { OperationKind::JsonMergeThreeWay };
                client.perform(kind, &documents)
            }
        }
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
