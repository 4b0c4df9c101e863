//! The fields by which objects can be selected, and the paths of fields. Upstream: `ValidateCustomResourceSelectableFields`,
//! `ValidFieldPath`.

use std::sync::LazyLock;

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};

use super::checker::Checker;
use super::raw;
use super::walk::{is_convertible, schema_of};
use crate::reason::ServerReason;

/// The most selectable fields of a version. Upstream: `MaxSelectableFields`.
const MAX_SELECTABLE_FIELDS: usize = 8;

/// The parts that all versions have in common, which servers move to the definition.
pub(super) struct Shared {
    pub(super) schema: bool,
    pub(super) selectable_fields: bool,
}

impl Shared {
    pub(super) fn by(versions: &[&OwnedMap]) -> Self {
        let is_shared =
            |key: &str| versions.iter().all(|version| raw::is_same(version.get(key), versions[0].get(key)));
        Shared { schema: is_shared("schema"), selectable_fields: is_shared("selectableFields") }
    }
}

pub(super) fn check(checker: &mut Checker, version: &OwnedMap, shared: &Shared) {
    let fields = raw::list(version, "selectableFields");
    if fields.is_empty() {
        return;
    }
    let has_schema = match raw::map(version, "schema") {
        // An empty schema of all versions is one.
        Some(schema) => shared.schema || raw::has(schema, "openAPIV3Schema"),
        None => false,
    };
    if !has_schema || shared.schema != shared.selectable_fields {
        let message = "not possible without a schema, nor if all versions have only one of the two in common";
        return checker.report_at("selectableFields", ServerReason::Invalid, message);
    }
    let empty = OwnedMap::new();
    let schema = schema_of(version).unwrap_or(&empty);
    if !is_convertible(schema) {
        let message = "the schema has a keyword that is not supported, so that it has no fields";
        checker.at(&["schema", "openAPIV3Schema"], |checker| checker.report(ServerReason::Invalid, message));
    }
    let schema = Some(schema).filter(|schema| is_convertible(schema)).unwrap_or(&empty);
    let name = raw::text(version, "name");
    let had_as_many = had_as_many(checker, fields, name, shared.selectable_fields);
    checker.at(&["selectableFields"], |checker| check_fields(checker, fields, schema, had_as_many));
}

fn check_fields(checker: &mut Checker, fields: &[OwnedDoc], schema: &OwnedMap, had_as_many: bool) {
    let mut found: Vec<&str> = Vec::new();
    for (index, field) in fields.iter().filter_map(Doc::as_map).enumerate() {
        let path = raw::text(field, "jsonPath");
        let is_scalar =
            |schema: &OwnedMap| matches!(raw::text(schema, "type"), "string" | "boolean" | "integer");
        let target = if path.is_empty() || path.contains('[') { None } else { field_at(path, schema) };
        let problem = match target {
            _ if path.is_empty() => Some((ServerReason::Required, "missing")),
            None => Some((ServerReason::Invalid, "the schema does not have the field")),
            Some(_) if path.split('.').nth(1) == Some("metadata") => {
                Some((ServerReason::Invalid, "a field of the metadata"))
            }
            Some(schema) if !is_scalar(schema) => {
                Some((ServerReason::Invalid, "expected a field of the type string, boolean or integer"))
            }
            Some(_) => None,
        };
        let is_repeated = target.is_some() && found.contains(&path);
        let repeated = is_repeated.then_some((ServerReason::Duplicate, "the field twice"));
        for (reason, message) in problem.into_iter().chain(repeated) {
            checker.at_index(index, |checker| checker.report_at("jsonPath", reason, message));
        }
        if target.is_some() && !is_repeated {
            found.push(path);
        }
    }
    if found.len() > MAX_SELECTABLE_FIELDS && !had_as_many {
        checker.report(ServerReason::TooMany, format!("more than {MAX_SELECTABLE_FIELDS} fields"));
    }
}

/// Returns whether the version had the same fields before. Upstream: `findTooManySelectableFieldsAllowed`.
fn had_as_many(checker: &Checker, fields: &[OwnedDoc], version: &str, is_shared: bool) -> bool {
    let versions = checker.old_member("spec").map(|spec| raw::list(spec, "versions")).unwrap_or_default();
    let versions: Vec<&OwnedMap> = versions.iter().filter_map(Doc::as_map).collect();
    // Of versions with one name, the last one counts.
    let old = versions.iter().rfind(|old| is_shared || raw::text(old, "name") == version);
    let had_the_same = old.is_some_and(|old| raw::list(old, "selectableFields") == fields);
    had_the_same && Shared::by(&versions).selectable_fields == is_shared
}

/// The schema of a value that can be any.
static ANY: LazyLock<OwnedMap> = LazyLock::new(OwnedMap::new);

/// Returns the schema of the field at a path, such as `.spec.a` or `['a b'].c`.
pub(super) fn field_at<'s>(path: &str, schema: &'s OwnedMap) -> Option<&'s OwnedMap> {
    let mut rest = path;
    let mut schema = schema;
    while !rest.is_empty() {
        let name = if let Some(tail) = rest.strip_prefix("['") {
            let end = tail.find("']")?;
            rest = &tail[end + 2..];
            tail[..end].replace(r"\'", "'").replace(r"\\", r"\")
        } else {
            let tail = rest.strip_prefix('.')?;
            let end = tail.find(['.', '[', ']']).unwrap_or(tail.len());
            rest = &tail[end..];
            tail[..end].to_owned()
        };
        schema = match raw::map(schema, "properties").filter(|properties| !properties.is_empty()) {
            Some(properties) => raw::map(properties, &name).filter(|_| !name.is_empty())?,
            None if !raw::has(schema, "additionalProperties") || name.is_empty() => return None,
            None => raw::map(schema, "additionalProperties").unwrap_or(&ANY),
        };
    }
    Some(schema)
}
