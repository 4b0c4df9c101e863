//! Types of other packages that documents refer to.
//!
//! A name that the text declares itself always wins. The tables are facts of `k8s.io/apimachinery` and
//! `k8s.io/api` (release 1.37): names, JSON names, patch metadata.

use std::collections::{BTreeMap, BTreeSet};

use crate::schema::{ScalarType, Shape, TypeDecl, TypeExpr};

/// The meaning of a well-known name.
pub(super) enum WellKnownType<'w> {
    /// A type of documents without a declaration.
    Expr(TypeExpr),
    /// The canonical name of a declaration: see [`WellKnownTypes::get`].
    Declared(&'w str),
}

// The names by which texts import a package.
const META: [&str; 4] = ["metav1", "v1", "meta_v1", "unversioned"];
const CORE: [&str; 3] = ["corev1", "v1", "api"];
const APIEXTENSIONS: [&str; 3] = ["apiextensionsv1", "apiextensions", "apiextv1"];

/// Types that are scalars, or anything, in documents: package names, type names, type.
const UNDECLARED: [(&[&str], &[&str], TypeExpr); 9] = [
    (&META, &["Time", "MicroTime", "Duration"], TypeExpr::Scalar(ScalarType::String)),
    (&META, &["FieldsV1"], TypeExpr::Any),
    (&["types"], &["UID", "NodeName"], TypeExpr::Scalar(ScalarType::String)),
    (&["intstr"], &["IntOrString"], TypeExpr::Scalar(ScalarType::IntOrString)),
    (&["resource"], &["Quantity"], TypeExpr::Scalar(ScalarType::IntOrString)),
    (&["runtime"], &["RawExtension"], TypeExpr::Any),
    (&["json"], &["RawMessage"], TypeExpr::Any),
    (&APIEXTENSIONS, &["JSON"], TypeExpr::Any),
    (&["time"], &["Time"], TypeExpr::Scalar(ScalarType::String)),
];

/// `k8s.io/apimachinery/pkg/apis/meta/v1`.
const META_TYPES: &str = r#"
type TypeMeta struct {
    // +optional
    Kind string `json:"kind,omitempty"`
    // +optional
    APIVersion string `json:"apiVersion,omitempty"`
}
type ListMeta struct {
    // +optional
    SelfLink string `json:"selfLink,omitempty"`
    // +optional
    ResourceVersion string `json:"resourceVersion,omitempty"`
    Continue string `json:"continue,omitempty"`
    // +optional
    RemainingItemCount *int64 `json:"remainingItemCount,omitempty"`
    // +optional
    ShardInfo *ShardInfo `json:"shardInfo,omitempty"`
}
type ShardInfo struct {
    // +required
    Selector string `json:"selector"`
}
type ObjectMeta struct {
    // +optional
    Name string `json:"name,omitempty"`
    // +optional
    GenerateName string `json:"generateName,omitempty"`
    // +optional
    Namespace string `json:"namespace,omitempty"`
    // +optional
    SelfLink string `json:"selfLink,omitempty"`
    // +optional
    UID types.UID `json:"uid,omitempty"`
    // +optional
    ResourceVersion string `json:"resourceVersion,omitempty"`
    // +optional
    Generation int64 `json:"generation,omitempty"`
    // +optional
    CreationTimestamp metav1.Time `json:"creationTimestamp,omitempty,omitzero"`
    // +optional
    DeletionTimestamp *metav1.Time `json:"deletionTimestamp,omitempty"`
    // +optional
    DeletionGracePeriodSeconds *int64 `json:"deletionGracePeriodSeconds,omitempty"`
    // +optional
    Labels map[string]string `json:"labels,omitempty"`
    // +optional
    Annotations map[string]string `json:"annotations,omitempty"`
    // +optional
    // +listType=map
    // +listMapKey=uid
    OwnerReferences []OwnerReference `json:"ownerReferences,omitempty" patchStrategy:"merge" patchMergeKey:"uid"`
    // +optional
    // +listType=set
    Finalizers []string `json:"finalizers,omitempty" patchStrategy:"merge"`
    // +optional
    // +listType=atomic
    ManagedFields []ManagedFieldsEntry `json:"managedFields,omitempty"`
}
// +structType=atomic
type OwnerReference struct {
    APIVersion string `json:"apiVersion"`
    Kind string `json:"kind"`
    Name string `json:"name"`
    UID types.UID `json:"uid"`
    // +optional
    Controller *bool `json:"controller,omitempty"`
    // +optional
    BlockOwnerDeletion *bool `json:"blockOwnerDeletion,omitempty"`
}
type ManagedFieldsEntry struct {
    Manager string `json:"manager,omitempty"`
    Operation ManagedFieldsOperationType `json:"operation,omitempty"`
    APIVersion string `json:"apiVersion,omitempty"`
    // +optional
    Time *metav1.Time `json:"time,omitempty"`
    FieldsType string `json:"fieldsType,omitempty"`
    // +optional
    FieldsV1 *metav1.FieldsV1 `json:"fieldsV1,omitempty"`
    Subresource string `json:"subresource,omitempty"`
}
type ManagedFieldsOperationType string
const (
    ManagedFieldsOperationApply ManagedFieldsOperationType = "Apply"
    ManagedFieldsOperationUpdate ManagedFieldsOperationType = "Update"
)
// +structType=atomic
type LabelSelector struct {
    // +optional
    MatchLabels map[string]string `json:"matchLabels,omitempty"`
    // +optional
    // +listType=atomic
    MatchExpressions []LabelSelectorRequirement `json:"matchExpressions,omitempty"`
}
type LabelSelectorRequirement struct {
    Key string `json:"key"`
    Operator LabelSelectorOperator `json:"operator"`
    // +optional
    // +listType=atomic
    Values []string `json:"values,omitempty"`
}
type LabelSelectorOperator string
const (
    LabelSelectorOpIn LabelSelectorOperator = "In"
    LabelSelectorOpNotIn LabelSelectorOperator = "NotIn"
    LabelSelectorOpExists LabelSelectorOperator = "Exists"
    LabelSelectorOpDoesNotExist LabelSelectorOperator = "DoesNotExist"
)
type Condition struct {
    // +required
    Type string `json:"type"`
    // +required
    Status ConditionStatus `json:"status"`
    // +optional
    ObservedGeneration int64 `json:"observedGeneration,omitempty"`
    // +required
    LastTransitionTime metav1.Time `json:"lastTransitionTime"`
    // +required
    Reason string `json:"reason"`
    // +required
    Message string `json:"message"`
}
type ConditionStatus string
const (
    ConditionTrue ConditionStatus = "True"
    ConditionFalse ConditionStatus = "False"
    ConditionUnknown ConditionStatus = "Unknown"
)
"#;

