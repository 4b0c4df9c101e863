//! Judgement of a final state against the ideal.

use std::fmt;

use crate::document::{Doc, OwnedDoc, OwnedMap};
use crate::error::Error;
use crate::field_path::{FieldPath, PathSegment};
use crate::patch::PatchContext;
use crate::schema::{FieldMeta, ListType, TypeId};

/// The result of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum FinalState {
    /// The stored object.
    Stored(OwnedDoc),
    /// The error of the request; the stored object is unchanged.
    Refused(Error),
}

/// The judged result of an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// As the ideal: the same result, or refused for the same reason.
    Intended,
    /// Not the ideal, but what the old client on the old server gets: allowed by the compatibility promise.
    AsBefore,
    /// The request failed where the ideal does not: loud.
    Refused,
    /// Accepted, and nothing changed though something should have: silent.
    Ignored,
    /// Accepted; all that should be there is, and something that should be gone remains: silent.
    Leftover,
    /// Accepted; something that should be there is missing, and nothing else is wrong: silent.
    Lost,
    /// Accepted, and different in another way: silent.
    Diverged,
}

impl Outcome {
    /// All outcomes, in the order in which they are tried.
    pub const ALL: [Outcome; 7] = [
        Outcome::Intended,
        Outcome::AsBefore,
        Outcome::Refused,
        Outcome::Ignored,
        Outcome::Leftover,
        Outcome::Lost,
        Outcome::Diverged,
    ];

    /// The name in cases and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Intended => "intended",
            Outcome::AsBefore => "as-before",
            Outcome::Refused => "refused",
            Outcome::Ignored => "ignored",
            Outcome::Leftover => "leftover",
            Outcome::Lost => "lost",
            Outcome::Diverged => "diverged",
        }
    }

    /// Returns true if the request was accepted without the intended effect.
    #[must_use]
    pub fn is_silent(self) -> bool {
        matches!(self, Outcome::Ignored | Outcome::Leftover | Outcome::Lost | Outcome::Diverged)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An outcome, and the differences from the ideal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// The outcome.
    pub outcome: Outcome,
    /// The outcome without the promise of [`Outcome::AsBefore`]. The judgement counts as silent too when this does.
    pub outcome_without_promise: Outcome,
    /// The paths at which the stored object differs from the ideal one.
    pub paths: Vec<FieldPath>,
}

/// Judges a final state. `before` is given only where a compatibility promise covers the case. Lists are compared
/// with their order unless the schema says that they are a set or a map.
#[must_use]
pub fn judge(
    context: &PatchContext,
    stored: &OwnedDoc,
    final_state: &FinalState,
    ideal: &FinalState,
    before: Option<&FinalState>,
) -> Judgement {
    let judge = Judge { context };
    let outcome_without_promise = judge.outcome(stored, final_state, ideal);
    let as_before = || before.is_some_and(|before| judge.is_same_final_state(final_state, before));
    let outcome = if outcome_without_promise != Outcome::Intended && as_before() {
        Outcome::AsBefore
    } else {
        outcome_without_promise
    };
    let (is, should) = (stored_after(stored, final_state), stored_after(stored, ideal));
    Judgement { outcome, outcome_without_promise, paths: differing_paths(context, is, should) }
}

/// Returns the paths at which two documents differ, with the equality of [`judge`].
#[must_use]
pub fn differing_paths(context: &PatchContext, is: &OwnedDoc, should: &OwnedDoc) -> Vec<FieldPath> {
    let judge = Judge { context };
    let mut differences = Differences { judge: &judge, path: FieldPath::root(), paths: Vec::new() };
    differences.collect(is, should, judge.root_type());
    differences.paths
}

struct Judge<'a> {
    context: &'a PatchContext,
}

/// A type, where it is known, and the metadata of the field that holds the value.
type TypeAndMeta<'a> = (Option<TypeId>, &'a FieldMeta);

const NO_META: &FieldMeta = &FieldMeta::NONE;

/// Returns the object that is stored after a final state.
fn stored_after<'v>(stored: &'v OwnedDoc, final_state: &'v FinalState) -> &'v OwnedDoc {
    match final_state {
        FinalState::Stored(value) => value,
        FinalState::Refused(_) => stored,
    }
}

