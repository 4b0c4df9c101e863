//! Declarations of unions in Go: valid declarations, and an invalid one for each kind of error.

use rstest::rstest;

use super::*;
use crate::schema::SchemaElement;
use crate::schema::union::UnionErrorKind as K;
use crate::schema::union::{Cardinality, DeclarationForm};
use crate::{Error, ErrorKind};

/// Returns declarations of a struct `T` with this body and an enum `Kind` with the values A, B and "". The body begins
/// in line 10.
fn with(body: &str) -> String {
    format!(
        "// +enum\ntype Kind string\nconst (\n KindA Kind = \"A\"\n KindB Kind = \"B\"\n KindNone Kind = \"\"\n)\n\
         type Open string\ntype T struct {{\n{body}\n}}\nconst X Open = \"A\"\ntype Other struct {{}}\n"
    )
}

const TYPE: &str = "// +unionDiscriminator\n// +required\nType Kind `json:\"type\"`\n";
const A: &str = "// +unionMember\n// +optional\nA *int `json:\"a,omitempty\"`\n";

#[rstest]
#[case::malformed(
    "// +unionMember=A,maybe\n// +optional\nB *int `json:\"b,omitempty\"`",
    K::MalformedMarker,
    16
)]
#[case::arguments_of_another_form(
    "// +unionMember:memberName=A\n// +optional\nB *int `json:\"b,omitempty\"`",
    K::MalformedMarker,
    16
)]
#[case::misspelt("// +UnionMember\n// +optional\nB *int `json:\"b,omitempty\"`", K::MalformedMarker, 16)]
#[case::twice(
    "// +unionMember=B\n// +unionMember=B\n// +optional\nB *int `json:\"b,omitempty\"`",
    K::MarkerTwice,
    17
)]
#[case::on_an_embedded_struct("// +unionMember\nOther `json:\",inline\"`", K::MarkerOnEmbedded, 16)]
#[case::discriminated_by_without_member(
    "// +unionDiscriminatedBy=Type\nB *int `json:\"b,omitempty\"`",
    K::DiscriminatedByWithoutMember,
    16
)]
#[case::discriminated_by_an_unknown_field(
    "// +unionMember\n// +unionDiscriminatedBy=Tpye\n// +optional\nB *int `json:\"b,omitempty\"`",
    K::UnknownDiscriminatorField,
    17
)]
#[case::discriminated_by_a_member(
    "// +unionMember\n// +unionDiscriminatedBy=A\n// +optional\nB *int `json:\"b,omitempty\"`",
    K::UnknownDiscriminatorField,
    17
)]
#[case::name_not_in_the_enum(
    "// +unionMember=C\n// +optional\nC *int `json:\"c,omitempty\"`",
    K::MemberNotInEnum,
    16
)]
#[case::go_name_not_in_the_enum(
    "// +unionMember\n// +optional\nC *int `json:\"c,omitempty\"`",
    K::MemberNotInEnum,
    16
)]
#[case::name_in_another_case_is_another_value(
    "// +unionMember=b\n// +optional\nB *int `json:\"b,omitempty\"`",
    K::MemberNotInEnum,
    16
)]
#[case::required_member("// +unionMember\n// +required\nB *int `json:\"b\"`", K::MemberNotOptional, 16)]
#[case::member_without_omitempty("// +unionMember\nB *int `json:\"b\"`", K::MemberNotOptional, 16)]
#[case::value_twice(
    "// +unionMember=A\n// +optional\nAlso *int `json:\"A,omitempty\"`",
    K::DuplicateMemberValue,
    16
)]
#[case::discriminator_and_member(
    "// +unionDiscriminator\n// +unionMember=B\n// +required\nB Kind `json:\"b\"`",
    K::DiscriminatorIsMember,
    17
)]
fn an_invalid_field_is_an_error_with_its_line(#[case] field: &str, #[case] kind: K, #[case] line: u32) {
    let found = kinds(&with(&format!("{TYPE}{A}{field}")));
    // A second discriminator causes two further errors: the first member is ambiguous, and the new discriminator has no
    // members.
    let expected: Vec<_> =
        found.iter().filter(|(_, k)| !matches!(k, K::AmbiguousDiscriminator | K::NoMembers)).collect();
    assert_eq!(expected, [&(line, kind)], "{found:?}");
}

