use rstest::rstest;

use super::*;
use crate::format::ComparisonFormat;
use crate::test_support;

fn text(format: ComparisonFormat, comparison: &Comparison<'_>) -> String {
    let mut bytes = Vec::new();
    format.write(comparison, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_checked_in_schema_is_current() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("comparison.schema.json");
    let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(checked_in, text, "run the tests with SKEWER_UPDATE=1 to write it anew");
}

#[test]
fn every_format_has_a_name_and_json_fits_its_schema() {
    let (old, new) = test_support::sample_runs();
    let comparison = test_support::compared(&old, &new);
    for format in ComparisonFormat::ALL {
        assert_eq!(format.as_str().parse(), Ok(*format));
        assert!(text(*format, &comparison).ends_with('\n'), "{format}");
    }
    let written: serde_json::Value =
        serde_json::from_str(&text(ComparisonFormat::Json, &comparison)).unwrap();
    let validator = jsonschema::validator_for(&serde_json::to_value(schema()).unwrap()).unwrap();
    let errors: Vec<String> = validator.iter_errors(&written).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!((&written["is_worse"], &written["state"]), (&true.into(), &"worse".into()));
    assert_eq!(written["worse"].as_array().unwrap().len(), comparison.worse.len());
    assert_eq!(written["renamed"][0]["old_id"], "errata/printed-examples/second-container");
    let error = "xml".parse::<ComparisonFormat>().unwrap_err().to_string();
    assert_eq!(error, "`xml` is not a format of a comparison (expected text, markdown, html or json)");
}

/// A new run with cells that cannot be compared is worse. Every report format shows the regression, whichever kind of
/// regression it is.
#[rstest]
#[case::partial(
    Regression::Partial { cells: 1, selected: None, gone: 2 },
    "the new run ended early",
    "the new run ended early, after 1 cells, so that 2 of the old run cannot be compared: let the new run finish"
)]
#[case::narrower(
    Regression::Selection { old: "everything".into(), new: "'a/'".into(), gone: 2 },
    "the new run selected fewer cells",
    "the old run selected everything and the new one 'a/', which leaves 2 cells of the old run out: select the same \
     for both"
)]
#[case::gone(
    Regression::Gone { cells: 2, suites: vec!["b".into()] },
    "cells are gone",
    "2 cells of the old run are gone, with all of b; if they were taken out on purpose, accept that with --allow-gone"
)]
#[case::one_gone(
    Regression::Gone { cells: 1, suites: Vec::new() },
    "cells are gone",
    "1 cell of the old run is gone; if it was taken out on purpose, accept that with --allow-gone"
)]
#[case::problem(
    Regression::Problem { message: "go.yaml:3:1: the entry excuses no cell".into() },
    "the new run has a problem",
    "the new run has a problem: go.yaml:3:1: the entry excuses no cell"
)]
fn every_format_shows_a_regression(
    #[case] regression: Regression,
    #[case] headline: &str,
    #[case] sentence: &str,
) {
    assert_eq!(regression.to_string(), sentence);
    let results = test_support::sample_results();
    let mut comparison = test_support::compared(&results, &results);
    comparison.regressions.push(regression);
    assert!(comparison.is_worse());
    assert_eq!(comparison.headline(), headline);
    for format in ComparisonFormat::ALL {
        let text = text(*format, &comparison);
        // Formats escape some characters.
        let words = sentence.split([':', '\'', '-', ';']).next().unwrap();
        assert!(text.contains(words), "{format}: {text:.2000}");
        assert!(!text.contains("nothing got worse"), "{format}");
    }
}

#[test]
fn a_comparison_of_targets_names_both() {
    let (old, mut new) = (test_support::sample_results(), test_support::sample_results());
    new.run.target.name = "go".into();
    let mut comparison = test_support::compared(&old, &new);
    assert_eq!(comparison.headline(), "nothing does worse on go than on builtin");
    comparison.regressions.push(Regression::Cells { cells: 1 });
    assert_eq!(comparison.headline(), "cells do worse on go than on builtin");
}