impl<'a> Judge<'a> {
    fn root_type(&self) -> TypeAndMeta<'a> {
        (Some(self.context.root), NO_META)
    }

    fn field_type(&self, (ty, _): TypeAndMeta<'_>, key: &str) -> TypeAndMeta<'a> {
        let field = ty.and_then(|ty| self.context.schema.field(ty, key));
        field.map_or((None, NO_META), |field| (Some(field.ty), &field.meta))
    }

    fn item_type(&self, (ty, _): TypeAndMeta<'_>) -> TypeAndMeta<'a> {
        (ty.and_then(|ty| self.context.schema.item(ty)), NO_META)
    }

    fn is_same_final_state(&self, a: &FinalState, b: &FinalState) -> bool {
        match (a, b) {
            (FinalState::Refused(a), FinalState::Refused(b)) => a.kind() == b.kind(),
            (FinalState::Stored(a), FinalState::Stored(b)) => self.is_same(a, b),
            _ => false,
        }
    }

    fn outcome(&self, stored: &OwnedDoc, final_state: &FinalState, ideal: &FinalState) -> Outcome {
        if self.is_same_final_state(final_state, ideal) {
            return Outcome::Intended;
        }
        let FinalState::Stored(result) = final_state else { return Outcome::Refused };
        if self.is_same(result, stored) {
            return Outcome::Ignored;
        }
        let should = stored_after(stored, ideal);
        let has_all = self.contains(result, should, self.root_type());
        let has_more = !self.contains(should, result, self.root_type());
        match (has_all, has_more) {
            (true, true) => Outcome::Leftover,
            (false, false) => Outcome::Lost,
            // Equal contents in another order, or stored where it should have been refused, are neither.
            _ => Outcome::Diverged,
        }
    }

    fn is_same(&self, a: &OwnedDoc, b: &OwnedDoc) -> bool {
        let mut differences = Differences { judge: self, path: FieldPath::root(), paths: Vec::new() };
        differences.collect(a, b, self.root_type());
        differences.paths.is_empty()
    }

    /// Returns true if `whole` has everything that `part` has.
    fn contains(&self, whole: &OwnedDoc, part: &OwnedDoc, ty: TypeAndMeta<'_>) -> bool {
        match (whole, part) {
            (Doc::Map(whole), Doc::Map(part)) => part.iter().all(|(key, part)| {
                whole.get(key).is_some_and(|whole| self.contains(whole, part, self.field_type(ty, key)))
            }),
            (Doc::List(whole), Doc::List(part)) => self.list_contains(whole, part, self.item_type(ty)),
            _ => whole == part,
        }
    }

    /// Returns true if each item of `part` has one of `whole` that contains it. Equal items are matched first, so that
    /// larger ones remain for the others.
    fn list_contains(&self, whole: &[OwnedDoc], part: &[OwnedDoc], item: TypeAndMeta<'_>) -> bool {
        let mut unmatched: Vec<&OwnedDoc> = whole.iter().collect();
        let mut without_equal = Vec::new();
        for part in part {
            if !take_first(&mut unmatched, |whole| whole == part) {
                without_equal.push(part);
            }
        }
        without_equal
            .into_iter()
            .all(|part| take_first(&mut unmatched, |whole| self.contains(whole, part, item)))
    }
}

/// Removes the first item that matches; false when none does.
fn take_first(items: &mut Vec<&OwnedDoc>, is_match: impl Fn(&OwnedDoc) -> bool) -> bool {
    let found = items.iter().position(|item| is_match(item));
    found.map(|index| items.remove(index)).is_some()
}

/// Collects the paths at which two documents differ.
struct Differences<'a> {
    judge: &'a Judge<'a>,
    path: FieldPath,
    paths: Vec<FieldPath>,
}

impl Differences<'_> {
    fn collect(&mut self, is: &OwnedDoc, should: &OwnedDoc, ty: TypeAndMeta<'_>) {
        match (is, should) {
            (Doc::Map(is), Doc::Map(should)) => self.maps(is, should, ty),
            (Doc::List(is), Doc::List(should)) => self.lists(is, should, ty),
            _ if is == should => {}
            _ => self.paths.push(self.path.clone()),
        }
    }

    fn maps(&mut self, is: &OwnedMap, should: &OwnedMap, ty: TypeAndMeta<'_>) {
        for (key, value) in is.iter() {
            self.path.push(PathSegment::Key(key.clone()));
            match should.get(key) {
                Some(other) => self.collect(value, other, self.judge.field_type(ty, key)),
                None => self.paths.push(self.path.clone()),
            }
            self.path.pop();
        }
        for key in should.keys().filter(|key| !is.contains_key(key)) {
            self.path.push(PathSegment::Key(key.clone()));
            self.paths.push(self.path.clone());
            self.path.pop();
        }
    }

    fn lists(&mut self, is: &[OwnedDoc], should: &[OwnedDoc], ty: TypeAndMeta<'_>) {
        if matches!(ty.1.list_type, Some(ListType::Set | ListType::Map)) {
            let mut unmatched: Vec<&OwnedDoc> = should.iter().collect();
            let is_same = is.len() == should.len()
                && is.iter().all(|is| take_first(&mut unmatched, |should| is == should));
            if !is_same {
                self.paths.push(self.path.clone());
            }
            return;
        }
        if is.len() != should.len() {
            self.paths.push(self.path.clone());
            return;
        }
        for (index, (is, should)) in is.iter().zip(should).enumerate() {
            self.path.push(PathSegment::Index(index));
            self.collect(is, should, self.judge.item_type(ty));
            self.path.pop();
        }
    }
}
