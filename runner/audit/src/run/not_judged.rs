//! The changes that were not judged: no situation showed what they do.

use std::collections::BTreeSet;

use skewer_engine::{Doc, OwnedDoc};
use skewer_reports::audit::{AuditFinding, Severity};

use crate::cause::Cause;
use crate::change::PropertyChange;
use crate::explore::{
    EqualItems, Explored, MAX_LENGTH, MAX_SIZE, NoObject, Obstacle, Sharing, UnbrokenRule, World,
    shortened_rule,
};
use crate::facts::{Property, values};
use crate::finding::id_of;
use crate::revision::Side;

/// Returns the place of a cause, or of one of its rules.
pub(super) type PlaceOf<'p> = &'p dyn Fn(&Cause, Option<&str>) -> String;

/// A cause that was not judged.
pub(super) struct Unjudged<'c> {
    pub(super) cause: &'c Cause,
    /// The reason, in words for the owner of the definition.
    reason: String,
    /// The rule that the reason names.
    rule: Option<String>,
}

/// Returns why a cause was not judged. `None` if it was: a request touched an object that has the changed element and that
/// is valid without version skew, and a new limit refused an object that was valid before it.
pub(super) fn unjudged<'c>(cause: &'c Cause, explored: &Explored) -> Option<Unjudged<'c>> {
    let has_effect = !explored.observations.is_empty();
    let is_of_old_object = |world: World| {
        !matches!(world, World::NewClientOldDefinition | World::Rollback | World::ManifestInFirst)
    };
    let is_old = |no_object: &NoObject| no_object.side == Side::Old;
    let is_refused = explored.observations.iter().any(|observation| is_of_old_object(observation.world));
    let not_simulated = cause.changes.iter().find(|change| !change.property.is_simulated());
    let limit = cause.changes.iter().find(|change| is_new_limit(change));
    let reason = match (not_simulated, limit) {
        // A change that only permits more refuses no stored object, whatever the values are.
        _ if explored.not_simulated.is_some() => {
            explored.not_simulated.clone().filter(|_| limit.is_some())?
        }
        (Some(change), _) if !has_effect => format!("{} is not simulated", change.property.name()),
        (_, Some(limit)) if !is_refused && !explored.refuses_nothing => {
            without_refused_value(limit, explored)
        }
        _ if has_effect => return None,
        _ if is_about_owners(cause) && explored.sharing == Sharing::NotTried => {
            format!("no valid object was found of which two managers can own a part each of {}", cause.path)
        }
        _ if explored.equal_items == EqualItems::Missing => {
            format!("no valid object was found that has two equal items in {}", cause.path)
        }
        // What new objects show is not what the change does to those of before.
        _ if explored.is_touched && !explored.without_object.iter().any(is_old) => return None,
        _ => without_object(explored).unwrap_or_else(|| {
            format!("no request could be made to a valid object that shows the change of {}", cause.path)
        }),
    };
    let rule = explored.unbroken.as_ref().map(|unbroken| unbroken.rule.clone());
    Some(Unjudged { cause, reason, rule })
}

/// Returns true if a change decides who owns the parts of an element.
fn is_about_owners(cause: &Cause) -> bool {
    [Property::MapType, Property::ListType, Property::ListMapKeys].iter().any(|property| cause.has(*property))
}

/// Returns the findings that causes were not judged. Those with the same reason follow each other.
pub(super) fn not_judged(unjudged: &[Unjudged<'_>], place: PlaceOf<'_>) -> Vec<AuditFinding> {
    let of_cause = |Unjudged { cause, reason, rule }: &Unjudged<'_>| {
        let path = if cause.path.steps().is_empty() { String::new() } else { cause.path.to_string() };
        // An accepted change that was not judged is no accepted finding, if it is judged later.
        let id = id_of(&cause.path.to_string(), &format!("not judged: {}", cause.title_for_id()));
        AuditFinding {
            path,
            place: place(cause, rule.as_deref()),
            effects: vec![reason.clone()],
            ..AuditFinding::new(id, Severity::NotJudged, cause.title.clone())
        }
    };
    let mut findings: Vec<AuditFinding> = unjudged.iter().map(of_cause).collect();
    findings.sort_by(|a, b| (&a.effects, &a.path, &a.change).cmp(&(&b.effects, &b.path, &b.change)));
    findings
}

