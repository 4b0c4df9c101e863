//! What somebody wants of a generated object.

use skewer_engine::schema::{FieldMeta, TypeId};
use skewer_engine::skew::{Edit, Intent, Selector};
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, OwnedText};

use super::values::{Values, identity};

/// A place in an object.
struct Place<'v> {
    /// As a selector says it.
    at: String,
    value: &'v OwnedDoc,
    ty: TypeId,
    /// The metadata of the field that it is.
    meta: FieldMeta,
    /// It is an item of a list.
    is_item: bool,
}

/// One or two edits of places that the object has.
pub(super) fn intent(values: &mut Values<'_>, object: &OwnedDoc) -> Intent {
    let root = Place {
        at: ".".to_owned(),
        value: object,
        ty: values.context.root,
        meta: FieldMeta::NONE,
        is_item: false,
    };
    let mut places = vec![root];
    let mut next = 0;
    while next < places.len() {
        let inner = inside(values, &places[next]);
        places.extend(inner);
        next += 1;
    }
    let wanted = 1 + values.random.below(2);
    let mut edits = Vec::new();
    for _ in 0..wanted {
        let place = values.random.below(places.len());
        edits.extend(edit(values, &places[place]));
    }
    // A case says them in this order, and has one `set`.
    edits.sort_by_key(rank);
    edits.dedup_by(|a, b| rank(a) == 0 && rank(b) == 0);
    Intent(edits)
}

fn rank(edit: &Edit) -> usize {
    match edit {
        Edit::Set(_) => 0,
        Edit::Choose { .. } => 1,
        Edit::Select { .. } => 2,
        Edit::Clear(_) => 3,
        Edit::Add { .. } => 4,
        Edit::Remove(_) => 5,
        Edit::Order { .. } => 6,
    }
}

fn inside<'v>(values: &Values<'_>, place: &Place<'v>) -> Vec<Place<'v>> {
    let schema = &values.context.schema;
    match place.value {
        Doc::Map(map) => {
            let field = |(key, value): (&OwnedText, &'v OwnedDoc)| {
                let field = schema.field(place.ty, key)?;
                let at = if place.at == "." { key.to_string() } else { format!("{}.{key}", place.at) };
                Some(Place { at, value, ty: field.ty, meta: field.meta.clone(), is_item: false })
            };
            map.iter().filter_map(field).collect()
        }
        Doc::List(items) => {
            let Some(item) = schema.item(place.ty) else { return Vec::new() };
            let keys = identity(&place.meta);
            let found = |(index, value): (usize, &'v OwnedDoc)| Place {
                at: format!("{}[{}]", place.at, named(index, value, keys)),
                value,
                ty: item,
                meta: FieldMeta::NONE,
                is_item: true,
            };
            items.iter().enumerate().map(found).collect()
        }
        _ => Vec::new(),
    }
}

/// An item as a selector names it.
fn named(index: usize, value: &OwnedDoc, keys: &[OwnedText]) -> String {
    let text = |value: Option<&OwnedDoc>| match value {
        None => "null".to_owned(),
        Some(Doc::String(text)) => text.to_string(),
        Some(other) => other.to_string(),
    };
    match value {
        Doc::Map(map) if !keys.is_empty() => {
            let conditions: Vec<_> = keys.iter().map(|key| format!("{key}={}", text(map.get(key)))).collect();
            conditions.join(",")
        }
        Doc::Map(_) | Doc::List(_) => index.to_string(),
        scalar => format!("={}", text(Some(scalar))),
    }
}

fn edit(values: &mut Values<'_>, place: &Place<'_>) -> Option<Edit> {
    let at: Selector = place.at.parse().ok()?;
    match place.value {
        Doc::Map(held) if place.at == "." => Some(Edit::Set(Doc::Map(some_new(values, place, held)))),
        Doc::Map(_) if values.random.often(150) => Some(Edit::Remove(at)),
        Doc::Map(held) => Some(Edit::Choose { selector: at, fields: changed(values, place, held) }),
        Doc::List(items) => {
            let item = values.context.schema.item(place.ty)?;
            match values.random.below(4) {
                0 if items.len() > 1 => {
                    Some(Edit::Order { selector: at, order: reordered(values, place, items) })
                }
                1 => Some(Edit::Remove(at)),
                _ => Some(Edit::Add { selector: at, item: values.item(item, &place.meta) }),
            }
        }
        // A scalar goes; it is changed with the map that it is in.
        _ if place.is_item || values.random.often(500) => Some(Edit::Remove(at)),
        _ => None,
    }
}

/// Some fields of a map, with new values.
fn some_new(values: &mut Values<'_>, place: &Place<'_>, held: &OwnedMap) -> OwnedMap {
    let Doc::Map(new) = values.of(place.ty, &place.meta) else { return Map::new() };
    let scalar = |(key, value): &(OwnedText, OwnedDoc)| value.is_scalar() || !held.contains_key(key);
    new.into_iter().filter(scalar).collect()
}

/// The fields of a map, some of them changed, gone or new: in a union, another member.
fn changed(values: &mut Values<'_>, place: &Place<'_>, held: &OwnedMap) -> OwnedMap {
    let Doc::Map(new) = values.of(place.ty, &place.meta) else { return held.clone() };
    let mut fields = Map::new();
    for (key, value) in held.iter() {
        if values.random.often(600) || (place.is_item && key == "name" && values.random.often(800)) {
            fields.insert(key.clone(), value.clone());
        }
    }
    for (key, value) in new {
        let replaces = !fields.contains_key(&key) || values.random.often(400);
        if replaces
            && values.random.often(600)
            && !(place.is_item && key == "name" && fields.contains_key("name"))
        {
            fields.insert(key, value);
        }
    }
    fields
}

fn reordered(values: &mut Values<'_>, place: &Place<'_>, items: &[OwnedDoc]) -> Vec<OwnedDoc> {
    let key = place.meta.merge_key.first();
    let name = |item: &OwnedDoc| match (key, item) {
        (Some(key), Doc::Map(map)) => map.get(key).cloned(),
        _ => Some(item.clone()),
    };
    let mut order: Vec<OwnedDoc> = items.iter().filter_map(name).collect();
    values.random.shuffle(&mut order);
    order
}
