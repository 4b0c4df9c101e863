//! The live object of `skewer apply`: what a field manager expects of it.

use skewer_engine::server_side_apply::{Resource, VersionConversion};
use skewer_engine::{Doc, OwnedDoc, OwnedMap};

use crate::cli::arguments::admission::take_managed_fields;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::InputDocument;

/// The uid of a live object that does not say its own. A field manager takes an object without one for a new object.
const ASSUMED_UID: &str = "live";

/// Checks that the live object of a built-in kind has the version of the request. A server converts it with Go code.
pub(crate) fn check_version(documents: &[InputDocument], resource: &Resource) -> Result<()> {
    let [sent, live] = documents else { return Ok(()) };
    let (Some((sent_version, sent_kind)), Some((live_version, live_kind))) = (sent.kind(), live.kind())
    else {
        return Ok(());
    };
    let is_converted = resource.conversion == VersionConversion::SamePaths
        && sent_kind == live_kind
        && sent_version != live_version
        && resource.version(live_version).is_some();
    if !is_converted {
        return Ok(());
    }
    let (group, version) = sent_version.rsplit_once('/').unwrap_or(("", sent_version));
    Err(Failure::could_not_run(format!(
        "{}: the object is of {live_version}, and the request of {sent_version}: the conversion of built-in kinds is not \
         simulated\nhelp: read the live object in the version of the request: kubectl get {}.{version}.{group} NAME -o yaml \
         --show-managed-fields",
        live.name(),
        sent_kind.to_lowercase(),
    )))
}

/// Gives a live object a uid if it has none. Returns true if it had none.
pub(crate) fn assume_uid(live: &mut OwnedDoc) -> bool {
    let Some(object) = live.as_map_mut() else { return false };
    if object.get("metadata").is_none_or(Doc::is_null) {
        object.insert("metadata".into(), Doc::Map(OwnedMap::new()));
    }
    let Some(metadata) = object.get_mut("metadata").and_then(Doc::as_map_mut) else { return false };
    let has_uid = metadata.get("uid").and_then(Doc::as_str).is_some_and(|uid| !uid.is_empty());
    if !has_uid {
        metadata.insert("uid".into(), Doc::from(ASSUMED_UID));
    }
    !has_uid
}

/// Removes the uid that [`assume_uid`] gave to the live object, and metadata that has become empty.
pub(crate) fn remove_assumed_uid(object: &mut OwnedDoc) {
    let Some(object) = object.as_map_mut() else { return };
    let Some(metadata) = object.get_mut("metadata").and_then(Doc::as_map_mut) else { return };
    if metadata.get("uid").and_then(Doc::as_str) == Some(ASSUMED_UID) {
        metadata.remove("uid");
    }
    if metadata.is_empty() {
        object.remove("metadata");
    }
}

pub(crate) fn has_managed_fields(object: &OwnedDoc) -> bool {
    take_managed_fields(&mut object.clone())
        .is_some_and(|managed| managed.as_list().is_none_or(|list| !list.is_empty()))
}
