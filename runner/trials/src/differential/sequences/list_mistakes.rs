//! Mistakes in lists whose items have an identity.

use skewer_engine::schema::ScalarType;
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};

use super::documents::{DocumentWriter, Identity, identity_of};
use crate::differential::types::{TrialField, TrialStruct, TrialType};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListMistake {
    /// An item that cannot have an identity.
    InvalidItem,
    ItemWithoutKeys,
    DuplicateItem,
    /// Two items that differ only in integers that are the same 64-bit float.
    IndistinctNumbers,
}

/// Pairs of integers that are the same 64-bit float.
const INDISTINCT_INTEGERS: [(i64, i64); 4] = [
    (9_007_199_254_740_992, 9_007_199_254_740_993),
    (i64::MAX, i64::MAX - 1),
    (i64::MIN, i64::MIN + 1),
    (-9_007_199_254_740_993, -9_007_199_254_740_992),
];

/// Maximum number of steps from the object to a list.
const MAX_DEPTH: usize = 9;

/// A step from a value into it.
#[derive(Clone, Copy, Debug)]
enum TypeStep<'t> {
    Field(&'t TrialField),
    /// Into an item of the list that the field has.
    Item(&'t TrialField),
}

/// A list whose items have an identity.
#[derive(Clone, Debug)]
struct ListPlace<'t> {
    /// The steps from the object to the list. The last one is its field.
    path: Vec<TypeStep<'t>>,
    item: &'t TrialType,
    identity: Identity,
}

fn item_type(ty: &TrialType) -> Option<&TrialType> {
    match ty {
        TrialType::List(item) => Some(item),
        TrialType::Named(inner, _) => item_type(inner),
        _ => None,
    }
}

fn is_integer(ty: &TrialType) -> bool {
    matches!(ty, TrialType::Scalar(ScalarType::Integer | ScalarType::Number | ScalarType::IntOrString))
}

/// Returns all lists that have items with an identity. Types that contain themselves are entered once.
fn list_places(structs: &[TrialStruct]) -> Vec<ListPlace<'_>> {
    fn collect<'t>(
        structs: &'t [TrialStruct],
        index: usize,
        entered: &mut Vec<usize>,
        path: &mut Vec<TypeStep<'t>>,
        places: &mut Vec<ListPlace<'t>>,
    ) {
        if entered.contains(&index) || path.len() >= MAX_DEPTH {
            return;
        }
        entered.push(index);
        for field in &structs[index].fields {
            path.push(TypeStep::Field(field));
            match (&field.ty, item_type(&field.ty)) {
                (TrialType::Struct(inner), _) => collect(structs, *inner, entered, path, places),
                (_, Some(item)) => {
                    let identity = identity_of(Some(field), &field.ty);
                    if identity != Identity::Atomic {
                        places.push(ListPlace { path: path.clone(), item, identity });
                    }
                    if let TrialType::Struct(inner) = item {
                        path.push(TypeStep::Item(field));
                        collect(structs, *inner, entered, path, places);
                        path.pop();
                    }
                }
                _ => {}
            }
            path.pop();
        }
        entered.pop();
    }
    let mut places = Vec::new();
    collect(structs, 0, &mut Vec::new(), &mut Vec::new(), &mut places);
    places
}

/// Returns true if the type has a list of items with keys, and none of the keys has a default.
pub(super) fn has_keys_without_default(structs: &[TrialStruct]) -> bool {
    list_places(structs).iter().any(|place| place.allows(structs, ListMistake::ItemWithoutKeys))
}

impl ListPlace<'_> {
    fn allows(&self, structs: &[TrialStruct], mistake: ListMistake) -> bool {
        let fields: &[TrialField] = match self.item {
            TrialType::Struct(index) => &structs[*index].fields,
            _ => &[],
        };
        match (mistake, &self.identity) {
            (_, Identity::Atomic) | (ListMistake::ItemWithoutKeys, Identity::Value) => false,
            (ListMistake::InvalidItem | ListMistake::DuplicateItem, _) => true,
            (ListMistake::ItemWithoutKeys, Identity::Keys(keys)) => {
                let has_default = |field: &TrialField| field.topology.default.is_some();
                !fields.iter().any(|field| keys.contains(&field.name) && has_default(field))
            }
            (ListMistake::IndistinctNumbers, Identity::Value) => is_integer(self.item),
            (ListMistake::IndistinctNumbers, Identity::Keys(keys)) => {
                fields.iter().any(|field| keys.contains(&field.name) && is_integer(&field.ty))
            }
        }
    }
}

