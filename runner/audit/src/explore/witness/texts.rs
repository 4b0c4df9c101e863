//! The conditions of a text, as patterns.

use skewer_admission::cel::parts::{PartKind, RuleComparison, RulePart};
use skewer_admission::structural::StructuralSchema;
use skewer_engine::Doc;

use super::objects::{Objects, Place};
use super::scope::Scope;
use crate::sample::{RefusedText, decoded, encoded, text_with, texts_like};

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

/// The patterns of a text around a part of it that a rule reads. Empty for a whole text.
#[derive(Default)]
pub(super) struct Around {
    before: String,
    after: String,
    /// The pattern of the part.
    any: String,
}

impl Around {
    /// A part that begins after a number of characters.
    pub(super) fn after(count: usize) -> Self {
        let before = format!(r"\A[\s\S]{{{count}}}");
        Around { before, after: r"\z".to_owned(), any: r"[\s\S]*".to_owned() }
    }

    /// Returns a pattern of the whole text for a condition of its part. Texts that match can still differ in their part: the
    /// evaluator of rules decides.
    pub(super) fn pattern(&self, function: &str, constant: &str) -> Option<String> {
        let Around { before, after, any } = self;
        if before.is_empty() {
            return pattern(function, constant);
        }
        let quoted = regex::escape(constant);
        let inner = match function {
            "==" => quoted,
            "startsWith" => format!("{quoted}{any}"),
            "endsWith" => format!("{any}{quoted}"),
            "contains" => format!("{any}{quoted}{any}"),
            "matches" => constant.strip_prefix('^')?.strip_suffix('$')?.to_owned(),
            _ => return None,
        };
        Some(format!("{before}(?:{inner}){after}"))
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
        "==" => Some(format!(r"\A{quoted}\z")),
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
                let pattern = self.text_pattern(objects, name, [args[0], args[1]]);
                let pattern = pattern.filter(|(of, _)| of == place);
                pattern.map_or_else(none, |(_, pattern)| TextConditions::one(pattern, want))
            }
            PartKind::Compare(comparison, sides)
                if comparison != RuleComparison::Order && (comparison == RuleComparison::Equal) != want =>
            {
                let pattern = self.text_pattern(objects, "==", sides).filter(|(of, _)| of == place);
                pattern.map_or_else(none, |(_, pattern)| TextConditions::one(pattern, false))
            }
            _ => none(),
        }
    }

    /// Returns the place of a text, and the pattern that it matches if a function of the text, or of a part of it, and of a
    /// constant is true.
    pub(super) fn text_pattern(
        &self,
        objects: &Objects,
        function: &str,
        [text, constant]: [RulePart<'a>; 2],
    ) -> Option<(Place, String)> {
        let Some(Doc::String(constant)) = self.value(objects, constant) else { return None };
        let (place, around) = match self.place(objects, text) {
            Some(place) => (place, Around::default()),
            None => self.whole_text(objects, text)?,
        };
        Some((place, around.pattern(function, &constant)?))
    }

    /// Returns the place of the text whose part `split` or `substring` returns.
    fn whole_text(&self, objects: &Objects, part: RulePart<'a>) -> Option<(Place, Around)> {
        let number = |part| match self.value(objects, part)? {
            Doc::Int(number) => usize::try_from(number).ok(),
            _ => None,
        };
        match part.kind() {
            PartKind::Index([split, index]) => {
                let PartKind::Call("split", args) = split.kind() else { return None };
                let [text, separator, limit @ ..] = &*args else { return None };
                let Doc::String(separator) = self.value(objects, *separator)? else { return None };
                if separator.chars().count() != 1 {
                    return None;
                }
                let (separator, index) = (regex::escape(&separator), number(index)?);
                let is_rest = limit.first().and_then(|limit| number(*limit)) == Some(index + 1);
                let after = if is_rest { r"\z".to_owned() } else { format!(r"(?:{separator}[\s\S]*)?\z") };
                let before = format!(r"\A(?:[^{separator}]*{separator}){{{index}}}");
                let any = format!("[^{separator}]*");
                Some((self.place(objects, *text)?, Around { before, after, any }))
            }
            PartKind::Call("substring", args) => {
                let [text, start] = *args else { return None };
                Some((self.place(objects, text)?, Around::after(number(start)?)))
            }
            _ => None,
        }
    }

    /// Returns objects with another text at the only place that a condition reads. The condition is as wanted, and the other
    /// rules of the text hold as before: the text has one part more than before, or one less. There are none if the text has no
    /// other rules.
    pub(super) fn other_texts(&self, objects: &Objects, part: RulePart<'a>, want: bool) -> Vec<Objects> {
        let mut places = Vec::new();
        self.collect_places(objects, part, &mut places);
        let [place] = &places[..] else { return Vec::new() };
        let text = objects.value(place).and_then(Doc::as_str);
        let (Some(text), Some(schema)) = (text, self.schema_of(place)) else { return Vec::new() };
        if self.other_rules(place).is_empty() {
            return Vec::new();
        }
        let literals: Vec<&str> = self.literals.iter().filter_map(Doc::as_str).collect();
        let texts = texts_like(&decoded(schema, text), &literals).into_iter();
        let values = texts.map(|text| Doc::from(encoded(schema, text)));
        let with = |value| objects.with(self.schema, place, value);
        let found = values.filter(|value| self.is_permitted(place, value)).filter_map(with);
        found.filter(|objects| self.holds(objects, part) == Some(want)).collect()
    }

    fn is_about(&self, objects: &Objects, part: RulePart<'a>, place: &Place) -> bool {
        self.place(objects, part).as_ref() == Some(place)
            || part.inner().into_iter().any(|inner| self.is_about(objects, inner, place))
    }
}
