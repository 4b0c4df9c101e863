//! The types of the objects: those of the definitions at hand, and the built-in kinds of a release.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use skewer_admission::Admission;
use skewer_admission::definition::{Conversion, CustomResourceDefinition};
use skewer_audit::input::revision;
use skewer_engine::patch::{PatchContext, PatchLibrary};
use skewer_engine::schema::builtin::Release;
use skewer_engine::server_side_apply::topology::TypePosition;
use skewer_engine::union::policy;
use skewer_engine::{Doc, OwnedDoc};
use skewer_skew::{BuiltInDefaults, Client, Decoding, Server, entries, with_entries, without_managed_fields};

use crate::dump::{DumpedObject, ObjectId};

/// A server of a kind of objects, and a client that sends manifests to it.
#[derive(Clone, Debug)]
pub struct ServedKind {
    /// The server.
    pub server: Server,
    /// The client. It has no types of its own, as tools that send manifests.
    pub client: Client,
    /// The parts that are not simulated for this kind, one phrase each.
    pub not_simulated: Vec<String>,
}

impl ServedKind {
    /// Returns an object of a dump as the server reads it: a built-in kind has its defaults.
    #[must_use]
    pub fn completed(&self, object: &OwnedDoc) -> OwnedDoc {
        if self.server.admission.is_some() {
            return object.clone();
        }
        // An object that cannot be decoded is refused later, with a reason.
        match self.server.completed(&without_managed_fields(object.clone())) {
            Ok(completed) if entries(object).is_empty() => completed,
            Ok(completed) => with_entries(&completed, entries(object).to_vec()),
            Err(_) => object.clone(),
        }
    }

    /// Returns the place of a whole object, for comparisons.
    #[must_use]
    pub fn place(&self) -> TypePosition<'_> {
        let context = &self.server.context;
        TypePosition::of_object(&context.schema, context.root).with_library(context.library)
    }
}

/// The version of a kind that a request names, and the one in which its objects were read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KindVersion {
    /// The API version of the request.
    pub request: String,
    /// The kind.
    pub kind: String,
    /// The API version in which the object was read.
    pub stored: String,
}

/// The kinds that a server serves.
#[derive(Clone)]
pub struct ServedKinds {
    release: &'static Release,
    /// The definitions, by group and kind.
    definitions: BTreeMap<[String; 2], CustomResourceDefinition>,
    known: HashMap<KindVersion, Result<Arc<ServedKind>, String>>,
}

impl ServedKinds {
    /// Creates the kinds of a release, without custom resources.
    #[must_use]
    pub fn of(release: &'static Release) -> Self {
        ServedKinds { release, definitions: BTreeMap::new(), known: HashMap::new() }
    }

    /// Returns the same kinds with the built-in ones of another release.
    #[must_use]
    pub fn of_release(self, release: &'static Release) -> Self {
        ServedKinds { release, known: HashMap::new(), ..self }
    }

    /// Adds a definition. It replaces an earlier one of the same kind.
    ///
    /// # Errors
    ///
    /// Returns a message with the place if the definition is not valid.
    pub fn define(&mut self, object: &DumpedObject) -> Result<(), String> {
        match CustomResourceDefinition::read(&object.object) {
            Ok(definition) => {
                self.known.clear();
                self.definitions.insert([definition.group.clone(), definition.kind.clone()], definition);
                Ok(())
            }
            Err(errors) => {
                let first = errors.first().map(ToString::to_string).unwrap_or_default();
                Err(format!("{}: the definition is not valid: {first}", object.place))
            }
        }
    }

    /// Removes a version, such as `example.com/v1alpha1`, from the definition of its group. The objects are then served
    /// in the version in which they are stored, or in the first one that remains.
    ///
    /// # Errors
    ///
    /// Returns a message if no definition has the version, or if no other version remains.
    pub fn remove_version(&mut self, api_version: &str) -> Result<(), String> {
        let no_version = || format!("--remove-version {api_version}: no definition has this version");
        let (group, version) = api_version.rsplit_once('/').ok_or_else(no_version)?;
        let mut is_found = false;
        for definition in self.definitions.values_mut().filter(|definition| definition.group == group) {
            if definition.versions.iter().all(|known| known.name != version) {
                continue;
            }
            is_found = true;
            let document = without_version(definition.document(), version);
            *definition = CustomResourceDefinition::read(&document).map_err(|errors| {
                let first = errors.first().map(ToString::to_string).unwrap_or_default();
                format!(
                    "--remove-version {api_version}: without it, {} is not valid: {first}",
                    definition.name
                )
            })?;
        }
        self.known.clear();
        if is_found { Ok(()) } else { Err(no_version()) }
    }

    /// Returns the definitions.
    pub fn definitions(&self) -> impl Iterator<Item = &CustomResourceDefinition> {
        self.definitions.values()
    }

    /// Returns true if a definition declares the kind of an object.
    #[must_use]
    pub fn is_defined(&self, id: &ObjectId) -> bool {
        self.definitions.contains_key(&[id.group.clone(), id.kind.clone()])
    }

