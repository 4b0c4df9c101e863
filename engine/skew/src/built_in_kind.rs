//! The kinds that a Kubernetes release has: their versions, and what their strategies do with the status.

use std::sync::Arc;

use skewer_engine::document::{OwnedText, Text};
use skewer_engine::schema::{Schema, StructType, TypeId, builtin};

/// Paths of fields.
type Paths = &'static [&'static [&'static str]];

const STATUS: Paths = &[&["status"]];
const SPEC: Paths = &[&["spec"]];
const SPEC_AND_METADATA: Paths = &[&["spec"], &["metadata"]];

/// A built-in kind of objects. Types of releases are recognized by their names, such as `apps/v1.Deployment`, so that a
/// party that lacks fields has the same kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltInKind<'a> {
    /// The Go package, such as `networking`.
    package: &'a str,
    version: &'a str,
    kind: &'a str,
    has_status: bool,
    /// The minor version of the release of the server.
    minor: u32,
}

/// The behaviour of a strategy that differs from that of most kinds.
///
/// `PrepareForCreate`, `PrepareForUpdate` and `GetResetFields` of each `pkg/registry/**/strategy.go` (k8s.io/kubernetes) were
/// read in 1.30.4 and 1.36.3, and compared with those of 1.33.13, 1.34.2, 1.35.0 and 1.35.4. Not simulated: changes of single
/// fields by strategies, such as `status.phase` of a new Namespace, and what feature gates do. No source of the strategies of
/// 1.37 was found.
#[derive(Clone, Copy, Debug)]
struct Exception {
    kinds: &'static [&'static str],
    /// The minor version of the first release to which the exception does not apply.
    until: u32,
    /// The fields that an update of the main resource does not change.
    main: Paths,
    /// The fields of the main resource that have no owner.
    main_reset: Paths,
    /// The fields that an update of the status does not change.
    status: Paths,
    /// The fields of the subresource `status` that have no owner.
    status_reset: Paths,
    dropped_on_create: Paths,
}

/// Most strategies: the main resource does not change the status, and the subresource does not change the spec.
const RULE: Exception = Exception {
    kinds: &[],
    until: u32::MAX,
    main: STATUS,
    main_reset: STATUS,
    status: SPEC,
    status_reset: SPEC,
    dropped_on_create: STATUS,
};

const EXCEPTIONS: [Exception; 9] = [
    // `nodeStrategy.PrepareForCreate`: a kubelet registers itself with its status.
    Exception { kinds: &["Node"], dropped_on_create: &[], ..RULE },
    // `deploymentStatusStrategy`.
    Exception {
        kinds: &["Deployment"],
        status: &[&["spec"], &["metadata", "labels"]],
        status_reset: &[&["spec"], &["metadata", "labels"]],
        ..RULE
    },
    // `podStatusStrategy`.
    Exception {
        kinds: &["Pod"],
        status: &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]],
        status_reset: &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]],
        ..RULE
    },
    // `namespaceStrategy`: the finalizers have a subresource of their own.
    Exception { kinds: &["Namespace"], main: &[&["status"], &["spec", "finalizers"]], ..RULE },
    // `csrStrategy`, `csrStatusStrategy`: certificate signing requests are immutable except via subresources, and their conditions
    // have no owner.
    Exception {
        kinds: &["CertificateSigningRequest"],
        main: &[&["spec"], &["status"]],
        main_reset: &[&["spec"], &["status"]],
        status_reset: &[&["spec"], &["status", "conditions"]],
        ..RULE
    },
    // `resourceclaimStatusStrategy` and `podcertificaterequest.StatusStrategy`: the metadata is restored, and not reset.
    Exception { kinds: &["ResourceClaim"], until: 35, status: SPEC_AND_METADATA, ..RULE },
    // The main resource of the latter restores the status, and resets nothing.
    Exception { kinds: &["PodCertificateRequest"], main_reset: &[], status: SPEC_AND_METADATA, ..RULE },
    // `serviceCIDRStrategy` prepares nothing, and its reset fields are those of `networking/v1`, which is no group.
    Exception {
        kinds: &["ServiceCIDR"],
        until: 36,
        main: &[],
        main_reset: &[],
        status: SPEC_AND_METADATA,
        status_reset: &[],
        dropped_on_create: &[],
    },
    // Strategies that call `ResetObjectMetaForStatus`, or restore the metadata themselves.
    Exception {
        kinds: &[
            "DeviceTaintRule",
            "FlowSchema",
            "PodGroup",
            "PriorityLevelConfiguration",
            "ResourceClaim",
            "ResourcePoolStatusRequest",
            "ServiceCIDR",
            "StorageVersion",
            "StorageVersionMigration",
            "ValidatingAdmissionPolicy",
            "VolumeAttachment",
        ],
        status: SPEC_AND_METADATA,
        status_reset: SPEC_AND_METADATA,
        ..RULE
    },
];

