//! The defaults that depend on nothing else.

use skewer_engine::document::{Doc, Map, OwnedDoc, Text};

/// A value that a server sets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Text(&'static str),
    Int(i64),
    Bool(bool),
    EmptyMap,
}

use Value::{Bool, EmptyMap, Int};

pub(crate) const fn text(value: &'static str) -> Value {
    Value::Text(value)
}

/// The fields of a type with their defaults.
pub(crate) type TypeDefaults = (&'static str, &'static [(&'static str, Value)]);

/// The mode of files in volumes.
const VOLUME_MODE: i64 = 0o644;

/// The defaults of each type.
pub(crate) const DEFAULTS: &[TypeDefaults] = &[
    (
        "core/v1.PodSpec",
        &[
            ("dnsPolicy", text("ClusterFirst")),
            ("restartPolicy", text("Always")),
            ("securityContext", EmptyMap),
            ("terminationGracePeriodSeconds", Int(30)),
            ("schedulerName", text("default-scheduler")),
        ],
    ),
    ("core/v1.Container", CONTAINER),
    ("core/v1.EphemeralContainer", CONTAINER),
    ("core/v1.ContainerPort", &[("protocol", text("TCP"))]),
    (
        "core/v1.Probe",
        &[
            ("timeoutSeconds", Int(1)),
            ("periodSeconds", Int(10)),
            ("successThreshold", Int(1)),
            ("failureThreshold", Int(3)),
        ],
    ),
    ("core/v1.HTTPGetAction", &[("path", text("/")), ("scheme", text("HTTP"))]),
    ("core/v1.GRPCAction", &[("service", text(""))]),
    ("core/v1.ObjectFieldSelector", &[("apiVersion", text("v1"))]),
    ("core/v1.SecretVolumeSource", &[("defaultMode", Int(VOLUME_MODE))]),
    ("core/v1.ConfigMapVolumeSource", &[("defaultMode", Int(VOLUME_MODE))]),
    ("core/v1.DownwardAPIVolumeSource", &[("defaultMode", Int(VOLUME_MODE))]),
    ("core/v1.ProjectedVolumeSource", &[("defaultMode", Int(VOLUME_MODE))]),
    ("core/v1.ServiceAccountTokenProjection", &[("expirationSeconds", Int(3600))]),
    ("core/v1.HostPathVolumeSource", &[("type", text(""))]),
    ("core/v1.ISCSIVolumeSource", &[("iscsiInterface", text("default"))]),
    ("core/v1.ISCSIPersistentVolumeSource", &[("iscsiInterface", text("default"))]),
    ("core/v1.RBDVolumeSource", RBD),
    ("core/v1.RBDPersistentVolumeSource", RBD),
    ("core/v1.ScaleIOVolumeSource", SCALE_IO),
    ("core/v1.ScaleIOPersistentVolumeSource", SCALE_IO),
    (
        "core/v1.AzureDiskVolumeSource",
        &[
            ("cachingMode", text("ReadWrite")),
            ("fsType", text("ext4")),
            ("readOnly", Bool(false)),
            ("kind", text("Shared")),
        ],
    ),
    ("core/v1.Secret", &[("type", text("Opaque"))]),
    ("core/v1.ServicePort", &[("protocol", text("TCP"))]),
    ("core/v1.EndpointPort", &[("protocol", text("TCP"))]),
    ("core/v1.PersistentVolumeClaimSpec", &[("volumeMode", text("Filesystem"))]),
    ("core/v1.PersistentVolumeClaimStatus", &[("phase", text("Pending"))]),
    ("core/v1.PersistentVolumeStatus", &[("phase", text("Pending"))]),
    (
        "core/v1.PersistentVolumeSpec",
        &[("persistentVolumeReclaimPolicy", text("Retain")), ("volumeMode", text("Filesystem"))],
    ),
    ("core/v1.ReplicationControllerSpec", &[("replicas", Int(1))]),
    ("core/v1.NamespaceStatus", &[("phase", text("Active"))]),
    ("core/v1.ServiceSpec", &[("sessionAffinity", text("None")), ("type", text("ClusterIP"))]),
    (
        "apps/v1.DeploymentSpec",
        &[
            ("replicas", Int(1)),
            ("strategy", EmptyMap),
            ("revisionHistoryLimit", Int(10)),
            ("progressDeadlineSeconds", Int(600)),
        ],
    ),
    ("apps/v1.DeploymentStrategy", &[("type", text("RollingUpdate"))]),
    ("apps/v1.DaemonSetSpec", &[("updateStrategy", EmptyMap), ("revisionHistoryLimit", Int(10))]),
    ("apps/v1.DaemonSetUpdateStrategy", &[("type", text("RollingUpdate"))]),
    (
        "apps/v1.StatefulSetSpec",
        &[
            ("podManagementPolicy", text("OrderedReady")),
            ("updateStrategy", EmptyMap),
            ("persistentVolumeClaimRetentionPolicy", EmptyMap),
            ("replicas", Int(1)),
            ("revisionHistoryLimit", Int(10)),
        ],
    ),
    (
        "apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
        &[("whenDeleted", text("Retain")), ("whenScaled", text("Retain"))],
    ),
    ("apps/v1.ReplicaSetSpec", &[("replicas", Int(1))]),
    (
        "batch/v1.CronJobSpec",
        &[
            ("concurrencyPolicy", text("Allow")),
            ("suspend", Bool(false)),
            ("successfulJobsHistoryLimit", Int(3)),
            ("failedJobsHistoryLimit", Int(1)),
        ],
    ),
    ("batch/v1.PodFailurePolicyOnPodConditionsPattern", &[("status", text("True"))]),
    ("autoscaling/v1.HorizontalPodAutoscalerSpec", &[("minReplicas", Int(1))]),
    ("autoscaling/v2.HorizontalPodAutoscalerSpec", &[("minReplicas", Int(1))]),
    ("networking/v1.NetworkPolicyPort", &[("protocol", text("TCP"))]),
    ("networking/v1.IngressClassParametersReference", &[("scope", text("Cluster"))]),
    ("rbac/v1.RoleRef", &[("apiGroup", text(RBAC_GROUP))]),
    (
        "storage/v1.StorageClass",
        &[("reclaimPolicy", text("Delete")), ("volumeBindingMode", text("Immediate"))],
    ),
    (
        "storage/v1.CSIDriverSpec",
        &[
            ("attachRequired", Bool(true)),
            ("podInfoOnMount", Bool(false)),
            ("storageCapacity", Bool(false)),
            ("fsGroupPolicy", text("ReadWriteOnceWithFSType")),
            ("requiresRepublish", Bool(false)),
        ],
    ),
    ("discovery/v1.EndpointPort", &[("name", text("")), ("protocol", text("TCP"))]),
    ("scheduling/v1.PriorityClass", &[("preemptionPolicy", text("PreemptLowerPriority"))]),
    ("admissionregistration/v1.ValidatingWebhook", WEBHOOK),
    ("admissionregistration/v1.MutatingWebhook", WEBHOOK),
    ("admissionregistration/v1.ServiceReference", &[("port", Int(443))]),
    ("admissionregistration/v1.RuleWithOperations", &[("scope", text("*"))]),
];

const CONTAINER: &[(&str, Value)] =
    &[("terminationMessagePath", text("/dev/termination-log")), ("terminationMessagePolicy", text("File"))];
const RBD: &[(&str, Value)] =
    &[("pool", text("rbd")), ("user", text("admin")), ("keyring", text("/etc/ceph/keyring"))];
const SCALE_IO: &[(&str, Value)] = &[("storageMode", text("ThinProvisioned")), ("fsType", text("xfs"))];
const WEBHOOK: &[(&str, Value)] = &[
    ("failurePolicy", text("Fail")),
    ("matchPolicy", text("Equivalent")),
    ("namespaceSelector", EmptyMap),
    ("objectSelector", EmptyMap),
    ("timeoutSeconds", Int(10)),
];
pub(crate) const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

impl Value {
    pub(crate) fn document(self) -> OwnedDoc {
        match self {
            Value::Text(value) => Doc::String(Text::from_static(value)),
            Int(value) => Doc::Int(value),
            Bool(value) => Doc::Bool(value),
            EmptyMap => Doc::Map(Map::new()),
        }
    }
}
