//! Networks such as `10.0.0.0/8`. Upstream: `k8s.io/apiserver/pkg/cel/library/cidr.go`, and Go's `net/netip`.

use std::net::IpAddr;

use cel::Value;

use super::value::{Evaluated, unsupported};

/// Calls a function with a text that `kube-cel` reads in another way. Returns `None` for other functions and texts.
pub(super) fn call(name: &str, args: &[Value]) -> Option<Evaluated> {
    match (name, args) {
        ("isCIDR", [Value::String(text)]) => Some(Ok(Value::Bool(is_network(text)))),
        ("cidr", [Value::String(text)]) | ("containsCIDR", [_, Value::String(text)]) if !is_network(text) => {
            Some(Err(format!("network address parse error during conversion from string: {text:?}")))
        }
        ("containsIP", [_, Value::String(text)]) if !is_address(text) => Some(Err(unsupported())),
        _ => None,
    }
}

/// Whether a text is an address, which is none of IPv4 that is written as one of IPv6.
fn is_address(text: &str) -> bool {
    match text.parse() {
        Ok(IpAddr::V4(_)) => true,
        Ok(IpAddr::V6(address)) => address.to_ipv4_mapped().is_none(),
        Err(_) => false,
    }
}

/// Whether a text is an address with the length of a prefix. Upstream: `netip.ParsePrefix`.
fn is_network(text: &str) -> bool {
    let Some((address, length)) = text.rsplit_once('/') else { return false };
    let most = if address.contains(':') { 128 } else { 32 };
    let is_canonical = !length.starts_with('+') && (length.len() == 1 || !length.starts_with('0'));
    is_address(address) && is_canonical && length.parse::<u8>().is_ok_and(|length| length <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cel::value::string;

    /// Upstream: `cidrContainsIPString`, which has no other message for a text that is no address.
    #[test]
    fn a_text_that_is_no_address_is_no_overload() {
        let outcome = |text: &str| call("containsIP", &[Value::Null, string(text)]);
        assert_eq!(outcome("x"), Some(Err(unsupported())));
        assert_eq!(outcome("10.0.0.1"), None);
    }
}
