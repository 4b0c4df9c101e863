//! The change of managed fields from client-side to server-side apply. Upstream: `csaupgrade` (k8s.io/client-go, util).

use super::field_set::FieldSet;
use super::go_json;
use super::managed_fields::{MEMBERS, ManagedFieldsValue, set, text};
use crate::document::{Doc, Map, OwnedDoc, OwnedMap, Text};
use crate::error::{Error, ErrorKind, ManagerOperation, Result};

/// The managers between which [`upgrade_managed_fields`] moves fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsaUpgrade<'a> {
    /// The managers of client-side apply, such as `kubectl-client-side-apply`. Their operation is an update.
    pub updaters: &'a [&'a str],
    /// The manager of server-side apply that takes over their fields.
    pub applier: &'a str,
    /// The subresource of all these managers. Empty for the main resource.
    pub subresource: &'a str,
}

/// Gives the fields of client-side apply to a manager of server-side apply, and returns the object with its new managed
/// fields. `fieldsV1` of each entry is JSON text. An object without managed fields is returned without them.
///
/// A client does this before its first server-side apply. Otherwise the fields that it set on the client side keep a
/// second owner, so that leaving them out of a configuration does not remove them.
///
/// The updaters are processed in their order. For each of them:
///
/// - If the applier has no entry, the first entry of the updater becomes the entry of the applier.
/// - The applier gets the fields of the first entry of the updater with the API version of the applier.
/// - All entries of the updater are removed. The fields of entries of other versions then have no owner.
///
/// Upstream: `UpgradeManagedFields`, which processes several updaters in random order.
///
/// ```
/// use skewer_engine::document::from_json;
/// use skewer_engine::server_side_apply::{CsaUpgrade, upgrade_managed_fields};
///
/// let object = from_json(br#"{"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":[
///     {"manager":"kubectl-client-side-apply","operation":"Update","apiVersion":"v1","fieldsV1":{"f:spec":{}}}]}}"#)?;
/// let updaters = ["kubectl-client-side-apply"];
/// let upgrade = CsaUpgrade { updaters: &updaters, applier: "kubectl", subresource: "" };
/// let upgraded = upgrade_managed_fields(&object, upgrade)?;
/// assert!(upgraded.to_string().contains(r#""manager":"kubectl","operation":"Apply""#));
/// # Ok::<(), skewer_engine::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::InvalidManagedFields`] if the fields of an entry that is changed or taken over cannot be read.
pub fn upgrade_managed_fields(object: &OwnedDoc, upgrade: CsaUpgrade<'_>) -> Result<OwnedDoc> {
    let mut upgraded = object.clone();
    let entries = match ManagedFieldsValue::of(object) {
        ManagedFieldsValue::Entries([]) => return Ok(upgraded),
        ManagedFieldsValue::Entries(entries) => entries,
        ManagedFieldsValue::Absent => &[],
    };
    let mut entries: Vec<OwnedMap> = entries.iter().filter_map(Doc::as_map).map(known_members).collect();
    for updater in upgrade.updaters {
        upgrade_updater(&mut entries, updater, upgrade)?;
    }
    set(&mut upgraded, entries.into_iter().map(Doc::Map).collect());
    Ok(upgraded)
}

/// Gives the fields of one updater to the applier.
fn upgrade_updater(entries: &mut Vec<OwnedMap>, updater: &str, upgrade: CsaUpgrade<'_>) -> Result<()> {
    let is_entry_of = |entry: &OwnedMap, manager: &str, operation: ManagerOperation| {
        text(entry, "manager") == *manager
            && text(entry, "operation") == *operation.name()
            && text(entry, "subresource") == *upgrade.subresource
    };
    let is_of_updater = |entry: &OwnedMap| is_entry_of(entry, updater, ManagerOperation::Update);
    let is_of_applier = |entry: &OwnedMap| is_entry_of(entry, upgrade.applier, ManagerOperation::Apply);
    let target = if let Some(target) = entries.iter().position(is_of_applier) {
        target
    } else {
        let Some(target) = entries.iter().position(is_of_updater) else { return Ok(()) };
        set_text(&mut entries[target], "manager", upgrade.applier);
        set_text(&mut entries[target], "operation", ManagerOperation::Apply.name());
        target
    };
    let mut fields = fields_of(entries, target)?;
    let api_version = text(&entries[target], "apiVersion");
    let source =
        entries.iter().position(|entry| is_of_updater(entry) && text(entry, "apiVersion") == api_version);
    if let Some(source) = source {
        fields = fields.union(fields_of(entries, source)?);
    }
    set_text(&mut entries[target], "fieldsV1", &fields.to_json());
    entries.retain(|entry| !is_of_updater(entry));
    Ok(())
}

