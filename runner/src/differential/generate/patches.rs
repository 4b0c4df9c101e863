//! Patches for a live object: every directive, right and wrong.

use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};

use super::documents::Maker;
use super::types::{Field, Struct, Type};

/// What else may stand where a directive's name is due.
const NEARLY: [&str; 6] = [
    "$setElementOrder",
    "$setElementOrderly/a",
    "$deleteFromPrimitiveList",
    "$deleteFromPrimitiveLists/a",
    "$retain",
    "$patchMergeKey",
];

impl Maker<'_> {
    /// A strategic merge patch of the root type for this object.
    pub(crate) fn patch(&mut self, live: &OwnedMap) -> OwnedMap {
        self.map_patch(live, Some(self.types.root()), "", 0)
    }

    fn map_patch(&mut self, live: &OwnedMap, of: Option<&Struct>, strategy: &str, depth: usize) -> OwnedMap {
        let mut patch = Map::new();
        for field in of.iter().flat_map(|of| &of.fields) {
            let held = live.get(field.name);
            let odds = if held.is_some() { 400 } else { of.map_or(0, |of| of.odds(field, 400)) };
            if self.random.often(odds) {
                self.field_patch(&mut patch, held, field, depth);
            }
        }
        if of.is_none() || self.random.often(self.wildness) {
            for (key, value) in live.iter() {
                if self.random.often(300) {
                    let value = self.other_patch(value, depth);
                    patch.insert(key.clone(), value);
                }
            }
            let (key, value) = self.other_entry();
            patch.insert(key, value);
        }
        self.map_directives(&mut patch, live, of, strategy);
        patch
    }

    /// A patch of a value without a type.
    fn other_patch(&mut self, live: &OwnedDoc, depth: usize) -> OwnedDoc {
        match live {
            Doc::Map(map) if self.random.often(700) => Doc::Map(self.map_patch(map, None, "", depth + 1)),
            _ => self.anything(depth),
        }
    }

    fn field_patch(&mut self, patch: &mut OwnedMap, live: Option<&OwnedDoc>, field: &Field, depth: usize) {
        let key = Text::from(field.name);
        let null = if depth == 0 { 80 } else { 40 };
        if self.random.often(null) {
            patch.insert(key, Doc::Null);
            return;
        }
        match (&field.ty, live) {
            (Type::Struct(at), Some(Doc::Map(live))) => {
                let of = &self.types.structs[*at];
                let inner = self.map_patch(live, Some(of), field.strategy, depth + 1);
                patch.insert(key, Doc::Map(inner));
            }
            (Type::Struct(at), _) => {
                let of = &self.types.structs[*at];
                let inner = self.map_patch(&Map::new(), Some(of), field.strategy, depth + 1);
                patch.insert(key, Doc::Map(inner));
            }
            (Type::Map(_), Some(Doc::Map(live))) if self.random.often(700) => {
                let inner = self.map_patch(live, None, field.strategy, depth + 1);
                patch.insert(key, Doc::Map(inner));
            }
            (Type::List(item), live) => self.list_patch(patch, live, (field, item), depth),
            (ty, _) => {
                patch.insert(key, self.value(ty, depth + 1));
            }
        }
    }

    fn list_patch(
        &mut self,
        patch: &mut OwnedMap,
        live: Option<&OwnedDoc>,
        (field, item): (&Field, &Type),
        depth: usize,
    ) {
        let live = live.and_then(Doc::as_list).unwrap_or_default();
        let mut items = match item {
            Type::Struct(at) => self.items_patch(live, &self.types.structs[*at], field, depth),
            item => {
                let length = self.random.below(4);
                (0..length).map(|_| self.value(item, depth + 1)).collect()
            }
        };
        if self.random.often(300) {
            let order = self.order(live, &mut items, field);
            patch.insert(Text::from(format!("$setElementOrder/{}", field.name)), order);
        }
        let deletion_odds = if matches!(item, Type::Struct(_)) { 20 } else { 250 };
        if self.random.often(deletion_odds) {
            let deleted = self.deletions(live, item, depth);
            patch.insert(Text::from(format!("$deleteFromPrimitiveList/{}", field.name)), deleted);
        }
        // The directives may stand without the list.
        if self.random.often(850) {
            patch.insert(Text::from(field.name), Doc::List(items));
        }
    }

    fn items_patch(&mut self, live: &[OwnedDoc], of: &Struct, field: &Field, depth: usize) -> Vec<OwnedDoc> {
        let mut items = Vec::new();
        for value in live {
            let Doc::Map(held) = value else { continue };
            if self.random.often(400) {
                let mut item = self.map_patch(held, Some(of), field.strategy, depth + 1);
                self.identify(&mut item, held, field);
                items.push(Doc::Map(item));
            }
        }
        for _ in 0..self.random.below(3) {
            let mut item = self.structure(of, depth + 1);
            self.item_directive(&mut item);
            items.push(Doc::Map(item));
        }
        if self.random.often(self.wildness) {
            let at = self.random.below(items.len() + 1);
            let odd = self.anything(depth + 1);
            items.insert(at, odd);
        }
        if self.random.often(300) {
            self.random.shuffle(&mut items);
        }
        items
    }

    /// Makes the patch of an item one of that item, nearly always.
    fn identify(&mut self, item: &mut OwnedMap, held: &OwnedMap, field: &Field) {
        if self.random.often(self.wildness) {
            return;
        }
        let key = if field.merge_key.is_empty() { "name" } else { field.merge_key };
        if let Some(value) = held.get(key) {
            item.insert(Text::from(key), value.clone());
        }
        self.item_directive(item);
    }

    fn item_directive(&mut self, item: &mut OwnedMap) {
        if self.random.often(200) {
            let value = self.patch_directive(60);
            item.insert(Text::from_static("$patch"), value);
        }
    }

    /// A value of `$patch`.
    fn patch_directive(&mut self, replaces: usize) -> OwnedDoc {
        let strange = self.wildness * 2;
        let values = [
            (600, Doc::from("delete")),
            (replaces * 4, Doc::from("replace")),
            (strange, Doc::from("merge")),
            (strange, Doc::from("retainKeys")),
            (strange, Doc::Null),
            (strange, Doc::Int(1)),
            (strange, Doc::Map(Map::new())),
            (strange, Doc::List(Vec::new())),
        ];
        self.random.weighted(&values).clone()
    }

    fn map_directives(&mut self, patch: &mut OwnedMap, live: &OwnedMap, of: Option<&Struct>, strategy: &str) {
        let retains = if strategy.contains("retainKeys") { 500 } else { 30 };
        if self.random.often(retains) {
            let listed = self.retained(patch, live, of);
            patch.insert(Text::from_static("$retainKeys"), listed);
        }
        if self.random.often(25) {
            let value = self.patch_directive(150);
            patch.insert(Text::from_static("$patch"), value);
        }
        if self.random.often(self.wildness / 4) {
            let name = *self.random.pick(&NEARLY);
            let value = self.anything(3);
            patch.insert(Text::from(name), value);
        }
        // A directive for a field that has nothing to do with it.
        if self.random.often(self.wildness / 4)
            && let Some(of) = of
        {
            let name = *self.random.pick(&["$setElementOrder", "$deleteFromPrimitiveList"]);
            let field = if of.fields.is_empty() || self.random.often(300) {
                "x"
            } else {
                self.random.pick(&of.fields).name
            };
            let value = self.anything(3);
            patch.insert(Text::from(format!("{name}/{field}")), value);
        }
    }

    /// A value of `$retainKeys`: what the patch sets, and perhaps more or less.
    fn retained(&mut self, patch: &OwnedMap, live: &OwnedMap, of: Option<&Struct>) -> OwnedDoc {
        if self.random.often(self.wildness / 2) {
            return self.anything(3);
        }
        let mut listed: Vec<OwnedDoc> =
            patch.keys().filter(|key| !key.starts_with('$')).map(|key| Doc::String(key.clone())).collect();
        for key in live.keys() {
            if self.random.often(400) {
                listed.push(Doc::String(key.clone()));
            }
        }
        if let Some(of) = of
            && !of.fields.is_empty()
            && self.random.often(200)
        {
            listed.push(Doc::from(self.random.pick(&of.fields).name));
        }
        if self.random.often(self.wildness / 2) && !listed.is_empty() {
            let at = self.random.below(listed.len());
            if self.random.often(500) {
                listed.remove(at);
            } else {
                listed[at] = self.anything(3);
            }
        }
        Doc::List(listed)
    }

    /// A value of `$setElementOrder` for the items of live and of the patch. The items of the patch are brought
    /// into that order, nearly always: anything else is refused.
    fn order(&mut self, live: &[OwnedDoc], items: &mut [OwnedDoc], field: &Field) -> OwnedDoc {
        if self.random.often(self.wildness / 2) {
            return self.anything(3);
        }
        // An order of nothing is no mistake, and sorts by a rule of its own.
        if self.random.often(20) {
            return Doc::List(Vec::new());
        }
        let only_key = |value: &OwnedDoc| match value {
            Doc::Map(map) => {
                let key = if field.merge_key.is_empty() { "name" } else { field.merge_key };
                let held = map.get(key).map(|value| (Text::from(key), value.clone()));
                Doc::Map(held.into_iter().collect())
            }
            scalar => scalar.clone(),
        };
        let mut order: Vec<OwnedDoc> = Vec::new();
        for value in live.iter().chain(items.iter()).map(only_key) {
            let repeated = order.contains(&value);
            if !repeated && self.random.often(900) || repeated && self.random.often(self.wildness / 2) {
                order.push(value);
            }
        }
        if self.random.often(600) {
            self.random.shuffle(&mut order);
        }
        if self.random.often(950) {
            items.sort_by_key(|item| order.iter().position(|wanted| *wanted == only_key(item)));
        }
        if self.random.often(self.wildness / 2) {
            let at = self.random.below(order.len() + 1);
            let odd = self.anything(3);
            order.insert(at, odd);
        }
        Doc::List(order)
    }

    /// A value of `$deleteFromPrimitiveList`.
    fn deletions(&mut self, live: &[OwnedDoc], item: &Type, depth: usize) -> OwnedDoc {
        if self.random.often(self.wildness / 2) {
            return self.anything(3);
        }
        let mut deleted: Vec<OwnedDoc> = Vec::new();
        for value in live {
            if self.random.often(400) {
                deleted.push(value.clone());
            }
        }
        if self.random.often(300) {
            let other = self.value(item, depth + 1);
            deleted.push(other);
        }
        Doc::List(deleted)
    }

    /// A JSON patch for this object: paths that are there, and some that are not.
    pub(crate) fn json_patch(&mut self, live: &OwnedDoc) -> OwnedDoc {
        let length = 1 + self.random.below(3);
        Doc::List((0..length).map(|_| Doc::Map(self.json_operation(live))).collect())
    }

    fn json_operation(&mut self, live: &OwnedDoc) -> OwnedMap {
        let name = *self.random.pick(&["add", "remove", "replace", "move", "copy", "test"]);
        let mut operation = Map::new();
        let name = if self.random.often(self.wildness / 4) { "dance" } else { name };
        operation.insert(Text::from_static("op"), Doc::from(name));
        let path = self.pointer(live);
        operation.insert(Text::from_static("path"), Doc::from(path.clone()));
        if matches!(name, "move" | "copy") {
            operation.insert(Text::from_static("from"), Doc::from(self.pointer(live)));
        }
        if matches!(name, "add" | "replace" | "test") && !self.random.often(self.wildness / 4) {
            let held = found(live, &path).filter(|_| name == "test" && self.random.often(700));
            let value = held.cloned().unwrap_or_else(|| self.anything(2));
            operation.insert(Text::from_static("value"), value);
        }
        if self.random.often(self.wildness / 4) {
            let key = *self.random.pick(&["op", "path", "from"]);
            operation.remove(key);
        }
        operation
    }

    /// A JSON pointer into an object, one step too far or aside now and then.
    fn pointer(&mut self, live: &OwnedDoc) -> String {
        let mut pointer = String::new();
        let mut at = Some(live);
        loop {
            let odd = *self.random.pick(&["x", "-", "0", "1", "-1", "99", "a~1b"]);
            let step = match at {
                Some(Doc::Map(map)) if !map.is_empty() && self.random.often(900) => {
                    let at = self.random.below(map.len());
                    map.keys().nth(at).map(|key| key.replace('~', "~0").replace('/', "~1"))
                }
                Some(Doc::List(items)) if !items.is_empty() && self.random.often(850) => {
                    Some(self.random.below(items.len()).to_string())
                }
                _ => None,
            };
            let step = step.unwrap_or_else(|| odd.to_owned());
            pointer.push('/');
            pointer.push_str(&step);
            at = at.and_then(|value| inner(value, &step));
            let goes_on = if at.is_some_and(|value| !value.is_scalar()) { 550 } else { 30 };
            if !self.random.often(goes_on) {
                return pointer;
            }
        }
    }
}

fn inner<'v>(value: &'v OwnedDoc, step: &str) -> Option<&'v OwnedDoc> {
    match value {
        Doc::Map(map) => map.get(&step.replace("~1", "/").replace("~0", "~")),
        Doc::List(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

fn found<'v>(live: &'v OwnedDoc, pointer: &str) -> Option<&'v OwnedDoc> {
    pointer.split('/').skip(1).try_fold(live, inner)
}
