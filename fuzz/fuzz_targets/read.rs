//! Compares the JSON reader with `serde_json`, and reads written documents back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skewer_engine::OwnedDoc;
use skewer_engine::document::{from_json, from_json_borrowed, to_json};

fuzz_target!(|data: &[u8]| {
    let mut reference = serde_json::Deserializer::from_slice(data);
    reference.disable_recursion_limit();
    let reference = <OwnedDoc as serde::Deserialize>::deserialize(&mut reference)
        .and_then(|value| reference.end().map(|()| value));
    let read = from_json(data);
    assert_eq!(read.as_ref().ok(), reference.as_ref().ok());
    let borrowed = from_json_borrowed(data);
    assert_eq!(borrowed, read);
    assert_eq!(borrowed.map(|value| to_json(&value)).ok(), read.as_ref().map(to_json).ok());
    if let Ok(value) = read {
        assert_eq!(from_json(&to_json(&value)).as_ref(), Ok(&value));
    }
});
