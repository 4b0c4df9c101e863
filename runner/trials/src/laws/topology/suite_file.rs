//! Rendering of a counter-example as a suite file for the corpus.

use skewer_cases::format::{
    CaseSpec, ExpectationSpec, Level, SchemaSpec, SettingSpec, SourceSpec, SuiteSpec,
};
use skewer_engine::{Doc, OwnedDoc, OwnedMap};
use skewer_reports::laws::ViolationKind;
use skewer_skew::{Request, Role};

use super::change::TopologyChange;
use super::generate::TopologySituation;
use super::trial::{ServerVersion, history_on_both, on_server};
use crate::differential::case::expectation;
use crate::differential::compare::built_in_answer;
use crate::differential::types::TypesOrigin;
use crate::laws::law::Law;

/// A shrunk situation that breaks a law.
pub(super) struct TopologyExample<'a> {
    pub(super) change: &'a TopologyChange,
    pub(super) law: Law,
    pub(super) kind: ViolationKind,
    pub(super) seed: u64,
    pub(super) situation: TopologySituation,
    pub(super) why: String,
}

/// Renders an example as a suite file with a case for each server. A case has the live object with the managed fields
/// that the history has left, the types of the server, and the next apply request. The expectations are the computed
/// answers, so that the cells pass.
pub(super) fn render(example: &TopologyExample<'_>) -> String {
    SuiteSpec { cases: cases(example).unwrap_or_default(), ..heading(example) }.print()
}

fn cases(example: &TopologyExample<'_>) -> Option<Vec<CaseSpec>> {
    let sequence = &example.situation.sequence;
    let (_, history) = sequence.steps.split_last()?;
    let [old, new] = history_on_both(sequence, history)?;
    let mut cases = vec![case(example, "old-servers", old.as_ref(), ServerVersion::Old)];
    if example.law != Law::NoNewRequirement {
        cases.push(case(example, "new-servers", new.as_ref(), ServerVersion::New));
    }
    cases.push(if example.law == Law::Forward {
        case(example, "after-rollback", new.as_ref(), ServerVersion::Old)
    } else {
        case(example, "after-upgrade", old.as_ref(), ServerVersion::New)
    });
    Some(cases.into_iter().flatten().collect())
}

/// Returns the suite without its cases.
fn heading(example: &TopologyExample<'_>) -> SuiteSpec {
    let TopologyExample { change, law, kind, seed, situation, why } = example;
    let suffix = if *kind == ViolationKind::Refusal { "-refused" } else { "" };
    SuiteSpec {
        suite: format!("laws/topology/{}-{}{suffix}", change.name, law.name()).into(),
        about: format!(
            "{} breaks the law \"{}\": {why}. Shrunk from generated situation {} of seed {seed}.",
            change.name,
            law.name(),
            situation.sequence.number
        ),
        source: Some(SourceSpec {
            document: "https://kubernetes.io/docs/reference/using-api/server-side-apply/".into(),
            section: "Compatibility across topology changes".into(),
        }),
        level: Some(Level::Erratum),
        ..SuiteSpec::default()
    }
}

fn case(
    example: &TopologyExample<'_>,
    id: &str,
    live: Option<&OwnedDoc>,
    server: ServerVersion,
) -> Option<CaseSpec> {
    let sequence = &example.situation.sequence;
    let step = on_server(sequence.steps.last()?, server);
    let answer = step.perform(sequence, live, built_in_answer)?;
    let nothing = || Doc::Map(OwnedMap::default());
    let expectation = expectation(&answer).unwrap_or_else(|| ExpectationSpec::of_result(nothing()));
    let go = match &sequence.resources[server as usize].compiled[0].origin {
        TypesOrigin::Go(go) => go.as_str(),
        TypesOrigin::Release { .. } => "",
    };
    let live = live.cloned().unwrap_or_else(nothing);
    Some(CaseSpec {
        id: id.into(),
        manager: Some(step.manager.into()),
        force: step.force.then(|| true.into()),
        setting: SettingSpec {
            schema: Some(SchemaSpec::of_go(go, "T0").into()),
            request: Some(Request::ServerSideApply.into()),
            documents: [(Role::Live, live), (Role::Configuration, step.document.clone())]
                .into_iter()
                .collect(),
            ..SettingSpec::default()
        },
        expect: vec![expectation.into()],
        ..CaseSpec::default()
    })
}
