use rstest::rstest;
use skewer_results::model::{AnswerError, OwnedField};

use super::*;

fn failed(id: &str, expected: Answer, actual: Answer) -> Cell {
    let (suite, case) = id.split_once('/').unwrap();
    let case = case.split('[').next().unwrap();
    Cell {
        expected: vec![expected],
        actual: Some(actual),
        outcome: Some(Outcome::Mismatch),
        ..Cell::new(id, suite, case, Status::Fail)
    }
}

fn result() -> Answer {
    Answer::of_part(AnswerPart::Result)
}

fn refused(kind: &str) -> Answer {
    Answer::of_error(AnswerError::of_kind(kind))
}

fn error(kind: &str, path: &str, message: &str) -> Answer {
    let error = AnswerError {
        path: Some(path.to_owned()),
        message: Some(message.into()),
        ..AnswerError::of_kind(kind)
    };
    Answer::of_error(error)
}

#[rstest]
#[case::path(error("conflict", "a", "m"), error("conflict", "b", "m"), true)]
#[case::message(error("conflict", "a", "m"), error("conflict", "a", "n"), true)]
#[case::kind(error("conflict", "a", "m"), error("wrong-kind", "a", "m"), false)]
fn details_of_a_cell_are_no_part_of_the_kind(
    #[case] one: Answer,
    #[case] other: Answer,
    #[case] is_same: bool,
) {
    let kinds = [one, other].map(|actual| CellResultKind::of(&failed("s/c", result(), actual)));
    assert_eq!(kinds[0] == kinds[1], is_same, "{kinds:?}");
}

#[test]
fn numbers_of_a_crash_are_no_part_of_the_kind() {
    let kinds = ["killed by signal 9", "killed by signal 11 (core dumped)"].map(|text| {
        let reasons = vec![Reason::Crash(text.into())];
        CellResultKind::of(&Cell { reasons, ..Cell::new("s/c", "s", "c", Status::Crash) })
    });
    assert_eq!(kinds[0], kinds[1]);
}

#[rstest]
#[case::missing("a: 1\nb: 2\n", "a: 1\n", "mismatch: another result (lines are missing)")]
#[case::additional("a: 1\n", "a: 1\nb: 2\n", "mismatch: another result (additional lines)")]
#[case::order("- a: 1\n  b: 2\n", "- b: 2\n  a: 1\n", "mismatch: another result (another order)")]
#[case::other("a: 1\n", "a: 2\n", "mismatch: another result (other lines)")]
fn the_lines_of_documents_are_compared(#[case] expected: &str, #[case] actual: &str, #[case] text: &str) {
    let cell = Cell {
        expected_document: Some(expected.to_owned()),
        actual_document: Some(actual.to_owned()),
        ..failed("s/c", result(), result())
    };
    assert_eq!(CellResultKind::of(&cell).to_string(), text);
}

#[test]
fn a_leaked_directive_determines_the_kind_whatever_was_expected() {
    let leaked = |expected| Cell {
        outcome: Some(Outcome::Leaked),
        ..failed("s/c", expected, Answer { leaks: vec!["$patch".to_owned()], ..result() })
    };
    let kinds = [result(), refused("conflict")].map(|expected| CellResultKind::of(&leaked(expected)));
    assert_eq!(kinds[0], kinds[1]);
    assert_eq!(kinds[0].to_string(), "leaked: a result with $patch as data");
}

#[test]
fn the_outcome_is_not_repeated() {
    let text = |outcome, actual| {
        let intended = Answer::of_outcome(Outcome::Intended);
        let cell = Cell { outcome: Some(outcome), ..failed("s/c", intended, actual) };
        CellResultKind::of(&cell).to_string()
    };
    assert_eq!(text(Outcome::Lost, Answer::of_outcome(Outcome::Lost)), "lost, expected intended");
    assert_eq!(text(Outcome::Refused, refused("conflict")), "refused: conflict, expected intended");
}

