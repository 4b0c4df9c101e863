//! The situations of a cause: which are built, and what happens in them.

mod edits;
mod live;
mod objects;
mod rule;

use skewer_engine::skew::FinalState;
use skewer_engine::{Doc, ErrorKind, FieldPath, OwnedDoc, PathSegment, Result};

use skewer_reports::audit::SuiteSchema;

use self::edits::{edits, neighbour, other_member, shared_value};
use self::live::smallest_relevant;
use self::objects::{
    find_object, find_refused_object, object_without, wanted_elements, wanted_in_version,
    with_only_the_new_field, with_repeated_item, with_two_fields,
};
use super::cause::Cause;
use super::clients::Clients;
use super::confirm::{Confirmed, confirm};
use super::effect::{Effect, compare};
use super::facts::Property;
use super::input::samples::SampleObject;
use super::renames::DeclaredRename;
use super::revision::{Revisions, Side};
use super::schema_path::{SchemaPath, SchemaStep};
use super::situation::{ClientEdit, ClientStyle, Happened, Situation};

pub use self::live::LiveObject;
use crate::targets::live::LiveServers;

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
    /// A client of the time after the change creates an object with the new field in place of the fields that a `oneOf` or
    /// `anyOf` lists.
    NewManifest,
    /// A client of the time after the change creates an object where the change was not made yet.
    NewClientOldDefinition,
    /// The object was created after the change, and the change was then reverted.
    Rollback,
    /// A client writes an object in the first version that was created in the second version of the same definition.
    FirstVersion,
    /// A client writes an object in the second version that was created in the first version of the same definition.
    SecondVersion,
    /// A client creates an object with the same fields in the first version instead of the second one.
    SameManifest,
}

impl World {
    /// Returns true if the object is created in one version of a definition, and written in another one.
    const fn is_between_versions(self) -> bool {
        matches!(self, World::FirstVersion | World::SecondVersion)
    }

    /// Returns the name in tables. `names` are those of the two versions.
    #[must_use]
    pub fn name(self, [first, second]: &[String; 2]) -> String {
        match self {
            World::StoredObject => "stored objects".to_owned(),
            World::OldManifest => "new objects, old manifests".to_owned(),
            World::OldClient => "old clients".to_owned(),
            World::NewManifest => "new objects, new manifests".to_owned(),
            World::NewClientOldDefinition => "old server".to_owned(),
            World::Rollback => "rollback".to_owned(),
            World::FirstVersion => format!("in {first},\ncreated in {second}"),
            World::SecondVersion => format!("in {second},\ncreated in {first}"),
            World::SameManifest => "same manifest".to_owned(),
        }
    }
}

/// A situation in which a change makes a difference.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Observation {
    /// The place of the object, if it is a sample.
    pub sample: Option<String>,
    /// The relation of the object and the client to the change.
    pub world: World,
    /// The situation.
    pub situation: Situation,
    /// The same situation without version skew.
    pub without_skew: Situation,
    /// The difference.
    pub effect: Effect,
    /// The course of the situation.
    pub happened: Happened,
    /// The course without version skew.
    pub expected: Happened,
    /// Whether the same happens on real servers. `None` if they are not asked.
    pub confirmed: Option<Confirmed>,
}

/// Whether version skew makes a difference in a situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The object is the same as without version skew.
    Same,
    /// The request is refused, or the client cannot read the object.
    Refused,
    /// The object is another one.
    Different,
}

/// The findings about a cause.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Explored {
    /// The situations in which the change makes a difference.
    pub observations: Vec<Observation>,
    /// The situations that were run: the relation, the client, and whether something differs.
    pub runs: Vec<(World, ClientStyle, Outcome)>,
    /// The sides for which no object with the element was found that the server accepts.
    pub without_object: Vec<Side>,
    /// The names of the two versions.
    pub names: [String; 2],
    /// The clients that write objects, if they are declared.
    pub clients: Option<Clients>,
    /// The types of the situations, if cases are wanted.
    pub revisions: Option<Revisions>,
    /// The old types, and the same types with only the change, if cases are wanted and there are other changes.
    pub schemas: Vec<SuiteSchema>,
    /// The findings with all changes, if cases are wanted and there are other changes.
    pub with_all_changes: Option<Box<Explored>>,
    /// The version of the real server on which the situations were run, too.
    pub server: Option<String>,
}

