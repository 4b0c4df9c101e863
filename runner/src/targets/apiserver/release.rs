//! The Kubernetes releases whose API servers can be built.

use std::fmt;
use std::str::FromStr;

/// A program that can be built for several Kubernetes releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Program {
    /// `apiserver:R`: the request handlers, without storage.
    Handlers,
    /// `kube:R`: the whole API server, with etcd.
    FullServer,
}

impl Program {
    /// Returns the first part of the name of a target. The folder of the sources has the same name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Program::Handlers => "apiserver",
            Program::FullServer => "kube",
        }
    }

    /// Returns the package that is compiled last.
    pub(super) fn package(self) -> &'static str {
        match self {
            Program::Handlers => "skewer.dev/apiserver",
            Program::FullServer => "skewer.dev/kube",
        }
    }

    /// Returns the module whose version tells the patch release, and the beginning of that version: `v0.28.15` of
    /// `k8s.io/apiserver` is that of Kubernetes 1.28.15.
    fn module(self) -> (&'static str, &'static str) {
        match self {
            Program::Handlers => ("k8s.io/apiserver", "v0."),
            Program::FullServer => ("k8s.io/kubernetes", "v1."),
        }
    }

    /// Returns the releases for which the program can be built, the oldest first.
    #[must_use]
    pub fn releases(self) -> &'static [Release] {
        match self {
            Program::Handlers => HANDLERS,
            Program::FullServer => FULL_SERVERS,
        }
    }

    /// Returns a release by its minor version, such as `1.28`.
    ///
    /// # Errors
    /// Fails with a message that lists the known releases.
    pub fn release(self, text: &str) -> Result<Release, String> {
        let found = self.releases().iter().find(|release| release.to_string() == text);
        found.copied().ok_or_else(|| {
            let known: Vec<String> = self.releases().iter().map(Release::to_string).collect();
            format!("unknown release `{text}` of {}: expected one of {}", self.name(), known.join(", "))
        })
    }
}

/// A Kubernetes release for which a program can be built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Release {
    program: Program,
    minor: u32,
    /// The content of the release's `go.mod`.
    pub(super) mod_file: &'static str,
    /// The content of the release's `go.sum`.
    pub(super) sum_file: &'static str,
}

/// A version of Go: major, minor and patch.
pub(super) type GoVersion = (u32, u32, u32);

/// A Go module in a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Module {
    pub(super) path: &'static str,
    pub(super) version: &'static str,
}

macro_rules! releases {
    ($program:expr, $folder:literal, [$($minor:literal),* $(,)?]) => {
        &[$(Release {
            program: $program,
            minor: $minor,
            mod_file: include_str!(concat!("../../../adapters/", $folder, "/releases/1.", $minor, ".mod")),
            sum_file: include_str!(concat!("../../../adapters/", $folder, "/releases/1.", $minor, ".sum")),
        }),*]
    };
}

const HANDLERS: &[Release] = releases!(Program::Handlers, "apiserver", [20, 22, 26, 27, 28, 30, 34, 37]);

/// Those whose modules are all published.
const FULL_SERVERS: &[Release] = releases!(Program::FullServer, "kube", [30, 36]);

