//! The search for the objects of situations: the smallest ones that a server accepts.

use skewer_admission::structural::StructuralSchema;
use skewer_engine::{Doc, Error, FieldPath, OwnedDoc, PathSegment, Text};
use skewer_skew::FinalState;

use super::explored::UnbrokenRule;
use super::instance::{Wanted, concrete, has_wanted, with_value, with_values};
use super::limits::Limit;
use super::obstacle::{Obstacle, schema_path_of};
use super::repair::Repair;
use super::witness::{Objects, RuleToBreak, store};
use crate::cause::Cause;
use crate::change::PropertyChange;
use crate::effect::{value_at, value_at_mut};
use crate::facts::Property;
use crate::revision::{Revision, Revisions, Side};
use crate::sample::{self, MAX_TRIED, Sampler};
use crate::schema_path::{SchemaPath, SchemaStep};
use crate::situation::{SkewSituation, merged};

/// The number of generated objects from which a repair starts.
const MAX_STARTS: usize = 4;

/// The number of values at limits for which an object is repaired.
const MAX_REPAIRED: usize = 3;

/// The number of objects that are generated for one value at a limit.
const PER_LIMIT: usize = 2;

/// Returns an object with these elements that a server of one side stores. An object that the other side refuses comes
/// first; among those, and without one, the smallest. The limits are further values of the first element.
///
/// # Errors
///
/// Returns why the server refuses the best object, if no object was found.
pub(crate) fn find_object(
    revisions: &Revisions,
    side: Side,
    wanted: &[Wanted],
    limits: &[Limit],
) -> Result<OwnedDoc, Vec<Obstacle>> {
    let search = ObjectSearch { revisions, side, wanted };
    let mut smallest = None;
    for object in search.generated().chain(search.at_limits(limits)) {
        if is_accepted(revisions, side, &object) {
            if !is_accepted(revisions, side.other(), &object) {
                return Ok(object);
            }
            smallest = smallest.or(Some(object));
        }
    }
    let object = smallest.map_or_else(|| search.repaired(limits), Ok)?;
    if !is_accepted(revisions, side.other(), &object) {
        return Ok(object);
    }
    Ok(search.lengthened(&object, limits).or_else(|| search.repaired_at(limits)).unwrap_or(object))
}

/// Returns an object with an element that a server stores.
///
/// # Errors
///
/// Returns why the server refuses the best object, if no object was found.
pub fn object_with(revision: &Revision, path: &SchemaPath) -> Result<OwnedDoc, Vec<Obstacle>> {
    let revisions = &Revisions { old: revision.clone(), new: revision.clone() };
    let wanted = [(path.clone(), None)];
    let search = ObjectSearch { revisions, side: Side::Old, wanted: &wanted };
    let is_found =
        |object: &OwnedDoc| has_wanted(object, &wanted) && is_accepted(revisions, Side::Old, object);
    search.generated().find(is_found).map_or_else(|| search.repaired(&[]), Ok)
}

struct ObjectSearch<'r> {
    revisions: &'r Revisions,
    side: Side,
    /// The elements that the object must have, with their values if these matter.
    wanted: &'r [Wanted],
}

impl<'r> ObjectSearch<'r> {
    fn generated(&self) -> impl Iterator<Item = OwnedDoc> + use<'_, 'r> {
        let sampler = Sampler::default();
        self.samples(if self.is_only_here() { sampler.with_items() } else { sampler }).take(MAX_TRIED)
    }

    /// Returns true if the other side does not have the first wanted element.
    fn is_only_here(&self) -> bool {
        let other = self.revisions.get(self.side.other()).schema();
        self.wanted.first().is_some_and(|(path, _)| sample::element(other, path.steps()).is_none())
    }

