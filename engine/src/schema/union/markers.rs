//! What the union markers of a field say.

use super::errors::UnionErrorKind;
use crate::schema::{FieldDecl, Marker};

/// A mistake in one marker: its kind, its line, a sentence.
pub(super) type Mistake = (UnionErrorKind, u32, String);

/// The markers of KEP-1027 on one field, each with its line.
#[derive(Default)]
pub(super) struct KepMarkers<'d> {
    pub(super) discriminator: Option<u32>,
    pub(super) member: Option<(MemberMarker<'d>, u32)>,
    /// The discriminator that the member names.
    pub(super) discriminated_by: Option<(&'d str, u32)>,
}

/// `+unionMember[=<memberName>][,optional]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemberMarker<'d> {
    pub(super) name: Option<&'d str>,
    pub(super) optional: bool,
}

/// Reads the markers of KEP-1027, "Go Markers"; `+unionDiscriminatedBy` is in its listing under "`OpenAPI`".
pub(super) fn kep<'d>(field: &'d FieldDecl, mistakes: &mut Vec<Mistake>) -> KepMarkers<'d> {
    let mut found = KepMarkers::default();
    for marker in &field.markers {
        let line = line_of(marker, field);
        let mut malformed = |form: &str| {
            let message = format!("+{}{} is not understood: write {form}", marker.name, marker.value);
            mistakes.push((UnionErrorKind::MalformedMarker, line, message));
        };
        let twice = match marker.name.as_str() {
            "unionDiscriminator" => {
                if !marker.value.is_empty() {
                    malformed("+unionDiscriminator");
                }
                found.discriminator.replace(line).is_some()
            }
            "unionMember" => {
                let read = member(&marker.value);
                if read.is_none() {
                    malformed("+unionMember[=<memberName>][,optional]");
                }
                read.is_some_and(|member| found.member.replace((member, line)).is_some())
            }
            "unionDiscriminatedBy" => {
                let read = marker.value.strip_prefix('=').filter(|name| !name.is_empty());
                if read.is_none() {
                    malformed("+unionDiscriminatedBy=<Discriminator>");
                }
                read.is_some_and(|name| found.discriminated_by.replace((name, line)).is_some())
            }
            other => {
                if let Some(meant) = misspelt(other) {
                    malformed(meant);
                }
                false
            }
        };
        if twice {
            let message = format!("the field has +{} twice", marker.name);
            mistakes.push((UnionErrorKind::MarkerTwice, line, message));
        }
    }
    found
}

/// The form that was meant by a marker of another name. A union that is not one because of a colon is not missed
/// before its objects are wrong.
fn misspelt(name: &str) -> Option<&'static str> {
    const FORMS: [&str; 3] = [
        "+unionDiscriminator",
        "+unionMember[=<memberName>][,optional]",
        "+unionDiscriminatedBy=<Discriminator>",
    ];
    let name = name.to_ascii_lowercase();
    FORMS.into_iter().find(|form| {
        let end = form.find(['[', '=']).unwrap_or(form.len());
        name.starts_with(&form[1..end].to_ascii_lowercase())
    })
}

fn line_of(marker: &Marker, field: &FieldDecl) -> u32 {
    if marker.line > 0 { marker.line } else { field.line }
}

fn member(value: &str) -> Option<MemberMarker<'_>> {
    let (name, option) = value.split_once(',').map_or((value, None), |(name, option)| (name, Some(option)));
    let name = match name {
        "" => None,
        named => Some(named.strip_prefix('=')?),
    };
    match option {
        None => Some(MemberMarker { name, optional: false }),
        Some("optional") => Some(MemberMarker { name, optional: true }),
        Some(_) => None,
    }
}

/// The union tags of declarative validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagName {
    Discriminator,
    Member,
    ZeroOrOneOf,
}

/// `+k8s:unionMember(union: "u", memberName: "m")`, out of the stability levels around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag<'d> {
    pub(super) name: TagName,
    pub(super) union: &'d str,
    pub(super) member_name: Option<&'d str>,
    pub(super) line: u32,
}

/// What a marker of declarative validation is to unions.
enum Read<'d> {
    Tag(Tag<'d>),
    /// A union tag within a tag that we do not enter: `+k8s:item(type: "Approved")=+k8s:zeroOrOneOfMember`.
    Within(&'d str),
    Malformed,
    Other,
}

/// Reads the union tags of declarative validation. What stands within tags that are not entered goes to
/// `ignored_markers`, by the name of the tag.
pub(super) fn declarative<'d>(
    field: &'d FieldDecl,
    mistakes: &mut Vec<Mistake>,
    ignored_markers: &mut Vec<(&'d str, u32)>,
) -> Vec<Tag<'d>> {
    let mut tags = Vec::new();
    for marker in &field.markers {
        let line = line_of(marker, field);
        match tag(&marker.name, &marker.value, line) {
            Read::Tag(tag) => tags.push(tag),
            Read::Within(name) => ignored_markers.push((name, line)),
            Read::Malformed => {
                let message = format!(
                    "+{}{} is not understood: write +k8s:unionDiscriminator, +k8s:unionMember or \
                     +k8s:zeroOrOneOfMember, with (union: \"…\", memberName: \"…\") where they are needed",
                    marker.name, marker.value
                );
                mistakes.push((UnionErrorKind::MalformedMarker, line, message));
            }
            Read::Other => {}
        }
    }
    tags
}

