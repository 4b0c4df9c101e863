//! The resource that a server serves: its versions, and the fields that a request to it cannot change.

use std::sync::Arc;

use skewer_admission::Admission;
use skewer_admission::definition::CustomResourceDefinition;
use skewer_engine::document::{Doc, OwnedDoc, OwnedMap, OwnedText, Text};
use skewer_engine::error::Result;
use skewer_engine::patch::{LibraryChange, PatchContext};
use skewer_engine::schema::{TypeId, builtin, openapi};
use skewer_engine::server_side_apply::{Resource, ResourceVersion, VersionConversion};

use super::built_in_kind::BuiltInKind;
use super::convert::{Decoder, UnknownFieldHandling, convert, without_unset_fields};

/// The name of the subresource through which controllers write the status.
pub(super) const STATUS: &str = "status";

/// The resource of the objects of a server.
#[derive(Clone, Copy, Debug)]
pub struct ServedResource<'a> {
    context: &'a PatchContext,
    kind: ServedKind<'a>,
}

#[derive(Clone, Copy, Debug)]
enum ServedKind<'a> {
    Custom(&'a Admission),
    BuiltIn(BuiltInKind<'a>),
    /// Types that are not those of a resource.
    Unknown,
}

impl<'a> ServedResource<'a> {
    /// Returns the resource of a server with these types. `admission` is that of a custom resource.
    #[must_use]
    pub fn new(context: &'a PatchContext, admission: Option<&'a Admission>) -> Self {
        let release = || builtin::release_of_schema(&context.schema).unwrap_or(builtin::newest());
        let built_in = || BuiltInKind::of(context.schema.as_struct(context.root)?, release().minor());
        let kind = match (admission, context.custom_resource) {
            (Some(admission), _) => ServedKind::Custom(admission),
            (None, true) => ServedKind::Unknown,
            (None, false) => built_in().map_or(ServedKind::Unknown, ServedKind::BuiltIn),
        };
        ServedResource { context, kind }
    }

    /// Returns the API version of the requests. `None` if only the documents can say it.
    #[must_use]
    pub fn api_version(&self) -> Option<OwnedText> {
        match self.kind {
            ServedKind::Custom(admission) => {
                let definition = definition_of_versions(admission)?;
                Some(api_version(definition, &admission.version.name))
            }
            ServedKind::BuiltIn(kind) => Some(Text::from(kind.api_version())),
            ServedKind::Unknown => None,
        }
    }

    /// Returns the resource as the field manager of an endpoint sees it, for requests of a version. `subresource` is empty
    /// for the main resource. Returns `None` if it is nothing but this version and its types.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`](skewer_engine::ErrorKind::InvalidSchema) if a list has metadata that server-side apply
    /// does not understand.
    pub fn resource(&self, api_version: &str, subresource: &str) -> Result<Option<Resource>> {
        let reset_fields = self.reset_fields(subresource);
        let mut others = self.other_versions();
        others.retain(|(other, _)| *other != *api_version);
        let conversion = match self.kind {
            ServedKind::Custom(admission) if definition_of_versions(admission).is_some() => {
                VersionConversion::CustomResource
            }
            ServedKind::BuiltIn(_) => VersionConversion::SamePaths,
            ServedKind::Custom(_) | ServedKind::Unknown => VersionConversion::Declared,
        };
        if reset_fields.is_empty() && others.is_empty() && conversion != VersionConversion::CustomResource {
            return Ok(None);
        }
        self.context.schema.check_topology(self.context.root)?;
        let version = |api_version: OwnedText, root: TypeId, reset_fields| ResourceVersion {
            api_version,
            schema: Arc::clone(&self.context.schema),
            root,
            renames: Vec::new(),
            reset_fields,
        };
        let resets_others = self.resets_other_versions(subresource);
        let of_others = if resets_others { reset_fields.clone() } else { Vec::new() };
        let own = version(Text::from(api_version), self.context.root, reset_fields);
        let others = others.into_iter().map(|(other, root)| version(other, root, of_others.clone()));
        Ok(Some(Resource { versions: std::iter::once(own).chain(others).collect(), conversion }))
    }

    /// Returns the other versions of the resource, with the types of their objects. A type that is not known is that of the
    /// version of the server.
    fn other_versions(&self) -> Vec<(OwnedText, TypeId)> {
        match self.kind {
            ServedKind::Custom(admission) => {
                let Some(definition) = definition_of_versions(admission) else { return Vec::new() };
                let root = |name: &str| {
                    let name = openapi::published_name(&definition.group, name, &definition.kind);
                    self.context.schema.named(&name).unwrap_or(self.context.root)
                };
                let others = definition.versions.iter().filter(|other| other.name != admission.version.name);
                others.map(|other| (api_version(definition, &other.name), root(&other.name))).collect()
            }
            ServedKind::BuiltIn(kind) => kind.other_versions(&self.context.schema),
            ServedKind::Unknown => Vec::new(),
        }
    }

    /// Returns an object of the Go type of the resource in which no field is set, without apiVersion and kind: it has the fields
    /// that Go always writes, so that nobody becomes their owner. `None` if the resource has no Go type. Upstream:
    /// `ObjectCreater.New`.
    #[must_use]
    pub fn new_object(&self) -> Option<OwnedDoc> {
        if matches!(self.kind, ServedKind::Custom(_)) || self.context.custom_resource {
            return None;
        }
        convert(self.context, &Doc::Map(OwnedMap::new()), Decoder::Json, UnknownFieldHandling::Drop).ok()
    }

    /// Returns true if the status is written through a subresource of its own.
    #[must_use]
    pub fn has_status_subresource(&self) -> bool {
        match self.kind {
            ServedKind::Custom(admission) => admission.version.has_status,
            ServedKind::BuiltIn(kind) => kind.has_status_subresource(),
            ServedKind::Unknown => false,
        }
    }

    /// Returns the fields that have no owner because requests to an endpoint do not change them. Before 1.21, the status
    /// had owners. Upstream: `GetResetFields` of the strategies (k8s.io/kubernetes and k8s.io/apiextensions-apiserver).
    fn reset_fields(&self, subresource: &str) -> Vec<Vec<OwnedText>> {
        if !self.context.library.has(LibraryChange::ResetFieldsUnowned) {
            return Vec::new();
        }
        let paths: &[&[&str]] = match (self.kind, subresource) {
            (ServedKind::Custom(admission), "") if admission.version.has_status => &[&[STATUS]],
            (ServedKind::Custom(_), STATUS)
                if self.context.library.has(LibraryChange::StatusResetsMetadata) =>
            {
                &[&["metadata"], &["spec"]]
            }
            (ServedKind::Custom(_), STATUS) => &[&["spec"]],
            (ServedKind::BuiltIn(kind), "") => kind.reset_fields(),
            (ServedKind::BuiltIn(kind), STATUS) => kind.reset_fields_of_status(),
            _ => &[],
        };
        paths.iter().map(|path| path.iter().map(|name| Text::from(*name)).collect()).collect()
    }

    /// Returns true if the fields that have no owner have none in entries of other versions, either. Upstream: the arguments of
    /// `scopeWithFieldManager` (k8s.io/apiextensions-apiserver); the strategies of built-in kinds name all versions.
    fn resets_other_versions(&self, subresource: &str) -> bool {
        match self.kind {
            ServedKind::Custom(_) => {
                subresource == STATUS && self.context.library.has(LibraryChange::StatusResetsVersions)
            }
            ServedKind::BuiltIn(_) | ServedKind::Unknown => true,
        }
    }

    /// Returns true if `object`, which a request would store in place of `old`, has no change that the request cannot make.
    #[must_use]
    pub fn is_prepared_for(&self, subresource: &str, old: Option<&OwnedDoc>, object: &OwnedDoc) -> bool {
        let known = |object| without_unset_fields(self.context, object);
        let prepared = self.prepared(subresource, old, object.clone());
        prepared.is_ok_and(|prepared| known(prepared) == known(object.clone()))
    }

    /// Returns a decoded object with the fields that the request cannot change: those of the old object, or none if the
    /// object is created. Upstream: `PrepareForCreate`, `PrepareForUpdate`. That of custom resources is a part of their
    /// admission.
    ///
    /// # Errors
    ///
    /// None: the object and the old object are decoded.
    pub fn prepared(
        &self,
        subresource: &str,
        old: Option<&OwnedDoc>,
        mut object: OwnedDoc,
    ) -> Result<OwnedDoc> {
        let ServedKind::BuiltIn(kind) = self.kind else { return Ok(object) };
        let paths = match (old, subresource) {
            (None, _) => kind.dropped_on_create(),
            (Some(_), "") => kind.kept_on_update(),
            (Some(_), STATUS) => kind.kept_on_update_of_status(),
            (Some(_), _) => &[],
        };
        if paths.is_empty() {
            return Ok(object);
        }
        for path in paths {
            restore(&mut object, old, path);
        }
        // A field that is dropped has its zero value in a Go type.
        convert(self.context, &object, Decoder::Json, UnknownFieldHandling::Drop)
    }
}

/// Returns the definition with the versions of the resource. `None` if a conversion moves fields: field sets are not moved, so that
/// all entries of managed fields have the version of the server.
fn definition_of_versions(admission: &Admission) -> Option<&CustomResourceDefinition> {
    admission.resource_definition().filter(|_| !admission.is_of_moved_fields())
}

fn api_version(definition: &CustomResourceDefinition, version: &str) -> OwnedText {
    Text::from(format!("{}/{version}", definition.group))
}

/// Replaces the value at a path by that of the old object.
fn restore(object: &mut OwnedDoc, old: Option<&OwnedDoc>, path: &[&str]) {
    let (Some((name, rest)), Some(map)) = (path.split_first(), object.as_map_mut()) else { return };
    let old = old.and_then(|old| old.as_map()?.get(name)).filter(|old| !old.is_null());
    match (rest, old) {
        ([], None) => drop(map.remove(name)),
        ([], Some(old)) => drop(map.insert(Text::from(*name), old.clone())),
        (rest, old) => {
            if old.is_some() && map.get(name).is_none_or(Doc::is_null) {
                map.insert(Text::from(*name), Doc::Map(skewer_engine::document::Map::new()));
            }
            if let Some(inner) = map.get_mut(name) {
                restore(inner, old, rest);
            }
        }
    }
}
