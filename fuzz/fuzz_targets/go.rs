//! Reads Go type declarations, compiles them, and writes them as OpenAPI.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skewer_engine::schema::{Schema, go, openapi};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(declarations) = go::read(text) else { return };
    let _ = Schema::compile(&declarations);
    let _ = openapi::write_v2(&declarations);
    let _ = openapi::write_v3(&declarations);
});