impl Release {
    /// Returns all releases whose request handlers can be built, the oldest first.
    #[must_use]
    pub fn all() -> &'static [Release] {
        HANDLERS
    }

    /// Returns the program.
    #[must_use]
    pub fn program(self) -> Program {
        self.program
    }

    /// Returns the name of the target: `apiserver:1.28`.
    #[must_use]
    pub fn target(self) -> String {
        format!("{}:{self}", self.program.name())
    }

    /// Returns the minor version: 28 for 1.28.
    #[must_use]
    pub fn minor(self) -> u32 {
        self.minor
    }

    /// Returns the modules of the release, except those that are embedded in this program.
    pub(super) fn modules(self) -> impl Iterator<Item = Module> {
        let requirements = self.mod_file.lines().filter_map(|line| {
            let mut words = line.trim().trim_start_matches("require ").split_whitespace();
            Some(Module { path: words.next()?, version: words.next()? })
        });
        // Embedded modules have the version v0.0.0, and are replaced by a folder.
        requirements.filter(|module| {
            let is_version =
                module.version.strip_prefix('v').is_some_and(|rest| rest.starts_with(char::is_numeric));
            is_version && module.version != "v0.0.0"
        })
    }

    /// Returns the module whose version tells the patch release.
    pub(super) fn main_module(self) -> Module {
        let (path, _) = self.program.module();
        self.modules().find(|module| module.path == path).unwrap_or(Module { path, version: "" })
    }

    /// Returns the patch release: `1.28.15`.
    #[must_use]
    pub fn patch_release(self) -> String {
        self.main_module().version.replacen(self.program.module().1, "1.", 1)
    }

    /// Returns the oldest version of Go that compiles the release, as the `go` line of its `go.mod` tells it.
    pub(super) fn go_version(self) -> GoVersion {
        let line = self.mod_file.lines().find_map(|line| line.strip_prefix("go "));
        line.and_then(parse_go_version).unwrap_or_default()
    }

    /// Returns the name of the `go.mod` below the folder of the program.
    pub(super) fn mod_path(self) -> String {
        format!("releases/{self}.mod")
    }

    /// Returns the name of the `go.sum` below the folder of the program.
    pub(super) fn sum_path(self) -> String {
        format!("releases/{self}.sum")
    }

    /// Returns the build tag that chooses the files of the release.
    pub(super) fn tag(self) -> String {
        format!("release_1_{}", self.minor)
    }
}

/// Reads the numbers of a version such as `1.26.8` or `1.27rc1`. Missing numbers are 0. Returns `None` if there is no
/// minor version.
pub(super) fn parse_go_version(text: &str) -> Option<GoVersion> {
    let mut numbers = text.trim().splitn(3, '.').map(|part| {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        part[..end].parse::<u32>().ok()
    });
    Some((numbers.next()??, numbers.next()??, numbers.next().flatten().unwrap_or(0)))
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor)
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Release({})", self.target())
    }
}

impl FromStr for Release {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Program::Handlers.release(text)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use rstest::rstest;

    use super::*;

    #[test]
    fn every_release_of_the_go_program_is_known() {
        for program in [Program::Handlers, Program::FullServer] {
            let adapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters");
            let folder = adapters.join(program.name()).join("releases");
            let names =
                fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut files: Vec<String> = names.map(|name| format!("releases/{name}")).collect();
            files.sort();
            let paths = |release: &Release| [release.mod_path(), release.sum_path()];
            let mut known: Vec<String> = program.releases().iter().flat_map(paths).collect();
            known.sort();
            assert_eq!(known, files);
            assert!(program.releases().is_sorted_by_key(|release| release.minor));
        }
    }

    #[test]
    fn the_modules_of_each_release_are_those_of_its_go_mod() {
        for release in Release::all() {
            let requirements = release.mod_file.lines().filter(|line| line.contains(" v")).count();
            assert_eq!(release.modules().count() + 1, requirements, "{release}: all but the embedded module");
            assert!(release.modules().all(|module| module.path.contains('/')), "{release}");
        }
        for release in Release::all().iter().chain(Program::FullServer.releases()) {
            assert!(release.patch_release().starts_with(&format!("{release}.")), "{release}");
            assert!(release.go_version() >= (1, 21, 0), "{release}");
        }
    }

    #[rstest]
    #[case("1.28", Ok(28))]
    #[case("1.29", Err("unknown release `1.29` of apiserver: expected one of 1.20, 1.22, 1.26, "))]
    #[case("1.28.15", Err("unknown release `1.28.15` of apiserver"))]
    #[case("", Err("unknown release `` of apiserver"))]
    fn a_release_is_known_by_its_minor_version(#[case] text: &str, #[case] expected: Result<u32, &str>) {
        match (text.parse::<Release>(), expected) {
            (Ok(release), Ok(minor)) => assert_eq!(release.minor(), minor),
            (Err(message), Err(beginning)) => assert!(message.starts_with(beginning), "{message}"),
            (parsed, _) => panic!("{parsed:?}"),
        }
    }

    #[rstest]
    #[case("1.26.8", Some((1, 26, 8)))]
    #[case("1.26", Some((1, 26, 0)))]
    #[case("1.27rc1", Some((1, 27, 0)))]
    #[case("1.26.0-custom X:nocoverageredesign", Some((1, 26, 0)))]
    #[case("1", None)]
    #[case("", None)]
    fn go_versions_are_read(#[case] text: &str, #[case] expected: Option<GoVersion>) {
        assert_eq!(parse_go_version(text), expected);
    }
}
