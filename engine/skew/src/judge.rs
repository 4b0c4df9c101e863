//! The judgement of a final state: a comparison with the ideal.

use std::fmt;

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::error::Error;
use skewer_engine::field_path::{FieldPath, PathSegment};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{FieldMeta, ListType, TypeId};

use super::convert::with_empty_structs;

/// The final state of a scenario: a stored object, or an error.
#[derive(Clone, Debug, PartialEq)]
pub enum FinalState {
    /// The object that is stored after the request.
    Stored(OwnedDoc),
    /// The error for which the request was refused. The stored object is unchanged.
    Refused(Error),
}

impl FinalState {
    /// Returns the final state with an empty map for each Go struct that the stored object lacks.
    fn with_empty_structs(&self, context: &PatchContext) -> Self {
        match self {
            FinalState::Stored(object) => FinalState::Stored(with_empty_structs(context, object.clone())),
            FinalState::Refused(error) => FinalState::Refused(error.clone()),
        }
    }
}

/// The judged final state of an intent. An outcome is *silent* if the request was accepted without the intended effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The ideal is a stored object, and this object was stored.
    Intended,
    /// The ideal is a refusal, and the request was refused with an error of the same kind at the same field path.
    Rejected,
    /// The final state differs from the ideal, but equals that of the old client on the old server. A compatibility
    /// promise allows this.
    AsBefore,
    /// The request was refused, although the ideal is a stored object or a refusal for another reason.
    Refused,
    /// The request was accepted, but the stored object did not change. In the ideal it changes. Silent.
    Ignored,
    /// The stored object has everything that the ideal has, and more. Silent.
    Leftover,
    /// The stored object lacks something that the ideal has, and has nothing more. Silent.
    Lost,
    /// The stored object differs from the ideal in any other way. Silent.
    Diverged,
    /// The ideal is a refusal, but the request was accepted. Silent.
    WronglyAccepted,
}

impl Outcome {
    /// All outcomes. [`judge`] chooses the first one that applies.
    pub const ALL: [Outcome; 9] = [
        Outcome::Intended,
        Outcome::Rejected,
        Outcome::AsBefore,
        Outcome::Refused,
        Outcome::Ignored,
        Outcome::Leftover,
        Outcome::Lost,
        Outcome::Diverged,
        Outcome::WronglyAccepted,
    ];

    /// Returns the name that cases and reports use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Intended => "intended",
            Outcome::Rejected => "rejected",
            Outcome::AsBefore => "as-before",
            Outcome::Refused => "refused",
            Outcome::Ignored => "ignored",
            Outcome::Leftover => "leftover",
            Outcome::Lost => "lost",
            Outcome::Diverged => "diverged",
            Outcome::WronglyAccepted => "wrongly-accepted",
        }
    }

    /// Returns true if the request was accepted without the intended effect.
    #[must_use]
    pub fn is_silent(self) -> bool {
        match self {
            Outcome::Ignored
            | Outcome::Leftover
            | Outcome::Lost
            | Outcome::Diverged
            | Outcome::WronglyAccepted => true,
            Outcome::Intended | Outcome::Rejected | Outcome::AsBefore | Outcome::Refused => false,
        }
    }

    /// Returns true if the final state is the ideal.
    #[must_use]
    pub fn is_ideal(self) -> bool {
        matches!(self, Outcome::Intended | Outcome::Rejected)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The outcome of a final state, with the differences from the ideal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// The outcome.
    pub outcome: Outcome,
    /// The outcome if there were no compatibility promise. It differs from `outcome` only if `outcome` is
    /// [`Outcome::AsBefore`], and then shows whether the difference that the promise allows is silent.
    pub outcome_without_promise: Outcome,
    /// The paths at which the stored object differs from the ideal one.
    pub paths: Vec<FieldPath>,
}

/// Judges a final state by comparing it with the ideal.
///
/// `stored` is the object before the request. `before` is the final state of the old client on the old server; it is
/// `None` if no compatibility promise covers the case. The order of list items counts, except in lists that the schema
/// declares as sets or maps. A Go struct that an object lacks counts as empty.
#[must_use]
pub fn judge(
    context: &PatchContext,
    stored: &OwnedDoc,
    final_state: &FinalState,
    ideal: &FinalState,
    before: Option<&FinalState>,
) -> Judgement {
    if final_state == ideal {
        // Most final states are. They need no other form.
        let outcome =
            if matches!(ideal, FinalState::Stored(_)) { Outcome::Intended } else { Outcome::Rejected };
        return Judgement { outcome, outcome_without_promise: outcome, paths: Vec::new() };
    }
    let stored = &with_empty_structs(context, stored.clone());
    let (final_state, ideal) = (&final_state.with_empty_structs(context), &ideal.with_empty_structs(context));
    let judge = Judge { context };
    let outcome_without_promise = judge.outcome(stored, final_state, ideal);
    let as_before = || {
        before
            .is_some_and(|before| judge.is_same_final_state(final_state, &before.with_empty_structs(context)))
    };
    let outcome = if !outcome_without_promise.is_ideal() && as_before() {
        Outcome::AsBefore
    } else {
        outcome_without_promise
    };
    let (actual, expected) = (stored_after(stored, final_state), stored_after(stored, ideal));
    Judgement { outcome, outcome_without_promise, paths: differing_paths(context, actual, expected) }
}

/// Returns the paths at which two documents differ. The order of list items counts as in [`judge`].
#[must_use]
pub fn differing_paths(context: &PatchContext, actual: &OwnedDoc, expected: &OwnedDoc) -> Vec<FieldPath> {
    let judge = Judge { context };
    let mut differences = Differences { judge: &judge, path: FieldPath::root(), paths: Vec::new() };
    differences.collect(actual, expected, judge.root_type());
    differences.paths
}

