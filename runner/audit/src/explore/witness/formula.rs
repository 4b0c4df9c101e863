//! Formulas of conditions that can be true or false, or that cannot be evaluated.

/// The result of a condition. `None` if it cannot be evaluated.
pub(super) type Outcome = Option<bool>;

/// A rule, as far as it is taken apart.
pub(super) enum Formula {
    Constant(bool),
    /// Whether a value is there.
    Has(usize),
    Condition(usize),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    If(Box<[Formula; 3]>),
    Equal(Box<[Formula; 2]>),
}

impl Formula {
    /// Returns the result for one combination, as servers evaluate it.
    pub(super) fn outcome(&self, combination: &Combination) -> Outcome {
        // A result that decides hides what cannot be evaluated.
        let decided_by = |parts: &[Formula], deciding: bool| {
            let outcomes: Vec<Outcome> = parts.iter().map(|part| part.outcome(combination)).collect();
            if outcomes.contains(&Some(deciding)) {
                Some(deciding)
            } else {
                (!outcomes.contains(&None)).then_some(!deciding)
            }
        };
        match self {
            Formula::Constant(constant) => Some(*constant),
            Formula::Has(place) => combination.has(*place),
            Formula::Condition(at) => combination.outcomes[*at],
            Formula::Not(inner) => inner.outcome(combination).map(|outcome| !outcome),
            Formula::And(parts) => decided_by(parts, false),
            Formula::Or(parts) => decided_by(parts, true),
            Formula::If(parts) => {
                let [condition, yes, no] = &**parts;
                let chosen = if condition.outcome(combination)? { yes } else { no };
                chosen.outcome(combination)
            }
            Formula::Equal(sides) => {
                let [a, b] = &**sides;
                Some(a.outcome(combination)? == b.outcome(combination)?)
            }
        }
    }
}

/// A choice of the values that are there, and of the results of conditions. Those that are not chosen yet are missing.
#[derive(Default)]
pub(super) struct Combination {
    /// Whether a value is there, with its parent.
    pub(super) is_there: Vec<bool>,
    /// The places that contain the values.
    pub(super) parents: Vec<Option<usize>>,
    pub(super) outcomes: Vec<Outcome>,
}

impl Combination {
    fn has(&self, place: usize) -> Outcome {
        match self.parents[place] {
            Some(parent) if !self.is_there[parent] => None,
            _ => Some(self.is_there[place]),
        }
    }
}
