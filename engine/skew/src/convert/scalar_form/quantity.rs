//! Quantities (`resource.Quantity`): numbers with a suffix, such as `1500m` and `2Gi`.
//!
//! Upstream: `resource.ParseQuantity` and `Quantity.CanonicalizeBytes`. Their results are the same in Kubernetes 1.20 to
//! 1.37. What may look like an error here is upstream's: `k` and `-` are zero, `1.234` and `+1` stay as they are written,
//! and `1000E` becomes `1`, because 10^21 has no suffix.

/// The reason why a text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvalidQuantity {
    /// The text is not a number and a suffix.
    Form,
    /// The text has no digits where it needs some.
    Number,
    /// The suffix does not exist.
    Suffix,
}

impl std::fmt::Display for InvalidQuantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            InvalidQuantity::Form => "it is not a number and a suffix, such as 1500m or 2Gi",
            InvalidQuantity::Number => "it has no digits",
            InvalidQuantity::Suffix => "its suffix does not exist (n, u, m, k, M, G, T, P, E; Ki to Ei; e3)",
        })
    }
}

/// The form of the suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// `e3`: a power of ten.
    DecimalExponent,
    /// `Mi`: a power of 1024.
    BinarySi,
    /// `M`: a power of 1000.
    DecimalSi,
}

/// The suffixes for powers of ten.
const DECIMAL: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];

/// The suffixes for powers of two. Each stands for 2 to the power of 10 times its number, counted from 1.
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// The exponent of the smallest unit, in powers of ten. More precise quantities are rounded up.
const NANO: i32 = -9;

/// Maximum number of decimal digits that always fit into an `int64`.
const MAX_INT64_DIGITS: i64 = 18;

/// Returns the canonical form of a quantity. Upstream keeps some texts as they are written that are not quite canonical.
pub(crate) fn canonical(text: &str) -> Result<String, InvalidQuantity> {
    if text.is_empty() {
        return Err(InvalidQuantity::Form);
    }
    let parts = Parts::split(text)?;
    let suffix = Suffix::parse(parts.suffix)?;
    let kept = Kept::of(&parts, suffix);
    if kept == Kept::AsWritten {
        return Ok(text.to_owned());
    }
    if kept == Kept::AsDecimal && !parts.value.contains(|c: char| c.is_ascii_digit()) {
        return Err(InvalidQuantity::Number);
    }
    let exponent = if suffix.format == Format::BinarySi { 0 } else { suffix.exponent };
    let mut decimal = Decimal::new(&parts, exponent);
    let mut format = suffix.format;
    if format == Format::BinarySi {
        decimal.multiply_by_power_of_two(suffix.exponent);
    }
    if kept == Kept::AsDecimal {
        format = decimal.restrict(format);
    }
    Ok(decimal.write(format))
}

/// A text of which only the form was checked.
struct Parts<'t> {
    is_negative: bool,
    /// The number with its sign.
    value: &'t str,
    /// The digits before the point, without zeros at the front. `0` if there are none.
    whole: &'t str,
    /// The digits after the point.
    fraction: &'t str,
    suffix: &'t str,
}

impl<'t> Parts<'t> {
    /// Upstream: `parseQuantityString`.
    fn split(text: &'t str) -> Result<Self, InvalidQuantity> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let without_zeros = unsigned.trim_start_matches('0');
        let is_negative = text.starts_with('-');
        if without_zeros.is_empty() {
            return Ok(Parts { is_negative, value: "0", whole: "0", fraction: "", suffix: "" });
        }
        let (whole, rest) = split_digits(without_zeros);
        let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), split_digits);
        let value = &text[..text.len() - suffix.len()];
        let after_letters = suffix.trim_start_matches(|c: char| "eEinumkKMGTP".contains(c));
        let digits = after_letters.strip_prefix(['+', '-']).unwrap_or(after_letters);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(InvalidQuantity::Form);
        }
        let whole = if whole.is_empty() { "0" } else { whole };
        Ok(Parts { is_negative, value, whole, fraction, suffix })
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