impl ListPlace<'_> {
    /// Returns a copy of an item whose identity contains an integer.
    fn with_number(&self, structs: &[TrialStruct], item: &OwnedDoc, integer: i64) -> OwnedDoc {
        let (TrialType::Struct(index), Identity::Keys(keys), Doc::Map(map)) =
            (self.item, &self.identity, item)
        else {
            return Doc::Int(integer);
        };
        let is_numeric_key = |field: &&TrialField| keys.contains(&field.name) && is_integer(&field.ty);
        let mut map = map.clone();
        if let Some(field) = structs[*index].fields.iter().find(is_numeric_key) {
            map.insert(Text::from_static(field.name), Doc::Int(integer));
        }
        Doc::Map(map)
    }
}

impl DocumentWriter<'_> {
    /// Makes a mistake in a list of an object in the first version. Creates the list if the object does not have it.
    pub(super) fn add_list_mistake(&mut self, object: &mut OwnedMap) {
        let structs = self.structs;
        let places = list_places(structs);
        let mistakes = [
            ListMistake::InvalidItem,
            ListMistake::ItemWithoutKeys,
            ListMistake::DuplicateItem,
            ListMistake::IndistinctNumbers,
        ];
        let allowing = |mistake| -> Vec<&ListPlace<'_>> {
            places.iter().filter(|place| place.allows(structs, mistake)).collect()
        };
        let possible = mistakes.map(|mistake| (mistake, allowing(mistake)));
        let possible: Vec<_> = possible.into_iter().filter(|(_, places)| !places.is_empty()).collect();
        if possible.is_empty() {
            return;
        }
        let (mistake, places) = self.random.pick(&possible);
        let place = *self.random.pick(places);
        let mut whole = Doc::Map(std::mem::replace(object, Map::new()));
        if let Some(items) = self.list_at(&mut whole, &place.path) {
            self.add_items(items, place, *mistake);
        }
        if let Doc::Map(map) = whole {
            *object = map;
        }
    }

    /// Returns the list at a path, and creates what is missing. Returns `None` if a value on the way is no map or list.
    fn list_at<'d>(
        &mut self,
        value: &'d mut OwnedDoc,
        path: &[TypeStep<'_>],
    ) -> Option<&'d mut Vec<OwnedDoc>> {
        let Some((first, rest)) = path.split_first() else { return value.as_list_mut() };
        let inner = match first {
            TypeStep::Field(field) => {
                let is_list = item_type(&field.ty).is_some();
                let map = value.as_map_mut()?;
                if map.get(field.name).is_none_or(Doc::is_null) {
                    let empty = if is_list { Doc::List(Vec::new()) } else { Doc::Map(Map::new()) };
                    map.insert(Text::from_static(field.name), empty);
                }
                map.get_mut(field.name)?
            }
            TypeStep::Item(field) => {
                let items = value.as_list_mut()?;
                if items.is_empty() {
                    let item = self.item(item_type(&field.ty)?, &identity_of(Some(field), &field.ty), 4);
                    items.push(item);
                }
                items.first_mut()?
            }
        };
        self.list_at(inner, rest)
    }

    fn add_items(&mut self, items: &mut Vec<OwnedDoc>, place: &ListPlace<'_>, mistake: ListMistake) {
        let added: Vec<OwnedDoc> = match mistake {
            ListMistake::InvalidItem => {
                let scalar =
                    if matches!(place.identity, Identity::Keys(_)) { Doc::from("a") } else { Doc::Null };
                let invalid = [Doc::Null, Doc::List(Vec::new()), scalar];
                vec![self.random.pick(&invalid).clone()]
            }
            ListMistake::ItemWithoutKeys => {
                let mut item = self.item(place.item, &place.identity, 4);
                if let (Doc::Map(map), Identity::Keys(keys)) = (&mut item, &place.identity) {
                    for key in keys {
                        map.remove(key);
                    }
                }
                vec![item]
            }
            ListMistake::DuplicateItem => {
                let item = match items.first() {
                    Some(first) => first.clone(),
                    None => self.item(place.item, &place.identity, 4),
                };
                vec![item; if items.is_empty() { 2 } else { 1 }]
            }
            ListMistake::IndistinctNumbers => {
                let (first, second) = *self.random.pick(&INDISTINCT_INTEGERS);
                let item = self.item(place.item, &place.identity, 4);
                [first, second].map(|integer| place.with_number(self.structs, &item, integer)).into()
            }
        };
        for item in added {
            let at = self.random.below(items.len() + 1);
            items.insert(at, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use skewer_engine::schema::{ListType, builtin};

    use super::*;
    use crate::differential::generate::TrialTypeSource;
    use crate::differential::sequences::documents::UnusualShares;
    use crate::differential::sequences::resource::plain_field;
    use crate::differential::types::{TrialTopology, TypesOrigin};
    use crate::random_testing::Random;

    /// Returns structs with a list of integers, and a list of items with keys.
    fn structs() -> Vec<TrialStruct> {
        let list = |name, item, list_type, list_map_keys| {
            let topology = TrialTopology { list_type: Some(list_type), list_map_keys, ..TrialTopology::NONE };
            TrialField { topology, ..plain_field(name, TrialType::List(Box::new(item))) }
        };
        let object = vec![
            list("numbers", TrialType::Scalar(ScalarType::Integer), ListType::Set, Vec::new()),
            list("items", TrialType::Struct(1), ListType::Map, vec!["name", "port"]),
            list("ignored", TrialType::Scalar(ScalarType::Integer), ListType::Atomic, Vec::new()),
        ];
        let item = vec![
            plain_field("name", TrialType::STRING),
            plain_field("port", TrialType::Scalar(ScalarType::Integer)),
        ];
        [object, item].map(|fields| TrialStruct { fields, topology: TrialTopology::NONE }).into()
    }

    #[test]
    fn every_mistake_is_made() {
        let structs = structs();
        let style = UnusualShares { special: 0, duplicates: 0, partial_keys: 0, empty: 0 };
        let mut documents = Vec::new();
        for seed in 0..200 {
            let mut random = Random::new(seed, 0, 0);
            let mut object = OwnedMap::default();
            DocumentWriter { structs: &structs, random: &mut random, style }.add_list_mistake(&mut object);
            assert!(!object.contains_key("ignored"));
            documents.push(Doc::Map(object).to_string());
        }
        for expected in [
            r#"{"numbers":[null]}"#,
            r#"{"items":["a"]}"#,
            r#"{"items":[{}]}"#,
            r#"{"numbers":[1,1]}"#,
            r#"{"numbers":[9007199254740992,9007199254740993]}"#,
            r#"{"items":[{"name":"a","port":9223372036854775806},{"name":"a","port":9223372036854775807}]}"#,
        ] {
            assert!(documents.iter().any(|document| document == expected), "{expected}: {documents:?}");
        }
    }

    #[test]
    fn few_built_in_kinds_have_a_list_whose_keys_have_no_default() {
        let TrialTypeSource::Release(kinds) = TrialTypeSource::of_release(builtin::newest()).unwrap() else {
            panic!()
        };
        let found = |name: &str| {
            let is_named = |types: &&std::sync::Arc<crate::differential::types::TrialTypes>| matches!(types.origin, TypesOrigin::Release { kind, .. } if kind == name);
            has_keys_without_default(&kinds.iter().find(is_named).unwrap().structs)
        };
        assert_eq!(["ServiceAccount", "FlowSchema", "Service", "Pod"].map(found), [true, true, false, false]);
    }
}
