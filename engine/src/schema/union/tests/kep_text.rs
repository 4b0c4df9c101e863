//! The listings of KEP-1027. Corrections to a listing are noted beside it.

use super::*;
use crate::schema::union::{Cardinality, DeclarationForm};

/// The second listing of "Examples", which contains the first. A comment without slashes is corrected.
pub(crate) const EXAMPLES: &str = r#"
// This will have one embedded union.
type TopLevelUnion struct {
  Name string `json:"name"`

  Union `json:",inline"`
}

// +enum
type UnionType string

const (
  FieldA UnionType = "FieldA"
  FieldB UnionType = "FieldB"
  FieldC UnionType = "FieldC"
  FieldD UnionType = "FieldD"
  FieldNone UnionType = ""
)

// This will generate one union, with two fields and a discriminator.
type Union struct {
  // +unionDiscriminator
  // +required
  UnionType UnionType `json:"unionType"`

  // +unionMember
  // +optional
  FieldA int `json:"fieldA"`
  // +unionMember,optional
  // +optional
  FieldB int `json:"fieldB"`
}

// +enum
type Union2Type string

const (
  Alpha Union2Type = "ALPHA"
  Beta = "BETA"
)

// This generates a union where the unionMember markers demonstrate how to
// customize the names used for each field in the discriminator.
type Union2 struct {
  // +unionDiscriminator
  // +required
  Type2 Union2Type `json:"type"`
  // +unionMember=ALPHA
  // +optional
  Alpha int `json:"alpha"`
  // +unionMember=BETA,optional
  // +optional
  Beta int `json:"beta"`
}
"#;

/// The first listing of "Examples", in which fields have no JSON names.
pub(super) const FIRST: &str = r#"
// +enum
type UnionType string

const (
  FieldA UnionType = "FieldA"
  FieldB UnionType = "FieldB"
  FieldC UnionType = "FieldC"
  FieldD UnionType = "FieldD"
  FieldNone UnionType = ""
)

type Union struct {
  // +unionDiscriminator
  // +required
  UnionType UnionType

  // +unionMember
  // +optional
  FieldA int
  // +unionMember
  // +optional
  FieldB int
}
"#;

/// The listing of "`OpenAPI`" in the KEP, with a declaration of the type of its constants, which the KEP leaves out.
pub(super) const OPENAPI: &str = r#"
// +enum
type Union1Type string

const (
  FieldA Union1Type = "FieldA"
  FieldB Union1Type = "FieldB"
  FieldC Union1Type = "FieldC"
  FieldD Union1Type = "FieldD"
  FieldNone Union1Type = ""
)

// This will generate one union, with two fields and a discriminator.
type Union struct {
  // +unionDiscriminator
  // +required
  Union1 Union1Type `json:"union1"`

  // +unionMember
  // +unionDiscriminatedBy=Union1
  // +optional
  FieldA int `json:"fieldA"`
  // +unionMember,optional
  // +unionDiscriminatedBy=Union1
  // +optional
  FieldB int `json:"fieldB"`

}
"#;

#[test]
fn the_examples_declare_what_their_comments_say() {
    let unions = declared(EXAMPLES);
    let union = only(&unions, "Union");
    assert_eq!(members(&union), [("fieldA", "FieldA", false), ("fieldB", "FieldB", true)]);
    assert_eq!(union.empty_values().collect::<Vec<_>>(), ["FieldC", "FieldD", ""]);
    assert_eq!((union.form, union.cardinality()), (DeclarationForm::Kep, Cardinality::AtMostOne));
    assert_eq!(union.discriminator.as_ref().unwrap().field, "unionType");
    // "This will have one embedded union": the struct has the union of the struct that it embeds.
    assert_eq!(only(&unions, "TopLevelUnion"), union);
    let customized = only(&unions, "Union2");
    assert_eq!(members(&customized), [("alpha", "ALPHA", false), ("beta", "BETA", true)]);
    assert_eq!(customized.empty_values().count(), 0);
}

#[test]
fn without_json_names_the_go_names_are_the_keys() {
    let union = only(&declared(FIRST), "Union");
    assert_eq!(members(&union), [("FieldA", "FieldA", false), ("FieldB", "FieldB", false)]);
    assert_eq!(union.discriminator.unwrap().field, "UnionType");
}

#[test]
fn the_listing_of_the_openapi_section_declares_one_union() {
    let union = only(&declared(OPENAPI), "Union");
    assert_eq!(members(&union), [("fieldA", "FieldA", false), ("fieldB", "FieldB", true)]);
    assert_eq!(union.discriminator.unwrap().field, "union1");
}
