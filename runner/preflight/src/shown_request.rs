//! The request that shows an effect, reduced to the fields without which the effect is gone.

use skewer_engine::document::from_json;
use skewer_engine::{Doc, OwnedDoc, Text};
use skewer_skew::{Request, ToolRequest, entries, with_entries};

use crate::effect::ObjectEffect;
use crate::request::Answered;

/// Maximum number of fields and entries whose removal is tried.
const MAX_TRIALS: usize = 2_000;

/// A request to an object.
#[derive(Clone, Debug)]
pub(crate) struct ShownRequest {
    /// The request.
    pub(crate) request: ToolRequest,
    /// The object before the request, with its managed fields. `None` if it does not exist.
    pub(crate) live: Option<OwnedDoc>,
    /// The manifest before, from which the effect follows. It is no part of the request.
    pub(crate) previous: Option<OwnedDoc>,
}

/// The documents before a course.
#[derive(Clone, Copy)]
pub(crate) struct CourseStart<'a> {
    /// The object. `None` if it does not exist.
    pub(crate) live: Option<&'a OwnedDoc>,
    /// The manifest before, if it is known.
    pub(crate) previous: Option<&'a OwnedDoc>,
}

/// A function that returns the effects of a single request.
pub(crate) type EffectsOf<'a> = dyn Fn(&ShownRequest) -> Vec<ObjectEffect> + 'a;

/// The part of a request that is made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Document {
    Live,
    Request,
    LastApplied,
    Previous,
}

const DOCUMENTS: [Document; 4] =
    [Document::Live, Document::Request, Document::LastApplied, Document::Previous];

/// A step into a document.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Key(String),
    Item(usize),
}

impl ShownRequest {
    /// Returns the last request of a course that shows an effect by itself.
    pub(crate) fn find(
        course: &[Answered],
        start: CourseStart<'_>,
        effect: &ObjectEffect,
        effects_of: &EffectsOf<'_>,
    ) -> Option<Self> {
        let mut before = start.live.cloned();
        let mut found = None;
        for answered in course {
            let previous = start.previous.cloned();
            let shown = ShownRequest { request: answered.request.clone(), live: before.clone(), previous };
            found = Some(shown).filter(|shown| shown.shows(effect, effects_of)).or(found);
            before = answered.end.as_ref().ok().cloned().or(before);
        }
        found
    }

    /// Returns true if the request has an effect.
    fn shows(&self, effect: &ObjectEffect, effects_of: &EffectsOf<'_>) -> bool {
        let sentence = |effect: &ObjectEffect| effect.sentences.first().cloned().unwrap_or_default();
        // An effect on several requests says on which one it is before.
        let is_same = |own: &ObjectEffect| {
            (own.cause, &own.path) == (effect.cause, &effect.path)
                && sentence(effect).ends_with(&sentence(own))
        };
        effects_of(self).iter().any(is_same)
    }

    /// Removes what the effect does not need: from all documents, and then from single ones.
    #[must_use]
    pub(crate) fn reduced(mut self, effect: &ObjectEffect, effects_of: &EffectsOf<'_>) -> Self {
        self.live = self.live.as_ref().map(with_plain_entries);
        let mut trials = 0;
        let is_whole_object = matches!(self.request.request, Request::Update | Request::JsonMergePatch);
        // The object of an update is that which was read, apart from the change.
        let alone = if is_whole_object { &[][..] } else { &DOCUMENTS[..] };
        let sets = [&DOCUMENTS[..]].into_iter().chain(alone.iter().map(std::slice::from_ref));
        for documents in sets {
            let paths = documents.iter().filter_map(|document| self.document(*document)).flat_map(paths_of);
            // No server has owners of fields that the object does not have.
            let is_of_entries =
                |path: &Vec<Step>| path.get(1) == Some(&Step::Key("managedFields".to_owned()));
            let is_tried = |path: &Vec<Step>| *documents != [Document::Live] || is_of_entries(path);
            let paths: Vec<Vec<Step>> = paths.filter(is_tried).collect();
            // Later items first, so that the numbers of the others stay.
            for path in paths.iter().rev() {
                let mut smaller = self.clone();
                let mut has_removed = false;
                for document in documents {
                    if let Some(document) = smaller.document_mut(*document) {
                        has_removed |= remove(document, path).is_some();
                    }
                }
                trials += 1;
                if trials > MAX_TRIALS {
                    return self;
                }
                if has_removed && smaller.shows(effect, effects_of) {
                    self = smaller;
                }
            }
        }
        self
    }

