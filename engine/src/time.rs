//! Points in time (`metav1.Time`, `metav1.MicroTime`), in RFC 3339.
//!
//! Upstream: `time.Parse` with the layouts `RFC3339` and `RFC3339Micro`, which accepts more than RFC 3339: an hour with
//! one digit, a comma before the fraction, and an offset of 24 hours or 60 minutes.

/// The second of Go's zero time, 0001-01-01T00:00:00Z, counted from 1970.
const ZERO: i64 = -62_135_596_800;

/// The fraction of the seconds that a text must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Any fraction, or none (`metav1.Time`). Only the seconds are written.
    Seconds,
    /// Six digits (`metav1.MicroTime`), which are written.
    Microseconds,
}

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// The seconds since 1970.
    pub seconds: i64,
    nanoseconds: u32,
}

/// Returns the canonical form of a time: `None` if the text is not a time, and `Some(None)` for the zero time, which Go
/// writes as null.
#[must_use]
pub fn canonical(text: &str, precision: Precision) -> Option<Option<String>> {
    Time::parse(text, precision).map(|time| (!time.is_zero()).then(|| time.write(precision)))
}

impl Time {
    /// Reads a time such as `2024-01-31T12:00:00Z`. Returns `None` for other text.
    #[must_use]
    pub fn parse(text: &str, precision: Precision) -> Option<Self> {
        let mut rest = Rest(text.as_bytes());
        let year = rest.number(4)?;
        rest.literal(b'-')?;
        let month = rest.number(2)?;
        rest.literal(b'-')?;
        let day = rest.number(2)?;
        rest.literal(b'T')?;
        let hour = rest.number(2).or_else(|| rest.number(1))?;
        rest.literal(b':')?;
        let minute = rest.number(2)?;
        rest.literal(b':')?;
        let second = rest.number(2)?;
        let nanoseconds = match precision {
            Precision::Seconds => rest.any_fraction(),
            Precision::Microseconds => rest.six_digits()?,
        };
        let offset = rest.offset()?;
        let is_valid = (1..=12).contains(&month)
            && (1..=days_of_month(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        let seconds =
            days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
        (is_valid && rest.0.is_empty()).then_some(Time { seconds, nanoseconds })
    }

    fn is_zero(self) -> bool {
        self.seconds == ZERO && self.nanoseconds == 0
    }

    fn write(self, precision: Precision) -> String {
        let (year, month, day) = date(self.seconds.div_euclid(86_400));
        let second = self.seconds.rem_euclid(86_400);
        let sign = if year < 0 { "-" } else { "" };
        let fraction = match precision {
            Precision::Seconds => String::new(),
            Precision::Microseconds => format!(".{:06}", self.nanoseconds / 1000),
        };
        format!(
            "{sign}{:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}{fraction}Z",
            year.abs(),
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    }
}

/// The rest of a text.
struct Rest<'t>(&'t [u8]);

impl Rest<'_> {
    /// Reads a number with this many digits. If there are fewer, nothing is read.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        let number = number.iter().try_fold(0_i64, |sum, digit| {
            digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0'))
        })?;
        self.0 = rest;
        Some(number)
    }

    fn literal(&mut self, expected: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[expected])?;
        Some(())
    }

    /// Reads a fraction, if there is one. Returns its nanoseconds: further digits do not count.
    fn any_fraction(&mut self) -> u32 {
        let [b'.' | b',', digits @ ..] = self.0 else { return 0 };
        let length = digits.iter().take_while(|digit| digit.is_ascii_digit()).count();
        if length == 0 {
            return 0;
        }
        self.0 = &digits[length..];
        let padded = digits[..length].iter().chain(std::iter::repeat(&b'0'));
        padded.take(9).fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
    }

    /// Reads a fraction of six digits. As in Go, a plus can stand for the first digit.
    fn six_digits(&mut self) -> Option<u32> {
        self.literal(b'.').or_else(|| self.literal(b','))?;
        let digits = if self.literal(b'+').is_some() { 5 } else { 6 };
        let microseconds = u32::try_from(self.number(digits)?).ok()?;
        Some(microseconds * 1000)
    }

    /// Reads `Z`, or an offset such as `+01:00`. Returns its seconds.
    fn offset(&mut self) -> Option<i64> {
        if self.literal(b'Z').is_some() {
            return Some(0);
        }
        let sign = if self.literal(b'-').is_some() {
            -1
        } else {
            self.literal(b'+')?;
            1
        };
        let hour = self.number(2)?;
        self.literal(b':')?;
        let minute = self.number(2)?;
        (hour <= 24 && minute <= 60).then_some(sign * (hour * 3600 + minute * 60))
    }
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days since 1970 of a date of the Gregorian calendar. The year begins in March here, so that a leap day is
/// its last day.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Returns the year, month and day of the days since 1970.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    /// Observed with `metav1.Time` of k8s.io/apimachinery v0.37.2: a JSON string is decoded and encoded again.
    #[rstest]
    #[case::utc("2020-01-01T00:00:00Z", Some("2020-01-01T00:00:00Z"))]
    #[case::offset("2020-01-01T00:00:00+01:00", Some("2019-12-31T23:00:00Z"))]
    #[case::negative_offset("2020-02-28T23:30:00-01:00", Some("2020-02-29T00:30:00Z"))]
    #[case::fraction_is_dropped("2020-01-01T00:00:00.999999999Z", Some("2020-01-01T00:00:00Z"))]
    #[case::fraction_before_1970("1969-12-31T23:59:59.5Z", Some("1969-12-31T23:59:59Z"))]
    #[case::comma("2020-01-01T00:00:00,5Z", Some("2020-01-01T00:00:00Z"))]
    #[case::hour_of_one_digit("2020-01-01T1:00:00Z", Some("2020-01-01T01:00:00Z"))]
    #[case::largest_offset("2020-01-01T00:00:00+24:60", Some("2019-12-30T23:00:00Z"))]
    #[case::leap_day("2024-02-29T00:00:00Z", Some("2024-02-29T00:00:00Z"))]
    #[case::almost_zero("0001-01-01T00:00:01Z", Some("0001-01-01T00:00:01Z"))]
    #[case::before_zero("0000-01-01T00:00:00+01:00", Some("-0001-12-31T23:00:00Z"))]
    #[case::after_year_9999("9999-12-31T23:00:00-02:00", Some("10000-01-01T01:00:00Z"))]
    fn times_are_written_in_utc(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(canonical(text, Precision::Seconds), Some(expected.map(str::to_owned)));
    }

    /// Observed in the same way.
    #[rstest]
    #[case("0001-01-01T00:00:00Z")]
    #[case("0001-01-01T01:00:00+01:00")]
    fn the_zero_time_is_null(#[case] text: &str) {
        assert_eq!(canonical(text, Precision::Seconds), Some(None));
    }

    /// Observed in the same way.
    #[rstest]
    #[case::empty("")]
    #[case::date("2020-01-01")]
    #[case::no_zone("2020-01-01T00:00:00")]
    #[case::lower_case("2020-01-01t00:00:00z")]
    #[case::a_space("2020-01-01 00:00:00Z")]
    #[case::hour_24("2020-01-01T24:00:00Z")]
    #[case::leap_second("2016-12-31T23:59:60Z")]
    #[case::no_leap_year("1900-02-29T00:00:00Z")]
    #[case::month_13("2020-13-01T00:00:00Z")]
    #[case::month_0("2020-00-01T00:00:00Z")]
    #[case::day_0("2020-01-00T00:00:00Z")]
    #[case::month_of_one_digit("2020-1-01T00:00:00Z")]
    #[case::empty_fraction("2020-01-01T00:00:00.Z")]
    #[case::offset_without_colon("2020-01-01T00:00:00+0100")]
    #[case::offset_of_25_hours("2020-01-01T00:00:00+25:00")]
    #[case::text_after_it("2020-01-01T00:00:00Zx")]
    fn other_text_is_no_time(#[case] text: &str) {
        assert_eq!(canonical(text, Precision::Seconds), None);
    }

    /// Observed with `metav1.MicroTime` of k8s.io/apimachinery v0.37.2.
    #[rstest]
    #[case::six_digits("2020-01-01T00:00:00.123456Z", Some("2020-01-01T00:00:00.123456Z"))]
    #[case::zeros("2020-01-01T00:00:00.000000+01:00", Some("2019-12-31T23:00:00.000000Z"))]
    #[case::comma("2020-01-01T0:00:00,100000Z", Some("2020-01-01T00:00:00.100000Z"))]
    #[case::a_plus("2020-01-01T00:00:00.+12345Z", Some("2020-01-01T00:00:00.012345Z"))]
    #[case::a_minus("2020-01-01T00:00:00.-12345Z", None)]
    #[case::no_fraction("2020-01-01T00:00:00Z", None)]
    #[case::five_digits("2020-01-01T00:00:00.12345Z", None)]
    #[case::seven_digits("2020-01-01T00:00:00.1234567Z", None)]
    fn micro_times_have_six_digits(#[case] text: &str, #[case] expected: Option<&str>) {
        let result = canonical(text, Precision::Microseconds).map(Option::unwrap_or_default);
        assert_eq!(result.as_deref(), expected);
    }

    proptest! {
        #[test]
        fn a_date_is_that_of_its_day(days in -1_000_000_i64..4_000_000) {
            let (year, month, day) = date(days);
            prop_assert!((1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day));
            prop_assert_eq!(days_since_1970(year, month, day), days);
        }
    }
}
