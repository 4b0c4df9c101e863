//! Generation of intents that edit a generated object.

use skewer_engine::schema::{FieldMeta, TypeId};
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, OwnedText};
use skewer_skew::{Edit, Intent, Selector};

use super::objects::ObjectGenerator;

/// A value in an object, as the target of an edit.
struct EditTarget<'v> {
    /// The selector of the value in the object.
    selector: String,
    value: &'v OwnedDoc,
    ty: TypeId,
    /// Metadata of the field that contains the value.
    meta: FieldMeta,
    is_item: bool,
}

/// Generates one or two edits of values in the object.
pub(super) fn generate_intent(generator: &mut ObjectGenerator<'_>, object: &OwnedDoc) -> Intent {
    let targets = all_targets(generator, object);
    let count = 1 + generator.random.below(2);
    let mut edits = Vec::new();
    for _ in 0..count {
        let index = generator.random.below(targets.len());
        edits.extend(generate_edit(generator, &targets[index]));
    }
    // The intent of a case has its edits in this order, and at most one `set`.
    edits.sort_by_key(case_position);
    edits.dedup_by(|a, b| case_position(a) == 0 && case_position(b) == 0);
    Intent(edits)
}

/// Generates the intent of another client that changes the same object meanwhile. In most cases in which the object has
/// an integer, both clients add a number to it.
pub(super) fn generate_meanwhile(
    generator: &mut ObjectGenerator<'_>,
    object: &OwnedDoc,
    own: &mut Intent,
) -> Intent {
    let mut meanwhile = generate_intent(generator, object);
    let targets = all_targets(generator, object);
    let integers: Vec<&str> = targets
        .iter()
        .filter(|target| matches!(target.value, Doc::Int(_)))
        .map(|target| target.selector.as_str())
        .collect();
    if integers.is_empty() || !generator.random.chance(700) {
        return meanwhile;
    }
    let selected: Option<Selector> = generator.random.pick(&integers).parse().ok();
    if generator.random.chance(700) {
        meanwhile.0.clear();
    }
    for intent in [own, &mut meanwhile] {
        let by = 1 + i64::try_from(generator.random.below(3)).unwrap_or_default();
        intent.0.extend(selected.clone().map(|selector| Edit::Increment { selector, by }));
    }
    meanwhile
}

/// Returns the object and all values in it.
fn all_targets<'v>(generator: &ObjectGenerator<'_>, object: &'v OwnedDoc) -> Vec<EditTarget<'v>> {
    let root = EditTarget {
        selector: ".".to_owned(),
        value: object,
        ty: generator.context.root,
        meta: FieldMeta::NONE,
        is_item: false,
    };
    let mut targets = vec![root];
    let mut next = 0;
    while next < targets.len() {
        let inner = inner_targets(generator, &targets[next]);
        targets.extend(inner);
        next += 1;
    }
    targets
}

/// Returns the position of an edit in the intent of a case.
fn case_position(edit: &Edit) -> usize {
    match edit {
        Edit::Set(_) => 0,
        Edit::Choose { .. } => 1,
        Edit::Select { .. } => 2,
        Edit::Clear(_) => 3,
        Edit::Add { .. } => 4,
        Edit::Remove(_) => 5,
        Edit::Order { .. } => 6,
        Edit::Increment { .. } => 7,
    }
}

