//! The explored situations of one cause: those in which the cause makes a difference.

use skewer_cases::format::SchemaSpec;

use super::obstacle::Obstacle;
use super::witness::Unbroken;
use crate::clients::{ClientStyle, Clients};
use crate::confirm::Confirmed;
use crate::effect::SkewEffect;
use crate::revision::{Revisions, Side};
use crate::situation::{Happened, SkewSituation};

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
    /// A client creates an object in the second version instead of the first one, from the manifest of the first one.
    ManifestInSecond,
    /// A client creates an object in the first version instead of the second one, from the manifest of the second one.
    ManifestInFirst,
}

impl World {
    /// Returns true if the object is created in one version of a definition, and written in another one.
    pub(crate) const fn is_between_versions(self) -> bool {
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
            World::ManifestInSecond => format!("in {second},\nmanifest of {first}"),
            World::ManifestInFirst => format!("in {first},\nmanifest of {second}"),
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
    pub situation: SkewSituation,
    /// The same situation without version skew.
    pub without_skew: SkewSituation,
    /// The difference.
    pub effect: SkewEffect,
    /// The course of the situation.
    pub happened: Happened,
    /// The course without version skew.
    pub expected: Happened,
    /// Whether the same happens on real servers. `None` if they are not asked.
    pub confirmed: Option<Confirmed>,
}

/// Whether version skew makes a difference in a situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SkewDifference {
    /// The object is the same as without version skew.
    Same,
    /// The request is refused, or the client cannot read the object.
    Refused,
    /// The object is another one.
    Different,
}

/// A side for which no object was found that the server accepts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NoObject {
    /// The side.
    pub side: Side,
    /// Why the server refuses the best object that was tried. Empty if that is not known.
    pub refusals: Vec<Obstacle>,
}

/// A new rule for which no object was found that it refuses, and no proof that there is none.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UnbrokenRule {
    /// The expression.
    pub rule: String,
    /// The reason why the search found no object.
    pub why: Unbroken,
}

/// Whether two managers owned a part each of the changed element in a situation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// They cannot: it has no parts, or is inside of an atomic list or map.
    #[default]
    Impossible,
    /// They can, and no valid object was found of which they do.
    NotTried,
    /// They did.
    Tried,
}

/// Whether an object with two equal items in a list shows a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EqualItems {
    /// The change is about something else, or such an object was found.
    #[default]
    NotMissing,
    /// The list refuses equal items since the change, and no valid object was found that has them.
    Missing,
}

/// The ways in which a server treats a field that its definition does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldFate {
    /// The server drops the field, or refuses it.
    #[default]
    Dropped,
    /// The object around the field keeps unknown fields.
    Kept,
}

/// The findings about a cause.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Explored {
    /// The situations in which the change makes a difference.
    pub observations: Vec<Observation>,
    /// The situations that were run: the relation, the client, and whether something differs.
    pub runs: Vec<(World, ClientStyle, SkewDifference)>,
    /// Whether a request was sent to an object that has the changed element, and that is admitted without version skew.
    pub is_touched: bool,
    /// Whether it is proven that the change refuses no value that was valid before.
    pub refuses_nothing: bool,
    /// Whether a request was sent to an object of which another manager owns a part of the changed element.
    pub sharing: Sharing,
    /// Whether a valid object was found that has equal items, if a list refuses them since the change.
    pub equal_items: EqualItems,
    /// The part of the definition that is not simulated, and because of which no situation is evidence.
    pub not_simulated: Option<String>,
    /// The reason why no object of practice has the values that the change refuses or loses.
    pub no_use: Option<&'static str>,
    /// The way in which a server with the old definition treats a field that is added.
    pub on_old_server: FieldFate,
    /// Whether the situations ran as if the conversion between versions lost nothing.
    pub is_without_conversion: bool,
    /// The sides for which no object with the element was found that the server accepts.
    pub without_object: Vec<NoObject>,
    /// The first new rule that is not decided, if no object is refused by a new rule.
    pub unbroken: Option<UnbrokenRule>,
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

impl Explored {
    /// Keeps only what declared clients do. Objects are always created, whoever creates them.
    pub(super) fn with_clients(mut self, clients: Option<Clients>) -> Self {
        if let Some(declared) = clients {
            let is_creation = |world: World| {
                matches!(
                    world,
                    World::OldManifest
                        | World::NewManifest
                        | World::NewClientOldDefinition
                        | World::ManifestInSecond
                        | World::ManifestInFirst
                )
            };
            self.runs.retain(|(world, style, _)| is_creation(*world) || declared.has(*style));
            self.observations.retain(|o| is_creation(o.world) || declared.has(o.situation.style));
        }
        self.clients = clients;
        self
    }
}
