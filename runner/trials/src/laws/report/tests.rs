use skewer_reports::laws::{RecordComparison, SituationCounts, ViolationKind};

use super::*;

/// Returns a report in which one law is broken, although another verdict is recorded.
fn sample() -> LawsReport {
    let example = RenderedExample {
        violation: Some(ViolationKind::Refusal),
        why: "this".to_owned(),
        old_patch: Some("{}".to_owned()),
        new_patch: Some("{}".to_owned()),
        required_directive: None,
        case: "suite: laws/new-forward\n".to_owned(),
    };
    let verdicts = Law::ALL.map(|law| {
        let is_broken = law == Law::Forward;
        let comparison = if is_broken { RecordComparison::Worse } else { RecordComparison::AsRecorded };
        VerdictSummary {
            law: law.name(),
            verdict: if is_broken { VerdictKind::Broken } else { VerdictKind::Kept },
            broken_profiles: if is_broken { vec!["today".to_owned()] } else { Vec::new() },
            profile_words: "with the directives of",
            is_broken_in_part: is_broken,
            record_comparison: comparison,
            search: None,
            because: None,
            examples: if is_broken { vec![example.clone()] } else { Vec::new() },
        }
    });
    let situation_counts = SituationCounts { from_corpus: 3, generated: 2, concurrent: 1, seed: 1 };
    let row = ChangeRow { directive: "$<new>", about: "", verdicts: verdicts.to_vec() };
    LawsReport {
        implementation: None,
        subject: ReportSubject::Directive,
        situation_counts,
        laws: Law::ALL.map(law_text).to_vec(),
        rows: vec![row],
    }
}

#[test]
fn cells_fail_if_the_verdict_is_worse_than_recorded() {
    let cells = cells(&sample(), &VerdictRecord::default());
    let lines: Vec<String> = cells
        .iter()
        .map(|cell| {
            let of = Option::unwrap_or_default;
            format!("{} {}: {}, {}", cell.id, cell.status, of(cell.expected_text()), of(cell.actual_text()))
        })
        .collect();
    assert_eq!(lines.len(), Law::ALL.len());
    assert_eq!(lines[0], "laws/of-patch-evolution[directive=$<new>,law=backward] pass: kept, kept");
    assert_eq!(
        lines[1],
        "laws/of-patch-evolution[directive=$<new>,law=forward] fail: kept, broken with the directives of today"
    );
    let [tried] = cells[0].steps.as_slice() else { panic!("{:?}", cells[0].steps) };
    assert_eq!(tried.name, "tried without a counter-example");
    assert_eq!(tried.note.as_deref(), Some("3 situations of the corpus, 2 generated from seed 1"));
    let steps: Vec<&str> = cells[1].steps.iter().map(|step| step.name.as_str()).collect();
    let [what, patches @ .., case] = steps.as_slice() else { panic!("{steps:?}") };
    assert!(what.ends_with("with a refusal"), "{what}");
    assert_eq!(patches, ["an old client's patch", "a new client's patch"]);
    assert_eq!(*case, "the same as a case for the corpus");
}
