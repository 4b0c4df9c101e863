//! `skewer preflight` with a cluster: objects that are read from it, dry runs, and repairs. The tests are skipped if `kube:1.36` or
//! kubectl is not installed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use rstest::rstest;

use crate::helpers::{all_output, kubectl, skewer_command, stderr, stdout};
use crate::live::{Killed, are_installed, start_server};

/// The Deployments of the guide, in which others than Helm own a field each.
const HISTORY: &[&[&str]] = &[
    &["create", "namespace", "shop"],
    &["create", "-f", "crd.yaml"],
    &["create", "--field-manager=helm", "-f", "rendered"],
    &["patch", "deployment", "cart", "-n", "shop", "--field-manager=ops", "-p", r#"{"spec":{"replicas":6}}"#],
    &["annotate", "deployment", "search", "-n", "shop", "--field-manager=helm", "old=1"],
];

/// An API server with the objects of the guide.
struct Shop {
    _server: Killed,
    kubeconfig: String,
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../guide/examples/preflight")
}

impl Shop {
    /// Starts the server. `None` if it, or kubectl, is not installed.
    fn open() -> Option<Shop> {
        kubectl()?;
        if !are_installed(&["kube:1.36"]) {
            return None;
        }
        let (server, kubeconfig) = start_server();
        let shop = Shop { _server: server, kubeconfig };
        for arguments in HISTORY {
            shop.kubectl(arguments);
        }
        Some(shop)
    }

    #[track_caller]
    fn kubectl(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("kubectl");
        let output =
            command.current_dir(example()).args(arguments).env("KUBECONFIG", &self.kubeconfig).output();
        let output = output.unwrap();
        assert!(output.status.success(), "kubectl {arguments:?}: {}", all_output(&output));
        stdout(&output)
    }

    /// Returns every object that a step concerns, with its resource version.
    fn objects(&self) -> String {
        self.kubectl(&[
            "get",
            "deployments,secrets,issuers,configmaps",
            "-A",
            "-o",
            "yaml",
            "--show-managed-fields",
        ])
    }
}

fn preflight(kubeconfig: &str, arguments: &[&str]) -> Output {
    let mut command = skewer_command();
    command.current_dir(example()).arg("preflight").args(["--kubeconfig", kubeconfig]).args(arguments);
    command.output().unwrap()
}

/// A kubeconfig file for the server, whose requests are recorded on their way.
struct Recorder {
    _proxy: Killed,
    folder: tempfile::TempDir,
    sent: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Recorder {
    fn start(shop: &Shop) -> Recorder {
        let mut command = Command::new("kubectl");
        command.args(["proxy", "--port=0", "--kubeconfig", &shop.kubeconfig]).stdout(Stdio::piped());
        let mut proxy = Killed(command.spawn().unwrap());
        let mut line = String::new();
        BufReader::new(proxy.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let server = line.trim().rsplit_once(' ').unwrap().1.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&sent);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (server, recorded) = (TcpStream::connect(&server).unwrap(), Arc::clone(&recorded));
                let (mut back, mut forth) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut back, &mut forth));
                std::thread::spawn(move || record(client, server, &recorded));
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let config = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: other\nclusters: [{{name: c, cluster: {{server: \
             'http://{address}'}}}}]\nusers: [{{name: c}}]\ncontexts: [{{name: shop, context: {{cluster: c, user: c}}}}]\n"
        );
        std::fs::write(folder.path().join("config"), config).unwrap();
        Recorder { _proxy: proxy, folder, sent }
    }

    fn kubeconfig(&self) -> String {
        self.folder.path().join("config").display().to_string()
    }

    /// Returns the request lines, without the version of HTTP.
    fn requests(&self) -> Vec<String> {
        let sent = self.sent.lock().unwrap();
        let texts = sent.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let lines: Vec<String> =
            texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        // A body without a line feed at its end is before the next request, in the same line.
        let requests = lines.iter().filter_map(|line| line.strip_suffix(" HTTP/1.1"));
        let methods = ["GET /", "POST /", "PUT /", "PATCH /", "DELETE /"];
        let start = |line: &str| methods.iter().filter_map(|method| line.rfind(method)).max().unwrap();
        requests.map(|line| line[start(line)..].to_owned()).collect()
    }
}

