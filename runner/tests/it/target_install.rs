//! `skewer target install`, `list` and `remove`, with a script in place of the `go` command.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use rstest::rstest;
use rustix::process::Signal;
use tempfile::TempDir;

use crate::helpers::processes::{LONG, assert_all_end, start_child, wait_for_file};
use crate::helpers::{all_output, send_signal, skewer_command, split_output, stderr, stdout};

/// A `go` command that records how it is called. It "builds" an adapter that only describes itself. `ON_BUILD` stands
/// for what it does before that.
const GO: &str = r#"#!/bin/sh
log=$(dirname "$0")/log
echo "go $*" >> "$log"
case $1 in
  env) printf '%s\n' VERSION local https://proxy.example "$GOFLAGS" "$(dirname "$0")" linux amd64 ;;
  build)
    case $GOFLAGS in *-no-network*) echo "dial tcp: refused" >&2; exit 1 ;; esac
    echo "go: downloading k8s.io/apiserver v0.28.15" >&2
    env > "$log.env"
    ls . ../internal/conversation > "$log.files"
    ON_BUILD
    modfile=go.mod
    while [ $# -gt 0 ]; do
      [ "$1" = -o ] && out=$2
      [ "$1" = -modfile ] && modfile=$2
      shift
    done
    printf '%s\n' fmt k8s.io/apiserver skewer.dev/apiserver >&2
    version=$(sed -n -e 's,.*k8s\.io/apiserver v0\.,1.,p' -e 's,.*kustomize/kyaml ,,p' "$modfile")
    supports='"supports":{"operations":[]}'
    started='{"kind":"started","protocol":1,"name":"handlers","version":"'"$version"'",'"$supports"'}'
    printf '#!/bin/sh\nread -r _\necho '"'%s'"'\nread -r _\n' "$started" > "$out"
    chmod +x "$out"
    ;;
esac
"#;

/// A cache folder, and a folder with the script `go`.
pub(crate) struct Setup {
    root: TempDir,
}

impl Setup {
    pub(crate) fn new(on_build: &str) -> Self {
        let setup = Setup { root: tempfile::tempdir().unwrap() };
        fs::create_dir(setup.path("bin")).unwrap();
        setup.write_go(on_build, "go1.26.8");
        setup
    }

    fn write_go(&self, on_build: &str, version: &str) {
        self.write_tool("go", &GO.replace("ON_BUILD", on_build).replace("VERSION", version));
    }

    /// Writes a script that stands for a tool.
    pub(crate) fn write_tool(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut path = OsString::from(self.path("bin"));
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap());
        let mut command = skewer_command();
        command.args(arguments).env("PATH", path).env("SKEWER_CACHE_DIR", self.path("cache"));
        command
    }

    pub(crate) fn skewer(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed, and returns its standard output.
    pub(crate) fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.skewer(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", all_output(&output));
        stdout(&output)
    }

    /// Returns the calls of `go`, one in each line.
    fn log(&self) -> String {
        fs::read_to_string(self.path("bin/log")).unwrap_or_default()
    }

    /// Returns the names in the folder of the binaries.
    pub(crate) fn installed(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path("cache/targets")) else { return Vec::new() };
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Puts a binary of other sources where it would be.
    fn install_outdated(&self) {
        fs::create_dir_all(self.path("cache/targets")).unwrap();
        fs::write(self.path("cache/targets").join(OUTDATED), "x").unwrap();
    }
}

const OUTDATED: &str = "apiserver-1.28-0123456789abcdef";

/// Returns the line of a table that begins with a word.
pub(crate) fn line<'t>(table: &'t str, word: &str) -> Vec<&'t str> {
    let line = table.lines().find(|line| line.split_whitespace().next() == Some(word));
    line.unwrap_or_else(|| panic!("no {word} in {table}"))
        .split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect()
}

