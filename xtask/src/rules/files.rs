//! Rule 6: a file is a concept, of 40 to 500 lines.

use syn::Item;

use super::exceptions::Exceptions;
use crate::violation::RuleViolation;
use crate::workspace::{RustFile, Workspace};

const RULE: &str = "files";
const MIN_LINES: usize = 40;
const MAX_LINES: usize = 500;

pub(super) fn check(workspace: &Workspace) -> Vec<RuleViolation> {
    let large = Exceptions::of(workspace, RULE, "large files");
    let small = Exceptions::of(workspace, RULE, "folders of small files");
    let violation = |file: &RustFile, expected: &str| RuleViolation {
        rule: RULE,
        path: file.path.clone(),
        line: 1,
        what: format!("the file has {} lines", file.lines),
        expected: expected.to_owned(),
    };
    let is_large = |file: &RustFile| file.lines > MAX_LINES;
    let is_small = |file: &RustFile| file.lines < MIN_LINES && !is_registry(file);
    let mut violations = Vec::new();
    for file in &workspace.files {
        if is_large(file) && !large.has(&file.path) {
            violations.push(violation(file, "expected two concepts in two files, or a reason"));
        }
        if is_small(file) && !small.has(folder(&file.path)) {
            violations.push(violation(file, "expected a concept, or a registry"));
        }
    }
    let files = || workspace.files.iter();
    violations.extend(large.violations(|path| files().any(|file| file.path == path && is_large(file))));
    violations
        .extend(small.violations(|path| files().any(|file| folder(&file.path) == path && is_small(file))));
    violations
}

/// Returns true if a file only lists modules, re-exports, values and the entries of a macro. So does the `main` of a
/// program, and a build script cannot be a part of another file.
fn is_registry(file: &RustFile) -> bool {
    let is_entry = |item: &Item| match item {
        Item::Mod(_)
        | Item::Use(_)
        | Item::ExternCrate(_)
        | Item::Const(_)
        | Item::Static(_)
        | Item::Macro(_) => true,
        Item::Fn(function) => function.sig.ident == "main",
        _ => false,
    };
    file.syntax.items.iter().all(is_entry) || file.path.ends_with("/build.rs")
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{crate_of, lines, workspace};

    fn functions(count: usize) -> String {
        "fn f() {}\n".repeat(count)
    }

    #[test]
    fn files_of_40_to_500_lines_are_fine() {
        assert!(check(&crate_of(&functions(40))).is_empty());
        assert!(check(&crate_of(&functions(500))).is_empty());
    }

    #[test]
    fn small_and_large_files_are_violations() {
        assert_eq!(lines(&check(&crate_of(&functions(39)))), ["1: the file has 39 lines"]);
        assert_eq!(lines(&check(&crate_of(&functions(501)))), ["1: the file has 501 lines"]);
    }

    #[test]
    fn a_registry_is_small() {
        assert!(
            check(&crate_of("mod a { }\npub use a::*;\nstatic ALL: &[u8] = &[];\nfn main() {}")).is_empty()
        );
    }

    #[test]
    fn exceptions_have_a_reason_and_are_needed() {
        let text = functions(501);
        let with = |exceptions: &str| {
            lines(&check(&workspace(&[
                ("engine/src/lib.rs", &text),
                (super::super::exceptions::PATH, exceptions),
            ])))
        };
        assert!(with("[large files]\n\"engine/src/lib.rs\" = \"a table\"").is_empty());
        assert_eq!(with("[large files]\n\"engine/src/lib.rs\" = \"\"").len(), 1);
        let unneeded = with("[large files]\n\"engine/src/lib.rs\" = \"a table\"\n\"a.rs\" = \"a reason\"");
        assert_eq!(unneeded, ["1: `a.rs` is listed, and follows the rule"]);
    }

    #[test]
    fn a_folder_of_entries_has_small_files() {
        let exceptions = "[folders of small files]\n\"engine/src\" = \"one file for each entry\"";
        let files = [("engine/src/lib.rs", "fn f() {}"), (super::super::exceptions::PATH, exceptions)];
        assert!(check(&workspace(&files)).is_empty());
    }
}
