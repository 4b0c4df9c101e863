//! The simulation of a scenario, step by step.

use skewer_engine::document::OwnedDoc;
use skewer_engine::error::Result;

use super::built_in::BuiltIn;
use super::convert::without_unset_fields;
use super::exchange::Exchange;
use super::judge::FinalState;
use super::operations::{OperationError, Operations, infallible};
use super::scenario::{OtherRequest, Scenario};
use super::step::StepName;
use super::store::{LiveServer, LiveStore, SimulatedStore, Store};
use super::tool_metadata::without_tool_metadata;

/// Runs a scenario with the operations of the engine and returns its final state. Calls `record` with the document of
/// each step. The object in the final state has the form of [`without_unset_fields`].
///
/// If the server refuses the request, or if the patch cannot be created or applied, the result is
/// [`FinalState::Refused`]. An error means that the scenario has no final state.
///
/// ```
/// use std::sync::Arc;
/// use skewer_engine::patch::PatchContext;
/// use skewer_engine::schema::builtin;
/// use skewer_skew::{Edit, Intent, Request, Scenario, StepName, run_built_in};
/// use skewer_engine::document::from_json;
///
/// let release = builtin::newest();
/// let full_context = PatchContext::of(Arc::clone(release.schema()), release.resolve("Deployment")?)?;
/// let stored = from_json(
///     br#"{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}"#,
/// )?;
/// let fields = from_json(br#"{"type":"Recreate"}"#)?.as_map().cloned().expect("a map");
/// let mut scenario = Scenario::up_to_date(Arc::new(stored), full_context);
/// scenario.intent = Arc::new(Intent(vec![Edit::Choose { selector: "spec.strategy".parse()?, fields }]));
/// scenario.request = Request::StrategicMergePatch;
/// scenario.server.context.directives = scenario.server.context.directives.without("$retainKeys");
/// let mut sent = None;
/// run_built_in(&scenario, &mut |step, document| {
///     if step == StepName::Request {
///         sent = Some(document.to_string());
///     }
/// })?;
/// // The old server takes `$retainKeys` for a field, and drops it.
/// assert!(sent.is_some_and(|patch| patch.contains("$retainKeys")));
/// # Ok::<(), skewer_engine::Error>(())
/// ```
///
/// # Errors
/// Fails if the scenario cannot be run at all: with [`ErrorKind::Undecodable`](skewer_engine::ErrorKind::Undecodable) if the stored
/// object does not fit the types, with [`ErrorKind::InvalidIntent`](skewer_engine::ErrorKind::InvalidIntent) if the intent names
/// fields that do not exist, and with any kind if a request of the history, or one that is sent meanwhile, is refused.
pub fn run_built_in(scenario: &Scenario, record: &mut dyn FnMut(StepName, &OwnedDoc)) -> Result<FinalState> {
    run(scenario, &BuiltIn, record).map_err(infallible)
}

/// Runs a scenario as [`run_built_in`] does, with the operations of another implementation.
///
/// # Errors
/// Fails with [`OperationError::Refused`] if the scenario cannot be run at all, and with [`OperationError::NoAnswer`]
/// if the implementation did not answer.
pub fn run<F>(
    scenario: &Scenario,
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
    scenario: &Scenario,
    operations: &dyn Operations<F>,
    server: &mut dyn LiveServer<F>,
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<FinalState, OperationError<F>> {
    run_in(scenario, operations, &mut LiveStore::new(server, &scenario.stored), record)
}

fn run_in<F>(
    scenario: &Scenario,
    operations: &dyn Operations<F>,
    store: &mut dyn Store<F>,
    record: &mut dyn FnMut(StepName, &OwnedDoc),
) -> Result<FinalState, OperationError<F>> {
    let has_tool = scenario.has_tool();
    let mut record = |step: StepName, document: &OwnedDoc| {
        let is_object = matches!(
            step,
            StepName::Earlier | StepName::Stored | StepName::Read | StepName::Meanwhile | StepName::Result
        );
        if has_tool && is_object {
            record(step, &without_tool_metadata(document));
        } else {
            record(step, document);
        }
    };
    let record: &mut dyn FnMut(StepName, &OwnedDoc) = &mut record;
    let mut applied = None;
    let mut run_others =
        |requests: &[OtherRequest], store: &mut dyn Store<F>, record: &mut dyn FnMut(&OwnedDoc)| {
            for request in requests {
                let exchange = Exchange::of_other(scenario, request).after(applied.as_ref());
                let prepared = exchange.prepare(store, &mut |_, _| {})?;
                exchange.send(&prepared, store, operations, &mut |_, _| {})?;
                record(&store.document());
                applied = exchange.applied_manifest(prepared).or(applied.take());
            }
            Ok::<_, OperationError<F>>(applied.clone())
        };
    let applied_before =
        run_others(&scenario.history, store, &mut |document| record(StepName::Earlier, document))?;
    record(StepName::Stored, &store.document());
    let exchange = Exchange::of_scenario(scenario).after(applied_before.as_ref());
    let prepared = exchange.prepare(store, record)?;
    run_others(&scenario.meanwhile, store, &mut |document| record(StepName::Meanwhile, document))?;
    match exchange.send(&prepared, store, operations, record) {
        Ok(()) => {
            // The server can have fields that an up-to-date party does not know.
            let mut object = store.stored()?;
            if has_tool {
                object = without_tool_metadata(&object);
            }
            let object = without_unset_fields(&scenario.server.context, object);
            Ok(FinalState::Stored(without_unset_fields(&scenario.full_context, object)))
        }
        Err(OperationError::Refused(error)) => Ok(FinalState::Refused(error)),
        Err(no_answer) => Err(no_answer),
    }
}
