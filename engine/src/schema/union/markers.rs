//! Parsing of the union markers of a field.

use super::errors::UnionErrorKind;
use crate::schema::{FieldDecl, Marker};

/// An error in one marker.
pub(super) struct MarkerError {
    pub(super) kind: UnionErrorKind,
    pub(super) line: u32,
    pub(super) message: String,
}

/// The markers of KEP-1027 on one field, each with its line.
#[derive(Default)]
pub(super) struct KepMarkers<'d> {
    /// The line of `+unionDiscriminator`.
    pub(super) discriminator: Option<u32>,
    /// The content and the line of `+unionMember`.
    pub(super) member: Option<(MemberMarker<'d>, u32)>,
    /// The discriminator that `+unionDiscriminatedBy` names, and the line of this marker.
    pub(super) discriminated_by: Option<(&'d str, u32)>,
}

/// The content of a marker `+unionMember[=<memberName>][,optional]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemberMarker<'d> {
    pub(super) name: Option<&'d str>,
    pub(super) optional: bool,
}

/// Reads the markers of KEP-1027 from a field. The KEP describes them in "Go Markers", and `+unionDiscriminatedBy` in
/// "`OpenAPI`".
pub(super) fn read_kep_markers<'d>(field: &'d FieldDecl, errors: &mut Vec<MarkerError>) -> KepMarkers<'d> {
    let mut markers = KepMarkers::default();
    for marker in &field.markers {
        let line = line_of(marker, field);
        let mut malformed = |form: &str| {
            let message = format!("+{}{} is malformed (expected {form})", marker.name, marker.value);
            errors.push(MarkerError { kind: UnionErrorKind::MalformedMarker, line, message });
        };
        let is_duplicate = match marker.name.as_str() {
            "unionDiscriminator" => {
                if !marker.value.is_empty() {
                    malformed("+unionDiscriminator");
                }
                markers.discriminator.replace(line).is_some()
            }
            "unionMember" => {
                let parsed = parse_member(&marker.value);
                if parsed.is_none() {
                    malformed("+unionMember[=<memberName>][,optional]");
                }
                parsed.is_some_and(|member| markers.member.replace((member, line)).is_some())
            }
            "unionDiscriminatedBy" => {
                let parsed = marker.value.strip_prefix('=').filter(|name| !name.is_empty());
                if parsed.is_none() {
                    malformed("+unionDiscriminatedBy=<Discriminator>");
                }
                parsed.is_some_and(|name| markers.discriminated_by.replace((name, line)).is_some())
            }
            other => {
                if let Some(form) = misspelt_form(other) {
                    malformed(form);
                }
                false
            }
        };
        if is_duplicate {
            let message = format!("the field has +{} twice", marker.name);
            errors.push(MarkerError { kind: UnionErrorKind::MarkerTwice, line, message });
        }
    }
    markers
}

/// Returns the correct form of a misspelt union marker. Without this check, a typing error in a marker would silently
/// remove the union.
fn misspelt_form(name: &str) -> Option<&'static str> {
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

pub(super) fn line_of(marker: &Marker, field: &FieldDecl) -> u32 {
    if marker.line > 0 { marker.line } else { field.line }
}

fn parse_member(value: &str) -> Option<MemberMarker<'_>> {
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

/// The name of a union tag of declarative validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnionTagName {
    /// `+k8s:unionDiscriminator`.
    Discriminator,
    /// `+k8s:unionMember`.
    Member,
    /// `+k8s:zeroOrOneOfMember`.
    ZeroOrOneOf,
}

/// A union tag such as `+k8s:unionMember(union: "u", memberName: "m")`, without the stability levels around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnionTag<'d> {
    pub(super) name: UnionTagName,
    pub(super) union: &'d str,
    pub(super) member_name: Option<&'d str>,
    pub(super) line: u32,
}

/// The result of parsing a marker as a union tag of declarative validation.
enum ParsedMarker<'d> {
    UnionTag(UnionTag<'d>),
    /// The name of an unsupported tag with a union tag inside, such as `k8s:item` of
    /// `+k8s:item(type: "Approved")=+k8s:zeroOrOneOfMember`.
    InsideTag(&'d str),
    Malformed,
    /// A marker without a union tag.
    Other,
}

/// Reads the union tags of declarative validation from a field. For each union tag inside an unsupported tag, the name
/// and the line of the unsupported tag are added to `warnings`.
pub(super) fn read_declarative_tags<'d>(
    field: &'d FieldDecl,
    errors: &mut Vec<MarkerError>,
    warnings: &mut Vec<(&'d str, u32)>,
) -> Vec<UnionTag<'d>> {
    let mut tags = Vec::new();
    for marker in &field.markers {
        let line = line_of(marker, field);
        match parse_tag(&marker.name, &marker.value, line) {
            ParsedMarker::UnionTag(tag) => tags.push(tag),
            ParsedMarker::InsideTag(name) => warnings.push((name, line)),
            ParsedMarker::Malformed => {
                let message = format!(
                    "+{}{} is malformed (expected +k8s:unionDiscriminator, +k8s:unionMember or \
                     +k8s:zeroOrOneOfMember, with the optional arguments (union: \"…\", memberName: \"…\"))",
                    marker.name, marker.value
                );
                errors.push(MarkerError { kind: UnionErrorKind::MalformedMarker, line, message });
            }
            ParsedMarker::Other => {}
        }
    }
    tags
}

