//! The tools that apply manifests: the requests that each of them sends.

use skewer_engine::OwnedDoc;

/// A tool, as far as its requests show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplyTool {
    /// The name on the command line, such as `helm4`.
    pub name: &'static str,
    /// The tool in words.
    pub about: &'static str,
    /// The field manager of its requests.
    pub manager: String,
    /// The request that applies a manifest.
    pub sending: Sending,
    /// The owners that the tool changes beside its request.
    pub migration: Migration,
    /// The option with which the tool takes fields from other managers. `None` if it has none, or always takes them.
    pub force_option: Option<&'static str>,
    /// Whether the tool applies to an object that it has not created.
    pub adopts: bool,
    /// Whether the tool compares the object and the manifest as values of types of its own before it applies. Upstream:
    /// `structuredMergeDiff`, which a sync with `ServerSideApply=true` needs (github.com/argoproj/gitops-engine, pkg/diff).
    pub compares_types: bool,
    /// The field manager of `kubectl auth reconcile`, which the tool calls for roles and bindings before it applies. `None` if
    /// it does not call it.
    pub role_manager: Option<&'static str>,
    /// The maps of the metadata to which the tool adds entries of its own. A null in one of them becomes an empty text.
    /// Upstream: `NestedNullCoercingStringMap` (k8s.io/apimachinery, unstructured).
    pub marks: &'static [&'static str],
    /// The functions that the model follows.
    pub source: &'static str,
}

/// The request with which a tool applies a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sending {
    /// The patch from one manifest to the next: a strategic merge patch, or a JSON merge patch for custom resources.
    ClientSideApply(ClientSideApply),
    /// The manifest as an apply configuration.
    ServerSideApply {
        /// Whether fields of other managers are taken.
        force: bool,
    },
    /// The whole object that the tool has read, with the fields of the manifest.
    Update,
    /// The manifest as the whole object.
    Replace,
    /// The fields of the manifest as a JSON merge patch.
    MergePatch,
}

/// The parts in which tools that create patches from manifests differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientSideApply {
    /// The manifest before is in the annotation of `kubectl apply`.
    Annotation {
        /// Whether the server refuses unknown fields.
        is_strict: bool,
    },
    /// The manifest before is in the storage of the tool. The patch of a custom resource is the difference of the two
    /// manifests, whatever the live object has.
    Stored,
}

/// The change of managed fields that a tool makes itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Migration {
    /// None.
    Never,
    /// Before the first apply after a change of tools, the tool gives itself what these managers own by updates.
    OfManagers(Vec<String>),
    /// As [`Migration::OfManagers`], before each apply; and after it, as [`Migration::OfAnnotation`].
    AlwaysOfManagers(&'static [&'static str]),
    /// After each apply, the tool gives itself what the updaters own that own the annotation of `kubectl apply`, and applies
    /// again.
    OfAnnotation,
    /// After a dry run and before each apply, the tool gives itself what these managers own, whose names begin so, and
    /// removes the annotation of `kubectl apply`. If there is nothing to give, and the dry run changes nothing, the tool does
    /// not apply.
    OfPrefixes(&'static [ManagerPrefix]),
}

/// The beginning of the names of managers, with the operation by which they became owners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManagerPrefix {
    /// The beginning of the name.
    pub prefix: &'static str,
    /// The operation, as managed fields write it.
    pub operation: &'static str,
}

/// The manager of `kubectl apply --server-side`.
pub(super) const KUBECTL: &str = "kubectl";

/// The manager that keeps the annotation of `kubectl apply` when `kubectl apply --server-side` takes over.
pub(super) const KUBECTL_LAST_APPLIED: &str = "kubectl-last-applied";

/// The manager of `kubectl apply` without `--server-side`.
pub const KUBECTL_CLIENT_SIDE: &str = "kubectl-client-side-apply";

/// The annotation in which `kubectl apply` keeps the manifest.
pub const LAST_APPLIED_ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

const fn prefix(prefix: &'static str, operation: &'static str) -> ManagerPrefix {
    ManagerPrefix { prefix, operation }
}