    /// Returns objects in which the first wanted element has a value at a limit.
    fn at_limits<'s>(&'s self, limits: &'s [Limit]) -> impl Iterator<Item = OwnedDoc> + use<'s, 'r> {
        self.values_at(limits).flat_map(move |(path, value)| {
            let objects = self.samples(Sampler::default()).take(PER_LIMIT);
            objects.map(move |object| with_values(object, &[(path, &value)]))
        })
    }

    /// Returns the values of the first wanted element at limits, each with the path of the element.
    fn values_at<'s>(
        &'s self,
        limits: &'s [Limit],
    ) -> impl Iterator<Item = (&'s SchemaPath, OwnedDoc)> + use<'s, 'r> {
        let schema = self.revisions.get(self.side).schema();
        let element =
            self.wanted.first().and_then(|(path, _)| Some((path, sample::element(schema, path.steps())?)));
        let values = move |(path, schema): (&'s SchemaPath, &'s StructuralSchema)| {
            limits.iter().flat_map(move |limit| limit.values(schema)).map(move |value| (path, value))
        };
        element.into_iter().flat_map(values)
    }

    /// Returns the objects of one combination of choices after another.
    fn samples(&self, sampler: Sampler) -> impl Iterator<Item = OwnedDoc> + use<'_, 'r> {
        let paths: Vec<SchemaPath> = self.wanted.iter().map(|(path, _)| path.clone()).collect();
        let schema = self.revisions.get(self.side).schema();
        sampler.samples(schema, paths).map(|object| self.finished(object))
    }

    /// Sets the wanted values of an object, and its name.
    fn finished(&self, object: OwnedDoc) -> OwnedDoc {
        let values = self.wanted.iter().filter_map(|(path, value)| Some((path, value.as_ref()?)));
        let values: Vec<(&SchemaPath, &OwnedDoc)> = values.collect();
        with_identity(self.revisions, self.side, with_values(object, &values))
    }

    /// Returns an object that is generated and then repaired.
    fn repaired(&self, limits: &[Limit]) -> Result<OwnedDoc, Vec<Obstacle>> {
        let starts: Vec<OwnedDoc> =
            self.samples(Sampler::default().with_invalid_scalars()).take(MAX_STARTS).collect();
        let Some(admission) = &self.revisions.get(self.side).admission else {
            return Err(starts.first().map(|object| self.refusals(object)).unwrap_or_default());
        };
        let repaired = Repair::new(admission, &|object| has_wanted(object, self.wanted)).run(starts)?;
        if !is_accepted(self.revisions, self.side, &repaired) {
            return Err(self.refusals(&repaired));
        }
        let Some(path) = self.wanted.first().and_then(|(path, _)| concrete(&repaired, path.steps())) else {
            return Ok(repaired);
        };
        let others = self.generated().chain(self.at_limits(limits));
        let mut others = others.filter_map(|other| self.with_wanted_of(&repaired, &path, &other));
        Ok(others.find(|object| self.is_accepted_only_here(object)).unwrap_or(repaired))
    }

    fn is_accepted_only_here(&self, object: &OwnedDoc) -> bool {
        is_accepted(self.revisions, self.side, object)
            && !is_accepted(self.revisions, self.side.other(), object)
    }

    /// Returns an object with a value as long as one at a limit, which only the other side refuses. A text begins like that of a
    /// valid object, and a list or a map has copies of its items, because rules can ask for what is in them.
    fn lengthened(&self, object: &OwnedDoc, limits: &[Limit]) -> Option<OwnedDoc> {
        let element = &self.wanted.first()?.0;
        let steps = element.steps();
        let is_empty = |value: &OwnedDoc| matches!(value, Doc::List(items) if items.is_empty());
        let with_item =
            value_at(object, &concrete(object, steps)?).filter(|value| is_empty(value)).and_then(|_| {
                // An empty list has nothing to copy.
                let wanted = [(element.child(SchemaStep::Items), None)];
                ObjectSearch { wanted: &wanted, ..*self }.repaired(&[]).ok()
            });
        let object = with_item.as_ref().unwrap_or(object);
        let path = concrete(object, steps)?;
        let value = value_at(object, &path)?;
        let schema = sample::element(self.revisions.get(self.side).schema(), steps)?;
        let longer = limits.iter().filter_map(|limit| match (limit, value) {
            (Limit::Value(Doc::String(long)), Doc::String(text)) => {
                Some(Doc::from(text.to_string() + &"a".repeat(long.len().checked_sub(text.len())?)))
            }
            (Limit::Size(size), value) => with_copies(schema, value, *size),
            _ => None,
        });
        let mut objects = longer.map(|longer| with_value(object.clone(), &path, longer));
        objects.find(|object| self.is_accepted_only_here(object))
    }

    /// Returns an object with a value at a limit that only the other side refuses. It is repaired: other fields can depend
    /// on the value.
    fn repaired_at(&self, limits: &[Limit]) -> Option<OwnedDoc> {
        let admission = self.revisions.get(self.side).admission.as_ref()?;
        self.values_at(limits).take(MAX_REPAIRED).find_map(|(path, value)| {
            let wanted = [(path.clone(), Some(value))];
            let search = ObjectSearch { wanted: &wanted, ..*self };
            let starts = search.samples(Sampler::default()).take(MAX_STARTS).collect();
            let object = Repair::new(admission, &|object| has_wanted(object, &wanted)).run(starts).ok()?;
            self.is_accepted_only_here(&object).then_some(object)
        })
    }

    /// Returns why the server does not create an object.
    fn refusals(&self, object: &OwnedDoc) -> Vec<Obstacle> {
        let creation = SkewSituation::creation(object.clone(), self.side);
        let status = creation.writing_status(self.revisions);
        let refused = |situation: SkewSituation| match situation.run(self.revisions) {
            Ok(happened) => match happened.final_state {
                FinalState::Refused(error) => Some(Obstacle::Error(error)),
                FinalState::Stored(_) => None,
            },
            Err(error) => Some(Obstacle::Error(error)),
        };
        refused(creation).or_else(|| status.and_then(refused)).into_iter().collect()
    }

    /// Returns a repaired object with the first wanted element of another one.
    fn with_wanted_of(&self, repaired: &OwnedDoc, path: &FieldPath, other: &OwnedDoc) -> Option<OwnedDoc> {
        let (wanted, _) = self.wanted.first()?;
        let value = value_at(other, &concrete(other, wanted.steps())?)?.clone();
        Some(with_value(repaired.clone(), path, value))
    }
}

