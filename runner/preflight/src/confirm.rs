//! Steps on real API servers (`--confirm`): does the same happen there as in the simulation?

use std::collections::{BTreeMap, BTreeSet};

use skewer_engine::server_side_apply::{FieldComparison, FieldSet};
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc, OwnedMap};
use skewer_execute::execute::same_end::{ComparedEnd, ErrorDifference, MayDiffer, is_same_end};
use skewer_reports::audit::Severity;
use skewer_skew::owners;
use skewer_targets::live::{NotLive, ObservedCluster};

use crate::effect::{EffectCause, ObjectEffect};
use crate::owners::highest_paths;
use crate::request::StepServers;
use crate::served::ServedKind;
use crate::verdict::comparable;

/// The servers that are asked what they do in a step, beside the simulation.
#[derive(Clone, Copy)]
pub enum AskedServers<'a> {
    /// Servers that get each object before the step.
    Own(&'a dyn StepServers),
    /// The cluster that has the objects. It only gets dry runs.
    DryRuns(&'a ObservedCluster),
}

impl AskedServers<'_> {
    /// Returns the version of the servers in reports.
    #[must_use]
    pub fn version(self) -> String {
        match self {
            AskedServers::Own(servers) => servers.version(),
            AskedServers::DryRuns(observed) => observed.cluster().version().to_owned(),
        }
    }
}

/// The result of real servers in a step, compared with the simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepConfirmation {
    /// The same.
    Same,
    /// Something else.
    Different(StepDifference),
    /// The step was not run, or its end is one of those that are not simulated. The text says why.
    NotRun(String),
}

/// The difference between real servers and the simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepDifference {
    /// The difference in words.
    pub how: String,
    /// Whether the simulation has found nothing, and the servers refuse a request or lose data.
    pub is_false_safe: bool,
}

/// A step as it ended in the simulation, or on real servers.
#[derive(Clone, Debug)]
pub struct RepeatedStep {
    /// The effects.
    pub effects: Vec<ObjectEffect>,
    /// The objects after the requests, or the refusals.
    pub ends: Vec<Result<OwnedDoc, Error>>,
}

impl StepConfirmation {
    /// Compares a step on servers with the same step in the simulation. A step that was not run has a reason.
    #[must_use]
    pub fn of(served: &ServedKind, simulated: &RepeatedStep, live: Result<RepeatedStep, NotLive>) -> Self {
        match live {
            Ok(live) => StepConfirmation::compare(served, simulated, &live),
            Err(why) => StepConfirmation::NotRun(why.why()),
        }
    }

    fn compare(served: &ServedKind, simulated: &RepeatedStep, live: &RepeatedStep) -> Self {
        let mut how = Vec::new();
        for (simulated, live) in simulated.ends.iter().zip(&live.ends) {
            match (simulated, live) {
                (_, Err(error)) if is_only_of_validation(served, error, simulated) => {
                    return StepConfirmation::NotRun(format!(
                        "validation of built-in kinds, which is not simulated: {}",
                        error.kind().id()
                    ));
                }
                (Ok(simulated), Ok(live)) => how.extend(different_objects(served, simulated, live)),
                (simulated, live) => {
                    how.extend(different_refusals(simulated.as_ref().err(), live.as_ref().err()));
                }
            }
        }
        how.extend(different_effects(&simulated.effects, &live.effects));
        if how.is_empty() && simulated.ends.len() == live.ends.len() {
            return StepConfirmation::Same;
        }
        let is_safe =
            |step: &RepeatedStep| step.effects.iter().all(|effect| effect.cause.severity() == Severity::Note);
        let is_false_safe = is_safe(simulated) && !is_safe(live);
        StepConfirmation::Different(StepDifference { how: how.join("; "), is_false_safe })
    }
}

/// Returns true if a refusal is one that only the validation of built-in kinds makes.
fn is_only_of_validation(served: &ServedKind, error: &Error, simulated: &Result<OwnedDoc, Error>) -> bool {
    let is_built_in = served.server.admission.is_none();
    is_built_in
        && is_of_validation(error.kind())
        && simulated.as_ref().err().is_none_or(|known| known.kind() != error.kind())
}

/// Returns true if a refusal is one of those that only the validation of a kind makes.
#[must_use]
pub fn is_of_validation(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::InvalidValue
            | ErrorKind::ForbiddenValue
            | ErrorKind::RequiredFieldMissing
            | ErrorKind::UnknownEnumValue
            | ErrorKind::DuplicateValue
    )
}