fn tag<'d>(name: &'d str, value: &'d str, line: u32) -> Read<'d> {
    let (mut name, mut value) = (name, value);
    loop {
        let tag_name = match name {
            "k8s:unionDiscriminator" => TagName::Discriminator,
            "k8s:unionMember" => TagName::Member,
            "k8s:zeroOrOneOfMember" => TagName::ZeroOrOneOf,
            // A stability level says since when, not what: `+k8s:beta(since: "1.37")=+k8s:unionMember`.
            "k8s:alpha" | "k8s:beta" | "k8s:stable" => {
                let Some((_, rest)) = arguments(value) else {
                    return if has_union_tag(value) { Read::Malformed } else { Read::Other };
                };
                let Some(inner) = rest.strip_prefix("=+") else { return Read::Other };
                (name, value) = split_name(inner);
                continue;
            }
            other if other.starts_with("k8s:") && has_union_tag(value) => return Read::Within(other),
            _ => return Read::Other,
        };
        let Some((arguments, "")) = arguments(value) else { return Read::Malformed };
        let mut tag = Tag { name: tag_name, union: "", member_name: None, line };
        for (argument, value) in arguments {
            match argument {
                "union" => tag.union = value,
                "memberName" if tag_name != TagName::Discriminator => tag.member_name = Some(value),
                _ => return Read::Malformed,
            }
        }
        return Read::Tag(tag);
    }
}

fn has_union_tag(value: &str) -> bool {
    ["+k8s:unionDiscriminator", "+k8s:unionMember", "+k8s:zeroOrOneOfMember"]
        .iter()
        .any(|tag| value.contains(tag))
}

fn split_name(marker: &str) -> (&str, &str) {
    let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    marker.split_at(marker.find(|c| !in_name(c)).unwrap_or(marker.len()))
}

type Arguments<'d> = Vec<(&'d str, &'d str)>;

/// The arguments in parentheses that a value begins with, if any, and what follows them. `None` when they are not
/// `(name: "value", …)`.
fn arguments(value: &str) -> Option<(Arguments<'_>, &str)> {
    let Some(mut rest) = value.strip_prefix('(').map(str::trim_start) else {
        return Some((Vec::new(), value));
    };
    let mut found = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix(')') {
            return Some((found, after));
        }
        let (name, after) = split_at_colon(rest)?;
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '`'))?;
        let (text, after) = after[1..].split_once(quote)?;
        // No name of a union or member holds an escape; one that seems to is a slip.
        if text.contains('\\') {
            return None;
        }
        found.push((name, text));
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None if rest.starts_with(')') => {}
            None => return None,
        }
    }
}