/// The kinds with a status that are never stored, so that the status is a part of the answer.
const NOT_STORED: [&str; 5] = ["Scale", "Status", "TokenRequest", "PodStatusResult", "Eviction"];

/// The packages and versions before the stable ones that releases served by default, each with the first release without
/// it. Later ones are off by default. Upstream: the markers `+k8s:prerelease-lifecycle-gen:removed` (k8s.io/api).
const SERVED_BEFORE_STABLE: [(&str, &str, u32); 18] = [
    ("apps", "v1beta1", 16),
    ("apps", "v1beta2", 16),
    ("extensions", "v1beta1", 22),
    ("networking", "v1beta1", 22),
    ("certificates", "v1beta1", 22),
    ("storage", "v1beta1", 22),
    ("coordination", "v1beta1", 22),
    ("rbac", "v1beta1", 22),
    ("scheduling", "v1beta1", 22),
    ("admissionregistration", "v1beta1", 22),
    ("batch", "v1beta1", 25),
    ("policy", "v1beta1", 25),
    ("discovery", "v1beta1", 25),
    ("autoscaling", "v2beta1", 25),
    ("autoscaling", "v2beta2", 26),
    ("flowcontrol", "v1beta1", 26),
    ("flowcontrol", "v1beta2", 29),
    ("flowcontrol", "v1beta3", 32),
];

impl<'a> BuiltInKind<'a> {
    /// Returns the kind of a type on a server of a release. `None` if the type is none of a release: they all have a package and a version, and
    /// objects have a version, a kind and metadata. The types of `meta` are none of a resource.
    pub(super) fn of(ty: &'a StructType, minor: u32) -> Option<Self> {
        let (package, version, kind) = parts(&ty.name)?;
        let is_object = ["apiVersion", "kind", "metadata"].iter().all(|name| ty.field(name).is_some());
        let is_list = kind.ends_with("List") && ty.field("items").is_some();
        let has_status = ty.field("status").is_some();
        (is_object && !is_list && package != "meta").then_some(BuiltInKind {
            package,
            version,
            kind,
            has_status,
            minor,
        })
    }

    /// Returns the API version, such as `networking.k8s.io/v1`.
    pub(super) fn api_version(&self) -> String {
        let version = self.version;
        match self.package {
            "core" => version.to_owned(),
            package @ ("apps" | "autoscaling" | "batch" | "extensions" | "policy") => {
                format!("{package}/{version}")
            }
            "rbac" => format!("rbac.authorization.k8s.io/{version}"),
            "flowcontrol" => format!("flowcontrol.apiserver.k8s.io/{version}"),
            "apiserverinternal" => format!("internal.apiserver.k8s.io/{version}"),
            package => format!("{package}.k8s.io/{version}"),
        }
    }

    /// Returns the other versions of the kind that a server with the types serves. The types have more.
    pub(super) fn other_versions(&self, schema: &Arc<Schema>) -> Vec<(OwnedText, TypeId)> {
        let release = builtin::release_of_schema(schema).unwrap_or(builtin::newest());
        let is_served = |version: &str| {
            let is_stable = !version.contains("alpha") && !version.contains("beta");
            let is_known = |(package, known, removed): &(&str, &str, u32)| {
                *package == self.package && *known == version && release.minor() < *removed
            };
            is_stable || SERVED_BEFORE_STABLE.iter().any(is_known)
        };
        let of_name = |name: &str| {
            let (package, version, kind) = parts(name)?;
            let is_other = package == self.package && kind == self.kind && version != self.version;
            let is_other = is_other && is_served(version);
            let other = BuiltInKind { version, ..*self };
            is_other.then(|| Some((Text::from(other.api_version()), schema.named(name)?))).flatten()
        };
        schema.names().into_iter().filter_map(of_name).collect()
    }

