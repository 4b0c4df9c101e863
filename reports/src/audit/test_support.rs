//! Audits for tests.

use super::model::{Audit, AuditFinding, ExampleStep, Severity};

/// Returns a finding on `spec.remote` at line 42 of `new.yaml`.
pub(crate) fn finding(id: &str, severity: Severity) -> AuditFinding {
    AuditFinding {
        id: id.to_owned(),
        severity,
        path: "spec.remote".to_owned(),
        change: "union member added".to_owned(),
        place: "new.yaml:42".to_owned(),
        effects: vec!["refused (invalid-value at spec): old clients".to_owned()],
        advice: vec!["upgrade clients first".to_owned()],
        confirmation: None,
        example: vec![
            ExampleStep {
                about: "an object is stored".to_owned(),
                document: "spec:\n  remote: {}\n".to_owned(),
            },
            ExampleStep { about: "an old client writes it".to_owned(), document: String::new() },
        ],
        cases: Vec::new(),
        schemas: Vec::new(),
    }
}

/// Returns an audit with a finding of each severity. The note is on several elements, and has no place.
pub(crate) fn audit() -> Audit {
    Audit {
        subject: "Issuer certs.example.com/v1".to_owned(),
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
                path: String::new(),
                place: String::new(),
                change: "2 fields added: spec.a, spec.b".to_owned(),
                advice: Vec::new(),
                example: Vec::new(),
                cases: Vec::new(),
                schemas: Vec::new(),
                ..finding("A-a72a", Severity::Note)
            },
        ],
        not_simulated: vec!["conversion webhook (new.yaml:9)".to_owned()],
        ..Audit::default()
    }
}
