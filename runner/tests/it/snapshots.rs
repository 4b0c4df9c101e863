//! Snapshots of the outcomes of each suite. They show a change in behaviour as a readable diff.
//!
//! Accept an intended change with `cargo insta review`. The expectations in the corpus must agree with it.

use skewer::targets::BuiltInTarget;

use crate::helpers::embedded_corpus;
use crate::helpers::outcomes::outcome_text;

#[test]
fn the_outcomes_of_every_suite_match_their_snapshot() {
    let corpus = embedded_corpus();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for suite in &corpus.suites {
            let text: Vec<String> =
                suite.cases.iter().map(|case| outcome_text(case, &BuiltInTarget)).collect();
            insta::assert_snapshot!(suite.name.replace('/', "__"), text.join("\n"));
        }
    });
}
