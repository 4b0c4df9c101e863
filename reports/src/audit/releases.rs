//! The published audit of the releases of Kubernetes.

use std::fmt::Write as _;

use super::model::{Audit, Severity};

/// Renders the audits of pairs of releases: the names of the two, and the audits of their kinds.
#[must_use]
pub fn releases(pairs: &[(&str, &str, Vec<Audit>)]) -> String {
    let mut out = String::from(
        "# Audit of the releases of Kubernetes\n\nWhat the changes of built-in types did to stored objects, and to clients and \
         servers of the neighbouring release: `skewer audit OLD NEW` for each release that is embedded and the next one. A \
         type that several kinds contain is named once, for the smallest of them. Defaults and validation that are written \
         in Go are not simulated, an enum that was only listed for the first time does not count, and fields of alpha features are included. Requests are handled as by the newest \
         release, so that only the types differ.\n\n",
    );
    out.push_str("| releases | kinds that changed | silent | loud | fields added |\n|:--|--:|--:|--:|--:|\n");
    for (old, new, audits) in pairs {
        let findings = || audits.iter().flat_map(|audit| &audit.findings);
        let count = |severity| findings().filter(|finding| finding.severity == severity).count();
        let added = findings().filter(|finding| finding.path.is_empty());
        let added: usize = added.map(|finding| 1 + finding.change.matches(", ").count()).sum();
        let (silent, loud) = (count(Severity::Silent), count(Severity::Loud));
        let _ = writeln!(out, "| {old} → {new} | {} | {silent} | {loud} | {added} |", audits.len());
    }
    for (old, new, audits) in pairs {
        let _ = writeln!(out, "\n## {old} → {new}\n");
        let mut is_empty = true;
        for audit in audits {
            for finding in audit.findings.iter().filter(|finding| finding.severity != Severity::Note) {
                is_empty = false;
                let severity = finding.severity.name().to_lowercase();
                let _ = writeln!(
                    out,
                    "- **{severity}** `{}` `{}` ({}): {}",
                    audit.subject, finding.path, finding.place, finding.change
                );
                for effect in &finding.effects {
                    let _ = writeln!(out, "  - {effect}");
                }
            }
        }
        if is_empty {
            out.push_str("Only fields were added.\n");
        }
    }
    out
}
