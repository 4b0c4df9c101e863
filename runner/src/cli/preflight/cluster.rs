//! The cluster of a preflight, from which objects are read, and which gets dry runs.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use skewer_preflight::dump::DumpSource;
use skewer_targets::TargetSpec;
use skewer_targets::live::{NotLive, ObservedCluster};

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};

/// Maximum time for a response, such as a page of a list.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The servers that are asked, beside the simulation.
#[derive(Clone, Debug)]
pub(super) enum Confirming {
    /// Servers that this program starts.
    Own(TargetSpec),
    /// The cluster of the context, with dry runs.
    DryRuns,
}

impl FromStr for Confirming {
    type Err = <TargetSpec as FromStr>::Err;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        if text == "dry-run" { Ok(Confirming::DryRuns) } else { text.parse().map(Confirming::Own) }
    }
}

/// The arguments about the cluster.
#[derive(Debug, Args)]
pub(super) struct ClusterArguments {
    /// The objects: all of these kinds in the cluster of --context, with their definitions. They are named as for `kubectl get`:
    /// deploy, issuers.certs.example.com. The cluster gets reads only.
    #[arg(long = "kind", id = "kind", value_name = "KIND", num_args = 1.., value_delimiter = ',')]
    kinds: Vec<String>,
    /// The context of the kubeconfig file, for --kind and --confirm dry-run. Default: its current context.
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// The kubeconfig file. Default: `$KUBECONFIG`, or ~/.kube/config.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// For --confirm dry-run: permits dry runs in a cluster on another machine.
    #[arg(long)]
    yes: bool,
}

/// The objects of a cluster, and their definitions.
#[derive(Default)]
pub(super) struct ClusterSources {
    pub(super) dumps: Vec<DumpSource>,
    pub(super) definitions: Vec<DumpSource>,
}

impl ClusterArguments {
    /// Returns true if the objects are read from the cluster.
    pub(super) fn has_kinds(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// Connects to the cluster, if the arguments need it.
    pub(super) fn connect(&self, confirming: Option<&Confirming>) -> Result<Option<Arc<ObservedCluster>>> {
        let has_dry_runs = matches!(confirming, Some(Confirming::DryRuns));
        if !self.has_kinds() && !has_dry_runs {
            if self.context.is_some() || self.kubeconfig.is_some() {
                let message =
                    "--context and --kubeconfig: expected --kind KIND or --confirm dry-run with them";
                return Err(Failure::could_not_run(message));
            }
            return Ok(None);
        }
        let observed = ObservedCluster::connect(self.kubeconfig.as_deref(), self.context.as_deref(), TIMEOUT)
            .map_err(|message| Failure::new(Exit::TargetFailed, message))?;
        let cluster = observed.cluster();
        if has_dry_runs && !cluster.is_on_loopback() && !self.yes {
            return Err(Failure::new(
                Exit::TargetFailed,
                format!(
                    "{} ({}) is not on this machine. The preflight would send the first request of each course there with \
                     dryRun=All, which admission webhooks see, and store nothing. Add --yes to do that",
                    cluster.address(),
                    cluster.version()
                ),
            ));
        }
        Ok(Some(Arc::new(observed)))
    }

    /// Returns the sources of the objects.
    pub(super) fn sources(&self, cluster: &Arc<ObservedCluster>) -> Result<ClusterSources> {
        let failure = |why: NotLive| Failure::new(Exit::TargetFailed, format!("--kind: {}", why.why()));
        let mut sources = ClusterSources::default();
        for name in &self.kinds {
            let kind = cluster.kind(name).map_err(failure)?;
            if let Some(definition) = cluster.definition(&kind).map_err(failure)? {
                let name = format!("definition {}", kind.name());
                sources.definitions.push(DumpSource::Text(name, definition.to_string()));
            }
            sources.dumps.push(DumpSource::Cluster(Arc::clone(cluster), kind));
        }
        Ok(sources)
    }
}
