//! Building and installing the binary of a release.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::super::{ExecOptions, Target};
use super::build_folder::BuildFolder;
use super::cache::Cache;
use super::go::{Go, Line, run};
use super::release::{Program, Release};
use super::sources::{self, BUILD_FLAGS, linker_flag};
use super::target::open_binary;

/// What the installation of a release will download and build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallPlan {
    /// The module whose version tells the patch release, and that version.
    pub main_module: String,
    /// Number of Go modules that the release needs.
    pub modules: usize,
    /// Number of those modules that are not in the module cache. The release may need fewer of them.
    pub missing_modules: usize,
    /// Where modules are downloaded from: the value of `GOPROXY`.
    pub proxy: String,
    /// The version of Go that builds the binary.
    pub go: String,
    /// The binary that will be written.
    pub binary: PathBuf,
}

/// The progress of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallProgress {
    /// Modules are looked for in the module cache.
    FindingModules,
    /// Modules are downloaded.
    Downloading {
        /// Number of modules whose download has begun.
        modules: usize,
        /// Number of modules that were missing before. The release may need fewer of them.
        of: usize,
    },
    /// Packages are compiled.
    Compiling {
        /// Number of packages that are not in the build cache and are compiled.
        packages: usize,
        /// Number of all packages.
        of: usize,
    },
    /// The binary is linked.
    Linking,
    /// The binary is started, and asked for its release.
    Checking,
}

/// The reason why a release is not installed. The folder of the installed binaries is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no `go` on the path.
    #[error(
        "`go` is not installed: API servers are Go packages, which it compiles; see \
         https://go.dev/doc/install (PATH is {})",
        path.to_string_lossy()
    )]
    GoNotFound {
        /// The value of `PATH`.
        path: OsString,
    },
    /// The installed Go is too old, and may not fetch a newer one.
    #[error(
        "`go` is {found}, but {} needs {expected} or later: install it from \
         https://go.dev/doc/install, or set GOTOOLCHAIN=auto if `go` is at least go1.21",
        release.target()
    )]
    GoTooOld {
        /// The installed version.
        found: String,
        /// The release that was to be built.
        release: Release,
        /// The oldest version that builds the release.
        expected: String,
    },
    /// A `go` command failed.
    #[error("`{name}` {status}{}{output}", if output.is_empty() { "" } else { "; its output ends with:\n" })]
    GoFailed {
        /// The command, such as `go build`.
        name: &'static str,
        /// How the command ended: a text that follows the name.
        status: String,
        /// The last lines of its output.
        output: String,
    },
    /// The binary was built, but does not work.
    #[error("the new binary of {} does not work, and was removed: {why}", release.target())]
    BrokenBinary {
        /// The release.
        release: Release,
        /// What is wrong.
        why: String,
    },
    /// A file cannot be written.
    #[error("cannot write to {}: {error}", folder.display())]
    File {
        /// The folder of the file.
        folder: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The program received a signal.
    #[error("interrupted: {} was not built", release.target())]
    Interrupted {
        /// The release.
        release: Release,
    },
}

impl InstallPlan {
    /// Finds out what an installation will do.
    #[must_use]
    pub fn new(release: Release, cache: &Cache, go: &Go) -> Self {
        InstallPlan {
            main_module: {
                let module = release.main_module();
                format!("{} {}", module.path, module.version)
            },
            modules: release.modules().count(),
            missing_modules: release.modules().filter(|module| !go.has_module(*module)).count(),
            proxy: go.proxy().to_owned(),
            go: go.describe_version(release),
            binary: cache.binary(release),
        }
    }
}

/// Builds and installs the binary of a release, and removes its older binaries. `stop` is set when the program is
/// interrupted. Returns the size of the binary, in bytes.
///
/// The binary is built in a temporary folder and renamed when it works, so that there is never a part of it.
///
/// # Errors
/// See [`InstallError`].
pub fn install(
    release: Release,
    cache: &Cache,
    go: &Go,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(InstallProgress),
) -> Result<u64, InstallError> {
    let installed = go.check_version(release).and_then(|()| {
        let folder = BuildFolder::create(cache.folder()).map_err(|error| file_error(cache, error))?;
        let build = Build { release, go, folder: folder.path(), progress };
        let binary = build.run()?;
        if stop.load(Ordering::Relaxed) {
            return Err(InstallError::Interrupted { release });
        }
        let put = || {
            fs::rename(&binary, cache.binary(release))?;
            cache.remove_outdated(release)?;
            fs::metadata(cache.binary(release)).map(|binary| binary.len())
        };
        put().map_err(|error| file_error(cache, error))
    });
    if installed.is_err() {
        cache.remove_folder_if_empty();
    }
    match installed {
        // The signal killed `go`, or the new binary.
        Err(_) if stop.load(Ordering::Relaxed) => Err(InstallError::Interrupted { release }),
        installed => installed,
    }
}

