//! The trait of the implementations under test.

use skewer_admission::{AdmitRequest, DefinitionRequest};
use skewer_engine::OwnedDoc;
use skewer_skew::{Operation, OperationKind, Operations, Performer};

use crate::failure::{OperationError, TargetFailure, unsupported};
#[cfg(feature = "servers")]
use crate::live::LiveServers;

/// An implementation under test.
pub trait Target: Send + Sync {
    /// Returns the name and the version of the implementation.
    fn info(&self) -> TargetInfo;

    /// Returns the implementations of which the target consists, if they are several: a client and a server.
    fn sides(&self) -> Vec<TargetInfo> {
        Vec::new()
    }

    /// Returns the operations of the target. They can be called from any thread.
    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync);

    /// Returns true if a result of this operation can have `1` where `1.0` is expected.
    fn has_lossy_floats(&self, _operation: &Operation<'_>) -> bool {
        false
    }

    /// Returns true if the target is deterministic and fast. The steps of a cell are then recorded only if they are
    /// needed, by running the cell a second time.
    fn is_cheap_to_rerun(&self) -> bool {
        false
    }

    /// Returns true if the target also performs the steps of the server: conversion, unions and validation. For other
    /// targets, the built-in engine performs those steps. A cell without an operation then tests nothing of the
    /// target.
    fn performs_server_steps(&self) -> bool {
        false
    }

    /// Returns true if the engine performs an operation of a scenario instead of the target, which lacks the operation and
    /// is asked only about unions.
    fn leaves_to_engine(&self, _operation: OperationKind) -> bool {
        false
    }

    /// Returns the minor version of the Kubernetes release whose API server the target is, for example 28 for 1.28.
    /// Such a target processes whole requests, with the types and the behaviour of its release.
    fn kubernetes_release(&self) -> Option<u32> {
        None
    }

    /// Returns true if an API server has a client beside it, which performs the operations of clients. For other API
    /// servers, the built-in engine performs them.
    fn performs_client_operations(&self) -> bool {
        false
    }

    /// Returns the parties that a cell must ask, each of them, to say something about the target. If there are none,
    /// any answer says something.
    fn tested_parties(&self) -> &'static [Performer] {
        &[]
    }

    /// Returns the API servers of the target, if they keep objects. They run whole scenarios instead of operations.
    #[cfg(feature = "servers")]
    fn live(&self) -> Option<&LiveServers> {
        None
    }

    /// Returns true if the target parses type declarations itself. Other targets receive compiled types.
    fn can_read_types(&self) -> bool {
        false
    }

    /// Returns true if the target says that it has a directive of this name, which the engine does not have.
    fn has_declared_directive(&self, _name: &str) -> bool {
        false
    }

    /// Returns the reason why the target was given up, or `None` if it was not. The text continues a sentence that
    /// begins with "the target".
    fn permanent_failure(&self) -> Option<String> {
        None
    }

    /// Returns the capabilities that the target declares: categories, each with the names in it.
    fn capabilities(&self) -> Vec<(&'static str, Vec<String>)> {
        Vec::new()
    }

    /// Admits a custom resource. The result has the object to store, or all errors: see `admit` in the protocol.
    ///
    /// # Errors
    ///
    /// [`OperationError::Refused`] if the definition is refused. [`OperationError::NoAnswer`] if the target does not
    /// answer, or cannot admit objects.
    fn admit(&self, _request: &AdmitRequest<'_>) -> Result<OwnedDoc, OperationError> {
        Err(unsupported("the target does not admit custom resources"))
    }

    /// Validates a definition of custom resources. The result has all errors: see `validate-definition` in the protocol.
    ///
    /// # Errors
    ///
    /// [`OperationError::Refused`] if a definition cannot be decoded. [`OperationError::NoAnswer`] if the target does not
    /// answer, or cannot validate definitions.
    fn validate_definition(&self, _request: &DefinitionRequest<'_>) -> Result<OwnedDoc, OperationError> {
        Err(unsupported("the target does not validate definitions"))
    }

    /// Ends the target after the last operation, and waits for what it still says. [`Target::warnings`] is complete
    /// only afterwards.
    fn stop(&self) {}

    /// Returns the defects of the target that changed no result: violations of the protocol, and unknown names among
    /// its capabilities.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The name and the version that a target reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetInfo {
    /// The name of the implementation.
    pub name: String,
    /// The version of the implementation, if it is known.
    pub version: Option<String>,
    /// The programming language of the implementation, if it is known.
    pub language: Option<String>,
}

/// The error for a target that cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the target cannot be started: {why}")]
pub struct TargetError {
    why: String,
}

impl TargetError {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        TargetError { why: why.into() }
    }
}
