//! Generation of random objects of a type, and of random edits. A mistake is a value that does not fit its type.

use skewer_engine::schema::ScalarType;
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};

use crate::differential::types::{MERGE_KEYS, TrialStruct, TrialType, TrialTypes, TypesOrigin, is_formatted};
use crate::random_testing::Random;

/// A generator of documents of one root type.
pub(crate) struct DocumentGenerator<'t> {
    pub(crate) types: &'t TrialTypes,
    pub(crate) random: Random,
    /// Chance in a thousand that a value is a mistake.
    pub(crate) mistakes_per_mille: usize,
    /// Chance in a thousand that a value is [rare](super::rare_values).
    pub(crate) rare_per_mille: usize,
    /// Which rare values can occur.
    pub(crate) rare_values: RareValues,
}

/// Which rare values occur in documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RareValues {
    /// Any, also those that Go cannot decode into the type.
    Any,
    /// Mostly those that Go can decode into the type.
    MostlyDecodable,
    /// Only those that Go can decode into the type.
    Decodable,
}

/// The strings of generated documents. There are only a few, so that equal strings are common. Some look like other
/// values when Go prints them.
pub(super) const STRINGS: [&str; 10] = ["a", "b", "c", "d", "a", "b", "", "1", "true", "<nil>"];
pub(super) const INTEGERS: [i64; 7] = [0, 1, 2, 3, 1, 2, -1];
pub(super) const FLOATS: [f64; 6] = [1.0, 0.5, 2.0, 1e21, -0.25, 1e-7];
/// Merge keys of random types. The items of a list may lack its merge key.
const RANDOM_MERGE_KEYS: [&str; 3] = ["name", "port", "zone"];
const UNKNOWN_KEYS: [&str; 6] = ["x", "y", "$x", "x/y", "", "é"];

