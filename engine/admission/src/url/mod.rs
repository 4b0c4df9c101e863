//! URLs. Upstream: `net/url` of Go 1.26.

#![cfg_attr(not(feature = "cel"), allow(dead_code, reason = "Only rules read all parts of a URL."))]

use std::collections::BTreeMap;
use std::net::Ipv6Addr;

/// A URL in its parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Url {
    /// In lower case. Empty if there is none.
    pub(crate) scheme: String,
    /// The text after a scheme if it does not begin with a slash, as in `mailto:a@example.com`.
    opaque: String,
    pub(crate) user: Option<User>,
    /// The host with its port.
    host: Vec<u8>,
    /// Whether a scheme is followed by a path, without two slashes and a host.
    has_no_host: bool,
    path: Path,
    pub(crate) query: String,
    /// Whether the URL ends with `?`.
    has_empty_query: bool,
    fragment: Path,
}

/// The user in front of a host, and the password.
#[derive(Clone, Debug)]
pub(crate) struct User {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

/// The two ways to read a URL.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Upstream: `Parse`.
    Reference,
    /// An absolute URL or an absolute path. Upstream: `ParseRequestURI`.
    Request,
}

impl Url {
    /// Returns the parts of a URL or of a relative reference, or `None` for a text that is neither. Upstream: `Parse`.
    pub(crate) fn parse(text: &str) -> Option<Url> {
        let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
        let url = Url::parse_in(Form::Reference, text)?;
        Some(Url { fragment: Path::read(fragment, Part::Fragment)?, ..url })
    }

    /// Returns the parts of an absolute URL or of an absolute path, which have no fragment. `None` for other texts. Upstream:
    /// `ParseRequestURI`.
    pub(crate) fn parse_request_uri(text: &str) -> Option<Url> {
        Url::parse_in(Form::Request, text)
    }

    /// Upstream: `parse`.
    fn parse_in(form: Form, text: &str) -> Option<Url> {
        let is_request = form == Form::Request;
        if text.bytes().any(|b| b.is_ascii_control()) || is_request && text.is_empty() {
            return None;
        }
        if text == "*" {
            return Some(Url { path: Path::read(text, Part::Path)?, ..Url::default() });
        }
        let (scheme, rest) = split_scheme(text)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut url = Url {
            scheme: scheme.to_ascii_lowercase(),
            query: query.to_owned(),
            has_empty_query: query.is_empty() && text.ends_with('?'),
            ..Url::default()
        };
        if !rest.starts_with('/') {
            if !scheme.is_empty() {
                return Some(Url { opaque: rest.to_owned(), ..url });
            }
            let first = rest.split('/').next().unwrap_or_default();
            if is_request || first.contains(':') {
                return None;
            }
        }
        let can_have_host = !scheme.is_empty() || !is_request && !rest.starts_with("///");
        let path = if let Some(rest) = rest.strip_prefix("//").filter(|_| can_have_host) {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = if let Some((user, host)) = authority.rsplit_once('@') {
                url.user = Some(User::parse(user)?);
                host
            } else {
                authority
            };
            url.host = parse_host(&url.scheme, host)?;
            path
        } else {
            url.has_no_host = !scheme.is_empty();
            rest
        };
        Some(Url { path: Path::read(path, Part::Path)?, ..url })
    }

    /// The host with its port. Bytes that are no text are replaced.
    pub(crate) fn host(&self) -> String {
        text_of(&self.host)
    }

