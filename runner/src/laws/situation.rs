//! Situations that a law is tried in: from the corpus, or generated.

use std::collections::HashSet;
use std::sync::Arc;

use skewer_cases::{Corpus, Plan, SkewPlan};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Declarations, Schema, SchemaElement};
use skewer_engine::skew::{Decoding, Edit, Intent, Request};
use skewer_engine::{Doc, ErrorKind, Map, OwnedDoc};

use super::cut;

/// Somebody's patch of a stored object, before it is said who knows which directive.
#[derive(Clone, Debug)]
pub struct Situation {
    /// Where it is from.
    pub origin: Origin,
    /// The types that are needed for it, and no more.
    pub types: Declarations,
    /// The type of the object.
    pub root: String,
    /// What the client does not know of the types.
    pub client_lacks: Vec<SchemaElement>,
    /// What the server does not know of them.
    pub server_lacks: Vec<SchemaElement>,
    /// How the client holds documents.
    pub decoding: Decoding,
    /// What is done.
    pub content: Content,
}

/// Where a situation is from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A cell of the corpus, by its id.
    Cell(String),
    /// Generated.
    Generated {
        /// The seed that begins the row.
        seed: u64,
        /// The number in the row.
        number: u64,
    },
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::Cell(id) => f.write_str(id),
            Origin::Generated { seed, number } => write!(f, "generated situation {number} of seed {seed}"),
        }
    }
}

/// What is done in a situation.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A client makes a patch.
    Intent {
        /// What is stored.
        stored: OwnedDoc,
        /// What the client applied last, if it applies: the patch is then a three-way one.
        last_applied: Option<OwnedDoc>,
        /// What its user wants.
        intent: Intent,
        /// Is the intent all that is wanted, so that what should come of it is known?
        has_ideal: bool,
    },
    /// A patch is at hand.
    Patch {
        /// What is stored.
        live: OwnedDoc,
        /// The patch.
        patch: OwnedDoc,
    },
}

impl Content {
    /// The documents, in which keys can be.
    #[must_use]
    pub fn documents(&self) -> Vec<&OwnedDoc> {
        match self {
            Content::Intent { stored, last_applied, .. } => {
                [stored].into_iter().chain(last_applied).collect()
            }
            Content::Patch { live, .. } => vec![live],
        }
    }

    /// How much there is to read: maps, lists, scalars and edits.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Content::Intent { stored, last_applied, intent, .. } => {
                let edits: usize = intent.0.iter().map(|edit| 1 + brought(edit)).sum();
                size(stored) + last_applied.as_ref().map_or(0, |document| 1 + size(document)) + edits
            }
            Content::Patch { live, patch } => size(live) + size(patch),
        }
    }
}

/// How much an edit brings.
fn brought(edit: &Edit) -> usize {
    match edit {
        Edit::Set(value) | Edit::Add { item: value, .. } | Edit::Select { value, .. } => size(value),
        Edit::Choose { fields, .. } => fields.iter().map(|(_, value)| size(value)).sum(),
        Edit::Order { order, .. } => order.iter().map(size).sum(),
        Edit::Remove(_) | Edit::Clear(_) => 0,
    }
}

fn size(value: &OwnedDoc) -> usize {
    1 + match value {
        Doc::Map(map) => map.iter().map(|(_, value)| size(value)).sum(),
        Doc::List(items) => items.iter().map(size).sum(),
        _ => 0,
    }
}

/// The views of a situation, compiled.
#[derive(Clone, Debug)]
pub struct Views {
    /// What somebody up to date knows; the directives have no part in it.
    pub everything: PatchContext,
    /// The client's.
    pub client: Arc<Schema>,
    /// The server's.
    pub server: Arc<Schema>,
}

impl Situation {
    /// Compiles the types and cuts the views.
    pub fn views(&self) -> Result<Views, skewer_engine::Error> {
        let schema = Schema::compile(&self.types).map_err(|mut errors| errors.swap_remove(0))?;
        let client = Arc::new(schema.without(&self.client_lacks)?);
        let server = Arc::new(schema.without(&self.server_lacks)?);
        Ok(Views { everything: PatchContext::of(Arc::new(schema), &self.root)?, client, server })
    }
}

/// Every situation of a corpus, each once: cells that differ in nothing but the directives that a party knows are
/// the same situation.
#[must_use]
pub fn of_corpus(corpus: &Corpus) -> Vec<Situation> {
    let mut seen = HashSet::new();
    let mut situations = Vec::new();
    for cell in corpus.cells() {
        let Ok(plan) = cell.plan() else { continue };
        for content in contents(&plan) {
            let Some(parties) = Parties::of(&plan) else { continue };
            let situation = parties.situation(Origin::Cell(cell.id()), content);
            let Situation { types, client_lacks, server_lacks, decoding, content, .. } = &situation;
            let key = format!("{types:?}{client_lacks:?}{server_lacks:?}{decoding:?}{content:?}");
            if seen.insert(key) {
                situations.push(situation);
            }
        }
    }
    situations
}

