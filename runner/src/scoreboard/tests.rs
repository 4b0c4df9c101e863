use std::collections::BTreeSet;

use rstest::rstest;
use skewer_cases::Corpus;
use skewer_reports::scoreboard::{MergeKey, ScoreboardCounts};
use skewer_results::{Answer, AnswerError, Cell, Deviation, Outcome, RunInfo, RunTarget, Status, Step};

use super::*;

fn run(name: &str, cells: Vec<Cell>) -> Results {
    let target =
        RunTarget { name: name.to_owned(), version: Some("v1.2".to_owned()), ..RunTarget::default() };
    Results::new(RunInfo { target, ..RunInfo::default() }, cells)
}

fn cell(case: &str, status: Status) -> Cell {
    Cell::new(format!("suite/{case}"), "suite", case, status)
}

fn ladder() -> Ladder {
    let capability =
        CapabilitySpec { id: "maps".to_owned(), title: "Maps".to_owned(), suites: vec!["suite".to_owned()] };
    Ladder {
        labels: [("a/b".to_owned(), "b".to_owned())].into(),
        capabilities: vec![capability],
        questions: vec![],
    }
}

#[test]
fn every_suite_and_cell_of_the_ladder_is_in_the_corpus() {
    let (ladder, corpus) = (Ladder::embedded().unwrap(), Corpus::embedded().unwrap());
    let ids: BTreeSet<String> = corpus.cells().map(|cell| cell.id()).collect();
    let suites: BTreeSet<&str> = corpus.suites.iter().map(|suite| &*suite.name).collect();
    let mut used = BTreeSet::new();
    for suite in ladder.capabilities.iter().flat_map(|capability| &capability.suites) {
        assert!(suites.contains(suite.as_str()), "{suite}");
        assert!(used.insert(suite.clone()), "{suite} belongs to one capability");
    }
    for id in ladder.questions.iter().flat_map(|question| &question.cells) {
        assert!(ids.contains(id), "{id}");
        used.extend(id.rsplit_once('/').map(|(suite, _)| suite.to_owned()));
    }
    let mut of_implementations = suites.iter().filter(|suite| suite.starts_with("implementations/"));
    assert!(
        of_implementations.all(|suite| used.contains(*suite)),
        "each suite is part of the ladder: {used:?}"
    );
}

#[rstest]
#[case(&[Status::Pass, Status::UnexpectedPass], Support::Supported)]
#[case(&[Status::Pass, Status::Unsupported], Support::Partial)]
#[case(&[Status::Pass, Status::NotRun], Support::Partial)]
#[case(&[Status::Pass, Status::Fail], Support::Wrong)]
#[case(&[Status::Unsupported, Status::Deviation], Support::Wrong)]
#[case(&[Status::Crash], Support::Wrong)]
#[case(&[Status::Timeout], Support::Wrong)]
#[case(&[Status::Unsupported, Status::NotAsked], Support::Unsupported)]
#[case(&[Status::Error, Status::Skipped], Support::NotRun)]
#[case(&[], Support::NotRun)]
fn support_follows_from_the_statuses(#[case] statuses: &[Status], #[case] expected: Support) {
    let cells = statuses.iter().enumerate().map(|(index, status)| cell(&format!("c{index}"), *status));
    let board = analyze(&ladder(), &[run("x", cells.collect())]);
    assert_eq!(board.capabilities[0].marks[0].support, expected);
    assert_eq!(board.implementations[0].supported, usize::from(expected == Support::Supported));
}

#[test]
fn a_deviation_is_wrong_and_counted_and_has_its_reason() {
    let deviation = Deviation { reason: "it has no directives".to_owned(), link: None };
    let leaked = Cell {
        outcome: Some(Outcome::Leaked),
        deviation: Some(deviation),
        ..cell("leaked", Status::Deviation)
    };
    let board = analyze(&ladder(), &[run("a/b", vec![leaked, cell("passed", Status::Pass)])]);
    let implementation = &board.implementations[0];
    assert_eq!(implementation.label, "b 1.2");
    let expected =
        ScoreboardCounts { passed: 1, wrong: 1, leaked: 1, deviations: 1, ..ScoreboardCounts::default() };
    assert_eq!(implementation.counts, expected);
    let wrong = &board.capabilities[0].marks[0].wrong_cells;
    assert_eq!(wrong[0].reason.as_deref(), Some("it has no directives"));
}

