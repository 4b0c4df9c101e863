//! The defaults that depend on other fields.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap, Text};

use super::fields::{has_items, map_of, set, set_default, string, text_of};
use super::service::service;
use super::table::Value::{EmptyMap, Int};
use super::table::{RBAC_GROUP, Value, text};

/// Adds the defaults of a struct that depend on its other fields.
pub(crate) fn add_conditional(ty: &str, map: &mut OwnedMap) {
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
pub(crate) fn has_latest_tag(image: &str) -> bool {
    let (name, digest) = image.split_once('@').map_or((image, None), |(name, digest)| (name, Some(digest)));
    let last = name.rsplit('/').next().unwrap_or_default();
    match last.split_once(':') {
        Some((_, tag)) => tag == "latest",
        None => digest.is_none(),
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