#[rstest]
#[case::number("Type int `json:\"type\"`", K::DiscriminatorNotAnEnum)]
#[case::plain_string("Type string `json:\"type\"`", K::DiscriminatorNotAnEnum)]
#[case::object("Type Other `json:\"type\"`", K::DiscriminatorNotAnEnum)]
#[case::list_of_the_enum("Type []Kind `json:\"type\"`", K::DiscriminatorNotAnEnum)]
#[case::not_marked_enum("Type Open `json:\"type\"`", K::DiscriminatorEnumOpen)]
#[case::optional_and_always_written("// +optional\nType Kind `json:\"type\"`", K::DiscriminatorMayBeMissing)]
#[case::default_of_another_enum(
    "// +optional\n// +default=\"C\"\nType Kind `json:\"type,omitempty\"`",
    K::DefaultNotInEnum
)]
#[case::optional_with_a_default_and_always_written(
    "// +optional\n// +default=\"A\"\nType Kind `json:\"type\"`",
    K::DiscriminatorMayBeMissing
)]
fn an_invalid_discriminator_is_an_error_with_its_line(#[case] field: &str, #[case] kind: K) {
    assert_eq!(kinds(&with(&format!("// +unionDiscriminator\n{field}\n{A}"))), [(10, kind)]);
}

#[rstest]
#[case::required("// +required\nType Kind `json:\"type\"`")]
#[case::without_omitempty("Type Kind `json:\"type\"`")]
#[case::required_and_omitempty("// +required\nType Kind `json:\"type,omitempty\"`")]
#[case::the_empty_string_is_the_default_option("Type Kind `json:\"type,omitempty\"`")]
#[case::the_empty_string_is_the_default_option_and_optional(
    "// +optional\nType Kind `json:\"type,omitempty\"`"
)]
#[case::default("// +optional\n// +default=\"A\"\nType Kind `json:\"type,omitempty\"`")]
#[case::default_of_a_pointer("// +optional\n// +default=\"A\"\nType *Kind `json:\"type,omitempty\"`")]
#[case::default_by_reference("// +optional\n// +default=ref(KindB)\nType Kind `json:\"type,omitempty\"`")]
fn a_discriminator_must_be_required_or_have_a_default(#[case] field: &str) {
    let unions = declared(&with(&format!("// +unionDiscriminator\n{field}\n{A}")));
    assert_eq!(members(&only(&unions, "T")), [("a", "A", false)]);
}

#[test]
fn without_the_empty_string_an_omitted_discriminator_needs_a_default() {
    let of_default = |default: &str| {
        with(&format!(
            "// +unionDiscriminator\n// +optional\n{default}Type Kind `json:\"type,omitempty\"`\n{A}"
        ))
        .replace(" KindNone Kind = \"\"\n", "")
    };
    assert_eq!(kinds(&of_default("")), [(9, K::DiscriminatorMayBeMissing)]);
    let union = only(&declared(&of_default("// +default=\"A\"\n")), "T");
    assert_eq!(union.discriminator.unwrap().default.unwrap(), "A");
}

#[test]
fn discriminated_by_assigns_a_member_to_one_of_several_unions() {
    let source = |by: &str| {
        with(&format!(
            "// +unionDiscriminator\n// +required\nOne Kind `json:\"one\"`\n\
             // +unionDiscriminator\n// +required\nTwo Kind `json:\"two\"`\n\
             // +unionMember=A\n// +unionDiscriminatedBy=Two\n// +optional\nA1 *int `json:\"a,omitempty\"`\n\
             // +unionMember=A\n{by}// +optional\nA2 *int `json:\"A,omitempty\"`"
        ))
    };
    let unions = declared(&source("// +unionDiscriminatedBy=One\n"));
    let [one, two] = unions.of_type("T") else { panic!("two unions are expected") };
    assert_eq!((members(one), members(two)), (vec![("A", "A", false)], vec![("a", "A", false)]));
    assert_eq!(kinds(&source("")), [(10, K::NoMembers), (20, K::AmbiguousDiscriminator)]);
    assert_eq!(
        kinds(&source("// +unionDiscriminatedBy=Two\n")),
        [(10, K::NoMembers), (20, K::DuplicateMemberValue)]
    );
}