/// Returns a list or a map of a size, with copies of the first item of a valid one. The items of a list with keys have other keys.
fn with_copies(schema: &StructuralSchema, value: &OwnedDoc, size: usize) -> Option<OwnedDoc> {
    match value {
        Doc::List(items) => {
            let keys = &schema.list_map_keys;
            let others = Sampler::default().with_size(size).sample(schema, &[SchemaPath::default()]);
            let others = others.as_ref().and_then(Doc::as_list).unwrap_or_default();
            let item = |at: usize| {
                let mut item = items.get(at).or_else(|| items.first())?.clone();
                let other = others.get(at).and_then(Doc::as_map).filter(|_| at >= items.len());
                if let (Some(item), Some(other)) = (item.as_map_mut(), other) {
                    for key in keys {
                        item.insert(key.clone().into(), other.get(key)?.clone());
                    }
                }
                Some(item)
            };
            (0..size).map(item).collect::<Option<Vec<_>>>().map(Doc::List)
        }
        Doc::Map(map) => {
            schema.additional_properties.as_ref()?;
            let (_, first) = map.iter().next()?;
            let mut longer = map.clone();
            for at in 0..size.saturating_sub(map.len()) {
                longer.insert(format!("copy-{at}").into(), first.clone());
            }
            Some(Doc::Map(longer))
        }
        _ => None,
    }
}

/// Returns true if the new side reports an error for the changed element, and not for something in it.
pub(super) fn is_of_change(revisions: &Revisions, cause: &Cause, error: &Error) -> bool {
    let path = schema_path_of(revisions.new.schema(), error.path());
    let refuses_inside = |change: &PropertyChange| {
        matches!(change.property, Property::Rules | Property::Alternatives(_) | Property::Type)
    };
    path == cause.path || (cause.changes.iter().any(refuses_inside) && path.is_within(&cause.path))
}