    pub(super) fn has_status_subresource(&self) -> bool {
        self.has_status && !NOT_STORED.contains(&self.kind) && !self.kind.ends_with("Review")
    }

    /// Returns the fields that an update of the main resource does not change.
    pub(super) fn kept_on_update(&self) -> Paths {
        self.strategy().map_or(&[], |strategy| strategy.main)
    }

    /// Returns the fields that an update of the status does not change.
    pub(super) fn kept_on_update_of_status(&self) -> Paths {
        self.strategy().map_or(&[], |strategy| strategy.status)
    }

    /// Returns the fields that a created object does not get from the request.
    pub(super) fn dropped_on_create(&self) -> Paths {
        self.strategy().map_or(&[], |strategy| strategy.dropped_on_create)
    }

    /// Returns the fields of the main resource that have no owner.
    pub(super) fn reset_fields(&self) -> Paths {
        self.strategy().map_or(&[], |strategy| strategy.main_reset)
    }

    /// Returns the fields of the subresource `status` that have no owner.
    pub(super) fn reset_fields_of_status(&self) -> Paths {
        self.strategy().map_or(&[], |strategy| strategy.status_reset)
    }

    fn strategy(&self) -> Option<&'static Exception> {
        let applies =
            |exception: &&Exception| exception.kinds.contains(&self.kind) && self.minor < exception.until;
        let exception = || EXCEPTIONS.iter().find(applies);
        self.has_status_subresource().then(|| exception().unwrap_or(&RULE))
    }
}

/// Returns the package, the version and the kind of a type of a release, such as `apps/v1.Deployment`.
fn parts(name: &str) -> Option<(&str, &str, &str)> {
    let (package, rest) = name.split_once('/')?;
    let (version, kind) = rest.split_once('.')?;
    Some((package, version, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_the_releases_has_its_version_and_name() {
        for release in [&builtin::releases()[0], builtin::newest()] {
            for (kind, type_name) in release.kinds().sorted() {
                let ty = release.schema().named(type_name).and_then(|id| release.schema().as_struct(id));
                let Some(known) = ty.and_then(|ty| BuiltInKind::of(ty, release.minor())) else { continue };
                // A type that is registered in several groups has the name of one.
                if release.kinds().kind_of(type_name) == Some(kind) {
                    assert_eq!(format!("{}/{}", known.api_version(), known.kind), kind);
                }
            }
        }
    }

    /// Upstream: `resourceclaimStatusStrategy.GetResetFields` of 1.34.2 and 1.35.0, `serviceCIDRStrategy` of 1.35.4 and 1.36.3,
    /// `csrStatusStrategy.GetResetFields`.
    #[test]
    fn strategies_are_those_of_the_release() {
        let of = |kind, minor| BuiltInKind { package: "x", version: "v1", kind, has_status: true, minor };
        assert_eq!(of("ResourceClaim", 34).reset_fields_of_status(), SPEC);
        assert_eq!(of("ResourceClaim", 35).reset_fields_of_status(), SPEC_AND_METADATA);
        assert_eq!(of("ResourceClaim", 34).kept_on_update_of_status(), SPEC_AND_METADATA);
        assert!(of("ServiceCIDR", 35).kept_on_update().is_empty());
        assert_eq!(of("ServiceCIDR", 36).kept_on_update(), STATUS);
        let conditions: Paths = &[&["spec"], &["status", "conditions"]];
        assert_eq!(of("CertificateSigningRequest", 30).reset_fields_of_status(), conditions);
    }

    #[test]
    fn every_exception_is_about_a_kind_that_some_release_has() {
        let named = EXCEPTIONS.iter().flat_map(|exception| exception.kinds);
        let kinds = builtin::newest().kinds().sorted();
        for kind in named {
            assert!(kinds.iter().any(|(known, _)| known.rsplit('/').next() == Some(kind)), "{kind}");
        }
    }
}
