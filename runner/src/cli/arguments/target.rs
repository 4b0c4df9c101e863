//! The arguments that select and configure the target.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use skewer_cases::{Cell, Plan};
use skewer_results as results;
use skewer_targets::live::{CleanUpCommand, ServerProcess};
use skewer_targets::{ClusterOptions, ExecOptions, LiveTarget, PairTarget, Target, TargetSpec, UnionRules};

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::interrupt;

/// The target, and its process options.
#[derive(Debug, Args)]
pub struct TargetArguments {
    /// Implementation under test: builtin (the built-in engine), kubectl (which applies patches to built-in types),
    /// apiserver:R (the request handlers of Kubernetes release R, such as 1.28; `skewer target install` builds them),
    /// kube:R (the API server of release R with its storage; kube:R+S are two with one storage), kube (the cluster of
    /// a kubeconfig file), another implementation that `skewer target list` names and `skewer target install` builds
    /// (kyaml, apimachinery:0.27, client-go-fake, oper8 and others), or exec:COMMAND (a program that speaks the adapter
    /// protocol, see runner/adapters/PROTOCOL.md).
    #[arg(long, value_name = "TARGET", default_value_t)]
    target: TargetSpec,
    /// Implementation that is the client: it creates the patches. The server is then --server-target, and not --target.
    #[arg(long, value_name = "TARGET", conflicts_with = "target")]
    client_target: Option<TargetSpec>,
    /// Implementation that is the server: it processes the patches. The client is then --client-target.
    #[arg(long, value_name = "TARGET", conflicts_with = "target")]
    server_target: Option<TargetSpec>,
    /// The rules that the target is asked for where a server decides on unions: those of the policy of the server, or its
    /// own. With `own`, the target needs the operation `admit-union`, and the cells are those whose policies are the
    /// KEP's: a gate that is off, one that is on, and ratcheting.
    #[arg(long, value_name = "by-name|own", default_value_t)]
    policy: UnionRules,
    #[command(flatten)]
    options: TargetProcessOptions,
}

/// The options for the processes of a target.
#[derive(Debug, Args)]
pub struct TargetProcessOptions {
    /// Time limit for one request to the target.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    timeout: Duration,
    /// Maximum number of processes of the target. Never more than threads. Default: one for each processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    processes: Option<u16>,
    /// For the target kube: the kubeconfig file. Default: `$KUBECONFIG`, or ~/.kube/config.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// For the target kube: the context of the kubeconfig file. Default: its current context.
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// For the target kube: permits installing custom resource definitions, in API groups that only the run uses.
    #[arg(long)]
    allow_crds: bool,
    /// For the target kube: permits a cluster on another machine. Without it, the command only says what it would do.
    #[arg(long)]
    yes: bool,
}

impl TargetProcessOptions {
    /// Returns the command of the process that cleans up in the cluster if this program is killed.
    fn clean_up_command(&self) -> Option<CleanUpCommand> {
        let mut words = vec![std::env::current_exe().ok()?.into_os_string()];
        words.extend(["target", "clean-up", "--at-end-of-input"].map(OsString::from));
        if let Some(file) = &self.kubeconfig {
            words.extend(["--kubeconfig".into(), file.clone().into_os_string()]);
        }
        if let Some(context) = &self.context {
            words.extend(["--context".into(), context.into()]);
        }
        Some(CleanUpCommand { words })
    }

    /// Starts a target for a number of concurrent threads.
    pub fn open(&self, target: &TargetSpec, threads: usize) -> Result<Box<dyn Target>> {
        self.open_for(target, threads, UnionRules::ByName)
    }

    fn open_for(&self, target: &TargetSpec, threads: usize, rules: UnionRules) -> Result<Box<dyn Target>> {
        if *target != TargetSpec::BuiltIn {
            interrupt::end_targets_with_program()?;
        }
        if *target == TargetSpec::Cluster {
            let options = ClusterOptions {
                kubeconfig: self.kubeconfig.clone(),
                context: self.context.clone(),
                allow_crds: self.allow_crds,
                yes: self.yes,
                clean_up: self.clean_up_command(),
            };
            let target = LiveTarget::connect(&options, self.timeout);
            return match target {
                Ok(target) => Ok(Box::new(target)),
                Err(error) => Err(Failure::new(Exit::TargetFailed, error.to_string())),
            };
        }
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // Processes beyond the number of processors would compete, and those beyond the number of threads would be
        // idle.
        let processes = self.processes.map_or(processors, usize::from).min(threads);
        let options = ExecOptions { union_rules: rules, ..ExecOptions::new(self.timeout, processes) };
        target.open(&options).map_err(|error| Failure::new(Exit::TargetFailed, error.to_string()))
    }
}

