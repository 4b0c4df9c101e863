//! The situations in which laws are tried.

use std::sync::Arc;

use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Declarations, FieldDecl, Schema, SchemaElement, Shape};
use skewer_engine::{Doc, OwnedDoc};
use skewer_skew::{Decoding, Edit, Intent, Request};

/// A live object with a patch, or with an intent from which clients create patches. A situation does not depend on the
/// directives that the parties know.
#[derive(Clone, Debug)]
pub struct Situation {
    /// Source of the situation.
    pub origin: SituationOrigin,
    /// The types that the situation uses.
    pub types: Declarations,
    /// Name of the type of the live object.
    pub root_type: String,
    /// Schema elements that the client's view lacks.
    pub missing_in_client: Vec<SchemaElement>,
    /// Schema elements that the server's view lacks.
    pub missing_in_server: Vec<SchemaElement>,
    /// Whether the client decodes documents into its types.
    pub decoding: Decoding,
    /// The live object, and where the patch to it comes from.
    pub patch_source: PatchSource,
}

/// The source of a situation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SituationOrigin {
    /// A cell of the corpus, by its id.
    CorpusCell(String),
    /// A generated situation.
    Generated {
        /// Seed of the generator.
        seed: u64,
        /// Number of the situation.
        number: u64,
        /// Whether another client changes the object meanwhile.
        is_concurrent: bool,
    },
}

impl std::fmt::Display for SituationOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SituationOrigin::CorpusCell(id) => f.write_str(id),
            SituationOrigin::Generated { seed, number, is_concurrent } => {
                let with = if *is_concurrent { " with another client" } else { "" };
                write!(f, "generated situation {number} of seed {seed}{with}")
            }
        }
    }
}

/// The live object of a situation, and the source of its patch.
#[derive(Clone, Debug, PartialEq)]
pub enum PatchSource {
    /// A client creates the patch from an intent.
    Intent(ClientIntent),
    /// The situation contains the patch.
    Given {
        /// The live object.
        live: OwnedDoc,
        /// The patch.
        patch: OwnedDoc,
    },
}

/// An intent, with the documents that the client needs to create a patch from it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientIntent {
    /// The live object.
    pub live: OwnedDoc,
    /// The last-applied configuration, if the client creates a three-way patch like `kubectl apply`.
    pub last_applied: Option<OwnedDoc>,
    /// The change that the user wants.
    pub intent: Intent,
    /// Whether the ideal can be computed, because the intent describes the change completely.
    pub has_ideal: bool,
    /// The change that another client makes after this client has read the object, and before it sends its patch. The
    /// other client is up to date and sends the whole object, which does not depend on the patch format. `None` if
    /// nobody else changes the object.
    pub meanwhile: Option<Intent>,
}

impl ClientIntent {
    /// Returns the kind of request with which the client sends the intent.
    #[must_use]
    pub fn request(&self) -> Request {
        if self.last_applied.is_some() { Request::ClientSideApply } else { Request::StrategicMergePatch }
    }
}

impl PatchSource {
    /// Returns the documents that are objects, that is, not the patch.
    #[must_use]
    pub fn objects(&self) -> Vec<&OwnedDoc> {
        match self {
            PatchSource::Intent(ClientIntent { live, last_applied, .. }) => {
                [live].into_iter().chain(last_applied).collect()
            }
            PatchSource::Given { live, .. } => vec![live],
        }
    }

    /// Returns true if the situation contains the patch, so that no client creates it.
    #[must_use]
    pub fn is_given(&self) -> bool {
        matches!(self, PatchSource::Given { .. })
    }

    /// Returns the number of maps, lists, scalars and edits.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            PatchSource::Intent(ClientIntent { live, last_applied, intent, meanwhile, .. }) => {
                let edits = intent.0.iter().chain(meanwhile.iter().flat_map(|intent| &intent.0));
                let edits: usize = edits.map(|edit| 1 + edit_size(edit)).sum();
                let last_applied = last_applied.as_ref().map_or(0, |document| 1 + document_size(document));
                document_size(live) + last_applied + edits
            }
            PatchSource::Given { live, patch } => document_size(live) + document_size(patch),
        }
    }
}

fn edit_size(edit: &Edit) -> usize {
    match edit {
        Edit::Set(value) | Edit::Add { item: value, .. } | Edit::Select { value, .. } => document_size(value),
        Edit::Choose { fields, .. } => fields.iter().map(|(_, value)| document_size(value)).sum(),
        Edit::Order { order, .. } => order.iter().map(document_size).sum(),
        Edit::Remove(_) | Edit::Clear(_) | Edit::Increment { .. } => 0,
    }
}

fn document_size(value: &OwnedDoc) -> usize {
    1 + match value {
        Doc::Map(map) => map.iter().map(|(_, value)| document_size(value)).sum(),
        Doc::List(items) => items.iter().map(document_size).sum(),
        _ => 0,
    }
}

/// The compiled schema views of a situation.
#[derive(Clone, Debug)]
pub struct SituationViews {
    /// Patch context with the full schema. Its directives are not used.
    pub up_to_date: PatchContext,
    /// Schema view of the client.
    pub client: Arc<Schema>,
    /// Schema view of the server.
    pub server: Arc<Schema>,
}

impl Situation {
    /// Returns true if another client changes the object between the read and the patch of the client.
    #[must_use]
    pub fn is_concurrent(&self) -> bool {
        matches!(&self.patch_source, PatchSource::Intent(ClientIntent { meanwhile: Some(_), .. }))
    }

    /// Returns true if a party lacks an element of the schema.
    #[must_use]
    pub fn has_type_skew(&self) -> bool {
        !self.missing_in_client.is_empty() || !self.missing_in_server.is_empty()
    }

    /// Compiles the types, and derives the schema views of the parties.
    ///
    /// # Errors
    ///
    /// Returns the first error if the types are invalid, if a missing element is not in them, or if they lack the root
    /// type.
    pub fn views(&self) -> Result<SituationViews, skewer_engine::Error> {
        let schema = Schema::compile(&self.types).map_err(|mut errors| errors.swap_remove(0))?;
        let client = Arc::new(schema.without(&self.missing_in_client)?);
        let server = Arc::new(schema.without(&self.missing_in_server)?);
        let up_to_date = PatchContext::of(Arc::new(schema), &self.root_type)?;
        Ok(SituationViews { up_to_date, client, server })
    }

    /// Returns a measure of complexity, by which situations are compared when they are shrunk: first the size of the
    /// documents, then the number of differences between the parties, then the size of the types.
    #[must_use]
    pub fn weight(&self) -> (usize, usize, usize) {
        let fields = self.types.types.iter().map(|declared| match &declared.shape {
            Shape::Struct(fields) => 1 + fields.iter().map(|field| 1 + tag_count(field)).sum::<usize>(),
            _ => 1,
        });
        let special = self.missing_in_client.len()
            + self.missing_in_server.len()
            + usize::from(self.decoding == Decoding::Unstructured)
            + usize::from(self.is_concurrent());
        (self.patch_source.size(), special, fields.sum())
    }
}

fn tag_count(field: &FieldDecl) -> usize {
    let patch = &field.patch;
    patch.strategies.len()
        + patch.merge_key.len()
        + patch.tags.values().map(Vec::len).sum::<usize>()
        + patch.list_map_keys.len()
        + usize::from(patch.list_type.is_some())
}
