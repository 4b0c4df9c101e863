//! The programs that can be built.

use super::adapter::{Adapter, Needs};
use super::adapters::ADAPTERS;
use super::pinned_version::{Module, pinned_version, pinning_file, required_modules, text_of};
use super::tool::Tool;
use super::version::Version;
use crate::apiserver::{ServerProgram, ServerRelease};

/// A program that `skewer target install` builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installable {
    /// `apiserver:R` or `kube:R`: a program of a Kubernetes release.
    Server(ServerRelease),
    /// The adapter of another implementation.
    Adapter(&'static Adapter),
}

impl Installable {
    /// Returns all programs, in the order in which they are listed.
    pub fn all() -> impl Iterator<Item = Installable> {
        let releases = [ServerProgram::Handlers, ServerProgram::FullServer].map(ServerProgram::releases);
        let servers = releases.into_iter().flatten().copied().map(Installable::Server);
        servers.chain(ADAPTERS.iter().map(Installable::Adapter))
    }

    /// Returns the name of the target: `apiserver:1.28` or `kyaml`.
    #[must_use]
    pub fn target(self) -> String {
        match self {
            Installable::Server(release) => release.target(),
            Installable::Adapter(adapter) => adapter.target(),
        }
    }

    /// Returns the tool that builds the program.
    #[must_use]
    pub fn tool(self) -> Tool {
        match self {
            Installable::Server(_) => Tool::Go,
            Installable::Adapter(adapter) => adapter.tool,
        }
    }

    /// Returns the version of the implementation: `1.28.15`, or `v0.37.2` for a Go module. It is empty if the adapter itself is
    /// the implementation.
    #[must_use]
    pub fn version(self) -> String {
        let version = self.library_version();
        match self {
            // `v0.28.15` of a module is that of Kubernetes 1.28.15.
            Installable::Server(_) => format!("1.{}", version.split_once('.').map_or("", |(_, rest)| rest)),
            Installable::Adapter(_) => version.to_owned(),
        }
    }

    /// Returns what the installation takes. The READMEs of `runner/adapters/apiserver` and `runner/adapters/kube` have
    /// more.
    #[must_use]
    pub fn needs(self) -> Needs {
        match self {
            Installable::Server(release) => match release.program() {
                ServerProgram::Handlers => Needs {
                    download: "50 MB",
                    compile: "one to two minutes of processor time",
                    size: "30 to 45 MB",
                },
                ServerProgram::FullServer => Needs {
                    download: "300 MB",
                    compile: "about six minutes of processor time and 2 GB of memory",
                    size: "100 to 110 MB",
                },
            },
            Installable::Adapter(adapter) => adapter.needs,
        }
    }

