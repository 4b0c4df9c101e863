use skewer_reports::{Axes, Owner, RunInfo};

use super::*;

fn cell(change: &str, outcome: Outcome, document: Option<&str>) -> Cell {
    let step = document.map(|document| Step {
        name: RESULT.to_owned(),
        note: None,
        document: Some(document.to_owned()),
        owners: Vec::new(),
    });
    Cell {
        axes: Axes::from_iter([
            (CHANGE.to_owned(), change.to_owned()),
            (NEXT.to_owned(), "again".to_owned()),
        ]),
        outcome: Some(outcome),
        steps: step.into_iter().collect(),
        ..Cell::new(format!("{SUITE}/case[change={change}]"), SUITE, "case", Status::Pass)
    }
}

fn analyzed(cells: Vec<Cell>) -> Result<Report, String> {
    analyze(&Results::new(RunInfo::default(), cells))
}

#[test]
fn a_change_is_compared_with_the_control() {
    let conflict = Owner {
        manager: "owner".to_owned(),
        operation: "Apply".to_owned(),
        api_version: None,
        subresource: None,
        fields: vec![".items".to_owned()],
        absent_fields: Vec::new(),
    };
    let refused = Cell { conflicts: vec![conflict.clone()], ..cell("map", Outcome::Refused, None) };
    let stored = cell("list-to-map", Outcome::Intended, Some("items:\n- a: 1\n  b: \"\"\nempty: {}\n"));
    let report = analyzed(vec![stored, refused]).unwrap();
    let [change] = &report.changes[..] else { panic!("{report:?}") };
    assert_eq!((change.old.as_str(), change.new.as_str()), ("list", "map"));
    assert_eq!(
        change.writers[0].answer,
        Answer::Stored { object: "{items: [{a: 1}]}".to_owned(), owners: vec![] }
    );
    assert_eq!(change.writers[0].control, Answer::Refused { conflicts: vec![conflict] });
}

#[test]
fn incomplete_results_are_an_error() {
    let map = || cell("map", Outcome::Refused, None);
    let change = || cell("list-to-map", Outcome::Refused, None);
    let no_steps = || cell("map", Outcome::Intended, None);
    let failed = || Cell { status: Status::Fail, ..map() };
    for (cells, expected) in [
        (vec![change()], "has no control: expected a cell with the change `map`"),
        (vec![change(), no_steps()], "record all steps"),
        (vec![change(), failed()], "has not passed"),
        (vec![map()], "the results contain no cell of the suite"),
        (vec![], "the results contain no cell of the suite"),
    ] {
        let error = analyzed(cells).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