    /// Returns the version in which objects that were read in `api_version` are read. It is another one if the server
    /// does not have that version any more.
    #[must_use]
    pub fn version_of(&self, api_version: &str, kind: &str) -> String {
        let Some((group, version)) = api_version.rsplit_once('/') else { return api_version.to_owned() };
        let Some(definition) = self.definitions.get(&[group.to_owned(), kind.to_owned()]) else {
            return api_version.to_owned();
        };
        if definition.versions.iter().any(|known| known.name == version) {
            return api_version.to_owned();
        }
        let served = definition.versions.iter().filter(|known| known.served);
        let other = served.max_by_key(|known| known.storage);
        other.map_or_else(|| api_version.to_owned(), |other| format!("{group}/{}", other.name))
    }

    /// Returns the server of a kind.
    ///
    /// # Errors
    ///
    /// Returns the reason for which objects of this kind are not judged.
    pub fn get(&mut self, version: &KindVersion) -> Result<Arc<ServedKind>, String> {
        if let Some(known) = self.known.get(version) {
            return known.clone();
        }
        let served = self.serve(version).map(Arc::new);
        self.known.insert(version.clone(), served.clone());
        served
    }

    fn serve(&self, kind: &KindVersion) -> Result<ServedKind, String> {
        let group = kind.request.rsplit_once('/').map_or("", |(group, _)| group);
        let library = PatchLibrary::of_release(self.release.minor());
        if let Some(definition) = self.definitions.get(&[group.to_owned(), kind.kind.clone()]) {
            return self.serve_custom(definition, kind, library);
        }
        let name = &kind.kind;
        if kind.stored != kind.request {
            return Err(format!("{name} in {}: the objects were read in {}", kind.request, kind.stored));
        }
        let Some(ty) = self.release.find(&kind.request, name) else {
            let of_group = group.contains('.') && !group.ends_with(".k8s.io");
            return Err(if of_group {
                format!("{name} {}: no definition (add it with --crds)", kind.request)
            } else {
                format!("{name} {}: {} has no types for it", kind.request, self.release.name())
            });
        };
        let context =
            PatchContext::of(Arc::clone(self.release.schema()), ty).map_err(|error| error.to_string())?;
        let context = PatchContext { library, ..context };
        let server = Server {
            context: context.clone(),
            strict: false,
            policy: policy::NONE,
            admission: None,
            defaults: BuiltInDefaults::Simulated,
        };
        Ok(ServedKind {
            server,
            client: Client::new(context, Decoding::Unstructured),
            not_simulated: vec!["validation and admission plugins of built-in kinds".to_owned()],
        })
    }

    fn serve_custom(
        &self,
        definition: &CustomResourceDefinition,
        kind: &KindVersion,
        library: PatchLibrary,
    ) -> Result<ServedKind, String> {
        let version_name = |api_version: &str| api_version.rsplit('/').next().unwrap_or_default().to_owned();
        let revision_of = |api_version: &str| {
            revision(definition.document(), &version_name(api_version)).map_err(|errors| {
                let first = errors.first().map(ToString::to_string).unwrap_or_default();
                format!("{} {api_version}: {first}", kind.kind)
            })
        };
        let requested = revision_of(&kind.request)?;
        let mut not_simulated = Vec::new();
        let mut admission = requested.admission.as_deref().cloned();
        if let Some(known) = admission.take() {
            let known = known.on_release(self.release.minor()).without_storage_version();
            let label = format!("{} {}", kind.kind, kind.request);
            not_simulated.extend(known.not_simulated().iter().map(|part| format!("{label}: {part}")));
            // The dump has the objects as they were read, and not as they are stored.
            admission = Some(if kind.stored == kind.request {
                known
            } else {
                let stored = revision_of(&kind.stored)?.admission;
                let stored = stored.as_deref().cloned().map(Admission::without_storage_version);
                stored.into_iter().fold(known, |known, stored| known.with_storage_version(Arc::new(stored)))
            });
        }
        if definition.conversion == Conversion::Webhook && definition.versions.len() > 1 {
            not_simulated.push(format!("the conversion webhook of {}", definition.name));
        }
        let context = PatchContext { library, ..requested.context };
        Ok(ServedKind {
            server: Server {
                context,
                strict: false,
                policy: policy::NONE,
                admission: admission.map(Arc::new),
                defaults: BuiltInDefaults::NotSimulated,
            },
            client: Client::new(PatchContext { library, ..requested.client_context }, Decoding::Unstructured),
            not_simulated,
        })
    }
}

/// Returns a definition without a version. If its objects were stored in this version, they are stored in the last one
/// that remains.
fn without_version(definition: &OwnedDoc, name: &str) -> OwnedDoc {
    let mut document = definition.clone();
    let spec = document.as_map_mut().and_then(|map| map.get_mut("spec")?.as_map_mut());
    let versions = spec.and_then(|spec| spec.get_mut("versions")?.as_list_mut());
    let is_true =
        |version: &OwnedDoc, key: &str| version.as_map().and_then(|v| v.get(key)) == Some(&Doc::Bool(true));
    if let Some(versions) = versions {
        versions.retain(|version| {
            version.as_map().and_then(|version| version.get("name")?.as_str()) != Some(name)
        });
        if !versions.iter().any(|version| is_true(version, "storage"))
            && let Some(last) = versions.last_mut().and_then(Doc::as_map_mut)
        {
            last.insert("storage".into(), Doc::Bool(true));
        }
    }
    if let Some(map) = document.as_map_mut() {
        map.remove("status");
    }
    document
}
