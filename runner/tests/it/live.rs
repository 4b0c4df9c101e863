//! Scenarios on real API servers that keep objects. The tests of servers are skipped if `kube:R` is not installed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rstest::rstest;

use crate::helpers::{
    all_output, go_adapter, kubectl, report_skipped, skewer, skewer_command, stderr, stdout,
};

/// Returns true if targets are installed. Otherwise says that a test is skipped.
pub(crate) fn are_installed(targets: &[&str]) -> bool {
    let list = skewer(&["target", "list"]);
    let list = stdout(&list);
    let is_installed =
        |target: &&&str| list.lines().any(|line| line.split_whitespace().take(2).eq([**target, "installed"]));
    let missing: Vec<&str> = targets.iter().filter(|target| !is_installed(target)).copied().collect();
    if !missing.is_empty() {
        report_skipped(&format!("{} is not installed (skewer target install builds it)", missing.join(", ")));
    }
    missing.is_empty()
}

/// Returns the folders of running servers.
fn folders_of_servers() -> Vec<String> {
    let names = std::fs::read_dir(std::env::temp_dir())
        .unwrap()
        .filter_map(|entry| entry.ok().and_then(|entry| entry.file_name().into_string().ok()));
    names.filter(|name| name.starts_with("skewer-kube-")).collect()
}

#[test]
fn custom_resources_end_as_simulated_on_a_real_server() {
    if !are_installed(&["kube:1.36"]) {
        return;
    }
    let output = skewer(&["run", "--target", "kube:1.36", "upstream/custom-resources/member-of"]);
    assert!(output.status.success(), "{}", all_output(&output));
    assert!(!stdout(&output).contains("not run"), "{}", all_output(&output));
}

#[test]
fn servers_of_two_releases_share_their_storage() {
    if !are_installed(&["kube:1.30", "kube:1.36"]) {
        return;
    }
    let output =
        skewer(&["run", "--target", "kube:1.30+1.36", "upstream/storage/patch-that-changes-nothing"]);
    assert!(output.status.success(), "{}", all_output(&output));
    assert!(stdout(&output).contains(" lost"), "{}", all_output(&output));
}