    /// The host without its port, and without the brackets of an address. Upstream: `Hostname`.
    pub(crate) fn hostname(&self) -> String {
        let host = self.host();
        let name = split_port(&host).map_or(host.as_str(), |(name, _)| name);
        name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name).to_owned()
    }

    /// The port, or an empty text. Upstream: `Port`.
    pub(crate) fn port(&self) -> String {
        split_port(&self.host()).map(|(_, port)| port.to_owned()).unwrap_or_default()
    }

    /// Upstream: `EscapedPath`.
    pub(crate) fn escaped_path(&self) -> String {
        self.path.escaped(Part::Path)
    }

    pub(crate) fn has_fragment(&self) -> bool {
        !self.fragment.bytes.is_empty()
    }

    /// The values of each key of the query. What cannot be read is left out. Upstream: `Query`.
    pub(crate) fn query_values(&self) -> BTreeMap<String, Vec<String>> {
        /// Upstream: `defaultMaxParams`.
        const MAX_PARAMETERS: usize = 10_000;
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        if self.query.matches('&').count() >= MAX_PARAMETERS {
            return values;
        }
        for parameter in self.query.split('&').filter(|text| !text.is_empty() && !text.contains(';')) {
            let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            if let (Some(key), Some(value)) = (Part::Query.unescape(key), Part::Query.unescape(value)) {
                values.entry(text_of(&key)).or_default().push(text_of(&value));
            }
        }
        values
    }

    /// Returns the URL of these parts. The text of a reference without a scheme or a host is another one if a colon stands in its
    /// first segment. Upstream: `String`.
    fn to_text(&self) -> String {
        let mut text = String::new();
        if !self.scheme.is_empty() {
            text = format!("{}:", self.scheme);
        }
        if self.opaque.is_empty() {
            let path = self.escaped_path();
            let has_authority = !self.host.is_empty() || self.user.is_some();
            if has_authority || !self.scheme.is_empty() && !self.has_no_host && !path.is_empty() {
                text.push_str("//");
            }
            if let Some(user) = &self.user {
                text.push_str(&user.to_text());
                text.push('@');
            }
            text.push_str(&Part::Host.escape(&self.host));
            text.push_str(&path);
        } else {
            text.push_str(&self.opaque);
        }
        if self.has_empty_query || !self.query.is_empty() {
            text.push('?');
            text.push_str(&self.query);
        }
        if self.has_fragment() {
            text.push('#');
            text.push_str(&self.fragment.escaped(Part::Fragment));
        }
        text
    }
}

/// URLs with the same text are equal. Upstream: `k8s.io/apiserver/pkg/cel`, `URL.Equal`.
impl PartialEq for Url {
    fn eq(&self, other: &Self) -> bool {
        self.to_text() == other.to_text()
    }
}

impl Eq for Url {}

impl User {
    fn parse(text: &str) -> Option<User> {
        let is_valid = |b: u8| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b);
        if !text.bytes().all(is_valid) {
            return None;
        }
        let (name, password) =
            text.split_once(':').map_or((text, None), |(name, password)| (name, Some(password)));
        let password = match password {
            Some(password) => Some(Part::User.unescape(password)?),
            None => None,
        };
        Some(User { name: Part::User.unescape(name)?, password })
    }

    fn to_text(&self) -> String {
        let name = Part::User.escape(&self.name);
        match &self.password {
            Some(password) => format!("{name}:{}", Part::User.escape(password)),
            None => name,
        }
    }
}

/// A path or a fragment.
#[derive(Clone, Debug, Default)]
struct Path {
    /// The text with its escapes.
    written: String,
    /// Without escapes.
    bytes: Vec<u8>,
}

impl Path {
    fn read(text: &str, part: Part) -> Option<Path> {
        Some(Path { written: text.to_owned(), bytes: part.unescape(text)? })
    }

    /// Returns the text as it was written if all characters can stand there, or else with the escapes that are necessary. Upstream:
    /// `EscapedPath`, `EscapedFragment`, `validEncoded`.
    fn escaped(&self, part: Part) -> String {
        let can_stand = |b: u8| b"!$&'()*+,;=:@[]%".contains(&b) || part.permits(b);
        if self.written.bytes().all(can_stand) { self.written.clone() } else { part.escape(&self.bytes) }
    }
}