impl TargetArguments {
    /// Starts the target for a number of concurrent threads.
    pub fn open(&self, threads: usize) -> Result<Box<dyn Target>> {
        if self.client_target.is_none() && self.server_target.is_none() {
            return self.open_server(&self.target, threads);
        }
        let (client, server) = (self.client_target.as_ref(), self.server_target.as_ref());
        // Beside another implementation, the engine is the side that is not under test, whether it is named or not.
        let under_test = |side: Option<&'_ TargetSpec>, other: Option<&TargetSpec>| {
            let is_beside_other = other.is_some_and(|other| *other != TargetSpec::BuiltIn);
            side.is_some_and(|side| *side != TargetSpec::BuiltIn || !is_beside_other)
        };
        let named_client = client.filter(|_| under_test(client, server));
        let named_server = server.filter(|_| under_test(server, client));
        let client = named_client.map(|target| self.options.open(target, threads)).transpose()?;
        let server = named_server.map(|target| self.open_server(target, threads)).transpose()?;
        Ok(Box::new(PairTarget::new(client, server)))
    }

    /// Starts a target that decides on unions.
    fn open_server(&self, target: &TargetSpec, threads: usize) -> Result<Box<dyn Target>> {
        let can_decide = matches!(target, TargetSpec::Exec(_) | TargetSpec::Adapter(_));
        if self.policy == UnionRules::Own && !can_decide {
            let message = format!(
                "the target {target} has no rules of its own for unions: expected an adapter with the operation \
                 `admit-union`, such as `--target kep-1027`, or no `--policy own`"
            );
            return Err(Failure::new(Exit::CouldNotRun, message));
        }
        self.options.open_for(target, threads, self.policy)
    }

    /// Returns false if the server of a cell has other union policies than those for which `--policy` asks.
    pub(in crate::cli) fn can_be_asked(&self, cell: &Cell<'_>) -> bool {
        let rules = self.union_rules();
        // Without `--policy own`, no plan is made: a run would make each plan twice.
        rules == UnionRules::ByName
            || match cell.plan() {
                Ok(Plan::Skew(plan)) => rules.can_be_those_of(plan.server.policy),
                _ => true,
            }
    }

    /// Returns the rules that the target is asked for.
    pub(in crate::cli) fn union_rules(&self) -> UnionRules {
        self.policy
    }

    /// Returns the target as the user named it.
    pub(in crate::cli) fn spec(&self) -> &TargetSpec {
        &self.target
    }

    /// Describes the target for reports. `target` is the target that these arguments have started.
    pub(in crate::cli) fn describe(&self, target: &dyn Target) -> results::RunTarget {
        let info = target.info();
        let options = self.rerun_option();
        results::RunTarget {
            name: info.name,
            version: info.version,
            language: info.language,
            options: Some(options).filter(|options| !options.is_empty()),
        }
    }

    /// Returns the command line option that selects the same target. It is empty for the default target.
    pub(in crate::cli) fn rerun_option(&self) -> String {
        let named = [
            ("target", Some(&self.target).filter(|target| **target != TargetSpec::BuiltIn)),
            ("client-target", self.client_target.as_ref()),
            ("server-target", self.server_target.as_ref()),
        ];
        let option = |(name, target): (&str, Option<&TargetSpec>)| {
            target.map(|target| format!(" --{name} '{}'", target.to_string().replace('\'', r"'\''")))
        };
        let policy = Some(self.policy).filter(|rules| *rules != UnionRules::default());
        let policy = policy.map(|rules| format!(" --policy {rules}"));
        named.into_iter().filter_map(option).chain(policy).collect()
    }
}

fn parse_seconds(text: &str) -> std::result::Result<Duration, String> {
    text.parse()
        .ok()
        .filter(|seconds: &f64| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a number of seconds greater than 0".to_owned())
}

/// Starts the servers that confirm what the simulation says.
pub(crate) fn open_servers(target: &TargetSpec) -> Result<Box<dyn Target>> {
    const TIMEOUT: Duration = Duration::from_secs(30);
    if !matches!(target, TargetSpec::Kube(_)) {
        let message = format!(
            "--confirm {target}: expected {}, an API server that keeps objects",
            ServerProcess::NAME_FORM
        );
        return Err(Failure::could_not_run(message));
    }
    interrupt::end_targets_with_program()?;
    let options = ExecOptions::new(TIMEOUT, 1);
    target.open(&options).map_err(|error| Failure::new(Exit::TargetFailed, error.to_string()))
}
