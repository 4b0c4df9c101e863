//! Objects of a type, and edits of them. The more `wildness`, the less they keep to the type.

use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};

use super::types::{MERGE_KEYS, Struct, Type, Types};
use crate::random_testing::Random;

/// Makes documents of one type.
pub(crate) struct Maker<'t> {
    pub(crate) types: &'t Types,
    pub(crate) random: Random,
    /// How many values out of a thousand are wrong in some way.
    pub(crate) wildness: usize,
}

/// Few values, so that equal ones are common; and some that Go prints like another.
const STRINGS: [&str; 10] = ["a", "b", "c", "d", "a", "b", "", "1", "true", "<nil>"];
const INTEGERS: [i64; 7] = [0, 1, 2, 3, 1, 2, -1];
const FLOATS: [f64; 6] = [1.0, 0.5, 2.0, 1e21, -0.25, 1e-7];
/// Merge keys that random types may declare for types that lack them.
const MAY_BE_NEW: [&str; 3] = ["name", "port", "zone"];
const OTHER_KEYS: [&str; 6] = ["x", "y", "$x", "x/y", "", "é"];

impl Maker<'_> {
    fn wild(&mut self) -> bool {
        self.random.chance(self.wildness)
    }

    /// An object of the root type.
    pub(crate) fn object(&mut self) -> OwnedMap {
        self.structure(self.types.root(), 0)
    }

    pub(crate) fn structure(&mut self, of: &Struct, depth: usize) -> OwnedMap {
        let mut map = Map::new();
        for (number, field) in of.fields.iter().enumerate() {
            // What may be a merge key is nearly always there.
            let usual = if number < 2 && depth < 7 {
                900
            } else {
                of.odds(field, 600_usize.saturating_sub(80 * depth))
            };
            if self.random.chance(usual) {
                map.insert(Text::from(field.name), self.value(&field.ty, depth + 1));
            }
        }
        if self.wild() {
            let (key, value) = self.other_entry();
            map.insert(key, value);
        }
        map
    }

    /// A value of a type, or nearly.
    pub(crate) fn value(&mut self, ty: &Type, depth: usize) -> OwnedDoc {
        if self.wild() {
            return self.wrong(ty, depth);
        }
        match ty {
            Type::Struct(at) => Doc::Map(self.structure(&self.types.structs[*at], depth)),
            Type::List(item) => self.list(item, depth),
            Type::Map(value) => {
                let mut map = Map::new();
                for _ in 0..self.random.below(4) {
                    let key = *self.random.pick(&["a", "b", "c", "name"]);
                    map.insert(Text::from(key), self.value(value, depth + 1));
                }
                Doc::Map(map)
            }
            Type::Any => self.anything(depth),
            scalar => self.scalar(scalar),
        }
    }

    pub(crate) fn scalar(&mut self, ty: &Type) -> OwnedDoc {
        let string = |random: &mut Random| Doc::from(*random.pick(&STRINGS));
        let integer = |random: &mut Random| Doc::Int(*random.pick(&INTEGERS));
        match ty {
            Type::Number if self.random.chance(700) => Doc::Float(*self.random.pick(&FLOATS)),
            Type::Integer | Type::Number => integer(&mut self.random),
            Type::Boolean => Doc::Bool(self.random.chance(500)),
            Type::IntOrString if self.random.chance(500) => integer(&mut self.random),
            _ => string(&mut self.random),
        }
    }

    fn list(&mut self, item: &Type, depth: usize) -> OwnedDoc {
        // Long lists have keys of their own: Go's sorting of equal ones is an accident of its algorithm there.
        if self.random.chance(8) && depth < 3 {
            return Doc::List(self.long_list(item, depth));
        }
        let length = self.random.below(5);
        Doc::List((0..length).map(|_| self.value(item, depth + 1)).collect())
    }

    fn long_list(&mut self, item: &Type, depth: usize) -> Vec<OwnedDoc> {
        let length = 13 + self.random.below(20);
        let mut numbers: Vec<usize> = (0..length).collect();
        self.random.shuffle(&mut numbers);
        let text = |number: usize| Doc::from(format!("k{number}"));
        let item_of = |maker: &mut Self, number: usize| match item {
            Type::Struct(at) => {
                let mut map = maker.structure(&maker.types.structs[*at], depth.max(4));
                let of = &maker.types.structs[*at];
                for key in
                    MERGE_KEYS.into_iter().filter(|key| MAY_BE_NEW.contains(key) || of.field(key).is_some())
                {
                    map.insert(Text::from(key), text(number));
                }
                Doc::Map(map)
            }
            _ => text(number),
        };
        numbers.into_iter().map(|number| item_of(self, number)).collect()
    }

    /// Any small document.
    pub(crate) fn anything(&mut self, depth: usize) -> OwnedDoc {
        match self.random.below(if depth > 4 { 5 } else { 8 }) {
            0 => Doc::Null,
            1 => Doc::Bool(self.random.chance(500)),
            2 => Doc::Int(*self.random.pick(&INTEGERS)),
            3 => Doc::Float(*self.random.pick(&FLOATS)),
            4 => Doc::from(*self.random.pick(&STRINGS)),
            5 => {
                let length = self.random.below(3);
                Doc::List((0..length).map(|_| self.anything(depth + 1)).collect())
            }
            _ => {
                let mut map = Map::new();
                for _ in 0..self.random.below(3) {
                    let key = *self.random.pick(&["name", "a", "b", "port"]);
                    map.insert(Text::from(key), self.anything(depth + 1));
                }
                Doc::Map(map)
            }
        }
    }

    /// A value that the type does not have, or hardly.
    fn wrong(&mut self, ty: &Type, depth: usize) -> OwnedDoc {
        match (self.random.below(4), ty) {
            (0, _) => Doc::Null,
            // A list with one item of another kind.
            (1, Type::List(item)) => {
                let length = self.random.below(3);
                let mut items: Vec<OwnedDoc> = (0..length).map(|_| self.value(item, depth + 1)).collect();
                let at = self.random.below(length + 1);
                let odd = self.anything(depth + 1);
                items.insert(at, odd);
                Doc::List(items)
            }
            // A struct that may lack its key.
            (1, Type::Struct(at)) => {
                let mut map = self.structure(&self.types.structs[*at], depth);
                if let Some(field) = self.types.structs[*at].fields.first() {
                    map.remove(field.name);
                }
                Doc::Map(map)
            }
            _ => self.anything(depth),
        }
    }

    /// An entry that no type has.
    pub(crate) fn other_entry(&mut self) -> (OwnedText, OwnedDoc) {
        let key = *self.random.pick(&OTHER_KEYS);
        (Text::from(key), self.anything(3))
    }

    /// The same document after somebody worked on it.
    pub(crate) fn edited(&mut self, map: &OwnedMap, of: Option<&Struct>, depth: usize) -> OwnedMap {
        let mut edited = Map::new();
        for (key, value) in map.iter() {
            let ty = of.and_then(|of| of.field(key)).map(|field| &field.ty);
            match self.random.below(10) {
                0 => {}
                1 => {
                    let value = self.value_or_anything(ty, depth + 1);
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
        for field in of.iter().flat_map(|of| &of.fields) {
            let odds = of.map_or(0, |of| of.odds(field, 150));
            if !map.contains_key(field.name) && self.random.chance(odds) {
                edited.insert(Text::from(field.name), self.value(&field.ty, depth + 1));
            }
        }
        edited
    }

    fn value_or_anything(&mut self, ty: Option<&Type>, depth: usize) -> OwnedDoc {
        match ty {
            Some(ty) => self.value(ty, depth),
            None => self.anything(depth),
        }
    }

    fn edited_value(&mut self, value: &OwnedDoc, ty: Option<&Type>, depth: usize) -> OwnedDoc {
        match (value, ty) {
            (Doc::Map(map), Some(Type::Struct(at))) => {
                Doc::Map(self.edited(map, Some(&self.types.structs[*at]), depth))
            }
            (Doc::Map(map), _) => Doc::Map(self.edited(map, None, depth)),
            (Doc::List(items), Some(Type::List(item))) => self.edited_list(items, Some(item), depth),
            (Doc::List(items), _) => self.edited_list(items, None, depth),
            (_, Some(ty)) => self.value(ty, depth),
            (value, None) => value.clone(),
        }
    }

    fn edited_list(&mut self, items: &[OwnedDoc], item: Option<&Type>, depth: usize) -> OwnedDoc {
        let mut edited = Vec::new();
        let long = items.len() > 8;
        for value in items {
            match self.random.below(8) {
                0 => {}
                1 | 2 => edited.push(self.edited_item(value, item, depth, long)),
                _ => edited.push(value.clone()),
            }
        }
        // Nothing that could repeat a key goes into a long list.
        if !long && self.random.chance(400) {
            let at = self.random.below(edited.len() + 1);
            let added = self.value_or_anything(item, depth + 1);
            edited.insert(at, added);
        }
        if self.random.chance(250) {
            self.random.shuffle(&mut edited);
        }
        Doc::List(edited)
    }

    /// An item that is, as a rule, still the same one.
    fn edited_item(
        &mut self,
        value: &OwnedDoc,
        item: Option<&Type>,
        depth: usize,
        keeps_key: bool,
    ) -> OwnedDoc {
        let mut edited = self.edited_value(value, item, depth);
        let (Doc::Map(before), Doc::Map(after)) = (value, &mut edited) else { return value.clone() };
        for key in MERGE_KEYS {
            if let Some(held) = before.get(key)
                && (keeps_key || self.random.chance(900))
            {
                after.insert(Text::from(key), held.clone());
            }
        }
        edited
    }
}
