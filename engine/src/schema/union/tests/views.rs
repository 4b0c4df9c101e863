//! A party knows the members and values of its own view, by mechanism.

use rstest::rstest;

use super::kep_text::EXAMPLES;
use super::*;
use crate::schema::SchemaElement;
use crate::schema::union::Cardinality;

const REQUIRED: &str = r#"
// +enum
type Kind string
const (
  A Kind = "A"
  B Kind = "B"
)
type T struct {
  // +unionDiscriminator
  // +required
  Type Kind `json:"type"`
  // +unionMember
  // +optional
  A *int `json:"a,omitempty"`
  // +unionMember
  // +optional
  B *int `json:"b,omitempty"`
}
"#;

fn view(source: &str, ty: &str, elements: &[&str]) -> Vec<Union> {
    let elements: Vec<SchemaElement> = elements.iter().map(|element| element.parse().unwrap()).collect();
    let view = schema(source).without(&elements).unwrap();
    view.unions(view.named(ty).unwrap()).to_vec()
}

#[test]
fn a_party_without_a_member_and_its_value_has_a_smaller_union() {
    let unions = view(REQUIRED, "T", &["T.b", "Kind=B"]);
    assert_eq!(members(&unions[0]), [("a", "A", false)]);
    assert_eq!(unions[0].discriminator.as_ref().unwrap().values.as_deref().unwrap(), ["A"]);
    assert_eq!(unions[0].cardinality(), Cardinality::ExactlyOne);
}

#[test]
fn a_value_whose_member_is_not_known_is_an_empty_member() {
    let unions = view(REQUIRED, "T", &["T.b"]);
    assert_eq!(unions[0].empty_values().collect::<Vec<_>>(), ["B"]);
    assert_eq!(unions[0].cardinality(), Cardinality::AtMostOne);
}

#[test]
fn a_party_without_the_discriminator_has_the_union_that_was_there_before_it() {
    let unions = view(REQUIRED, "T", &["T.type"]);
    assert!(unions[0].discriminator.is_none());
    assert_eq!((members(&unions[0]).len(), unions[0].cardinality()), (2, Cardinality::ExactlyOne));
}

#[rstest]
#[case::discriminator_last(&["T.a", "T.b", "T.type"])]
#[case::discriminator_first(&["T.type", "T.a", "T.b"])]
fn a_party_without_all_of_it_has_no_union(#[case] elements: &[&str]) {
    assert!(view(REQUIRED, "T", elements).is_empty());
}

#[test]
fn a_value_is_forgotten_wherever_its_enum_is_used() {
    let unions = view(EXAMPLES, "TopLevelUnion", &["UnionType=FieldC"]);
    assert_eq!(unions[0].empty_values().collect::<Vec<_>>(), ["FieldD", ""]);
}

#[test]
fn a_value_of_another_enum_stays() {
    let source = format!("{REQUIRED}// +enum\ntype Other string\nconst (\n  OtherB Other = \"B\"\n)\n");
    let unions = view(&source, "T", &["Other=B"]);
    assert_eq!(unions[0].discriminator.as_ref().unwrap().values.as_deref().unwrap(), ["A", "B"]);
}

#[test]
fn a_default_that_is_not_known_is_none() {
    let source = REQUIRED.replace(
        "// +required\n  Type Kind `json:\"type\"`",
        "// +optional\n  // +default=\"B\"\n  Type Kind `json:\"type,omitempty\"`",
    );
    let default = |unions: &[Union]| unions[0].discriminator.as_ref().unwrap().default.clone();
    assert_eq!(default(&view(&source, "T", &["Kind=A"])).unwrap(), "B");
    assert_eq!(default(&view(&source, "T", &["Kind=B"])), None);
}

#[test]
fn a_schema_knows_whether_it_has_unions() {
    assert!(schema(REQUIRED).has_unions());
    assert!(!schema("type T struct {}").has_unions());
}

/// `type Same = Kind`: each alias is a copy of its type, and lacks what the type lacks.
#[rstest]
#[case::by_its_name("Kind=B", "T.b")]
#[case::by_an_alias("SameKind=B", "Same.b")]
fn aliases_lack_what_their_types_lack(#[case] value: &str, #[case] field: &str) {
    let source = REQUIRED.replace("Type Kind `json", "Type SameKind `json")
        + "type SameKind = Kind\ntype Same = T\ntype Other Same\n";
    for ty in ["T", "Same", "Other"] {
        let unions = view(&source, ty, &[value, field]);
        let discriminator = unions[0].discriminator.as_ref().unwrap();
        assert_eq!(discriminator.values.as_deref().unwrap(), ["A"], "{ty}");
        assert_eq!(members(&unions[0]), [("a", "A", false)], "{ty}");
    }
    let view = schema(&source).without(&[value.parse().unwrap()]).unwrap();
    for ty in ["Kind", "SameKind"] {
        let crate::schema::Type::Enum(of) = view.get(view.named(ty).unwrap()) else { panic!("{ty}") };
        assert_eq!(of.values, ["A"], "{ty}");
    }
}

#[test]
fn a_union_that_is_put_on_a_type_is_on_its_aliases() {
    let source = "type T struct {\n  A *int `json:\"a,omitempty\"`\n}\ntype Same = T\n";
    let union = Union::legacy(["a"], Cardinality::AtMostOne);
    let schema = schema(source).with_union("T", union).unwrap();
    assert_eq!(schema.unions(schema.named("Same").unwrap()).len(), 1);
}
