//! The programs that are named on the command line, and what the commands about them share.

use std::str::FromStr;

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::targets::TargetSpec;
use crate::targets::apiserver::{Cache, Release};

/// `apiserver:R`, `kube:R`, or `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReleaseSelection {
    All,
    One(Release),
}

impl FromStr for ReleaseSelection {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "all" {
            return Ok(ReleaseSelection::All);
        }
        if let Ok(release) = text.parse::<Release>() {
            return Err(format!("expected apiserver:{release}, or all"));
        }
        match text.parse() {
            Ok(TargetSpec::ApiServer(release)) => Ok(ReleaseSelection::One(release)),
            Ok(TargetSpec::Kube(releases)) if releases.len() == 1 => Ok(ReleaseSelection::One(releases[0])),
            Err(message) if text.starts_with("apiserver:") || text.starts_with("kube:") => Err(message),
            _ => Err("expected apiserver:R or kube:R with a Kubernetes release such as 1.30, or all for the releases \
                      of apiserver"
                .to_owned()),
        }
    }
}

/// Returns the selected releases, each once, in the order in which they are named.
pub(super) fn selected(selections: &[ReleaseSelection]) -> Vec<Release> {
    let mut releases = Vec::new();
    for selection in selections {
        let named = match selection {
            ReleaseSelection::All => Release::all(),
            ReleaseSelection::One(release) => std::slice::from_ref(release),
        };
        for release in named {
            if !releases.contains(release) {
                releases.push(*release);
            }
        }
    }
    releases
}

/// Finds the folder of the installed binaries.
pub(super) fn locate_cache() -> Result<Cache> {
    Cache::locate().map_err(|why| Failure::new(Exit::CouldNotRun, why))
}

/// Returns the failure of an operation on the folder of the installed binaries.
pub(super) fn cache_failure(cache: &Cache, error: &std::io::Error) -> Failure {
    Failure::new(Exit::CouldNotRun, format!("{}: {error}", cache.folder().display()))
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
    #[case("kubectl", "expected apiserver:R or kube:R with a Kubernetes release such as 1.30, or all ")]
    #[case("kube:1.28", "unknown release `1.28` of kube: expected one of 1.30, 1.36")]
    #[case(
        "apiserver:1.29",
        "unknown release `1.29` of apiserver: expected one of 1.20, 1.22, 1.26, 1.27, 1.28"
    )]
    fn other_targets_cannot_be_selected(#[case] text: &str, #[case] expected: &str) {
        let message = text.parse::<ReleaseSelection>().unwrap_err();
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn each_release_is_selected_once() {
        let parse = |text: &str| text.parse::<ReleaseSelection>().unwrap();
        let two = selected(&[parse("apiserver:1.34"), parse("apiserver:1.20"), parse("apiserver:1.34")]);
        assert_eq!(two.iter().map(Release::to_string).collect::<Vec<_>>(), ["1.34", "1.20"]);
        assert_eq!(selected(&[parse("all"), parse("apiserver:1.20")]), Release::all());
    }

    #[rstest]
    #[case(0, "0.0 MB")]
    #[case(36_626_697, "36.6 MB")]
    #[case(9_960_000, "10.0 MB")]
    fn sizes_are_rounded(#[case] bytes: u64, #[case] expected: &str) {
        assert_eq!(megabytes(bytes), expected);
    }
}
