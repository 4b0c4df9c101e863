//! Generation of rare values. Implementations tend to disagree on them: numbers at the limits of their types, empty
//! names, repeated and null items, and names in another case or script.

use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};

use super::documents::DocumentGenerator;
use crate::differential::types::{TrialStruct, TrialType};

/// Integers at the limits of 32-bit integers, of 64-bit integers, and of the integers that a float64 represents
/// exactly.
const INTEGERS: [i64; 12] = [
    9_007_199_254_740_991,
    9_007_199_254_740_992,
    9_007_199_254_740_993,
    -9_007_199_254_740_993,
    i64::MAX,
    i64::MAX - 1,
    i64::MIN,
    i64::MIN + 1,
    2_147_483_648,
    1_000_000,
    10_000_000,
    0,
];

/// Floats with an integral value, and floats that Go and Rust may format differently. In JSON, Go uses an exponent from
/// 1e21 and below 1e-6; with `%v`, the limits differ.
const FLOATS: [f64; 20] = [
    -0.0,
    0.0,
    1.0,
    2.0,
    3.0,
    -1.0,
    1e6,
    1e15,
    1e20,
    1e21,
    1e300,
    f64::MAX,
    1e-6,
    9e-7,
    1e-300,
    5e-324,
    9_007_199_254_740_992.0,
    9_007_199_254_740_994.0,
    9_223_372_036_854_775_808.0,
    0.1,
];

/// Strings in other scripts and cases, and strings with characters that JSON escapes.
const STRINGS: [&str; 10] =
    ["", "é", "e\u{301}", "日本", "😀", "A", "B", "9007199254740993", "1e21", "\t\"\\"];

/// Keys that no type has. Go's case folding treats `ſ` as an `s`.
const KEYS: [&str; 8] = ["", "é", "日本", "😀", "a b", "A", "ſpec", "~1/"];

