//! The engine as a patch library alone: neither Go declarations nor embedded releases, only types of one's own.
//!
//! ```console
//! $ cargo run -p skewer-engine --no-default-features --example patch_library
//! ```

#![allow(clippy::print_stdout)] // an example shows its results

use std::sync::Arc;

use skewer_engine::document::from_json;
use skewer_engine::patch::{PatchContext, bytes};
use skewer_engine::schema::{Declarations, FieldDecl, PatchMeta, Schema, TypeDecl, TypeExpr, openapi};
use skewer_engine::{Error, Result};

/// Declares the types by hand: a list of ports that is merged by their numbers.
fn declared_types() -> Declarations {
    let ports = FieldDecl::new("ports", TypeExpr::list(TypeExpr::named("Port")));
    Declarations::new([
        TypeDecl::new_struct("Service", [ports.optional().with_patch(PatchMeta::merge_by(["port"]))]),
        TypeDecl::new_struct(
            "Port",
            [
                FieldDecl::new("port", TypeExpr::INTEGER).required(),
                FieldDecl::new("name", TypeExpr::STRING).optional(),
            ],
        ),
    ])
}

/// Reads the types from an `OpenAPI` document, as API servers publish them.
fn published_types() -> Result<Declarations> {
    let document = br##"{"components": {"schemas": {
        "Service": {"type": "object", "properties": {
            "ports": {
                "type": "array", "items": {"$ref": "#/components/schemas/Port"},
                "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "port"}}},
        "Port": {"type": "object", "required": ["port"], "properties": {
            "port": {"type": "integer"}, "name": {"type": "string"}}}}}}"##;
    openapi::read(&from_json(document)?).map_err(first)
}

fn first(errors: Vec<Error>) -> Error {
    errors.into_iter().next().expect("a list of errors is never empty")
}

fn main() -> Result<()> {
    for declarations in [declared_types(), published_types()?] {
        let schema = Schema::compile(&declarations).map_err(first)?;
        let context = PatchContext::of(Arc::new(schema), "Service")?;

        let live = br#"{"ports":[{"port":80},{"port":443}]}"#;
        let patched = bytes::apply(&context, live, br#"{"ports":[{"port":80,"name":"http"}]}"#)?;
        assert_eq!(patched, br#"{"ports":[{"name":"http","port":80},{"port":443}]}"#);

        let patch = bytes::two_way(&context, live, &patched)?;
        println!("{}", String::from_utf8_lossy(&patch));
    }
    Ok(())
}