#[derive(Clone, Copy)]
struct Suffix {
    format: Format,
    /// The exponent of two for [`Format::BinarySi`], of ten for the others.
    exponent: i32,
}

impl Suffix {
    /// Upstream: `suffixHandler.interpret`.
    fn parse(text: &str) -> Result<Self, InvalidQuantity> {
        if let Some((_, exponent)) = DECIMAL.iter().find(|(suffix, _)| *suffix == text) {
            return Ok(Suffix { format: Format::DecimalSi, exponent: *exponent });
        }
        if let Some(exponent) = (10..).step_by(10).zip(BINARY).find(|(_, suffix)| *suffix == text) {
            return Ok(Suffix { format: Format::BinarySi, exponent: exponent.0 });
        }
        let exponent = text.strip_prefix(['e', 'E']).and_then(|digits| digits.parse::<i64>().ok());
        #[expect(clippy::cast_possible_truncation, reason = "as upstream: int32(parsed)")]
        exponent
            .map(|exponent| Suffix { format: Format::DecimalExponent, exponent: exponent as i32 })
            .ok_or(InvalidQuantity::Suffix)
    }
}

/// The form in which upstream keeps a quantity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// As an `int64`, with the text, which is written again.
    AsWritten,
    /// As an `int64`, whose text is forgotten.
    AsInt64,
    /// As a decimal of any size, which is rounded and capped.
    AsDecimal,
}

impl Kept {
    fn of(parts: &Parts<'_>, suffix: Suffix) -> Self {
        let length = |digits: &str| i64::try_from(digits.len()).unwrap_or(i64::MAX);
        let is_binary = suffix.format == Format::BinarySi;
        let precision = match suffix.format {
            Format::BinarySi if !parts.fraction.is_empty() => return Kept::AsDecimal,
            // 2^10 has three decimal digits.
            Format::BinarySi => 14 - length(parts.whole) - i64::from(suffix.exponent) * 3 / 10,
            Format::DecimalExponent | Format::DecimalSi => {
                MAX_INT64_DIGITS - length(parts.whole) - length(parts.fraction)
            }
        };
        if precision < 0 {
            return Kept::AsDecimal;
        }
        let scale = if is_binary { 0 } else { suffix.exponent.wrapping_sub(places(parts.fraction)) };
        let digits = format!("{}{}", parts.whole, parts.fraction);
        let factor = if is_binary { 1_i64 << suffix.exponent } else { 1 };
        let number = digits.parse::<i64>().ok().filter(|number| number.checked_mul(factor).is_some());
        let Some(number) = number.filter(|_| scale >= NANO) else { return Kept::AsDecimal };
        let is_kept_as_written = if is_binary {
            number % 8 != 0
        } else {
            scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0')
        };
        if is_kept_as_written { Kept::AsWritten } else { Kept::AsInt64 }
    }
}

/// Returns the number of digits after the point.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "as upstream, and no document has so many digits"
)]
fn places(fraction: &str) -> i32 {
    fraction.len() as i32
}

/// A decimal number of any size.
struct Decimal {
    is_negative: bool,
    /// The values of the digits, without zeros at the front. Empty for zero.
    digits: Vec<u8>,
    /// The number is the digits times 10 to the power of this.
    exponent: i32,
}

impl Decimal {
    fn new(parts: &Parts<'_>, exponent: i32) -> Self {
        let digits = parts.whole.bytes().chain(parts.fraction.bytes()).map(|digit| digit - b'0');
        Decimal {
            is_negative: parts.is_negative,
            digits: digits.skip_while(|digit| *digit == 0).collect(),
            exponent: exponent.wrapping_sub(places(parts.fraction)),
        }
    }

    fn multiply_by_power_of_two(&mut self, power: i32) {
        let mut carry = 0_u128;
        for digit in self.digits.iter_mut().rev() {
            let product = (u128::from(*digit) << power) + carry;
            *digit = last_digit(product);
            carry = product / 10;
        }
        while carry > 0 {
            self.digits.insert(0, last_digit(carry));
            carry /= 10;
        }
    }

