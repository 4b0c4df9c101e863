//! Documents for reports, without most of a value that is only there for its size.

use skewer_engine::{Doc, OwnedDoc, Text};

/// The most characters of a text that is shown as it is.
const MAX_TEXT: usize = 200;

/// The most items of a list, or keys of a map, that are shown as they are.
const MAX_ITEMS: usize = 40;

/// The number of characters, items or keys that are left of a larger value.
const KEPT: usize = 3;

/// Returns a document with the beginnings of long texts, lists and maps. Each says how much was left out.
#[must_use]
pub fn shortened(document: &OwnedDoc) -> OwnedDoc {
    match document {
        Doc::String(text) => Doc::String(shortened_text(text)),
        Doc::List(items) if items.len() > MAX_ITEMS => {
            let rest = Doc::from(format!("… ({} items)", items.len()));
            Doc::List(items.iter().take(KEPT).map(shortened).chain([rest]).collect())
        }
        Doc::List(items) => Doc::List(items.iter().map(shortened).collect()),
        Doc::Map(map) => {
            let is_long = map.len() > MAX_ITEMS;
            let kept = if is_long { KEPT } else { map.len() };
            let mut short: skewer_engine::OwnedMap =
                map.iter().take(kept).map(|(key, value)| (shortened_text(key), shortened(value))).collect();
            if is_long {
                short.insert("…".into(), Doc::from(format!("({} keys)", map.len())));
            }
            Doc::Map(short)
        }
        scalar => scalar.clone(),
    }
}

fn shortened_text(text: &Text<'static>) -> Text<'static> {
    let count = text.chars().count();
    if count <= MAX_TEXT {
        return text.clone();
    }
    let start: String = text.chars().take(KEPT).collect();
    format!("{start}… ({count} characters)").into()
}

/// Returns a value as JSON, shortened for a title.
pub(super) fn short(value: &OwnedDoc) -> String {
    const LONGEST: usize = 48;
    let text = value.as_str().map_or_else(|| value.to_string(), |text| format!("{text:?}"));
    let Some((end, _)) = text.char_indices().nth(LONGEST) else { return text };
    match value.as_str().map(|text| text.chars().count()) {
        // The number of characters says more than so many of them.
        Some(count) if count > 2 * LONGEST => format!("{}…\" ({count} characters)", &text[..=KEPT]),
        _ => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_has_the_beginning_of_a_long_value() {
        assert_eq!(short(&Doc::from("a\"b")), r#""a\"b""#);
        assert_eq!(short(&Doc::from("é".repeat(60))), format!("\"{}…", "é".repeat(47)));
        assert_eq!(short(&Doc::from("a".repeat(254))), r#""aaa…" (254 characters)"#);
        let list = Doc::List((10..60).map(Doc::Int).collect());
        assert_eq!(short(&list), "[10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25…");
    }

    #[test]
    fn only_long_values_are_shortened() {
        let list = |count: i64| Doc::List((0..count).map(Doc::Int).collect());
        let (long, short) = (shortened(&list(41)), shortened(&list(40)));
        assert_eq!(long.to_string(), r#"[0,1,2,"… (41 items)"]"#);
        assert_eq!(short, list(40));
        assert_eq!(shortened(&Doc::from("a".repeat(201))), Doc::from("aaa… (201 characters)"));
        assert_eq!(shortened(&Doc::from("a".repeat(200))), Doc::from("a".repeat(200)));
        let long_key: OwnedDoc = Doc::Map([("a".repeat(201).into(), Doc::Int(1))].into_iter().collect());
        assert_eq!(shortened(&long_key).to_string(), r#"{"aaa… (201 characters)":1}"#);
        let map = |count: usize| -> OwnedDoc {
            Doc::Map((0..count).map(|at| (format!("k{at:02}").into(), Doc::Int(1))).collect())
        };
        assert_eq!(shortened(&map(40)), map(40));
        assert_eq!(shortened(&map(41)).to_string(), r#"{"k00":1,"k01":1,"k02":1,"…":"(41 keys)"}"#);
    }
}
