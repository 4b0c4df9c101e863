//! Findings in the Static Analysis Results Interchange Format (SARIF 2.1.0), which code scanning services read.

use serde_json::{Value, json};

use super::model::{Audit, Finding, Severity};

/// Returns the findings of audits as one run.
#[must_use]
pub fn sarif(audits: &[Audit]) -> Value {
    let results: Vec<Value> =
        audits.iter().flat_map(|audit| audit.findings.iter().map(|finding| result(audit, finding))).collect();
    let rules = [Severity::Silent, Severity::Loud, Severity::Note]
        .map(|severity| json!({"id": rule(severity), "shortDescription": {"text": description(severity)}}));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "skewer audit", "rules": rules}}, "results": results}],
    })
}

fn rule(severity: Severity) -> String {
    severity.name().to_lowercase()
}

const fn description(severity: Severity) -> &'static str {
    match severity {
        Severity::Silent => "Data is lost or wrong, and every request succeeds.",
        Severity::Loud => "Requests are refused.",
        Severity::Note => "True, but rarely a problem.",
    }
}

fn result(audit: &Audit, finding: &Finding) -> Value {
    let level = match finding.severity {
        Severity::Silent => "error",
        Severity::Loud => "warning",
        Severity::Note => "note",
    };
    let title = format!("{} {}", finding.path, finding.change);
    let text = format!("{}: {}\n{}", audit.subject, title.trim(), finding.effects.join("\n"));
    let locations: Vec<Value> = finding
        .line()
        .map(|(file, line)| {
            json!({"physicalLocation": {"artifactLocation": {"uri": file}, "region": {"startLine": line}}})
        })
        .into_iter()
        .collect();
    json!({
        "ruleId": rule(finding.severity),
        "level": level,
        "message": {"text": text},
        "locations": locations,
        // The id stays the same when other changes are made.
        "partialFingerprints": {"skewerAudit/v1": format!("{} {}", audit.subject, finding.id)},
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::markdown::tests::audit;

    #[test]
    fn a_finding_is_a_result_with_a_location_and_a_fingerprint() {
        let sarif = sarif(&[audit()]);
        let result = &sarif["runs"][0]["results"][0];
        assert_eq!((&result["ruleId"], &result["level"]), (&json!("silent"), &json!("error")));
        let location = &result["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], "new.yaml");
        assert_eq!(location["region"]["startLine"], 12);
        assert_eq!(result["partialFingerprints"]["skewerAudit/v1"], "Thing example.com/v1 A-1");
        let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("a list");
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{rules:?}");
    }
}