    /// Rounds to nanos, away from zero, and caps a binary quantity. Returns the format in which it is written.
    fn restrict(&mut self, format: Format) -> Format {
        if self.digits.is_empty() {
            return format;
        }
        self.round_to_nano();
        if format != Format::BinarySi {
            return format;
        }
        let max = u128::from(i64::MAX.unsigned_abs());
        match self.whole() {
            Some((0, _)) => return Format::DecimalSi,
            Some((whole, is_exact)) if whole < max || (whole == max && is_exact) => {}
            _ => {
                self.digits = max.to_string().bytes().map(|digit| digit - b'0').collect();
                self.exponent = 0;
            }
        }
        format
    }

    fn round_to_nano(&mut self) {
        let dropped = i64::from(NANO) - i64::from(self.exponent);
        let Some(dropped) = usize::try_from(dropped).ok().filter(|dropped| *dropped > 0) else { return };
        let kept = self.digits.len().saturating_sub(dropped);
        let is_exact = self.digits[kept..].iter().all(|digit| *digit == 0);
        self.digits.truncate(kept);
        self.exponent = NANO;
        if !is_exact {
            self.add_one();
        }
    }

    fn add_one(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
    }

    /// Returns the whole part of the magnitude, and whether there is no fraction. Returns `None` if the whole part has
    /// more digits than fit.
    fn whole(&self) -> Option<(u128, bool)> {
        let length = i64::try_from(self.digits.len()).ok()? + i64::from(self.exponent);
        // Maximum number of decimal digits that always fit into 128 bits.
        if length > 38 {
            return None;
        }
        let length = usize::try_from(length).unwrap_or_default();
        let digits = self.digits.iter().chain(std::iter::repeat(&0)).take(length);
        let whole = digits.fold(0, |sum, digit| sum * 10 + u128::from(*digit));
        let is_exact = self.digits.iter().skip(length).all(|digit| *digit == 0);
        Some((whole, is_exact))
    }

    /// Upstream: `Quantity.CanonicalizeBytes`.
    fn write(self, format: Format) -> String {
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        if format != Format::BinarySi {
            return self.write_decimal(format);
        }
        match self.whole() {
            Some((mut whole, true)) if whole >= 1024 => {
                let mut suffix = "";
                for next in BINARY {
                    if whole % 1024 != 0 {
                        break;
                    }
                    whole /= 1024;
                    suffix = next;
                }
                format!("{}{whole}{suffix}", self.sign())
            }
            // Another suffix would round.
            _ => self.write_decimal(Format::DecimalSi),
        }
    }

    /// Writes the number with the largest exponent that is a multiple of 3.
    fn write_decimal(mut self, format: Format) -> String {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
            self.exponent = self.exponent.wrapping_add(1);
        }
        let zeros = self.exponent.rem_euclid(3);
        self.digits.extend((0..zeros).map(|_| 0));
        let exponent = self.exponent.wrapping_sub(zeros);
        let suffix = match format {
            Format::DecimalExponent if exponent == 0 => String::new(),
            Format::DecimalExponent => format!("e{exponent}"),
            // Upstream ignores that an exponent has no suffix.
            _ => DECIMAL
                .iter()
                .find(|(_, of_suffix)| *of_suffix == exponent)
                .map_or_else(String::new, |(suffix, _)| (*suffix).to_owned()),
        };
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        format!("{}{digits}{suffix}", self.sign())
    }

    fn sign(&self) -> &'static str {
        if self.is_negative { "-" } else { "" }
    }
}