fn fields_of(entries: &[OwnedMap], index: usize) -> Result<FieldSet<'static>> {
    let fields = match entries[index].get("fieldsV1").and_then(Doc::as_str) {
        Some(fields) => FieldSet::from_json(fields),
        None => Err(Error::new(ErrorKind::InvalidManagedFields, "the entry has no fields")),
    };
    fields.map_err(|error| error.at("fieldsV1").at_index(index).at("managedFields").at("metadata"))
}

/// Sets a member to a string, or removes the member if the string is empty.
fn set_text(entry: &mut OwnedMap, member: &'static str, value: &str) {
    if value.is_empty() {
        entry.remove(member);
    } else {
        entry.insert(Text::from_static(member), Doc::from(value));
    }
}

/// Returns an entry as upstream writes it: without unknown and empty members. The fields are JSON text. The text `null`
/// is an entry without fields.
fn known_members(entry: &Map<'_>) -> OwnedMap {
    let mut known = Map::new();
    for member in MEMBERS {
        set_text(&mut known, member, &text(entry, member));
    }
    let fields = match entry.get("fieldsV1") {
        None | Some(Doc::Null) => None,
        Some(Doc::String(text)) => (*text != "null").then(|| text.to_string()),
        Some(fields) => Some(go_json::write(fields)),
    };
    if let Some(fields) = fields {
        known.insert(Text::from_static("fieldsV1"), Doc::from(fields));
    }
    known
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::document::from_json;

    /// Returns an object whose entries are given as `manager operation version subresource fields`. `-` stands for an
    /// empty part.
    fn object(entries: &[&str]) -> OwnedDoc {
        let entries = entries.iter().map(|entry| {
            let parts: Vec<&str> = entry.splitn(5, ' ').map(|part| part.trim_matches('-')).collect();
            let names = ["manager", "operation", "apiVersion", "subresource", "fieldsV1"];
            let mut map = Map::new();
            for (name, part) in names.into_iter().zip(parts) {
                set_text(&mut map, name, part);
            }
            Doc::Map(map)
        });
        let mut object = from_json(br#"{"apiVersion":"v1","kind":"Holder","spec":{"a":1}}"#).unwrap();
        set(&mut object, entries.collect());
        object
    }

    fn upgrade(object: &OwnedDoc, updaters: &[&str], subresource: &str) -> Result<OwnedDoc> {
        upgrade_managed_fields(object, CsaUpgrade { updaters, applier: "new", subresource })
    }

    const OTHERS: [&str; 2] = [r#"x Apply v1 - {"f:x":{}}"#, r#"old Apply v1 - {"f:spec":{"f:x":{}}}"#];

    #[rstest]
    #[case::the_updater_becomes_the_applier(
        &[r#"old Update v1 - {"f:b":{},"f:a":{}}"#],
        &[r#"new Apply v1 - {"f:a":{},"f:b":{}}"#],
    )]
    #[case::the_applier_gets_further_fields(
        &[r#"new Apply v1 - {"f:a":{"f:x":{}}}"#, r#"old Update v1 - {"f:a":{".":{},"f:y":{}}}"#],
        &[r#"new Apply v1 - {"f:a":{".":{},"f:x":{},"f:y":{}}}"#],
    )]
    #[case::the_applier_has_all_fields(
        &[r#"old Update v1 - {"f:a":{}}"#, r#"new Apply v1 - {"f:a":{}}"#],
        &[r#"new Apply v1 - {"f:a":{}}"#],
    )]
    #[case::fields_of_other_versions_are_lost(
        &[r#"new Apply v3 - {"f:a":{}}"#, r#"old Update v1 - {"f:b":{}}"#, r#"old Update v2 - {"f:c":{}}"#],
        &[r#"new Apply v3 - {"f:a":{}}"#],
    )]
    #[case::fields_of_one_version_are_taken(
        &[r#"new Apply v2 - {"f:a":{}}"#, r#"old Update v1 - {"f:b":{}}"#, r#"old Update v2 - {"f:c":{}}"#],
        &[r#"new Apply v2 - {"f:a":{},"f:c":{}}"#],
    )]
    #[case::the_first_version_becomes_the_applier(
        &[r#"old Update v2 - {"f:b":{}}"#, r#"old Update v1 - {"f:c":{}}"#],
        &[r#"new Apply v2 - {"f:b":{}}"#],
    )]
    #[case::the_first_of_two_entries_of_one_version_is_taken(
        &[r#"new Apply v1 - {"f:a":{}}"#, r#"old Update v1 - {"f:b":{}}"#, r#"old Update v1 - {"f:c":{}}"#],
        &[r#"new Apply v1 - {"f:a":{},"f:b":{}}"#],
    )]
    #[case::two_updaters_and_an_applier(
        &[r#"older Update v1 - {"f:c":{}}"#, r#"new Apply v1 - {"f:a":{}}"#, r#"old Update v1 - {"f:b":{}}"#],
        &[r#"new Apply v1 - {"f:a":{},"f:b":{},"f:c":{}}"#],
    )]
    #[case::two_updaters_and_no_applier(
        &[r#"older Update v1 - {"f:c":{}}"#, r#"old Update v1 - {"f:b":{}}"#],
        &[r#"new Apply v1 - {"f:b":{},"f:c":{}}"#],
    )]
    #[case::the_fields_of_the_applier_are_sorted(
        &[r#"new Apply v1 - {"f:b":{},"f:a":{}}"#],
        &[r#"new Apply v1 - {"f:a":{},"f:b":{}}"#],
    )]
    #[case::another_updater(&[r#"x Update v1 - {"f:b":{},"f:a":{}}"#], &[r#"x Update v1 - {"f:b":{},"f:a":{}}"#])]
    #[case::a_subresource(
        &[r#"old Update v1 status {"f:b":{}}"#, r#"new Apply v1 status {"f:a":{}}"#],
        &[r#"old Update v1 status {"f:b":{}}"#, r#"new Apply v1 status {"f:a":{}}"#],
    )]
    #[case::an_applier_of_a_subresource(
        &[r#"new Apply v1 status {"f:a":{}}"#, r#"old Update v1 - {"f:b":{}}"#],
        &[r#"new Apply v1 status {"f:a":{}}"#, r#"new Apply v1 - {"f:b":{}}"#],
    )]
    fn updaters_become_the_applier(#[case] before: &[&str], #[case] after: &[&str]) {
        let entries = |of_managers: &[&str]| object(&[&OTHERS[..1], of_managers, &OTHERS[1..]].concat());
        assert_eq!(upgrade(&entries(before), &["old", "older"], "").unwrap(), entries(after));
    }

    #[test]
    fn only_entries_of_the_subresource_are_upgraded() {
        let before =
            [r#"old Update v1 - {"f:a":{}}"#, r#"old Update v1 status {"f:b":{}}"#, "new Apply v1 - {}"];
        let after =
            [r#"old Update v1 - {"f:a":{}}"#, r#"new Apply v1 status {"f:b":{}}"#, "new Apply v1 - {}"];
        assert_eq!(upgrade(&object(&before), &["old"], "status").unwrap(), object(&after));
    }

    #[rstest]
    #[case::no_metadata("{}", "{}")]
    #[case::no_entries(r#"{"metadata":{"managedFields":[]}}"#, r#"{"metadata":{"managedFields":[]}}"#)]
    #[case::no_list_of_entries(r#"{"metadata":{"managedFields":[1]}}"#, r#"{"metadata":{}}"#)]
    #[case::unknown_and_empty_members(
        r#"{"metadata":{"managedFields":[{"manager":"x","subresource":"","y":1,"fieldsV1":{"f:b":{},"f:<":{}}}]}}"#,
        r#"{"metadata":{"managedFields":[{"fieldsV1":"{\"f:\\u003c\":{},\"f:b\":{}}","manager":"x"}]}}"#
    )]
    #[case::the_time_remains(
        r#"{"metadata":{"managedFields":[{"manager":"old","operation":"Update","time":"2026-01-01T00:00:00Z",
            "fieldsV1":{}}]}}"#,
        r#"{"metadata":{"managedFields":[{"fieldsV1":"{}","manager":"new","operation":"Apply",
            "time":"2026-01-01T00:00:00Z"}]}}"#
    )]
    fn entries_are_written_as_upstream_writes_them(#[case] before: &str, #[case] after: &str) {
        let document = |text: &str| from_json(text.as_bytes()).unwrap();
        assert_eq!(upgrade(&document(before), &["old"], "").unwrap(), document(after));
    }

    #[rstest]
    #[case::of_the_updater(&["old Update v1 - {"], "metadata.managedFields[0].fieldsV1")]
    #[case::of_the_applier(&["x Update v1 - {", "new Apply v1 - ["], "metadata.managedFields[1].fieldsV1")]
    #[case::of_both(&["new Apply v1 - {}", "old Update v1 - {"], "metadata.managedFields[1].fieldsV1")]
    #[case::without_fields(&["old Update v1 - -"], "metadata.managedFields[0].fieldsV1")]
    #[case::with_null(&["old Update v1 - null"], "metadata.managedFields[0].fieldsV1")]
    fn fields_that_cannot_be_read_are_an_error(#[case] entries: &[&str], #[case] path: &str) {
        let error = upgrade(&object(entries), &["old"], "").unwrap_err();
        assert_eq!(
            (error.kind(), error.path().to_string().as_str()),
            (ErrorKind::InvalidManagedFields, path)
        );
    }

    #[test]
    fn fields_that_are_not_taken_over_need_not_be_readable() {
        let before = ["new Apply v1 - {}", "old Update v2 - {", "x Update v1 - {"];
        let after = ["new Apply v1 - {}", "x Update v1 - {"];
        assert_eq!(upgrade(&object(&before), &["old"], "").unwrap(), object(&after));
    }
}
