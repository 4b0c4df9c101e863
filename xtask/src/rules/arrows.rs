//! Rule 1: arrows between modules are those of the table in arrows.md, and files have no circles.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::violation::RuleViolation;
use crate::workspace::Workspace;

const CIRCLES: &str = "circles";
const ARROWS: &str = "arrows";
/// The file with the table of circles.
const CIRCLES_PATH: &str = "ARCHITECTURE.md";
/// The file with the table of arrows.
const PATH: &str = "xtask/arrows.md";

/// An arrow from one module to another one of the same crate, or from one crate to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ModuleArrow {
    /// The crate of both modules. Arrows between crates have none.
    package: Option<String>,
    from: String,
    to: String,
}

/// Where an arrow was found first, in each file.
struct Use {
    path: String,
    line: usize,
}

pub(super) fn check(workspace: &Workspace) -> Vec<RuleViolation> {
    let mut violations = check_circles(workspace);
    violations.extend(check_table(workspace));
    violations
}

/// Returns a violation for each file that is part of a circle outside the folders of the table of circles.
fn check_circles(workspace: &Workspace) -> Vec<RuleViolation> {
    let allowed = rows(workspace.document(CIRCLES_PATH), CIRCLES);
    let is_allowed = |path: &str| {
        let has_reason = |row: &&Row| row.cells.get(1).is_some_and(|reason| !reason.trim().is_empty());
        allowed.iter().filter(has_reason).flat_map(|row| row.words(0)).any(|folder| path.starts_with(&folder))
    };
    let mut violations = Vec::new();
    for circle in workspace.circles() {
        for file in &circle {
            let path = &workspace.files[*file].path;
            if is_allowed(path) {
                continue;
            }
            let mut inside = workspace.arrows.iter().filter(|a| a.from == *file && circle.contains(&a.to));
            let Some(arrow) = inside.next() else { continue };
            let used = &workspace.files[arrow.to].path;
            violations.push(RuleViolation {
                rule: CIRCLES,
                path: path.clone(),
                line: arrow.line,
                what: format!("the use of {used} is part of a circle of {} files", circle.len()),
                expected: "expected uses in one direction".to_owned(),
            });
        }
    }
    violations
}

/// Compares the arrows of the code with the table.
fn check_table(workspace: &Workspace) -> Vec<RuleViolation> {
    let table: BTreeMap<ModuleArrow, usize> = table(workspace.document(PATH)).into_iter().collect();
    let arrows = module_arrows(workspace);
    let mut violations = Vec::new();
    for (ModuleArrow { from, to, .. }, uses) in arrows.iter().filter(|(arrow, _)| !table.contains_key(arrow))
    {
        violations.extend(uses.iter().map(|Use { path, line }| RuleViolation {
            rule: ARROWS,
            path: path.clone(),
            line: *line,
            what: format!("`{from}` uses `{to}`"),
            expected: format!("expected an arrow of the table in {PATH}"),
        }));
    }
    for (ModuleArrow { from, to, .. }, line) in table.iter().filter(|(arrow, _)| !arrows.contains_key(arrow))
    {
        violations.push(RuleViolation {
            rule: ARROWS,
            path: PATH.to_owned(),
            line: *line,
            what: format!("`{from}` does not use `{to}`"),
            expected: "expected only arrows that the code has".to_owned(),
        });
    }
    violations.extend(check_directions(&table));
    violations
}

/// Returns a violation for each arrow of the table from whose end other arrows lead back to its start.
fn check_directions(table: &BTreeMap<ModuleArrow, usize>) -> Vec<RuleViolation> {
    let leads_back = |arrow: &ModuleArrow| {
        let mut reached = BTreeSet::from([&arrow.to]);
        loop {
            let inside = table.keys().filter(|next| next.package == arrow.package);
            let next = inside.filter(|next| reached.contains(&next.from)).map(|next| &next.to);
            let next: BTreeSet<&String> = next.collect();
            if next.is_subset(&reached) {
                return reached.contains(&arrow.from);
            }
            reached.extend(next);
        }
    };
    let circles = table.iter().filter(|(arrow, _)| leads_back(arrow));
    circles
        .map(|(ModuleArrow { from, to, .. }, line)| RuleViolation {
            rule: ARROWS,
            path: PATH.to_owned(),
            line: *line,
            what: format!("`{to}` leads back to `{from}`"),
            expected: "expected a table without circles".to_owned(),
        })
        .collect()
}

/// Returns the arrows of the code, with one use for each file and arrow.
fn module_arrows(workspace: &Workspace) -> BTreeMap<ModuleArrow, Vec<Use>> {
    let mut arrows: BTreeMap<ModuleArrow, Vec<Use>> = BTreeMap::new();
    for arrow in &workspace.arrows {
        let (from, to) = (&workspace.files[arrow.from], &workspace.files[arrow.to]);
        let packages = (workspace.package(from), workspace.package(to));
        let modules = (from.top_level_module(), to.top_level_module());
        let is_inside = packages.0 == packages.1;
        let (ends, package) =
            if is_inside { (modules, Some(packages.0.to_owned())) } else { (packages, None) };
        if ends.0 != ends.1 {
            let uses = arrows
                .entry(ModuleArrow { package, from: ends.0.to_owned(), to: ends.1.to_owned() })
                .or_default();
            if uses.last().is_none_or(|last| last.path != from.path) {
                uses.push(Use { path: from.path.clone(), line: arrow.line });
            }
        }
    }
    arrows
}

