//! The argument `--no-admission`: whether an object is read and admitted as by a server.

use clap::Args;
use skewer_admission::Admission;
use skewer_engine::document::Text;
use skewer_engine::patch::PatchContext;
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc, OwnedMap, PathSegment};
use skewer_skew::{Decoder, ServedResource, UnknownFieldHandling, convert, without_unset_fields};

use super::patch_context::LoadedDefinition;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::{DocumentPair, InputDocument};
use crate::cli::output;

/// The subresource that has a part of the object.
const STATUS: &str = "status";

/// The argument that says whether a custom resource is admitted.
#[derive(Debug, Args)]
pub(in crate::cli) struct AdmissionArguments {
    /// Print the merged object as it is. Without this option, and with a custom resource definition as --schema, unknown fields
    /// are pruned, defaults are set, and the object is validated, as by a server. `skewer apply` reads and writes an object of a
    /// built-in kind as its Go type, which drops unknown fields and empty values.
    #[arg(long)]
    pub(in crate::cli) no_admission: bool,
}

impl AdmissionArguments {
    /// Returns the admission of the objects of a definition, for requests to the main resource (`""`) or to a
    /// subresource. Notes what it leaves out. `None` if the objects are not admitted.
    ///
    /// # Errors
    /// Fails if a server does not serve the version or the subresource, or refuses the definition.
    pub(in crate::cli) fn of(
        &self,
        loaded: Option<&LoadedDefinition>,
        subresource: &str,
    ) -> Result<Option<ObjectAdmission>> {
        let Some(loaded) = loaded.filter(|_| !self.no_admission) else {
            return Ok(None);
        };
        let resource = &loaded.resource;
        let admission = loaded.admission()?.without_storage_version();
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
        loaded.note_not_simulated();
        Ok(Some(ObjectAdmission::Definition { admission: Box::new(admission), is_of_status }))
    }
}

/// Checks that a built-in kind has the subresource of a request, and notes one whose requests are not simulated.
///
/// # Errors
/// Fails if the kind has no subresource `status`. Which kinds have other subresources is not known.
pub(in crate::cli) fn check_subresource(context: &PatchContext, subresource: &str) -> Result<()> {
    if subresource == STATUS && !ServedResource::new(context, None).has_status_subresource() {
        return Err(not_found("the kind has no subresource status"));
    }
    if !subresource.is_empty() && subresource != STATUS {
        output::error(&format!(
            "note: requests to the subresource {subresource} are not simulated: the request writes the whole object, with owners \
             of the subresource"
        ));
    }
    Ok(())
}

fn not_found(message: &str) -> Failure {
    let message = format!("refused ({}): {message}; --no-admission skips this", ErrorKind::NotFound.id());
    Failure::new(Exit::CellFailed, message)
}

/// How a server reads and admits objects.
pub(in crate::cli) enum ObjectAdmission {
    /// As a definition says.
    Definition {
        admission: Box<Admission>,
        /// Whether requests are sent to the subresource `status`.
        is_of_status: bool,
    },
    /// As the Go type of a built-in kind says: a server reads and writes each object as this type, which drops unknown fields and
    /// empty values, and keeps the fields that requests to the subresource cannot change. Nothing is validated.
    GoType { context: PatchContext, subresource: String },
}

impl ObjectAdmission {
    /// Decodes an object: drops unknown fields, and sets defaults.
    pub(in crate::cli) fn decode(&self, object: &OwnedDoc) -> skewer_engine::Result<OwnedDoc> {
        match self {
            ObjectAdmission::Definition { admission, .. } => admission.decode(object, false),
            ObjectAdmission::GoType { context, .. } => {
                let mut object = object.clone();
                let managed_fields = take_managed_fields(&mut object);
                let mut read = convert(context, &object, Decoder::Json, UnknownFieldHandling::Drop)?;
                set_managed_fields(&mut read, managed_fields);
                Ok(read)
            }
        }
    }

    /// Returns true if requests to the main resource do not change the status.
    pub(in crate::cli) fn keeps_status(&self) -> bool {
        matches!(self, ObjectAdmission::Definition { admission, is_of_status: false } if admission.version.has_status)
    }

    /// Returns true if the object of a document can be read. A Go type is that of the document that the request sends.
    pub(in crate::cli) fn is_for(&self, document: &InputDocument, sent: &InputDocument) -> bool {
        matches!(self, ObjectAdmission::Definition { .. }) || document.kind() == sent.kind()
    }

    /// Returns the error for the first field that the Go type lacks.
    pub(in crate::cli) fn unknown_field(&self, object: &OwnedDoc) -> Option<Error> {
        let ObjectAdmission::GoType { context, .. } = self else { return None };
        let refused = convert(context, object, Decoder::Json, UnknownFieldHandling::Refuse);
        refused.err().filter(|error| error.kind() == ErrorKind::StrictUnknownField)
    }

    /// Decodes the result of a server-side apply, and sets defaults.
    pub(in crate::cli) fn default_applied(&self, object: &OwnedDoc) -> skewer_engine::Result<OwnedDoc> {
        match self {
            ObjectAdmission::Definition { admission, .. } => admission.default_applied(object),
            ObjectAdmission::GoType { context, .. } => {
                convert(context, object, Decoder::Unstructured, UnknownFieldHandling::Drop)
            }
        }
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
        let (admission, is_of_status) = match self {
            ObjectAdmission::Definition { admission, is_of_status } => (admission, *is_of_status),
            ObjectAdmission::GoType { context, subresource } => {
                let resource = ServedResource::new(context, None);
                let prepared = resource.prepared(subresource, old, new).map_err(|error| vec![error])?;
                // The fields that Go always writes say nothing to a reader.
                return Ok(without_unset_fields(context, prepared));
            }
        };
        let subresource = if is_of_status { STATUS } else { "" };
        let reviewed = admission.review_request(subresource, old, new);
        // A request to the main resource keeps the status, and one to the status keeps the rest.
        let is_kept = |error: &Error| {
            let is_status =
                matches!(error.path().segments().first(), Some(PathSegment::Key(key)) if *key == STATUS);
            old.is_some() && if is_of_status { !is_status } else { is_status && admission.version.has_status }
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
