//! `skewer-lab mutants`: which cells notice a mutant, and which do not.

use skewer_cases::Corpus;
use skewer_lab::mutants::equivalences::Equivalences;
use skewer_lab::mutants::{self, Baseline, RunOptions};
use skewer_reports::mutants::{Ideals, MutantsReport, Verdict};

use crate::helpers::{embedded_corpus, folder_with, lab, stderr, stdout};

/// A suite with the policy `kep-1027` and with a list that is merged.
const SUITE: &str = r#"
suite: tiny
about: A union.
schema:
  go: |
    type Holder struct {
      Name  string   `json:"name,omitempty"`
      Union Union    `json:"union,omitzero"`
      Tags  []string `json:"tags,omitempty" patchStrategy:"merge"`
    }
    type Union struct {
      // +unionDiscriminator
      // +required
      Type Type `json:"type"`
      // +unionMember
      // +optional
      A *Member `json:"a,omitempty"`
      // +unionMember
      // +optional
      B *Member `json:"b,omitempty"`
    }
    // +enum
    type Type string
    const (
      TypeA Type = "A"
      TypeB Type = "B"
    )
    type Member struct {
      X int `json:"x,omitempty"`
    }
  root: Holder
cases:
  - id: lost
    client: {without: [Union.a]}
    server: {policy: kep-1027}
    live: {name: n, union: {type: A, a: {x: 1}}}
    intent: {set: {name: m}}
    request: update
    expect: [{error: union-selected-member-empty}]
  - id: switched
    kep: [3]
    server: {policy: kep-1027}
    client: {without: [Union.a]}
    live: {union: {type: A, a: {x: 1}}}
    intent: {choose: [{at: union, fields: {type: B, b: {x: 2}}}]}
    request: json-merge-patch
    expect: [{outcome: intended}]
  - id: tags
    live: {tags: [a]}
    patch: {tags: [b]}
    expect: [{result: {tags: [b, a]}}]
"#;

fn report(corpus: &Corpus, only: &[&str]) -> MutantsReport {
    let baseline = Baseline::of(corpus.cells().collect()).unwrap_or_else(|error| panic!("{error}"));
    let mut mutants = mutants::all(&baseline);
    mutants.retain(|mutant| only.is_empty() || only.contains(&mutant.name()));
    mutants::run(&baseline, mutants, options(&Equivalences::default(), false), |_| {})
}

fn options(equivalences: &Equivalences, is_complete: bool) -> RunOptions<'_> {
    RunOptions { equivalences, is_complete, ideals: Ideals::Unchanged }
}

