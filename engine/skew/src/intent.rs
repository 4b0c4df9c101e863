//! Intents: changes that a user wants, independent of any schema view.

use skewer_engine::document::{Doc, Map, OwnedDoc, OwnedMap, OwnedText};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::union::Union;
use skewer_engine::schema::{FieldMeta, Type, TypeId};

use super::selector::{Selector, SelectorStep};

/// The change that a user wants: a list of edits, which are made in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intent(pub Vec<Edit>);

/// One change of an [`Intent`].
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Sets values. Maps are merged recursively. Items of a list with merge keys are merged with the items that have
    /// the same keys. All other values are replaced.
    Set(OwnedDoc),
    /// Replaces the fields of a map. Fields that the client does not know are kept, because it cannot remove them.
    Choose {
        /// The map.
        selector: Selector,
        /// The new fields of the map.
        fields: OwnedMap,
    },
    /// Sets one member of a union and removes all others.
    ///
    /// The client sets the member, removes the other members that it knows, and sets the discriminator if the union has
    /// one and the client knows it.
    Select {
        /// The map with the union.
        selector: Selector,
        /// The field of the member.
        member: OwnedText,
        /// The value of the member.
        value: OwnedDoc,
    },
    /// Removes all members of the union in the selected map.
    ///
    /// The client removes the members that it knows. If the union has a discriminator that the client knows, the client
    /// sets it to the value that selects no member.
    Clear(Selector),
    /// Appends an item to a list.
    Add {
        /// The list. It is created if it does not exist.
        selector: Selector,
        /// The item.
        item: OwnedDoc,
    },
    /// Removes the selected value.
    Remove(Selector),
    /// Sorts the items of a list into a given order. Items that the order does not name come last.
    Order {
        /// The list.
        selector: Selector,
        /// The names of the items. A map is named by the value of its first merge key, any other item by itself.
        order: Vec<OwnedDoc>,
    },
    /// Adds a number to the selected integer. An integer that does not exist counts as zero.
    Increment {
        /// The integer.
        selector: Selector,
        /// The number to add.
        by: i64,
    },
}

impl Intent {
    /// Makes the edits on a document that a client has decoded.
    ///
    /// `view` is the context of the client. `full` is the context of a party that knows everything; the intent is
    /// expressed in its types.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidIntent`] if a selector does not fit the document, for example because it goes through a list
    /// item that does not exist, or if the selected map has no such union or member.
    pub fn edit(&self, document: &mut OwnedDoc, view: &PatchContext, full: &PatchContext) -> Result<()> {
        for edit in &self.0 {
            edit.apply_to(document, view, full)?;
        }
        Ok(())
    }

    /// Returns true if the intent has no edits. The client then sends the object as it was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Edit {
    fn apply_to(&self, document: &mut OwnedDoc, view: &PatchContext, full: &PatchContext) -> Result<()> {
        match self {
            Edit::Set(values) => {
                set_values(document, values, full, full.root, &FieldMeta::default());
                Ok(())
            }
            Edit::Choose { selector, fields } => {
                let map = map_at(selector, document)?;
                replace_fields(map, fields, view, selector.type_in(view));
                Ok(())
            }
            Edit::Select { selector, member, value } => {
                let (view_type, full_type) = (selector.type_in(view), selector.type_in(full));
                let union = find_union(full, full_type, Some(member)).ok_or_else(|| {
                    invalid(selector, &format!("the type has no union with a member {member}"))
                })?;
                let map = map_at(selector, document)?;
                remove_members(map, view, view_type, union);
                map.insert(member.clone(), value.clone());
                let value = union.member(member).map(|member| member.value.as_str());
                set_discriminator(map, view, view_type, union, value);
                Ok(())
            }
            Edit::Clear(selector) => {
                let (view_type, full_type) = (selector.type_in(view), selector.type_in(full));
                let union = find_union(full, full_type, None)
                    .ok_or_else(|| invalid(selector, "the type has no union"))?;
                let map = map_at(selector, document)?;
                remove_members(map, view, view_type, union);
                let none =
                    union.empty_values().find(|value| value.is_empty()).or(union.empty_values().next());
                set_discriminator(map, view, view_type, union, none);
                Ok(())
            }
            Edit::Add { selector, item } => add_item(selector, item, document),
            Edit::Remove(selector) => {
                selector.remove_from(document);
                Ok(())
            }
            Edit::Order { selector, order } => sort_items(selector, order, document, full),
            Edit::Increment { selector, by } => increment(selector, *by, document),
        }
    }
}

