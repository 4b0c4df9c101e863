//! Objects of generated types: few and small values, so that they meet.

use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Field, FieldMeta, ScalarType, StructType, Type, TypeId};
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};

use crate::random_testing::Random;

const TEXTS: [&str; 3] = ["a", "b", "c"];

/// Makes values of the types that somebody knows.
pub(super) struct Values<'a> {
    pub(super) random: &'a mut Random,
    pub(super) context: &'a PatchContext,
}

impl Values<'_> {
    /// A value of a type; `meta` is that of the field that holds it.
    pub(super) fn of(&mut self, ty: TypeId, meta: &FieldMeta) -> OwnedDoc {
        let context = self.context;
        match context.schema.get(ty) {
            Type::Struct(fields) => Doc::Map(self.fields(fields, &[])),
            Type::List(item) => self.items(*item, meta),
            Type::Map(value) => {
                let keys = TEXTS.iter().filter(|_| self.random.chance(500)).copied().collect::<Vec<_>>();
                let entry = |key: &str| (Text::from(key), self.of(*value, &FieldMeta::NONE));
                Doc::Map(keys.into_iter().map(entry).collect())
            }
            Type::Scalar(ScalarType::Integer) => {
                Doc::Int(1 + i64::try_from(self.random.below(3)).unwrap_or(0))
            }
            _ => Doc::from(*self.random.pick(&TEXTS)),
        }
    }

    /// The fields of a struct; those of `always` are all there.
    fn fields(&mut self, fields: &StructType, always: &[OwnedText]) -> OwnedMap {
        let mut map = Map::new();
        for field in fields.fields() {
            if always.contains(&field.name) || self.random.chance(600) {
                map.insert(field.name.clone(), self.of(field.ty, &field.meta));
            }
        }
        map
    }

    fn items(&mut self, item: TypeId, meta: &FieldMeta) -> OwnedDoc {
        let mut items: Vec<OwnedDoc> = Vec::new();
        for _ in 0..=self.random.below(3) {
            let value = self.item(item, meta);
            if items.iter().all(|held| !is_same(held, &value, identity(meta))) {
                items.push(value);
            }
        }
        Doc::List(items)
    }

    /// One item, with the key that an item of its list must have.
    pub(super) fn item(&mut self, item: TypeId, meta: &FieldMeta) -> OwnedDoc {
        match self.context.schema.as_struct(item) {
            Some(fields) => {
                let first: Vec<OwnedText> = identity(meta).iter().take(1).cloned().collect();
                Doc::Map(self.fields(fields, &first))
            }
            None => self.of(item, &FieldMeta::NONE),
        }
    }

    /// The same object as somebody applied it who left some of it out.
    pub(super) fn part_of(&mut self, value: &OwnedDoc, ty: TypeId, meta: &FieldMeta) -> OwnedDoc {
        let context = self.context;
        match value {
            Doc::Map(map) => {
                let mut kept = Map::new();
                for (key, value) in map.iter() {
                    let field: Option<&Field> = context.schema.field(ty, key);
                    let must = meta.merge_key.contains(key) || meta.recommended_merge_key.contains(key);
                    if must || self.random.chance(700) {
                        let part =
                            field.map_or_else(|| value.clone(), |f| self.part_of(value, f.ty, &f.meta));
                        kept.insert(key.clone(), part);
                    }
                }
                Doc::Map(kept)
            }
            Doc::List(items) => {
                let item = context.schema.item(ty);
                let mut kept = Vec::new();
                for value in items {
                    if self.random.chance(700) {
                        kept.push(item.map_or_else(|| value.clone(), |item| self.part_of(value, item, meta)));
                    }
                }
                Doc::List(kept)
            }
            other => other.clone(),
        }
    }
}

/// The keys by which the items of a list are told apart, as somebody up to date does it.
pub(super) fn identity(meta: &FieldMeta) -> &[OwnedText] {
    if meta.recommended_merge_key.is_empty() { &meta.merge_key } else { &meta.recommended_merge_key }
}

/// Are two items one to somebody who tells them apart by these keys? Scalars are by what they are.
fn is_same(a: &OwnedDoc, b: &OwnedDoc, keys: &[OwnedText]) -> bool {
    match (a, b) {
        (Doc::Map(a), Doc::Map(b)) => !keys.is_empty() && keys.iter().all(|key| a.get(key) == b.get(key)),
        (a, b) => a == b,
    }
}
