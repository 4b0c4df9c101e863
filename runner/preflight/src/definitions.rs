//! Steps that change definitions: a version is removed, or the definitions are replaced. Nothing is applied at once; the
//! step shows in the requests that follow.

use std::convert::Infallible;

use skewer_audit::effect::value_at;
use skewer_engine::error::ManagerOperation;
use skewer_engine::{Doc, FieldPath, OwnedDoc, PathSegment, Text};
use skewer_skew::{OwnerEntry, Request, ToolRequest, differing_paths, owners};
use skewer_targets::live::NotLive;

use crate::confirm::{AskedServers, RepeatedStep, StepConfirmation};
use crate::dump::DumpedObject;
use crate::effect::{EffectCause, ObjectEffect};
use crate::extract::extract;
use crate::finding::{Findings, JudgedObject};
use crate::probe::probe_with;
use crate::repair::{RenamedVersion, renamed_entries};
use crate::request::{Answer, Answered, StepServers};
use crate::served::{KindVersion, ServedKind, ServedKinds};
use crate::shown_request::{CourseStart, ShownRequest};
use crate::suite::{CaseValues, case_of};

/// The kinds before and after a change of definitions.
pub(crate) struct ChangedKinds<'a> {
    /// The kinds before.
    pub(crate) before: ServedKinds,
    /// The kinds after.
    pub(crate) after: ServedKinds,
    /// The version that is removed. `None` if the definitions are replaced.
    pub(crate) removed: Option<String>,
    /// The servers that are asked, too.
    pub(crate) asked: Option<AskedServers<'a>>,
    /// The names and values of cases.
    pub(crate) cases: Option<CaseValues>,
}

impl ChangedKinds<'_> {
    /// Judges an object.
    pub(crate) fn judge(&mut self, object: &DumpedObject, findings: &mut Findings) {
        if !self.concerns(object) {
            return findings.add_not_concerned();
        }
        // Objects that were read in a version that is gone are read in another one.
        let kept = self.after.version_of(&object.api_version, &object.id.kind);
        let version =
            KindVersion { request: kept.clone(), kind: object.id.kind.clone(), stored: kept.clone() };
        let (after, before) = match (self.after.get(&version), self.before.get(&version)) {
            (Ok(after), before) => (after, before.ok()),
            (Err(reason), _) => return findings.add_not_judged(reason),
        };
        for part in &after.not_simulated {
            findings.add_not_judged(part.clone());
        }
        let mut live = object.object.clone();
        if let Some(map) = live.as_map_mut() {
            map.insert("apiVersion".into(), Doc::String(Text::from(kept.clone())));
        }
        let followed = follow(&after, &live);
        match self.asked {
            Some(AskedServers::Own(servers)) => {
                findings.add_confirmation(&object.id, confirm(servers, &after, &live, &followed));
            }
            Some(AskedServers::DryRuns(_)) => {
                findings
                    .add_not_judged("dry runs: the cluster has the definitions before the step".to_owned());
            }
            None => {}
        }
        let Followed { mut effects, requests } = followed;
        // What happens before the change, too, is not its effect. An object in the removed version is as it was.
        if let Some(before) = before.as_ref().filter(|_| object.api_version == kept) {
            let known = follow(before, &live).effects;
            effects.retain(|effect| {
                !known.iter().any(|old| old.cause == effect.cause && old.path == effect.path)
            });
        }
        let is_new =
            |effect: &ObjectEffect| is_of_owners(effect) && findings.needs_repair(&object.id.kind, effect);
        if let (Some(removed), Some(before), true) = (&self.removed, before, effects.iter().any(is_new)) {
            let versions = RenamedVersion { id: &object.id, removed, kept: &kept };
            let works = |renamed: &OwnedDoc| !follow(&after, renamed).effects.iter().any(is_of_owners);
            let repair = renamed_entries(&before, &live, versions, &works);
            for effect in effects.iter_mut().filter(|effect| is_of_owners(effect)) {
                effect.repair.clone_from(&repair);
            }
        }
        if let Some(values) = self.cases {
            let effects_of = |shown: &ShownRequest| effects_of_request(&after, shown);
            for effect in effects.iter_mut().filter(|effect| findings.needs_case(&object.id.kind, effect)) {
                let shown = requests.iter().find_map(|answered| {
                    // Each request begins with the object before the step.
                    let course = std::slice::from_ref(answered);
                    let start = CourseStart { live: Some(&live), previous: None };
                    ShownRequest::find(course, start, effect, &effects_of)
                });
                effect.case = shown.and_then(|shown| case_of(&after, shown, effect, values, &effects_of));
            }
        }
        let before = Some(&object.object);
        findings.add(&JudgedObject { id: &object.id, end: None, effects, before, requests: &requests });
    }

    /// Returns true if the change can have an effect on an object.
    fn concerns(&self, object: &DumpedObject) -> bool {
        match &self.removed {
            Some(version) => {
                let names_version =
                    || owners(&object.object).iter().any(|owner| owner.api_version == *version);
                let group = version.rsplit_once('/').map_or("", |(group, _)| group);
                object.id.group == group && (object.api_version == *version || names_version())
            }
            None => self.after.is_defined(&object.id),
        }
    }
}