fn last_digit(number: u128) -> u8 {
    (number % 10) as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    /// Observed with `resource.Quantity` of k8s.io/apimachinery v0.37.2: a JSON string is decoded and encoded again.
    #[rstest]
    #[case("0", "0")]
    #[case("1", "1")]
    #[case("1.5", "1500m")]
    #[case("0.5", "500m")]
    #[case("-1.5", "-1500m")]
    #[case("+1", "+1")]
    #[case("001", "001")]
    #[case("1.234", "1.234")]
    #[case("1.500", "1.500")]
    #[case(".5", "500m")]
    #[case(".500", "500m")]
    #[case("100000m", "100")]
    #[case("1000", "1k")]
    #[case("1k", "1k")]
    #[case("1000k", "1M")]
    #[case("0m", "0")]
    #[case("-0", "0")]
    #[case("k", "0")]
    #[case("-", "0")]
    #[case(".", "0")]
    #[case("1.", "1.")]
    #[case("1.Ki", "1.Ki")]
    #[case("1Ki", "1Ki")]
    #[case("8Ki", "8Ki")]
    #[case("1024Ki", "1Mi")]
    #[case("1000Ki", "1000Ki")]
    #[case("0.5Gi", "512Mi")]
    #[case("1.5Gi", "1536Mi")]
    #[case(".5Ki", "512")]
    #[case("0.3Ki", "307200m")]
    #[case("1.1Ki", "1126400m")]
    #[case("1023.5Ki", "1048064")]
    #[case("-512Mi", "-512Mi")]
    #[case("+1Ki", "+1Ki")]
    #[case("+4Ki", "+4Ki")]
    #[case("+8Ki", "8Ki")]
    #[case("01Ki", "01Ki")]
    #[case("1024", "1024")]
    #[case("8Ei", "9223372036854775807")]
    #[case("-9Ei", "-9223372036854775807")]
    #[case("0.1Ei", "115292150460684697600m")]
    #[case("9223372036854775807", "9223372036854775807")]
    #[case("9223372036854775808", "9223372036854775808")]
    #[case("10000000000000000000000000", "10")]
    #[case("1000E", "1")]
    #[case("1E", "1E")]
    #[case("5E", "5E")]
    #[case("1E3", "1E3")]
    #[case("1e3", "1e3")]
    #[case("10e2", "1e3")]
    #[case("1e-3", "1e-3")]
    #[case("1.5e1", "1.5e1")]
    #[case("1e-10", "1e-9")]
    #[case("1n", "1n")]
    #[case("0.1n", "1n")]
    #[case("1.0000000001", "1000000001n")]
    #[case("-0.0000000001", "-1n")]
    #[case("123456789012345678901234567890m", "123456789012345678901234567890m")]
    #[case("1e+21", "1e+21")]
    #[case("1e100", "10e99")]
    #[case("100e-1", "10")]
    #[case("0e5", "0")]
    #[case("1e4294967299", "1e4294967299")]
    #[case("00000000000000000000.5", "500m")]
    #[case("1234567890123456789.5Ki", "9223372036854775807")]
    fn quantities_have_the_form_of_kubernetes(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(canonical(text).as_deref(), Ok(expected));
    }

    /// Observed in the same way.
    #[rstest]
    #[case("")]
    #[case("Ki1")]
    #[case("1 Ki")]
    #[case("1ki")]
    #[case("1K")]
    #[case("1e")]
    #[case("1e1.5")]
    #[case("e")]
    #[case("e5x")]
    #[case("--1")]
    #[case("1..5")]
    #[case("1,5")]
    #[case("true")]
    #[case("[]")]
    #[case("0x10")]
    #[case("1Kii")]
    #[case("1m5")]
    #[case("1e99999999999999999999")]
    #[case("e-10")]
    #[case(".e-10")]
    #[case("１")]
    fn other_text_is_no_quantity(#[case] text: &str) {
        assert!(canonical(text).is_err(), "{:?}", canonical(text));
    }

    proptest! {
        #[test]
        fn a_canonical_form_is_its_own_canonical_form(
            text in "[+-]?[0-9]{0,22}(\\.[0-9]{0,12})?([numkMGTP]|[KMGT]i|e-?[0-9])?",
        ) {
            if let Ok(form) = canonical(&text) {
                prop_assert_eq!(canonical(&form), Ok(form.clone()), "{} became {}", text, form);
            }
        }
    }
}
