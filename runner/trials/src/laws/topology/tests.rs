use rstest::rstest;
use skewer_engine::document::from_json;
use skewer_engine::error::{ManagerConflict, ManagerOperation};
use skewer_reports::laws::{RecordComparison, VerdictKind, ViolationKind};

use super::change::{CHANGED_FIELD, CHANGES};
use super::generate::generate;
use super::law::{LAWS, check};
use super::shrink::shrink;
use super::trial::{ApplyEnd, TopologyTrial};
use crate::laws::law::{Law, LawResult};
use crate::laws::record::VerdictRecord;

/// An end in a short form: a number is a stored object, `c` and a path a conflict, and `r` another refusal.
fn end(text: &str) -> ApplyEnd {
    match text.split_at(1) {
        ("c", path) => ApplyEnd::Conflict(vec![ManagerConflict {
            manager: "one".to_owned(),
            path: path.to_owned(),
            operation: ManagerOperation::Apply,
            api_version: None,
            subresource: None,
        }]),
        ("r", _) => ApplyEnd::Refused("duplicate-list-item"),
        _ => ApplyEnd::Stored(from_json(format!(r#"{{"x":{text}}}"#).as_bytes()).unwrap()),
    }
}

/// Returns the result of a law: `-` if it does not apply, `kept`, or the kind of the violation. The ends are those of
/// old servers, new servers, an upgrade and a rollback.
fn result(law: Law, [before, ideal, upgraded, rolled_back]: [&str; 4]) -> &'static str {
    let trial = TopologyTrial {
        before: end(before),
        ideal: end(ideal),
        upgraded: end(upgraded),
        rolled_back: end(rolled_back),
    };
    match check(law, &trial) {
        LawResult::NotApplicable => "-",
        LawResult::Holds => "kept",
        LawResult::Broken(violation) => violation.kind.description(),
    }
}

use Law::{Backward, Forward, NoNewRequirement};

#[rstest]
#[case::as_an_old_server(Backward, ["1", "2", "1", "9"], "kept")]
#[case::as_new_servers_alone(Backward, ["1", "2", "2", "9"], "kept")]
#[case::as_new_servers_alone_with_a_conflict(Backward, ["1", "c.x", "c.x", "9"], "kept")]
#[case::another_object(Backward, ["1", "2", "3", "1"], "silently")]
#[case::a_missed_conflict(Backward, ["c.x", "c.x.a", "3", "1"], "silently")]
#[case::another_conflict(Backward, ["1", "2", "c.x", "1"], "with a refusal")]
#[case::a_conflict_at_another_path(Backward, ["c.x", "c.x.a", "c.x.b", "1"], "with a refusal")]
#[case::an_invalid_request(Backward, ["r", "2", "3", "1"], "-")]
#[case::as_old_servers_alone(Forward, ["1", "2", "9", "1"], "kept")]
#[case::as_a_new_server(Forward, ["1", "2", "9", "2"], "kept")]
#[case::another_object_after_a_rollback(Forward, ["1", "2", "1", "3"], "silently")]
#[case::a_conflict_after_a_rollback(Forward, ["1", "2", "1", "c.x"], "with a refusal")]
#[case::new_clients_do_not_send_it(Forward, ["1", "r", "1", "3"], "-")]
#[case::old_servers_refuse_it(Forward, ["r", "2", "1", "3"], "-")]
#[case::another_object_is_no_refusal(NoNewRequirement, ["1", "2", "3", "1"], "kept")]
#[case::a_new_refusal(NoNewRequirement, ["1", "r", "r", "1"], "with a refusal")]
#[case::a_new_conflict(NoNewRequirement, ["1", "c.x", "c.x", "1"], "with a refusal")]
#[case::a_conflict_before(NoNewRequirement, ["c.x", "r", "r", "1"], "-")]
fn each_law_can_hold_and_can_be_broken(#[case] law: Law, #[case] ends: [&str; 4], #[case] expected: &str) {
    assert_eq!(result(law, ends), expected);
}

/// If nothing changes, all laws hold, and they apply in many situations.
#[test]
fn the_laws_hold_if_the_topology_stays_the_same() {
    for change in &CHANGES {
        let same = super::TopologyChange { name: "same", old: change.old, new: change.old };
        let mut kept = [0; LAWS.len()];
        for number in 0..60 {
            let Some(situation) = generate(&same, 3, number) else { continue };
            let Some(trial) = TopologyTrial::run(&situation.sequence) else { continue };
            for (law, kept) in LAWS.into_iter().zip(&mut kept) {
                match check(law, &trial) {
                    LawResult::Broken(violation) => panic!("{}, {}: {violation:?}", change.name, law.name()),
                    LawResult::Holds => *kept += 1,
                    LawResult::NotApplicable => {}
                }
            }
        }
        assert!(kept.iter().all(|kept| *kept > 10), "{}: {kept:?}", change.name);
    }
}

#[test]
fn situations_are_reproducible_and_have_the_changed_field() {
    let mut with_field = 0;
    for number in 0..100 {
        let text = || generate(&CHANGES[0], 5, number).map(|it| format!("{:?}", it.sequence.steps));
        assert_eq!(text(), text());
        with_field += usize::from(text().is_some_and(|text| text.contains(CHANGED_FIELD)));
    }
    assert!(with_field > 60, "{with_field}");
}

#[test]
fn shrinking_keeps_what_the_predicate_needs_and_removes_the_rest() {
    let change = &CHANGES[0];
    let is_silent = |sequence: &_| {
        let trial = TopologyTrial::run(sequence);
        let result = trial.map(|trial| check(Backward, &trial));
        matches!(result, Some(LawResult::Broken(violation)) if violation.kind == ViolationKind::Silent)
    };
    let mut situations = (0..500).filter_map(|number| generate(change, 1, number));
    let situation = situations.find(|it| is_silent(&it.sequence)).expect("a violation");
    let shrunk = shrink(change, situation, &is_silent);
    assert!(is_silent(&shrunk.sequence));
    assert_eq!(shrunk.sequence.steps.len(), 2, "one request of the history, and the next one");
    let fields: usize = shrunk.structs[..shrunk.structs.len() - 1].iter().map(|it| it.fields.len()).sum();
    assert!(fields <= 1, "{:?}", shrunk.structs);
}

#[test]
fn verdicts_are_compared_with_the_record() {
    let text = "changes:\n  - name: a\n    backward: {verdict: broken, because: of this}\n    forward: {verdict: \
                kept}\n    no-new-requirement: {verdict: kept}\n";
    let record = VerdictRecord::read("x.yaml", text.as_bytes(), &LAWS).unwrap();
    let compare = |change, law, verdict| {
        record.summarize(change, law, &[("one manager".to_owned(), verdict)]).record_comparison
    };
    assert_eq!(compare("a", Backward, VerdictKind::Broken), RecordComparison::AsRecorded);
    assert_eq!(compare("a", Backward, VerdictKind::Kept), RecordComparison::Better);
    assert_eq!(compare("a", Forward, VerdictKind::Broken), RecordComparison::Worse);
    assert_eq!(compare("b", Forward, VerdictKind::Broken), RecordComparison::Worse, "not on record");
    assert_eq!(record.because("a", Backward), Some("of this"));
    let errors = VerdictRecord::read("x.yaml", text.replace(", because: of this", "").as_bytes(), &LAWS);
    assert!(errors.unwrap_err().to_string().contains("`because` is missing"));
}
