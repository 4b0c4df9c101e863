//! Edits of objects after which a condition holds, or does not hold.
//!
//! The shape of the condition says which edits to try. The evaluator of rules decides which of them have the wanted result.

use skewer_admission::cel::parts::{LoopKind, PartKind, RuleComparison, RulePart};
use skewer_engine::{Doc, OwnedDoc, PathSegment};

use super::objects::{Objects, Place};
use super::scope::{Bound, ItemCondition, Scope, bounds};

/// The most objects that are kept for one part of a condition.
const MAX_KEPT: usize = 8;

/// The most objects of which a second value is varied.
const MAX_TWICE: usize = 48;

/// The most items of a list, or keys of a map, that are edited one by one.
const MAX_ITEMS: usize = 4;

impl<'a> Scope<'a> {
    /// Returns objects on which a condition holds, or does not hold. Each differs from the given ones where the condition reads
    /// them. The given objects are the only ones if they are already so. There are none if no edit has this result.
    pub(super) fn narrow(&self, objects: &Objects, part: RulePart<'a>, want: bool) -> Vec<Objects> {
        if self.holds(objects, part) == Some(want) {
            return vec![objects.clone()];
        }
        if !self.spend(1) {
            return Vec::new();
        }
        // What is tried for the parts of these conditions is all there is.
        let is_composed =
            matches!(part.kind(), PartKind::Not(_) | PartKind::And(_) | PartKind::Or(_) | PartKind::If(_));
        let mut attempts = self.attempts(objects, part, want);
        if !is_composed {
            attempts = interleaved([self.other_texts(objects, part, want), attempts]);
        }
        let found = self.kept(attempts, part, want);
        if !found.is_empty() || is_composed {
            return found;
        }
        let varied = self.vary(objects, part);
        let found = self.kept(varied.clone(), part, want);
        if !found.is_empty() {
            return found;
        }
        // Conditions such as a sum are about two values.
        let mut places = Vec::new();
        self.collect_places(objects, part, &mut places);
        if places.len() < 2 {
            return Vec::new();
        }
        let twice = varied.iter().take(MAX_TWICE).flat_map(|varied| self.vary(varied, part)).collect();
        self.kept(twice, part, want)
    }

    /// Returns objects on which a condition cannot be evaluated: they lack a value that it reads, or have another one.
    pub(super) fn not_evaluated(&self, objects: &Objects, part: RulePart<'a>) -> Vec<Objects> {
        let mut places = Vec::new();
        self.collect_places(objects, part, &mut places);
        let mut found: Vec<Objects> = places.iter().filter_map(|place| objects.without(place)).collect();
        found.extend(self.vary(objects, part));
        found.retain(|objects| self.holds(objects, part).is_none());
        found.truncate(MAX_KEPT);
        found
    }

    /// Collects the places that a part reads, each once.
    pub(super) fn collect_places(&self, objects: &Objects, part: RulePart<'a>, places: &mut Vec<Place>) {
        match self.place(objects, part) {
            Some(place) if !places.contains(&place) => places.push(place),
            Some(_) => {}
            None => part.inner().into_iter().for_each(|inner| self.collect_places(objects, inner, places)),
        }
    }

    /// Returns the first objects on which a condition is as wanted.
    fn kept(&self, objects: Vec<Objects>, part: RulePart<'a>, want: bool) -> Vec<Objects> {
        let mut kept: Vec<Objects> = Vec::new();
        for objects in objects {
            if kept.len() == MAX_KEPT {
                break;
            }
            if !kept.contains(&objects) && self.holds(&objects, part) == Some(want) {
                kept.push(objects);
            }
        }
        kept
    }