/// The comparison of documents whose types are those of a context.
struct Judge<'a> {
    context: &'a PatchContext,
}

/// The type of a value, if it is known, and the metadata of the value's field.
type TypeAndMeta<'a> = (Option<TypeId>, &'a FieldMeta);

const NO_META: &FieldMeta = &FieldMeta::NONE;

/// Returns the object that is stored at the end: the new one, or the unchanged one if the request was refused.
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
            (FinalState::Refused(a), FinalState::Refused(b)) => {
                a.kind() == b.kind() && b.known_path().is_none_or(|path| a.may_be_at(path))
            }
            (FinalState::Stored(a), FinalState::Stored(b)) => self.is_same(a, b),
            _ => false,
        }
    }

    fn outcome(&self, stored: &OwnedDoc, final_state: &FinalState, ideal: &FinalState) -> Outcome {
        let is_ideal = self.is_same_final_state(final_state, ideal);
        let (result, expected) = match (final_state, ideal) {
            (FinalState::Refused(_), FinalState::Refused(_)) if is_ideal => return Outcome::Rejected,
            (FinalState::Refused(_), _) => return Outcome::Refused,
            (FinalState::Stored(_), FinalState::Refused(_)) => return Outcome::WronglyAccepted,
            (FinalState::Stored(_), FinalState::Stored(_)) if is_ideal => return Outcome::Intended,
            (FinalState::Stored(result), FinalState::Stored(expected)) => (result, expected),
        };
        if self.is_same(result, stored) {
            return Outcome::Ignored;
        }
        let has_all = self.contains(result, expected, self.root_type());
        let has_more = !self.contains(expected, result, self.root_type());
        match (has_all, has_more) {
            (true, true) => Outcome::Leftover,
            (false, false) => Outcome::Lost,
            // Both are false if list items are only reordered.
            _ => Outcome::Diverged,
        }
    }

    fn is_same(&self, a: &OwnedDoc, b: &OwnedDoc) -> bool {
        let mut differences = Differences { judge: self, path: FieldPath::root(), paths: Vec::new() };
        differences.collect(a, b, self.root_type());
        differences.paths.is_empty()
    }

    /// Returns true if `whole` has all fields, list items and scalars of `part`.
    fn contains(&self, whole: &OwnedDoc, part: &OwnedDoc, ty: TypeAndMeta<'_>) -> bool {
        match (whole, part) {
            (Doc::Map(whole), Doc::Map(part)) => part.iter().all(|(key, part)| {
                whole.get(key).is_some_and(|whole| self.contains(whole, part, self.field_type(ty, key)))
            }),
            (Doc::List(whole), Doc::List(part)) => self.list_contains(whole, part, self.item_type(ty)),
            _ => whole == part,
        }
    }

    /// Returns true if each item of `part` is contained in a different item of `whole`. Equal items are paired first,
    /// so that larger items of `whole` remain available for the other items.
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

/// Removes the first item that matches. Returns false if no item matches.
fn take_first(items: &mut Vec<&OwnedDoc>, is_match: impl Fn(&OwnedDoc) -> bool) -> bool {
    let index = items.iter().position(|item| is_match(item));
    index.map(|index| items.remove(index)).is_some()
}

/// A collector of the paths at which two documents differ.
struct Differences<'a> {
    judge: &'a Judge<'a>,
    path: FieldPath,
    paths: Vec<FieldPath>,
}

impl Differences<'_> {
    fn collect(&mut self, actual: &OwnedDoc, expected: &OwnedDoc, ty: TypeAndMeta<'_>) {
        match (actual, expected) {
            (Doc::Map(actual), Doc::Map(expected)) => self.collect_from_maps(actual, expected, ty),
            (Doc::List(actual), Doc::List(expected)) => self.collect_from_lists(actual, expected, ty),
            _ if actual == expected => {}
            _ => self.paths.push(self.path.clone()),
        }
    }

    fn collect_from_maps(&mut self, actual: &OwnedMap, expected: &OwnedMap, ty: TypeAndMeta<'_>) {
        for (key, value) in actual.iter() {
            self.path.push(PathSegment::Key(key.clone()));
            match expected.get(key) {
                Some(other) => self.collect(value, other, self.judge.field_type(ty, key)),
                None => self.paths.push(self.path.clone()),
            }
            self.path.pop();
        }
        for key in expected.keys().filter(|key| !actual.contains_key(key)) {
            self.path.push(PathSegment::Key(key.clone()));
            self.paths.push(self.path.clone());
            self.path.pop();
        }
    }

    fn collect_from_lists(&mut self, actual: &[OwnedDoc], expected: &[OwnedDoc], ty: TypeAndMeta<'_>) {
        if matches!(ty.1.list_type, Some(ListType::Set | ListType::Map)) {
            let mut unmatched: Vec<&OwnedDoc> = expected.iter().collect();
            let is_same = actual.len() == expected.len()
                && actual.iter().all(|actual| take_first(&mut unmatched, |expected| actual == expected));
            if !is_same {
                self.paths.push(self.path.clone());
            }
            return;
        }
        if actual.len() != expected.len() {
            self.paths.push(self.path.clone());
            return;
        }
        for (index, (actual, expected)) in actual.iter().zip(expected).enumerate() {
            self.path.push(PathSegment::Index(index));
            self.collect(actual, expected, self.judge.item_type(ty));
            self.path.pop();
        }
    }
}
