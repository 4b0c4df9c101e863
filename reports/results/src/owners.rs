//! The readable form of managed fields: the owners of fields, as lines of text.

use std::fmt;

use crate::control_characters::escape_line;
use crate::model::Owner;

/// The indentation of the paths below their owner.
const INDENT: &str = "  ";

/// Renders owners as text. Each owner is a line, followed by a line for each of its fields:
///
/// ```
/// use skewer_results::{Owner, owners};
///
/// let owner = Owner {
///     manager: "helm".to_owned(),
///     operation: "Apply".to_owned(),
///     api_version: Some("apps/v1".to_owned()),
///     subresource: None,
///     fields: vec![".spec.replicas".to_owned(), ".spec.paused".to_owned()],
///     absent_fields: vec![".spec.paused".to_owned()],
/// };
/// let lines = "helm (Apply, apps/v1)\n  .spec.replicas\n  .spec.paused (not in the object)\n";
/// assert_eq!(owners::text(&[owner]), lines);
/// ```
#[must_use]
pub fn text(owners: &[Owner]) -> String {
    let mut text = String::new();
    for owner in owners {
        text.extend([owner.to_string().as_str(), "\n"]);
        for field in &owner.fields {
            // The key of a map can contain a line break.
            let note = if owner.absent_fields.contains(field) { " (not in the object)" } else { "" };
            text.extend([INDENT, &escape_line(field), note, "\n"]);
        }
    }
    text
}

/// Displays without the fields: `helm (Apply, apps/v1)`, or `kubelet (Update, v1, subresource status)`.
impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", Name(&self.manager), self.operation)?;
        if let Some(api_version) = &self.api_version {
            write!(f, ", {api_version}")?;
        }
        if let Some(subresource) = &self.subresource {
            write!(f, ", subresource {}", Name(subresource))?;
        }
        f.write_str(")")
    }
}

/// A name that is quoted if it is empty, or if it has characters with which it could be mistaken for other text.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '"' | '(' | ')' | ',');
        let is_plain = !self.0.is_empty() && self.0.chars().all(is_plain);
        if is_plain { f.write_str(self.0) } else { write!(f, "{:?}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn owner(manager: &str, api_version: Option<&str>, subresource: Option<&str>, fields: &[&str]) -> Owner {
        Owner {
            manager: manager.to_owned(),
            operation: "Update".to_owned(),
            api_version: api_version.map(str::to_owned),
            subresource: subresource.map(str::to_owned),
            fields: fields.iter().map(|field| (*field).to_owned()).collect(),
            absent_fields: Vec::new(),
        }
    }

    #[test]
    fn each_owner_is_followed_by_its_fields() {
        let owners = [
            owner("a", Some("v1"), None, &[".spec", ".spec.x"]),
            owner("b", None, None, &[]),
            owner("c", None, None, &[".y"]),
        ];
        assert_eq!(text(&owners), "a (Update, v1)\n  .spec\n  .spec.x\nb (Update)\nc (Update)\n  .y\n");
    }

    #[test]
    fn a_field_is_one_line() {
        let owners = [owner("a", None, None, &[".data.x\nb (Apply)\u{1b}"])];
        assert_eq!(text(&owners), "a (Update)\n  .data.x\\nb (Apply)\\u{1b}\n");
    }

    #[rstest]
    #[case::plain("kubectl-edit", None, "kubectl-edit (Update)")]
    #[case::with_a_subresource("kubelet", Some("status"), "kubelet (Update, subresource status)")]
    #[case::empty("", None, "\"\" (Update)")]
    #[case::several_words("my manager", None, "\"my manager\" (Update)")]
    #[case::like_the_line_of_an_owner("a (Apply)", None, "\"a (Apply)\" (Update)")]
    #[case::several_lines("a\n  .spec", Some("b\nc"), "\"a\\n  .spec\" (Update, subresource \"b\\nc\")")]
    fn unusual_names_are_quoted(
        #[case] manager: &str,
        #[case] subresource: Option<&str>,
        #[case] expected: &str,
    ) {
        assert_eq!(owner(manager, None, subresource, &[]).to_string(), expected);
    }
}
