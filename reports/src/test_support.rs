//! Results that the tests of all renderers share.

use std::collections::BTreeMap;

use skewer_results::control_characters;
use skewer_results::json;
use skewer_results::model::{
    Answer, AnswerError, AskedParty, Cell, Deviation, LawVerdict, Location, OwnedField, Owner,
    OwnerDifference, PinnedState, Problem, Reason, Reference, Results, RunInfo, RunTarget, Selection, Source,
    Step,
};
use skewer_results::vocabulary::{Outcome, ProblemKind, Status};

use crate::compare::{Caveat, CellChange, Comparison, Regression, Trend};
use crate::kep;
use crate::{CitedDocument, EarlierRun, PageOptions, RunReport};

/// Returns a run that contains everything that a report can show.
pub(crate) fn sample_results() -> Results {
    json::parse(include_bytes!("../results/tests/sample.json")).unwrap()
}

pub(crate) fn run_info() -> RunInfo {
    sample_results().run
}

/// Returns a problem of a run that belongs to no cell.
pub(crate) fn problem() -> Problem {
    Problem {
        kind: ProblemKind::Deviations,
        message: "go.yaml:3:1: the entry excuses no cell\n  help: take it out".into(),
        suite: None,
    }
}

/// Returns two runs that differ in every way that a comparison can show.
pub(crate) fn sample_runs() -> (Results, Results) {
    let (mut old, mut new) = (sample_results(), sample_results());
    let good = &mut old.cells[1];
    (good.status, good.outcome, good.actual_document) = (Status::Pass, Some(Outcome::AsBefore), None);
    let better = &mut new.cells[6];
    (better.status, better.outcome) = (Status::Pass, Some(Outcome::Refused));
    new.cells[5].actual_document = Some("ports: []\n".into());
    let moved = &mut new.cells[9];
    (moved.id, moved.suite) = ("errata/lists/second-container".into(), "errata/lists".into());
    (moved.status, moved.outcome) = (Status::Fail, Some(Outcome::Mismatch));
    old.cells.remove(0);
    new.cells.remove(8);
    new.run.target.version = Some("0.2.0".into());
    (old, new)
}

/// Returns the input of the reports on a run without the matrix of KEP-1027.
pub(crate) fn run_report(results: &Results) -> RunReport<'_> {
    RunReport { results, kep: None, page: PageOptions::default() }
}

/// Compares two runs, one of which is a changed copy of the other as in [`sample_runs`].
///
/// This comparison is simpler than that of the runner. A cell that fails in only one of the runs is worse or better. A
/// cell whose id changed is found by its description.
pub(crate) fn compared<'a>(old: &'a Results, new: &'a Results) -> Comparison<'a> {
    let mut comparison = Comparison::without_cells(old, new);
    comparison.gone = old.cells.iter().filter(|cell| new.cells.iter().all(|new| new.id != cell.id)).collect();
    for cell in &new.cells {
        if let Some(old) = old.cells.iter().find(|old| old.id == cell.id) {
            let change = change(old, cell);
            match change.trend {
                Trend::Worse => comparison.worse.push(change),
                Trend::Better => comparison.better.push(change),
                Trend::Neutral if change.differing_fields.is_empty() => comparison.same += 1,
                Trend::Neutral => comparison.changed.push(change),
            }
        } else if let Some(at) =
            comparison.gone.iter().position(|old| old.about.is_some() && old.about == cell.about)
        {
            comparison.renamed.push(change(comparison.gone.remove(at), cell));
        } else {
            comparison.new.push(cell);
        }
    }
    let (worse, gone) = (comparison.all_worse().count(), comparison.gone.len());
    comparison.regressions.extend((worse > 0).then_some(Regression::Cells { cells: worse }));
    comparison.regressions.extend((gone > 0).then_some(Regression::Gone { cells: gone, suites: Vec::new() }));
    let [old, new] = [old, new].map(|results| results.run.target.to_string());
    comparison.caveats.extend((old != new).then_some(Caveat::Target { old, new }));
    comparison
}

fn change<'a>(old: &'a Cell, new: &'a Cell) -> CellChange<'a> {
    let trend = match (old.status.is_failure(), new.status.is_failure()) {
        (false, true) => Trend::Worse,
        (true, false) => Trend::Better,
        _ => Trend::Neutral,
    };
    let fields = [
        ("status", old.status != new.status),
        ("outcome", old.outcome != new.outcome),
        ("actual_document", old.actual_document != new.actual_document),
    ];
    let differing_fields = fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
    CellChange { old, new, trend, differing_fields }
}

