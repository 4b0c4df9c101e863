//! Formatting of values as in Go's `fmt` package. Some upstream functions sort or match list items by this text.

use crate::document::{Doc, OwnedText, Text};

/// Formats a value with the verb `%v` of Go's `fmt`. Upstream compares merge keys and scalars by this text when it
/// creates a patch, so that `53` and `"53"` are equal.
#[must_use]
pub fn format_go_value<'d>(value: &Doc<'d>) -> Text<'d> {
    if let Doc::String(s) = value {
        return s.clone();
    }
    let mut text = String::new();
    write_value(value, FormatVerb::Value, &mut text);
    Text::from(text)
}

/// Formats a value with the verb `%s` of Go's `fmt`. Upstream matches the items of two patches by this text when it
/// checks the patches for conflicts. A scalar that is not a string is formatted with its type, so that `53` and `"53"`
/// differ.
pub(in crate::patch) fn format_go_string(value: &Doc) -> OwnedText {
    if value.is_null() {
        // Null in a list or a map is `<nil>`.
        return Text::from_static("%!s(<nil>)");
    }
    let mut text = String::new();
    write_value(value, FormatVerb::String, &mut text);
    Text::from(text)
}

/// A verb of Go's `fmt`: `%v` or `%s`.
#[derive(Clone, Copy)]
enum FormatVerb {
    Value,
    String,
}

fn write_value(value: &Doc, verb: FormatVerb, text: &mut String) {
    let mut scalar = |ty: &str, plain: &str| match verb {
        FormatVerb::Value => text.push_str(plain),
        FormatVerb::String => text.extend(["%!s(", ty, "=", plain, ")"]),
    };
    match value {
        Doc::Null => text.push_str("<nil>"),
        Doc::Bool(b) => scalar("bool", if *b { "true" } else { "false" }),
        Doc::Int(i) => scalar("int64", &i.to_string()),
        Doc::Float(f) => scalar("float64", &format_go_float(*f)),
        Doc::String(s) => text.push_str(s),
        Doc::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                write_value(item, verb, text);
            }
            text.push(']');
        }
        Doc::Map(map) => {
            text.push_str("map[");
            for (index, (key, value)) in map.iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                text.extend([key.as_str(), ":"]);
                write_value(value, verb, text);
            }
            text.push(']');
        }
    }
}

/// Formats a float64 with the verb `%v` of Go's `fmt`. The text has the fewest digits from which the number can be
/// parsed back. Numbers below 1e-4 and from 1e6 on have an exponent, whereas in JSON text exponents begin at 1e21.
pub(crate) fn format_go_float(f: f64) -> String {
    let text = format!("{f:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if f == 0.0 || (-4..6).contains(&exponent) {
        return f.to_string();
    }
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::test_support::json;

    #[rstest]
    #[case("null", "<nil>", "%!s(<nil>)")]
    #[case("true", "true", "%!s(bool=true)")]
    #[case("1", "1", "%!s(int64=1)")]
    #[case("1.0", "1", "%!s(float64=1)")]
    #[case("999999.0", "999999", "%!s(float64=999999)")]
    #[case("1e6", "1e+06", "%!s(float64=1e+06)")]
    #[case("1234567.5", "1.2345675e+06", "%!s(float64=1.2345675e+06)")]
    #[case("9223372036854775808.0", "9.223372036854776e+18", "%!s(float64=9.223372036854776e+18)")]
    #[case("0.0001", "0.0001", "%!s(float64=0.0001)")]
    #[case("0.00001", "1e-05", "%!s(float64=1e-05)")]
    #[case("-0.0", "-0", "%!s(float64=-0)")]
    #[case("1e21", "1e+21", "%!s(float64=1e+21)")]
    #[case("1e-7", "1e-07", "%!s(float64=1e-07)")]
    #[case(r#""a""#, "a", "a")]
    #[case(r#"[1,"a",[]]"#, "[1 a []]", "[%!s(int64=1) a []]")]
    #[case(r#"{"b":{},"a":null}"#, "map[a:<nil> b:map[]]", "map[a:<nil> b:map[]]")]
    fn values_are_formatted_as_in_go(#[case] text: &str, #[case] percent_v: &str, #[case] percent_s: &str) {
        let value = json(text);
        let formatted = (format_go_value(&value), format_go_string(&value));
        assert_eq!((formatted.0.as_str(), formatted.1.as_str()), (percent_v, percent_s));
    }
}
