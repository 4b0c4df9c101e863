//! Objects that a rule refuses.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use skewer_admission::cel::parts::CompiledRule;
use skewer_admission::structural::StructuralSchema;
use skewer_admission::{Admission, is_object_name};
use skewer_engine::{Doc, FieldPath, OwnedDoc, PathSegment};

use super::objects::{Objects, instances};
use super::proof::proof;
use super::satisfying::{MAX_TO_SATISFY, store};
use super::scope::{Budget, Scope, rules_of};
use crate::effect::{value_at, value_at_mut};
use crate::explore::Obstacle;
use crate::explore::repair::{MAX_TO_REPAIR, Repair};
use crate::sample::element;
use crate::schema_path::SchemaPath;

/// The most values that are read to break a rule.
const MAX_TO_BREAK: usize = 600_000;

/// The most objects that the rule refuses, and others too, that are repaired.
const MAX_REPAIRED: usize = 8;

/// Why no object was found that a rule refuses.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Unbroken {
    /// The rule is not simulated.
    NotSimulated,
    /// There is no valid object with which the search can start.
    NoStart,
    /// The search read as many values as it may read.
    Exhausted,
    /// The objects that the rule refuses are refused without it, too, for these reasons.
    RefusedWithoutIt(Vec<Obstacle>),
    /// No change of the objects breaks the rule.
    NotFound,
}

impl fmt::Display for Unbroken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unbroken::NotSimulated => f.write_str("the rule is not simulated"),
            Unbroken::NoStart => f.write_str("no valid object with the element was found"),
            Unbroken::Exhausted => {
                write!(f, "the search ended after {MAX_TO_BREAK} values were read")
            }
            Unbroken::RefusedWithoutIt(obstacles) => {
                f.write_str("the objects that were tried and that it refuses are refused without it, too")?;
                obstacles.first().map_or(Ok(()), |obstacle| write!(f, ": {obstacle}"))
            }
            Unbroken::NotFound => f.write_str("no change of a valid object breaks it, and there is no proof"),
        }
    }
}

/// A rule to be broken.
#[derive(Clone, Copy, Debug)]
pub struct RuleToBreak<'a> {
    /// The server that has to accept the object.
    pub accepting: &'a Admission,
    /// The server whose rule refuses the object.
    pub refusing: &'a Admission,
    /// The element with the rule.
    pub path: &'a SchemaPath,
    /// The expression.
    pub rule: &'a str,
}

impl<'a> RuleToBreak<'a> {
    /// Looks for objects that one server accepts and the rule refuses. The search starts with objects that have a value with
    /// the rule. A rule about changes needs two objects.
    ///
    /// The same objects have the same result.
    ///
    /// # Errors
    ///
    /// Returns why no objects were found. There can be some.
    pub fn broken(&self, starts: &[OwnedDoc]) -> Result<Objects, Unbroken> {
        let rule = self.compiled().ok_or(Unbroken::NotSimulated)?;
        self.search(rule, starts, rule.uses_old_self())
    }

    /// Looks for an object that no one replaces, as [`RuleToBreak::broken`] does. `None` unless the rule has an optional old value:
    /// it is then about changes, and about new objects, too.
    #[must_use]
    pub fn broken_by_creation(&self, starts: &[OwnedDoc]) -> Option<OwnedDoc> {
        let rule = self.compiled()?;
        let is_about_both = rule.source().optional_old_self && rule.uses_old_self();
        if !is_about_both {
            return None;
        }
        let broken = self.search(rule, starts, false).ok()?;
        broken.old.is_none().then_some(broken.new)
    }

    fn search(
        &self,
        rule: CompiledRule<'a>,
        starts: &[OwnedDoc],
        is_of_change: bool,
    ) -> Result<Objects, Unbroken> {
        if starts.is_empty() {
            return Err(Unbroken::NoStart);
        }
        let budget = Rc::new(Cell::new(MAX_TO_BREAK));
        let mut refused = Vec::new();
        for start in starts {
            let Ok(start) = self.accepting.decode(start, false) else { continue };
            for instance in instances(&start, self.path.steps()) {
                let scope = self.scope(rule, &instance, &budget);
                let old = is_of_change.then(|| start.clone());
                let objects = Objects { new: start.clone(), old };
                // A server also refuses an object if the rule cannot be evaluated.
                for is_evaluated in [true, false] {
                    let found = if is_evaluated {
                        scope.narrow(&objects, rule.condition(), false)
                    } else {
                        scope.not_evaluated(&objects, rule.condition())
                    };
                    let (witnesses, others): (Vec<_>, Vec<_>) =
                        found.into_iter().partition(|broken| self.is_witness(broken));
                    if let Some(smallest) = witnesses.into_iter().min_by_key(Objects::size) {
                        return Ok(smallest);
                    }
                    refused.extend(others);
                }
            }
        }
        refused.sort_by_key(Objects::size);
        let to_repair = Budget::new(Cell::new(MAX_TO_REPAIR));
        let mut repaired = refused.iter().take(MAX_REPAIRED);
        repaired.find_map(|broken| self.repaired(broken, &to_repair)).ok_or_else(|| {
            let errors = refused.iter().find_map(|it| store(self.accepting, it.old.as_ref(), &it.new).err());
            match errors {
                Some(errors) => {
                    Unbroken::RefusedWithoutIt(Obstacle::all(&self.accepting.version.schema, &errors))
                }
                None if budget.get() == 0 => Unbroken::Exhausted,
                None => Unbroken::NotFound,
            }
        })
    }

