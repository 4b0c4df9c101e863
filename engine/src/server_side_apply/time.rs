//! Times of requests, in RFC 3339. Managed fields are ordered by them, in whole seconds.

use crate::document::{OwnedText, Text};

/// A point in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Timestamp {
    text: OwnedText,
    seconds: i64,
}

impl Timestamp {
    /// Reads a time such as `2024-01-31T12:00:00Z`. Returns `None` for other text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        seconds_since_epoch(text).map(|seconds| Timestamp { text: Text::from(text), seconds })
    }

    /// Returns a time after all others, which is not written.
    pub(super) fn newest() -> Self {
        Timestamp { text: OwnedText::default(), seconds: i64::MAX }
    }

    /// Returns the time as it was read. Empty for a time that is not written.
    pub(super) fn text(&self) -> &OwnedText {
        &self.text
    }

    /// Returns the seconds since 1970.
    pub(super) fn seconds(&self) -> i64 {
        self.seconds
    }
}

fn seconds_since_epoch(text: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = text.get(range)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let is = |index: usize, expected: &[u8]| {
        text.as_bytes().get(index).is_some_and(|byte| expected.contains(byte))
    };
    let separators = is(4, b"-") && is(7, b"-") && is(10, b"T") && is(13, b":") && is(16, b":");
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_of_month = match month {
        2 if is_leap_year => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    if !separators || !(1..=days_of_month).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days_before_month: i64 = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        [usize::try_from(month - 1).ok()?]
        + i64::from(is_leap_year && month > 2);
    let previous = year - 1;
    let days_before_year = previous * 365 + previous / 4 - previous / 100 + previous / 400;
    let days = days_before_year + days_before_month + day - 1 - 719_162;
    let offset = offset_in_seconds(text.get(19..)?)?;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second - offset)
}

/// Reads what follows the seconds: a fraction, which does not count, and `Z` or an offset such as `+01:00`.
fn offset_in_seconds(text: &str) -> Option<i64> {
    let zone = match text.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            (zone.len() < fraction.len()).then_some(zone)?
        }
        None => text,
    };
    if zone == "Z" {
        return Some(0);
    }
    let sign = match zone.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = zone[1..].split_once(':')?;
    let number = |digits: &str, limit: i64| {
        let is_number = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse::<i64>().ok())?.filter(|number| *number <= limit)
    };
    Some(sign * (number(hours, 23)? * 3600 + number(minutes, 59)? * 60))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("1970-01-01T00:00:00Z", Some(0))]
    #[case("2000-03-01T00:00:00Z", Some(951_868_800))]
    #[case("2024-02-29T12:30:15Z", Some(1_709_209_815))]
    #[case("2024-02-29T12:30:15.5+01:00", Some(1_709_206_215))]
    #[case("1969-12-31T23:59:59Z", Some(-1))]
    #[case("2023-02-29T12:30:15Z", None)]
    #[case("2024-02-29T24:00:00Z", None)]
    #[case("2024-02-29 12:30:15Z", None)]
    #[case("2024-02-29T12:30:15", None)]
    #[case("2024-02-29T12:30:15.Z", None)]
    #[case("2024-02-29T12:30:15+1:00", None)]
    #[case("", None)]
    fn a_time_is_read_as_seconds(#[case] text: &str, #[case] seconds: Option<i64>) {
        assert_eq!(seconds_since_epoch(text), seconds);
    }
}
