//! Panics in third-party directives: only the affected cells and laws fail, and the run continues.

use rstest::rstest;
use skewer_engine::directive::{Directive, DirectiveSet, Flow, IntroducedIn, Placement, by_name};
use skewer_engine::patch::{Diff, MapDiff, Merge, PatchContext};
use skewer_engine::schema::{TagDeclaration, TypeId};
use skewer_engine::{Map, OwnedDoc, Result};
use skewer_execute::execute::StepRecording;
use skewer_reports::laws::SituationCounts;
use skewer_reports::summary::{OverallState, Summary};
use skewer_reports::{Format, PageOptions, RunReport};
use skewer_results::Status;
use skewer_skew::{BuiltIn, Operation, OperationKind, Operations};
use skewer_targets::{BuiltInTarget, OperationError, Target, TargetFailure, TargetInfo};
use skewer_trials::laws::report::{self, ExampleSelection};
use skewer_trials::laws::{
    CompiledSituations, FormatChange, Law, VerdictKind, VerdictRecord, ViolationKind, generate,
};

use crate::helpers::{embedded_suites, run_corpus};

/// `$retainKeys` with a hook that panics.
#[derive(Debug)]
struct PanickingRetainKeys;

fn retain_keys() -> &'static dyn Directive {
    by_name("$retainKeys").unwrap()
}

impl Directive for PanickingRetainKeys {
    fn name(&self) -> &'static str {
        retain_keys().name()
    }

    fn placement(&self) -> Placement {
        retain_keys().placement()
    }

    fn introduced_in(&self) -> IntroducedIn {
        retain_keys().introduced_in()
    }

    fn metadata_tag(&self) -> Option<TagDeclaration> {
        retain_keys().metadata_tag()
    }

    fn before_merge_map<'d>(
        &self,
        _merge: &Merge<'_>,
        _live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        panic!("no merge of {} entries", patch.len())
    }

    fn diff_map<'d>(&self, diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        retain_keys().diff_map(diff, map, patch);
    }
}

/// The built-in engine with the panicking directive. `performs_server_steps` is true for an engine, and false for a
/// client.
struct ForeignEngine {
    performs_server_steps: bool,
}

impl Target for ForeignEngine {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: "foreign".to_owned(), ..BuiltInTarget.info() }
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }

    fn performs_server_steps(&self) -> bool {
        self.performs_server_steps
    }
}

impl Operations<TargetFailure> for ForeignEngine {
    fn perform(&self, operation: &Operation<'_>) -> std::result::Result<OwnedDoc, OperationError> {
        match (operation.kind(), operation.context()) {
            (OperationKind::Apply, Some(context)) => {
                let directives = context.directives.iter();
                let directives = directives.map(|directive| {
                    if directive.name() == "$retainKeys" { &PanickingRetainKeys } else { directive }
                });
                let context = PatchContext { directives: DirectiveSet::of(directives), ..context.clone() };
                BuiltIn.perform(&operation.with_context(&context))
            }
            _ => BuiltIn.perform(operation),
        }
    }
}

#[rstest]
#[case::of_an_engine(true, StepRecording::Never)]
#[case::of_a_client(false, StepRecording::OnFailure)]
fn a_panicking_directive_fails_only_its_cells(
    #[case] performs_server_steps: bool,
    #[case] steps: StepRecording,
) {
    let corpus = embedded_suites(|suite| suite == "retain-keys/version-skew");
    let good = run_corpus(&corpus, &BuiltInTarget, steps);
    let target = ForeignEngine { performs_server_steps };
    let results = run_corpus(&corpus, &target, steps);
    assert_eq!(results.cells.len(), good.cells.len(), "the run continued to its end");
    let crashed: Vec<_> = results.cells.iter().filter(|cell| cell.status == Status::Crash).collect();
    assert!(crashed.len() > 10 && crashed.len() < results.cells.len() / 2, "{}", crashed.len());
    for cell in &crashed {
        let message = cell.message_text().unwrap();
        let (first, calls) = message.split_once('\n').unwrap();
        assert!(first.starts_with("the target foreign panicked at runner/tests/it/panics.rs:"), "{message}");
        assert!(first.contains(": no merge of "), "{message}");
        assert!(calls.contains("before_merge_map") && !calls.contains("rayon"), "{message}");
        assert_eq!(cell.outcome, None);
        assert!(cell.rerun.as_deref().unwrap().ends_with(&format!("'{}'", cell.id)));
        let has_request = cell.steps.iter().any(|step| step.name == "request");
        assert_eq!(has_request, steps == StepRecording::OnFailure, "the steps before the panic are recorded");
    }
    let others = results.cells.iter().filter(|cell| cell.status != Status::Crash);
    for cell in others {
        let expected =
            if performs_server_steps { &[Status::Pass][..] } else { &[Status::Pass, Status::NotAsked] };
        assert!(expected.contains(&cell.status), "{}: {}", cell.id, cell.status);
    }
    assert_eq!(Summary::of(&results).state(), OverallState::Red);
    let mut text = Vec::new();
    Format::Text
        .write(&RunReport { results: &results, kep: None, page: PageOptions::default() }, &mut text)
        .unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains(&format!("CRASH {}\n", crashed[0].id)), "{text:.3000}");
    assert_eq!(run_corpus(&corpus, &target, steps), results, "the same run gives the same results");
}

/// The panic is not in an operation of the target.
#[test]
fn a_panic_of_skewer_is_not_blamed_on_the_target() {
    struct PanickingInSkewer;
    impl Target for PanickingInSkewer {
        fn info(&self) -> TargetInfo {
            TargetInfo { name: "panicking-in-skewer".to_owned(), version: None, language: None }
        }

        fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
            &BuiltIn
        }

        fn has_lossy_floats(&self, _operation: &Operation<'_>) -> bool {
            panic!("in the judge")
        }
    }
    let corpus = embedded_suites(|suite| suite == "upstream/slice-aliasing");
    let results = run_corpus(&corpus, &PanickingInSkewer, StepRecording::OnFailure);
    for cell in &results.cells {
        assert_eq!(cell.status, Status::Error, "{}", cell.id);
        let message = cell.message_text().unwrap();
        assert!(
            message.starts_with("Skewer, not the target, panicked at runner/tests/it/panics.rs:"),
            "{message}"
        );
    }
}

#[test]
fn a_panicking_directive_breaks_laws_but_not_the_command() {
    let change = FormatChange::registered(&PanickingRetainKeys);
    let situations = generate::situations(1, 40);
    let counts = SituationCounts { from_corpus: 0, generated: situations.len(), concurrent: 0, seed: 1 };
    let situations = CompiledSituations::new(situations, counts);
    let record = VerdictRecord::of_directives().unwrap_or_else(|errors| panic!("{errors}"));
    let report = report::report(&[change], &situations, &record, ExampleSelection::All);
    let verdicts = &report.rows[0].verdicts;
    let broken: Vec<_> = verdicts.iter().filter(|summary| summary.verdict == VerdictKind::Broken).collect();
    assert!(
        broken
            .iter()
            .any(|summary| summary.law == Law::Forward.name() || summary.law == Law::Backward.name())
    );
    for summary in broken {
        let panics = summary.examples.iter().find(|example| example.violation == Some(ViolationKind::Panic));
        let why = panics.map(|example| example.why.as_str()).unwrap_or_default();
        assert!(
            why.starts_with("the code panicked at runner/tests/it/panics.rs:"),
            "{:?}: {why}",
            summary.law
        );
    }
    assert!(
        skewer_reports::laws::text(&report, skewer_reports::terminal::Style::default())
            .contains("panicked at")
    );
}
