//! The description of final states: as edits to the live object or to the ideal, as a document, or as an error.

use skewer_cases::{BaseDocument, EditedDocument, PinnedError, PinnedFinalState};
use skewer_engine::{Doc, FieldPath, OwnedDoc, PathSegment};
use skewer_skew::FinalState;

use crate::execute::ObservedStates;

/// A final state as it is written into a suite file.
pub(super) type Described = PinnedFinalState;

/// Maximum number of edits. A state that needs more is written as a document.
const MAX_EDITS: usize = 6;

/// Describes the final states of cells. All stored documents are described by edits to the same base, which is chosen
/// so that there are as few different descriptions as possible.
pub(super) fn describe(states: &[&ObservedStates]) -> Vec<Described> {
    let candidates = [Some(BaseDocument::Ideal), Some(BaseDocument::Live), None].map(|base| {
        let described: Vec<Described> = states.iter().map(|states| describe_one(states, base)).collect();
        let mut distinct: Vec<&Described> = Vec::new();
        for state in &described {
            if !distinct.contains(&state) {
                distinct.push(state);
            }
        }
        let size = distinct.iter().map(|state| size(state)).sum::<usize>();
        (distinct.len(), size, described)
    });
    let best = candidates.into_iter().min_by_key(|(distinct, size, _)| (*distinct, *size));
    best.map(|(_, _, described)| described).unwrap_or_default()
}

/// Returns the length of a description, to choose the shortest.
fn size(state: &Described) -> usize {
    match state {
        PinnedFinalState::Document(document) => document.to_string().len(),
        PinnedFinalState::Edited(edited) => {
            let set = edited.set.iter().map(|(path, value)| format!("{path}{value}").len()).sum::<usize>();
            set + edited.remove.iter().map(|path| path.to_string().len()).sum::<usize>()
        }
        PinnedFinalState::Refused(_) => 0,
    }
}

fn describe_one(states: &ObservedStates, base: Option<BaseDocument>) -> Described {
    let document = match &states.final_state {
        FinalState::Stored(document) => document,
        FinalState::Refused(error) => {
            let path = Some(error.path().clone());
            return PinnedFinalState::Refused(PinnedError { kind: error.kind(), path });
        }
    };
    let base_document = match (base, &states.ideal) {
        (Some(BaseDocument::Live), _) => Some(&states.stored),
        (Some(BaseDocument::Ideal), Some(FinalState::Stored(ideal))) => Some(ideal),
        _ => None,
    };
    let edits =
        base.zip(base_document).and_then(|(base, base_document)| edits(base, base_document, document));
    edits.map_or_else(|| PinnedFinalState::Document(document.clone()), PinnedFinalState::Edited)
}

/// Returns the edits that make `document` from the base. Returns `None` if there are too many.
fn edits(base: BaseDocument, base_document: &OwnedDoc, document: &OwnedDoc) -> Option<EditedDocument> {
    let mut edited = EditedDocument { base, set: Vec::new(), remove: Vec::new() };
    collect_edits(&mut FieldPath::root(), base_document, document, &mut edited);
    let reproduces = edited.apply_to(base_document).is_ok_and(|made| made == *document);
    (reproduces && edited.set.len() + edited.remove.len() <= MAX_EDITS).then_some(edited)
}

/// Collects the edits of two values. Maps are compared field by field, lists of the same length item by item, and any
/// other value is replaced.
fn collect_edits(path: &mut FieldPath, from: &OwnedDoc, to: &OwnedDoc, edited: &mut EditedDocument) {
    match (from, to) {
        (from, to) if from == to => {}
        (Doc::Map(from), Doc::Map(to)) => {
            for (key, value) in to.iter() {
                path.push(PathSegment::Key(key.clone()));
                match from.get(key) {
                    Some(old) => collect_edits(path, old, value, edited),
                    None => edited.set.push((path.clone(), value.clone())),
                }
                path.pop();
            }
            for key in from.keys().filter(|key| !to.contains_key(key)) {
                path.push(PathSegment::Key(key.clone()));
                edited.remove.push(path.clone());
                path.pop();
            }
        }
        (Doc::List(from), Doc::List(to)) if from.len() == to.len() => {
            for (index, (old, new)) in from.iter().zip(to).enumerate() {
                path.push(PathSegment::Index(index));
                collect_edits(path, old, new, edited);
                path.pop();
            }
        }
        _ => edited.set.push((path.clone(), to.clone())),
    }
}