    fn scope(&self, rule: CompiledRule<'a>, instance: &FieldPath, budget: &Budget) -> Scope<'a> {
        // An object that the accepting server stores has no field which only the other server knows.
        let keeps_all = |schema: &StructuralSchema| schema.preserve_unknown_fields;
        let accepting = &self.accepting.version.schema;
        let is_other = element(accepting, self.path.steps()).is_none_or(keeps_all);
        let schema = if is_other { &self.refusing.version.schema } else { accepting };
        Scope::new(schema, self.refusing.rules(), rule, instance, budget).refusing(accepting)
    }

    /// Returns the place of the value that the rule refuses.
    #[must_use]
    pub fn place(&self, broken: &Objects) -> Option<FieldPath> {
        let rule = self.compiled()?;
        let budget = Rc::new(Cell::new(MAX_TO_SATISFY));
        let is_refused = |instance: &FieldPath| {
            self.scope(rule, instance, &budget).holds(broken, rule.condition()) != Some(true)
        };
        instances(&broken.new, self.path.steps()).into_iter().find(is_refused)
    }

    /// Returns the reason why the rule has a result for all values that the accepting server permits. `None` if it can have
    /// another one.
    #[must_use]
    pub fn proof(&self, result: bool) -> Option<String> {
        let rule = self.compiled()?;
        let schema = |admission: &'a Admission| element(&admission.version.schema, self.path.steps());
        let schemas = [schema(self.accepting)?, schema(self.refusing)?];
        if let Some(keyword) = self.accepting.options.limit_outside_of_type(schemas[0]) {
            return Some(format!("no number is valid: the type and the format do not have the {keyword}"));
        }
        let known = rules_of(self.accepting.rules(), self.path.steps());
        proof(rule, schemas, &known, result)
    }

    pub(crate) fn compiled(&self) -> Option<CompiledRule<'a>> {
        let rules = rules_of(self.refusing.rules(), self.path.steps());
        rules.into_iter().find(|rule| rule.source().rule.trim() == self.rule.trim())
    }

    /// Returns objects that one server accepts, that the rule refuses, and that are like others which no server accepts.
    fn repaired(&self, broken: &Objects, budget: &Budget) -> Option<Objects> {
        let breaks = |objects: &Objects| self.place(objects).is_some();
        let with_new = |new: &OwnedDoc| Objects { new: new.clone(), old: broken.old.clone() };
        let new_breaks = |new: &OwnedDoc| breaks(&with_new(new));
        let created =
            Repair::new(self.accepting, &new_breaks).within(budget).run_to_best(vec![broken.new.clone()]);
        let new = match created {
            Ok(new) if self.is_witness(&with_new(&new)) => return Some(with_new(&new)),
            Ok(new) => new,
            Err(best) => best.map_or_else(|| broken.new.clone(), |best| best.object),
        };
        // The server can permit a change where it permits no creation.
        let old = self.stored_before(broken, &new, budget)?;
        let changed = |new: &OwnedDoc| Objects { new: new.clone(), old: Some(old.clone()) };
        if self.is_witness(&changed(&new)) {
            return Some(changed(&new));
        }
        let changed_breaks = |new: &OwnedDoc| breaks(&changed(new));
        let new =
            Repair::new(self.accepting, &changed_breaks).within(budget).changing(&old).run(vec![new]).ok()?;
        Some(changed(&new)).filter(|repaired| self.is_witness(repaired))
    }

    /// Returns an object that the accepting server creates, in whose place the new one breaks the rule.
    fn stored_before(&self, broken: &Objects, new: &OwnedDoc, budget: &Budget) -> Option<OwnedDoc> {
        let mut old = broken.old.as_ref().unwrap_or(new).clone();
        // No request changes the name of an object.
        if let (Some(name), Some(old)) = (value_at(new, &name()), value_at_mut(&mut old, name().segments())) {
            old.clone_from(name);
        }
        let breaks = |old: &OwnedDoc| {
            broken.old.is_none()
                || self.place(&Objects { new: new.clone(), old: Some(old.clone()) }).is_some()
        };
        Repair::new(self.accepting, &breaks).within(budget).run(vec![old]).ok()
    }

    fn is_witness(&self, objects: &Objects) -> bool {
        let old = objects.old.as_ref().map(|old| store(self.accepting, None, old));
        let Ok(old) = old.transpose() else { return false };
        let name_of = |object: &OwnedDoc| value_at(object, &name()).and_then(Doc::as_str).map(str::to_owned);
        let new_name = name_of(&objects.new);
        // The names of objects are no part of the schema.
        let is_name = new_name.as_deref().is_none_or(is_object_name);
        if !is_name || old.as_ref().is_some_and(|old| name_of(old) != new_name) {
            return false;
        }
        store(self.accepting, old.as_ref(), &objects.new).is_ok()
            && store(self.refusing, old.as_ref(), &objects.new).is_err()
    }
}

/// Returns the path of the name of an object.
fn name() -> FieldPath {
    let mut path = FieldPath::root();
    path.push(PathSegment::Key("metadata".into()));
    path.push(PathSegment::Key("name".into()));
    path
}
