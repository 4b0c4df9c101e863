//! `skewer target install` of the adapters of other implementations, with scripts in place of the tools.

use std::process::Command;

use rstest::rstest;

use crate::helpers::{all_output, report_skipped, split_output, stderr, stdout};
use crate::target_install::{Setup, line};

/// A `cargo` command that "builds" an adapter of the version that `Cargo.lock` has.
const CARGO: &str = r#"#!/bin/sh
case $1 in
  --version) echo 'cargo 1.95.0 (f2d3ce0bd 2026-03-21)' ;;
  build)
    [ -f ../internal/rust/src/lib.rs ] && [ -f src/main.rs ] || { echo "sources are missing" >&2; exit 1; }
    echo '  Downloaded serde v1.0.0' >&2
    echo '   Compiling serde v1.0.0' >&2
    name=skewer-$(basename "$PWD")-adapter
    version=$(sed -n '/^name = "k8s-openapi"$/ { n; s/version = "\(.*\)"/\1/p; }' Cargo.lock)
    mkdir -p target/release
    started='{"kind":"started","protocol":1,"name":"x","version":"'"$version"' (v1_37)","supports":{"operations":[]}}'
    printf '#!/bin/sh\nread -r _\necho '"'%s'"'\nread -r _\n' "$started" > "target/release/$name"
    chmod +x "target/release/$name"
    ;;
esac
"#;

/// A `python3` command. The Python of its virtual environments "installs" packages, and runs an adapter of the version
/// that `requirements.txt` has, if the adapter and its shared modules are there.
const PYTHON: &str = r#"#!/bin/sh
case $2 in
  import*) echo 'Python 3.11.7' ;;
  venv)
    mkdir -p "$3/bin"
    cat > "$3/bin/python" <<'END'
#!/bin/sh
here=$(dirname "$0")
if [ "$2" = pip ]; then
  for file; do :; done
  echo 'Collecting oper8'
  echo 'Installing collected packages: oper8'
  sed -n 's/^oper8==\([^ ]*\).*/\1/p' "$file" > "$here/version"
elif [ -f "$1" ] && [ -f "$(dirname "$1")/../examples/python/conversation.py" ]; then
  read -r _
  echo '{"kind":"started","protocol":1,"name":"oper8","version":"'"$(cat "$here/version")"'","supports":{"operations":[]}}'
  read -r _
fi
END
    chmod +x "$3/bin/python"
    ;;
esac
"#;

fn setup() -> Setup {
    let setup = Setup::new("");
    setup.write_tool("cargo", CARGO);
    setup.write_tool("python3", PYTHON);
    setup
}

#[rstest]
#[case("kyaml", "go", "v0.21.1", &["looking for modules", "downloading modules", "compiling packages"])]
#[case("kyaml:append", "go", "v0.21.1", &["looking for modules", "downloading modules", "compiling packages"])]
#[case("k8s-openapi", "cargo", "0.29.0", &["looking for crates", "downloading crates", "compiling crates"])]
#[case("oper8", "python3", "0.1.40", &["looking for packages", "downloading packages", "unpacking packages"])]
fn an_adapter_is_installed_listed_started_and_removed(
    #[case] target: &str,
    #[case] tool: &str,
    #[case] version: &str,
    #[case] phases: &[&str],
) {
    let setup = setup();
    assert_eq!(line(&setup.succeed(&["target", "list"]), target)[1..], ["not installed", version, tool]);
    let output =
        setup.command(&["target", "install", target]).env_remove("CARGO_TARGET_DIR").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", all_output(&output));
    let text = stdout(&output);
    let last = text.trim_end().lines().last().unwrap_or_default();
    let (size, advice) = last.split_once(" in ").expect("the time of the installation");
    assert_eq!(size, format!("installed {target} (0.0 MB)"));
    // On a loaded machine, the installation takes some seconds.
    let advice = advice.trim_start_matches(|c: char| c.is_ascii_digit());
    assert_eq!(advice, format!(" s: `skewer target check {target}` tries it"));
    let expected: Vec<String> = phases.iter().map(|phase| format!("{target}: {phase}\n")).collect();
    assert_eq!(stderr(&output), format!("{}{target}: checking the program\n", expected.concat()));
    assert_eq!(setup.installed().len(), 1, "{:?}", setup.installed());

    assert_eq!(
        line(&setup.succeed(&["target", "list"]), target)[1..],
        ["installed", version, "0.0 MB", tool]
    );
    let check = setup.skewer(&["target", "check", target]);
    assert!(stdout(&check).contains(version.trim_start_matches('v')), "{}", all_output(&check));
    assert_eq!(setup.succeed(&["target", "remove", target]), format!("removed {target} (0.0 MB)\n"));
    assert!(!setup.path("cache").exists());
}

