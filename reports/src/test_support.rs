//! Results that the tests of all renderers share.

use std::collections::BTreeMap;

use crate::compare::{Caveat, CellChange, Comparison, Regression, Trend};
use crate::control_characters;
use crate::kep;
use crate::model::{
    Answer, AnswerError, AskedParty, Cell, Deviation, LawVerdict, Location, OwnedField, Owner,
    OwnerDifference, PinnedState, Problem, Reason, Reference, Results, RunInfo, RunTarget, Selection, Source,
    Step,
};
use crate::vocabulary::{Level, Outcome, ProblemKind, Status};
use crate::{CitedDocument, EarlierRun, PageOptions, RunReport};

pub(crate) fn run_info() -> RunInfo {
    RunInfo {
        tool_version: "0.1.0".into(),
        corpus_hash: "sha256:5f2a".into(),
        target: RunTarget {
            name: "builtin".into(),
            version: Some("0.1.0".into()),
            language: Some("Rust".into()),
            options: None,
        },
        selection: Selection::default(),
        selected: None,
        info: BTreeMap::new(),
    }
}

/// Returns a problem of a run that belongs to no cell.
pub(crate) fn problem() -> Problem {
    Problem {
        kind: ProblemKind::Deviations,
        message: "go.yaml:3:1: the entry excuses no cell\n  help: take it out".into(),
        suite: None,
    }
}

/// Returns a run that contains everything that a report can show.
pub(crate) fn sample_results() -> Results {
    let mut cells = skew_cells();
    cells.extend(list_cells());
    cells.extend(errata_and_unrun_cells());
    Results::new(run_info(), cells)
}

fn skew_cell(client: &str, server: &str, status: Status, outcome: Outcome) -> Cell {
    let (suite, case) = ("retain-keys/version-skew", "switch-member");
    let id = format!("{suite}/{case}[client={client},server={server}]");
    Cell {
        axes: [("client", client), ("server", server)].into_iter().collect(),
        outcome: Some(outcome),
        kep: vec![12],
        issue: vec!["kubernetes/kubernetes#39188".into()],
        source: Some(Source { document: "retain-keys".into(), section: Some("Version Skew".into()) }),
        about: Some("Auto-clearing union fields with $retainKeys, on either side of the skew.".into()),
        expected: vec![Answer::of_outcome(Outcome::Intended)],
        location: Some(Location { file: "cases/corpus/retain-keys/version-skew.yaml".into(), line: 31 }),
        rerun: Some(format!("skewer run '{id}'")),
        duration_us: Some(120),
        ..Cell::new(id, suite, case, status)
    }
}

fn skew_cells() -> Vec<Cell> {
    vec![
        Cell {
            expected: vec![Answer::of_outcome(Outcome::AsBefore)],
            covers: Some(Outcome::Leftover),
            ..skew_cell("old", "old", Status::Pass, Outcome::AsBefore)
        },
        Cell {
            expected: vec![Answer::of_outcome(Outcome::AsBefore)],
            actual: Some(Answer::of_outcome(Outcome::Lost)),
            because: Some("An old server drops the directive.".into()),
            paths: vec!["spec.strategy.bar".into(), "spec.strategy.type".into()],
            expected_document: Some("strategy:\n  type: bar\n  foo:\n    x: 1\n  bar:\n    y: 2\n".into()),
            actual_document: Some("strategy:\n  foo:\n    x: 1\n".into()),
            steps: sample_steps(),
            ..skew_cell("new", "old", Status::Fail, Outcome::Lost)
        },
        skew_cell("new", "new", Status::Pass, Outcome::Intended),
        skew_cell("old", "new", Status::UnexpectedPass, Outcome::Intended),
    ]
}

