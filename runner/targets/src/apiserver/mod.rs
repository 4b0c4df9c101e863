//! The target `apiserver:R`: the request handlers of a Kubernetes release, in a Go program that speaks the adapter
//! protocol. [`install`](super::installed::install) builds it.

mod release;

pub use release::{ServerProgram, ServerRelease};
