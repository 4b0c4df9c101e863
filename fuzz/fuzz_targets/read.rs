//! Compares the JSON reader with `serde_json`, and reads written documents back.
//!
//! The readers differ in two points, in which ours agrees with Go: `serde_json` reads `-0` as the float `-0.0`, and
//! refuses lone surrogates.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde::de::IgnoredAny;
use skewer_engine::document::{Arena, from_json, from_json_borrowed, from_json_in, to_json};
use skewer_engine::{Doc, OwnedDoc};

fuzz_target!(|data: &[u8]| {
    let read = from_json(data);
    match read_with_serde_json::<OwnedDoc>(data) {
        Some(expected) => {
            assert_eq!(read.clone().ok().map(with_float_zeros), Some(with_float_zeros(expected)));
        }
        None => assert!(read.is_err() || read_with_serde_json::<IgnoredAny>(data).is_some()),
    }
    let arena = Arena::default();
    assert_eq!(from_json_in(data, &arena), read);
    let borrowed = from_json_borrowed(data);
    assert_eq!(borrowed, read);
    assert_eq!(borrowed.map(|value| to_json(&value)).ok(), read.as_ref().map(to_json).ok());
    if let Ok(value) = read {
        assert_eq!(from_json(&to_json(&value)).as_ref(), Ok(&value));
    }
});

fn read_with_serde_json<'a, T: Deserialize<'a>>(data: &'a [u8]) -> Option<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(data);
    deserializer.disable_recursion_limit();
    let value = T::deserialize(&mut deserializer).ok()?;
    deserializer.end().ok().map(|()| value)
}

/// Replaces each integer zero by the float zero.
fn with_float_zeros(value: OwnedDoc) -> OwnedDoc {
    match value {
        Doc::Int(0) => Doc::Float(0.0),
        Doc::List(items) => Doc::List(items.into_iter().map(with_float_zeros).collect()),
        Doc::Map(map) => Doc::Map(map.into_iter().map(|(key, value)| (key, with_float_zeros(value))).collect()),
        other => other,
    }
}
