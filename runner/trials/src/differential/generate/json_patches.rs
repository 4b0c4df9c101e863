//! Generation of random JSON patches for a live object.

use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};

use super::documents::DocumentGenerator;

impl DocumentGenerator<'_> {
    /// Generates a JSON patch for an object. Its pointers lead to existing and to missing values.
    pub(crate) fn json_patch(&mut self, live: &OwnedDoc) -> OwnedDoc {
        let length = 1 + self.random.below(3);
        Doc::List((0..length).map(|_| Doc::Map(self.json_operation(live))).collect())
    }

    pub(super) fn json_operation(&mut self, live: &OwnedDoc) -> OwnedMap {
        let name = *self.random.pick(&["add", "remove", "replace", "move", "copy", "test"]);
        let mut operation = Map::new();
        let name = if self.random.chance(self.mistakes_per_mille / 4) { "dance" } else { name };
        operation.insert(Text::from_static("op"), Doc::from(name));
        let path = self.pointer(live);
        operation.insert(Text::from_static("path"), Doc::from(path.clone()));
        if matches!(name, "move" | "copy") {
            operation.insert(Text::from_static("from"), Doc::from(self.pointer(live)));
        }
        if matches!(name, "add" | "replace" | "test") && !self.random.chance(self.mistakes_per_mille / 4) {
            let current = value_at_pointer(live, &path).filter(|_| name == "test" && self.random.chance(700));
            let value = current.cloned().unwrap_or_else(|| self.untyped_value(2));
            operation.insert(Text::from_static("value"), value);
        }
        if self.random.chance(self.mistakes_per_mille / 4) {
            let key = *self.random.pick(&["op", "path", "from"]);
            operation.remove(key);
        }
        operation
    }

    /// Generates a JSON pointer into an object. A step occasionally leads to a missing value.
    fn pointer(&mut self, live: &OwnedDoc) -> String {
        let mut pointer = String::new();
        let mut value = Some(live);
        loop {
            let unlikely_step = *self.random.pick(&["x", "-", "0", "1", "-1", "99", "a~1b"]);
            let step = match value {
                Some(Doc::Map(map)) if !map.is_empty() && self.random.chance(900) => {
                    let index = self.random.below(map.len());
                    map.keys().nth(index).map(|key| key.replace('~', "~0").replace('/', "~1"))
                }
                Some(Doc::List(items)) if !items.is_empty() && self.random.chance(850) => {
                    Some(self.random.below(items.len()).to_string())
                }
                _ => None,
            };
            let step = step.unwrap_or_else(|| unlikely_step.to_owned());
            pointer.push('/');
            pointer.push_str(&step);
            value = value.and_then(|value| child_at_step(value, &step));
            let descend_chance = if value.is_some_and(|value| !value.is_scalar()) { 550 } else { 30 };
            if !self.random.chance(descend_chance) {
                return pointer;
            }
        }
    }
}

pub(super) fn child_at_step<'v>(value: &'v OwnedDoc, step: &str) -> Option<&'v OwnedDoc> {
    match value {
        Doc::Map(map) => map.get(&step.replace("~1", "/").replace("~0", "~")),
        Doc::List(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

fn value_at_pointer<'v>(live: &'v OwnedDoc, pointer: &str) -> Option<&'v OwnedDoc> {
    pointer.split('/').skip(1).try_fold(live, child_at_step)
}
