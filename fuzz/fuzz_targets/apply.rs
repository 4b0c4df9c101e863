//! Applies, combines and compares patches. The input is an object and a patch, on one line each.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skewer_engine::patch::{apply, combine, have_conflicts, json_merge, json_patch};
use skewer_engine::document::{from_json, to_json};
use skewer_fuzz::{CONTEXT, documents};

fuzz_target!(|data: &[u8]| {
    let Some([live, patch]) = documents::<2>(data) else { return };
    if let Ok(result) = apply(&CONTEXT, &live, &patch) {
        assert_eq!(from_json(&to_json(&result)), Ok(result));
    }
    let _ = have_conflicts(&CONTEXT, &live, &patch);
    let _ = json_merge::apply(&live, &patch);
    let _ = json_patch::apply(&live, &patch);
    let _ = combine(&CONTEXT, &[live, patch]);
});
