//! The two parties of a scenario: client and server.

use std::sync::Arc;

use skewer_admission::Admission;
use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::field_path::{FieldPath, PathSegment};
use skewer_engine::patch::PatchContext;
use skewer_engine::union::policy::Policy;
use skewer_engine::union::{self, Admitted};

use super::built_in_defaults::{add_defaults, keep_allocated};
use super::checks::{refuse_missing_fields, refuse_unknown_enum_values};
use super::convert::{Decoder, UnknownFieldHandling, convert, without_unset_fields};
use super::intent::Intent;
use super::served_resource::ServedResource;

/// The in-memory form into which a client decodes documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decoding {
    /// Typed structs, which drop unknown fields.
    Structured,
    /// Untyped maps, which keep unknown fields.
    Unstructured,
}

/// The party that reads the object, edits it, and sends the request.
#[derive(Clone, Debug)]
pub struct Client {
    /// The types and directives that the client knows.
    pub context: PatchContext,
    /// The in-memory form into which the client decodes documents.
    pub decoding: Decoding,
    /// The patch context of a server of the version that the client has negotiated with its server. The server merges the
    /// patches of the client as a server of this version does. `None` if the client does not negotiate.
    pub negotiated: Option<Arc<PatchContext>>,
}

impl Client {
    /// Creates a client that does not negotiate.
    #[must_use]
    pub fn new(context: PatchContext, decoding: Decoding) -> Self {
        Client { context, decoding, negotiated: None }
    }

    /// Returns the paths of the values of a document that the client loses when it decodes the document. The members that
    /// every object has are kept.
    #[must_use]
    pub fn lost_fields(&self, document: &OwnedDoc) -> Vec<FieldPath> {
        let mut lost = Vec::new();
        let Ok(decoded) = self.decode(document.clone()) else { return lost };
        collect_lost(document, &decoded, &FieldPath::root(), &mut lost);
        let is_of_objects = |path: &FieldPath| {
            matches!(path.segments().first(), Some(PathSegment::Key(key))
                if matches!(key.as_str(), "apiVersion" | "kind" | "metadata"))
        };
        lost.retain(|path| !is_of_objects(path));
        lost
    }

    /// Decodes a document into the in-memory form of the client and encodes it again.
    pub(super) fn decode(&self, document: OwnedDoc) -> Result<OwnedDoc> {
        match self.decoding {
            Decoding::Structured => {
                convert(&self.context, &document, Decoder::Json, UnknownFieldHandling::Drop)
            }
            Decoding::Unstructured => Ok(document),
        }
    }
}

/// Collects the paths at which a document has a value and the decoded document has none.
fn collect_lost(document: &OwnedDoc, decoded: &OwnedDoc, path: &FieldPath, lost: &mut Vec<FieldPath>) {
    let below = |segment: PathSegment| {
        let mut path = path.clone();
        path.push(segment);
        path
    };
    match (document, decoded) {
        (Doc::Map(document), Doc::Map(decoded)) => {
            for (key, value) in document.iter() {
                let path = below(PathSegment::Key(key.clone()));
                match decoded.get(key) {
                    Some(decoded) => collect_lost(value, decoded, &path, lost),
                    None => lost.push(path),
                }
            }
        }
        (Doc::List(document), Doc::List(decoded)) => {
            for (index, (document, decoded)) in document.iter().zip(decoded).enumerate() {
                collect_lost(document, decoded, &below(PathSegment::Index(index)), lost);
            }
        }
        _ => {}
    }
}

/// The party that merges the request and stores the object.
#[derive(Clone, Debug)]
pub struct Server {
    /// The types and directives that the server knows.
    pub context: PatchContext,
    /// Whether the server validates fields strictly (`fieldValidation=Strict`): it refuses unknown fields instead of
    /// dropping them.
    pub strict: bool,
    /// The union policy that the server applies to each written object.
    pub policy: &'static dyn Policy,
    /// The defaulting and the validation of custom resources. Without it, the server checks only which fields are required,
    /// and closed enums.
    pub admission: Option<Arc<Admission>>,
    /// The defaults of built-in kinds.
    pub defaults: BuiltInDefaults,
}

/// A mutating admission webhook. A server calls it with the merged object in the server's type, before unions are normalized and
/// the object is validated. The webhook decodes the object, makes its edits, and answers with a JSON patch of the difference
/// between what it got and what it has: a field that its types do not have is removed. Upstream: `admission.PatchResponseFromRaw`
/// (sigs.k8s.io/controller-runtime).
#[derive(Clone, Debug)]
pub struct Webhook {
    /// The types that the webhook knows, and the form into which it decodes objects.
    pub party: Client,
    /// The edits that the webhook makes.
    pub intent: Arc<Intent>,
}

impl Webhook {
    /// Returns an object after the patch of the webhook.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Undecodable`] if a value does not fit the types of the webhook, and [`ErrorKind::InvalidIntent`] if an edit names
    /// a field that does not exist. The server then refuses the request (`failurePolicy: Fail`).
    pub(super) fn mutate(&self, object: &OwnedDoc, full_context: &PatchContext) -> Result<OwnedDoc> {
        let mut mutated = self.party.decode(object.clone())?;
        self.intent.edit(&mut mutated, &self.party.context, full_context)?;
        self.party.decode(mutated)
    }
}

