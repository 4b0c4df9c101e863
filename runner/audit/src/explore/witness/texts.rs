//! The conditions of a text, as patterns.

use skewer_admission::cel::parts::{PartKind, RuleComparison, RulePart};
use skewer_admission::structural::StructuralSchema;
use skewer_engine::Doc;

use super::objects::{Objects, Place};
use super::scope::Scope;
use crate::sample::{RefusedText, text_with};

/// Patterns in the syntax of Go that a text matches, and others that it does not match.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TextConditions {
    required: Vec<String>,
    forbidden: Vec<String>,
}

impl TextConditions {
    pub(super) fn one(pattern: String, is_required: bool) -> Self {
        let mut conditions = TextConditions::default();
        conditions.add(pattern, is_required);
        conditions
    }

    fn add(&mut self, pattern: String, is_required: bool) {
        let patterns = if is_required { &mut self.required } else { &mut self.forbidden };
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }

    pub(super) fn and(mut self, other: TextConditions) -> Self {
        other.required.into_iter().for_each(|pattern| self.add(pattern, true));
        other.forbidden.into_iter().for_each(|pattern| self.add(pattern, false));
        self
    }

    /// Returns the shortest text that satisfies the conditions and a schema.
    pub(super) fn text(&self, schema: &StructuralSchema) -> RefusedText {
        text_with(&schema.validation, &self.required, &self.forbidden)
    }
}

/// Returns the pattern of the texts for which a function of a text and a constant is true.
pub(super) fn pattern(function: &str, constant: &str) -> Option<String> {
    let quoted = regex::escape(constant);
    match function {
        "matches" => Some(constant.to_owned()),
        "startsWith" => Some(format!(r"\A{quoted}")),
        "endsWith" => Some(format!(r"{quoted}\z")),
        "contains" => Some(quoted),
        _ => None,
    }
}

impl<'a> Scope<'a> {
    /// Returns the conditions that the rules of the objects put on a text, as far as these are about the text alone.
    pub(super) fn needed_texts(&self, objects: &Objects, place: &Place) -> TextConditions {
        let own = self.needed_by(objects, self.rule.condition(), place, self.goal);
        let around = self.rules_around(place).into_iter();
        around.filter(|(rule, _)| rule.source() != self.rule.source()).fold(own, |needed, (rule, path)| {
            let of_rule = self.of_rule(rule, &path).needed_by(objects, rule.condition(), place, true);
            needed.and(of_rule)
        })
    }

    /// Returns the conditions of a text without which a part is not as wanted.
    fn needed_by(&self, objects: &Objects, part: RulePart<'a>, place: &Place, want: bool) -> TextConditions {
        let inner = |part, want| self.needed_by(objects, part, place, want);
        let all = |parts: Vec<RulePart<'a>>| {
            parts
                .into_iter()
                .map(|part| inner(part, want))
                .fold(TextConditions::default(), TextConditions::and)
        };
        let none = TextConditions::default;
        match part.kind() {
            PartKind::Not(negated) => inner(negated, !want),
            PartKind::And(parts) if want => all(parts),
            PartKind::Or(parts) if !want => all(parts),
            PartKind::Or(mut parts) | PartKind::And(mut parts) => {
                // The other alternatives are not about the text.
                parts.retain(|part| {
                    self.is_about(objects, *part, place) || self.holds(objects, *part) == Some(want)
                });
                if let [part] = parts[..] { inner(part, want) } else { none() }
            }
            PartKind::If([condition, yes, no]) => match self.holds(objects, condition) {
                Some(true) => inner(yes, want),
                Some(false) => inner(no, want),
                None => none(),
            },
            PartKind::Call(name, args) if args.len() == 2 => {
                let is_it = self.place(objects, args[0]).as_ref() == Some(place);
                match self.value(objects, args[1]).filter(|_| is_it) {
                    Some(Doc::String(constant)) => pattern(name, &constant)
                        .map_or_else(none, |pattern| TextConditions::one(pattern, want)),
                    _ => none(),
                }
            }
            PartKind::Compare(comparison, [text, constant])
                if comparison != RuleComparison::Order && (comparison == RuleComparison::Equal) != want =>
            {
                let is_it = self.place(objects, text).as_ref() == Some(place);
                match self.value(objects, constant).filter(|_| is_it) {
                    Some(Doc::String(constant)) => {
                        TextConditions::one(format!(r"\A{}\z", regex::escape(&constant)), false)
                    }
                    _ => none(),
                }
            }
            _ => none(),
        }
    }

    fn is_about(&self, objects: &Objects, part: RulePart<'a>, place: &Place) -> bool {
        self.place(objects, part).as_ref() == Some(place)
            || part.inner().into_iter().any(|inner| self.is_about(objects, inner, place))
    }
}
