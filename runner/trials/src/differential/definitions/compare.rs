//! Comparison of one answer.

use std::collections::BTreeSet;

use skewer_admission::definition::CustomResourceDefinition;
use skewer_admission::{Admission, AdmissionOptions, DefinitionRequest};
use skewer_engine::{ErrorKind, OwnedDoc};
use skewer_targets::{BuiltInTarget, OperationError, Target, TargetFailure};

use crate::differential::admission::compare::member;
use crate::differential::smallest::{Answers, Trial};

/// A definition, and the one that it replaces.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DefinitionTrial {
    pub(super) old: Option<OwnedDoc>,
    pub(super) new: OwnedDoc,
}

/// The answers of both sides, compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DefinitionComparison {
    /// Both refuse to decode a definition, or report these reasons and paths.
    Same(Answer),
    /// The answers differ.
    Different(Answers),
    /// The answers differ, and the definition has parts that the engine does not simulate.
    NotSimulated(String),
    /// The target did not answer.
    NoAnswer(TargetFailure),
}

/// An answer of one side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    /// The reason and the path of each error. `None` if a definition cannot be decoded.
    pub(super) errors: Option<BTreeSet<[String; 2]>>,
    text: String,
}

impl Answer {
    fn of(trial: &DefinitionTrial, target: &dyn Target) -> Result<Answer, TargetFailure> {
        let request = DefinitionRequest { new: &trial.new, old: trial.old.as_ref() };
        match target.validate_definition(&request) {
            Ok(answer) => Ok(Answer::read(&answer)),
            Err(OperationError::Refused(error)) => {
                let is_undecodable = error.kind() == ErrorKind::Undecodable;
                let errors = (!is_undecodable)
                    .then(|| BTreeSet::from([[error.kind().id().to_owned(), String::new()]]));
                Ok(Answer { errors, text: error.to_string() })
            }
            Err(OperationError::NoAnswer(failure)) => Err(failure),
        }
    }

    fn read(answer: &OwnedDoc) -> Answer {
        let text = |error: &OwnedDoc, key: &str| {
            member(error, key).and_then(|text| text.as_str()).unwrap_or_default().to_owned()
        };
        let all = member(answer, "errors").and_then(|errors| errors.as_list()).unwrap_or_default();
        let errors = all.iter().map(|error| [text(error, "reason"), text(error, "path")]).collect();
        Answer { errors: Some(errors), text: answer.to_string() }
    }

    /// Returns the reasons and paths that another answer does not have. The parts of schemas that have names are left out, so that
    /// similar disagreements have the same ones.
    fn without(&self, other: &Answer) -> Vec<String> {
        let Some(errors) = &self.errors else { return vec!["undecodable".to_owned()] };
        let is_other =
            |error: &&[String; 2]| !other.errors.as_ref().is_some_and(|errors| errors.contains(*error));
        let kinds: BTreeSet<String> = errors
            .iter()
            .filter(is_other)
            .map(|[reason, path]| format!("{reason} {}", last_of(path)))
            .collect();
        kinds.into_iter().collect()
    }
}

/// Returns the last two names of a path.
fn last_of(path: &str) -> String {
    let names: Vec<&str> = path.split('.').map(|name| name.split('[').next().unwrap_or(name)).collect();
    names[names.len().saturating_sub(2)..].join(".")
}

pub(super) fn compare(trial: &DefinitionTrial, target: &dyn Target) -> DefinitionComparison {
    let (ours, theirs) = match (Answer::of(trial, &BuiltInTarget), Answer::of(trial, target)) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (_, Err(failure)) | (Err(failure), _) => return DefinitionComparison::NoAnswer(failure),
    };
    if ours.errors == theirs.errors {
        return DefinitionComparison::Same(theirs);
    }
    if let Some(part) = not_simulated(&trial.new) {
        return DefinitionComparison::NotSimulated(part);
    }
    let kinds = [ours.without(&theirs), theirs.without(&ours)];
    DefinitionComparison::Different(Answers { ours: ours.text, theirs: theirs.text, kinds })
}

/// Returns the first part of a definition that is not simulated.
fn not_simulated(document: &OwnedDoc) -> Option<String> {
    let definition = CustomResourceDefinition::read(document).ok()?;
    let parts = |version| {
        Admission::with_options(version, AdmissionOptions::NEWEST)
            .not_simulated()
            .first()
            .map(|part| part.construct.clone())
    };
    definition.versions.into_iter().find_map(parts)
}

impl Trial for DefinitionTrial {
    fn documents(&self) -> Vec<&OwnedDoc> {
        [&self.new].into_iter().chain(&self.old).collect()
    }

    fn documents_mut(&mut self) -> Vec<&mut OwnedDoc> {
        [&mut self.new].into_iter().chain(&mut self.old).collect()
    }

    /// Returns true if the documents are definitions, and the old one is established.
    fn is_complete(&self) -> bool {
        let has = |document: &OwnedDoc, key: &str| member(document, key).is_some();
        let is_definition = |document: &&OwnedDoc| has(document, "apiVersion") && has(document, "kind");
        let is_established =
            |document: &OwnedDoc| document.to_string().contains(r#""status":"True","type":"Established""#);
        self.documents().iter().all(is_definition) && self.old.as_ref().is_none_or(is_established)
    }

    fn disagreement(&self, target: &dyn Target) -> Option<Answers> {
        match compare(self, target) {
            DefinitionComparison::Different(answers) => Some(answers),
            _ => None,
        }
    }

    fn describe(&self) -> String {
        let old = self.old.as_ref().map_or_else(|| "null".to_owned(), OwnedDoc::to_string);
        format!("old: {old}\nnew: {}", self.new)
    }
}
