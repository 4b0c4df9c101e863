//! Quotations of the design documents, and the indexes against which they are checked.

use std::io::Write;
use std::path::{Path, PathBuf};

use rstest::rstest;
use skewer_cases::Corpus;
use skewer_cases::design_documents::{DESIGN_DOCUMENTS, DesignDocument, DocumentIndex};
use skewer_cases::quotations::check_file;

use crate::support::{corpus_file, load};

#[test]
fn the_built_in_corpus_quotes_word_for_word() {
    let wrong: Vec<String> = Corpus::embedded_files()
        .flat_map(|file| check_file(&file).unwrap_or_else(|errors| panic!("{errors}")))
        .map(|misquotation| misquotation.to_string())
        .collect();
    assert!(wrong.is_empty(), "{} misquotations\n{}", wrong.len(), wrong.join("\n"));
}

const NOT_FOUND: &str = "no section of the documents has these words";

#[rstest]
#[case::right("because: '\"The server should always respect the discriminator.\"'", None)]
#[case::term("because: '\"None\" is a value.'", None)]
#[case::other_source("because: The message is “unable to find api field in struct”.", None)]
#[case::comment("# \"Objects must be validated before the normalization process.\"", Some(NOT_FOUND))]
#[case::comment_in_go_text("schema: {go: '# \"Objects must be validated before it.\"'}", None)]
#[case::another_word(
    "because: '\"The server should never respect the discriminator.\"'",
    Some(
        "t.yaml:3: \"The server should never respect the discriminator.\": no section of the documents has these words; \
         if it is no quotation of them, use “ and ”"
    )
)]
#[case::cites("cites: Objects must be validated before the normalization process.", Some(NOT_FOUND))]
#[case::missing_elision("cites: Objects must be validated after the process.", Some(NOT_FOUND))]
#[case::short_part(
    "because: '\"Objects must … validated AFTER the\"'",
    Some("the part `objects must` is too short")
)]
#[case::nested(
    "because: '\"this \"no member\" discriminator should be the empty string\"'",
    Some("the marks are nested")
)]
#[case::nowhere("because: '\"completely different words\"'", Some(NOT_FOUND))]
#[case::wrong_marks(
    "because: “The server should always respect the discriminator.”",
    Some("a quotation of a design document needs straight marks")
)]
fn a_wrong_quotation_is_reported(#[case] line: &str, #[case] expected: Option<&str>) {
    let text = format!("suite: t\nlist:\n  - {line}\n").replace("  - #", "  #");
    let wrong = check_file(&corpus_file("t.yaml", "t.yaml", &text)).unwrap_or_else(|error| panic!("{error}"));
    let messages: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    match expected {
        Some(expected) => assert!(messages.iter().any(|message| message.contains(expected)), "{messages:?}"),
        None => assert!(messages.is_empty(), "{messages:?}"),
    }
}

/// The anchored text is checked once, where it is written.
#[test]
fn the_line_of_a_quotation_is_that_of_its_first_word() {
    let text = "about: >-\n  Text before it.\n  The document says \"it must validate\n  objects\".\ncites: &a the wrong words \
                here\nother: {cites: *a}\n";
    let wrong = check_file(&corpus_file("t.yaml", "t.yaml", text)).unwrap_or_else(|error| panic!("{error}"));
    let lines: Vec<usize> = wrong.iter().map(|misquotation| misquotation.line).collect();
    assert_eq!(lines, [3, 5]);
}

/// A silent outcome is a failure that nobody sees, so each one has a quotation or a reason beside it.
#[test]
fn every_silent_outcome_of_the_built_in_corpus_has_a_reason() {
    let corpus = Corpus::embedded().unwrap_or_else(|error| panic!("{error}"));
    let missing = silent_outcomes_without_a_reason(&corpus);
    assert!(missing.is_empty(), "{} silent outcomes without a reason\n{}", missing.len(), missing.join("\n"));
}

#[rstest]
#[case::silent("outcome: lost", 1)]
#[case::one_of_several("any-of: [{outcome: intended}, {outcome: ignored}]", 1)]
#[case::reason("outcome: lost\n        because: The server drops it.", 0)]
#[case::quotation("outcome: lost\n        cites: An old server will drop the field", 0)]
#[case::loud("outcome: refused", 0)]
fn a_silent_outcome_without_a_reason_is_found(#[case] expectation: &str, #[case] count: usize) {
    let text = format!(
        "suite: t\nabout: a\nschema: {{builtin: newest, root: Pod}}\ncases:\n  - id: c\n    live: {{}}\n    intent: {{}}\n    \
         request: update\n    client: {{}}\n    server: {{}}\n    expect:\n      - {expectation}\n"
    );
    let corpus = load("t.yaml", "t.yaml", &text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(silent_outcomes_without_a_reason(&corpus).len(), count);
}

/// Returns the places of the expectations with a silent outcome and no reason.
fn silent_outcomes_without_a_reason(corpus: &Corpus) -> Vec<String> {
    let mut places = Vec::new();
    for case in corpus.suites.iter().flat_map(|suite| &suite.cases) {
        for expectation in &case.expectations {
            let mut outcomes = expectation.answers.iter().filter_map(|answer| answer.outcome.as_ref());
            let has_reason = expectation.because.as_ref().is_some_and(|because| !because.trim().is_empty());
            if outcomes.any(|outcome| outcome.is_silent()) && !has_reason {
                let at = &expectation.location;
                places.push(format!("{}:{}: {}/{}", at.file, at.line, case.suite, case.id));
            }
        }
    }
    places
}

/// The documents are not in the repository. If `SKEWER_PROPOSALS` names the folder with their texts, the indexes are
/// compared with them. To generate the indexes, also set `SKEWER_UPDATE=1`.
#[test]
fn the_indexes_are_those_of_the_documents() {
    let Some(folder) = std::env::var_os("SKEWER_PROPOSALS").map(PathBuf::from) else {
        // The test harness captures the output of `eprintln!` and hides it when the test passes.
        let _ = writeln!(
            std::io::stderr(),
            "skipped quotations: SKEWER_PROPOSALS does not name the folder with the texts of the design documents"
        );
        return;
    };
    for document in DESIGN_DOCUMENTS {
        let generated = generate(document, &folder);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("documents/{}.index", document.name));
        if std::env::var_os("SKEWER_UPDATE").is_some() {
            std::fs::write(&path, &generated).unwrap();
        }
        let current = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(current == generated, "{} is stale: set SKEWER_UPDATE=1", path.display());
    }
}

fn generate(document: &'static DesignDocument, folder: &Path) -> String {
    let path = folder.join(document.file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let index = DocumentIndex::of_text(document, &text).unwrap_or_else(|error| panic!("{error}"));
    format!(
        "# The index of the words of \"{}\" ({}).\n# Generated by: SKEWER_PROPOSALS=DIR SKEWER_UPDATE=1 cargo test -p \
         skewer-cases --test it -- quotations\n# The format is described in cases/src/design_documents/index.rs.\n{index}",
        document.title, document.file
    )
}