const FLUX_PREFIXES: &[ManagerPrefix] = &[
    prefix("kubectl", "Apply"),
    prefix("kubectl", "Update"),
    prefix("before-first-apply", "Update"),
    prefix("kustomize-controller", "Update"),
];

const KUBECTL_SOURCE: &str = "k8s.io/kubectl, pkg/cmd/apply: ApplyOptions.applyOneObject, Patcher.buildMergePatch, \
                              saveLastApplyAnnotationIfNecessary, migrateToSSAIfNecessary";
const HELM_SOURCE: &str =
    "helm.sh/helm/v4, pkg/kube/client.go: patchResourceServerSide, upgradeClientSideFieldManager";
/// The name of the process of the application controller.
const ARGO_CD_PROGRAM: &str = "argocd-application-controller";

const ARGO_CD_SOURCE: &str = "github.com/argoproj/argo-cd/v3, gitops-engine/pkg/sync: syncContext.applyObject, \
                              performCSAUpgradeMigration, kubectlResourceOperations.ApplyResource";
const CONTROLLER_SOURCE: &str = "sigs.k8s.io/controller-runtime, pkg/client: Update, Patch, Apply";

/// A manifest for the real code of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ManifestRequest<'a> {
    /// The tool.
    pub tool: &'a ApplyTool,
    /// The tool that applied the manifest before. `None` if there is no such manifest.
    pub previous_tool: Option<&'a str>,
    /// The manifest before.
    pub previous: Option<&'a OwnedDoc>,
    /// The manifest.
    pub manifest: &'a OwnedDoc,
    /// Whether the user lets the tool take fields from other managers, if it has an option for it.
    pub force: bool,
}

/// The access of a client to an API server.
#[derive(Clone, Copy, Debug)]
pub struct ServerAccess<'a> {
    /// The path of a kubeconfig file.
    pub kubeconfig: &'a str,
    /// The namespace of the object.
    pub namespace: &'a str,
}

/// Returns all tools.
#[must_use]
pub fn tools() -> Vec<ApplyTool> {
    let server_side = |force| Sending::ServerSideApply { force };
    let annotation = |is_strict| Sending::ClientSideApply(ClientSideApply::Annotation { is_strict });
    let mut tools = vec![
        ApplyTool {
            migration: Migration::OfAnnotation,
            force_option: Some("kubectl apply --server-side --force-conflicts"),
            source: KUBECTL_SOURCE,
            ..tool("kubectl", "kubectl apply --server-side", KUBECTL, server_side(false))
        },
        ApplyTool {
            marks: &["annotations"],
            source: KUBECTL_SOURCE,
            ..tool("kubectl-csa", "kubectl apply", KUBECTL_CLIENT_SIDE, annotation(true))
        },
        ApplyTool {
            adopts: false,
            marks: &["labels", "annotations"],
            source: "helm.sh/helm/v3, pkg/kube/client.go: createPatch, updateResource",
            ..tool(
                "helm3",
                "helm upgrade (Helm 3)",
                "helm",
                Sending::ClientSideApply(ClientSideApply::Stored),
            )
        },
        ApplyTool {
            migration: Migration::OfManagers(vec!["helm".to_owned()]),
            adopts: false,
            marks: &["labels", "annotations"],
            force_option: Some("helm upgrade --server-side=true --force-conflicts"),
            source: HELM_SOURCE,
            ..tool("helm4", "helm upgrade --server-side=true (Helm 4)", "helm", server_side(false))
        },
        ApplyTool {
            adopts: false,
            marks: &["labels", "annotations"],
            source: "helm.sh/helm/v4, pkg/kube/client.go: createPatch, patchResourceClientSide",
            ..tool(
                "helm4-csa",
                "helm upgrade --server-side=false (Helm 4)",
                "helm",
                Sending::ClientSideApply(ClientSideApply::Stored),
            )
        },
        ApplyTool {
            migration: Migration::OfPrefixes(FLUX_PREFIXES),
            source: "github.com/fluxcd/pkg/ssa: ResourceManager.Apply, PatchReplaceFieldsManagers; \
                     github.com/fluxcd/kustomize-controller: KustomizationReconciler.apply",
            ..tool("flux", "a Kustomization of Flux", "kustomize-controller", server_side(true))
        },
        ApplyTool {
            marks: &["annotations"],
            role_manager: Some(ARGO_CD_PROGRAM),
            source: ARGO_CD_SOURCE,
            ..tool("argocd", "a sync of Argo CD", "argocd-controller", annotation(false))
        },
        ApplyTool {
            migration: Migration::OfAnnotation,
            compares_types: true,
            role_manager: Some(ARGO_CD_PROGRAM),
            source: "github.com/argoproj/gitops-engine v0.7, pkg/utils/kube/resource_ops.go: newApplyOptions",
            ..tool(
                "argocd-3.0-ssa",
                "a sync of Argo CD up to 3.0 with ServerSideApply=true",
                "argocd-controller",
                server_side(true),
            )
        },
        ApplyTool {
            migration: Migration::AlwaysOfManagers(&[KUBECTL_CLIENT_SIDE]),
            compares_types: true,
            source: ARGO_CD_SOURCE,
            ..tool(
                "argocd-ssa",
                "a sync of Argo CD with ServerSideApply=true",
                "argocd-controller",
                server_side(true),
            )
        },
    ];
    tools.extend(controllers());
    tools
}

