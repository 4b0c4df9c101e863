//! Witnesses: objects that a server accepts, and that one rule refuses.
//!
//! The search goes backwards from the rule: what its parts compare says which values to change. The evaluator of rules and the
//! simulated server decide what a change does, so that a witness is never a guess. The same search finds objects on which a
//! rule holds.

mod broken;
mod formula;
mod implication;
mod listing;
mod narrow;
mod objects;
mod proof;
mod satisfying;
mod scope;
#[cfg(test)]
mod tests;
mod texts;
mod values;

pub use self::broken::{RuleToBreak, Unbroken};
pub use self::listing::{Decision, RuleWitnesses, counterexample, witnesses};
pub(crate) use self::narrow::interleaved;
pub use self::objects::Objects;
pub(crate) use self::objects::{schema_at, with_value, without_value};
pub(crate) use self::satisfying::{literals_at, satisfying, store};
pub(crate) use self::scope::Budget;
