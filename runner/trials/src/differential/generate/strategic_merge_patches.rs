//! Generation of random strategic merge patches for a live object. All directives that shipped occur, used correctly and
//! incorrectly.

use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};

use super::documents::DocumentGenerator;
use crate::differential::types::{TrialField, TrialStruct, TrialType};

/// Keys that look like directives but are ordinary fields.
const MISSPELT_DIRECTIVES: [&str; 6] = [
    "$setElementOrder",
    "$setElementOrderly/a",
    "$deleteFromPrimitiveList",
    "$deleteFromPrimitiveLists/a",
    "$retain",
    "$patchMergeKey",
];

impl DocumentGenerator<'_> {
    /// Generates a strategic merge patch for an object of the root type.
    pub(crate) fn strategic_merge_patch(&mut self, live: &OwnedMap) -> OwnedMap {
        self.map_patch(live, Some(self.types.root()), "", 0)
    }

    fn map_patch(
        &mut self,
        live: &OwnedMap,
        struct_type: Option<&TrialStruct>,
        strategy: &str,
        depth: usize,
    ) -> OwnedMap {
        let mut patch = Map::new();
        for field in struct_type.iter().flat_map(|struct_type| &struct_type.fields) {
            let current = live.get(field.name);
            let chance = if current.is_some() {
                400
            } else {
                struct_type.map_or(0, |struct_type| struct_type.scaled_chance(field, 400))
            };
            if self.random.chance(chance) {
                self.add_field_patch(&mut patch, current, field, depth);
            }
        }
        if struct_type.is_none() || self.random.chance(self.mistakes_per_mille) {
            for (key, value) in live.iter() {
                if self.random.chance(300) {
                    let value = self.untyped_patch(value, depth);
                    patch.insert(key.clone(), value);
                }
            }
            let (key, value) = self.unknown_entry();
            patch.insert(key, value);
        }
        if self.decide_rare() {
            self.add_rare_entry(&mut patch, struct_type);
        }
        self.add_map_directives(&mut patch, live, struct_type, strategy);
        patch
    }

    /// Generates a patch for a value of unknown type.
    fn untyped_patch(&mut self, live: &OwnedDoc, depth: usize) -> OwnedDoc {
        match live {
            Doc::Map(map) if self.random.chance(700) => Doc::Map(self.map_patch(map, None, "", depth + 1)),
            _ => self.untyped_value(depth),
        }
    }

    fn add_field_patch(
        &mut self,
        patch: &mut OwnedMap,
        live: Option<&OwnedDoc>,
        field: &TrialField,
        depth: usize,
    ) {
        let key = Text::from(field.name);
        let null_chance = if depth == 0 { 80 } else { 40 };
        if self.random.chance(null_chance) {
            patch.insert(key, Doc::Null);
            return;
        }
        match (&field.ty, live) {
            (TrialType::Struct(index), Some(Doc::Map(live))) => {
                let struct_type = &self.types.structs[*index];
                let inner = self.map_patch(live, Some(struct_type), field.strategy, depth + 1);
                patch.insert(key, Doc::Map(inner));
            }
            (TrialType::Struct(index), _) => {
                let struct_type = &self.types.structs[*index];
                let inner = self.map_patch(&Map::new(), Some(struct_type), field.strategy, depth + 1);
                patch.insert(key, Doc::Map(inner));
            }
            (TrialType::Map(_), Some(Doc::Map(live))) if self.random.chance(700) => {
                let inner = self.map_patch(live, None, field.strategy, depth + 1);
                patch.insert(key, Doc::Map(inner));
            }
            (TrialType::List(_), live) => self.add_list_patch(patch, live, field, depth),
            (ty, _) => {
                patch.insert(key, self.typed_value(ty, depth + 1));
            }
        }
    }

    fn add_list_patch(
        &mut self,
        patch: &mut OwnedMap,
        live: Option<&OwnedDoc>,
        field: &TrialField,
        depth: usize,
    ) {
        let TrialType::List(item) = &field.ty else { return };
        let live = live.and_then(Doc::as_list).unwrap_or_default();
        let mut items = match &**item {
            TrialType::Struct(index) => self.item_patches(live, &self.types.structs[*index], field, depth),
            item => {
                let length = self.random.below(4);
                let mut items = (0..length).map(|_| self.typed_value(item, depth + 1)).collect();
                if self.decide_rare() {
                    self.add_rare_item(&mut items);
                }
                items
            }
        };
        if self.random.chance(300) {
            let order = self.element_order_value(live, &mut items, field);
            patch.insert(Text::from(format!("$setElementOrder/{}", field.name)), order);
        }
        let deletion_chance = if matches!(**item, TrialType::Struct(_)) { 20 } else { 250 };
        if self.random.chance(deletion_chance) {
            let deleted = self.primitive_deletions_value(live, item, depth);
            patch.insert(Text::from(format!("$deleteFromPrimitiveList/{}", field.name)), deleted);
        }
        // Directives can occur without the list.
        if self.random.chance(850) {
            patch.insert(Text::from(field.name), Doc::List(items));
        }
    }

    fn item_patches(
        &mut self,
        live: &[OwnedDoc],
        struct_type: &TrialStruct,
        field: &TrialField,
        depth: usize,
    ) -> Vec<OwnedDoc> {
        let mut items = Vec::new();
        for value in live {
            let Doc::Map(current) = value else { continue };
            if self.random.chance(400) {
                let mut item = self.map_patch(current, Some(struct_type), field.strategy, depth + 1);
                self.add_item_identity(&mut item, current, field);
                items.push(Doc::Map(item));
            }
        }
        for _ in 0..self.random.below(3) {
            let mut item = self.struct_value(struct_type, depth + 1);
            self.add_item_directive(&mut item);
            items.push(Doc::Map(item));
        }
        if self.random.chance(self.mistakes_per_mille) {
            let at = self.random.below(items.len() + 1);
            let mistake = self.untyped_value(depth + 1);
            items.insert(at, mistake);
        }
        if self.random.chance(300) {
            self.random.shuffle(&mut items);
        }
        items
    }

    /// Adds the merge key of a live item to its patch, except for a mistake.
    fn add_item_identity(&mut self, item: &mut OwnedMap, current: &OwnedMap, field: &TrialField) {
        if self.random.chance(self.mistakes_per_mille) {
            return;
        }
        let key = if field.merge_key.is_empty() { "name" } else { field.merge_key };
        if let Some(value) = current.get(key) {
            item.insert(Text::from(key), value.clone());
        }
        self.add_item_directive(item);
    }

    fn add_item_directive(&mut self, item: &mut OwnedMap) {
        if self.random.chance(200) {
            let value = self.patch_directive_value(60);
            item.insert(Text::from_static("$patch"), value);
        }
    }

    fn patch_directive_value(&mut self, replace_weight: usize) -> OwnedDoc {
        let mistake_weight = self.mistakes_per_mille * 2;
        let values = [
            (600, Doc::from("delete")),
            (replace_weight * 4, Doc::from("replace")),
            (mistake_weight, Doc::from("merge")),
            (mistake_weight, Doc::from("retainKeys")),
            (mistake_weight, Doc::Null),
            (mistake_weight, Doc::Int(1)),
            (mistake_weight, Doc::Map(Map::new())),
            (mistake_weight, Doc::List(Vec::new())),
        ];
        self.random.pick_weighted(&values).clone()
    }

    fn add_map_directives(
        &mut self,
        patch: &mut OwnedMap,
        live: &OwnedMap,
        struct_type: Option<&TrialStruct>,
        strategy: &str,
    ) {
        let retain_keys_chance = if strategy.contains("retainKeys") { 500 } else { 30 };
        if self.random.chance(retain_keys_chance) {
            let keys = self.retain_keys_value(patch, live, struct_type);
            patch.insert(Text::from_static("$retainKeys"), keys);
        }
        if self.random.chance(25) {
            let value = self.patch_directive_value(150);
            patch.insert(Text::from_static("$patch"), value);
        }
        if self.random.chance(self.mistakes_per_mille / 4) {
            let name = *self.random.pick(&MISSPELT_DIRECTIVES);
            let value = self.untyped_value(3);
            patch.insert(Text::from(name), value);
        }
        if self.random.chance(self.rare_per_mille / 2) {
            self.add_directive_with_empty_name(patch);
        }
        // A directive for a field that it does not apply to.
        let has_mistake = self.random.chance(self.mistakes_per_mille / 4);
        if let Some(struct_type) = struct_type.filter(|_| has_mistake) {
            let name = *self.random.pick(&["$setElementOrder", "$deleteFromPrimitiveList"]);
            let field = if struct_type.fields.is_empty() || self.random.chance(300) {
                "x"
            } else {
                self.random.pick(&struct_type.fields).name
            };
            let value = self.untyped_value(3);
            patch.insert(Text::from(format!("{name}/{field}")), value);
        }
    }

    /// Generates a value of `$retainKeys`: the fields that the patch sets, and perhaps more or fewer.
    fn retain_keys_value(
        &mut self,
        patch: &OwnedMap,
        live: &OwnedMap,
        struct_type: Option<&TrialStruct>,
    ) -> OwnedDoc {
        if self.random.chance(self.mistakes_per_mille / 2) {
            return self.untyped_value(3);
        }
        let mut keys: Vec<OwnedDoc> =
            patch.keys().filter(|key| !key.starts_with('$')).map(|key| Doc::String(key.clone())).collect();
        for key in live.keys() {
            if self.random.chance(400) {
                keys.push(Doc::String(key.clone()));
            }
        }
        if let Some(struct_type) = struct_type.filter(|of| !of.fields.is_empty())
            && self.random.chance(200)
        {
            keys.push(Doc::from(self.random.pick(&struct_type.fields).name));
        }
        if self.random.chance(self.mistakes_per_mille / 2) && !keys.is_empty() {
            let at = self.random.below(keys.len());
            if self.random.chance(500) {
                keys.remove(at);
            } else {
                keys[at] = self.untyped_value(3);
            }
        }
        Doc::List(keys)
    }

    /// Generates a value of `$setElementOrder` from the items of the live list and of the patch. In most cases, the
    /// items of the patch are sorted into that order, because any other order is refused.
    fn element_order_value(
        &mut self,
        live: &[OwnedDoc],
        items: &mut [OwnedDoc],
        field: &TrialField,
    ) -> OwnedDoc {
        if self.random.chance(self.mistakes_per_mille / 2) {
            return self.untyped_value(3);
        }
        // An empty order is valid, and has a special sorting rule.
        if self.random.chance(20) {
            return Doc::List(Vec::new());
        }
        let item_key = |value: &OwnedDoc| match value {
            Doc::Map(map) => {
                let key = if field.merge_key.is_empty() { "name" } else { field.merge_key };
                let current = map.get(key).map(|value| (Text::from(key), value.clone()));
                Doc::Map(current.into_iter().collect())
            }
            scalar => scalar.clone(),
        };
        let mut order: Vec<OwnedDoc> = Vec::new();
        for value in live.iter().chain(items.iter()).map(item_key) {
            let is_repeated = order.contains(&value);
            if !is_repeated && self.random.chance(900)
                || is_repeated && self.random.chance(self.mistakes_per_mille / 2)
            {
                order.push(value);
            }
        }
        if self.random.chance(600) {
            self.random.shuffle(&mut order);
        }
        if self.random.chance(950) {
            items.sort_by_key(|item| order.iter().position(|key| *key == item_key(item)));
        }
        if self.random.chance(self.mistakes_per_mille / 2) {
            let at = self.random.below(order.len() + 1);
            let mistake = self.untyped_value(3);
            order.insert(at, mistake);
        }
        if self.decide_rare() {
            self.add_rare_item(&mut order);
        }
        Doc::List(order)
    }

    fn primitive_deletions_value(&mut self, live: &[OwnedDoc], item: &TrialType, depth: usize) -> OwnedDoc {
        if self.random.chance(self.mistakes_per_mille / 2) {
            return self.untyped_value(3);
        }
        let mut deleted: Vec<OwnedDoc> = Vec::new();
        for value in live {
            if self.random.chance(400) {
                deleted.push(value.clone());
            }
        }
        if self.random.chance(300) {
            let other = self.typed_value(item, depth + 1);
            deleted.push(other);
        }
        if self.decide_rare() {
            self.add_rare_item(&mut deleted);
        }
        Doc::List(deleted)
    }
}
