//! The forms of scalars that are texts with a syntax: quantities, times, durations and bytes.
//!
//! Go decodes such a text into a value, and writes the value in one canonical form. The functions return that form.

pub(crate) mod bytes;
pub(crate) mod duration;
pub(crate) mod number;
pub(crate) mod quantity;
pub(crate) mod time;
