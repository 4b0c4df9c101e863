//! Rule 3: only the renderer of a format writes its tables.

use crate::violation::RuleViolation;
use crate::workspace::Workspace;

const RULE: &str = "renderers";

/// A text that begins a table, and the folders in which it may occur.
struct TableSyntax {
    text: &'static str,
    folders: &'static [&'static str],
}

const TABLES: &[TableSyntax] = &[
    TableSyntax { text: "| ---", folders: &["reports/src/blocks/"] },
    TableSyntax { text: "|---", folders: &["reports/src/blocks/"] },
    TableSyntax { text: "| :-", folders: &["reports/src/blocks/"] },
    TableSyntax { text: "<table", folders: &["reports/src/blocks/", "reports/src/html/results/"] },
];

pub(super) fn check(workspace: &Workspace) -> Vec<RuleViolation> {
    let files = workspace.files.iter().filter(|file| !file.path.starts_with("xtask/"));
    let mut violations = Vec::new();
    for file in files {
        for literal in &file.literals {
            let is_table = |table: &&TableSyntax| {
                literal.text.contains(table.text)
                    && !table.folders.iter().any(|folder| file.path.starts_with(folder))
            };
            if let Some(table) = TABLES.iter().find(is_table) {
                violations.push(RuleViolation {
                    rule: RULE,
                    path: file.path.clone(),
                    line: literal.line,
                    what: format!("a table is written by hand (`{}`)", table.text),
                    expected: "expected a block".to_owned(),
                });
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{crate_of, lines, workspace};

    #[test]
    fn a_table_by_hand_is_a_violation() {
        let text = "fn f() {\n    writeln!(out, \"| a |\\n| --- |\");\n    g(\"<table class=x>\");\n}";
        let violations = lines(&check(&crate_of(text)));
        assert_eq!(
            violations,
            ["2: a table is written by hand (`| ---`)", "3: a table is written by hand (`<table`)"]
        );
    }

    #[test]
    fn the_renderers_write_tables() {
        let files = [
            ("reports/src/lib.rs", "mod blocks; /// | --- |\nfn f() {}"),
            ("reports/src/blocks/mod.rs", "mod html; const T: &str = \"| ---\";"),
            ("reports/src/blocks/html.rs", "const T: &str = \"<table>\";"),
        ];
        assert!(check(&workspace(&files)).is_empty());
    }
}