impl DocumentGenerator<'_> {
    fn decide_mistake(&mut self) -> bool {
        self.random.chance(self.mistakes_per_mille)
    }

    /// Generates an object of the root type.
    pub(crate) fn object(&mut self) -> OwnedMap {
        self.struct_value(self.types.root(), 0)
    }

    pub(crate) fn struct_value(&mut self, struct_type: &TrialStruct, depth: usize) -> OwnedMap {
        let mut map = Map::new();
        for (number, field) in struct_type.fields.iter().enumerate() {
            // The first fields, which may be merge keys, are nearly always present.
            let chance = if number < 2 && depth < 7 {
                900
            } else {
                struct_type.scaled_chance(field, 600_usize.saturating_sub(80 * depth))
            };
            if self.random.chance(chance) {
                map.insert(Text::from(field.name), self.typed_value(&field.ty, depth + 1));
            }
        }
        if self.decide_mistake() {
            let (key, value) = self.unknown_entry();
            map.insert(key, value);
        }
        if self.decide_rare() {
            self.add_rare_entry(&mut map, Some(struct_type));
        }
        map
    }

    /// Generates a value of a type, or a mistake.
    pub(crate) fn typed_value(&mut self, ty: &TrialType, depth: usize) -> OwnedDoc {
        if self.decide_mistake() {
            return self.mistyped_value(ty, depth);
        }
        match ty {
            TrialType::List(_) if self.decide_rare() => Doc::List(Vec::new()),
            TrialType::Struct(_) | TrialType::Map(_) if self.decide_rare() => Doc::Map(Map::new()),
            TrialType::Struct(index) => Doc::Map(self.struct_value(&self.types.structs[*index], depth)),
            TrialType::List(item) => self.list_value(item, depth),
            TrialType::Map(value) => {
                let mut map = Map::new();
                for _ in 0..self.random.below(4) {
                    let key = *self.random.pick(&["a", "b", "c", "name"]);
                    map.insert(Text::from(key), self.typed_value(value, depth + 1));
                }
                Doc::Map(map)
            }
            TrialType::Any => self.untyped_value(depth),
            TrialType::Scalar(scalar) => self.scalar_value(*scalar),
            TrialType::ObjectMeta | TrialType::Named(..) => self.scalar_value(ScalarType::String),
        }
    }

    pub(crate) fn scalar_value(&mut self, scalar: ScalarType) -> OwnedDoc {
        if !self.decide_rare() {
            return self.usual_scalar(scalar);
        }
        let is_decodable = match self.rare_values {
            RareValues::Any => false,
            RareValues::MostlyDecodable => self.random.chance(700),
            RareValues::Decodable => true,
        };
        if is_decodable { self.rare_decodable_scalar(scalar) } else { self.rare_scalar(scalar) }
    }

    fn list_value(&mut self, item: &TrialType, depth: usize) -> OwnedDoc {
        // The items of a long list have unique keys, because Go's sorting algorithm for long lists is not stable.
        if self.random.chance(8) && depth < 3 {
            return Doc::List(self.long_list(item, depth));
        }
        let length = self.random.below(5);
        let mut items = (0..length).map(|_| self.typed_value(item, depth + 1)).collect();
        if self.decide_rare() {
            self.add_rare_item(&mut items);
        }
        Doc::List(items)
    }

    fn long_list(&mut self, item: &TrialType, depth: usize) -> Vec<OwnedDoc> {
        let length = 13 + self.random.below(20);
        let mut numbers: Vec<usize> = (0..length).collect();
        self.random.shuffle(&mut numbers);
        let of_release = matches!(self.types.origin, TypesOrigin::Release { .. });
        // A kind of a release has numbers where its type has numbers.
        let key = |ty: Option<&TrialType>, number: usize| match ty {
            Some(TrialType::Scalar(ScalarType::Integer | ScalarType::Number | ScalarType::Int32))
                if of_release =>
            {
                Doc::Int(i64::try_from(number).unwrap_or_default())
            }
            _ => Doc::from(format!("k{number}")),
        };
        let numbered_item = |generator: &mut Self, number: usize| match item {
            TrialType::Struct(index) => {
                let mut map = generator.struct_value(&generator.types.structs[*index], depth.max(4));
                let struct_type = &generator.types.structs[*index];
                for name in MERGE_KEYS
                    .into_iter()
                    .filter(|name| RANDOM_MERGE_KEYS.contains(name) || struct_type.field(name).is_some())
                {
                    let ty = struct_type.field(name).map(|field| &field.ty);
                    map.insert(Text::from(name), key(ty, number));
                }
                Doc::Map(map)
            }
            TrialType::Scalar(scalar) if is_formatted(*scalar) => generator.scalar_value(*scalar),
            _ => key(Some(item), number),
        };
        numbers.into_iter().map(|number| numbered_item(self, number)).collect()
    }

    /// Generates a small value of any type.
    pub(crate) fn untyped_value(&mut self, depth: usize) -> OwnedDoc {
        if self.decide_rare() {
            return self.rare_value();
        }
        match self.random.below(if depth > 4 { 5 } else { 8 }) {
            0 => Doc::Null,
            1 => Doc::Bool(self.random.chance(500)),
            2 => Doc::Int(*self.random.pick(&INTEGERS)),
            3 => Doc::Float(*self.random.pick(&FLOATS)),
            4 => Doc::from(*self.random.pick(&STRINGS)),
            5 => {
                let length = self.random.below(3);
                Doc::List((0..length).map(|_| self.untyped_value(depth + 1)).collect())
            }
            _ => {
                let mut map = Map::new();
                for _ in 0..self.random.below(3) {
                    let key = *self.random.pick(&["name", "a", "b", "port"]);
                    map.insert(Text::from(key), self.untyped_value(depth + 1));
                }
                Doc::Map(map)
            }
        }
    }

    /// Generates a value that does not fit the type, or that fits only partly.
    fn mistyped_value(&mut self, ty: &TrialType, depth: usize) -> OwnedDoc {
        match (self.random.below(4), ty) {
            (0, _) => Doc::Null,
            // A list with an item of another type.
            (1, TrialType::List(item)) => {
                let length = self.random.below(3);
                let mut items: Vec<OwnedDoc> =
                    (0..length).map(|_| self.typed_value(item, depth + 1)).collect();
                let at = self.random.below(length + 1);
                let mistake = self.untyped_value(depth + 1);
                items.insert(at, mistake);
                Doc::List(items)
            }
            // A struct without its first field, which may be its merge key.
            (1, TrialType::Struct(index)) => {
                let mut map = self.struct_value(&self.types.structs[*index], depth);
                if let Some(field) = self.types.structs[*index].fields.first() {
                    map.remove(field.name);
                }
                Doc::Map(map)
            }
            (1 | 2, TrialType::Scalar(scalar)) if is_formatted(*scalar) => self.malformed_value(*scalar),
            _ => self.untyped_value(depth),
        }
    }

    /// Generates an entry with an unknown key.
    pub(crate) fn unknown_entry(&mut self) -> (OwnedText, OwnedDoc) {
        let key = *self.random.pick(&UNKNOWN_KEYS);
        (Text::from(key), self.untyped_value(3))
    }

    /// Returns a map with some entries removed, changed or added.
    pub(crate) fn edited_map(
        &mut self,
        map: &OwnedMap,
        struct_type: Option<&TrialStruct>,
        depth: usize,
    ) -> OwnedMap {
        let mut edited = Map::new();
        for (key, value) in map.iter() {
            let ty = struct_type.and_then(|struct_type| struct_type.field(key)).map(|field| &field.ty);
            match self.random.below(10) {
                0 => {}
                1 => {
                    let value = self.value_or_untyped(ty, depth + 1);
                    edited.insert(key.clone(), value);
                }
                2..=5 => {
                    let value = self.edited_value(value, ty, depth + 1);
                    edited.insert(key.clone(), value);
                }
                _ => {
                    edited.insert(key.clone(), value.clone());
                }
            }
        }
        for field in struct_type.iter().flat_map(|struct_type| &struct_type.fields) {
            let chance = struct_type.map_or(0, |struct_type| struct_type.scaled_chance(field, 150));
            if !map.contains_key(field.name) && self.random.chance(chance) {
                edited.insert(Text::from(field.name), self.typed_value(&field.ty, depth + 1));
            }
        }
        if self.decide_rare() {
            self.add_rare_entry(&mut edited, struct_type);
        }
        edited
    }

    fn value_or_untyped(&mut self, ty: Option<&TrialType>, depth: usize) -> OwnedDoc {
        match ty {
            Some(ty) => self.typed_value(ty, depth),
            None => self.untyped_value(depth),
        }
    }

    fn edited_value(&mut self, value: &OwnedDoc, ty: Option<&TrialType>, depth: usize) -> OwnedDoc {
        match (value, ty) {
            (Doc::Map(map), Some(TrialType::Struct(index))) => {
                Doc::Map(self.edited_map(map, Some(&self.types.structs[*index]), depth))
            }
            (Doc::Map(map), _) => Doc::Map(self.edited_map(map, None, depth)),
            (Doc::List(items), Some(TrialType::List(item))) => self.edited_list(items, Some(item), depth),
            (Doc::List(items), _) => self.edited_list(items, None, depth),
            (_, Some(ty)) => self.typed_value(ty, depth),
            (value, None) => value.clone(),
        }
    }

    fn edited_list(&mut self, items: &[OwnedDoc], item: Option<&TrialType>, depth: usize) -> OwnedDoc {
        let mut edited = Vec::new();
        let is_long = items.len() > 8;
        for value in items {
            match self.random.below(8) {
                0 => {}
                1 | 2 => edited.push(self.edited_item(value, item, depth, is_long)),
                _ => edited.push(value.clone()),
            }
        }
        // The keys in a long list must remain unique.
        if !is_long && self.random.chance(400) {
            let at = self.random.below(edited.len() + 1);
            let added = self.value_or_untyped(item, depth + 1);
            edited.insert(at, added);
        }
        if !is_long && self.decide_rare() {
            self.add_rare_item(&mut edited);
        }
        if self.random.chance(250) {
            self.random.shuffle(&mut edited);
        }
        Doc::List(edited)
    }

    /// Returns an edited copy of a list item. In most cases, its merge keys are unchanged.
    fn edited_item(
        &mut self,
        value: &OwnedDoc,
        item: Option<&TrialType>,
        depth: usize,
        keeps_keys: bool,
    ) -> OwnedDoc {
        let mut edited = self.edited_value(value, item, depth);
        let (Doc::Map(before), Doc::Map(after)) = (value, &mut edited) else { return value.clone() };
        for key in MERGE_KEYS {
            let Some(key_value) = before.get(key) else { continue };
            if keeps_keys || self.random.chance(900) {
                after.insert(Text::from(key), key_value.clone());
            }
        }
        edited
    }
}
