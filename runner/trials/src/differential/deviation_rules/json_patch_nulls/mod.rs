//! The rule for nulls in JSON patches.
//!
//! The library of API servers has three nulls, which it does not consider equal, and it panics on one of them. The model
//! of the library can also treat all nulls alike, as the built-in engine does. A difference is explained if the model
//! gives our answer with one null, and the target's answer with three nulls.

mod model;
#[cfg(test)]
mod tests;

use skewer_engine::skew::{
    BuiltIn, Decoder, OperationKind, Operations, RequestType, UnknownFieldHandling, convert,
};
use skewer_engine::{Doc, OwnedDoc, OwnedMap, OwnedText};

use self::model::{Failure, Model, Nulls};
use super::is_predicted;
use crate::differential::answer::Answer;
use crate::differential::trial::Trial;

/// Returns true if the model gives our answer with one null, and the target's answer with the nulls of the library.
pub(super) fn explains(trial: &Trial, ours: &Answer, theirs: &Answer) -> bool {
    match (trial.operation, &*trial.documents) {
        (OperationKind::JsonPatchApply, [live, patch]) => {
            let is_theirs = |nulls| is_model_answer(&Model::apply(live, patch, nulls), theirs);
            is_model_answer(&Model::apply(live, patch, Nulls::One), ours)
                && Nulls::of_library(true).into_iter().any(is_theirs)
        }
        (OperationKind::Request, [_, _]) if trial.request.request_type == RequestType::JsonPatch => {
            let checks_nil = trial.types.server.is_none_or(|minor| minor >= CHECKS_NIL);
            let is_theirs = |nulls| is_answer_to_request(trial, nulls, theirs);
            is_answer_to_request(trial, Nulls::One, ours)
                && Nulls::of_library(checks_nil).into_iter().any(is_theirs)
        }
        _ => false,
    }
}

/// The first release, 1.N, that is known to have version 4.13 of the library. Earlier versions dereference nil nodes in two
/// more places. 1.34 has version 4.12.
const CHECKS_NIL: u32 = 37;

/// Returns true if a server that patches as the model does gives this answer to a request with a JSON patch.
fn is_answer_to_request(trial: &Trial, nulls: Nulls, answer: &Answer) -> bool {
    let request = |body: OwnedDoc, request_type| {
        let mut trial = trial.clone();
        trial.documents[1] = body;
        trial.request.request_type = request_type;
        trial.engine_operation().map(|operation| Answer::from_result(BuiltIn.perform(&operation)))
    };
    let drop = UnknownFieldHandling::Drop;
    let Ok(mut read) = convert(&trial.types.context, &trial.documents[0], Decoder::Json, drop) else {
        return false;
    };
    // A stored object has a name, which a patch must not change.
    let is_named = name_of(&mut read).is_some();
    if !is_named {
        set_name(&mut read, ASSUMED_NAME);
    }
    match Model::apply(&read, &trial.documents[1], nulls) {
        Ok(mut patched) => {
            match name_of(&mut patched) {
                Some(Doc::String(name)) if !is_named && name == ASSUMED_NAME => {
                    metadata_of(&mut patched).and_then(|metadata| metadata.remove("name"));
                }
                None | Some(Doc::Null) => set_name(&mut patched, ""),
                Some(_) => {}
            }
            request(patched, RequestType::Update).is_some_and(|predicted| is_predicted(&predicted, answer))
        }
        failure => is_model_answer(&failure, answer),
    }
}

/// The name of a stored object that does not say its own.
const ASSUMED_NAME: &str = "skewer";

fn metadata_of(object: &mut OwnedDoc) -> Option<&mut OwnedMap> {
    object.as_map_mut()?.get_mut("metadata")?.as_map_mut()
}

fn name_of(object: &mut OwnedDoc) -> Option<&OwnedDoc> {
    metadata_of(object)?.get("name")
}

fn set_name(object: &mut OwnedDoc, name: &'static str) {
    if let Some(metadata) = metadata_of(object) {
        metadata.insert(OwnedText::from_static("name"), Doc::from(name));
    } else if let Some(object) = object.as_map_mut() {
        let metadata = [(OwnedText::from_static("name"), Doc::from(name))].into_iter().collect();
        object.insert(OwnedText::from_static("metadata"), Doc::Map(metadata));
    }
}

fn is_model_answer(model: &Result<OwnedDoc, Failure>, answer: &Answer) -> bool {
    match (model, answer) {
        (Ok(model), Answer::Result(answer)) => model == answer,
        (Err(Failure::Refused), Answer::Refused { kind, .. }) => *kind == "json-patch-failed",
        (Err(Failure::Panic(model)), Answer::Panic(answer)) => model == answer,
        _ => false,
    }
}
