//! Runs the situations of an object.

use std::sync::Arc;

use skewer_admission::Admission;
use skewer_engine::{Doc, Error, ErrorKind, FieldPath, OwnedDoc, PathSegment, Result};
use skewer_skew::{FinalState, StepName};

use super::edits::{edit_between, edits, neighbour, other_member, shared_values, without_another_item};
use super::explored::{Explored, Observation, Sharing, SkewDifference, World};
use super::instance::touches;
use super::limits::another_limit_refuses;
use super::objects::with_only_the_new_field;
use super::obstacle::schema_path_of;
use super::witness::Objects;
use crate::cause::Cause;
use crate::clients::ClientStyle;
use crate::effect::{SkewEffect, compare};
use crate::facts::Property;
use crate::revision::{Revisions, Side};
use crate::schema_path::{SchemaPath, SchemaStep};
use crate::situation::{ClientEdit, Happened, STATUS, SkewSituation, WrittenPart};

/// Runs situations of one kind of object after another, and records what happens.
pub(super) struct Explorer<'a> {
    pub(super) revisions: &'a Revisions,
    pub(super) explored: &'a mut Explored,
    pub(super) cause: &'a Cause,
    /// The changed elements, if effects elsewhere are those of other changes.
    pub(super) own: Vec<&'a SchemaPath>,
    /// The place of the object, if it is a sample.
    pub(super) sample: Option<&'a str>,
}

