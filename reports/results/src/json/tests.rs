use std::fs;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::axes::Axes;
use crate::model::{Answer, AnswerError, Reason, Step};
use crate::test_support;
use crate::vocabulary::{Level, Outcome, Status};

fn text(results: &Results) -> String {
    let mut bytes = Vec::new();
    write(results, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[rstest]
#[case::whole(false, vec![])]
#[case::partial(true, vec![])]
#[case::with_problems(false, vec![test_support::problem("a\nb")])]
fn written_results_are_read_back(#[case] partial: bool, #[case] problems: Vec<Problem>) {
    let results = Results { partial, problems, ..test_support::sample_results() };
    assert_eq!(parse(text(&results).as_bytes()).unwrap(), results);
}

#[test]
fn the_stream_is_what_serde_writes_but_for_line_breaks() {
    let results = test_support::sample_results();
    assert_eq!(text(&results).replace('\n', ""), serde_json::to_string(&results).unwrap());
    let partial = Results {
        partial: true,
        problems: vec![test_support::problem("a\nb")],
        cells: Vec::new(),
        ..results
    };
    assert_eq!(text(&partial).replace('\n', ""), serde_json::to_string(&partial).unwrap());
}

#[test]
fn each_cell_has_a_line_of_its_own() {
    let results = test_support::sample_results();
    assert_eq!(text(&results).lines().count(), results.cells.len() + 2);
    assert_eq!(text(&results), include_str!("../../tests/sample.json"));
}

#[test]
fn a_stream_dropped_unfinished_is_whole_json_marked_as_partial() {
    let results = test_support::sample_results();
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &results.run).unwrap();
    writer.write_cell(&results.cells[0]).unwrap();
    drop(writer);
    let read = parse(&bytes).unwrap();
    assert!(read.partial);
    assert_eq!(read.cells, results.cells[..1]);
}

#[test]
fn a_file_appears_at_the_end_of_the_run() {
    let results = test_support::sample_results();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("results.json");
    let mut writer = FileWriter::create(&path, &results.run).unwrap();
    for cell in &results.cells {
        writer.write_cell(cell).unwrap();
    }
    assert!(!path.exists());
    writer.finish(&results.problems).unwrap();
    assert_eq!(read(&path).unwrap(), results);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_file_dropped_unfinished_keeps_the_cells_so_far() {
    let results = test_support::sample_results();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("results.json");
    let mut writer = FileWriter::create(&path, &results.run).unwrap();
    writer.write_cell(&results.cells[0]).unwrap();
    drop(writer);
    let read = read(&path).unwrap();
    assert!(read.partial);
    assert_eq!(read.cells, results.cells[..1]);
}

const HEAD: &str = r#"{"version":2,"run":{"tool_version":"0","corpus_hash":"0","target":{"name":"t"}}"#;

#[rstest]
#[case::empty(" \n", "r.json: the file is empty; the run that was to write it has not ended")]
#[case::not_json(
    "hello",
    "r.json:1:1: not a results file: expected value (expected a file that `skewer run --report json=FILE` wrote)"
)]
#[case::another_version(
    r#"{"version":3,"cells":{}}"#,
    "r.json: the file has results version 3, expected 1 or 2: use a newer version of Skewer"
)]
#[case::another_version_that_fits(
    r#"{"version":0,"run":{"tool_version":"0","corpus_hash":"0","target":{"name":"t"}},"cells":[]}"#,
    "r.json: the file has results version 0, expected 1 or 2"
)]
#[case::truncated("HEAD,\"cells\":[", "r.json:1:89: the file ends too early: EOF while parsing a list")]
#[case::unknown_word(
    "HEAD,\"cells\":[\n{\"id\":\"a\",\"suite\":\"s\",\"case\":\"c\",\"status\":\"good\"}]}",
    "r.json:2:48: not a results file: unknown variant `good`, expected one of `pass`, `fail`, `deviation`, `unexpected-pass`, \
     `unsupported`, `skipped`, `not-asked`, `not-run`, `error`, `crash`, `timeout` (expected a file that `skewer run --report json=FILE` wrote)"
)]
#[case::missing_field(
    "HEAD}",
    "r.json:1:80: not a results file: missing field `cells` (expected a file that `skewer run --report json=FILE` wrote)"
)]
#[case::one_id_twice(
    "HEAD,\"cells\":[{\"id\":\"a\",\"suite\":\"s\",\"case\":\"c\",\"status\":\"pass\"},\n\
     {\"id\":\"a\",\"suite\":\"s\",\"case\":\"c\",\"status\":\"fail\"}]}",
    "r.json: the cell id `a` occurs twice"
)]
fn a_bad_file_is_an_error_with_its_position(#[case] text: &str, #[case] message: &str) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.json");
    fs::write(&path, text.replace("HEAD", HEAD)).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert_eq!(error.replace(&format!("{}/", directory.path().display()), ""), message);
}

