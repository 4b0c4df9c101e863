//! Round trips: declarations that are read from Go, written as `OpenAPI` v3 or v2, and read again do not change.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::document::Doc;
use crate::schema::{EnumValue, ListType, Marker, PatchMeta, ScalarType, TypeDecl, go};

const SOURCE: &str = r#"
package v1

// +k8s:deepcopy-gen=true
type Deployment struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec DeploymentSpec `json:"spec"`
}

type DeploymentSpec struct {
	// +default=1
	Replicas *int32 `json:"replicas,omitempty"`
	Strategy DeploymentStrategy `json:"strategy,omitempty" patchStrategy:"retainKeys"`
	Volumes []Volume `json:"volumes,omitempty" patchStrategy:"merge|retainKeys" patchMergeKey:"name"`
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	Ports []ServicePort `json:"ports" patchStrategy:"merge" patchMergeKey:"port" recommendedPatchMergeKey:"port,protocol"`
	// +listType=atomic
	Taints []Taint `json:"taints,omitempty" recommendedPatchMergeKey:"key"`
	// +mapType=atomic
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// +nullable
	Extra *runtime.RawExtension `json:"extra,omitempty"`
	Limits v1.ResourceList `json:"limits"`
	Data []byte `json:"data,omitzero"`
	Items []struct {
		Nested map[string][]struct { A float64; B bool }
	} `json:"items"`
}

type Volume struct {
	Name string `json:"name"`
	VolumeSource `json:",inline"`
}
type VolumeSource struct {
	HostPath *string `json:"hostPath,omitempty"`
	EmptyDir *struct{} `json:"emptyDir,omitempty"`
}
type ServicePort struct {
	Port int32 `json:"port"`
	// +default="TCP"
	Protocol Protocol `json:"protocol,omitempty"`
	TargetPort intstr.IntOrString `json:"targetPort,omitempty"`
}
type Taint struct {
	Key string `json:"key" patchStrategy:"merge" patchMergeKey:"key"`
}

// +enum
type DeploymentStrategyType string
const (
	RecreateDeploymentStrategyType DeploymentStrategyType = "Recreate"
	RollingUpdateDeploymentStrategyType DeploymentStrategyType = "RollingUpdate"
	Repeated DeploymentStrategyType = "RollingUpdate"
)
// +structType=atomic
type DeploymentStrategy struct {
	// +unionDiscriminator
	// +required
	Type DeploymentStrategyType `json:"type"`
	// +unionMember,optional
	// +optional
	RollingUpdate *RollingUpdate `json:"rollingUpdate,omitempty"`
}
type RollingUpdate struct {}
"#;

/// Returns the patch metadata and the default of each field, by `Type.field`. Fields of embedded structs belong to the
/// struct that embeds them.
fn metadata(declarations: &Declarations) -> BTreeMap<String, (PatchMeta, Option<OwnedDoc>)> {
    let mut all = BTreeMap::new();
    for decl in &declarations.types {
        let Shape::Struct(fields) = &decl.shape else { continue };
        for field in fields.iter().filter(|field| !field.inline) {
            let key = format!("{}.{}", decl.name, field.name);
            all.insert(key, (field.patch.clone(), field.default.clone()));
        }
    }
    all
}

#[test]
fn all_patch_metadata_survives_both_versions() {
    let declared = go::read(SOURCE).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let from_v3 = ok(&write_v3(&declared));
    let from_v2 = ok(&write_v2(&from_v3));
    assert_eq!(from_v3, from_v2);
    assert_eq!(ok(&write_v2(&declared)), from_v3, "the order of versions does not matter");
    let (before, after) = (metadata(&declared), metadata(&from_v2));
    for (key, value) in &before {
        assert_eq!(after.get(key), Some(value), "{key}");
    }
    // Only the fields of embedded structs are added.
    let added: Vec<&str> =
        after.keys().filter(|key| !before.contains_key(*key)).map(String::as_str).collect();
    assert_eq!(added, ["Deployment.apiVersion", "Deployment.kind", "Volume.emptyDir", "Volume.hostPath"]);
}

