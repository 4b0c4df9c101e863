//! The exceptions of the rules, each with its reason: `xtask/exceptions.toml`.

use std::collections::BTreeMap;

use crate::table;
use crate::violation::RuleViolation;
use crate::workspace::Workspace;

pub(super) const PATH: &str = "xtask/exceptions.toml";

/// The exceptions in one section, with their reasons.
pub(super) struct Exceptions {
    rule: &'static str,
    reasons: BTreeMap<String, String>,
    problem: Option<String>,
}

impl Exceptions {
    /// Reads a section.
    pub(super) fn of(workspace: &Workspace, rule: &'static str, section: &str) -> Self {
        let (reasons, problem) = match table::read(PATH, workspace.document(PATH), table::quoted) {
            Ok(mut table) => (table.remove(section).unwrap_or_default(), None),
            Err(problem) => (BTreeMap::new(), Some(problem)),
        };
        Self { rule, reasons, problem }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.reasons.contains_key(key)
    }

    /// Returns a violation for each exception without a reason, and for each that is not needed.
    pub(super) fn violations(&self, is_needed: impl Fn(&str) -> bool) -> Vec<RuleViolation> {
        let violation = |what: String, expected: &str| RuleViolation {
            rule: self.rule,
            path: PATH.to_owned(),
            line: 1,
            what,
            expected: expected.to_owned(),
        };
        let problem = self.problem.iter().map(|problem| violation(problem.clone(), "expected a table"));
        let entries = self.reasons.iter().filter_map(|(key, reason)| {
            if reason.trim().is_empty() {
                return Some(violation(format!("`{key}` has no reason"), "expected why it is an exception"));
            }
            let what = format!("`{key}` is listed, and follows the rule");
            (!is_needed(key)).then(|| violation(what, "expected only exceptions"))
        });
        problem.chain(entries).collect()
    }
}