impl Explorer<'_> {
    /// Objects from the time before the change.
    pub(super) fn stored_before(&mut self, object: &OwnedDoc, cause: &Cause) {
        let edits = edits(self.revisions, object, cause);
        for (style, written) in self.written_parts(cause, false) {
            for edit in &edits {
                self.edited(&SkewSituation { style, edit: edit.clone(), written, ..labelled_after(object) });
            }
        }
        self.shared_before(object, cause);
        self.created_on_the_other_side(World::OldManifest, Side::Old, object);
        self.refused_with_its_list(object, cause);
    }

    /// A client removes another item of a list that contains a refused value. Servers compare the items of an old and a new list
    /// only if the list is a map: a change elsewhere in another list refuses the value, too.
    fn refused_with_its_list(&mut self, object: &OwnedDoc, cause: &Cause) {
        let is_refusal = |observation: &Observation| matches!(observation.effect, SkewEffect::Refused(_));
        if !self.explored.observations.iter().any(is_refusal) {
            return;
        }
        for (object, edit) in without_another_item(self.revisions, object, cause) {
            for (style, written) in self.written_parts(cause, false) {
                self.edited(&SkewSituation { style, edit: edit.clone(), written, ..labelled_after(&object) });
            }
        }
    }

    /// A client of before the change makes another object of one from that time.
    pub(super) fn changed_before(&mut self, object: &OwnedDoc, changed: &OwnedDoc, cause: &Cause) {
        let edit = edit_between(object, changed);
        for (style, written) in self.written_parts(cause, is_of_status(&edit)) {
            self.edited(&SkewSituation { style, edit: edit.clone(), written, ..labelled_after(object) });
        }
    }

    /// A client makes another object of one that was created in the other version.
    pub(super) fn changed_in_another_version(&mut self, created: Side, objects: &Objects, cause: &Cause) {
        let Some(object) = &objects.old else { return };
        let edit = edit_between(object, &objects.new);
        for (style, written) in self.written_parts(cause, is_of_status(&edit)) {
            let creation = SkewSituation::creation(object.clone(), created);
            let situation = SkewSituation { style, edit: edit.clone(), written, ..creation };
            self.in_another_version(&situation);
        }
    }

    /// Objects from the time before the change, of which another manager owns a part. The first part that shows the change is
    /// enough.
    pub(super) fn shared_before(&mut self, object: &OwnedDoc, cause: &Cause) {
        let is_apply = |(style, _): &(ClientStyle, WrittenPart)| *style == ClientStyle::ServerSideApply;
        let Some((style, written)) = self.written_parts(cause, false).into_iter().rfind(is_apply) else {
            return;
        };
        for (shared, edit) in shared_values(object, cause, self.revisions) {
            let observed = self.explored.observations.len();
            let shared = Some(shared);
            self.edited(&SkewSituation { style, edit, shared, written, ..labelled_after(object) });
            if self.explored.observations.len() > observed {
                break;
            }
        }
    }

    /// A client of before the change edits an object from that time, on a server of after it.
    fn edited(&mut self, situation: &SkewSituation) {
        let without_skew = SkewSituation { server: Side::Old, ..situation.clone() };
        self.observe(World::StoredObject, situation.clone(), &without_skew);
    }

    /// Objects from the time after the change.
    pub(super) fn stored_after(&mut self, object: &OwnedDoc, cause: &Cause, old_object: Option<&OwnedDoc>) {
        let mut edits = vec![ClientEdit::Label];
        edits.extend(other_member(cause, old_object));
        let typed = self.written_parts(cause, false).into_iter().filter(|(style, _)| style.is_typed());
        for (style, written) in typed {
            for edit in &edits {
                let situation = SkewSituation {
                    object: object.clone(),
                    created: Side::New,
                    server: Side::New,
                    client: Side::Old,
                    style,
                    edit: edit.clone(),
                    shared: None,
                    written,
                };
                let without_skew = SkewSituation { client: Side::New, ..situation.clone() };
                self.observe(World::OldClient, situation, &without_skew);
            }
        }
        self.read_by_strict_client(object);
        self.created_on_the_other_side(World::NewClientOldDefinition, Side::New, object);
    }

    /// Objects from the time after the change, which a client of before it reads.
    pub(super) fn read_by_strict_client(&mut self, object: &OwnedDoc) {
        let creation = SkewSituation::creation(object.clone(), Side::New);
        let style = ClientStyle::StrictUpdate;
        let situation = SkewSituation { client: Side::Old, style, edit: ClientEdit::Label, ..creation };
        let without_skew = SkewSituation { client: Side::New, ..situation.clone() };
        self.observe(World::OldClient, situation, &without_skew);
    }

    /// Objects that a client of one side creates on a server of the other one.
    pub(super) fn created_on_the_other_side(&mut self, world: World, side: Side, object: &OwnedDoc) {
        for style in [ClientStyle::UntypedUpdate, ClientStyle::ServerSideApply] {
            let creation = SkewSituation::creation(object.clone(), side);
            let situation = SkewSituation { server: side.other(), style, ..creation };
            let without_skew = SkewSituation { server: side, ..situation.clone() };
            // A controller writes to the subresource that it knows.
            let of_status = without_skew.writing_status(self.revisions).map(|without_skew| {
                let at_other =
                    SkewSituation { created: side.other(), server: side.other(), ..without_skew.clone() };
                (at_other, without_skew)
            });
            self.observe(world, situation, &without_skew);
            if let Some((situation, without_skew)) = of_status {
                self.observe(world, situation, &without_skew);
            }
        }
    }

    /// Returns the clients that write an object, with the part that each writes. A controller writes the status if the change
    /// is in it, or what the client writes is, and if it has a subresource.
    fn written_parts(&self, cause: &Cause, writes_status: bool) -> Vec<(ClientStyle, WrittenPart)> {
        let is_in_status = writes_status
            || matches!(cause.path.steps().first(), Some(SchemaStep::Field(name)) if name == STATUS);
        let sides = [Side::Old, Side::New].map(|side| self.revisions.get(side).has_status_subresource());
        let has_controller = is_in_status && sides == [true, true];
        // `kubectl apply` has no requests to subresources.
        let controllers =
            ClientStyle::WRITERS.into_iter().filter(|style| *style != ClientStyle::ClientSideApply);
        let of_controllers = controllers.filter(|_| has_controller).map(|style| (style, WrittenPart::Status));
        ClientStyle::WRITERS
            .into_iter()
            .map(|style| (style, WrittenPart::Main))
            .chain(of_controllers)
            .collect()
    }

    /// An object with a new field in place of the fields that a `oneOf` or `anyOf` of the same object lists.
    pub(super) fn created_with_only_the_new_field(&mut self, object: &OwnedDoc, cause: &Cause) {
        let Some(only_new) = with_only_the_new_field(self.revisions, object, cause) else { return };
        let situation = SkewSituation::creation(only_new, Side::New);
        let with_listed_field = SkewSituation { object: object.clone(), ..situation.clone() };
        let (Ok(happened), Ok(expected)) =
            (situation.run(self.revisions), with_listed_field.run(self.revisions))
        else {
            return;
        };
        let world = World::NewManifest;
        match (&happened.final_state, &expected.final_state) {
            (FinalState::Refused(error), FinalState::Stored(_)) => {
                let effect = SkewEffect::Refused(error.clone());
                self.explored.runs.push((world, situation.style, SkewDifference::Refused));
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
            _ => self.explored.runs.push((world, situation.style, SkewDifference::Same)),
        }
    }

    /// Objects from the time after the change, which is then reverted.
    pub(super) fn reverted(&mut self, object: &OwnedDoc) {
        for style in ClientStyle::WRITERS {
            let situation = SkewSituation {
                object: object.clone(),
                created: Side::New,
                server: Side::Old,
                client: Side::Old,
                style,
                edit: ClientEdit::Label,
                shared: None,
                written: WrittenPart::Main,
            };
            let without_skew = SkewSituation { server: Side::New, client: Side::New, ..situation.clone() };
            self.observe(World::Rollback, situation, &without_skew);
        }
    }

    /// Objects that were created in one version, and are written in the other one.
    pub(super) fn written_in_another_version(&mut self, created: Side, object: &OwnedDoc, cause: &Cause) {
        for style in ClientStyle::WRITERS {
            for edit in
                [Some(ClientEdit::Label), neighbour(self.revisions, object, cause)].into_iter().flatten()
            {
                let creation = SkewSituation::creation(object.clone(), created);
                self.in_another_version(&SkewSituation { style, edit, ..creation });
            }
        }
    }

    /// Runs a situation of one version in the other one.
    fn in_another_version(&mut self, without_skew: &SkewSituation) {
        let other = without_skew.created.other();
        let world = match without_skew.created {
            Side::New => World::FirstVersion,
            Side::Old => World::SecondVersion,
        };
        let situation = SkewSituation { server: other, client: other, ..without_skew.clone() };
        let expected = without_skew.run(&self.revisions.without_conversion());
        self.observe_against(world, [situation, without_skew.clone()], expected);
    }

    /// Objects that were created from the same manifest in each of the versions.
    pub(super) fn created_in_either_version(&mut self, object: &OwnedDoc) {
        let creation = SkewSituation::creation(object.clone(), Side::Old);
        let in_first = SkewSituation {
            server: Side::New,
            client: Side::New,
            edit: ClientEdit::Label,
            ..creation.clone()
        };
        let in_second = SkewSituation { created: Side::New, ..in_first.clone() };
        self.observe(World::ManifestInFirst, in_first, &in_second);
        // An object that one of the versions refuses has no later request there.
        for (world, side) in [(World::ManifestInSecond, Side::New), (World::ManifestInFirst, Side::Old)] {
            let without_skew = SkewSituation::creation(object.clone(), side.other());
            let situation = SkewSituation { server: side, ..without_skew.clone() };
            let happened = situation.run(self.revisions).map(|happened| happened.final_state);
            if matches!(happened, Ok(FinalState::Refused(_))) {
                self.observe(world, situation, &without_skew);
            } else if let (Some(of_status), Some(without_skew)) =
                (situation.writing_status(self.revisions), without_skew.writing_status(self.revisions))
            {
                self.observe(world, of_status, &without_skew);
            }
        }
    }

    /// Runs a situation with and without version skew. A situation that cannot be run is no situation: the client has
    /// nothing to edit.
    fn observe(&mut self, world: World, situation: SkewSituation, without_skew: &SkewSituation) {
        let expected = without_skew.run(self.revisions);
        self.observe_against(world, [situation, without_skew.clone()], expected);
    }

    /// Runs a situation, and compares it with what is expected. The second situation is without version skew.
    fn observe_against(
        &mut self,
        world: World,
        [situation, without_skew]: [SkewSituation; 2],
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
                let effect = difference(self.revisions, self.cause, &happened, &expected);
                (happened, effect)
            }
            Err(error) if situation.style.is_typed() && error.kind() == ErrorKind::Undecodable => {
                let final_state = FinalState::Refused(error.clone());
                (Happened { steps: Vec::new(), final_state }, Some(SkewEffect::Unreadable(error)))
            }
            Err(_) => return,
        };
        let effect = effect.filter(|effect| !self.is_invalid_anyway(effect, &without_skew, &expected));
        let outcome = match &effect {
            None => SkewDifference::Same,
            Some(effect) if effect.is_silent() => SkewDifference::Different,
            Some(_) => SkewDifference::Refused,
        };
        self.explored.runs.push((world, situation.style, outcome));
        let is_valid = matches!(expected.final_state, FinalState::Stored(_));
        self.explored.is_touched |= is_valid && touches(&situation, self.cause);
        if is_valid && situation.shared.is_some() {
            self.explored.sharing = Sharing::Tried;
        }
        let is_own = |effect: &SkewEffect| {
            self.own.is_empty()
                || (self.own.iter().any(|path| is_about(effect, path))
                    && !self.is_of_another_limit(effect, &situation, &happened))
        };
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

