//! The form of directives that the engine does not have.

use crate::document::Doc;

/// The form of a directive that an implementation has and the engine does not.
///
/// A party can know the directive, so that a patch of it can be sent to an implementation that has it. The engine has
/// no hook of the directive: it treats the key as an ordinary field, as a party does that does not know the directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirectiveForm {
    /// The value to which the directive applies.
    pub applies_to: DirectiveSubject,
    /// The value of the directive.
    pub carries: DirectiveValue,
}

/// The value to which a declared directive applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DirectiveSubject {
    /// The map that has the key: `$name`.
    Map,
    /// Any field of the map, which the key names: `$name/field`.
    Field,
    /// A field of the map whose value is a list: `$name/field`.
    List,
}

/// The value of a declared directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DirectiveValue {
    /// Any value.
    Anything,
    /// A boolean.
    Boolean,
    /// A string.
    String,
    /// A list of strings.
    Strings,
    /// A map.
    Map,
    /// A list of maps.
    Maps,
}

impl DirectiveValue {
    /// Returns true if a document is such a value.
    #[must_use]
    pub fn accepts(self, value: &Doc) -> bool {
        let is_list_of =
            |of: DirectiveValue| value.as_list().is_some_and(|items| items.iter().all(|i| of.accepts(i)));
        match self {
            DirectiveValue::Anything => true,
            DirectiveValue::Boolean => matches!(value, Doc::Bool(_)),
            DirectiveValue::String => value.as_str().is_some(),
            DirectiveValue::Strings => is_list_of(DirectiveValue::String),
            DirectiveValue::Map => value.as_map().is_some(),
            DirectiveValue::Maps => is_list_of(DirectiveValue::Map),
        }
    }

    /// Returns a description for a message, with its article.
    #[must_use]
    pub fn with_article(self) -> &'static str {
        match self {
            DirectiveValue::Anything => "any value",
            DirectiveValue::Boolean => "a boolean",
            DirectiveValue::String => "a string",
            DirectiveValue::Strings => "a list of strings",
            DirectiveValue::Map => "a map",
            DirectiveValue::Maps => "a list of maps",
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::test_support::json;

    #[rstest]
    #[case::any("Anything", DirectiveValue::Anything, "null")]
    #[case::boolean("a boolean", DirectiveValue::Boolean, "true")]
    #[case::string("a string", DirectiveValue::String, r#""a""#)]
    #[case::strings("a list of strings", DirectiveValue::Strings, r#"["a"]"#)]
    #[case::map("a map", DirectiveValue::Map, r#"{"a":1}"#)]
    #[case::maps("a list of maps", DirectiveValue::Maps, r#"[{"a":1}]"#)]
    fn a_value_has_the_declared_type(
        #[case] name: &str,
        #[case] carries: DirectiveValue,
        #[case] value: &str,
    ) {
        assert!(carries.accepts(&json(value)), "{name}");
        let is_refused = !carries.accepts(&json("[1]"));
        assert_eq!(is_refused, carries != DirectiveValue::Anything, "{name}");
    }
}