fn parse_tag<'d>(name: &'d str, value: &'d str, line: u32) -> ParsedMarker<'d> {
    let (mut name, mut value) = (name, value);
    loop {
        let tag_name = match name {
            "k8s:unionDiscriminator" => UnionTagName::Discriminator,
            "k8s:unionMember" => UnionTagName::Member,
            "k8s:zeroOrOneOfMember" => UnionTagName::ZeroOrOneOf,
            // A stability level, such as `+k8s:beta(since: "1.37")=+k8s:unionMember`, does not change the meaning of
            // the tag inside.
            "k8s:alpha" | "k8s:beta" | "k8s:stable" => {
                let Some((_, rest)) = parse_arguments(value) else {
                    return if has_union_tag(value) { ParsedMarker::Malformed } else { ParsedMarker::Other };
                };
                let Some(inner) = rest.strip_prefix("=+") else { return ParsedMarker::Other };
                (name, value) = split_name(inner);
                continue;
            }
            other if other.starts_with("k8s:") && has_union_tag(value) => {
                return ParsedMarker::InsideTag(other);
            }
            _ => return ParsedMarker::Other,
        };
        let Some((arguments, rest)) = parse_arguments(value) else { return ParsedMarker::Malformed };
        if !(rest.is_empty() || rest.trim_start().starts_with('#')) {
            return ParsedMarker::Malformed;
        }
        let mut tag = UnionTag { name: tag_name, union: "", member_name: None, line };
        for (argument, value) in arguments {
            match argument {
                "union" => tag.union = value,
                "memberName" if tag_name != UnionTagName::Discriminator => tag.member_name = Some(value),
                _ => return ParsedMarker::Malformed,
            }
        }
        return ParsedMarker::UnionTag(tag);
    }
}

fn has_union_tag(value: &str) -> bool {
    ["+k8s:unionDiscriminator", "+k8s:unionMember", "+k8s:zeroOrOneOfMember"]
        .iter()
        .any(|tag| value.contains(tag))
}

pub(super) fn split_name(marker: &str) -> (&str, &str) {
    let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    marker.split_at(marker.find(|c| !in_name(c)).unwrap_or(marker.len()))
}

type Arguments<'d> = Vec<(&'d str, &'d str)>;

/// Parses the arguments at the beginning of a value, which have the form `(name: "value", …)` or `("value")`, or are missing. A value
/// can be an identifier without quotes. White space can be behind a colon and behind a comma only. Returns the arguments and the
/// rest of the value. Returns `None` if the arguments are malformed. Upstream: `codetags.Parse` (k8s.io/gengo).
pub(super) fn parse_arguments(value: &str) -> Option<(Arguments<'_>, &str)> {
    let Some(mut rest) = value.strip_prefix('(') else {
        return Some((Vec::new(), value));
    };
    let mut arguments = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix(')') {
            return Some((arguments, after));
        }
        // An argument without a name has the empty name.
        let (name, after) = split_at_colon(rest).unwrap_or(("", rest));
        let (text, after) = match after.chars().next()? {
            quote @ ('"' | '`') => after[1..].split_once(quote)?,
            _ => split_identifier(after)?,
        };
        // Names of unions and members have no escapes. A backslash is therefore a typing error.
        if text.contains('\\') {
            return None;
        }
        arguments.push((name, text));
        rest = after;
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None if rest.starts_with(')') => {}
            None => return None,
        }
    }
}

fn split_at_colon(text: &str) -> Option<(&str, &str)> {
    let (name, after) = split_identifier(text)?;
    Some((name, after.strip_prefix(':')?.trim_start()))
}

