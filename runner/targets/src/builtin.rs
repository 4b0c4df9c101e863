//! The built-in engine as a target. It runs in the process of Skewer.

use skewer_admission::{AdmitRequest, DefinitionRequest};
use skewer_engine::OwnedDoc;
use skewer_skew::{BuiltIn, Operations};

use super::{OperationError, Target, TargetFailure, TargetInfo};

/// The built-in engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltInTarget;

impl Target for BuiltInTarget {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "builtin".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            language: Some("Rust".to_owned()),
        }
    }

    fn is_cheap_to_rerun(&self) -> bool {
        true
    }

    fn performs_server_steps(&self) -> bool {
        true
    }

    fn can_read_types(&self) -> bool {
        true
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        &BuiltIn
    }

    fn admit(&self, request: &AdmitRequest<'_>) -> Result<OwnedDoc, OperationError> {
        Ok(skewer_admission::answer(&request.admission()?, request)?)
    }

    fn validate_definition(&self, request: &DefinitionRequest<'_>) -> Result<OwnedDoc, OperationError> {
        Ok(request.answer()?)
    }
}
