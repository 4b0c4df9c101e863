//! The embedded corpus, the order of cells, and the generated JSON Schema of the format.

use std::collections::BTreeSet;

use skewer_cases::{Cell, Corpus, Plan, format, sort_by_id};
use skewer_engine::union::policy;

use crate::support::corpus_file;

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

fn assert_sorted_by_id(corpus: &Corpus) {
    let mut cells: Vec<Cell<'_>> = corpus.cells().collect();
    cells.reverse();
    sort_by_id(&mut cells);
    let mut ids: Vec<String> = corpus.cells().map(|cell| cell.id()).collect();
    ids.sort();
    assert!(cells.iter().map(Cell::id).eq(ids), "sorting by rank is sorting by id");
}

#[test]
fn cells_are_sorted_by_their_ids() {
    assert_sorted_by_id(&Corpus::embedded().unwrap_or_else(|error| panic!("{error}")));
}

#[test]
fn names_that_are_prefixes_of_others_are_sorted_with_their_delimiter() {
    let text = "suite: s\nabout: x\nschema: {go: \"type T struct {}\", root: T}\naxes:\n  \
        one: {a: {}, a-b: {}, a+b: {}, $a: {}, ab: {}, \u{e4}: {}}\n  two: {a-b: {}, a: {}, a+b: {}, a$: {}}\n\
        cases:\n- {id: c, about: x, live: {}, patch: {}, expect: [{result: {}}]}\n\
        - {id: c-d, about: x, live: {}, patch: {}, expect: [{result: {}}]}\n\
        - {id: c+d, about: x, live: {}, patch: {}, expect: [{result: {}}]}\n";
    let file = |name: &str| {
        let path = format!("{name}.yaml");
        corpus_file(&path, &path, &text.replacen("suite: s", &format!("suite: {name}"), 1))
    };
    let corpus = Corpus::load(vec![file("s"), file("s-t"), file("s/c")]);
    assert_sorted_by_id(&corpus.unwrap_or_else(|error| panic!("{error}")));
}

/// To update the file, run `SKEWER_UPDATE=1 cargo test -p skewer-cases`.
#[test]
fn the_json_schema_of_the_format_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/suite.schema.json");
    // The engine's documents sort their keys, whichever features of `serde_json` other crates enable.
    let generated = serde_json::to_vec(&format::json_schema()).unwrap();
    let generated = skewer_engine::document::from_json(&generated).unwrap();
    let mut generated = serde_json::to_string_pretty(&generated).unwrap();
    generated.push('\n');
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        std::fs::write(path, &generated).unwrap();
    }
    let current = std::fs::read_to_string(path).unwrap_or_default();
    assert!(current == generated, "{path} is stale: run SKEWER_UPDATE=1 cargo test -p skewer-cases");
}

/// Without a suite, nothing would test the behaviour of a policy.
#[test]
fn every_union_policy_is_used_by_a_suite() {
    let corpus = Corpus::embedded().unwrap_or_else(|error| panic!("{error}"));
    let mut unused: BTreeSet<&str> = policy::REGISTRY.iter().map(|policy| policy.name()).collect();
    for cell in corpus.cells() {
        if let Ok(Plan::Skew(plan)) = cell.plan() {
            unused.remove(plan.server.policy.name());
        }
        // Stops early, because planning every cell takes long.
        if unused.is_empty() {
            return;
        }
    }
    panic!("the corpus has no suite with the policies {unused:?}");
}
