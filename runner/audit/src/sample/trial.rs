//! Values to try where a server refuses a value.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use skewer_admission::structural::{NestedValidation, StructuralSchema, ValueType};
use skewer_engine::{Doc, OwnedDoc};

use super::matching_text::matching_texts;
use super::scalar::{extremes, scalar};
use super::{Sampler, fits};
use crate::schema_path::SchemaPath;

/// Texts that functions of rules and formats ask for.
const TEXTS: [&str; 18] = [
    "example",
    "https://example.com",
    "example.com",
    "http://example.com",
    "https://example.com/a?b=c#d",
    "https://:80",
    "example.com:80",
    "/example",
    "10.0.0.1",
    "10.0.0.2",
    "2001:db8::1",
    "10.0.0.0/8",
    "1h",
    "5s",
    "1Gi",
    "1",
    "1.2.3",
    "2026-01-01T00:00:00Z",
];

/// The number of texts that are tried for one pattern.
const PER_PATTERN: usize = 2;

/// Longer than the names of domains can be.
const LONG: usize = 256;

/// The number of values that are tried for an object or a list.
const CONTAINERS: usize = 8;

/// Returns values of an element to try, the likely ones first. `literals` are those of the rules that refuse other
/// values. Not all of the values are valid, and they can be repeated.
#[must_use]
pub fn values_to_try(schema: &StructuralSchema, literals: &[OwnedDoc]) -> Vec<OwnedDoc> {
    let mut values = schema.validation.enum_values.clone();
    let nested = &schema.validation;
    let alternatives = nested.all_of.iter().chain(&nested.any_of).chain(&nested.one_of);
    values.extend(alternatives.flat_map(|nested| values_of_alternative(schema, nested)));
    values.extend(literals.iter().filter(|literal| fits(schema, literal)).cloned());
    match schema.ty {
        _ if schema.int_or_string => {
            values.extend(extremes(schema));
            values.extend(TEXTS.map(Doc::from));
        }
        Some(ValueType::String) => {
            let texts: Vec<&str> = literals.iter().filter_map(Doc::as_str).collect();
            values.extend(texts.iter().flat_map(|text| texts_about(text)).map(Doc::from));
            // The first can be that with which a text begins, and the second that with which it ends.
            values.extend(texts.windows(2).map(|pair| Doc::from(pair.concat())));
            if is_encoded(schema) {
                let decoded = texts.iter().map(|text| (*text).to_owned());
                let decoded = decoded.chain(texts.windows(2).map(<[&str]>::concat));
                values.extend(decoded.map(|text| Doc::from(encoded(schema, text))));
            }
            values.extend(extremes(schema));
            values.extend(TEXTS.map(Doc::from));
        }
        Some(ValueType::Integer | ValueType::Number) => {
            values.extend([1, 2, 10].map(Doc::Int));
            values.extend(extremes(schema));
        }
        Some(ValueType::Boolean) => values.extend([true, false].map(Doc::Bool)),
        Some(ValueType::Object | ValueType::Array) | None => values.extend(containers(schema)),
    }
    values
}

/// Returns true if a value is bytes, which are encoded as a text.
fn is_encoded(schema: &StructuralSchema) -> bool {
    schema.validation.format.as_deref() == Some("byte")
}

/// Returns a text as it stands in an object: encoded, if the value is bytes.
#[must_use]
pub fn encoded(schema: &StructuralSchema, text: String) -> String {
    if is_encoded(schema) { BASE64_STANDARD.encode(text) } else { text }
}

/// Returns the text that a text of an object means for a rule: decoded, if the value is bytes.
#[must_use]
pub fn decoded(schema: &StructuralSchema, text: &str) -> String {
    let bytes = is_encoded(schema).then(|| BASE64_STANDARD.decode(text).ok()).flatten();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| text.to_owned())
}

/// Returns the values that one of the schemas of `anyOf`, `allOf` or `oneOf` permits.
fn values_of_alternative(schema: &StructuralSchema, nested: &NestedValidation) -> Vec<OwnedDoc> {
    let mut values = nested.validation.enum_values.clone();
    let ty = nested.ty.or(schema.ty).filter(|ty| !matches!(ty, ValueType::Object | ValueType::Array));
    values.extend(ty.and_then(|ty| scalar(ty, &nested.validation, 0)));
    values
}

/// Returns texts that a rule can mean with a literal: those that match a pattern, and those that begin or end with it.
fn texts_about(literal: &str) -> Vec<String> {
    let mut texts: Vec<String> = matching_texts(literal).iter().take(PER_PATTERN).cloned().collect();
    if !literal.is_empty() {
        if literal.chars().count() == 1 {
            // Where a text is split, the parts can be too long.
            texts.push(format!("{}{literal}a", "a".repeat(LONG)));
        }
        texts.extend([format!("{literal}example"), format!("example{literal}"), format!("a{literal}a")]);
    }
    texts
}

fn containers(schema: &StructuralSchema) -> Vec<OwnedDoc> {
    let mut sampler = Sampler::default().with_invalid_scalars();
    let mut values: Vec<OwnedDoc> = sampler.sample(schema, &[]).into_iter().collect();
    let mut sampler = Sampler::default().with_invalid_scalars();
    for _ in 0..CONTAINERS {
        values.extend(sampler.sample(schema, &[SchemaPath::default()]));
        if !sampler.next_combination() {
            break;
        }
    }
    values
}