fn different_refusals(simulated: Option<&Error>, live: Option<&Error>) -> Vec<String> {
    let describe = |error: Option<&Error>| match error {
        Some(error) => format!("refused: {} ({error})", error.describe_kind()),
        None => "accepted".to_owned(),
    };
    let conflicts = |error: &Error| {
        let mut conflicts: Vec<String> = error
            .conflicts()
            .iter()
            .map(|conflict| format!("{} {:?} {}", conflict.manager, conflict.operation, conflict.path))
            .collect();
        conflicts.sort();
        conflicts
    };
    let is_same = match (simulated, live) {
        (None, None) => true,
        (Some(simulated), Some(live)) => {
            let may_differ = MayDiffer::in_errors(ErrorDifference::FurtherKinds);
            is_same_end(ComparedEnd::of_error(live), ComparedEnd::of_error(simulated), may_differ)
                && conflicts(simulated) == conflicts(live)
        }
        _ => false,
    };
    let text = || format!("{} on the server, {} in the simulation", describe(live), describe(simulated));
    if is_same { Vec::new() } else { vec![text()] }
}

fn different_effects(simulated: &[ObjectEffect], live: &[ObjectEffect]) -> Vec<String> {
    let keys = |effects: &[ObjectEffect]| -> Vec<(EffectCause, String, String)> {
        let key = |effect: &ObjectEffect| match effect.cause {
            // The message of a server has other words, and does not always say the path.
            EffectCause::Refused(_) | EffectCause::Undeclared | EffectCause::Duplicate => {
                (effect.cause, String::new(), String::new())
            }
            cause => (cause, effect.path.clone(), effect.sentences.first().cloned().unwrap_or_default()),
        };
        effects.iter().map(key).collect()
    };
    let (simulated, live) = (keys(simulated), keys(live));
    let text = |where_from: &str, (cause, path, sentence): &(EffectCause, String, String)| {
        format!("only {where_from}: {} {path} ({sentence})", cause.name())
    };
    let only_live = live.iter().filter(|effect| !simulated.contains(effect));
    let only_simulated = simulated.iter().filter(|effect| !live.contains(effect));
    only_live
        .map(|effect| text("on the server", effect))
        .chain(only_simulated.map(|effect| text("in the simulation", effect)))
        .collect()
}

fn different_objects(served: &ServedKind, simulated: &OwnedDoc, live: &OwnedDoc) -> Vec<String> {
    let (content, content_of_live) = (comparable(served, simulated), comparable(served, live));
    let Ok(compared) = FieldComparison::new(served.place(), &content, &content_of_live) else {
        return if content == content_of_live { Vec::new() } else { vec!["the objects differ".to_owned()] };
    };
    let mut how = Vec::new();
    for (what, set) in [
        ("lacks", &compared.removed),
        ("has another value of", &compared.modified),
        ("also has", &compared.added),
    ] {
        let paths = highest_paths(set);
        if !paths.is_empty() {
            how.push(format!("the object on the server {what} {}", paths.join(", ")));
        }
    }
    let (owned, owned_on_server) =
        (owned_fields(served, simulated, &content), owned_fields(served, live, &content_of_live));
    let names: BTreeSet<&String> = owned.keys().chain(owned_on_server.keys()).collect();
    for name in names {
        let of = |owned: &BTreeMap<String, FieldSet<'static>>| owned.get(name).cloned().unwrap_or_default();
        let (simulated, live) = (of(&owned), of(&owned_on_server));
        for (what, set) in [
            ("does not own", simulated.clone().difference(&live)),
            ("also owns", live.clone().difference(&simulated)),
        ] {
            let paths = highest_paths(&set);
            if !paths.is_empty() {
                how.push(format!("on the server, {name} {what} {}", paths.join(", ")));
            }
        }
    }
    how
}

/// Returns the fields of each owner that are a part of what is compared.
fn owned_fields(
    served: &ServedKind,
    object: &OwnedDoc,
    content: &OwnedDoc,
) -> BTreeMap<String, FieldSet<'static>> {
    let empty = Doc::Map(OwnedMap::new());
    let present = FieldComparison::new(served.place(), &empty, content).unwrap_or_default().added;
    let mut owned: BTreeMap<String, FieldSet<'static>> = BTreeMap::new();
    for owner in owners(object) {
        let name = format!("{} {}", owner.name(), owner.api_version);
        let fields = owner.fields.intersection(&present);
        let before = owned.remove(&name).unwrap_or_default();
        owned.insert(name, before.union(fields));
    }
    owned
}
