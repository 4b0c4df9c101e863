//! Whether an API server accepts a definition. Upstream: `ValidateCustomResourceDefinition` and
//! `ValidateCustomResourceDefinitionUpdate` of `apiextensions-apiserver`, package `apis/apiextensions/validation`.
//!
//! Not checked: the cost of rules, and the certificates and URLs of webhooks.

mod checker;
mod defaults;
mod keywords;
mod names;
mod raw;
mod structural;
#[cfg(test)]
mod tests;
mod update;
mod versions;

use skewer_engine::error::Error;

use self::checker::{Checker, Problem};
use super::CustomResourceDefinition;

impl CustomResourceDefinition {
    /// Returns the errors because of which an API server of the newest release refuses to create the definition. Their paths
    /// are paths of the document that was read. An old definition has none: the servers that accepted it are gone.
    #[must_use]
    pub fn check(&self) -> Vec<Error> {
        if self.is_old {
            return Vec::new();
        }
        self.problems().into_iter().map(|problem| problem.error).collect()
    }

    /// Returns the errors because of which an API server of the newest release refuses the definition as an update of
    /// another one, which is established. Their paths are paths of the document that was read.
    ///
    /// An error of a class that the old definition has, too, is not reported if servers began to report the class after they
    /// had accepted such definitions.
    #[must_use]
    pub fn check_update(&self, old: &CustomResourceDefinition) -> Vec<Error> {
        update::check(self, old)
    }

    fn problems(&self) -> Vec<Problem> {
        let mut checker = Checker::default();
        if let Some(document) = self.source.as_map() {
            names::check(&mut checker, document);
            if let Some(spec) = raw::map(document, "spec") {
                checker.at(&["spec"], |checker| versions::check(checker, spec, self));
            }
        }
        checker.problems
    }
}