/// `k8s.io/api/core/v1`: the types to which the proposals refer without a package.
const CORE_TYPES: &str = r#"
type ResourceName string
type ResourceList map[ResourceName]resource.Quantity
// +enum
type Protocol string
const (
    ProtocolTCP Protocol = "TCP"
    ProtocolUDP Protocol = "UDP"
    ProtocolSCTP Protocol = "SCTP"
)
// +enum
type TaintEffect string
const (
    TaintEffectNoSchedule TaintEffect = "NoSchedule"
    TaintEffectPreferNoSchedule TaintEffect = "PreferNoSchedule"
    TaintEffectNoExecute TaintEffect = "NoExecute"
)
// +enum
type TolerationOperator string
const (
    TolerationOpExists TolerationOperator = "Exists"
    TolerationOpEqual TolerationOperator = "Equal"
    TolerationOpLt TolerationOperator = "Lt"
    TolerationOpGt TolerationOperator = "Gt"
)
// +enum
type NodeSelectorOperator string
const (
    NodeSelectorOpIn NodeSelectorOperator = "In"
    NodeSelectorOpNotIn NodeSelectorOperator = "NotIn"
    NodeSelectorOpExists NodeSelectorOperator = "Exists"
    NodeSelectorOpDoesNotExist NodeSelectorOperator = "DoesNotExist"
    NodeSelectorOpGt NodeSelectorOperator = "Gt"
    NodeSelectorOpLt NodeSelectorOperator = "Lt"
)
// +enum
type PersistentVolumeReclaimPolicy string
const (
    PersistentVolumeReclaimRecycle PersistentVolumeReclaimPolicy = "Recycle"
    PersistentVolumeReclaimDelete PersistentVolumeReclaimPolicy = "Delete"
    PersistentVolumeReclaimRetain PersistentVolumeReclaimPolicy = "Retain"
)
// +enum
type PersistentVolumeAccessMode string
const (
    ReadWriteOnce PersistentVolumeAccessMode = "ReadWriteOnce"
    ReadOnlyMany PersistentVolumeAccessMode = "ReadOnlyMany"
    ReadWriteMany PersistentVolumeAccessMode = "ReadWriteMany"
    ReadWriteOncePod PersistentVolumeAccessMode = "ReadWriteOncePod"
)
type ConditionStatus string
const (
    ConditionTrue ConditionStatus = "True"
    ConditionFalse ConditionStatus = "False"
    ConditionUnknown ConditionStatus = "Unknown"
)
// +structType=atomic
type LocalObjectReference struct {
    // +optional
    // +default=""
    Name string `json:"name,omitempty"`
}
// +structType=atomic
type ObjectReference struct {
    // +optional
    Kind string `json:"kind,omitempty"`
    // +optional
    Namespace string `json:"namespace,omitempty"`
    // +optional
    Name string `json:"name,omitempty"`
    // +optional
    UID types.UID `json:"uid,omitempty"`
    // +optional
    APIVersion string `json:"apiVersion,omitempty"`
    // +optional
    ResourceVersion string `json:"resourceVersion,omitempty"`
    // +optional
    FieldPath string `json:"fieldPath,omitempty"`
}
"#;

/// The declarations of the tables.
#[derive(Default)]
pub(super) struct WellKnownTypes {
    /// By canonical name: `metav1.ObjectMeta`.
    declared: BTreeMap<String, TypeDecl>,
}