fn split_at_colon(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.split_once(':')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
    is_name.then(|| (name, after.trim_start()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn field(marker: &str) -> FieldDecl {
        let (name, value) = split_name(marker);
        serde_json::from_value(serde_json::json!({
            "name": "a", "type": {"scalar": "string"}, "line": 7,
            "markers": [{"name": name, "value": value}],
        }))
        .unwrap()
    }

    #[rstest]
    #[case::alone("unionMember", None, false)]
    #[case::named("unionMember=ALPHA", Some("ALPHA"), false)]
    #[case::optional("unionMember,optional", None, true)]
    #[case::named_and_optional("unionMember=ALPHA,optional", Some("ALPHA"), true)]
    #[case::selected_by_the_empty_string("unionMember=", Some(""), false)]
    fn the_four_forms_of_a_member_are_read(
        #[case] marker: &str,
        #[case] name: Option<&str>,
        #[case] optional: bool,
    ) {
        let field = field(marker);
        let mut mistakes = Vec::new();
        let (member, line) = kep(&field, &mut mistakes).member.unwrap();
        assert_eq!((member, line), (MemberMarker { name, optional }, 7));
        assert!(mistakes.is_empty());
    }

    #[rstest]
    #[case::other_option("unionMember,required")]
    #[case::two_options("unionMember=A,optional,optional")]
    #[case::no_equals_sign("unionMember ALPHA")]
    #[case::option_with_a_space("unionMember=A, optional")]
    #[case::discriminator_with_a_value("unionDiscriminator=Type")]
    #[case::discriminated_by_nothing("unionDiscriminatedBy")]
    #[case::discriminated_by_the_empty_name("unionDiscriminatedBy=")]
    fn other_forms_are_refused_in_their_line(#[case] marker: &str) {
        let field = field(marker);
        let mut mistakes = Vec::new();
        kep(&field, &mut mistakes);
        assert_eq!(mistakes.len(), 1);
        assert_eq!((mistakes[0].0, mistakes[0].1), (UnionErrorKind::MalformedMarker, 7));
    }

    #[derive(Debug, PartialEq)]
    struct Read {
        tag: Option<(TagName, String, Option<String>)>,
        mistakes: usize,
        ignored_markers: usize,
    }

    fn read(marker: &str) -> Read {
        let field = field(marker);
        let (mut mistakes, mut ignored_markers) = (Vec::new(), Vec::new());
        let tags = declarative(&field, &mut mistakes, &mut ignored_markers);
        let tag = tags.first().map(|t| (t.name, t.union.to_owned(), t.member_name.map(str::to_owned)));
        Read { tag, mistakes: mistakes.len(), ignored_markers: ignored_markers.len() }
    }

    #[rstest]
    #[case::plain("k8s:unionMember", TagName::Member, "", None)]
    #[case::empty_arguments("k8s:unionMember()", TagName::Member, "", None)]
    #[case::named("k8s:unionMember(union: \"u\")", TagName::Member, "u", None)]
    #[case::both("k8s:unionMember(memberName: \"x\", union: \"u\")", TagName::Member, "u", Some("x"))]
    #[case::backquoted("k8s:unionMember( union:`u` )", TagName::Member, "u", None)]
    #[case::discriminator("k8s:unionDiscriminator(union: \"u\")", TagName::Discriminator, "u", None)]
    #[case::zero_or_one("k8s:zeroOrOneOfMember", TagName::ZeroOrOneOf, "", None)]
    #[case::beta("k8s:beta(since: \"1.37\")=+k8s:unionMember", TagName::Member, "", None)]
    #[case::beta_with_arguments(
        "k8s:beta(since: \"1.37\")=+k8s:unionMember(union: \"u\")",
        TagName::Member,
        "u",
        None
    )]
    #[case::two_levels("k8s:alpha=+k8s:beta=+k8s:zeroOrOneOfMember", TagName::ZeroOrOneOf, "", None)]
    fn union_tags_are_read_behind_stability_levels(
        #[case] marker: &str,
        #[case] name: TagName,
        #[case] union: &str,
        #[case] member_name: Option<&str>,
    ) {
        let tag = Some((name, union.to_owned(), member_name.map(str::to_owned)));
        assert_eq!(read(marker), Read { tag, mistakes: 0, ignored_markers: 0 });
    }

    #[rstest]
    #[case::unknown_argument("k8s:unionMember(name: \"u\")")]
    #[case::member_name_of_a_discriminator("k8s:unionDiscriminator(memberName: \"u\")")]
    #[case::unquoted("k8s:unionMember(union: u)")]
    #[case::unclosed("k8s:unionMember(union: \"u\"")]
    #[case::no_colon("k8s:unionMember(\"u\")")]
    #[case::payload("k8s:unionMember=a")]
    #[case::escape("k8s:unionMember(union: \"a\\n\")")]
    #[case::within_a_level("k8s:beta(since: \"1.37\")=+k8s:unionMember=a")]
    #[case::no_comma("k8s:unionMember(union: \"u\" memberName: \"m\")")]
    #[case::a_name_that_is_none("k8s:beta(since-then: \"1.37\")=+k8s:unionMember")]
    #[case::no_name("k8s:beta(: \"1.37\")=+k8s:unionMember")]
    fn malformed_tags_are_mistakes(#[case] marker: &str) {
        assert_eq!(read(marker), Read { tag: None, mistakes: 1, ignored_markers: 0 });
    }

    #[test]
    fn unions_of_list_items_are_passed_over_and_not_forgotten() {
        let item = "k8s:item(type: \"Approved\")=+k8s:zeroOrOneOfMember";
        let expected = Read { tag: None, mistakes: 0, ignored_markers: 1 };
        assert_eq!(read(item), expected);
        assert_eq!(read(&format!("k8s:beta(since: \"1.37\")=+{item}")), expected);
    }

    #[rstest]
    #[case::level_of_another_tag("k8s:beta(since: \"1.37\")=+k8s:maxItems=8")]
    #[case::other_tag("k8s:immutable")]
    #[case::not_of_declarative_validation("zeroOrOneOf=ResourceSliceType")]
    fn other_markers_say_nothing_of_unions(#[case] marker: &str) {
        assert_eq!(read(marker), Read { tag: None, mistakes: 0, ignored_markers: 0 });
    }
}
