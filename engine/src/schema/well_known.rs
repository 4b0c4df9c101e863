//! Well-known types: types of Kubernetes to which source texts refer without declaring them.
//!
//! Their names, JSON names and patch metadata are those of `k8s.io/apimachinery` and `k8s.io/api`. A test compares them
//! with the newest embedded release.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::{Declarations, FieldDecl, ListType, Marker, PatchMeta, ScalarType, Shape, TypeDecl, TypeExpr};
use crate::document::Doc;

/// The canonical name of the type of `metadata`.
pub(super) const OBJECT_META: &str = "metav1.ObjectMeta";

/// The declarations by canonical name, such as `metav1.ObjectMeta` and `corev1.Protocol`.
static DECLARED: LazyLock<BTreeMap<String, TypeDecl>> = LazyLock::new(|| {
    let declarations = meta_types().into_iter().chain(meta_enums()).chain(core_types()).chain(core_enums());
    declarations.map(|declaration| (declaration.name.clone(), declaration)).collect()
});

/// Returns the declaration with this canonical name.
pub(super) fn get(canonical: &str) -> Option<&'static TypeDecl> {
    DECLARED.get(canonical)
}

/// Returns the type of the `metadata` of every object with all types to which it refers, and its name.
#[must_use]
pub fn type_of_metadata() -> (Declarations, &'static str) {
    (Declarations::new(with_references([OBJECT_META]).into_iter().cloned()), OBJECT_META)
}

/// Returns the canonical names of all well-known types, sorted.
#[cfg(feature = "go")]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    DECLARED.keys().map(String::as_str)
}

/// Returns the types with these canonical names and all types to which they refer, sorted by name.
pub(super) fn with_references<'n>(canonical: impl IntoIterator<Item = &'n str>) -> Vec<&'static TypeDecl> {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut queue: Vec<&TypeDecl> = canonical.into_iter().filter_map(get).collect();
    while let Some(declaration) = queue.pop() {
        if !names.insert(&declaration.name) {
            continue;
        }
        match &declaration.shape {
            Shape::Struct(fields) => {
                queue.extend(fields.iter().filter_map(|field| field.ty.referenced_name()).filter_map(get));
            }
            Shape::Alias(ty) => queue.extend(ty.referenced_name().and_then(get)),
            Shape::Enum { .. } => {}
        }
    }
    names.into_iter().filter_map(get).collect()
}

const ANY: TypeExpr = TypeExpr::Any;
const BOOLEAN: TypeExpr = TypeExpr::BOOLEAN;
const INTEGER: TypeExpr = TypeExpr::INTEGER;
const STRING: TypeExpr = TypeExpr::STRING;
const TIME: TypeExpr = TypeExpr::Scalar(ScalarType::Time);

fn named(canonical: &str) -> TypeExpr {
    TypeExpr::named(canonical)
}

fn list(item: TypeExpr) -> TypeExpr {
    TypeExpr::list(item)
}

fn pointer(target: TypeExpr) -> TypeExpr {
    TypeExpr::pointer(target)
}

/// Declares a field with `+optional` and `omitempty`.
fn optional(name: &str, ty: TypeExpr) -> FieldDecl {
    always(name, ty).optional()
}

/// Declares a field with `+required`.
fn required(name: &str, ty: TypeExpr) -> FieldDecl {
    always(name, ty).required()
}

/// Declares a field with neither `+optional` nor `omitempty`.
fn always(name: &str, ty: TypeExpr) -> FieldDecl {
    let mut field = FieldDecl::new(name, ty);
    field.go_name = match name {
        "apiVersion" => "APIVersion".to_owned(),
        "uid" => "UID".to_owned(),
        _ => name[..1].to_ascii_uppercase() + &name[1..],
    };
    field
}

/// Declares a field with `omitempty` and without `+optional`.
fn omitted_if_empty(name: &str, ty: TypeExpr) -> FieldDecl {
    always(name, ty).with_omit_empty(true)
}

/// Declares an optional list that server-side apply replaces as a whole.
fn atomic_list(name: &str, item: TypeExpr) -> FieldDecl {
    let patch = PatchMeta { list_type: Some(ListType::Atomic), ..PatchMeta::default() };
    optional(name, list(item)).with_patch(patch)
}

/// Declares a struct that server-side apply replaces as a whole.
fn atomic_struct<const N: usize>(name: &str, fields: [FieldDecl; N]) -> TypeDecl {
    TypeDecl::new_struct(name, fields).with_marker(Marker::new("structType", "=atomic"))
}

