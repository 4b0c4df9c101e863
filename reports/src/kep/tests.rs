use super::*;
use crate::style::Style;
use crate::test_support::{self, HOSTILE_TEXT};
use crate::{PageOptions, RunReport};

#[test]
fn the_page_is_escaped_and_shows_outcomes_as_badges() {
    let page = html(&test_support::kep_report());
    let body = page.split_once("<body>").unwrap().1;
    assert!(!body.contains("<b>target"), "{body}");
    insta::assert_snapshot!(body);
}

#[test]
fn a_table_that_is_too_wide_becomes_a_list() {
    let narrow = Style { color: false, width: Some(40) };
    let text = text(&test_support::kep_report(), narrow);
    assert!(text.contains("policy: kep-1027\n  cells: 2\n  intended: 1\n"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn markdown_is_escaped() {
    let text = markdown(&test_support::kep_report());
    assert!(text.contains("on `<b>target</b>`."), "{text}");
    assert!(text.contains("| **leftover** | intended |"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn csv_has_a_line_for_each_row_of_the_sheet_and_quotes_texts() {
    let mut report = test_support::kep_report();
    report.policies[0] = "a,\"b\"".to_owned();
    let text = csv(&report);
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 1 + report.sheet.len());
    assert!(lines[0].starts_with("row,types,basis,union,client,"), "{text}");
    assert!(
        lines[1].starts_with("27,custom resource,cited,\"no discriminator, optional\",\"unaware\","),
        "{text}"
    );
    assert!(lines[0].ends_with(",points,\"a,\"\"b\"\"\",\"kep-1027\""), "{text}");
    assert!(lines[1].ends_with(",1,\"1 leftover\",\"1 intended\""), "{text}");
}

#[test]
fn cells_that_failed_or_were_not_run_are_named() {
    let text = text(&test_support::kep_report(), Style::default());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("1 cell does not do what the corpus expects."), "{text}");
    assert!(text.contains("1 cell was not run, and is counted nowhere."), "{text}");
}

#[test]
fn hostile_text_adds_no_markup() {
    let with = |text: &str| {
        let mut report = test_support::kep_report();
        report.target = text.to_owned();
        report.policies[0] = text.to_owned();
        report.rows[0].case = text.to_owned();
        report.conclusions[0].note = Some(text.to_owned());
        report
    };
    let (harmless, hostile) = (with("x"), with(HOSTILE_TEXT));
    let results = test_support::sample_results();
    let run_page = |kep: KepReport| {
        let mut page = Vec::new();
        crate::html::write(
            &RunReport { results: &results, kep: Some(kep), page: PageOptions::default() },
            &mut page,
        )
        .unwrap();
        String::from_utf8(page).unwrap()
    };
    for (harmless, hostile) in [(html(&harmless), html(&hostile)), (run_page(harmless), run_page(hostile))] {
        for sign in ["<", ">", "\"", "\u{1b}", "\u{202e}"] {
            assert_eq!(hostile.matches(sign).count(), harmless.matches(sign).count(), "{sign:?}");
        }
    }
}
