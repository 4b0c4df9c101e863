//! Scenarios with server-side apply, with earlier requests and with requests that are sent meanwhile.

use std::sync::Arc;

use skewer_engine::document::OwnedDoc;
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::patch::PatchContext;
use skewer_engine::union::policy;

use super::*;
use crate::{
    Client, Decoding, Edit, FinalState, Intent, OtherRequest, Request, RequestOptions, Scenario, Server,
    StepName, run_built_in,
};

const TYPES: &str = r#"
type Root struct {
  A     *int   `json:"a,omitempty"`
  B     *int   `json:"b,omitempty"`
  New   *int   `json:"new,omitempty"`
  Items []Item `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
}
type Item struct {
  Name string `json:"name"`
  X    *int   `json:"x,omitempty"`
}
"#;

fn client(context: &PatchContext) -> Client {
    Client::new(context.clone(), Decoding::Structured)
}

fn old(context: &PatchContext) -> PatchContext {
    let element = "Root.new".parse().unwrap();
    PatchContext { schema: Arc::new(context.schema.without([&element]).unwrap()), ..context.clone() }
}

fn options(manager: &str) -> RequestOptions {
    RequestOptions { manager: manager.into(), ..RequestOptions::default() }
}

/// Returns a server-side apply request of an up-to-date client.
fn apply(context: &PatchContext, manager: &str, configuration: &str) -> OtherRequest {
    OtherRequest {
        client: client(context),
        server: None,
        request: Request::ServerSideApply,
        options: options(manager),
        document: Some(Arc::new(json(configuration))),
        intent: Arc::default(),
    }
}

/// Returns an update request of an up-to-date client.
fn update(context: &PatchContext, manager: &str, set: &str) -> OtherRequest {
    OtherRequest {
        request: Request::Update,
        document: None,
        intent: Arc::new(Intent(vec![Edit::Set(json(set))])),
        ..apply(context, manager, "{}")
    }
}

/// The parts of a scenario that differ between tests.
struct Setup {
    stored: OwnedDoc,
    client: Client,
    server: Server,
    request: Request,
    options: RequestOptions,
    configuration: Option<OwnedDoc>,
    set: OwnedDoc,
    history: Vec<OtherRequest>,
    meanwhile: Vec<OtherRequest>,
}

impl Setup {
    fn new(request: Request) -> Self {
        let context = context_of(TYPES, "Root");
        Setup {
            stored: json(r#"{"a":1}"#),
            client: client(&context),
            server: Server {
                context,
                strict: false,
                policy: policy::NONE,
                admission: None,
                defaults: crate::BuiltInDefaults::NotSimulated,
            },
            request,
            options: options("client"),
            configuration: None,
            set: json("{}"),
            history: Vec::new(),
            meanwhile: Vec::new(),
        }
    }

    /// Runs the scenario. Returns the final state, and the owned paths of each manager.
    fn run(&self) -> (FinalState, Vec<(String, Vec<String>)>) {
        let scenario = Scenario {
            intent: Arc::new(Intent(vec![Edit::Set(self.set.clone())])),
            client: self.client.clone(),
            server: self.server.clone(),
            request: self.request,
            options: self.options.clone(),
            configuration: self.configuration.clone().map(Arc::new),
            history: self.history.clone(),
            meanwhile: self.meanwhile.clone(),
            ..Scenario::up_to_date(Arc::new(self.stored.clone()), context_of(TYPES, "Root"))
        };
        let mut owners = Vec::new();
        let final_state = run_built_in(&scenario, &mut |step, document| {
            if step == StepName::Result {
                owners = owners_of(document);
            }
        });
        (final_state.unwrap(), owners)
    }

    #[track_caller]
    fn stored(&self) -> (String, Vec<(String, Vec<String>)>) {
        match self.run() {
            (FinalState::Stored(object), owners) => (object.to_string(), owners),
            (FinalState::Refused(error), _) => panic!("{error}"),
        }
    }

    #[track_caller]
    fn refused(&self) -> Error {
        match self.run().0 {
            FinalState::Refused(error) => error,
            FinalState::Stored(object) => panic!("{object}"),
        }
    }
}

fn owners_of(object: &OwnedDoc) -> Vec<(String, Vec<String>)> {
    let metadata = object.as_map().and_then(|map| map.get("metadata")).and_then(|metadata| metadata.as_map());
    let entries = metadata.and_then(|map| map.get("managedFields")).and_then(|entries| entries.as_list());
    let entries = entries.unwrap_or_default().iter().map(|entry| {
        let text = |key: &str| entry.as_map().unwrap().get(key).and_then(|value| value.as_str()).unwrap();
        let fields = skewer_engine::server_side_apply::FieldSet::from_json(text("fieldsV1")).unwrap();
        (format!("{} {}", text("manager"), text("operation")), fields.paths())
    });
    entries.collect()
}

fn owner(manager: &str, paths: &[&str]) -> (String, Vec<String>) {
    (manager.to_owned(), paths.iter().map(|path| (*path).to_owned()).collect())
}

#[test]
fn an_apply_request_owns_the_fields_of_its_configuration() {
    let setup = Setup {
        configuration: Some(json(r#"{"b":2,"items":[{"name":"n","x":1}]}"#)),
        ..Setup::new(Request::ServerSideApply)
    };
    let (object, owners) = setup.stored();
    assert_eq!(object, r#"{"a":1,"b":2,"items":[{"name":"n","x":1}]}"#);
    let applied = [".b", ".items[name=\"n\"]", ".items[name=\"n\"].name", ".items[name=\"n\"].x"];
    assert_eq!(owners, [owner("client Apply", &applied), owner("before-first-apply Update", &[".a"])]);
}

#[test]
fn the_intent_edits_the_configuration() {
    let setup = Setup {
        configuration: Some(json(r#"{"b":2}"#)),
        set: json(r#"{"b":3}"#),
        ..Setup::new(Request::ServerSideApply)
    };
    assert_eq!(setup.stored().0, r#"{"a":1,"b":3}"#);
}

#[test]
fn an_apply_request_creates_the_object() {
    let setup = Setup {
        stored: OwnedDoc::Null,
        configuration: Some(json(r#"{"b":2}"#)),
        ..Setup::new(Request::ServerSideApply)
    };
    let (object, owners) = setup.stored();
    assert_eq!((object.as_str(), owners), (r#"{"b":2}"#, vec![owner("client Apply", &[".b"])]));
}

#[test]
fn a_field_of_another_manager_is_a_conflict_unless_the_request_is_forced() {
    let context = context_of(TYPES, "Root");
    let mut setup = Setup {
        history: vec![apply(&context, "first", r#"{"a":5}"#)],
        configuration: Some(json(r#"{"a":6}"#)),
        ..Setup::new(Request::ServerSideApply)
    };
    setup.stored = OwnedDoc::Null;
    let error = setup.refused();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let conflicts: Vec<_> = error.conflicts().iter().map(|c| (c.manager.as_str(), c.path.as_str())).collect();
    assert_eq!(conflicts, [("first", ".a")]);
    setup.options.force = true;
    assert_eq!(setup.stored(), (r#"{"a":6}"#.to_owned(), vec![owner("client Apply", &[".a"])]));
}

/// The old client does not know the field that it owned, and so its configuration lacks it.
#[test]
fn an_old_typed_client_removes_a_field_that_it_owned() {
    let context = context_of(TYPES, "Root");
    let mut setup = Setup {
        stored: OwnedDoc::Null,
        history: vec![apply(&context, "client", r#"{"a":1,"new":2}"#)],
        configuration: Some(json(r#"{"a":1,"new":2}"#)),
        ..Setup::new(Request::ServerSideApply)
    };
    assert_eq!(setup.stored().0, r#"{"a":1,"new":2}"#);
    setup.client.context = old(&context);
    assert_eq!(setup.stored().0, r#"{"a":1}"#);
    // A client without types sends what it does not know.
    setup.client.decoding = Decoding::Unstructured;
    assert_eq!(setup.stored().0, r#"{"a":1,"new":2}"#);
}

#[test]
fn an_old_server_refuses_a_field_that_it_does_not_know() {
    let context = context_of(TYPES, "Root");
    let mut setup =
        Setup { configuration: Some(json(r#"{"new":2}"#)), ..Setup::new(Request::ServerSideApply) };
    setup.server.context = old(&context);
    let error = setup.refused();
    assert_eq!((error.kind(), error.path().to_string().as_str()), (ErrorKind::FieldNotDeclared, "new"));
}

#[test]
fn an_update_takes_a_field_from_its_owner() {
    let context = context_of(TYPES, "Root");
    let setup = Setup {
        stored: OwnedDoc::Null,
        history: vec![apply(&context, "first", r#"{"a":1,"b":1}"#)],
        set: json(r#"{"b":2}"#),
        ..Setup::new(Request::JsonMergePatch)
    };
    let (object, owners) = setup.stored();
    assert_eq!(object, r#"{"a":1,"b":2}"#);
    assert_eq!(owners, [owner("first Apply", &[".a"]), owner("client Update", &[".b"])]);
}

#[test]
fn an_update_of_an_object_that_has_changed_is_a_conflict() {
    let context = context_of(TYPES, "Root");
    let mut setup = Setup {
        meanwhile: vec![update(&context, "other", r#"{"b":7}"#)],
        set: json(r#"{"a":2}"#),
        ..Setup::new(Request::Update)
    };
    assert_eq!(setup.refused().kind(), ErrorKind::Conflict);
    // Without a resource version, the update of the other client is lost.
    setup.options.resource_version = Some(false);
    assert_eq!(setup.stored().0, r#"{"a":2}"#);
    // A patch contains only the change.
    setup.request = Request::JsonMergePatch;
    assert_eq!(setup.stored().0, r#"{"a":2,"b":7}"#);
    setup.options.resource_version = Some(true);
    assert_eq!(setup.refused().kind(), ErrorKind::Conflict);
}

#[test]
fn a_write_without_effect_keeps_the_resource_version() {
    let context = context_of(TYPES, "Root");
    let setup = Setup {
        meanwhile: vec![update(&context, "other", r#"{"a":1}"#)],
        set: json(r#"{"a":2}"#),
        ..Setup::new(Request::Update)
    };
    assert_eq!(setup.stored().0, r#"{"a":2}"#);
}

#[test]
fn an_update_of_a_custom_resource_needs_a_resource_version() {
    let mut setup = Setup { set: json(r#"{"a":2}"#), ..Setup::new(Request::Update) };
    setup.server.context.custom_resource = true;
    assert_eq!(setup.stored().0, r#"{"a":2}"#);
    setup.options.resource_version = Some(false);
    let error = setup.refused();
    assert_eq!(error.kind(), ErrorKind::RequiredFieldMissing);
    assert_eq!(error.path().to_string(), "metadata.resourceVersion");
}

/// Entries are ordered by the time of their last change.
#[test]
fn a_later_request_has_a_later_time() {
    let context = context_of(TYPES, "Root");
    let setup = Setup {
        stored: OwnedDoc::Null,
        history: vec![apply(&context, "z", r#"{"a":1}"#), apply(&context, "y", r#"{"b":1}"#)],
        configuration: Some(json(r#"{"new":1}"#)),
        ..Setup::new(Request::ServerSideApply)
    };
    let owners: Vec<String> = setup.stored().1.into_iter().map(|(manager, _)| manager).collect();
    assert_eq!(owners, ["z Apply", "y Apply", "client Apply"]);
}

/// The manager `kubectl` writes the configuration into an annotation, with the kind that the server knows.
#[test]
fn the_kind_of_a_built_in_type_has_no_package() {
    use skewer_engine::schema::builtin;

    let release = builtin::newest();
    let context =
        PatchContext::of(Arc::clone(release.schema()), release.resolve("ConfigMap").unwrap()).unwrap();
    let annotation = r#"{"kubectl.kubernetes.io/last-applied-configuration":"{}"}"#;
    let stored = json(&format!(r#"{{"metadata":{{"annotations":{annotation}}}}}"#));
    let configuration = json(r#"{"data":{"a":"1"}}"#);
    let scenario = Scenario {
        request: Request::ServerSideApply,
        options: options("kubectl"),
        configuration: Some(Arc::new(configuration)),
        ..Scenario::up_to_date(Arc::new(stored), context)
    };
    let FinalState::Stored(object) = run_built_in(&scenario, &mut |_, _| {}).unwrap() else { panic!() };
    assert!(object.to_string().contains(r#"\"kind\":\"ConfigMap\""#), "{object}");
}