/// Returns true if an effect comes from managed fields, and not from the types of the object.
fn is_of_owners(effect: &ObjectEffect) -> bool {
    effect.cause != EffectCause::Removed
}

/// The requests that follow a change of definitions, and their effects.
struct Followed {
    effects: Vec<ObjectEffect>,
    requests: Vec<Answered>,
}

/// Sends the requests that follow in the simulation.
fn follow(served: &ServedKind, live: &OwnedDoc) -> Followed {
    let followed = follow_with(served, live, &mut |request, live| {
        Ok::<_, Infallible>(Answered::simulate(request, served, live))
    });
    match followed {
        Ok(followed) => followed,
        Err(never) => match never {},
    }
}

/// Sends the requests that follow: anybody's next apply and update, and the next apply of each manager that applies.
fn follow_with<F>(served: &ServedKind, live: &OwnedDoc, answer: &mut Answer<'_, F>) -> Result<Followed, F> {
    let found = probe_with(live, answer)?;
    let mut effects = found.effects(live);
    if let Ok(after) = &found.update.end {
        effects.extend(lost_fields(served, live, after));
    }
    let is_refused = found.apply.end.is_err();
    let mut requests = vec![found.apply, found.update];
    let appliers = owners(live)
        .into_iter()
        .filter(|owner| owner.operation == ManagerOperation::Apply && owner.subresource.is_empty());
    // If every apply is refused, so are theirs.
    for owner in appliers.filter(|_| !is_refused) {
        let answered = answer(apply_again(live, &owner), Some(live))?;
        if let Err(error) = &answered.end {
            let sentence = format!("the next apply of {} is refused: {}", owner.manager, error.message());
            effects.push(ObjectEffect::of_refusal(error, sentence));
        }
        requests.push(answered);
    }
    Ok(Followed { effects, requests })
}

/// Sends the requests that follow to real servers, and compares what comes of them.
fn confirm(
    servers: &dyn StepServers,
    served: &ServedKind,
    live: &OwnedDoc,
    simulated: &Followed,
) -> StepConfirmation {
    let followed = follow_with(served, live, &mut |request, live| servers.answer(request, served, live));
    let step = |followed: &Followed| RepeatedStep {
        effects: followed.effects.clone(),
        ends: followed.requests.iter().map(|answered| answered.end.clone()).collect(),
    };
    StepConfirmation::of(served, &step(simulated), followed.as_ref().map(step).map_err(NotLive::clone))
}

/// Returns the request with which a manager applies what it owns.
fn apply_again(live: &OwnedDoc, owner: &OwnerEntry) -> ToolRequest {
    ToolRequest::new(
        format!("{} applies what it owns", owner.manager),
        Request::ServerSideApply,
        &owner.manager,
        extract(live, &owner.fields),
    )
}

/// Returns the effects of a single one of the requests that follow. Those on owners show only in a later one.
fn effects_of_request(served: &ServedKind, shown: &ShownRequest) -> Vec<ObjectEffect> {
    let ShownRequest { request, live, .. } = shown;
    match (Answered::simulate(request.clone(), served, live.as_ref()).end, live) {
        (Err(error), _) => vec![ObjectEffect::of_refusal(&error, error.message().to_owned())],
        (Ok(after), Some(live)) if request.request == Request::Update => lost_fields(served, live, &after),
        _ => Vec::new(),
    }
}

/// Returns the fields that the next update loses, because the types do not have them.
fn lost_fields(served: &ServedKind, live: &OwnedDoc, after: &OwnedDoc) -> Vec<ObjectEffect> {
    let is_lost = |path: &FieldPath| {
        let is_metadata =
            matches!(path.segments().first(), Some(PathSegment::Key(key)) if *key == *"metadata");
        !is_metadata && value_at(live, path).is_some() && value_at(after, path).is_none()
    };
    let paths = differing_paths(&served.server.context, live, after).into_iter().filter(is_lost);
    let sentence = "the next update, by whomever, removes it: the types that remain do not have it";
    paths.map(|path| ObjectEffect::new(EffectCause::Removed, path.to_string(), sentence.to_owned())).collect()
}
