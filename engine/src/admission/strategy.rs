//! The order of the steps before a custom resource is stored. Upstream: `customresource_handler.go` (`schemaCoercingDecoder`)
//! and `pkg/registry/customresource/strategy.go` of `apiextensions-apiserver`.

use super::default::set_defaults;
use super::definition::Version;
use super::prune::prune;
use super::validate::validate;
use crate::document::{OwnedDoc, Text};
use crate::error::{Error, ErrorKind, Result};

/// How an API server admits the objects of one version of a custom resource, through the main resource.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Admission {
    /// The version.
    pub version: Version,
    /// Whether errors in values that did not change are only warnings, as in Kubernetes since 1.30.
    pub ratcheting: bool,
}

impl Admission {
    /// Creates the admission of a version, with ratcheting.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Admission { version, ratcheting: true }
    }

    /// Decodes an object from a request or from storage: drops unknown fields, and sets defaults.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::StrictUnknownField`] if `strict` and the object has an unknown field.
    pub fn decode(&self, object: &OwnedDoc, strict: bool) -> Result<OwnedDoc> {
        let mut object = object.clone();
        let dropped = prune(&self.version.schema, &mut object);
        if let (true, Some(path)) = (strict, dropped.into_iter().next()) {
            let message = "unknown field, refused by strict field validation";
            return Err(Error::new(ErrorKind::StrictUnknownField, message).with_path(Some(path)));
        }
        set_defaults(&self.version.schema, &mut object);
        Ok(object)
    }

    /// Admits a decoded object. `old` is the object that it replaces, or `None` if it is created. Returns the object to
    /// store.
    ///
    /// # Errors
    ///
    /// The first error of the validation.
    pub fn admit(&self, old: Option<&OwnedDoc>, object: OwnedDoc) -> Result<OwnedDoc> {
        let mut object = object;
        if self.version.has_status {
            keep_status(old, &mut object);
        }
        let correlated = old.filter(|_| self.ratcheting);
        match validate(&self.version.schema, &object, correlated).errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(object),
        }
    }
}

/// Replaces the status by the old one: with the subresource `status`, a request to the main resource does not change it.
fn keep_status(old: Option<&OwnedDoc>, object: &mut OwnedDoc) {
    const STATUS: &str = "status";
    let Some(object) = object.as_map_mut() else { return };
    match old.and_then(|old| old.as_map()?.get(STATUS)) {
        Some(status) => {
            object.insert(Text::from_static(STATUS), status.clone());
        }
        None => {
            object.remove(STATUS);
        }
    }
}
