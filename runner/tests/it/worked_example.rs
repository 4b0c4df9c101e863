//! The worked example of `reports/README.md` and `CONTRIBUTING.md`: somebody simplifies the engine, and `skewer compare`
//! and `cargo insta review` say what that changes. Both texts are held against what comes out.

use skewer::execute::StepRecording;
use skewer::targets::{BuiltInTarget, Target, TargetInfo};
use skewer_engine::directive::{Directive, DirectiveSet, Flow, IntroducedIn, Placement, by_name};
use skewer_engine::patch::{Diff, MapDiff, Merge, PatchContext};
use skewer_engine::schema::{TagDeclaration, TypeId};
use skewer_engine::skew::{BuiltIn, Operation, OperationError, Operations};
use skewer_engine::{Map, OwnedDoc, Result};
use skewer_reports::compare::Comparison;
use skewer_reports::diff;
use skewer_reports::markdown::{self, SizeLimit};
use skewer_reports::terminal::{self, Style};

use crate::helpers::outcomes::outcome_text;
use crate::helpers::{blocks, embedded_corpus, run_corpus};

const GUIDE: &str = "reports/README.md";

/// `$retainKeys` with the change of the example: it goes into a patch only with something else.
#[derive(Debug)]
struct SimplifiedRetainKeys;

impl SimplifiedRetainKeys {
    fn real() -> &'static dyn Directive {
        by_name("$retainKeys").expect("it is in the registry")
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

/// The built-in engine after the change.
struct ChangedEngine;

impl Target for ChangedEngine {
    fn info(&self) -> TargetInfo {
        BuiltInTarget.info()
    }

    fn operations(&self) -> &(dyn Operations + Sync) {
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

impl Operations for ChangedEngine {
    fn perform(&self, operation: &Operation<'_>) -> std::result::Result<OwnedDoc, OperationError> {
        match operation {
            Operation::TwoWay { context, original, modified } => {
                BuiltIn.perform(&Operation::TwoWay { context: &changed_context(context), original, modified })
            }
            Operation::ThreeWay { context, documents, overwrite, preconditions } => {
                BuiltIn.perform(&Operation::ThreeWay {
                    context: &changed_context(context),
                    documents: *documents,
                    overwrite: *overwrite,
                    preconditions,
                })
            }
            operation => BuiltIn.perform(operation),
        }
    }
}

fn changed_context(context: &PatchContext) -> PatchContext {
    let swapped = |name: &str| name == SimplifiedRetainKeys.name();
    let directives = skewer_engine::directive::REGISTRY
        .iter()
        .copied()
        .filter(|directive| context.directives.knows(directive.name()))
        .map(
            |directive| {
                if swapped(directive.name()) { &SimplifiedRetainKeys as &dyn Directive } else { directive }
            },
        );
    PatchContext { directives: DirectiveSet::of(directives), ..context.clone() }
}

#[test]
fn exactly_the_cells_that_got_worse_are_listed() {
    let corpus = embedded_corpus();
    let (old, new) = (
        run_corpus(&corpus, &BuiltInTarget, StepRecording::OnFailure),
        run_corpus(&corpus, &ChangedEngine, StepRecording::OnFailure),
    );
    let comparison = Comparison::of(&old, &new);
    assert!(comparison.is_worse(), "the example shows nothing");
    let failing: Vec<&str> = new.failures().map(|cell| cell.id.as_str()).collect();
    let worse: Vec<&str> = comparison.worse.iter().map(|change| change.new.id.as_str()).collect();
    assert_eq!(worse, failing, "all cells that fail now, and no other");

    blocks::assert_block_is_current(
        GUIDE,
        "skewer compare",
        &terminal::comparison(&comparison, Style::default()),
    );
    // What stands above the cells; those are folded up in a pull request.
    let markdown = markdown::comparison(&comparison, SizeLimit::comment());
    let above = markdown.split("\n### ").next().unwrap_or_default();
    blocks::assert_block_is_current(GUIDE, "skewer compare --format markdown", above);
}

#[test]
fn the_snapshots_change_as_contributing_says() {
    let corpus = embedded_corpus();
    let suite = corpus.suites.iter().find(|suite| suite.name == "retain-keys/errata").expect("the suite");
    let of = |target: &dyn Target| {
        let cases = suite.cases.iter().map(|case| outcome_text(case, target));
        cases.collect::<Vec<_>>().join("\n")
    };
    let (before, after) = (of(&BuiltInTarget), of(&ChangedEngine));
    let changes = diff::unified(("old snapshot", &before), ("new results", &after));
    blocks::assert_block_is_current("CONTRIBUTING.md", "cargo insta review", &changes);
}

#[test]
fn the_change_is_one_of_the_source_as_it_is() {
    let guide = include_str!("../../../reports/README.md");
    let source = include_str!("../../../engine/src/directive/retain_keys.rs");
    let (_, block) = guide.split_once("```diff engine/src/directive/retain_keys.rs\n").expect("the change");
    let (block, _) = block.split_once("```").expect("its end");
    let before: String = block
        .lines()
        .filter(|line| !line.starts_with('+'))
        .flat_map(|line| [line.get(1..).unwrap_or_default(), "\n"])
        .collect();
    assert_eq!(source.matches(&before).count(), 1, "the engine has this once:\n{before}");
}
