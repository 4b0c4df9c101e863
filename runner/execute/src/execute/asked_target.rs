//! A target that records whether a cell needed its answer.

use std::cell::Cell;

use skewer_engine::union::policy::UnionGates;
use skewer_engine::union::{self, Admitted};
use skewer_engine::{Error, OwnedDoc};
use skewer_skew::{
    BuiltIn, ManifestRequest, Operation, Operations, Performer, Role, ServedResource, ServerAccess,
    UnionWrite,
};
use skewer_targets::{OperationError, Target, TargetFailure, unsupported};

/// A target, with its record for one cell.
pub(super) struct AskedTarget<'t> {
    target: &'t dyn Target,
    has_simulated_server: bool,
    has_client_answered: Cell<bool>,
    has_server_answered: Cell<bool>,
    has_simulated_unions: Cell<bool>,
    is_performing: Cell<bool>,
}

/// The part of the target that a cell did not ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unasked {
    /// Everything that it has to ask was asked.
    None,
    /// One party of the target, where the other one was asked.
    Party(Performer),
    /// The union of the cell, where the target was asked for something else.
    Union,
    /// The target.
    Target,
}

impl<'t> AskedTarget<'t> {
    /// Wraps a target that has not answered yet.
    pub(super) fn new(target: &'t dyn Target) -> Self {
        AskedTarget {
            target,
            has_simulated_server: false,
            has_client_answered: Cell::new(false),
            has_server_answered: Cell::new(false),
            has_simulated_unions: Cell::new(false),
            is_performing: Cell::new(false),
        }
    }

    /// Wraps the client of a target. The server is simulated, and so is the client if the target has none.
    pub(super) fn with_simulated_server(target: &'t dyn Target) -> Self {
        AskedTarget { has_simulated_server: true, ..AskedTarget::new(target) }
    }

    /// Returns the wrapped target.
    pub(super) fn target(&self) -> &'t dyn Target {
        self.target
    }

    /// Records that the target answered as a party.
    pub(super) fn note_answer(&self, party: Performer) {
        match party {
            Performer::Client => self.has_client_answered.set(true),
            Performer::Server => self.has_server_answered.set(true),
        }
    }

    /// Returns true if the target answered as this party, with a result or a refusal. A target that performs the steps
    /// of the server counts as asked in every scenario.
    fn has_answered(&self, party: Performer) -> bool {
        match party {
            Performer::Client => self.has_client_answered.get(),
            Performer::Server => self.has_server_answered.get() || self.target.performs_server_steps(),
        }
    }

    /// Returns the parties whose answers the cell needs to say something about the target, and does not have.
    pub(super) fn unasked(&self) -> Unasked {
        const BOTH: &[Performer] = &[Performer::Client, Performer::Server];
        let tested = self.target.tested_parties();
        let (parties, needs_all) = if tested.is_empty() { (BOTH, false) } else { (tested, true) };
        let unasked = parties.iter().find(|party| !self.has_answered(**party));
        match unasked {
            Some(_) if !parties.iter().any(|party| self.has_answered(*party)) => Unasked::Target,
            Some(party) if needs_all => Unasked::Party(*party),
            _ if self.has_simulated_unions.get() && parties.contains(&Performer::Server) => Unasked::Union,
            _ => Unasked::None,
        }
    }

    /// Returns true if a panic is the target's fault: an operation of the target has begun and not ended, or the
    /// target performs all steps.
    pub(super) fn is_to_blame_for_panic(&self) -> bool {
        self.is_performing.get() || self.target.performs_server_steps()
    }
}

