//! The rules of ARCHITECTURE.md, one file each.

use crate::violation::RuleViolation;
use crate::workspace::Workspace;

pub(crate) mod arrows;
mod comments;
mod exceptions;
mod files;
pub(crate) mod parameters;
mod prose;
mod registries;
mod renderers;
pub(crate) mod words;

pub(crate) use arrows::describe_arrows;

/// A rule: a function that returns its violations.
pub(crate) type Rule = fn(&Workspace) -> Vec<RuleViolation>;

/// All rules, in the order of ARCHITECTURE.md.
pub(crate) const RULES: &[Rule] = &[
    arrows::check,
    prose::check,
    renderers::check,
    words::check,
    parameters::check,
    files::check,
    registries::check,
    comments::check,
];

/// Returns the violations of all rules, in the order of the files.
pub(crate) fn check(workspace: &Workspace) -> Vec<RuleViolation> {
    let mut violations: Vec<RuleViolation> = RULES.iter().flat_map(|rule| rule(workspace)).collect();
    violations.sort();
    violations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::crate_of;

    #[test]
    fn the_violations_of_all_rules_are_found() {
        let text = "/// The item.\nfn item(pair: (u8, u8)) {}";
        let rules: Vec<&str> = check(&crate_of(text)).iter().map(|violation| violation.rule).collect();
        assert_eq!(rules, ["comments", "files", "parameters"]);
    }
}
