//! Workspaces of a few lines.

use crate::violation::RuleViolation;
use crate::workspace::{CrateRoot, Workspace};

/// Returns the workspace of these files. Each folder with `src/lib.rs` is a crate of that name.
pub(crate) fn workspace(files: &[(&str, &str)]) -> Workspace {
    let roots = files.iter().filter_map(|(path, _)| {
        let folder = path.strip_suffix("/src/lib.rs")?;
        Some(CrateRoot::new(folder, Some(folder.replace(['-', '/'], "_")), path))
    });
    let read = |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
    Workspace::new(roots.collect(), &read).unwrap()
}

/// Returns the workspace of a crate `engine` with one file.
pub(crate) fn crate_of(text: &str) -> Workspace {
    workspace(&[("engine/src/lib.rs", text)])
}

/// Returns `line: what` of each violation.
pub(crate) fn lines(violations: &[RuleViolation]) -> Vec<String> {
    violations.iter().map(|violation| format!("{}: {}", violation.line, violation.what)).collect()
}
