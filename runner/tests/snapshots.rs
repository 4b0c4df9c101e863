//! Each suite's outcomes as a snapshot: a change in behaviour shows as a readable diff.
//!
//! `cargo insta review` accepts a change that is meant; the expectations in the corpus have to agree with it.

use std::fmt::Write;

use skewer::execute::{Options, Steps, run_cell};
use skewer::target::BuiltInTarget;
use skewer_cases::{Case, Corpus};

#[test]
fn the_outcomes_of_every_suite() {
    let corpus = Corpus::embedded().unwrap_or_else(|error| panic!("{error}"));
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for suite in &corpus.suites {
            let text: Vec<String> = suite.cases.iter().map(outcomes).collect();
            insta::assert_snapshot!(suite.name.replace('/', "__"), text.join("\n"));
        }
    });
}

/// One line a cell: its point, its outcome, where it differs from the ideal; for a patch case what came out.
fn outcomes(case: &Case) -> String {
    let options = Options { steps: Steps::Always, ..Options::default() };
    let mut text = format!("{}\n", case.id);
    for cell in case.cells() {
        let result = run_cell(&cell, &BuiltInTarget, &options);
        let point: Vec<_> = result.axes.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
        let outcome = result.outcome.map_or(result.status.as_str(), |outcome| outcome.as_str());
        let differs =
            if result.paths.is_empty() { String::new() } else { format!(" ({})", result.paths.join(", ")) };
        let _ = writeln!(text, "  [{}] {outcome}{differs}", point.join(","));
        let end = result.steps.iter().rev().find(|step| step.name == "result");
        let document = end.and_then(|step| step.document.as_deref()).or(result.actual.as_deref());
        for line in document.unwrap_or_default().lines() {
            let _ = writeln!(text, "      {line}");
        }
    }
    text
}
