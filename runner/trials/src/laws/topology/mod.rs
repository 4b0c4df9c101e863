//! The laws for changes of the topology of a field, which server-side apply divides among managers.
//!
//! A `change` gives a field another topology: a list of type map instead of an atomic one, one more key, a default
//! for a key. Each change is tried in generated situations: random types with that field, an object that
//! several managers have written, and the next apply request. In a `trial`, servers of both topologies process the
//! same requests, and the laws compare the ends. A counter-example is shrunk and printed as a suite.

mod change;
mod generate;
mod law;
pub mod report;
mod shrink;
mod suite_file;
#[cfg(test)]
mod tests;
mod trial;

pub use change::{CHANGES, TopologyChange};
pub use law::LAWS;
