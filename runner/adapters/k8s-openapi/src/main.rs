//! A Skewer adapter of the `DeepMerge` of `k8s-openapi`. README.md says what it asks of the library.

mod absent_fields;

use k8s_openapi::DeepMerge;
use k8s_openapi::api::{apps, authorization, autoscaling, batch, core, networking};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use skewer_adapter::{About, Failure, Request, as_object, converse};

const ABOUT: About = About {
    name: "k8s-openapi DeepMerge",
    version: "0.29.0 (v1_37)",
    operations: &["apply"],
    // Left out, not empty: DeepMerge has no directives, and the cells about them show what it does instead.
    directives: None,
    tools: &[],
};

type Merge = fn(&Value, &Value) -> Result<Value, Failure>;

/// The types of this adapter, by the name that a schema has for them.
macro_rules! types {
    ($($name:literal => $type:ty,)*) => {
        fn merge_of(name: &str) -> Option<Merge> {
            match name {
                $($name => Some(merge::<$type> as Merge),)*
                _ => None,
            }
        }
    };
}

types! {
    "apps.v1.DaemonSet" => apps::v1::DaemonSet,
    "apps.v1.Deployment" => apps::v1::Deployment,
    "apps.v1.DeploymentSpec" => apps::v1::DeploymentSpec,
    "apps.v1.ReplicaSet" => apps::v1::ReplicaSet,
    "apps.v1.StatefulSet" => apps::v1::StatefulSet,
    "authorization.v1.SelfSubjectAccessReview" => authorization::v1::SelfSubjectAccessReview,
    "authorization.v1.SubjectAccessReview" => authorization::v1::SubjectAccessReview,
    "authorization.v1.SubjectAccessReviewSpec" => authorization::v1::SubjectAccessReviewSpec,
    "autoscaling.v2.HorizontalPodAutoscaler" => autoscaling::v2::HorizontalPodAutoscaler,
    "autoscaling.v2.HorizontalPodAutoscalerSpec" => autoscaling::v2::HorizontalPodAutoscalerSpec,
    "autoscaling.v2.HorizontalPodAutoscalerStatus" => autoscaling::v2::HorizontalPodAutoscalerStatus,
    "batch.v1.CronJob" => batch::v1::CronJob,
    "batch.v1.Job" => batch::v1::Job,
    "core.v1.ComponentStatus" => core::v1::ComponentStatus,
    "core.v1.ConfigMap" => core::v1::ConfigMap,
    "core.v1.Container" => core::v1::Container,
    "core.v1.Namespace" => core::v1::Namespace,
    "core.v1.Node" => core::v1::Node,
    "core.v1.PersistentVolume" => core::v1::PersistentVolume,
    "core.v1.PersistentVolumeClaim" => core::v1::PersistentVolumeClaim,
    "core.v1.PersistentVolumeSpec" => core::v1::PersistentVolumeSpec,
    "core.v1.Pod" => core::v1::Pod,
    "core.v1.PodSpec" => core::v1::PodSpec,
    "core.v1.PodStatus" => core::v1::PodStatus,
    "core.v1.ReplicationController" => core::v1::ReplicationController,
    "core.v1.Secret" => core::v1::Secret,
    "core.v1.Service" => core::v1::Service,
    "core.v1.ServiceAccount" => core::v1::ServiceAccount,
    "networking.v1.Ingress" => networking::v1::Ingress,
    "networking.v1.IngressRule" => networking::v1::IngressRule,
    "networking.v1.NetworkPolicy" => networking::v1::NetworkPolicy,
    "networking.v1.NetworkPolicySpec" => networking::v1::NetworkPolicySpec,
}

/// Merges a patch into a live object, both as typed values.
fn merge<T>(live: &Value, patch: &Value) -> Result<Value, Failure>
where
    T: DeepMerge + DeserializeOwned + Serialize,
{
    let mut merged: T = decode("live object", live)?;
    merged.merge_from(decode("patch", patch)?);
    let result =
        serde_json::to_value(merged).map_err(|error| Failure::Refused("unclassified", error.to_string()))?;
    Ok(absent_fields::remove(result, &[live, patch]))
}

