//! The names of targets on the command line.

use std::fmt;
use std::str::FromStr;

use super::{BuiltInTarget, ExecOptions, ExecTarget, KubectlTarget, Target, TargetError};

/// A target as it is named on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TargetSpec {
    /// `builtin`: the engine of Skewer.
    #[default]
    BuiltIn,
    /// `exec:COMMAND`: a program that speaks the adapter protocol.
    Exec(String),
    /// `kubectl`: `kubectl patch --local`.
    Kubectl,
}

impl TargetSpec {
    /// Starts the target.
    ///
    /// # Errors
    /// Fails if the program of the target cannot be started, or does not send its self-description.
    pub fn open(&self, options: &ExecOptions) -> Result<Box<dyn Target>, TargetError> {
        Ok(match self {
            TargetSpec::BuiltIn => Box::new(BuiltInTarget),
            TargetSpec::Exec(command) => Box::new(ExecTarget::open(command, options)?),
            TargetSpec::Kubectl => Box::new(KubectlTarget::open(options.timeout)?),
        })
    }
}

impl fmt::Display for TargetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetSpec::BuiltIn => f.write_str("builtin"),
            TargetSpec::Exec(command) => write!(f, "exec:{command}"),
            TargetSpec::Kubectl => f.write_str("kubectl"),
        }
    }
}

impl FromStr for TargetSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "builtin" => Ok(TargetSpec::BuiltIn),
            None if text == "kubectl" => Ok(TargetSpec::Kubectl),
            Some(("exec", command)) if !command.trim().is_empty() => Ok(TargetSpec::Exec(command.to_owned())),
            _ => Err("expected builtin, kubectl, or exec:COMMAND with the command of an adapter".to_owned()),
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
    #[case("exec:./adapter --flag 'a b'")]
    fn names_of_targets_round_trip(#[case] text: &str) {
        assert_eq!(text.parse::<TargetSpec>().unwrap().to_string(), text);
    }

    #[rstest]
    #[case("")]
    #[case("exec:")]
    #[case("exec: ")]
    #[case("./adapter")]
    #[case("builtin:x")]
    fn other_text_is_refused(#[case] text: &str) {
        assert!(text.parse::<TargetSpec>().is_err());
    }
}