impl Explorer<'_> {
    /// Returns true if a request is refused for what the object has without version skew, too, outside of the changed element:
    /// any other change of the object would be refused as well.
    fn is_invalid_anyway(
        &self,
        effect: &SkewEffect,
        without_skew: &SkewSituation,
        expected: &Happened,
    ) -> bool {
        let (SkewEffect::Refused(error), FinalState::Stored(object)) = (effect, &expected.final_state) else {
            return false;
        };
        let revision = self.revisions.get(without_skew.server);
        let is_outside = !schema_path_of(revision.schema(), error.path()).is_within(&self.cause.path);
        let read =
            |admission: &Arc<Admission>| admission.read(object).ok().map(|read| admission.review(None, read));
        let reviewed = revision.admission.as_ref().filter(|_| is_outside).and_then(read);
        let is_same = |other: &Error| (other.kind(), other.path()) == (error.kind(), error.path());
        reviewed.is_some_and(|reviewed| reviewed.errors.iter().any(is_same))
    }

    /// Returns true if another limit of the same element refuses the value that was sent.
    fn is_of_another_limit(
        &self,
        effect: &SkewEffect,
        situation: &SkewSituation,
        happened: &Happened,
    ) -> bool {
        let sides = [situation.server.other(), situation.server].map(|side| self.revisions.get(side));
        let merged = happened.steps.iter().find(|(step, _)| *step == StepName::Merged);
        matches!((effect, merged), (SkewEffect::Refused(error), Some((_, object)))
            if another_limit_refuses(sides, self.cause, object, error))
    }
}

