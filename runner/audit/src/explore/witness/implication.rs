//! Proofs by the form of rules: a rule holds wherever another one does.
//!
//! A rule is a formula of conditions that are not taken apart. Each of them is true, is false, or cannot be evaluated; all
//! combinations are tried that presence, defaults and the schema permit. There are perhaps no values for some of them, so that
//! only proofs follow, and no witnesses.

use skewer_admission::cel::parts::{CompiledRule, LoopKind, PartKind, RuleComparison, RulePart, field_of};
use skewer_admission::structural::{StructuralSchema, ValueType};
use skewer_engine::Doc;

use super::formula::{Combination, Formula, Outcome};
use crate::sample::refuses_constant;

/// The most outcomes of conditions that are chosen in one proof.
const MAX_CHOSEN: usize = 100_000;

/// The functions of optional values, which are there for what is absent.
const OF_OPTIONALS: [&str; 6] = ["_?._(", "_[?_](", "or(", "orValue(", "optMap(", "optFlatMap("];

/// A variable, with the value that it names.
#[derive(Clone)]
struct Bound<'r> {
    name: &'r str,
    /// The name that both rules have for it.
    canonical: String,
    /// The schemas of the value: before and after the change. `None` if they are not known.
    schemas: Option<[&'r StructuralSchema; 2]>,
}

/// A part of a rule, with the variables that it can read.
#[derive(Clone)]
struct Scoped<'r> {
    part: RulePart<'r>,
    variables: Vec<Bound<'r>>,
}

impl<'r> Scoped<'r> {
    fn of_rule(rule: CompiledRule<'r>, schemas: [&'r StructuralSchema; 2]) -> Self {
        let bound = |name: &'r str| Bound { name, canonical: format!("${name}"), schemas: Some(schemas) };
        Scoped { part: rule.condition(), variables: vec![bound("self"), bound("oldSelf")] }
    }

    fn inner(&self, part: RulePart<'r>) -> Self {
        Scoped { part, variables: self.variables.clone() }
    }

    /// Returns the body of a macro.
    fn body(&self, range: Option<[&'r StructuralSchema; 2]>, variable: &'r str, body: RulePart<'r>) -> Self {
        let schemas = range.and_then(items_of);
        let mut inner = self.inner(body);
        inner.variables.push(Bound {
            name: variable,
            canonical: format!("#{}", self.variables.len()),
            schemas,
        });
        inner
    }

    fn key(&self, part: RulePart<'r>) -> Option<String> {
        let names = self.variables.iter().map(|bound| (bound.name, bound.canonical.clone()));
        part.canonical(&names.collect::<Vec<_>>())
    }
}

/// A relation between two conditions, which a proof checks.
#[derive(Clone, Copy, PartialEq)]
enum Relation {
    /// The second is true if the first is.
    Implies,
    /// Both are equal if the first can be evaluated.
    Agrees,
    /// The second can be evaluated.
    IsEvaluated,
    /// The first is not true.
    IsNever,
}

/// Returns true if a rule holds wherever a known rule holds, or everywhere if there is none. `schemas` are those of its values:
/// before the change, and with the rule.
pub(super) fn is_implied(
    known: Option<CompiledRule<'_>>,
    rule: CompiledRule<'_>,
    schemas: [&StructuralSchema; 2],
) -> bool {
    let scoped = |rule| Scoped::of_rule(rule, schemas);
    let (known, rule) = (known.map(scoped), scoped(rule));
    // What never happens implies anything.
    is_related(known.as_ref(), &rule, Relation::Implies)
        && !is_related(known.as_ref(), &rule, Relation::IsNever)
}

fn is_related(first: Option<&Scoped<'_>>, second: &Scoped<'_>, relation: Relation) -> bool {
    let mut conditions = Conditions::default();
    let first = first.map_or(Formula::Constant(true), |first| conditions.formula(first));
    let second = conditions.formula(second);
    // A null is there, and has nothing inside.
    if conditions
        .places
        .iter()
        .any(|place| place.schemas.is_some_and(|schemas| schemas.iter().any(|it| it.nullable)))
    {
        return false;
    }
    conditions.relate_loops();
    let holds = |combination: &Combination| {
        let (first, second) = (first.outcome(combination), second.outcome(combination));
        match relation {
            Relation::Implies => first != Some(true) || second == Some(true),
            Relation::Agrees => first.is_none() || first == second,
            Relation::IsEvaluated => second.is_some(),
            Relation::IsNever => first != Some(true),
        }
    };
    conditions.all(&mut Combination::default(), &mut 0, &holds)
}

