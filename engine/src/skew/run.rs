//! The simulation of a scenario, step by step.

use super::convert::{Decoder, UnknownFieldHandling, convert, without_unset_fields};
use super::exchange::Exchange;
use super::intent::Intent;
use super::judge::FinalState;
use super::operation::{BuiltIn, OperationError, Operations, infallible};
use super::party::{Client, Decoding, Server};
use super::request::{OtherRequest, Request, RequestOptions};
use super::store::{LiveServer, LiveStore, SimulatedStore, Store};
use crate::document::{Doc, OwnedDoc, OwnedText};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::PatchContext;
use crate::schema::union::DeclarationForm;
use crate::schema::{Required, Type, TypeId};
use crate::union::{self, Admitted, EngineOnly, UnionImplementation};

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
}

/// A step of a scenario, named after the document that it produces. The variants are in the order of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StepName {
    /// The stored object after an earlier request. Recorded once for each request of the history.
    Earlier,
    /// The stored object before the request.
    Stored,
    /// The object that the client applied last.
    LastApplied,
    /// The object that the server returns when the client reads it, without the fields that the server does not know.
    Read,
    /// The object that the client has decoded.
    Decoded,
    /// The object after the client made the edits of the intent and encoded the result.
    Edited,
    /// The stored object after a request that another client sent since the client read the object. Recorded once for
    /// each of these requests.
    Meanwhile,
    /// The body of the request: an object, a patch or an apply configuration.
    Request,
    /// The object after the server merged the request into it.
    Merged,
    /// The object after the server's union policy normalized it. Recorded only if normalization changed something.
    Normalized,
    /// The stored object after the request.
    Result,
}

impl StepName {
    /// Returns the name that `skewer show` and reports use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StepName::Earlier => "earlier",
            StepName::Stored => "stored",
            StepName::LastApplied => "last-applied",
            StepName::Read => "read",
            StepName::Decoded => "decoded",
            StepName::Edited => "edited",
            StepName::Meanwhile => "meanwhile",
            StepName::Request => "request",
            StepName::Merged => "merged",
            StepName::Normalized => "normalized",
            StepName::Result => "result",
        }
    }

    /// Returns a description of the step's document.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            StepName::Earlier => "the stored object after an earlier request",
            StepName::Stored => "the stored object before the request",
            StepName::LastApplied => "the object that the client applied last",
            StepName::Read => {
                "the object that the server returns, without the fields that the server does not know"
            }
            StepName::Decoded => "the object that the client has decoded",
            StepName::Edited => "the object that the client wants",
            StepName::Meanwhile => "the stored object after a request that another client sent meanwhile",
            StepName::Request => "the body of the client's request",
            StepName::Merged => "the object after the server merged the request",
            StepName::Normalized => "the object after the server's union policy normalized it",
            StepName::Result => "the stored object after the request, converted to the server's type",
        }
    }
}