    fn attempts(&self, objects: &Objects, part: RulePart<'a>, want: bool) -> Vec<Objects> {
        match part.kind() {
            PartKind::Not(inner) => self.narrow(objects, inner, !want),
            PartKind::And(parts) if want => self.all_of(objects, &parts, true),
            PartKind::Or(parts) if !want => self.all_of(objects, &parts, false),
            PartKind::And(parts) | PartKind::Or(parts) => {
                interleaved(parts.into_iter().map(|part| self.narrow(objects, part, want)))
            }
            PartKind::If([condition, yes, no]) => {
                let branch = |(holds, branch)| {
                    let chosen = self.narrow(objects, condition, holds);
                    interleaved(chosen.iter().map(|objects| self.narrow(objects, branch, want)))
                };
                interleaved([(true, yes), (false, no)].into_iter().map(branch))
            }
            PartKind::Has(inner, field) => match self.place(objects, inner) {
                Some(inner) => {
                    let field = self.field(&inner, field).to_owned();
                    self.present(objects, &inner.inner(PathSegment::Key(field.into())), want)
                }
                None => Vec::new(),
            },
            PartKind::Compare(comparison, sides) => self.compare(objects, comparison, sides, want),
            PartKind::In([item, container]) => self.member(objects, [item, container], want),
            PartKind::Loop { .. } => self.quantified(objects, part, want),
            PartKind::Call("hasValue", args) => {
                let place = args.first().and_then(|optional| self.place(objects, *optional));
                place.map(|place| self.present(objects, &place, want)).unwrap_or_default()
            }
            PartKind::Call(name, args) if matches!(*args, [_, _]) => {
                self.text(objects, name, [args[0], args[1]], want)
            }
            PartKind::Variable(_)
            | PartKind::Field(..)
            | PartKind::Index(_)
            | PartKind::Call("orValue", _) => self.assign(objects, part, &Doc::Bool(want)),
            _ => Vec::new(),
        }
    }

    /// All parts are as wanted. An edit for one part can undo that for another, so that both orders are tried.
    fn all_of(&self, objects: &Objects, parts: &[RulePart<'a>], want: bool) -> Vec<Objects> {
        let narrowed = |parts: &mut dyn Iterator<Item = &RulePart<'a>>| {
            parts.fold(vec![objects.clone()], |found, part| {
                let mut narrowed = interleaved(found.iter().map(|objects| self.narrow(objects, *part, want)));
                narrowed.truncate(MAX_KEPT);
                narrowed
            })
        };
        let mut found = narrowed(&mut parts.iter());
        found.extend(narrowed(&mut parts.iter().rev()));
        found
    }

    fn present(&self, objects: &Objects, place: &Place, want: bool) -> Vec<Objects> {
        if want {
            let values = self.samples(place).into_iter();
            let found = values.filter_map(|value| objects.with(self.schema, place, value));
            found.map(|objects| self.with_needed_texts(objects, place)).collect()
        } else {
            objects.without(place).into_iter().collect()
        }
    }

