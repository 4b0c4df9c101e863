//! The argument `--no-admission`: whether a custom resource is admitted as its definition says.

use clap::Args;
use skewer_admission::Admission;
use skewer_engine::document::Text;
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc, OwnedMap, PathSegment};

use super::patch_context::LoadedDefinition;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::DocumentPair;
use crate::cli::output;

/// The subresource that has a part of the object.
const STATUS: &str = "status";

/// The argument that says whether a custom resource is admitted.
#[derive(Debug, Args)]
pub(in crate::cli) struct AdmissionArguments {
    /// Do not admit a custom resource: print the merged object as it is. Without this option, and with a custom resource
    /// definition as --schema, unknown fields are pruned, defaults are set, and the object is validated, as by a server.
    #[arg(long)]
    no_admission: bool,
}

impl AdmissionArguments {
    /// Returns the admission of the objects of a definition, for requests to the main resource (`""`) or to a
    /// subresource. Notes what it leaves out. `None` if the objects are not admitted.
    ///
    /// # Errors
    /// Fails if a server does not serve the version or the subresource.
    pub(in crate::cli) fn of(
        &self,
        loaded: Option<&LoadedDefinition>,
        subresource: &str,
    ) -> Result<Option<ObjectAdmission>> {
        let Some(LoadedDefinition { resource, options }) = loaded.filter(|_| !self.no_admission) else {
            return Ok(None);
        };
        let admission = resource.admission(*options, &[]).without_storage_version();
        // A short definition in which no version is served is meant for its types.
        let serves = resource.definition().versions.iter().any(|version| version.served);
        let version = &admission.version;
        if serves && !version.served {
            return Err(not_found(&format!("a server does not serve the version {}", version.name)));
        }
        let is_of_status = subresource == STATUS;
        if is_of_status && !version.has_status {
            return Err(not_found("the definition does not enable the subresource status"));
        }
        if !subresource.is_empty() && !is_of_status {
            let note =
                format!("note: requests to the subresource {subresource} are not admitted by the definition");
            output::error(&note);
            return Ok(None);
        }
        for part in admission.not_simulated() {
            output::error(&part.to_string());
        }
        Ok(Some(ObjectAdmission { admission, is_of_status }))
    }
}

fn not_found(message: &str) -> Failure {
    let message = format!("refused ({}): {message}; --no-admission skips this", ErrorKind::NotFound.id());
    Failure::new(Exit::CellFailed, message)
}

/// How a server admits the objects of a definition.
pub(in crate::cli) struct ObjectAdmission {
    admission: Admission,
    /// Whether requests are sent to the subresource `status`.
    is_of_status: bool,
}

impl ObjectAdmission {
    /// Decodes an object: drops unknown fields, and sets defaults.
    pub(in crate::cli) fn decode(&self, object: &OwnedDoc) -> skewer_engine::Result<OwnedDoc> {
        self.admission.decode(object, false)
    }

    /// Sets the defaults of the result of a server-side apply.
    pub(in crate::cli) fn default_applied(&self, object: &OwnedDoc) -> skewer_engine::Result<OwnedDoc> {
        self.admission.default_applied(object)
    }

    /// Validates a decoded object. `old` is the decoded live object. Returns the object to store.
    ///
    /// # Errors
    /// All errors of the object.
    pub(in crate::cli) fn admit(
        &self,
        old: Option<&OwnedDoc>,
        new: OwnedDoc,
    ) -> std::result::Result<OwnedDoc, Vec<Error>> {
        let subresource = if self.is_of_status { STATUS } else { "" };
        let reviewed = self.admission.review_request(subresource, old, new);
        // A request to the main resource keeps the status, and one to the status keeps the rest.
        let is_kept = |error: &Error| {
            let is_status =
                matches!(error.path().segments().first(), Some(PathSegment::Key(key)) if *key == STATUS);
            old.is_some()
                && if self.is_of_status { !is_status } else { is_status && self.admission.version.has_status }
        };
        let errors: Vec<Error> = reviewed
            .errors
            .into_iter()
            .map(|error| if is_kept(&error) { error.in_base() } else { error })
            .collect();
        if errors.is_empty() { Ok(reviewed.object) } else { Err(errors) }
    }
}

/// Creates the failure with all errors, each in the document that has it.
pub(in crate::cli) fn refusal(documents: DocumentPair<'_>, errors: &[Error]) -> Failure {
    let failures = errors.iter().map(|error| documents.refusal(error));
    Failure::join(failures).unwrap_or_else(|| Failure::new(Exit::CellFailed, ""))
}

/// Removes and returns the managed fields of an object.
pub(in crate::cli) fn take_managed_fields(object: &mut OwnedDoc) -> Option<OwnedDoc> {
    metadata_of(object)?.remove("managedFields")
}

/// Gives an object its managed fields. An object without metadata gets them.
pub(in crate::cli) fn set_managed_fields(object: &mut OwnedDoc, managed_fields: Option<OwnedDoc>) {
    let (Some(managed_fields), Some(map)) = (managed_fields, object.as_map_mut()) else { return };
    if map.get("metadata").is_none_or(Doc::is_null) {
        map.insert(Text::from_static("metadata"), Doc::Map(OwnedMap::new()));
    }
    if let Some(metadata) = metadata_of(object) {
        metadata.insert(Text::from_static("managedFields"), managed_fields);
    }
}

fn metadata_of(object: &mut OwnedDoc) -> Option<&mut OwnedMap> {
    object.as_map_mut()?.get_mut("metadata").and_then(Doc::as_map_mut)
}
