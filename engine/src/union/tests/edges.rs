//! Edge cases of declarations, of members that are set, and of nesting.

use std::sync::Arc;

use rstest::rstest;

use super::*;
use crate::document::{Doc, MAX_DEPTH, OwnedDoc, OwnedMap, from_json};
use crate::patch::PatchContext;
use crate::schema::union::{Cardinality, Member, UnionError, UnionSelection, Unions};
use crate::schema::{Marker, Shape};
use crate::union::admit;
use crate::union::policy::by_name;

fn object(text: &str) -> OwnedMap {
    from_json(text.as_bytes()).unwrap().as_map().unwrap().clone()
}

#[rstest]
#[case::source_with_lines(3, "T.A, line 3: no")]
#[case::source_without_lines(0, "T.A: no")]
fn an_error_names_the_line_if_the_source_has_lines(#[case] line: u32, #[case] expected: &str) {
    let error = UnionError {
        line,
        subject: "T.A".into(),
        type_name: "T".into(),
        key: "a".into(),
        kind: UnionErrorKind::MarkerTwice,
        message: "no".into(),
    };
    assert_eq!(error.to_string(), expected);
}

/// Declares a union whose discriminator has the values `V0`, `V1` and so on, and whose member has the value `X`.
fn union_with_enum_values(number: usize) -> String {
    let values: Vec<_> = (0..number).map(|index| format!(" V{index} Kind = \"V{index}\"")).collect();
    format!(
        "// +enum\ntype Kind string\nconst (\n{}\n)\ntype T struct {{\n// +unionDiscriminator\n// +required\nType Kind \
         `json:\"type\"`\n// +unionMember=X\n// +optional\nX *int `json:\"x,omitempty\"`\n}}",
        values.join("\n")
    )
}

