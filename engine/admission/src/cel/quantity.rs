//! Quantities, such as `1500m`. Upstream: `k8s.io/apimachinery/pkg/api/resource`, and `k8s.io/apiserver/pkg/cel/library/quantity.go`.

use std::cmp::Ordering;
use std::sync::Arc;

use cel::Value;
use cel::objects::Opaque;

use super::value::{Evaluated, unsupported};

/// The digits that always fit 64 bits. Upstream: `maxInt64Factors`.
const MAX_DIGITS: usize = 18;

/// The smallest exponent of a quantity that was parsed. Upstream: `Nano`.
const NANO: i32 = -9;

#[derive(Clone, Debug)]
pub(super) struct Quantity {
    /// The value is `digits * 10^exponent`.
    digits: i128,
    exponent: i32,
    /// Whether upstream has the value as an integer of 64 bits with an exponent, and not as a decimal number, which it never
    /// converts to an integer.
    is_integer_amount: bool,
    /// Whether the quantity is the result of an operation. Upstream has a pointer then, which is equal to nothing.
    is_computed: bool,
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        !other.is_computed && self.order(other) == Ordering::Equal
    }
}

impl Eq for Quantity {}

impl Opaque for Quantity {
    fn runtime_type_name(&self) -> &'static str {
        "kubernetes.Quantity"
    }
}

pub(super) fn of(value: &Value) -> Option<&Quantity> {
    match value {
        Value::Opaque(opaque) => opaque.downcast_ref(),
        _ => None,
    }
}

/// Whether a comparison for equality with this value is an error for a quantity.
pub(super) fn is_computed(value: &Value) -> bool {
    of(value).is_some_and(|quantity| quantity.is_computed)
}

/// Calls a function. The receiver of a method is the first argument. Returns `None` if it is not a function of quantities.
pub(super) fn call(name: &str, args: &[Value]) -> Option<Evaluated> {
    match (name, args) {
        ("quantity", [Value::String(text)]) => {
            let parsed = Quantity::parse(text).ok_or_else(|| format!("{text:?} is no quantity"));
            return Some(parsed.map(value_of));
        }
        ("isQuantity", [Value::String(text)]) => {
            return Some(Ok(Value::Bool(Quantity::parse(text).is_some())));
        }
        _ => {}
    }
    let [first, rest @ ..] = args else { return None };
    let quantity = of(first)?;
    Some(match (name, rest) {
        ("sign", []) => Ok(Value::Int(quantity.digits.signum() as i64)),
        ("isInteger", []) => Ok(Value::Bool(quantity.as_integer().is_some())),
        ("asInteger", []) => {
            let integer = quantity.as_integer().map(Value::Int);
            integer.ok_or_else(|| "cannot convert value to integer".to_owned())
        }
        ("asApproximateFloat", []) => Ok(Value::Float(quantity.approximate())),
        ("add" | "sub", [Value::Int(other)]) => quantity.combined(name, &Quantity::integer(*other)),
        (_, [other]) => match (name, of(other)?) {
            ("add" | "sub", other) => quantity.combined(name, other),
            ("isGreaterThan", other) => Ok(Value::Bool(quantity.order(other).is_gt())),
            ("isLessThan", other) => Ok(Value::Bool(quantity.order(other).is_lt())),
            ("compareTo", other) => Ok(Value::Int(quantity.order(other) as i64)),
            _ => return None,
        },
        _ => return None,
    })
}

fn value_of(quantity: Quantity) -> Value {
    Value::Opaque(Arc::new(quantity))
}

impl Quantity {
    fn integer(value: i64) -> Quantity {
        Quantity { digits: value.into(), exponent: 0, is_integer_amount: true, is_computed: false }
    }

    /// Upstream: `ParseQuantity`.
    fn parse(text: &str) -> Option<Quantity> {
        if text.is_empty() {
            return None;
        }
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let end_of_digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (whole, rest) = unsigned.split_at(end_of_digits(unsigned));
        let fraction = rest.strip_prefix('.').unwrap_or_default();
        let fraction = &fraction[..end_of_digits(fraction)];
        let suffix = rest.strip_prefix('.').map_or(rest, |after| &after[fraction.len()..]);
        let Suffix { factor, exponent } = Suffix::parse(suffix)?;
        let whole = whole.trim_start_matches('0');
        let digits: i128 = format!("0{whole}{fraction}").parse().ok()?;
        let (significant, shift) = (whole.len().max(1) + fraction.len(), i32::try_from(fraction.len()).ok()?);
        let exponent = exponent.checked_sub(shift)?;
        let fits = match factor {
            1 => significant <= MAX_DIGITS,
            _ => fraction.is_empty() && significant + factor.ilog2() as usize * 3 / 10 < 15,
        };
        let digits = digits.checked_mul(factor)?;
        let is_integer_amount = fits && exponent >= NANO && i64::try_from(digits).is_ok();
        let rounded = Quantity { digits, exponent, is_integer_amount, is_computed: false };
        let rounded = if is_integer_amount { rounded } else { rounded.rounded(factor != 1) };
        let sign = if text.starts_with('-') { -1 } else { 1 };
        Some(Quantity { digits: rounded.digits * sign, ..rounded })
    }

