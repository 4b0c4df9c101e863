//! Texts that a pattern permits and another limit perhaps does not.

use regex::Regex;
use skewer_admission::rust_syntax;
use skewer_admission::structural::StructuralSchema;

use super::matching_text::matching_texts;

/// The ends that distinguish many rules and patterns from others.
const ENDS: [&str; 12] = ["?a=b", "#a", "@a", ":1", "/", "_", ".", "-", "A", "1", " ", "é"];

/// The number of texts of different lengths.
const LENGTHS: usize = 30;

/// Returns true if the pattern of a schema permits a text. A pattern that cannot be read permits none.
#[must_use]
pub fn permits_text(schema: &StructuralSchema, text: &str) -> bool {
    let pattern = schema.validation.pattern.as_deref();
    pattern.is_none_or(|pattern| regex_of(pattern).is_some_and(|regex| regex.is_match(text)))
}

/// Compiles a pattern. `None` if it is not simulated.
pub(crate) fn regex_of(pattern: &str) -> Option<Regex> {
    Regex::new(&rust_syntax(pattern)?).ok()
}

/// Returns a text of a length that the pattern of a schema permits, if one is known.
#[must_use]
pub fn text_of_length(schema: &StructuralSchema, length: usize) -> Option<String> {
    let Some(pattern) = &schema.validation.pattern else { return Some("a".repeat(length)) };
    let count = |text: &str| text.chars().count();
    let longer = |text: &str| text.to_owned() + &"a".repeat(length.saturating_sub(count(text)));
    let texts = matching_texts(pattern);
    texts.iter().find(|text| count(text) >= length).cloned().or_else(|| {
        // A pattern without an end permits any end.
        texts.first().map(|text| longer(text)).filter(|text| permits_text(schema, text))
    })
}

/// Returns texts that the pattern of a schema permits, and that differ in their lengths and ends.
#[must_use]
pub fn texts_near(schema: &StructuralSchema) -> Vec<String> {
    let mut texts: Vec<String> = match &schema.validation.pattern {
        Some(pattern) => matching_texts(pattern).iter().take(LENGTHS).cloned().collect(),
        None => vec!["example".to_owned()],
    };
    if let Some(first) = texts.first().cloned() {
        texts.extend(ENDS.map(|end| format!("{first}{end}")));
        texts.extend(ENDS.map(|start| format!("{start}{first}")));
    }
    if let Some(pattern) = &schema.validation.pattern {
        let regex = regex_of(pattern);
        texts.retain(|text| regex.as_ref().is_some_and(|regex| regex.is_match(text)));
    }
    texts
}

/// Returns texts that have one part more than a given one, at the start or at the end, or one part less. The parts are literals
/// and others.
#[must_use]
pub fn texts_like(text: &str, literals: &[&str]) -> Vec<String> {
    let parts = literals.iter().copied().filter(|literal| !literal.is_empty()).chain(ENDS);
    let of_part = |part: &str| {
        let more = [format!("{part}{text}"), format!("{text}{part}")];
        let less = text.contains(part).then(|| text.replacen(part, "", 1));
        more.into_iter().chain(less)
    };
    parts.flat_map(of_part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(pattern: &str) -> StructuralSchema {
        let mut schema = StructuralSchema::default();
        schema.validation.pattern = Some(pattern.to_owned());
        schema
    }

    #[test]
    fn texts_have_the_length_if_the_pattern_permits_it() {
        let length = |pattern: &str, length| text_of_length(&schema(pattern), length).map(|text| text.len());
        assert_eq!(length("^https://[a-z]", 513), Some(513));
        assert_eq!(length("^[a-z]+$", 254), Some(254));
        assert_eq!(length("^[a-z]{1,3}$", 254), None);
    }

    #[test]
    fn texts_near_a_pattern_match_it() {
        let schema = schema("^https://[a-z]");
        let texts = texts_near(&schema);
        assert!(texts.iter().all(|text| permits_text(&schema, text)), "{texts:?}");
        assert!(texts.contains(&"https://a#a".to_owned()), "{texts:?}");
    }
}
