//! The situations of a cause: which are built, and what happens in them.

mod conventions;
mod edits;
mod explored;
mod explorer;
mod instance;
mod limits;
mod live;
mod objects;
mod obstacle;
mod repair;
mod repair_edits;
mod search;
pub mod witness;

use self::conventions::reason_for_no_use;
use self::explorer::{Explorer, difference};
use self::limits::{limits_of, pattern_not_simulated};
use self::live::smallest_relevant;
use self::objects::{
    can_be_shared, fate_on_old_server, refuses_equal_items, wanted_elements, wanted_in_version,
    with_another_field, with_repeated_item, with_two_fields,
};
pub(crate) use self::search::find_object;
pub use self::search::object_with;
use self::search::{
    break_nothing, find_broken, find_broken_by_creation, is_of_change, object_without, refused_only_at,
    rule_not_simulated,
};
use self::witness::Objects;
use super::cause::Cause;
use super::clients::Clients;
use super::confirm::confirm;
use super::effect::SkewEffect;
use super::input::samples::SampleObject;
use super::renames::DeclaredRename;
use super::revision::{Revisions, Side};
use super::schema_path::SchemaPath;
use skewer_engine::{FieldPath, OwnedDoc};

use skewer_skew::FinalState;
use skewer_targets::live::LiveServers;

pub use self::explored::{
    EqualItems, Explored, FieldFate, NoObject, Observation, Sharing, SkewDifference, UnbrokenRule, World,
};
pub use self::limits::{MAX_LENGTH, MAX_SIZE};
pub use self::live::LiveObject;
pub use self::obstacle::Obstacle;
pub(crate) use self::obstacle::shortened_rule;

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
    /// The minor version of the Kubernetes release of the simulated servers. The newest one if there is none.
    pub release: Option<u32>,
    /// The real servers on which the situations are run, too.
    pub servers: Option<&'d LiveServers>,
}

/// Runs the situations of a cause.
#[must_use]
pub fn explore(revisions: &Revisions, cause: &Cause, options: ExploreOptions<'_>) -> Explored {
    let mut explored = Explored::between(revisions, options);
    explored.not_simulated = pattern_not_simulated(revisions, cause);
    if explored.not_simulated.is_some() {
        return explored;
    }
    let sides = [Side::Old, Side::New];
    if sides.iter().all(|side| can_be_shared(revisions.get(*side).schema(), &cause.path)) {
        explored.sharing = Sharing::NotTried;
    }
    explored.refuses_nothing = limits::refuses_nothing(revisions, cause);
    explored.no_use = reason_for_no_use(revisions, cause);
    explored.on_old_server = fate_on_old_server(revisions, cause);
    let limits = limits_of(revisions, cause);
    let mut find = |side| {
        let found = find_object(revisions, side, &wanted_elements(revisions, cause, side), &limits);
        explored.found(side, found)
    };
    let (old_object, new_object) = (find(Side::Old), find(Side::New));
    let broken = find_broken(revisions, Side::Old, cause, old_object.as_ref());
    let broken_by_creation = find_broken_by_creation(revisions, Side::Old, cause, old_object.as_ref());
    explored.refuses_nothing |= break_nothing(revisions, Side::Old, cause, &broken);
    explored.unbroken = broken.as_ref().err().cloned().flatten();
    let permitted = find_broken(revisions, Side::New, cause, new_object.as_ref());
    let (old_object, broken_by_change) = with_broken(old_object, broken);
    let (new_object, _) = with_broken(new_object, permitted);
    let own = if options.only_own_effects { vec![&cause.path] } else { Vec::new() };
    let mut runs = Explorer { revisions, explored: &mut explored, cause, own, sample: None };
    let is_isolated = !options.only_own_effects;
    for live in smallest_relevant(revisions, cause, options.live_objects, is_isolated) {
        runs.sample = Some(&live.place);
        runs.stored_before(&live.object, cause);
    }
    runs.sample = None;
    if let Some(object) = &old_object {
        runs.stored_before(object, cause);
    }
    if let Some(Objects { new, old: Some(old), .. }) = &broken_by_change {
        runs.changed_before(old, new, cause);
    }
    if let Some(object) = &broken_by_creation {
        runs.created_on_the_other_side(World::OldManifest, Side::Old, object);
    }
    let without_element = object_without(revisions, cause, Side::Old, old_object.as_ref());
    let with_repeated_item_of = |side: Side, object: Option<&OwnedDoc>| {
        object.and_then(|object| with_repeated_item(revisions, side, object, cause))
    };
    let with_repeated_item = with_repeated_item_of(Side::Old, old_object.as_ref());
    if with_repeated_item.is_none() && refuses_equal_items(revisions, cause) {
        runs.explored.equal_items = EqualItems::Missing;
    }
    let with_another_field = with_another_field(revisions, cause);
    for object in without_element.iter().chain(&with_repeated_item).chain(&with_another_field) {
        if Some(object) != old_object.as_ref() {
            runs.stored_before(object, cause);
        }
    }
    for object in with_two_fields(revisions, cause) {
        let observed = runs.explored.observations.len();
        runs.stored_before(&object, cause);
        if runs.explored.observations.len() > observed {
            break;
        }
    }
    // Objects that only the new version admits.
    let only_new =
        without_element.is_none().then(|| object_without(revisions, cause, Side::New, new_object.as_ref()));
    let only_new_items = with_repeated_item_of(Side::New, new_object.as_ref());
    for object in only_new.flatten().into_iter().chain(only_new_items) {
        runs.created_on_the_other_side(World::NewClientOldDefinition, Side::New, &object);
        runs.read_by_strict_client(&object);
    }
    if let Some(object) = new_object.as_ref().filter(|new| Some(*new) != old_object.as_ref()) {
        runs.stored_after(object, cause, old_object.as_ref());
        runs.created_with_only_the_new_field(object, cause);
        if options.rollback {
            runs.reverted(object);
        }
    }
    if options.only_own_effects {
        explored.observations.retain(|observation| cause.can_have(&observation.effect));
    }
    explored.leave_out_what_no_rule_decides(revisions, cause);
    explored.with_clients(options.clients)
}

