//! Scalars: the values of plain scalars, and strings in flow style.

use std::fmt::Write;

use skewer_engine::Doc;

use crate::NodeData;

/// The YAML version that determines the values of plain scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// YAML 1.2, with numbers as `serde_yaml` reads them.
    Core,
    /// YAML 1.1 as Kubernetes reads manifests: `yes` is a boolean, and `0644` is 420.
    ///
    /// Upstream: `resolve` (sigs.k8s.io/yaml, goyaml.v2).
    Manifest,
}

/// Returns the value of a plain scalar. Returns `None` if the scalar is a string.
pub(super) fn resolve(text: &str, dialect: Dialect) -> Option<NodeData> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some(NodeData::Null),
        "true" | "True" | "TRUE" => return Some(NodeData::Bool(true)),
        "false" | "False" | "FALSE" => return Some(NodeData::Bool(false)),
        ".nan" | ".NaN" | ".NAN" => return Some(NodeData::Float(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Some(NodeData::Float(f64::INFINITY));
        }
        "-.inf" | "-.Inf" | "-.INF" => return Some(NodeData::Float(f64::NEG_INFINITY)),
        _ => {}
    }
    if dialect == Dialect::Manifest {
        match text {
            "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Some(NodeData::Bool(true)),
            "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Some(NodeData::Bool(false)),
            _ => {}
        }
    }
    match (text.as_bytes().first()?, dialect) {
        // Upstream removes underscores only from scalars that begin with a digit or a sign.
        (b'0'..=b'9' | b'+' | b'-', Dialect::Manifest) => {
            let digits = text.replace('_', "");
            manifest_integer(&digits).or_else(|| float(&digits))
        }
        (b'0'..=b'9' | b'+' | b'-', Dialect::Core) if !has_leading_zero(text) => {
            core_integer(text).or_else(|| float(text))
        }
        (b'.', _) => float(text),
        _ => None,
    }
}

/// Splits a number into its sign and its digits. The first value is true if the sign is a minus.
fn split_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Returns true if digits begin with a superfluous zero. YAML 1.2 reads such digits as a string.
fn has_leading_zero(text: &str) -> bool {
    let (_, digits) = split_sign(text);
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Parses digits without a sign.
fn unsigned(digits: &str, base: u32) -> Option<u128> {
    // `from_str_radix` would accept a second sign.
    if digits.starts_with(['+', '-']) { None } else { u128::from_str_radix(digits, base).ok() }
}

/// Parses an integer of at most 128 bits. An integer beyond 64 bits becomes a float, as in Go and in the engine's JSON
/// reader.
#[allow(clippy::cast_precision_loss)] // The nearest float is meant.
fn core_integer(text: &str) -> Option<NodeData> {
    let (negative, digits) = split_sign(text);
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x', ..] => (16, &digits[2..]),
        [b'0', b'o', ..] => (8, &digits[2..]),
        [b'0', b'b', ..] => (2, &digits[2..]),
        _ => (10, digits),
    };
    let size = unsigned(digits, base)?;
    if negative {
        let value = 0_i128.checked_sub_unsigned(size)?;
        return Some(i64::try_from(value).map_or(NodeData::Float(value as f64), NodeData::Int));
    }
    Some(match (i64::try_from(size), u64::try_from(size)) {
        (Ok(value), _) => NodeData::Int(value),
        (_, Ok(value)) => NodeData::UInt(value),
        _ => NodeData::Float(size as f64),
    })
}

/// Parses an integer of at most 64 bits. The prefix determines the base: a leading zero means octal.
///
/// Upstream: `strconv.ParseInt` with base 0.
fn manifest_integer(text: &str) -> Option<NodeData> {
    let (negative, digits) = split_sign(text);
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let size = u64::try_from(unsigned(digits, base)?).ok()?;
    if negative {
        return 0_i64.checked_sub_unsigned(size).map(NodeData::Int);
    }
    Some(i64::try_from(size).map_or(NodeData::UInt(size), NodeData::Int))
}

/// Parses a finite float. Rust accepts the same forms as YAML, except for words such as `inf`, which are never finite.
///
/// Upstream: `yamlStyleFloat` (sigs.k8s.io/yaml, goyaml.v2), `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn float(text: &str) -> Option<NodeData> {
    text.parse().ok().filter(|value: &f64| value.is_finite()).map(NodeData::Float)
}

/// Returns true if a plain scalar has the form of a number but is beyond the range of a float64.
pub(super) fn is_number_out_of_range(text: &str, dialect: Dialect) -> bool {
    let is_in_number = |b: u8| {
        b.is_ascii_digit()
            || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-')
            || (b == b'_' && dialect == Dialect::Manifest)
    };
    // A text of at most four characters cannot be beyond the range.
    text.len() > 4
        && text.bytes().all(is_in_number)
        && text.replace('_', "").parse().is_ok_and(|number: f64| number.is_infinite())
}

