//! A generated case: a history, and the manifest that a tool applies then.

use skewer_cases::format::{
    CaseSpec, ExpectationSpec, IntentSpec, OtherRequestSpec, PartySpec, RequestName, SettingSpec, SuiteSpec,
};
use skewer_cases::yaml::{OptionalField, Spanned};
use skewer_engine::{Doc, OwnedDoc, PathSegment};
use skewer_preflight::extract::identity_of;
use skewer_skew::{Request, Role};
use skewer_trials::random_testing::Random;
use skewer_trials::random_testing::document_edits::{field_paths, remove_nth_value, value_at};
use skewer_trials::random_testing::shrink::Candidate;

use crate::preflight::{GeneratedKind, TOOLS};

/// Purpose of the [`Random`] generators.
const PURPOSE: u64 = 0x636c_6965;

/// The managers of other writers. Tools give themselves the fields of some of these.
const OTHERS: [&str; 8] = [
    "operator",
    "kubectl-edit",
    "before-first-apply",
    "kubectl",
    "kubectl-client-side-apply",
    "helm",
    "kustomize-controller",
    "argocd-controller",
];

/// Maximum number of requests between the first manifest and the last one.
const MAX_CHANGES: usize = 4;

/// The name of the objects in manifests.
const NAME: &str = "x";

/// A history of one object, and the manifest that a tool applies then.
#[derive(Clone, Debug)]
pub struct ClientCase<'k> {
    /// The kind of the object.
    pub kind: &'k GeneratedKind,
    /// The number of the case.
    pub number: u64,
    /// The name of the tool.
    pub tool: String,
    /// Whether the user lets the tool take fields from other managers.
    force: bool,
    history: Vec<Change>,
    manifest: OwnedDoc,
}

/// A request of a history.
#[derive(Clone, Debug)]
struct Change {
    client: PartySpec,
    request: Request,
    /// The manifest or the apply configuration, or else the values that are set.
    document: OwnedDoc,
    /// The fields that are removed.
    remove: Vec<String>,
}

impl<'k> ClientCase<'k> {
    /// Generates the case with a number, for one of the tools. Returns `None` if a manifest cannot be made.
    #[must_use]
    pub fn generate(
        kinds: &'k [GeneratedKind],
        tools: &[String],
        seed: u64,
        number: u64,
    ) -> Option<ClientCase<'k>> {
        let random = &mut Random::new(seed, PURPOSE, number);
        let kind = random.pick(kinds);
        let tool = random.pick(tools).clone();
        let mut options = kind.some_options(random);
        let creator = if random.chance(150) { random.pick_text(&TOOLS) } else { tool.as_str() };
        let mut history = vec![Change::by_tool(creator, true, manifest(kind, &options, random)?)];
        for _ in 0..random.below(MAX_CHANGES + 1) {
            if random.chance(300) {
                options = kind.vary(options, random);
                let other = if random.chance(300) { random.pick_text(&TOOLS) } else { tool.as_str() };
                let is_forced = random.chance(700);
                history.push(Change::by_tool(other, is_forced, manifest(kind, &options, random)?));
            } else {
                history.push(Change::by_other(kind, random));
            }
        }
        options = kind.vary(options, random);
        let (manifest, force) = (manifest(kind, &options, random)?, random.chance(500));
        Some(ClientCase { kind, number, tool, force, history, manifest })
    }

    /// Returns the case as a suite of one cell.
    #[must_use]
    pub fn suite(&self, expectation: ExpectationSpec) -> SuiteSpec {
        let server = PartySpec { defaults: Some(true.into()), ..PartySpec::default() };
        let setting = SettingSpec {
            client: Some(client_of_tool(&self.tool, self.force)),
            server: self.kind.types.builtin.is_some().then_some(server),
            documents: [(Role::Configuration, self.manifest.clone())].into_iter().collect(),
            history: self.history.iter().map(|change| Spanned::from(change.spec())).collect(),
            request: Some(RequestName::from(Request::ApplyManifest)),
            ..SettingSpec::default()
        };
        let case = CaseSpec {
            id: "generated".into(),
            setting,
            expect: vec![expectation.into()],
            ..CaseSpec::default()
        };
        SuiteSpec {
            suite: format!("clients/generated-{}", self.number).into(),
            about: format!("A generated {}, to which {} applies a manifest.", self.kind.name, self.tool),
            schema: Some(self.kind.types.clone().into()),
            cases: vec![case],
            ..SuiteSpec::default()
        }
    }

    /// Returns the case without a request of its history. No candidate is left after the last request.
    #[must_use]
    pub fn without_change(&self, index: usize) -> Candidate<Self> {
        if index >= self.history.len() {
            return Candidate::End;
        }
        let mut simpler = self.clone();
        simpler.history.remove(index);
        Candidate::Simpler(simpler)
    }

    /// Returns the case without a value of its documents. No candidate is left after the last value.
    #[must_use]
    pub fn without_value(&self, index: usize) -> Candidate<Self> {
        let mut simpler = self.clone();
        let documents = simpler.history.iter_mut().map(|change| &mut change.document);
        if !remove_nth_value(documents.chain([&mut simpler.manifest]), index) {
            return Candidate::End;
        }
        if simpler.is_complete() { Candidate::Simpler(simpler) } else { Candidate::Useless }
    }

    /// Returns true if all manifests and apply configurations have the identity of the object.
    fn is_complete(&self) -> bool {
        let whole = self.history.iter().filter(|change| change.is_whole()).map(|change| &change.document);
        whole.chain([&self.manifest]).all(|document| {
            let of_kind = identity_of(&self.kind.manifest(NAME, &[]).unwrap_or(Doc::Null));
            identity_of(document) == of_kind
        })
    }
}

