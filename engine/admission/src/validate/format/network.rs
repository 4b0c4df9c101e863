//! Addresses of networks.

use std::net::Ipv6Addr;

/// Upstream: `isIPv4`. Zeros in front are ignored, and an IPv6 address that ends with an IPv4 address is accepted.
pub(super) fn is_ipv4(text: &str) -> bool {
    let is_address = match text.find(['.', ':']).map(|i| text.as_bytes()[i]) {
        Some(b'.') => is_ipv4_with_zeros(text),
        Some(_) => is_ipv6_with_zeros(text),
        None => false,
    };
    is_address && text.contains('.')
}

/// Upstream: `govalidator.IsIPv6`.
pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

/// Upstream: `isCIDR`.
pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, mask)) = text.split_once('/') else { return false };
    let bits = if is_ipv4_with_zeros(address) {
        32
    } else if is_ipv6_with_zeros(address) {
        128
    } else {
        return false;
    };
    number(mask, 10).is_some_and(|(mask, rest)| rest.is_empty() && mask <= bits)
}

/// Reads a number at the beginning of a text. Returns `None` if there is none, or if it is too large for any address.
/// Upstream: `dtoi`, `xtoi`.
fn number(text: &str, radix: u32) -> Option<(u32, &str)> {
    const TOO_LARGE: u32 = 0x00FF_FFFF;
    let end = text.find(|c: char| !c.is_digit(radix)).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let mut value = 0;
    for digit in digits.chars() {
        value = value * radix + digit.to_digit(radix)?;
        if value >= TOO_LARGE {
            return None;
        }
    }
    (end > 0).then_some((value, rest))
}

/// Upstream: `parseIPv4` of `k8s.io/utils`.
fn is_ipv4_with_zeros(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let is_part = |part: &&str| number(part, 10).is_some_and(|(value, rest)| rest.is_empty() && value <= 255);
    parts.len() == 4 && parts.iter().all(is_part)
}

/// Upstream: `parseIPv6` of `k8s.io/utils`. The `::` can stand for nothing.
fn is_ipv6_with_zeros(text: &str) -> bool {
    let mut rest = text;
    let mut has_ellipsis = false;
    if let Some(after) = rest.strip_prefix("::") {
        has_ellipsis = true;
        rest = after;
        if rest.is_empty() {
            return true;
        }
    }
    let mut groups = 0;
    while groups < 8 {
        let Some((value, after)) = number(rest, 16).filter(|(value, _)| *value <= 0xFFFF) else {
            return false;
        };
        let _ = value;
        if after.starts_with('.') {
            if (!has_ellipsis && groups != 6) || groups > 6 || !is_ipv4_with_zeros(rest) {
                return false;
            }
            groups += 2;
            rest = "";
            break;
        }
        groups += 1;
        rest = after;
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':').filter(|after| !after.is_empty()) else { return false };
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if has_ellipsis {
                return false;
            }
            has_ellipsis = true;
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    rest.is_empty() && (groups == 8 || has_ellipsis)
}

/// Upstream: `net.ParseMAC`. Addresses have 6, 8 or 20 bytes.
pub(super) fn is_mac(text: &str) -> bool {
    let is_hex =
        |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bytes = text.as_bytes();
    if bytes.len() < 12 || !text.is_ascii() {
        return false;
    }
    let (count, is_valid) = match (char::from(bytes[2]), char::from(bytes[4])) {
        (separator @ (':' | '-'), _) => {
            let parts: Vec<&str> = text.split(separator).collect();
            (parts.len(), parts.iter().all(|part| is_hex(part, 2)))
        }
        (_, '.') => {
            let parts: Vec<&str> = text.split('.').collect();
            (parts.len() * 2, parts.iter().all(|part| is_hex(part, 4)))
        }
        _ => (bytes.len() / 2, is_hex(text, bytes.len()) && bytes.len().is_multiple_of(2)),
    };
    is_valid && matches!(count, 6 | 8 | 20)
}
