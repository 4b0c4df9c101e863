//! The laws of patch evolution, as checks.
//!
//! "Changing patch format" of the strategic merge patch document says what a new directive must not do to those
//! who do not know it. Here that is five laws ([`law`]), tried on each directive and on proposals that were never
//! built ([`proposals`]): over the situations of the corpus ([`situation`]) and over generated ones ([`generate`]).
//! What comes of it is a [`verdict`] for each law, with the smallest counter-example ([`shrink`]), printed as a
//! case that can go into the corpus ([`render`]), and held against the verdicts on record ([`record`]). A [`report`]
//! has it all.
//!
//! Nothing is looked up: a party without a directive is the engine with a smaller set of directives.

mod cut;
pub mod generate;
pub mod law;
mod own;
pub mod proposals;
pub mod record;
pub mod render;
pub mod report;
mod same;
pub mod shrink;
pub mod situation;
pub mod subject;
pub mod trial;
mod unique;
pub mod verdict;

pub use law::{Breach, Finding, Law, Noise};
pub use record::{Record, Standing};
pub use situation::Situation;
pub use subject::{Era, Pair, Scope, Subject};
pub use verdict::{Example, Prepared, Verdict, Word, examine};