fn corpus(suite: &str) -> (tempfile::TempDir, Corpus) {
    let folder = folder_with(&[("tiny.yaml", suite)]);
    let corpus = Corpus::from_dir(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    (folder, corpus)
}

#[track_caller]
fn assert_verdict(report: &MutantsReport, name: &str, verdict: Verdict, cells: &[&str]) {
    let row =
        report.mutants.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no mutant {name}"));
    let named = if row.unnoticed > 0 { &row.unnoticed_cells } else { &row.noticed_cells };
    assert_eq!(
        (row.verdict, named.iter().map(String::as_str).collect::<Vec<_>>()),
        (verdict, cells.to_vec()),
        "{row:#?}"
    );
}

#[test]
fn cells_notice_a_mutant_or_change_unnoticed_or_do_not_change() {
    let (_folder, corpus) = corpus(SUITE);
    let report = report(&corpus, &[]);
    assert_verdict(&report, "policy/kep-1027/change-off/cleared", Verdict::Noticed, &["tiny/switched"]);
    assert_verdict(&report, "schema/Holder.tags/merge-as-replace", Verdict::Noticed, &["tiny/tags"]);
    assert_verdict(&report, "directive/$retainKeys/absent", Verdict::NoChange, &[]);
    assert_verdict(&report, "directive/$patch/without-hook/diff_list", Verdict::Equivalent, &[]);
    let kep_rows: Vec<u32> = report.kep_rows.iter().map(|row| row.row).collect();
    assert_eq!(kep_rows, [3]);
    assert!(report.kep_rows[0].noticed > 0);
    assert_eq!((report.cells, report.declarations), (3, 0));
}

/// With the policy `none`, another object is stored, whose outcome is the expected one.
#[test]
fn an_expectation_that_names_only_an_outcome_does_not_notice_another_state() {
    let suite = SUITE.replace(
        "expect: [{outcome: intended}]",
        "expect: [{any-of: [{outcome: intended}, {outcome: leftover}]}]",
    );
    let (_folder, corpus) = corpus(&suite);
    let report = report(&corpus, &["policy/kep-1027=none"]);
    assert_verdict(&report, "policy/kep-1027=none", Verdict::Unnoticed, &["tiny/switched"]);
    assert_eq!(report.mutants[0].noticed, 1, "the cell that expects an error notices the policy");
}

/// If the mutant also computes the ideal, the ideal changes with the final state. Only a pinned result notices that.
#[test]
fn with_mutated_ideals_only_pinned_cells_notice() {
    let intent = "{choose: [{at: union, fields: {type: B, b: {x: 2}}}]}";
    // The client, too, leaves it to the server to clear the other member.
    let by_outcome = SUITE.replace(intent, "{set: {union: {type: B, b: {x: 2}}}}");
    let pinned =
        by_outcome.replace("outcome: intended", "outcome: intended, result: {union: {type: B, b: {x: 2}}}");
    let name = "policy/kep-1027=none";
    for (suite, ideals, verdict) in [
        (&by_outcome, Ideals::Unchanged, Verdict::Noticed),
        (&by_outcome, Ideals::Mutated, Verdict::Unnoticed),
        (&pinned, Ideals::Mutated, Verdict::Noticed),
    ] {
        let (_folder, corpus) = corpus(suite);
        let baseline = Baseline::of(corpus.cells().collect()).unwrap_or_else(|error| panic!("{error}"));
        let mut all = mutants::all(&baseline);
        all.retain(|mutant| mutant.name() == name);
        let record = Equivalences::default();
        let report = mutants::run(&baseline, all, RunOptions { ideals, ..options(&record, false) }, |_| {});
        assert_eq!(report.mutants[0].verdict, verdict, "{ideals:?}\n{suite}");
    }
}

/// A defect of a policy is also a defect of the engine that computes the ideals. The ideals of unions are therefore written
/// by hand, or the results are. `.ci/run` tries all mutants.
#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn the_union_suites_notice_each_policy_that_is_replaced_if_the_ideals_change_with_it() {
    let is_wanted = |name: &str| name.starts_with("unions/") && !name.starts_with("unions/kep-");
    let corpus = Corpus::embedded_suites(is_wanted).unwrap_or_else(|error| panic!("{error}"));
    let baseline = Baseline::of(corpus.cells().collect()).unwrap_or_else(|error| panic!("{error}"));
    let mut all = mutants::all(&baseline);
    all.retain(|mutant| mutant.name().starts_with("policy/"));
    assert!(all.len() > 100, "{}", all.len());
    let record = Equivalences::default();
    let options = RunOptions { ideals: Ideals::Mutated, ..options(&record, false) };
    let report = mutants::run(&baseline, all, options, |_| {});
    let faults: Vec<String> =
        report.faults().map(|row| format!("{}: {:?}", row.name, row.unnoticed_cells)).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_record_of_a_mutant_that_changes_a_cell_is_stale_and_a_record_of_no_mutant_is_unknown() {
    let (_folder, corpus) = corpus(SUITE);
    let record = b"equivalent: [{mutant: 'policy/kep-1027=none', because: x}, {mutant: gone, because: y}, {mutant: 'policy/none/*', because: z}]";
    let record = Equivalences::read("x", record).unwrap();
    let baseline = Baseline::of(corpus.cells().collect()).unwrap();
    let report = mutants::run(&baseline, mutants::all(&baseline), options(&record, true), |_| {});
    let verdict = |name: &str| report.mutants.iter().find(|row| row.name == name).unwrap().verdict;
    assert_eq!(verdict("policy/kep-1027=none"), Verdict::StaleEquivalence);
    assert_eq!(verdict("policy/none/tolerance-flipped"), Verdict::Equivalent);
    assert_eq!(report.unknown_equivalences, ["gone"]);
}

#[test]
fn a_cell_that_fails_without_a_mutant_is_an_error() {
    let (_folder, corpus) = corpus(&SUITE.replace("result: {tags: [b, a]}", "result: {tags: [b]}"));
    let Err(error) = Baseline::of(corpus.cells().collect()) else { panic!("a cell fails") };
    assert!(error.to_string().starts_with("tiny/tags fails without a mutant"), "{error}");
}

#[test]
fn the_command_prints_a_table_writes_reports_and_exits_with_1_on_faults() {
    let folder = folder_with(&[("tiny.yaml", SUITE)]);
    let path = folder.path().to_str().unwrap();
    let json = folder.path().join("report.json");
    let json_argument = format!("json={}", json.display());
    let run = |arguments: &[&str]| lab(&[&["mutants", "--corpus", path], arguments].concat());

    let output = run(&["--only", "policy/kep-1027=none", "--report", &json_argument]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("       2          0  policy/kep-1027=none\n"), "{}", stdout(&output));
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!((&report["mutants"][0]["noticed"], &report["complete"]), (&2.into(), &false.into()));

    let output = run(&["--only", "*/absent", "--report", "markdown=-"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains("| `directive/$retainKeys/absent` | **NO CHANGE** | 0 | 0 |"),
        "{}",
        stdout(&output)
    );
    assert!(
        stderr(&output).contains("!      0          0  directive/$retainKeys/absent"),
        "{}",
        stderr(&output)
    );

    let output = run(&["--only", "nothing"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(4), 0), "{}", stderr(&output));
    let sample = |seed| stdout(&run(&["--list", "--sample", "5", "--seed", seed]));
    assert_eq!(sample("7").lines().filter(|line| !line.starts_with(' ')).count(), 5);
    assert_eq!(sample("7"), sample("7"));
    assert_ne!(sample("7"), sample("8"));
}

/// The names of the files of the registered directives follow from the names of the directives.
fn source_of(directive: &str) -> String {
    let mut file = String::new();
    for c in directive.trim_start_matches('$').chars() {
        if c.is_ascii_uppercase() {
            file.push('_');
        }
        file.push(c.to_ascii_lowercase());
    }
    let folder = format!("{}/../../engine/src/directive/{file}", env!("CARGO_MANIFEST_DIR"));
    let path = if std::path::Path::new(&folder).is_dir() {
        format!("{folder}/mod.rs")
    } else {
        format!("{folder}.rs")
    };
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// On the whole corpus, wrapped directives do what they did: otherwise there would be no baseline. A hook that never
/// does anything else than its default implementation is not implemented; otherwise a case is missing.
#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn a_hook_that_has_no_effect_in_the_corpus_is_not_implemented_or_has_a_recorded_reason() {
    let corpus = embedded_corpus();
    let baseline = Baseline::of(corpus.cells().collect()).unwrap_or_else(|error| panic!("{error}"));
    let mut mutants = mutants::all(&baseline);
    mutants.retain(|mutant| mutant.name().contains("/without-hook/"));
    let record = Equivalences::built_in().unwrap();
    let report = mutants::run(&baseline, mutants, options(&record, false), |_| {});
    let mut without_effect = 0;
    for row in report.mutants.iter().filter(|row| row.verdict == Verdict::Equivalent) {
        if record.because(&row.name).is_some() {
            continue;
        }
        let parts: Vec<&str> = row.name.split('/').collect();
        let [_, directive, _, hook] = parts[..] else { panic!("{}", row.name) };
        let implementation = format!("    fn {hook}");
        assert!(!source_of(directive).contains(&implementation), "{} has no effect: add a case", row.name);
        without_effect += 1;
    }
    assert!(without_effect > 10, "{without_effect}");
    let unexplained: Vec<&str> = report
        .mutants
        .iter()
        .filter(|row| row.verdict == Verdict::NoChange)
        .map(|row| row.name.as_str())
        .collect();
    assert!(unexplained.is_empty(), "{unexplained:?}");
}