impl Change {
    fn by_tool(tool: &str, force: bool, document: OwnedDoc) -> Self {
        let client = client_of_tool(tool, force);
        Change { client, request: Request::ApplyManifest, document, remove: Vec::new() }
    }

    /// Returns a change by somebody else, with one of the options of the kind.
    fn by_other(kind: &GeneratedKind, random: &mut Random) -> Self {
        let manager = random.pick_text(&OTHERS);
        let mut client = PartySpec {
            manager: Some(manager.into()),
            unstructured: Some(true.into()),
            ..PartySpec::default()
        };
        let option = random.below(kind.options.len());
        let request = *random.pick(&[
            Request::ServerSideApply,
            Request::Update,
            Request::JsonMergePatch,
            Request::Update,
        ]);
        if request == Request::ServerSideApply {
            client.force = Some(true.into());
            let document = kind.fragment(NAME, option);
            return Change { client, request, document, remove: Vec::new() };
        }
        let document = kind.options[option].clone();
        let fields = field_paths(&document).into_iter().filter(|path| path.segments().len() > 1);
        let fields: Vec<String> = fields.filter_map(|path| path_of_fields(path.segments())).collect();
        if !fields.is_empty() && random.chance(300) {
            let remove = vec![random.pick(&fields).clone()];
            return Change { client, request, document: Doc::Null, remove };
        }
        Change { client, request, document, remove: Vec::new() }
    }

    /// Whether the document is the whole manifest or apply configuration.
    fn is_whole(&self) -> bool {
        matches!(self.request, Request::ApplyManifest | Request::ServerSideApply)
    }

    fn spec(&self) -> OtherRequestSpec {
        let is_whole = self.is_whole();
        let intent = IntentSpec {
            set: if self.document.is_null() {
                OptionalField::Absent
            } else {
                OptionalField::Given(self.document.clone().into())
            },
            remove: self.remove.iter().map(|path| path.as_str().into()).collect(),
            ..IntentSpec::default()
        };
        OtherRequestSpec {
            client: Some(self.client.clone()),
            server: None,
            request: RequestName::from(self.request).into(),
            subresource: None,
            document: if is_whole {
                OptionalField::Given(self.document.clone().into())
            } else {
                OptionalField::Absent
            },
            intent: (!is_whole).then_some(intent),
        }
    }
}

fn client_of_tool(tool: &str, force: bool) -> PartySpec {
    PartySpec {
        tool: Some(tool.into()),
        force: force.then(|| true.into()),
        unstructured: Some(true.into()),
        ..PartySpec::default()
    }
}

/// Returns the path of a field that is in no list. A key with a dot has no such path.
fn path_of_fields(segments: &[PathSegment]) -> Option<String> {
    let name = |segment| key_of(segment).filter(|key| !key.contains(['.', '/']));
    segments.iter().map(name).collect::<Option<Vec<&str>>>().map(|names| names.join("."))
}

fn key_of(segment: &PathSegment) -> Option<&str> {
    match segment {
        PathSegment::Key(key) => Some(key.as_str()),
        PathSegment::Index(_) => None,
    }
}

/// Returns a manifest with some of the options, in which lists can have another order, and one value can be empty.
fn manifest(kind: &GeneratedKind, options: &[usize], random: &mut Random) -> Option<OwnedDoc> {
    let mut manifest = kind.manifest(NAME, options).ok()?;
    if random.chance(300) {
        reorder(&mut manifest, random);
    }
    if random.chance(200) {
        let is_custom_resource = kind.types.builtin.is_none();
        // No server validates these fields, or the simulation has the rules.
        let can_be_empty = |path: &[PathSegment]| {
            let keys: Vec<&str> = path.iter().map_while(key_of).collect();
            match keys.as_slice() {
                // An object without any field has no owner, except of the metadata of tools, which are not compared.
                ["metadata", "labels" | "annotations", ..] | ["data", _, ..] => true,
                ["spec", ..] => is_custom_resource && path.len() > 1,
                _ => false,
            }
        };
        let paths = field_paths(&manifest).into_iter().filter(|path| can_be_empty(path.segments()));
        let paths: Vec<_> = paths.collect();
        if !paths.is_empty() {
            let path = random.pick(&paths).segments();
            let is_in_spec = path.first().and_then(key_of) == Some("spec");
            let Some(value) = value_at(&mut manifest, path) else { return Some(manifest) };
            // What a client makes of a null in the metadata depends on its version and its library.
            *value =
                if is_custom_resource && is_in_spec && random.chance(250) { Doc::Null } else { empty(value) };
        }
    }
    Some(manifest)
}

/// Returns the empty value of the same kind.
fn empty(value: &OwnedDoc) -> OwnedDoc {
    match value {
        Doc::Map(_) => Doc::Map(skewer_engine::OwnedMap::new()),
        Doc::List(_) => Doc::List(Vec::new()),
        Doc::String(_) => Doc::from(String::new()),
        Doc::Bool(_) => Doc::Bool(false),
        Doc::Null => Doc::Null,
        _ => Doc::from(0_i64),
    }
}

fn reorder(value: &mut OwnedDoc, random: &mut Random) {
    match value {
        Doc::Map(map) => {
            for (_, value) in map.iter_mut() {
                reorder(value, random);
            }
        }
        Doc::List(items) => {
            random.shuffle(items);
            for item in items {
                reorder(item, random);
            }
        }
        _ => {}
    }
}