/// Writes a string in flow style. The string is left without quotes only if it cannot be read as something else.
#[must_use]
pub fn write_flow_string(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./$".contains(c);
    let starts_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '$');
    let is_other_type = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .iter()
        .any(|keyword| text.eq_ignore_ascii_case(keyword));
    if starts_plain && text.chars().all(is_plain) && !is_other_type {
        text.to_owned()
    } else {
        write_quoted(text)
    }
}

/// Writes a string as in JSON, with escapes for the characters that JSON allows and YAML does not.
pub(crate) fn write_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    for c in Doc::from(text).to_string().chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}') {
            let _ = write!(quoted, "\\u{:04x}", u32::from(c));
        } else {
            quoted.push(c);
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use crate::{read_document, read_manifest};

    /// The expected values were observed with kubectl 1.32 and with `sigs.k8s.io/yaml` 1.6, which kubectl uses.
    /// Upstream converts a manifest to JSON first, and the JSON of 8.0 is `8`.
    #[rstest]
    #[case("yes", "true")]
    #[case("No", "false")]
    #[case("on", "true")]
    #[case("y", "true")]
    #[case("0644", "420")]
    #[case("-0644", "-420")]
    #[case("08", "8")]
    #[case("0o17", "15")]
    #[case("0x1F", "31")]
    #[case("0b11", "3")]
    #[case("1_000", "1000")]
    #[case("1e3", "1000")]
    #[case("5.", "5")]
    #[case(".5", "0.5")]
    #[case("1_0.5", "10.5")]
    #[case("-0.0", "0")]
    #[case("-0e0", "0")]
    #[case("+0", "0")]
    #[case("1e-400", "0")]
    #[case("0e400", "0")]
    #[case("1e21", "1e+21")]
    #[case("9223372036854775807", "9223372036854775807")]
    #[case("9223372036854775808", "9.223372036854776e+18")]
    #[case("0x10", "16")]
    #[case("0o7", "7")]
    #[case("0xFFFFFFFFFFFFFFFFFF", "\"0xFFFFFFFFFFFFFFFFFF\"")]
    #[case("1e400abc", "\"1e400abc\"")]
    #[case("'1e400'", "\"1e400\"")]
    #[case("+12", "12")]
    #[case("-0", "0")]
    #[case("1-2", "\"1-2\"")]
    #[case("1:30", "\"1:30\"")]
    #[case("2001-12-14", "\"2001-12-14\"")]
    #[case("0x", "\"0x\"")]
    #[case("--1", "\"--1\"")]
    #[case("18446744073709551615", "1.8446744073709552e+19")]
    #[case("1234567890123456789012", "1.2345678901234568e+21")]
    #[case("'yes'", "\"yes\"")]
    #[case("\"0644\"", "\"0644\"")]
    #[case("yesterday", "\"yesterday\"")]
    #[case("~", "null")]
    #[case("{1: a, yes: b}", r#"{"1":"a","true":"b"}"#)]
    #[case("[&a 0644, *a]", "[420,420]")]
    fn plain_scalars_are_read_as_kubectl_reads_them(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(read_manifest("x.yaml", text.as_bytes()).unwrap().to_string(), expected);
    }

    #[rstest]
    #[case("0", "0")]
    #[case("-0", "0")]
    #[case("+0", "0")]
    #[case("-0.0", "-0.0")]
    #[case("0x10", "16")]
    #[case("0o7", "7")]
    #[case("1_000", "\"1_000\"")]
    #[case("1_0e400", "\"1_0e400\"")]
    #[case("1.0", "1.0")]
    #[case("1e400abc", "\"1e400abc\"")]
    #[case("'1e400'", "\"1e400\"")]
    fn numbers_outside_of_manifests_are_those_of_yaml_1_2(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(read_document("x.yaml", text.as_bytes()).unwrap().to_string(), expected);
    }

    /// Upstream reads the first four texts as strings, which is not what their author meant.
    #[rstest]
    #[case("1e400", "1:4: number out of range: no float64 holds 1e400")]
    #[case("-1.8E+308", "1:4: number out of range: no float64 holds -1.8E+308")]
    #[case("[0, +1e400]", "1:8: number out of range: no float64 holds +1e400")]
    #[case("&a .1e400", "1:7: number out of range: no float64 holds .1e400")]
    #[case(".inf", "1:4: a number that is not finite cannot be written as JSON")]
    #[case("-.INF", "1:4: a number that is not finite cannot be written as JSON")]
    #[case("+.inf", "1:4: a number that is not finite cannot be written as JSON")]
    #[case(".nan", "1:4: a number that is not finite cannot be written as JSON")]
    fn numbers_that_no_float64_holds_are_refused(#[case] text: &str, #[case] expected: &str) {
        let text = format!("a: {text}\n");
        for errors in [read_document("x.yaml", text.as_bytes()), read_manifest("x.yaml", text.as_bytes())] {
            let errors = errors.unwrap_err().to_string();
            assert!(errors.starts_with(&format!("x.yaml:{expected}\n")), "{errors}");
        }
        let underscores = read_manifest("x.yaml", b"1_0e400").unwrap_err().to_string();
        assert!(underscores.contains("no float64 holds 1_0e400"), "{underscores}");
    }

    #[test]
    fn a_scalar_over_several_lines_is_no_number() {
        let text = "a: |\n  0644\nb: >-\n  yes\nc: yes\n  no\n";
        let read = read_manifest("x.yaml", text.as_bytes()).unwrap();
        assert_eq!(read.to_string(), r#"{"a":"0644\n","b":"yes","c":"yes no"}"#);
    }

    #[test]
    fn files_other_than_manifests_are_read_as_yaml_1_2() {
        assert_eq!(read_document("x.yaml", b"[yes, 0644]").unwrap().to_string(), r#"["yes","0644"]"#);
        assert!(read_document("x.yaml", b"{1: 2}").is_err());
    }

    /// The answers of `yaml.YAMLToJSON` (sigs.k8s.io/yaml 1.6.0).
    #[rstest]
    #[case("a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}", r#"{"a":{"b":1,"c":2},"d":{"b":3,"c":2}}"#)]
    #[case("a: &x {b: 1, c: 2}\nd: {b: 3, <<: *x}", r#"{"a":{"b":1,"c":2},"d":{"b":1,"c":2}}"#)]
    #[case(
        "- &x {b: 1, c: 2}\n- &y {b: 9, f: 1}\n- {<<: [*x, *y]}",
        r#"[{"b":1,"c":2},{"b":9,"f":1},{"b":1,"c":2,"f":1}]"#
    )]
    #[case("a: &x {b: {p: 1}}\nd: {<<: *x, b: {q: 1}}", r#"{"a":{"b":{"p":1}},"d":{"b":{"q":1}}}"#)]
    #[case("d: {<<: {<<: {z: 1}, a: 2}}", r#"{"d":{"a":2,"z":1}}"#)]
    #[case("d: {<<: [], a: 1}", r#"{"d":{"a":1}}"#)]
    #[case("d: {<<: [{a: 1}, {a: 2}]}", r#"{"d":{"a":1}}"#)]
    #[case("d: {\"<<\": {a: 1}}\ne: [<<]\nf: <<", r#"{"d":{"<<":{"a":1}},"e":["<<"],"f":"<<"}"#)]
    #[case("d: {a: 1, <<: {a: 2}, a: 3}", r#"{"d":{"a":3}}"#)]
    #[case("a: 1\na: 2", r#"{"a":2}"#)]
    #[case("y: 1\nn: 2\n\"y\": 5", r#"{"true":1,"false":2,"y":5}"#)]
    fn a_manifest_has_merge_keys_and_repeated_keys(#[case] text: &str, #[case] expected: &str) {
        let expected = read_document("x.json", expected.as_bytes()).unwrap();
        assert_eq!(read_manifest("x.yaml", text.as_bytes()).unwrap(), expected);
    }

    #[rstest]
    #[case("d: {<<: 5}", "1:9: the merge key `<<` needs a map or a list of maps, not an integer")]
    #[case("d: {<<: null}", "1:9: the merge key `<<` needs a map or a list of maps, not null")]
    #[case("d: {<<: [[{a: 1}]]}", "1:9: the merge key `<<` needs a map or a list of maps, not a list")]
    fn the_value_of_a_merge_key_is_a_map(#[case] text: &str, #[case] expected: &str) {
        let errors = read_manifest("x.yaml", text.as_bytes()).unwrap_err().to_string();
        assert!(errors.starts_with(&format!("x.yaml:{expected}")), "{errors}");
    }

    #[test]
    fn a_manifest_has_warnings_with_their_places() {
        let text = b"a: &x {b: 1}\nd: {<<: *x, b: 3}\non: 1\nc: 1\nc: 2\n\"y\": yes\n";
        let file = crate::parse_manifest("x.yaml", text).unwrap();
        let warnings: Vec<String> = file.warnings().collect();
        assert_eq!(
            warnings,
            [
                "x.yaml:3:1: the key `on` is the boolean true in YAML 1.1, which Kubernetes reads: quote the key, `\"on\"`, \
                 to make it a string",
                "x.yaml:5:1: the map has the key `c` twice: the first one is at line 4, column 1",
            ]
        );
    }

    #[test]
    fn keys_that_resolve_to_the_same_text_are_duplicates() {
        let errors = read_manifest("x.yaml", b"yes: 1\n\"true\": 2\n").unwrap_err();
        assert!(errors.to_string().contains("the map has the key `true` twice"), "{errors}");
        let errors = read_manifest("x.yaml", b"null: 1\n").unwrap_err();
        assert!(errors.to_string().contains("a key must be a string, not null"), "{errors}");
    }
}
