//! Audits for tests.

use super::model::{Audit, AuditFinding, ExampleStep, Severity};

/// Returns a finding on `spec.remote` at line 42 of `new.yaml`.
pub(crate) fn finding(id: &str, severity: Severity) -> AuditFinding {
    AuditFinding {
        path: "spec.remote".to_owned(),
        place: "new.yaml:42".to_owned(),
        effects: vec!["refused (invalid-value at spec): old clients".to_owned()],
        advice: vec!["upgrade clients first".to_owned()],
        example: vec![
            ExampleStep {
                about: "an object is stored".to_owned(),
                document: "spec:\n  remote: {}\n".to_owned(),
            },
            ExampleStep { about: "an old client writes it".to_owned(), document: String::new() },
        ],
        ..AuditFinding::new(id.to_owned(), severity, "union member added".to_owned())
    }
}

/// Returns an audit with a finding of each severity. The note is on several elements, and has no place.
pub(crate) fn audit() -> Audit {
    Audit {
        definition: "Issuer certs.example.com".to_owned(),
        versions: "v1".to_owned(),
        old: "old.yaml".to_owned(),
        new: "new.yaml".to_owned(),
        changes: 3,
        situations: 55,
        findings: vec![
            AuditFinding {
                path: "spec.config".to_owned(),
                change: "unknown fields no longer kept".to_owned(),
                ..finding("A-1e27", Severity::Silent)
            },
            finding("A-3957", Severity::Loud),
            AuditFinding {
                paths: vec!["spec.a".to_owned(), "spec.b".to_owned()],
                effects: vec!["refused (invalid-value at spec): old clients".to_owned()],
                ..AuditFinding::new("A-a72a".to_owned(), Severity::Note, "2 fields added".to_owned())
            },
        ],
        not_simulated: vec!["conversion webhook (new.yaml:9)".to_owned()],
        ..Audit::default()
    }
}