fn sheet_row(policies: Vec<kep::PolicyCounts>) -> kep::SheetRow {
    kep::SheetRow {
        row: 27,
        types: kep::RowTypes::CustomResource,
        is_cited: true,
        points: 1,
        dimensions: ["no discriminator, optional", "unaware", "", "aware", "new", "echo", "update or create"]
            .map(str::to_owned)
            .to_vec(),
        policies,
    }
}

/// Returns a report on KEP-1027 under two policies.
pub(crate) fn kep_report() -> kep::KepReport {
    use kep::{
        AxisCondition, CitedRow, Conclusion, ConclusionFinding, ConclusionStatus, PolicyComparison,
        PolicyCounts, PolicyDifference, PolicyTable, RowTypes, TypeComparison, TypeDependence,
        TypeDifference, UnionKind,
    };
    let counts = |policy: &str| PolicyCounts { policy: policy.into(), cells: 1, ..PolicyCounts::default() };
    let without = vec![
        PolicyCounts { ignored: 1, ..counts("none") },
        PolicyCounts { ignored: 1, ..counts("kep-1027") },
    ];
    let with = vec![
        PolicyCounts { leftover: 1, ..counts("none") },
        PolicyCounts { intended: 1, ..counts("kep-1027") },
    ];
    let sheet = with.clone();
    let all = vec![
        PolicyCounts { cells: 2, ignored: 1, leftover: 1, ..counts("none") },
        PolicyCounts { cells: 2, intended: 1, ignored: 1, ..counts("kep-1027") },
    ];
    let when = ["client=unaware", "operation=clear"];
    let pair = |condition: &str| {
        let (axis, value) = condition.split_once('=').unwrap_or_default();
        [axis.to_owned(), value.to_owned()]
    };
    let conclusion = Conclusion {
        cited: [22, 27],
        about: "to clear a union".into(),
        says: "With a discriminator, the client can express its intention.".into(),
        note: Some("A remark.".into()),
        when: when.map(pair).to_vec(),
        findings: vec![ConclusionFinding {
            without,
            with,
            unions: "optional".into(),
            status: ConclusionStatus::Follows,
            why: "With one 1 of 1 cells are as intended under kep-1027.".into(),
        }],
        server_side_apply: vec![ConclusionFinding {
            without: Vec::new(),
            with: Vec::new(),
            unions: "optional".into(),
            status: ConclusionStatus::DoesNotFollow,
            why: "With one 0 of 1 cells are as intended under kep-1027 (1 refused).".into(),
        }],
        types: vec![TypeDependence {
            row: 27,
            policy: "none".into(),
            built_in: vec![Outcome::Leftover],
            custom_resources: vec![Outcome::Refused],
        }],
    };
    let conditions = when.map(pair).map(|[axis, value]| AxisCondition { axis, values: vec![value] });
    let outcomes = vec![Some(Outcome::Leftover), Some(Outcome::Intended)];
    kep::KepReport {
        target: "<b>target</b>".into(),
        cells: 4,
        behaviours: 3,
        points: 2,
        failed: 1,
        not_run: 1,
        policies: vec!["none".into(), "kep-1027".into()],
        tables: vec![PolicyTable { unions: "all unions".into(), policies: all }],
        sheet: vec![sheet_row(sheet)],
        types: TypeComparison {
            points: 9,
            differences: vec![TypeDifference {
                union: "discriminated".into(),
                client: "aware".into(),
                server: "unaware".into(),
                operation: "set-new".into(),
                policy: "none".into(),
                releases: vec!["1.29".into(), "newest".into()],
                built_in: Outcome::Lost,
                custom_resource: Outcome::Refused,
                points: 4,
            }],
        },
        rows: vec![CitedRow {
            row: 27,
            types: RowTypes::BuiltIn,
            case: "row-27".into(),
            about: "to clear a union".into(),
            outcomes: vec![None, Some(Outcome::Intended)],
        }],
        conclusions: vec![conclusion],
        comparisons: vec![PolicyComparison { policy: "none".into(), better: 1, same: 1, worse: 0 }],
        differences: vec![PolicyDifference {
            union: UnionKind::DiscriminatedOptional,
            when: conditions.to_vec(),
            points: 1,
            outcomes,
        }],
    }
}

/// Text that is dangerous in every format.
pub(crate) const HOSTILE_TEXT: &str = "</script><script>alert(1)</script> --> <!-- ]]> \"quoted\" 'single' \\ & | \u{2028}\u{2029}\u{1b}[31m\u{9b}\u{7f} \u{202e}\u{2066}\u{200f} \u{200b}\u{feff}\u{e0001} \u{fffe}\u{ffff} ##[error]x ##vso[a]b @someone\r\n::error::x";