/// Returns true if one of two paths is at the other one, or in it.
fn is_at(path: &FieldPath, other: &FieldPath) -> bool {
    path.segments().iter().zip(other.segments()).all(|(a, b)| a == b)
}

/// Returns an object that a rule refuses in place of another one, and objects that only together break a rule.
fn with_broken(
    object: Option<OwnedDoc>,
    broken: Result<Objects, Option<UnbrokenRule>>,
) -> (Option<OwnedDoc>, Option<Objects>) {
    match broken {
        Ok(Objects { new, old: None, .. }) => (Some(new), None),
        broken => (object, broken.ok()),
    }
}

/// Returns the smallest object that a server of the old side stores.
#[must_use]
pub fn smallest_object(revisions: &Revisions) -> Option<OwnedDoc> {
    find_object(revisions, Side::Old, &[(SchemaPath::default(), None)], &[]).ok()
}

/// Runs the situations of a difference between two versions of one definition. Both are served by the same server.
#[must_use]
pub fn explore_versions(revisions: &Revisions, cause: &Cause, options: ExploreOptions<'_>) -> Explored {
    let mut explored = Explored::between(revisions, options);
    explored.not_simulated = pattern_not_simulated(revisions, cause);
    if explored.not_simulated.is_some() {
        return explored;
    }
    explored.refuses_nothing = limits::refuses_nothing(revisions, cause);
    explored.no_use = reason_for_no_use(revisions, cause);
    let limits = limits_of(revisions, cause);
    let mut changed = Vec::new();
    let objects = [Side::Old, Side::New].map(|side| {
        let found = find_object(revisions, side, &wanted_in_version(revisions, cause, side), &limits);
        let found = explored.found(side, found);
        let broken = find_broken(revisions, side, cause, found.as_ref());
        if side == Side::Old {
            explored.refuses_nothing |= break_nothing(revisions, side, cause, &broken);
            explored.unbroken = broken.as_ref().err().cloned().flatten();
        }
        let (object, together) = with_broken(found, broken);
        changed.extend(together.map(|objects| (side, objects)));
        object
    });
    let without_element = object_without(revisions, cause, Side::Old, objects[0].as_ref());
    let own = cause.elements().collect();
    let mut runs = Explorer { revisions, explored: &mut explored, cause, own, sample: None };
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
    for (created, objects) in &changed {
        runs.changed_in_another_version(*created, objects, cause);
    }
    if is_in_both {
        let repeated =
            objects[0].as_ref().and_then(|object| with_repeated_item(revisions, Side::Old, object, cause));
        for object in objects.iter().flatten().chain(&without_element).chain(&repeated) {
            runs.created_in_either_version(object);
        }
        let is_refused = |observation: &Observation| {
            matches!(&observation.effect, SkewEffect::Refused(error) if is_of_change(revisions, cause, error))
                && cause.can_have(&observation.effect)
        };
        if !runs.explored.observations.iter().any(is_refused) {
            // What the other version refuses for another reason says nothing about the change.
            if let Some(object) = refused_only_at(revisions, cause, &limits, &objects) {
                runs.created_in_either_version(&object);
            }
        }
    }
    explored.leave_out_what_no_rule_decides(revisions, cause);
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

    /// Keeps why no object was found.
    fn found(&mut self, side: Side, found: Result<OwnedDoc, Vec<Obstacle>>) -> Option<OwnedDoc> {
        found.map_err(|refusals| self.without_object.push(NoObject { side, refusals })).ok()
    }

    /// Returns true if there are effects, and none is of a situation that is possible between these revisions, which have all
    /// changes: they admit none of the objects.
    pub(crate) fn is_impossible_between(&self, all: &Revisions) -> bool {
        let is_impossible = |observation: &Observation| {
            let expected = observation.without_skew.run(all);
            expected.is_ok_and(|expected| matches!(expected.final_state, FinalState::Refused(_)))
        };
        !self.observations.is_empty() && self.observations.iter().all(is_impossible)
    }

    /// Leaves out the effects that are of another kind than all effects of one change: those are of the other changes.
    pub(crate) fn retain_effects_like(&mut self, of_change: &Explored) {
        let kind = |observation: &Observation| (observation.world, observation.effect.name());
        self.observations.retain(|own| of_change.observations.iter().any(|other| kind(other) == kind(own)));
    }

    /// Leaves out the effects of one change that the situation does not have between these revisions, which have all changes.
    /// A situation that another change makes impossible says nothing, and neither does a refusal about a silent effect. A silent
    /// effect at another place is that of another change.
    pub(crate) fn retain_effects_between(&mut self, all: &Revisions, cause: &Cause) {
        let has_effect = |observation: &Observation| {
            let Ok(expected) = observation.without_skew.run(all) else { return true };
            let Ok(happened) = observation.situation.run(all) else { return true };
            let effect = difference(all, cause, &happened, &expected);
            let has_place = |effect: &SkewEffect| {
                let (own, others) = (observation.effect.paths(), effect.paths());
                own.iter().any(|own| others.iter().any(|other| is_at(own, other)))
            };
            let is_same = |effect: SkewEffect| match (observation.effect.is_silent(), effect.is_silent()) {
                (true, true) => has_place(&effect),
                (is_silent, _) => is_silent || !effect.is_silent(),
            };
            matches!(expected.final_state, FinalState::Refused(_)) || effect.is_some_and(is_same)
        };
        self.observations.retain(has_effect);
    }

    /// Leaves out the effects on objects that one side admits only because a changed rule of it is not simulated.
    fn leave_out_what_no_rule_decides(&mut self, revisions: &Revisions, cause: &Cause) {
        for side in [Side::Old, Side::New] {
            let Some(rule) = rule_not_simulated(revisions, side, cause) else { continue };
            let count = self.observations.len();
            self.observations.retain(|observation| observation.without_skew.server != side);
            if side == Side::Old && self.observations.len() < count {
                let rule = shortened_rule(rule);
                self.not_simulated = Some(format!(
                    "the rule `{rule}` is not simulated, so that no value is known to be valid"
                ));
            }
        }
    }

    /// Leaves out that a stored object lacks values, if clients that create objects show the change, too. The object is stored in
    /// another version, and what a webhook makes of it is not known.
    pub(crate) fn leave_out_what_a_webhook_decides(&mut self) {
        let is_decided = |observation: &Observation| {
            observation.world == World::StoredObject && matches!(observation.effect, SkewEffect::Lost(_))
        };
        let is_creation = |observation: &Observation| {
            observation.world == World::OldManifest && observation.effect.is_silent()
        };
        if self.observations.iter().any(is_creation) {
            self.observations.retain(|observation| !is_decided(observation));
        }
    }

    /// Leaves out the effects that the situation also has between these revisions, in which the difference has been before.
    pub(crate) fn leave_out_effects_between(&mut self, before: &Revisions, cause: &Cause) {
        let is_new = |observation: &Observation| {
            let (Ok(expected), Ok(happened)) =
                (observation.without_skew.run(before), observation.situation.run(before))
            else {
                return true;
            };
            let known = difference(before, cause, &happened, &expected);
            let is_same = |known: SkewEffect| {
                known.name() == observation.effect.name() && known.paths() == observation.effect.paths()
            };
            !known.is_some_and(is_same)
        };
        self.observations.retain(is_new);
    }

    /// Runs the situations of the observations on real servers.
    #[must_use]
    pub(crate) fn confirmed(mut self, revisions: &Revisions, options: ExploreOptions<'_>) -> Self {
        if let (Some(servers), false) = (options.servers, options.only_own_effects) {
            self.server = Some(servers.newest().version().trim_start_matches('v').to_owned());
            for observation in &mut self.observations {
                observation.confirmed = Some(confirm(servers, &observation.situation, revisions));
            }
        }
        self
    }
}
