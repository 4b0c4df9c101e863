//! The ways in which a document is decoded.

/// The way in which a document is decoded into Go types. It makes a difference for scalars and nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoder {
    /// From JSON: the body of a create or update request, the result of a JSON merge patch or a JSON patch, a stored
    /// object. A number that does not fit its type is refused.
    Json,
    /// From maps in memory: the result of a strategic merge patch or a server-side apply. A whole float is an integer,
    /// and an integer that does not fit its type loses its upper bits. Upstream:
    /// `DefaultUnstructuredConverter.FromUnstructured`.
    Unstructured,
    /// As [`Decoder::Unstructured`], but empty text in place of bytes is null, as in Kubernetes up to 1.25.
    UnstructuredWithoutEmptyBytes,
}

/// The treatment of fields that a type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownFieldHandling {
    /// Unknown fields are dropped, as when Go decodes JSON into a struct.
    Drop,
    /// A document with an unknown field is refused, as with `fieldValidation=Strict`.
    Refuse,
}