#[rstest]
#[case::short_list(2, r#"(expected "V0", "V1")"#)]
#[case::longest_complete_list(20, r#""V18", "V19")"#)]
#[case::shortened_list(21, r#""V18", "V19", …)"#)]
fn the_error_of_an_unknown_enum_value_lists_the_known_values(#[case] number: usize, #[case] end: &str) {
    let [error] = refused(&union_with_enum_values(number)).try_into().unwrap();
    assert_eq!(error.kind, UnionErrorKind::MemberNotInEnum);
    assert!(
        error.message.starts_with(r#"the discriminator has no value "X" (expected "V0", "V1""#),
        "{error}"
    );
    assert!(error.message.ends_with(end), "{error}");
}

/// In the code that `validation-gen` generates, a pointer is set if it is not nil, a list or a map if it has items, and
/// a scalar if it is not zero.
#[rstest]
#[case::integer_zero("0", false)]
#[case::integer("1", true)]
#[case::float_zero("0.0", false)]
#[case::float("0.5", true)]
#[case::empty_string(r#""""#, false)]
#[case::string(r#""a""#, true)]
#[case::boolean_false("false", false)]
#[case::boolean_true("true", true)]
#[case::empty_list("[]", false)]
#[case::list("[1]", true)]
#[case::empty_map("{}", false)]
#[case::map(r#"{"a":1}"#, true)]
fn a_zero_value_counts_as_set_only_behind_a_pointer(#[case] value: &str, #[case] is_set: bool) {
    let object = object(&format!(r#"{{"a":{value}}}"#));
    let pointer = Member::new("a", "A");
    assert!(pointer.is_set_when_decoded(&object));
    assert_eq!(Member { zero_is_unset: true, ..pointer }.is_set_when_decoded(&object), is_set);
}

#[test]
fn a_null_member_is_not_set() {
    for zero_is_unset in [false, true] {
        let member = Member { zero_is_unset, ..Member::new("a", "A") };
        assert!(!member.is_set_when_decoded(&object(r#"{"a":null}"#)));
    }
}

/// A discriminator value that the party's enum lacks is unknown even if the party knows the member.
#[rstest]
#[case::known_value(r#"{"type":"B"}"#, "Member(b)")]
#[case::removed_value(r#"{"type":"A"}"#, "Unknown(A)")]
#[case::value_without_a_member(r#"{"type":""}"#, "NoMember")]
fn a_value_that_the_enum_lacks_selects_no_member(#[case] text: &str, #[case] expected: &str) {
    let mut union =
        Union::discriminated("type", ["A", "B", ""], vec![Member::new("a", "A"), Member::new("b", "B")]);
    union.discriminator.as_mut().unwrap().enum_type = Some("Kind".into());
    union.remove_value("Other", "A");
    assert!(matches!(union.selection(&object(r#"{"type":"A"}"#)), Some(UnionSelection::Member(_))));
    union.remove_value("Kind", "A");
    let selection = match union.selection(&object(text)) {
        Some(UnionSelection::Member(member)) => format!("Member({})", member.field),
        Some(UnionSelection::Unknown(value)) => format!("Unknown({value})"),
        other => other.map(|selection| format!("{selection:?}")).unwrap_or_default(),
    };
    assert_eq!(selection, expected);
}

const NESTED: &str = r#"
// +union
type Root struct {
  // +unionDiscriminator
  // +required
  Type Kind `json:"type"`
  // +unionMember
  // +optional
  A *Root `json:"a,omitempty"`
}
// +enum
type Kind string
const A Kind = "A"
const None Kind = ""
"#;

#[rstest]
#[case::maximum_depth(MAX_DEPTH, None)]
#[case::too_deep(MAX_DEPTH + 1, Some(crate::ErrorKind::TooDeep))]
fn unions_are_admitted_down_to_the_maximum_depth(
    #[case] depth: usize,
    #[case] expected: Option<crate::ErrorKind>,
) {
    let none = || Doc::Map(object(r#"{"type":""}"#));
    let within = |inner: OwnedDoc| {
        let fields = [("type".into(), Doc::from("A")), ("a".into(), inner)];
        Doc::Map(fields.into_iter().collect())
    };
    let new = (0..depth).fold(none(), |inner, _| within(inner));
    let context = PatchContext::of(Arc::new(schema(NESTED)), "Root").unwrap();
    let result = admit(&context, by_name("kep-1027").unwrap(), None, new);
    assert_eq!(result.err().map(|errors| errors[0].kind()), expected);
}

/// Built-in types have had a discriminator marker without member markers since 2019.
#[test]
fn a_discriminator_without_members_is_reported_as_an_ignored_marker() {
    let unions = declared(
        "type T struct {\nOther string `json:\"other\"`\n// +k8s:unionDiscriminator\nKind string `json:\"kind\"`\n}",
    );
    assert!(unions.of_type("T").is_empty());
    let [warnings] = unions.warnings() else { panic!("{:?}", unions.warnings()) };
    assert_eq!(warnings.field, "T.Kind");
    assert_eq!(warnings.description, "a discriminator without members");
}

const MEMBER: &str = "type T struct {\nInner `json:\",inline\"`\n// +unionMember\n// +optional\nA *int `json:\"a,omitempty\"`\n}\n// +enum\ntype \
                      Kind string\nconst A Kind = \"A\"\nconst None Kind = \"\"\n";

#[rstest]
#[case::struct_with_a_discriminator(
    "// +unionDiscriminator\n// +required\nKind Kind `json:\"kind\"`",
    UnionErrorKind::SpansStructs
)]
#[case::struct_without_a_discriminator(
    "// +required\nKind Kind `json:\"kind\"`",
    UnionErrorKind::MemberWithoutDiscriminator
)]
fn a_member_whose_discriminator_is_in_another_struct_is_refused(
    #[case] inner: &str,
    #[case] kind: UnionErrorKind,
) {
    let source = format!("{MEMBER}type Inner struct {{\n{inner}\n}}");
    assert_eq!(kinds(&source).into_iter().map(|(_, kind)| kind).collect::<Vec<_>>(), [kind]);
}

#[rstest]
#[case::go_name("Other", UnionErrorKind::SpansStructs)]
#[case::json_name("other", UnionErrorKind::SpansStructs)]
#[case::unknown_name("third", UnionErrorKind::UnknownDiscriminatorField)]
fn the_discriminator_of_another_struct_can_be_named_by_go_name_or_json_name(
    #[case] name: &str,
    #[case] kind: UnionErrorKind,
) {
    let second_union = "// +unionDiscriminator\n// +required\nType Kind `json:\"type\"`\n// +unionMember\n// +optional\nB *int `json:\"b,omitempty\"`";
    let source = format!(
        "{}type Inner struct {{\n// +unionDiscriminator\n// +required\nOther Kind `json:\"other\"`\n}}\nconst B Kind = \"B\"\n",
        MEMBER
            .replace("// +unionMember\n", &format!("// +unionMember\n// +unionDiscriminatedBy={name}\n"))
            .replace("Inner `json:\",inline\"`", &format!("Inner `json:\",inline\"`\n{second_union}"))
    );
    let error_kinds: Vec<_> = kinds(&source).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(error_kinds, [kind]);
}

/// An error in an entry of `x-kubernetes-unions` on a struct is reported at the discriminator, or else at the first
/// field.
#[rstest]
#[case::existing_discriminator(
    "kind",
    "T.Kind: the struct has no field \"nothing\", which is a member of the union"
)]
#[case::missing_discriminator(
    "none",
    "T.First: the struct has no field \"none\", which is the discriminator of the union"
)]
fn an_error_in_the_list_form_names_a_field(#[case] discriminator: &str, #[case] expected: &str) {
    let mut declarations =
        read("type T struct {\nFirst string `json:\"first\"`\nKind string `json:\"kind\"`\n}");
    let decl = &mut declarations.types[0];
    let value =
        format!(r#"=[{{"discriminator":"{discriminator}","fields-to-discriminateBy":{{"nothing":"X"}}}}]"#);
    decl.markers.push(Marker { name: "x-kubernetes-unions".to_owned(), value, line: 0 });
    let Shape::Struct(fields) = &mut decl.shape else { panic!("a struct") };
    for field in fields {
        field.line = 0;
    }
    let errors = Unions::declared(&declarations).unwrap_err();
    assert_eq!(errors[0].to_string(), expected);
}

#[test]
fn a_union_without_a_discriminator_has_no_empty_values() {
    assert_eq!(Union::legacy(["a"], Cardinality::AtMostOne).empty_values().count(), 0);
}

/// Named types are resolved: a type that is defined as a pointer counts as one, so that its zero value is set.
#[test]
fn a_named_pointer_type_counts_as_a_pointer() {
    let unions = declared(
        "type T struct {\n// +k8s:unionMember\n// +optional\nA Name `json:\"a,omitempty\"`\n// +k8s:unionMember\n// +optional\nB Number \
         `json:\"b,omitempty\"`\n// +k8s:unionMember\n// +optional\nC Struct `json:\"c,omitempty\"`\n}\ntype Name Pointer\ntype Pointer \
         *int\ntype Number Integer\ntype Integer int\ntype Struct *Fields\ntype Fields struct{}",
    );
    let zero_is_unset: Vec<_> =
        only(&unions, "T").members.iter().map(|member| member.zero_is_unset).collect();
    assert_eq!(zero_is_unset, [false, true, false]);
}
