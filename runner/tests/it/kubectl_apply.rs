//! `kubectl apply --server-side` against a loopback server that runs the engine. The test is skipped if kubectl is not
//! installed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::spawn;

use skewer_engine::document::from_json;
use skewer_engine::patch::PatchLibrary;
use skewer_engine::schema::builtin;
use skewer_engine::server_side_apply::{
    FieldManager, Resource, ResourceVersion, WriteRequest, conflict_status,
};
use skewer_engine::{Doc, OwnedDoc};

use crate::helpers::{kubectl, stderr, stdout};

const CONFIGURATION: &str = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{
    "replicas":3,"template":{"spec":{"containers":[{"name":"a","image":"a:2"}]}}}}"#;

/// The text that kubectl prints after the message of a server about conflicts.
const ADVICE: &str = "\nPlease review the fields above--they currently have other managers.";

/// A server with one object, a Deployment with the name `web`.
struct Server {
    resource: Resource,
    live: Mutex<OwnedDoc>,
    /// The requests that wrote the object.
    writes: Mutex<Vec<String>>,
}

impl Server {
    /// Starts a server whose object each of the managers has written: with its name, the subresource and the fields.
    fn start(managers: &[(&str, &str, &str)]) -> (Arc<Self>, String) {
        let release = builtin::newest();
        let schema = Arc::clone(release.schema());
        let root = schema.named(release.resolve("Deployment").unwrap()).unwrap();
        let version = ResourceVersion {
            api_version: "apps/v1".into(),
            schema,
            root,
            renames: Vec::new(),
            reset_fields: Vec::new(),
        };
        let resource = Resource::new(vec![version]);
        let mut live = None;
        for (manager, subresource, spec) in managers {
            let object = format!(
                r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"web"}},"spec":{spec}}}"#
            );
            let object = from_json(object.as_bytes()).unwrap();
            let request = WriteRequest { manager, force: true, time: None };
            let fields = FieldManager {
                resource: &resource,
                api_version: "apps/v1",
                subresource,
                library: PatchLibrary::NEWEST,
            };
            let written = if manager.starts_with("updater") {
                fields.update(live.as_ref(), &object, request)
            } else {
                fields.apply(live.as_ref(), &object, request)
            };
            live = Some(written.unwrap());
        }
        let live = Mutex::new(live.unwrap());
        let server = Arc::new(Server { resource, live, writes: Mutex::default() });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let of_thread = Arc::clone(&server);
        spawn(move || {
            for connection in listener.incoming() {
                let (server, connection) = (Arc::clone(&of_thread), connection.unwrap());
                spawn(move || server.answer(connection));
            }
        });
        (server, address)
    }

    /// Answers the only request of a connection.
    fn answer(&self, mut connection: TcpStream) {
        let mut reader = BufReader::new(&connection);
        let mut head = String::new();
        while reader.read_line(&mut head).is_ok_and(|length| length > 2) {}
        let headers = head.to_ascii_lowercase();
        let length = headers.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
        reader.read_exact(&mut body).unwrap();
        let mut words = head.split_whitespace();
        let (method, uri) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (code, answer) = self.handle(method, uri, &body);
        let _ = write!(
            connection,
            "HTTP/1.1 {code} Status\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
            answer.len()
        );
    }

    fn handle(&self, method: &str, uri: &str, body: &[u8]) -> (i64, String) {
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let answer = match (method, path) {
            ("GET", "/version") => r#"{"major":"1","minor":"32","gitVersion":"v1.32.0"}"#,
            ("GET", "/api") => r#"{"kind":"APIVersions","versions":["v1"]}"#,
            ("GET", "/api/v1") => r#"{"kind":"APIResourceList","groupVersion":"v1","resources":[]}"#,
            ("GET", "/apis") => {
                r#"{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps",
                    "versions":[{"groupVersion":"apps/v1","version":"v1"}],
                    "preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}]}"#
            }
            ("GET", "/apis/apps/v1") => {
                r#"{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[{
                    "name":"deployments","singularName":"deployment","namespaced":true,"kind":"Deployment",
                    "verbs":["get","patch"]}]}"#
            }
            ("PATCH", "/apis/apps/v1/namespaces/default/deployments/web") => return self.apply(query, body),
            ("GET", "/apis/apps/v1/namespaces/default/deployments/web") => CONFIGURATION,
            _ => {
                return (
                    404,
                    r#"{"kind":"Status","apiVersion":"v1","status":"Failure","code":404}"#.to_owned(),
                );
            }
        };
        (200, answer.to_owned())
    }

    fn apply(&self, query: &str, configuration: &[u8]) -> (i64, String) {
        self.writes.lock().unwrap().push(query.to_owned());
        let parameter = |name: &str| {
            query.split('&').find_map(|parameter| parameter.strip_prefix(name)?.strip_prefix('='))
        };
        let request = WriteRequest {
            manager: parameter("fieldManager").unwrap_or_default(),
            force: parameter("force") == Some("true"),
            time: None,
        };
        let mut live = self.live.lock().unwrap();
        let manager = FieldManager {
            resource: &self.resource,
            api_version: "apps/v1",
            subresource: "",
            library: PatchLibrary::NEWEST,
        };
        match manager.apply(Some(&live), &from_json(configuration).unwrap(), request) {
            Ok(object) => {
                *live = object;
                (200, CONFIGURATION.to_owned())
            }
            Err(error) => {
                let status = conflict_status(&error).unwrap_or_else(|| panic!("{error}"));
                let Some(Doc::Int(code)) = status.as_map().unwrap().get("code") else { panic!("{status}") };
                (*code, status.to_string())
            }
        }
    }
}

