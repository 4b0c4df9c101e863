//! The defaults of built-in kinds, which a server sets whenever it decodes an object.
//!
//! Upstream: `SetObjectDefaults_…` (k8s.io/kubernetes, `zz_generated.defaults.go` of each API) with the functions `SetDefaults_…`
//! of `defaults.go` beside them, and `+default` in the types (k8s.io/api), as in 1.36.3. Not simulated: what admission plugins,
//! strategies and allocators set, such as a cluster IP, and what feature gates change.

mod conditional;
mod fields;
mod service;
mod table;

use std::collections::HashMap;
use std::sync::LazyLock;

use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::schema::{Schema, Type, TypeId};

use conditional::add_conditional;
use fields::{is_unset, set};
pub(crate) use service::keep_allocated;
use table::{DEFAULTS, Value};

static BY_TYPE: LazyLock<HashMap<&str, &[(&str, Value)]>> =
    LazyLock::new(|| DEFAULTS.iter().copied().collect());

/// Adds the defaults to a decoded object. `root` is its type.
pub(crate) fn add_defaults(schema: &Schema, root: TypeId, object: &mut OwnedDoc) {
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
                if let Some(value) = map.get_mut(&field.name) {
                    add_defaults(schema, field.ty, value);
                }
            }
        }
        (Type::Map(values), Doc::Map(map)) => {
            map.iter_mut().for_each(|(_, value)| add_defaults(schema, *values, value));
        }
        (Type::List(of), Doc::List(items)) => {
            for item in items {
                add_defaults(schema, *of, item);
            }
        }
        _ => {}
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

    use super::conditional::has_latest_tag;
    use super::service::KEPT;
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
