//! Lists whose items have another identity than their name, such as the ports of a container.

use std::collections::BTreeSet;

use skewer_engine::server_side_apply::topology::{ItemIdentity, TypePosition};
use skewer_engine::{Doc, OwnedDoc};

use crate::served::ServedKind;

/// Returns the paths of the lists of an object in which keys other than `name` identify the items, and two items have one
/// name.
#[must_use]
pub fn items_of_one_name(served: &ServedKind, object: &OwnedDoc) -> Vec<String> {
    let mut found = Vec::new();
    visit(Some(served.place()), object, "", &mut |path| found.push(path.to_owned()));
    found
}

fn visit(place: Option<TypePosition<'_>>, value: &OwnedDoc, path: &str, found: &mut dyn FnMut(&str)) {
    let Some(place) = place else { return };
    let topology = place.topology();
    match (value, topology.map, topology.list) {
        (Doc::Map(map), Some(fields), _) => {
            for (key, value) in map.iter() {
                let separator = if path.is_empty() { "" } else { "." };
                visit(fields.field(key).place, value, &format!("{path}{separator}{key}"), found);
            }
        }
        (Doc::List(items), _, Some(list)) => {
            let is_named = |keys: &[skewer_engine::OwnedText]| keys.iter().any(|key| key.as_str() == "name");
            if matches!(list.identity, ItemIdentity::Keys(keys) if !keys.is_empty() && !is_named(keys)) {
                let mut names = BTreeSet::new();
                let name = |item: &OwnedDoc| Some(item.as_map()?.get("name")?.as_str()?.to_owned());
                if items.iter().filter_map(name).any(|name| !name.is_empty() && !names.insert(name)) {
                    found(path);
                }
            }
            for (index, item) in items.iter().enumerate() {
                visit(Some(list.items), item, &format!("{path}[{index}]"), found);
            }
        }
        _ => {}
    }
}
