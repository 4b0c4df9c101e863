//! Values for the parts of a rule.

use std::sync::LazyLock;

use skewer_admission::cel::parts::{CompiledRule, LoopKind, PartKind, RulePart, Variable};
use skewer_admission::structural::{StructuralSchema, ValueType};
use skewer_engine::{Doc, OwnedDoc, PathSegment};

use super::narrow::{interleaved, is_condition};
use super::objects::{Objects, Place, count, schema_at};
use super::scope::{ItemCondition, Scope, bounds, rules_at};
use super::texts::TextConditions;
use crate::sample::{RefusedText, Sampler, encoded, text_of_length, values_to_try};
use crate::schema_path::SchemaPath;

/// The most values that are tried at one place.
const MAX_VALUES: usize = 48;

/// The most values of an added field that are tried.
const MAX_SAMPLES: usize = 10;

/// The most items or characters of a value that is made longer.
const MAX_SIZE: usize = 1_024;

impl<'a> Scope<'a> {
    /// Tries to give a part of the rule a value. The part can have another value in the objects.
    pub(super) fn assign(&self, objects: &Objects, part: RulePart<'a>, value: &OwnedDoc) -> Vec<Objects> {
        let place = self.place(objects, part);
        let mut found: Vec<Objects> = Vec::new();
        if let Some(place) = &place {
            found.extend(self.forms(place, value).filter_map(|form| objects.with(self.schema, place, form)));
        }
        match part.kind() {
            PartKind::Call("orValue", args) => {
                found.extend(
                    args.first().and_then(|optional| objects.without(&self.place(objects, *optional)?)),
                );
            }
            PartKind::Call("size", args) => {
                if let (Doc::Int(size), [measured]) = (value, &*args) {
                    let size = usize::try_from(*size).ok();
                    found.extend(size.map(|size| self.resize(objects, *measured, size)).unwrap_or_default());
                }
            }
            PartKind::Call("_+_", _) => {
                if let Doc::Int(sum) = value {
                    found.extend(self.assign_sum(objects, part, *sum));
                }
            }
            PartKind::If([condition, yes, no]) => {
                for (holds, branch) in [(true, yes), (false, no)] {
                    for objects in self.narrow(objects, condition, holds) {
                        if self.value(&objects, branch).as_ref() == Some(value) {
                            found.push(objects);
                        } else {
                            found.extend(self.assign(&objects, branch, value));
                        }
                    }
                }
            }
            _ if place.is_none() => found.extend(self.vary(objects, part)),
            _ => {}
        }
        found
    }

    /// Tries to give a sum a value: one summand after the other comes as near to what the others leave as the schema permits.
    fn assign_sum(&self, objects: &Objects, part: RulePart<'a>, sum: i64) -> Vec<Objects> {
        let mut summands = Vec::new();
        collect_summands(part, &mut summands);
        let missing = |objects: &Objects| match self.value(objects, part) {
            Some(Doc::Int(value)) => Some(sum.saturating_sub(value)),
            _ => None,
        };
        let mut nearest = objects.clone();
        let mut found = Vec::new();
        for summand in summands {
            let Some(rest) = missing(&nearest).filter(|rest| *rest != 0) else { break };
            let Some(Doc::Int(value)) = self.value(&nearest, summand) else { continue };
            let assigned = self.assign(&nearest, summand, &Doc::Int(value.saturating_add(rest)));
            found.extend(assigned.iter().cloned());
            let distance = |objects: &Objects| missing(objects).map(i64::unsigned_abs);
            let better = assigned.into_iter().filter_map(|objects| Some((distance(&objects)?, objects)));
            if let Some((_, better)) = better
                .filter(|(distance, _)| *distance < rest.unsigned_abs())
                .min_by_key(|(distance, _)| *distance)
            {
                nearest = better;
            }
        }
        found.insert(0, nearest);
        found
    }