/// Splits off the scheme, which is empty if there is none. `None` if the text starts with a colon. Upstream: `getScheme`.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let end = text.find(|c| !is_of_scheme(c)).filter(|end| text[*end..].starts_with(':'));
    match end {
        Some(0) => None,
        Some(end) if text.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            Some((&text[..end], &text[end + 1..]))
        }
        _ => Some(("", text)),
    }
}

/// Returns a host without escapes. Upstream: `parseHost`.
fn parse_host(scheme: &str, host: &str) -> Option<Vec<u8>> {
    if let Some(literal) = host.strip_prefix('[') {
        let (address, port) = literal.rsplit_once(']')?;
        if address.contains('[') || port.contains('[') || !is_port(port) {
            return None;
        }
        // What follows an escaped percent sign is the zone of an address.
        let (address, zone) = address.split_at(address.find("%25").unwrap_or(address.len()));
        let address = Part::Host.unescape(address)?;
        let zone = Part::Zone.unescape(zone)?;
        let is_address = std::str::from_utf8(&address).ok()?.parse::<Ipv6Addr>().is_ok();
        return (is_address && zone != b"%")
            .then(|| [b"[", address.as_slice(), &zone, b"]", port.as_bytes()].concat());
    }
    // Several hosts with ports are permitted except with HTTP.
    let colon = if matches!(scheme, "http" | "https") { host.find(':') } else { host.rfind(':') };
    let port = colon.map_or("", |colon| &host[colon..]);
    (!host.contains('[') && is_port(port)).then(|| Part::Host.unescape(host))?
}

/// Returns true for no port, and for a colon with or without digits. Upstream: `validOptionalPort`.
fn is_port(port: &str) -> bool {
    port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns the name and the port of a host. Upstream: `splitHostPort`.
fn split_port(host: &str) -> Option<(&str, &str)> {
    host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
}

/// A part of a URL, of which each has other characters that are escaped.
#[derive(Clone, Copy)]
enum Part {
    User,
    Host,
    /// The zone of an address.
    Zone,
    Path,
    Query,
    Fragment,
}

impl Part {
    /// Returns whether a character stands in this part without an escape. Upstream: `shouldEscape`.
    fn permits(self, b: u8) -> bool {
        let others: &[u8] = match self {
            Part::User => b"$&+,;=",
            Part::Host | Part::Zone => b"!$&'()*+,;=:[]<>\"",
            Part::Path => b"$&+,/:;=@",
            Part::Query => b"",
            Part::Fragment => b"$&+,/:;=?@!()*",
        };
        b.is_ascii_alphanumeric() || b"-_.~".contains(&b) || others.contains(&b)
    }

    /// Upstream: `unescape`.
    fn unescape(self, text: &str) -> Option<Vec<u8>> {
        let mut unescaped = Vec::with_capacity(text.len());
        let mut bytes = text.bytes();
        while let Some(b) = bytes.next() {
            let (byte, is_valid) = match (b, self) {
                (b'%', _) => {
                    let byte = hex(bytes.next()?)? << 4 | hex(bytes.next()?)?;
                    let is_valid = match self {
                        Part::Host => byte >= 0x80 || byte == b'%',
                        Part::Zone => b"% ".contains(&byte) || self.permits(byte),
                        _ => true,
                    };
                    (byte, is_valid)
                }
                (_, Part::Host | Part::Zone) => (b, b >= 0x80 || self.permits(b)),
                (b'+', Part::Query) => (b' ', true),
                _ => (b, true),
            };
            if !is_valid {
                return None;
            }
            unescaped.push(byte);
        }
        Some(unescaped)
    }

    /// Upstream: `escape`.
    fn escape(self, bytes: &[u8]) -> String {
        let escaped =
            |b: &u8| if self.permits(*b) { char::from(*b).to_string() } else { format!("%{b:02X}") };
        bytes.iter().map(escaped).collect()
    }
}

fn hex(b: u8) -> Option<u8> {
    char::from(b).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests;
