//! The worked example of `reports/README.md` and of the page on changes in behaviour in the guide: a simplified engine,
//! and the regressions that `skewer compare` and `cargo insta review` show. The tests check that the output in both
//! documents is current.

use skewer_engine::directive::{Directive, DirectiveSet, Flow, IntroducedIn, Placement, by_name};
use skewer_engine::patch::{Diff, MapDiff, Merge, PatchContext};
use skewer_engine::schema::{TagDeclaration, TypeId};
use skewer_engine::{Map, OwnedDoc, Result};
use skewer_execute::compare::compare;
use skewer_execute::execute::StepRecording;
use skewer_reports::diff;
use skewer_reports::markdown::{self, SizeLimit};
use skewer_reports::terminal::{self, Style};
use skewer_results::Results;
use skewer_skew::{BuiltIn, Operation, OperationKind, Operations};
use skewer_targets::{BuiltInTarget, OperationError, Target, TargetFailure, TargetInfo};

use crate::helpers::outcomes::outcome_text;
use crate::helpers::{blocks, embedded_corpus, embedded_results, run_corpus};

const GUIDE: &str = "reports/README.md";
const CHANGES_IN_BEHAVIOUR: &str = "guide/src/contribute/change-in-behaviour.md";

/// `$retainKeys` with the simplification of the example: it is added only to a patch that is not empty.
#[derive(Debug)]
struct SimplifiedRetainKeys;

impl SimplifiedRetainKeys {
    fn real() -> &'static dyn Directive {
        by_name("$retainKeys").expect("$retainKeys is in the registry")
    }
}

impl Directive for SimplifiedRetainKeys {
    fn name(&self) -> &'static str {
        Self::real().name()
    }

    fn placement(&self) -> Placement {
        Self::real().placement()
    }

    fn introduced_in(&self) -> IntroducedIn {
        Self::real().introduced_in()
    }

    fn metadata_tag(&self) -> Option<TagDeclaration> {
        Self::real().metadata_tag()
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        ty: TypeId,
    ) -> Result<Flow> {
        Self::real().before_merge_map(merge, live, patch, ty)
    }

    fn diff_map<'d>(&self, diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        if !patch.is_empty() {
            Self::real().diff_map(diff, map, patch);
        }
    }
}

/// The built-in engine with the simplification.
struct ChangedEngine;

impl Target for ChangedEngine {
    fn info(&self) -> TargetInfo {
        BuiltInTarget.info()
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }

    fn is_cheap_to_rerun(&self) -> bool {
        true
    }

    fn performs_server_steps(&self) -> bool {
        true
    }

    fn can_read_types(&self) -> bool {
        true
    }
}

impl Operations<TargetFailure> for ChangedEngine {
    fn perform(&self, operation: &Operation<'_>) -> std::result::Result<OwnedDoc, OperationError> {
        match (operation.kind(), operation.context()) {
            (OperationKind::TwoWay | OperationKind::ThreeWay, Some(context)) => {
                BuiltIn.perform(&operation.with_context(&changed_context(context)))
            }
            _ => BuiltIn.perform(operation),
        }
    }
}

fn changed_context(context: &PatchContext) -> PatchContext {
    let is_replaced = |name: &str| name == SimplifiedRetainKeys.name();
    let directives =
        skewer_engine::directive::REGISTRY
            .iter()
            .copied()
            .filter(|directive| context.directives.knows(directive.name()))
            .map(|directive| {
                if is_replaced(directive.name()) {
                    &SimplifiedRetainKeys as &dyn Directive
                } else {
                    directive
                }
            });
    PatchContext { directives: DirectiveSet::of(directives), ..context.clone() }
}

#[test]
fn the_comparison_in_the_guide_is_current_and_lists_exactly_the_failing_cells() {
    // No cell fails on the built-in engine, so that its results have no steps.
    let old = embedded_results();
    let new = Results {
        run: old.run.clone(),
        ..run_corpus(embedded_corpus(), &ChangedEngine, StepRecording::OnFailure)
    };
    let comparison = compare(old, &new, |_| false);
    assert!(comparison.is_worse(), "the example has a regression");
    let failing: Vec<&str> = new.failures().map(|cell| cell.id.as_str()).collect();
    let worse: Vec<&str> = comparison.worse.iter().map(|change| change.new.id.as_str()).collect();
    assert_eq!(worse, failing, "the worse cells are exactly the failing cells");

    blocks::assert_block_is_current(
        GUIDE,
        "skewer compare",
        &terminal::comparison(&comparison, Style::default()),
    );
    // The text above the list of cells, which a pull request shows collapsed.
    let markdown = markdown::comparison(&comparison, SizeLimit::comment());
    let above = markdown.split("\n### ").next().unwrap_or_default();
    blocks::assert_block_is_current(GUIDE, "skewer compare --format markdown", above);
}

#[test]
fn the_snapshot_diff_in_the_guide_is_current() {
    let corpus = embedded_corpus();
    let suite =
        corpus.suites.iter().find(|suite| suite.name == "retain-keys/errata").expect("the suite exists");
    let of = |target: &dyn Target| {
        let cases = suite.cases.iter().map(|case| outcome_text(case, target));
        cases.collect::<Vec<_>>().join("\n")
    };
    let (before, after) = (of(&BuiltInTarget), of(&ChangedEngine));
    let changes = diff::unified(
        diff::NamedText { name: "old snapshot", text: &before },
        diff::NamedText { name: "new results", text: &after },
    );
    blocks::assert_block_is_current(CHANGES_IN_BEHAVIOUR, "cargo insta review", &changes);
}

#[test]
fn the_diff_in_the_guide_applies_to_the_current_source() {
    let guide = include_str!("../../../reports/README.md");
    let source = include_str!("../../../engine/src/directive/retain_keys.rs");
    let (_, block) =
        guide.split_once("```diff engine/src/directive/retain_keys.rs\n").expect("the guide has the diff");
    let (block, _) = block.split_once("```").expect("the diff has an end");
    let before: String = block
        .lines()
        .filter(|line| !line.starts_with('+'))
        .flat_map(|line| [line.get(1..).unwrap_or_default(), "\n"])
        .collect();
    assert_eq!(source.matches(&before).count(), 1, "the source must contain this once:\n{before}");
}