/// Returns an object of the old side that the new one refuses only because of the changed element. `objects` are those of the two
/// sides that have the element. Fields that only the other side knows are dropped, so that both together can be one object.
pub(super) fn refused_only_at(
    revisions: &Revisions,
    cause: &Cause,
    limits: &[Limit],
    objects: &[Option<OwnedDoc>; 2],
) -> Option<OwnedDoc> {
    let refusing = revisions.new.admission.as_deref()?;
    let accepting = revisions.old.admission.as_deref()?;
    let is_refused_there = |object: &OwnedDoc| {
        let errors = store(refusing, None, object).err().unwrap_or_default();
        !errors.is_empty() && errors.iter().all(|error| is_of_change(revisions, cause, error))
    };
    let [old, new] = objects;
    let both = old
        .iter()
        .zip(new)
        .flat_map(|(old, new)| [merged(old.clone(), new.clone()), merged(new.clone(), old.clone())]);
    let starts: Vec<OwnedDoc> = old.iter().chain(new).cloned().chain(both).collect();
    // The items of the other side can have fields that both require.
    let schemas = [Side::Old, Side::New].map(|side| revisions.get(side).schema());
    let elements = schemas.into_iter().filter_map(|schema| sample::element(schema, cause.path.steps()));
    let values = elements.flat_map(|element| limits.iter().flat_map(|limit| limit.values(element)));
    let with_value = |value: OwnedDoc| {
        let objects = starts.iter().map(|start| with_values(start.clone(), &[(&cause.path, &value)]));
        objects.collect::<Vec<_>>()
    };
    let is_required = cause.has(Property::Required);
    let without = starts.iter().filter(|_| is_required).filter_map(|start| removed(start, &cause.path));
    let tried = values.flat_map(with_value).chain(without);
    let refused = tried.filter(is_refused_there).take(MAX_REPAIRED);
    // The old side can require fields that neither object has.
    let repaired =
        refused.filter_map(|object| Repair::new(accepting, &is_refused_there).run(vec![object]).ok());
    repaired.into_iter().find(|object| is_accepted(revisions, Side::Old, object))
}

/// Returns objects that the server of one side stores, and that a rule which only the other side has refuses. `stored` is an
/// object that the server stores.
///
/// # Errors
///
/// Returns the first rule without a proof that it refuses nothing. `None` if there is none.
pub(super) fn find_broken(
    revisions: &Revisions,
    side: Side,
    cause: &Cause,
    stored: Option<&OwnedDoc>,
) -> Result<Objects, Option<UnbrokenRule>> {
    let rules = rules_to_break(revisions, side, cause);
    if rules.is_empty() {
        return Err(None);
    }
    let starts = starts_to_break(revisions, side, cause, stored);
    let mut undecided = None;
    for rule in &rules {
        match rule.broken(&starts) {
            Ok(broken) => return Ok(broken),
            Err(why) if undecided.is_none() && rule.proof(true).is_none() => {
                undecided = Some(UnbrokenRule { rule: rule.rule.to_owned(), why });
            }
            Err(_) => {}
        }
    }
    Err(undecided)
}

/// Returns an object of one side that a rule of the other side refuses if it is created, and perhaps not if it replaces another
/// one. `None` if no rule has an optional old value.
pub(super) fn find_broken_by_creation(
    revisions: &Revisions,
    side: Side,
    cause: &Cause,
    stored: Option<&OwnedDoc>,
) -> Option<OwnedDoc> {
    let rules = rules_to_break(revisions, side, cause);
    let starts = if rules.is_empty() { Vec::new() } else { starts_to_break(revisions, side, cause, stored) };
    rules.iter().find_map(|rule| rule.broken_by_creation(&starts))
}

/// Returns objects with which the search for broken rules starts.
fn starts_to_break(
    revisions: &Revisions,
    side: Side,
    cause: &Cause,
    stored: Option<&OwnedDoc>,
) -> Vec<OwnedDoc> {
    let wanted = [(cause.path.clone(), None)];
    let search = ObjectSearch { revisions, side, wanted: &wanted };
    let is_start = |object: &OwnedDoc| is_accepted(revisions, side, object);
    let generated = search.generated().take(MAX_STARTS * 2).filter(is_start);
    stored.cloned().into_iter().chain(generated).take(MAX_STARTS).collect()
}

/// Returns true if the only changes are new rules of the other side, and none of them is undecided: what a search for objects that
/// they refuse found says so.
pub(super) fn break_nothing(
    revisions: &Revisions,
    side: Side,
    cause: &Cause,
    broken: &Result<Objects, Option<UnbrokenRule>>,
) -> bool {
    matches!(broken, Err(None))
        && !rules_to_break(revisions, side, cause).is_empty()
        && cause.changes.iter().all(|change| change.property == Property::Rules)
}

