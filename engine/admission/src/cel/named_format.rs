//! The formats that rules can name, such as `format.dns1123Label()`. Upstream: `k8s.io/apiserver/pkg/cel/library/format.go`.
//!
//! Which messages a format has for a text depends on the release, and is not simulated: a rule can only ask whether there are any.

use std::sync::Arc;

use cel::Value;
use cel::objects::Opaque;

use super::types::MESSAGES;
use super::value::{Evaluated, optional_of, poison};
use crate::metadata;
use crate::validate::TextFormat;

#[derive(Debug, PartialEq, Eq)]
struct NamedFormat {
    name: String,
}

impl Opaque for NamedFormat {
    fn runtime_type_name(&self) -> &'static str {
        "kubernetes.NamedFormat"
    }
}

/// Calls a function in the namespace `format`. Returns `None` if it is no function of formats.
pub(super) fn qualified(name: &str, args: &[Value]) -> Option<Evaluated> {
    let format = |name: &str| {
        permits(name, "").map(|_| Value::Opaque(Arc::new(NamedFormat { name: name.to_owned() })))
    };
    match (name.strip_prefix("format.")?, args) {
        ("named", [Value::String(name)]) => Some(Ok(optional_of(format(name)))),
        (name, []) => format(name).map(Ok),
        _ => None,
    }
}

/// Calls the method `validate` of a format. Returns `None` for other methods and values.
pub(super) fn call(method: &str, args: &[Value]) -> Option<Evaluated> {
    let ("validate", [Value::Opaque(format), Value::String(text)]) = (method, args) else { return None };
    let format: &NamedFormat = format.downcast_ref()?;
    let is_valid = permits(&format.name, text)?;
    Some(Ok(optional_of((!is_valid).then(|| poison(MESSAGES)))))
}

/// Returns whether a text has a format. `None` if there is no format of this name. Upstream: `ConstantFormats`.
fn permits(name: &str, text: &str) -> Option<bool> {
    let prefix = || masked(text);
    Some(match name {
        "dns1123Label" => metadata::is_dns_1123_label(text),
        "dns1123LabelPrefix" => metadata::is_dns_1123_label(&prefix()),
        "dns1123Subdomain" => metadata::is_dns_1123_subdomain(text),
        "dns1123SubdomainPrefix" => metadata::is_dns_1123_subdomain(&prefix()),
        "dns1035Label" => metadata::is_dns_1035_label(text),
        "dns1035LabelPrefix" => metadata::is_dns_1035_label(&prefix()),
        "qualifiedName" => metadata::is_qualified_name(text),
        "labelValue" => metadata::is_label_value(text),
        "uri" | "uuid" | "byte" | "date" | "datetime" => TextFormat::of_strings(name, false)?.permits(text),
        _ => return None,
    })
}

/// Replaces a dash at the end, and the character before it, by a letter. Upstream: `maskTrailingDash`.
fn masked(text: &str) -> String {
    match text.as_bytes() {
        [kept @ .., _, b'-'] => format!("{}a", String::from_utf8_lossy(kept)),
        _ => text.to_owned(),
    }
}
