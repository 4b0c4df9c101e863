//! The situations of a cause: which are built, and what happens in them.

mod edits;
mod explorer;
mod live;
mod objects;
mod rule;

use skewer_cases::format::SchemaSpec;

use self::explorer::Explorer;
use self::live::smallest_relevant;
use self::objects::{
    find_object, find_refused_object, object_without, wanted_elements, wanted_in_version, with_repeated_item,
    with_two_fields,
};
use super::cause::Cause;
use super::clients::Clients;
use super::confirm::{Confirmed, confirm};
use super::effect::Effect;
use super::facts::Property;
use super::input::samples::SampleObject;
use super::renames::DeclaredRename;
use super::revision::{Revisions, Side};
use super::situation::{ClientStyle, Happened, Situation};

pub use self::live::LiveObject;
use skewer_execute::targets::live::LiveServers;

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
    pub schemas: Vec<SchemaSpec>,
    /// The findings with all changes, if cases are wanted and there are other changes.
    pub with_all_changes: Option<Box<Explored>>,
    /// The version of the real server on which the situations were run, too.
    pub server: Option<String>,
}

/// Options of the exploration.
#[derive(Clone, Copy, Debug, Default)]
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
