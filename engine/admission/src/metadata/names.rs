//! Names, labels and times. Upstream: `apimachinery`, package `content`.

use std::sync::LazyLock;

use regex::Regex;

fn matches(regex: &LazyLock<Regex>, text: &str, longest: usize) -> bool {
    text.len() <= longest && regex.is_match(text)
}

/// Declares regular expressions that are compiled on first use.
macro_rules! expressions {
    ($($name:ident = $text:literal;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("a valid expression"));)*
    };
}

expressions! {
    DNS_1123_LABEL = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
    DNS_1123_SUBDOMAIN = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
    DNS_1035_LABEL = "^[a-z]([-a-z0-9]*[a-z0-9])?$";
    LABEL_NAME = "^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$";
}

pub(crate) fn is_dns_1123_label(text: &str) -> bool {
    matches(&DNS_1123_LABEL, text, 63)
}

/// Returns whether custom resources can have this name, which is a DNS subdomain. Upstream: `NameIsDNSSubdomain`.
#[must_use]
pub fn is_object_name(text: &str) -> bool {
    is_dns_1123_subdomain(text)
}

pub(crate) fn is_dns_1123_subdomain(text: &str) -> bool {
    matches(&DNS_1123_SUBDOMAIN, text, 253)
}

pub(crate) fn is_dns_1035_label(text: &str) -> bool {
    matches(&DNS_1035_LABEL, text, 63)
}

/// Returns whether a text is the key of a label. Upstream: `IsLabelKey`.
pub(crate) fn is_qualified_name(text: &str) -> bool {
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    prefix.is_none_or(is_dns_1123_subdomain) && matches(&LABEL_NAME, name, 63)
}

/// Upstream: `IsLabelValue`.
pub(crate) fn is_label_value(text: &str) -> bool {
    text.is_empty() || matches(&LABEL_NAME, text, 63)
}

/// Returns whether a text can be a part of the path of a request. Upstream: `IsPathSegmentName`.
pub(super) fn is_path_segment(text: &str) -> bool {
    !matches!(text, "." | "..") && is_path_segment_prefix(text)
}

/// Upstream: `IsPathSegmentPrefix`.
pub(super) fn is_path_segment_prefix(text: &str) -> bool {
    !text.contains(['/', '%'])
}
