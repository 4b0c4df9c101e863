//! `$exampleDirective`: EDIT: the effect, in one line.

use super::{Directive, Flow, IntroducedIn, Placement};
use crate::document::{Doc, Map, Text};
use crate::error::{Error, Result};
use crate::patch::{Merge, MergeMode};
use crate::schema::TypeId;

/// The key under which the directive is proposed.
pub(super) const NAME: &str = "$exampleDirective";

/// `$exampleDirective: true`.
///
/// Source: EDIT: the document and the section that define the directive.
#[derive(Debug)]
pub(super) struct ExampleDirective {
    name: &'static str,
}

impl ExampleDirective {
    /// Creates the directive with another name, or with [`NAME`].
    pub(super) const fn named(name: &'static str) -> Self {
        ExampleDirective { name }
    }
}

impl Directive for ExampleDirective {
    fn name(&self) -> &'static str {
        self.name
    }

    // EDIT: the effect, without the name. `skewer explain` prints it.
    fn about(&self) -> &'static str {
        "is accepted with the value true, and has no effect yet"
    }

    // `Placement::Field` if the key is followed by a slash and the name of a field.
    fn placement(&self) -> Placement {
        Placement::Map
    }

    // `IntroducedIn::Release(N)` if Kubernetes 1.N has the directive.
    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

    // EDIT: the effect. Change `live` and `patch` before the patch is merged. The other hooks of `Directive` create
    // patches and handle list items; guide/src/contribute/directive.md has a directive that uses them.
    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        let Some(value) = patch.remove(self.name) else { return Ok(Flow::Continue) };
        if merge.mode() == MergeMode::Combine {
            // Two patches are merged into one, in which the directive must stay.
            live.insert(Text::from(self.name), value);
        } else if value != Doc::Bool(true) {
            let message = format!("expected true, found {value}");
            return Err(Error::invalid_directive(self.name, message).at(self.name));
        }
        Ok(Flow::Continue)
    }
}
