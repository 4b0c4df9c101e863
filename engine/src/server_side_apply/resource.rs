//! The API versions of a resource, and the declared conversion between them.

use std::borrow::Cow;
use std::sync::Arc;

use super::field_set::{FieldSet, PathElement};
use super::topology::TypePosition;
use super::validate::{Duplicates, validate};
use crate::document::{Doc, Map, OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::PatchLibrary;
use crate::schema::{Schema, TypeId};

/// A resource with its API versions.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The versions. Objects are converted between any two of them.
    pub versions: Vec<ResourceVersion>,
    /// How objects are converted, and what becomes of owners in a version that the resource does not have.
    pub conversion: VersionConversion,
}

/// How the server of a resource converts objects to the version of an owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VersionConversion {
    /// By the declared renames. The owners in a version that the resource does not have lose their fields. Upstream:
    /// `versionConverter.IsMissingVersionError`.
    #[default]
    Declared,
    /// By the declared renames. A version that the resource does not have is an error, which refuses every apply request.
    /// Upstream: `crConverter.ConvertToVersion` (k8s.io/apiextensions-apiserver), whose error is not one of those that
    /// `IsMissingVersionError` knows.
    CustomResource,
    /// A field has the same path in all versions. Upstream converts built-in types with code that no library has: the
    /// fields that differ between the versions are not found there. A missing version is as in
    /// [`VersionConversion::Declared`].
    SamePaths,
}

/// A version of a resource.
#[derive(Clone, Debug)]
pub struct ResourceVersion {
    /// The API version, such as `apps/v1`.
    pub api_version: OwnedText,
    /// The types of the version.
    pub schema: Arc<Schema>,
    /// The type of the object.
    pub root: TypeId,
    /// The fields that have another name in this version.
    pub renames: Vec<Rename>,
    /// The fields that requests of this version do not change, as paths. They have no owner.
    pub reset_fields: Vec<Vec<OwnedText>>,
}

/// A field with another path in one version. Versions without a rename have the path `hub`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// The path of the field in versions without a rename.
    pub hub: Vec<OwnedText>,
    /// The path of the field in this version.
    pub version: Vec<OwnedText>,
}

impl Resource {
    /// Creates a resource whose versions declare their conversion.
    #[must_use]
    pub fn new(versions: Vec<ResourceVersion>) -> Self {
        Resource { versions, conversion: VersionConversion::Declared }
    }

    /// Returns the version with this name. `None` if the resource does not have it any more.
    #[must_use]
    pub fn version(&self, api_version: &str) -> Option<&ResourceVersion> {
        self.versions.iter().find(|version| version.api_version == *api_version)
    }