/// Returns the fields of a map or the items of a list.
fn inner_targets<'v>(generator: &ObjectGenerator<'_>, target: &EditTarget<'v>) -> Vec<EditTarget<'v>> {
    let schema = &generator.context.schema;
    match target.value {
        Doc::Map(map) => {
            let field_target = |(key, value): (&OwnedText, &'v OwnedDoc)| {
                let field = schema.field(target.ty, key)?;
                let selector = if target.selector == "." {
                    key.to_string()
                } else {
                    format!("{}.{key}", target.selector)
                };
                Some(EditTarget {
                    selector,
                    value,
                    ty: field.ty,
                    meta: FieldMeta::clone(&field.meta),
                    is_item: false,
                })
            };
            map.iter().filter_map(field_target).collect()
        }
        Doc::List(items) => {
            let Some(item) = schema.item(target.ty) else { return Vec::new() };
            let keys = target.meta.identifying_keys();
            let item_target = |(index, value): (usize, &'v OwnedDoc)| EditTarget {
                selector: format!("{}[{}]", target.selector, item_selector(index, value, keys)),
                value,
                ty: item,
                meta: FieldMeta::NONE,
                is_item: true,
            };
            items.iter().enumerate().map(item_target).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the part of a selector that selects a list item: by its keys, by its value or by its index.
fn item_selector(index: usize, value: &OwnedDoc, keys: &[OwnedText]) -> String {
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

fn generate_edit(generator: &mut ObjectGenerator<'_>, target: &EditTarget<'_>) -> Option<Edit> {
    let at: Selector = target.selector.parse().ok()?;
    match target.value {
        Doc::Map(current) if target.selector == "." => {
            Some(Edit::Set(Doc::Map(new_field_values(generator, target, current))))
        }
        Doc::Map(_) if generator.random.chance(150) => Some(Edit::Remove(at)),
        Doc::Map(current) => {
            Some(Edit::Choose { selector: at, fields: mutate_map(generator, target, current) })
        }
        Doc::List(items) => {
            let item = generator.context.schema.item(target.ty)?;
            match generator.random.below(4) {
                0 if items.len() > 1 => {
                    Some(Edit::Order { selector: at, order: shuffled_order(generator, target, items) })
                }
                1 => Some(Edit::Remove(at)),
                _ => Some(Edit::Add { selector: at, item: generator.generate_item(item, &target.meta) }),
            }
        }
        // An edit of the enclosing map changes a scalar. Here, it can only be removed.
        _ if target.is_item || generator.random.chance(500) => Some(Edit::Remove(at)),
        _ => None,
    }
}

/// Generates new values for some fields of a map.
fn new_field_values(
    generator: &mut ObjectGenerator<'_>,
    target: &EditTarget<'_>,
    current: &OwnedMap,
) -> OwnedMap {
    let Doc::Map(new) = generator.generate_value(target.ty, &target.meta) else { return Map::new() };
    let is_settable = |(key, value): &(OwnedText, OwnedDoc)| value.is_scalar() || !current.contains_key(key);
    new.into_iter().filter(is_settable).collect()
}

/// Returns a copy of a map with some fields changed, removed or added. In a union, this can select another member.
fn mutate_map(generator: &mut ObjectGenerator<'_>, target: &EditTarget<'_>, current: &OwnedMap) -> OwnedMap {
    let Doc::Map(new) = generator.generate_value(target.ty, &target.meta) else { return current.clone() };
    let mut fields = Map::new();
    for (key, value) in current.iter() {
        if generator.random.chance(600) || (target.is_item && key == "name" && generator.random.chance(800)) {
            fields.insert(key.clone(), value.clone());
        }
    }
    for (key, value) in new {
        let replaces = !fields.contains_key(&key) || generator.random.chance(400);
        if replaces
            && generator.random.chance(600)
            && !(target.is_item && key == "name" && fields.contains_key("name"))
        {
            fields.insert(key, value);
        }
    }
    fields
}

/// Returns a random order of the items of a list, which are identified by their merge key.
fn shuffled_order(
    generator: &mut ObjectGenerator<'_>,
    target: &EditTarget<'_>,
    items: &[OwnedDoc],
) -> Vec<OwnedDoc> {
    let key = target.meta.merge_key.first();
    let identity = |item: &OwnedDoc| match (key, item) {
        (Some(key), Doc::Map(map)) => map.get(key).cloned(),
        _ => Some(item.clone()),
    };
    let mut order: Vec<OwnedDoc> = items.iter().filter_map(identity).collect();
    generator.random.shuffle(&mut order);
    order
}
