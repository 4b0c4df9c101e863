//! The situations of a cause: which are built, and what happens in them.

use skewer_engine::admission::structural::{StructuralSchema, ValueType};
use skewer_engine::skew::FinalState;
use skewer_engine::{Doc, FieldPath, OwnedDoc, OwnedMap, PathSegment, Text};

use super::cause::Cause;
use super::effect::{Effect, compare, value_at};
use super::facts::Property;
use super::revision::{Revisions, Side};
use super::sample::{MAX_TRIED, Sampler};
use super::schema_path::{SchemaPath, SchemaStep};
use super::situation::{ClientEdit, ClientStyle, Happened, Situation};

/// The relation of the object and the client to the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum World {
    /// The object was stored before the change. A client of that time writes it after the change.
    StoredObject,
    /// A client of the time before the change creates an object.
    OldManifest,
    /// The object was created after the change. A client of the time before it writes the object.
    OldClient,
    /// A client of the time after the change creates an object where the change was not made yet.
    NewClientOldDefinition,
    /// The object was created after the change, and the change was then reverted.
    Rollback,
}

/// A situation in which a change makes a difference.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Observation {
    /// The relation of the object and the client to the change.
    pub world: World,
    /// The situation.
    pub situation: Situation,
    /// What differs.
    pub effect: Effect,
    /// What happens.
    pub happened: Happened,
    /// What happens without version skew.
    pub expected: Happened,
}

/// What was found out about a cause.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Explored {
    /// The situations in which the change makes a difference.
    pub observations: Vec<Observation>,
    /// The number of situations that were run.
    pub situations: usize,
    /// The sides for which no object with the element was found that the server accepts.
    pub without_object: Vec<Side>,
}

/// Options of the exploration.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ExploreOptions {
    /// Whether the change can be reverted after objects were created.
    pub rollback: bool,
}

/// Runs the situations of a cause.
#[must_use]
pub fn explore(revisions: &Revisions, cause: &Cause, options: ExploreOptions) -> Explored {
    let mut explored = Explored::default();
    let find = |side| find_object(revisions, side, &wanted_elements(revisions, cause, side));
    let (old_object, new_object) = (find(Side::Old), find(Side::New));
    for (side, object) in [(Side::Old, &old_object), (Side::New, &new_object)] {
        if object.is_none() {
            explored.without_object.push(side);
        }
    }
    let mut runs = Explorer { revisions, explored: &mut explored };
    if let Some(object) = &old_object {
        runs.stored_before(object, cause);
    }
    let without_element = object_without(revisions, cause);
    if let Some(object) = without_element.as_ref().filter(|object| Some(*object) != old_object.as_ref()) {
        runs.stored_before(object, cause);
    }
    if let Some(object) = new_object.as_ref().filter(|new| Some(*new) != old_object.as_ref()) {
        runs.stored_after(object, cause, old_object.as_ref());
        if options.rollback {
            runs.reverted(object);
        }
    }
    explored
}

struct Explorer<'a> {
    revisions: &'a Revisions,
    explored: &'a mut Explored,
}

impl Explorer<'_> {
    /// Objects from the time before the change.
    fn stored_before(&mut self, object: &OwnedDoc, cause: &Cause) {
        for style in ClientStyle::ALL {
            for edit in edits(self.revisions, object, cause) {
                let situation = Situation {
                    object: object.clone(),
                    created: Side::Old,
                    server: Side::New,
                    client: Side::Old,
                    style,
                    edit,
                };
                let without_skew = Situation { server: Side::Old, ..situation.clone() };
                self.observe(World::StoredObject, situation, &without_skew);
            }
        }
        for style in [ClientStyle::UntypedUpdate, ClientStyle::ServerSideApply] {
            let situation = Situation {
                object: object.clone(),
                created: Side::Old,
                server: Side::New,
                client: Side::Old,
                style,
                edit: ClientEdit::Create,
            };
            let without_skew = Situation { server: Side::Old, ..situation.clone() };
            self.observe(World::OldManifest, situation, &without_skew);
        }
    }

    /// Objects from the time after the change.
    fn stored_after(&mut self, object: &OwnedDoc, cause: &Cause, old_object: Option<&OwnedDoc>) {
        let mut edits = vec![ClientEdit::Label];
        edits.extend(other_member(cause, old_object));
        for style in ClientStyle::ALL.into_iter().filter(|style| style.is_typed()) {
            for edit in &edits {
                let situation = Situation {
                    object: object.clone(),
                    created: Side::New,
                    server: Side::New,
                    client: Side::Old,
                    style,
                    edit: edit.clone(),
                };
                let without_skew = Situation { client: Side::New, ..situation.clone() };
                self.observe(World::OldClient, situation, &without_skew);
            }
        }
        for style in [ClientStyle::UntypedUpdate, ClientStyle::ServerSideApply] {
            let situation = Situation {
                object: object.clone(),
                created: Side::New,
                server: Side::Old,
                client: Side::New,
                style,
                edit: ClientEdit::Create,
            };
            let without_skew = Situation { server: Side::New, ..situation.clone() };
            self.observe(World::NewClientOldDefinition, situation, &without_skew);
        }
    }

    /// Objects from the time after the change, which is then reverted.
    fn reverted(&mut self, object: &OwnedDoc) {
        for style in ClientStyle::ALL {
            let situation = Situation {
                object: object.clone(),
                created: Side::New,
                server: Side::Old,
                client: Side::Old,
                style,
                edit: ClientEdit::Label,
            };
            let without_skew = Situation { server: Side::New, client: Side::New, ..situation.clone() };
            self.observe(World::Rollback, situation, &without_skew);
        }
    }

    /// Runs a situation with and without version skew. A situation that cannot be run is no situation: the client has
    /// nothing to edit.
    fn observe(&mut self, world: World, situation: Situation, without_skew: &Situation) {
        let (Ok(happened), Ok(expected)) = (situation.run(self.revisions), without_skew.run(self.revisions))
        else {
            return;
        };
        self.explored.situations += 1;
        let context = &self.revisions.new.context;
        if let Some(effect) = compare(context, &happened.final_state, &expected.final_state) {
            self.explored.observations.push(Observation { world, situation, effect, happened, expected });
        }
    }
}

