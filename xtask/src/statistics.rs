//! The figures by which the structure of the sources is measured.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::rules::parameters::{ParameterProblem, count};
use crate::rules::{check, words};
use crate::workspace::Workspace;

/// Returns the figures, one on each line.
pub(crate) fn describe(workspace: &Workspace) -> String {
    let mut text = String::from("lines of Rust without tests, and files\n");
    let mut sizes: BTreeMap<&str, Size> = BTreeMap::new();
    for file in &workspace.files {
        let size = sizes.entry(workspace.package(file)).or_default();
        size.lines += file.lines - file.test_lines;
        size.files += 1;
    }
    for (package, Size { lines, files }) in &sizes {
        let _ = writeln!(text, "  {package:20} {lines:7} {files:5}");
    }
    let lines: usize = sizes.values().map(|size| size.lines).sum();
    let _ = writeln!(text, "  {:20} {lines:7} {:5}", "all", workspace.files.len());
    text.push_str(&describe_circles(workspace));
    for (name, number) in [
        ("functions with tuples as parameters", count(workspace, ParameterProblem::Tuple)),
        ("functions that change a result in a parameter", count(workspace, ParameterProblem::Result)),
        ("functions with more than 5 parameters", count(workspace, ParameterProblem::TooMany)),
        ("names of several public types", words::count_homonyms(workspace)),
    ] {
        let _ = writeln!(text, "{name}: {number}");
    }
    text.push_str(&describe_violations(workspace));
    text
}

#[derive(Default)]
struct Size {
    lines: usize,
    files: usize,
}

/// Returns the circles with their folders.
fn describe_circles(workspace: &Workspace) -> String {
    let circles = workspace.circles();
    let files: usize = circles.iter().map(Vec::len).sum();
    let mut text = format!("circles: {} of {files} files\n", circles.len());
    for circle in circles {
        let paths: Vec<&str> = circle.iter().map(|file| workspace.files[*file].path.as_str()).collect();
        let folder = common_folder(&paths);
        let names: Vec<&str> = paths.iter().filter_map(|path| path.strip_prefix(folder)).collect();
        let _ = writeln!(text, "  {:3} {folder} {}", paths.len(), names.join(" "));
    }
    text
}

/// Returns the folder of several paths, with its slash.
fn common_folder<'p>(paths: &[&'p str]) -> &'p str {
    let Some((first, rest)) = paths.split_first() else { return "" };
    let ends = first.match_indices('/').map(|(index, _)| index + 1).rev();
    let mut folders = ends.map(|end| &first[..end]);
    folders.find(|folder| rest.iter().all(|path| path.starts_with(folder))).unwrap_or("")
}

/// Returns the number of violations of each rule, with those that the baseline counts.
fn describe_violations(workspace: &Workspace) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for violation in check(workspace) {
        *counts.entry(violation.rule).or_default() += 1;
    }
    let counts: Vec<String> = counts.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
    format!("violations: {}\n", counts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::workspace;

    #[test]
    fn sizes_and_circles_are_counted() {
        let text = describe(&workspace(&[
            ("engine/src/lib.rs", "mod a;\nmod b;\n"),
            ("engine/src/a.rs", "use crate::b::B;\npub struct A;\n#[cfg(test)]\nmod tests {}\n"),
            ("engine/src/b.rs", "pub struct B(crate::a::A);\nfn f(p: (u8, u8)) {}\n"),
        ]));
        assert!(text.contains("  engine                     6     3\n"), "{text}");
        assert!(text.contains("circles: 1 of 2 files\n    2 engine/src/ a.rs b.rs\n"), "{text}");
        assert!(text.contains("functions with tuples as parameters: 1\n"), "{text}");
    }
}
