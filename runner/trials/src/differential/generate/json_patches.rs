//! Generation of random JSON patches for a live object.

use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};

use super::documents::DocumentGenerator;

impl DocumentGenerator<'_> {
    /// Generates a JSON patch for an object. Its pointers lead to existing and to missing values.
    pub(crate) fn json_patch(&mut self, live: &OwnedDoc) -> OwnedDoc {
        let length = 1 + self.random.below(3);
        without_own_nulls((0..length).map(|_| self.json_operation(live)).collect(), live)
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
        let lacks_value = self.random.chance(self.mistakes_per_mille / 4) && name != "test";
        if matches!(name, "add" | "replace" | "test") && !lacks_value {
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

/// Ends a JSON patch behind the first operation that writes a null.
///
/// The library of API servers has three nulls: one of the live object, one that an operation sets, and a copy of the
/// latter. They are not equal to each other, the copy acts as an empty map, and the library panics on some of them. The
/// built-in engine has one null. So no operation may read a null that another one has written.
pub(super) fn without_own_nulls(mut operations: Vec<OwnedMap>, live: &OwnedDoc) -> OwnedDoc {
    let text = |operation: &OwnedMap, key| operation.get(key).and_then(Doc::as_str).map(str::to_owned);
    let is_null = |value: Option<&OwnedDoc>| value.is_none_or(Doc::is_null);
    let writes_null = |operation: &OwnedMap| match text(operation, "op").as_deref() {
        Some("add" | "replace") => is_null(operation.get("value")),
        Some("copy" | "move") => {
            is_null(text(operation, "from").and_then(|from| value_at_pointer(live, &from)))
        }
        _ => false,
    };
    let end = operations.iter().position(writes_null).map_or(operations.len(), |last| last + 1);
    operations.truncate(end);
    Doc::List(operations.into_iter().map(Doc::Map).collect())
}

/// Removes from a live object and a JSON patch what the library of API servers compares in its own way when it tests a
/// value: the characters that Go escapes in JSON, because it compares text, and the nulls inside lists, on which it panics.
pub(super) fn comparable(documents: [OwnedDoc; 2], escaped: &[char]) -> [OwnedDoc; 2] {
    let name = |operation: &OwnedDoc| operation.as_map()?.get("op")?.as_str().map(str::to_owned);
    let is_test = |operation: &OwnedDoc| name(operation).as_deref() == Some("test");
    let has_test = documents[1].as_list().is_some_and(|operations| operations.iter().any(is_test));
    documents.map(|document| {
        let document = without_characters(document, escaped);
        if has_test { without_null_items(document) } else { document }
    })
}

fn without_characters(value: OwnedDoc, escaped: &[char]) -> OwnedDoc {
    match value {
        Doc::String(text) => Doc::from(text.replace(escaped, "")),
        Doc::List(items) => {
            Doc::List(items.into_iter().map(|item| without_characters(item, escaped)).collect())
        }
        Doc::Map(map) => {
            Doc::Map(map.into_iter().map(|(key, value)| (key, without_characters(value, escaped))).collect())
        }
        other => other,
    }
}

fn without_null_items(value: OwnedDoc) -> OwnedDoc {
    match value {
        Doc::List(items) => {
            Doc::List(items.into_iter().filter(|item| !item.is_null()).map(without_null_items).collect())
        }
        Doc::Map(map) => {
            Doc::Map(map.into_iter().map(|(key, value)| (key, without_null_items(value))).collect())
        }
        other => other,
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
