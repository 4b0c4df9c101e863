//! What an adapter may answer: any line is a reply or nonsense.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = skewer::targets::describe_reply(data);
});