fn record(mut client: TcpStream, mut server: TcpStream, sent: &Mutex<Vec<Vec<u8>>>) {
    let index = {
        let mut sent = sent.lock().unwrap();
        sent.push(Vec::new());
        sent.len() - 1
    };
    let mut buffer = [0; 8192];
    while let Ok(length @ 1..) = client.read(&mut buffer) {
        sent.lock().unwrap()[index].extend(&buffer[..length]);
        if server.write_all(&buffer[..length]).is_err() {
            return;
        }
    }
}

const KINDS: [&str; 4] = ["--kind", "deploy,secrets", "Issuer.certs.example.com", "configmaps"];

#[test]
fn a_cluster_gets_reads_and_dry_runs_only() {
    let Some(shop) = Shop::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    let manifests = folder.path().join("manifests.yaml");
    let others = "---\napiVersion: certs.example.com/v1\nkind: Issuer\nmetadata: {name: new, namespace: shop}\nspec: {endpoint: u}\n---\n\
                  apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new, namespace: shop}\ndata: {a: b}\n";
    let rendered = ["cart", "mail", "search", "database"].map(|name| {
        let text = std::fs::read_to_string(example().join(format!("rendered/{name}.yaml"))).unwrap();
        format!("---\n{text}")
    });
    std::fs::write(&manifests, rendered.concat() + others).unwrap();
    let manifests = manifests.display().to_string();
    let before = shop.objects();
    let recorder = Recorder::start(&shop);
    // Updates, merge patches, applies and creations.
    for by in ["helm3..helm4", "kubectl", "kubectl-csa", "flux", "controller-update", "controller-patch"] {
        let step = ["--context", "shop", "--manifests", &manifests, "--by", by, "--confirm", "dry-run"];
        let output = preflight(&recorder.kubeconfig(), &[&step[..], &KINDS].concat());
        assert!(output.status.success(), "{by}: {}", all_output(&output));
        let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        // Flux has nothing to change, and creates two objects.
        let compared = if by == "flux" { 2 } else { 5 };
        let confirmed = format!("confirmed: {compared} of {compared} situations");
        assert!(text.contains(&confirmed), "{by}: {text}");
        assert!(text.contains("Secret shop/database: its secret values were replaced"), "{by}: {text}");
        if by == "helm3..helm4" {
            let not_stored =
                "dry run of “helm4 applies the manifest”: the request before it is not stored (3 objects)";
            assert!(text.contains(not_stored), "{text}");
        }
    }
    let requests = recorder.requests();
    let (reads, others): (Vec<_>, Vec<_>) = requests.iter().partition(|line| line.starts_with("GET "));
    assert!(reads.len() > 20 && others.len() > 20, "{requests:?}");
    let methods = ["PUT ", "PATCH ", "POST "];
    assert!(methods.iter().all(|method| others.iter().any(|line| line.starts_with(method))), "{others:?}");
    let writes: Vec<_> = others.iter().filter(|line| !line.contains("dryRun=All")).collect();
    assert!(writes.is_empty(), "{writes:?}");
    assert_eq!(shop.objects(), before);
}

