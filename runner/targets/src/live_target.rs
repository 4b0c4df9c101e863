//! The targets `kube:R` and `kube`: real API servers that keep objects.

use std::path::PathBuf;
use std::time::Duration;

use skewer_engine::OwnedDoc;
use skewer_skew::{Operation, Operations};

use crate::apiserver::ServerRelease;
use crate::failure;
use crate::installed::{Installable, installed_program};
use crate::live::{CleanUpCommand, Cluster, LiveServers, ServerProcess};
use crate::{OperationError, Target, TargetError, TargetFailure, TargetInfo};

/// The cluster that the target `kube` is, and what may be done there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterOptions {
    /// The kubeconfig file. `None` stands for `$KUBECONFIG`, or `~/.kube/config`.
    pub kubeconfig: Option<PathBuf>,
    /// The context in the file. `None` stands for its current context.
    pub context: Option<String>,
    /// Whether custom resource definitions may be installed. They belong to the whole cluster.
    pub allow_crds: bool,
    /// Whether a cluster on another machine may be used.
    pub yes: bool,
    /// Starts a process that cleans up if this program is killed.
    pub clean_up: Option<CleanUpCommand>,
}

/// API servers that keep the objects of scenarios.
pub struct LiveTarget {
    servers: LiveServers,
}

impl LiveTarget {
    /// Starts the installed servers of some releases, with one etcd.
    ///
    /// # Errors
    /// Fails if a release is not installed, or does not start.
    pub fn start(releases: &[ServerRelease], timeout: Duration) -> Result<Self, TargetError> {
        let processes = LiveTarget::start_processes(releases)?;
        let servers = LiveServers::of_processes(processes, timeout).map_err(TargetError::new)?;
        Ok(LiveTarget { servers })
    }

    /// Connects to the API server of a kubeconfig file.
    ///
    /// # Errors
    /// Fails if the server cannot be reached. Fails for a server on another machine unless the options permit it; the
    /// message then says what would be done.
    pub fn connect(options: &ClusterOptions, timeout: Duration) -> Result<Self, TargetError> {
        let cluster = Cluster::connect(options.kubeconfig.as_deref(), options.context.as_deref(), timeout)
            .map_err(TargetError::new)?;
        if !cluster.is_on_loopback() && !options.yes {
            let definitions = if options.allow_crds {
                "CustomResourceDefinitions in API groups of its own"
            } else {
                "no CustomResourceDefinition (--allow-crds allows them)"
            };
            return Err(TargetError::new(format!(
                "{} ({}) is not on this machine. The run would create a namespace of its own, with objects of the \
                 cases, and {definitions}; it would remove them at the end, and change nothing else. Add --yes to do that",
                cluster.address(),
                cluster.version()
            )));
        }
        Ok(LiveTarget {
            servers: LiveServers::of_cluster(cluster, options.allow_crds, options.clean_up.clone()),
        })
    }

    /// Starts the processes of the installed servers of some releases, with one etcd.
    ///
    /// # Errors
    /// As [`LiveTarget::start`].
    pub fn start_processes(releases: &[ServerRelease]) -> Result<Vec<ServerProcess>, TargetError> {
        // The newest release brings the newest etcd.
        let mut releases = releases.to_vec();
        releases.sort_by_key(|release| std::cmp::Reverse(release.minor()));
        releases.dedup();
        let programs = releases.iter().map(|release| installed_program(Installable::Server(*release)));
        let binaries: Vec<PathBuf> = programs.collect::<Result<_, _>>()?;
        let mut processes: Vec<ServerProcess> = Vec::new();
        for binary in binaries {
            // The first server has etcd, and the others use it.
            let etcd = processes.first().map(ServerProcess::etcd);
            processes.push(ServerProcess::start(&binary, etcd).map_err(TargetError::new)?);
        }
        Ok(processes)
    }
}

impl Target for LiveTarget {
    fn info(&self) -> TargetInfo {
        let versions: Vec<&str> = self.servers.clusters().map(Cluster::version).collect();
        TargetInfo {
            name: "kube-apiserver".to_owned(),
            version: Some(versions.join(" and ").replace('v', "")),
            language: Some("Go".to_owned()),
        }
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }

    fn live(&self) -> Option<&LiveServers> {
        Some(&self.servers)
    }

    fn stop(&self) {
        let _ = self.servers.clean_up();
    }
}

impl Operations<TargetFailure> for LiveTarget {
    fn perform(&self, _operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        Err(failure::unsupported("the servers run scenarios, and no single operations"))
    }
}
