//! One place where the sources break a rule.

use std::fmt;

/// A violation, printed as `path:line: rule: what, expected`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RuleViolation {
    /// The name of the rule.
    pub(crate) rule: &'static str,
    /// The path of the file from the root of the workspace.
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) what: String,
    pub(crate) expected: String,
}

impl fmt::Display for RuleViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, path, line, what, expected } = self;
        write!(f, "{path}:{line}: {rule}: {what}, {expected}")
    }
}

/// Returns one line for each violation, then the count.
pub(crate) fn describe(violations: &[RuleViolation]) -> String {
    let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
    format!("{}\n{} violations\n", lines.join("\n"), violations.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_is_one_line() {
        let violation = RuleViolation {
            rule: "files",
            path: "engine/src/lib.rs".to_owned(),
            line: 1,
            what: "the file has 501 lines".to_owned(),
            expected: "expected two".to_owned(),
        };
        let line = "engine/src/lib.rs:1: files: the file has 501 lines, expected two";
        assert_eq!(describe(&[violation]), format!("{line}\n1 violations\n"));
    }
}
