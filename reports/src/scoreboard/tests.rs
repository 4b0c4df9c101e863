use std::path::PathBuf;

use super::*;
use crate::test_support::HOSTILE_TEXT;

/// Makes a scoreboard of two implementations, of which the second one has the given texts.
fn board(text: &str) -> Scoreboard {
    let right = ScoreboardCounts { passed: 2, ..ScoreboardCounts::default() };
    let wrong = ScoreboardCounts {
        passed: 1,
        wrong: 1,
        leaked: 1,
        deviations: 1,
        unsupported: 3,
        ..ScoreboardCounts::default()
    };
    let implementation = |label: &str, counts: ScoreboardCounts, supported: usize| Implementation {
        label: label.to_owned(),
        name: label.to_owned(),
        version: Some("1.2".to_owned()),
        language: None,
        command: format!("skewer run --target '{label}'"),
        counts,
        all_cells: counts,
        supported,
    };
    let documents = vec![Document { name: "request".to_owned(), text: format!("a: '{text}'\n") }];
    let wrong_cell = WrongCell {
        id: "suite/case".to_owned(),
        about: Some(text.to_owned()),
        expected: "this result".to_owned(),
        actual: text.to_owned(),
        documents: documents.clone(),
        expected_document: Some("a: 1\n".to_owned()),
        actual_document: Some(format!("a: '{text}'\n")),
        reason: Some(text.to_owned()),
    };
    let mark = |support, counts, wrong_cells| Mark { support, counts, wrong_cells };
    let unsupported = ScoreboardCounts { unsupported: 3, ..ScoreboardCounts::default() };
    let capability = |title: &str, marks| Capability {
        id: "id".to_owned(),
        title: title.to_owned(),
        suites: vec!["suite".to_owned()],
        marks,
    };
    let group = |is_expected, implementations| SharedResult {
        result: text.to_owned(),
        document: Some(text.to_owned()),
        is_expected,
        implementations,
    };
    Scoreboard {
        version: VERSION,
        tool_version: "0.1.0".to_owned(),
        corpus_hash: "0".to_owned(),
        implementations: vec![implementation("first 1.2", right, 1), implementation(text, wrong, 0)],
        capabilities: vec![
            capability(
                "`$retainKeys`",
                vec![
                    mark(Support::Supported, right, Vec::new()),
                    mark(Support::Wrong, wrong, vec![wrong_cell]),
                ],
            ),
            capability(
                text,
                vec![
                    mark(Support::NotRun, ScoreboardCounts::default(), Vec::new()),
                    mark(Support::Unsupported, unsupported, Vec::new()),
                ],
            ),
        ],
        questions: vec![Question {
            id: "key".to_owned(),
            title: "By which key?".to_owned(),
            about: text.to_owned(),
            merge_keys: vec![MergeKey {
                requests: "strategic merge patch".to_owned(),
                key: text.to_owned(),
                implementations: vec![0, 1],
            }],
            cells: vec![CellResults {
                id: text.to_owned(),
                about: Some(text.to_owned()),
                documents,
                results: vec![group(true, vec![0]), group(false, vec![1])],
            }],
        }],
    }
}

#[test]
fn the_checked_in_schema_is_current() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scoreboard.schema.json");
    let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(checked_in, text, "run the tests with SKEWER_UPDATE=1 to write it anew");
}

#[test]
fn json_fits_the_schema_and_is_read_back() {
    let board = board("second 1.2");
    let json = serde_json::to_value(&board).unwrap();
    let validator = jsonschema::validator_for(&serde_json::to_value(schema()).unwrap()).unwrap();
    assert!(validator.is_valid(&json));
    assert_eq!(serde_json::from_value::<Scoreboard>(json).unwrap(), board);
}

#[test]
fn the_whole_board_on_a_terminal() {
    let text = text(&board("second 1.2"));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_whole_board_in_markdown() {
    insta::assert_snapshot!(markdown(&board("second 1.2"), "skewer scoreboard"));
}

#[test]
fn a_wrong_mark_links_to_the_documents_of_its_cell() {
    let page = html(&board("second 1.2"), "skewer scoreboard");
    assert!(
        page.contains("<a href=\"#wrong-1-0\"><span class=\"mark bad\" title=\"wrong\">1/5</span></a>"),
        "{page}"
    );
    assert!(page.contains("<h4 class=\"level-3\" id=\"wrong-1-0\">"), "{page}");
}

#[test]
fn hostile_text_adds_no_markup() {
    let (harmless, hostile) = (html(&board("x"), "x"), html(&board(HOSTILE_TEXT), HOSTILE_TEXT));
    for sign in ["<b", "<script", "</script", "<!--", "\u{1b}", "\u{202e}"] {
        assert_eq!(hostile.matches(sign).count(), harmless.matches(sign).count(), "{sign:?}");
    }
    let text = text(&board(HOSTILE_TEXT)) + &markdown(&board(HOSTILE_TEXT), HOSTILE_TEXT);
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{text}");
}

#[test]
fn each_implementation_has_a_badge_with_a_safe_file_name() {
    let badges = badges(&board("../Second 1.2"));
    let summary: Vec<(&str, &str, &str)> =
        badges.iter().map(|(file, badge)| (file.as_str(), badge.message.as_str(), badge.color)).collect();
    assert_eq!(
        summary,
        [
            ("first-1.2.json", "1 of 2 capabilities", "brightgreen"),
            ("second-1.2.json", "0 of 2 capabilities, 1 cell wrong", "orange"),
        ]
    );
}