/// Whether a server sets the defaults of built-in kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuiltInDefaults {
    /// No field has a default.
    #[default]
    NotSimulated,
    /// The defaults are those of a real server.
    Simulated,
}

impl Server {
    /// Returns true if the server can hold an object: it reads the same from it as a server with the types of
    /// `full_context` does, so that it drops no field.
    #[must_use]
    pub fn can_hold(&self, object: &OwnedDoc, full_context: &PatchContext) -> bool {
        let read = |context| {
            let view = convert(context, object, Decoder::Json, UnknownFieldHandling::Drop).ok()?;
            Some(without_unset_fields(full_context, view))
        };
        read(&self.context).is_some_and(|view| Some(view) == read(full_context))
    }

    /// Converts a merged object to the server's type.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Undecodable`] if a value does not fit its type
    /// - [`ErrorKind::StrictUnknownField`] if the server is strict and does not know a field
    pub(super) fn decode(&self, merged: &OwnedDoc, decoder: Decoder) -> Result<OwnedDoc> {
        if let Some(admission) = &self.admission {
            return match decoder {
                Decoder::Json => admission.decode(merged, self.strict),
                // Custom resources have no strategic merge patches.
                _ => admission.default_applied(merged),
            };
        }
        // A value that does not fit its type is reported before an unknown field, wherever the two are.
        let converted = self.convert(merged, decoder)?;
        if self.strict {
            convert(&self.context, merged, decoder, UnknownFieldHandling::Refuse)?;
        }
        Ok(converted)
    }

    /// Converts an object to the built-in type of the server, and sets its defaults.
    pub(super) fn convert(&self, object: &OwnedDoc, decoder: Decoder) -> Result<OwnedDoc> {
        let mut converted = convert(&self.context, object, decoder, UnknownFieldHandling::Drop)?;
        if self.defaults == BuiltInDefaults::Simulated {
            add_defaults(&self.context.schema, self.context.root, &mut converted);
        }
        Ok(converted)
    }

    fn type_name(&self) -> &str {
        self.context.schema.as_struct(self.context.root).map_or("", |ty| &ty.name)
    }

    /// Returns an object as the server reads it: with the defaults of its type.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Undecodable`] if a value does not fit its type.
    pub fn completed(&self, object: &OwnedDoc) -> Result<OwnedDoc> {
        match &self.admission {
            Some(admission) => admission.read(object),
            None => self.convert(object, Decoder::Json),
        }
    }

    /// Converts a merged object to the server's type, normalizes and validates its unions, and checks the values of
    /// closed enums. `old` is the stored object that the result replaces, or `None` if the object is created.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Undecodable`] if a value does not fit its type
    /// - [`ErrorKind::StrictUnknownField`] if the server is strict and does not know a field
    /// - the kinds that begin with `union-`, if the union policy refuses the object
    /// - [`ErrorKind::RequiredFieldMissing`] if a field is missing that an `OpenAPI` schema requires
    /// - [`ErrorKind::UnknownEnumValue`] if a closed enum does not have a value
    pub fn store(&self, old: Option<&OwnedDoc>, merged: &OwnedDoc, decoder: Decoder) -> Result<Admitted> {
        self.store_decoded("", old, self.decode(merged, decoder)?, |new| self.admit_unions(old, new))
    }

    /// Normalizes and validates the unions of an object by the policy of the server.
    pub(super) fn admit_unions(&self, old: Option<&OwnedDoc>, new: OwnedDoc) -> Result<Admitted> {
        union::admit(&self.context, self.policy, old, new).map_err(first_error)
    }

    /// Returns the resource of the server.
    pub(super) fn resource(&self) -> ServedResource<'_> {
        ServedResource::new(&self.context, self.admission.as_deref())
    }

    /// Prepares, normalizes and validates a converted object like [`Server::store`]. `admit_unions` decides on unions.
    /// `subresource` is that to which the request was sent.
    pub(super) fn store_decoded<E: From<Error>>(
        &self,
        subresource: &str,
        old: Option<&OwnedDoc>,
        converted: OwnedDoc,
        admit_unions: impl FnOnce(OwnedDoc) -> Result<Admitted, E>,
    ) -> Result<Admitted, E> {
        let mut prepared = self.resource().prepared(subresource, old, converted)?;
        if let (BuiltInDefaults::Simulated, Some(old)) = (self.defaults, old) {
            keep_allocated(self.type_name(), old, &mut prepared);
        }
        let mut admitted = admit_unions(prepared)?;
        if let Some(admission) = &self.admission {
            let reviewed = admission.review_request(subresource, old, admitted.object);
            if let Some(error) = reviewed.errors.into_iter().next() {
                return Err(error.into());
            }
            admitted.object = admission.to_storage(reviewed.object);
            return Ok(admitted);
        }
        refuse_missing_fields(&self.context, &admitted.object, self.context.root)?;
        refuse_unknown_enum_values(&self.context, &admitted.object, self.context.root)?;
        Ok(admitted)
    }
}

/// Returns the first of the errors of [`union::admit`]. A refused request reports only this one.
#[must_use]
pub fn first_error(errors: Vec<Error>) -> Error {
    let without_reason =
        || Error::new(ErrorKind::Undecodable, "the union policy refused the object and gave no reason");
    errors.into_iter().next().unwrap_or_else(without_reason)
}