#[test]
fn a_release_is_installed_listed_started_and_removed() {
    let setup = Setup::new("");
    assert_eq!(line(&setup.succeed(&["target", "list"]), "apiserver:1.28")[1], "not installed");

    let output = setup.skewer(&["target", "install", "apiserver:1.28"]);
    assert_eq!(output.status.code(), Some(0), "{}", all_output(&output));
    assert!(stdout(&output).contains("\ninstalled apiserver:1.28 (0.0 MB) in "), "{}", stdout(&output));
    let phases = ["looking for modules", "downloading modules", "compiling packages", "checking the program"];
    assert_eq!(stderr(&output), phases.map(|phase| format!("apiserver:1.28: {phase}\n")).concat());
    let [name] = &setup.installed()[..] else { panic!("{:?}", setup.installed()) };
    assert!(name.starts_with("apiserver-1.28-"), "{name}");

    let list = setup.succeed(&["target", "list"]);
    assert_eq!(line(&list, "apiserver:1.28")[1..], ["installed", "1.28.15", "0.0 MB", "go"], "{list}");
    assert_eq!(line(&list, "apiserver:1.30")[1], "not installed");
    let check = setup.skewer(&["target", "check", "apiserver:1.28"]);
    assert!(stdout(&check).starts_with("handlers, 1.28.15\n"), "{}", all_output(&check));

    assert_eq!(setup.succeed(&["target", "remove", "apiserver:1.28"]), "removed apiserver:1.28 (0.0 MB)\n");
    assert!(!setup.path("cache").exists());
    assert_eq!(setup.succeed(&["target", "remove", "apiserver:1.28"]), "apiserver:1.28 is not installed\n");
}

#[test]
fn go_gets_the_sources_of_the_release_and_the_environment_of_the_user() {
    let setup = Setup::new("");
    let mut command = setup.command(&["target", "install", "apiserver:1.30"]);
    let environment =
        [("HTTPS_PROXY", "http://proxy"), ("GOFLAGS", "-p=1"), ("CGO_ENABLED", "1"), ("GOOS", "plan9")];
    let output = command.envs(environment).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", all_output(&output));

    let log = setup.log();
    let calls: Vec<&str> = log.lines().collect();
    assert_eq!(calls.len(), 2, "{log}");
    let build = "go build -mod=readonly -buildvcs=false -trimpath -ldflags=-s -w -modfile releases/1.30.mod -tags \
                 release_1_30 -o ";
    assert!(calls[1].starts_with(build) && calls[1].ends_with("/program ."), "{log}");

    let variables = fs::read_to_string(setup.path("bin/log.env")).unwrap();
    for expected in
        ["HTTPS_PROXY=http://proxy", "GOFLAGS=-p=1 -v", "CGO_ENABLED=0", "GOWORK=off", "GOOS=linux"]
    {
        assert!(variables.lines().any(|line| line == expected), "{expected}: {variables}");
    }
    let temporary = variables.lines().find_map(|line| line.strip_prefix("GOTMPDIR=")).unwrap();
    assert!(Path::new(temporary).starts_with(setup.path("cache/targets")), "{temporary}");
    let files = fs::read_to_string(setup.path("bin/log.files")).unwrap();
    for expected in ["main.go", "empty.s", "go.mod", "releases", "protocol.go", "build.sh"] {
        assert!(files.lines().any(|line| line == expected), "{expected}: {files}");
    }
}

#[test]
fn a_current_release_is_built_again_only_if_forced() {
    let setup = Setup::new("");
    setup.succeed(&["target", "install", "apiserver:1.28"]);
    let log = setup.log();
    let text = setup.succeed(&["target", "install", "apiserver:1.28"]);
    assert!(text.starts_with("apiserver:1.28 is installed and current (0.0 MB): "), "{text}");
    assert_eq!(setup.log(), log, "go was not called");
    setup.succeed(&["target", "install", "apiserver:1.28", "--force"]);
    assert_eq!(setup.log().matches("go build ").count(), 2, "{}", setup.log());
    assert_eq!(setup.installed().len(), 1);
}