#[test]
fn discriminated_by_can_use_the_json_name() {
    let source = with(&format!(
        "{TYPE}// +unionMember\n// +unionDiscriminatedBy=type\n// +optional\nB *int `json:\"b,omitempty\"`"
    ));
    assert_eq!(members(&only(&declared(&source), "T")), [("b", "B", false)]);
}

#[test]
fn members_without_a_discriminator_are_refused() {
    assert_eq!(kinds(&with(A)), [(10, K::MemberWithoutDiscriminator)]);
}

#[rstest]
#[case::member_in_the_parent(
    "type P struct {\n T `json:\",inline\"`\n// +unionMember=B\n// +optional\nB *int `json:\"b,omitempty\"`\n}",
    22
)]
#[case::named_by_the_member(
    "type P struct {\n T `json:\",inline\"`\n// +unionMember=B\n// +unionDiscriminatedBy=Type\n// +optional\nB *int `json:\"b,omitempty\"`\n}",
    23
)]
#[case::discriminator_in_the_parent(
    "type P struct {\n Q `json:\",inline\"`\n// +unionDiscriminator\n// +required\nKind Kind `json:\"kind\"`\n}\n\
     type Q struct {\n// +unionMember=B\n// +optional\nB *int `json:\"b,omitempty\"`\n}",
    27
)]
fn a_union_cannot_span_structs(#[case] more: &str, #[case] line: u32) {
    assert_eq!(kinds(&format!("{}{more}", with(&format!("{TYPE}{A}")))), [(line, K::SpansStructs)]);
}

#[test]
fn a_struct_has_the_unions_of_embedded_structs_at_any_depth() {
    let source = format!(
        "{}type P struct {{\n *T `json:\",inline\"`\n}}\ntype Q struct {{\n Name string `json:\"name\"`\n P `json:\",inline\"`\n}}",
        with(&format!("{TYPE}{A}"))
    );
    let unions = declared(&source);
    let union = only(&unions, "T");
    assert_eq!((only(&unions, "P"), only(&unions, "Q")), (union.clone(), union));
    let schema = schema(&source);
    assert_eq!(schema.unions(schema.named("Q").unwrap()).len(), 1);
}

#[test]
fn a_field_of_an_embedded_union_must_not_be_hidden() {
    let source = format!(
        "{}type P struct {{\n T `json:\",inline\"`\n A string `json:\"a\"`\n}}",
        with(&format!("{TYPE}{A}"))
    );
    let errors = refused(&source);
    assert_eq!(errors.iter().map(|e| (e.line, e.kind)).collect::<Vec<_>>(), [(20, K::HiddenField)]);
    assert!(errors[0].message.contains("\"a\" of the union of T is hidden"), "{}", errors[0]);
}

#[test]
fn all_errors_are_returned_in_the_order_of_the_source() {
    let body = "// +unionDiscriminator\nType Open `json:\"type\"`\n// +unionMember=C\nC int `json:\"c\"`\n// +unionDiscriminatedBy=X\nD int `json:\"d\"`";
    assert_eq!(
        kinds(&with(body)),
        [
            (10, K::DiscriminatorEnumOpen),
            (12, K::MemberNotInEnum),
            (12, K::MemberNotOptional),
            (14, K::DiscriminatedByWithoutMember)
        ]
    );
}

