//! Times of requests, in RFC 3339. Managed fields are ordered by them, in whole seconds.

use crate::document::{OwnedText, Text};
use crate::time::{Precision, Time};

/// A point in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Timestamp {
    text: OwnedText,
    seconds: i64,
}

impl Timestamp {
    /// Reads a time such as `2024-01-31T12:00:00Z`. Returns `None` for other text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Time::parse(text, Precision::Seconds)
            .map(|time| Timestamp { text: Text::from(text), seconds: time.seconds })
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
        assert_eq!(Timestamp::parse(text).map(|time| time.seconds()), seconds);
    }
}
