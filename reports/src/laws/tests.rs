use super::*;
use crate::style::Style;
use crate::test_support::HOSTILE_TEXT;

const LAWS: [LawText; 2] = [
    LawText { name: "backward", statement: "an old client's patch is valid on a new server" },
    LawText { name: "forward", statement: "a new client's patch is valid on an old server" },
];

fn search() -> BenefitSearchText {
    let group = SearchedGroup { name: "one client", tried: 9, affected: 4, missed: 2 };
    BenefitSearchText { groups: vec![group], needed: "a case with <u>".to_owned() }
}

/// Returns a report with text that has to be escaped in every part.
fn report() -> LawsReport {
    let example = |violation| RenderedExample {
        violation,
        why: "this".to_owned(),
        old_patch: Some("{}".to_owned()),
        new_patch: Some(r#"{"<b>":"`|`"}"#.to_owned()),
        required_directive: Some("$new"),
        case: "suite: laws/new-forward\n# <script>alert(1)</script> ```\n".to_owned(),
    };
    let verdicts = LAWS.map(|law| {
        let broken = law.name == "forward";
        VerdictSummary {
            law: law.name,
            verdict: if broken { VerdictKind::Broken } else { VerdictKind::Kept },
            broken_profiles: if broken { vec!["today".to_owned()] } else { Vec::new() },
            profile_words: "with the directives of",
            is_broken_in_part: broken,
            record_comparison: if broken { RecordComparison::Worse } else { RecordComparison::AsRecorded },
            search: (!broken).then(search),
            because: broken.then(|| "\"<i>\" & so_on".to_owned()),
            examples: if broken { vec![example(Some(ViolationKind::Refusal))] } else { Vec::new() },
        }
    });
    let situation_counts = SituationCounts { from_corpus: 3, generated: 2, concurrent: 1, seed: 1 };
    let row = ChangeRow { directive: "$<new>", about: "what is <u>", verdicts: verdicts.to_vec() };
    let subject = ReportSubject::Directive;
    LawsReport { subject, implementation: None, situation_counts, laws: LAWS.to_vec(), rows: vec![row] }
}

#[test]
fn the_table_comes_first_and_then_the_suite_files() {
    insta::assert_snapshot!(text(&report(), Style::default()));
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
    assert!(page.contains("<td><a href=\"#0-forward\">") && page.contains(" id=\"0-forward\""), "{page}");
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
    assert_eq!(json.get("laws"), None);
}

#[test]
fn summary_lines_contain_change_law_and_profiles() {
    assert_eq!(
        report().summary_lines(RecordComparison::Worse),
        ["$<new>, forward: broken with the directives of today"]
    );
    assert!(report().summary_lines(RecordComparison::Better).is_empty());
}

#[test]
fn hostile_text_adds_no_markup() {
    let hostile = |text: &str| {
        let mut report = report();
        let summary = &mut report.rows[0].verdicts[1];
        summary.because = Some(text.to_owned());
        summary.examples[0].new_patch = Some(text.to_owned());
        summary.examples[0].case = text.to_owned();
        report
    };
    let (harmless, hostile) = (html(&hostile("x")), html(&hostile(HOSTILE_TEXT)));
    for sign in ["<", ">", "\"", "\u{1b}", "\u{202e}"] {
        assert_eq!(hostile.matches(sign).count(), harmless.matches(sign).count(), "{sign:?}");
    }
}
