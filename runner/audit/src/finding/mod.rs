//! Findings: what the observations of a cause mean for users.

mod sentences;
mod severity;
mod shown;

use skewer_cases::yaml;
use skewer_engine::{Error, ErrorKind, OwnedDoc};
use skewer_reports::audit::{AuditFinding, Confirmation, ExampleStep, Severity, id_of_texts};
use skewer_skew::{FinalState, StepName};

use super::cause::Cause;
use super::change::PropertyChange;
use super::clients::ClientStyle;
use super::confirm::Confirmed;
use super::effect::{SkewEffect, value_at};
use super::explore::{Explored, FieldFate, Observation, World};
use super::facts::Property;
use super::revision::Side;
use super::shorten::shortened;
use super::situation::{ClientEdit, WrittenPart};
use super::suite::cases;
pub use sentences::element_of;
use sentences::{beside, effects, who};
use severity::severity;
use shown::shown;

/// Returns true if a cause only makes clients and servers of the time before it drop the new field. This is true of every
/// new field, so that one note says it for all of them.
#[must_use]
pub fn is_plain_addition(cause: &Cause, explored: &Explored) -> bool {
    let is_expected = |observation: &Observation| match (observation.world, &observation.effect) {
        (World::OldClient | World::NewClientOldDefinition | World::Rollback, SkewEffect::Lost(_)) => true,
        // A server-side apply names a field that the definition does not have yet.
        (World::NewClientOldDefinition | World::Rollback, SkewEffect::Refused(error)) => {
            error.kind() == ErrorKind::FieldNotDeclared
        }
        _ => false,
    };
    cause.changes.iter().all(PropertyChange::is_added_field)
        && cause.union_member.is_none()
        && explored.observations.iter().all(is_expected)
}

/// Returns the note on all plain additions.
#[must_use]
pub fn note_on_additions(causes: &[&(Cause, Explored)]) -> Option<AuditFinding> {
    let (first_cause, first) = causes.first()?;
    let names: Vec<String> = causes.iter().map(|(cause, _)| cause.path.to_string()).collect();
    // A declared client of this kind exists. Without a declaration, it is only a possibility.
    let is_lost = |explored: &Explored| {
        let is_loss =
            |o: &Observation| o.world == World::OldClient && matches!(o.effect, SkewEffect::Lost(_));
        explored.clients.is_some() && explored.observations.iter().any(is_loss)
    };
    let severity =
        if causes.iter().any(|(_, explored)| is_lost(explored)) { Severity::Silent } else { Severity::Note };
    let count =
        if names.len() == 1 { "1 field added".to_owned() } else { format!("{} fields added", names.len()) };
    let of_rollback: Vec<&Observation> = causes
        .iter()
        .flat_map(|(_, explored)| &explored.observations)
        .filter(|o| o.world == World::Rollback && o.effect.is_silent())
        .collect();
    let is_dropped_by_client =
        causes.iter().flat_map(|(_, explored)| &explored.observations).any(|observation| {
            observation.world == World::OldClient && matches!(observation.effect, SkewEffect::Lost(_))
        });
    let kept = causes.iter().filter(|(_, explored)| explored.on_old_server == FieldFate::Kept);
    let kept: Vec<String> = kept.map(|(cause, _)| cause.path.to_string()).collect();
    let mut effects = Vec::new();
    if is_dropped_by_client {
        effects.push(
            "a typed client that does not know a new field drops it when it updates the whole object"
                .to_owned(),
        );
    }
    if kept.len() < names.len() {
        let server = match effects.pop() {
            Some(client) => format!("{client}; a server that does not know it drops it, too"),
            None => "a server that does not know a new field drops it".to_owned(),
        };
        let is_refused = |o: &Observation| matches!(&o.effect, SkewEffect::Refused(error) if error.kind() == ErrorKind::FieldNotDeclared);
        let is_refused = causes.iter().flat_map(|(_, explored)| &explored.observations).any(is_refused);
        let refused = ", and refuses a server-side apply that has it (field-not-declared)";
        effects.push(server + if is_refused { refused } else { "" });
    }
    if let [first, more @ ..] = kept.as_slice() {
        let more = match more {
            [] => String::new(),
            [second] => format!(" and {second}"),
            _ => format!(" and {} more", more.len()),
        };
        effects
            .push(format!("an old server keeps {first}{more}: the objects around keep unknown fields there"));
    }
    if !of_rollback.is_empty() {
        effects.push(format!("the new fields are lost: {}", who(first_cause, &of_rollback, &first.names)));
    }
    // Other fields are another finding: who accepts this one has not seen them.
    let id = id_of(&names.join(" "), "fields added");
    Some(AuditFinding {
        paths: names,
        effects,
        confirmation: confirmation(causes.iter().map(|(_, explored)| explored)),
        cases: cases(&id, first, |group| group.first().copied()),
        schemas: first.schemas.clone(),
        ..AuditFinding::new(id, severity, count)
    })
}