/// Options of the exploration.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ExploreOptions<'d> {
    /// Whether the change can be reverted after objects were created.
    pub rollback: bool,
    /// Whether effects elsewhere in the object are those of other changes. This is so if the types have all changes, and
    /// not only those of the cause.
    pub only_own_effects: bool,
    /// The clients that write objects, if they are declared.
    pub clients: Option<Clients>,
    /// Whether the findings have cases.
    pub cases: bool,
    /// The renames that are declared.
    pub renames: &'d [DeclaredRename],
    /// The sample objects that are declared.
    pub samples: &'d [SampleObject],
    /// The sample objects of the kind, in the versions that are explored. They are used before generated objects.
    pub live_objects: &'d [LiveObject],
    /// The real servers on which the situations are run, too.
    pub servers: Option<&'d LiveServers>,
}

/// Runs the situations of a cause.
#[must_use]
pub fn explore(revisions: &Revisions, cause: &Cause, options: ExploreOptions<'_>) -> Explored {
    let mut explored = Explored::between(revisions, options);
    let find = |side| find_object(revisions, side, &wanted_elements(revisions, cause, side));
    let (old_object, new_object) = (find(Side::Old), find(Side::New));
    for (side, object) in [(Side::Old, &old_object), (Side::New, &new_object)] {
        if object.is_none() {
            explored.without_object.push(side);
        }
    }
    let refused_object = cause.has(Property::Rules).then(|| find_refused_object(revisions, cause)).flatten();
    let old_object = refused_object.or(old_object);
    let own = if options.only_own_effects { vec![&cause.path] } else { Vec::new() };
    let has_nulls = cause.has(Property::Nullable);
    let mut runs = Explorer { revisions, explored: &mut explored, own, has_nulls, sample: None };
    let is_isolated = !options.only_own_effects;
    for live in smallest_relevant(revisions, cause, options.live_objects, is_isolated) {
        runs.sample = Some(&live.place);
        runs.stored_before(&live.object, cause);
    }
    runs.sample = None;
    if let Some(object) = &old_object {
        runs.stored_before(object, cause);
    }
    let without_element = object_without(revisions, cause);
    let with_two_fields = with_two_fields(revisions, cause);
    let with_repeated_item =
        old_object.as_ref().and_then(|object| with_repeated_item(revisions, object, cause));
    for object in without_element.iter().chain(&with_repeated_item).chain(&with_two_fields) {
        if Some(object) != old_object.as_ref() {
            runs.stored_before(object, cause);
        }
    }
    if let Some(object) = new_object.as_ref().filter(|new| Some(*new) != old_object.as_ref()) {
        runs.stored_after(object, cause, old_object.as_ref());
        runs.created_with_only_the_new_field(object, cause);
        if options.rollback {
            runs.reverted(object);
        }
    }
    explored.with_clients(options.clients).confirmed(revisions, options)
}

/// Runs the situations of a difference between two versions of one definition. Both are served by the same server.
#[must_use]
pub fn explore_versions(revisions: &Revisions, cause: &Cause, options: ExploreOptions<'_>) -> Explored {
    let mut explored = Explored::between(revisions, options);
    let objects = [Side::Old, Side::New]
        .map(|side| find_object(revisions, side, &wanted_in_version(revisions, cause, side)));
    let without_element = object_without(revisions, cause);
    let own = std::iter::once(&cause.path).chain(cause.renamed.iter().map(|rename| &rename.to)).collect();
    let mut runs = Explorer { revisions, explored: &mut explored, own, has_nulls: false, sample: None };
    // A field that only one version has is no field of a manifest for both.
    let is_in_both = !cause.changes.iter().any(|change| change.is_added_field() || change.is_removed_field());
    for live in smallest_relevant(revisions, cause, options.live_objects, false) {
        runs.sample = Some(&live.place);
        runs.written_in_another_version(live.created, &live.object, cause);
        if is_in_both {
            runs.created_in_either_version(&live.object);
        }
    }
    runs.sample = None;
    let sides = [Side::Old, Side::New];
    for (created, object) in sides.into_iter().zip(&objects) {
        for object in object.iter().chain(&without_element) {
            runs.written_in_another_version(created, object, cause);
        }
    }
    if is_in_both {
        for object in objects.iter().flatten().chain(&without_element) {
            runs.created_in_either_version(object);
        }
    }
    explored.with_clients(options.clients).confirmed(revisions, options)
}

impl Explored {
    fn between(revisions: &Revisions, options: ExploreOptions) -> Self {
        Explored {
            names: [revisions.old.name.clone(), revisions.new.name.clone()],
            revisions: options.cases.then(|| revisions.clone()),
            ..Explored::default()
        }
    }

    /// Runs the situations of the observations on real servers.
    fn confirmed(mut self, revisions: &Revisions, options: ExploreOptions<'_>) -> Self {
        if let (Some(servers), false) = (options.servers, options.only_own_effects) {
            self.server = Some(servers.newest().version().trim_start_matches('v').to_owned());
            for observation in &mut self.observations {
                observation.confirmed = Some(confirm(servers, &observation.situation, revisions));
            }
        }
        self
    }

