//! Conversions between texts and values of CEL.

use chrono::{DateTime, Duration, FixedOffset, NaiveDate};

/// The units of a duration with their nanoseconds.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    // There are two letters of this form: the micro sign, and that of the Greek alphabet.
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The units of the format `duration`, their longest name, whose plural is one, too, and their nanoseconds. Upstream:
/// `timeUnits` (k8s.io/kube-openapi, strfmt).
const FORMAT_UNITS: [(&[&str], &str, i64); 8] = [
    (&["ns"], "nano", 1),
    (&["us", "\u{b5}s"], "micro", 1_000),
    (&["ms"], "milli", 1_000_000),
    (&["s"], "sec", 1_000_000_000),
    (&["m"], "min", 60_000_000_000),
    (&["h", "hr"], "hour", 3_600_000_000_000),
    (&["d"], "day", 86_400_000_000_000),
    (&["w", "wk"], "week", 604_800_000_000_000),
];

/// The largest number of nanoseconds, which only a negative duration can have.
const MAX_NANOSECONDS: u64 = 1 << 63;

/// Parses a duration such as `1h30m` or `-1.5s`. Upstream: Go's `time.ParseDuration`.
pub(super) fn parse_duration(text: &str) -> Option<Duration> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "0" {
        return Some(Duration::zero());
    }
    let mut rest = unsigned;
    let mut nanoseconds: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(end);
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit)?;
        nanoseconds = in_range(nanoseconds.checked_add(multiplied(number, *unit)?)?)?;
        rest = tail;
    }
    let is_negative = text.starts_with('-');
    let negative = 0_i64.checked_sub_unsigned(nanoseconds).filter(|_| is_negative);
    let signed = negative.or_else(|| i64::try_from(nanoseconds).ok());
    signed.filter(|_| !unsigned.is_empty()).map(Duration::nanoseconds)
}

/// Parses a value of the format `duration`, such as `2 days`, of which all text but numbers with units is skipped. Durations
/// that are too long overflow. Upstream: `strfmt.ParseDuration`.
pub(super) fn parse_formatted_duration(text: &str) -> Option<Duration> {
    if let Some(duration) = parse_duration(text) {
        return Some(duration);
    }
    let mut nanoseconds: Option<i64> = None;
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let end = rest[at..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| at + end);
        let (number, tail) = (&rest[at..end], &rest[end..]);
        rest = tail.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
        let end = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '\u{b5}').unwrap_or(rest.len());
        let (unit, tail) = rest.split_at(end);
        rest = tail;
        if unit.is_empty() {
            continue;
        }
        let factor: i64 = number.parse().ok()?;
        let unit = unit.to_lowercase();
        let known = FORMAT_UNITS
            .iter()
            .find(|(short, long, _)| short.contains(&unit.as_str()) || unit.starts_with(long));
        if let Some((.., of_unit)) = known {
            let sum = nanoseconds.unwrap_or(0).wrapping_add(factor.wrapping_mul(*of_unit));
            nanoseconds = Some(sum);
        }
    }
    nanoseconds.map(Duration::nanoseconds)
}

fn in_range(nanoseconds: u64) -> Option<u64> {
    (nanoseconds <= MAX_NANOSECONDS).then_some(nanoseconds)
}

/// Returns the nanoseconds of a number with a unit.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Upstream converts the numbers in the same way. The fraction is less than a unit."
)]
fn multiplied(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { in_range(whole.parse().ok()?)? };
    let whole = in_range(whole.checked_mul(unit)?)?;
    let (mut numerator, mut scale) = (0_u64, 1.0);
    for digit in fraction.bytes().map(|digit| u64::from(digit - b'0')) {
        // Digits that do not fit are left out. Upstream: `leadingFraction`.
        let next = numerator.checked_mul(10).and_then(|numerator| numerator.checked_add(digit));
        let Some(next) = next.and_then(in_range) else { break };
        (numerator, scale) = (next, scale * 10.0);
    }
    in_range(whole.checked_add((numerator as f64 * (unit as f64 / scale)) as u64)?)
}

/// The seconds from 1970 to the first and to the last second that a timestamp can have, in the years 1 and 9999. Upstream:
/// `minUnixTime`, `maxUnixTime`.
const TIMESTAMPS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// Returns the time, if it can be the result of an expression.
pub(super) fn timestamp_in_range(time: DateTime<FixedOffset>) -> Option<DateTime<FixedOffset>> {
    TIMESTAMPS.contains(&time.timestamp()).then_some(time)
}

