//! What the user of a client wants changed, said once, independent of any view.

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
    /// These values are set. Maps are gone into; the items of a list with merge keys are matched by them;
    /// everything else is replaced.
    Set(OwnedDoc),
    /// The place holds these fields and no other: "only member B". A client can remove just the fields that it
    /// knows.
    Choose {
        /// A map.
        at: Selector,
        /// Its fields.
        fields: OwnedMap,
    },
    /// One member of a union, and no other: "only member B". The client sets it, and the discriminator where the
    /// union has one that it knows, and removes the other members that it knows.
    Select {
        /// The map that holds the union.
        at: Selector,
        /// The member's field.
        member: OwnedText,
        /// What the member holds.
        value: OwnedDoc,
    },
    /// No member of a union. The client removes the members that it knows, and sets the discriminator, where there
    /// is one that it knows, to the value that selects none.
    Clear(Selector),
    /// An item more at the end of a list.
    Add {
        /// A list; made when it is not there.
        at: Selector,
        /// The item.
        item: OwnedDoc,
    },
    /// The place is gone.
    Remove(Selector),
    /// The items of a list in this order; those not named follow. Items that are maps are named by the value
    /// of their (first) merge key.
    Order {
        /// A list.
        at: Selector,
        /// The order.
        order: Vec<OwnedDoc>,
    },
}

impl Intent {
    /// Makes the edits on a document that a client holds. `known` is the client's view, `meant` the full
    /// schema, in whose terms the intent speaks.
    pub fn edit(&self, document: &mut OwnedDoc, known: &PatchContext, meant: &PatchContext) -> Result<()> {
        for edit in &self.0 {
            edit.make(document, known, meant)?;
        }
        Ok(())
    }

    /// Is there nothing to change (the client echoes what it read)?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Edit {
    fn make(&self, document: &mut OwnedDoc, known: &PatchContext, meant: &PatchContext) -> Result<()> {
        match self {
            Edit::Set(values) => {
                set(document, values, (meant, meant.root, &FieldMeta::default()));
                Ok(())
            }
            Edit::Choose { at, fields } => {
                let ty = at.type_in(known);
                let place = at.go(document, MakeMissing::Maps)?;
                choose(place, fields, known, ty)
            }
            Edit::Select { at, member, value } => {
                let views = (at.type_in(known), at.type_in(meant));
                let union = union_of(meant, views.1, Some(member))
                    .ok_or_else(|| invalid(at, &format!("has no union with a member {member}")))?;
                let place = map_at(at, document)?;
                forget_members(place, known, views.0, union);
                place.insert(member.clone(), value.clone());
                let value = union.member(member).map(|member| member.value.as_str());
                set_discriminator(place, known, views.0, union, value);
                Ok(())
            }
            Edit::Clear(at) => {
                let views = (at.type_in(known), at.type_in(meant));
                let union = union_of(meant, views.1, None).ok_or_else(|| invalid(at, "has no union"))?;
                let place = map_at(at, document)?;
                forget_members(place, known, views.0, union);
                let none =
                    union.empty_values().find(|value| value.is_empty()).or(union.empty_values().next());
                set_discriminator(place, known, views.0, union, none);
                Ok(())
            }
            Edit::Add { at, item } => add(at, item, document),
            Edit::Remove(at) => {
                at.remove(document);
                Ok(())
            }
            Edit::Order { at, order } => sort(at, order, document, meant),
        }
    }
}

fn add(at: &Selector, item: &OwnedDoc, document: &mut OwnedDoc) -> Result<()> {
    match at.go(document, MakeMissing::Maps)? {
        Doc::List(items) => items.push(item.clone()),
        place @ Doc::Null => *place = Doc::List(vec![item.clone()]),
        other => {
            let message = format!("holds {}, and an item is to be added", other.kind().with_article());
            return Err(invalid(at, &message));
        }
    }
    Ok(())
}

/// Sorts a list by the names of its items, those that are not named last.
fn sort(at: &Selector, order: &[OwnedDoc], document: &mut OwnedDoc, meant: &PatchContext) -> Result<()> {
    let key = at.meta_in(meant).and_then(|meta| meta.merge_key.first().cloned());
    match at.go(document, MakeMissing::No)? {
        Doc::List(items) => {
            let name = |item: &OwnedDoc| match (&key, item) {
                (Some(key), Doc::Map(map)) => map.get(key).cloned(),
                _ => Some(item.clone()),
            };
            items.sort_by_key(|item| {
                let name = name(item);
                order.iter().position(|wanted| Some(wanted) == name.as_ref()).unwrap_or(order.len())
            });
            Ok(())
        }
        other => {
            let message = format!("holds {}, and a list is to be ordered", other.kind().with_article());
            Err(invalid(at, &message))
        }
    }
}

