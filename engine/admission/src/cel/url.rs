//! URLs in rules. Upstream: `k8s.io/apiserver/pkg/cel/library/urls.go`.

use std::collections::HashMap;
use std::sync::Arc;

use cel::Value;
use cel::objects::{Key, Opaque};

use super::value::{Evaluated, list, string};
use crate::url::Url;

impl Opaque for Url {
    fn runtime_type_name(&self) -> &'static str {
        "kubernetes.URL"
    }
}

/// Calls a function. The receiver of a method is the first argument. Returns `None` if it is not a function of URLs.
pub(super) fn call(name: &str, args: &[Value]) -> Option<Evaluated> {
    let [argument] = args else { return None };
    match (name, argument) {
        ("isURL", Value::String(text)) => {
            return Some(Ok(Value::Bool(Url::parse_request_uri(text).is_some())));
        }
        // The request form, which decides what is a URL, does not split off the fragment.
        ("url", Value::String(text)) => {
            let url = Url::parse_request_uri(text).and_then(|_| Url::parse(text));
            let url = url.map(|url| Value::Opaque(Arc::new(url)));
            return Some(
                url.ok_or_else(|| format!("URL parse error during conversion from string: {text:?}")),
            );
        }
        _ => {}
    }
    let Value::Opaque(opaque) = argument else { return None };
    let url: &Url = opaque.downcast_ref()?;
    Some(Ok(match name {
        "getScheme" => string(&url.scheme),
        "getHost" => string(&url.host()),
        "getHostname" => string(&url.hostname()),
        "getPort" => string(&url.port()),
        "getEscapedPath" => string(&url.escaped_path()),
        "getQuery" => {
            let entry = |(key, values): (String, Vec<String>)| {
                (Key::from(key), list(values.iter().map(|value| string(value))))
            };
            let map: HashMap<Key, Value> = url.query_values().into_iter().map(entry).collect();
            Value::Map(cel::objects::Map { map: Arc::new(map) })
        }
        _ => return None,
    }))
}
