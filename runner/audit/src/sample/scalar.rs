//! Scalars that a schema permits, and scalars at the limits of what it permits.

use skewer_admission::structural::{StructuralSchema, ValueType, ValueValidation};
use skewer_engine::{Doc, OwnedDoc};

use super::matching_text::matching_texts;
use super::near_text::regex_of;

/// Returns values at the limits of a scalar type: empty and long texts, small and large numbers. The first is an ordinary
/// value. Not all of them are valid.
pub(super) fn extremes(schema: &StructuralSchema) -> Vec<OwnedDoc> {
    /// Longer than most limits that somebody adds to a field.
    const LONG: usize = 300;
    /// Larger than most limits that somebody adds to a field.
    const LARGE: i64 = 1_000_000;
    let validation = &schema.validation;
    let mut values: Vec<OwnedDoc> = Vec::new();
    match schema.ty {
        _ if schema.int_or_string => values.extend([Doc::Int(1), Doc::from("10%"), Doc::from("example")]),
        Some(ValueType::String) => {
            values.extend(text(validation, 0).map(Doc::from));
            values.push(Doc::from(""));
            let length = validation.max_length.map_or(LONG, |length| usize::try_from(length).unwrap_or(LONG));
            values.push(Doc::from("a".repeat(length.min(LONG))));
            values.push(Doc::from("Not A Name!"));
            if validation.pattern.is_some() {
                values
                    .extend([1, 4, 9].into_iter().filter_map(|index| text(validation, index)).map(Doc::from));
            }
        }
        Some(ty @ (ValueType::Integer | ValueType::Number)) => {
            values.extend(number(ty, validation, 0));
            values.extend([Doc::Int(0), Doc::Int(-1)]);
            #[allow(clippy::cast_possible_truncation)] // Limits of numbers in schemas are far below 2^53.
            values.push(validation.maximum.map_or(Doc::Int(LARGE), |maximum| Doc::Int(maximum as i64)));
        }
        Some(ValueType::Boolean) => values.extend([Doc::Bool(true), Doc::Bool(false)]),
        Some(ValueType::Object | ValueType::Array) | None => return Vec::new(),
    }
    if schema.nullable {
        values.push(Doc::Null);
    }
    values
}

pub(super) fn minimum(count: Option<i64>) -> usize {
    usize::try_from(count.unwrap_or(0)).unwrap_or(0).min(100)
}

/// Returns a scalar. Values with another `index` differ, if the schema permits it.
pub(super) fn scalar(ty: ValueType, validation: &ValueValidation, index: usize) -> Option<OwnedDoc> {
    let offset = i64::try_from(index).ok()?;
    match ty {
        ValueType::Boolean => Some(Doc::Bool(index.is_multiple_of(2))),
        ValueType::Integer | ValueType::Number => number(ty, validation, offset),
        ValueType::String => text(validation, index).map(Doc::from),
        ValueType::Object | ValueType::Array => None,
    }
}

fn number(ty: ValueType, validation: &ValueValidation, offset: i64) -> Option<OwnedDoc> {
    #[allow(clippy::cast_precision_loss)] // The offset is the index of an item.
    let offset = offset as f64;
    let step = validation.multiple_of.filter(|step| *step > 0.0).unwrap_or(1.0);
    let lowest = match validation.minimum {
        Some(minimum) if validation.exclusive_minimum => minimum + step,
        Some(minimum) => minimum,
        None => validation.maximum.map_or(1.0, |maximum| maximum.min(1.0)),
    };
    let value = (lowest / step).ceil() * step + offset * step;
    let is_too_large = validation
        .maximum
        .is_some_and(|maximum| value > maximum || (validation.exclusive_maximum && value >= maximum));
    let value = if is_too_large {
        validation.maximum? - f64::from(u8::from(validation.exclusive_maximum))
    } else {
        value
    };
    #[allow(clippy::cast_possible_truncation)] // Limits of integers in schemas are far below 2^53.
    let as_integer = value as i64;
    Some(if ty == ValueType::Integer { Doc::Int(as_integer) } else { Doc::from_go_float(value) })
}

/// Returns a text of a format. Texts with another `index` differ.
fn text_of_format(format: &str, index: usize) -> Option<String> {
    let suffix = if index == 0 { String::new() } else { index.to_string() };
    let (high, low) = (index / 250 % 250, index % 250);
    Some(match format {
        "date-time" | "datetime" => format!("2026-01-01T{:02}:{:02}:00Z", index / 60 % 24, index % 60),
        "date" => format!("2026-{:02}-{:02}", 1 + index / 28 % 12, 1 + index % 28),
        "duration" => format!("{}h", index + 1),
        "uri" => format!("https://example{suffix}.com"),
        "email" => format!("user{suffix}@example.com"),
        "hostname" => format!("example{suffix}.com"),
        "ipv4" => format!("10.0.{high}.{}", low + 1),
        "ipv6" => format!("2001:db8::{:x}", index + 1),
        "cidr" if index == 0 => "10.0.0.0/8".to_owned(),
        "cidr" => format!("10.{high}.{low}.0/24"),
        "mac" => format!("00:00:5e:00:{:02x}:{:02x}", 0x53 + high % 100, low + 1),
        "uuid" | "uuid4" => format!("f47ac10b-58cc-4372-a567-0e02{:08x}", 0xb2c3_d479 + index),
        "byte" if index == 0 => "YQ==".to_owned(),
        // Four digits are valid Base64.
        "byte" => format!("{:04}", index % 10_000),
        _ => return None,
    })
}

fn text(validation: &ValueValidation, index: usize) -> Option<String> {
    if let Some(text) = validation.format.as_deref().and_then(|format| text_of_format(format, index)) {
        return Some(text);
    }
    let shortest = minimum(validation.min_length);
    let longest = validation.max_length.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(0));
    // Any text stands for one that matches a pattern which is not simulated.
    if let Some(pattern) = validation.pattern.as_ref().filter(|pattern| regex_of(pattern).is_some()) {
        let fits = |text: &String| (shortest..=longest).contains(&text.chars().count());
        return matching_texts(pattern).iter().filter(|text| fits(text)).nth(index).cloned();
    }
    let suffix = if index == 0 { String::new() } else { index.to_string() };
    let text = format!("example{suffix}");
    let padding = "a".repeat(shortest.saturating_sub(text.len()));
    let text: String = text.chars().chain(padding.chars()).collect();
    Some(text.chars().take(longest).collect())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The items of a set must differ, and so must the keys of the items of a list.
    #[rstest]
    fn texts_of_a_format_differ(
        #[values(
            "date-time",
            "date",
            "duration",
            "uri",
            "email",
            "hostname",
            "ipv4",
            "ipv6",
            "cidr",
            "mac",
            "uuid",
            "byte"
        )]
        format: &str,
    ) {
        let mut validation = ValueValidation::default();
        validation.format = Some(format.to_owned());
        let texts: std::collections::BTreeSet<String> =
            (0..260).filter_map(|index| text(&validation, index)).collect();
        // No time of a day has more than 1440 minutes, and no year more than 365 days.
        assert_eq!(texts.len(), 260, "{format}");
    }
}
