//! Access to the managed fields of an object, and random changes of them, as clients can send them.

use skewer_engine::document::from_json;
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};

use crate::random_testing::{Random, document_edits};

const KEY: &str = "managedFields";

/// Returns `metadata.managedFields`.
pub(crate) fn value_of(object: &OwnedDoc) -> Option<&OwnedDoc> {
    object.as_map()?.get("metadata")?.as_map()?.get(KEY)
}

/// Returns `metadata.managedFields`, to change it.
pub(crate) fn value_of_mut(object: &mut OwnedDoc) -> Option<&mut OwnedDoc> {
    object.as_map_mut()?.get_mut("metadata")?.as_map_mut()?.get_mut(KEY)
}

/// Returns the entries of the managed fields. Empty if there are none.
pub(crate) fn entries_of(object: &OwnedDoc) -> &[OwnedDoc] {
    value_of(object).and_then(Doc::as_list).unwrap_or_default()
}

/// Sets `metadata.managedFields`, unless `metadata` is no map.
pub(crate) fn set_value(object: &mut OwnedDoc, value: OwnedDoc) {
    let Some(object) = object.as_map_mut() else { return };
    if !object.contains_key("metadata") {
        object.insert(Text::from_static("metadata"), Doc::Map(Map::new()));
    }
    if let Some(Doc::Map(metadata)) = object.get_mut("metadata") {
        metadata.insert(Text::from_static(KEY), value);
    }
}

/// Removes `metadata.managedFields`.
pub(crate) fn remove(object: &mut OwnedDoc) {
    if let Some(Doc::Map(metadata)) = object.as_map_mut().and_then(|map| map.get_mut("metadata")) {
        metadata.remove(KEY);
    }
}

/// Removes the times of the entries.
pub(crate) fn remove_times(object: &mut OwnedDoc) {
    for entry in value_of_mut(object).and_then(Doc::as_list_mut).into_iter().flatten() {
        if let Doc::Map(entry) = entry {
            entry.remove("time");
        }
    }
}

/// Returns a time in the past.
pub(super) fn time_of_step(step: usize) -> String {
    format!("2024-01-01T00:00:{:02}Z", step % 60)
}

/// Texts of `fieldsV1` that nobody writes. None has a key twice: the built-in engine refuses such a text, as it refuses
/// such a document.
const UNUSUAL_FIELDS: [&str; 16] = [
    "{}",
    "null",
    "[]",
    "1",
    "\"f:a\"",
    "{",
    "",
    r#"{"f:a":{}}"#,
    r#"{"f:spec":{".":{},"f:a":{}},"z:unknown":{"f:a":{}}}"#,
    r#"{"f:metadata":{"f:labels":{".":{},"f:a":{}},"f:name":{}}}"#,
    r#"{"f:a":{"i:0":{},"i:1":{"f:b":{}}}}"#,
    r#"{"f:a":{"v:1":{},"v:1.0":{},"v:\"a\"":{},"v:true":{},"v:null":{}}}"#,
    r#"{"f:b":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}},"k:{\"port\":1,\"name\":\"b\"}":{}}}"#,
    r#"{"f:b":{"k:[]":{}}}"#,
    r#"{"fa":{}}"#,
    r#"{"f:c":{},"f:b":{},"f:a":{".":{}}}"#,
];

const API_VERSIONS: [&str; 4] = ["example.com/v1", "example.com/v2", "gone.example.com/v1", "v1"];

/// Returns managed fields that a client could send: those of the live object with changes.
pub(crate) fn changed(random: &mut Random, live: Option<&OwnedDoc>) -> OwnedDoc {
    if random.chance(40) {
        let unusual = [Doc::Null, Doc::from("a"), Doc::Map(Map::new()), Doc::List(vec![Doc::Null])];
        return random.pick(&unusual).clone();
    }
    let mut entries = live.map(entries_of).unwrap_or_default().to_vec();
    if entries.is_empty() || random.chance(150) {
        entries.push(Doc::Map(new_entry(random)));
    }
    for _ in 0..=random.below(2) {
        let at = random.below(entries.len());
        if entries.len() > 1 && random.chance(120) {
            entries.remove(at);
        } else if random.chance(60) {
            let copy = entries[at].clone();
            entries.push(copy);
        } else if let Doc::Map(entry) = &mut entries[at] {
            change_entry(random, entry);
        }
    }
    Doc::List(entries)
}