    fn compare(
        &self,
        objects: &Objects,
        comparison: RuleComparison,
        [a, b]: [RulePart<'a>; 2],
        want: bool,
    ) -> Vec<Objects> {
        if comparison == RuleComparison::Order {
            return self.order(objects, [a, b]);
        }
        let is_equal = (comparison == RuleComparison::Equal) == want;
        if is_condition(a) && is_condition(b) {
            let both = |holds: bool| {
                let first = self.narrow(objects, a, holds);
                interleaved(first.iter().map(|objects| self.narrow(objects, b, holds == is_equal)))
            };
            return interleaved([true, false].into_iter().map(both));
        }
        let mut found = Vec::new();
        for (part, other) in [(a, b), (b, a)] {
            if self.place(objects, part).is_none() {
                found.extend(self.text(objects, "==", [part, other], is_equal));
            }
            match self.value(objects, other) {
                Some(value) if is_equal => found.extend(self.assign(objects, part, &value)),
                Some(value) => {
                    found.extend(self.near(objects, part, &value));
                    found.extend(self.needed_text(objects, part));
                    found.extend(self.vary(objects, part));
                }
                // The other value is absent.
                None => {
                    for objects in self.vary(objects, other) {
                        match self.value(&objects, other) {
                            Some(value) if is_equal => found.extend(self.assign(&objects, part, &value)),
                            _ => found.push(objects),
                        }
                    }
                }
            }
        }
        found
    }

    /// Values around those that are compared.
    fn order(&self, objects: &Objects, [a, b]: [RulePart<'a>; 2]) -> Vec<Objects> {
        let mut found = Vec::new();
        for (part, other) in [(a, b), (b, a)] {
            match self.value(objects, other) {
                Some(limit @ (Doc::Int(_) | Doc::Float(_))) => found.push(self.near(objects, part, &limit)),
                _ => found.push(self.vary(objects, part)),
            }
        }
        interleaved(found)
    }

    /// Numbers around one that a part is compared with.
    fn near(&self, objects: &Objects, part: RulePart<'a>, limit: &OwnedDoc) -> Vec<Objects> {
        let near = match limit {
            Doc::Int(limit) => [limit.saturating_sub(1), *limit, limit.saturating_add(1)].map(Doc::Int),
            Doc::Float(limit) => [limit - 1.0, *limit, limit + 1.0].map(Doc::from_go_float),
            _ => return Vec::new(),
        };
        near.iter().flat_map(|near| self.assign(objects, part, near)).collect()
    }

    fn member(&self, objects: &Objects, [item, container]: [RulePart<'a>; 2], want: bool) -> Vec<Objects> {
        let place = self.place(objects, container);
        let value = self.value(objects, container);
        let key = self.value(objects, item);
        let of_place = place.as_ref().and_then(|place| Some((place, self.schema_of(place)?)));
        let mut found = Vec::new();
        if let (Some((place, schema)), Some(key)) = (of_place, key) {
            if schema.items.is_some() {
                let items = objects.value(place).and_then(Doc::as_list).unwrap_or_default();
                if want {
                    found.extend(objects.with(
                        self.schema,
                        place,
                        Doc::List(items.iter().chain([&key]).cloned().collect()),
                    ));
                } else {
                    let others = items.iter().filter(|other| **other != key).cloned().collect();
                    found.extend(objects.with(self.schema, place, Doc::List(others)));
                }
            } else if let Doc::String(key) = key {
                found.extend(self.present(objects, &place.inner(PathSegment::Key(key)), want));
            }
        }
        match value {
            Some(Doc::List(items)) if want => {
                found.extend(items.iter().take(MAX_KEPT).flat_map(|value| self.assign(objects, item, value)));
            }
            _ => found.extend(self.vary(objects, item)),
        }
        found
    }

    fn quantified(&self, objects: &Objects, part: RulePart<'a>, want: bool) -> Vec<Objects> {
        let PartKind::Loop { kind, range, variable, body } = part.kind() else { return Vec::new() };
        let Some(place) = self.place(objects, range) else { return Vec::new() };
        let condition = ItemCondition { variable, body };
        let items = bounds(objects, &place);
        let of_item = |objects: &Objects, bound: &Bound, want| {
            self.with(variable, bound.clone()).narrow(objects, body, want)
        };
        let one_item = |want: bool| {
            let of_items = items.iter().take(MAX_ITEMS).map(|bound| of_item(objects, bound, want));
            let mut found = first_productive(of_items);
            if found.len() < MAX_KEPT {
                found.extend(self.appended(objects, &place, condition, want));
            }
            found
        };
        let all_items = |want: bool| {
            let mut all = vec![objects.clone()];
            for bound in &items {
                all = all.iter().flat_map(|objects| of_item(objects, bound, want)).take(MAX_KEPT).collect();
            }
            all.extend(self.filtered(objects, &place, condition, |holds| holds == Some(want)));
            all
        };
        match (kind, want) {
            (LoopKind::All, false) => {
                let found = one_item(false);
                if !items.is_empty() || !self.kept(found.clone(), part, want).is_empty() {
                    return found;
                }
                // The condition can be about two items.
                let longer = self.appended(objects, &place, condition, true).into_iter().take(MAX_ITEMS);
                longer.flat_map(|longer| self.appended(&longer, &place, condition, false)).collect()
            }
            (LoopKind::All, true) => all_items(true),
            (LoopKind::Exists, true) => one_item(true),
            (LoopKind::Exists, false) => all_items(false),
            (LoopKind::ExistsOne, _) => {
                let mut is_first = true;
                let first = self.filtered(objects, &place, condition, |holds| {
                    holds != Some(true) || std::mem::take(&mut is_first)
                });
                let mut found: Vec<Objects> = first.into_iter().collect();
                let is_other =
                    |bound: &&Bound| self.with(variable, (*bound).clone()).holds(objects, body) != Some(true);
                let others = items.iter().filter(is_other).take(MAX_ITEMS);
                found.extend(first_productive(others.map(|bound| of_item(objects, bound, true))));
                found.extend(self.appended(objects, &place, condition, true));
                if self.kept(found.clone(), part, want).is_empty() {
                    found.extend(one_item(false));
                }
                found
            }
            (LoopKind::Filter | LoopKind::Map, _) => Vec::new(),
        }
    }

    /// Returns the objects with one more item or key, for which a condition is as wanted: a copy of an item, or another one.
    pub(super) fn appended(
        &self,
        objects: &Objects,
        range: &Place,
        condition: ItemCondition<'a>,
        want: bool,
    ) -> Vec<Objects> {
        let with_item = |(at, item): (usize, OwnedDoc)| -> Vec<Objects> {
            let place = range.inner(PathSegment::Index(at));
            let Some(longer) = objects.with(self.schema, &place, item) else { return Vec::new() };
            self.with(condition.variable, Bound::Place(place)).narrow(&longer, condition.body, want)
        };
        let with_key = |(key, value): (OwnedDoc, OwnedDoc)| -> Vec<Objects> {
            let Doc::String(name) = &key else { return Vec::new() };
            let place = range.inner(PathSegment::Key(name.clone()));
            let Some(longer) = objects.with(self.schema, &place, value) else { return Vec::new() };
            self.with(condition.variable, Bound::Key(key)).narrow(&longer, condition.body, want)
        };
        let Some(schema) = self.schema_of(range) else { return Vec::new() };
        if schema.items.is_some() {
            let items = objects.value(range).and_then(Doc::as_list).unwrap_or_default();
            let copies = items.iter().take(MAX_ITEMS).cloned();
            let others = self.samples(&range.inner(PathSegment::Index(items.len())));
            first_productive(copies.chain(others).map(|item| with_item((items.len(), item))))
        } else {
            let value = self.samples(&range.inner(PathSegment::Key("key".into()))).into_iter().next();
            let keys = self.keys().into_iter();
            let known = objects.value(range).and_then(Doc::as_map);
            let keys = keys.filter(|key| {
                key.as_str().is_some_and(|key| known.is_none_or(|known| !known.contains_key(key)))
            });
            let keys = keys.zip(std::iter::repeat(value));
            keys.filter_map(|(key, value)| Some((key, value?))).flat_map(with_key).take(MAX_KEPT).collect()
        }
    }

    /// Returns the objects with those items or keys of a list or map that are to be kept.
    pub(super) fn filtered(
        &self,
        objects: &Objects,
        range: &Place,
        condition: ItemCondition<'a>,
        mut keep: impl FnMut(Option<bool>) -> bool,
    ) -> Option<Objects> {
        let items = bounds(objects, range);
        let kept: Vec<bool> =
            items.iter().map(|item| keep(self.holds_for(objects, condition, item))).collect();
        let mut kept = kept.into_iter();
        let value = match objects.value(range)? {
            Doc::List(items) => {
                Doc::List(items.iter().filter(|_| kept.next().unwrap_or(true)).cloned().collect())
            }
            Doc::Map(map) => {
                let entries = map.iter().filter(|_| kept.next().unwrap_or(true));
                Doc::Map(entries.map(|(key, value)| (key.clone(), value.clone())).collect())
            }
            _ => return None,
        };
        objects.with(self.schema, range, value)
    }
}

/// Returns the first members of all lists, then the second ones, and so on: each alternative is tried before the next form of
/// one.
pub(crate) fn interleaved<T>(lists: impl IntoIterator<Item = Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}

/// Returns the members of the first two lists that are not empty: what the others have is like them.
fn first_productive<T>(lists: impl Iterator<Item = Vec<T>>) -> Vec<T> {
    interleaved(lists.filter(|list| !list.is_empty()).take(2))
}

/// Returns true if a part is a condition by its shape.
pub(super) fn is_condition(part: RulePart<'_>) -> bool {
    match part.kind() {
        PartKind::Not(_)
        | PartKind::And(_)
        | PartKind::Or(_)
        | PartKind::Has(..)
        | PartKind::Compare(..)
        | PartKind::In(_) => true,
        PartKind::Loop { kind, .. } => matches!(kind, LoopKind::All | LoopKind::Exists | LoopKind::ExistsOne),
        PartKind::Call(name, _) => {
            matches!(
                name,
                "startsWith" | "endsWith" | "contains" | "matches" | "hasValue" | "isIP" | "isCIDR" | "isURL"
            )
        }
        _ => false,
    }
}
