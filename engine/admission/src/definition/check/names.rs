//! The names of a definition. Upstream: `ValidateCustomResourceDefinitionNames`, `validateAPIApproval`.

use skewer_engine::document::{Doc, OwnedMap};

use super::checker::{Checker, Class};
use super::raw;
use crate::metadata::{is_dns_1035_label, is_dns_1123_subdomain};

const LABEL: &str = "expected lower-case letters, digits and dashes, with a letter at the start";
const KIND: &str = "expected letters, digits and dashes, with a letter at the start";

/// The annotation with the approval of a group of the Kubernetes community.
const APPROVAL: &str = "api-approved.kubernetes.io";

pub(super) fn check(checker: &mut Checker, document: &OwnedMap) {
    let Some(spec) = raw::map(document, "spec") else { return };
    let empty = OwnedMap::new();
    let names = raw::map(spec, "names").unwrap_or(&empty);
    let (group, plural) = (raw::text(spec, "group"), raw::text(names, "plural"));
    let metadata = raw::map(document, "metadata").unwrap_or(&empty);
    let name = format!("{plural}.{group}");
    if raw::text(metadata, "name") != name {
        let message = format!("expected {name}: the plural and the group");
        checker.at(&["metadata", "name"], |checker| checker.report(message));
    }
    check_approval(checker, group, metadata);
    checker.at(&["spec"], |checker| {
        checker.check_text(spec, "group", is_dns_1123_subdomain, "expected a DNS name");
        checker.check_text(spec, "group", |group| group.contains('.'), "expected a name with a dot");
        checker.require(spec, "scope");
        checker.at(&["names"], |checker| check_names(checker, names));
    });
}

fn check_names(checker: &mut Checker, names: &OwnedMap) {
    let is_kind = |kind: &str| is_dns_1035_label(&kind.to_lowercase());
    checker.require(names, "plural");
    checker.check_text(names, "plural", is_dns_1035_label, LABEL);
    checker.check_text(names, "singular", is_dns_1035_label, LABEL);
    checker.check_text(names, "kind", is_kind, KIND);
    checker.check_text(names, "listKind", is_kind, KIND);
    let kind = raw::text(names, "kind");
    checker.check_text(names, "listKind", |list_kind| list_kind != kind, "the same as `kind`");
    for key in ["shortNames", "categories"] {
        for (index, name) in raw::list(names, key).iter().enumerate() {
            if name.as_str().is_some_and(|name| !is_dns_1035_label(name)) {
                checker.at(&[key], |checker| checker.at_index(index, |checker| checker.report(LABEL)));
            }
        }
    }
}

/// Groups of the Kubernetes community need an annotation with the approval. Upstream: `IsProtectedCommunityGroup`,
/// `GetAPIApprovalState`.
fn check_approval(checker: &mut Checker, group: &str, metadata: &OwnedMap) {
    let is_protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    if !is_protected {
        return;
    }
    let annotations = raw::map(metadata, "annotations");
    let approval = annotations.and_then(|annotations| annotations.get(APPROVAL)).and_then(Doc::as_str);
    let is_url = |text: &str| {
        text.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty())
    };
    if !approval.is_some_and(|text| text.starts_with("unapproved") || is_url(text)) {
        let message = format!("a group of the Kubernetes community needs the annotation `{APPROVAL}`");
        checker.at(&["metadata", "annotations"], |checker| checker.report_as(Class::Approval, message));
    }
}