/// Declares an enum without `+enum`. Values that are not listed are valid, too.
fn open_enum<const N: usize>(name: &str, values: [&str; N]) -> TypeDecl {
    let mut declaration = TypeDecl::new_enum(name, values);
    if let Shape::Enum { closed, .. } = &mut declaration.shape {
        *closed = false;
    }
    declaration
}

/// Declares the structs of `k8s.io/apimachinery/pkg/apis/meta/v1`.
fn meta_types() -> Vec<TypeDecl> {
    vec![
        TypeDecl::new_struct("metav1.TypeMeta", [optional("kind", STRING), optional("apiVersion", STRING)]),
        TypeDecl::new_struct(
            "metav1.ListMeta",
            [
                optional("selfLink", STRING),
                optional("resourceVersion", STRING),
                omitted_if_empty("continue", STRING),
                optional("remainingItemCount", pointer(INTEGER)),
                optional("shardInfo", pointer(named("metav1.ShardInfo"))),
            ],
        ),
        TypeDecl::new_struct("metav1.ShardInfo", [required("selector", STRING)]),
        object_meta(),
        atomic_struct(
            "metav1.OwnerReference",
            [
                always("apiVersion", STRING),
                always("kind", STRING),
                always("name", STRING),
                always("uid", STRING),
                optional("controller", pointer(BOOLEAN)),
                optional("blockOwnerDeletion", pointer(BOOLEAN)),
            ],
        ),
        TypeDecl::new_struct(
            "metav1.ManagedFieldsEntry",
            [
                omitted_if_empty("manager", STRING),
                omitted_if_empty("operation", named("metav1.ManagedFieldsOperationType")),
                omitted_if_empty("apiVersion", STRING),
                optional("time", pointer(TIME)),
                omitted_if_empty("fieldsType", STRING),
                optional("fieldsV1", pointer(ANY)),
                omitted_if_empty("subresource", STRING),
            ],
        ),
        atomic_struct(
            "metav1.LabelSelector",
            [
                optional("matchLabels", TypeExpr::map(STRING)),
                atomic_list("matchExpressions", named("metav1.LabelSelectorRequirement")),
            ],
        ),
        TypeDecl::new_struct(
            "metav1.LabelSelectorRequirement",
            [
                always("key", STRING),
                always("operator", named("metav1.LabelSelectorOperator")),
                atomic_list("values", STRING),
            ],
        ),
        TypeDecl::new_struct(
            "metav1.Condition",
            [
                required("type", STRING),
                required("status", named("metav1.ConditionStatus")),
                optional("observedGeneration", INTEGER),
                required("lastTransitionTime", TIME),
                required("reason", STRING),
                required("message", STRING),
            ],
        ),
    ]
}

fn object_meta() -> TypeDecl {
    let mut creation_timestamp = optional("creationTimestamp", TIME);
    creation_timestamp.omit_zero = true;
    let owners = PatchMeta {
        list_type: Some(ListType::Map),
        list_map_keys: vec!["uid".to_owned()],
        ..PatchMeta::merge_by(["uid"])
    };
    let finalizers = PatchMeta { list_type: Some(ListType::Set), ..PatchMeta::with_strategies(["merge"]) };
    TypeDecl::new_struct(
        OBJECT_META,
        [
            optional("name", STRING),
            optional("generateName", STRING),
            optional("namespace", STRING),
            optional("selfLink", STRING),
            optional("uid", STRING),
            optional("resourceVersion", STRING),
            optional("generation", INTEGER),
            creation_timestamp,
            optional("deletionTimestamp", pointer(TIME)),
            optional("deletionGracePeriodSeconds", pointer(INTEGER)),
            optional("labels", TypeExpr::map(STRING)),
            optional("annotations", TypeExpr::map(STRING)),
            optional("ownerReferences", list(named("metav1.OwnerReference"))).with_patch(owners),
            optional("finalizers", list(STRING)).with_patch(finalizers),
            atomic_list("managedFields", named("metav1.ManagedFieldsEntry")),
        ],
    )
}

/// Declares the enums of `k8s.io/apimachinery/pkg/apis/meta/v1`.
fn meta_enums() -> [TypeDecl; 3] {
    [
        open_enum("metav1.ManagedFieldsOperationType", ["Apply", "Update"]),
        open_enum("metav1.LabelSelectorOperator", ["In", "NotIn", "Exists", "DoesNotExist"]),
        open_enum("metav1.ConditionStatus", ["True", "False", "Unknown"]),
    ]
}

