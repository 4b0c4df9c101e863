//! The cases of findings, in the format of suite files.

use skewer_admission::structural::StructuralSchema;
use skewer_cases::format::{
    AxesSpec, CaseSpec, OtherRequestSpec, PartySpec, RequestName, SchemaName, SettingSpec,
};
use skewer_cases::yaml::{OptionalField, Spanned};
use skewer_engine::{Doc, Map, OwnedDoc};
use skewer_reports::audit::FindingCase;
use skewer_skew::{Edit, Intent, Request, Role};

use crate::clients::ClientStyle;
use crate::explore::{Explored, Observation, World};
use crate::revision::{Revisions, Side};
use crate::situation::{ClientEdit, OTHER_MANAGER, STATUS, Sent, SkewSituation, WrittenPart};

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
        let case = case(observation, explored.revisions.as_ref()?)?;
        let id = format!("{}-{}-{}", id.to_lowercase(), slug(world), observation.situation.style.name());
        Some(FindingCase { id, about: about(observation, &explored.names), is_isolated, case })
    };
    worlds.into_iter().filter_map(of_world).collect()
}

fn of_world(explored: &Explored, world: World) -> Vec<&Observation> {
    // No client of a case refuses values that its types do not have.
    let is_case = |observation: &&Observation| observation.situation.style != ClientStyle::StrictUpdate;
    explored.observations.iter().filter(|observation| observation.world == world).filter(is_case).collect()
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
        World::ManifestInSecond => "manifest-in-second",
        World::ManifestInFirst => "manifest-in-first",
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
        World::ManifestInSecond | World::ManifestInFirst => {
            format!("The same manifest in {first} and in {second}.")
        }
    }
}

/// Returns the case of an observation. `None` if the client cannot make its edit, if the conversion between versions moves
/// fields, which a case cannot say, or if what happens needs no version skew.
fn case(observation: &Observation, revisions: &Revisions) -> Option<CaseSpec> {
    if observation.world == World::NewManifest || revisions.moves_fields() {
        return None;
    }
    let (with, without) = (&observation.situation, &observation.without_skew);
    let sent = with.sent(revisions).ok()?;
    let mut points = vec![("with", point(with, &sent))];
    // The two points have the same request, and differ only in the parties.
    let same = without.sent(revisions).ok().filter(|other| {
        (&other.intent, &other.manifest, other.request) == (&sent.intent, &sent.manifest, sent.request)
    });
    points.extend(same.map(|other| ("without", point(without, &other))));
    let document = match sent.request {
        Request::ClientSideApply => sent.last_applied().map(|document| (Role::LastApplied, document)),
        Request::ServerSideApply => sent.manifest.as_ref().map(|document| (Role::Configuration, document)),
        _ => None,
    };
    let request = sent.request;
    let intent = match with.edit {
        // A client that creates an object starts with nothing.
        ClientEdit::Create if request == Request::Create => Intent(vec![Edit::Set(with.object.clone())]),
        _ => sent.intent.clone(),
    };
    let mut unknown = undeclared_fields(revisions, &with.object);
    if has_undeclared_metadata(revisions, request, &intent) {
        unknown.push("metadata".to_owned());
    }
    Some(CaseSpec {
        axes: AxesSpec::of([("skew", points)]),
        setting: SettingSpec {
            request: Some(request.into()),
            subresource: (with.written == WrittenPart::Status).then(|| STATUS.to_owned().into()),
            documents: document.map(|(role, document)| (role, document.clone())).into_iter().collect(),
            intent: (request != Request::ServerSideApply || !intent.is_empty()).then(|| (&intent).into()),
            ..SettingSpec::default()
        },
        unknown_fields: unknown.into_iter().map(Into::into).collect(),
        ..CaseSpec::default()
    })
}

fn point(situation: &SkewSituation, sent: &Sent) -> SettingSpec {
    let client = PartySpec {
        unstructured: (!situation.style.is_typed()).then(|| true.into()),
        ..party(situation.client, manager(situation))
    };
    SettingSpec {
        client: Some(client),
        server: Some(party(situation.server, None)),
        history: history(situation, sent),
        ..SettingSpec::default()
    }
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
                        found.push(path);
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
            found.push(key.to_string());
        } else {
            walk(&fields, value, key, &mut found);
        }
    }
    found.dedup();
    found
}

fn party(side: Side, manager: Option<&str>) -> PartySpec {
    let schema = match side {
        Side::Old => SchemaName::Old,
        Side::New => SchemaName::New,
    };
    PartySpec { schema: Some(schema.into()), manager: manager.map(Into::into), ..PartySpec::default() }
}

/// Returns the field manager, which has an effect only if somebody applies.
fn manager(situation: &SkewSituation) -> Option<&'static str> {
    (situation.style == ClientStyle::ServerSideApply).then(|| situation.style.name())
}

/// Returns the requests that create the object.
fn history(situation: &SkewSituation, sent: &Sent) -> Vec<Spanned<OtherRequestSpec>> {
    let Some(created) = &sent.created else { return Vec::new() };
    let creation = |manager, request: Request, document: &OwnedDoc| {
        let client = PartySpec { unstructured: Some(true.into()), ..party(situation.created, manager) };
        OtherRequestSpec {
            client: Some(client),
            server: Some(party(situation.created, None)),
            request: RequestName::from(request).into(),
            subresource: None,
            document: OptionalField::Given(document.clone().into()),
            intent: None,
        }
    };
    let (status_request, status_manager) = situation.status_writer();
    let status = sent.status.as_ref().map(|object| OtherRequestSpec {
        subresource: Some(STATUS.to_owned().into()),
        ..creation(Some(status_manager), status_request, object)
    });
    let shared = sent.shared.as_ref();
    let shared = shared.map(|shared| creation(Some(OTHER_MANAGER), Request::ServerSideApply, shared));
    let creation = creation(manager(situation), sent.creation(), created);
    [creation].into_iter().chain(status).chain(shared).map(Into::into).collect()
}