#[test]
fn findings_are_confirmed_by_a_real_server() {
    if !are_installed(&["kube:1.36"]) {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit/known/required-field");
    let [old, new] = ["old.yaml", "new.yaml"].map(|name| folder.join(name).display().to_string());
    let output = skewer(&["audit", &old, &new, "--confirm", "kube:1.36"]);
    assert!(output.status.success(), "{}", all_output(&output));
    let text = stdout(&output);
    assert!(text.contains("confirmed: ") && !text.contains("NOT CONFIRMED"), "{}", all_output(&output));
}

/// Each step of the guide's chapter ends on a server as it is simulated.
#[rstest]
#[case::another_tool(&["--manifests", "rendered", "--by", "helm3..helm4"], "confirmed: 4 of 4 ")]
#[case::a_version_goes_away(&["--crds", "crd.yaml", "--remove-version", "certs.example.com/v1alpha1"], "confirmed: 1 of 1 ")]
#[case::the_definition_changes(&["--old-crds", "crd.yaml", "--crds", "new-crd.yaml"], "confirmed: 1 of 1 ")]
fn a_preflight_is_confirmed_by_a_real_server(#[case] step: &[&str], #[case] expected: &str) {
    if !are_installed(&["kube:1.36"]) {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guide/examples/preflight");
    let mut command = skewer_command();
    command.current_dir(folder).args(["preflight", "objects.yaml", "--confirm", "kube:1.36"]).args(step);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", all_output(&output));
    assert!(stdout(&output).contains(expected), "{}", all_output(&output));
}

#[test]
fn nothing_is_left_behind_by_a_killed_run() {
    const PATIENCE: Duration = Duration::from_secs(30);
    if !are_installed(&["kube:1.36"]) {
        return;
    }
    let before = folders_of_servers();
    let is_new = |name: &&String| !before.contains(name);
    let mut run = skewer_command().args(["target", "start", "kube:1.36"]).spawn().unwrap();
    let start = Instant::now();
    let own = loop {
        if let Some(own) = folders_of_servers().iter().find(is_new).cloned() {
            break own;
        }
        assert!(start.elapsed() < PATIENCE, "no server was started");
        std::thread::sleep(Duration::from_millis(20));
    };
    run.kill().unwrap();
    run.wait().unwrap();
    let start = Instant::now();
    while folders_of_servers().contains(&own) {
        assert!(start.elapsed() < PATIENCE, "{own} is left behind");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A process that is killed at the end of a test.
pub(crate) struct Killed(pub(crate) Child);

/// Starts an API server. Returns the path of a kubeconfig file for it.
pub(crate) fn start_server() -> (Killed, String) {
    let mut server = skewer_command();
    let server = server.args(["target", "start", "kube:1.36"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut server = Killed(server);
    let lines = BufReader::new(server.0.stdout.take().unwrap()).lines().map_while(Result::ok);
    let is_config = |line: String| line.split_once("KUBECONFIG=").map(|(_, path)| path.to_owned());
    let kubeconfig = lines.into_iter().find_map(is_config).unwrap();
    (server, kubeconfig)
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the kinds of what runs have created in a cluster. No controller ends the deletion of a namespace there, so what
/// is being deleted does not count.
fn created_in_cluster(kubeconfig: &str) -> String {
    const KINDS: &str = r#"jsonpath={range .items[*]}{.kind}:{.metadata.deletionTimestamp}{"\n"}{end}"#;
    let mut command = Command::new("kubectl");
    command.args(["get", "namespaces,customresourcedefinitions", "-l", "skewer.dev/run", "-o", KINDS]);
    let output = command.args(["--kubeconfig", kubeconfig]).output().unwrap();
    stdout(&output).lines().filter_map(|line| line.strip_suffix(':')).collect()
}

/// Waits until a condition holds.
fn wait_for(what: &str, mut is_met: impl FnMut() -> bool) {
    const PATIENCE: Duration = Duration::from_secs(60);
    let start = Instant::now();
    while !is_met() {
        assert!(start.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A cluster that the run has not started survives it. Another process then removes the namespace and the definitions.
#[test]
fn nothing_is_left_in_a_cluster_by_a_killed_run() {
    if kubectl().is_none() || !are_installed(&["kube:1.36"]) {
        return;
    }
    let (_server, kubeconfig) = start_server();
    let mut run = skewer_command();
    run.args(["run", "--target", "kube", "--kubeconfig", &kubeconfig, "--allow-crds"]);
    let run = Killed(run.arg("upstream/custom-resources").stdout(Stdio::null()).spawn().unwrap());
    wait_for("a namespace and a definition", || {
        let created = created_in_cluster(&kubeconfig);
        created.contains("Namespace") && created.contains("CustomResourceDefinition")
    });
    drop(run);
    wait_for("the end of what the run created", || created_in_cluster(&kubeconfig).is_empty());
}

#[rstest]
#[case::no_such_release(&["run", "--target", "kube:1.22"], "unknown release `1.22` of kube: expected one of 1.30, 1.36")]
#[case::no_cluster(
    &["run", "--target", "kube", "--kubeconfig", "/nowhere/config"],
    "/nowhere/config: failed to read kubeconfig"
)]
#[case::no_server(&["audit", "a.yaml", "b.yaml", "--confirm", "kubectl"], "--confirm kubectl: expected kube:R")]
#[case::one_target_too_many(
    &["run", "--target", "kubectl", "--client-target", "builtin"],
    "cannot be used with '--client-target <TARGET>'"
)]
#[case::no_run(&["target", "clean-up", "default", "--kubeconfig", "/nowhere/config"], "/nowhere/config: failed to read")]
#[case::no_server_to_start(&["target", "start", "kubectl"], "kubectl: expected kube:R")]
fn servers_that_do_not_exist_are_refused(#[case] arguments: &[&str], #[case] expected: &str) {
    let output = skewer(arguments);
    assert!(!output.status.success());
    assert!(stderr(&output).contains(expected), "{}", all_output(&output));
}

/// The client creates the patches, and the server applies them.
#[test]
fn a_pair_of_targets_runs_the_corpus() {
    let arguments = ["--client-target", "builtin", "--server-target", "builtin", "retain-keys/use-cases"];
    let output = skewer(&[&["run"], &arguments[..]].concat());
    assert!(output.status.success(), "{}", all_output(&output));
}

/// The answer of the built-in engine is no result of the implementation that is named.
#[test]
fn a_cell_counts_only_if_the_named_side_takes_part() {
    let skipped = |side| {
        let output = skewer(&["run", side, "builtin", "retain-keys/use-cases"]);
        assert!(output.status.success(), "{}", all_output(&output));
        stdout(&output).contains("not asked")
    };
    assert!(skipped("--client-target") && !skipped("--server-target"));
}

/// The engine beside an adapter is not under test, so that cells count in which only the adapter was asked.
#[test]
fn a_side_that_names_the_engine_beside_an_adapter_counts_as_not_named() {
    let adapter = format!("exec:{} serve", env!("CARGO_BIN_EXE_skewer"));
    let run = |client: &[&str]| {
        let cells = ["upstream/list-merge", "--server-target", &adapter];
        stdout(&skewer(&[&["run"], &cells[..], client].concat()))
    };
    let named = run(&["--client-target", "builtin"]);
    assert_eq!(named, run(&[]));
    assert!(!named.contains("not asked"), "{named}");
}

/// A client of another project and the server of a release: the state is compared with the simulation of this client.
#[test]
fn a_client_library_and_the_server_of_a_release_run_the_corpus() {
    let Some(client) = go_adapter() else { return };
    if !are_installed(&["apiserver:1.28"]) {
        return;
    }
    let client = format!("exec:{client}");
    let pair = ["--client-target", &client, "--server-target", "apiserver:1.28"];
    let output =
        skewer(&[&["run"], &pair[..], &["releases/horizontal-pod-autoscaler", "releases/pod"]].concat());
    assert!(output.status.success(), "{}", all_output(&output));
    assert!(stdout(&output).contains("deviation"), "{}", all_output(&output));
}

/// Answers every request with the version of an API server. Returns the port.
fn serve_version() -> u16 {
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let body = r#"{"major":"1","minor":"36","gitVersion":"v1.36.3"}"#;
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
        }
    });
    port
}

/// Nothing is created in a cluster on another machine without being asked for, and no credentials are printed.
#[test]
fn a_cluster_on_another_machine_needs_yes() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config");
    // This address is no loopback address, although it leads to this machine.
    let server = format!("http://0.0.0.0:{}", serve_version());
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{{name: c, cluster: {{server: '{server}'}}}}]\nusers: \
         [{{name: c, user: {{token: secret-token}}}}]\ncontexts: [{{name: c, context: {{cluster: c, user: c}}}}]\n"
    );
    std::fs::write(&config, text).unwrap();
    let config = config.display().to_string();
    let manifests = folder.path().join("manifests.yaml");
    std::fs::write(&manifests, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n").unwrap();
    let manifests = manifests.display().to_string();
    let dry_run =
        ["--by", "kubectl", "--confirm", "dry-run", "--kubeconfig", &config, "--manifests", &manifests];
    let output = skewer(&[&["preflight", &manifests], &dry_run[..]].concat());
    let error = stderr(&output);
    assert!(!output.status.success() && error.contains("Add --yes to do that"), "{error}");
    assert!(error.contains("dryRun=All") && !all_output(&output).contains("secret-token"), "{error}");
    let output = skewer(&["run", "--target", "kube", "--kubeconfig", &config]);
    assert!(!output.status.success());
    let error = stderr(&output);
    let expected =
        format!("{server}/ (v1.36.3) is not on this machine. The run would create a namespace of its own");
    assert!(error.contains(&expected) && error.contains("Add --yes to do that"), "{error}");
    assert!(!all_output(&output).contains("secret-token"));
}
