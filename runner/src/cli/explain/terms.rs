//! The terms that outputs and messages use without explaining them. `GLOSSARY.md` has all terms of the project.

/// The terms, each with its meaning.
pub(super) const TERMS: [(&str, &str); 15] = [
    (
        "silent",
        "a word for the outcomes ignored, leftover, lost, diverged, wrongly-accepted and leaked: the request was accepted without the intended effect, so that the user sees no error. Select such cells with `--outcome silent`",
    ),
    (
        "ideal",
        "the final state of the same intent when both parties are up to date: a stored object or a refusal",
    ),
    (
        "before",
        "the run of the old client on the old server. A case promises with `before` to be no worse than this run",
    ),
    ("intent", "the change that the user wants, whatever the types of the client have"),
    ("final state", "the stored object, or the error, with which a cell ends"),
    ("expectation", "the result or the outcome that a case requires of some of its cells (`expect`)"),
    ("suite", "one YAML file with cases"),
    (
        "case",
        "one entry of a suite: a patch case has a `patch` and a result; a skew case has an `intent` of a client, and an outcome",
    ),
    ("axis", "a dimension of a case, such as `client` with the values `old` and `new`"),
    ("cell", "one combination of the values of the axes of a case. It runs as one test"),
    ("level", "the degree to which an expectation is binding: required, recommended, proposed or erratum"),
    ("state", "the result of a whole run or suite: ok, incomplete, not run or FAILED"),
    (
        "problem",
        "a problem of a run that belongs to no cell, such as an error in a deviation file. It fails the run",
    ),
    ("target", "an implementation under test. The default is the engine of Skewer (builtin)"),
    ("adapter", "a program that wraps a target and speaks the protocol of runner/adapters/PROTOCOL.md"),
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_glossary_has_all_terms() {
        let glossary = Path::new(env!("CARGO_MANIFEST_DIR")).join("../GLOSSARY.md");
        let glossary = fs::read_to_string(glossary).unwrap();
        let rows = glossary.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
        let terms: Vec<&str> = rows.flat_map(|(terms, _)| terms.split(", ")).collect();
        for (term, _) in &TERMS {
            assert!(terms.contains(term), "{term}");
        }
    }
}
