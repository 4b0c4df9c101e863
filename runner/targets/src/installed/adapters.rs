//! The registry of the adapters: one entry for each target.

use super::adapter::{Adapter, Needs};
use super::tool::Tool;

/// The targets that are adapters of other implementations, in the order of their names; those of one name begin with
/// the oldest.
pub static ADAPTERS: &[Adapter] = &[
    Adapter {
        name: "apiextensions-apiserver",
        folder: "apiextensions-apiserver",
        shared: &["internal/conversation"],
        library: "k8s.io/apiextensions-apiserver",
        needs: Needs { download: "50 MB", compile: "two minutes of processor time", size: "35 MB" },
        ..GO
    },
    Adapter { variant: Some("0.17"), build: &["release.sh", "0.17"], ..APIMACHINERY },
    Adapter { variant: Some("0.20"), build: &["release.sh", "0.20"], ..APIMACHINERY },
    Adapter { variant: Some("0.24"), build: &["release.sh", "0.24"], ..APIMACHINERY },
    Adapter { variant: Some("0.27"), build: &["release.sh", "0.27"], ..APIMACHINERY },
    Adapter { variant: Some("0.30"), build: &["release.sh", "0.30"], ..APIMACHINERY },
    Adapter { variant: Some("0.34"), build: &["release.sh", "0.34"], ..APIMACHINERY },
    Adapter { variant: Some("0.37"), ..APIMACHINERY },
    Adapter {
        variant: Some("3.0"),
        build: &["build.sh", "3.0"],
        library: "github.com/argoproj/gitops-engine",
        ..ARGO_CD
    },
    Adapter {
        variant: Some("3.6"),
        build: &["build.sh", "3.6"],
        library: "github.com/argoproj/argo-cd/gitops-engine/v3",
        ..ARGO_CD
    },
    Adapter {
        name: "client-go-fake",
        folder: "client-go-fake",
        shared: &["internal/conversation", "internal/requests"],
        library: "k8s.io/client-go",
        needs: Needs { download: "30 MB", compile: "three minutes of processor time", size: "27 MB" },
        ..GO
    },
    Adapter { variant: Some("25.3"), build: &["build.sh", "25.3"], ..CLIENT_PYTHON },
    Adapter { variant: Some("37.0"), build: &["build.sh", "37.0"], ..CLIENT_PYTHON },
    Adapter { variant: Some("0.20"), build: &["build.sh", "0.20"], ..CONTROLLER_RUNTIME },
    Adapter { variant: Some("0.25"), build: &["build.sh", "0.25"], ..CONTROLLER_RUNTIME },
    Adapter {
        name: "controller-runtime-fake",
        folder: "controller-runtime-fake",
        shared: &["client-go-fake", "internal/conversation", "internal/requests"],
        library: "sigs.k8s.io/controller-runtime",
        needs: Needs { download: "32 MB", compile: "three to four minutes of processor time", size: "28 MB" },
        ..GO
    },
    Adapter {
        name: "fabric8",
        folder: "fabric8",
        library: "kubernetes-server-mock",
        needs: Needs { download: "40 MB", compile: "half a minute of processor time", size: "24 MB" },
        ..JAVA
    },
    Adapter { variant: Some("6.13"), build: &["build.sh", "6.13"], ..FABRIC8_CLIENT },
    Adapter { variant: Some("8.0"), build: &["build.sh", "8.0"], ..FABRIC8_CLIENT },
    Adapter { variant: Some("0.45"), build: &["build.sh", "0.45"], ..FLUX },
    Adapter { variant: Some("0.76"), build: &["build.sh", "0.76"], ..FLUX },
    Adapter { variant: Some("3"), build: &["build.sh", "3"], library: "helm.sh/helm/v3", ..HELM },
    Adapter { variant: Some("4"), build: &["build.sh", "4"], library: "helm.sh/helm/v4", ..HELM },
    Adapter {
        name: "k8s-openapi",
        folder: "k8s-openapi",
        library: "k8s-openapi",
        needs: Needs { download: "6 MB", compile: "one and a half minutes of processor time", size: "5 MB" },
        ..RUST
    },
    Adapter {
        name: "kube-fake-client",
        folder: "kube-fake-client",
        library: "kube-fake-client",
        needs: Needs { download: "47 MB", compile: "eight minutes of processor time", size: "4 MB" },
        ..RUST
    },
    Adapter {
        name: "kep-1027",
        folder: "kep-1027",
        shared: &["internal/conversation", "internal/requests"],
        // The rules are a part of the adapter.
        library: "",
        needs: Needs { download: "nothing", compile: "a few seconds", size: "3 MB" },
        ..GO
    },
    Adapter { variant: Some("1.30"), build: &["build.sh", "1.30"], ..KUBECTL_APPLY },
    Adapter { variant: Some("1.37"), build: &["build.sh", "1.37"], ..KUBECTL_APPLY },
    Adapter { variant: Some("0.98"), build: &["build.sh", "0.98"], ..KUBE_RS },
    Adapter { variant: Some("5.0"), build: &["build.sh", "5.0"], ..KUBE_RS },
    KYAML,
    Adapter { variant: Some("append"), arguments: &["--list", "append"], ..KYAML },
    Adapter {
        name: "openshift",
        folder: "openshift",
        library: "openshift",
        needs: Needs { download: "9 MB", compile: "", size: "100 MB" },
        ..PYTHON
    },
    Adapter {
        name: "oper8",
        folder: "oper8",
        library: "oper8",
        needs: Needs { download: "15 MB", compile: "", size: "110 MB" },
        ..PYTHON
    },
    Adapter {
        name: "structured-merge-diff",
        folder: "structured-merge-diff",
        shared: &["internal/conversation", "internal/requests"],
        library: "sigs.k8s.io/structured-merge-diff/v6",
        needs: Needs { download: "6 MB", compile: "one minute of processor time", size: "15 MB" },
        ..GO
    },
    Adapter {
        name: "structured-merge-diff",
        variant: Some("4.3"),
        arguments: &["--structured-merge-diff"],
        library: "sigs.k8s.io/structured-merge-diff/v4",
        ..APIMACHINERY
    },
];