impl WellKnownTypes {
    /// No declarations: the tables themselves are read with these.
    pub(super) const NONE: WellKnownTypes = WellKnownTypes { declared: BTreeMap::new() };

    /// Reads the tables. `read` parses a text without the help of other well-known declarations.
    pub(super) fn read_with(read: impl Fn(&str) -> Vec<TypeDecl>) -> Self {
        let mut declared = BTreeMap::new();
        for (package, text) in [("metav1", META_TYPES), ("corev1", CORE_TYPES)] {
            for decl in read(text) {
                let decl = qualify(decl, package);
                declared.insert(decl.name.clone(), decl);
            }
        }
        WellKnownTypes { declared }
    }

    /// Returns the well-known type of this name. Without a package, only the types of core/v1 are well known: the
    /// proposals print declarations of that package, which do not name it.
    pub(super) fn find(&self, package: Option<&str>, name: &str) -> Option<WellKnownType<'_>> {
        let Some(package) = package else {
            return self.find_declared("corev1", name);
        };
        let undeclared = UNDECLARED
            .iter()
            .find(|(packages, names, _)| packages.contains(&package) && names.contains(&name));
        if let Some((_, _, ty)) = undeclared {
            return Some(WellKnownType::Expr(ty.clone()));
        }
        if (package, name) == ("time", "Duration") {
            return Some(WellKnownType::Expr(TypeExpr::Scalar(ScalarType::Integer)));
        }
        let meta = META.contains(&package).then(|| self.find_declared("metav1", name)).flatten();
        meta.or_else(|| CORE.contains(&package).then(|| self.find_declared("corev1", name)).flatten())
    }

    fn find_declared(&self, package: &str, name: &str) -> Option<WellKnownType<'_>> {
        let entry = self.declared.get_key_value(&format!("{package}.{name}"));
        entry.map(|(canonical, _)| WellKnownType::Declared(canonical))
    }

    /// Returns the declaration with this canonical name.
    pub(super) fn get(&self, canonical: &str) -> Option<&TypeDecl> {
        self.declared.get(canonical)
    }

    /// Returns a well-known type and all types that it refers to, by its canonical name.
    pub(super) fn with_references(&self, canonical: &str) -> Vec<TypeDecl> {
        let entry = self.declared.get_key_value(canonical);
        let names = entry.map(|(name, _)| name.as_str()).into_iter().collect();
        self.closure(&names).into_iter().filter_map(|name| self.get(name)).cloned().collect()
    }

    /// Returns the names of these types and of all types that they refer to, sorted.
    pub(super) fn closure<'w>(&'w self, names: &BTreeSet<&'w str>) -> Vec<&'w str> {
        let mut all: BTreeSet<&str> = BTreeSet::new();
        let mut queue: Vec<&str> = names.iter().copied().collect();
        while let Some(name) = queue.pop() {
            let Some(decl) = self.get(name).filter(|_| all.insert(name)) else { continue };
            match &decl.shape {
                Shape::Struct(fields) => {
                    queue.extend(fields.iter().filter_map(|field| field.ty.referenced_name()));
                }
                Shape::Alias(ty) => queue.extend(ty.referenced_name()),
                Shape::Enum { .. } => {}
            }
        }
        all.into_iter().collect()
    }

    /// Returns all names as a text would write them, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        let undeclared = UNDECLARED
            .iter()
            .flat_map(|(packages, names, _)| names.iter().map(|name| format!("{}.{name}", packages[0])));
        let unqualified =
            self.declared.keys().filter_map(|name| name.strip_prefix("corev1.")).map(str::to_owned);
        undeclared.chain(self.declared.keys().cloned()).chain(unqualified)
    }
}

/// Adds the package to the names in a declaration of the tables, and removes its lines.
fn qualify(mut decl: TypeDecl, package: &str) -> TypeDecl {
    decl.name = format!("{package}.{}", decl.name);
    decl.line = 0;
    decl.markers.iter_mut().for_each(|marker| marker.line = 0);
    match &mut decl.shape {
        Shape::Struct(fields) => {
            for field in fields {
                field.line = 0;
                field.markers.iter_mut().for_each(|marker| marker.line = 0);
                qualify_type(&mut field.ty, package);
            }
        }
        Shape::Enum { values, .. } => values.iter_mut().for_each(|value| value.line = 0),
        Shape::Alias(ty) => qualify_type(ty, package),
    }
    decl
}

fn qualify_type(ty: &mut TypeExpr, package: &str) {
    match ty {
        TypeExpr::Named(name) => *name = format!("{package}.{name}"),
        TypeExpr::List(inner) | TypeExpr::Map(inner) | TypeExpr::Pointer(inner) => {
            qualify_type(inner, package);
        }
        TypeExpr::Scalar(_) | TypeExpr::Any => {}
    }
}

/// The texts of both tables, for the test that they can be read.
#[cfg(test)]
pub(super) fn texts() -> [&'static str; 2] {
    [META_TYPES, CORE_TYPES]
}
