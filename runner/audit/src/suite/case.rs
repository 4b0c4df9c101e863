//! The cases of findings, in the format of suite files.

use std::fmt::Write;

use skewer_cases::suite_text::write_intent;
use skewer_cases::yaml::{write_flow, write_flow_string};
use skewer_engine::admission::structural::StructuralSchema;
use skewer_engine::skew::{Edit, Intent, Request};
use skewer_engine::{Doc, Map, OwnedDoc};
use skewer_reports::audit::FindingCase;

use crate::explore::{Explored, Observation, World};
use crate::revision::{Revisions, Side};
use crate::situation::{ClientEdit, ClientStyle, OTHER_MANAGER, Sent, Situation};

/// Returns a case for each relation of object and client in which a finding has an effect. `most_telling` chooses one of the
/// observations of a relation. The name of each case begins with the id of the finding.
pub(crate) fn cases<'o>(
    id: &str,
    explored: &'o Explored,
    most_telling: impl Fn(&[&'o Observation]) -> Option<&'o Observation>,
) -> Vec<FindingCase> {
    let mut worlds: Vec<World> = explored.observations.iter().map(|observation| observation.world).collect();
    worlds.sort_unstable();
    worlds.dedup();
    let of_world = |world: World| {
        let group = of_world(explored, world);
        let observation = most_telling(&group)?;
        // With all changes, another change can hide the effect.
        let all = explored.with_all_changes.as_deref();
        let with_all = all.and_then(|all| {
            let mut group = of_world(all, world);
            group.retain(|other| other.effect.name() == observation.effect.name());
            Some((most_telling(&group)?, all))
        });
        let is_isolated = all.is_some() && with_all.is_none();
        let (observation, explored) = with_all.unwrap_or((observation, explored));
        let body = body(observation, explored.revisions.as_ref()?)?;
        let id = format!("{}-{}-{}", id.to_lowercase(), slug(world), observation.situation.style.name());
        Some(FindingCase { id, about: about(observation, &explored.names), is_isolated, body })
    };
    worlds.into_iter().filter_map(of_world).collect()
}

fn of_world(explored: &Explored, world: World) -> Vec<&Observation> {
    explored.observations.iter().filter(|observation| observation.world == world).collect()
}

const fn slug(world: World) -> &'static str {
    match world {
        World::StoredObject => "stored-object",
        World::OldManifest => "old-manifest",
        World::NewManifest => "new-manifest",
        World::OldClient => "old-client",
        World::NewClientOldDefinition => "old-server",
        World::Rollback => "rollback",
        World::FirstVersion => "first-version",
        World::SecondVersion => "second-version",
        World::SameManifest => "same-manifest",
    }
}

fn about(observation: &Observation, [first, second]: &[String; 2]) -> String {
    match observation.world {
        World::StoredObject => "The object was stored before the change.".to_owned(),
        World::OldManifest => {
            "An object is created from a manifest of the time before the change.".to_owned()
        }
        World::NewManifest => "An object is created with the new field alone.".to_owned(),
        World::OldClient => "A client of the time before the change writes the object.".to_owned(),
        World::NewClientOldDefinition => "The server does not have the change yet.".to_owned(),
        World::Rollback => "The change was reverted after the object was created.".to_owned(),
        World::FirstVersion => format!("A request in {first} to an object that was created in {second}."),
        World::SecondVersion => format!("A request in {second} to an object that was created in {first}."),
        World::SameManifest => format!("The same manifest in {first} and in {second}."),
    }
}

/// Returns the keys of a case. `None` if the client cannot make its edit, if the conversion between versions moves fields,
/// which a case cannot say, or if what happens needs no version skew.
fn body(observation: &Observation, revisions: &Revisions) -> Option<String> {
    if observation.world == World::NewManifest || revisions.moves_fields() {
        return None;
    }
    let (with, without) = (&observation.situation, &observation.without_skew);
    let sent = with.sent(revisions).ok()?;
    let mut text = String::from("    axes:\n      skew:\n");
    let mut write_point = |name: &str, situation: &Situation, sent: &Sent| {
        let _ = writeln!(text, "        {name}:");
        let _ = writeln!(text, "          client: {}", client(situation));
        let _ = writeln!(text, "          server: {{schema: {}}}", situation.server.name());
        write_history(&mut text, situation, sent);
    };
    write_point("with", with, &sent);
    // The two points have the same request, and differ only in the parties.
    let same = without.sent(revisions).ok().filter(|other| {
        (&other.intent, &other.manifest, other.request) == (&sent.intent, &sent.manifest, sent.request)
    });
    if let Some(other) = &same {
        write_point("without", without, other);
    }
    let _ = writeln!(text, "    request: {}", sent.request.name());
    match sent.request {
        Request::ClientSideApply => write_document(&mut text, "last-applied", sent.last_applied()),
        Request::ServerSideApply => write_document(&mut text, "configuration", sent.manifest.as_ref()),
        _ => {}
    }
    let intent = match with.edit {
        // A client that creates an object starts with nothing.
        ClientEdit::Create if sent.request == Request::Create => Intent(vec![Edit::Set(with.object.clone())]),
        _ => sent.intent,
    };
    if sent.request != Request::ServerSideApply || !intent.is_empty() {
        write_intent(&mut text, &intent, "    ");
    }
    let mut unknown = undeclared_fields(revisions, &with.object);
    if has_undeclared_metadata(revisions, sent.request, &intent) {
        unknown.push("metadata".to_owned());
    }
    if !unknown.is_empty() {
        let _ = writeln!(text, "    unknown-fields: [{}]", unknown.join(", "));
    }
    Some(text)
}