/// Returns true if a cause is a field that only one of two versions has, so that a request in the other version drops it.
#[must_use]
pub fn is_dropped_field(cause: &Cause, explored: &Explored) -> bool {
    let is_expected = |observation: &Observation| {
        matches!(observation.world, World::FirstVersion | World::SecondVersion)
            && match &observation.effect {
                SkewEffect::Lost(_) => true,
                SkewEffect::Refused(error) => error.kind() == ErrorKind::FieldNotDeclared,
                _ => false,
            }
    };
    matches!(cause.changes.as_slice(), [change] if change.is_added_field() || change.is_removed_field())
        && !explored.observations.is_empty()
        && explored.observations.iter().all(is_expected)
}

/// Returns the finding on all fields that only one of two versions has.
#[must_use]
pub fn finding_on_dropped_fields(causes: &[&(Cause, Explored)]) -> Option<AuditFinding> {
    let (first, rest) = causes.split_first()?;
    let mut finding = finding(&first.0, &first.1, String::new())?;
    finding.id = id_of("fields of one version", "");
    finding.path = String::new();
    finding.shown = String::new();
    finding.change = match rest.len() {
        0 => "1 field in one version only".to_owned(),
        count => format!("{} fields in one version only", count + 1),
    };
    finding.paths = causes.iter().map(|(cause, _)| cause.path.to_string()).collect();
    let mut effects: Vec<String> = Vec::new();
    let worlds = [World::FirstVersion, World::SecondVersion];
    for (index, world) in worlds.into_iter().enumerate() {
        let observations = || causes.iter().flat_map(|(_, explored)| &explored.observations);
        let lost: Vec<&Observation> =
            observations().filter(|o| o.world == world && o.effect.is_silent()).collect();
        if !lost.is_empty() {
            let fields = format!("the fields that {} does not have are lost", first.1.names[index]);
            effects.push(format!("{fields}: {}", who(&first.0, &lost, &first.1.names)));
        }
    }
    finding.effects = effects;
    finding.confirmation = confirmation(causes.iter().map(|(_, explored)| explored));
    Some(finding)
}

/// Returns the finding on a cause. `None` if the change makes no difference in any situation.
#[must_use]
pub fn finding(cause: &Cause, explored: &Explored, place: String) -> Option<AuditFinding> {
    let worst_severity =
        explored.observations.iter().map(|observation| severity(cause, observation, explored)).min()?;
    let worst = most_telling(cause, explored)?;
    let id = id_of(&cause.path.to_string(), &cause.title_for_id());
    Some(AuditFinding {
        cases: cases(&id, explored, |group| {
            group.iter().copied().min_by_key(|observation| severity(cause, observation, explored))
        }),
        schemas: explored.schemas.clone(),
        path: if cause.path.steps().is_empty() { String::new() } else { cause.path.to_string() },
        shown: shown(cause, worst),
        place,
        effects: effects(cause, explored),
        advice: advice(cause, explored),
        example: example(worst, &explored.names),
        confirmation: confirmation([explored]),
        ..AuditFinding::new(id, worst_severity, cause.title.clone())
    })
}

/// Returns the observation that is the example of a cause: one of the worst, that which the sentence is about, and of a sample
/// rather than of a generated object if the sample is not larger.
fn most_telling<'e>(cause: &Cause, explored: &'e Explored) -> Option<&'e Observation> {
    let rank = |observation: &Observation| {
        let depth = beside(cause, observation).map_or(usize::MAX, |(depth, _)| depth);
        // All effects on values without a use are as bad.
        let is_refused_note = explored.no_use.is_some() && !observation.effect.is_silent();
        (severity(cause, observation, explored), is_refused_note, observation.world, depth)
    };
    let worst = |is_sample: bool| {
        let observations = explored.observations.iter();
        observations.filter(|o| o.sample.is_some() == is_sample).min_by_key(|o| rank(o))
    };
    let size = |observation: &Observation| observation.situation.object.to_string().len();
    [worst(true), worst(false)].into_iter().flatten().min_by_key(|o| (rank(o), size(o)))
}

