//! Every directive under another key: only the directive itself knows its key, so that the whole corpus comes out the same.

use rstest::rstest;
use skewer::execute::StepRecording;
use skewer::targets::BuiltInTarget;
use skewer_cases::{Corpus, CorpusFile};
use skewer_engine::directive::{Directive, DirectiveSet, REGISTRY, renamed_registry};
use skewer_reports::{Results, Status};

use crate::helpers::{embedded_corpus, run_corpus};

/// Returns another key for a directive: its first letter twice. The keys keep their order among the keys of a map, and a
/// key that begins with another one still does, as `$patchMergeKey` with `$patch`.
fn new_name(name: &str) -> String {
    format!("{}{}", &name[..2], &name[1..])
}

fn renamed(text: &str) -> String {
    let names = REGISTRY.iter().map(|directive| directive.name());
    names.fold(text.to_owned(), |text, name| text.replace(name, &new_name(name)))
}

fn renamed_back(text: &str) -> String {
    let names = REGISTRY.iter().map(|directive| directive.name());
    names.fold(text.to_owned(), |text, name| text.replace(&new_name(name), name))
}

fn renamed_directives() -> DirectiveSet {
    let renamed = renamed_registry(|name| renamed(name).leak());
    DirectiveSet::of(renamed.into_iter().map(|directive| &*Box::leak(directive)))
}

/// Writes a file of the corpus with the new keys. The titles of sections are those of the design documents.
fn renamed_file(file: CorpusFile) -> CorpusFile {
    let text = String::from_utf8(file.content).unwrap();
    let rename_line = |line: &str| match line.split_once("section: ") {
        Some((before, title)) => format!("{}section: {title}", renamed(before)),
        None => renamed(line),
    };
    let lines: Vec<String> = text.split('\n').map(rename_line).collect();
    CorpusFile { content: lines.join("\n").into_bytes(), ..file }
}

/// Returns the results of the cells as text, with their documents and everything that is said of them.
fn cell_texts(results: &Results) -> Vec<String> {
    results.cells.iter().map(|cell| serde_json::to_string_pretty(cell).unwrap()).collect()
}

/// A patch whose `$retainKeys` is refused, and which expects that of a directive.
const REFUSED_DIRECTIVE: &str = r#"suite: refused
about: A directive that leaves out a field of the patch.
schema: {go: "type Object struct {\n A string `json:\"a,omitempty\"`\n}", root: Object}
cases:
  - id: directive
    live: {}
    patch: {$retainKeys: [], a: x}
    expect: [{error: invalid-directive, directive: DIRECTIVE}]
"#;

#[rstest]
#[case::refused("$retainKeys", Status::Pass)]
#[case::another("$patch", Status::Fail)]
fn an_expectation_names_the_directive_that_is_refused(#[case] directive: &str, #[case] expected: Status) {
    let content = REFUSED_DIRECTIVE.replace("DIRECTIVE", directive).into_bytes();
    let file =
        CorpusFile { path: "refused.yaml".to_owned(), display_name: "refused.yaml".to_owned(), content };
    let corpus = Corpus::load(vec![file]).unwrap_or_else(|error| panic!("{error}"));
    let results = run_corpus(&corpus, &BuiltInTarget, StepRecording::Never);
    assert_eq!(results.cells[0].status, expected);
    let expectation = results.cells[0].expected.as_deref();
    assert_eq!(expectation, Some(format!("refused: invalid-directive of {directive}").as_str()));
}

#[test]
fn every_key_is_another_one_and_new_to_the_corpus() {
    let names: Vec<&str> = REGISTRY.iter().map(|directive| directive.name()).collect();
    let new_names: Vec<&str> = renamed_directives().iter().map(Directive::name).collect();
    assert_eq!(new_names, names.iter().map(|name| new_name(name)).collect::<Vec<_>>());
    assert!(new_names.iter().all(|name| !names.contains(name)), "{new_names:?}");
    for file in Corpus::embedded_files() {
        let text = String::from_utf8(file.content).unwrap();
        assert!(new_names.iter().all(|name| !text.contains(name)), "{}", file.path);
    }
}

#[test]
fn the_corpus_comes_out_the_same_under_other_keys() {
    let files = Corpus::embedded_files().map(renamed_file).collect();
    let corpus = Corpus::load_with_directives(files, &renamed_directives()).unwrap_or_else(|e| panic!("{e}"));
    let results = |corpus| cell_texts(&run_corpus(corpus, &BuiltInTarget, StepRecording::Always));
    let (expected, actual) = (results(&embedded_corpus()), results(&corpus));
    assert_eq!(actual.len(), expected.len());
    for (actual, expected) in actual.iter().zip(&expected) {
        // The titles of sections keep the old keys.
        assert_eq!(renamed_back(actual), *expected);
    }
    for directive in REGISTRY {
        let new_name = new_name(directive.name());
        assert!(actual.iter().any(|text| text.contains(&new_name)), "no result has {new_name}");
    }
}
