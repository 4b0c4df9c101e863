//! The names of a definition. Upstream: `ValidateObjectMeta`, `ValidateCustomResourceDefinitionNames`, `validateAPIApproval`.

use skewer_engine::document::{Doc, OwnedMap, Text};

use super::checker::{Checker, Class};
use super::raw;
use crate::metadata::{common_errors, is_dns_1035_label, is_dns_1123_subdomain};
use crate::reason::ServerReason;
use crate::url::Url;

const LABEL: &str = "expected lower-case letters, digits and dashes, with a letter at the start";
const KIND: &str = "expected letters, digits and dashes, with a letter at the start";

/// The annotation with the approval of a group of the Kubernetes community.
const APPROVAL: &str = "api-approved.kubernetes.io";

pub(super) fn check(checker: &mut Checker, metadata: &OwnedMap, spec: &OwnedMap) {
    let empty = OwnedMap::new();
    let names = with_default_names(raw::map(spec, "names").unwrap_or(&empty));
    let group = raw::text(spec, "group");
    checker.at(&["metadata"], |checker| {
        check_name(checker, metadata, &format!("{}.{group}", raw::text(&names, "plural")));
        check_metadata(checker, metadata);
    });
    check_approval(checker, group, metadata);
    checker.at(&["spec"], |checker| {
        checker.require(spec, "group");
        let is_name = |group: &str| is_dns_1123_subdomain(group) && group.contains('.');
        checker.check_text(spec, "group", is_name, "expected a DNS name with a dot");
        checker.require(spec, "scope");
        if !matches!(raw::text(spec, "scope"), "" | "Namespaced" | "Cluster") {
            checker.report_at("scope", ServerReason::Unsupported, "expected Namespaced or Cluster");
        }
        checker.at(&["names"], |checker| {
            for key in ["plural", "singular", "kind", "listKind"] {
                checker.require(&names, key);
            }
            check_names(checker, &names);
        });
    });
}

/// Servers set the generation, and an update can have any finalizers.
fn check_metadata(checker: &mut Checker, metadata: &OwnedMap) {
    let is_update = checker.old.is_some();
    let is_unchecked = |key: &str| key == "generation" || (is_update && key == "finalizers");
    let others = metadata.iter().filter(|(key, _)| !is_unchecked(key));
    let others: OwnedMap = others.map(|(key, value)| (key.clone(), value.clone())).collect();
    for finding in common_errors(&others) {
        checker.add(Class::Always, finding.reason, &finding.error);
    }
}

/// Upstream: `SetDefaults_CustomResourceDefinitionSpec`.
fn with_default_names(names: &OwnedMap) -> OwnedMap {
    let mut names = names.clone();
    let kind = raw::text(&names, "kind").to_owned();
    for (key, default) in [("singular", kind.to_lowercase()), ("listKind", format!("{kind}List"))] {
        if !kind.is_empty() && raw::text(&names, key).is_empty() {
            names.insert(Text::from_static(key), Doc::from(default.as_str()).to_static());
        }
    }
    names
}

/// The name of a new definition consists of the plural and the group. The name of another one does not change.
fn check_name(checker: &mut Checker, metadata: &OwnedMap, expected: &str) {
    if let Some(old) = checker.old_metadata() {
        for key in ["name", "namespace"] {
            if raw::text(&old, key) != raw::text(metadata, key) {
                checker.report_at(key, ServerReason::Invalid, "the field cannot change");
            }
        }
        return;
    }
    checker.require(metadata, "name");
    let message = format!("expected {expected}: the plural and the group");
    let is_valid = |name: &str| name == expected && is_dns_1123_subdomain(name);
    for key in ["name", "generateName"] {
        checker.check_text(metadata, key, is_valid, &message);
    }
    if raw::has(metadata, "namespace") {
        checker.report_at("namespace", ServerReason::Forbidden, "a definition has no namespace");
    }
}

pub(super) fn check_names(checker: &mut Checker, names: &OwnedMap) {
    let is_kind = |kind: &str| is_dns_1035_label(&kind.to_lowercase());
    checker.check_text(names, "plural", is_dns_1035_label, LABEL);
    checker.check_text(names, "singular", is_dns_1035_label, LABEL);
    checker.check_text(names, "kind", is_kind, KIND);
    checker.check_text(names, "listKind", is_kind, KIND);
    let kind = raw::text(names, "kind");
    checker.check_text(names, "listKind", |list_kind| list_kind != kind, "the same as `kind`");
    for key in ["shortNames", "categories"] {
        for (index, name) in raw::list(names, key).iter().enumerate() {
            if name.as_str().is_some_and(|name| !is_dns_1035_label(name)) {
                checker.at(&[key], |checker| {
                    checker.at_index(index, |checker| checker.report(ServerReason::Invalid, LABEL));
                });
            }
        }
    }
}

/// Whether a group of the Kubernetes community is approved. Upstream: `APIApprovalState`.
#[derive(PartialEq, Eq)]
enum Approval {
    Missing,
    Invalid,
    Bypassed,
    Approved,
}

/// Upstream: `GetAPIApprovalState`.
fn approval(metadata: &OwnedMap) -> Approval {
    let is_url = |text: &str| {
        Url::parse_request_uri(text).is_some_and(|url| !url.scheme.is_empty() && !url.host().is_empty())
    };
    match raw::map(metadata, "annotations").map_or("", |annotations| raw::text(annotations, APPROVAL)) {
        "" => Approval::Missing,
        text if text.starts_with("unapproved") => Approval::Bypassed,
        text if is_url(text) => Approval::Approved,
        _ => Approval::Invalid,
    }
}

/// Groups of the Kubernetes community need an annotation with the approval. Upstream: `IsProtectedCommunityGroup`.
fn check_approval(checker: &mut Checker, group: &str, metadata: &OwnedMap) {
    let is_protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    let new = approval(metadata);
    if !is_protected || checker.old_metadata().is_some_and(|old| approval(&old) == new) {
        return;
    }
    let reason = match new {
        Approval::Missing => ServerReason::Required,
        Approval::Invalid => ServerReason::Invalid,
        Approval::Bypassed | Approval::Approved => return,
    };
    let message = format!("a group of the Kubernetes community needs the annotation `{APPROVAL}`");
    checker.at(&["metadata", "annotations", APPROVAL], |checker| checker.report(reason, message));
}
