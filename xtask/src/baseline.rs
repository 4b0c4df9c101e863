//! The baseline: how many violations of a rule a file may have. It only shrinks.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::rules::RULES;
use crate::table::{self, Table};
use crate::violation::RuleViolation;

const PATH: &str = "xtask/baseline.toml";

const HEAD: &str = "\
# Violations that are older than their rule: for each rule, the number in each file. The file is to become empty.
#
# `cargo xtask rules` fails if a file has more violations than this, and also if it has fewer: then the number is lowered,
# with `cargo xtask rules --update-baseline`. No number is ever raised. A file that was moved takes its numbers along.
";

/// Compares violations with the baseline of the workspace. Returns the report, and whether both agree.
///
/// # Errors
///
/// The baseline cannot be read.
pub(crate) fn check(root: &Path, violations: &[RuleViolation]) -> Result<(String, bool), String> {
    let baseline = read(root)?.unwrap_or_default();
    let report = compare(&baseline, violations);
    let counted = baseline.values().flat_map(BTreeMap::values).sum::<usize>();
    let is_ok = report.is_empty();
    let end =
        if is_ok { format!("ok: {} rules, {counted} violations in {PATH}\n", RULES.len()) } else { report };
    Ok((end, is_ok))
}

/// Lowers the numbers of the baseline to those of the violations, or writes a first baseline. Returns the report, and
/// whether the file was written.
///
/// # Errors
///
/// The baseline cannot be read or written.
pub(crate) fn update(root: &Path, violations: &[RuleViolation]) -> Result<(String, bool), String> {
    let new = count(violations);
    if let Some(old) = read(root)? {
        let raised = raised(&old, &new, |path| root.join(path).exists());
        if !raised.is_empty() {
            return Ok((format!("{raised}{PATH} is not changed: a number would rise\n"), false));
        }
    }
    fs::write(root.join(PATH), write(&new)).map_err(|error| format!("{PATH}: {error}"))?;
    Ok((format!("{PATH}: {} violations\n", violations.len()), true))
}

fn read(root: &Path) -> Result<Option<Table<usize>>, String> {
    match fs::read_to_string(root.join(PATH)) {
        Ok(text) => table::read(PATH, &text, |value| value.parse().ok()).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{PATH}: {error}")),
    }
}

fn count(violations: &[RuleViolation]) -> Table<usize> {
    let mut counts: Table<usize> = BTreeMap::new();
    for RuleViolation { rule, path, .. } in violations {
        *counts.entry((*rule).to_owned()).or_default().entry(path.clone()).or_default() += 1;
    }
    counts
}

fn write(counts: &Table<usize>) -> String {
    let mut text = HEAD.to_owned();
    for (rule, files) in counts {
        let _ = write!(text, "\n[{rule}]\n");
        for (path, count) in files {
            let _ = writeln!(text, "\"{path}\" = {count}");
        }
    }
    text
}

/// Returns the violations of each file that has more of them than the baseline, and the numbers that are too high.
fn compare(baseline: &Table<usize>, violations: &[RuleViolation]) -> String {
    let counts = count(violations);
    let mut report = String::new();
    for (rule, path) in files_of(baseline, &counts) {
        let (old, new) = (number(baseline, rule, path), number(&counts, rule, path));
        if new > old {
            for violation in violations.iter().filter(|v| v.rule == rule && v.path == path) {
                let _ = writeln!(report, "{violation}");
            }
            let _ = writeln!(report, "{path}: {rule}: {new} violations, expected {old} ({PATH})\n");
        } else if new < old {
            let _ = writeln!(
                report,
                "{PATH}: {rule}: {path} has only {new} violations, expected {old}: lower the number (--update-baseline)\n"
            );
        }
    }
    report
}

/// Describes the numbers that would rise. Numbers of files that are gone may be those of new files.
fn raised(old: &Table<usize>, new: &Table<usize>, exists: impl Fn(&str) -> bool) -> String {
    let mut report = String::new();
    let (mut of_new_files, mut of_gone_files) = (BTreeMap::new(), BTreeMap::new());
    for (rule, path) in files_of(old, new) {
        let (before, after) = (number(old, rule, path), number(new, rule, path));
        if before == 0 {
            *of_new_files.entry(rule).or_insert(0) += after;
        } else if !exists(path) {
            *of_gone_files.entry(rule).or_insert(0) += before;
        } else if after > before {
            let _ = writeln!(report, "{path}: {rule}: {after} violations, expected at most {before}");
        }
    }
    for (rule, after) in of_new_files {
        let before = of_gone_files.get(rule).copied().unwrap_or(0);
        if after > before {
            let _ = writeln!(
                report,
                "{rule}: {after} violations in files that are not in the baseline, expected at most the {before} of the \
                 files that are gone"
            );
        }
    }
    report
}

fn files_of<'t>(a: &'t Table<usize>, b: &'t Table<usize>) -> Vec<(&'t str, &'t str)> {
    let mut files: Vec<(&str, &str)> = [a, b]
        .into_iter()
        .flatten()
        .flat_map(|(rule, files)| files.keys().map(move |path| (rule.as_str(), path.as_str())))
        .collect();
    files.sort_unstable();
    files.dedup();
    files
}

fn number(counts: &Table<usize>, rule: &str, path: &str) -> usize {
    counts.get(rule).and_then(|files| files.get(path)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(paths: &[&str]) -> Vec<RuleViolation> {
        let violation = |path: &&str| RuleViolation {
            rule: "files",
            path: (*path).to_owned(),
            line: 7,
            what: "it is short".to_owned(),
            expected: "expected a concept".to_owned(),
        };
        paths.iter().map(violation).collect()
    }

    fn counts(paths: &[&str]) -> Table<usize> {
        count(&violations(paths))
    }

    #[test]
    fn equal_numbers_agree() {
        assert_eq!(compare(&counts(&["a.rs", "a.rs"]), &violations(&["a.rs", "a.rs"])), "");
    }

    #[test]
    fn more_violations_are_listed() {
        let report = compare(&counts(&["a.rs"]), &violations(&["a.rs", "a.rs"]));
        assert_eq!(report.matches("a.rs:7: files: it is short, expected a concept").count(), 2);
        assert!(report.contains("2 violations, expected 1"), "{report}");
    }

    #[test]
    fn fewer_violations_ask_for_a_lower_number() {
        let report = compare(&counts(&["a.rs", "a.rs"]), &violations(&["a.rs"]));
        assert!(report.contains("only 1 violations, expected 2: lower the number"), "{report}");
    }

    #[test]
    fn no_number_rises_except_with_a_moved_file() {
        assert_eq!(raised(&counts(&["a.rs", "a.rs"]), &counts(&["a.rs"]), |_| true), "");
        assert_ne!(raised(&counts(&["a.rs"]), &counts(&["a.rs", "a.rs"]), |_| true), "");
        assert_ne!(raised(&counts(&["a.rs"]), &counts(&["a.rs", "b.rs"]), |_| true), "");
        assert_eq!(raised(&counts(&["a.rs"]), &counts(&["b.rs"]), |path| path != "a.rs"), "");
        assert_ne!(raised(&counts(&["a.rs"]), &counts(&["b.rs", "b.rs"]), |path| path != "a.rs"), "");
    }

    #[test]
    fn what_is_written_is_read() {
        let counts = counts(&["a.rs", "b/c.rs", "b/c.rs"]);
        let read = table::read(PATH, &write(&counts), |value| value.parse().ok()).unwrap();
        assert_eq!(read, counts);
    }
}
