//! Helpers that the tests of several modules share.

use std::sync::Arc;

use skewer_engine::OwnedDoc;
use skewer_engine::document::from_json;
use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::{Schema, go};
use skewer_skew::{OperandDeclaration, OperationKind, PatchFormat, Role};

/// Types without recursion.
pub(super) const FLAT: &str = r#"
    type T struct {
        APIVersion string            `json:"apiVersion,omitempty"`
        Kind       string            `json:"kind,omitempty"`
        Metadata   map[string]string `json:"metadata,omitempty"`
        A          []string          `json:"a" patchStrategy:"merge"`
    }
"#;

/// Returns the context of a party that knows the given types and the directives of released Kubernetes versions.
pub(crate) fn context(types: &str) -> PatchContext {
    let schema = Schema::compile(&go::read(types).unwrap()).unwrap();
    let context = PatchContext::of(Arc::new(schema), "T").unwrap();
    PatchContext { directives: Profile::Today.directives(), ..context }
}

/// Returns documents of the type [`FLAT`] that the operation accepts as operands.
pub(super) fn documents(kind: OperationKind) -> Vec<OwnedDoc> {
    let document = |role: Role| match kind.declaration().format {
        PatchFormat::JsonPatch if role.declaration().is_patch => r#"[{"op":"remove","path":"/a"}]"#,
        _ => r#"{"apiVersion":"example.com/v1","kind":"T","a":["x"]}"#,
    };
    let read = |role: Role| from_json(document(role).as_bytes()).unwrap();
    let length = |operand: &OperandDeclaration| {
        if operand.role.declaration().is_list { operand.length.unwrap_or(3) } else { 1 }
    };
    let operands = kind.declaration().operands.iter();
    operands.flat_map(|operand| vec![read(operand.role); length(operand)]).collect()
}