/// Returns the ways of controllers.
fn controllers() -> [ApplyTool; 4] {
    [
        tool("controller-update", "a controller that updates the object", "controller", Sending::Update),
        ApplyTool {
            source: "io.fabric8:kubernetes-client, BaseOperation: createOr(NonDeletingOperation::update)",
            ..tool(
                "controller-replace",
                "a controller that replaces the object with its manifest",
                "controller",
                Sending::Replace,
            )
        },
        tool(
            "controller-patch",
            "a controller that sends a JSON merge patch",
            "controller",
            Sending::MergePatch,
        ),
        ApplyTool {
            migration: Migration::OfManagers(Vec::new()),
            ..tool(
                "controller-apply",
                "a controller that applies and forces",
                "controller",
                Sending::ServerSideApply { force: true },
            )
        },
    ]
}

/// Returns a tool that adopts objects and takes over nothing.
fn tool(name: &'static str, about: &'static str, manager: &str, sending: Sending) -> ApplyTool {
    ApplyTool {
        name,
        about,
        manager: manager.to_owned(),
        sending,
        migration: Migration::Never,
        force_option: None,
        adopts: true,
        compares_types: false,
        role_manager: None,
        marks: &[],
        source: CONTROLLER_SOURCE,
    }
}

impl ApplyTool {
    /// Returns the tool with this name.
    ///
    /// # Errors
    ///
    /// Returns a message with the names of all tools.
    pub fn named(name: &str) -> Result<ApplyTool, String> {
        tools().into_iter().find(|tool| tool.name == name).ok_or_else(|| {
            let names: Vec<&str> = tools().iter().map(|tool| tool.name).collect();
            format!("unknown tool {name} (expected one of {})", names.join(", "))
        })
    }

    /// Returns true if the tool creates patches from the manifest before.
    #[must_use]
    pub fn needs_previous(&self) -> bool {
        self.sending == Sending::ClientSideApply(ClientSideApply::Stored)
    }

    /// Returns true if a request takes fields from other managers.
    #[must_use]
    pub fn forces(&self) -> bool {
        self.sending != Sending::ServerSideApply { force: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_has_a_name_and_a_source_of_its_own() {
        let tools = tools();
        for (index, tool) in tools.iter().enumerate() {
            assert!(tools[..index].iter().all(|other| other.name != tool.name), "{}", tool.name);
            assert!(tool.source.contains(": "), "{}", tool.source);
            assert_eq!(ApplyTool::named(tool.name).as_ref(), Ok(tool));
        }
        let message = ApplyTool::named("helm5").unwrap_err();
        assert!(
            message.starts_with("unknown tool helm5 (expected one of kubectl, kubectl-csa, helm3"),
            "{message}"
        );
    }
}