const NOTHING: Needs = Needs { download: "", compile: "", size: "" };

/// The common properties of adapters in Go.
const GO: Adapter = Adapter {
    name: "",
    variant: None,
    folder: "",
    shared: &[],
    build: &["build.sh"],
    arguments: &[],
    tool: Tool::Go,
    library: "",
    is_client: false,
    needs: NOTHING,
};

/// The common properties of adapters in Rust.
const RUST: Adapter = Adapter { shared: &["internal/rust"], tool: Tool::Cargo, ..GO };

/// The common properties of adapters in Python.
const PYTHON: Adapter = Adapter { shared: &["examples/python"], tool: Tool::Python, ..GO };

/// The common properties of adapters in Java.
const JAVA: Adapter = Adapter { tool: Tool::Maven, ..GO };

/// The common properties of adapters of clients in Go.
const CLIENT: Adapter =
    Adapter { shared: &["internal/clients", "internal/conversation"], is_client: true, ..GO };

const ARGO_CD: Adapter = Adapter {
    name: "argo-cd",
    folder: "argo-cd",
    needs: Needs { download: "150 MB", compile: "two to three minutes of processor time", size: "61 MB" },
    ..CLIENT
};

const CLIENT_PYTHON: Adapter = Adapter {
    name: "client-python",
    folder: "client-python",
    library: "kubernetes",
    is_client: true,
    needs: Needs { download: "9 MB", compile: "", size: "190 MB" },
    ..PYTHON
};

const CONTROLLER_RUNTIME: Adapter = Adapter {
    name: "controller-runtime",
    folder: "controller-runtime",
    library: "sigs.k8s.io/controller-runtime",
    needs: Needs { download: "35 MB", compile: "two minutes of processor time", size: "36 MB" },
    ..CLIENT
};

const FABRIC8_CLIENT: Adapter = Adapter {
    name: "fabric8-client",
    folder: "fabric8-client",
    shared: &["fabric8"],
    library: "kubernetes-client",
    is_client: true,
    needs: Needs { download: "60 MB", compile: "half a minute of processor time", size: "27 MB" },
    ..JAVA
};

const FLUX: Adapter = Adapter {
    name: "flux",
    folder: "flux",
    library: "github.com/fluxcd/pkg/ssa",
    needs: Needs { download: "40 MB", compile: "two minutes of processor time", size: "40 MB" },
    ..CLIENT
};

const HELM: Adapter = Adapter {
    name: "helm",
    folder: "helm",
    needs: Needs { download: "90 MB", compile: "two to three minutes of processor time", size: "55 MB" },
    ..CLIENT
};

const KUBE_RS: Adapter = Adapter {
    name: "kube-rs",
    folder: "kube-rs",
    library: "kube",
    is_client: true,
    needs: Needs { download: "40 MB", compile: "two to four minutes of processor time", size: "11 MB" },
    ..RUST
};

const KUBECTL_APPLY: Adapter = Adapter {
    name: "kubectl-apply",
    folder: "kubectl-apply",
    library: "k8s.io/kubectl",
    needs: Needs { download: "40 MB", compile: "two minutes of processor time", size: "40 MB" },
    ..CLIENT
};

/// The newest release of the library; the others are built by another script.
const APIMACHINERY: Adapter = Adapter {
    name: "apimachinery",
    folder: "apimachinery",
    shared: &["internal/conversation"],
    library: "k8s.io/apimachinery",
    needs: Needs { download: "22 MB", compile: "one minute of processor time", size: "13 MB" },
    ..GO
};

/// As kustomize uses it.
const KYAML: Adapter = Adapter {
    name: "kyaml",
    folder: "kyaml",
    shared: &["internal/conversation", "internal/requests"],
    library: "sigs.k8s.io/kustomize/kyaml",
    needs: Needs { download: "7 MB", compile: "one minute of processor time", size: "13 MB" },
    ..GO
};
