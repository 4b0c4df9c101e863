//! The forms of scalars that are texts with a syntax: quantities, durations, numbers and bytes.
//!
//! Go decodes such a text into a value, and writes the value in one canonical form. The functions return that form.

pub(super) mod bytes;
pub(super) mod duration;
pub(super) mod number;
pub(super) mod quantity;
