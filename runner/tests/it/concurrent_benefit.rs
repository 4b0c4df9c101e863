//! A directive whose benefit shows only if another client changes the object meanwhile.

use skewer_cases::{Cell, Corpus, CorpusFile};
use skewer_engine::directive::{
    Directive, Flow, IntroducedIn, Placement, take_directive_entry, target_field,
};
use skewer_engine::patch::{Diff, MapDiff, Merge, MergeMode};
use skewer_engine::profile::Profile;
use skewer_engine::schema::TypeId;
use skewer_engine::{Doc, Error, Map, Result, Text};
use skewer_execute::execute::{ExecutionOptions, run_cell};
use skewer_reports::laws::{LawsReport, SituationCounts, VerdictSummary};
use skewer_reports::terminal::Style;
use skewer_results::{Outcome, Status};
use skewer_targets::BuiltInTarget;
use skewer_trials::laws::report::{self, ExampleSelection};
use skewer_trials::laws::{
    CompiledSituations, FormatChange, Law, LawSituation, VerdictKind, VerdictRecord, generate,
};

/// `$increment/<field>: 2`: adds the number to the live value. The patch also has the new value, for servers that do
/// not know the directive.
#[derive(Debug)]
struct Increment;

impl Directive for Increment {
    fn name(&self) -> &'static str {
        "$increment"
    }

    fn placement(&self) -> Placement {
        Placement::Field
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        while merge.mode() != MergeMode::Combine {
            let Some((key, value)) = take_directive_entry(self, patch) else { break };
            let field = target_field(self, &key).unwrap_or_default();
            let Doc::Int(by) = value else {
                return Err(Error::invalid_directive("$increment", "expected an integer").at(&key));
            };
            if let Some(Doc::Int(number)) = live.get_mut(field) {
                *number += by;
                patch.remove(field);
            }
        }
        Ok(Flow::Continue)
    }

    fn strip_own_keys(&self, added: &mut Map) {
        while take_directive_entry(self, added).is_some() {}
    }

    fn diff_map<'d>(&self, diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        if diff.options().ignore_changes_and_additions || map.meta.has_tag("retainKeys") {
            return;
        }
        let changed =
            map.modified.iter().filter_map(|(key, modified)| match (map.original.get(key), modified) {
                (Some(Doc::Int(original)), Doc::Int(modified)) if original != modified => {
                    Some((Text::from(format!("$increment/{key}")), Doc::Int(modified - original)))
                }
                _ => None,
            });
        changed.for_each(|(key, by)| {
            patch.insert(key, by);
        });
    }
}

const SEED: u64 = 1;
const COUNT: u64 = 400;

fn increment() -> FormatChange {
    let about = "a number is added to the live value";
    FormatChange { profiles: vec![Profile::Release(6)], ..FormatChange::proposed(&Increment, about) }
}

fn report_on(situations: Vec<LawSituation>) -> LawsReport {
    let counts = SituationCounts { from_corpus: 0, generated: 0, concurrent: 0, seed: SEED };
    let situations = CompiledSituations::new(situations, counts);
    report::report(&[increment()], &situations, &VerdictRecord::default(), ExampleSelection::All)
}

fn verdict(report: &LawsReport, law: Law) -> &VerdictSummary {
    report.rows[0].verdicts.iter().find(|summary| summary.law == law.name()).unwrap()
}

#[test]
fn without_another_client_an_increment_has_no_benefit_and_the_report_says_what_was_tried() {
    let situations = generate::situations(SEED, COUNT);
    let report = report_on(situations);
    let benefit = verdict(&report, Law::Benefit);
    assert_eq!(benefit.verdict, VerdictKind::NotShown);
    let search = benefit.search.as_ref().unwrap();
    let tried: Vec<usize> = search.groups.iter().map(|group| group.tried).collect();
    assert!(tried[0] > 0 && tried[1] > 0 && tried[2..] == [0, 0], "{search:?}");
    assert!(search.groups[0].affected > 0, "{search:?}");
    assert!(search.needed.contains("a case needs"), "{search:?}");
    let text = skewer_reports::laws::text(&report, Style::default());
    assert!(text.contains("# $increment, benefit: not shown."), "{text}");
    assert!(text.contains("# - tried, another client meanwhile, equal types: 0 situations"), "{text}");
}

#[test]
fn with_another_client_both_increments_survive_only_with_the_directive() {
    let mut situations = generate::situations(SEED, COUNT);
    situations.extend(generate::concurrent_situations(SEED, COUNT));
    let report = report_on(situations);
    for law in Law::ALL {
        assert_eq!(
            verdict(&report, law).verdict,
            VerdictKind::Kept,
            "{}",
            skewer_reports::laws::text(&report, Style::default())
        );
    }
    let benefit = verdict(&report, Law::Benefit);
    assert_eq!(benefit.search, None);
    let [example] = benefit.examples.as_slice() else { panic!("{benefit:?}") };
    assert!(example.case.contains("meanwhile: [{request: update, "), "{}", example.case);
    assert!(example.case.contains("increment:"), "{}", example.case);
    for (id, status, outcome) in outcomes(&example.case) {
        assert_eq!(status, Status::Pass, "{id}\n{}", example.case);
        // Only a client and a server that both know the directive keep the increments of both clients.
        let is_intended = id.ends_with("[client=new,server=new]");
        assert_eq!(outcome == Some(Outcome::Intended), is_intended, "{id}: {outcome:?}\n{}", example.case);
    }
}

/// Runs a printed case. Returns the id, the status and the outcome of each cell.
fn outcomes(case: &str) -> Vec<(String, Status, Option<Outcome>)> {
    let name = case.strip_prefix("suite: ").and_then(|rest| rest.lines().next()).unwrap();
    let path = format!("{name}.yaml");
    let file = CorpusFile { display_name: path.clone(), path, content: case.into(), folder: None };
    let corpus = Corpus::load_with_directives(vec![file], &increment().all_directives()).unwrap();
    let run = |cell: Cell<'_>| {
        let result = run_cell(&cell, &BuiltInTarget, &ExecutionOptions::default());
        (cell.id(), result.status, result.outcome)
    };
    let outcomes: Vec<_> = corpus.cells().map(run).collect();
    assert_eq!(outcomes.len(), 4, "{case}");
    outcomes
}
