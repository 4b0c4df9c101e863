//! The programs that are named on the command line, and what the commands about them share.

use std::str::FromStr;

use skewer_cases::yaml::nearest;
use skewer_targets::apiserver::{ServerProgram, ServerRelease};
use skewer_targets::installed::{ADAPTERS, Cache, Installable};
use skewer_targets::live::ServerProcess;
use skewer_targets::{ExecTarget, TargetSpec};

use crate::cli::failure::{Failure, Result};

/// The name of the group of all releases of `apiserver`.
const RELEASES: &str = "all";

/// The name of the group of all adapters of other implementations.
const IMPLEMENTATIONS: &str = "implementations";

/// The name of the group of all adapters of clients.
const CLIENTS: &str = "clients";

/// A program, or a group of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramSelection {
    /// `all`: the releases of `apiserver`.
    Releases,
    /// `implementations`: the adapters of other implementations.
    Implementations,
    /// `clients`: the adapters of tools that apply manifests.
    Clients,
    /// The name of a target.
    One(Installable),
}

impl ProgramSelection {
    fn programs(self) -> Vec<Installable> {
        match self {
            ProgramSelection::Releases => {
                ServerProgram::Handlers.releases().iter().copied().map(Installable::Server).collect()
            }
            ProgramSelection::Implementations => adapters(false),
            ProgramSelection::Clients => adapters(true),
            ProgramSelection::One(program) => vec![program],
        }
    }
}

/// Returns the adapters that are clients, or the others.
fn adapters(are_clients: bool) -> Vec<Installable> {
    let chosen = ADAPTERS.iter().filter(|adapter| adapter.is_client() == are_clients);
    chosen.map(Installable::Adapter).collect()
}

impl FromStr for ProgramSelection {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            RELEASES => return Ok(ProgramSelection::Releases),
            IMPLEMENTATIONS => return Ok(ProgramSelection::Implementations),
            CLIENTS => return Ok(ProgramSelection::Clients),
            _ => {}
        }
        if let Ok(release) = text.parse::<ServerRelease>() {
            return Err(format!("expected {}, or all", release.target()));
        }
        let target: TargetSpec = text.parse().map_err(|message| describe_group(text).unwrap_or(message))?;
        let not_built = |why: &str| {
            Err(format!(
                "{why}: expected a name that `skewer target list` shows, {RELEASES} for the releases of apiserver, \
                 {IMPLEMENTATIONS} for the adapters of other implementations, or {CLIENTS} for those of tools that apply manifests"
            ))
        };
        match target {
            TargetSpec::ApiServer(release) => Ok(ProgramSelection::One(Installable::Server(release))),
            TargetSpec::Kube(releases) => match releases[..] {
                [release] => Ok(ProgramSelection::One(Installable::Server(release))),
                [.., last] => Err(format!("expected one release, such as {}", last.target())),
                [] => Err(format!("expected {}", ServerProcess::NAME_FORM)),
            },
            TargetSpec::Adapter(adapter) => Ok(ProgramSelection::One(Installable::Adapter(adapter))),
            TargetSpec::BuiltIn => not_built("builtin is part of Skewer"),
            TargetSpec::Kubectl => not_built("kubectl is the program on your path"),
            TargetSpec::Cluster => not_built("kube is the cluster of a kubeconfig file"),
            TargetSpec::Exec(_) => not_built(&format!("{} is a program of yours", ExecTarget::NAME_FORM)),
        }
    }
}

fn describe_group(text: &str) -> Option<String> {
    let near = nearest(text, [RELEASES, IMPLEMENTATIONS, CLIENTS])?;
    Some(format!("there is no target or group `{text}`: did you mean `{near}`?"))
}

/// Returns the selected programs, each once, in the order in which they are named.
pub(super) fn selected(selections: &[ProgramSelection]) -> Vec<Installable> {
    let mut programs = Vec::new();
    for program in selections.iter().flat_map(|selection| selection.programs()) {
        if !programs.contains(&program) {
            programs.push(program);
        }
    }
    programs
}

/// Finds the folder of the installed programs.
pub(super) fn locate_cache() -> Result<Cache> {
    Cache::locate().map_err(Failure::could_not_run)
}

/// Returns the failure of an operation on the folder of the installed programs.
pub(super) fn cache_failure(cache: &Cache, error: &std::io::Error) -> Failure {
    Failure::could_not_run(format!("{}: {error}", cache.folder().display()))
}

/// Formats a size: `36.6 MB`.
pub(super) fn megabytes(bytes: u64) -> String {
    let tenths = (bytes + 50_000) / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("1.28", "expected apiserver:1.28, or all")]
    #[case(
        "kubectl",
        "kubectl is the program on your path: expected a name that `skewer target list` shows, all "
    )]
    #[case("builtin", "builtin is part of Skewer: expected a name ")]
    #[case("exec:true", "exec:COMMAND is a program of yours: expected a name ")]
    #[case("kube:1.28", "unknown release `1.28` of kube: expected one of 1.30, 1.36")]
    #[case("kube:1.30+1.36", "expected one release, such as kube:1.36")]
    #[case(
        "apiserver:1.29",
        "unknown release `1.29` of apiserver: expected one of 1.20, 1.22, 1.26, 1.27, 1.28"
    )]
    #[case("kyml", "there is no target `kyml`: did you mean `kyaml`? ")]
    #[case("implementation", "there is no target or group `implementation`: did you mean `implementations`?")]
    fn other_targets_cannot_be_selected(#[case] text: &str, #[case] expected: &str) {
        let message = text.parse::<ProgramSelection>().unwrap_err();
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn each_program_is_selected_once() {
        let targets = |names: &[&str]| {
            let selections: Vec<ProgramSelection> = names.iter().map(|name| name.parse().unwrap()).collect();
            selected(&selections).into_iter().map(Installable::target).collect::<Vec<_>>()
        };
        assert_eq!(targets(&["apiserver:1.34", "kyaml", "apiserver:1.34"]), ["apiserver:1.34", "kyaml"]);
        assert_eq!(targets(&["all", "apiserver:1.20"]).len(), ServerProgram::Handlers.releases().len());
        assert_eq!(targets(&["kyaml", "implementations", "clients"]).len(), ADAPTERS.len());
        assert!(targets(&["clients"]).contains(&"helm:4".to_owned()));
        assert_eq!(targets(&["apimachinery", "apimachinery:0.37"]), ["apimachinery:0.37"]);
    }

    #[rstest]
    #[case(0, "0.0 MB")]
    #[case(36_626_697, "36.6 MB")]
    #[case(9_960_000, "10.0 MB")]
    fn sizes_are_rounded(#[case] bytes: u64, #[case] expected: &str) {
        assert_eq!(megabytes(bytes), expected);
    }
}