/// Returns the number of changes of causes. Two causes can have a change in common.
pub(super) fn count_of_changes(unjudged: &[Unjudged<'_>]) -> usize {
    let changes = unjudged.iter().flat_map(|unjudged| &unjudged.cause.changes);
    changes.map(|change| (&change.path, change.property)).collect::<BTreeSet<_>>().len()
}

/// Returns true if a change makes values invalid that were valid before it, as far as the keyword alone says it.
fn is_new_limit(change: &PropertyChange) -> bool {
    let Some(new) = &change.new else { return false };
    match change.property {
        Property::Enum => {
            let (old, new) = (values(change.old.as_ref()), values(change.new.as_ref()));
            old.is_empty() || old.iter().any(|value| !new.contains(value))
        }
        Property::Rules => values(Some(new)).iter().any(|rule| !values(change.old.as_ref()).contains(rule)),
        Property::Bound(keyword) => is_tighter(keyword, change.old.as_ref(), new),
        // The two alternatives of an int-or-string say nothing else.
        Property::Alternatives("anyOf") => !values(Some(new)).iter().any(is_empty),
        // Every integer is one of 64 bits, and every number is a double.
        Property::Format => !matches!(new.as_str(), Some("" | "int64" | "double" | "password")),
        Property::Required | Property::Pattern | Property::Alternatives(_) => true,
        _ => false,
    }
}

fn is_empty(alternative: &OwnedDoc) -> bool {
    alternative.as_map().is_some_and(|keywords| keywords.iter().next().is_none())
}

fn is_tighter(keyword: &str, old: Option<&OwnedDoc>, new: &OwnedDoc) -> bool {
    let number = |value: &OwnedDoc| match value {
        #[allow(clippy::cast_precision_loss)] // Limits in schemas are far below 2^53.
        Doc::Int(number) => Some(*number as f64),
        Doc::Float(number) => Some(*number),
        _ => None,
    };
    match (old.and_then(number), number(new)) {
        // A size is never negative.
        (None, Some(new)) if matches!(keyword, "minItems" | "minLength" | "minProperties") => new > 0.0,
        (Some(old), Some(new)) if keyword.starts_with("max") => new < old,
        (Some(old), Some(new)) if keyword.starts_with("min") => new > old,
        _ => true,
    }
}

/// Says that no value was found that a new limit refuses.
fn without_refused_value(limit: &PropertyChange, explored: &Explored) -> String {
    let is_old = |no_object: &&NoObject| no_object.side == Side::Old;
    if let Some(no_object) = explored.without_object.iter().find(is_old) {
        return describe(no_object, explored);
    }
    let largest = |most: usize, noun: &str| format!("no value was tried with more than {most} {noun}");
    match (limit.property, &limit.new) {
        (Property::Bound("maxItems"), Some(Doc::Int(most))) if is_beyond(*most, MAX_SIZE) => {
            largest(MAX_SIZE, "items")
        }
        (Property::Bound("maxProperties"), Some(Doc::Int(most))) if is_beyond(*most, MAX_SIZE) => {
            largest(MAX_SIZE, "keys")
        }
        (Property::Bound("maxLength"), Some(Doc::Int(most))) if is_beyond(*most, MAX_LENGTH) => {
            largest(MAX_LENGTH, "characters")
        }
        (Property::Required, _) => {
            "no valid object without the field was found that the new version refuses".to_owned()
        }
        (Property::Rules, _) => match &explored.unbroken {
            Some(UnbrokenRule { rule, why, .. }) => format!(
                "no object was found that was valid before and that the new rule `{}` refuses: {why}",
                shortened_rule(rule)
            ),
            None => "no situation shows an object that the new rules refuse".to_owned(),
        },
        (property, _) => format!("no value was found that the new {} refuses", property.name()),
    }
}

fn is_beyond(limit: i64, most: usize) -> bool {
    usize::try_from(limit).is_ok_and(|limit| limit >= most)
}

fn without_object(explored: &Explored) -> Option<String> {
    explored.without_object.first().map(|no_object| describe(no_object, explored))
}

/// Says why no valid object was found.
fn describe(no_object: &NoObject, explored: &Explored) -> String {
    /// The most reasons that are named.
    const NAMED: usize = 2;
    let [first, second] = &explored.names;
    let version = match no_object.side {
        Side::Old => first,
        Side::New => second,
    };
    let of_version = if first == second { String::new() } else { format!(" in {version}") };
    let mut reasons: Vec<String> = no_object.refusals.iter().take(NAMED).map(Obstacle::to_string).collect();
    if no_object.refusals.len() > NAMED {
        reasons.push(format!("{} more errors", no_object.refusals.len() - NAMED));
    }
    if reasons.is_empty() {
        format!("no valid object with the element was found{of_version}")
    } else {
        format!("no valid object with the element was found{of_version}: {}", reasons.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema_path::SchemaPath;

    /// A request to a new object says nothing about the objects of before.
    #[test]
    fn a_change_without_an_object_of_before_is_not_judged() {
        let change = PropertyChange {
            path: SchemaPath::default(),
            property: Property::Nullable,
            old: Some(Doc::Bool(true)),
            new: None,
        };
        let cause = Cause {
            path: SchemaPath::default(),
            title: "null no longer permitted".to_owned(),
            changes: vec![change],
            union_member: None,
            renamed: Vec::new(),
        };
        let is_unjudged = |sides: &[Side]| {
            let without_object = sides.iter().map(|side| NoObject { side: *side, refusals: Vec::new() });
            let explored = Explored {
                is_touched: true,
                without_object: without_object.collect(),
                ..Explored::default()
            };
            unjudged(&cause, &explored).is_some()
        };
        assert_eq!([&[][..], &[Side::New], &[Side::Old]].map(is_unjudged), [false, false, true]);
    }
}