#[test]
fn a_dry_run_says_what_each_tool_would_do() {
    let setup = setup();
    // Only asked for its version.
    setup.write_tool("mvn", "#!/bin/sh\necho 'Apache Maven 3.9.9'\n");
    let text = setup.succeed(&["target", "install", "implementations", "--dry-run"]);
    for expected in [
        "kyaml\n  needs     sigs.k8s.io/kustomize/kyaml v0.21.1 and ",
        "  compile   with go1.26.8: one minute of processor time,\n",
        "k8s-openapi\n  needs     k8s-openapi 0.29.0 and its dependencies\n  download  about 6 MB from crates.io ",
        "  compile   with cargo 1.95.0 (f2d3ce0bd 2026-03-21): one and a half minutes",
        "oper8\n  needs     oper8 0.1.40 and its dependencies\n  download  about 15 MB with pip, ",
        "  unpack    with Python 3.11.7, into a virtual environment\n",
        "apimachinery:0.17\n  needs     k8s.io/apimachinery v0.17.",
        "structured-merge-diff:4.3\n  needs     sigs.k8s.io/structured-merge-diff/v4 v4.3.0 and ",
        "cache/targets/kyaml-append-",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("apiserver:1."), "{text}");
    assert!(!setup.path("cache").exists());
}

#[test]
fn a_missing_tool_is_named_and_its_targets_can_be_skipped() {
    let setup = Setup::new("");
    let command = |more: &[&str]| {
        let mut command =
            setup.command(&[&["target", "install", "kyaml", "oper8", "--dry-run"], more].concat());
        command.env("PATH", setup.path("bin")).env_remove("PYTHON").output().unwrap()
    };
    let message = format!(
        "oper8: `python3` is not installed: install Python, see https://www.python.org/downloads (PATH is {})\n",
        setup.path("bin").display()
    );
    assert_eq!(split_output(&command(&[])), (Some(2), String::new(), message.clone()));
    let output = command(&["--skip-missing-tools"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), format!("skipped {message}")));
    assert!(
        stdout(&output).starts_with("kyaml\n") && !stdout(&output).contains("oper8"),
        "{}",
        stdout(&output)
    );
}

#[rstest]
#[case::run(&["run", "retain-keys/errata", "--target"])]
#[case::client(&["run", "retain-keys/errata", "--client-target"])]
#[case::server(&["run", "retain-keys/errata", "--server-target"])]
#[case::differential(&["differential", "--target"])]
#[case::check(&["target", "check"])]
fn an_adapter_that_is_not_installed_cannot_be_a_target(#[case] command: &[&str]) {
    let output = setup().skewer(&[command, &["kyaml"]].concat());
    let message = "the target cannot be started: kyaml is not installed: run `skewer target install kyaml`\n"
        .to_owned();
    assert_eq!(split_output(&output), (Some(3), String::new(), message));
}

#[rstest]
#[case(&["run", "--target", "kyml"], "there is no target `kyml`: did you mean `kyaml`? expected builtin, kubectl, ")]
#[case(&["target", "check", "oper-8"], "there is no target `oper-8`: did you mean `oper8`? ")]
#[case(&["target", "install", "implementation"], "did you mean `implementations`?")]
#[case(&["target", "remove", "apimachinery:0.18"], "expected one of apimachinery:0.17, apimachinery:0.20, ")]
fn the_error_about_an_unknown_target_says_what_is_meant(#[case] arguments: &[&str], #[case] expected: &str) {
    let output = setup().skewer(arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains(expected), "{}", stderr(&output));
}

/// Builds an adapter from the embedded sources with the Go of this machine, if its module cache has the modules.
#[test]
fn the_embedded_sources_are_complete() {
    let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/adapters/kyaml");
    let mut list = Command::new("go");
    list.args(["list", "-deps", "."]).current_dir(modules).envs([("GOPROXY", "off"), ("GOWORK", "off")]);
    if !list.output().is_ok_and(|output| output.status.success()) {
        report_skipped("Go, or the modules of kyaml, are not on this machine");
        return;
    }
    let setup = Setup::new("");
    std::fs::remove_file(setup.path("bin/go")).unwrap();
    let output =
        setup.command(&["target", "install", "kyaml:append"]).env("GOPROXY", "off").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", all_output(&output));
    let check = setup.skewer(&["target", "check", "kyaml:append"]);
    assert!(
        stdout(&check).starts_with("sigs.k8s.io/kustomize/kyaml (append), v0.21.1, go\n"),
        "{}",
        stdout(&check)
    );
}