/// Splits a text behind the identifier with which it begins.
fn split_identifier(text: &str) -> Option<(&str, &str)> {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let end = text.find(|c| !is_inside(c)).unwrap_or(text.len());
    text.starts_with(|c: char| c.is_alphabetic() || c == '_').then(|| text.split_at(end))
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
    #[case::without_name("unionMember", None, false)]
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
        let mut errors = Vec::new();
        let (member, line) = read_kep_markers(&field, &mut errors).member.unwrap();
        assert_eq!((member, line), (MemberMarker { name, optional }, 7));
        assert!(errors.is_empty());
    }

    #[rstest]
    #[case::other_option("unionMember,required")]
    #[case::two_options("unionMember=A,optional,optional")]
    #[case::no_equals_sign("unionMember ALPHA")]
    #[case::option_with_a_space("unionMember=A, optional")]
    #[case::discriminator_with_a_value("unionDiscriminator=Type")]
    #[case::discriminated_by_nothing("unionDiscriminatedBy")]
    #[case::discriminated_by_the_empty_name("unionDiscriminatedBy=")]
    fn a_malformed_marker_is_an_error_with_its_line(#[case] marker: &str) {
        let field = field(marker);
        let mut errors = Vec::new();
        read_kep_markers(&field, &mut errors);
        assert_eq!(errors.len(), 1);
        assert_eq!((errors[0].kind, errors[0].line), (UnionErrorKind::MalformedMarker, 7));
    }

    #[derive(Debug, PartialEq)]
    struct TagReading {
        tag: Option<(UnionTagName, String, Option<String>)>,
        errors: usize,
        warnings: usize,
    }

    fn read_marker(marker: &str) -> TagReading {
        let field = field(marker);
        let (mut errors, mut warnings) = (Vec::new(), Vec::new());
        let tags = read_declarative_tags(&field, &mut errors, &mut warnings);
        let tag = tags.first().map(|t| (t.name, t.union.to_owned(), t.member_name.map(str::to_owned)));
        TagReading { tag, errors: errors.len(), warnings: warnings.len() }
    }

    #[rstest]
    #[case::plain("k8s:unionMember", UnionTagName::Member, "", None)]
    #[case::empty_arguments("k8s:unionMember()", UnionTagName::Member, "", None)]
    #[case::named("k8s:unionMember(union: \"u\")", UnionTagName::Member, "u", None)]
    #[case::both("k8s:unionMember(memberName: \"x\", union: \"u\")", UnionTagName::Member, "u", Some("x"))]
    #[case::backquoted("k8s:unionMember(union:`u`)", UnionTagName::Member, "u", None)]
    #[case::unquoted("k8s:unionMember(union: u-1)", UnionTagName::Member, "u-1", None)]
    #[case::comma_at_the_end("k8s:unionMember(union: \"u\", )", UnionTagName::Member, "u", None)]
    #[case::comment("k8s:unionMember(union: u) # why", UnionTagName::Member, "u", None)]
    #[case::discriminator("k8s:unionDiscriminator(union: \"u\")", UnionTagName::Discriminator, "u", None)]
    #[case::zero_or_one("k8s:zeroOrOneOfMember", UnionTagName::ZeroOrOneOf, "", None)]
    #[case::beta("k8s:beta(since: \"1.37\")=+k8s:unionMember", UnionTagName::Member, "", None)]
    #[case::beta_with_arguments(
        "k8s:beta(since: \"1.37\")=+k8s:unionMember(union: \"u\")",
        UnionTagName::Member,
        "u",
        None
    )]
    #[case::two_levels("k8s:alpha=+k8s:beta=+k8s:zeroOrOneOfMember", UnionTagName::ZeroOrOneOf, "", None)]
    fn union_tags_are_read_with_and_without_stability_levels(
        #[case] marker: &str,
        #[case] name: UnionTagName,
        #[case] union: &str,
        #[case] member_name: Option<&str>,
    ) {
        let tag = Some((name, union.to_owned(), member_name.map(str::to_owned)));
        assert_eq!(read_marker(marker), TagReading { tag, errors: 0, warnings: 0 });
    }

    #[rstest]
    #[case::unknown_argument("k8s:unionMember(name: \"u\")")]
    #[case::member_name_of_a_discriminator("k8s:unionDiscriminator(memberName: \"u\")")]
    #[case::space_behind_the_parenthesis("k8s:unionMember( union: u)")]
    #[case::space_before_the_colon("k8s:unionMember(union : u)")]
    #[case::space_before_the_comma("k8s:unionMember(union: u , memberName: m)")]
    #[case::text_behind("k8s:unionMember(union: u) why")]
    #[case::unclosed("k8s:unionMember(union: \"u\"")]
    #[case::no_colon("k8s:unionMember(\"u\")")]
    #[case::value("k8s:unionMember=a")]
    #[case::escape("k8s:unionMember(union: \"a\\n\")")]
    #[case::value_inside_a_stability_level("k8s:beta(since: \"1.37\")=+k8s:unionMember=a")]
    #[case::no_comma("k8s:unionMember(union: \"u\" memberName: \"m\")")]
    #[case::invalid_argument_name("k8s:beta(1since: \"1.37\")=+k8s:unionMember")]
    #[case::empty_argument_name("k8s:beta(: \"1.37\")=+k8s:unionMember")]
    fn malformed_tags_are_errors(#[case] marker: &str) {
        assert_eq!(read_marker(marker), TagReading { tag: None, errors: 1, warnings: 0 });
    }

    #[test]
    fn unions_of_list_items_are_ignored_and_reported() {
        let item = "k8s:item(type: \"Approved\")=+k8s:zeroOrOneOfMember";
        let expected = TagReading { tag: None, errors: 0, warnings: 1 };
        assert_eq!(read_marker(item), expected);
        assert_eq!(read_marker(&format!("k8s:beta(since: \"1.37\")=+{item}")), expected);
    }

    #[rstest]
    #[case::stability_level_of_another_tag("k8s:beta(since: \"1.37\")=+k8s:maxItems=8")]
    #[case::other_tag("k8s:immutable")]
    #[case::marker_outside_declarative_validation("zeroOrOneOf=ResourceSliceType")]
    fn other_markers_are_not_union_tags(#[case] marker: &str) {
        assert_eq!(read_marker(marker), TagReading { tag: None, errors: 0, warnings: 0 });
    }
}