fn add_item(selector: &Selector, item: &OwnedDoc, document: &mut OwnedDoc) -> Result<()> {
    match selector.resolve_mut(document, MissingMaps::Create)? {
        Doc::List(items) => items.push(item.clone()),
        target @ Doc::Null => *target = Doc::List(vec![item.clone()]),
        other => {
            let message = format!("expected a list, found {}", other.kind().with_article());
            return Err(invalid(selector, &message));
        }
    }
    Ok(())
}

fn increment(selector: &Selector, by: i64, document: &mut OwnedDoc) -> Result<()> {
    let target = selector.resolve_mut(document, MissingMaps::Create)?;
    let number = match target {
        Doc::Int(number) => *number,
        Doc::Null => 0,
        other => {
            let message = format!("expected an integer, found {}", other.kind().with_article());
            return Err(invalid(selector, &message));
        }
    };
    let sum = number.checked_add(by).ok_or_else(|| invalid(selector, "the sum is not a 64-bit integer"))?;
    *target = Doc::Int(sum);
    Ok(())
}

/// Sorts a list by the names of its items. Items that `order` does not name come last.
fn sort_items(
    selector: &Selector,
    order: &[OwnedDoc],
    document: &mut OwnedDoc,
    full: &PatchContext,
) -> Result<()> {
    let key = selector.meta_in(full).and_then(|meta| meta.merge_key.first().cloned());
    match selector.resolve_mut(document, MissingMaps::Fail)? {
        Doc::List(items) => {
            let name = |item: &OwnedDoc| match (&key, item) {
                (Some(key), Doc::Map(map)) => map.get(key).cloned(),
                _ => Some(item.clone()),
            };
            items.sort_by_key(|item| {
                let name = name(item);
                order.iter().position(|item_name| Some(item_name) == name.as_ref()).unwrap_or(order.len())
            });
            Ok(())
        }
        other => {
            let message = format!("expected a list, found {}", other.kind().with_article());
            Err(invalid(selector, &message))
        }
    }
}

fn set_values(
    target: &mut OwnedDoc,
    values: &OwnedDoc,
    context: &PatchContext,
    ty: TypeId,
    meta: &FieldMeta,
) {
    match (&mut *target, values) {
        (Doc::Map(current), Doc::Map(values)) => {
            let unknown = FieldMeta::default();
            for (key, value) in values.iter() {
                let field = context.schema.field(ty, key);
                let (ty, meta) = field.map_or((ty, &unknown), |f| (f.ty, &f.meta));
                match current.get_mut(key) {
                    Some(current) => set_values(current, value, context, ty, meta),
                    None => {
                        current.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Doc::List(current), Doc::List(values)) => {
            let keys = meta.identifying_keys();
            let item = context.schema.item(ty);
            match item.filter(|_| !keys.is_empty() && values.iter().all(|v| v.as_map().is_some())) {
                None => current.clone_from(values),
                Some(item) => {
                    for value in values {
                        let is_match = |current: &&mut OwnedDoc| {
                            keys.iter().all(|key| {
                                current.as_map().and_then(|m| m.get(key))
                                    == value.as_map().and_then(|m| m.get(key))
                            })
                        };
                        match current.iter_mut().find(is_match) {
                            Some(current) => {
                                set_values(current, value, context, item, &FieldMeta::default());
                            }
                            None => current.push(value.clone()),
                        }
                    }
                }
            }
        }
        (target, values) => *target = values.clone(),
    }
}

/// Returns the union of a type that has the given member, or the type's first union if no member is given.
fn find_union<'k>(
    context: &'k PatchContext,
    ty: Option<TypeId>,
    member: Option<&OwnedText>,
) -> Option<&'k Union> {
    let mut unions = context.schema.unions(ty?).iter();
    unions.find(|union| member.is_none_or(|member| union.member(member).is_some()))
}

/// Returns the selected map. Creates it if it does not exist.
fn map_at<'v>(selector: &Selector, document: &'v mut OwnedDoc) -> Result<&'v mut OwnedMap> {
    let target = selector.resolve_mut(document, MissingMaps::Create)?;
    if target.is_null() {
        *target = Doc::Map(Map::new());
    }
    match target {
        Doc::Map(map) => Ok(map),
        other => Err(invalid(selector, &format!("expected a map, found {}", other.kind().with_article()))),
    }
}