#[rstest]
#[case::conflicts(vec![], conflict_of("a"), refused("conflict"), "refused: conflict, with other conflicts than expected")]
#[case::path(
    vec![],
    error("conflict", "a", "m"),
    error("conflict", "b", "m"),
    "refused: conflict, with another field path than expected"
)]
#[case::kind(vec![], refused("wrong-kind"), refused("conflict"), "refused: conflict, expected refused: wrong-kind")]
#[case::document(vec![], intended_with_result(), intended(), "intended, with another document than expected")]
#[case::owners(
    vec![Reason::OwnersDiffer(vec![])],
    intended_with_result(),
    intended(),
    "intended, with other owners than expected"
)]
#[case::final_state(
    vec![Reason::PinnedStateDiffers { state: PinnedState::FinalState, error: None }],
    intended(),
    intended(),
    "intended, with another final state than expected"
)]
#[case::ideal(
    vec![Reason::PinnedStateDiffers { state: PinnedState::Ideal, error: None }],
    intended(),
    intended(),
    "intended, with another ideal than expected"
)]
fn equal_words_are_told_apart(
    #[case] reasons: Vec<Reason>,
    #[case] expected: Answer,
    #[case] actual: Answer,
    #[case] text: &str,
) {
    let outcome = actual.outcome.or(Some(Outcome::Refused));
    let cell = Cell { outcome, reasons, ..failed("s/c", expected, actual) };
    assert_eq!(CellResultKind::of(&cell).to_string(), text);
}

fn intended() -> Answer {
    Answer::of_outcome(Outcome::Intended)
}

fn intended_with_result() -> Answer {
    Answer { has: vec![AnswerPart::Result], ..intended() }
}

fn conflict_of(path: &str) -> Answer {
    let conflicts = vec![OwnedField { manager: "m".to_owned(), path: path.to_owned() }];
    Answer::of_error(AnswerError { conflicts, ..AnswerError::of_kind("conflict") })
}

fn groups(limit: ExampleLimit) -> ResultGroups {
    let cells = [
        failed("s/a[x=1]", result(), refused("conflict")),
        failed("s/b[x=1]", result(), refused("wrong-kind")),
        failed("s/b[x=2]", result(), refused("wrong-kind")),
        failed("s/c", result(), refused("wrong-kind")),
        failed("t/d[x=1]", result(), refused("wrong-kind")),
        failed("t/d[x=2]", result(), refused("wrong-kind")),
    ];
    ResultGroups::of(&cells, limit)
}

#[test]
fn the_ids_of_a_group_are_folded_to_patterns() {
    let groups = groups(ExampleLimit::All);
    let sorted = groups.sorted();
    let sizes: Vec<usize> = sorted.iter().map(|(group, _)| group.cells).collect();
    assert_eq!(sizes, [5, 1]);
    let parts: Vec<_> = sorted[0].0.suites().into_iter().map(|part| (part.pattern, part.cells)).collect();
    assert_eq!(parts, [("s/*".to_owned(), 3), ("t/d[*]".to_owned(), 2)]);
}

#[rstest]
#[case(ExampleLimit::OfLargestGroups(1), &[1, 0])]
#[case(ExampleLimit::OfLargestGroups(9), &[1, 1])]
#[case(ExampleLimit::Cells(0), &[0, 0])]
#[case(ExampleLimit::Cells(1), &[1, 0])]
#[case(ExampleLimit::Cells(3), &[2, 1])]
#[case(ExampleLimit::Cells(99), &[5, 1])]
#[case(ExampleLimit::All, &[5, 1])]
fn examples_are_taken_from_the_groups_in_turn(#[case] limit: ExampleLimit, #[case] expected: &[usize]) {
    let groups = groups(limit);
    let counts: Vec<usize> = groups.sorted().iter().map(|(_, examples)| examples.len()).collect();
    assert_eq!(counts, expected);
}

#[test]
fn the_number_of_kinds_is_limited() {
    let words = |number: usize| "x".repeat(1 + number % 90) + &"y".repeat(number / 90);
    let cells: Vec<Cell> = (0..MAX_KINDS + 5)
        .map(|n| failed(&format!("s/c{n}"), result(), Answer::of_words(words(n))))
        .collect();
    let groups = ResultGroups::of(&cells, ExampleLimit::OfLargestGroups(1));
    let sorted = groups.sorted();
    assert_eq!((sorted.len(), groups.cells()), (MAX_KINDS + 1, MAX_KINDS + 5));
    assert_eq!((sorted[0].0.kind.is_none(), sorted[0].0.cells), (true, 5));
}
