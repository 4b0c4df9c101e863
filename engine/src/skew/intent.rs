//! Intents: the change that a user wants, independent of any view.

use super::selector::{Selector, SelectorStep};
use crate::document::{Doc, Map, OwnedDoc, OwnedMap, OwnedText};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::PatchContext;
use crate::schema::union::Union;
use crate::schema::{FieldMeta, Type, TypeId};

/// A list of edits, made in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intent(pub Vec<Edit>);

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Sets these values. Maps are merged; the items of a list with merge keys are matched by them; everything else is
    /// replaced.
    Set(OwnedDoc),
    /// Replaces the fields of a map: "only member B". A client can remove just the fields that it knows.
    Choose {
        /// A map.
        selector: Selector,
        /// Its fields.
        fields: OwnedMap,
    },
    /// One member of a union, and no other: "only member B". The client sets it, and the discriminator where the
    /// union has one that it knows, and removes the other members that it knows.
    Select {
        /// The map that holds the union.
        selector: Selector,
        /// The member's field.
        member: OwnedText,
        /// The value of the member.
        value: OwnedDoc,
    },
    /// No member of a union. The client removes the members that it knows, and sets the discriminator, where there
    /// is one that it knows, to the value that selects none.
    Clear(Selector),
    /// Adds an item at the end of a list.
    Add {
        /// A list, which is created if it does not exist.
        selector: Selector,
        /// The item.
        item: OwnedDoc,
    },
    /// Removes the selected value.
    Remove(Selector),
    /// The items of a list in this order; those not named follow. Items that are maps are named by the value
    /// of their (first) merge key.
    Order {
        /// A list.
        selector: Selector,
        /// The order.
        order: Vec<OwnedDoc>,
    },
}

impl Intent {
    /// Makes the edits on a document of a client. `view` is the context of the client, `full` the one in whose terms the
    /// intent is written.
    pub fn edit(&self, document: &mut OwnedDoc, view: &PatchContext, full: &PatchContext) -> Result<()> {
        for edit in &self.0 {
            edit.make_on(document, view, full)?;
        }
        Ok(())
    }

    /// Returns true if there is nothing to change (the client echoes what it read).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Edit {
    fn make_on(&self, document: &mut OwnedDoc, view: &PatchContext, full: &PatchContext) -> Result<()> {
        match self {
            Edit::Set(values) => {
                set_values(document, values, (full, full.root, &FieldMeta::default()));
                Ok(())
            }
            Edit::Choose { selector, fields } => {
                let ty = selector.type_in(view);
                let target = selector.resolve_mut(document, MissingMaps::Create)?;
                replace_fields(target, fields, view, ty)
            }
            Edit::Select { selector, member, value } => {
                let types = (selector.type_in(view), selector.type_in(full));
                let union = find_union(full, types.1, Some(member))
                    .ok_or_else(|| invalid(selector, &format!("has no union with a member {member}")))?;
                let map = map_at(selector, document)?;
                remove_members(map, view, types.0, union);
                map.insert(member.clone(), value.clone());
                let value = union.member(member).map(|member| member.value.as_str());
                set_discriminator(map, view, types.0, union, value);
                Ok(())
            }
            Edit::Clear(selector) => {
                let types = (selector.type_in(view), selector.type_in(full));
                let union =
                    find_union(full, types.1, None).ok_or_else(|| invalid(selector, "has no union"))?;
                let map = map_at(selector, document)?;
                remove_members(map, view, types.0, union);
                let none =
                    union.empty_values().find(|value| value.is_empty()).or(union.empty_values().next());
                set_discriminator(map, view, types.0, union, none);
                Ok(())
            }
            Edit::Add { selector, item } => add_item(selector, item, document),
            Edit::Remove(selector) => {
                selector.remove_from(document);
                Ok(())
            }
            Edit::Order { selector, order } => sort_items(selector, order, document, full),
        }
    }
}

fn add_item(selector: &Selector, item: &OwnedDoc, document: &mut OwnedDoc) -> Result<()> {
    match selector.resolve_mut(document, MissingMaps::Create)? {
        Doc::List(items) => items.push(item.clone()),
        target @ Doc::Null => *target = Doc::List(vec![item.clone()]),
        other => {
            let message = format!("holds {}, and an item is to be added", other.kind().with_article());
            return Err(invalid(selector, &message));
        }
    }
    Ok(())
}

/// Sorts a list by the names of its items; items that are not named come last.
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
            let message = format!("holds {}, and a list is to be ordered", other.kind().with_article());
            Err(invalid(selector, &message))
        }
    }
}

