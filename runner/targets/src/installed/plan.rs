//! The plan of an installation.

use std::path::PathBuf;

use super::adapter::Needs;
use super::cache::Cache;
use super::installable::Installable;
use super::tool::Tool;
use super::toolchain::Toolchain;

/// The downloads, the build and the file of an installation, before it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallPlan {
    /// The name of the target.
    pub target: String,
    /// The library under test, and its version. Empty if the program has an implementation of its own.
    pub library: String,
    /// The tool that builds the program.
    pub tool: Tool,
    /// The version of the tool.
    pub tool_version: String,
    /// The Go modules. `None` for other tools.
    pub modules: Option<ModulePlan>,
    /// The cost of the installation.
    pub needs: Needs,
    /// The file or folder that will be written.
    pub path: PathBuf,
}

/// The Go modules of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModulePlan {
    /// Number of modules that the program needs.
    pub all: usize,
    /// Number of those modules that are not in the module cache. The program may need fewer of them.
    pub missing: usize,
    /// The source of modules: the value of `GOPROXY`.
    pub proxy: String,
}

impl InstallPlan {
    /// Plans the installation of a program.
    #[must_use]
    pub fn new(program: Installable, cache: &Cache, toolchain: &Toolchain) -> Self {
        let tool = program.tool();
        let modules = (tool == Tool::Go).then(|| ModulePlan {
            all: program.modules().count(),
            missing: program.modules().filter(|module| !toolchain.go().has_module(*module)).count(),
            proxy: toolchain.go().proxy.clone(),
        });
        InstallPlan {
            target: program.target(),
            library: format!("{} {}", program.library(), program.library_version()).trim().to_owned(),
            tool,
            tool_version: toolchain.describe_version(program),
            modules,
            needs: program.needs(),
            path: cache.path(program),
        }
    }
}
