//! The policy `none`: the server has no support for unions.

use super::{Policy, UnionGates, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::Union;

/// A policy that accepts every object unchanged.
///
/// Source: KEP-1027, "Feature Enablement and Rollback": with the feature gate `APIUnions` off, "requests will simply
/// skip union validation and normalization".
#[derive(Debug)]
pub(super) struct NoUnions;

impl Policy for NoUnions {
    fn name(&self) -> &'static str {
        "none"
    }

    fn about(&self) -> &'static str {
        "no normalization, no validation: the feature gate is off"
    }

    fn gates(&self) -> Option<UnionGates> {
        Some(UnionGates::OFF)
    }

    fn validate(
        &self,
        _write: WriteKind,
        _old: Option<&OwnedMap>,
        _new: &OwnedMap,
        _union: &Union,
    ) -> Vec<Violation> {
        Vec::new()
    }
}
