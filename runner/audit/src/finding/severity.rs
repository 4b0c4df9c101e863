//! How bad an effect is.

use skewer_engine::{Doc, FieldPath, OwnedDoc};
use skewer_reports::audit::Severity;

use crate::cause::Cause;
use crate::change::PropertyChange;
use crate::clients::ClientStyle;
use crate::effect::{SkewEffect, value_at};
use crate::explore::{Explored, Observation, World};
use crate::facts::Property;
use crate::situation::{ClientEdit, Happened};

/// Returns how bad an observation of a cause is.
pub(super) fn severity(cause: &Cause, observation: &Observation, explored: &Explored) -> Severity {
    let clients = explored.clients;
    let is_addition = cause.changes[0].permits_new_fields() && cause.union_member.is_none();
    match (observation.world, &observation.effect) {
        _ if explored.no_use.is_some() => Severity::Note,
        // The second version permits more than the first one.
        (World::ManifestInFirst, SkewEffect::Refused(_))
            if observation.situation.edit != ClientEdit::Label =>
        {
            Severity::Note
        }
        // What a definition does not have yet, it refuses or drops: this is true of every change that permits more.
        (World::NewClientOldDefinition | World::Rollback, SkewEffect::Refused(_)) => Severity::Note,
        (World::NewClientOldDefinition | World::Rollback, SkewEffect::Lost(_)) if is_addition => {
            Severity::Note
        }
        // A client of this kind exists if it is declared. Without a declaration, it is only a possibility. What it drops is
        // missing, or has the default again.
        (World::OldClient, SkewEffect::Lost(_) | SkewEffect::Changed(_))
            if is_addition && clients.is_none() =>
        {
            Severity::Note
        }
        (World::OldClient, SkewEffect::Unreadable(_))
            if observation.situation.style == ClientStyle::StrictUpdate && clients.is_none() =>
        {
            Severity::Note
        }
        // A value of a field that nobody knew. A default of a field that was there gives objects without a value another
        // meaning, as far as a server can know: only in the status, a controller sets the value next.
        (World::StoredObject | World::OldManifest, SkewEffect::LeftOver(_) | SkewEffect::Changed(_))
            if cause.changes.iter().any(PropertyChange::is_added_field)
                || (cause.is_in_status() && cause.changes.iter().any(PropertyChange::is_added_default))
                || replaces_invalid_default(cause) =>
        {
            Severity::Note
        }
        // Clients seldom distinguish null, an empty text or an empty list from no value.
        (_, SkewEffect::Lost(paths)) if paths.iter().all(|path| is_empty(&observation.expected, path)) => {
            Severity::Note
        }
        (_, SkewEffect::LeftOver(paths))
            if paths.iter().all(|path| is_empty(&observation.happened, path)) =>
        {
            Severity::Note
        }
        // Who has the values that the map has now loses nothing. Others are refused, if they are no objects.
        (_, effect) if effect.is_silent() && cause.is_typed_map() => Severity::Note,
        (_, effect) if effect.is_silent() => Severity::Silent,
        _ => Severity::Loud,
    }
}

/// Returns true if a default changed that is no value of the enum any more: it had to change.
fn replaces_invalid_default(cause: &Cause) -> bool {
    let of = |property| cause.changes.iter().find(|change| change.property == property);
    let (Some(default), Some(values)) = (of(Property::Default), of(Property::Enum)) else { return false };
    let values = values.new.as_ref().and_then(Doc::as_list).unwrap_or_default();
    default.old.as_ref().is_some_and(|old| !values.is_empty() && !values.contains(old))
}

/// Returns true if the value at a path is null, a text or a list with nothing in it, or a map with nothing but nulls. A key of a
/// map with a null counts as a field with a null does: a server drops both in the same way, and a typed client that is left with
/// an empty map writes none.
fn is_empty(happened: &Happened, path: &FieldPath) -> bool {
    fn is_without_value(value: &OwnedDoc) -> bool {
        match value {
            Doc::Null => true,
            Doc::String(text) => text.is_empty(),
            Doc::List(items) => items.is_empty(),
            Doc::Map(map) => map.iter().all(|(_, value)| value.is_null()),
            _ => false,
        }
    }
    happened.result().and_then(|object| value_at(object, path)).is_some_and(is_without_value)
}

/// Returns true if the value at a path is null without version skew.
pub(super) fn is_null(happened: &Happened, path: &FieldPath) -> bool {
    happened.result().and_then(|object| value_at(object, path)).is_some_and(Doc::is_null)
}