    /// Keeps only what declared clients do. Objects are always created, whoever creates them.
    fn with_clients(mut self, clients: Option<Clients>) -> Self {
        if let Some(declared) = clients {
            let is_creation = |world: World| {
                matches!(
                    world,
                    World::OldManifest
                        | World::NewManifest
                        | World::NewClientOldDefinition
                        | World::SameManifest
                )
            };
            self.runs.retain(|(world, style, _)| is_creation(*world) || declared.has(*style));
            self.observations.retain(|o| is_creation(o.world) || declared.has(o.situation.style));
        }
        self.clients = clients;
        self
    }
}

/// Returns the nulls that the stored object lacks. Final states have no nulls: elsewhere, a null and no value mean the same.
fn lost_nulls(happened: &Happened, expected: &Happened) -> Option<Effect> {
    fn collect(actual: &OwnedDoc, expected: &OwnedDoc, path: &mut FieldPath, lost: &mut Vec<FieldPath>) {
        let children: Vec<(PathSegment, &OwnedDoc, Option<&OwnedDoc>)> = match (actual, expected) {
            (Doc::Map(actual), Doc::Map(expected)) => {
                let fields = expected.iter();
                fields.map(|(key, value)| (PathSegment::Key(key.clone()), value, actual.get(key))).collect()
            }
            (Doc::List(actual), Doc::List(expected)) => {
                let items = expected.iter().enumerate();
                items.map(|(at, value)| (PathSegment::Index(at), value, actual.get(at))).collect()
            }
            _ => return,
        };
        for (segment, expected, actual) in children {
            path.push(segment);
            match actual {
                Some(actual) => collect(actual, expected, path, lost),
                None if expected.is_null() => lost.push(path.clone()),
                None => {}
            }
            path.pop();
        }
    }
    let mut lost = Vec::new();
    collect(happened.result()?, expected.result()?, &mut FieldPath::root(), &mut lost);
    (!lost.is_empty()).then_some(Effect::Lost(lost))
}

struct Explorer<'a> {
    revisions: &'a Revisions,
    explored: &'a mut Explored,
    /// The changed elements, if effects elsewhere are those of other changes.
    own: Vec<&'a SchemaPath>,
    /// Whether a null that is lost is an effect: the change is about nulls.
    has_nulls: bool,
    /// The place of the object, if it is a sample.
    sample: Option<&'a str>,
}

