//! What became of an intent, held against what should have.

use std::fmt;

use crate::document::{Doc, OwnedDoc, OwnedMap};
use crate::error::Error;
use crate::field_path::{FieldPath, PathSegment};
use crate::patch::PatchContext;
use crate::schema::{FieldMeta, ListType, TypeId};

/// How a scenario ended.
#[derive(Clone, Debug, PartialEq)]
pub enum FinalState {
    /// This is stored now.
    Stored(OwnedDoc),
    /// The request failed; what was stored is untouched.
    Refused(Error),
}

/// The words for what became of an intent.
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

    /// Was something accepted that was not done as meant?
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

/// An outcome and where the result differs from the ideal.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The word.
    pub outcome: Outcome,
    /// What the outcome would be without the promise of [`Outcome::AsBefore`]: it is counted as silent too
    /// when this is.
    pub without_promise: Outcome,
    /// Where the stored object differs from the ideal one.
    pub paths: Vec<FieldPath>,
}

/// Judges an end. `before` is given only where a compatibility promise covers the case. Lists are compared
/// with their order unless the schema says that they are a set or a map.
#[must_use]
pub fn judge(
    schema: &PatchContext,
    stored: &OwnedDoc,
    end: &FinalState,
    ideal: &FinalState,
    before: Option<&FinalState>,
) -> Judgement {
    let judge = Judge { schema };
    let without_promise = judge.outcome(stored, end, ideal);
    let as_before = || before.is_some_and(|before| judge.same_end(end, before));
    let outcome =
        if without_promise != Outcome::Intended && as_before() { Outcome::AsBefore } else { without_promise };
    let (is, should) = (left(stored, end), left(stored, ideal));
    Judgement { outcome, without_promise, paths: differing_paths(schema, is, should) }
}

/// Where two documents differ, by the same equality as [`judge`].
#[must_use]
pub fn differing_paths(schema: &PatchContext, is: &OwnedDoc, should: &OwnedDoc) -> Vec<FieldPath> {
    let judge = Judge { schema };
    let mut differences = Differences { judge: &judge, at: FieldPath::root(), paths: Vec::new() };
    differences.collect(is, should, judge.root());
    differences.paths
}

struct Judge<'a> {
    schema: &'a PatchContext,
}

/// A type, where it is known, and the metadata of the field that holds the value.
type Place<'a> = (Option<TypeId>, &'a FieldMeta);

const NO_META: &FieldMeta = &FieldMeta::NONE;

/// What is stored after this end.
fn left<'v>(stored: &'v OwnedDoc, end: &'v FinalState) -> &'v OwnedDoc {
    match end {
        FinalState::Stored(value) => value,
        FinalState::Refused(_) => stored,
    }
}

