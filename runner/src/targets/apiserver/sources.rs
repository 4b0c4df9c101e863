//! The source of the Go program, embedded so that an installed Skewer can build it without the repository.

use std::fs;
use std::io;
use std::path::Path;

use super::release::{Program, Release};

/// The flags of `go build` that do not depend on the release. `build.sh` has the same.
pub(super) const BUILD_FLAGS: [&str; 3] = [
    // Settings of the user must not change the list of modules.
    "-mod=readonly",
    // The repository around a temporary folder is not that of the sources.
    "-buildvcs=false",
    "-trimpath",
];

/// Returns the flag with the arguments of the linker.
pub(super) fn linker_flag(release: Release) -> String {
    // Without symbol tables, binaries are a third smaller. Stack traces do not need them.
    let mut flag = "-ldflags=-s -w".to_owned();
    if release.program() == Program::FullServer {
        const VERSION: &str = "k8s.io/component-base/version";
        let (patch, minor) = (release.patch_release(), release.minor());
        let variables = [
            format!("main.release={patch}"),
            format!("{VERSION}.gitVersion=v{patch}"),
            format!("{VERSION}.gitMajor=1"),
            format!("{VERSION}.gitMinor={minor}"),
        ];
        for variable in variables {
            flag.push_str(" -X ");
            flag.push_str(&variable);
        }
    }
    flag
}

/// The variables that a build sets. `build.sh` sets the same.
pub(super) const BUILD_VARIABLES: [(&str, &str); 2] = [
    // No C compiler is needed.
    ("CGO_ENABLED", "0"),
    ("GOWORK", "off"),
];

/// An embedded file. The path is relative to the folder of the adapters.
struct Source {
    path: &'static str,
    text: &'static str,
}

macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(Source { path: $path, text: include_str!(concat!("../../../adapters/", $path)) }),*]
    };
}

/// The files that all releases of the request handlers need.
const HANDLERS: &[Source] = sources![
    "apiserver/apply_managedfields.go",
    "apiserver/apply_none.go",
    "apiserver/apply_old.go",
    "apiserver/apply_scheme.go",
    "apiserver/audit.go",
    "apiserver/audit_none.go",
    "apiserver/empty.s",
    "apiserver/go.mod",
    "apiserver/log.go",
    "apiserver/main.go",
    "apiserver/objects.go",
    "apiserver/refusal.go",
    "apiserver/request.go",
    "apiserver/server.go",
    "apiserver/store.go",
    "apiserver/types.go",
    "apiserver/types_1_28.go",
    "apiserver/types_1_30.go",
    "conversation/conflict.go",
    "conversation/go.mod",
    "conversation/protocol.go",
    "conversation/server.go",
];

/// The files that all releases of the full server need.
const FULL_SERVER: &[Source] = sources!["kube/etcd.go", "kube/go.mod", "kube/main.go", "kube/server.go"];

fn sources(program: Program) -> &'static [Source] {
    match program {
        Program::Handlers => HANDLERS,
        Program::FullServer => FULL_SERVER,
    }
}

/// Returns a text that changes when the sources of a release or the flags of its build change.
///
/// The hash is FNV-1a: it detects builds of other versions of Skewer, and does not protect against manipulation.
pub(super) fn fingerprint(release: Release) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut feed = |text: &str| {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for source in sources(release.program()) {
        feed(source.path);
        feed(source.text);
    }
    feed(release.mod_file);
    feed(release.sum_file);
    feed(&release.tag());
    feed(&linker_flag(release));
    BUILD_FLAGS
        .into_iter()
        .chain(BUILD_VARIABLES.into_iter().flat_map(|(name, value)| [name, value]))
        .for_each(feed);
    format!("{hash:016x}")
}

/// Writes the sources of a release below a folder.
///
/// # Errors
/// Errors of the file system.
pub(super) fn write(folder: &Path, release: Release) -> io::Result<()> {
    let write = |path: &Path, text: &str| {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, text)
    };
    for source in sources(release.program()) {
        write(&folder.join(source.path), source.text)?;
    }
    let program = folder.join(release.program().name());
    write(&program.join(release.mod_path()), release.mod_file)?;
    write(&program.join(release.sum_path()), release.sum_file)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::*;

    fn adapters() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters")
    }

    #[test]
    fn every_file_that_go_compiles_is_embedded() {
        let mut files = BTreeSet::new();
        for folder in ["apiserver", "conversation", "kube"] {
            for entry in fs::read_dir(adapters().join(folder)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let is_test = name.ends_with("_test.go");
                let is_compiled = match name.rsplit_once('.') {
                    Some((_, "go")) => !is_test,
                    Some((_, "s" | "mod" | "sum")) => true,
                    _ => false,
                };
                if is_compiled {
                    files.insert(format!("{folder}/{name}"));
                }
            }
        }
        let embedded: BTreeSet<String> =
            HANDLERS.iter().chain(FULL_SERVER).map(|source| source.path.to_owned()).collect();
        assert_eq!(embedded, files);
    }

    #[test]
    fn sources_are_written_as_they_are_in_the_repository() {
        for release in [Release::all()[0], Program::FullServer.releases()[0]] {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), release).unwrap();
            let program = release.program().name();
            let releases = [release.mod_path(), release.sum_path()].map(|path| format!("{program}/{path}"));
            let sources = sources(release.program()).iter();
            for path in sources.map(|source| source.path.to_owned()).chain(releases) {
                let read = |folder: &Path| fs::read_to_string(folder.join(&path)).unwrap();
                assert_eq!(read(folder.path()), read(&adapters()), "{path}");
            }
        }
    }

    #[test]
    fn each_release_has_a_fingerprint_of_its_own() {
        let releases: Vec<&Release> = Release::all().iter().chain(Program::FullServer.releases()).collect();
        let all: BTreeSet<String> = releases.iter().map(|release| fingerprint(**release)).collect();
        assert_eq!(all.len(), releases.len());
    }

    #[test]
    fn the_script_in_the_repository_builds_in_the_same_way() {
        let read = |name: &str| fs::read_to_string(adapters().join("apiserver").join(name)).unwrap();
        let script = read("build.sh");
        let build = script.lines().find(|line| line.starts_with("go build ")).unwrap();
        let linker = linker_flag(Release::all()[0]).replace("=-s -w", "='-s -w'");
        let flags = format!("{} {linker}", BUILD_FLAGS.join(" "));
        let rest = r#" -modfile "$modfile" -tags "$tags" -o "$out" ."#;
        assert_eq!(build, format!("go build {flags}{rest}"));
        let exported = BUILD_VARIABLES.map(|(name, value)| format!("{name}={value}")).join(" ");
        assert!(read("release.sh").contains(&format!("  export {exported}\n")));
    }
}
