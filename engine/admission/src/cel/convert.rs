//! Conversions between texts and values of CEL.

use chrono::{DateTime, Duration, FixedOffset, NaiveDate};

/// The units of a duration with their nanoseconds. `time.ParseDuration` has those up to `h`; the format `duration` of
/// schemas also has days and weeks. Upstream: `strfmt.ParseDuration`.
const UNITS: [(&str, f64); 9] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 6e10),
    ("h", 3.6e12),
    ("d", 8.64e13),
    ("w", 6.048e14),
];

/// Parses a duration such as `1h30m` or `-1.5s`.
pub(super) fn parse_duration(text: &str) -> Option<Duration> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "0" {
        return Some(Duration::zero());
    }
    let mut rest = unsigned;
    let mut nanoseconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(end);
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
        nanoseconds += number.parse::<f64>().ok()? * factor;
        rest = tail;
    }
    let in_range = !unsigned.is_empty() && nanoseconds < 9.2e18;
    #[expect(clippy::cast_possible_truncation, reason = "The range is checked.")]
    let duration = in_range.then(|| Duration::nanoseconds(nanoseconds.round() as i64))?;
    Some(if text.starts_with('-') { -duration } else { duration })
}

/// Parses a timestamp in the format of RFC 3339.
pub(super) fn parse_timestamp(text: &str) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc3339(text).ok()
}

/// Parses a date, which is its first second.
pub(super) fn parse_date(text: &str) -> Option<DateTime<FixedOffset>> {
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(date.and_hms_opt(0, 0, 0)?.and_utc().fixed_offset())
}

/// Writes a duration as Go's `types.Duration` does when it becomes a string: seconds with the unit `s`.
pub(super) fn duration_text(duration: &Duration) -> String {
    let nanoseconds = duration.num_nanoseconds().unwrap_or_default();
    let (seconds, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
    if rest == 0 {
        return format!("{seconds}s");
    }
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let fraction = format!("{:09}", rest.abs());
    format!("{sign}{}.{}s", seconds.abs(), fraction.trim_end_matches('0'))
}

/// Decodes Base64 with padding and the alphabet of URLs, in which rules read the format `byte`. Validation accepts the other
/// alphabet, too. Upstream: `strfmt.Base64.UnmarshalText`.
pub(super) fn parse_base64(text: &str) -> Option<Vec<u8>> {
    let text: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let chunks = text.len() / 4;
    for (i, chunk) in text.chunks(4).enumerate() {
        let padding = chunk.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || (padding > 0 && i + 1 != chunks) {
            return None;
        }
        let mut bits = 0u32;
        for byte in &chunk[..4 - padding] {
            bits = bits << 6 | u32::from(sextet(*byte)?);
        }
        bits <<= 6 * padding;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
    }
    Some(bytes)
}

fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    })
}
