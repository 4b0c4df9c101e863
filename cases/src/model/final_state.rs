//! Pinned final states.

use skewer_engine::{Doc, ErrorKind, FieldPath, OwnedDoc, PathSegment};
use skewer_yaml::OptionalField;

use crate::format::{BaseName, FinalStateSpec};

/// A final state that is written by hand.
#[derive(Clone, Debug, PartialEq)]
pub enum PinnedFinalState {
    /// A stored document.
    Document(OwnedDoc),
    /// A stored document that is made from another document.
    Edited(EditedDocument),
    /// A refusal.
    Refused(PinnedError),
}

impl PinnedFinalState {
    /// Returns the final state as it is written in a suite, without a condition.
    #[must_use]
    pub fn to_spec(&self) -> FinalStateSpec {
        match self {
            PinnedFinalState::Document(document) => {
                FinalStateSpec { result: OptionalField::Given(document.clone()), ..FinalStateSpec::default() }
            }
            PinnedFinalState::Edited(EditedDocument { base, set, remove }) => FinalStateSpec {
                of: Some(BaseName::from(*base).into()),
                set: set.iter().map(|(path, value)| (path.to_string(), value.clone())).collect(),
                remove: remove.iter().map(|path| path.to_string().into()).collect(),
                ..FinalStateSpec::default()
            },
            PinnedFinalState::Refused(PinnedError { kind, path }) => FinalStateSpec {
                error: Some(kind.id().into()),
                at: path.as_ref().map(|path| path.to_string().into()),
                ..FinalStateSpec::default()
            },
        }
    }
}

/// The error of a refused request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedError {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The field path of the error. `None` matches any path.
    pub path: Option<FieldPath>,
}

/// The document to which edits are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseDocument {
    /// The live object.
    Live,
    /// The ideal.
    Ideal,
}

impl From<BaseDocument> for BaseName {
    fn from(base: BaseDocument) -> Self {
        match base {
            BaseDocument::Live => BaseName::Live,
            BaseDocument::Ideal => BaseName::Ideal,
        }
    }
}

/// A document that is made from another document: values are set first, fields are removed second.
#[derive(Clone, Debug, PartialEq)]
pub struct EditedDocument {
    /// The document to edit.
    pub base: BaseDocument,
    /// Values by field path. Missing parent maps are created.
    pub set: Vec<(FieldPath, OwnedDoc)>,
    /// The fields and list items to remove.
    pub remove: Vec<FieldPath>,
}

impl EditedDocument {
    /// Makes the edits.
    ///
    /// # Errors
    /// Returns a message if a path does not exist in the document, so that an edit has no effect.
    pub fn apply_to(&self, base: &OwnedDoc) -> Result<OwnedDoc, String> {
        let mut document = base.clone();
        for (path, value) in &self.set {
            let place = create_at(&mut document, path.segments()).ok_or_else(|| {
                format!("`set` names {path}, which is not in a map or a list of the document")
            })?;
            *place = value.clone();
        }
        for path in &self.remove {
            remove_at(&mut document, path.segments())
                .ok_or_else(|| format!("`remove` names {path}, which the document does not have"))?;
        }
        Ok(document)
    }
}

/// Returns the value at a path. Maps that are missing on the way are created.
fn create_at<'d>(document: &'d mut OwnedDoc, path: &[PathSegment]) -> Option<&'d mut OwnedDoc> {
    let Some((first, rest)) = path.split_first() else { return Some(document) };
    if matches!(document, Doc::Null) && matches!(first, PathSegment::Key(_)) {
        *document = Doc::Map(skewer_engine::Map::new());
    }
    match (document, first) {
        (Doc::Map(map), PathSegment::Key(key)) => {
            if !map.contains_key(key) {
                map.insert(key.clone(), Doc::Null);
            }
            create_at(map.get_mut(key)?, rest)
        }
        (Doc::List(items), PathSegment::Index(index)) => create_at(items.get_mut(*index)?, rest),
        _ => None,
    }
}

/// Removes the value at a path. Returns `None` if there is none.
fn remove_at(document: &mut OwnedDoc, path: &[PathSegment]) -> Option<()> {
    let (last, parents) = path.split_last()?;
    let parent = parents.iter().try_fold(document, |document, segment| match (document, segment) {
        (Doc::Map(map), PathSegment::Key(key)) => map.get_mut(key),
        (Doc::List(items), PathSegment::Index(index)) => items.get_mut(*index),
        _ => None,
    })?;
    match (parent, last) {
        (Doc::Map(map), PathSegment::Key(key)) => map.remove(key).map(drop),
        (Doc::List(items), PathSegment::Index(index)) if *index < items.len() => {
            items.remove(*index);
            Some(())
        }
        _ => None,
    }
}