/// What a cell does, as far as a strategic merge patch has a part in it.
fn contents(plan: &Plan) -> Vec<Content> {
    let at_hand =
        |live: &OwnedDoc, patch: &OwnedDoc| Content::Patch { live: live.clone(), patch: patch.clone() };
    let nothing = Doc::Map(Map::new());
    match plan {
        Plan::Skew(plan) => skew_content(plan).into_iter().collect(),
        Plan::Apply { context: Some(_), live, patch } => vec![at_hand(live, patch)],
        Plan::TwoWay { context: Some(_), original, modified } => {
            vec![intent(original, None, modified)]
        }
        Plan::ThreeWay { context: Some(_), last_applied, modified, live, .. } => {
            vec![intent(live, Some(last_applied), modified)]
        }
        Plan::Merge { patches, .. } => patches.iter().map(|patch| at_hand(&nothing, patch)).collect(),
        Plan::Conflicts { left, right, .. } => vec![at_hand(&nothing, left), at_hand(&nothing, right)],
        _ => Vec::new(),
    }
}

fn skew_content(plan: &SkewPlan) -> Option<Content> {
    let last_applied = match plan.request {
        Request::StrategicMergePatch => None,
        Request::Apply => Some(plan.last_applied.clone()?),
        Request::Create | Request::Update | Request::JsonMergePatch => return None,
    };
    // To select a member of a union takes one in the types, and the types here have none: the object that the member
    // is selected in is wanted as a whole.
    if plan.intent.0.iter().any(|edit| matches!(edit, Edit::Select { .. } | Edit::Clear(_))) {
        let mut modified = last_applied.as_ref().unwrap_or(&plan.stored).clone();
        plan.intent.edit(&mut modified, &plan.everything, &plan.everything).ok()?;
        return Some(intent(&plan.stored, last_applied.as_ref(), &modified));
    }
    Some(Content::Intent {
        stored: plan.stored.clone(),
        last_applied,
        intent: plan.intent.clone(),
        has_ideal: true,
    })
}

/// A document that is made into another: the place that the document is holds these fields and no other.
fn intent(stored: &OwnedDoc, last_applied: Option<&OwnedDoc>, modified: &OwnedDoc) -> Content {
    let fields = modified.as_map().cloned().unwrap_or_default();
    let choose = ".".parse().map(|at| Edit::Choose { selector: at, fields });
    Content::Intent {
        stored: stored.clone(),
        last_applied: last_applied.cloned(),
        intent: Intent(choose.into_iter().collect()),
        // With three documents, what others put into the object is to stay, and nobody says what that is.
        has_ideal: last_applied.is_none(),
    }
}

/// Who takes part in a cell, with the types as each sees them.
struct Parties<'p> {
    everything: &'p PatchContext,
    client: &'p Schema,
    server: &'p Schema,
    decoding: Decoding,
}

impl<'p> Parties<'p> {
    fn of(plan: &'p Plan) -> Option<Self> {
        let (everything, client, server, decoding) = match plan {
            Plan::Skew(plan) => (
                &plan.everything,
                &*plan.client.context.schema,
                &*plan.server.context.schema,
                plan.client.decoding,
            ),
            // Patch cases are about documents as they are written, not as a client would hold them.
            Plan::Apply { context, .. } | Plan::TwoWay { context, .. } | Plan::ThreeWay { context, .. } => {
                let context = context.as_ref()?;
                (context, &*context.schema, &*context.schema, Decoding::Unstructured)
            }
            Plan::Merge { context, .. } | Plan::Conflicts { context, .. } => {
                (context, &*context.schema, &*context.schema, Decoding::Unstructured)
            }
            // Neither has to do with directives.
            Plan::JsonPatchApply { .. } | Plan::Declare(_) => return None,
        };
        (!everything.custom_resource).then_some(Parties { everything, client, server, decoding })
    }

    fn situation(&self, origin: Origin, content: Content) -> Situation {
        let cut = cut::cut(self.everything, &content);
        Situation {
            origin,
            client_lacks: cut.lacks(&self.everything.schema, self.client),
            server_lacks: cut.lacks(&self.everything.schema, self.server),
            types: cut.types,
            root: cut.root,
            decoding: self.decoding,
            content,
        }
    }
}

/// ChangeKind an operation fail because the situation makes no sense, and not because of a patch?
#[must_use]
pub fn makes_no_sense(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::InvalidIntent | ErrorKind::InvalidSchema)
}