/// Returns an object without the changed element, if its absence matters: the element became required, or has another
/// default.
fn object_without(revisions: &Revisions, cause: &Cause) -> Option<OwnedDoc> {
    let change = &cause.changes[0];
    if !matches!(change.property, Property::Required | Property::Default) {
        return None;
    }
    let mut parent = cause.path.parent()?;
    while super::sample::element(revisions.old.schema(), parent.steps()).is_none() {
        parent = parent.parent()?;
    }
    // The element can be in a list without items, or in an object without fields.
    let mut sampler = Sampler::default();
    for _ in 0..MAX_TRIED {
        let sample = sampler.sample(revisions.old.schema(), std::slice::from_ref(&parent)).map(with_identity);
        let is_found = |object: &OwnedDoc| {
            concrete(object, parent.steps()).is_some()
                && concrete(object, cause.path.steps()).is_none()
                && is_accepted(revisions, Side::Old, object)
        };
        if let Some(object) = sample.filter(is_found) {
            return Some(object);
        }
        if !sampler.next_combination() {
            break;
        }
    }
    None
}

/// An element that an object must have, with its value if that matters.
type Wanted = (SchemaPath, Option<OwnedDoc>);

/// Returns the elements that an object of one side must have: the changed element, or what contains it if the side does
/// not have it. An object with a union also has the member that the side knows, and the value that selects it.
fn wanted_elements(revisions: &Revisions, cause: &Cause, side: Side) -> Vec<Wanted> {
    let schema = revisions.get(side).schema();
    let exists = |path: &SchemaPath| super::sample::element(schema, path.steps()).is_some();
    if let Some(union) = &cause.union_member {
        let (member, value) = match side {
            Side::New => (Some(&cause.path), &union.value),
            Side::Old => (union.other.as_ref(), &union.other_value),
        };
        let selected = (!value.is_null()).then(|| value.clone());
        let wanted: Vec<Wanted> = member
            .map(|path| (path.clone(), None))
            .into_iter()
            .chain(union.discriminator.clone().map(|path| (path, selected)))
            .filter(|(path, _)| exists(path))
            .collect();
        if !wanted.is_empty() {
            return wanted;
        }
    }
    let mut path = cause.path.clone();
    while !exists(&path) {
        path = path.parent().unwrap_or_default();
    }
    vec![(path, None)]
}

/// Returns an object with these elements that a server of one side stores. An object that the other side refuses comes
/// first; among those, and without one, the smallest.
fn find_object(revisions: &Revisions, side: Side, wanted: &[Wanted]) -> Option<OwnedDoc> {
    let paths: Vec<SchemaPath> = wanted.iter().map(|(path, _)| path.clone()).collect();
    let values = wanted.iter().filter_map(|(path, value)| Some((path, value.as_ref()?)));
    let values: Vec<(&SchemaPath, &OwnedDoc)> = values.collect();
    let other = if side == Side::Old { Side::New } else { Side::Old };
    let revision = revisions.get(side);
    let mut sampler = Sampler::default();
    let mut smallest = None;
    for _ in 0..MAX_TRIED {
        let sample = sampler.sample(revision.schema(), &paths).map(|object| with_values(object, &values));
        if let Some(object) = sample.map(with_identity) {
            if is_accepted(revisions, side, &object) {
                if !is_accepted(revisions, other, &object) {
                    return Some(object);
                }
                smallest = smallest.or(Some(object));
            }
        }
        if !sampler.next_combination() {
            break;
        }
    }
    smallest
}

