//! A scenario, step by step.

use super::convert::{UnknownFieldHandling, convert};
use super::intent::Intent;
use super::judge::FinalState;
use super::operation::{Operation, OperationError, Operations};
use super::party::{Client, Decoding, Server};
use crate::document::{Doc, OwnedDoc, OwnedText};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::{Overwrite, PatchContext, ThreeWay};
use crate::schema::{Type, TypeId};
use crate::union::{self, Admitted};

/// The form in which the client sends the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Request {
    /// The whole object, new: nothing is stored before.
    Create,
    /// The whole object.
    Update,
    /// A JSON merge patch (RFC 7386): the two-way difference of what was read and what was edited.
    JsonMergePatch,
    /// A strategic merge patch: the same difference, with the client's metadata and directives.
    StrategicMergePatch,
    /// A strategic merge patch from last-applied, modified and live, as `kubectl apply` sends it; a JSON merge
    /// patch for custom resources.
    Apply,
}

impl Request {
    /// All kinds of request.
    pub const ALL: [Request; 5] = [
        Request::Create,
        Request::Update,
        Request::JsonMergePatch,
        Request::StrategicMergePatch,
        Request::Apply,
    ];

    /// Whether the client sends the whole object, and not a patch.
    #[must_use]
    pub fn is_whole_object(self) -> bool {
        matches!(self, Request::Create | Request::Update)
    }

    /// The name in cases and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Request::Create => "create",
            Request::Update => "update",
            Request::JsonMergePatch => "json-merge-patch",
            Request::StrategicMergePatch => "strategic-merge-patch",
            Request::Apply => "apply",
        }
    }
}

/// One client, one server, one stored object, one intent.
#[derive(Clone, Copy, Debug)]
pub struct Scenario<'a> {
    /// The live object, in terms of the full context.
    pub stored: &'a OwnedDoc,
    /// The last-applied object; needed by [`Request::Apply`].
    pub last_applied: Option<&'a OwnedDoc>,
    /// The change that the user wants.
    pub intent: &'a Intent,
    /// The context of a party that is up to date, in whose terms the stored object and the intent are written.
    pub full_context: &'a PatchContext,
    /// The party that sends.
    pub client: &'a Client,
    /// The party that stores.
    pub server: &'a Server,
    /// The form of the request.
    pub request: Request,
}

/// The steps of a scenario, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepName {
    /// What is stored before.
    Stored,
    /// What the client applied last.
    LastApplied,
    /// What the server sends when it is read.
    Read,
    /// What the client holds of that.
    Decoded,
    /// What the client wants, as far as it can hold it.
    Edited,
    /// What the client sends.
    Request,
    /// What the server has after merging.
    Merged,
    /// What the server's union policy made of it.
    Normalized,
    /// What is stored after.
    Result,
}

impl StepName {
    /// The name in `skewer show` and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StepName::Stored => "stored",
            StepName::LastApplied => "last-applied",
            StepName::Read => "read",
            StepName::Decoded => "decoded",
            StepName::Edited => "edited",
            StepName::Request => "request",
            StepName::Merged => "merged",
            StepName::Normalized => "normalized",
            StepName::Result => "result",
        }
    }

    /// What the document of the step is, in a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            StepName::Stored => "the object as it is stored before",
            StepName::LastApplied => "what the client applied last time",
            StepName::Read => "what the server sends: fields that it does not know are gone",
            StepName::Decoded => "what the client holds of it",
            StepName::Edited => "what the client wants it to be, as far as it can see",
            StepName::Request => "what the client sends",
            StepName::Merged => "what the server has after it took the request in",
            StepName::Normalized => "what the server's union policy made of it",
            StepName::Result => "what is stored, converted to the server's type",
        }
    }
}

