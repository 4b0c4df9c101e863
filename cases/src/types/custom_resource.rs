//! The types of a `CustomResourceDefinition`, as the parties of a case know them.

use std::sync::Arc;

use skewer_admission::definition::{CustomResourceDefinition, Version};
use skewer_admission::not_simulated::NotSimulated;
use skewer_admission::structural::StructuralSchema;
use skewer_admission::{Admission, AdmissionOptions};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::openapi::decode_definition;
use skewer_engine::schema::{MetadataTags, SchemaElement};
use skewer_engine::{Doc, Error, ErrorKind, FieldPath, OwnedDoc, PathSegment};

use super::compiled::Types;

/// A custom resource, in one version of its definition.
#[derive(Clone, Debug)]
pub struct CustomResourceVersion {
    definition: Arc<CustomResourceDefinition>,
    /// The index of the version in the definition.
    version: usize,
    /// The name of the type of the objects.
    type_name: String,
    /// The types of a server.
    server: PatchContext,
    /// The types of a client that decodes objects into structs.
    client: PatchContext,
}

impl CustomResourceVersion {
    /// Reads a version of a definition.
    ///
    /// # Errors
    ///
    /// Returns the errors of the definition, or one error if it does not have the version.
    pub fn read(document: &OwnedDoc, version: &str) -> Result<Self, Vec<Error>> {
        CustomResourceVersion::read_with_tags(document, version, &MetadataTags::registered())
    }

    /// Reads a version of a definition. Its patch metadata can use the given tags.
    pub(crate) fn read_with_tags(
        document: &OwnedDoc,
        version: &str,
        tags: &MetadataTags,
    ) -> Result<Self, Vec<Error>> {
        const DISPLAY_NAME: &str = "the definition";
        let definition = CustomResourceDefinition::read(document)?;
        let Some(index) = definition.versions.iter().position(|known| known.name == version) else {
            let names: Vec<&str> = definition.versions.iter().map(|version| version.name.as_str()).collect();
            let message =
                format!("the definition has no version {version:?} (expected one of {})", names.join(", "));
            return Err(vec![Error::new(ErrorKind::InvalidSchema, message)]);
        };
        let name = format!("{}/{version}/{}", definition.group, definition.kind);
        let types = Types::from_document(DISPLAY_NAME, document, tags)?;
        let structs = Types::from_document(DISPLAY_NAME, &as_structs(document), tags)?;
        let context = |types: &Types| types.context(&name).map_err(|error| vec![error]);
        Ok(CustomResourceVersion {
            version: index,
            type_name: types.resolve(&name).map_err(|error| vec![error])?.to_owned(),
            server: context(&types)?,
            client: context(&structs)?,
            definition: Arc::new(definition),
        })
    }

    /// Returns the version whose objects have a type. `types` are those of the definition. `None` if the type is not that of
    /// whole objects.
    #[must_use]
    pub fn version_of_type(types: &Types, definition: &OwnedDoc, type_name: &str) -> Option<String> {
        // A definition of `v1beta1` can have its only version beside the list of versions.
        let definition = decode_definition(definition);
        let spec = definition.as_map()?.get("spec")?.as_map()?;
        let group = spec.get("group")?.as_str()?;
        let kind = spec.get("names")?.as_map()?.get("kind")?.as_str()?;
        let names = spec.get("versions")?.as_list()?.iter();
        let mut names = names.filter_map(|version| version.as_map()?.get("name")?.as_str());
        names
            .find(|version| types.find(&format!("{group}/{version}"), kind) == Some(type_name))
            .map(str::to_owned)
    }

    /// Returns the definition.
    #[must_use]
    pub fn definition(&self) -> &CustomResourceDefinition {
        &self.definition
    }

    /// Returns the version.
    #[must_use]
    pub fn version(&self) -> &Version {
        &self.definition.versions[self.version]
    }

    /// Returns the path in the definition for a path in the schema.
    #[must_use]
    pub fn path_in_definition(&self, in_schema: &FieldPath) -> FieldPath {
        let key = |key: &str| PathSegment::Key(key.to_owned().into());
        let version = PathSegment::Index(self.version);
        let schema = [key("spec"), key("versions"), version, key("schema"), key("openAPIV3Schema")];
        let mut path = FieldPath::root();
        schema.into_iter().chain(in_schema.segments().iter().cloned()).for_each(|segment| path.push(segment));
        path
    }

    /// Returns the parts of the schema that are not simulated, with their paths in the definition.
    #[must_use]
    pub fn not_simulated(&self) -> Vec<(FieldPath, NotSimulated)> {
        let admission = self.admission(AdmissionOptions::NEWEST, &[]);
        let parts = admission.not_simulated().iter();
        parts.map(|part| (self.path_in_definition(&part.path), part.clone())).collect()
    }

    /// Returns the schema of the objects.
    #[must_use]
    pub fn schema(&self) -> &StructuralSchema {
        &self.version().schema
    }

    /// Returns the types of a server.
    #[must_use]
    pub fn server_context(&self) -> &PatchContext {
        &self.server
    }

    /// Returns the types of a client that decodes objects into structs. They have no unknown fields, whatever the schema says.
    #[must_use]
    pub fn client_context(&self) -> &PatchContext {
        &self.client
    }

    /// Returns the admission of the objects. Objects are stored in the storage version of the definition. A server can lack
    /// elements of the version.
    #[must_use]
    pub fn admission(&self, options: AdmissionOptions, missing: &[SchemaElement]) -> Admission {
        let options = options.with_preserve_unknown_fields(self.definition.preserve_unknown_fields);
        let mut admission =
            Admission::with_options(self.version().without(&self.type_name, missing), options);
        admission = admission.with_definition(Arc::clone(&self.definition));
        if !missing.is_empty() {
            admission = admission.lacking_elements();
        }
        if self.version().storage {
            return admission;
        }
        match self.definition.versions.iter().find(|version| version.storage) {
            Some(storage) => {
                admission.with_storage_version(Arc::new(Admission::with_options(storage.clone(), options)))
            }
            None => admission,
        }
    }
}

/// Returns a schema in which an object with declared fields keeps no unknown fields: a Go struct drops them, whatever the
/// schema says.
fn as_structs(schema: &OwnedDoc) -> OwnedDoc {
    const UNKNOWN_FIELDS: &str = "x-kubernetes-preserve-unknown-fields";
    match schema {
        Doc::Map(map) => {
            let is_struct =
                map.get("properties").and_then(Doc::as_map).is_some_and(|properties| !properties.is_empty());
            let kept = map.iter().filter(|(key, _)| !(is_struct && key.as_str() == UNKNOWN_FIELDS));
            Doc::Map(kept.map(|(key, value)| (key.clone(), as_structs(value))).collect())
        }
        Doc::List(items) => Doc::List(items.iter().map(as_structs).collect()),
        scalar => scalar.clone(),
    }
}