/// Returns true if an edit is of the status. A rule of the whole object can be about it.
fn is_of_status(edit: &ClientEdit) -> bool {
    matches!(edit, ClientEdit::Set(path, _) | ClientEdit::Remove(path) | ClientEdit::Choose(path, _)
        if matches!(path.segments().first(), Some(PathSegment::Key(key)) if key.as_str() == STATUS))
}

/// Returns the situation in which a client of before the change sets a label of an object from that time, on a server of after
/// it.
fn labelled_after(object: &OwnedDoc) -> SkewSituation {
    let creation = SkewSituation::creation(object.clone(), Side::Old);
    SkewSituation { server: Side::New, edit: ClientEdit::Label, ..creation }
}

/// Returns what differs between a situation and the same situation without version skew. A null that is lost counts if the
/// change is about nulls.
pub(super) fn difference(
    revisions: &Revisions,
    cause: &Cause,
    happened: &Happened,
    expected: &Happened,
) -> Option<SkewEffect> {
    let has_nulls = cause.has(Property::Nullable);
    compare(&revisions.new.context, &happened.final_state, &expected.final_state)
        .or_else(|| has_nulls.then(|| lost_nulls(happened, expected)).flatten())
}

/// Returns true if an effect is on an element, on something in it, or on what contains it.
fn is_about(effect: &SkewEffect, element: &SchemaPath) -> bool {
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

/// Returns the nulls that the stored object lacks. Final states have no nulls: elsewhere, a null and no value mean the same.
fn lost_nulls(happened: &Happened, expected: &Happened) -> Option<SkewEffect> {
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
    (!lost.is_empty()).then_some(SkewEffect::Lost(lost))
}