#[test]
fn invalid_utf8_and_directories_are_errors() {
    assert!(parse(b"{\"version\":1,\"run\":{\"tool_version\":\"\xff\"").is_err());
    let directory = tempfile::tempdir().unwrap();
    let error = read(directory.path()).unwrap_err();
    assert!(matches!(error.kind, ReadErrorKind::Io(_)));
    let path = directory.path().display();
    assert!(error.to_string().starts_with(&format!("cannot read {path}: ")), "{error}");
}

#[test]
fn fields_of_a_later_version_are_ignored() {
    let text = HEAD.to_owned() + r#","cells":[],"weather":{"sunny":true}}"#;
    assert_eq!(parse(text.as_bytes()).unwrap().cells, []);
}

/// Generates cells with random texts. The ids are numbered, because ids must be unique.
fn cells() -> impl Strategy<Value = Vec<Cell>> {
    let words = (
        prop::sample::select(Status::ALL),
        prop::option::of(prop::sample::select(Outcome::ALL)),
        prop::sample::select(Level::ALL),
    );
    let texts =
        (any::<String>(), prop::option::of(any::<String>()), prop::collection::vec(any::<String>(), 0..3));
    let axes = prop::collection::vec(any::<(String, String)>(), 0..4);
    let cell = (words, texts, axes).prop_map(|((status, outcome, level), (name, text, list), axes)| Cell {
        axes: axes.into_iter().collect::<Axes>(),
        outcome,
        level,
        expected: list.iter().map(|text| Answer::of_words(text.as_str())).collect(),
        actual: text.as_deref().map(|text| {
            Answer::of_error(AnswerError { message: Some(text.into()), ..AnswerError::of_kind(text) })
        }),
        reasons: text.as_deref().map(|text| Reason::Crash(text.into())).into_iter().collect(),
        paths: list.clone(),
        issue: list,
        steps: vec![Step { name: name.clone(), note: text.clone(), document: text, owners: Vec::new() }],
        ..Cell::new(name.clone(), name.clone(), name, status)
    });
    prop::collection::vec(cell, 0..5).prop_map(|mut cells| {
        for (index, cell) in cells.iter_mut().enumerate() {
            cell.id = format!("{index} {}", cell.id);
        }
        cells
    })
}

proptest! {
    #[test]
    fn any_results_are_read_back(cells in cells(), partial: bool) {
        let results = Results { partial, ..Results::new(test_support::sample_results().run, cells) };
        prop_assert_eq!(parse(text(&results).as_bytes()).unwrap(), results);
    }

    #[test]
    fn any_bytes_are_an_error_and_no_panic(bytes: Vec<u8>) {
        prop_assert!(parse(&bytes).is_err());
    }
}

#[test]
fn fields_have_lines_and_hidden_characters_are_escapes() {
    let mut json = Vec::new();
    write_pretty(&std::collections::BTreeMap::from([("a", "\u{202e}")]), &mut json).unwrap();
    assert_eq!(String::from_utf8(json).unwrap(), "{\n  \"a\": \"\\u202e\"\n}\n");
}
