//! Reading the Go listings of the design proposals, without changes to the listings.

use super::*;
use crate::schema::TypeExpr;
use crate::schema::union::tests::kep_text::EXAMPLES;

#[test]
fn the_kep_declares_unions() {
    let declarations = ok(EXAMPLES);
    let (found, closed) = values(&declarations, "UnionType");
    assert_eq!((texts(found), closed), (vec!["FieldA", "FieldB", "FieldC", "FieldD", ""], true));
    // In Go, `Beta` has no type. The KEP means the type of the constant above.
    let (found, closed) = values(&declarations, "Union2Type");
    assert_eq!((texts(found), closed), (vec!["ALPHA", "BETA"], true));
    assert!(fields(&declarations, "TopLevelUnion")[1].inline);
    let discriminator = field(&declarations, "Union2", "type");
    assert_eq!(discriminator.required, Some(true));
    assert_eq!(discriminator.markers[0].name, "unionDiscriminator");
    assert_eq!(discriminator.ty, TypeExpr::Named("Union2Type".to_owned()));
    let beta = field(&declarations, "Union2", "beta");
    assert_eq!((beta.markers[0].value.as_str(), beta.required), ("=BETA,optional", Some(false)));
}

#[test]
fn the_keps_broken_comment_is_found_in_its_line() {
    let broken = EXAMPLES.replace("// customize the names", "customize the names");
    assert_eq!(kinds(&broken), [(43, GoErrorKind::Syntax)]);
}

/// Source: KEP-1027, "`OpenAPI`". The listing does not declare the type of the constants.
#[test]
fn the_keps_undeclared_type_is_found_wherever_it_is_used() {
    let source = "const (\n  FieldA Union1Type = \"FieldA\"\n)\ntype Union struct {\n  // +unionDiscriminator\n  // +required\n  Union1 Union1Type `json:\"union1\"`\n}";
    assert_eq!(kinds(source), [(2, GoErrorKind::UnresolvedType), (7, GoErrorKind::UnresolvedType)]);
    let declarations = ok(&format!("// +enum\ntype Union1Type string\n{source}"));
    assert_eq!(texts(values(&declarations, "Union1Type").0), ["FieldA"]);
}

#[test]
fn the_keps_extension_types_can_be_read() {
    let declarations = ok(r#"
// XKubernetesUnions is the top level extension
type XKubernetesUnions struct {
  // MemberField may be nil in the case of empty union members where a valid
  // discriminator value has no corresponding member field.
  FieldMembers map[DiscriminatorValue]*MemberField `json:"fieldMembers"`
}

// DiscriminatorValue is the value that the discriminator is set to 
// in order to indicate the selection of a union member.
type DiscriminatorValue string

// MemberField
type MemberField struct {
  // Name is the name of the field corresponding to the member.
  // It will be the json representation of the field marked with the
  // `// +unionMember` marker in the go type.
  Name string `json:"name"`
  // Optional determines whether the discriminator _may_ select this member
  // even when the member field is empty. Optional defaults to false.
  Optional bool `json:"optional"`
}
"#);
    let member = TypeExpr::Pointer(Box::new(TypeExpr::Named("MemberField".to_owned())));
    assert_eq!(fields(&declarations, "XKubernetesUnions")[0].ty, TypeExpr::Map(Box::new(member)));
    assert!(field(&declarations, "MemberField", "name").markers.is_empty(), "a marker within prose is prose");
}

/// patch-merge-key.md, "Impacted APIs", with the use and the definition of the type in one text.
#[test]
fn the_merge_key_document_declares_ports() {
    let declarations = ok(r#"
type ServiceSpec struct {
	Ports []ServicePort `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port" recommendedPatchMergeKey:"port,protocol" protobuf:"bytes,1,rep,name=ports"`
}
type ServicePort struct {
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`
	// +optional
	Protocol Protocol `json:"protocol,omitempty" protobuf:"bytes,2,opt,name=protocol,casttype=Protocol"`
	Port int32 `json:"port" protobuf:"varint,3,opt,name=port"`
	// +optional
	TargetPort intstr.IntOrString `json:"targetPort,omitempty" protobuf:"bytes,4,opt,name=targetPort"`
}
"#);
    let ports = field(&declarations, "ServiceSpec", "ports");
    assert!(ports.omit_empty);
    assert_eq!(ports.patch.strategies, ["merge"]);
    assert_eq!(ports.patch.merge_key, ["port"]);
    assert_eq!(ports.patch.tag_values("recommendedPatchMergeKey"), ["port", "protocol"]);
    assert_eq!(texts(values(&declarations, "corev1.Protocol").0), ["TCP", "UDP", "SCTP"]);
}

/// patch-merge-key.md, "Move Merge Key to the Correct Level": tags on the wrong level are read as tags.
#[test]
fn the_merge_key_document_declares_taints() {
    let declarations = ok(r#"
type Taint struct {
	Key string `json:"key" patchStrategy:"merge" patchMergeKey:"key" protobuf:"bytes,1,opt,name=key"`
	// +optional
	Value string `json:"value,omitempty" protobuf:"bytes,2,opt,name=value"`
	Effect TaintEffect `json:"effect" protobuf:"bytes,3,opt,name=effect,casttype=TaintEffect"`
	// +optional
	TimeAdded metav1.Time `json:"timeAdded,omitempty" protobuf:"bytes,4,opt,name=timeAdded"`
}
"#);
    assert_eq!(field(&declarations, "Taint", "key").patch.merge_key, ["key"]);
}

/// retain-keys.md, "Examples", 1: the listing has ellipses and a stray backtick, but its other declarations are read.
#[test]
fn the_retain_keys_documents_slips_are_one_error_each() {
    let source = "type ContainerStatus struct {\n\t...\n\t// Add patchStrategy:\"retainKeys\"\n\tState ContainerState `json:\"state,omitempty\" protobuf:\"bytes,2,opt,name=state\" patchStrategy:\"retainKeys\"``\n\t...\n}\ntype ContainerState struct { Old chan int }";
    let errors = refused(source);
    assert_eq!(
        kinds(source),
        [
            (2, GoErrorKind::Ellipsis),
            (4, GoErrorKind::MalformedTag),
            (5, GoErrorKind::Ellipsis),
            (7, GoErrorKind::UnsupportedType)
        ]
    );
    assert_eq!(
        errors[1].to_string(),
        "4:108: a stray backtick after the struct tag: remove it",
        "{}",
        shown(&errors)
    );
    assert!(errors[0].message.contains("remove it"));
}