fn decode<T: DeserializeOwned>(name: &str, document: &Value) -> Result<T, Failure> {
    T::deserialize(document).map_err(|error| Failure::Refused("undecodable", format!("{name}: {error}")))
}

fn operate(request: &Request<'_>) -> Result<Value, Failure> {
    request.check_profile(&[])?;
    if !matches!(request.text_option("lookup"), "" | "openapi") {
        return Err(Failure::Unsupported("the library has no lookup of merge keys".to_owned()));
    }
    if !request.has_schema() {
        return Err(Failure::Refused("invalid-schema", "strategic merge patch needs a schema".to_owned()));
    }
    let name =
        request.built_in_type().ok_or_else(|| Failure::Unsupported("the type is not built in".to_owned()))?;
    let merge =
        merge_of(&name).ok_or_else(|| Failure::Unsupported(format!("this adapter does not have {name}")))?;
    let live = as_object(request.document("live"))?;
    let patch = as_object(Some(request.required("patch")?))?;
    merge(&Value::Object(live), &Value::Object(patch))
}

fn main() -> std::io::Result<()> {
    converse(&ABOUT, operate)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply(root: &str, live: Value, patch: Value) -> Value {
        let schema = json!({"root": root, "openapi": {"components": {"schemas": {root: {}}}}});
        let documents = json!({"live": live, "patch": patch});
        let request =
            json!({"kind": "run", "seq": 1, "operation": "apply", "schema": schema, "documents": documents});
        skewer_adapter::replies(&ABOUT, &[request], operate).remove(0)
    }

    fn apply(root: &str, live: Value, patch: Value) -> Value {
        let reply = reply(root, live, patch);
        assert_eq!(reply["kind"], "result", "{reply}");
        reply["result"].clone()
    }

    #[test]
    fn lists_merge_by_key_and_scalars_as_sets() {
        let result = apply(
            "core.v1.Service",
            json!({"metadata": {"finalizers": ["a"]}, "spec": {"ports": [{"port": 1}, {"port": 2}]}}),
            json!({"metadata": {"finalizers": ["b"]}, "spec": {"ports": [{"port": 2, "name": "b"}]}}),
        );
        let expected = json!({
            "metadata": {"finalizers": ["a", "b"]},
            "spec": {"ports": [{"port": 1}, {"port": 2, "name": "b"}]},
        });
        assert_eq!(result, expected);
    }

    #[test]
    fn of_two_ports_with_one_number_the_first_is_changed() {
        let (tcp, udp) = (json!({"port": 53, "protocol": "TCP"}), json!({"port": 53, "protocol": "UDP"}));
        let result = apply(
            "core.v1.Service",
            json!({"spec": {"ports": [tcp, udp]}}),
            json!({"spec": {"ports": [udp]}}),
        );
        assert_eq!(result, json!({"spec": {"ports": [udp, udp]}}));
    }

    #[test]
    fn directives_and_nulls_have_no_effect() {
        let live = json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}});
        let patch = json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate", "rollingUpdate": null}}});
        let expected = json!({"spec": {"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}}});
        assert_eq!(apply("apps.v1.Deployment", live, patch), expected);
    }

    #[test]
    fn a_required_scalar_that_the_patch_leaves_out_is_reset() {
        let live = json!({"spec": {"maxReplicas": 5}});
        let result =
            apply("autoscaling.v2.HorizontalPodAutoscaler", live, json!({"spec": {"minReplicas": 2}}));
        assert_eq!(result, json!({"spec": {"maxReplicas": 0, "minReplicas": 2}}));
    }

    #[test]
    fn other_types_and_other_values_are_no_results() {
        for (root, patch, kind) in [
            ("Pod", json!({}), "unsupported"),
            ("core.v1.Nothing", json!({}), "unsupported"),
            ("core.v1.Pod", json!({"spec": {"containers": "a"}}), "refused"),
            ("core.v1.Pod", json!([]), "refused"),
        ] {
            assert_eq!(reply(root, json!({}), patch)["kind"], kind);
        }
    }
}