impl DocumentGenerator<'_> {
    /// Decides at random whether the next value is rare.
    pub(super) fn decide_rare(&mut self) -> bool {
        self.random.chance(self.rare_per_mille)
    }

    /// Generates a rare scalar that fits the type. An integral float such as 1.0 can stand for an integer.
    pub(super) fn rare_scalar(&mut self, ty: &TrialType) -> OwnedDoc {
        let float_chance = match ty {
            TrialType::Integer => 300,
            TrialType::Number => 700,
            TrialType::IntOrString => 150,
            TrialType::Boolean => return Doc::Bool(self.random.chance(500)),
            _ => return Doc::from(*self.random.pick(&STRINGS)),
        };
        if self.random.chance(float_chance) {
            Doc::Float(*self.random.pick(&FLOATS))
        } else {
            Doc::Int(*self.random.pick(&INTEGERS))
        }
    }

    /// Generates a rare value of any type.
    pub(super) fn rare_value(&mut self) -> OwnedDoc {
        match self.random.below(6) {
            0 => Doc::List(Vec::new()),
            1 => Doc::Map(Map::new()),
            2 => self.rare_scalar(&TrialType::Integer),
            3 => self.rare_scalar(&TrialType::Number),
            4 => Doc::List(vec![Doc::Null]),
            _ => self.rare_scalar(&TrialType::String),
        }
    }

    /// Adds an entry with a rare key to a map: an empty key, a key in a script that is not Latin, or a field name in
    /// another case.
    pub(super) fn add_rare_entry(&mut self, map: &mut OwnedMap, struct_type: Option<&TrialStruct>) {
        let field = struct_type.filter(|of| !of.fields.is_empty() && self.random.chance(300));
        let key = match field {
            Some(struct_type) => {
                let name = self.random.pick(&struct_type.fields).name;
                self.in_other_case(name)
            }
            None if self.random.chance(300) => Text::from_static(""),
            None => Text::from(*self.random.pick(&KEYS)),
        };
        let value = match self.random.below(3) {
            0 => {
                let length = self.random.below(4);
                Doc::List((0..length).map(|_| self.scalar_value(&TrialType::String)).collect())
            }
            1 => self.rare_value(),
            _ => self.untyped_value(3),
        };
        map.insert(key, value);
    }

    /// Adds a directive for a field with an empty name.
    pub(super) fn add_directive_with_empty_name(&mut self, patch: &mut OwnedMap) {
        let key = *self.random.pick(&["$deleteFromPrimitiveList/", "$setElementOrder/"]);
        let value = if self.random.chance(800) {
            let length = self.random.below(4);
            Doc::List((0..length).map(|_| self.scalar_value(&TrialType::String)).collect())
        } else {
            self.untyped_value(3)
        };
        patch.insert(Text::from(key), value);
    }

    /// Inserts a copy of a scalar item, or null, into a list.
    pub(super) fn add_rare_item(&mut self, items: &mut Vec<OwnedDoc>) {
        let at = self.random.below(items.len() + 1);
        let repeated =
            items.iter().filter(|item| item.is_scalar()).nth(self.random.below(items.len())).cloned();
        match repeated {
            Some(item) if self.random.chance(700) => items.insert(at, item),
            _ if self.random.chance(400) => items.insert(at, Doc::Null),
            _ => {}
        }
    }

    /// Changes the case of a name. A case-insensitive lookup still finds the field.
    pub(super) fn in_other_case(&mut self, name: &str) -> OwnedText {
        let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
        Text::from(match self.random.below(4) {
            0 => name.to_uppercase(),
            // Go's case folding treats these letters as `s` and `k`.
            1 if name.contains('s') => name.replacen('s', "ſ", 1),
            1 if name.contains('k') => name.replacen('k', "\u{212a}", 1),
            _ => first.to_uppercase() + rest,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use skewer_skew::OperationKind;

    use crate::differential::generate::{TypeSource, generate_trial, trial_operations, types_of_trial};
    use crate::differential::trial::Trial;

    use super::*;

    /// A feature of documents, and the operations whose documents do not have it.
    struct Feature {
        name: &'static str,
        missing_in: &'static [OperationKind],
        is_in: fn(&OwnedDoc) -> bool,
    }

    const fn feature(name: &'static str, is_in: fn(&OwnedDoc) -> bool) -> Feature {
        Feature { name, missing_in: &[], is_in }
    }

    const fn directive(name: &'static str, is_in: fn(&OwnedDoc) -> bool) -> Feature {
        Feature { name, missing_in: WITHOUT_PATCHES, is_in }
    }

    /// The operations without a strategic merge patch as a document.
    const WITHOUT_PATCHES: &[OperationKind] = &[
        OperationKind::TwoWay,
        OperationKind::ThreeWay,
        OperationKind::JsonMergeTwoWay,
        OperationKind::JsonMergeThreeWay,
        OperationKind::JsonPatchApply,
    ];

    /// The features of the values inside a document.
    #[allow(clippy::float_cmp)] // the floats of `FLOATS` are copied unchanged
    const FEATURES: &[Feature] = &[
        feature("2^53 + 1", |value| *value == Doc::Int(9_007_199_254_740_993)),
        feature("the limits of int64", |value| {
            [i64::MAX, i64::MIN, i64::MAX - 1].map(Doc::Int).contains(value)
        }),
        feature("-0.0", |value| matches!(value, Doc::Float(f) if *f == 0.0 && f.is_sign_negative())),
        feature("1.0", |value| *value == Doc::Float(1.0)),
        feature("1e21", |value| *value == Doc::Float(1e21)),
        feature("1e300", |value| *value == Doc::Float(1e300)),
        feature("5e-324", |value| *value == Doc::Float(5e-324)),
        feature("2^63", |value| *value == Doc::Float(9_223_372_036_854_775_808.0)),
        feature("a number as merge key", |value| {
            let items = value.as_list().unwrap_or_default();
            let has_number = |item: &OwnedDoc| {
                let key = item.as_map().and_then(|map| map.get("name"));
                matches!(key, Some(Doc::Int(i)) if *i > 1000) || matches!(key, Some(Doc::Float(_)))
            };
            items.iter().any(has_number)
        }),
        feature("an empty merge key", |value| {
            let is_empty = |item: &OwnedDoc| {
                item.as_map().and_then(|map| map.get("name")).and_then(Doc::as_str) == Some("")
            };
            value.as_list().is_some_and(|items| items.iter().any(is_empty))
        }),
        feature("an empty field name", |value| has_key(value, str::is_empty)),
        feature("an empty string", |value| value.as_str() == Some("")),
        feature("a key in another script", |value| has_key(value, |key| key == "日本")),
        feature("a string outside the basic multilingual plane", |value| value.as_str() == Some("😀")),
        feature("a field in another case", |value| {
            has_key(value, |key| ["A", "B", "NAME", "Name", "Port", "PORT"].contains(&key))
        }),
        feature("a field that Go folds", |value| has_key(value, |key| key == "ſpec")),
        feature("a null item", |value| {
            value.as_list().is_some_and(|items| items.iter().any(OwnedDoc::is_null) && items.len() > 1)
        }),
        feature("an empty list", |value| value.as_list().is_some_and(<[OwnedDoc]>::is_empty)),
        feature("an empty map", |value| value.as_map().is_some_and(Map::is_empty)),
        feature("a repeated scalar", |value| value.as_list().is_some_and(has_repeated_scalar)),
        directive("a deletion with an empty name", |value| {
            has_key(value, |key| key == "$deleteFromPrimitiveList/")
        }),
        directive("an order with an empty name", |value| has_key(value, |key| key == "$setElementOrder/")),
        directive("a repeated scalar in $deleteFromPrimitiveList", |value| {
            has_repeated_scalar_at(value, "$deleteFromPrimitiveList/")
        }),
        directive("a repeated scalar in an order", |value| {
            has_repeated_scalar_at(value, "$setElementOrder/")
        }),
    ];

    fn has_key(value: &OwnedDoc, predicate: impl Fn(&str) -> bool) -> bool {
        value.as_map().is_some_and(|map| map.keys().any(|key| predicate(key)))
    }

    fn has_repeated_scalar(items: &[OwnedDoc]) -> bool {
        items.iter().enumerate().any(|(at, item)| item.is_scalar() && items[..at].contains(item))
    }

    fn has_repeated_scalar_at(value: &OwnedDoc, prefix: &str) -> bool {
        let is_repeated = |(key, value): (&OwnedText, &OwnedDoc)| {
            key.starts_with(prefix) && value.as_list().is_some_and(has_repeated_scalar)
        };
        value.as_map().is_some_and(|map| map.iter().any(is_repeated))
    }

    fn collect_features(value: &OwnedDoc, features: &mut BTreeSet<&'static str>) {
        features.extend(FEATURES.iter().filter(|feature| (feature.is_in)(value)).map(|feature| feature.name));
        match value {
            Doc::List(items) => items.iter().for_each(|item| collect_features(item, features)),
            Doc::Map(map) => map.iter().for_each(|(_, value)| collect_features(value, features)),
            _ => {}
        }
    }

    /// Number of trials in which every feature must occur.
    const MAX_TRIALS: u64 = 6_000;

    fn trials_of(operation: OperationKind) -> impl Iterator<Item = Trial> {
        let mut types = types_of_trial(&TypeSource::Random, 1, 0).unwrap();
        (0..MAX_TRIALS).map(move |number| {
            if number % 64 == 0 {
                types = types_of_trial(&TypeSource::Random, 1, number).unwrap();
            }
            generate_trial(1, number, &Arc::clone(&types), &[operation])
        })
    }

    #[test]
    fn every_feature_occurs_in_every_operation() {
        for operation in &trial_operations() {
            let required = FEATURES.iter().filter(|feature| !feature.missing_in.contains(operation));
            let mut missing: BTreeSet<&str> = required.map(|feature| feature.name).collect();
            for trial in trials_of(*operation) {
                let mut features = BTreeSet::new();
                trial.documents.iter().for_each(|document| collect_features(document, &mut features));
                missing.retain(|name| !features.contains(name));
                if missing.is_empty() {
                    break;
                }
            }
            assert!(missing.is_empty(), "not in {MAX_TRIALS} trials of {}: {missing:?}", operation.name());
        }
    }

    /// Most trials have only small integers, short strings and fields of their types.
    #[test]
    fn ordinary_documents_are_the_majority() {
        let is_rare = |value: &OwnedDoc| match value {
            Doc::Int(integer) => INTEGERS.contains(integer) && *integer != 0,
            Doc::String(text) => STRINGS.contains(&text.as_str()) && !text.is_empty(),
            value => has_key(value, |key| KEYS.contains(&key) && !key.is_empty()),
        };
        let has_rare = |trial: &Trial| {
            let mut documents = trial.documents.iter();
            documents.any(|document| has_value_where(document, &is_rare))
        };
        for operation in [OperationKind::Apply, OperationKind::ThreeWay, OperationKind::Merge] {
            let rare = trials_of(operation).take(1000).filter(has_rare).count();
            assert!((100..450).contains(&rare), "{} trials of 1000: {rare}", operation.name());
        }
    }

    fn has_value_where(value: &OwnedDoc, predicate: &dyn Fn(&OwnedDoc) -> bool) -> bool {
        predicate(value)
            || match value {
                Doc::List(items) => items.iter().any(|item| has_value_where(item, predicate)),
                Doc::Map(map) => map.iter().any(|(_, value)| has_value_where(value, predicate)),
                _ => false,
            }
    }
}
