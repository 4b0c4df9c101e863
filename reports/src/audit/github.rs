//! Findings as annotations of GitHub Actions: workflow commands at the file and line of a change.

use std::fmt::Write as _;

use super::model::{Audit, Severity};
use crate::control_characters::escape_text;
use crate::github::{escape_data, escape_property};

/// Renders one command for each finding. Silent findings are errors, loud ones warnings, and notes are notices.
#[must_use]
pub fn github(audits: &[Audit]) -> String {
    let mut out = String::new();
    for audit in audits {
        for finding in &audit.findings {
            let command = match finding.severity {
                Severity::Silent => "error",
                Severity::Loud => "warning",
                Severity::Note => "notice",
            };
            let title = format!("{} {}", finding.path, finding.change);
            let title = escape_property(&format!("{}: {}", finding.id, title.trim()));
            let place = finding.line().map_or_else(String::new, |(file, line)| {
                format!("file={},line={line},", escape_property(file))
            });
            let effects = escape_data(&escape_text(&finding.effects.join("\n")));
            let _ = writeln!(out, "::{command} {place}title={title}::{effects}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::markdown::tests::audit;

    #[test]
    fn a_finding_is_an_annotation_at_its_line() {
        let expected =
            "::error file=new.yaml,line=12,title=A-1%3A spec.a list type atomic -> map[name]::lost: a\n";
        assert_eq!(github(&[audit()]), expected);
    }
}