fn set(place: &mut OwnedDoc, values: &OwnedDoc, (context, ty, meta): (&PatchContext, TypeId, &FieldMeta)) {
    match (&mut *place, values) {
        (Doc::Map(held), Doc::Map(values)) => {
            let unknown = FieldMeta::default();
            for (key, value) in values.iter() {
                let field = context.schema.field(ty, key);
                let (ty, meta) = field.map_or((ty, &unknown), |f| (f.ty, &f.meta));
                match held.get_mut(key) {
                    Some(held) => set(held, value, (context, ty, meta)),
                    None => {
                        held.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Doc::List(held), Doc::List(values)) => {
            let keys = if meta.recommended_merge_key.is_empty() {
                &meta.merge_key
            } else {
                &meta.recommended_merge_key
            };
            let item = context.schema.item(ty);
            match item.filter(|_| !keys.is_empty() && values.iter().all(|v| v.as_map().is_some())) {
                None => held.clone_from(values),
                Some(item) => {
                    for value in values {
                        let same = |held: &&mut OwnedDoc| {
                            keys.iter().all(|key| {
                                held.as_map().and_then(|m| m.get(key))
                                    == value.as_map().and_then(|m| m.get(key))
                            })
                        };
                        match held.iter_mut().find(same) {
                            Some(held) => set(held, value, (context, item, &FieldMeta::default())),
                            None => held.push(value.clone()),
                        }
                    }
                }
            }
        }
        (place, values) => *place = values.clone(),
    }
}

/// The union of a type that has this member; the first when none is named.
fn union_of<'k>(
    context: &'k PatchContext,
    ty: Option<TypeId>,
    member: Option<&OwnedText>,
) -> Option<&'k Union> {
    let mut unions = context.schema.unions(ty?).iter();
    unions.find(|union| member.is_none_or(|member| union.member(member).is_some()))
}

/// The map at a place, made when it is not there.
fn map_at<'v>(at: &Selector, document: &'v mut OwnedDoc) -> Result<&'v mut OwnedMap> {
    let place = at.go(document, MakeMissing::Maps)?;
    if place.is_null() {
        *place = Doc::Map(Map::new());
    }
    match place {
        Doc::Map(map) => Ok(map),
        other => Err(invalid(at, &format!("holds {}, and a union is in a map", other.kind().with_article()))),
    }
}

/// Removes the members that the client knows. It cannot name others, whatever it holds.
fn forget_members(place: &mut OwnedMap, known: &PatchContext, ty: Option<TypeId>, union: &Union) {
    for member in &union.members {
        if ty.is_some_and(|ty| known.schema.field(ty, &member.field).is_some()) {
            place.remove(&member.field);
        }
    }
}

/// Sets the discriminator to a value, as far as the client knows both. A client that is older than the discriminator
/// of a migrated union, or than the value, cannot write them, however it holds the object.
fn set_discriminator(
    place: &mut OwnedMap,
    known: &PatchContext,
    ty: Option<TypeId>,
    union: &Union,
    value: Option<&str>,
) {
    let (Some(discriminator), Some(value)) = (&union.discriminator, value) else { return };
    let Some(field) = ty.and_then(|ty| known.schema.field(ty, &discriminator.field)) else { return };
    let is_known = match known.schema.get(field.ty) {
        Type::Enum(of) if of.closed => of.values.iter().any(|known| known == value),
        _ => true,
    };
    if is_known {
        place.insert(discriminator.field.clone(), Doc::from(value));
    }
}

fn choose(place: &mut OwnedDoc, fields: &OwnedMap, known: &PatchContext, ty: Option<TypeId>) -> Result<()> {
    if place.is_null() {
        *place = Doc::Map(Map::new());
    }
    let Doc::Map(held) = place else {
        return Err(Error::new(
            ErrorKind::InvalidIntent,
            format!("fields are to be chosen in {}, which is not a map", place.kind().with_article()),
        ));
    };
    let is_known = |key: &str| ty.is_none_or(|ty| known.schema.field(ty, key).is_some());
    held.retain(|key, _| fields.contains_key(key) || !is_known(key));
    for (key, value) in fields.iter() {
        held.insert(key.clone(), value.clone());
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MakeMissing {
    /// Missing maps on the way are made.
    Maps,
    /// What is missing is an error.
    No,
}

impl Selector {
    fn go<'v>(&self, document: &'v mut OwnedDoc, missing: MakeMissing) -> Result<&'v mut OwnedDoc> {
        let mut place = document;
        for step in &self.0 {
            place = match step {
                SelectorStep::Key(key) => {
                    if place.is_null() && missing == MakeMissing::Maps {
                        *place = Doc::Map(Map::new());
                    }
                    let Doc::Map(map) = place else { return Err(invalid(self, "is not in the object")) };
                    if missing == MakeMissing::Maps && !map.contains_key(key) {
                        map.insert(key.clone(), Doc::Null);
                    }
                    map.get_mut(key).ok_or_else(|| invalid(self, "is not in the object"))?
                }
                step => {
                    let items =
                        place.as_list_mut().ok_or_else(|| invalid(self, "goes through what is no list"))?;
                    let found = items.iter().enumerate().position(|(index, item)| step.matches(index, item));
                    let index = found.ok_or_else(|| invalid(self, "names an item that is not there"))?;
                    &mut items[index]
                }
            };
        }
        Ok(place)
    }

    /// Removes the place; nothing is there to remove when it is missing.
    fn remove(&self, document: &mut OwnedDoc) {
        let Some((last, way)) = self.0.split_last() else { return };
        let Ok(place) = Selector(way.to_vec()).go(document, MakeMissing::No) else { return };
        match (place, last) {
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

    /// The type of the place, where the view knows it.
    fn type_in(&self, context: &PatchContext) -> Option<TypeId> {
        self.0.iter().try_fold(context.root, |ty, step| match step {
            SelectorStep::Key(key) => context.schema.field(ty, key).map(|f| f.ty),
            _ => context.schema.item(ty),
        })
    }

    /// The metadata of the field that the place is.
    fn meta_in<'k>(&self, context: &'k PatchContext) -> Option<&'k FieldMeta> {
        let (last, way) = self.0.split_last()?;
        let SelectorStep::Key(key) = last else { return None };
        let ty = Selector(way.to_vec()).type_in(context)?;
        context.schema.field(ty, key).map(|f| &f.meta)
    }
}

fn invalid(at: &Selector, why: &str) -> Error {
    Error::new(ErrorKind::InvalidIntent, format!("the intent's {at} {why}"))
}
