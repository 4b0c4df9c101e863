//! Helpers that several test modules share.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use skewer_engine::document::from_json;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Schema, go};
use skewer_engine::{ErrorKind, OwnedDoc, Result};

/// Reads a JSON document. Panics if the text is invalid.
#[track_caller]
pub(crate) fn json(text: &str) -> OwnedDoc {
    from_json(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Compiles Go type declarations. Panics if they are invalid.
#[track_caller]
pub(crate) fn schema_of(types: &str) -> Schema {
    let declarations = go::read(types).unwrap_or_else(|errors| panic!("{errors:#?}\n{types}"));
    Schema::compile(&declarations).unwrap_or_else(|errors| panic!("{errors:#?}\n{types}"))
}

/// Returns the context of a party that knows all of the given Go types and all directives.
#[track_caller]
pub(crate) fn context_of(types: &str, root: &str) -> PatchContext {
    PatchContext::of(Arc::new(schema_of(types)), root).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the kind of the error. Panics if the call succeeded.
#[track_caller]
pub(crate) fn kind<T>(result: Result<T>) -> ErrorKind {
    match result {
        Ok(_) => panic!("the call succeeded"),
        Err(error) => error.kind(),
    }
}

/// Returns the processor time of this thread, so that other processes do not disturb a measurement. Returns the elapsed
/// time on systems without `/proc`.
pub(crate) fn thread_time() -> Duration {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    let processor_time = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let processor_time = processor_time.and_then(|text| text.split_whitespace().next()?.parse().ok());
    processor_time.map_or_else(|| STARTED.elapsed(), Duration::from_nanos)
}
