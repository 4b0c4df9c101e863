//! The built-in engine as an implementation of the operations.

mod api_request;
mod field_manager;

use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::patch::{self, PatchContext, ThreeWay, json_merge, json_patch};

use super::operations::{
    InvalidOperation, Operation, OperationError, OperationKind, OperationOptions, Operations, Role,
};

pub use field_manager::untyped_context;

/// The engine of this crate.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl BuiltIn {
    /// Performs one operation with the engine.
    ///
    /// # Errors
    ///
    /// The errors of the function in [`skewer_engine::patch`] that performs the operation: [`skewer_engine::patch::apply`],
    /// [`skewer_engine::patch::combine`], [`skewer_engine::patch::two_way`], [`skewer_engine::patch::three_way`],
    /// [`skewer_engine::patch::have_conflicts`], or a function of [`skewer_engine::patch::json_merge`], [`skewer_engine::patch::json_patch`] or
    /// [`FieldManager`](skewer_engine::server_side_apply::FieldManager).
    /// [`ErrorKind::PreconditionFailed`] if a precondition of a two-way patch does not hold.
    pub fn execute(operation: &Operation<'_>) -> Result<OwnedDoc> {
        let kind = operation.kind();
        // `Operation::new` creates no operation that lacks types.
        let context = || operation.context().ok_or(InvalidOperation::NoTypes(kind));
        let document = |role| operation.document(role);
        let OperationOptions { overwrite, preconditions, .. } = operation.options();
        match kind {
            OperationKind::Apply => patch::apply(context()?, document(Role::Live), document(Role::Patch)),
            OperationKind::TwoWay => two_way(context()?, operation),
            OperationKind::ThreeWay => {
                patch::three_way(context()?, three_documents(operation), overwrite, preconditions)
            }
            OperationKind::Conflicts => conflicts(context()?, operation),
            OperationKind::Merge => patch::combine(context()?, operation.documents(Role::Patches)),
            OperationKind::JsonMergeApply => json_merge::apply(document(Role::Live), document(Role::Patch)),
            OperationKind::JsonMergeTwoWay => {
                json_merge::two_way(document(Role::Original), document(Role::Modified))
            }
            OperationKind::JsonMergeThreeWay => {
                json_merge::three_way(three_documents(operation), preconditions)
            }
            OperationKind::JsonPatchApply => json_patch::apply(document(Role::Live), document(Role::Patch)),
            OperationKind::ServerSideApply => field_manager::apply(context()?, operation),
            OperationKind::ManagedUpdate => field_manager::update(context()?, operation),
            OperationKind::UpgradeManagedFields => field_manager::upgrade(operation),
            OperationKind::Request => api_request::process(context()?, operation, &BuiltIn),
        }
    }
}

impl<F> Operations<F> for BuiltIn {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError<F>> {
        BuiltIn::execute(operation).map_err(OperationError::Refused)
    }
}

fn two_way(context: &PatchContext, operation: &Operation<'_>) -> Result<OwnedDoc> {
    let patch =
        patch::two_way(context, operation.document(Role::Original), operation.document(Role::Modified))?;
    if let Doc::Map(patch) = &patch {
        operation.options().preconditions.iter().try_for_each(|precondition| precondition.check(patch))?;
    }
    Ok(patch)
}

fn conflicts(context: &PatchContext, operation: &Operation<'_>) -> Result<OwnedDoc> {
    match operation.documents(Role::Patches) {
        [left, right] => patch::have_conflicts(context, left, right).map(Doc::Bool),
        patches => {
            let message = format!("expected two patches, found {}", patches.len());
            Err(Error::new(ErrorKind::InvalidDocument, message))
        }
    }
}

fn three_documents<'a>(operation: &Operation<'a>) -> ThreeWay<'a, 'static> {
    ThreeWay {
        last_applied: operation.document(Role::LastApplied),
        modified: operation.document(Role::Modified),
        live: operation.document(Role::Live),
    }
}