#[test]
fn the_wrong_cell_with_the_smallest_documents_comes_first() {
    let with_document = |case: &str, text: &str| {
        let step = Step {
            name: "stored".to_owned(),
            note: None,
            document: Some(text.to_owned()),
            owners: Vec::new(),
        };
        Cell { steps: vec![step], ..cell(case, Status::Fail) }
    };
    let cells = vec![with_document("large", "a: 1\nb: 2\n"), with_document("small", "a: 1\n")];
    let board = analyze(&ladder(), &[run("x", cells)]);
    let ids: Vec<&str> =
        board.capabilities[0].marks[0].wrong_cells.iter().map(|cell| cell.id.as_str()).collect();
    assert_eq!(ids, ["suite/small", "suite/large"]);
}

/// Returns the answer for an implementation that leaves these ports after each of two requests: one with the number of a
/// live port and another protocol, and one with its name and another number.
fn key_of(after_other_protocol: &str, after_other_number: &str) -> Vec<MergeKey> {
    let probe = |case: &str, patch: &str, result: &str| {
        let step = |name: &str, ports: &str| Step {
            name: name.to_owned(),
            note: None,
            document: Some(format!("ports: {ports}\n")),
            owners: Vec::new(),
        };
        let live = "[{name: a, port: 53, protocol: TCP}, {name: b, port: 80, protocol: TCP}]";
        let steps = vec![step("stored", live), step("request", patch), step("result", result)];
        Cell { steps, ..cell(case, Status::Pass) }
    };
    let cells = vec![
        probe("protocol", "[{name: c, port: 53, protocol: UDP}]", after_other_protocol),
        probe("number", "[{name: a, port: 8080, protocol: TCP}]", after_other_number),
    ];
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    let question = QuestionSpec {
        id: "ports".to_owned(),
        title: String::new(),
        about: String::new(),
        merge_key: Some(MergeKeySpec {
            list: "ports".to_owned(),
            candidates: vec![words(&["port"]), words(&["port", "protocol"]), words(&["name"])],
        }),
        cells: words(&["suite/protocol", "suite/number"]),
    };
    let ladder = Ladder { questions: vec![question], ..ladder() };
    analyze(&ladder, &[run("x", cells)]).questions.remove(0).merge_keys
}

const ADDED_PROTOCOL: &str = "[{name: c, port: 53, protocol: UDP}, {name: a, port: 53, protocol: TCP}, {name: b, port: 80, protocol: TCP}]";
const ADDED_NUMBER: &str = "[{name: a, port: 53, protocol: TCP}, {name: b, port: 80, protocol: TCP}, {name: a, port: 8080, protocol: TCP}]";

#[rstest]
#[case::by_port(
    "[{name: c, port: 53, protocol: UDP}, {name: b, port: 80, protocol: TCP}]",
    ADDED_NUMBER,
    "port"
)]
#[case::by_both(ADDED_PROTOCOL, ADDED_NUMBER, "port + protocol")]
#[case::by_name(
    ADDED_PROTOCOL,
    "[{name: b, port: 80, protocol: TCP}, {name: a, port: 8080, protocol: TCP}]",
    "name"
)]
#[case::replaced(
    "[{name: c, port: 53, protocol: UDP}]",
    "[{name: a, port: 8080, protocol: TCP}]",
    "no key (the list is replaced)"
)]
#[case::unknown("[]", "[]", "none of the candidates")]
fn the_merge_key_predicts_the_items(#[case] protocol: &str, #[case] number: &str, #[case] expected: &str) {
    let answers = key_of(protocol, number);
    let answers: Vec<(&str, &str)> =
        answers.iter().map(|answer| (answer.requests.as_str(), answer.key.as_str())).collect();
    assert_eq!(answers, [("strategic merge patch", expected)]);
}

#[test]
fn equal_results_are_one_group_and_the_expected_one_comes_first() {
    let with_result = |status, document: &str| Cell {
        actual: Some(Answer::of_error(AnswerError {
            message: Some("in its own words".into()),
            ..AnswerError::of_kind("conflict")
        })),
        actual_document: Some(document.to_owned()),
        ..cell("c", status)
    };
    let question = QuestionSpec {
        id: "q".to_owned(),
        title: String::new(),
        about: String::new(),
        merge_key: None,
        cells: vec!["suite/c".to_owned()],
    };
    let ladder = Ladder { questions: vec![question], ..ladder() };
    let runs = [
        run("one", vec![with_result(Status::Fail, "a")]),
        run("two", vec![with_result(Status::Pass, "b")]),
        run("three", vec![with_result(Status::Deviation, "a")]),
        run("four", vec![cell("c", Status::Unsupported)]),
    ];
    let board = analyze(&ladder, &runs);
    let groups = &board.questions[0].cells[0].results;
    let summary: Vec<(bool, &str, &[usize])> = groups
        .iter()
        .map(|group| (group.is_expected, group.result.as_str(), group.implementations.as_slice()))
        .collect();
    assert_eq!(summary, [(true, "refused: conflict", &[1][..]), (false, "refused: conflict", &[0, 2][..])]);
}