/// A value that rules read: a variable, or a field or an item of another value.
struct Place<'r> {
    key: String,
    schemas: Option<[&'r StructuralSchema; 2]>,
    /// The value that contains it. `None` for a variable.
    parent: Option<usize>,
    /// Whether it can be there, and whether it must be, if its parent is.
    can_be_there: bool,
    must_be_there: bool,
}

/// A condition that is not taken apart.
struct Condition<'r> {
    /// `None` if it is equal to no other condition.
    key: Option<String>,
    /// The places without which it cannot be evaluated.
    reads: Vec<usize>,
    /// Whether it can be evaluated if all of these are there.
    is_total: bool,
    /// A result that it does not have.
    never: Outcome,
    /// The places that it compares.
    equal: Option<[usize; 2]>,
    body: Option<Loop<'r>>,
}

struct Loop<'r> {
    kind: LoopKind,
    range: String,
    body: Scoped<'r>,
}

#[derive(Default)]
struct Conditions<'r> {
    places: Vec<Place<'r>>,
    all: Vec<Condition<'r>>,
    /// The conditions of which the second follows from the first.
    related: Vec<(usize, usize, Relation)>,
}

impl<'r> Conditions<'r> {
    fn formula(&mut self, scoped: &Scoped<'r>) -> Formula {
        let mut all = |parts: Vec<RulePart<'r>>| -> Vec<Formula> {
            parts.into_iter().map(|part| self.formula(&scoped.inner(part))).collect()
        };
        match scoped.part.kind() {
            PartKind::Not(inner) => Formula::Not(Box::new(self.formula(&scoped.inner(inner)))),
            PartKind::And(parts) => Formula::And(all(parts)),
            PartKind::Or(parts) => Formula::Or(all(parts)),
            PartKind::If(parts) => Formula::If(Box::new(parts.map(|part| self.formula(&scoped.inner(part))))),
            PartKind::Literal(Doc::Bool(constant)) => Formula::Constant(constant),
            PartKind::Has(inner, name) => match self.place(scoped, inner) {
                Some(inner) if self.places[inner].schemas.is_some() => Formula::Has(self.field(inner, name)),
                _ => self.condition(scoped),
            },
            PartKind::Compare(RuleComparison::Equal, sides) => self.equal(scoped, sides),
            PartKind::Compare(RuleComparison::NotEqual, sides) => {
                Formula::Not(Box::new(self.equal(scoped, sides)))
            }
            _ => self.condition(scoped),
        }
    }

    fn equal(&mut self, scoped: &Scoped<'r>, [a, b]: [RulePart<'r>; 2]) -> Formula {
        match (a.kind(), b.kind()) {
            (PartKind::Literal(a), PartKind::Literal(b)) => Formula::Constant(a == b),
            (PartKind::If([condition, yes, no]), _) => Formula::If(Box::new([
                self.formula(&scoped.inner(condition)),
                self.equal(scoped, [yes, b]),
                self.equal(scoped, [no, b]),
            ])),
            (_, PartKind::If(_)) => self.equal(scoped, [b, a]),
            (a_kind, b_kind) if [&a_kind, &b_kind].into_iter().all(is_formula) => {
                Formula::Equal(Box::new([a, b].map(|side| self.formula(&scoped.inner(side)))))
            }
            (_, PartKind::Literal(Doc::Bool(constant))) if is_formula(&a.kind()) => {
                Formula::Equal(Box::new([self.formula(&scoped.inner(a)), Formula::Constant(constant)]))
            }
            _ => {
                let keys = [a, b].map(|side| scoped.key(side));
                let key = keys[0].clone().zip(keys[1].clone()).map(|(a, b)| {
                    let (a, b) = if a <= b { (a, b) } else { (b, a) };
                    format!("{a}=={b}")
                });
                let places = [a, b].map(|side| self.place(scoped, side));
                let is_literal = |side: RulePart<'r>| matches!(side.kind(), PartKind::Literal(_));
                let is_simple = |at: usize| places[at].is_some() || is_literal([a, b][at]);
                let text = match [(places[0], b.kind()), (places[1], a.kind())] {
                    [(Some(place), PartKind::Literal(Doc::String(text))), _]
                    | [_, (Some(place), PartKind::Literal(Doc::String(text)))] => {
                        self.places[place].schemas.map(|schemas| (schemas, text.to_string()))
                    }
                    _ => None,
                };
                let never = text.filter(|(schemas, text)| refuses_text(*schemas, text)).map(|_| true);
                let reads = [self.reads(scoped, a), self.reads(scoped, b)].concat();
                self.add(Condition {
                    key,
                    reads,
                    is_total: is_simple(0) && is_simple(1),
                    never,
                    equal: places[0].zip(places[1]).map(|(a, b)| [a, b]),
                    body: None,
                })
            }
        }
    }

    /// Adds a condition that is not taken apart.
    fn condition(&mut self, scoped: &Scoped<'r>) -> Formula {
        let part = scoped.part;
        let mut condition = Condition {
            key: scoped.key(part),
            reads: self.reads(scoped, part),
            is_total: false,
            never: None,
            equal: None,
            body: None,
        };
        let read = match part.kind() {
            PartKind::Loop { kind, range, variable, body } => {
                let list = self.place(scoped, range);
                let body = scoped.body(list.and_then(|list| self.places[list].schemas), variable, body);
                let is_evaluated = is_related(None, &body, Relation::IsEvaluated);
                if kind == LoopKind::All && is_related(None, &body, Relation::Implies) {
                    condition.never = Some(false);
                }
                condition.body = scoped.key(range).map(|range| Loop { kind, range, body });
                list.filter(|_| is_evaluated).zip(Some(ValueType::Array))
            }
            PartKind::In([item, list]) => match item.kind() {
                PartKind::Literal(Doc::String(text)) => {
                    let list = self.place(scoped, list);
                    let items = list.and_then(|list| self.places[list].schemas).and_then(items_of);
                    condition.never = items.filter(|items| refuses_text(*items, &text)).map(|_| true);
                    list.zip(Some(ValueType::Array))
                }
                _ => None,
            },
            PartKind::Call("startsWith" | "endsWith" | "contains", args) => match *args {
                [text, constant] if matches!(constant.kind(), PartKind::Literal(_)) => {
                    self.place(scoped, text).zip(Some(ValueType::String))
                }
                _ => None,
            },
            _ => self.place(scoped, part).zip(Some(ValueType::Boolean)),
        };
        if let Some((place, ty)) = read
            && self.places[place]
                .schemas
                .is_some_and(|[schema, _]| schema.ty == Some(ty) && !schema.int_or_string)
        {
            condition.is_total = true;
            condition.reads = vec![place];
        }
        self.add(condition)
    }

    fn add(&mut self, condition: Condition<'r>) -> Formula {
        let known = self.all.iter().position(|known| known.key.is_some() && known.key == condition.key);
        Formula::Condition(known.unwrap_or_else(|| {
            self.all.push(condition);
            self.all.len() - 1
        }))
    }

    /// Returns the place of a part such as `self.a[0].b`. `None` for other parts.
    fn place(&mut self, scoped: &Scoped<'r>, part: RulePart<'r>) -> Option<usize> {
        match part.kind() {
            PartKind::Variable(name) => {
                let bound = scoped.variables.iter().rev().find(|bound| bound.name == name)?;
                let key = format!("{};", bound.canonical);
                let known = self.places.iter().position(|place| place.key == key);
                Some(known.unwrap_or_else(|| {
                    let (schemas, parent) = (bound.schemas, None);
                    self.places.push(Place { key, schemas, parent, can_be_there: true, must_be_there: true });
                    self.places.len() - 1
                }))
            }
            PartKind::Field(inner, name) => {
                // A field that is optional by `.?` has another text.
                let is_plain = scoped.key(part)? == format!("{}.{name};", scoped.key(inner)?);
                let inner = self.place(scoped, inner).filter(|_| is_plain)?;
                self.places[inner].schemas.is_some().then(|| self.field(inner, name))
            }
            _ => None,
        }
    }

    /// Returns the place of a field.
    fn field(&mut self, parent: usize, name: &'r str) -> usize {
        let key = format!("{}.{name};", self.places[parent].key);
        if let Some(known) = self.places.iter().position(|place| place.key == key) {
            return known;
        }
        let mut place =
            Place { key, schemas: None, parent: Some(parent), can_be_there: true, must_be_there: false };
        if let Some([old, new]) = self.places[parent].schemas {
            let field = |schema: &'r StructuralSchema| {
                field_of(schema, name).and_then(|name| Some((name, schema.properties.get(name)?)))
            };
            let is_open = old.preserve_unknown_fields || old.additional_properties.is_some();
            let is_set = field(new).is_some_and(|(_, field)| field.default.is_some());
            let is_required = |schema: &'r StructuralSchema| {
                field(schema).is_some_and(|(name, field)| {
                    field.default.is_none() && schema.validation.required.iter().any(|known| known == name)
                })
            };
            let schemas = field(old).zip(field(new)).map(|((_, old), (_, new))| [old, new]);
            // Each object has these, whatever its schema says; and the status is often left out of a request.
            let is_of_all = matches!(name, "metadata" | "apiVersion" | "kind");
            place.schemas = schemas.filter(|[old, new]| old.ty == new.ty && !is_of_all);
            place.must_be_there =
                !is_of_all && name != "status" && (is_set || (is_required(old) && is_required(new)));
            // A server drops what its schema does not have.
            place.can_be_there = is_of_all || field(old).is_some() || is_open || is_set;
        }
        self.places.push(place);
        self.places.len() - 1
    }

    /// Returns the places without which a part cannot be evaluated.
    fn reads(&mut self, scoped: &Scoped<'r>, part: RulePart<'r>) -> Vec<usize> {
        if let Some(place) = self.place(scoped, part) {
            return vec![place];
        }
        if scoped.key(part).is_none_or(|key| OF_OPTIONALS.iter().any(|name| key.contains(name))) {
            return Vec::new();
        }
        match part.kind() {
            PartKind::And(_) | PartKind::Or(_) | PartKind::If(_) => Vec::new(),
            PartKind::Loop { range, .. } => self.reads(scoped, range),
            _ => part.inner().into_iter().flat_map(|inner| self.reads(scoped, inner)).collect(),
        }
    }

    /// Finds the macros of the same list of which one follows from another.
    fn relate_loops(&mut self) {
        let mut related = Vec::new();
        for (from, one) in self.all.iter().enumerate() {
            for (to, other) in self.all.iter().enumerate().filter(|(to, _)| *to != from) {
                let (Some(one), Some(other)) = (&one.body, &other.body) else { continue };
                let relation = match one.kind {
                    LoopKind::All | LoopKind::Exists => Relation::Implies,
                    LoopKind::ExistsOne => Relation::Agrees,
                    LoopKind::Filter | LoopKind::Map => continue,
                };
                let is_same = one.kind == other.kind && one.range == other.range;
                if is_same && is_related(Some(&one.body), &other.body, relation) {
                    related.push((from, to, relation));
                }
            }
        }
        self.related = related;
    }

    /// Returns true if a property holds for all combinations. False if there are too many.
    fn all(&self, chosen: &mut Combination, count: &mut usize, holds: &dyn Fn(&Combination) -> bool) -> bool {
        *count += 1;
        if *count > MAX_CHOSEN {
            return false;
        }
        if let Some(place) = self.places.get(chosen.is_there.len()) {
            let parent_is_there = place.parent.is_none_or(|parent| chosen.is_there[parent]);
            chosen.parents.push(place.parent);
            let result = [false, true].into_iter().all(|is_there| {
                let is_possible = if is_there {
                    parent_is_there && place.can_be_there
                } else {
                    !(parent_is_there && place.must_be_there)
                };
                if !is_possible {
                    return true;
                }
                chosen.is_there.push(is_there);
                let result = self.all(chosen, count, holds);
                chosen.is_there.pop();
                result
            });
            chosen.parents.pop();
            return result;
        }
        let Some(condition) = self.all.get(chosen.outcomes.len()) else {
            return !self.is_consistent(chosen) || holds(chosen);
        };
        let can_be_evaluated = condition.reads.iter().all(|place| chosen.is_there[*place]);
        [None, Some(true), Some(false)].into_iter().all(|outcome| {
            let is_possible = match outcome {
                None => !(condition.is_total && can_be_evaluated),
                Some(_) => can_be_evaluated && condition.never != outcome,
            };
            if !is_possible {
                return true;
            }
            chosen.outcomes.push(outcome);
            let result = self.all(chosen, count, holds);
            chosen.outcomes.pop();
            result
        })
    }

    /// Returns false if the results contradict each other.
    fn is_consistent(&self, chosen: &Combination) -> bool {
        let follows = |(from, to, relation): &(usize, usize, Relation)| {
            let (from, to) = (chosen.outcomes[*from], chosen.outcomes[*to]);
            match relation {
                Relation::Implies => from != Some(true) || to == Some(true),
                Relation::Agrees => from.is_none() || from == to,
                Relation::IsEvaluated | Relation::IsNever => true,
            }
        };
        let equalities = self.all.iter().zip(&chosen.outcomes);
        let mut equalities = equalities.filter(|(_, outcome)| **outcome == Some(true));
        self.related.iter().all(follows)
            && equalities.all(|(condition, _)| {
                condition.equal.is_none_or(|places| self.is_consistent_with_equal(places, chosen))
            })
    }

    /// Returns false if two values are equal, and one of them has a field that the other does not have, or if fields of them
    /// differ.
    fn is_consistent_with_equal(&self, [a, b]: [usize; 2], chosen: &Combination) -> bool {
        let [a, b] = [a, b].map(|place| self.places[place].key.as_str());
        let place = |key: &str| self.places.iter().position(|place| place.key == key);
        // The text of a place begins with that of the place around it.
        let inside = |place: &Place<'_>| place.key.strip_prefix(a).map(str::to_owned);
        let is_same = |at: usize, inside: &str| {
            let other = place(&format!("{b}{inside}"));
            other.is_none_or(|other| chosen.is_there[at] == chosen.is_there[other])
        };
        let are_same = |[first, second]: [usize; 2]| {
            let [first, second] = [first, second].map(|place| self.places[place].key.as_str());
            let is_pair = |one: &str, other: &str| {
                one.strip_prefix(a).is_some_and(|inside| other.strip_prefix(b) == Some(inside))
            };
            is_pair(first, second) || is_pair(second, first)
        };
        let mut places = self.places.iter().enumerate();
        let mut compared = self.all.iter().zip(&chosen.outcomes);
        places.all(|(at, place)| inside(place).is_none_or(|inside| is_same(at, &inside)))
            && compared
                .all(|(condition, outcome)| *outcome != Some(false) || !condition.equal.is_some_and(are_same))
    }
}

/// Returns true if a part is a condition by its shape, and is taken apart.
fn is_formula(kind: &PartKind<'_>) -> bool {
    matches!(
        kind,
        PartKind::Not(_)
            | PartKind::And(_)
            | PartKind::Or(_)
            | PartKind::Has(..)
            | PartKind::Compare(..)
            | PartKind::In(_)
    )
}

fn items_of([old, new]: [&StructuralSchema; 2]) -> Option<[&StructuralSchema; 2]> {
    old.items.as_deref().zip(new.items.as_deref()).map(|(old, new)| [old, new])
}

/// Returns true if no text of an element is a constant.
fn refuses_text([old, new]: [&StructuralSchema; 2], text: &str) -> bool {
    let is_text = old.ty == Some(ValueType::String) && !old.int_or_string;
    is_text && new.default.is_none() && refuses_constant(&old.validation, text)
}
