//! The versions of a definition, and their subresources. Upstream: `validateCustomResourceDefinitionSpec`.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};

use super::checker::{Checker, Class};
use super::selectable::Shared;
use super::walk::{has_any, schema_of};
use super::{conversion, raw, schema, selectable};
use crate::metadata::is_dns_1035_label;
use crate::reason::ServerReason;

/// The longest warning of a deprecated version, in bytes.
const MAX_WARNING: usize = 256;

/// Keywords because of which a schema is always structural. Upstream: `schemaHasKubernetesExtensions`.
const EXTENSIONS: [&str; 6] = [
    "x-kubernetes-embedded-resource",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-validations",
];

pub(super) fn check(checker: &mut Checker, spec: &OwnedMap) {
    let keeps_unknown = raw::is_set(spec, "preserveUnknownFields");
    let maps = raw::list(spec, "versions").iter().filter_map(Doc::as_map);
    let versions: Vec<&OwnedMap> = maps.collect();
    let schemas = || versions.iter().filter_map(|version| schema_of(version));
    let has_defaults = schemas().any(|schema| has_any(schema, &["default"]));
    if keeps_unknown {
        checker.at(&["preserveUnknownFields"], |checker| {
            let class = if has_defaults { Class::Always } else { Class::PreservedFields };
            let message = "must be false, so that unknown fields are dropped";
            checker.report_as(class, ServerReason::Invalid, message);
        });
    }
    if !keeps_unknown || has_defaults || schemas().any(|schema| has_any(schema, &EXTENSIONS)) {
        checker.ignored.retain(|class| *class != Class::NotStructural);
    }
    let shared = Shared::by(&versions);
    checker.at(&["versions"], |checker| {
        check_list(checker, &versions);
        for (index, version) in versions.iter().enumerate() {
            let mut same =
                versions.iter().filter(|other| raw::text(other, "name") == raw::text(version, "name"));
            let has_status = if shared.schema {
                versions.iter().any(|version| has_status(version))
            } else {
                same.next().is_some_and(|first| has_status(first))
            };
            checker.at_index(index, |checker| {
                // Of schemas that do not differ, servers keep the first.
                let version_of_schema = if shared.schema { versions[0] } else { version };
                let is_same_name =
                    |other: &&&OwnedMap| raw::text(other, "name") == raw::text(version_of_schema, "name");
                let first = versions.iter().find(is_same_name);
                checker.ignores_costs = first.is_some_and(|first| is_unchanged(checker, first));
                match schema_of(version_of_schema) {
                    Some(schema) => checker.at(&["schema", "openAPIV3Schema"], |checker| {
                        schema::check(checker, schema, has_status);
                    }),
                    None => report_missing_schema(checker, version, keeps_unknown),
                }
                check_version(checker, version);
                selectable::check(checker, version, &shared);
            });
        }
    });
    if let Some(conversion) = raw::map(spec, "conversion") {
        checker.at(&["conversion"], |checker| conversion::check(checker, conversion, keeps_unknown));
    }
}

/// Returns whether the schema of a version is that of the version in the definition that is replaced. Upstream:
/// `findVersionsWithUnchangedSchemas`.
fn is_unchanged(checker: &Checker, version: &OwnedMap) -> bool {
    let Some(spec) = checker.old_member("spec") else { return false };
    let old: Vec<&OwnedMap> = raw::list(spec, "versions").iter().filter_map(Doc::as_map).collect();
    // A schema that all old versions have belongs to every version.
    let is_shared = !old.is_empty() && Shared::by(&old).schema;
    let is_same_version =
        |old: &&&OwnedMap| is_shared || raw::text(old, "name") == raw::text(version, "name");
    old.iter().find(is_same_version).is_some_and(|old| raw::is_same(old.get("schema"), version.get("schema")))
}

fn has_status(version: &OwnedMap) -> bool {
    raw::map(version, "subresources").is_some_and(|subresources| raw::has(subresources, "status"))
}

fn check_list(checker: &mut Checker, versions: &[&OwnedMap]) {
    let count = versions.iter().filter(|version| raw::is_set(version, "storage")).count();
    if count != 1 {
        let message = format!("exactly one version is the storage version, and {count} are");
        checker.report(ServerReason::Invalid, message);
    }
    for (index, version) in versions.iter().enumerate() {
        let name = raw::text(version, "name");
        if versions[..index].iter().any(|other| raw::text(other, "name") == name) {
            checker.report(ServerReason::Invalid, format!("the version {name} twice"));
        }
    }
}