#[test]
fn a_dry_run_only_says_what_would_be_done() {
    let setup = Setup::new("");
    let text = setup.succeed(&["target", "install", "apiserver:1.28", "apiserver:1.34", "--dry-run"]);
    for expected in [
        "k8s.io/apiserver v0.28.15 and 67 other Go modules",
        "k8s.io/apiserver v0.34.8 and 65 other Go modules",
        "all 68 modules, about 50 MB,",
        "GOPROXY=https://proxy.example",
        "go1.26.8",
        "cache/targets/apiserver-1.28-",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(setup.log().starts_with("go env ") && setup.log().lines().count() == 1, "{}", setup.log());
    assert!(!setup.path("cache").exists());
}

#[test]
fn all_releases_can_be_installed_at_once() {
    let setup = Setup::new("");
    setup.succeed(&["target", "install", "all"]);
    let names = setup.installed();
    assert_eq!(names.len(), 8, "{names:?}");
    let text = setup.succeed(&["target", "remove", "all"]);
    assert_eq!(text.matches("removed apiserver:1.").count(), 8, "{text}");
    assert!(!setup.path("cache").exists());
}

#[test]
fn an_outdated_binary_is_not_used_and_is_replaced() {
    let setup = Setup::new("");
    setup.install_outdated();
    assert_eq!(line(&setup.succeed(&["target", "list"]), "apiserver:1.28")[1], "outdated");
    let output = setup.skewer(&["run", "retain-keys/errata", "--target", "apiserver:1.28"]);
    let message = "the target cannot be started: apiserver:1.28 was installed by another version of Skewer and is \
                   outdated: run `skewer target install apiserver:1.28`\n";
    assert_eq!(split_output(&output), (Some(3), String::new(), message.to_owned()));
    setup.succeed(&["target", "install", "apiserver:1.28"]);
    let names = setup.installed();
    assert!(names.len() == 1 && names[0] != OUTDATED, "{names:?}");
}

#[rstest]
#[case::run(&["run", "retain-keys/errata"])]
#[case::differential(&["differential"])]
#[case::check(&["target", "check"])]
fn a_release_that_is_not_installed_cannot_be_a_target(#[case] command: &[&str]) {
    let setup = Setup::new("");
    let option: &[&str] = if command == ["target", "check"] { &[] } else { &["--target"] };
    let output = setup.skewer(&[command, option, &["apiserver:1.28"]].concat());
    let message = "the target cannot be started: apiserver:1.28 is not installed: run `skewer target install \
                   apiserver:1.28`\n";
    assert_eq!(split_output(&output), (Some(3), String::new(), message.to_owned()));
}

#[rstest]
#[case::of_a_target(&["run", "--target", "apiserver:1.29"])]
#[case::to_install(&["target", "install", "apiserver:1.29"])]
#[case::to_remove(&["target", "remove", "apiserver:1.29"])]
fn the_error_about_an_unknown_release_lists_the_known_ones(#[case] arguments: &[&str]) {
    let output = Setup::new("").skewer(arguments);
    assert_eq!(output.status.code(), Some(2));
    let known =
        "unknown release `1.29` of apiserver: expected one of 1.20, 1.22, 1.26, 1.27, 1.28, 1.30, 1.34, 1.37";
    assert!(stderr(&output).contains(known), "{}", stderr(&output));
}

#[rstest]
#[case::of_a_compiler(
    "echo '# k8s.io/api' >&2; echo 'x.go:1:2: undefined: Y' >&2; exit 7",
    "\n# k8s.io/api\nx.go:1:2: undefined: Y\n"
)]
#[case::that_says_nothing(
    "exit 7",
    "the build of apiserver:1.28 with `go` failed with exit code 7; its output ends with:\n"
)]
#[case::in_the_binary(
    "for out; do [ \"${out##*/}\" = program ] && printf '#!/bin/sh\\nexit 3\\n' > \"$out\" && chmod +x \"$out\"; done; \
     exit 0",
    "the new program of apiserver:1.28 does not work, and was removed: "
)]
#[case::of_another_release(
    "sed -i.old s/v0.28.15/v0.28.14/ releases/1.28.mod",
    "it says that its version is 1.28.14: expected 1.28.15\n"
)]
fn a_failed_build_changes_nothing(#[case] on_build: &str, #[case] message: &str) {
    let setup = Setup::new(on_build);
    let output = setup.skewer(&["target", "install", "apiserver:1.28"]);
    assert_eq!(output.status.code(), Some(3), "{}", all_output(&output));
    assert!(stderr(&output).contains(message), "{}", stderr(&output));
    assert!(!setup.path("cache").exists());

    setup.install_outdated();
    assert_eq!(setup.skewer(&["target", "install", "apiserver:1.28"]).status.code(), Some(3));
    assert_eq!(setup.installed(), [OUTDATED]);
}