#[test]
fn compiling_a_schema_with_an_invalid_union_is_an_error_with_a_line() {
    let errors = Schema::compile(&read(&with(A))).unwrap_err();
    assert_eq!(errors.iter().map(Error::kind).collect::<Vec<_>>(), [ErrorKind::InvalidSchema]);
    assert_eq!(
        errors[0].message(),
        "T.A, line 10: the struct has a member but no discriminator: mark a field with +unionDiscriminator \
         [member-without-discriminator]"
    );
}

#[test]
fn a_discriminator_without_members_is_ignored_and_reported() {
    let unions =
        declared(&with("// +unionDiscriminator\nType Open `json:\"type\"`\nA *int `json:\"a,omitempty\"`"));
    assert!(unions.of_type("T").is_empty());
    let [warnings] = unions.warnings() else { panic!("{:?}", unions.warnings()) };
    assert_eq!((warnings.field.as_str(), warnings.line), ("T.Type", 10));
}

#[rstest]
#[case::a_value_selects_no_member("", Cardinality::AtMostOne)]
#[case::every_value_selects_a_member("none", Cardinality::ExactlyOne)]
#[case::every_value_selects_a_member_and_one_is_optional("optional", Cardinality::AtMostOne)]
fn exactly_one_member_must_be_set_if_each_value_selects_a_member_that_is_not_optional(
    #[case] change: &str,
    #[case] cardinality: Cardinality,
) {
    let b = "// +unionMember\n// +optional\nB *int `json:\"b,omitempty\"`";
    let mut source = with(&format!("{TYPE}{A}{b}"));
    if !change.is_empty() {
        source = source.replace(" KindNone Kind = \"\"\n", "");
    }
    if change == "optional" {
        source = source.replace("// +unionMember\n", "// +unionMember,optional\n");
    }
    assert_eq!(only(&declared(&source), "T").cardinality(), cardinality);
}

#[test]
fn several_values_can_select_no_member() {
    let source = with(&format!("{TYPE}{A}")).replace("KindNone Kind = \"\"", "KindNone Kind = \"Nothing\"");
    let union = only(&declared(&source), "T");
    assert_eq!(union.empty_values().collect::<Vec<_>>(), ["B", "Nothing"]);
}

#[test]
fn tags_of_declarative_validation_declare_unions() {
    let source = with(
        "// +k8s:unionDiscriminator\nType Kind `json:\"type\"`\n// +k8s:unionMember(memberName: \"A\")\nX *int `json:\"x,omitempty\"`\n\
         // +k8s:beta(since: \"1.37\")=+k8s:unionMember\nB []int `json:\"b\"`\n\
         // +k8s:unionMember(union: \"u\")\nC *int `json:\"c,omitempty\"`\n\
         // +k8s:zeroOrOneOfMember(union: \"v\")\nD *int `json:\"d,omitempty\"`",
    );
    let unions = declared(&source);
    let [plain, u, v] = unions.of_type("T") else { panic!("{unions:#?}") };
    assert_eq!(members(plain), [("x", "A", false), ("b", "B", false)]);
    let zero_is_unset: Vec<bool> = plain.members.iter().map(|m| m.zero_is_unset).collect();
    assert_eq!((plain.form, zero_is_unset), (DeclarationForm::Declarative, vec![false, true]));
    assert_eq!(
        (u.name.as_str(), u.cardinality(), u.discriminator.is_none()),
        ("u", Cardinality::ExactlyOne, true)
    );
    assert_eq!((v.name.as_str(), v.cardinality()), ("v", Cardinality::AtMostOne));
}

