//! What became of an intent, held against what should have.

use std::fmt;

use crate::error::Error;
use crate::patch::Knowledge;
use crate::path::{Path, Segment};
use crate::schema::{FieldMeta, ListType, TypeId};
use crate::value::{Map, Value};

/// How a scenario ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// This is stored now.
    Stored(Value),
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
    pub paths: Vec<Path>,
}

/// Judges an end. `before` is given only where a compatibility promise covers the case. Lists are compared
/// with their order unless the schema says that they are a set or a map.
#[must_use]
pub fn judge(schema: &Knowledge, stored: &Value, end: &End, ideal: &End, before: Option<&End>) -> Judgement {
    let judge = Judge { schema };
    let without_promise = judge.outcome(stored, end, ideal);
    let as_before = || before.is_some_and(|before| judge.same_end(stored, end, before));
    let outcome = if without_promise != Outcome::Intended && as_before() { Outcome::AsBefore } else { without_promise };
    let (is, should) = (judge.left(stored, end), judge.left(stored, ideal));
    Judgement { outcome, without_promise, paths: differing_paths(schema, is, should) }
}

/// Where two documents differ, by the same equality as [`judge`].
#[must_use]
pub fn differing_paths(schema: &Knowledge, is: &Value, should: &Value) -> Vec<Path> {
    let mut paths = Vec::new();
    let none = FieldMeta::default();
    Judge { schema }.differences(is, should, (Some(schema.root), &none), &mut Path::root(), &mut paths);
    paths
}

struct Judge<'a> {
    schema: &'a Knowledge,
}

type Place<'a> = (Option<TypeId>, &'a FieldMeta);

impl Judge<'_> {
    /// What is stored after this end.
    fn left<'v>(&self, stored: &'v Value, end: &'v End) -> &'v Value {
        match end {
            End::Stored(value) => value,
            End::Refused(_) => stored,
        }
    }

    fn same_end(&self, stored: &Value, a: &End, b: &End) -> bool {
        match (a, b) {
            (End::Refused(a), End::Refused(b)) => a.kind() == b.kind(),
            (End::Stored(_), End::Stored(_)) => self.same(self.left(stored, a), self.left(stored, b)),
            _ => false,
        }
    }

    fn outcome(&self, stored: &Value, end: &End, ideal: &End) -> Outcome {
        if self.same_end(stored, end, ideal) {
            return Outcome::Intended;
        }
        let End::Stored(result) = end else { return Outcome::Refused };
        let should = self.left(stored, ideal);
        let root = (Some(self.schema.root), &FieldMeta::default());
        if self.same(result, stored) {
            return Outcome::Ignored;
        }
        let has_all = self.contains(result, should, root);
        let has_more = !self.contains(should, result, root);
        match (has_all, has_more) {
            (true, true) => Outcome::Leftover,
            (false, false) => Outcome::Lost,
            // Equal contents in another order, or stored where it should have been refused, are neither.
            _ => Outcome::Diverged,
        }
    }

    fn same(&self, a: &Value, b: &Value) -> bool {
        let mut paths = Vec::new();
        let none = FieldMeta::default();
        self.differences(a, b, (Some(self.schema.root), &none), &mut Path::root(), &mut paths);
        paths.is_empty()
    }

    fn place(&self, (ty, _): Place<'_>, key: &str) -> (Option<TypeId>, FieldMeta) {
        let field = ty.and_then(|ty| self.schema.schema.field(ty, key));
        field.map_or_else(|| (None, FieldMeta::default()), |f| (Some(f.ty), f.meta.clone()))
    }

    fn differences(&self, is: &Value, should: &Value, place: Place<'_>, at: &mut Path, paths: &mut Vec<Path>) {
        match (is, should) {
            (Value::Map(is), Value::Map(should)) => self.map_differences(is, should, place, at, paths),
            (Value::List(is), Value::List(should)) => {
                let item = place.0.and_then(|ty| self.schema.schema.item(ty));
                let none = FieldMeta::default();
                if unordered(place.1) {
                    if !(multiset_contains(is, should) && multiset_contains(should, is)) {
                        paths.push(at.clone());
                    }
                } else if is.len() == should.len() {
                    for (index, (is, should)) in is.iter().zip(should).enumerate() {
                        at.push(Segment::Index(index));
                        self.differences(is, should, (item, &none), at, paths);
                        at.pop();
                    }
                } else {
                    paths.push(at.clone());
                }
            }
            _ if is == should => {}
            _ => paths.push(at.clone()),
        }
    }

    fn map_differences(&self, is: &Map, should: &Map, place: Place<'_>, at: &mut Path, paths: &mut Vec<Path>) {
        for (key, value) in is.iter() {
            at.push(Segment::Key(key.clone()));
            match should.get(key) {
                Some(other) => {
                    let (ty, meta) = self.place(place, key);
                    self.differences(value, other, (ty, &meta), at, paths);
                }
                None => paths.push(at.clone()),
            }
            at.pop();
        }
        for key in should.keys().filter(|key| !is.contains_key(key)) {
            at.push(Segment::Key(key.clone()));
            paths.push(at.clone());
            at.pop();
        }
    }

    /// Does `whole` have everything that `part` has? Items of lists with keys are found by them.
    fn contains(&self, whole: &Value, part: &Value, place: Place<'_>) -> bool {
        match (whole, part) {
            (Value::Map(whole), Value::Map(part)) => part.iter().all(|(key, part)| {
                let (ty, meta) = self.place(place, key);
                whole.get(key).is_some_and(|whole| self.contains(whole, part, (ty, &meta)))
            }),
            (Value::List(whole), Value::List(part)) => {
                let none = FieldMeta::default();
                let item = (place.0.and_then(|ty| self.schema.schema.item(ty)), &none);
                let mut free: Vec<&Value> = whole.iter().collect();
                part.iter().all(|part| {
                    let found = free.iter().position(|whole| self.contains(whole, part, item));
                    found.map(|index| free.remove(index)).is_some()
                })
            }
            _ => whole == part,
        }
    }
}

fn unordered(meta: &FieldMeta) -> bool {
    matches!(meta.list_type, Some(ListType::Set | ListType::Map))
}

fn multiset_contains(whole: &[Value], part: &[Value]) -> bool {
    let mut free: Vec<&Value> = whole.iter().collect();
    part.iter().all(|part| {
        let found = free.iter().position(|whole| *whole == part);
        found.map(|index| free.swap_remove(index)).is_some()
    })
}
