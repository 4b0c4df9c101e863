//! The format `uri`. Upstream: `net/url.ParseRequestURI` of Go 1.26.

use std::net::Ipv6Addr;

/// Returns true if a text is an absolute URI or an absolute path.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = split_scheme(text) else { return false };
    let rest = rest.split('?').next().unwrap_or_default();
    if !rest.starts_with('/') {
        return scheme.is_some();
    }
    match (scheme, rest.strip_prefix("//")) {
        (Some(scheme), Some(rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            is_authority(scheme, authority) && has_valid_escapes(path)
        }
        _ => has_valid_escapes(rest),
    }
}

/// Splits off the scheme, if there is one. `None` if the text starts with a colon.
fn split_scheme(text: &str) -> Option<(Option<&str>, &str)> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return None,
            ':' => return Some((Some(&text[..at]), &text[at + 1..])),
            _ => break,
        }
    }
    Some((None, text))
}

fn is_authority(scheme: &str, authority: &str) -> bool {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", authority),
    };
    let is_user_character = |b: u8| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b);
    user.bytes().all(is_user_character) && has_valid_escapes(user) && is_host(scheme, host)
}

fn is_host(scheme: &str, host: &str) -> bool {
    if let Some(literal) = host.strip_prefix('[') {
        let Some((address, port)) = literal.rsplit_once(']') else { return false };
        let address = address.split_once("%25").map_or(address, |(address, _zone)| address);
        return is_port(port) && address.parse::<Ipv6Addr>().is_ok();
    }
    if host.contains('[') {
        return false;
    }
    // Several hosts with ports are permitted except with HTTP.
    let is_http = ["http", "https"].iter().any(|http| scheme.eq_ignore_ascii_case(http));
    let colon = if is_http { host.find(':') } else { host.rfind(':') };
    let (name, port) = host.split_at(colon.unwrap_or(host.len()));
    is_port(port) && is_host_name(name)
}

/// Returns true for no port, and for a colon with or without digits.
fn is_port(port: &str) -> bool {
    port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
}

/// A host name can have escapes of bytes that are not ASCII.
fn is_host_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    while let Some(b) = bytes.next() {
        let is_valid = match b {
            b'%' => match (bytes.next().and_then(hex), bytes.next().and_then(hex)) {
                (Some(high), Some(low)) => high >= 8 || (high, low) == (2, 5),
                _ => false,
            },
            0x80.. => true,
            _ => b.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&b),
        };
        if !is_valid {
            return false;
        }
    }
    true
}

fn has_valid_escapes(text: &str) -> bool {
    let is_escape = |part: &str| {
        let mut digits = part.bytes().take(2).map(hex);
        matches!((digits.next(), digits.next()), (Some(Some(_)), Some(Some(_))))
    };
    text.split('%').skip(1).all(is_escape)
}

fn hex(b: u8) -> Option<u32> {
    char::from(b).to_digit(16)
}
