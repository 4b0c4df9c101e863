//! Values as Go's `fmt` prints them. Some upstream functions sort or match by this text.

use crate::document::{Doc, OwnedText, Text};

/// Formats a value with `%v`. Upstream compares merge keys and scalars by this text when it creates patches, so that
/// `53` and `"53"` are the same there.
pub fn format_go_value<'d>(value: &Doc<'d>) -> Text<'d> {
    if let Doc::String(s) = value {
        return s.clone();
    }
    let mut text = String::new();
    write_value(value, FormatVerb::Value, &mut text);
    Text::from(text)
}

/// Formats a value with `%s`. Upstream matches the items of two patches by this text when it looks for conflicts. A
/// value that is not a string is printed with its type, so that `53` and `"53"` differ there.
pub(in crate::patch) fn format_go_string(value: &Doc) -> OwnedText {
    if value.is_null() {
        // Inside of lists and maps, null is printed differently.
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

/// Formats a float64: the shortest digits that read back, with an exponent below 1e-4 and from 1e21.
fn format_go_float(f: f64) -> String {
    let text = format!("{f:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if f == 0.0 || (-4..21).contains(&exponent) {
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
    #[case("1e21", "1e+21", "%!s(float64=1e+21)")]
    #[case("1e-7", "1e-07", "%!s(float64=1e-07)")]
    #[case(r#""a""#, "a", "a")]
    #[case(r#"[1,"a",[]]"#, "[1 a []]", "[%!s(int64=1) a []]")]
    #[case(r#"{"b":{},"a":null}"#, "map[a:<nil> b:map[]]", "map[a:<nil> b:map[]]")]
    fn values_are_printed_as_go_prints_them(#[case] text: &str, #[case] v: &str, #[case] s: &str) {
        let value = json(text);
        assert_eq!((format_go_value(&value).as_str(), format_go_string(&value).as_str()), (v, s));
    }
}
