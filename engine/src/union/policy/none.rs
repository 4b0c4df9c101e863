//! `none`: the server knows nothing of unions.

use super::{Policy, Violation, Write};
use crate::union::Union;
use crate::value::Map;

/// Objects pass as they are.
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

    fn validate(&self, _write: Write, _old: Option<&Map>, _new: &Map, _union: &Union) -> Vec<Violation> {
        Vec::new()
    }
}