#[test]
fn types_and_requirements_survive() {
    let declared = go::read(SOURCE).unwrap();
    let again = ok(&write_v2(&ok(&write_v3(&declared))));
    assert!(declared.types.iter().all(|ty| again.get(&ty.name).is_some()));
    let spec = |name| field(&again, "DeploymentSpec", name);
    assert_eq!(spec("ports").required, Some(true));
    assert_eq!(spec("data").required, Some(false), "omitzero makes it optional");
    assert_eq!(spec("data").ty, TypeExpr::Scalar(ScalarType::Bytes));
    assert_eq!(spec("limits").ty, named("corev1.ResourceList"));
    assert_eq!(markers(spec("extra")), ["nullable"]);
    assert_eq!(spec("extra").ty, TypeExpr::Pointer(Box::new(TypeExpr::Any)));
    assert_eq!(markers(spec("nodeSelector")), ["mapType=atomic"]);
    assert_eq!(again.get("DeploymentStrategy").unwrap().markers[0].name, "structType");
    assert_eq!(again.get("RollingUpdate").unwrap().shape, Shape::Struct(Vec::new()));
    let Shape::Enum { values, closed: true } = &again.get("DeploymentStrategyType").unwrap().shape else {
        panic!()
    };
    assert_eq!(values.len(), 2, "each value once");
}

#[test]
fn a_struct_that_embeds_itself_is_written() {
    let field = |name: &str, ty, inline| FieldDecl {
        inline,
        ..FieldDecl::new(if inline { "" } else { name }, ty).optional()
    };
    let own = vec![
        field("", named("T"), true),
        field("", named("Missing"), true),
        field("a", TypeExpr::Any, false),
    ];
    let alias = Shape::Alias(named("U"));
    let types = [("T", Shape::Struct(own)), ("U", alias)].map(|(name, shape)| TypeDecl {
        name: name.to_owned(),
        shape,
        markers: Vec::new(),
        line: 0,
    });
    let declarations = Declarations { types: types.to_vec() };
    assert_eq!(fields(&ok(&write_v3(&declarations)), "T").len(), 1);
}

fn word() -> impl Strategy<Value = String> {
    "[a-d]{1,2}"
}

fn type_expr() -> impl Strategy<Value = TypeExpr> {
    use ScalarType as S;
    let scalars = [S::String, S::Integer, S::Number, S::Boolean, S::Bytes, S::IntOrString];
    let leaf = prop_oneof![
        prop::sample::select(scalars.to_vec()).prop_map(TypeExpr::Scalar),
        (0_usize..4).prop_map(|i| TypeExpr::Named(format!("T{i}"))),
        Just(TypeExpr::Any),
    ];
    leaf.prop_recursive(3, 8, 1, |inner| {
        prop_oneof![
            inner.clone().prop_map(|ty| TypeExpr::List(Box::new(ty))),
            inner.clone().prop_map(|ty| TypeExpr::Map(Box::new(ty))),
            inner.prop_map(|ty| TypeExpr::Pointer(Box::new(ty))),
        ]
    })
}

/// Returns a tag that recommends the merge key, if there is one.
fn recommended_keys(
    merge_key: &std::collections::BTreeSet<String>,
    recommended: bool,
) -> BTreeMap<String, Vec<String>> {
    let has_tag = recommended && !merge_key.is_empty();
    has_tag
        .then(|| ("recommendedPatchMergeKey".to_owned(), merge_key.iter().cloned().collect()))
        .into_iter()
        .collect()
}

fn patch() -> impl Strategy<Value = PatchMeta> {
    let strategies = prop::sample::select(vec![vec![], vec!["merge"], vec!["replace", "retainKeys"]]);
    let list_type =
        prop::sample::select(vec![None, Some(ListType::Atomic), Some(ListType::Set), Some(ListType::Map)]);
    let keys = || prop::collection::btree_set(word(), 0..3);
    (strategies, keys(), any::<bool>(), list_type, keys()).prop_map(
        |(strategies, merge_key, recommended, list_type, list_map_keys)| PatchMeta {
            strategies: strategies.into_iter().map(str::to_owned).collect(),
            tags: recommended_keys(&merge_key, recommended),
            merge_key: merge_key.into_iter().collect(),
            list_type,
            list_map_keys: list_map_keys.into_iter().collect(),
        },
    )
}