/// Declares the structs and aliases of `k8s.io/api/core/v1` to which the proposals refer without a package.
fn core_types() -> [TypeDecl; 4] {
    let mut name = optional("name", STRING);
    name.default = Some(Doc::from(""));
    [
        TypeDecl::new("corev1.ResourceName", Shape::Alias(STRING)),
        TypeDecl::new(
            "corev1.ResourceList",
            Shape::Alias(TypeExpr::map(TypeExpr::Scalar(ScalarType::Quantity))),
        ),
        atomic_struct("corev1.LocalObjectReference", [name]),
        atomic_struct(
            "corev1.ObjectReference",
            [
                optional("kind", STRING),
                optional("namespace", STRING),
                optional("name", STRING),
                optional("uid", STRING),
                optional("apiVersion", STRING),
                optional("resourceVersion", STRING),
                optional("fieldPath", STRING),
            ],
        ),
    ]
}

/// Declares the enums of `k8s.io/api/core/v1` to which the proposals refer without a package.
fn core_enums() -> [TypeDecl; 7] {
    [
        TypeDecl::new_enum("corev1.Protocol", ["TCP", "UDP", "SCTP"]),
        TypeDecl::new_enum("corev1.TaintEffect", ["NoSchedule", "PreferNoSchedule", "NoExecute"]),
        TypeDecl::new_enum("corev1.TolerationOperator", ["Exists", "Equal", "Lt", "Gt"]),
        TypeDecl::new_enum(
            "corev1.NodeSelectorOperator",
            ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"],
        ),
        TypeDecl::new_enum("corev1.PersistentVolumeReclaimPolicy", ["Recycle", "Delete", "Retain"]),
        TypeDecl::new_enum(
            "corev1.PersistentVolumeAccessMode",
            ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"],
        ),
        open_enum("corev1.ConditionStatus", ["True", "False", "Unknown"]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Declarations, Schema};

    #[test]
    fn well_known_types_compile_and_refer_only_to_each_other() {
        let declarations = Declarations::new(DECLARED.values().cloned());
        Schema::compile(&declarations).unwrap_or_else(|errors| panic!("{errors:#?}"));
    }

    #[test]
    fn a_type_comes_with_all_that_it_refers_to() {
        let names: Vec<&str> = with_references([OBJECT_META]).iter().map(|ty| ty.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "metav1.ManagedFieldsEntry",
                "metav1.ManagedFieldsOperationType",
                "metav1.ObjectMeta",
                "metav1.OwnerReference"
            ]
        );
    }

    #[cfg(feature = "builtin")]
    mod in_the_newest_release {
        use rstest::rstest;

        use super::super::*;
        use crate::schema::{Declarations, Field, Schema, Type, builtin};

        /// Returns the properties of a type that affect patches and unions.
        fn facts(schema: &Schema, name: &str) -> Vec<String> {
            let id = schema.named(name).unwrap_or_else(|| panic!("{name} is not declared"));
            match schema.get(id) {
                Type::Struct(declared) => declared.fields().map(|field| field_facts(schema, field)).collect(),
                // The values of an open enum are not compared, because any string is valid.
                Type::Enum(declared) if !declared.closed => vec!["a string".to_owned()],
                Type::Enum(declared) => declared.values.iter().map(ToString::to_string).collect(),
                other => vec![other.describe()],
            }
        }

        fn field_facts(schema: &Schema, field: &Field) -> String {
            let Field { name, is_pointer, meta, required, is_go, omit_empty, omit_zero, .. } = field;
            let ty = match schema.get(field.ty) {
                Type::Scalar(scalar) => format!("{scalar:?}"),
                ty => ty.describe().replace("meta/v1.", "metav1."),
            };
            format!("{name}: {ty}, {is_pointer}, {meta:?}, {required:?}, {is_go}, {omit_empty}, {omit_zero}")
        }

        #[rstest]
        #[case::of_meta("metav1.", "meta/v1.")]
        #[case::of_core("corev1.", "core/v1.")]
        fn well_known_types_are_those_of_kubernetes(#[case] package: &str, #[case] released: &str) {
            let ours = Schema::compile(&Declarations::new(DECLARED.values().cloned())).unwrap();
            let theirs = builtin::newest().schema();
            let names: Vec<&str> = DECLARED.keys().filter_map(|name| name.strip_prefix(package)).collect();
            assert!(!names.is_empty());
            for name in names {
                let (ours, theirs) =
                    (facts(&ours, &format!("{package}{name}")), facts(theirs, &format!("{released}{name}")));
                assert_eq!(ours, theirs, "{name}");
            }
        }
    }
}