#[rstest]
#[case::discriminator_is_a_number(
    "// +k8s:unionDiscriminator\nN int `json:\"n\"`",
    K::DiscriminatorNotAString
)]
#[case::two_discriminators("// +k8s:unionDiscriminator\nN string `json:\"n\"`", K::TwoDiscriminators)]
#[case::member_is_a_struct("// +k8s:unionMember\nN Other `json:\"n\"`", K::MemberNeverUnset)]
#[case::value_twice("// +k8s:unionMember(memberName: \"A\")\nN *int `json:\"n\"`", K::DuplicateMemberValue)]
#[case::tag_twice("// +k8s:unionMember\n// +k8s:unionMember\nN *int `json:\"n\"`", K::MarkerTwice)]
#[case::malformed("// +k8s:unionMember(n)\nN *int `json:\"n\"`", K::MalformedMarker)]
#[case::on_an_embedded_struct("// +k8s:unionMember\nOther `json:\",inline\"`", K::MarkerOnEmbedded)]
fn invalid_tags_are_errors(#[case] field: &str, #[case] kind: K) {
    let source = with(&format!(
        "// +k8s:unionDiscriminator\nType Kind `json:\"type\"`\n// +k8s:unionMember\nA *int `json:\"a\"`\n{field}"
    ));
    let found: Vec<K> = refused(&source).iter().map(|e| e.kind).collect();
    assert_eq!(found, [kind]);
}

#[test]
fn a_union_that_is_declared_in_both_forms_is_read_once() {
    let both = format!("{TYPE}{A}").replace("// +unionM", "// +k8s:unionMember\n// +unionM");
    let both = both.replace("// +unionD", "// +k8s:unionDiscriminator\n// +unionD");
    assert_eq!(only(&declared(&with(&both)), "T").form, DeclarationForm::Kep);
    let scalar = only(&declared(&with(&both.replace("A *int", "A int"))), "T");
    assert!(scalar.members[0].zero_is_unset, "only the tags say that zero is unset");
}

#[test]
fn unions_of_list_items_are_ignored() {
    let unions = declared(&with(
        "// +k8s:beta(since: \"1.37\")=+k8s:item(type: \"Approved\")=+k8s:zeroOrOneOfMember\nL []Other `json:\"l\"`",
    ));
    assert_eq!(unions.warnings()[0].description, "a union within +k8s:item");
}

#[test]
fn ids_are_unique_and_in_kebab_case() {
    let mut ids: Vec<&str> = K::ALL.iter().map(|kind| kind.id()).collect();
    assert!(ids.iter().all(|id| id.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn structs_that_embed_each_other_do_not_cause_an_endless_loop() {
    // The Go reader refuses such a cycle, but declarations from other sources can contain one.
    let declarations: Declarations = serde_json::from_str(
        r#"{"types":[
            {"name":"P","shape":{"struct":[{"inline":true,"type":{"named":"Q"}}]}},
            {"name":"Q","shape":{"struct":[{"inline":true,"type":{"named":"P"}},
                {"name":"a","type":{"pointer":{"scalar":"string"}},"markers":[{"name":"k8s:unionMember"}]}]}}]}"#,
    )
    .unwrap();
    let unions = Unions::declared(&declarations).unwrap();
    assert_eq!((unions.of_type("P").len(), unions.of_type("Q").len()), (1, 1));
}

#[test]
fn a_union_can_be_added_to_a_type_without_markers() {
    let source =
        with("Type Kind `json:\"type\"`\nA *int `json:\"a,omitempty\"`\nB *int `json:\"b,omitempty\"`");
    let legacy = Union::legacy(["a", "b"], Cardinality::ExactlyOne);
    let with_union = schema(&source).with_union("T", legacy.clone()).unwrap();
    assert_eq!(with_union.unions(with_union.named("T").unwrap()), std::slice::from_ref(&legacy));
    for (of, union) in
        [("Kind", legacy.clone()), ("Missing", legacy), ("T", Union::legacy(["c"], Cardinality::AtMostOne))]
    {
        assert_eq!(schema(&source).with_union(of, union).unwrap_err().kind(), ErrorKind::InvalidSchema);
    }
    let discriminated =
        Union::discriminated("type", ["A", ""], vec![crate::schema::union::Member::new("a", "A")]);
    let with_union = schema(&source).with_union("T", discriminated).unwrap();
    let element: SchemaElement = "Kind=A".parse().unwrap();
    let view = with_union.without([&element]).unwrap();
    let values = view.unions(view.named("T").unwrap())[0].discriminator.clone().unwrap().values.unwrap();
    assert_eq!(values, [""]);
}