#[test]
fn an_answer_of_the_cluster_that_differs_is_listed() {
    let Some(shop) = Shop::open() else { return };
    // Types of another release: the simulated server refuses a field that the cluster has.
    let step = ["--manifests", "-", "--by", "controller-apply", "--confirm", "dry-run", "--server", "1.30"];
    let mut command = skewer_command();
    command.args(["preflight", "--kubeconfig", &shop.kubeconfig, "--kind", "deployments"]).args(step);
    let mut run =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: cart, namespace: shop}\nspec: {template: {spec: \
                    {resources: {requests: {cpu: 1}}}}}\n";
    run.stdin.take().unwrap().write_all(manifest.as_bytes()).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", all_output(&output));
    let text = stdout(&output);
    assert!(
        text.contains("NOT CONFIRMED: 0 of 1 situation ") && text.contains("Deployment shop/cart"),
        "{text}"
    );
    assert!(
        stderr(&output).contains("the cluster does not do what the simulation predicts"),
        "{}",
        stderr(&output)
    );
}

/// Each repair is run, after which the preflight has no such finding.
#[rstest]
#[case::a_removed_version(
    &["--kind", "issuers", "--remove-version", "certs.example.com/v1alpha1"], "owners lost", None
)]
#[case::a_stuck_field(&["--kind", "deploy", "--manifests", "rendered", "--by", "helm4"], "stuck field", Some("helm"))]
fn a_repair_that_was_written_works(#[case] step: &[&str], #[case] finding: &str, #[case] by: Option<&str>) {
    let Some(shop) = Shop::open() else { return };
    let issuer = "apiVersion: certs.example.com/v1alpha1\nkind: Issuer\nmetadata: {name: a, namespace: shop}\nspec: {owner: me}\n";
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("issuer.yaml").display().to_string();
    std::fs::write(&manifest, issuer).unwrap();
    shop.kubectl(&["apply", "--server-side", "-f", &manifest]);
    if let Some(manager) = by {
        // The tool has applied the replicas once, and then others did, too.
        let manager = format!("--field-manager={manager}");
        shop.kubectl(&["apply", "--server-side", "--force-conflicts", &manager, "-f", "rendered"]);
    }
    let scripts = folder.path().join("repairs");
    let written_to = scripts.display().to_string();
    let arguments = [step, &["--write-repairs", &written_to]].concat();
    let output = preflight(&shop.kubeconfig, &arguments);
    assert!(stdout(&output).contains(finding), "{}", all_output(&output));
    let written: Vec<PathBuf> =
        std::fs::read_dir(&scripts).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!written.is_empty(), "{}", all_output(&output));
    for script in &written {
        let mut command = Command::new("sh");
        let output = command.arg(script).arg("--kubeconfig").arg(&shop.kubeconfig).output().unwrap();
        assert!(output.status.success(), "{}: {}", script.display(), all_output(&output));
    }
    let output = preflight(&shop.kubeconfig, step);
    assert!(output.status.success() && !stdout(&output).contains(finding), "{}", all_output(&output));
}

/// The definitions before the step are those of the cluster, and a kind that it does not have is an error.
#[test]
fn definitions_of_a_cluster_are_the_old_ones() {
    let Some(shop) = Shop::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("issuers.yaml");
    // More than a page.
    let issuers = (0..260).map(|number| {
        format!(
            "---\napiVersion: certs.example.com/v1\nkind: Issuer\nmetadata: {{name: i{number}, namespace: shop}}\nspec: {{owner: me, endpoint: u}}\n"
        )
    });
    std::fs::write(&manifest, issuers.collect::<String>()).unwrap();
    shop.kubectl(&["create", "-f", &manifest.display().to_string()]);
    let output = preflight(&shop.kubeconfig, &["--kind", "issuers", "--crds", "new-crd.yaml"]);
    let text = stdout(&output);
    assert!(
        text.contains("field removed  spec.owner") && text.contains("260 of 260 Issuers"),
        "{}",
        all_output(&output)
    );
    let output = preflight(&shop.kubeconfig, &["--kind", "boxes", "--crds", "new-crd.yaml"]);
    assert!(
        !output.status.success() && stderr(&output).contains("has no kind boxes"),
        "{}",
        all_output(&output)
    );
}