/// Returns the arrows of the table in a document, with their lines.
fn table(document: &str) -> Vec<(ModuleArrow, usize)> {
    let mut arrows = Vec::new();
    for row in rows(document, ARROWS) {
        let package = row.words(0).pop();
        for from in row.words(1) {
            for to in row.words(2) {
                arrows.push((ModuleArrow { package: package.clone(), from: from.clone(), to }, row.line));
            }
        }
    }
    arrows
}

/// A row of a Markdown table.
struct Row {
    cells: Vec<String>,
    line: usize,
}

impl Row {
    /// Returns the words of a cell that are code.
    fn words(&self, cell: usize) -> Vec<String> {
        let cell = self.cells.get(cell).map_or("", String::as_str);
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }
}

/// Returns the rows of the table after the comment `<!-- NAME -->`.
fn rows(document: &str, name: &str) -> Vec<Row> {
    let marker = format!("<!-- {name} -->");
    let lines = document.lines().enumerate().skip_while(|(_, line)| line.trim() != marker).skip(1);
    lines
        .skip_while(|(_, line)| line.trim().is_empty())
        .take_while(|(_, line)| line.starts_with('|'))
        .skip(2)
        .map(|(index, line)| {
            let cells = line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
            Row { cells, line: index + 1 }
        })
        .collect()
}

/// Returns the table of arrows as it is in the code. Modules with the same arrows share a row.
pub(crate) fn describe_arrows(workspace: &Workspace) -> String {
    let mut used: BTreeMap<(Option<String>, String), BTreeSet<String>> = BTreeMap::new();
    for ModuleArrow { package, from, to } in module_arrows(workspace).into_keys() {
        used.entry((package, from)).or_default().insert(to);
    }
    let mut rows: BTreeMap<(Option<String>, BTreeSet<String>), BTreeSet<String>> = BTreeMap::new();
    for ((package, from), to) in used {
        rows.entry((package, to)).or_default().insert(from);
    }
    let mut text = format!("<!-- {ARROWS} -->\n\n| crate | modules | use |\n|---|---|---|\n");
    for ((package, to), from) in rows {
        let package = package.map_or("between crates".to_owned(), |package| format!("`{package}`"));
        let _ = writeln!(text, "| {package} | {} | {} |", code(&from), code(&to));
    }
    text
}

fn code(words: &BTreeSet<String>) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{lines, workspace};

    fn check_with(architecture: &str, a: &str, b: &str) -> Vec<String> {
        let files = [
            ("engine/src/lib.rs", "mod a; mod b;"),
            ("engine/src/a.rs", a),
            ("engine/src/b.rs", b),
            (PATH, architecture),
        ];
        lines(&check(&workspace(&files)))
    }

    const TABLE: &str =
        "<!-- arrows -->\n\n| crate | modules | use |\n|---|---|---|\n| `engine` | `a` | `b` |\n";

    #[test]
    fn an_arrow_of_the_table_is_fine() {
        assert!(check_with(TABLE, "use crate::b::B;", "pub struct B;").is_empty());
    }

    #[test]
    fn an_arrow_that_the_table_does_not_have_is_a_violation() {
        assert_eq!(check_with("", "\nuse crate::b::B;", "pub struct B;"), ["2: `a` uses `b`"]);
    }

    #[test]
    fn an_arrow_that_the_code_does_not_have_is_a_violation() {
        assert_eq!(check_with(TABLE, "", "pub struct B;"), ["5: `a` does not use `b`"]);
    }

    #[test]
    fn a_circle_in_the_table_is_a_violation() {
        let both = format!("{TABLE}| `engine` | `b` | `a` |\n");
        let violations =
            check_with(&both, "use crate::b::g; pub fn f() {}", "use crate::a::f; pub fn g() {}");
        assert!(violations.contains(&"6: `a` leads back to `b`".to_owned()), "{violations:?}");
    }

    #[test]
    fn an_arrow_between_crates_is_in_the_table() {
        let files = [
            ("engine/src/lib.rs", "pub struct Engine;"),
            ("cases/src/lib.rs", "use engine::Engine;"),
            (
                PATH,
                "<!-- arrows -->\n| crate | modules | use |\n|---|---|---|\n| between crates | `cases` | `engine` |\n",
            ),
        ];
        assert!(check(&workspace(&files)).is_empty());
        assert_eq!(lines(&check(&workspace(&files[..2]))), ["1: `cases` uses `engine`"]);
    }

    #[test]
    fn a_circle_needs_a_folder_with_a_reason() {
        let files = [
            ("engine/src/lib.rs", "mod patch;"),
            ("engine/src/patch/mod.rs", "mod a; mod b;"),
            ("engine/src/patch/a.rs", "use super::b::B; pub struct A;"),
            ("engine/src/patch/b.rs", "pub struct B(super::a::A);"),
            (
                CIRCLES_PATH,
                "<!-- circles -->\n| folder | reason |\n|---|---|\n| `engine/src/patch/` | recursion |\n",
            ),
        ];
        assert!(check(&workspace(&files)).is_empty());
        assert_eq!(check(&workspace(&files[..4])).len(), 2);
        let without_reason = "<!-- circles -->\n| folder | reason |\n|---|---|\n| `engine/src/patch/` | |\n";
        let files = [files[0], files[1], files[2], files[3], (CIRCLES_PATH, without_reason)];
        assert_eq!(check(&workspace(&files)).len(), 2);
    }

    #[test]
    fn the_printed_table_is_the_one_that_is_read() {
        let files = [
            ("engine/src/lib.rs", "mod a; mod b;"),
            ("engine/src/a.rs", "use crate::b::B;"),
            ("engine/src/b.rs", "pub struct B;"),
        ];
        let printed = describe_arrows(&workspace(&files));
        assert!(check_with(&printed, "use crate::b::B;", "pub struct B;").is_empty(), "{printed}");
    }
}