/// Returns true if an effect is on an element, on something in it, or on what contains it.
fn is_about(effect: &Effect, element: &SchemaPath) -> bool {
    effect.paths().iter().any(|path| {
        path.segments().iter().zip(element.steps()).all(|(segment, step)| match (segment, step) {
            // The keys of directives, such as `$setElementOrder/ports`, end with the name of the field.
            (PathSegment::Key(key), SchemaStep::Field(name)) => {
                key.strip_prefix('$').map_or(key.as_str(), |key| key.rsplit('/').next().unwrap_or(key))
                    == name
            }
            (PathSegment::Key(_), SchemaStep::Values) | (PathSegment::Index(_), SchemaStep::Items) => true,
            _ => false,
        })
    })
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
                    shared: None,
                };
                let without_skew = Situation { server: Side::Old, ..situation.clone() };
                self.observe(World::StoredObject, situation, &without_skew);
            }
        }
        if let Some((shared, edit)) = shared_value(object, cause, self.revisions) {
            let situation = Situation {
                object: object.clone(),
                created: Side::Old,
                server: Side::New,
                client: Side::Old,
                style: ClientStyle::ServerSideApply,
                edit,
                shared: Some(shared),
            };
            let without_skew = Situation { server: Side::Old, ..situation.clone() };
            self.observe(World::StoredObject, situation, &without_skew);
        }
        for style in [ClientStyle::UntypedUpdate, ClientStyle::ServerSideApply] {
            let situation = Situation {
                object: object.clone(),
                created: Side::Old,
                server: Side::New,
                client: Side::Old,
                style,
                edit: ClientEdit::Create,
                shared: None,
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
                    shared: None,
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
                shared: None,
            };
            let without_skew = Situation { server: Side::New, ..situation.clone() };
            self.observe(World::NewClientOldDefinition, situation, &without_skew);
        }
    }

    /// An object with a new field in place of the fields that a `oneOf` or `anyOf` of the same object lists.
    fn created_with_only_the_new_field(&mut self, object: &OwnedDoc, cause: &Cause) {
        let Some(only_new) = with_only_the_new_field(self.revisions, object, cause) else { return };
        let situation = Situation {
            object: only_new,
            created: Side::New,
            server: Side::New,
            client: Side::New,
            style: ClientStyle::UntypedUpdate,
            edit: ClientEdit::Create,
            shared: None,
        };
        let with_listed_field = Situation { object: object.clone(), ..situation.clone() };
        let (Ok(happened), Ok(expected)) =
            (situation.run(self.revisions), with_listed_field.run(self.revisions))
        else {
            return;
        };
        let world = World::NewManifest;
        match (&happened.final_state, &expected.final_state) {
            (FinalState::Refused(error), FinalState::Stored(_)) => {
                let effect = Effect::Refused(error.clone());
                self.explored.runs.push((world, situation.style, Outcome::Refused));
                self.explored.observations.push(Observation {
                    world,
                    situation,
                    without_skew: with_listed_field,
                    sample: None,
                    effect,
                    happened,
                    expected,
                    confirmed: None,
                });
            }
            _ => self.explored.runs.push((world, situation.style, Outcome::Same)),
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
                shared: None,
            };
            let without_skew = Situation { server: Side::New, client: Side::New, ..situation.clone() };
            self.observe(World::Rollback, situation, &without_skew);
        }
    }

    /// Objects that were created in one version, and are written in the other one.
    fn written_in_another_version(&mut self, created: Side, object: &OwnedDoc, cause: &Cause) {
        let (world, other) = match created {
            Side::New => (World::FirstVersion, Side::Old),
            Side::Old => (World::SecondVersion, Side::New),
        };
        for style in ClientStyle::ALL {
            for edit in
                [Some(ClientEdit::Label), neighbour(self.revisions, object, cause)].into_iter().flatten()
            {
                let situation = Situation {
                    object: object.clone(),
                    created,
                    server: other,
                    client: other,
                    style,
                    edit,
                    shared: None,
                };
                let without_skew = Situation { server: created, client: created, ..situation.clone() };
                let expected = without_skew.run(&self.revisions.without_conversion());
                self.observe_against(world, [situation, without_skew], expected);
            }
        }
    }

    /// Objects that were created from the same manifest in each of the versions.
    fn created_in_either_version(&mut self, object: &OwnedDoc) {
        let situation = Situation {
            object: object.clone(),
            created: Side::Old,
            server: Side::New,
            client: Side::New,
            style: ClientStyle::UntypedUpdate,
            edit: ClientEdit::Label,
            shared: None,
        };
        let other = Situation { created: Side::New, ..situation.clone() };
        self.observe(World::SameManifest, situation, &other);
    }

    /// Runs a situation with and without version skew. A situation that cannot be run is no situation: the client has
    /// nothing to edit.
    fn observe(&mut self, world: World, situation: Situation, without_skew: &Situation) {
        let expected = without_skew.run(self.revisions);
        self.observe_against(world, [situation, without_skew.clone()], expected);
    }

    /// Runs a situation, and compares it with what is expected. The second situation is without version skew.
    fn observe_against(
        &mut self,
        world: World,
        [situation, without_skew]: [Situation; 2],
        expected: Result<Happened>,
    ) {
        let Ok(expected) = expected else { return };
        let (happened, effect) = match situation.run(self.revisions) {
            Ok(mut happened) => {
                if let FinalState::Stored(object) = &mut happened.final_state
                    && world.is_between_versions()
                {
                    // As a client reads it in the version in which the object was created.
                    self.revisions.get(situation.created).move_from_storage(object);
                }
                let context = &self.revisions.new.context;
                let effect = compare(context, &happened.final_state, &expected.final_state)
                    .or_else(|| self.has_nulls.then(|| lost_nulls(&happened, &expected)).flatten());
                (happened, effect)
            }
            Err(error) if situation.style.is_typed() && error.kind() == ErrorKind::Undecodable => {
                let final_state = FinalState::Refused(error.clone());
                (Happened { steps: Vec::new(), final_state }, Some(Effect::Unreadable(error)))
            }
            Err(_) => return,
        };
        let outcome = match &effect {
            None => Outcome::Same,
            Some(effect) if effect.is_silent() => Outcome::Different,
            Some(_) => Outcome::Refused,
        };
        self.explored.runs.push((world, situation.style, outcome));
        let is_own =
            |effect: &Effect| self.own.is_empty() || self.own.iter().any(|path| is_about(effect, path));
        if let Some(effect) = effect.filter(is_own) {
            let sample = self.sample.map(str::to_owned);
            self.explored.observations.push(Observation {
                sample,
                world,
                situation,
                without_skew,
                effect,
                happened,
                expected,
                confirmed: None,
            });
        }
    }
}
