//! The fields of services, and those that a server keeps.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap, Text};

use super::fields::{has_items, map_of, set, set_default, string, text_of};

/// The fields that a server sets when it creates an object, and keeps if a later request leaves them out.
///
/// Upstream: `patchAllocatedValues` (k8s.io/kubernetes, pkg/registry/core/service/storage), and the admission plugins Priority,
/// `ServiceAccount` and `DefaultTolerationSeconds` (plugin/pkg/admission).
pub(crate) const KEPT: &[(&str, &[&str])] = &[
    (
        "core/v1.Pod",
        &["priority", "preemptionPolicy", "tolerations", "nodeName", "serviceAccountName", "serviceAccount"],
    ),
    ("core/v1.Service", &["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"]),
];

/// Adds the fields of the spec that the server keeps to an object that replaces `old`.
pub(crate) fn keep_allocated(ty: &str, old: &OwnedDoc, new: &mut OwnedDoc) {
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

/// Whether a service has some fields.
type Condition = fn(&OwnedMap) -> bool;

/// Removes the fields of a service that its new type does not have, if the request has not changed them. Upstream:
/// `dropTypeDependentFields` (k8s.io/kubernetes, pkg/registry/core/service).
fn drop_dependent_on_type(old: &OwnedMap, new: &mut OwnedMap) {
    let has_ports = |spec: &OwnedMap| matches!(text_of(spec, "type"), "NodePort" | "LoadBalancer");
    let conditions: [(Condition, &[&str]); 4] = [
        (
            |spec| text_of(spec, "type") != "ExternalName",
            &["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"],
        ),
        (
            |spec| balances(spec) && text_of(spec, "externalTrafficPolicy") == "Local",
            &["healthCheckNodePort"],
        ),
        (balances, &["allocateLoadBalancerNodePorts", "loadBalancerClass"]),
        (is_external, &["externalTrafficPolicy"]),
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

fn balances(spec: &OwnedMap) -> bool {
    text_of(spec, "type") == "LoadBalancer"
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

/// Adds the defaults of a service. Upstream: `SetDefaults_Service` (k8s.io/kubernetes, pkg/apis/core/v1).
pub(crate) fn service(spec: &mut OwnedMap) {
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
