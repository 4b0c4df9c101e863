//! The checked-in reports are current.

use std::fmt::Write as _;

use rstest::rstest;
use skewer::cli::topology;
use skewer_audit::explore::ExploreOptions;
use skewer_audit::input::AuditedTypes;
use skewer_audit::run::audit_kinds;
use skewer_cases::Types;
use skewer_engine::schema::builtin;
use skewer_execute::execute::StepRecording;
use skewer_execute::kep;
use skewer_reports::audit::ReleasePair;
use skewer_reports::kep::RowTypes;
use skewer_reports::summary::Summary;
use skewer_reports::terminal::{self, Style};
use skewer_reports::topology::SUITE;
use skewer_targets::BuiltInTarget;

use crate::helpers::{
    assert_report_is_current, blocks, embedded_results, embedded_suites, run_corpus, skewer, skewer_command,
    stdout,
};

#[test]
fn the_report_on_kep_1027_is_current_and_its_conclusions_follow() {
    let report = kep::analyze(embedded_results()).expect("the corpus has the KEP's matrix");
    assert!(report.cells > 8_000, "{} cells", report.cells);
    assert_eq!(report.cells, report.points * report.policies.len(), "every point is run under every policy");
    assert_eq!((report.failed, report.not_run), (0, 0));
    assert_report_is_current("KEP-1027.md", skewer_reports::kep::markdown(&report).as_bytes());
    for conclusion in &report.conclusions {
        assert!(kep::follows(conclusion), "{conclusion:#?}");
    }
    let rows = |types: RowTypes| -> Vec<u32> {
        report.rows.iter().filter(|row| row.types == types).map(|row| row.row).collect()
    };
    assert_eq!(rows(RowTypes::BuiltIn), [12, 16, 22, 23, 27, 28, 34, 34, 39, 39]);
    // Each row is run on a server with and without ratcheting.
    let custom = [12, 16, 22, 23, 27, 28, 34, 39].map(|row| [row; 2]);
    assert_eq!(rows(RowTypes::CustomResource), custom.concat());
    assert_eq!(report.types.points, 744);
    // The enum and the number of members are in the definition, which is checked with the gate off.
    let dependent = report.conclusions.iter().flat_map(|conclusion| &conclusion.types);
    let dependent: Vec<_> =
        dependent.map(|dependence| (dependence.row, dependence.policy.as_str())).collect();
    assert_eq!(dependent, [(39, "none"), (23, "none")]);
}

#[test]
fn the_report_on_changes_of_a_topology_is_current() {
    let corpus = embedded_suites(|suite| suite == SUITE);
    let results = run_corpus(&corpus, &BuiltInTarget, StepRecording::Always);
    let effects = topology::analyze(&results).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(effects.len(), 13);
    assert_report_is_current("TOPOLOGY.md", skewer_reports::topology::markdown(&effects).as_bytes());
}

/// The report on clients that negotiate is that of all suites. The exit code is 0, whatever negotiation costs.
#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn the_report_on_negotiation_is_current() {
    let report = stdout(&skewer(&["run", "--negotiate=markdown"]));
    assert!(report.contains("| `patch-merge-key/version-skew-moved-keys` | 114 | 32 |"), "{report}");
    assert_report_is_current("NEGOTIATION.md", report.as_bytes());
}

/// The suites in the table of the guide: some for each design document.
const SHOWN: [&str; 8] = [
    "patch-merge-key/version-skew-multi-field",
    "retain-keys/errata",
    "retain-keys/version-skew",
    "strategic-merge-patch/delete-directive",
    "strategic-merge-patch/skew-set-element-order",
    "unions/kep-matrix",
    "unions/kep-rows",
    "upstream/duplicate-merge-keys",
];

#[test]
fn the_table_of_the_guide_is_current() {
    let style = Style { color: false, width: Some(100) };
    let table = terminal::summary(&Summary::of(embedded_results()), style);
    let (suites, rest) = table.split_once("\n──").expect("a line below the heading");
    let (ruled, totals) = rest.split_once("\n──").expect("a line above the total");
    let rule = ruled.lines().next().unwrap_or_default();
    let is_shown = |line: &&str| SHOWN.iter().any(|suite| line.starts_with(&format!("{suite} ")));
    let rows: Vec<&str> = ruled.lines().filter(is_shown).collect();
    assert_eq!(rows.len(), SHOWN.len(), "the table has all suites of the guide");
    let text = format!("{suites}\n──{rule}\n{}\n…\n──{totals}", rows.join("\n"));
    blocks::assert_block_is_current("guide/src/reference/table.md", "COLUMNS=100 skewer run", &text);
}

/// The types of each release are compared with those of the next one.
#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn the_audit_of_the_releases_is_current() {
    let types = |release: &'static builtin::Release| AuditedTypes {
        name: release.name().to_owned(),
        types: Types::from(release),
        text: None,
    };
    let pairs = builtin::releases().iter().zip(&builtin::releases()[1..]);
    let audits = pairs.map(|(old, new)| {
        let audits = audit_kinds(&types(old), &types(new), ExploreOptions::default());
        let audits = audits.unwrap_or_else(|error| panic!("{error}"));
        ReleasePair { old: old.name(), new: new.name(), audits }
    });
    let report = skewer_reports::audit::releases(&audits.collect::<Vec<_>>());
    assert!(report.contains("kubernetes-1.36 → kubernetes-1.37"), "{report}");
    assert_report_is_current("RELEASE-AUDIT.md", report.as_bytes());
}

/// The commands whose tables of outcomes the README shows: a case by client and server, and a case by request.
const EXAMPLES: [&str; 2] = [
    "run retain-keys/version-skew/switch-member --axis member=unknown --axis decoding=structured \
     --axis request=strategic-merge-patch --rows client --columns server",
    "run releases/service/one-protocol-of-a-port-is-removed --rows request --columns outcome",
];

#[test]
fn the_examples_of_the_readme_are_current() {
    for arguments in EXAMPLES {
        let command = skewer_command().env("COLUMNS", "80").args(arguments.split(' ')).output();
        let text = stdout(&command.expect("the command runs"));
        let (table, _) = text.split_once("suite ").expect("a table of suites below the table of outcomes");
        blocks::assert_block_is_current("README.md", &format!("COLUMNS=80 skewer {arguments}"), table);
    }
}

/// The labels of real findings, counted by severity.
#[rstest]
#[case::first("audit-labels", "labels", 300)]
#[case::second("audit-labels-2", "labels of the second sample", 120)]
fn the_counts_of_the_labels_are_current(#[case] file: &str, #[case] block: &str, #[case] findings: usize) {
    const LABELS: [&str; 3] = ["right", "noise", "wrong"];
    let path = format!("{}/data/{file}.tsv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the labels can be read");
    let rows: Vec<Vec<&str>> = text.lines().skip(2).map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), findings);
    let mut table = format!("{:<12}{:>8}{:>8}{:>8}\n", "", LABELS[0], LABELS[1], LABELS[2]);
    for severity in ["silent", "loud", "note", "not-judged"] {
        let count = |label: &str| rows.iter().filter(|row| row[3] == severity && row[6] == label).count();
        let [right, noise, wrong] = LABELS.map(count);
        writeln!(table, "{severity:<12}{right:>8}{noise:>8}{wrong:>8}").expect("a text takes each line");
    }
    assert!(rows.iter().all(|row| LABELS.contains(&row[6]) && !row[7].is_empty()));
    blocks::assert_block_is_current("reports/AUDIT-LABELS.md", block, &table);
}
