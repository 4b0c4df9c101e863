//! Durations (`metav1.Duration`). Upstream: `time.ParseDuration` and `Duration.String`.

const NANOSECONDS: u64 = 1_000_000_000;
/// 2^63, the largest magnitude: that of the most negative duration.
const LIMIT: u64 = 1 << 63;

/// Returns the canonical form of a duration such as `90m`, which is `1h30m0s`. Returns `None` for other text.
pub(crate) fn canonical(text: &str) -> Option<String> {
    parse(text).map(write)
}

/// Returns the nanoseconds of a duration.
fn parse(text: &str) -> Option<i64> {
    let (is_negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let (part, after) = parse_part(rest)?;
        sum = sum.checked_add(part).filter(|sum| *sum <= LIMIT)?;
        rest = after;
    }
    if is_negative { 0_i64.checked_sub_unsigned(sum) } else { i64::try_from(sum).ok() }
}

/// Reads a number with its unit, such as `1.5h`. Returns its nanoseconds and the rest of the text.
fn parse_part(text: &str) -> Option<(u64, &str)> {
    let (whole, after_whole) = split_digits(text);
    let (fraction, after_number) = match after_whole.strip_prefix('.') {
        Some(rest) => split_digits(rest),
        None => ("", after_whole),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let unit_length =
        after_number.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after_number.len());
    let (unit, rest) = after_number.split_at(unit_length);
    let unit = unit_in_nanoseconds(unit)?;
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
    let part = whole.checked_mul(unit).filter(|part| *part <= LIMIT)?;
    let part = part.checked_add(nanoseconds_of_fraction(fraction, unit)).filter(|part| *part <= LIMIT)?;
    Some((part, rest))
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

fn unit_in_nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        // The micro sign and the Greek letter mu.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => NANOSECONDS,
        "m" => 60 * NANOSECONDS,
        "h" => 3600 * NANOSECONDS,
        _ => return None,
    })
}

/// Returns the nanoseconds of the digits after the point. Upstream computes them with floats, so this does, too.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "as in `time.ParseDuration`; the result is below the unit"
)]
fn nanoseconds_of_fraction(digits: &str, unit: u64) -> u64 {
    let (mut fraction, mut scale) = (0_u64, 1.0_f64);
    for digit in digits.bytes() {
        // Upstream: `leadingFraction`, which ignores the digits that no longer fit.
        let Some(next) = (fraction <= (LIMIT - 1) / 10)
            .then(|| fraction * 10 + u64::from(digit - b'0'))
            .filter(|next| *next <= LIMIT)
        else {
            break;
        };
        fraction = next;
        scale *= 10.0;
    }
    (fraction as f64 * (unit as f64 / scale)) as u64
}

fn write(nanoseconds: i64) -> String {
    let magnitude = nanoseconds.unsigned_abs();
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let text = match magnitude {
        0 => "0s".to_owned(),
        1..1_000 => format!("{magnitude}ns"),
        1_000..1_000_000 => format!("{}\u{b5}s", with_fraction(magnitude, 3)),
        1_000_000..NANOSECONDS => format!("{}ms", with_fraction(magnitude, 6)),
        _ => {
            let minutes = magnitude / NANOSECONDS / 60;
            let seconds = with_fraction(magnitude - minutes * 60 * NANOSECONDS, 9);
            match minutes {
                0 => format!("{seconds}s"),
                1..60 => format!("{minutes}m{seconds}s"),
                _ => format!("{}h{}m{seconds}s", minutes / 60, minutes % 60),
            }
        }
    };
    format!("{sign}{text}")
}

/// Writes a number divided by a power of ten, without zeros at the end of the fraction.
fn with_fraction(number: u64, places: usize) -> String {
    let digits = format!("{number:0width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Observed with `time.ParseDuration` and `Duration.String` of Go 1.26.
    #[rstest]
    #[case::zero("0", Some("0s"))]
    #[case::negative_zero("-0", Some("0s"))]
    #[case::carried_over("90m", Some("1h30m0s"))]
    #[case::several_parts("1h15m30.918s", Some("1h15m30.918s"))]
    #[case::fraction("1.5h", Some("1h30m0s"))]
    #[case::no_whole_part(".5s", Some("500ms"))]
    #[case::no_fraction("1.s", Some("1s"))]
    #[case::negative("-1.5s", Some("-1.5s"))]
    #[case::micro_sign("1\u{b5}s", Some("1\u{b5}s"))]
    #[case::mu("1500\u{3bc}s", Some("1.5ms"))]
    #[case::ascii_micro("+12us", Some("12\u{b5}s"))]
    #[case::nanoseconds("52763797000ns", Some("52.763797s"))]
    #[case::many_digits("0.3333333333333333333h", Some("20m0s"))]
    #[case::more_digits_than_fit("0.9223372036854775807999m", Some("55.340232221s"))]
    #[case::the_largest("9223372036854775807ns", Some("2562047h47m16.854775807s"))]
    #[case::the_smallest("-9223372036854775808ns", Some("-2562047h47m16.854775808s"))]
    #[case::too_large("9223372036854775808ns", None)]
    #[case::too_small("-2562047h47m16.854775809s", None)]
    #[case::far_too_large("3000000h", None)]
    #[case::empty("", None)]
    #[case::sign_alone("-", None)]
    #[case::no_unit("3", None)]
    #[case::unit_alone("s", None)]
    #[case::point_alone(".s", None)]
    #[case::unknown_unit("1d", None)]
    #[case::a_space("1 s", None)]
    fn durations_have_the_form_of_go(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(canonical(text).as_deref(), expected);
    }
}
