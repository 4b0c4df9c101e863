//! A local search for objects that a server accepts: an object that the server refuses is edited where the server finds
//! errors.

use std::cell::Cell;
use std::collections::BTreeSet;

use skewer_admission::Admission;
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc};

use super::obstacle::Obstacle;
use super::repair_edits::edits_against;
use super::witness::{Budget, Objects, store};

/// The number of objects that a repair tries.
const MAX_TRIED: usize = 300;

/// The number of edits of which a repair asks whether they are wanted.
const MAX_EDITS: usize = 3_000;

/// The number of values that evaluations of rules read in one repair.
pub(crate) const MAX_TO_REPAIR: usize = 500_000;

/// The number of errors of one object against which it is edited.
const MAX_ERRORS: usize = 3;

/// The search for an object that a server accepts.
pub(crate) struct Repair<'r> {
    admission: &'r Admission,
    /// The stored object that is changed. `None` if the object is created.
    old: Option<&'r OwnedDoc>,
    /// Whether an object is one that is looked for, if the server accepts it.
    is_wanted: &'r dyn Fn(&OwnedDoc) -> bool,
    /// The number of values that evaluations of rules can still read.
    budget: Budget,
    /// The objects that were tried.
    seen: BTreeSet<String>,
    /// The number of edits that were made.
    edited: usize,
    /// The objects that were refused and can be edited, the best first.
    open: Vec<Candidate>,
    /// The best object that was refused.
    best: Option<BestObject>,
}

struct Candidate {
    object: OwnedDoc,
    errors: Vec<Error>,
    cost: usize,
}

/// The object that a server refuses for the fewest reasons.
pub(crate) struct BestObject {
    pub(crate) object: OwnedDoc,
    cost: usize,
    refusals: Vec<Obstacle>,
}

/// The answer of a server to an object.
enum Tried {
    Accepted,
    /// The object is refused. A lower cost is better.
    Refused {
        cost: usize,
    },
    /// The object lacks a wanted element, or was tried before.
    Skipped,
}

impl<'r> Repair<'r> {
    pub(crate) fn new(admission: &'r Admission, is_wanted: &'r dyn Fn(&OwnedDoc) -> bool) -> Self {
        Repair {
            admission,
            old: None,
            is_wanted,
            budget: Budget::new(Cell::new(MAX_TO_REPAIR)),
            seen: BTreeSet::new(),
            edited: 0,
            open: Vec::new(),
            best: None,
        }
    }

    /// Several repairs share a budget.
    pub(crate) fn within(mut self, budget: &Budget) -> Self {
        self.budget = Budget::clone(budget);
        self
    }

    /// The object is to replace a stored one.
    pub(crate) fn changing(mut self, old: &'r OwnedDoc) -> Self {
        self.old = Some(old);
        self
    }

    /// Edits objects until the server accepts one. The same objects have the same result.
    ///
    /// # Errors
    ///
    /// Returns why the server refuses the best object that was found.
    pub(crate) fn run(self, starts: Vec<OwnedDoc>) -> Result<OwnedDoc, Vec<Obstacle>> {
        self.run_to_best(starts).map_err(|best| best.map(|best| best.refusals).unwrap_or_default())
    }

    /// Edits objects until the server accepts one. Otherwise returns the best object, if there is one.
    pub(crate) fn run_to_best(mut self, starts: Vec<OwnedDoc>) -> Result<OwnedDoc, Option<BestObject>> {
        for object in starts {
            if matches!(self.tried(&object), Tried::Accepted) {
                return Ok(object);
            }
        }
        while !self.open.is_empty() && !self.is_exhausted() {
            let candidate = self.open.remove(0);
            if let Some(accepted) = self.edit(candidate) {
                return Ok(accepted);
            }
        }
        Err(self.best)
    }

    /// Tries edits of an object until one is accepted or is better. The others are tried later, if that one leads nowhere.
    fn edit(&mut self, candidate: Candidate) -> Option<OwnedDoc> {
        for object in self.edits(&candidate) {
            if self.is_exhausted() {
                break;
            }
            self.edited += 1;
            match self.tried(&object) {
                Tried::Accepted => return Some(object),
                Tried::Refused { cost } if cost < candidate.cost => {
                    self.push(Candidate { cost: candidate.cost + 1, ..candidate });
                    break;
                }
                Tried::Refused { .. } | Tried::Skipped => {}
            }
        }
        None
    }

    fn is_exhausted(&self) -> bool {
        self.seen.len() >= MAX_TRIED || self.edited >= MAX_EDITS || self.budget.get() == 0
    }

    fn tried(&mut self, object: &OwnedDoc) -> Tried {
        if !(self.is_wanted)(object) || !self.seen.insert(object.to_string()) {
            return Tried::Skipped;
        }
        let Err(mut errors) = store(self.admission, self.old, object) else { return Tried::Accepted };
        errors.dedup();
        let cost = errors.iter().map(|error| cost_of(error.kind())).sum();
        if self.best.as_ref().is_none_or(|best| cost < best.cost) {
            let refusals = Obstacle::all(&self.admission.version.schema, &errors);
            self.best = Some(BestObject { object: object.clone(), cost, refusals });
        }
        self.push(Candidate { object: object.clone(), errors, cost });
        Tried::Refused { cost }
    }

    fn push(&mut self, candidate: Candidate) {
        let at = self.open.partition_point(|other| other.cost <= candidate.cost);
        self.open.insert(at, candidate);
    }

    fn edits(&self, candidate: &Candidate) -> Vec<OwnedDoc> {
        let errors = candidate.errors.iter().take(MAX_ERRORS);
        let objects = Objects { new: candidate.object.clone(), old: self.old.cloned() };
        let edits = errors.flat_map(|error| edits_against(self.admission, &objects, error, &self.budget));
        let with_mirrored = |edit: OwnedDoc| {
            let mut mirrored = edit.clone();
            let is_mirrored = mirror(&candidate.object, &mut mirrored);
            is_mirrored.then_some(mirrored).into_iter().chain([edit])
        };
        edits.flat_map(with_mirrored).collect()
    }
}

/// Returns how far an object with an error is from one that is accepted. A server evaluates no rules before the other errors
/// are gone, so that these count more.
const fn cost_of(kind: ErrorKind) -> usize {
    match kind {
        ErrorKind::InvalidValue => 2,
        _ => 8,
    }
}

/// Edits each item of a list that was equal to an edited one in the same way. Returns true if there is one. That two items are
/// equal can be what breaks a rule.
fn mirror(before: &OwnedDoc, edited: &mut OwnedDoc) -> bool {
    match (before, edited) {
        (Doc::Map(before), Doc::Map(map)) => before.iter().fold(false, |is_mirrored, (key, value)| {
            map.get_mut(key).is_some_and(|edited| mirror(value, edited)) || is_mirrored
        }),
        (Doc::List(before), Doc::List(items)) if before.len() == items.len() => {
            let is_edited = |items: &[OwnedDoc], at: usize| items[at] != before[at];
            (0..items.len()).fold(false, |is_mirrored, at| {
                if is_edited(items, at) {
                    return mirror(&before[at], &mut items[at]) || is_mirrored;
                }
                let twin =
                    (0..items.len()).find(|twin| before[*twin] == before[at] && is_edited(items, *twin));
                if let Some(twin) = twin {
                    items[at] = items[twin].clone();
                }
                twin.is_some() || is_mirrored
            })
        }
        _ => false,
    }
}
