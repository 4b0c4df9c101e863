//! Generation of objects. There are only a few different values, so that equal values are common.

use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Field, FieldMeta, ScalarType, StructType, Type, TypeId};
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};

use crate::random_testing::Random;

const STRINGS: [&str; 3] = ["a", "b", "c"];

/// A generator of values for the types of a patch context.
pub(super) struct ObjectGenerator<'a> {
    pub(super) random: &'a mut Random,
    pub(super) context: &'a PatchContext,
}

impl ObjectGenerator<'_> {
    /// Generates a value of a type. `meta` is the metadata of the field that contains the value.
    pub(super) fn generate_value(&mut self, ty: TypeId, meta: &FieldMeta) -> OwnedDoc {
        let context = self.context;
        match context.schema.get(ty) {
            Type::Struct(fields) => Doc::Map(self.generate_struct(fields, &[])),
            Type::List(item) => self.generate_list(*item, meta),
            Type::Map(value) => {
                let keys = STRINGS.iter().filter(|_| self.random.chance(500)).copied().collect::<Vec<_>>();
                let entry = |key: &str| (Text::from(key), self.generate_value(*value, &FieldMeta::NONE));
                Doc::Map(keys.into_iter().map(entry).collect())
            }
            Type::Scalar(ScalarType::Integer | ScalarType::Int32) => {
                Doc::Int(1 + i64::try_from(self.random.below(3)).unwrap_or(0))
            }
            _ => Doc::from(*self.random.pick(&STRINGS)),
        }
    }

    /// Generates a struct with all `required` fields and some other fields.
    fn generate_struct(&mut self, fields: &StructType, required: &[OwnedText]) -> OwnedMap {
        let mut map = Map::new();
        for field in fields.fields() {
            if required.contains(&field.name) || self.random.chance(600) {
                map.insert(field.name.clone(), self.generate_value(field.ty, &field.meta));
            }
        }
        map
    }

    fn generate_list(&mut self, item: TypeId, meta: &FieldMeta) -> OwnedDoc {
        let keys = meta.identifying_keys();
        let mut items: Vec<OwnedDoc> = Vec::new();
        for _ in 0..=self.random.below(3) {
            let value = self.generate_item(item, meta);
            if items.iter().all(|other| !has_same_identity(other, &value, keys)) {
                items.push(value);
            }
        }
        Doc::List(items)
    }

    /// Generates a list item with its merge key.
    pub(super) fn generate_item(&mut self, item: TypeId, meta: &FieldMeta) -> OwnedDoc {
        match self.context.schema.as_struct(item) {
            Some(fields) => {
                let required: Vec<OwnedText> = meta.identifying_keys().iter().take(1).cloned().collect();
                Doc::Map(self.generate_struct(fields, &required))
            }
            None => self.generate_value(item, &FieldMeta::NONE),
        }
    }

    /// Returns a copy of a value without some of its fields and items. It serves as the last-applied configuration.
    pub(super) fn partial_copy(&mut self, value: &OwnedDoc, ty: TypeId, meta: &FieldMeta) -> OwnedDoc {
        let context = self.context;
        match value {
            Doc::Map(map) => {
                let mut partial = Map::new();
                let identifying_keys = meta.identifying_keys();
                for (key, value) in map.iter() {
                    let field: Option<&Field> = context.schema.field(ty, key);
                    let is_merge_key = meta.merge_key.contains(key) || identifying_keys.contains(key);
                    if is_merge_key || self.random.chance(700) {
                        let part =
                            field.map_or_else(|| value.clone(), |f| self.partial_copy(value, f.ty, &f.meta));
                        partial.insert(key.clone(), part);
                    }
                }
                Doc::Map(partial)
            }
            Doc::List(items) => {
                let item = context.schema.item(ty);
                let mut partial = Vec::new();
                for value in items {
                    if self.random.chance(700) {
                        partial.push(
                            item.map_or_else(|| value.clone(), |item| self.partial_copy(value, item, meta)),
                        );
                    }
                }
                Doc::List(partial)
            }
            other => other.clone(),
        }
    }
}

/// Returns true if two items have equal values for all keys. Scalar items are compared by value.
fn has_same_identity(a: &OwnedDoc, b: &OwnedDoc, keys: &[OwnedText]) -> bool {
    match (a, b) {
        (Doc::Map(a), Doc::Map(b)) => !keys.is_empty() && keys.iter().all(|key| a.get(key) == b.get(key)),
        (a, b) => a == b,
    }
}