/// Runs `kubectl apply --server-side` with a manager called `me`, without the configuration of the user.
fn kubectl_apply(address: &str, folder: &Path, arguments: &[&str]) -> Output {
    let mut child = Command::new("kubectl")
        .args([
            "apply",
            "--server-side",
            "--validate=false",
            "--field-manager=me",
            "-f",
            "-",
            "--server",
            address,
        ])
        .args(arguments)
        .env("KUBECONFIG", "/dev/null")
        .env("HOME", folder)
        .env("NO_PROXY", "127.0.0.1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(CONFIGURATION.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Name, subresource and spec of a manager that owns the fields of this spec.
type Owner = (&'static str, &'static str, &'static str);

#[test]
fn kubectl_prints_the_conflicts_of_the_engine() {
    if kubectl().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let replicas = r#"{"replicas":5}"#;
    let image = r#"{"replicas":5,"template":{"spec":{"containers":[{"name":"a","image":"a:1"}]}}}"#;
    let cases: [(&[Owner], &str); 3] = [
        (
            &[("scaler", "", replicas)],
            r#"Apply failed with 1 conflict: conflict with "scaler": .spec.replicas"#,
        ),
        (
            &[("updater", "scale", replicas)],
            r#"Apply failed with 1 conflict: conflict with "updater" with subresource "scale" using apps/v1: .spec.replicas"#,
        ),
        (
            &[("scaler", "", replicas), ("the \"other\" one", "", image)],
            concat!(
                "Apply failed with 3 conflicts: conflicts with \"scaler\":\n- .spec.replicas\n",
                "conflicts with \"the \\\"other\\\" one\":\n- .spec.replicas\n",
                "- .spec.template.spec.containers[name=\"a\"].image",
            ),
        ),
    ];
    for (managers, message) in cases {
        let (server, address) = Server::start(managers);
        let refused = kubectl_apply(&address, folder.path(), &[]);
        assert_eq!((refused.status.code(), stdout(&refused).as_str()), (Some(1), ""), "{refused:?}");
        let printed = stderr(&refused);
        assert!(printed.starts_with(&format!("error: {message}{ADVICE}")), "{printed}\nexpected {message}");
        let forced = kubectl_apply(&address, folder.path(), &["--force-conflicts"]);
        assert_eq!(stdout(&forced), "deployment.apps/web serverside-applied\n", "{forced:?}");
        let again = kubectl_apply(&address, folder.path(), &[]);
        assert_eq!(stdout(&again), "deployment.apps/web serverside-applied\n", "{again:?}");
        let writes = server.writes.lock().unwrap();
        let is_forced: Vec<bool> = writes.iter().map(|query| query.contains("force=true")).collect();
        assert_eq!(is_forced, [false, true, false], "{writes:?}");
    }
}
