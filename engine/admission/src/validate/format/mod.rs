//! The formats of strings. Upstream: `kube-openapi`, `pkg/validation/strfmt`; `apiextensions-apiserver`,
//! `pkg/apiserver/validation/formats.go`, which lists those that apply to custom resources. Any other format is ignored.
//!
//! One difference: the name in an e-mail address is not refused for an encoded word in an unknown character set.

use std::sync::LazyLock;

use regex::Regex;

use crate::url::Url;

mod email;
mod network;

/// A format that API servers check.
#[derive(Clone, Copy)]
pub(crate) struct TextFormat(fn(&str) -> bool);

/// Returns whether servers know a format of strings.
pub(crate) fn is_known(name: &str) -> bool {
    TextFormat::of_strings(name, true).is_some()
}

/// Returns the regular expression, in the syntax of Rust, that decides which texts have a format. `None` if more than one
/// expression decides it.
#[must_use]
pub fn format_expression(name: &str) -> Option<&'static str> {
    match name.replace('-', "").as_str() {
        "uuid" => Some(UUID.as_str()),
        "hexcolor" => Some(HEX_COLOR.as_str()),
        "rgbcolor" => Some(RGB_COLOR.as_str()),
        "byte" => Some(BASE64.as_str()),
        _ => None,
    }
}

impl TextFormat {
    /// Returns true if a text has the format.
    pub(crate) fn permits(self, text: &str) -> bool {
        self.0(text)
    }

    /// Returns a format that applies to strings. Dashes in the name have no meaning: `date-time` is `datetime`. API
    /// servers have known the formats of names since 1.34.
    pub(crate) fn of_strings(name: &str, has_name_formats: bool) -> Option<TextFormat> {
        Some(TextFormat(match name.replace('-', "").as_str() {
            "bsonobjectid" => |text| text.len() == 24 && text.bytes().all(|b| b.is_ascii_hexdigit()),
            "uri" => |text| Url::parse_request_uri(text).is_some(),
            "email" => email::is_address,
            "hostname" => is_hostname,
            "ipv4" => network::is_ipv4,
            "ipv6" => network::is_ipv6,
            "cidr" => network::is_cidr,
            "mac" => network::is_mac,
            "uuid" => |text| UUID.is_match(text),
            "uuid3" => |text| UUID.is_match(text) && UUID_3.is_match(text),
            "uuid4" => |text| UUID.is_match(text) && UUID_4.is_match(text),
            "uuid5" => |text| UUID.is_match(text) && UUID_5.is_match(text),
            "isbn" => |text| is_isbn10(text) || is_isbn13(text),
            "isbn10" => is_isbn10,
            "isbn13" => is_isbn13,
            "creditcard" => is_credit_card,
            "ssn" => |text| text.len() == 11 && SSN.is_match(text),
            "hexcolor" => |text| HEX_COLOR.is_match(text),
            "rgbcolor" => |text| RGB_COLOR.is_match(text),
            "byte" => |text| BASE64.is_match(text),
            "password" => |_| true,
            "date" => is_date,
            "duration" => is_duration,
            "datetime" => is_date_time,
            "k8sshortname" if has_name_formats => |text| text.len() <= 63 && SHORT_NAME.is_match(text),
            "k8slongname" if has_name_formats => |text| text.len() <= 253 && LONG_NAME.is_match(text),
            _ => return None,
        }))
    }
}

/// Declares regular expressions that are compiled on first use.
macro_rules! expressions {
    ($($name:ident = $text:literal;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("a valid expression"));)*
    };
}

