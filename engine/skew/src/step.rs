//! The steps of a scenario, and the records of their documents.

use skewer_engine::document::OwnedDoc;

/// A step of a scenario, named after the document that it produces. The variants are in the order of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StepName {
    /// The stored object after an earlier request. Recorded once for each request of the history.
    Earlier,
    /// The stored object before the request.
    Stored,
    /// The object that the client applied last.
    LastApplied,
    /// The object that the server returns when the client reads it, without the fields that the server does not know.
    Read,
    /// The object that the client has decoded.
    Decoded,
    /// The object after the client made the edits of the intent and encoded the result.
    Edited,
    /// The stored object after a request that another client sent since the client read the object. Recorded once for
    /// each of these requests.
    Meanwhile,
    /// The body of the request: an object, a patch or an apply configuration.
    Request,
    /// The object after the server merged the request into it.
    Merged,
    /// The object after the patch of the mutating webhook. Recorded only if there is a webhook.
    Mutated,
    /// The object after the server's union policy normalized it. Recorded only if normalization changed something.
    Normalized,
    /// The stored object after the request.
    Result,
}

impl StepName {
    /// Returns the name that `skewer show` and reports use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StepName::Earlier => "earlier",
            StepName::Stored => "stored",
            StepName::LastApplied => "last-applied",
            StepName::Read => "read",
            StepName::Decoded => "decoded",
            StepName::Edited => "edited",
            StepName::Meanwhile => "meanwhile",
            StepName::Request => "request",
            StepName::Merged => "merged",
            StepName::Mutated => "mutated",
            StepName::Normalized => "normalized",
            StepName::Result => "result",
        }
    }

    /// Returns a description of the step's document.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            StepName::Earlier => "the stored object after an earlier request",
            StepName::Stored => "the stored object before the request",
            StepName::LastApplied => "the object that the client applied last",
            StepName::Read => {
                "the object that the server returns, without the fields that the server does not know"
            }
            StepName::Decoded => "the object that the client has decoded",
            StepName::Edited => "the object that the client wants",
            StepName::Meanwhile => "the stored object after a request that another client sent meanwhile",
            StepName::Request => "the body of the client's request",
            StepName::Merged => "the object after the server merged the request",
            StepName::Mutated => "the object after the patch of the mutating webhook",
            StepName::Normalized => "the object after the server's union policy normalized it",
            StepName::Result => "the stored object after the request, converted to the server's type",
        }
    }
}

/// A function that gets the document of each step.
pub(super) type Record<'r> = &'r mut dyn FnMut(StepName, &OwnedDoc);