fn report_missing_schema(checker: &mut Checker, version: &OwnedMap, keeps_unknown: bool) {
    // A definition that had versions without schemas keeps unknown fields, or serves none of these versions.
    let is_needed = !keeps_unknown && raw::is_set(version, "served");
    let is_kept = checker.ignores(Class::MissingSchema);
    let class = if is_kept && is_needed { Class::Always } else { Class::MissingSchema };
    checker.at(&["schema", "openAPIV3Schema"], |checker| {
        checker.report_as(class, ServerReason::Required, "missing: a version has a schema");
    });
}

fn check_version(checker: &mut Checker, version: &OwnedMap) {
    if !is_dns_1035_label(raw::text(version, "name")) {
        let message = "expected lower-case letters, digits and dashes, with a letter at the start";
        checker.report_at("name", ServerReason::Invalid, message);
    }
    if let Some(warning) = version.get("deprecationWarning").and_then(Doc::as_str) {
        if !raw::is_set(version, "deprecated") {
            checker.report_at("deprecationWarning", ServerReason::Invalid, "the version is not deprecated");
        } else if warning.is_empty() || warning.len() > MAX_WARNING || !warning.chars().all(is_printable) {
            let message = "expected 1 to 256 printable characters";
            checker.report_at("deprecationWarning", ServerReason::Invalid, message);
        }
    }
    let scale = raw::map(version, "subresources").and_then(|subresources| raw::map(subresources, "scale"));
    if let Some(scale) = scale {
        checker.at(&["subresources", "scale"], |checker| check_scale(checker, scale));
    }
    for (index, column) in raw::list(version, "additionalPrinterColumns").iter().enumerate() {
        let Some(column) = column.as_map() else { continue };
        checker.at(&["additionalPrinterColumns"], |checker| {
            checker.at_index(index, |checker| check_column(checker, column));
        });
    }
}

/// Upstream: `unicode.IsPrint`. Of the spaces, only that of ASCII is printable.
fn is_printable(c: char) -> bool {
    let is_escaped = || c.escape_debug().count() > 1 && !matches!(c, '"' | '\'' | '\\');
    c == ' ' || !(c.is_whitespace() || c.is_control() || is_escaped())
}

/// Upstream: `ValidateCustomResourceDefinitionSubresources`.
fn check_scale(checker: &mut Checker, scale: &OwnedMap) {
    let starts_with = |path: &str, starts: &[&str]| starts.iter().any(|start| path.starts_with(start));
    for (key, starts, message) in [
        ("specReplicasPath", &[".spec."][..], "expected a path that starts with .spec."),
        ("statusReplicasPath", &[".status."], "expected a path that starts with .status."),
        ("labelSelectorPath", &[".spec.", ".status."], "expected a path that starts with .spec. or .status."),
    ] {
        checker.check_text(scale, key, |path| starts_with(path, starts), message);
        if key != "labelSelectorPath" {
            checker.require(scale, key);
        }
    }
}

/// Upstream: `ValidateCustomResourceColumnDefinition`.
fn check_column(checker: &mut Checker, column: &OwnedMap) {
    const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
    const FORMATS: [&str; 8] = ["int32", "int64", "float", "double", "byte", "date", "date-time", "password"];
    for key in ["name", "type", "jsonPath"] {
        checker.require(column, key);
    }
    let message = "expected one of boolean, date, integer, number, string";
    checker.check_text(column, "type", |ty| TYPES.contains(&ty), message);
    let message = "expected one of int32, int64, float, double, byte, date, date-time, password";
    checker.check_text(column, "format", |format| FORMATS.contains(&format), message);
    let message = "expected a path that starts with a dot";
    checker.check_text(column, "jsonPath", |path| path.starts_with('.'), message);
}

/// Checks the versions in which objects are stored. `stored` is the list of the definition, with the storage version. Upstream:
/// `ValidateCustomResourceDefinitionStoredVersions`.
pub(super) fn check_stored(checker: &mut Checker, versions: &[OwnedDoc], stored: &[String]) {
    let mut left: Vec<&String> = stored.iter().collect();
    for version in versions.iter().filter_map(Doc::as_map) {
        let name = raw::text(version, "name");
        if raw::is_set(version, "storage") && !left.iter().any(|stored| *stored == name) {
            checker.report(ServerReason::Invalid, format!("the storage version {name} is missing"));
        }
        left.retain(|stored| *stored != name);
    }
    for name in left {
        let message = format!("the version {name} is missing, in which objects are or were stored");
        checker.report(ServerReason::Invalid, message);
    }
}
