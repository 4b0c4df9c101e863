//! The Kubernetes releases whose API servers can be built.

use std::fmt;
use std::str::FromStr;

/// A program that can be built for several Kubernetes releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServerProgram {
    /// `apiserver:R`: the request handlers, without storage.
    Handlers,
    /// `kube:R`: the whole API server, with etcd.
    FullServer,
}

impl ServerProgram {
    /// Returns the first part of the name of a target. The folder of the sources has the same name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ServerProgram::Handlers => "apiserver",
            ServerProgram::FullServer => "kube",
        }
    }

    /// Returns the module whose version tells the patch release: `v0.28.15` of `k8s.io/apiserver` is that of Kubernetes
    /// 1.28.15.
    pub(crate) fn module(self) -> &'static str {
        match self {
            ServerProgram::Handlers => "k8s.io/apiserver",
            ServerProgram::FullServer => "k8s.io/kubernetes",
        }
    }

    /// Returns the other folders of `runner/adapters` that the build needs.
    pub(crate) fn shared_folders(self) -> &'static [&'static str] {
        match self {
            ServerProgram::Handlers => &["internal/conversation"],
            ServerProgram::FullServer => &[],
        }
    }

    /// Returns the releases for which the program can be built, the oldest first.
    #[must_use]
    pub fn releases(self) -> &'static [ServerRelease] {
        match self {
            ServerProgram::Handlers => HANDLERS,
            ServerProgram::FullServer => FULL_SERVERS,
        }
    }

    /// Returns a release by its minor version, such as `1.28`.
    ///
    /// # Errors
    /// Fails with a message that lists the known releases.
    pub fn release(self, text: &str) -> Result<ServerRelease, String> {
        let found = self.releases().iter().find(|release| release.to_string() == text);
        found.copied().ok_or_else(|| {
            let known: Vec<String> = self.releases().iter().map(ServerRelease::to_string).collect();
            format!("unknown release `{text}` of {}: expected one of {}", self.name(), known.join(", "))
        })
    }
}

/// A Kubernetes release for which a program can be built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ServerRelease {
    program: ServerProgram,
    name: &'static str,
    minor: u32,
}

macro_rules! releases {
    ($program:expr, [$($minor:literal),* $(,)?]) => {
        &[$(ServerRelease { program: $program, name: concat!("1.", $minor), minor: $minor }),*]
    };
}

const HANDLERS: &[ServerRelease] = releases!(ServerProgram::Handlers, [20, 22, 26, 27, 28, 30, 34, 37]);

/// Those whose modules are all published.
const FULL_SERVERS: &[ServerRelease] = releases!(ServerProgram::FullServer, [30, 36]);

impl ServerRelease {
    /// Returns the program.
    #[must_use]
    pub fn program(self) -> ServerProgram {
        self.program
    }

    /// Returns the name of the target: `apiserver:1.28`.
    #[must_use]
    pub fn target(self) -> String {
        format!("{}:{self}", self.program.name())
    }

    /// Returns the minor release: `1.28`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Returns the minor version: 28 for 1.28.
    #[must_use]
    pub fn minor(self) -> u32 {
        self.minor
    }
}

impl fmt::Display for ServerRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for ServerRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerRelease({})", self.target())
    }
}

impl FromStr for ServerRelease {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        ServerProgram::Handlers.release(text)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn releases_are_in_order() {
        for program in [ServerProgram::Handlers, ServerProgram::FullServer] {
            assert!(program.releases().is_sorted_by_key(|release| release.minor));
        }
    }

    #[rstest]
    #[case("1.28", Ok(28))]
    #[case("1.29", Err("unknown release `1.29` of apiserver: expected one of 1.20, 1.22, 1.26, "))]
    #[case("1.28.15", Err("unknown release `1.28.15` of apiserver"))]
    #[case("", Err("unknown release `` of apiserver"))]
    fn a_release_is_known_by_its_minor_version(#[case] text: &str, #[case] expected: Result<u32, &str>) {
        match (text.parse::<ServerRelease>(), expected) {
            (Ok(release), Ok(minor)) => assert_eq!(release.minor(), minor),
            (Err(message), Err(beginning)) => assert!(message.starts_with(beginning), "{message}"),
            (parsed, _) => panic!("{parsed:?}"),
        }
    }
}
