//! Whether a server accepts a definition in place of the old one.

use skewer_engine::{Error, FieldPath, PathSegment};
use skewer_reports::audit::{Audit, Finding, Severity};

use super::finding::id_of;
use super::input::DefinitionFile;

/// Returns the reasons for which a server refuses the new definition in place of the old one. `None` if it accepts it.
#[must_use]
pub fn refused_definition(old: &DefinitionFile, new: &DefinitionFile) -> Option<Audit> {
    let errors = new.definition.check_update(&old.definition);
    if errors.is_empty() {
        return None;
    }
    let finding = |error: &Error| Finding {
        id: id_of(&error.path().to_string(), error.message()),
        severity: Severity::Loud,
        path: error.path().to_string(),
        change: "definition refused".to_owned(),
        place: format!("{}:{}", new.file.name(), new.line_of(error.path())),
        effects: vec![format!("a server refuses the new definition: {}", error.message())],
        advice: advice(error.path()),
        example: Vec::new(),
    };
    Some(Audit {
        subject: format!("{} (the definition)", new.subject()),
        old: old.file.name().to_owned(),
        new: new.file.name().to_owned(),
        changes: errors.len(),
        findings: errors.iter().map(finding).collect(),
        ..Audit::default()
    })
}

/// Says what to do about a stored version that is missing. Its error is that of `spec.versions`.
fn advice(path: &FieldPath) -> Vec<String> {
    match path.segments() {
        [PathSegment::Key(spec), PathSegment::Key(versions)]
            if spec.as_str() == "spec" && versions.as_str() == "versions" =>
        {
            let advice = "keep the version, and do not serve it, until every object is stored in another version and \
                          status.storedVersions no longer names it";
            vec![advice.to_owned()]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a definition. Each version has a name, and whether objects are stored in it.
    fn definition(versions: &[(&str, bool)]) -> DefinitionFile {
        let versions: Vec<String> = versions
            .iter()
            .map(|(name, storage)| {
                format!(
                    "    - name: {name}\n      served: true\n      storage: {storage}\n      schema: {{openAPIV3Schema: \
                     {{type: object, properties: {{spec: {{type: object, properties: {{a: {{type: string}}}}}}}}}}}}\n"
                )
            })
            .collect();
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: \
             things.example.com}}\nspec:\n  group: example.com\n  names: {{kind: Thing, listKind: ThingList, plural: \
             things, singular: thing}}\n  scope: Namespaced\n  versions:\n{}",
            versions.concat()
        );
        DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
    }

    /// Returns the findings on a definition with these versions that replaces another one.
    fn refused(old: &[(&str, bool)], new: &[(&str, bool)]) -> Vec<Finding> {
        refused_definition(&definition(old), &definition(new)).map(|audit| audit.findings).unwrap_or_default()
    }

    /// Upstream: `ValidateCustomResourceDefinitionStoredVersions`.
    #[test]
    fn a_definition_without_a_stored_version_is_refused() {
        let findings = refused(&[("v1beta1", true), ("v1", false)], &[("v1", true)]);
        let found: Vec<_> = findings
            .iter()
            .map(|finding| (finding.severity, finding.path.as_str(), finding.place.as_str()))
            .collect();
        assert_eq!(found, [(Severity::Loud, "spec.versions", "crd.yaml:9")]);
        assert!(findings[0].effects[0].contains("v1beta1"), "{:?}", findings[0].effects);
        assert_eq!(findings[0].advice.len(), 1);
    }

    #[test]
    fn a_definition_without_a_version_that_is_not_stored_is_accepted() {
        assert!(refused(&[("v1beta1", false), ("v1", true)], &[("v1", true)]).is_empty());
    }
}