/// Returns what to do about a cause.
fn advice(cause: &Cause, explored: &Explored) -> Vec<String> {
    let refuses = |world: World| {
        explored.observations.iter().any(|observation| {
            observation.world == world && matches!(observation.effect, SkewEffect::Refused(_))
        })
    };
    let refuses_old = refuses(World::OldManifest) || refuses(World::StoredObject);
    let is_missing = explored.observations.iter().any(|observation| {
        let is_kind = |error: &Error| error.kind() == ErrorKind::RequiredFieldMissing;
        observation.world == World::OldManifest
            && matches!(&observation.effect, SkewEffect::Refused(error) if is_kind(error))
    });
    let loses_stored_values =
        explored.observations.iter().any(|o| o.world == World::StoredObject && o.effect.is_silent());
    let change = &cause.changes[0];
    let is_between_versions = explored.names[0] != explored.names[1];
    let advice = match change.property {
        Property::Field if is_between_versions => {
            Some("convert the field with a webhook, or give it to both versions")
        }
        // Objects were and will be written in both versions: no request after a change helps.
        _ if is_between_versions => None,
        _ if cause.union_member.is_some() => Some("update the clients before an object has the new member"),
        Property::Field if refuses(World::NewManifest) => {
            Some("list the field in the oneOf or anyOf of the object")
        }
        Property::Field if change.is_added_field() && is_missing => {
            Some("give the field a default, or make it optional")
        }
        Property::Required if is_missing => Some("give the field a default, or keep it optional"),
        Property::Field if change.is_removed_field() => Some(if loses_stored_values {
            "keep the field in the schema, and mark it as deprecated, until no stored object has it"
        } else {
            "keep the field in the schema, and mark it as deprecated, until no client sends it"
        }),
        Property::Enum if refuses_old && change.old.is_some() => {
            Some("keep the old values until no stored object has them")
        }
        // What the rule refuses depends on the object that is replaced.
        Property::Rules
            if refuses(World::StoredObject) && !refuses(World::OldManifest) && reads_old_object(change) =>
        {
            Some("look for clients that make such an update")
        }
        Property::Enum | Property::Bound(_) | Property::Pattern | Property::Format | Property::Rules
            if refuses_old =>
        {
            Some(if cause.is_in_status() {
                "look for such values in the status that controllers write"
            } else if explored.observations.iter().any(is_stored_and_refused) && !reads_old_object(change) {
                "look for stored objects with such values before the change: `skewer preflight` does"
            } else {
                "look for such values in manifests and charts before the change"
            })
        }
        Property::Default if change.is_added_default() && !cause.is_in_status() => Some(
            "make sure that no value meant the same: a controller that compares objects with what it recorded before the \
             change sees a difference",
        ),
        Property::Default if !change.is_added_default() && !cause.is_in_status() => {
            Some("before the change, write the value in the manifests that rely on the default")
        }
        // What is refused is refused to every manager.
        Property::ListType | Property::ListMapKeys
            if refuses_old && !explored.observations.iter().any(|it| it.effect.is_silent()) =>
        {
            Some("look for lists with equal items, or items with equal keys, before the change")
        }
        Property::ListType | Property::ListMapKeys | Property::MapType => {
            Some("after the change, apply the unchanged manifest once with every manager that owns the value")
        }
        _ => None,
    };
    advice.map(str::to_owned).into_iter().collect()
}

/// Returns true if all rules that a change adds are about updates.
fn reads_old_object(change: &PropertyChange) -> bool {
    let rules = change.rules_only_of(Side::New);
    !rules.is_empty() && rules.iter().all(|rule| rule.contains("oldSelf"))
}

/// Returns true if a server refuses a value that the stored object has. An object that is stored in another version may not have it.
fn is_stored_and_refused(observation: &Observation) -> bool {
    let SkewEffect::Refused(error) = &observation.effect else { return false };
    let stored = observation.happened.steps.iter().find(|(step, _)| *step == StepName::Stored);
    observation.world == World::StoredObject
        && stored.is_some_and(|(_, stored)| value_at(stored, error.path()).is_some())
}

