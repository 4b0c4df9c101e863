//! The kinds of generated objects, and their manifests.

use std::sync::Arc;

use skewer_cases::format::SchemaSpec;
use skewer_cases::yaml;
use skewer_cases::yaml::{OptionalField, Spanned};
use skewer_engine::schema::builtin::Release;
use skewer_engine::server_side_apply::FieldSet;
use skewer_engine::{Doc, OwnedDoc};
use skewer_preflight::dump::{DumpPart, DumpSource};
use skewer_preflight::extract::{extract, identity_of};
use skewer_preflight::preflight::PreflightStep;
use skewer_preflight::redact::Redaction;
use skewer_preflight::request::Answered;
use skewer_preflight::served::{KindVersion, ServedKind, ServedKinds};
use skewer_skew::{Request, ToolRequest, owners, without_managed_fields, without_unset_fields};
use skewer_trials::random_testing::Random;

const KINDS: &str = include_str!("../../data/preflight/kinds.yaml");
const DEFINITIONS: &str = include_str!("../../data/preflight/crds.yaml");
const NEW_DEFINITIONS: &str = include_str!("../../data/preflight/new-crds.yaml");

/// The options of all kinds.
const OF_METADATA: &str = "
- {metadata: {labels: {team: a}}}
- {metadata: {labels: {team: b, stage: test}}}
- {metadata: {annotations: {note: one}}}
- {metadata: {annotations: {note: two, other: x}}}
";

/// A kind with the parts of its manifests.
#[derive(Clone, Debug)]
pub struct GeneratedKind {
    /// The kind.
    pub name: String,
    /// The server of the kind.
    pub served: Arc<ServedKind>,
    /// The types of the objects, as suites name them.
    pub types: SchemaSpec,
    /// The reason for which a suite cannot have objects of the kind. `None` if it can.
    pub not_in_suites: Option<String>,
    /// The part that each manifest has.
    base: OwnedDoc,
    /// The parts that a manifest can have.
    pub options: Vec<OwnedDoc>,
}

/// Returns the kinds, as a server of a release serves them.
///
/// # Errors
///
/// Returns a message if a kind or a definition cannot be read.
pub fn generated_kinds(release: &'static Release) -> Result<Vec<GeneratedKind>, String> {
    let mut served = ServedKinds::of(release);
    let (mut invalid, mut known) = (Vec::new(), Vec::new());
    definitions().each_part(&Redaction::new(&[]), &mut |part| match part {
        DumpPart::Object(object) => {
            invalid.extend(served.define(&object).err());
            known.push(object.object);
        }
        DumpPart::Unreadable(message) => invalid.push(message),
    })?;
    if let Some(message) = invalid.into_iter().next() {
        return Err(message);
    }
    let kinds = list_of("kinds.yaml", KINDS)?;
    let mut kinds: Vec<GeneratedKind> =
        kinds.iter().map(|kind| GeneratedKind::read(kind, &mut served)).collect::<Result<_, _>>()?;
    for kind in &mut kinds {
        match known.iter().find(|definition| defines(definition, &kind.name)) {
            Some(definition) => kind.types.crd = OptionalField::Given(Spanned::from(definition.clone())),
            None => kind.types.builtin = Some(release.name().to_owned().into()),
        }
    }
    Ok(kinds)
}

/// Returns the definitions of the custom resources.
#[must_use]
pub(crate) fn definitions() -> DumpSource {
    DumpSource::Text("crds.yaml".to_owned(), DEFINITIONS.to_owned())
}

fn list_of(name: &str, text: &str) -> Result<Vec<OwnedDoc>, String> {
    let read = yaml::read_document(name, text.as_bytes()).map_err(|errors| format!("{name}: {errors:?}"))?;
    read.into_list().ok_or_else(|| format!("{name}: expected a list"))
}

/// Returns true if a definition declares a kind. The kinds of generated objects have names of their own.
fn defines(definition: &OwnedDoc, kind: &str) -> bool {
    let name =
        ["spec", "names", "kind"].into_iter().try_fold(definition, |value, key| value.as_map()?.get(key));
    name.and_then(Doc::as_str) == Some(kind)
}

