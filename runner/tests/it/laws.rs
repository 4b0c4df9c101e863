//! The laws of patch evolution on every directive and proposal, as `skewer laws` tries them: what they say is what
//! is on record, it is what the documents say where they say something, and what is printed can be pasted.

use std::sync::{LazyLock, OnceLock};

use rstest::rstest;
use skewer::execute::{Options, run_cell};
use skewer::laws::report::{self, ExampleSelection};
use skewer::laws::{
    CompiledSituations, FormatChange, Law, RecordComparison, VerdictKind, VerdictRecord,
    corpus as corpus_situations, generate, proposals,
};
use skewer::targets::BuiltInTarget;
use skewer_cases::{Corpus, CorpusFile};
use skewer_engine::directive::DirectiveSet;
use skewer_reports::Status;
use skewer_reports::laws::{RenderedExample, Report, SituationCounts};

use crate::helpers::embedded_corpus;

/// The row of situations: the one of `skewer laws`.
const SEED: u64 = 1;
/// Fewer than `skewer laws` generates, for the time it takes.
const COUNT: u64 = 400;

static SITUATIONS: LazyLock<(CompiledSituations, SituationCounts)> = LazyLock::new(|| {
    let corpus = embedded_corpus();
    let mut situations = corpus_situations::situations(&corpus);
    let from_corpus = situations.len();
    situations.extend(generate::situations(SEED, COUNT));
    let tried = SituationCounts { from_corpus, generated: situations.len() - from_corpus, seed: SEED };
    (CompiledSituations::new(situations), tried)
});

static RECORD: LazyLock<VerdictRecord> =
    LazyLock::new(|| VerdictRecord::built_in().unwrap_or_else(|errors| panic!("{errors}")));

/// Every subject, with what the laws say of it once a test asked.
static SUBJECTS: LazyLock<Vec<(FormatChange, OnceLock<Report>)>> =
    LazyLock::new(|| proposals::all().into_iter().map(|subject| (subject, OnceLock::new())).collect());

fn laws_on(name: &str) -> (&'static FormatChange, &'static Report) {
    let found = SUBJECTS.iter().find(|(subject, _)| subject.name == name);
    let (subject, report) = found.unwrap_or_else(|| panic!("there is no directive or proposal {name}"));
    let (situations, tried) = &*SITUATIONS;
    let of = || {
        report::report(std::slice::from_ref(subject), (situations, *tried), &RECORD, ExampleSelection::Broken)
    };
    (subject, report.get_or_init(of))
}

/// Tries a subject, holds it against the record, and runs what it prints.
#[rstest]
#[case::patch("$patch")]
#[case::retain_keys("$retainKeys")]
#[case::patch_merge_key("$patchMergeKey")]
#[case::set_element_order("$setElementOrder")]
#[case::delete_from_primitive_list("$deleteFromPrimitiveList")]
#[case::retain_keys_on_free_keys("$retainKeys on free keys")]
#[case::patch_retain_keys("$patch: retainKeys")]
#[case::absent_cleared("absent fields cleared")]
#[case::keep_absent("$keepAbsent")]
#[case::item_order("$itemOrder, required")]
#[case::order_of_items("order of items")]
#[case::clear_absent("$clearAbsent")]
#[case::clear_all_but("$clearAllBut")]
fn the_laws_say_what_is_on_record(#[case] name: &str) {
    let (subject, report) = laws_on(name);
    let text = skewer_reports::laws::text(report);
    for (standing, what) in [
        (RecordComparison::Worse, "worse than on record in runner/laws.yaml"),
        (RecordComparison::Better, "better than on record: write it down in runner/laws.yaml"),
    ] {
        let lines = report.summary_lines(standing);
        assert!(lines.is_empty(), "{what} (`skewer laws` shows it):\n  {}\n{text}", lines.join("\n  "));
    }
    for entry in &report.rows[0].verdicts {
        assert_eq!(entry.verdict == VerdictKind::Broken, !entry.examples.is_empty(), "{text}");
        entry.examples.iter().for_each(|example| can_be_pasted(subject, example));
    }
}

/// A printed case goes into the corpus as it is, where its directive is in the registry, and passes there.
fn can_be_pasted(subject: &FormatChange, example: &RenderedExample) {
    let name = example.case.strip_prefix("suite: ").and_then(|rest| rest.lines().next());
    let path = format!("{}.yaml", name.unwrap_or_else(|| panic!("no name of a suite\n{}", example.case)));
    let file = CorpusFile { display_name: path.clone(), path, content: example.case.clone().into() };
    let directives = if subject.has_distinct_name() { subject.all_directives() } else { DirectiveSet::all() };
    let corpus = Corpus::load_with_directives(vec![file], &directives)
        .unwrap_or_else(|error| panic!("{error}\n{}", example.case));
    let mut cells = 0;
    for cell in corpus.cells() {
        let result = run_cell(&cell, &BuiltInTarget, &Options::default());
        assert_eq!(result.status, Status::Pass, "{}\n{result:?}", example.case);
        cells += 1;
    }
    assert!(cells > 0, "{}", example.case);
}

#[test]
fn everything_is_tried_here_and_is_on_record() {
    let subjects: Vec<&str> = proposals::all().iter().map(|subject| subject.name).collect();
    let recorded: Vec<&str> = RECORD.names().collect();
    assert_eq!(recorded, subjects, "runner/laws.yaml, against what there is");
    let source = include_str!("laws.rs");
    for name in subjects {
        assert!(source.contains(&format!("({name:?})]")), "no test tries {name}: add a #[case]");
    }
}

/// What the documents say of their own examples, in their words, and no more than they say.
#[rstest]
#[case::accepted("$retainKeys", &Law::ALL, &[])]
// "Using `$patch` as directive key will break … the old server will reject the new patch."
#[case::alternative_1("$patch: retainKeys", &[Law::Backward], &[Law::Forward])]
// "Old patch formats will contain data that is now considered required."
#[case::bad_meaning("absent fields cleared", &[], &[Law::Backward, Law::NoNewRequirement])]
// "The behavior was changed when the directive was missing, breaking compatibility."
#[case::bad_directive("$keepAbsent", &[], &[Law::Backward, Law::NoNewRequirement])]
// "Must not require new data or elements to be present that was not required before."
#[case::new_data("$itemOrder, required", &[], &[Law::Backward, Law::NoNewRequirement])]
// "Ordering of elements in patch has meaning, and the final ordering is deterministic."
#[case::good_meaning("order of items", &Law::ALL, &[])]
// "The behavior was unchanged when the directive was missing, retaining the old behavior for old patch requests."
#[case::good_directive("$clearAbsent", &[Law::Backward, Law::NoNewRequirement, Law::Benefit], &[])]
#[case::good_directive_by_names("$clearAllBut", &Law::ALL, &[])]
fn the_examples_of_the_documents_get_their_verdicts(
    #[case] name: &str,
    #[case] kept: &[Law],
    #[case] broken: &[Law],
) {
    let (_, report) = laws_on(name);
    for entry in &report.rows[0].verdicts {
        if kept.iter().any(|law| law.name() == entry.law) {
            assert_eq!(entry.verdict, VerdictKind::Kept, "{name}, {}", entry.law);
        }
        if broken.iter().any(|law| law.name() == entry.law) {
            assert_eq!(entry.verdict, VerdictKind::Broken, "{name}, {}", entry.law);
        }
    }
}
