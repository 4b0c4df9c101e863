//! The next apply and the next update of an object, whoever sends them: an apply of nothing but the identity, and an
//! update of a label.

use std::convert::Infallible;

use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};
use skewer_skew::{Request, ToolRequest, entries, owners, without_managed_fields};

use crate::effect::{EffectCause, ObjectEffect};
use crate::extract::identity_of;
use crate::request::{Answer, Answered};
use crate::served::ServedKind;

/// The manager of the two requests, which owns nothing before.
const MANAGER: &str = "somebody-else";

/// The label that the update sets.
const LABEL: &str = "example.com/touched";

/// The next apply and the next update of an object.
#[derive(Clone, Debug)]
pub struct Probe {
    /// An apply of a manager that owns nothing, with a configuration that sets nothing.
    pub apply: Answered,
    /// An update of a label.
    pub update: Answered,
}

/// Sends both requests to an object in the simulation.
#[must_use]
pub fn probe(served: &ServedKind, live: &OwnedDoc) -> Probe {
    let probe =
        probe_with(live, &mut |request, live| Ok::<_, Infallible>(Answered::simulate(request, served, live)));
    match probe {
        Ok(probe) => probe,
        Err(never) => match never {},
    }
}

/// Sends both requests to an object with `answer`.
///
/// # Errors
///
/// Fails with the first failure of `answer`.
pub fn probe_with<F>(live: &OwnedDoc, answer: &mut Answer<'_, F>) -> Result<Probe, F> {
    let mut request = |about: &str, request, document| {
        answer(ToolRequest::new(about, request, MANAGER, document), Some(live))
    };
    Ok(Probe {
        apply: request("anybody's next apply, here of nothing", Request::ServerSideApply, identity_of(live))?,
        update: request("anybody's next update, here of a label", Request::Update, labelled(live))?,
    })
}

impl Probe {
    /// Returns the effects. `live` is the object before.
    #[must_use]
    pub fn effects(&self, live: &OwnedDoc) -> Vec<ObjectEffect> {
        let mut effects = Vec::new();
        if let Err(error) = &self.apply.end {
            let sentence = format!("every later apply is refused: {}", error.message());
            effects.push(ObjectEffect::of_refusal(error, sentence));
        }
        let before = entries(live).len();
        match &self.update.end {
            Err(error) => {
                let sentence = format!("every later update is refused: {}", error.message());
                effects.push(ObjectEffect::of_refusal(error, sentence));
            }
            Ok(_) if before == 0 => {}
            Ok(after) if entries(after).is_empty() => {
                let sentence = format!(
                    "the next update, by whomever, removes all {before} entries of the managed fields: later applies \
                     take fields without a conflict, and remove none"
                );
                effects.push(ObjectEffect::new(EffectCause::OwnersLost, String::new(), sentence));
            }
            Ok(after) if !owners(after).iter().any(|owner| owner.manager == MANAGER) => {
                let sentence = "updates no longer change the managed fields: they stay as they are";
                effects.push(ObjectEffect::new(EffectCause::OwnersStale, String::new(), sentence.to_owned()));
            }
            Ok(_) => {}
        }
        effects
    }
}

fn labelled(live: &OwnedDoc) -> OwnedDoc {
    let mut object = without_managed_fields(live.clone());
    let metadata = object.as_map_mut().and_then(|object| object.get_mut("metadata")?.as_map_mut());
    if let Some(metadata) = metadata {
        if metadata.get("labels").is_none_or(Doc::is_null) {
            metadata.insert("labels".into(), Doc::Map(OwnedMap::new()));
        }
        if let Some(labels) = metadata.get_mut("labels").and_then(Doc::as_map_mut) {
            labels.insert(Text::from_static(LABEL), Doc::from("true"));
        }
    }
    object
}

/// Returns true if an entry of the managed fields is not one that a server writes.
#[must_use]
pub fn has_broken_entries(live: &OwnedDoc) -> bool {
    let is_valid = |entry: &OwnedDoc| {
        let text = |key: &str| entry.as_map().and_then(|entry| entry.get(key)?.as_str()).unwrap_or_default();
        matches!(text("operation"), "Apply" | "Update")
            && !text("apiVersion").is_empty()
            && text("fieldsType") == "FieldsV1"
    };
    owners(live).len() != entries(live).len() || !entries(live).iter().all(is_valid)
}