    /// Converts an object to a version, and checks that the result fits the types of that version. An object of this
    /// version is returned as it is. Returns `None` if the resource has no such version, and [the
    /// conversion](Resource::conversion) does not refuse it. Upstream: `versionConverter.Convert`, which refuses list
    /// items of one identity in the result.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidManagedFields`] if the text is no API version: `group/version` or `version`
    /// - [`ErrorKind::ConversionFailed`] if the value is no object of a version of the resource, or if a field cannot be
    ///   moved because another value is in its way
    /// - the errors of a value that does not fit the types of the version
    pub(super) fn convert<'d>(
        &self,
        object: &'d Doc<'_>,
        api_version: &str,
        library: PatchLibrary,
    ) -> Result<Option<(&ResourceVersion, Cow<'d, Doc<'d>>)>> {
        if api_version.matches('/').count() > 1 {
            let message = format!("{api_version:?} is no API version: expected group/version or version");
            return Err(Error::new(ErrorKind::InvalidManagedFields, message));
        }
        let Some(to) = self.version(api_version) else {
            return match self.conversion {
                VersionConversion::Declared | VersionConversion::SamePaths => Ok(None),
                VersionConversion::CustomResource => {
                    let message = format!("request to convert CR to an invalid group/version: {api_version}");
                    Err(Error::new(ErrorKind::ConversionFailed, message))
                }
            };
        };
        if self.conversion == VersionConversion::SamePaths
            && let Some(own) = version_of(object).and_then(|version| self.version(version))
        {
            return Ok(Some((own, Cow::Borrowed(object))));
        }
        let converted = self.convert_unchecked(object, to)?;
        if version_of(object) != Some(api_version) {
            validate(to.place_in(library), &converted, None, Duplicates::Refused)?;
        }
        Ok(Some((to, converted)))
    }

    /// Converts an object to a version as [`Resource::convert`] does, without the check.
    pub(super) fn convert_unchecked<'d>(
        &self,
        object: &'d Doc<'_>,
        to: &ResourceVersion,
    ) -> Result<Cow<'d, Doc<'d>>> {
        let from = version_of(object);
        if from == Some(to.api_version.as_str()) {
            return Ok(Cow::Borrowed(object));
        }
        let failed = |message: String| Error::new(ErrorKind::ConversionFailed, message);
        let Doc::Map(mut converted) = object.borrowed() else {
            let found = object.kind().with_article();
            return Err(failed(format!("expected an object to convert, found {found}")));
        };
        let api_version = from.ok_or_else(|| failed("the object has no API version".to_owned()))?;
        let from = self.version(api_version).ok_or_else(|| {
            failed(format!("the object has the API version {api_version}, which the resource does not have"))
        })?;
        for rename in from.renames.iter().rev() {
            move_value(&mut converted, &rename.version, &rename.hub).map_err(failed)?;
        }
        for rename in &to.renames {
            move_value(&mut converted, &rename.hub, &rename.version).map_err(failed)?;
        }
        converted.insert(Text::from_static("apiVersion"), Doc::String(to.api_version.clone()));
        Ok(Cow::Owned(Doc::Map(converted)))
    }
}

/// Returns the API version that an object says.
pub(super) fn version_of<'d>(object: &'d Doc<'_>) -> Option<&'d str> {
    object.as_map().and_then(|map| map.get("apiVersion")).and_then(Doc::as_str)
}

impl ResourceVersion {
    /// Returns the place of the whole object: the root of its schema.
    #[must_use]
    pub fn place(&self) -> TypePosition<'_> {
        TypePosition::of_object(&self.schema, self.root)
    }

    /// Returns the place of the whole object on a server whose libraries are these.
    pub(super) fn place_in(&self, library: PatchLibrary) -> TypePosition<'_> {
        self.place().with_library(library)
    }

    /// Returns the fields that requests of this version do not change.
    pub(super) fn reset_field_set(&self) -> FieldSet<'static> {
        let mut set = FieldSet::new();
        for path in &self.reset_fields {
            let path: Vec<_> = path.iter().map(|name| PathElement::Field(name.clone())).collect();
            set.insert(&path);
        }
        set
    }
}

/// Moves a value between two paths of an object. Maps on the way are created, and removed if they become empty. Returns
/// a message if another value is in the place of such a map.
fn move_value(object: &mut Map<'_>, from: &[OwnedText], to: &[OwnedText]) -> Result<(), String> {
    let Some(value) = take(object, from) else { return Ok(()) };
    put(object, to, value).map_err(|name| {
        let [from, to] = [from, to].map(|path| path.join("."));
        format!("cannot move {from} to {to}: {name} is not a map")
    })
}

fn take<'a>(map: &mut Map<'a>, path: &[OwnedText]) -> Option<Doc<'a>> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        return map.remove(first);
    }
    let inner = map.get_mut(first)?.as_map_mut()?;
    let value = take(inner, rest)?;
    if inner.is_empty() {
        map.remove(first);
    }
    Some(value)
}

/// Returns the name of the value that is not a map, if there is one on the way.
fn put<'a>(map: &mut Map<'a>, path: &[OwnedText], value: Doc<'a>) -> Result<(), OwnedText> {
    let Some((first, rest)) = path.split_first() else { return Ok(()) };
    if rest.is_empty() {
        map.insert(first.clone(), value);
        return Ok(());
    }
    let mut inner = match map.remove(first) {
        Some(Doc::Map(inner)) => inner,
        None | Some(Doc::Null) => Map::new(),
        Some(_) => return Err(first.clone()),
    };
    put(&mut inner, rest, value)?;
    map.insert(first.clone(), Doc::Map(inner));
    Ok(())
}
