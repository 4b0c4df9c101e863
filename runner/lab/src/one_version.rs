//! One version of a definition on an implementation of admission, such as the real server.

use skewer_admission::AdmitRequest;
use skewer_admission::definition::Scope;
use skewer_audit::effect::value_at_mut;
use skewer_audit::input::DefinitionFile;
use skewer_engine::{Doc, OwnedDoc, PathSegment};
use skewer_targets::{OperationError, Target};

/// A version of a definition.
#[derive(Clone, Copy)]
pub(crate) struct OneVersion<'a> {
    pub(crate) file: &'a DefinitionFile,
    pub(crate) name: &'a str,
}

impl OneVersion<'_> {
    /// Returns the definition with only this version. Requests write whole objects: there is no subresource for the status.
    pub(crate) fn definition(self) -> OwnedDoc {
        let mut version = self.file.version(self.name).cloned().unwrap_or(Doc::Null);
        if let Some(map) = version.as_map_mut() {
            map.remove("subresources");
            map.insert("storage".into(), Doc::Bool(true));
            map.insert("served".into(), Doc::Bool(true));
        }
        let mut document = self.file.document.clone();
        if let Some(map) = document.as_map_mut() {
            map.remove("status");
        }
        if let Some(Doc::Map(spec)) = value_at_mut(&mut document, &[PathSegment::Key("spec".into())]) {
            spec.remove("conversion");
            spec.insert("versions".into(), Doc::List(vec![version]));
        }
        document
    }

    /// Returns an object as a request has it: with its version, its kind and its namespace.
    pub(crate) fn object(self, object: &OwnedDoc) -> OwnedDoc {
        let definition = &self.file.definition;
        let mut object = object.clone();
        let Some(map) = object.as_map_mut() else { return object };
        map.insert("apiVersion".into(), Doc::from(format!("{}/{}", definition.group, self.name)));
        map.insert("kind".into(), Doc::from(definition.kind.clone()));
        // The target does not know the namespace of a request.
        if let Some(Doc::Map(metadata)) = map.get_mut("metadata")
            && definition.scope == Scope::Namespaced
        {
            metadata.insert("namespace".into(), Doc::from("default"));
        }
        object
    }
}

/// Asks a target whether it stores an object, in place of an old one if there is one.
///
/// # Errors
///
/// Returns the reason of the target.
pub(crate) fn admit(
    target: &dyn Target,
    definition: &OwnedDoc,
    new: &OwnedDoc,
    old: Option<&OwnedDoc>,
) -> Result<(), String> {
    let request = AdmitRequest { definition, old, new, strict: false, ratcheting: true };
    let answer = target.admit(&request).map_err(|error| match error {
        OperationError::Refused(error) => error.to_string(),
        OperationError::NoAnswer(failure) => failure.why,
    })?;
    match answer.as_map().and_then(|answer| answer.get("errors")) {
        Some(errors) => Err(errors.to_string()),
        None => Ok(()),
    }
}
