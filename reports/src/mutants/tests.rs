//! The formats of the report.

use super::{Ideals, MutantRow, MutantsReport, NoticedRow, Verdict, markdown, summary_table, text};

fn row(
    name: &str,
    family: &'static str,
    verdict: Verdict,
    (noticed, unnoticed): (usize, usize),
) -> MutantRow {
    let ids = |count: usize| (0..count).map(|i| format!("suite/case[at={i}]")).collect();
    MutantRow {
        name: name.to_owned(),
        about: format!("about {name}"),
        family,
        verdict,
        tried: noticed + unnoticed + 7,
        noticed,
        unnoticed,
        noticed_cells: ids(noticed),
        unnoticed_cells: ids(unnoticed),
        unchanged_cells: if noticed + unnoticed == 0 { ids(1) } else { Vec::new() },
        because: (verdict == Verdict::Equivalent).then(|| "it is never asked".to_owned()),
    }
}

fn report() -> MutantsReport {
    MutantsReport {
        cells: 10,
        declarations: 2,
        complete: true,
        ideals: Ideals::Unchanged,
        mutants: vec![
            row("directive/$patch/absent", "directive absent", Verdict::Noticed, (3, 0)),
            row("policy/a=b", "policy replaced by another", Verdict::Unnoticed, (1, 5)),
            row("policy/b=a", "policy replaced by another", Verdict::NoChange, (0, 0)),
            row("policy/b=c", "policy replaced by another", Verdict::Equivalent, (0, 0)),
        ],
        kep_rows: vec![NoticedRow { row: 3, noticed: 0 }, NoticedRow { row: 4, noticed: 2 }],
        unknown_equivalences: vec!["policy/x".to_owned()],
    }
}

#[test]
fn the_text_marks_faults_and_names_some_of_their_cells() {
    let text = text(&report());
    for line in [
        "       3          0  directive/$patch/absent",
        "!      1          5  policy/a=b",
        "!      0          0  policy/b=a",
        "       0          0  policy/b=c",
        "    suite/case[at=2]",
        "    and 2 more",
        "    and 6 more",
        "rows of KEP-1027 whose cells noticed no mutant: 3",
        "policy replaced by another        3       1      1     1         1         5",
        "all                               4       1      1     1         4         5",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(text.contains("policy/x\n  no mutant has this name"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn the_markdown_has_counts_mutants_and_reasons() {
    let text = markdown(&report());
    assert!(text.starts_with(&summary_table(&report())));
    for line in [
        "| policy replaced by another | 3 | 0 | 1 | 1 | 1 | 1 | 5 |",
        "| `policy/a=b` | **UNNOTICED** | 1 | 5 |",
        "- `policy/b=c`: it is never asked",
        "- `policy/b=a`: about policy/b=a",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn every_fault_counts() {
    let without = |faulty: &dyn Fn(&mut MutantsReport)| {
        let mut report = MutantsReport {
            mutants: report().mutants[..1].to_vec(),
            complete: true,
            ..MutantsReport::default()
        };
        faulty(&mut report);
        report.has_faults()
    };
    assert!(!without(&|_| {}));
    assert!(without(&|report| report.mutants[0].verdict = Verdict::StaleEquivalence));
    assert!(without(&|report| report.unknown_equivalences.push("x".to_owned())));
    assert!(without(&|report| report.kep_rows.push(NoticedRow { row: 1, noticed: 0 })));
    // With only some of the mutants, a row can be blind by chance.
    assert!(!without(&|report| {
        report.complete = false;
        report.kep_rows.push(NoticedRow { row: 1, noticed: 0 });
    }));
}
