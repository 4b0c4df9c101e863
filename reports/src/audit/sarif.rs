//! The audit as SARIF 2.1.0, for code scanning.

use serde_json::{Map, Value, json};
use skewer_results::control_characters::escape_text;

use super::model::{AcceptedFindings, Audit, AuditFinding, Severity};
use crate::blocks::markdown::escape::link_target;

/// The rules, in the order of their index: one for each severity.
const RULES: [(Severity, &str, &str); 4] = [
    (Severity::Silent, "silent", "Data is lost or wrong, and every request succeeds."),
    (Severity::Loud, "loud", "Requests are refused."),
    (Severity::Note, "note", "True, but rarely a problem."),
    (Severity::NotJudged, "not-judged", "What the change does is not known: no situation showed it."),
];

/// The files of which a name can be a location.
const EXTENSIONS: [&str; 4] = [".yaml", ".yml", ".json", ".go"];

/// Renders audits as one run. The partial fingerprint of a result is the subject of the audit and the id of the finding,
/// because findings on several versions of a kind can have the same id.
#[must_use]
pub fn sarif(audits: &[Audit], accepted: &AcceptedFindings) -> Value {
    let results: Vec<Value> = audits
        .iter()
        .flat_map(|audit| audit.findings.iter().map(move |finding| (audit, finding)))
        .map(|(audit, finding)| result(audit, finding, accepted))
        .collect();
    let rules = RULES.map(|(severity, id, text)| {
        json!({
            "id": id,
            "shortDescription": {"text": text},
            "fullDescription": {"text": text},
            "defaultConfiguration": {"level": level(severity)},
        })
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "skewer",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            }},
            "results": results,
        }],
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Silent => "error",
        Severity::Loud | Severity::NotJudged => "warning",
        Severity::Note => "note",
    }
}

fn result(audit: &Audit, finding: &AuditFinding, accepted: &AcceptedFindings) -> Value {
    let index = RULES.iter().position(|(severity, ..)| *severity == finding.severity).unwrap_or_default();
    let mut lines = vec![format!("{} ({}, {})", finding.title(), audit.subject(), finding.id)];
    lines.extend(finding.sentences());
    lines.extend(finding.advice.iter().map(|advice| format!("advice: {advice}")));
    // Results that are not accepted have an empty list: without the list, their state would be unknown.
    let suppressions: Vec<Value> = accepted
        .get(&finding.id)
        .map(|because| json!({"kind": "external", "justification": escape_text(because)}))
        .into_iter()
        .collect();
    json!({
        "ruleId": RULES[index].1,
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": {"text": escape_message(&lines.join("\n"))},
        "locations": [location(audit, finding)],
        "partialFingerprints": {"skewerFinding/v1": format!("{} {}", audit.subject(), finding.id)},
        "suppressions": suppressions,
    })
}

/// Returns the location of a finding. A finding without a place is in the file with the new types, because GitHub
/// refuses results without a file (<https://github.com/github/codeql-action/issues/2459>).
fn location(audit: &Audit, finding: &AuditFinding) -> Value {
    let mut location = Map::new();
    let element = format!("{} {}", audit.subject(), finding.path);
    location
        .insert("logicalLocations".to_owned(), json!([{"fullyQualifiedName": escape_text(element.trim())}]));
    let physical = match finding.file_and_line() {
        Some((file, line)) => Some(json!({
            "artifactLocation": {"uri": link_target(file)},
            "region": {"startLine": line},
        })),
        None => file_of(audit).map(|file| json!({"artifactLocation": {"uri": link_target(file)}})),
    };
    if let Some(physical) = physical {
        location.insert("physicalLocation".to_owned(), physical);
    }
    Value::Object(location)
}

/// Returns the file with the new types, or else the file of the first finding that has one.
fn file_of(audit: &Audit) -> Option<&str> {
    let is_file = EXTENSIONS.iter().any(|extension| audit.new.ends_with(extension));
    if is_file && !audit.new.starts_with("git:") {
        return Some(&audit.new);
    }
    audit.findings.iter().find_map(AuditFinding::file_and_line).map(|(file, _)| file)
}

/// Escapes the text of a message. Braces are doubled, because `{0}` is a placeholder (SARIF 2.1.0, section 3.11.5).
fn escape_message(text: &str) -> String {
    escape_text(text).replace('{', "{{").replace('}', "}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::test_support::{audit, finding};

    fn results(audit: Audit, accepted: &AcceptedFindings) -> Vec<Value> {
        sarif(&[audit], accepted)["runs"][0]["results"].as_array().unwrap().clone()
    }

    #[test]
    fn a_run_has_rules_and_results() {
        let accepted = AcceptedFindings::from([("A-3957".to_owned(), "no old clients".to_owned())]);
        let mut log = sarif(&[audit()], &accepted);
        log["runs"][0]["tool"]["driver"]["version"] = json!("VERSION");
        insta::assert_snapshot!(serde_json::to_string_pretty(&log).unwrap());
    }

    #[test]
    fn the_rule_of_a_result_is_at_its_index() {
        let log = sarif(&[audit()], &AcceptedFindings::new());
        let levels = ["error", "warning", "note"];
        for (result, level) in log["runs"][0]["results"].as_array().unwrap().iter().zip(levels) {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            let rule = &log["runs"][0]["tool"]["driver"]["rules"][index];
            assert_eq!((&rule["id"], &result["level"]), (&result["ruleId"], &json!(level)));
            assert_eq!(rule["defaultConfiguration"]["level"], level);
        }
    }

    #[test]
    fn a_finding_without_a_place_is_in_the_new_file() {
        let unknown = AuditFinding { place: String::new(), ..finding("A-0001", Severity::Note) };
        let of = |new: &str, findings: Vec<AuditFinding>| {
            let audit = Audit { new: new.to_owned(), findings, ..audit() };
            results(audit, &AcceptedFindings::new())[0]["locations"][0].clone()
        };
        let uri = "/physicalLocation/artifactLocation/uri";
        assert_eq!(of("crd/a b.yaml", vec![unknown.clone()]).pointer(uri), Some(&json!("crd/a%20b.yaml")));
        let others = vec![unknown.clone(), finding("A-0002", Severity::Note)];
        assert_eq!(of("git:main:new.yaml", others).pointer(uri), Some(&json!("new.yaml")));
        assert_eq!(of("kubernetes-1.30", vec![unknown]).pointer(uri), None);
    }

    #[test]
    fn braces_are_no_placeholders() {
        let change = "default {} -> {0}".to_owned();
        let finding = AuditFinding { change, ..finding("A-0001", Severity::Silent) };
        let results = results(Audit { findings: vec![finding], ..audit() }, &AcceptedFindings::new());
        let text = results[0]["message"]["text"].as_str().unwrap();
        assert!(text.starts_with("spec.remote default {{}} -> {{0}} (Issuer"), "{text}");
    }
}
