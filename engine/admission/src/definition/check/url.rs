//! The URLs of webhooks and approvals. Upstream: `url.Parse` of Go.

/// The parts of a URL that are checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Url<'t> {
    pub(super) scheme: String,
    /// The host, with the port.
    pub(super) host: &'t str,
    pub(super) has_user: bool,
    pub(super) has_query: bool,
    pub(super) has_fragment: bool,
}

/// Returns the parts of a URL, or `None` for a text that is none. Hosts in brackets are not checked.
pub(super) fn parse(text: &str) -> Option<Url<'_>> {
    let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
    if rest.contains(|c: char| c.is_ascii_control()) || !has_valid_escapes(text) {
        return None;
    }
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = split_scheme(rest)?;
    let mut url = Url {
        scheme: scheme.to_ascii_lowercase(),
        has_query: !query.is_empty(),
        has_fragment: !fragment.is_empty(),
        ..Url::default()
    };
    match rest.strip_prefix("//") {
        Some(rest) => {
            let authority = rest.split('/').next().unwrap_or_default();
            let (user, host) =
                authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
            url.has_user = user.is_some();
            url.host = host;
            is_host(host).then_some(url)
        }
        // The first segment of a path without a scheme has no colon.
        None if scheme.is_empty() && rest.split('/').next().is_some_and(|first| first.contains(':')) => None,
        None => Some(url),
    }
}

/// Returns the scheme and the rest. Upstream: `getScheme`.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
    match end {
        Some(0) if text.starts_with(':') => None,
        Some(end) if text[end..].starts_with(':') && text.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            Some((&text[..end], &text[end + 1..]))
        }
        _ => Some(("", text)),
    }
}

fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, ""));
    let is_valid = |c: char| c.is_ascii_alphanumeric() || !c.is_ascii() || "-_.~!$&'()*+,;=%\"<>".contains(c);
    host.starts_with('[') || (name.chars().all(is_valid) && port.chars().all(|c| c.is_ascii_digit()))
}

fn has_valid_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2)
}

/// Returns whether a text is a URL with a scheme and a host. Upstream: `url.ParseRequestURI`.
pub(super) fn is_url_with_host(text: &str) -> bool {
    parse(text).is_some_and(|url| !url.scheme.is_empty() && !url.host.is_empty())
}