/// Runs a scenario. Each step's document goes to `record`.
///
/// An error means that the scenario cannot be run at all (the stored object does not fit the schema, the
/// intent names what is not there, the target did not answer); a request that the server or the patch refuses
/// is a [`FinalState::Refused`].
///
/// ```
/// # #[cfg(feature = "builtin")] {
/// use std::sync::Arc;
/// use skewer_engine::patch::PatchContext;
/// use skewer_engine::schema::builtin;
/// use skewer_engine::skew::{BuiltIn, Client, Decoding, Edit, OperationError, Intent, Request, Scenario, Server, StepName, run};
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
/// let server = Server { context: old, strict: false, policy: policy::NONE };
/// let scenario = Scenario {
///     stored: &stored,
///     last_applied: None,
///     intent: &intent,
///     full_context: &everything,
///     client: &client,
///     server: &server,
///     request: Request::StrategicMergePatch,
/// };
/// let mut sent = None;
/// run(&scenario, &BuiltIn, &mut |step, document| {
///     if step == StepName::Request {
///         sent = Some(document.to_string());
///     }
/// })?;
/// // The old server takes `$retainKeys` for a field, and drops it.
/// assert!(sent.is_some_and(|patch| patch.contains("$retainKeys")));
/// # }
/// # Ok::<(), skewer_engine::skew::OperationError>(())
/// ```
pub fn run(
    scenario: &Scenario<'_>,
    operations: &dyn Operations,
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<FinalState, OperationError> {
    record(StepName::Stored, scenario.stored);
    let read = convert(&scenario.server.context, scenario.stored, UnknownFieldHandling::Drop)?;
    record(StepName::Read, &read);
    let decoded = scenario.client.decode(read.clone())?;
    record(StepName::Decoded, &decoded);
    let base = match (scenario.request, scenario.last_applied) {
        (Request::Apply, Some(last_applied)) => last_applied.clone(),
        (Request::Apply, None) => {
            return Err(Error::new(ErrorKind::InvalidIntent, "apply needs what was last applied").into());
        }
        _ => decoded.clone(),
    };
    let mut edited = base;
    scenario.intent.edit(&mut edited, &scenario.client.context, scenario.full_context)?;
    let edited = scenario.client.decode(edited)?;
    record(StepName::Edited, &edited);
    match process_request(scenario, operations, (read, decoded, edited), record) {
        Ok(stored) => Ok(FinalState::Stored(stored)),
        Err(OperationError::Refused(error)) => Ok(FinalState::Refused(error)),
        Err(target_failure) => Err(target_failure),
    }
}

impl Client {
    /// Decodes a document as the client does.
    fn decode(&self, document: OwnedDoc) -> Result<OwnedDoc> {
        match self.decoding {
            Decoding::Structured => convert(&self.context, &document, UnknownFieldHandling::Drop),
            Decoding::Unstructured => Ok(document),
        }
    }
}

/// Creates the request of the client, and merges and stores it on the server.
fn process_request(
    scenario: &Scenario<'_>,
    operations: &dyn Operations,
    (read, decoded, edited): (OwnedDoc, OwnedDoc, OwnedDoc),
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<OwnedDoc, OperationError> {
    let context = &scenario.client.context;
    let body = match scenario.request {
        Request::Create | Request::Update => edited,
        Request::JsonMergePatch => {
            operations.perform(&Operation::JsonMergeTwoWay { original: &decoded, modified: &edited })?
        }
        Request::StrategicMergePatch => {
            operations.perform(&Operation::TwoWay { context, original: &decoded, modified: &edited })?
        }
        Request::Apply => {
            let documents = ThreeWay {
                last_applied: scenario.last_applied.unwrap_or(&Doc::Null),
                modified: &edited,
                live: &decoded,
            };
            let overwrite = Overwrite::Yes;
            let preconditions = &[];
            operations.perform(&if context.custom_resource {
                Operation::JsonMergeThreeWay { documents, preconditions }
            } else {
                Operation::ThreeWay { context, documents, overwrite, preconditions }
            })?
        }
    };
    record(StepName::Request, &body);
    let context = &scenario.server.context;
    // What the client sent for a custom resource is a JSON merge patch, whatever the server takes it for.
    let json_merge = match scenario.request {
        Request::JsonMergePatch => true,
        Request::Apply => scenario.client.context.custom_resource,
        Request::Create | Request::Update | Request::StrategicMergePatch => false,
    };
    let merged = match scenario.request {
        Request::Create | Request::Update => body,
        _ if json_merge => operations.perform(&Operation::JsonMergeApply { live: &read, patch: &body })?,
        _ => operations.perform(&Operation::Apply { context, live: &read, patch: &body })?,
    };
    record(StepName::Merged, &merged);
    let old = (scenario.request != Request::Create).then_some(&read);
    let admitted = scenario.server.store(old, &merged)?;
    if !admitted.changes.is_empty() {
        record(StepName::Normalized, &admitted.object);
    }
    record(StepName::Result, &admitted.object);
    Ok(admitted.object)
}

impl Server {
    /// Stores a merged document instead of `old` (`None`: it is created): converts it to the type of the server, normalizes
    /// and validates its unions, and checks the values of closed enums.
    pub fn store(&self, old: Option<&OwnedDoc>, merged: &OwnedDoc) -> Result<Admitted> {
        let unknown = if self.strict { UnknownFieldHandling::Refuse } else { UnknownFieldHandling::Drop };
        let converted = convert(&self.context, merged, unknown)?;
        let admitted = union::admit(&self.context, self.policy, old, converted).map_err(first_error)?;
        refuse_unknown_enum_values(&self.context, &admitted.object, self.context.root)?;
        Ok(admitted)
    }
}

/// Returns the first error: a request is refused for that.
fn first_error(errors: Vec<Error>) -> Error {
    let unexplained = || Error::new(ErrorKind::Undecodable, "refused, and no reason was given");
    errors.into_iter().next().unwrap_or_else(unexplained)
}

/// A server refuses values that a closed enum of its types does not have. Discriminators of unions are left to
/// the server's union policy, which may not look at them at all.
fn refuse_unknown_enum_values(context: &PatchContext, document: &OwnedDoc, ty: TypeId) -> Result<()> {
    match (context.schema.get(ty), document) {
        (Type::Enum(e), Doc::String(value)) => e.check(value),
        (Type::Struct(s), Doc::Map(map)) => {
            let is_discriminator = |key: &OwnedText| {
                s.unions().iter().any(|u| u.discriminator.as_ref().is_some_and(|d| d.field == *key))
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