fn set_values(
    target: &mut OwnedDoc,
    values: &OwnedDoc,
    (context, ty, meta): (&PatchContext, TypeId, &FieldMeta),
) {
    match (&mut *target, values) {
        (Doc::Map(current), Doc::Map(values)) => {
            let unknown = FieldMeta::default();
            for (key, value) in values.iter() {
                let field = context.schema.field(ty, key);
                let (ty, meta) = field.map_or((ty, &unknown), |f| (f.ty, &f.meta));
                match current.get_mut(key) {
                    Some(current) => set_values(current, value, (context, ty, meta)),
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
                                set_values(current, value, (context, item, &FieldMeta::default()));
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

/// Returns the union of a type that has this member; the first union when no member is given.
fn find_union<'k>(
    context: &'k PatchContext,
    ty: Option<TypeId>,
    member: Option<&OwnedText>,
) -> Option<&'k Union> {
    let mut unions = context.schema.unions(ty?).iter();
    unions.find(|union| member.is_none_or(|member| union.member(member).is_some()))
}

/// Returns the selected map, which is created if it does not exist.
fn map_at<'v>(selector: &Selector, document: &'v mut OwnedDoc) -> Result<&'v mut OwnedMap> {
    let target = selector.resolve_mut(document, MissingMaps::Create)?;
    if target.is_null() {
        *target = Doc::Map(Map::new());
    }
    match target {
        Doc::Map(map) => Ok(map),
        other => {
            Err(invalid(selector, &format!("holds {}, and a union is in a map", other.kind().with_article())))
        }
    }
}

/// Removes the members that the client knows. It cannot name others, even if its document has them.
fn remove_members(map: &mut OwnedMap, view: &PatchContext, ty: Option<TypeId>, union: &Union) {
    for member in &union.members {
        if ty.is_some_and(|ty| view.schema.field(ty, &member.field).is_some()) {
            map.remove(&member.field);
        }
    }
}

/// Sets the discriminator to a value, as far as the client knows both. A client that is older than the discriminator
/// of a migrated union, or than the value, cannot write them, however it decodes the object.
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

fn replace_fields(
    target: &mut OwnedDoc,
    fields: &OwnedMap,
    view: &PatchContext,
    ty: Option<TypeId>,
) -> Result<()> {
    if target.is_null() {
        *target = Doc::Map(Map::new());
    }
    let Doc::Map(current) = target else {
        return Err(Error::new(
            ErrorKind::InvalidIntent,
            format!("fields are to be chosen in {}, which is not a map", target.kind().with_article()),
        ));
    };
    let is_known = |key: &str| ty.is_none_or(|ty| view.schema.field(ty, key).is_some());
    current.retain(|key, _| fields.contains_key(key) || !is_known(key));
    for (key, value) in fields.iter() {
        current.insert(key.clone(), value.clone());
    }
    Ok(())
}

/// The handling of missing maps on the path of a selector.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingMaps {
    /// Missing maps on the path are created.
    Create,
    /// A missing value is an error.
    Fail,
}

impl Selector {
    fn resolve_mut<'v>(&self, document: &'v mut OwnedDoc, missing: MissingMaps) -> Result<&'v mut OwnedDoc> {
        let mut target = document;
        for step in &self.0 {
            target = match step {
                SelectorStep::Key(key) => {
                    if target.is_null() && missing == MissingMaps::Create {
                        *target = Doc::Map(Map::new());
                    }
                    let Doc::Map(map) = target else { return Err(invalid(self, "is not in the object")) };
                    if missing == MissingMaps::Create && !map.contains_key(key) {
                        map.insert(key.clone(), Doc::Null);
                    }
                    map.get_mut(key).ok_or_else(|| invalid(self, "is not in the object"))?
                }
                step => {
                    let items =
                        target.as_list_mut().ok_or_else(|| invalid(self, "goes through what is no list"))?;
                    let found = items.iter().enumerate().position(|(index, item)| step.matches(index, item));
                    let index = found.ok_or_else(|| invalid(self, "names an item that is not there"))?;
                    &mut items[index]
                }
            };
        }
        Ok(target)
    }

    /// Removes the selected values, if there are any.
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

    /// Returns the type of the selected value, if the view knows it.
    fn type_in(&self, context: &PatchContext) -> Option<TypeId> {
        self.0.iter().try_fold(context.root, |ty, step| match step {
            SelectorStep::Key(key) => context.schema.field(ty, key).map(|f| f.ty),
            _ => context.schema.item(ty),
        })
    }

    /// Returns the metadata of the selected field.
    fn meta_in<'k>(&self, context: &'k PatchContext) -> Option<&'k FieldMeta> {
        let (last, parent) = self.0.split_last()?;
        let SelectorStep::Key(key) = last else { return None };
        let ty = Selector(parent.to_vec()).type_in(context)?;
        context.schema.field(ty, key).map(|f| &f.meta)
    }
}

fn invalid(selector: &Selector, reason: &str) -> Error {
    Error::new(ErrorKind::InvalidIntent, format!("the intent's {selector} {reason}"))
}
