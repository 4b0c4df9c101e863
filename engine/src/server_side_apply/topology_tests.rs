//! Tests of topology.

use rstest::rstest;

use super::topology::{ItemIdentity, TypePosition};
use crate::schema::{Schema, go};

fn schema(text: &str) -> Schema {
    Schema::compile(&go::read(text).unwrap()).unwrap()
}

/// Every object has `apiVersion`, `kind` and `metadata`, so that its type has fields and no others.
#[rstest]
#[case::closed("type T struct {}", "spec", false)]
#[case::declared("type T struct {}", "kind", true)]
#[case::open("// +kubebuilder:pruning:PreserveUnknownFields\ntype T struct {}", "spec", true)]
fn an_object_without_declared_fields_is_closed(
    #[case] text: &str,
    #[case] key: &str,
    #[case] is_allowed: bool,
) {
    let schema = schema(text);
    let topology = TypePosition::of_object(&schema, schema.named("T").unwrap()).topology();
    assert_eq!(topology.map.unwrap().field(key).place.is_some(), is_allowed);
}

/// Upstream takes the value of `x-kubernetes-patch-merge-key` as one name.
#[test]
fn several_merge_keys_are_one_key_with_a_comma() {
    let schema = schema(
        "type T struct {\n  A []S `json:\"a\" patchStrategy:\"merge\" patchMergeKey:\"port,protocol\"`\n}\ntype S struct {}",
    );
    let object = TypePosition::of_object(&schema, schema.named("T").unwrap()).topology();
    let list = object.map.unwrap().field("a").place.unwrap().topology().list.unwrap();
    let ItemIdentity::Keys(keys) = list.identity else { panic!("{:?}", list.identity) };
    assert_eq!(keys, ["port,protocol"]);
}
