//! The defaults of built-in kinds, which a server sets whenever it decodes an object.
//!
//! Upstream: `SetObjectDefaults_…` (k8s.io/kubernetes, pkg/apis/*/v*/zz_generated.defaults.go) with the functions `SetDefaults_…`
//! of `defaults.go` beside them, and `+default` in the types (k8s.io/api), as in 1.36.3. Not simulated: what admission plugins,
//! strategies and allocators set, such as a cluster IP, and what feature gates change.

use std::collections::HashMap;
use std::sync::LazyLock;

use skewer_engine::document::{Doc, Map, OwnedDoc, OwnedMap, Text};
use skewer_engine::schema::{Schema, StructType, Type, TypeId};

/// A value that a server sets.
#[derive(Clone, Copy, Debug)]
enum Value {
    Text(&'static str),
    Int(i64),
    Bool(bool),
    EmptyMap,
}

use Value::{Bool, EmptyMap, Int};

const fn text(value: &'static str) -> Value {
    Value::Text(value)
}

/// The fields of a type with their defaults.
type TypeDefaults = (&'static str, &'static [(&'static str, Value)]);

/// The mode of files in volumes.
const VOLUME_MODE: i64 = 0o644;

/// The defaults that depend on nothing else.
const DEFAULTS: &[TypeDefaults] = &[
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
const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

static BY_TYPE: LazyLock<HashMap<&str, &[(&str, Value)]>> =
    LazyLock::new(|| DEFAULTS.iter().copied().collect());

/// Adds the defaults to a decoded object. `root` is its type.
pub(super) fn add_defaults(schema: &Schema, root: TypeId, object: &mut OwnedDoc) {
    match (schema.get(root), object) {
        (Type::Struct(ty), Doc::Map(map)) => {
            let known = BY_TYPE.get(&*ty.name).copied().unwrap_or_default();
            for (field, value) in known {
                // The type of an older release can lack the field.
                if ty.field(field).is_some() && is_unset(ty, map, field) {
                    set(map, field, value.document());
                }
            }
            add_conditional(&ty.name, map);
            for field in ty.fields() {
                if let Some(value) = map.get_mut(&*field.name) {
                    add_defaults(schema, field.ty, value);
                }
            }
        }
        (Type::Map(values), Doc::Map(map)) => {
            map.iter_mut().for_each(|(_, value)| add_defaults(schema, *values, value));
        }
        (Type::List(of), Doc::List(items)) => {
            items.iter_mut().for_each(|item| add_defaults(schema, *of, item));
        }
        _ => {}
    }
}

impl Value {
    fn document(self) -> OwnedDoc {
        match self {
            Value::Text(value) => Doc::String(Text::from_static(value)),
            Int(value) => Doc::Int(value),
            Bool(value) => Doc::Bool(value),
            EmptyMap => Doc::Map(Map::new()),
        }
    }
}

/// The fields that a server sets when it creates an object, and keeps if a later request leaves them out.
///
/// Upstream: `patchAllocatedValues` (k8s.io/kubernetes, pkg/registry/core/service/storage), and the admission plugins Priority,
/// `ServiceAccount` and `DefaultTolerationSeconds` (plugin/pkg/admission).
const KEPT: &[(&str, &[&str])] = &[
    (
        "core/v1.Pod",
        &["priority", "preemptionPolicy", "tolerations", "nodeName", "serviceAccountName", "serviceAccount"],
    ),
    ("core/v1.Service", &["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"]),
];

/// Adds the fields of the spec that the server keeps to an object that replaces `old`.
pub(super) fn keep_allocated(ty: &str, old: &OwnedDoc, new: &mut OwnedDoc) {
    let Some((_, fields)) = KEPT.iter().find(|(known, _)| *known == ty) else { return };
    let spec = |object: &OwnedDoc| object.as_map().and_then(|object| object.get("spec")?.as_map()).cloned();
    let (Some(old), Some(new)) = (spec(old), new.as_map_mut().and_then(|new| map_of(new, "spec"))) else {
        return;
    };
    // A service of another type has other addresses.
    let is_same_type = text_of(&old, "type") == text_of(new, "type");
    if ty == "core/v1.Service" {
        drop_dependent_on_type(&old, new);
    }
    if !is_same_type {
        return;
    }
    for field in *fields {
        if let (Some(value), true) = (old.get(field), new.get(field).is_none_or(Doc::is_null)) {
            set(new, field, value.clone());
        }
    }
}

/// Removes the fields of a service that its new type does not have, if the request has not changed them. Upstream:
/// `dropTypeDependentFields` (k8s.io/kubernetes, pkg/registry/core/service).
fn drop_dependent_on_type(old: &OwnedMap, new: &mut OwnedMap) {
    let has_ports = |spec: &OwnedMap| matches!(text_of(spec, "type"), "NodePort" | "LoadBalancer");
    let balances = |spec: &OwnedMap| text_of(spec, "type") == "LoadBalancer";
    let conditions: [(&dyn Fn(&OwnedMap) -> bool, &[&str]); 4] = [
        (
            &|spec| text_of(spec, "type") != "ExternalName",
            &["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"],
        ),
        (
            &|spec| balances(spec) && text_of(spec, "externalTrafficPolicy") == "Local",
            &["healthCheckNodePort"],
        ),
        (&balances, &["allocateLoadBalancerNodePorts", "loadBalancerClass"]),
        (&is_external, &["externalTrafficPolicy"]),
    ];
    for (is_needed, fields) in conditions {
        if is_needed(old) && !is_needed(new) {
            for field in fields.iter().filter(|field| old.get(field) == new.get(field)).collect::<Vec<_>>() {
                new.remove(field);
            }
        }
    }
    if has_ports(old) && !has_ports(new) && node_ports(old) == node_ports(new) {
        let ports = new.get_mut("ports").and_then(Doc::as_list_mut).into_iter().flatten();
        ports.filter_map(Doc::as_map_mut).for_each(|port| drop(port.remove("nodePort")));
    }
}

fn node_ports(spec: &OwnedMap) -> Vec<Option<OwnedDoc>> {
    let ports = spec.get("ports").and_then(Doc::as_list).unwrap_or_default();
    ports.iter().map(|port| port.as_map().and_then(|port| port.get("nodePort")).cloned()).collect()
}

/// Whether a service can be reached from outside of the cluster. Upstream: `ExternallyAccessible` (pkg/api/v1/service).
fn is_external(spec: &OwnedMap) -> bool {
    match text_of(spec, "type") {
        "NodePort" | "LoadBalancer" => true,
        "ClusterIP" => has_items(spec, "externalIPs"),
        _ => false,
    }
}

/// Returns true if Go sees no value of a field. The zero value of a pointer is a value.
fn is_unset(ty: &StructType, map: &OwnedMap, field: &str) -> bool {
    match map.get(field) {
        None | Some(Doc::Null) => true,
        Some(_) if ty.field(field).is_some_and(|field| field.is_pointer) => false,
        Some(Doc::String(value)) => value.is_empty(),
        Some(value) => *value == Doc::Int(0),
    }
}

fn set(map: &mut OwnedMap, field: &'static str, value: OwnedDoc) {
    map.insert(Text::from_static(field), value);
}

fn set_default(map: &mut OwnedMap, field: &'static str, value: impl FnOnce() -> OwnedDoc) {
    if map.get(field).is_none_or(Doc::is_null) {
        set(map, field, value());
    }
}

fn string(value: &str) -> OwnedDoc {
    Doc::from(value).to_static()
}

fn text_of<'m>(map: &'m OwnedMap, field: &str) -> &'m str {
    map.get(field).and_then(Doc::as_str).unwrap_or_default()
}

fn map_of<'m>(map: &'m mut OwnedMap, field: &str) -> Option<&'m mut OwnedMap> {
    map.get_mut(field).and_then(Doc::as_map_mut)
}

fn has_items(map: &OwnedMap, field: &str) -> bool {
    map.get(field).is_some_and(|value| match value {
        Doc::List(items) => !items.is_empty(),
        Doc::Map(map) => !map.is_empty(),
        _ => false,
    })
}

/// Adds the defaults of a struct that depend on its other fields.
fn add_conditional(ty: &str, map: &mut OwnedMap) {
    match ty {
        "apps/v1.DeploymentStrategy" => {
            rolling_update(map, &[("maxUnavailable", text("25%")), ("maxSurge", text("25%"))]);
        }
        "apps/v1.DaemonSetUpdateStrategy" => {
            rolling_update(map, &[("maxUnavailable", Int(1)), ("maxSurge", Int(0))]);
        }
        "apps/v1.StatefulSetUpdateStrategy" => {
            if text_of(map, "type").is_empty() {
                set(map, "type", string("RollingUpdate"));
                set_default(map, "rollingUpdate", || EmptyMap.document());
            }
            if text_of(map, "type") == "RollingUpdate" && map_of(map, "rollingUpdate").is_some() {
                rolling_update(map, &[("partition", Int(0))]);
            }
        }
        "core/v1.Container" | "core/v1.EphemeralContainer" if text_of(map, "imagePullPolicy").is_empty() => {
            let policy = if has_latest_tag(text_of(map, "image")) { "Always" } else { "IfNotPresent" };
            set(map, "imagePullPolicy", string(policy));
        }
        "core/v1.Volume" if map.iter().all(|(key, value)| *key == *"name" || value.is_null()) => {
            set(map, "emptyDir", EmptyMap.document());
        }
        "core/v1.ServiceSpec" => service(map),
        "core/v1.Pod" => pod(map),
        "core/v1.LimitRangeItem" if text_of(map, "type") == "Container" => limit_range_item(map),
        "core/v1.ReplicationController" => {
            let labels = labels_of_template(map);
            if let (Some(labels), Some(spec)) = (&labels, map_of(map, "spec"))
                && !has_items(spec, "selector")
            {
                set(spec, "selector", labels.clone());
            }
            set_labels(map, labels);
        }
        "core/v1.Namespace" => {
            let name = map_of(map, "metadata").map(|metadata| text_of(metadata, "name").to_owned());
            if let (Some(name), Some(metadata)) =
                (name.filter(|name| !name.is_empty()), map_of(map, "metadata"))
            {
                set_default(metadata, "labels", || EmptyMap.document());
                if let Some(labels) = map_of(metadata, "labels") {
                    set(labels, "kubernetes.io/metadata.name", string(&name));
                }
            }
        }
        "batch/v1.Job" => job(map),
        "autoscaling/v2.HorizontalPodAutoscalerSpec" => autoscaler(map),
        "networking/v1.NetworkPolicySpec" if !has_items(map, "policyTypes") => {
            let egress = has_items(map, "egress").then_some("Egress");
            let types = ["Ingress"].into_iter().chain(egress).map(string).collect();
            set(map, "policyTypes", Doc::List(types));
        }
        "rbac/v1.Subject"
            if text_of(map, "apiGroup").is_empty() && matches!(text_of(map, "kind"), "User" | "Group") =>
        {
            set(map, "apiGroup", string(RBAC_GROUP));
        }
        "storage/v1.CSIDriverSpec" if !has_items(map, "volumeLifecycleModes") => {
            set(map, "volumeLifecycleModes", Doc::List(vec![string("Persistent")]));
        }
        "admissionregistration/v1.MutatingWebhook" => {
            set_default(map, "reinvocationPolicy", || string("Never"));
        }
        _ => {}
    }
}

/// Adds the parameters of a strategy that is a rolling update.
fn rolling_update(strategy: &mut OwnedMap, parameters: &[(&'static str, Value)]) {
    if text_of(strategy, "type") != "RollingUpdate" {
        return;
    }
    set_default(strategy, "rollingUpdate", || EmptyMap.document());
    for (field, value) in parameters {
        if let Some(parameters) = map_of(strategy, "rollingUpdate") {
            set_default(parameters, field, || value.document());
        }
    }
}

/// Whether an image has the tag `latest`, or neither a tag nor a digest.
fn has_latest_tag(image: &str) -> bool {
    let (name, digest) = image.split_once('@').map_or((image, None), |(name, digest)| (name, Some(digest)));
    let last = name.rsplit('/').next().unwrap_or_default();
    match last.split_once(':') {
        Some((_, tag)) => tag == "latest",
        None => digest.is_none(),
    }
}

fn service(spec: &mut OwnedMap) {
    match text_of(spec, "sessionAffinity") {
        "None" => drop(spec.remove("sessionAffinityConfig")),
        "ClientIP" => {
            let config = map_of(spec, "sessionAffinityConfig").and_then(|config| map_of(config, "clientIP"));
            if config.is_none_or(|config| config.get("timeoutSeconds").is_none_or(Doc::is_null)) {
                let timeout =
                    Doc::Map([(Text::from_static("timeoutSeconds"), Doc::Int(10800))].into_iter().collect());
                let config = Doc::Map([(Text::from_static("clientIP"), timeout)].into_iter().collect());
                set(spec, "sessionAffinityConfig", config);
            }
        }
        _ => {}
    }
    for port in
        spec.get_mut("ports").and_then(Doc::as_list_mut).into_iter().flatten().filter_map(Doc::as_map_mut)
    {
        let is_unset = match port.get("targetPort") {
            None | Some(Doc::Null) => true,
            Some(Doc::String(name)) => name.is_empty(),
            Some(number) => *number == Doc::Int(0),
        };
        if let (true, Some(number)) = (is_unset, port.get("port").cloned()) {
            set(port, "targetPort", number);
        }
    }
    let ty = text_of(spec, "type").to_owned();
    let is_external =
        matches!(&*ty, "NodePort" | "LoadBalancer") || (ty == "ClusterIP" && has_items(spec, "externalIPs"));
    if is_external && text_of(spec, "externalTrafficPolicy").is_empty() {
        set(spec, "externalTrafficPolicy", string("Cluster"));
    }
    if matches!(&*ty, "NodePort" | "LoadBalancer" | "ClusterIP") {
        set_default(spec, "internalTrafficPolicy", || string("Cluster"));
    }
    if ty == "LoadBalancer" {
        set_default(spec, "allocateLoadBalancerNodePorts", || Doc::Bool(true));
    }
}

fn pod(pod: &mut OwnedMap) {
    let Some(spec) = map_of(pod, "spec") else { return };
    let uses_host_network = spec.get("hostNetwork") == Some(&Doc::Bool(true));
    for list in ["containers", "initContainers"] {
        let containers = spec.get_mut(list).and_then(Doc::as_list_mut).into_iter().flatten();
        for container in containers.filter_map(Doc::as_map_mut) {
            if let Some(resources) = map_of(container, "resources") {
                add_missing(resources, "limits", "requests");
            }
            let ports = container.get_mut("ports").and_then(Doc::as_list_mut).into_iter().flatten();
            for port in ports.filter(|_| uses_host_network).filter_map(Doc::as_map_mut) {
                if let Some(number) = port.get("containerPort").cloned() {
                    set_default(port, "hostPort", || number);
                }
            }
        }
    }
    set_default(spec, "enableServiceLinks", || Doc::Bool(true));
}

/// Adds the entries of one map that another one lacks to the other one.
fn add_missing(map: &mut OwnedMap, from: &str, to: &'static str) {
    let Some(Doc::Map(entries)) = map.get(from).cloned() else { return };
    set_default(map, to, || EmptyMap.document());
    let Some(to) = map_of(map, to) else { return };
    for (key, value) in entries.iter().filter(|(key, _)| !key.is_empty()) {
        if !to.contains_key(key) {
            to.insert(key.clone(), value.clone());
        }
    }
}

fn limit_range_item(item: &mut OwnedMap) {
    add_missing(item, "max", "default");
    add_missing(item, "default", "defaultRequest");
    add_missing(item, "min", "defaultRequest");
}

fn labels_of_template(map: &mut OwnedMap) -> Option<OwnedDoc> {
    let template = map_of(map_of(map, "spec")?, "template")?;
    map_of(template, "metadata")?.get("labels").filter(|labels| !labels.is_null()).cloned()
}

fn set_labels(map: &mut OwnedMap, labels: Option<OwnedDoc>) {
    let Some(labels) = labels else { return };
    set_default(map, "metadata", || EmptyMap.document());
    if let Some(metadata) = map_of(map, "metadata").filter(|metadata| !has_items(metadata, "labels")) {
        set(metadata, "labels", labels);
    }
}

fn job(job: &mut OwnedMap) {
    let labels = labels_of_template(job);
    set_labels(job, labels);
    let Some(spec) = map_of(job, "spec") else { return };
    let has = |spec: &OwnedMap, field: &str| spec.get(field).is_some_and(|value| !value.is_null());
    if !has(spec, "completions") && !has(spec, "parallelism") {
        set(spec, "completions", Doc::Int(1));
    }
    let limit = if has(spec, "backoffLimitPerIndex") { i64::from(i32::MAX) } else { 6 };
    let replacement = if has(spec, "podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    set_default(spec, "parallelism", || Doc::Int(1));
    set_default(spec, "backoffLimit", || Doc::Int(limit));
    set_default(spec, "completionMode", || string("NonIndexed"));
    set_default(spec, "suspend", || Doc::Bool(false));
    set_default(spec, "podReplacementPolicy", || string(replacement));
    set_default(spec, "manualSelector", || Doc::Bool(false));
}

/// Upstream: `GenerateHPAScaleUpRules` and `GenerateHPAScaleDownRules` (pkg/apis/autoscaling/v2).
fn autoscaler(spec: &mut OwnedMap) {
    let map = |members: &[(&'static str, OwnedDoc)]| {
        Doc::Map(
            members.iter().map(|(key, value)| (Text::from_static(key), value.clone())).collect::<OwnedMap>(),
        )
    };
    if !has_items(spec, "metrics") {
        let target = map(&[("type", string("Utilization")), ("averageUtilization", Doc::Int(80))]);
        let resource = map(&[("name", string("cpu")), ("target", target)]);
        set(spec, "metrics", Doc::List(vec![map(&[("type", string("Resource")), ("resource", resource)])]));
    }
    let Some(behavior) = map_of(spec, "behavior") else { return };
    let policy = |ty: &str, value: i64| {
        map(&[("type", string(ty)), ("value", Doc::Int(value)), ("periodSeconds", Doc::Int(15))])
    };
    let up = vec![policy("Pods", 4), policy("Percent", 100)];
    for (rules, window, policies) in
        [("scaleUp", Some(0), up), ("scaleDown", None, vec![policy("Percent", 100)])]
    {
        set_default(behavior, rules, || EmptyMap.document());
        let Some(rules) = map_of(behavior, rules) else { continue };
        if let Some(window) = window {
            set_default(rules, "stabilizationWindowSeconds", || Doc::Int(window));
        }
        set_default(rules, "selectPolicy", || string("Max"));
        if !has_items(rules, "policies") {
            set(rules, "policies", Doc::List(policies));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rstest::rstest;
    use skewer_engine::document::from_json;
    use skewer_engine::patch::PatchContext;
    use skewer_engine::schema::builtin;
    use skewer_engine::union::policy;

    use super::*;
    use crate::convert::Decoder;
    use crate::party::{BuiltInDefaults, Server};

    fn server(kind: &str) -> Server {
        let release = builtin::newest();
        let context = PatchContext::of(Arc::clone(release.schema()), release.resolve(kind).unwrap()).unwrap();
        Server {
            context,
            strict: false,
            policy: policy::NONE,
            admission: None,
            defaults: BuiltInDefaults::Simulated,
        }
    }

    fn doc(json: &str) -> OwnedDoc {
        from_json(json.as_bytes()).unwrap()
    }

    /// The expectations follow the functions that the module names.
    #[rstest]
    #[case("ConfigMap", r#"{"data":{"a":"b"}}"#, r#"{"data":{"a":"b"}}"#)]
    #[case("Secret", "{}", r#"{"type":"Opaque"}"#)]
    #[case(
        "NetworkPolicy",
        r#"{"spec":{"egress":[{"ports":[{"port":1}]}],"podSelector":{}}}"#,
        r#"{"spec":{"egress":[{"ports":[{"port":1,"protocol":"TCP"}]}],"policyTypes":["Ingress","Egress"]}}"#
    )]
    #[case(
        "Service",
        r#"{"spec":{"ports":[{"port":80}],"sessionAffinityConfig":{"clientIP":{"timeoutSeconds":1}}}}"#,
        r#"{"spec":{"internalTrafficPolicy":"Cluster","ports":[{"port":80,"protocol":"TCP","targetPort":80}],
            "sessionAffinity":"None","type":"ClusterIP"}}"#
    )]
    #[case(
        "LimitRange",
        r#"{"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"min":{"memory":"1Mi"}}]}}"#,
        r#"{"spec":{"limits":[{"default":{"cpu":"2"},"defaultRequest":{"cpu":"2","memory":"1Mi"},"max":{"cpu":"2"},
            "min":{"memory":"1Mi"},"type":"Container"}]}}"#
    )]
    #[case(
        "autoscaling/v2/HorizontalPodAutoscaler",
        r#"{"spec":{"maxReplicas":3,"behavior":{"scaleDown":{"selectPolicy":"Min"}},"scaleTargetRef":{"kind":"a","name":"b"}}}"#,
        r#"{"spec":{"behavior":{"scaleDown":{"policies":[{"periodSeconds":15,"type":"Percent","value":100}],
            "selectPolicy":"Min"},"scaleUp":{"policies":[{"periodSeconds":15,"type":"Pods","value":4},
            {"periodSeconds":15,"type":"Percent","value":100}],"selectPolicy":"Max","stabilizationWindowSeconds":0}},
            "maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,
            "type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"kind":"a","name":"b"}}}"#
    )]
    fn an_object_has_the_defaults_of_its_kind(
        #[case] kind: &str,
        #[case] object: &str,
        #[case] expected: &str,
    ) {
        let server = server(kind);
        let completed = server.convert(&doc(object), Decoder::Json).unwrap();
        let completed = crate::without_unset_fields(&server.context, completed);
        assert_eq!(completed.to_string(), doc(expected).to_string());
    }

    /// A table that names a field that does not exist would do nothing.
    #[test]
    fn each_default_is_a_field_of_the_newest_release() {
        let schema = builtin::newest().schema();
        for (ty, fields) in DEFAULTS {
            let known = schema.named(ty).and_then(|ty| schema.as_struct(ty));
            let known = known.unwrap_or_else(|| panic!("{ty}: no such type"));
            for (field, _) in *fields {
                assert!(known.field(field).is_some(), "{ty}.{field}");
            }
        }
        for (ty, fields) in KEPT {
            let spec = schema.named(ty).and_then(|ty| schema.field(ty, "spec")).expect(ty).ty;
            assert!(fields.iter().all(|field| schema.field(spec, field).is_some()), "{ty}");
        }
    }

    #[rstest]
    #[case("app", true)]
    #[case("app:latest", true)]
    #[case("host:5000/app", true)]
    #[case("host:5000/app:1", false)]
    #[case("app@sha256:0", false)]
    #[case("app:latest@sha256:0", true)]
    fn an_image_has_the_latest_tag_if_it_has_no_other(#[case] image: &str, #[case] expected: bool) {
        assert_eq!(has_latest_tag(image), expected);
    }

    #[test]
    fn an_update_keeps_what_the_server_has_allocated() {
        let old = doc(r#"{"spec":{"clusterIP":"10.0.0.1","ipFamilies":["IPv4"],"type":"ClusterIP"}}"#);
        let mut new = doc(r#"{"spec":{"clusterIP":"10.0.0.2","type":"ClusterIP"}}"#);
        keep_allocated("core/v1.Service", &old, &mut new);
        assert_eq!(
            new.to_string(),
            r#"{"spec":{"clusterIP":"10.0.0.2","ipFamilies":["IPv4"],"type":"ClusterIP"}}"#
        );
        let sent = r#"{"spec":{"clusterIP":"10.0.0.1","ipFamilies":["IPv6"],"type":"ExternalName"}}"#;
        let mut external = doc(sent);
        keep_allocated("core/v1.Service", &old, &mut external);
        assert_eq!(external.to_string(), r#"{"spec":{"ipFamilies":["IPv6"],"type":"ExternalName"}}"#);
    }
}
