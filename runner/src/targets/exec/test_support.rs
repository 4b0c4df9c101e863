//! Helpers that the tests of several modules share.

use std::sync::Arc;

use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::{Schema, go};

/// Types without recursion.
pub(super) const FLAT: &str = r#"type T struct { A []string `json:"a" patchStrategy:"merge"` }"#;

/// Returns the context of a party that knows these types and the directives that shipped.
pub(super) fn context(types: &str) -> PatchContext {
    let schema = Schema::compile(&go::read(types).unwrap()).unwrap();
    let context = PatchContext::of(Arc::new(schema), "T").unwrap();
    PatchContext { directives: Profile::Today.directives(), ..context }
}
