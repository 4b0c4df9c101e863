//! Parses a line of an adapter's output as a reply.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = skewer_targets::describe_reply(data);
});