    /// Rounds a decimal number up to the smallest part, and a binary one down to the largest number.
    fn rounded(mut self, is_binary: bool) -> Quantity {
        let Ok(places) = u32::try_from(NANO - self.exponent) else {
            return if is_binary { self.capped() } else { self };
        };
        // A divisor that does not fit is larger than the digits.
        let rounded = 10i128.checked_pow(places).map(|divisor| (self.digits + divisor - 1) / divisor);
        self.digits = rounded.unwrap_or_else(|| self.digits.signum());
        self.exponent = NANO;
        if is_binary { self.capped() } else { self }
    }

    fn capped(self) -> Quantity {
        let largest = Quantity { is_integer_amount: false, ..Quantity::integer(i64::MAX) };
        if self.order(&largest).is_gt() { largest } else { self }
    }

    fn as_integer(&self) -> Option<i64> {
        let exponent = u32::try_from(self.exponent).ok().filter(|_| self.is_integer_amount)?;
        i64::try_from(self.digits.checked_mul(10i128.checked_pow(exponent)?)?).ok()
    }

    #[expect(clippy::cast_precision_loss, reason = "The result is approximate.")]
    fn approximate(&self) -> f64 {
        let digits = self.digits as f64;
        if self.exponent == 0 { digits } else { digits * 10f64.powi(self.exponent) }
    }

    /// Adds or subtracts. Upstream: `Quantity.Add`, `int64Amount.Add`.
    fn combined(&self, operation: &str, other: &Quantity) -> Evaluated {
        let are_integer_amounts = self.is_integer_amount && other.is_integer_amount;
        if other.digits == 0 && are_integer_amounts {
            return Ok(value_of(Quantity { is_computed: true, ..self.clone() }));
        }
        let exponent = if self.digits == 0 { other.exponent } else { self.exponent.min(other.exponent) };
        let sum = |other_digits: i128| {
            let other = Quantity { digits: other_digits, ..other.clone() }.digits_at(exponent)?;
            self.digits_at(exponent)?.checked_add(other)
        };
        let fits = |digits: Option<i128>| digits.filter(|digits| i64::try_from(*digits).is_ok());
        let negated = match i64::try_from(other.digits) {
            // The negation of the smallest integer is the same one in Go.
            Ok(digits) => i128::from(digits.wrapping_neg()),
            Err(_) => -other.digits,
        };
        let of_integers = if operation == "sub" { sum(negated) } else { sum(other.digits) };
        let parts = [self.digits_at(exponent), other.digits_at(exponent), of_integers];
        let is_integer_amount = are_integer_amounts && parts.into_iter().all(|part| fits(part).is_some());
        let exact = if operation == "sub" { sum(-other.digits) } else { sum(other.digits) };
        let digits = if is_integer_amount { of_integers } else { exact };
        let digits = digits.ok_or_else(unsupported)?;
        Ok(value_of(Quantity { digits, exponent, is_integer_amount, is_computed: true }))
    }

    /// Returns the digits with a smaller exponent.
    fn digits_at(&self, exponent: i32) -> Option<i128> {
        if self.digits == 0 {
            return Some(0);
        }
        let places = u32::try_from(self.exponent - exponent).ok()?;
        self.digits.checked_mul(10i128.checked_pow(places)?)
    }

    fn order(&self, other: &Quantity) -> Ordering {
        let exponent = self.exponent.min(other.exponent);
        match (self.digits_at(exponent), other.digits_at(exponent)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => self.approximate().total_cmp(&other.approximate()),
        }
    }
}

/// The factor of a suffix: a power of 2, or 1, and the exponent to 10.
struct Suffix {
    factor: i128,
    exponent: i32,
}

impl Suffix {
    /// Upstream: `suffixHandler`.
    fn parse(text: &str) -> Option<Suffix> {
        const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
        const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
        if let Some(index) = DECIMAL.iter().position(|suffix| *suffix == text) {
            return Some(Suffix { factor: 1, exponent: (i32::try_from(index).ok()? - 3) * 3 });
        }
        if let Some(index) = BINARY.iter().position(|suffix| *suffix == text) {
            return Some(Suffix { factor: 1 << (10 * (index + 1)), exponent: 0 });
        }
        let exponent = text.strip_prefix(['e', 'E'])?;
        Some(Suffix { factor: 1, exponent: exponent.parse().ok()? })
    }
}
