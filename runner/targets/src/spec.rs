//! The names of targets on the command line.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "servers")]
use skewer_yaml::nearest;

#[cfg(feature = "network")]
use super::KubectlTarget;
#[cfg(feature = "servers")]
use super::apiserver::{ServerProgram, ServerRelease};
#[cfg(feature = "servers")]
use super::installed::{ADAPTERS, Adapter, Installable, open_installed};
#[cfg(feature = "network")]
use super::live_target::{ClusterOptions, LiveTarget};
use super::{BuiltInTarget, ExecOptions, ExecTarget, Target, TargetError};

/// A target as it is named on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TargetSpec {
    /// `builtin`: the engine of Skewer.
    #[default]
    BuiltIn,
    /// `exec:COMMAND`: a program that speaks the adapter protocol.
    Exec(String),
    /// `apiserver:R`: the request handlers of a Kubernetes release.
    #[cfg(feature = "servers")]
    ApiServer(ServerRelease),
    /// `kyaml`, `apimachinery:0.27`: the installed adapter of another implementation.
    #[cfg(feature = "servers")]
    Adapter(&'static Adapter),
    /// `kubectl`: `kubectl patch --local`.
    #[cfg(feature = "servers")]
    Kubectl,
    /// `kube:R`: the API server of a Kubernetes release, with etcd. `kube:R+S` are two with one etcd.
    #[cfg(feature = "servers")]
    Kube(Vec<ServerRelease>),
    /// `kube`: the cluster of a kubeconfig file.
    #[cfg(feature = "servers")]
    Cluster,
}

impl TargetSpec {
    /// Starts the target. The cluster of a kubeconfig file must be on this machine, and gets no definitions:
    /// `LiveTarget::connect` permits more.
    ///
    /// # Errors
    /// Fails if the program of the target cannot be started, does not send its self-description, or is not
    /// installed.
    pub fn open(&self, options: &ExecOptions) -> Result<Box<dyn Target>, TargetError> {
        Ok(match self {
            TargetSpec::BuiltIn => Box::new(BuiltInTarget),
            TargetSpec::Exec(command) => Box::new(ExecTarget::open(command, options)?),
            #[cfg(feature = "servers")]
            TargetSpec::ApiServer(release) => {
                Box::new(open_installed(Installable::Server(*release), options)?)
            }
            #[cfg(feature = "servers")]
            TargetSpec::Adapter(adapter) => Box::new(open_installed(Installable::Adapter(adapter), options)?),
            #[cfg(feature = "network")]
            TargetSpec::Kubectl => Box::new(KubectlTarget::open(options.timeout)?),
            #[cfg(feature = "network")]
            TargetSpec::Cluster => {
                Box::new(LiveTarget::connect(&ClusterOptions::default(), options.timeout)?)
            }
            #[cfg(feature = "network")]
            TargetSpec::Kube(releases) => Box::new(LiveTarget::start(releases, options.timeout)?),
            #[cfg(all(feature = "servers", not(feature = "network")))]
            TargetSpec::Kubectl | TargetSpec::Cluster | TargetSpec::Kube(_) => {
                return Err(TargetError::new(super::live::NEEDS_NETWORK));
            }
        })
    }
}

impl fmt::Display for TargetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetSpec::BuiltIn => f.write_str("builtin"),
            TargetSpec::Exec(command) => write!(f, "exec:{command}"),
            #[cfg(feature = "servers")]
            TargetSpec::ApiServer(release) => write!(f, "apiserver:{release}"),
            #[cfg(feature = "servers")]
            TargetSpec::Adapter(adapter) => f.write_str(&adapter.target()),
            #[cfg(feature = "servers")]
            TargetSpec::Kubectl => f.write_str("kubectl"),
            #[cfg(feature = "servers")]
            TargetSpec::Cluster => f.write_str("kube"),
            #[cfg(feature = "servers")]
            TargetSpec::Kube(releases) => {
                let releases: Vec<String> = releases.iter().map(ServerRelease::to_string).collect();
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
            #[cfg(feature = "servers")]
            None if text == "kube" => Ok(TargetSpec::Cluster),
            #[cfg(feature = "servers")]
            None if text == "kubectl" => Ok(TargetSpec::Kubectl),
            Some(("exec", command)) if !command.trim().is_empty() => Ok(TargetSpec::Exec(command.to_owned())),
            #[cfg(feature = "servers")]
            Some(("apiserver", release)) => release.parse().map(TargetSpec::ApiServer),
            #[cfg(feature = "servers")]
            Some(("kube", releases)) => {
                let releases = releases.split('+').map(|release| ServerProgram::FullServer.release(release));
                Ok(TargetSpec::Kube(releases.collect::<Result<_, _>>()?))
            }
            #[cfg(feature = "servers")]
            _ => find_adapter(text).map(TargetSpec::Adapter),
            #[cfg(not(feature = "servers"))]
            _ => Err(format!(
                "there is no target `{text}`: expected builtin, or exec:COMMAND with the command of an adapter (other \
                 targets need the feature `servers` of the crate skewer)"
            )),
        }
    }
}

