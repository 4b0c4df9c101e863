//! The value that shows a finding.

use skewer_engine::{ErrorKind, FieldPath, OwnedDoc};

use super::sentences::element_of;
use crate::cause::Cause;
use crate::effect::{SkewEffect, value_at};
use crate::explore::{Observation, World};
use crate::facts::Property;
use crate::schema_path::{SchemaPath, SchemaStep};
use crate::shorten::short;
use crate::situation::ClientEdit;

/// Says what happens to a value in an observation, such as `"http:a" is refused`. Empty if no value shows it.
pub(super) fn shown<'o>(cause: &Cause, observation: &'o Observation) -> String {
    let within = |object: Option<&'o OwnedDoc>, path: &FieldPath| {
        value_at(object?, path).map(|value| part_of(cause, path, value))
    };
    let expected = |path: &FieldPath| within(observation.expected.result(), path);
    let result = |path: &FieldPath| within(observation.happened.result(), path);
    let text = match &observation.effect {
        // What is missing, and what the definition does not have, is no value.
        SkewEffect::Refused(error)
            if matches!(error.kind(), ErrorKind::RequiredFieldMissing | ErrorKind::FieldNotDeclared) =>
        {
            None
        }
        SkewEffect::Refused(error) => sent(observation, error.path()).map(|value| {
            let by = match observation.world {
                World::NewClientOldDefinition | World::Rollback => " by a server with the old version",
                // The client has dropped what its types do not have.
                World::OldClient => " without what an old client drops",
                _ => "",
            };
            format!("{} is refused{by}", short(value))
        }),
        SkewEffect::Unreadable(error) => sent(observation, error.path())
            .map(|value| format!("{} cannot be decoded by an old strict client", short(value))),
        SkewEffect::Lost(paths) => {
            paths.first().and_then(expected).map(|value| format!("{} is lost", short(value)))
        }
        SkewEffect::LeftOver(paths) => paths.first().and_then(result).map(|value| {
            let is_between_versions = observation.world.is_between_versions();
            let is_default = matches!(observation.world, World::StoredObject | World::OldManifest)
                || (is_between_versions && cause.has(Property::Default));
            format!("{} {}", short(value), if is_default { "is set" } else { "stays" })
        }),
        SkewEffect::Changed(paths) => paths.iter().find_map(|path| {
            let (before, after) = (short(expected(path)?), short(result(path)?));
            // The element of the change can be the same, and so can the beginning of a long value.
            (before != after).then(|| format!("{before} becomes {after}"))
        }),
    };
    let paths = observation.effect.paths();
    let element = paths.first().map(|path| element_of(path, &cause.path));
    let is_elsewhere =
        |element: &SchemaPath| !element.is_within(&cause.path) && !cause.path.is_within(element);
    match (text, element.filter(is_elsewhere)) {
        (Some(text), Some(element)) => format!("{element} {text}"),
        (text, _) => text.unwrap_or_default(),
    }
}

/// Returns the part of a value that is the element of the cause, if the value contains it. Otherwise, returns the value.
fn part_of<'d>(cause: &Cause, path: &FieldPath, value: &'d OwnedDoc) -> &'d OwnedDoc {
    if !cause.path.is_within(&element_of(path, &cause.path)) {
        return value;
    }
    let inner =
        cause.path.steps()[path.segments().len()..].iter().try_fold(value, |value, step| match step {
            SchemaStep::Field(name) => value.as_map()?.get(name.as_str()),
            SchemaStep::Items => value.as_list()?.first(),
            SchemaStep::Values => value.as_map()?.iter().next().map(|(_, value)| value),
        });
    inner.unwrap_or(value)
}

/// Returns a value that the client of an observation sent. `None` for the whole object, which shows nothing.
fn sent<'o>(observation: &'o Observation, path: &FieldPath) -> Option<&'o OwnedDoc> {
    let situation = &observation.situation;
    let edited = match &situation.edit {
        ClientEdit::Set(at, value) => path.segments().strip_prefix(at.segments()).map(|rest| (value, rest)),
        _ => None,
    };
    let (document, rest) = edited.unwrap_or((&situation.object, path.segments()));
    let mut inner = FieldPath::root();
    for segment in rest {
        inner.push(segment.clone());
    }
    value_at(document, &inner).filter(|_| !path.segments().is_empty())
}
