//! The central sentence of KEP-1027: members are cleared "if and only if the discriminator has been modified". Cells
//! fail on a server that violates it, and the expectations of these cells cite the sentence.

use skewer_cases::Plan;
use skewer_engine::schema::union::Union;
use skewer_engine::union::policy::{self, Change, Policy, Violation, WriteKind};
use skewer_engine::{Doc, OwnedMap, Text};
use skewer_skew::FinalState;

use crate::helpers::embedded_corpus;

/// The policy `kep-1027`, but with members that are cleared even if the discriminator was not modified.
#[derive(Debug)]
struct ClearsAlways;

impl Policy for ClearsAlways {
    fn name(&self) -> &'static str {
        "clears-always"
    }

    fn about(&self) -> &'static str {
        "like kep-1027, but clears members even if the discriminator was not modified"
    }

    fn normalize(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        // No object has this stored discriminator, so that every request modifies it.
        let mut before = old.cloned().unwrap_or_default();
        if let Some(discriminator) = &union.discriminator {
            before.insert(discriminator.field.clone(), Doc::String(Text::from("\u{0}")));
        }
        kep().normalize(write, Some(&before), new, union)
    }

    fn validate(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        kep().validate(write, old, new, union)
    }
}

fn kep() -> &'static dyn Policy {
    policy::by_name("kep-1027").expect("the policy kep-1027 exists")
}

/// The wording of the rule in the sections of the KEP on normalization and validation.
const SENTENCES: [&str; 3] = [
    "if and only if the discriminator has been modified",
    "must change the discriminator if it changes any union",
    "having multiple fields set, and a discriminator not modified is invalid",
];

#[test]
fn a_policy_that_violates_the_sentence_fails_only_cells_that_cite_it() {
    let corpus = embedded_corpus();
    let (mut run, mut caught) = (0, 0);
    for cell in corpus.cells().filter(|cell| cell.case.suite.starts_with("unions/")) {
        let Ok(Plan::Skew(mut plan)) = cell.plan() else { continue };
        if plan.server.policy.name() != kep().name() {
            continue;
        }
        run += 1;
        let final_state = |plan: &skewer_skew::Scenario| skewer_skew::run_built_in(plan, &mut |_, _| {}).ok();
        let right = final_state(&plan);
        plan.server.policy = &ClearsAlways;
        let wrong = final_state(&plan);
        let same = match (&right, &wrong) {
            (Some(FinalState::Refused(right)), Some(FinalState::Refused(wrong))) => {
                right.kind() == wrong.kind()
            }
            (right, wrong) => right == wrong,
        };
        if same {
            continue;
        }
        caught += 1;
        let because = cell.expectation.because.as_deref().unwrap_or_default().to_lowercase();
        assert!(
            SENTENCES.iter().any(|sentence| because.contains(sentence)),
            "{cell} detects the violation ({}:{}), but does not cite the KEP: {because:?}",
            cell.expectation.location.file,
            cell.expectation.location.line
        );
    }
    assert!(run > 2_000 && caught > 100, "{caught} of {run} cells detect the violation");
}
