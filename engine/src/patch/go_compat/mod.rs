//! Behaviour of Go and of its standard library that upstream's results depend on.

pub(crate) mod equality;
pub(crate) mod slice_aliasing;
pub(in crate::patch) mod sort;
pub(in crate::patch) mod text;