/// Returns true if the intent of a case sets metadata that neither side declares. Types of parts of objects have none, but
/// a client whose change is unrelated to the audited one sets a label. A client that applies sends no intent.
fn has_undeclared_metadata(revisions: &Revisions, request: Request, intent: &Intent) -> bool {
    let sides = [&revisions.old, &revisions.new];
    let is_declared = sides.iter().any(|side| side.is_object || side.schema.field("metadata").is_some());
    let mut set = intent.0.iter().filter_map(|edit| match edit {
        Edit::Set(value) => value.as_map(),
        _ => None,
    });
    !is_declared && request != Request::ServerSideApply && set.any(|value| value.contains_key("metadata"))
}

/// Returns the fields of an object that neither side declares, because a side keeps unknown fields.
fn undeclared_fields(revisions: &Revisions, object: &OwnedDoc) -> Vec<String> {
    fn walk(schemas: &[&StructuralSchema], value: &OwnedDoc, path: &str, found: &mut Vec<String>) {
        match value {
            Doc::Map(map) => {
                let is_struct =
                    !schemas.is_empty() && schemas.iter().all(|schema| !schema.properties.is_empty());
                for (key, value) in map.iter() {
                    let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                    let fields: Vec<_> = schemas.iter().filter_map(|schema| schema.field(key)).collect();
                    if is_struct && fields.is_empty() {
                        found.push(write_flow_string(&path));
                    } else {
                        walk(&fields, value, &path, found);
                    }
                }
            }
            Doc::List(items) => {
                let schemas: Vec<_> = schemas.iter().filter_map(|schema| schema.items.as_deref()).collect();
                for item in items {
                    walk(&schemas, item, &format!("{path}[]"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    let schemas = [revisions.old.schema(), revisions.new.schema()];
    for (key, value) in object.as_map().into_iter().flat_map(Map::iter) {
        // Every object has these fields, whatever its schema declares.
        if matches!(key.as_str(), "apiVersion" | "kind" | "metadata") {
            continue;
        }
        let fields: Vec<_> = schemas.iter().filter_map(|schema| schema.field(key)).collect();
        if fields.is_empty() {
            found.push(write_flow_string(key));
        } else {
            walk(&fields, value, key, &mut found);
        }
    }
    found.dedup();
    found
}

fn client(situation: &Situation) -> String {
    let mut keys = vec![format!("schema: {}", situation.client.name())];
    keys.extend(manager(situation));
    if !situation.style.is_typed() {
        keys.push("unstructured: true".to_owned());
    }
    format!("{{{}}}", keys.join(", "))
}

/// Returns the key of the field manager, which has an effect only if somebody applies.
fn manager(situation: &Situation) -> Option<String> {
    (situation.style == ClientStyle::ServerSideApply).then(|| format!("manager: {}", situation.style.name()))
}

fn write_history(text: &mut String, situation: &Situation, sent: &Sent) {
    let Some(created) = &sent.created else { return };
    text.push_str(
        "          history:
",
    );
    write_creation(text, (situation.created, manager(situation)), sent.creation(), created);
    if let Some(shared) = &sent.shared {
        let manager = format!("manager: {OTHER_MANAGER}");
        write_creation(text, (situation.created, Some(manager)), Request::ServerSideApply, shared);
    }
}

fn write_creation(
    text: &mut String,
    (side, manager): (Side, Option<String>),
    request: Request,
    document: &OwnedDoc,
) {
    let side = side.name();
    let manager = manager.map(|manager| format!("{manager}, ")).unwrap_or_default();
    let _ = writeln!(text, "            - client: {{schema: {side}, {manager}unstructured: true}}");
    let _ = writeln!(text, "              server: {{schema: {side}}}");
    let _ = writeln!(text, "              request: {}", request.name());
    let _ = writeln!(text, "              document: {}", write_flow(document));
}

fn write_document(text: &mut String, key: &str, document: Option<&OwnedDoc>) {
    if let Some(document) = document {
        let _ = writeln!(text, "    {key}: {}", write_flow(document));
    }
}
