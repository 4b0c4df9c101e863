//! The conversion of objects. Upstream: `validateCustomResourceConversion`, and package `webhook` of `apiserver`.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};

use super::checker::{Checker, Class};
use super::raw;
use crate::metadata::{is_dns_1035_label, is_dns_1123_subdomain};
use crate::reason::ServerReason;
use crate::url::Url;

/// The versions of reviews that servers send.
const KNOWN_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

pub(super) fn check(checker: &mut Checker, conversion: &OwnedMap, keeps_unknown: bool) {
    let strategy = raw::text(conversion, "strategy");
    checker.require(conversion, "strategy");
    if !matches!(strategy, "" | "None" | "Webhook") {
        checker.report_at("strategy", ServerReason::Unsupported, "expected None or Webhook");
    }
    if strategy != "None" && keeps_unknown {
        checker.report_at(
            "strategy",
            ServerReason::Invalid,
            "expected None, because of `preserveUnknownFields`",
        );
    }
    let empty = OwnedMap::new();
    let webhook = raw::map(conversion, "webhook").unwrap_or(&empty);
    let config = raw::map(webhook, "clientConfig");
    let versions = raw::list(webhook, "conversionReviewVersions");
    checker.at(&["webhook"], |checker| {
        if strategy == "Webhook" {
            match config {
                Some(config) => checker.at(&["clientConfig"], |checker| check_config(checker, config)),
                None => checker.report_at("clientConfig", ServerReason::Required, "missing"),
            }
            checker.at(&["conversionReviewVersions"], |checker| check_versions(checker, versions));
            return;
        }
        for (key, is_there) in
            [("clientConfig", config.is_some()), ("conversionReviewVersions", !versions.is_empty())]
        {
            if is_there {
                checker.report_at(key, ServerReason::Forbidden, "not possible without `strategy: Webhook`");
            }
        }
    });
}

fn check_config(checker: &mut Checker, config: &OwnedMap) {
    match (config.get("url").and_then(Doc::as_str), raw::map(config, "service")) {
        (Some(text), None) => checker.at(&["url"], |checker| check_url(checker, text)),
        (None, Some(service)) => checker.at(&["service"], |checker| check_service(checker, service)),
        _ => checker.report(ServerReason::Required, "expected either `url` or `service`"),
    }
    let bundle = raw::text(config, "caBundle");
    let is_certificate = |bundle: &str| bundle.is_empty() || bundle.starts_with("LS0tLS1CRUdJTi");
    let old = checker.old_member("spec").and_then(|spec| raw::map(spec, "conversion"));
    let old = old.and_then(|conversion| raw::map(raw::map(conversion, "webhook")?, "clientConfig"));
    let was_valid = old.is_none_or(|old| is_certificate(raw::text(old, "caBundle")));
    // The certificates of a new definition, which has no objects yet, are not checked.
    if checker.old.is_some() && was_valid && !is_certificate(bundle) {
        checker.report_at("caBundle", ServerReason::Invalid, "expected certificates in the format PEM");
    }
}

/// Upstream: `ValidateWebhookURL`.
fn check_url(checker: &mut Checker, text: &str) {
    let Some(url) = Url::parse(text) else {
        return checker.report(ServerReason::Required, "expected a URL");
    };
    for (is_wrong, message) in [
        (url.scheme != "https", "the scheme of the URL is https"),
        (url.host().is_empty(), "the URL has no host"),
        (url.user.is_some(), "the URL has a user"),
        (url.has_fragment(), "the URL has a fragment"),
        (!url.query.is_empty(), "the URL has a query"),
    ] {
        if is_wrong {
            checker.report(ServerReason::Invalid, message);
        }
    }
}

/// Upstream: `ValidateWebhookService`.
fn check_service(checker: &mut Checker, service: &OwnedMap) {
    checker.require(service, "name");
    checker.require(service, "namespace");
    if matches!(service.get("port"), Some(Doc::Int(port)) if !(1..=65535).contains(port)) {
        checker.report_at("port", ServerReason::Invalid, "expected a port from 1 to 65535");
    }
    let path = raw::text(service, "path");
    let inner = path.strip_prefix('/').unwrap_or_else(|| path.get(1..).unwrap_or_default());
    let mut segments = inner.strip_suffix('/').unwrap_or(inner).split('/');
    let is_valid = path.starts_with('/') && (path == "/" || segments.all(is_dns_1123_subdomain));
    if !path.is_empty() && !is_valid {
        checker.report_at("path", ServerReason::Invalid, "expected a path such as /convert");
    }
}

pub(super) fn has_known_version(versions: &[OwnedDoc]) -> bool {
    versions.iter().any(|version| version.as_str().is_some_and(|name| KNOWN_VERSIONS.contains(&name)))
}

/// Upstream: `validateConversionReviewVersions`.
fn check_versions(checker: &mut Checker, versions: &[OwnedDoc]) {
    if versions.is_empty() {
        return checker.report(ServerReason::Required, "missing");
    }
    for (index, version) in versions.iter().enumerate() {
        let is_label = version.as_str().is_some_and(is_dns_1035_label);
        if versions[..index].contains(version) || !is_label {
            checker.at_index(index, |checker| {
                checker.report(ServerReason::Invalid, "expected a version such as v1, and each only once");
            });
        }
    }
    if !has_known_version(versions) {
        let message = "expected at least one of v1, v1beta1";
        checker.report_as(Class::ReviewVersions, ServerReason::Invalid, message);
    }
}