    /// Returns the folder of the sources.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Installable::Server(release) => release.program().name(),
            Installable::Adapter(adapter) => adapter.folder,
        }
    }

    /// Returns the other folders of which the build needs the sources.
    pub(super) fn shared_folders(self) -> &'static [&'static str] {
        match self {
            Installable::Server(release) => release.program().shared_folders(),
            Installable::Adapter(adapter) => adapter.shared,
        }
    }

    /// Returns the script that builds the program, and its arguments before the path.
    pub(super) fn script(self) -> Vec<&'static str> {
        match self {
            Installable::Server(release) => vec!["build.sh", release.name()],
            Installable::Adapter(adapter) => adapter.build.to_vec(),
        }
    }

    /// Returns the release of which the build needs the files in the folder `releases`.
    pub(super) fn release(self) -> Option<&'static str> {
        match self {
            Installable::Server(release) => Some(release.name()),
            Installable::Adapter(adapter) => adapter.build.get(1).copied(),
        }
    }

    /// Returns the library whose version is that of the implementation.
    pub(super) fn library(self) -> &'static str {
        match self {
            Installable::Server(release) => release.program().module(),
            Installable::Adapter(adapter) => adapter.library,
        }
    }

    /// Returns the version of the library, as it is pinned.
    pub(super) fn library_version(self) -> &'static str {
        pinned_version(self.tool(), self.library(), self.pins()).unwrap_or_default()
    }

    /// Returns the Go modules that the program needs. There are none if it is not in Go.
    pub(super) fn modules(self) -> impl Iterator<Item = Module> {
        let pins = if self.tool() == Tool::Go { self.pins() } else { "" };
        required_modules(pins)
    }

    /// Returns the text of the file that pins the versions of libraries.
    fn pins(self) -> &'static str {
        let file = pinning_file(self.tool());
        let extension = file.rsplit('.').next().unwrap_or_default();
        self.file_of_release(file, extension)
    }

    /// Returns the text of a file in the folder `releases`, or of the file in the folder itself if the program has no releases.
    fn file_of_release(self, file: &str, extension: &str) -> &'static str {
        let folder = self.folder();
        match self.release() {
            Some(release) => text_of(&format!("{folder}/releases/{release}.{extension}")),
            None => text_of(&format!("{folder}/{file}")),
        }
    }

    /// Returns the oldest version of the tool that builds the program.
    pub(super) fn tool_version(self) -> Version {
        let declared = |text: &str, prefix: &str| {
            text.lines().find_map(|line| line.strip_prefix(prefix)).and_then(Version::find_in)
        };
        let version = match self.tool() {
            Tool::Go => declared(self.pins(), "go "),
            Tool::Cargo => declared(self.file_of_release("Cargo.toml", "toml"), "rust-version = "),
            Tool::Python => Some(Version(3, 10, 0)),
            Tool::Maven => Some(Version(3, 6, 0)),
        };
        version.unwrap_or_default()
    }

    /// Returns the name of the command in the program, if the program is a folder.
    pub(super) fn command_in_folder(self) -> String {
        format!("bin/skewer-{}-adapter", self.folder())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The folders of `runner/adapters` that no target is built from alone, each with the reason.
    const NOT_INSTALLABLE: &[(&str, &str)] = &[
        ("apiserver", "the targets apiserver:R"),
        ("kube", "the targets kube:R"),
        ("internal", "shared by adapters of one language"),
        ("examples", "shared by adapters in Python, and an example to read"),
    ];

    #[test]
    fn every_program_has_a_name_of_its_own_and_pins_its_library() {
        let programs: Vec<Installable> = Installable::all().collect();
        let names: BTreeSet<String> = programs.iter().map(|program| program.target()).collect();
        assert_eq!(names.len(), programs.len());
        for program in programs {
            let target = program.target();
            // This adapter is the implementation.
            let has_library = target != "kep-1027";
            let has_version = program.version().starts_with(|c: char| c == 'v' || c.is_ascii_digit());
            assert_eq!(has_version, has_library, "{target}");
            assert!(
                program.tool_version() > Version(1, 0, 0),
                "{target}: the file has no version of the tool"
            );
            let needs = program.needs();
            assert!(!needs.download.is_empty() && !needs.size.is_empty(), "{target}");
        }
    }

    /// Returns the names of the folders below `runner/adapters`.
    fn folders() -> BTreeSet<String> {
        let adapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters");
        let entries = fs::read_dir(adapters).unwrap().map(Result::unwrap);
        entries
            .filter(|entry| entry.file_type().unwrap().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn every_folder_is_an_adapter_or_has_a_reason() {
        let adapters = ADAPTERS.iter().map(|adapter| adapter.folder);
        let known: Vec<&str> = adapters.chain(NOT_INSTALLABLE.iter().map(|(folder, _)| *folder)).collect();
        for folder in folders() {
            assert!(known.contains(&&*folder), "{folder} is neither in ADAPTERS nor in NOT_INSTALLABLE");
        }
        for folder in known {
            assert!(folders().contains(folder), "there is no folder {folder}");
        }
        for (folder, _) in NOT_INSTALLABLE {
            assert!(ADAPTERS.iter().all(|adapter| adapter.folder != *folder), "{folder}");
        }
    }

    #[test]
    fn every_release_of_the_sources_is_known() {
        for folder in folders() {
            let releases =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters").join(&folder).join("releases");
            let Ok(entries) = fs::read_dir(releases) else { continue };
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let files: BTreeSet<String> =
                names.filter_map(|name| Some(name.rsplit_once('.')?.0.to_owned())).collect();
            let programs = Installable::all().filter(|program| program.folder() == folder);
            let known: BTreeSet<String> =
                programs.filter_map(|program| Some(program.release()?.to_owned())).collect();
            assert_eq!(known, files, "{folder}");
        }
    }
}
