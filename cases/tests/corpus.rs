//! The built-in corpus and the generated schema of the format.

use skewer_cases::{Corpus, format};

#[test]
fn the_embedded_corpus_loads() {
    let corpus = Corpus::embedded().unwrap_or_else(|error| panic!("{error}"));
    assert!(corpus.cells().count() > 0);
}

#[test]
fn ids_of_cells_are_unique() {
    let corpus = Corpus::embedded().unwrap_or_else(|error| panic!("{error}"));
    let mut ids: Vec<_> = corpus.cells().map(|cell| cell.id()).collect();
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

/// `SKEWER_UPDATE=1 cargo test -p skewer-cases` writes the file anew.
#[test]
fn the_json_schema_of_the_format_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/suite.schema.json");
    // Through a value of ours, whose keys are sorted whatever features of serde_json other crates turn on.
    let generated = serde_json::to_vec(&format::json_schema()).unwrap();
    let generated = skewer_engine::value::from_json(&generated).unwrap();
    let mut generated = serde_json::to_string_pretty(&generated).unwrap();
    generated.push('\n');
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        std::fs::write(path, &generated).unwrap();
    }
    let held = std::fs::read_to_string(path).unwrap_or_default();
    assert!(held == generated, "{path} is stale: run SKEWER_UPDATE=1 cargo test -p skewer-cases");
}
