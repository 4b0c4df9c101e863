//! The unions in schema views: a party knows only the members and values of its view.

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
fn a_value_with_an_unknown_member_selects_no_member() {
    let unions = view(REQUIRED, "T", &["T.b"]);
    assert_eq!(unions[0].empty_values().collect::<Vec<_>>(), ["B"]);
    assert_eq!(unions[0].cardinality(), Cardinality::AtMostOne);
}

#[test]
fn a_party_without_the_discriminator_has_a_union_without_discriminator() {
    let unions = view(REQUIRED, "T", &["T.type"]);
    assert!(unions[0].discriminator.is_none());
    assert_eq!((members(&unions[0]).len(), unions[0].cardinality()), (2, Cardinality::ExactlyOne));
}

#[rstest]
#[case::discriminator_last(&["T.a", "T.b", "T.type"])]
#[case::discriminator_first(&["T.type", "T.a", "T.b"])]
fn a_party_that_knows_no_field_of_a_union_has_no_union(#[case] elements: &[&str]) {
    assert!(view(REQUIRED, "T", elements).is_empty());
}

#[test]
fn a_removed_enum_value_is_removed_from_all_unions_with_the_enum() {
    let unions = view(EXAMPLES, "TopLevelUnion", &["UnionType=FieldC"]);
    assert_eq!(unions[0].empty_values().collect::<Vec<_>>(), ["FieldD", ""]);
}

#[test]
fn an_equal_value_of_another_enum_is_kept() {
    let source = format!("{REQUIRED}// +enum\ntype Other string\nconst (\n  OtherB Other = \"B\"\n)\n");
    let unions = view(&source, "T", &["Other=B"]);
    assert_eq!(unions[0].discriminator.as_ref().unwrap().values.as_deref().unwrap(), ["A", "B"]);
}

#[test]
fn an_unknown_default_is_removed() {
    let source = REQUIRED.replace(
        "// +required\n  Type Kind `json:\"type\"`",
        "// +optional\n  // +default=\"B\"\n  Type Kind `json:\"type,omitempty\"`",
    );
    let default = |unions: &[Union]| unions[0].discriminator.as_ref().unwrap().default.clone();
    assert_eq!(default(&view(&source, "T", &["Kind=A"])).unwrap(), "B");
    assert_eq!(default(&view(&source, "T", &["Kind=B"])), None);
}

#[test]
fn has_unions_is_true_if_a_type_has_a_union() {
    assert!(schema(REQUIRED).has_unions());
    assert!(!schema("type T struct {}").has_unions());
}

/// The compiler copies the type of each alias, such as `type Same = Kind`. A view must change all copies.
#[rstest]
#[case::by_its_name("Kind=B", "T.b")]
#[case::by_an_alias("SameKind=B", "Same.b")]
fn a_view_of_a_type_also_changes_its_aliases(#[case] value: &str, #[case] field: &str) {
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
fn a_union_that_is_added_to_a_type_is_added_to_its_aliases() {
    let source = "type T struct {\n  A *int `json:\"a,omitempty\"`\n}\ntype Same = T\n";
    let union = Union::legacy(["a"], Cardinality::AtMostOne);
    let schema = schema(source).with_union("T", union).unwrap();
    assert_eq!(schema.unions(schema.named("Same").unwrap()).len(), 1);
}

#[test]
fn a_type_reaches_the_unions_below_it_at_any_depth() {
    let schema = schema(
        r#"
        type Root struct {
            Lists map[string][]Wrapper `json:"lists"`
            Plain Plain `json:"plain"`
        }
        type Wrapper struct {
            Next  *Wrapper `json:"next,omitempty"`
            Union Union `json:"union"`
        }
        type Union struct {
            // +unionDiscriminator
            // +required
            Type Letter `json:"type"`
            // +unionMember
            // +optional
            A *Plain `json:"a,omitempty"`
        }
        // +enum
        type Letter string
        const A Letter = "A"
        type Plain struct {
            Again *Plain `json:"again,omitempty"`
        }
        type Loop struct {
            Loop map[string]Loop `json:"loop,omitempty"`
        }
        "#,
    );
    let reaches = |name: &str| schema.reaches_union(schema.named(name).unwrap());
    assert_eq!(["Root", "Wrapper", "Union", "Plain", "Loop"].map(reaches), [true, true, true, false, false]);
    let root = schema.named("Root").unwrap();
    assert!(schema.reaches_union(schema.field(root, "lists").unwrap().ty));
    assert!(!schema.reaches_union(schema.field(root, "plain").unwrap().ty));
    let declared = schema.with_union("Plain", Union::legacy(["again"], Cardinality::AtMostOne)).unwrap();
    assert!(declared.reaches_union(declared.field(root, "plain").unwrap().ty));
}