fn file_error(cache: &Cache, error: io::Error) -> InstallError {
    InstallError::File { folder: cache.folder().to_owned(), error }
}

/// The build of a release in a temporary folder.
struct Build<'a> {
    release: Release,
    go: &'a Go,
    folder: &'a Path,
    progress: &'a mut dyn FnMut(InstallProgress),
}

impl Build<'_> {
    /// Returns the path of the binary, which was started and works.
    fn run(mut self) -> Result<PathBuf, InstallError> {
        let write = sources::write(self.folder, self.release).and_then(|()| fs::create_dir(self.temporary()));
        write.map_err(|error| InstallError::File { folder: self.folder.to_owned(), error })?;
        let packages = self.download()?;
        let binary = self.folder.join("binary");
        self.compile(&packages, &binary)?;
        (self.progress)(InstallProgress::Checking);
        self.check(&binary).map_err(|why| InstallError::BrokenBinary { release: self.release, why })?;
        Ok(binary)
    }

    fn sources(&self) -> PathBuf {
        self.folder.join(self.release.program().name())
    }

    fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// Downloads the modules that are missing, and returns the paths of all packages.
    fn download(&mut self) -> Result<HashSet<String>, InstallError> {
        let of = self.release.modules().filter(|module| !self.go.has_module(*module)).count();
        let mut modules = 0;
        let mut command = self.go.command(&self.sources(), &self.temporary());
        let progress = &mut *self.progress;
        progress(InstallProgress::FindingModules);
        let mut packages = HashSet::new();
        command.args(["list", "-deps", "-mod=readonly"]);
        let command = choose_release(&mut command, self.release).arg(".");
        run(command, "go list", &mut |line| match line {
            Line::Output(package) => {
                packages.insert(package);
                None
            }
            Line::Error(line) if line.starts_with("go: downloading ") => {
                modules += 1;
                progress(InstallProgress::Downloading { modules, of: of.max(modules) });
                None
            }
            Line::Error(line) => Some(line),
        })
        .map_err(|error| self.explain_download(error))?;
        Ok(packages)
    }

    /// Adds to the output of a failed download from where modules are downloaded.
    fn explain_download(&self, error: InstallError) -> InstallError {
        match error {
            InstallError::GoFailed { name, status, output } => {
                let proxy = self.go.proxy();
                let output = format!(
                    "{output}\nmodules are downloaded with GOPROXY={proxy}, and through HTTPS_PROXY if it is set"
                );
                InstallError::GoFailed { name, status, output }
            }
            error => error,
        }
    }

    /// Compiles the packages that are not in the build cache, and links the binary.
    fn compile(&mut self, all: &HashSet<String>, binary: &Path) -> Result<(), InstallError> {
        let last = self.release.program().package();
        let mut packages = 0;
        let mut command = self.go.command(&self.sources(), &self.temporary());
        let progress = &mut *self.progress;
        progress(InstallProgress::Compiling { packages, of: all.len() });
        command.args(["build", "-v"]).args(BUILD_FLAGS).arg(linker_flag(self.release));
        let command = choose_release(&mut command, self.release).arg("-o").arg(binary).arg(".");
        run(command, "go build", &mut |line| match line {
            // With `-v`, `go` prints the names of packages as it compiles them.
            Line::Error(line) if all.contains(&line) => {
                packages += 1;
                progress(if line == last {
                    InstallProgress::Linking
                } else {
                    InstallProgress::Compiling { packages, of: all.len() }
                });
                None
            }
            Line::Error(line) | Line::Output(line) => Some(line),
        })
    }

    /// Starts the binary, and checks that it is of the release.
    fn check(&self, binary: &Path) -> Result<(), String> {
        let (version, what) = match self.release.program() {
            Program::Handlers => {
                let options = ExecOptions { timeout: Duration::from_secs(30), processes: 1 };
                let target = open_binary(binary, &options).map_err(|error| error.to_string())?;
                (target.info().version, "has the request handlers of")
            }
            Program::FullServer => (self.printed_release(binary)?, "is an API server of"),
        };
        let expected = self.release.patch_release();
        if version.as_deref() == Some(&*expected) {
            return Ok(());
        }
        let version = version.as_deref().unwrap_or("no release");
        Err(format!("it says that it {what} {version}: expected {expected}"))
    }

    /// Returns the release that a full server prints.
    fn printed_release(&self, binary: &Path) -> Result<Option<String>, String> {
        let mut version = None;
        run(
            std::process::Command::new(binary).arg("--release"),
            self.release.program().name(),
            &mut |line| match line {
                Line::Output(line) => {
                    version = Some(line);
                    None
                }
                Line::Error(line) => Some(line),
            },
        )
        .map_err(|error| error.to_string())?;
        Ok(version)
    }
}

/// Adds the arguments that choose the modules and the files of a release.
fn choose_release(command: &mut std::process::Command, release: Release) -> &mut std::process::Command {
    command.arg("-modfile").arg(release.mod_path()).arg("-tags").arg(release.tag())
}
