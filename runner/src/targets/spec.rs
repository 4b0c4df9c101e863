//! The names of targets on the command line.

use std::fmt;
use std::str::FromStr;

use super::apiserver::{Program, Release};
use super::live::{ClusterOptions, LiveTarget};
use super::{ApiServerTarget, BuiltInTarget, ExecOptions, ExecTarget, KubectlTarget, Target, TargetError};

/// A target as it is named on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TargetSpec {
    /// `builtin`: the engine of Skewer.
    #[default]
    BuiltIn,
    /// `exec:COMMAND`: a program that speaks the adapter protocol.
    Exec(String),
    /// `apiserver:R`: the request handlers of a Kubernetes release.
    ApiServer(Release),
    /// `kubectl`: `kubectl patch --local`.
    Kubectl,
    /// `kube:R`: the API server of a Kubernetes release, with etcd. `kube:R+S` are two with one etcd.
    Kube(Vec<Release>),
    /// `kube`: the cluster of a kubeconfig file.
    Cluster,
}

impl TargetSpec {
    /// Starts the target. The cluster of a kubeconfig file must be on this machine, and gets no definitions:
    /// [`LiveTarget::connect`] permits more.
    ///
    /// # Errors
    /// Fails if the program of the target cannot be started, does not send its self-description, or is not
    /// installed.
    pub fn open(&self, options: &ExecOptions) -> Result<Box<dyn Target>, TargetError> {
        Ok(match self {
            TargetSpec::BuiltIn => Box::new(BuiltInTarget),
            TargetSpec::Exec(command) => Box::new(ExecTarget::open(command, options)?),
            TargetSpec::ApiServer(release) => Box::new(ApiServerTarget::open(*release, options)?),
            TargetSpec::Kubectl => Box::new(KubectlTarget::open(options.timeout)?),
            TargetSpec::Cluster => {
                Box::new(LiveTarget::connect(&ClusterOptions::default(), options.timeout)?)
            }
            TargetSpec::Kube(releases) => Box::new(LiveTarget::start(releases, options.timeout)?),
        })
    }
}

impl fmt::Display for TargetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetSpec::BuiltIn => f.write_str("builtin"),
            TargetSpec::Exec(command) => write!(f, "exec:{command}"),
            TargetSpec::ApiServer(release) => write!(f, "apiserver:{release}"),
            TargetSpec::Kubectl => f.write_str("kubectl"),
            TargetSpec::Cluster => f.write_str("kube"),
            TargetSpec::Kube(releases) => {
                let releases: Vec<String> = releases.iter().map(Release::to_string).collect();
                write!(f, "kube:{}", releases.join("+"))
            }
        }
    }
}

impl FromStr for TargetSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "builtin" => Ok(TargetSpec::BuiltIn),
            None if text == "kube" => Ok(TargetSpec::Cluster),
            None if text == "kubectl" => Ok(TargetSpec::Kubectl),
            Some(("exec", command)) if !command.trim().is_empty() => Ok(TargetSpec::Exec(command.to_owned())),
            Some(("apiserver", release)) => release.parse().map(TargetSpec::ApiServer),
            Some(("kube", releases)) => {
                let releases = releases.split('+').map(|release| Program::FullServer.release(release));
                Ok(TargetSpec::Kube(releases.collect::<Result<_, _>>()?))
            }
            _ => Err("expected builtin, kubectl, kube, apiserver:R or kube:R with a Kubernetes release such as 1.30, or \
                      exec:COMMAND with the command of an adapter"
                .to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("builtin")]
    #[case("kubectl")]
    #[case("apiserver:1.28")]
    #[case("exec:./adapter --flag 'a b'")]
    #[case("kube")]
    #[case("kube:1.36")]
    #[case("kube:1.30+1.36")]
    fn names_of_targets_round_trip(#[case] text: &str) {
        assert_eq!(text.parse::<TargetSpec>().unwrap().to_string(), text);
    }

    #[rstest]
    #[case("")]
    #[case("exec:")]
    #[case("exec: ")]
    #[case("apiserver")]
    #[case("apiserver:")]
    #[case("apiserver:1.29")]
    #[case("./adapter")]
    #[case("builtin:x")]
    #[case("kube:")]
    #[case("kube:1.30+")]
    #[case("kube:1.28")]
    fn other_text_is_refused(#[case] text: &str) {
        assert!(text.parse::<TargetSpec>().is_err());
    }
}
