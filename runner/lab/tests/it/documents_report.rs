//! The checked-in report on the design documents is current, and its verdicts are computed: they change when the engine does.

use skewer_lab::coverage::{Coverage, DecidingCells, ItemCoverage};
use skewer_reports::documents::{self, SentenceVerdict};

use crate::helpers::{assert_report_is_current, embedded_corpus, embedded_coverage};

#[test]
fn the_report_on_the_documents_is_current() {
    let (corpus, coverage) = (embedded_corpus(), embedded_coverage());
    let items: Vec<&ItemCoverage> = coverage.items.iter().collect();
    let deciding = DecidingCells::of(corpus, &items).unwrap_or_else(|why| panic!("{why}"));
    let report = deciding.report(coverage);
    let verdict = |id: &str| {
        let mut rows = report.documents.iter().flat_map(|document| &document.sentences);
        rows.find(|row| row.id == id).unwrap_or_else(|| panic!("no item {id}")).verdict
    };
    // Sentences that are known to be wrong.
    for (id, expected) in [
        ("kep-1027/monitoring-requirements/1", SentenceVerdict::InPart),
        ("retain-keys/2-add-discriminators-in-all-unions-oneof-apis/9", SentenceVerdict::InPart),
        ("kep-1027/scalability/2", SentenceVerdict::NotDecided),
        ("strategic-merge-patch/delete-directive/8", SentenceVerdict::DoesNotHold),
        ("kep-1027/graduation-criteria/3", SentenceVerdict::InPart),
    ] {
        assert_eq!(verdict(id), expected, "{id}");
    }
    assert_report_is_current("DOCUMENTS.md", &documents::markdown(&report));
}

/// Items whose verdict no mutant changes. They say that nothing happens where the engine has nothing to break: a
/// list is replaced by default, an old patch is what it was, an unknown key is a field. Or types are refused when they are
/// read, which no mutant changes.
const WITHOUT_MUTANT: [&str; 27] = [
    "strategic-merge-patch/background/3",
    "strategic-merge-patch/delete-directive/2",
    "strategic-merge-patch/delete-directive/10",
    "strategic-merge-patch/deletefromprimitivelist-directive/9",
    "strategic-merge-patch/retainkeys-directive/4",
    "strategic-merge-patch/requirements-for-any-changes-to-the-patch-format/1",
    "strategic-merge-patch/strategies-for-introducing-new-patch-behavior/3",
    "strategic-merge-patch/strategies-for-introducing-new-patch-behavior/5",
    "strategic-merge-patch/strategies-for-introducing-new-patch-behavior/11",
    "strategic-merge-patch/strategies-for-introducing-new-patch-behavior/17",
    "retain-keys/tags/5",
    "retain-keys/when-the-patch-doesn-t-have-retainkeys-directive/2",
    "retain-keys/api-server/3",
    "retain-keys/api-server/4",
    "retain-keys/version-skew/2",
    "retain-keys/1-use-directive-patch-retainkeys-in-the-patch/3",
    "retain-keys/list-of-impacted-apis/9",
    "retain-keys/list-of-impacted-apis/10",
    "patch-merge-key/background/4",
    "patch-merge-key/motivation/5",
    "patch-merge-key/api-change-move-merge-key-to-the-correct-level/2",
    "patch-merge-key/when-no-patchmergekey-in-the-patch-moved-keys/1",
    "patch-merge-key/version-skew-and-backward-compatibility/1",
    "kep-1027/go-markers/2",
    "kep-1027/discriminator-values/2",
    "kep-1027/examples/2",
    "kep-1027/version-skew-strategy/4",
];

/// `skewer-lab coverage --sample N --mutants` shows others.
#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn the_verdict_on_an_item_drawn_at_random_changes_with_the_engine() {
    let corpus = embedded_corpus();
    let mut coverage = Coverage::of(corpus);
    let all: Vec<&ItemCoverage> = coverage.items.iter().collect();
    let deciding = DecidingCells::of(corpus, &all).unwrap();
    let decided: Vec<&str> =
        all.iter().filter(|item| deciding.row(item).is_decided()).map(|item| item.id).collect();
    for id in WITHOUT_MUTANT {
        assert!(decided.contains(&id), "{id} is no item that cells decide");
    }
    coverage.items.retain(|item| decided.contains(&item.id) && !WITHOUT_MUTANT.contains(&item.id));
    let sample = coverage.sample(10, 1);
    let deciding = DecidingCells::of(corpus, &sample.items).unwrap();
    let changed = deciding.changed_by_mutants(&sample.items).unwrap_or_else(|error| panic!("{error}"));
    for item in &sample.items {
        let before = deciding.row(item);
        let on_mutants = changed.get(item.id).map_or(&[][..], Vec::as_slice);
        assert!(
            !on_mutants.is_empty(),
            "no mutant changes the verdict on {}: {}",
            item.id,
            before.description()
        );
        for on_mutant in on_mutants {
            let (now, before) = (&on_mutant.row, &before);
            assert_ne!(
                (now.verdict, now.supporting, now.contradicting, &now.cell),
                (before.verdict, before.supporting, before.contradicting, &before.cell),
                "{} on {}",
                item.id,
                on_mutant.mutant
            );
        }
    }
}
