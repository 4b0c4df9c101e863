//! Adapters that can be installed by name.

use std::fmt;

use super::tool::Tool;

/// An adapter of another implementation, and how it is built and started.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Adapter {
    /// The name of the target, without its variant.
    pub(super) name: &'static str,
    /// The second part of the name: a release of the implementation, or a mode of it.
    pub(super) variant: Option<&'static str>,
    /// The folder below `runner/adapters`.
    pub(super) folder: &'static str,
    /// Other folders there that the build needs.
    pub(super) shared: &'static [&'static str],
    /// The script in the folder that builds the program, and its arguments. The last argument, which is not listed, is
    /// the path of the program. The first one, if there is any, is the release: its files in the folder `releases` are
    /// those that are needed.
    pub(super) build: &'static [&'static str],
    /// The arguments with which the program is started.
    pub(super) arguments: &'static [&'static str],
    /// The program of the user that builds the adapter.
    pub(super) tool: Tool,
    /// The Go module, crate, Python package or Maven artifact under test. The adapter tells its
    /// version. Empty if the adapter has an implementation of its own.
    pub(super) library: &'static str,
    /// Whether the adapter is that of a tool that applies manifests.
    pub(super) is_client: bool,
    /// The cost of the installation.
    pub(super) needs: Needs,
}

/// The cost of an installation, as measured on a machine with empty caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Size of the downloads: `50 MB`.
    pub download: &'static str,
    /// Cost of compiling: `one minute of processor time`. Empty if nothing is compiled.
    pub compile: &'static str,
    /// Size of the program: `12 MB`.
    pub size: &'static str,
}

impl Adapter {
    /// Returns the name of the target: `kyaml`, or `kyaml:append`.
    #[must_use]
    pub fn target(&self) -> String {
        match self.variant {
            Some(variant) => format!("{}:{variant}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// Returns the name of the target without its variant.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns true if the adapter is that of a tool that applies manifests.
    #[must_use]
    pub fn is_client(&self) -> bool {
        self.is_client
    }

    /// Returns the arguments with which the program is started.
    #[must_use]
    pub fn arguments(&self) -> &'static [&'static str] {
        self.arguments
    }
}

impl fmt::Debug for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Adapter({})", self.target())
    }
}