impl GeneratedKind {
    fn read(kind: &OwnedDoc, served: &mut ServedKinds) -> Result<Self, String> {
        let member = |key: &str| kind.as_map().and_then(|kind| kind.get(key));
        let base = member("base").cloned().unwrap_or(Doc::Null);
        let text =
            |key: &str| base.as_map().and_then(|base| base.get(key)?.as_str()).unwrap_or_default().to_owned();
        let (api_version, name) = (text("apiVersion"), text("kind"));
        let version =
            KindVersion { request: api_version.clone(), kind: name.clone(), stored: api_version.clone() };
        let served = served.get(&version)?;
        let mut options = member("options").and_then(Doc::as_list).unwrap_or_default().to_vec();
        options.extend(list_of("options", OF_METADATA)?);
        let root = Some(format!("{api_version}/{name}").into());
        let types = SchemaSpec { root, ..SchemaSpec::default() };
        let not_in_suites = member("not-in-suites").and_then(Doc::as_str).map(str::to_owned);
        Ok(GeneratedKind { name, served, types, not_in_suites, base, options })
    }

    /// Returns the change of the definition that can be a step. `None` for a built-in kind.
    #[must_use]
    pub fn change_of_definition(&self) -> Option<PreflightStep> {
        match self.name.as_str() {
            "Plan" => Some(PreflightStep::RemoveVersion("lab.example.com/v1alpha1".to_owned())),
            "Widget" | "Gauge" => {
                let new = DumpSource::Text("new-crds.yaml".to_owned(), NEW_DEFINITIONS.to_owned());
                Some(PreflightStep::ReplaceDefinitions(vec![new]))
            }
            _ => None,
        }
    }

    /// Returns some of the options, for a first manifest.
    pub fn some_options(&self, random: &mut Random) -> Vec<usize> {
        (0..self.options.len()).filter(|_| random.chance(400)).collect()
    }

    /// Returns the options of the next manifest after one with these options.
    pub fn vary(&self, mut options: Vec<usize>, random: &mut Random) -> Vec<usize> {
        options.retain(|_| !random.chance(250));
        for option in 0..self.options.len() {
            if random.chance(120) {
                options.retain(|known| *known != option);
                options.push(option);
            }
        }
        options
    }

    /// Returns a manifest with some of the options.
    ///
    /// # Errors
    ///
    /// Returns a message if the parts cannot be merged.
    pub fn manifest(&self, name: &str, options: &[usize]) -> Result<OwnedDoc, String> {
        let base = with_name(&self.base, name);
        let parts = options.iter().map(|option| self.fragment(name, *option));
        let mut object = None;
        for (number, part) in [base].into_iter().chain(parts).enumerate() {
            object = Some(self.merged(object.as_ref(), &part, &format!("part-{number}"))?);
        }
        let object = object.unwrap_or(Doc::Null);
        // Without the defaults.
        let fields =
            owners(&object).into_iter().fold(FieldSet::new(), |fields, owner| fields.union(owner.fields));
        Ok(extract(&object, &fields))
    }

    /// Returns a live object with an option.
    ///
    /// # Errors
    ///
    /// Returns a message if the two cannot be merged.
    pub fn changed(&self, live: &OwnedDoc, name: &str, option: usize) -> Result<OwnedDoc, String> {
        let merged = self.merged(Some(live), &self.fragment(name, option), "part")?;
        Ok(without_unset_fields(&self.served.server.context, without_managed_fields(merged)))
    }

    /// Returns an option as a manifest of its own.
    #[must_use]
    pub fn fragment(&self, name: &str, option: usize) -> OwnedDoc {
        let mut fragment = with_name(&identity_of(&self.base), name);
        for (key, value) in self.options[option].as_map().into_iter().flat_map(skewer_engine::OwnedMap::iter)
        {
            let Some(map) = fragment.as_map_mut() else { break };
            match (map.get_mut(key).and_then(Doc::as_map_mut), value.as_map()) {
                (Some(metadata), Some(added)) => {
                    for (key, value) in added.iter() {
                        metadata.insert(key.clone(), value.clone());
                    }
                }
                _ => drop(map.insert(key.clone(), value.clone())),
            }
        }
        fragment
    }

    fn merged(&self, live: Option<&OwnedDoc>, part: &OwnedDoc, manager: &str) -> Result<OwnedDoc, String> {
        let request = ToolRequest {
            force: true,
            ..ToolRequest::new("a part", Request::ServerSideApply, manager, part.clone())
        };
        let answered = Answered::simulate(request, &self.served, live);
        answered.end.map_err(|error| format!("{}: {part}: {error}", self.name))
    }
}

fn with_name(object: &OwnedDoc, name: &str) -> OwnedDoc {
    let mut object = object.clone();
    if let Some(metadata) = object.as_map_mut().and_then(|object| object.get_mut("metadata")?.as_map_mut()) {
        metadata.insert("name".into(), Doc::from(name.to_owned()));
    }
    object
}