/// Returns a rule that only one side has, and that is not simulated.
pub(super) fn rule_not_simulated<'r>(
    revisions: &'r Revisions,
    side: Side,
    cause: &'r Cause,
) -> Option<&'r str> {
    let rules = rules_to_break(revisions, side.other(), cause);
    rules.iter().find(|rule| rule.compiled().is_none()).map(|rule| rule.rule)
}

/// Returns the rules that only the other side has.
fn rules_to_break<'r>(revisions: &'r Revisions, side: Side, cause: &'r Cause) -> Vec<RuleToBreak<'r>> {
    let admission = |side| revisions.get(side).admission.as_deref();
    let (Some(accepting), Some(refusing)) = (admission(side), admission(side.other())) else {
        return Vec::new();
    };
    let of_change = |change: &'r PropertyChange| {
        let rules = change.rules_only_of(side.other()).into_iter();
        rules.map(move |rule| RuleToBreak { accepting, refusing, path: &change.path, rule })
    };
    cause.changes.iter().flat_map(of_change).collect()
}

/// Returns an object of one side without the changed element, if its absence matters: the element became required, or has
/// another default. An item of a list, or a value of a map, is null instead: it gets the default, too. `stored` is an object
/// that the server of that side stores.
pub(super) fn object_without(
    revisions: &Revisions,
    cause: &Cause,
    side: Side,
    stored: Option<&OwnedDoc>,
) -> Option<OwnedDoc> {
    let change = &cause.changes[0];
    if !matches!(change.property, Property::Required | Property::Default) {
        return None;
    }
    if matches!(cause.path.steps().last(), Some(SchemaStep::Items | SchemaStep::Values)) {
        let with_null = with_values(stored?.clone(), &[(&cause.path, &Doc::Null)]);
        return is_accepted(revisions, side, &with_null).then_some(with_null);
    }
    let mut parent = cause.path.parent()?;
    while sample::element(revisions.get(side).schema(), parent.steps()).is_none() {
        parent = parent.parent()?;
    }
    let wanted = [(parent, None)];
    let search = ObjectSearch { revisions, side, wanted: &wanted };
    // The element can be in a list without items, or in an object without fields.
    let is_found = |object: &OwnedDoc| {
        concrete(object, wanted[0].0.steps()).is_some()
            && concrete(object, cause.path.steps()).is_none()
            && is_accepted(revisions, side, object)
    };
    search.generated().chain(stored.and_then(|stored| removed(stored, &cause.path))).find(is_found)
}

/// Returns an object without an element that it has.
fn removed(object: &OwnedDoc, element: &SchemaPath) -> Option<OwnedDoc> {
    let path = concrete(object, element.steps())?;
    let (PathSegment::Key(last), parents) = path.segments().split_last()? else { return None };
    let mut object = object.clone();
    let parent = value_at_mut(&mut object, parents);
    parent?.as_map_mut()?.remove(last)?;
    Some(object)
}

/// Returns true if a server of one side creates an object, and stores the status that a controller writes.
pub(super) fn is_accepted(revisions: &Revisions, side: Side, object: &OwnedDoc) -> bool {
    let is_stored = |situation: SkewSituation| {
        let happened = situation.run(revisions);
        matches!(happened.map(|happened| happened.final_state), Ok(FinalState::Stored(_)))
    };
    let creation = SkewSituation::creation(object.clone(), side);
    let status = creation.writing_status(revisions);
    is_stored(creation) && status.is_none_or(is_stored)
}

/// Adds the name that every object has.
fn with_identity(revisions: &Revisions, side: Side, mut object: OwnedDoc) -> OwnedDoc {
    if !revisions.old.is_object {
        return object;
    }
    // The schema of a definition can restrict the name.
    let path = ["metadata", "name"].map(|name| SchemaStep::Field(name.to_owned()));
    let schema = revisions.get(side).admission.as_ref().map(|admission| &admission.version.schema);
    let restricted = schema.and_then(|schema| sample::element(schema, &path));
    let name = restricted.and_then(|schema| Sampler::default().sample(schema, &[]));
    if let Some(map) = object.as_map_mut() {
        let mut metadata = map.get("metadata").and_then(Doc::as_map).cloned().unwrap_or_default();
        metadata.insert(Text::from_static("name"), name.unwrap_or_else(|| Doc::from("example")));
        map.insert(Text::from_static("metadata"), Doc::Map(metadata));
    }
    object
}
