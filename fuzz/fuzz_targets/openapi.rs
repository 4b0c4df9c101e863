//! Reads an OpenAPI document or a CustomResourceDefinition and compiles it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skewer_engine::schema::{Schema, openapi};
use skewer_engine::document::from_json;

fuzz_target!(|data: &[u8]| {
    let Ok(document) = from_json(data) else { return };
    let Ok(declarations) = openapi::read(&document) else { return };
    let _ = Schema::compile(&declarations);
});
