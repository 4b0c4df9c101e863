//! Pools of values for random schemas and objects.

use serde_json::{Value, json};

/// The names of fields.
pub(super) const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// The keys of maps.
pub(super) const KEYS: [&str; 4] = ["k", "l", "m-n", "o"];

/// Short texts.
pub(super) const TEXTS: [&str; 7] = ["", "x", "y", "xy", "abc", "ABC", "äöü"];

/// Patterns, each with a text that matches.
pub(super) const PATTERNS: [(&str, &str); 8] = [
    ("^[a-z]+$", "abc"),
    ("^x", "xy"),
    ("[0-9]{2,}", "a12"),
    (r"^\d+(\.\d+)?$", "1.5"),
    ("^(a|b|c)*$", "abc"),
    (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "a-b"),
    (r"^\w+\s\w+$", "a b"),
    ("^$|^/", "/x"),
];

/// Formats of strings, each with a text that has the format.
pub(super) const FORMATS: [(&str, &str); 11] = [
    ("date", "2024-02-29"),
    ("date-time", "2024-02-29T10:00:00Z"),
    ("duration", "5s"),
    ("ipv4", "10.0.0.1"),
    ("ipv6", "::1"),
    ("cidr", "10.0.0.0/8"),
    ("uuid", "123e4567-e89b-12d3-a456-426614174000"),
    ("email", "a@example.com"),
    ("hostname", "a.example.com"),
    ("byte", "YWJj"),
    ("unknown-format", "x"),
];

/// Returns values of any type, most of which do not fit a given schema.
pub(in crate::differential) fn odd_values() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(3_000_000_000_i64),
        json!(""),
        json!("x"),
        json!("12"),
        json!([]),
        json!(["x", 1]),
        json!({}),
        json!({"a": 1, "z": null}),
    ]
}

/// Rules for values of a type. The first group needs no old value.
pub(super) fn rules(ty: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match ty {
        "integer" => (
            &["self > 1", "self % 2 == 0", "self in [0, 1, 2, 3]", "self < 100 || self == 1000"],
            &["self >= oldSelf", "self == oldSelf"],
        ),
        "number" => (&["self > 0.5", "double(self) < 10.0"], &["self >= oldSelf"]),
        "boolean" => (&["self"], &["self || !oldSelf", "self == oldSelf"]),
        "string" => (
            &[
                "self != 'x'",
                "size(self) < 3",
                "self.startsWith('a')",
                "self.matches('^[a-z]*$')",
                "!self.contains('y')",
            ],
            &["self == oldSelf", "oldSelf == '' || self != ''"],
        ),
        "array" => (&["size(self) < 2", "self.size() != 1"], &["size(self) >= size(oldSelf)"]),
        "map" => (&["size(self) < 2", "!('k' in self)"], &["!('k' in oldSelf) || 'k' in self"]),
        _ => (&["true"], &["true"]),
    }
}
