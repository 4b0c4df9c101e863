//! Numbers. Upstream: `numberValidator` of `kube-openapi`.

use super::outcome::Finding;
use super::source::Source;
use crate::options::AdmissionOptions;
use crate::structural::{StructuralSchema, ValueType, ValueValidation};

/// A number of a document.
#[derive(Clone, Copy)]
pub(super) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    #[allow(clippy::cast_precision_loss)] // Upstream converts limits and numbers to floats, too.
    fn as_float(self) -> f64 {
        match self {
            Number::Int(number) => number as f64,
            Number::Float(number) => number,
        }
    }

    /// Returns whether the number is in the range of a type and a format. Upstream: `IsValueValidAgainstRange`.
    fn is_in_range(self, ty: Option<ValueType>, format: Option<&str>) -> bool {
        match (ty, format) {
            (Some(ValueType::Integer), format) => {
                let integer = match self {
                    Number::Int(number) => Some(number),
                    Number::Float(number) => exact_integer(number),
                };
                integer.is_some_and(|number| format != Some("int32") || i32::try_from(number).is_ok())
            }
            #[allow(clippy::cast_possible_truncation)] // An overflow is infinite.
            (Some(ValueType::Number), Some("float")) => (self.as_float() as f32).is_finite(),
            // Servers before 1.36 check no ranges.
            _ => true,
        }
    }
}

fn exact_integer(number: f64) -> Option<i64> {
    let fits = number.fract() == 0.0
        && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    #[allow(clippy::cast_possible_truncation)] // The range is checked.
    fits.then_some(number as i64)
}

/// Returns whether a float counts as an integer. Upstream: `IsFloat64AJSONInteger`.
pub(super) fn is_json_integer(number: f64) -> bool {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    const TOLERANCE: f64 = 1e-9;
    if number.is_nan() || number.abs() > LARGEST {
        return false;
    }
    let rounded = number.round();
    #[allow(clippy::float_cmp)] // Both are the same integer.
    let is_exact = number == rounded;
    is_exact || (rounded != 0.0 && (number - rounded).abs() < TOLERANCE * rounded.abs())
}

impl AdmissionOptions {
    /// Returns the keyword of a limit that the type and the format of numbers do not have. No number is then valid.
    #[must_use]
    pub fn limit_outside_of_type(self, schema: &StructuralSchema) -> Option<&'static str> {
        let ty = schema.ty.filter(|_| self.has_number_ranges());
        let format = range_format(ty, &schema.validation);
        let limits = limits(&schema.validation).into_iter();
        let is_outside = |value: f64| !Number::Float(value).is_in_range(ty, format);
        limits.filter(|(value, ..)| value.is_some_and(is_outside)).map(|(_, keyword, _)| keyword).next()
    }
}

/// Returns the format, if it has a range of numbers.
fn range_format(ty: Option<ValueType>, validation: &ValueValidation) -> Option<&str> {
    match (ty, validation.format.as_deref()) {
        (Some(ValueType::Integer), Some(format @ ("int32" | "int64")))
        | (Some(ValueType::Number), Some(format @ ("float" | "double"))) => Some(format),
        _ => None,
    }
}

fn limits(validation: &ValueValidation) -> [(Option<f64>, &'static str, Limit); 3] {
    [
        (validation.multiple_of, "multipleOf", Limit::Factor),
        (validation.minimum, "minimum", Limit::Minimum { exclusive: validation.exclusive_minimum }),
        (validation.maximum, "maximum", Limit::Maximum { exclusive: validation.exclusive_maximum }),
    ]
}

/// Returns the errors of a number.
pub(super) fn errors_of(source: Source<'_>, number: Number) -> Vec<Finding> {
    let validation = source.validation();
    let ty = source.ty().filter(|_| source.options.has_number_ranges());
    let format = range_format(ty, validation);
    let mut errors = Vec::new();
    let is_in_range = |number: Number| number.is_in_range(ty, format);
    if !is_in_range(number) {
        errors.push(Finding::invalid(format!("{} is not in the range of its type", number.as_float())));
    }
    for (value, keyword, limit) in limits(validation) {
        let Some(value) = value else { continue };
        let is_exact = is_in_range(Number::Float(value));
        if !is_exact {
            errors.push(Finding::invalid(format!("`{keyword}` is not in the range of the type")));
        }
        let (holds, compared) = match number {
            Number::Int(number) if is_exact => (limit.holds_for_integer(number, value), value.trunc()),
            number => (limit.holds(number.as_float(), value), value),
        };
        if !holds {
            errors.push(Finding::invalid(limit.message(compared, number.as_float())));
        }
    }
    errors
}

#[derive(Clone, Copy)]
enum Limit {
    Factor,
    Minimum { exclusive: bool },
    Maximum { exclusive: bool },
}

impl Limit {
    /// Compares integers. The limit loses its fraction. Upstream: `MaximumNativeType` and the like.
    fn holds_for_integer(self, number: i64, limit: f64) -> bool {
        #[allow(clippy::cast_possible_truncation)] // As upstream does.
        let limit = limit as i64;
        match self {
            Limit::Factor => limit > 0 && number % limit == 0,
            Limit::Minimum { exclusive } => number > limit || (!exclusive && number == limit),
            Limit::Maximum { exclusive } => number < limit || (!exclusive && number == limit),
        }
    }

    #[allow(clippy::float_cmp)] // As upstream does.
    fn holds(self, number: f64, limit: f64) -> bool {
        match self {
            Limit::Factor if limit <= 0.0 => false,
            Limit::Factor if limit < 1.0 => is_json_integer(1.0 / limit * number),
            Limit::Factor => is_json_integer(number / limit),
            Limit::Minimum { exclusive } => number > limit || (!exclusive && number == limit),
            Limit::Maximum { exclusive } => number < limit || (!exclusive && number == limit),
        }
    }

    fn message(self, limit: f64, number: f64) -> String {
        let expected = match self {
            Limit::Factor => "a multiple of",
            Limit::Minimum { exclusive: false } => "at least",
            Limit::Minimum { exclusive: true } => "more than",
            Limit::Maximum { exclusive: false } => "at most",
            Limit::Maximum { exclusive: true } => "less than",
        };
        format!("expected {expected} {limit}, found {number}")
    }
}
