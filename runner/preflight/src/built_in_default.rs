//! The defaults of built-in kinds that most objects have. The simulation has no defaults of built-in kinds: a server sets such
//! a field again when it is removed, and the entry of whoever created the object names it, although no manifest has it.
//!
//! Upstream: `SetDefaults_…` (k8s.io/kubernetes, pkg/apis/core/v1, apps/v1, batch/v1, networking/v1 and rbac/v1: defaults.go).

use skewer_engine::{Doc, OwnedDoc};

/// A field with its default: the last names of its path, and the value as text.
type KnownDefault = (&'static [&'static str], &'static str);

const DEFAULTS: &[KnownDefault] = &[
    // Pods.
    (&["dnsPolicy"], "ClusterFirst"),
    (&["restartPolicy"], "Always"),
    (&["schedulerName"], "default-scheduler"),
    (&["terminationGracePeriodSeconds"], "30"),
    (&["enableServiceLinks"], "true"),
    (&["imagePullPolicy"], "IfNotPresent"),
    (&["imagePullPolicy"], "Always"),
    (&["terminationMessagePath"], "/dev/termination-log"),
    (&["terminationMessagePolicy"], "File"),
    (&["ports", "protocol"], "TCP"),
    (&["fieldRef", "apiVersion"], "v1"),
    (&["httpGet", "path"], "/"),
    (&["httpGet", "scheme"], "HTTP"),
    (&["livenessProbe", "failureThreshold"], "3"),
    (&["livenessProbe", "periodSeconds"], "10"),
    (&["livenessProbe", "successThreshold"], "1"),
    (&["livenessProbe", "timeoutSeconds"], "1"),
    (&["readinessProbe", "failureThreshold"], "3"),
    (&["readinessProbe", "periodSeconds"], "10"),
    (&["readinessProbe", "successThreshold"], "1"),
    (&["readinessProbe", "timeoutSeconds"], "1"),
    (&["startupProbe", "failureThreshold"], "3"),
    (&["startupProbe", "periodSeconds"], "10"),
    (&["startupProbe", "successThreshold"], "1"),
    (&["startupProbe", "timeoutSeconds"], "1"),
    (&["configMap", "defaultMode"], "420"),
    (&["secret", "defaultMode"], "420"),
    (&["projected", "defaultMode"], "420"),
    (&["downwardAPI", "defaultMode"], "420"),
    (&["hostPath", "type"], ""),
    (&["serviceAccountToken", "expirationSeconds"], "3600"),
    // Workloads.
    (&["spec", "replicas"], "1"),
    (&["spec", "progressDeadlineSeconds"], "600"),
    (&["spec", "revisionHistoryLimit"], "10"),
    (&["strategy", "type"], "RollingUpdate"),
    (&["updateStrategy", "type"], "RollingUpdate"),
    (&["strategy", "rollingUpdate", "maxSurge"], "25%"),
    (&["strategy", "rollingUpdate", "maxUnavailable"], "25%"),
    (&["updateStrategy", "rollingUpdate", "maxSurge"], "0"),
    (&["updateStrategy", "rollingUpdate", "maxUnavailable"], "1"),
    (&["updateStrategy", "rollingUpdate", "partition"], "0"),
    (&["spec", "podManagementPolicy"], "OrderedReady"),
    (&["persistentVolumeClaimRetentionPolicy", "whenDeleted"], "Retain"),
    (&["persistentVolumeClaimRetentionPolicy", "whenScaled"], "Retain"),
    (&["spec", "volumeMode"], "Filesystem"),
    (&["spec", "completionMode"], "NonIndexed"),
    (&["spec", "completions"], "1"),
    (&["spec", "parallelism"], "1"),
    (&["spec", "backoffLimit"], "6"),
    (&["spec", "suspend"], "false"),
    (&["spec", "concurrencyPolicy"], "Allow"),
    (&["spec", "successfulJobsHistoryLimit"], "3"),
    (&["spec", "failedJobsHistoryLimit"], "1"),
    // Services.
    (&["spec", "type"], "ClusterIP"),
    (&["spec", "sessionAffinity"], "None"),
    (&["spec", "internalTrafficPolicy"], "Cluster"),
    (&["spec", "externalTrafficPolicy"], "Cluster"),
    (&["spec", "allocateLoadBalancerNodePorts"], "true"),
    // The allocator of cluster IPs sets it (pkg/registry/core/service).
    (&["spec", "ipFamilyPolicy"], "SingleStack"),
    // Others.
    (&["type"], "Opaque"),
    (&["roleRef", "apiGroup"], "rbac.authorization.k8s.io"),
    (&["subjects", "apiGroup"], "rbac.authorization.k8s.io"),
];

/// The fields whose default is an empty map.
const EMPTY: [&str; 1] = ["securityContext"];

/// Returns an object without the fields that have a known default, and without the maps that have no other field.
#[must_use]
pub fn without_known_defaults(object: &OwnedDoc) -> OwnedDoc {
    let mut object = object.clone();
    remove(&mut object, &mut Vec::new());
    object
}

fn remove(value: &mut OwnedDoc, path: &mut Vec<String>) {
    match value {
        Doc::Map(map) => map.retain(|key, value| {
            path.push(key.to_string());
            let was_empty = value.as_map().is_some_and(skewer_engine::OwnedMap::is_empty);
            remove(value, path);
            let is_emptied = !was_empty && value.as_map().is_some_and(skewer_engine::OwnedMap::is_empty);
            let keeps = !is_emptied && !is_default(path, value);
            path.pop();
            keeps
        }),
        // An item is found by its keys, which can have a default.
        Doc::List(items) => items.iter_mut().for_each(|item| remove(item, path)),
        _ => {}
    }
}

fn is_default(path: &[String], value: &OwnedDoc) -> bool {
    let text = match value {
        Doc::Map(map) => {
            return map.is_empty() && path.last().is_some_and(|name| EMPTY.contains(&name.as_str()));
        }
        Doc::String(text) => text.to_string(),
        Doc::Int(_) | Doc::Bool(_) => value.to_string(),
        _ => return false,
    };
    DEFAULTS.iter().any(|(names, default)| {
        *default == text
            && path.len() >= names.len()
            && path[path.len() - names.len()..].iter().zip(*names).all(|(found, name)| found == name)
    })
}

#[cfg(test)]
mod tests {
    use skewer_engine::document::from_json;

    use super::*;

    #[test]
    fn only_fields_with_their_default_are_removed() {
        let object = from_json(
            br#"{"spec":{"replicas":2,"strategy":{"rollingUpdate":{"maxSurge":"25%"},"type":"RollingUpdate"},
                "revisionHistoryLimit":3,"template":{"spec":{"dnsPolicy":"Default","restartPolicy":"Always","securityContext":{},
                "volumes":[{"emptyDir":{}}],"containers":[{"name":"a","ports":[{"containerPort":1,"protocol":"TCP"}]}]}}}}"#,
        )
        .unwrap();
        let expected = r#"{"spec":{"replicas":2,"revisionHistoryLimit":3,"template":{"spec":{"containers":[{"name":"a","ports":[{"containerPort":1}]}],"dnsPolicy":"Default","volumes":[{"emptyDir":{}}]}}}}"#;
        assert_eq!(without_known_defaults(&object).to_string(), expected);
    }
}
