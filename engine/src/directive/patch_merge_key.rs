//! `$patchMergeKey`: to come with its rules.
use super::{Directive, Placement, Since};

/// Never shipped.
#[derive(Debug)]
pub(super) struct PatchMergeKey;

impl Directive for PatchMergeKey {
    fn name(&self) -> &'static str {
        "$patchMergeKey"
    }
    fn placement(&self) -> Placement {
        Placement::Map
    }
    fn since(&self) -> Since {
        Since::Proposal
    }
}