/// Creates an entry with unusual fields.
pub(crate) fn new_entry(random: &mut Random) -> OwnedMap {
    let operation = random.pick_text(&["Apply", "Update", "Update"]);
    let members = [
        ("apiVersion", random.pick_text(&API_VERSIONS[..3])),
        ("fieldsType", "FieldsV1"),
        ("fieldsV1", random.pick_text(&UNUSUAL_FIELDS)),
        ("manager", random.pick_text(&["client", "one", "two"])),
        ("operation", operation),
    ];
    members.into_iter().map(|(key, value)| (Text::from(key), Doc::from(value))).collect()
}

fn change_entry(random: &mut Random, entry: &mut OwnedMap) {
    let set = |entry: &mut OwnedMap, key: &'static str, value: &str| {
        entry.insert(Text::from_static(key), Doc::from(value));
    };
    match random.below(14) {
        0 | 1 => set(entry, "manager", random.pick_text(&["one", "two", "kubectl", "", "a\"<"])),
        2 | 3 => set(entry, "apiVersion", random.pick_text(&API_VERSIONS)),
        4 => set(entry, "operation", random.pick_text(&["Apply", "Update", "Apply", "Update", "Patch", ""])),
        5 => set(entry, "fieldsV1", random.pick_text(&UNUSUAL_FIELDS)),
        6 => {
            let member = random.pick_text(&["apiVersion", "fieldsType", "fieldsV1", "operation", "manager"]);
            entry.remove(member);
        }
        7 => set(entry, "subresource", random.pick_text(&["status", "scale"])),
        8 => match random.below(4) {
            0 => set(entry, "fieldsType", "FieldsV2"),
            1 => set(entry, "time", "yesterday"),
            _ => set(entry, "time", &time_of_step(random.below(60))),
        },
        9 => {
            let key = random.pick_text(&["manager", "time", "subresource", "other"]);
            entry.insert(Text::from_static(key), Doc::Int(1));
        }
        10 => {
            if let Some(fields) = fields_of(entry) {
                entry.insert(Text::from_static("fieldsV1"), fields);
            }
        }
        _ => {
            if let Some(mut fields) = fields_of(entry) {
                change_fields(random, &mut fields);
                set(entry, "fieldsV1", &fields.to_string());
            }
        }
    }
}

/// Returns the fields of an entry as a document.
pub(crate) fn fields_of(entry: &OwnedMap) -> Option<OwnedDoc> {
    match entry.get("fieldsV1")? {
        Doc::String(text) => from_json(text.as_bytes()).ok(),
        other => Some(other.clone()),
    }
}

/// Removes a field, or adds one.
fn change_fields(random: &mut Random, fields: &mut OwnedDoc) {
    let paths = document_edits::field_paths(fields);
    if !paths.is_empty() && random.chance(600) {
        let path = random.pick(&paths).clone();
        document_edits::remove_at(fields, &path);
        return;
    }
    let keys = ["f:a", "f:b", ".", "z:x", "i:0", "v:1", "v:\"a\"", "k:{\"name\":\"a\"}", "f:spec"];
    let key = random.pick_text(&keys);
    insert_at_depth(random, fields, key, 4);
}

/// Chooses a map at a random depth, and adds a key whose value is an empty map.
fn insert_at_depth(random: &mut Random, place: &mut OwnedDoc, key: &'static str, depth: usize) {
    let Some(map) = place.as_map_mut() else { return };
    let chosen = random.below(map.len());
    if !map.is_empty() && random.below(depth) > 0 {
        if let Some((_, inner)) = map.iter_mut().nth(chosen) {
            insert_at_depth(random, inner, key, depth - 1);
        }
        return;
    }
    map.insert(Text::from_static(key), Doc::Map(Map::new()));
}
