//! Creates two-way and three-way patches. The input is last-applied, modified and live, on one line each.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skewer_engine::patch::{Overwrite, ThreeWay, apply, json_merge, three_way, two_way};
use skewer_fuzz::{CONTEXT, documents};

fuzz_target!(|data: &[u8]| {
    let Some([last_applied, modified, live]) = documents::<3>(data) else { return };
    if let Ok(patch) = two_way(&CONTEXT, &live, &modified) {
        let _ = apply(&CONTEXT, &live, &patch);
    }
    let documents = ThreeWay { last_applied: &last_applied, modified: &modified, live: &live };
    let overwritten = three_way(&CONTEXT, documents, Overwrite::Yes, &[]);
    if let Ok(patch) = three_way(&CONTEXT, documents, Overwrite::No, &[]) {
        assert_eq!(Ok(patch), overwritten);
    }
    let _ = json_merge::three_way(documents, &[]);
    if let Ok(patch) = json_merge::two_way(&live, &modified) {
        let _ = json_merge::apply(&live, &patch);
    }
});