fn field_decl() -> impl Strategy<Value = FieldDecl> {
    let marker = prop::sample::select(vec![
        None,
        Some(("nullable", "")),
        Some(("mapType", "=atomic")),
        Some(("unionDiscriminator", "")),
        Some(("unionMember", "=a")),
        Some(("unionMember", ",optional")),
    ]);
    let required = prop::sample::select(vec![None, Some(true), Some(false)]);
    let default = prop::sample::select(vec![None, Some(Doc::Int(3)), Some(Doc::from("x"))]);
    (word(), type_expr(), required, any::<bool>(), default, patch(), marker).prop_map(
        |(name, ty, required, omit_empty, default, patch, marker)| FieldDecl {
            go_name: name.to_uppercase(),
            name,
            ty,
            inline: false,
            omit_empty,
            omit_zero: false,
            required,
            default,
            published_default: None,
            patch,
            markers: marker
                .into_iter()
                .map(|(name, value)| Marker { name: name.to_owned(), value: value.to_owned(), line: 0 })
                .collect(),
            line: 0,
        },
    )
}

fn shape() -> impl Strategy<Value = Shape> {
    let value = |value| EnumValue { name: String::new(), value, markers: Vec::new(), line: 0 };
    prop_oneof![
        prop::collection::vec(field_decl(), 0..5).prop_map(|mut fields| {
            fields.sort_by(|a, b| a.name.cmp(&b.name));
            fields.dedup_by(|a, b| a.name == b.name);
            Shape::Struct(fields)
        }),
        (prop::collection::vec(word().prop_map(value), 0..3), any::<bool>())
            .prop_map(|(values, closed)| Shape::Enum { values, closed }),
        type_expr().prop_map(Shape::Alias),
    ]
}

proptest! {
    #[test]
    fn written_declarations_read_the_same_from_both_versions(shapes in prop::collection::vec(shape(), 4)) {
        let types = shapes.into_iter().enumerate().map(|(i, shape)| {
            TypeDecl { name: format!("T{i}"), shape, markers: Vec::new(), line: 0 }
        });
        let declarations = Declarations { types: types.collect() };
        let from_v3 = ok(&write_v3(&declarations));
        prop_assert_eq!(&ok(&write_v2(&declarations)), &from_v3);
        prop_assert_eq!(&ok(&write_v3(&from_v3)), &from_v3);
        prop_assert_eq!(&ok(&write_v2(&from_v3)), &from_v3);
    }
}

/// The types are those that the root needs. A definition contains their schemas at every use.
#[test]
fn a_custom_resource_definition_says_the_same_without_references() {
    use crate::schema::openapi::{CustomResource, write_custom_resource};
    let names = CustomResource { group: "example.com", version: "v1", kind: "Deployment" };
    let declared = go::read(SOURCE).unwrap();
    let written = write_custom_resource(&declared, "Deployment", names).unwrap();
    assert!(!written.to_string().contains("$ref"), "{written}");
    let read = ok(&written);
    let again = write_custom_resource(&read, "com.example.v1.Deployment", names).unwrap();
    assert_eq!(again, written);
    let spec = fields(&read, "com.example.v1.Deployment.spec");
    let original = fields(&declared, "DeploymentSpec");
    assert_eq!(spec.len(), original.len());
    for field in spec {
        let same = original.iter().find(|f| f.name == field.name).unwrap();
        assert_eq!(field.patch, same.patch, "{}", field.name);
        assert_eq!(field.default, same.default, "{}", field.name);
    }
}

#[rstest::rstest]
#[case::itself("type A struct { B []B `json:\"b\"` }\ntype B struct { A *A `json:\"a\"` }", "A, B, A")]
#[case::no_struct("type A string", "`A` is no struct")]
#[case::unknown("type B struct {}", "there is no type `A`")]
fn what_a_definition_cannot_say_is_refused(#[case] source: &str, #[case] expected: &str) {
    use crate::schema::openapi::{CustomResource, write_custom_resource};
    let names = CustomResource { group: "example.com", version: "v1", kind: "A" };
    let refused = write_custom_resource(&go::read(source).unwrap(), "A", names).unwrap_err();
    assert!(refused.to_string().contains(expected), "{refused}");
}

