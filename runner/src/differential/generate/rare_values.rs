//! Values that few documents have, and at which implementations disagree: numbers at the limits of their types, empty
//! names, repeated and null items, names in another case or script.

use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};

use super::documents::DocumentGenerator;
use crate::differential::types::{TrialStruct, TrialType};

/// Integers at the limits of 32 bits, of 64 bits, and of the integers that a 64-bit float can represent.
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

/// Floats that equal an integer, and floats that Go and Rust could write differently: it changes to an exponent at 1e21 and
/// below 1e-6, and with `%v` at other powers.
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

/// Keys that no type has. Go takes `ſ` for an `s` in another case.
const KEYS: [&str; 8] = ["", "é", "日本", "😀", "a b", "A", "ſpec", "~1/"];

impl DocumentGenerator<'_> {
    /// Decides at random whether the next value is a rare one.
    pub(super) fn decide_rare(&mut self) -> bool {
        self.random.chance(self.rare_per_mille)
    }

    /// Generates a rare scalar that fits the type. A number without fraction, such as 1.0, can stand for an integer.
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

    /// Generates any rare value.
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

    /// Adds an entry with a rare key to a map: an empty one, one in another script, or a field in another case.
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

    /// Adds a directive for the field with an empty name.
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

    /// Repeats an item of a list, or adds a null, if it holds scalars.
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

    /// Writes a name in another case, as a lookup that ignores case still finds it.
    pub(super) fn in_other_case(&mut self, name: &str) -> OwnedText {
        let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
        Text::from(match self.random.below(4) {
            0 => name.to_uppercase(),
            // Letters outside of ASCII that Go folds to `s` and `k`.
            1 if name.contains('s') => name.replacen('s', "ſ", 1),
            1 if name.contains('k') => name.replacen('k', "\u{212a}", 1),
            _ => first.to_uppercase() + rest,
        })
    }
}
