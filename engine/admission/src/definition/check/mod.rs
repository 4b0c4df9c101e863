//! Whether an API server accepts a definition. Upstream: `ValidateCustomResourceDefinition` and
//! `ValidateCustomResourceDefinitionUpdate` of `apiextensions-apiserver`, package `apis/apiextensions/validation`.
//!
//! Not checked: the content of certificates.

mod answer;
mod checker;
mod conversion;
mod costs;
mod defaults;
mod keywords;
mod names;
mod raw;
mod rules;
mod schema;
mod selectable;
mod shape;
mod structural;
#[cfg(test)]
mod tests;
mod update;
mod versions;
mod walk;

use skewer_engine::document::{OwnedDoc, OwnedMap};
use skewer_engine::error::{Error, ErrorKind, Result};

pub use self::answer::DefinitionRequest;
use self::checker::{Checker, Problem};
use super::CustomResourceDefinition;

impl CustomResourceDefinition {
    /// Returns the errors because of which an API server of the newest release refuses to create the definition. Their paths
    /// are paths of the document that was read, and their messages begin with the reason of the server, such as `Required
    /// value: `, unless the document cannot be decoded. An old definition has none: the servers that accepted it are gone.
    #[must_use]
    pub fn check(&self) -> Vec<Error> {
        if self.is_old { Vec::new() } else { errors(&self.source) }
    }

    /// Returns the errors because of which an API server of the newest release refuses the definition as an update of
    /// another one, which is established: see [`CustomResourceDefinition::check`].
    ///
    /// An error of a class that the old definition has, too, is not reported if servers began to report the class after they
    /// had accepted such definitions.
    #[must_use]
    pub fn check_update(&self, old: &CustomResourceDefinition) -> Vec<Error> {
        let is_checked = |problem: &Problem| !self.is_old || problem.is_about_change;
        let problems = problems(&self.source, Some(&old.source));
        into_errors(problems.map(|problems| problems.into_iter().filter(is_checked).collect()))
    }
}

/// Returns the errors of the document of a new definition.
pub(super) fn errors(document: &OwnedDoc) -> Vec<Error> {
    into_errors(problems(document, None))
}

/// Returns what is wrong with a definition, alone or in place of an old one. Fails if the document cannot be decoded.
fn problems(document: &OwnedDoc, old: Option<&OwnedDoc>) -> Result<Vec<Problem>> {
    let document = shape::decode(document)?;
    let mut checker = match old {
        Some(old) => Checker::replacing(shape::decode(old), &problems(old, None).unwrap_or_default()),
        None => Checker::default(),
    };
    let empty = OwnedMap::new();
    let member = |key| document.as_map().and_then(|document| raw::map(document, key)).unwrap_or(&empty);
    let (metadata, spec) = (member("metadata"), member("spec"));
    names::check(&mut checker, metadata, spec);
    checker.at(&["spec"], |checker| versions::check(checker, spec));
    update::check(&mut checker, spec);
    Ok(checker.problems)
}

fn into_errors(problems: Result<Vec<Problem>>) -> Vec<Error> {
    match problems {
        Ok(problems) => problems.into_iter().map(Problem::into_error).collect(),
        Err(error) => {
            let path = error.path().clone();
            vec![Error::new(ErrorKind::InvalidSchema, error.message()).with_path(Some(path))]
        }
    }
}
