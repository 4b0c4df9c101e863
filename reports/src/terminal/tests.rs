use rstest::rstest;
use skewer_results::model::Results;
use skewer_results::vocabulary::Level;
use tabled::grid::util::string::get_text_width;

use super::*;
use crate::group::GroupKey;
use crate::pivot::Pivot;
use crate::summary::Summary;
use crate::test_support;

const PLAIN: Style = Style { color: false, width: Some(usize::MAX) };

#[test]
fn the_whole_report_in_plain_text() {
    insta::assert_snapshot!(report(&test_support::sample_results(), PLAIN));
}

#[test]
fn colour_adds_escapes_and_nothing_else() {
    let colored = report(&test_support::sample_results(), Style { color: true, width: Some(usize::MAX) });
    insta::assert_snapshot!(colored.replace('\u{1b}', "ESC"));
    assert_eq!(without_escapes(&colored), report(&test_support::sample_results(), PLAIN));
}

#[rstest]
#[case(120)]
#[case(80)]
#[case(40)]
fn a_narrow_summary_keeps_what_matters_and_every_total(#[case] width: usize) {
    let text =
        summary(&Summary::of(&test_support::sample_results()), Style { color: false, width: Some(width) });
    for line in text.lines().filter(|line| !line.starts_with("no cell was run")) {
        assert!(get_text_width(line) <= width, "{line}");
    }
    for count in ["pass 4", "unsupported 1", "skipped 1", "timeout 1", "lost 1", "silent 1"] {
        let total = text.rsplit_once("\ntotal\n").map_or("", |(_, total)| total).replace("\n  ", " ");
        assert!(total.contains(count), "{count} in {total}");
    }
    insta::assert_snapshot!(format!("summary_in_{width}_columns"), text);
}

#[rstest]
#[case("wide", None)]
#[case("narrow", Some(40))]
fn a_pivot_of_client_and_server(#[case] name: &str, #[case] width: Option<usize>) {
    let results = test_support::sample_results();
    let cells = results.cells.iter().filter(|cell| &*cell.suite == "retain-keys/version-skew");
    let table = Pivot::new(GroupKey::Axis("client".into()), GroupKey::Axis("server".into()), cells);
    let text = pivot(&table, Style { color: false, width });
    insta::assert_snapshot!(format!("pivot_{name}"), text);
}

#[test]
fn a_pivot_joins_cells_with_counts() {
    let results = test_support::sample_results();
    let table = Pivot::new(GroupKey::Suite, GroupKey::Axis("server".into()), &results.cells);
    insta::assert_snapshot!(pivot(&table, PLAIN));
}

#[test]
fn a_summary_by_level_names_levels() {
    let text = summary(&Summary::by(GroupKey::Level, &test_support::sample_results()), PLAIN);
    for level in Level::ALL {
        assert!(text.lines().any(|line| line.starts_with(level.as_str())), "{text}");
    }
}

#[test]
fn two_runs_compared() {
    let (old, new) = test_support::sample_runs();
    insta::assert_snapshot!(comparison(&test_support::compared(&old, &new), PLAIN));
}

#[test]
fn a_comparison_in_colour_has_the_same_text() {
    let (old, new) = test_support::sample_runs();
    let compared = test_support::compared(&old, &new);
    let colored = comparison(&compared, Style { color: true, width: Some(usize::MAX) });
    assert_ne!(colored, comparison(&compared, PLAIN));
    assert_eq!(without_escapes(&colored), comparison(&compared, PLAIN));
}

#[test]
fn a_partial_run_shows_its_number_of_cells() {
    let mut results = Results { partial: true, ..test_support::sample_results() };
    results.run.selected = Some(400);
    let text = report(&results, PLAIN);
    assert!(text.contains("PARTIAL: the run ended early, after 12 of 400 cells\n"), "{text}");
}

/// Returns a text without its colour sequences.
fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or("", |(_, rest)| rest))
}