fn sample_steps() -> Vec<Step> {
    let step = |name: &str, note: Option<&str>, document: Option<&str>| Step {
        name: name.into(),
        note: note.map(Into::into),
        document: document.map(Into::into),
        owners: Vec::new(),
    };
    vec![
        step("stored", None, Some("strategy:\n  type: foo\n  foo:\n    x: 1\n")),
        step("edited", None, Some("strategy:\n  type: bar\n  bar:\n    y: 2\n")),
        step(
            "request",
            Some("directives: $retainKeys"),
            Some("strategy:\n  $retainKeys:\n  - type\n  - bar\n  type: bar\n  bar:\n    y: 2\n"),
        ),
        step("server", Some("$retainKeys is not known and was dropped"), None),
        step("stored after", None, Some("strategy:\n  foo:\n    x: 1\n")),
    ]
}

fn list_cells() -> Vec<Cell> {
    let (suite, file) = ("lists/merge-keys", "cases/corpus/lists/merge-keys.yaml");
    let cell = |case: &str, status| Cell {
        location: Some(Location { file: file.into(), line: 12 }),
        rerun: Some(format!("skewer run '{suite}/{case}'")),
        ..Cell::new(format!("{suite}/{case}"), suite, case, status)
    };
    vec![
        Cell { outcome: Some(Outcome::Match), ..cell("replace-item", Status::Pass) },
        Cell {
            outcome: Some(Outcome::Mismatch),
            deviation: Some(Deviation {
                reason: "merges ports by port alone".into(),
                link: Some("https://github.com/kubernetes/kubernetes/issues/39188".into()),
            }),
            ..cell("same-port-tcp-and-udp", Status::Deviation)
        },
        Cell {
            expected: vec![Answer::of_error(AnswerError::of_kind("missing-merge-key"))],
            reasons: vec![Reason::InvalidCase("the case names no schema".into())],
            ..cell("no-key", Status::Error)
        },
        Cell {
            reasons: vec![Reason::Crash(
                "the target ended with signal 11;\nstderr: \u{1b}[31mpanic | <b>boom</b>\u{1b}[0m".into(),
            )],
            ..cell("deep", Status::Crash)
        },
        Cell {
            reasons: vec![Reason::TimedOut("no answer within 5 s".into())],
            ..cell("wide", Status::Timeout)
        },
    ]
}

