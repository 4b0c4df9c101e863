//! `skewer target`.

mod check;
mod clean_up;
mod install;
mod install_plan;
mod install_progress;
mod list;
mod remove;
mod selection;
mod start;

use clap::{Args, Subcommand};

use super::failure::Result;

/// The arguments of `skewer target`.
#[derive(Debug, Args)]
pub(super) struct TargetCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start a target, print its name and capabilities, and compare its answers to sample operations with the engine's.
    Check(check::CheckArguments),
    /// Build and install a target: the request handlers (apiserver:R) or the API server (kube:R) of a Kubernetes
    /// release, or the adapter of another implementation.
    ///
    /// The sources of the program are part of Skewer. What it needs is downloaded and compiled with a tool of yours,
    /// and with the settings of your environment (`GOPROXY`, `HTTPS_PROXY`, `GOFLAGS`, `CARGO_HOME`, `PIP_INDEX_URL`
    /// and others): Go for most, Cargo for crates, Python for Python packages. The command says beforehand what is
    /// downloaded and how long compiling takes; --dry-run says only that. The program is put into the folder `targets`
    /// below `$SKEWER_CACHE_DIR`, else below `$XDG_CACHE_HOME/skewer`, else below `~/.cache/skewer`.
    Install(install::InstallArguments),
    /// List the targets, which of them are installed, and the tools that build the others.
    List,
    /// Remove installed targets.
    Remove(remove::RemoveArguments),
    /// Remove what a run has left behind in a cluster: its namespace and its custom resource definitions.
    ///
    /// A run removes them itself at its end, and also if it is killed. This command is for a run whose machine was
    /// lost.
    CleanUp(clean_up::CleanUpArguments),
    /// Run kube:R until it is interrupted, and print how to reach it.
    ///
    /// The server listens on this machine only, and has no controllers: nothing but the API is there. What it stores is
    /// lost at the end.
    Start(start::StartArguments),
}

pub(super) fn target(arguments: &TargetCommand) -> Result {
    match &arguments.command {
        Command::Check(arguments) => check::check(arguments),
        Command::CleanUp(arguments) => clean_up::clean_up(arguments),
        Command::Install(arguments) => install::install(arguments),
        Command::List => list::list(),
        Command::Remove(arguments) => remove::remove(arguments),
        Command::Start(arguments) => start::start(arguments),
    }
}