/// Returns the steps of an observation. `names` are those of the two versions, which are equal if the definition changed.
pub(super) fn example(observation: &Observation, names: &[String; 2]) -> Vec<ExampleStep> {
    let situation = &observation.situation;
    let [of_created, of_server, of_client] =
        [situation.created, situation.server, situation.client].map(|side| match (names, side) {
            ([first, second], _) if first == second => format!("the {} definition", side.name()),
            ([first, _], Side::Old) => first.clone(),
            ([_, second], Side::New) => second.clone(),
        });
    let document = |document: &OwnedDoc| yaml::write(&shortened(document));
    let mut steps = Vec::new();
    if situation.edit != ClientEdit::Create {
        let sample = observation.sample.as_ref().map(|place| format!(" {place}")).unwrap_or_default();
        steps.push(ExampleStep {
            about: format!("The object{sample} is created under {of_created}."),
            document: document(&situation.object),
        });
    }
    let find = |name: StepName| {
        observation.happened.steps.iter().find(|(step, _)| *step == name).map(|(_, document)| document)
    };
    let is_creation = situation.edit == ClientEdit::Create;
    if let Some(stored) = find(StepName::Stored).filter(|stored| !is_creation && !stored.is_null()) {
        steps.push(ExampleStep { about: "The stored object:".to_owned(), document: document(stored) });
    }
    if let Some(request) = find(StepName::Request) {
        let types = if situation.style.is_typed() {
            format!(" with the types of {of_client}")
        } else {
            String::new()
        };
        let sample = observation.sample.as_ref().filter(|_| is_creation);
        let what = sample.map_or_else(|| "this".to_owned(), |place| format!("the object {place}"));
        let to =
            if situation.written == WrittenPart::Status { "to the subresource status of " } else { "to " };
        let about = match (is_creation, situation.style) {
            (true, ClientStyle::ServerSideApply) => format!("A client applies {what} {to}"),
            (true, _) => format!("A client creates {what} on "),
            (false, style) => {
                let edit = edit_in_words(&situation.edit);
                format!("A client ({}{types}) {edit}, and sends {what} {to}", style.name())
            }
        };
        let about = format!("{about}a server with {of_server}:");
        steps.push(ExampleStep { about, document: document(request) });
    }
    steps.push(final_step("The result", &observation.happened.final_state));
    let other = match observation.world {
        World::NewManifest => "With a field that is listed",
        _ => "Without version skew",
    };
    steps.push(final_step(other, &observation.expected.final_state));
    steps
}

/// Says what a client does to the object.
fn edit_in_words(edit: &ClientEdit) -> String {
    match edit {
        ClientEdit::Create => "creates it".to_owned(),
        ClientEdit::Label => "sets a label".to_owned(),
        ClientEdit::Set(path, _) => format!("sets {path}"),
        ClientEdit::Remove(path) => format!("removes {path}"),
        ClientEdit::Choose(path, _) => format!("chooses other fields of {path}"),
    }
}

fn final_step(who: &str, state: &FinalState) -> ExampleStep {
    match state {
        FinalState::Stored(object) => {
            ExampleStep { about: format!("{who}:"), document: yaml::write(&shortened(object)) }
        }
        FinalState::Refused(error) => ExampleStep {
            about: format!("{who}: refused. {}: {error}", error.describe_kind()),
            document: String::new(),
        },
    }
}

/// Returns an id of four characters that depends on the cause only.
#[must_use]
pub fn id_of(path: &str, title: &str) -> String {
    id_of_texts('A', [path, title])
}

/// Summarizes what real servers did in the situations of some causes. `None` if they were not asked.
fn confirmation<'e>(explored: impl IntoIterator<Item = &'e Explored>) -> Option<Confirmation> {
    let mut summary: Option<Confirmation> = None;
    for explored in explored {
        let Some(server) = &explored.server else { continue };
        let summary = summary.get_or_insert_with(|| Confirmation::of(server.clone()));
        for observation in &explored.observations {
            let world = observation.world.name(&explored.names).replace('\n', " ");
            match &observation.confirmed {
                None => {}
                Some(Confirmed::Same) => summary.same += 1,
                Some(Confirmed::Different(how)) => {
                    summary.different.push(format!("{world}, {}: {how}", observation.situation.style.name()));
                }
                Some(Confirmed::NotRun(why)) if summary.not_run.contains(why) => {}
                Some(Confirmed::NotRun(why)) => summary.not_run.push(why.clone()),
            }
        }
    }
    summary
}