impl<'a> Judge<'a> {
    fn root(&self) -> Place<'a> {
        (Some(self.schema.root), NO_META)
    }

    fn field(&self, (ty, _): Place<'_>, key: &str) -> Place<'a> {
        let field = ty.and_then(|ty| self.schema.schema.field(ty, key));
        field.map_or((None, NO_META), |field| (Some(field.ty), &field.meta))
    }

    fn item(&self, (ty, _): Place<'_>) -> Place<'a> {
        (ty.and_then(|ty| self.schema.schema.item(ty)), NO_META)
    }

    fn same_end(&self, a: &FinalState, b: &FinalState) -> bool {
        match (a, b) {
            (FinalState::Refused(a), FinalState::Refused(b)) => a.kind() == b.kind(),
            (FinalState::Stored(a), FinalState::Stored(b)) => self.same(a, b),
            _ => false,
        }
    }

    fn outcome(&self, stored: &OwnedDoc, end: &FinalState, ideal: &FinalState) -> Outcome {
        if self.same_end(end, ideal) {
            return Outcome::Intended;
        }
        let FinalState::Stored(result) = end else { return Outcome::Refused };
        if self.same(result, stored) {
            return Outcome::Ignored;
        }
        let should = left(stored, ideal);
        let has_all = self.contains(result, should, self.root());
        let has_more = !self.contains(should, result, self.root());
        match (has_all, has_more) {
            (true, true) => Outcome::Leftover,
            (false, false) => Outcome::Lost,
            // Equal contents in another order, or stored where it should have been refused, are neither.
            _ => Outcome::Diverged,
        }
    }

    fn same(&self, a: &OwnedDoc, b: &OwnedDoc) -> bool {
        let mut differences = Differences { judge: self, at: FieldPath::root(), paths: Vec::new() };
        differences.collect(a, b, self.root());
        differences.paths.is_empty()
    }

    /// Does `whole` have everything that `part` has?
    fn contains(&self, whole: &OwnedDoc, part: &OwnedDoc, place: Place<'_>) -> bool {
        match (whole, part) {
            (Doc::Map(whole), Doc::Map(part)) => part.iter().all(|(key, part)| {
                whole.get(key).is_some_and(|whole| self.contains(whole, part, self.field(place, key)))
            }),
            (Doc::List(whole), Doc::List(part)) => self.list_contains(whole, part, self.item(place)),
            _ => whole == part,
        }
    }

    /// Items that are equal are matched first, so that one with more in it is left for one that needs it.
    fn list_contains(&self, whole: &[OwnedDoc], part: &[OwnedDoc], item: Place<'_>) -> bool {
        let mut free: Vec<&OwnedDoc> = whole.iter().collect();
        let mut open = Vec::new();
        for part in part {
            if !take(&mut free, |whole| whole == part) {
                open.push(part);
            }
        }
        open.into_iter().all(|part| take(&mut free, |whole| self.contains(whole, part, item)))
    }
}

/// Takes the first item that fits; false when none does.
fn take(free: &mut Vec<&OwnedDoc>, fits: impl Fn(&OwnedDoc) -> bool) -> bool {
    let found = free.iter().position(|item| fits(item));
    found.map(|index| free.remove(index)).is_some()
}

/// Collects where two documents differ.
struct Differences<'a> {
    judge: &'a Judge<'a>,
    at: FieldPath,
    paths: Vec<FieldPath>,
}

impl Differences<'_> {
    fn collect(&mut self, is: &OwnedDoc, should: &OwnedDoc, place: Place<'_>) {
        match (is, should) {
            (Doc::Map(is), Doc::Map(should)) => self.maps(is, should, place),
            (Doc::List(is), Doc::List(should)) => self.lists(is, should, place),
            _ if is == should => {}
            _ => self.paths.push(self.at.clone()),
        }
    }

    fn maps(&mut self, is: &OwnedMap, should: &OwnedMap, place: Place<'_>) {
        for (key, value) in is.iter() {
            self.at.push(PathSegment::Key(key.clone()));
            match should.get(key) {
                Some(other) => self.collect(value, other, self.judge.field(place, key)),
                None => self.paths.push(self.at.clone()),
            }
            self.at.pop();
        }
        for key in should.keys().filter(|key| !is.contains_key(key)) {
            self.at.push(PathSegment::Key(key.clone()));
            self.paths.push(self.at.clone());
            self.at.pop();
        }
    }

    fn lists(&mut self, is: &[OwnedDoc], should: &[OwnedDoc], place: Place<'_>) {
        if matches!(place.1.list_type, Some(ListType::Set | ListType::Map)) {
            let mut free: Vec<&OwnedDoc> = should.iter().collect();
            let same = is.len() == should.len() && is.iter().all(|is| take(&mut free, |should| is == should));
            if !same {
                self.paths.push(self.at.clone());
            }
            return;
        }
        if is.len() != should.len() {
            self.paths.push(self.at.clone());
            return;
        }
        for (index, (is, should)) in is.iter().zip(should).enumerate() {
            self.at.push(PathSegment::Index(index));
            self.collect(is, should, self.judge.item(place));
            self.at.pop();
        }
    }
}