/// Returns true if a server of one side creates an object.
fn is_accepted(revisions: &Revisions, side: Side, object: &OwnedDoc) -> bool {
    let situation = Situation {
        object: object.clone(),
        created: side,
        server: side,
        client: side,
        style: ClientStyle::UntypedUpdate,
        edit: ClientEdit::Create,
    };
    let happened = situation.run(revisions);
    matches!(happened.map(|happened| happened.final_state), Ok(FinalState::Stored(_)))
}

/// Sets the values of elements that an object has.
fn with_values(mut object: OwnedDoc, values: &[(&SchemaPath, &OwnedDoc)]) -> OwnedDoc {
    for (path, value) in values {
        let Some(path) = concrete(&object, path.steps()) else { continue };
        let place = path.segments().iter().try_fold(&mut object, |value, segment| match segment {
            PathSegment::Key(key) => value.as_map_mut()?.get_mut(key),
            PathSegment::Index(index) => value.as_list_mut()?.get_mut(*index),
        });
        if let Some(place) = place {
            *place = (*value).clone();
        }
    }
    object
}

/// Adds the name that every object has.
fn with_identity(mut object: OwnedDoc) -> OwnedDoc {
    if let Some(map) = object.as_map_mut() {
        let mut metadata = OwnedMap::new();
        metadata.insert(Text::from_static("name"), Doc::from("example"));
        map.insert(Text::from_static("metadata"), Doc::Map(metadata));
    }
    object
}

/// Returns what clients of the time before the change can do with an object.
fn edits(revisions: &Revisions, object: &OwnedDoc, cause: &Cause) -> Vec<ClientEdit> {
    let mut edits = vec![ClientEdit::Label];
    edits.extend(neighbour(revisions, object, cause));
    let Some(path) = concrete(object, cause.path.steps()) else { return edits };
    let schema = super::sample::element(revisions.old.schema(), cause.path.steps());
    let Some((schema, value)) = schema.zip(value_at(object, &path)) else { return edits };
    if let Some(other) = super::sample::other_value(schema, value) {
        edits.push(ClientEdit::Set(path.clone(), other));
    }
    if !path.segments().is_empty() {
        edits.push(ClientEdit::Remove(path.clone()));
    }
    let child = match value {
        Doc::List(items) if !items.is_empty() => Some(PathSegment::Index(0)),
        Doc::Map(map) => map.keys().next().map(|key| PathSegment::Key(key.clone())),
        _ => None,
    };
    if let Some(child) = child.filter(|_| !path.segments().is_empty()) {
        let mut child_path = path;
        child_path.push(child);
        edits.push(ClientEdit::Remove(child_path));
    }
    edits
}

/// Returns an edit of another field of the object that contains the changed element. Errors in values that did not change
/// are only warnings, and this edit changes the object.
fn neighbour(revisions: &Revisions, object: &OwnedDoc, cause: &Cause) -> Option<ClientEdit> {
    let parent = cause.path.parent()?;
    // An edit of the whole object is a label.
    let (_, name) = (parent.steps().first()?, cause.path.field_name()?);
    let mut path = concrete(object, parent.steps())?;
    let schema = super::sample::element(revisions.old.schema(), parent.steps())?;
    let container = value_at(object, &path)?.as_map()?;
    let is_scalar =
        |schema: &StructuralSchema| !matches!(schema.ty, Some(ValueType::Object | ValueType::Array) | None);
    let (field, schema) =
        schema.properties.iter().find(|(field, schema)| *field != name && is_scalar(schema))?;
    let value = super::sample::other_value(schema, container.get(field).unwrap_or(&Doc::Null))?;
    path.push(PathSegment::Key(field.clone().into()));
    Some(ClientEdit::Set(path, value))
}

/// Returns the edit with which a client of the time before the change chooses another member of a union.
fn other_member(cause: &Cause, old_object: Option<&OwnedDoc>) -> Option<ClientEdit> {
    cause.union_member.as_ref()?;
    let old_object = old_object?;
    let union = concrete(old_object, cause.path.parent()?.steps())?;
    let fields = value_at(old_object, &union)?.as_map()?.clone();
    Some(ClientEdit::Choose(union, fields))
}

/// Returns the first path in an object that is an instance of a schema path.
fn concrete(object: &OwnedDoc, steps: &[SchemaStep]) -> Option<FieldPath> {
    let mut path = FieldPath::root();
    let mut value = object;
    for step in steps {
        let segment = match step {
            SchemaStep::Field(name) => PathSegment::Key(name.clone().into()),
            SchemaStep::Items => PathSegment::Index(0),
            SchemaStep::Values => PathSegment::Key(value.as_map()?.keys().next()?.clone()),
        };
        let mut only = FieldPath::root();
        only.push(segment.clone());
        value = value_at(value, &only)?;
        path.push(segment);
    }
    Some(path)
}