/// Runs a scenario with the operations of the engine and returns its final state. Calls `record` with the document of
/// each step. The object in the final state has the form of [`without_unset_fields`].
///
/// If the server refuses the request, or if the patch cannot be created or applied, the result is
/// [`FinalState::Refused`]. An error means that the scenario has no final state.
///
/// ```
/// # #[cfg(feature = "builtin")] {
/// use std::sync::Arc;
/// use skewer_engine::patch::PatchContext;
/// use skewer_engine::schema::builtin;
/// use skewer_engine::skew::{
///     Client, Decoding, Edit, Intent, Request, RequestOptions, Scenario, Server, StepName, run_built_in,
/// };
/// use skewer_engine::union::policy;
/// use skewer_engine::document::from_json;
///
/// let release = builtin::newest();
/// let everything = PatchContext::of(Arc::clone(release.schema()), release.resolve("Deployment")?)?;
/// let mut old = everything.clone();
/// old.directives = old.directives.without("$retainKeys");
/// let stored = from_json(
///     br#"{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}"#,
/// )?;
/// let fields = from_json(br#"{"type":"Recreate"}"#)?.as_map().cloned().expect("a map");
/// let intent = Intent(vec![Edit::Choose { selector: "spec.strategy".parse()?, fields }]);
/// let client = Client { context: everything.clone(), decoding: Decoding::Structured };
/// let server = Server { context: old, strict: false, policy: policy::NONE, admission: None };
/// let scenario = Scenario {
///     stored: &stored,
///     last_applied: None,
///     intent: &intent,
///     full_context: &everything,
///     client: &client,
///     server: &server,
///     request: Request::StrategicMergePatch,
///     options: &RequestOptions::default(),
///     configuration: None,
///     history: &[],
///     meanwhile: &[],
/// };
/// let mut sent = None;
/// run_built_in(&scenario, &mut |step, document| {
///     if step == StepName::Request {
///         sent = Some(document.to_string());
///     }
/// })?;
/// // The old server takes `$retainKeys` for a field, and drops it.
/// assert!(sent.is_some_and(|patch| patch.contains("$retainKeys")));
/// # }
/// # Ok::<(), skewer_engine::Error>(())
/// ```
///
/// # Errors
/// Fails if the scenario cannot be run at all: with [`ErrorKind::Undecodable`] if the stored object does not fit the
/// types, with [`ErrorKind::InvalidIntent`] if the intent names fields that do not exist, and with any kind if a request
/// of the history, or one that is sent meanwhile, is refused.
pub fn run_built_in(
    scenario: &Scenario<'_>,
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<FinalState> {
    run(scenario, &BuiltIn, record).map_err(infallible)
}

/// Runs a scenario as [`run_built_in`] does, with the operations of another implementation.
///
/// # Errors
/// Fails with [`OperationError::Refused`] if the scenario cannot be run at all, and with [`OperationError::NoAnswer`]
/// if the implementation did not answer.
pub fn run<F>(
    scenario: &Scenario<'_>,
    operations: &dyn Operations<F>,
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<FinalState, OperationError<F>> {
    run_in(scenario, operations, &mut SimulatedStore::new(scenario, operations), record)
}

/// Runs a scenario with a server that runs: the clients are simulated with `operations`, and the server keeps the object.
/// It has the stored object of the scenario, if there is one.
///
/// # Errors
/// As [`run`].
pub fn run_live<F>(
    scenario: &Scenario<'_>,
    operations: &dyn Operations<F>,
    server: &mut dyn LiveServer<F>,
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<FinalState, OperationError<F>> {
    run_in(scenario, operations, &mut LiveStore::new(server, scenario.stored), record)
}

fn run_in<F>(
    scenario: &Scenario<'_>,
    operations: &dyn Operations<F>,
    store: &mut dyn Store<F>,
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<FinalState, OperationError<F>> {
    let run_others =
        |requests: &[OtherRequest], store: &mut dyn Store<F>, record: &mut dyn FnMut(&OwnedDoc)| {
            requests.iter().try_for_each(|request| {
                let exchange = Exchange::of_other(scenario, request);
                let prepared = exchange.prepare(store, &mut |_, _| {})?;
                exchange.send(&prepared, store, operations, &mut |_, _| {})?;
                record(&store.document());
                Ok::<(), OperationError<F>>(())
            })
        };
    run_others(scenario.history, store, &mut |document| record(StepName::Earlier, document))?;
    record(StepName::Stored, &store.document());
    let exchange = Exchange::of_scenario(scenario);
    let prepared = exchange.prepare(store, record)?;
    run_others(scenario.meanwhile, store, &mut |document| record(StepName::Meanwhile, document))?;
    match exchange.send(&prepared, store, operations, record) {
        Ok(()) => {
            // The server can have fields that an up-to-date party does not know.
            let object = without_unset_fields(&scenario.server.context, store.stored()?);
            Ok(FinalState::Stored(without_unset_fields(scenario.full_context, object)))
        }
        Err(OperationError::Refused(error)) => Ok(FinalState::Refused(error)),
        Err(no_answer) => Err(no_answer),
    }
}

impl Client {
    /// Decodes a document into the in-memory form of the client and encodes it again.
    pub(super) fn decode(&self, document: OwnedDoc) -> Result<OwnedDoc> {
        match self.decoding {
            Decoding::Structured => {
                convert(&self.context, &document, Decoder::Json, UnknownFieldHandling::Drop)
            }
            Decoding::Unstructured => Ok(document),
        }
    }
}

impl Server {
    /// Returns true if the server can hold an object: it reads the same from it as a server with the types of
    /// `full_context` does, so that it drops no field.
    #[must_use]
    pub fn can_hold(&self, object: &OwnedDoc, full_context: &PatchContext) -> bool {
        let read = |context| {
            let view = convert(context, object, Decoder::Json, UnknownFieldHandling::Drop).ok()?;
            Some(without_unset_fields(full_context, view))
        };
        read(&self.context).is_some_and(|view| Some(view) == read(full_context))
    }

    /// Converts a merged object to the server's type.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Undecodable`] if a value does not fit its type
    /// - [`ErrorKind::StrictUnknownField`] if the server is strict and does not know a field
    pub(super) fn decode(&self, merged: &OwnedDoc, decoder: Decoder) -> Result<OwnedDoc> {
        if let Some(admission) = &self.admission {
            return match decoder {
                Decoder::Json => admission.decode(merged, self.strict),
                // Custom resources have no strategic merge patches.
                _ => admission.default_applied(merged),
            };
        }
        // A value that does not fit its type is reported before an unknown field, wherever the two are.
        let converted = convert(&self.context, merged, decoder, UnknownFieldHandling::Drop)?;
        if self.strict {
            convert(&self.context, merged, decoder, UnknownFieldHandling::Refuse)?;
        }
        Ok(converted)
    }

    /// Converts a merged object to the server's type, normalizes and validates its unions, and checks the values of
    /// closed enums. `old` is the stored object that the result replaces, or `None` if the object is created.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Undecodable`] if a value does not fit its type
    /// - [`ErrorKind::StrictUnknownField`] if the server is strict and does not know a field
    /// - the kinds that begin with `union-`, if the union policy refuses the object
    /// - [`ErrorKind::RequiredFieldMissing`] if a field is missing that an `OpenAPI` schema requires
    /// - [`ErrorKind::UnknownEnumValue`] if a closed enum does not have a value
    pub fn store(&self, old: Option<&OwnedDoc>, merged: &OwnedDoc, decoder: Decoder) -> Result<Admitted> {
        self.store_with(&mut EngineOnly, old, merged, decoder)
    }

    /// Converts a merged object like [`Server::store`]. The implementation decides on unions instead of the policy.
    pub(super) fn store_with(
        &self,
        unions: &mut dyn UnionImplementation,
        old: Option<&OwnedDoc>,
        merged: &OwnedDoc,
        decoder: Decoder,
    ) -> Result<Admitted> {
        let converted = self.decode(merged, decoder)?;
        let mut admitted =
            union::admit_with(&self.context, self.policy, unions, old, converted).map_err(first_error)?;
        if let Some(admission) = &self.admission {
            admitted.object = admission.to_storage(admission.admit(old, admitted.object)?);
            return Ok(admitted);
        }
        refuse_missing_fields(&self.context, &admitted.object, self.context.root)?;
        refuse_unknown_enum_values(&self.context, &admitted.object, self.context.root)?;
        Ok(admitted)
    }
}

/// Refuses a document that lacks a field that an `OpenAPI` schema requires. A Go type has a zero value for each of its
/// fields, so that none is missing.
fn refuse_missing_fields(context: &PatchContext, document: &OwnedDoc, ty: TypeId) -> Result<()> {
    match (context.schema.get(ty), document) {
        (Type::Struct(s), Doc::Map(map)) => s.fields().try_for_each(|field| match map.get(&field.name) {
            Some(value) if !value.is_null() => {
                refuse_missing_fields(context, value, field.ty).map_err(|e| e.at(&field.name))
            }
            _ if field.required == Required::Yes && !field.is_go => {
                let message = format!("a required field of {} is missing", s.name);
                Err(Error::new(ErrorKind::RequiredFieldMissing, message).at(&field.name))
            }
            _ => Ok(()),
        }),
        (Type::Map(values), Doc::Map(map)) => map.iter().try_for_each(|(key, value)| {
            refuse_missing_fields(context, value, *values).map_err(|e| e.at(key))
        }),
        (Type::List(item_type), Doc::List(items)) => {
            items.iter().enumerate().try_for_each(|(index, item)| {
                refuse_missing_fields(context, item, *item_type).map_err(|e| e.at_index(index))
            })
        }
        _ => Ok(()),
    }
}

/// Returns the first of several errors. A refused request reports only this one.
fn first_error(errors: Vec<Error>) -> Error {
    let without_reason =
        || Error::new(ErrorKind::Undecodable, "the union policy refused the object and gave no reason");
    errors.into_iter().next().unwrap_or_else(without_reason)
}

/// Refuses a document with a value that a closed enum of the server's types does not have. Skips the discriminators of
/// unions, because only the union policy decides on them.
fn refuse_unknown_enum_values(context: &PatchContext, document: &OwnedDoc, ty: TypeId) -> Result<()> {
    match (context.schema.get(ty), document) {
        (Type::Enum(e), Doc::String(value)) => e.check(value),
        (Type::Struct(s), Doc::Map(map)) => {
            let is_discriminator = |key: &OwnedText| {
                // The discriminator of a modal union is an enum like any other: the union has no rule for its values.
                let mut unions = s.unions().iter().filter(|union| union.form != DeclarationForm::Modal);
                unions.any(|union| union.discriminator.as_ref().is_some_and(|d| d.field == *key))
            };
            map.iter().filter(|(key, _)| !is_discriminator(key)).try_for_each(|(key, value)| {
                s.field(key).map_or(Ok(()), |field| {
                    refuse_unknown_enum_values(context, value, field.ty).map_err(|e| e.at(key))
                })
            })
        }
        (Type::Map(values), Doc::Map(map)) => map.iter().try_for_each(|(key, value)| {
            refuse_unknown_enum_values(context, value, *values).map_err(|e| e.at(key))
        }),
        (Type::List(item_type), Doc::List(items)) => {
            items.iter().enumerate().try_for_each(|(index, item)| {
                refuse_unknown_enum_values(context, item, *item_type).map_err(|e| e.at_index(index))
            })
        }
        _ => Ok(()),
    }
}
