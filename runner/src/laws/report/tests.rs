use super::*;
use crate::laws::law::{Law, ViolationKind};
use crate::laws::record::{RecordComparison, VerdictRecord};
use crate::laws::verdict::VerdictKind;

/// Returns a report with text that has to be escaped in every part.
fn report() -> Report {
    let example = |violation| RenderedExample {
        violation,
        why: "this".to_owned(),
        old_patch: Some("{}".to_owned()),
        new_patch: Some(r#"{"<b>":"`|`"}"#.to_owned()),
        required_directive: Some("$new"),
        case: "suite: laws/new-forward\n# <script>alert(1)</script> ```\n".to_owned(),
    };
    let verdicts = Law::ALL.map(|law| {
        let broken = law == Law::Forward;
        VerdictSummary {
            law,
            verdict: if broken { VerdictKind::Broken } else { VerdictKind::Kept },
            broken_profiles: if broken { vec!["today".to_owned()] } else { Vec::new() },
            is_broken_in_part: broken,
            record_comparison: if broken { RecordComparison::Worse } else { RecordComparison::AsRecorded },
            because: broken.then(|| "\"<i>\" & so_on".to_owned()),
            examples: if broken { vec![example(Some(ViolationKind::Refusal))] } else { Vec::new() },
        }
    });
    let situation_counts = SituationCounts { from_corpus: 3, generated: 2, seed: 1 };
    let row = ChangeRow { directive: "$<new>", about: "what is <u>", verdicts: verdicts.to_vec() };
    Report { situation_counts, rows: vec![row] }
}

#[test]
fn the_table_comes_first_and_then_what_can_be_pasted() {
    insta::assert_snapshot!(text(&report()));
}

#[test]
fn markdown_is_escaped() {
    insta::assert_snapshot!(markdown(&report()));
}

#[test]
fn the_page_is_escaped() {
    let page = html(&report());
    let body = page.split_once("<body>").unwrap().1;
    for tag in ["<script", "<b>", "<i>", "<u>", "<new>"] {
        assert!(!body.contains(tag), "{tag}");
    }
    insta::assert_snapshot!(body);
}

#[test]
fn json_uses_the_words_of_the_record() {
    let json = serde_json::to_value(report()).unwrap();
    let summary = &json["rows"][0]["verdicts"][1];
    assert_eq!(summary["law"], "forward");
    assert_eq!(summary["verdict"], "broken");
    assert_eq!(summary["standing"], "worse");
    assert_eq!(summary["examples"][0]["noise"], "loud");
    assert_eq!(json["rows"][0]["verdicts"][3]["law"], "no-new-requirement");
}

#[test]
fn summary_lines_contain_change_law_and_profiles() {
    assert_eq!(
        report().summary_lines(RecordComparison::Worse),
        ["$<new>, forward: broken beside the directives of today"]
    );
    assert!(report().summary_lines(RecordComparison::Better).is_empty());
}

#[test]
fn cells_fail_if_the_verdict_is_worse_than_on_record() {
    let cells = cells(&report(), &VerdictRecord::default());
    let lines: Vec<String> = cells
        .iter()
        .map(|cell| {
            let of = |text: &Option<String>| text.clone().unwrap_or_default();
            format!("{} {}: {}, {}", cell.id, cell.status, of(&cell.expected), of(&cell.actual))
        })
        .collect();
    assert_eq!(lines.len(), Law::ALL.len());
    assert_eq!(lines[0], "laws/of-patch-evolution[directive=$<new>,law=backward] pass: kept, kept");
    assert_eq!(
        lines[1],
        "laws/of-patch-evolution[directive=$<new>,law=forward] fail: kept, broken beside the directives of today"
    );
    let steps: Vec<&str> = cells[1].steps.iter().map(|step| step.name.as_str()).collect();
    let [what, patches @ .., case] = steps.as_slice() else { panic!("{steps:?}") };
    assert!(what.ends_with("with a refusal"), "{what}");
    assert_eq!(patches, ["an old client's patch", "a new client's patch"]);
    assert_eq!(*case, "the same as a case for the corpus");
}