    /// Returns the forms in which a document can have a value of a rule at a place.
    fn forms<'v>(&self, place: &Place, value: &'v OwnedDoc) -> impl Iterator<Item = OwnedDoc> + use<'v> {
        let schema = self.schema_of(place);
        let encoded = value.as_str().zip(schema).map(|(text, schema)| encoded(schema, text.to_owned()));
        let encoded = encoded.map(Doc::from).filter(|encoded| encoded != value);
        encoded.into_iter().chain([value.clone()])
    }

    /// Tries to give a list, a map or a text a number of items, keys or characters.
    fn resize(&self, objects: &Objects, measured: RulePart<'a>, size: usize) -> Vec<Objects> {
        if let PartKind::Loop { kind: LoopKind::Filter, range, variable, body } = measured.kind() {
            let Some(place) = self.place(objects, range) else { return self.vary(objects, range) };
            return self.resize_filtered(objects, &place, ItemCondition { variable, body }, size);
        }
        let Some(place) = self.place(objects, measured) else { return self.vary(objects, measured) };
        let Some(schema) = self.schema_of(&place) else { return Vec::new() };
        let accepting = schema_at(self.accepting, place.path.segments()).unwrap_or(schema);
        let size = size.min(largest_size(accepting));
        let sampled = || {
            let mut sampler = Sampler::default().with_size(size).with_invalid_scalars();
            sampler.sample(accepting, &[SchemaPath::default()])
        };
        let value = match objects.value(&place) {
            Some(Doc::List(items)) if items.len() >= size => Some(Doc::List(items[..size].to_vec())),
            Some(Doc::List(items)) => {
                let sampled = sampled();
                let further = sampled.as_ref().and_then(Doc::as_list).unwrap_or_default();
                Some(Doc::List(
                    items.iter().chain(&further[items.len().min(further.len())..]).cloned().collect(),
                ))
            }
            Some(Doc::Map(map)) if map.len() >= size => {
                let entries = map.iter().take(size).map(|(key, value)| (key.clone(), value.clone()));
                Some(Doc::Map(entries.collect()))
            }
            _ if schema.ty == Some(ValueType::String) => text_of_length(schema, size).map(Doc::from),
            _ => sampled(),
        };
        let resized = value.and_then(|value| objects.with(self.schema, &place, value));
        // An absent list has no items.
        resized.into_iter().chain((size == 0).then(|| objects.without(&place)).flatten()).collect()
    }

    /// Tries to give a list a number of items for which a condition holds.
    fn resize_filtered(
        &self,
        objects: &Objects,
        place: &Place,
        condition: ItemCondition<'a>,
        size: usize,
    ) -> Vec<Objects> {
        let mut found = vec![objects.clone()];
        for _ in 0..=size {
            let count = |objects: &Objects| {
                let items = bounds(objects, place).into_iter();
                items.filter(|item| self.holds_for(objects, condition, item) == Some(true)).count()
            };
            let short = |objects: &Objects| count(objects) < size;
            let longer: Vec<Objects> = found
                .iter()
                .filter(|objects| short(objects))
                .flat_map(|objects| self.appended(objects, place, condition, true).into_iter().take(3))
                .collect();
            if longer.is_empty() {
                break;
            }
            found = longer;
        }
        let mut left = size;
        found.extend(self.filtered(objects, place, condition, |holds| {
            let is_kept = holds != Some(true) || left > 0;
            left = left.saturating_sub(usize::from(holds == Some(true)));
            is_kept
        }));
        found
    }

    /// Tries other values for a part: at its place, or at those of the parts inside of it.
    pub(super) fn vary(&self, objects: &Objects, part: RulePart<'a>) -> Vec<Objects> {
        if !self.spend(1) {
            return Vec::new();
        }
        if let Some(place) = self.place(objects, part) {
            let current = objects.value(&place);
            let values = self.candidates(&place).into_iter();
            let other = values.filter(|value| Some(value) != current).take(MAX_VALUES);
            let with = |value| objects.with(self.schema, &place, value);
            return other.filter_map(with).chain(objects.without(&place)).collect();
        }
        let flipped = |part: RulePart<'a>| match self.holds(objects, part) {
            Some(holds) if is_condition(part) => self.narrow(objects, part, !holds),
            _ => self.vary(objects, part),
        };
        match part.kind() {
            PartKind::Loop { range, variable, body, .. } => {
                let mut found = self.vary(objects, range);
                if let Some(place) = self.place(objects, range) {
                    for want in [true, false] {
                        found.extend(self.appended(objects, &place, ItemCondition { variable, body }, want));
                    }
                    for bound in bounds(objects, &place).into_iter().take(2) {
                        found.extend(self.with(variable, bound).vary(objects, body));
                    }
                }
                found
            }
            PartKind::Has(inner, _) => self.vary(objects, inner),
            _ => interleaved(part.inner().into_iter().map(flipped)),
        }
    }

    /// Returns values that the value at a place can have, the likely ones first.
    fn candidates(&self, place: &Place) -> Vec<OwnedDoc> {
        let Some(schema) = self.schema_of(place) else { return Vec::new() };
        values_to_try(schema, &self.literals)
    }

    /// Returns values of an absent field or item to add, the smallest first.
    pub(super) fn samples(&self, place: &Place) -> Vec<OwnedDoc> {
        let Some(schema) = self.schema_of(place) else { return Vec::new() };
        let mut values: Vec<OwnedDoc> =
            Sampler::default().with_invalid_scalars().sample(schema, &[]).into_iter().collect();
        for value in values_to_try(schema, &self.literals) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values.sort_by_cached_key(|value| !self.is_permitted(place, value));
        values.truncate(MAX_SAMPLES);
        values
    }

    /// Returns the other rules of the value at a place that read nothing else.
    pub(super) fn other_rules(&self, place: &Place) -> Vec<CompiledRule<'a>> {
        let mut rules = rules_at(self.rules, self.schema, &place.path);
        rules.retain(|rule| {
            let reads_old = rule.uses_old_self() || rule.source().optional_old_self;
            !reads_old && rule.source() != self.rule.source()
        });
        rules
    }

    /// Returns true if the other rules of a value permit it.
    pub(super) fn is_permitted(&self, place: &Place, value: &OwnedDoc) -> bool {
        let Some(schema) = self.schema_of(place) else { return true };
        self.other_rules(place).into_iter().all(|rule| {
            let variable = Variable { name: "self", value: Some(value), schema: Some(schema) };
            self.spend(count(value)) && rule.holds(rule.condition(), &[variable]) == Some(true)
        })
    }

    /// Returns keys for a map: those that the rule names, and others.
    pub(super) fn keys(&self) -> Vec<OwnedDoc> {
        static TEXT: LazyLock<StructuralSchema> = LazyLock::new(|| {
            let mut text = StructuralSchema::default();
            text.ty = Some(ValueType::String);
            text
        });
        values_to_try(&TEXT, &self.literals)
    }

    /// Tries the text that the rules need at the place of a part.
    pub(super) fn needed_text(&self, objects: &Objects, part: RulePart<'a>) -> Option<Objects> {
        let place = self.place(objects, part)?;
        let schema = self.schema_of(&place).filter(|schema| schema.ty == Some(ValueType::String))?;
        objects.with(self.schema, &place, text_of(&self.needed_texts(objects, &place), schema)?)
    }

    /// Gives the texts of an added value those that their rules need, where these are known: an object with several of them is
    /// otherwise farther from a valid one than before.
    pub(super) fn with_needed_texts(&self, objects: Objects, place: &Place) -> Objects {
        let Some(value) = objects.value(place) else { return objects };
        let segments: Vec<PathSegment> = match value {
            Doc::Map(map) => map.keys().map(|key| PathSegment::Key(key.clone())).collect(),
            Doc::List(items) => (0..items.len()).map(PathSegment::Index).collect(),
            Doc::String(_) if !self.is_permitted(place, value) => {
                let text = self
                    .schema_of(place)
                    .and_then(|schema| text_of(&self.needed_texts(&objects, place), schema));
                let with = text.and_then(|text| objects.with(self.schema, place, text));
                return with.unwrap_or(objects);
            }
            _ => return objects,
        };
        segments
            .into_iter()
            .fold(objects, |objects, segment| self.with_needed_texts(objects, &place.inner(segment)))
    }

    /// Tries texts for which a function of a text and a constant is as wanted.
    pub(super) fn text(
        &self,
        objects: &Objects,
        name: &str,
        [text, constant]: [RulePart<'a>; 2],
        want: bool,
    ) -> Vec<Objects> {
        let Some((place, pattern)) = self.text_pattern(objects, name, [text, constant]) else {
            return Vec::new();
        };
        let Some(schema) = self.schema_of(&place) else { return Vec::new() };
        let own = TextConditions::one(pattern, want);
        let needed = self.needed_texts(objects, &place);
        let both = own.clone().and(needed);
        [both, own]
            .into_iter()
            .filter_map(|conditions| text_of(&conditions, schema))
            .flat_map(|value| self.forms(&place, &value).collect::<Vec<_>>())
            .filter_map(|form| objects.with(self.schema, &place, form))
            .collect()
    }
}

/// Collects the parts that a part of a rule adds.
fn collect_summands<'a>(part: RulePart<'a>, summands: &mut Vec<RulePart<'a>>) {
    match part.kind() {
        PartKind::Call("_+_", parts) => parts.into_iter().for_each(|part| collect_summands(part, summands)),
        _ => summands.push(part),
    }
}

/// Returns the largest number of items, keys or characters that is tried. No server accepts more than its schema permits.
fn largest_size(schema: &StructuralSchema) -> usize {
    let validation = &schema.validation;
    let limits = [validation.max_items, validation.max_properties, validation.max_length];
    limits.into_iter().flatten().filter_map(|limit| usize::try_from(limit).ok()).fold(MAX_SIZE, usize::min)
}

fn text_of(conditions: &TextConditions, schema: &StructuralSchema) -> Option<OwnedDoc> {
    match conditions.text(schema) {
        RefusedText::Found(text) => Some(Doc::from(text)),
        RefusedText::None | RefusedText::Undecided => None,
    }
}