#[test]
fn the_error_about_a_download_names_the_proxy() {
    let setup = Setup::new("");
    let mut command = setup.command(&["target", "install", "apiserver:1.28"]);
    let output = command.env("GOFLAGS", "-no-network").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", all_output(&output));
    let message = "\ndial tcp: refused\nmodules are downloaded with GOPROXY=https://proxy.example, and through HTTPS_PROXY \
                   if it is set\n";
    assert!(stderr(&output).ends_with(message), "{}", stderr(&output));
}

#[test]
fn go_must_be_installed_and_recent() {
    let setup = Setup::new("");
    setup.write_go("", "go1.25.3");
    let output = setup.skewer(&["target", "install", "apiserver:1.28"]);
    assert_eq!(output.status.code(), Some(2));
    let message = "`go` is go1.25.3, but apiserver:1.28 needs 1.26 or later: install Go, see ";
    assert!(stderr(&output).starts_with(message), "{}", stderr(&output));

    let output = setup
        .command(&["target", "install", "apiserver:1.28"])
        .env("PATH", setup.path("nowhere"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message =
        "apiserver:1.28: `go` is not installed: install Go, see https://go.dev/doc/install (PATH is ";
    assert!(stderr(&output).starts_with(message), "{}", stderr(&output));
    assert!(!setup.path("cache").exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let setup = Setup::new("");
    fs::write(setup.path("file"), "").unwrap();
    let mut command = setup.command(&["target", "install", "apiserver:1.28"]);
    let output = command.env("SKEWER_CACHE_DIR", setup.path("file")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("/file/targets: "), "{}", stderr(&output));
}

#[rstest]
#[case(Signal::INT)]
#[case(Signal::TERM)]
fn an_interrupted_build_leaves_nothing_behind(#[case] signal: Signal) {
    let setup = Setup::new("");
    let pids = setup.path("pids");
    let hang =
        format!("echo x > \"$GOTMPDIR/x\"; {}; echo $$ >> {}; sleep 300", start_child(&pids), pids.display());
    setup.write_go(&hang, "go1.26.8");
    setup.install_outdated();
    let mut command = setup.command(&["target", "install", "apiserver:1.28", "apiserver:1.30"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_file(&pids);
    assert_eq!(setup.installed().len(), 2, "the build has a folder of its own");
    let started = Instant::now();
    send_signal(child.id(), signal);
    let output = child.wait_with_output().unwrap();
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
    assert_eq!(output.status.code(), Some(130), "{}", all_output(&output));
    assert!(stderr(&output).ends_with("interrupted: apiserver:1.28 was not built\n"), "{}", stderr(&output));
    assert_all_end(&pids);
    assert_eq!(setup.installed(), [OUTDATED]);
}

#[test]
fn a_build_removes_the_folder_of_one_that_was_killed() {
    let setup = Setup::new("");
    let pids = setup.path("pids");
    setup.write_go(&format!("echo $$ >> {}; sleep 300", pids.display()), "go1.26.8");
    let mut child = setup
        .command(&["target", "install", "apiserver:1.28"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_file(&pids);
    child.kill().unwrap();
    child.wait().unwrap();
    for pid in fs::read_to_string(&pids).unwrap().lines() {
        send_signal(pid.parse().unwrap(), Signal::KILL);
    }
    assert!(setup.installed()[0].starts_with(".build-"), "{:?}", setup.installed());
    setup.write_go("", "go1.26.8");
    setup.succeed(&["target", "install", "apiserver:1.30"]);
    let names = setup.installed();
    assert!(names.len() == 1 && names[0].starts_with("apiserver-1.30-"), "{names:?}");
}