    fn document(&self, document: Document) -> Option<&OwnedDoc> {
        match document {
            Document::Live => self.live.as_ref(),
            Document::Request => Some(&self.request.document),
            Document::LastApplied => self.request.last_applied.as_ref(),
            Document::Previous => self.previous.as_ref(),
        }
    }

    fn document_mut(&mut self, document: Document) -> Option<&mut OwnedDoc> {
        match document {
            Document::Live => self.live.as_mut(),
            Document::Request => Some(&mut self.request.document),
            Document::LastApplied => self.request.last_applied.as_mut(),
            Document::Previous => self.previous.as_mut(),
        }
    }
}

/// Returns an object whose managed fields have no times, and field sets that are no text.
fn with_plain_entries(object: &OwnedDoc) -> OwnedDoc {
    let mut entries = entries(object).to_vec();
    for entry in entries.iter_mut().filter_map(Doc::as_map_mut) {
        entry.remove("time");
        let set = entry.get("fieldsV1").and_then(Doc::as_str);
        if let Some(set) = set.and_then(|text| from_json(text.as_bytes()).ok()) {
            entry.insert(Text::from_static("fieldsV1"), set);
        }
    }
    if entries.is_empty() { object.clone() } else { with_entries(object, entries) }
}

/// Returns the paths of a document whose values can be left out, those of containers before those in them.
fn paths_of(document: &OwnedDoc) -> Vec<Vec<Step>> {
    fn walk(value: &OwnedDoc, path: &mut Vec<Step>, paths: &mut Vec<Vec<Step>>) {
        let is_identity = |path: &[Step]| {
            let names =
                |step: &Step| matches!(step, Step::Key(key) if matches!(key.as_str(), "apiVersion" | "kind"));
            match path {
                [step] => names(step) || *step == Step::Key("metadata".to_owned()),
                [Step::Key(metadata), Step::Key(key)] => metadata == "metadata" && key == "name",
                // An entry without one of these is broken.
                [Step::Key(_), Step::Key(fields), Step::Item(_), Step::Key(key)] => {
                    fields == "managedFields" && key != "subresource"
                }
                _ => false,
            }
        };
        let steps: Vec<(Step, &OwnedDoc)> = match value {
            Doc::Map(map) => map.iter().map(|(key, value)| (Step::Key(key.to_string()), value)).collect(),
            Doc::List(items) => {
                items.iter().enumerate().map(|(index, item)| (Step::Item(index), item)).collect()
            }
            _ => Vec::new(),
        };
        for (step, value) in steps {
            path.push(step);
            walk(value, path, paths);
            if !is_identity(path) {
                paths.push(path.clone());
            }
            path.pop();
        }
    }
    let mut paths = Vec::new();
    walk(document, &mut Vec::new(), &mut paths);
    paths
}

fn remove(document: &mut OwnedDoc, path: &[Step]) -> Option<()> {
    let (last, above) = path.split_last()?;
    let mut value = document;
    for step in above {
        value = match (step, value) {
            (Step::Key(key), Doc::Map(map)) => map.get_mut(key)?,
            (Step::Item(index), Doc::List(items)) => items.get_mut(*index)?,
            _ => return None,
        };
    }
    match (last, value) {
        (Step::Key(key), Doc::Map(map)) => map.remove(key).map(drop),
        (Step::Item(index), Doc::List(items)) if *index < items.len() => {
            items.remove(*index);
            Some(())
        }
        _ => None,
    }
}
