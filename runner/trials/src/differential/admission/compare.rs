//! Comparison of one answer.

use skewer_admission::{Admission, AdmitRequest, answer};
use skewer_engine::{ErrorKind, OwnedDoc};
use skewer_targets::{OperationError, Target, TargetFailure, TargetFailureKind, is_equal_up_to_lossy_floats};

use crate::differential::smallest::{Answers, Trial};

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AdmissionTrial {
    pub(super) definition: OwnedDoc,
    pub(super) old: Option<OwnedDoc>,
    pub(super) new: OwnedDoc,
    pub(super) strict: bool,
    pub(super) ratcheting: bool,
}

impl AdmissionTrial {
    pub(super) fn request(&self) -> AdmitRequest<'_> {
        AdmitRequest {
            definition: &self.definition,
            old: self.old.as_ref(),
            new: &self.new,
            strict: self.strict,
            ratcheting: self.ratcheting,
        }
    }
}

impl Trial for AdmissionTrial {
    fn documents(&self) -> Vec<&OwnedDoc> {
        [&self.new].into_iter().chain(&self.old).chain([&self.definition]).collect()
    }

    fn documents_mut(&mut self) -> Vec<&mut OwnedDoc> {
        [&mut self.new].into_iter().chain(&mut self.old).chain([&mut self.definition]).collect()
    }

    /// Returns true if the objects have their types and their metadata. Both are validated before anything that is compared
    /// here.
    fn is_complete(&self) -> bool {
        let has = |object: &OwnedDoc, key: &str| member(object, key).is_some();
        let has_metadata = |object: &OwnedDoc| {
            member(object, "metadata").is_some_and(|it| has(it, "name") && has(it, "namespace"))
        };
        let mut objects = self.old.iter().chain([&self.new]);
        objects.all(|object| has(object, "apiVersion") && has(object, "kind") && has_metadata(object))
    }

    fn disagreement(&self, target: &dyn Target) -> Option<Answers> {
        match compare(self, None, target) {
            Outcome::Different(answers) => Some(answers),
            _ => None,
        }
    }

    fn describe(&self) -> String {
        let AdmissionTrial { definition, old, new, strict, ratcheting } = self;
        let old = old.as_ref().map_or_else(|| "null".to_owned(), OwnedDoc::to_string);
        format!(
            "definition: {definition}\nold: {old}\nnew: {new}\nstrict: {strict}, ratcheting: {ratcheting}"
        )
    }
}

/// The answers of both sides, compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// Both have the same answer, which is this one of the target.
    Same(OwnedDoc),
    /// The answers differ.
    Different(Answers),
    /// The target refuses the definition.
    DefinitionRefused(String),
    /// The target refuses the stored object: it cannot be read.
    OldRefused,
    /// The definition has parts that the engine does not simulate.
    NotSimulated(String),
    /// The target did not answer.
    NoAnswer(TargetFailure),
}

/// Sends a request to both sides. `admission` is that of the definition, if it has been read.
pub(super) fn compare(trial: &AdmissionTrial, admission: Option<&Admission>, target: &dyn Target) -> Outcome {
    let request = trial.request();
    let theirs = match target.admit(&request) {
        Ok(theirs) => theirs,
        Err(OperationError::NoAnswer(failure)) => return Outcome::NoAnswer(failure),
        Err(OperationError::Refused(error)) if error.kind() == ErrorKind::InvalidSchema => {
            return Outcome::DefinitionRefused(error.message().to_owned());
        }
        Err(OperationError::Refused(error)) if error.kind() == ErrorKind::Undecodable => {
            return Outcome::OldRefused;
        }
        Err(OperationError::Refused(error)) => {
            let why = format!("{}: {}", error.kind().id(), error.message());
            return Outcome::NoAnswer(TargetFailure { kind: TargetFailureKind::Crash, why });
        }
    };
    let read = match admission {
        Some(admission) => Ok(admission.clone()),
        None => request.admission(),
    };
    let ours = match read {
        Ok(admission) => {
            if let Some(part) = admission.not_simulated().first() {
                return Outcome::NotSimulated(part.to_string());
            }
            answer(&admission, &request)
        }
        Err(error) => Err(error),
    };
    match ours {
        Ok(ours) if is_same(&ours, &theirs) => Outcome::Same(theirs),
        Ok(ours) => {
            let kinds = [kinds(&ours), kinds(&theirs)];
            Outcome::Different(Answers { ours: ours.to_string(), theirs: theirs.to_string(), kinds })
        }
        Err(error) => {
            let kinds = [vec![format!("refused: {}", error.kind().id())], kinds(&theirs)];
            let ours = format!("refused: {error}");
            Outcome::Different(Answers { ours, theirs: theirs.to_string(), kinds })
        }
    }
}

fn is_same(ours: &OwnedDoc, theirs: &OwnedDoc) -> bool {
    match (member(ours, "object"), member(theirs, "object")) {
        (Some(ours), Some(theirs)) => is_equal_up_to_lossy_floats(ours, theirs),
        (None, None) => errors(ours) == errors(theirs),
        _ => false,
    }
}

pub(in crate::differential) fn member<'d>(answer: &'d OwnedDoc, name: &str) -> Option<&'d OwnedDoc> {
    answer.as_map()?.get(name)
}

/// Returns the kind and the path of each error, sorted.
pub(super) fn errors(answer: &OwnedDoc) -> Vec<(String, String)> {
    let list = member(answer, "errors").and_then(|errors| errors.as_list()).unwrap_or_default();
    let text = |error: &OwnedDoc, name: &str| {
        member(error, name).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
    };
    let mut errors: Vec<(String, String)> =
        list.iter().map(|error| (text(error, "kind"), text(error, "path"))).collect();
    errors.sort();
    errors
}

/// Returns the kinds of the errors, sorted.
pub(super) fn kinds(answer: &OwnedDoc) -> Vec<String> {
    let mut kinds: Vec<String> = errors(answer).into_iter().map(|(kind, _)| kind).collect();
    kinds.dedup();
    kinds
}