#[test]
fn types_that_double_at_each_level_do_not_fill_the_memory() {
    use crate::schema::openapi::{CustomResource, write_custom_resource};
    let level = |level: usize| {
        let next = level + 1;
        format!("type A{level} struct {{ L A{next} `json:\"l\"`; R A{next} `json:\"r\"` }}\n")
    };
    let source: String = (0..40).map(level).chain(["type A40 struct {}".to_owned()]).collect();
    let names = CustomResource { group: "example.com", version: "v1", kind: "A" };
    let refused = write_custom_resource(&go::read(&source).unwrap(), "A0", names).unwrap_err();
    assert!(refused.to_string().contains("when each use of a type is written out"), "{refused}");
}

/// Pointers affect the lookup of lists and the omission of zero values.
#[rstest::rstest]
#[case::v2(write_v2)]
#[case::v3(write_v3)]
#[case::custom_resource(write_tab)]
fn pointers_survive(#[case] write: fn(&Declarations) -> OwnedDoc) {
    let source = "type Tab struct {\n\tList *[]Item `json:\"list,omitempty\" patchStrategy:\"merge\" patchMergeKey:\"name\"`\n\t\
                  Item *Item `json:\"item\"`\n\tText *string `json:\"text,omitempty\"`\n\tPlain []Item `json:\"plain\"`\n}\n\
                  type Item struct {\n\tName string `json:\"name\"`\n}\n";
    let declared = go::read(source).unwrap();
    let again = ok(&write(&ok(&write(&declared))));
    let name = again.types.iter().find(|ty| ty.name.ends_with("Tab")).unwrap().name.clone();
    let is_pointer = |field_name| matches!(field(&again, &name, field_name).ty, TypeExpr::Pointer(_));
    assert!(is_pointer("list") && is_pointer("item") && is_pointer("text") && !is_pointer("plain"));
    let TypeExpr::Pointer(list) = &field(&again, &name, "list").ty else { panic!("a pointer") };
    assert!(matches!(**list, TypeExpr::List(_)), "{list:?}");
    assert_eq!(field(&again, &name, "list").patch, field(&declared, "Tab", "list").patch);
}

/// Writes the type `Tab` as a `CustomResourceDefinition`. After a first round trip, the type has its published name.
fn write_tab(declarations: &Declarations) -> OwnedDoc {
    let root = declarations.types.iter().find(|ty| ty.name.ends_with("Tab")).unwrap();
    let names = crate::schema::openapi::CustomResource { group: "example.com", version: "v1", kind: "Tab" };
    crate::schema::openapi::write_custom_resource(declarations, &root.name, names).unwrap()
}

/// The types use the list form of unions, with the flag that `structured-merge-diff` v4 added.
#[rstest::rstest]
#[case::v2(write_v2)]
#[case::v3(write_v3)]
#[case::custom_resource(write_tab)]
fn listed_unions_survive_with_their_flag(#[case] write: fn(&Declarations) -> OwnedDoc) {
    let extension = r#"[{"deduceInvalidDiscriminator":true,"discriminator":"type","fields-to-discriminateBy":{"a":"A"}}]"#;
    let source = format!(
        "// +x-kubernetes-unions={extension}\ntype Tab struct {{\n\tType string `json:\"type\"`\n\t\
         A *string `json:\"a,omitempty\"`\n}}\n"
    );
    let declared = go::read(&source).unwrap();
    let unions = |declarations: &Declarations| {
        let name = declarations.types.iter().find(|ty| ty.name.ends_with("Tab")).unwrap().name.clone();
        crate::schema::union::Unions::declared(declarations).unwrap().of_type(&name).to_vec()
    };
    let again = ok(&write(&ok(&write(&declared))));
    let expected = crate::schema::union::DeclarationForm::List { deduce: Some(true) };
    for declarations in [&declared, &again] {
        assert_eq!(unions(declarations).iter().map(|union| union.form).collect::<Vec<_>>(), [expected]);
    }
    let marker = |declarations: &Declarations| {
        let ty = declarations.types.iter().find(|ty| ty.name.ends_with("Tab")).unwrap();
        ty.markers.iter().find(|marker| marker.name == "x-kubernetes-unions").unwrap().value.clone()
    };
    assert_eq!(marker(&again), format!("={extension}"));
}