/// Parses a timestamp. Upstream: Go's `time.Parse` with the layout `RFC3339`, which takes an hour of one digit, a comma before
/// the fraction, and offsets up to `24:60`.
pub(super) fn parse_timestamp(text: &str) -> Option<DateTime<FixedOffset>> {
    let (date, time) = text.split_once('T').filter(|(date, _)| date.len() == 10)?;
    let (year, date) = date.split_once('-').filter(|(year, _)| year.len() == 4)?;
    let (month, day) = date.split_once('-').filter(|(month, _)| month.len() == 2)?;
    let date = NaiveDate::from_ymd_opt(i32::try_from(digits(year)?).ok()?, digits(month)?, digits(day)?)?;
    let (hour, rest) = time.split_once(':').filter(|(hour, _)| matches!(hour.len(), 1 | 2))?;
    let (minute, rest) = rest.split_once(':').filter(|(minute, _)| minute.len() == 2)?;
    let (second, rest) = (rest.get(..2)?, rest.get(2..)?);
    let (nanosecond, zone) = match rest.strip_prefix(['.', ',']) {
        Some(fraction) => {
            let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
            // Digits after the ninth are left out.
            (digits(&format!("{:0<9}", &fraction[..end])[..9]).filter(|_| end > 0)?, &fraction[end..])
        }
        None => (0, rest),
    };
    let time = date.and_hms_nano_opt(digits(hour)?, digits(minute)?, digits(second)?, nanosecond)?;
    let offset = offset(zone)?;
    let utc = time.checked_sub_signed(Duration::seconds(i64::from(offset)))?.and_utc();
    // The values of the crate have no offset of a day or more.
    let offset = FixedOffset::east_opt(offset).or_else(|| FixedOffset::east_opt(0))?;
    Some(utc.with_timezone(&offset))
}

/// Returns the seconds of an offset such as `Z` or `+01:00`.
fn offset(zone: &str) -> Option<i32> {
    if zone == "Z" {
        return Some(0);
    }
    let (hours, minutes) = zone.strip_prefix(['+', '-'])?.split_once(':').filter(|_| zone.len() == 6)?;
    let is_complete = hours.len() == 2;
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    let seconds = i32::try_from(hours * 3600 + minutes * 60).ok()?;
    (is_complete && hours <= 24 && minutes <= 60).then_some(if zone.starts_with('-') {
        -seconds
    } else {
        seconds
    })
}

/// Parses a number that has only digits.
fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Parses a date, which is its first second.
pub(super) fn parse_date(text: &str) -> Option<DateTime<FixedOffset>> {
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(date.and_hms_opt(0, 0, 0)?.and_utc().fixed_offset())
}

/// Writes a duration as Go's `types.Duration` does when it becomes a string: seconds with the unit `s`.
pub(super) fn duration_text(duration: &Duration) -> String {
    // Upstream: `FormatFloat` of `Seconds`, of which 15 digits are exact.
    #[expect(clippy::cast_precision_loss, reason = "Upstream converts the number in the same way.")]
    let seconds = duration.num_seconds() as f64 + f64::from(duration.subsec_nanos()) / 1e9;
    format!("{seconds}s")
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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// `k8s.io/apiextensions-apiserver` v0.37.2 has the same numbers for `int(self.d)`.
    #[rstest]
    #[case::go("1.9ns", Some(1))]
    #[case::days("2 days", Some(172_800_000_000_000))]
    #[case::hours_and_days("1h1d", Some(90_000_000_000_000))]
    #[case::fraction_of_a_day("1.5d", Some(432_000_000_000_000))]
    #[case::no_sign("-1d", Some(86_400_000_000_000))]
    #[case::upper_case("1 WEEK and 3 x", Some(604_800_000_000_000))]
    #[case::too_long("2562047h47m16.854775808s", Some(-8_368_596_245_709_551_616))]
    #[case::overflow("106752d", Some(-9_223_371_273_709_551_616))]
    #[case::no_unit("1 x", None)]
    #[case::no_number("9223372036854775808s", None)]
    fn a_formatted_duration_has_its_numbers_with_units(#[case] text: &str, #[case] nanoseconds: Option<i64>) {
        assert_eq!(parse_formatted_duration(text), nanoseconds.map(Duration::nanoseconds));
    }
}