/// Returns the adapter that a name means. A name without a variant is that of the newest one, if each has a variant.
#[cfg(feature = "servers")]
fn find_adapter(text: &str) -> Result<&'static Adapter, String> {
    let exact = ADAPTERS.iter().find(|adapter| adapter.target() == text);
    let newest = || ADAPTERS.iter().rfind(|adapter| adapter.name() == text);
    exact.or_else(newest).ok_or_else(|| describe_unknown(text))
}

/// Describes an unknown name: what is probably meant, and what is known.
#[cfg(feature = "servers")]
fn describe_unknown(text: &str) -> String {
    let name = text.split_once(':').map_or(text, |(name, _)| name);
    let variants: Vec<String> =
        ADAPTERS.iter().filter(|adapter| adapter.name() == name).map(Adapter::target).collect();
    if !variants.is_empty() {
        return format!("there is no target `{text}`: expected one of {}", variants.join(", "));
    }
    let mut names: Vec<String> = ["builtin", "kubectl", "kube"].map(str::to_owned).to_vec();
    names.extend(Installable::all().map(Installable::target));
    names.extend(ADAPTERS.iter().map(|adapter| adapter.name().to_owned()));
    let near = nearest(text, names.iter().map(String::as_str));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`? "),
        None if text.contains(['/', ' ']) => format!("a program needs the prefix exec: (`exec:{text}`). "),
        None => String::new(),
    };
    format!("there is no target `{text}`: {hint}expected {}", known_targets())
}

#[cfg(feature = "servers")]
fn known_targets() -> String {
    let mut adapters: Vec<&str> = ADAPTERS.iter().map(Adapter::name).collect();
    adapters.dedup();
    format!(
        "builtin, kubectl, kube, apiserver:R or kube:R with a Kubernetes release such as 1.30, {}, or exec:COMMAND with \
         the command of an adapter",
        adapters.join(", ")
    )
}

#[cfg(all(test, feature = "servers"))]
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
    #[case("kyaml")]
    #[case("kyaml:append")]
    #[case("apimachinery:0.17")]
    #[case("structured-merge-diff")]
    #[case("structured-merge-diff:4.3")]
    fn names_of_targets_round_trip(#[case] text: &str) {
        assert_eq!(text.parse::<TargetSpec>().unwrap().to_string(), text);
    }

    #[test]
    fn names_of_all_programs_round_trip() {
        for program in Installable::all() {
            let target = program.target();
            assert_eq!(target.parse::<TargetSpec>().unwrap().to_string(), target);
        }
    }

    #[test]
    fn a_name_without_a_release_is_that_of_the_newest() {
        assert_eq!("apimachinery".parse::<TargetSpec>().unwrap().to_string(), "apimachinery:0.37");
    }

    #[rstest]
    #[case(
        "kyml",
        "there is no target `kyml`: did you mean `kyaml`? expected builtin, kubectl, kube, apiserver:R"
    )]
    #[case("client-go-fakes", "there is no target `client-go-fakes`: did you mean `client-go-fake`? ")]
    #[case("apimachinary", "there is no target `apimachinary`: did you mean `apimachinery`? ")]
    #[case("apimachinary:0.17", "there is no target `apimachinary:0.17`: did you mean `apimachinery:0.17`? ")]
    #[case("kyaml:x", "there is no target `kyaml:x`: expected one of kyaml, kyaml:append")]
    #[case(
        "apimachinery:0.36",
        "there is no target `apimachinery:0.36`: expected one of apimachinery:0.17, "
    )]
    #[case(
        "./adapter",
        "there is no target `./adapter`: a program needs the prefix exec: (`exec:./adapter`). "
    )]
    #[case("nonsense", "there is no target `nonsense`: expected builtin, kubectl, kube, apiserver:R")]
    fn the_error_about_an_unknown_name_says_what_is_meant(#[case] text: &str, #[case] expected: &str) {
        let message = text.parse::<TargetSpec>().unwrap_err();
        assert!(message.starts_with(expected), "{message}");
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