expressions! {
    UUID = "(?i)^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$";
    UUID_3 = "^.{8}-?.{4}-?3";
    UUID_4 = "(?i)^.{8}-?.{4}-?4.{3}-?[89ab]";
    UUID_5 = "(?i)^.{8}-?.{4}-?5.{3}-?[89ab]";
    SSN = "^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$";
    HEX_COLOR = "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
    RGB_COLOR = r"^rgb\([\t\n\f\r ]*(?:[0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])[\t\n\f\r ]*(?:,[\t\n\f\r ]*(?:[0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])[\t\n\f\r ]*){2}\)$";
    BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$";
    CREDIT_CARD = "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$";
    HOSTNAME = r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$";
    TIME = "^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$";
    GO_DURATION = "^[-+]?(?:0|(?:(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)$";
    NUMBER_WITH_UNIT = r"([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)";
    INTEGER = "(?:^|[^0-9.])([0-9]+)";
    SHORT_NAME = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
    LONG_NAME = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
}

fn is_hostname(text: &str) -> bool {
    HOSTNAME.is_match(text) && text.len() <= 255 && text.split('.').all(|label| label.len() <= 63)
}

fn is_isbn10(text: &str) -> bool {
    let text = without_spaces_and_dashes(text);
    if text.len() != 10 || !text.bytes().take(9).all(|b| b.is_ascii_digit()) {
        return false;
    }
    let value = |b: u8| if b == b'X' { 10 } else { u32::from(b.wrapping_sub(b'0')) };
    let is_last_valid = matches!(text.as_bytes()[9], b'0'..=b'9' | b'X');
    let sum: u32 = text.bytes().zip(1..).map(|(b, weight)| weight * value(b)).sum();
    is_last_valid && sum.is_multiple_of(11)
}

fn is_isbn13(text: &str) -> bool {
    let text = without_spaces_and_dashes(text);
    if text.len() != 13 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let sum: u32 = text.bytes().zip([1, 3].into_iter().cycle()).map(|(b, w)| w * u32::from(b - b'0')).sum();
    sum.is_multiple_of(10)
}

fn without_spaces_and_dashes(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\u{c}' | '\r' | ' ' | '-')).collect()
}

fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let luhn = |(place, digit): (usize, u8)| {
        let doubled = u32::from(digit - b'0') * if place % 2 == 1 { 2 } else { 1 };
        doubled / 10 + doubled % 10
    };
    CREDIT_CARD.is_match(&digits) && digits.bytes().rev().enumerate().map(luhn).sum::<u32>() % 10 == 0
}

/// Upstream: `time.Parse` with `2006-01-02`.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_form = bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(i, b)| if matches!(i, 4 | 7) { *b == b'-' } else { b.is_ascii_digit() });
    if !has_form {
        return false;
    }
    let number = |range| text.get(range).and_then(|part: &str| part.parse::<u32>().ok()).unwrap_or(0);
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    let is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap_year),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    let Some(found) = TIME.captures(time) else { return false };
    is_date(date) && &found[1] <= "23" && &found[2] <= "59" && &found[3] <= "59"
}

/// A duration of Go, or a text that contains a number with a unit somewhere.
fn is_duration(text: &str) -> bool {
    let fits = |digits: &str| digits.parse::<i64>().is_ok();
    if GO_DURATION.is_match(text) && INTEGER.captures_iter(text).all(|found| fits(&found[1])) {
        return true;
    }
    let mut has_unit = false;
    for found in NUMBER_WITH_UNIT.captures_iter(text) {
        if !fits(&found[1]) {
            return false;
        }
        has_unit |= is_unit(&found[2].to_lowercase());
    }
    has_unit
}

fn is_unit(unit: &str) -> bool {
    /// Short names, which must be equal, and the long name, which must be the start.
    const UNITS: [(&[&str], &str); 8] = [
        (&["ns"], "nano"),
        (&["us", "µs"], "micro"),
        (&["ms"], "milli"),
        (&["s"], "sec"),
        (&["m"], "min"),
        (&["h", "hr"], "hour"),
        (&["d"], "day"),
        (&["w", "wk"], "week"),
    ];
    UNITS.iter().any(|(short, long)| short.contains(&unit) || unit.starts_with(long))
}

#[cfg(test)]
mod tests;
