//! Why two implementations may differ.

use super::compare::Answer;
use super::trial::Trial;

/// A reason for answers to differ, with what to look at.
#[derive(Debug)]
pub struct Rule {
    /// A short name, for counts.
    pub name: &'static str,
    /// Why.
    pub because: &'static str,
    pub(super) holds: fn(&Trial, &Answer, &Answer) -> bool,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Rule {}

/// The target's answer changes from one time to the next, and ours is among its answers. No look at the answers
/// shows that: the target is asked again.
pub static MAP_ORDER: Rule = Rule {
    name: "map-order",
    because: "the target's own answer changes with the order of its maps, and ours is one of its answers",
    holds: |_, _, _| false,
};

/// What is looked for in the answers, the first that holds.
pub static RULES: &[Rule] = &[Rule {
    name: "upstream-panics",
    because: "the target panics where it compares lists or maps as scalars, or looks into null; ours refuses with \
              not-a-scalar",
    holds: |_, ours, theirs| is_refused_panic(ours, theirs),
}];

/// Is one the refusal that stands for the other's panic?
pub(super) fn is_refused_panic(ours: &Answer, theirs: &Answer) -> bool {
    matches!((ours, theirs), (Answer::Refused { kind: "not-a-scalar", .. }, Answer::Panic(_)))
}
