//! `CustomResourceDefinition`s.

mod check;
mod reader;

use skewer_engine::document::{Doc, OwnedDoc};

pub use self::check::DefinitionRequest;
use super::structural::StructuralSchema;

/// A custom resource definition, as far as it affects requests and stored objects.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CustomResourceDefinition {
    /// The name of the definition, such as `crontabs.example.com`. Empty if the document has none.
    pub name: String,
    /// The API group, such as `example.com`.
    pub group: String,
    /// The kind of the objects, such as `CronTab`.
    pub kind: String,
    /// Whether the objects have a namespace.
    pub scope: Scope,
    /// The versions, in the order of the document.
    pub versions: Vec<Version>,
    /// How objects are converted between versions.
    pub conversion: Conversion,
    /// Whether unknown fields are kept, as in definitions of `apiextensions.k8s.io/v1beta1`
    /// (`spec.preserveUnknownFields`).
    pub preserve_unknown_fields: bool,
    /// The versions in which objects are or were stored (`status.storedVersions`).
    pub stored_versions: Vec<String>,
    /// Whether the definition is of `apiextensions.k8s.io/v1beta1`, which servers up to 1.21 had. It was converted.
    pub is_old: bool,
    /// The document of the definition.
    source: OwnedDoc,
}

impl CustomResourceDefinition {
    /// Returns the definition as that of a server that remembers objects in these versions (`status.storedVersions`).
    #[must_use]
    pub fn with_stored_versions(mut self, versions: Vec<String>) -> Self {
        let names = versions.iter().map(|name| Doc::from(name.as_str()).to_static()).collect();
        let stored = std::iter::once(("storedVersions".into(), Doc::List(names))).collect();
        if let Some(document) = self.source.as_map_mut() {
            document.insert("status".into(), Doc::Map(stored));
        }
        self.stored_versions = versions;
        self
    }

    /// Returns the document of the definition, as an API server decodes it.
    #[must_use]
    pub fn document(&self) -> &OwnedDoc {
        &self.source
    }
}

/// Whether the objects of a kind have a namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The objects are in namespaces.
    #[default]
    Namespaced,
    /// The objects belong to the cluster.
    Cluster,
}

/// How objects are converted between versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// Only `apiVersion` changes.
    #[default]
    None,
    /// A webhook converts the objects. It is not simulated.
    Webhook,
}

/// A version of a custom resource.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the format, independent of the others")]
#[non_exhaustive]
pub struct Version {
    /// The name of the version, such as `v1`.
    pub name: String,
    /// Whether requests can use the version.
    pub served: bool,
    /// Whether objects are stored in the version.
    pub storage: bool,
    /// Whether the version is deprecated.
    pub deprecated: bool,
    /// The schema of the objects.
    pub schema: StructuralSchema,
    /// Whether the version has the subresource `status`.
    pub has_status: bool,
    /// The subresource `scale`, if the version has it.
    pub scale: Option<Scale>,
}

/// The fields that the subresource `scale` reads and writes, as JSON paths such as `.spec.replicas`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scale {
    /// The number of replicas that is wanted.
    pub spec_replicas_path: String,
    /// The number of replicas that exist.
    pub status_replicas_path: String,
    /// The label selector of the replicas.
    pub label_selector_path: Option<String>,
}
