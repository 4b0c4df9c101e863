//! The fate of unknown fields that a server has kept (`spec.preserveUnknownFields`), by how the new definition is installed.

use skewer_admission::definition::CustomResourceDefinition;
use skewer_engine::{Doc, OwnedDoc};
use skewer_reports::audit::{Audit, AuditFinding, Severity};

use crate::finding::id_of;
use crate::input::{DefinitionFile, PRESERVE_UNKNOWN_FIELDS as KEY};
use crate::schema_path::SchemaPath;

/// Adds to the audit of the first version what a server does with the setting. A request that does not mention it keeps it, so
/// that the old setting meets the new schemas. Upstream: `SetDefaults_CustomResourceDefinitionSpec` of `v1beta1` sets it to
/// true, and `validateCustomResourceDefinitionSpec` permits no default with it.
pub(super) fn add_kept_setting(audits: &mut [Audit], old: &DefinitionFile, new: &DefinitionFile) {
    let Some(audit) = audits.first_mut() else { return };
    let before = old.keeps_unknown_fields;
    if before == new.keeps_unknown_fields || new.mentions(&["spec", KEY]) {
        return;
    }
    let refusal =
        keeping(new).zip(keeping(old)).and_then(|(new, old)| new.check_update(&old).into_iter().next());
    let kept = format!(
        "kubectl apply and server-side apply of a file that does not mention spec.{KEY} keep {before}"
    );
    let (severity, effect) = if let Some(error) = refusal.filter(|_| before) {
        (Severity::Loud, format!("the update of the definition is refused: {kept} ({})", error.message()))
    } else {
        let still = if before { "kept" } else { "dropped" };
        (Severity::Note, format!("unknown fields are still {still}: {kept}"))
    };
    let line = new.line(&audit.versions, &SchemaPath::default());
    let change = format!("{KEY} not mentioned, {before} before");
    audit.changes += 1;
    audit.findings.push(AuditFinding {
        place: format!("{}:{line}", new.file.name()),
        effects: vec![effect],
        advice: vec![format!("write `{KEY}: {}` in the specification of the new definition", !before)],
        ..AuditFinding::new(id_of("", &change), severity, change)
    });
    super::sort(&mut audit.findings);
}

/// Returns a definition with the setting.
fn keeping(file: &DefinitionFile) -> Option<CustomResourceDefinition> {
    let mut document: OwnedDoc = file.definition.document().clone();
    document.as_map_mut()?.get_mut("spec")?.as_map_mut()?.insert(KEY.into(), Doc::Bool(true));
    CustomResourceDefinition::read(&document).ok()
}