fn errata_and_unrun_cells() -> Vec<Cell> {
    let errata = "errata/printed-examples";
    vec![
        Cell {
            level: Level::Erratum,
            outcome: Some(Outcome::Match),
            source: Some(Source { document: "strategic-merge-patch".into(), section: Some("Lists".into()) }),
            about: Some("The printed result misses the second container.".into()),
            because: Some("The text above the example says that both remain.".into()),
            ..Cell::new(format!("{errata}/second-container"), errata, "second-container", Status::Pass)
        },
        Cell {
            level: Level::Proposed,
            reasons: vec![Reason::Unsupported("needs the directive $patchMergeKey".into())],
            ..Cell::new(
                "proposals/patch-merge-key/first",
                "proposals/patch-merge-key",
                "first",
                Status::Unsupported,
            )
        },
        Cell {
            level: Level::Recommended,
            ..Cell::new(
                "proposals/patch-merge-key/second",
                "proposals/patch-merge-key",
                "second",
                Status::Skipped,
            )
        },
    ]
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

/// Returns an owner with hostile names.
fn hostile_owner() -> Owner {
    Owner {
        manager: HOSTILE_TEXT.into(),
        operation: HOSTILE_TEXT.into(),
        api_version: Some(HOSTILE_TEXT.into()),
        subresource: Some(HOSTILE_TEXT.into()),
        fields: vec![HOSTILE_TEXT.into()],
        absent_fields: vec![HOSTILE_TEXT.into()],
    }
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

fn hostile_answer() -> Answer {
    let error = AnswerError {
        kind: HOSTILE_TEXT.into(),
        directive: Some(HOSTILE_TEXT.into()),
        path: Some(HOSTILE_TEXT.into()),
        rules: vec![HOSTILE_TEXT.into()],
        conflicts: vec![OwnedField { manager: HOSTILE_TEXT.into(), path: HOSTILE_TEXT.into() }],
        message: Some(HOSTILE_TEXT.into()),
    };
    Answer {
        leaks: vec![HOSTILE_TEXT.into()],
        verdict: Some(LawVerdict { verdict: HOSTILE_TEXT.into(), condition: Some(HOSTILE_TEXT.into()) }),
        told: Some(HOSTILE_TEXT.into()),
        ..Answer::of_error(error)
    }
}

fn hostile_reasons() -> Vec<Reason> {
    let text = || HOSTILE_TEXT.to_owned();
    let owner = OwnerDifference {
        manager: text(),
        operation: text(),
        subresource: Some(text()),
        expected: vec![vec![text()]],
        actual: vec![vec![text()]],
    };
    vec![
        Reason::NotAsked { party: AskedParty::Client, whole_object: Some(text()) },
        Reason::OwnersDiffer(vec![owner]),
        Reason::PinnedDocumentImpossible { state: PinnedState::Ideal, why: HOSTILE_TEXT.into() },
        Reason::Crash(HOSTILE_TEXT.into()),
        Reason::Panic { target: Some(text()), panic: HOSTILE_TEXT.into() },
        Reason::ServerWarned(vec![HOSTILE_TEXT.into()]),
        Reason::OtherDeviation {
            known: HOSTILE_TEXT.into(),
            differences: Vec::new(),
            not_refused: Some(text()),
        },
        Reason::ListedAsFailure { file: text(), known: HOSTILE_TEXT.into() },
    ]
}

/// Returns a run with one failing cell, in which every text is hostile.
pub(crate) fn hostile_results() -> Results {
    let text = || Some(HOSTILE_TEXT.to_owned());
    let cell = Cell {
        axes: [(HOSTILE_TEXT, HOSTILE_TEXT)].into_iter().collect(),
        outcome: Some(Outcome::Lost),
        issue: vec![HOSTILE_TEXT.into()],
        source: Some(Source { document: HOSTILE_TEXT.into(), section: Some(HOSTILE_TEXT.into()) }),
        about: Some(HOSTILE_TEXT.into()),
        target: text(),
        expected: vec![hostile_answer()],
        actual: Some(hostile_answer()),
        reference: Some(Reference::Case { id: HOSTILE_TEXT.into(), is_worse: true }),
        because: Some(HOSTILE_TEXT.into()),
        paths: vec![HOSTILE_TEXT.into()],
        reasons: hostile_reasons(),
        deviation: Some(Deviation { reason: HOSTILE_TEXT.into(), link: text() }),
        location: Some(Location { file: HOSTILE_TEXT.into(), line: 1 }),
        rerun: text(),
        expected_document: text(),
        actual_document: Some(format!("{HOSTILE_TEXT}\nmore")),
        conflicts: vec![hostile_owner()],
        steps: vec![Step {
            name: HOSTILE_TEXT.into(),
            note: text(),
            document: text(),
            owners: vec![hostile_owner()],
        }],
        ..Cell::new(HOSTILE_TEXT, HOSTILE_TEXT, HOSTILE_TEXT, Status::Fail)
    };
    let run = RunInfo {
        tool_version: HOSTILE_TEXT.into(),
        corpus_hash: HOSTILE_TEXT.into(),
        target: RunTarget { name: HOSTILE_TEXT.into(), version: text(), language: text(), options: text() },
        selection: Selection {
            patterns: vec![HOSTILE_TEXT.into()],
            axes: vec![HOSTILE_TEXT.into()],
            ..Selection::default()
        },
        selected: None,
        info: BTreeMap::from([(HOSTILE_TEXT.to_owned(), HOSTILE_TEXT.to_owned())]),
    };
    Results::new(run, vec![cell])
}
