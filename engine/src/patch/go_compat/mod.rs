//! Behaviour of Go and its standard library that affects upstream's results.

pub(crate) mod equality;
pub(crate) mod slice_aliasing;
pub(in crate::patch) mod sort;
pub(in crate::patch) mod text;