/// Removes the members that the client knows. Members that it does not know stay in the document, because the client
/// cannot name them.
fn remove_members(map: &mut OwnedMap, view: &PatchContext, ty: Option<TypeId>, union: &Union) {
    for member in &union.members {
        if ty.is_some_and(|ty| view.schema.field(ty, &member.field).is_some()) {
            map.remove(&member.field);
        }
    }
}

/// Sets the discriminator to a value if the client knows both.
///
/// A client that is older than the discriminator or the value cannot write it, whether or not it decodes objects into
/// typed structs.
fn set_discriminator(
    map: &mut OwnedMap,
    view: &PatchContext,
    ty: Option<TypeId>,
    union: &Union,
    value: Option<&str>,
) {
    let (Some(discriminator), Some(value)) = (&union.discriminator, value) else { return };
    let Some(field) = ty.and_then(|ty| view.schema.field(ty, &discriminator.field)) else { return };
    let is_known = match view.schema.get(field.ty) {
        Type::Enum(of) if of.closed => of.values.iter().any(|known| known == value),
        _ => true,
    };
    if is_known {
        map.insert(discriminator.field.clone(), Doc::from(value));
    }
}

fn replace_fields(current: &mut OwnedMap, fields: &OwnedMap, view: &PatchContext, ty: Option<TypeId>) {
    let is_known = |key: &str| ty.is_none_or(|ty| view.schema.field(ty, key).is_some());
    current.retain(|key, _| fields.contains_key(key) || !is_known(key));
    for (key, value) in fields.iter() {
        current.insert(key.clone(), value.clone());
    }
}

/// The handling of missing maps along a selector.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingMaps {
    Create,
    Fail,
}

impl Selector {
    /// Returns the selected value of a document. With [`MissingMaps::Create`], the value is null if it did not exist.
    fn resolve_mut<'v>(&self, document: &'v mut OwnedDoc, missing: MissingMaps) -> Result<&'v mut OwnedDoc> {
        let mut target = document;
        for step in &self.0 {
            target = match step {
                SelectorStep::Key(key) => {
                    if target.is_null() && missing == MissingMaps::Create {
                        *target = Doc::Map(Map::new());
                    }
                    let kind = target.kind();
                    let Doc::Map(map) = target else {
                        let message =
                            format!("expected a map with the field {key}, found {}", kind.with_article());
                        return Err(invalid(self, &message));
                    };
                    if missing == MissingMaps::Create && !map.contains_key(key) {
                        map.insert(key.clone(), Doc::Null);
                    }
                    map.get_mut(key)
                        .ok_or_else(|| invalid(self, &format!("the object has no field {key}")))?
                }
                step => {
                    let kind = target.kind();
                    let Doc::List(items) = target else {
                        let message = format!("expected a list, found {}", kind.with_article());
                        return Err(invalid(self, &message));
                    };
                    let index = items.iter().enumerate().position(|(index, item)| step.matches(index, item));
                    let index = index.ok_or_else(|| invalid(self, "the list has no matching item"))?;
                    &mut items[index]
                }
            };
        }
        Ok(target)
    }

    /// Removes the selected values. Does nothing if there are none.
    fn remove_from(&self, document: &mut OwnedDoc) {
        let Some((last, parent)) = self.0.split_last() else { return };
        let Ok(target) = Selector(parent.to_vec()).resolve_mut(document, MissingMaps::Fail) else { return };
        match (target, last) {
            (Doc::Map(map), SelectorStep::Key(key)) => {
                map.remove(key);
            }
            (Doc::List(items), step) => {
                let mut index = 0;
                items.retain(|item| {
                    index += 1;
                    !step.matches(index - 1, item)
                });
            }
            _ => {}
        }
    }

    /// Returns the type of the selected value if the party knows it.
    fn type_in(&self, context: &PatchContext) -> Option<TypeId> {
        self.0.iter().try_fold(context.root, |ty, step| match step {
            SelectorStep::Key(key) => context.schema.field(ty, key).map(|f| f.ty),
            _ => context.schema.item(ty),
        })
    }

    /// Returns the metadata of the selected field if the party knows the field.
    fn meta_in<'k>(&self, context: &'k PatchContext) -> Option<&'k FieldMeta> {
        let (last, parent) = self.0.split_last()?;
        let SelectorStep::Key(key) = last else { return None };
        let ty = Selector(parent.to_vec()).type_in(context)?;
        context.schema.field(ty, key).map(|f| &*f.meta)
    }
}

fn invalid(selector: &Selector, reason: &str) -> Error {
    Error::new(ErrorKind::InvalidIntent, format!("the edit at {selector}: {reason}"))
}
