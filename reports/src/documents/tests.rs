//! The formats of the report.

use super::{DocumentVerdicts, DocumentsReport, SentenceRow, SentenceVerdict, markdown, text};
use crate::style::Style;

fn row(text: &str, supporting: usize, contradicting: usize) -> SentenceRow {
    let is_decided = supporting + contradicting > 0;
    SentenceRow {
        id: "kep-1027/normalization/2",
        section: "Normalization",
        kind: "statement",
        text: text.to_owned(),
        verdict: SentenceVerdict::of_counts(supporting, contradicting),
        supporting,
        contradicting,
        depends_on: if supporting * contradicting > 0 { vec!["policy".to_owned()] } else { Vec::new() },
        cell: is_decided.then(|| "suite/case[policy=none]".to_owned()),
        because: (!is_decided).then_some("the reason"),
    }
}

fn report() -> DocumentsReport {
    DocumentsReport {
        documents: vec![DocumentVerdicts {
            name: "kep-1027",
            title: "Union types",
            address: Some("https://example.org/kep.md"),
            sentences: vec![
                row("It | holds.", 3, 0),
                row("In part.", 1, 2),
                row("Not.", 0, 1),
                row("Open.", 0, 0),
            ],
        }],
    }
}

#[test]
fn a_page_begins_with_what_does_not_hold_and_has_all_sentences() {
    insta::assert_snapshot!(markdown(&report()));
    let text = text(&report(), Style::default());
    assert!(text.contains("in part: 1 of 3 cells"), "{text}");
}
