//! Objects of generated types: few and small values, so that they meet.

use skewer_engine::patch::Knowledge;
use skewer_engine::schema::{Field, FieldMeta, ScalarType, StructType, Type, TypeId};
use skewer_engine::{Map, Str, Value};

use crate::random::Random;

const TEXTS: [&str; 3] = ["a", "b", "c"];

/// Makes values of the types that somebody knows.
pub(super) struct Values<'a> {
    pub(super) random: &'a mut Random,
    pub(super) knowledge: &'a Knowledge,
}

impl Values<'_> {
    /// A value of a type; `meta` is that of the field that holds it.
    pub(super) fn of(&mut self, ty: TypeId, meta: &FieldMeta) -> Value {
        let knowledge = self.knowledge;
        match knowledge.schema.get(ty) {
            Type::Struct(fields) => Value::Map(self.fields(fields, &[])),
            Type::List(item) => self.items(*item, meta),
            Type::Map(value) => {
                let keys = TEXTS.iter().filter(|_| self.random.often(500)).copied().collect::<Vec<_>>();
                let entry = |key: &str| (Str::from(key), self.of(*value, &FieldMeta::NONE));
                Value::Map(keys.into_iter().map(entry).collect())
            }
            Type::Scalar(ScalarType::Integer) => {
                Value::Int(1 + i64::try_from(self.random.below(3)).unwrap_or(0))
            }
            _ => Value::from(*self.random.pick(&TEXTS)),
        }
    }

    /// The fields of a struct; those of `always` are all there.
    fn fields(&mut self, fields: &StructType, always: &[Str]) -> Map {
        let mut map = Map::new();
        for field in fields.fields() {
            if always.contains(&field.name) || self.random.often(600) {
                map.insert(field.name.clone(), self.of(field.ty, &field.meta));
            }
        }
        map
    }

    fn items(&mut self, item: TypeId, meta: &FieldMeta) -> Value {
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..=self.random.below(3) {
            let value = self.item(item, meta);
            if items.iter().all(|held| !is_same(held, &value, identity(meta))) {
                items.push(value);
            }
        }
        Value::List(items)
    }

    /// One item, with the key that an item of its list must have.
    pub(super) fn item(&mut self, item: TypeId, meta: &FieldMeta) -> Value {
        match self.knowledge.schema.as_struct(item) {
            Some(fields) => {
                let first: Vec<Str> = identity(meta).iter().take(1).cloned().collect();
                Value::Map(self.fields(fields, &first))
            }
            None => self.of(item, &FieldMeta::NONE),
        }
    }

    /// The same object as somebody applied it who left some of it out.
    pub(super) fn part_of(&mut self, value: &Value, ty: TypeId, meta: &FieldMeta) -> Value {
        let knowledge = self.knowledge;
        match value {
            Value::Map(map) => {
                let mut kept = Map::new();
                for (key, value) in map.iter() {
                    let field: Option<&Field> = knowledge.schema.field(ty, key);
                    let must = meta.merge_key.contains(key) || meta.recommended_merge_key.contains(key);
                    if must || self.random.often(700) {
                        let part =
                            field.map_or_else(|| value.clone(), |f| self.part_of(value, f.ty, &f.meta));
                        kept.insert(key.clone(), part);
                    }
                }
                Value::Map(kept)
            }
            Value::List(items) => {
                let item = knowledge.schema.item(ty);
                let mut kept = Vec::new();
                for value in items {
                    if self.random.often(700) {
                        kept.push(item.map_or_else(|| value.clone(), |item| self.part_of(value, item, meta)));
                    }
                }
                Value::List(kept)
            }
            other => other.clone(),
        }
    }
}

/// The keys by which the items of a list are told apart, as somebody up to date does it.
pub(super) fn identity(meta: &FieldMeta) -> &[Str] {
    if meta.recommended_merge_key.is_empty() { &meta.merge_key } else { &meta.recommended_merge_key }
}

/// Are two items one to somebody who tells them apart by these keys? Scalars are by what they are.
fn is_same(a: &Value, b: &Value, keys: &[Str]) -> bool {
    match (a, b) {
        (Value::Map(a), Value::Map(b)) => !keys.is_empty() && keys.iter().all(|key| a.get(key) == b.get(key)),
        (a, b) => a == b,
    }
}
