//! Helpers that the fuzz targets share: types with all kinds of patch metadata, and a parser for documents.

use std::sync::{Arc, LazyLock};

use skewer_engine::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Schema, go};
use skewer_engine::document::from_json;

const TYPES: &str = r#"
type Root struct {
  Items  []Item            `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Kept   []Item            `json:"kept,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
  Ports  []Item            `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"name" recommendedPatchMergeKey:"name,kind"`
  Plain  []Item            `json:"plain,omitempty"`
  Set    []string          `json:"set,omitempty" patchStrategy:"merge"`
  Words  []string          `json:"words,omitempty"`
  One    *Item             `json:"one,omitempty"`
  Whole  *Item             `json:"whole,omitempty" patchStrategy:"replace"`
  Union  *Item             `json:"union,omitempty" patchStrategy:"retainKeys"`
  Labels map[string]string `json:"labels,omitempty"`
}
type Item struct {
  Name  string   `json:"name"`
  Kind  string   `json:"kind,omitempty"`
  Set   []string `json:"set,omitempty" patchStrategy:"merge"`
  Items []Item   `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Inner *Item    `json:"inner,omitempty"`
}
"#;

/// The context of a party that knows the types and all directives.
pub static CONTEXT: LazyLock<PatchContext> = LazyLock::new(|| {
    let declarations = go::read(TYPES).expect("the declarations are valid Go");
    let schema = Schema::compile(&declarations).expect("the types compile");
    PatchContext::of(Arc::new(schema), "Root").expect("Root is declared")
});

/// Parses `N` JSON documents, one on each line. Returns `None` if one of them is missing or invalid.
pub fn documents<const N: usize>(data: &[u8]) -> Option<[OwnedDoc; N]> {
    let mut lines = data.split(|byte| *byte == b'\n');
    let mut documents = Vec::with_capacity(N);
    for _ in 0..N {
        documents.push(from_json(lines.next()?).ok()?);
    }
    documents.try_into().ok()
}