/// Replaces invisible characters by the text that the HTML pages show for them.
pub(crate) fn visible(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    let text = |text: String| {
        let is_hidden = |c: char| control_characters::is_hidden(c) && c != '\n' && c != '\t';
        let visible = |c: char| if is_hidden(c) { c.escape_default().to_string() } else { c.to_string() };
        text.chars().map(visible).collect::<String>()
    };
    match value {
        Value::String(string) => text(string).into(),
        Value::Array(items) => items.into_iter().map(visible).collect(),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (text(key), visible(value))).collect())
        }
        other => other,
    }
}

/// Returns a run with one failing cell, in which every text is hostile.
pub(crate) fn hostile_results() -> Results {
    results_of(HOSTILE_TEXT)
}

/// Returns additions to a page in which every text is hostile. The results are those of another run.
pub(crate) fn hostile_page_options(results: &Results) -> PageOptions {
    PageOptions {
        documents: vec![CitedDocument {
            name: HOSTILE_TEXT.into(),
            title: HOSTILE_TEXT.into(),
            address: Some(HOSTILE_TEXT.into()),
        }],
        source_link: format!("https://example.com/{{file}}{HOSTILE_TEXT}").parse().ok(),
        earlier_runs: vec![EarlierRun::new(HOSTILE_TEXT.into(), results)],
        run_name: Some(HOSTILE_TEXT.into()),
    }
}

fn owner_of(text: &str) -> Owner {
    Owner {
        manager: text.into(),
        operation: text.into(),
        api_version: Some(text.into()),
        subresource: Some(text.into()),
        fields: vec![text.into()],
        absent_fields: vec![text.into()],
    }
}

fn answer_of(text: &str) -> Answer {
    let error = AnswerError {
        kind: text.into(),
        directive: Some(text.into()),
        path: Some(text.into()),
        rules: vec![text.into()],
        conflicts: vec![OwnedField { manager: text.into(), path: text.into() }],
        message: Some(text.into()),
    };
    Answer {
        leaks: vec![text.into()],
        verdict: Some(LawVerdict { verdict: text.into(), condition: Some(text.into()) }),
        told: Some(text.into()),
        ..Answer::of_error(error)
    }
}

fn reasons_of(text: &str) -> Vec<Reason> {
    let owner = OwnerDifference {
        manager: text.to_owned(),
        operation: text.to_owned(),
        subresource: Some(text.to_owned()),
        expected: vec![vec![text.to_owned()]],
        actual: vec![vec![text.to_owned()]],
    };
    vec![
        Reason::NotAsked { party: AskedParty::Client, whole_object: Some(text.to_owned()) },
        Reason::OwnersDiffer(vec![owner]),
        Reason::PinnedDocumentImpossible { state: PinnedState::Ideal, why: text.into() },
        Reason::Crash(text.into()),
        Reason::Panic { target: Some(text.to_owned()), panic: text.into() },
        Reason::ServerWarned(vec![text.into()]),
        Reason::OtherDeviation {
            known: text.into(),
            differences: Vec::new(),
            not_refused: Some(text.to_owned()),
        },
        Reason::ListedAsFailure { file: text.to_owned(), known: text.into() },
    ]
}

/// Returns a run with one failing cell, in which every text is this one.
pub(crate) fn results_of(text: &str) -> Results {
    let cell = Cell {
        axes: [(text, text)].into_iter().collect(),
        outcome: Some(Outcome::Lost),
        issue: vec![text.into()],
        source: Some(Source { document: text.into(), section: Some(text.into()) }),
        about: Some(text.into()),
        target: Some(text.to_owned()),
        expected: vec![answer_of(text)],
        actual: Some(answer_of(text)),
        reference: Some(Reference::Case { id: text.into(), is_worse: true }),
        because: Some(text.into()),
        paths: vec![text.into()],
        reasons: reasons_of(text),
        deviation: Some(Deviation { reason: text.into(), link: Some(text.to_owned()) }),
        location: Some(Location { file: text.into(), line: 1 }),
        rerun: Some(text.to_owned()),
        expected_document: Some(text.to_owned()),
        actual_document: Some(format!("{text}\nmore")),
        conflicts: vec![owner_of(text)],
        steps: vec![Step {
            name: text.into(),
            note: Some(text.to_owned()),
            document: Some(text.to_owned()),
            owners: vec![owner_of(text)],
        }],
        ..Cell::new(text, text, text, Status::Fail)
    };
    let run = RunInfo {
        tool_version: text.into(),
        corpus_hash: text.into(),
        target: RunTarget {
            name: text.into(),
            version: Some(text.to_owned()),
            language: Some(text.to_owned()),
            options: Some(text.to_owned()),
        },
        selection: Selection { patterns: vec![text.into()], axes: vec![text.into()], ..Selection::default() },
        selected: None,
        info: BTreeMap::from([(text.to_owned(), text.to_owned())]),
    };
    Results::new(run, vec![cell])
}