/// The operations of a scenario. An API server only processes requests: the built-in engine performs the operations of
/// the clients.
impl Operations<TargetFailure> for AskedTarget<'_> {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let is_of_client = operation.kind().declaration().performer == Performer::Client;
        let is_simulated_client =
            is_of_client && self.keeps_objects() && !self.target.performs_client_operations();
        if is_simulated_client || self.target.leaves_to_engine(operation.kind()) {
            return BuiltIn.perform(operation);
        }
        self.ask(operation)
    }

    fn apply_manifest(
        &self,
        request: &ManifestRequest<'_>,
        server: ServerAccess<'_>,
    ) -> Option<Result<OwnedDoc, OperationError>> {
        let answer = self.call(|operations| operations.apply_manifest(request, server));
        if let Some(answer) = &answer {
            self.note_if_answered(Performer::Client, answer);
        }
        answer
    }

    fn admit_unions(&self, write: &UnionWrite<'_>) -> Option<Result<Admitted, OperationError>> {
        if self.has_simulated_server || !write.has_unions() {
            return None;
        }
        let mut answer = self.call(|operations| operations.admit_unions(write));
        if let Some(Err(OperationError::Refused(error))) = &mut answer {
            with_first_of_several_reasons(write, error);
        }
        if let Some(answer) = &answer {
            self.note_if_answered(Performer::Server, answer);
        } else {
            // With the gate off, nobody decides on a union.
            let is_decided = write.policy.gates() != Some(UnionGates::OFF);
            let is_simulated = is_decided && !self.target.performs_server_steps();
            self.has_simulated_unions.set(self.has_simulated_unions.get() || is_simulated);
        }
        answer
    }

    fn is_api_server(&self) -> bool {
        !self.has_simulated_server && self.target.kubernetes_release().is_some()
    }
}

/// Replaces the kind and the path of a refusal by those of the first reason, if the object is refused for several and the target
/// named another one of them. The KEP does not say in which order a server looks for them.
fn with_first_of_several_reasons(write: &UnionWrite<'_>, error: &mut Error) {
    let (_, reasons) = union::review(write.context, write.policy, write.old, write.new.clone());
    let is_named = |reason: &Error| reason.kind() == error.kind() && error.may_be_at(reason.path());
    let [first, others @ ..] = &reasons[..] else { return };
    if !is_named(first) && others.iter().any(is_named) {
        let (kind, path) = (error.describe_kind(), error.path());
        let message =
            format!("{} (the target named {kind} at {path}, another of several reasons)", error.message());
        *error = Error::new(first.kind(), message).at_path(first.path());
    }
}

/// Returns true if the handlers of a request store what they should, and the strategy of the kind would have changed it.
fn lacks_strategy(operation: &Operation<'_>, stored: &OwnedDoc) -> bool {
    let (Some(context), options) = (operation.context(), operation.options()) else { return false };
    let old = operation.document_if_any(Role::Live).filter(|live| !live.is_null());
    let resource = ServedResource::new(context, None);
    !resource.is_prepared_for(options.field_manager.subresource, old, stored)
        && BuiltIn::execute(operation).is_ok_and(|simulated| simulated == *stored)
}

impl AskedTarget<'_> {
    /// Returns true if the target processes whole requests, and no operations of servers.
    pub(super) fn keeps_objects(&self) -> bool {
        #[cfg(feature = "servers")]
        let is_live = self.target.live().is_some();
        #[cfg(not(feature = "servers"))]
        let is_live = false;
        self.target.kubernetes_release().is_some() || is_live
    }
}

impl AskedTarget<'_> {
    /// Lets the target perform an operation, or the simulated server if it is one of a server.
    pub(super) fn ask(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let performer = operation.kind().declaration().performer;
        if self.has_simulated_server && performer == Performer::Server {
            return BuiltIn.perform(operation);
        }
        let answer = self.call(|operations| operations.perform(operation));
        if let Ok(stored) = &answer
            && self.target.kubernetes_release().is_some()
            && lacks_strategy(operation, stored)
        {
            return Err(unsupported(
                "the request handlers of a release run without the strategies of the kinds, which do not let this request \
                 change the status",
            ));
        }
        self.note_if_answered(performer, &answer);
        answer
    }

    fn call<A>(&self, ask: impl FnOnce(&dyn Operations<TargetFailure>) -> A) -> A {
        self.is_performing.set(true);
        let answer = ask(self.target.operations());
        self.is_performing.set(false);
        answer
    }

    fn note_if_answered<T>(&self, party: Performer, answer: &Result<T, OperationError>) {
        if matches!(answer, Ok(_) | Err(OperationError::Refused(_))) {
            self.note_answer(party);
        }
    }
}
