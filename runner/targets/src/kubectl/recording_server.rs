//! A server on the loopback interface that has one object. It records the patch of a client, and does not apply it.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::process_group::spawn_thread;

/// The name of the resource. Discovery says it, so that no table of plural names is needed.
const RESOURCE: &str = "objects";

/// The object of a server, and where a client finds it.
#[derive(Clone, Debug)]
pub(super) struct ServedObject {
    /// For example `apps/v1`.
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) name: String,
    /// The object as JSON.
    pub(super) json: Vec<u8>,
}

/// A patch that a client sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordedPatch {
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
}

/// A running server. It stops when it is dropped.
pub(super) struct RecordingServer {
    address: SocketAddr,
    state: Arc<State>,
    _stop: oneshot::Sender<Infallible>,
}

struct State {
    object: ServedObject,
    recorded: Mutex<Option<RecordedPatch>>,
}

impl RecordingServer {
    /// Starts a server with an object.
    pub(super) fn start(object: ServedObject) -> io::Result<Self> {
        let state = Arc::new(State { object, recorded: Mutex::new(None) });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0)))?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let of_thread = Arc::clone(&state);
        spawn_thread(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = accept(listener, of_thread) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(RecordingServer { address, state, _stop: stop })
    }

    /// Returns the address for clients.
    pub(super) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the last patch that was sent.
    pub(super) fn recorded(&self) -> Option<RecordedPatch> {
        self.state.recorded.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        let state = Arc::clone(&state);
        let answer = service_fn(move |request| {
            let state = Arc::clone(&state);
            async move { Ok::<_, Infallible>(state.answer(request).await) }
        });
        // A client that closes the connection is no error.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
    }
}

impl State {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let body = match (request.method(), self.document_at(request.uri().path())) {
            (&Method::GET, Some(document)) => document,
            (&Method::PATCH, Some(object)) => {
                let content_type = request.headers().get(header::CONTENT_TYPE);
                let content_type =
                    content_type.and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
                let Ok(body) = request.into_body().collect().await else {
                    return response(StatusCode::BAD_REQUEST, Vec::new());
                };
                let patch = RecordedPatch { content_type, body: body.to_bytes().to_vec() };
                *self.recorded.lock().unwrap_or_else(PoisonError::into_inner) = Some(patch);
                object
            }
            _ => {
                let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404});
                return response(StatusCode::NOT_FOUND, status.to_string().into_bytes());
            }
        };
        response(StatusCode::OK, body)
    }

    /// Returns the object, or what discovery says about it.
    fn document_at(&self, path: &str) -> Option<Vec<u8>> {
        let ServedObject { api_version, kind, name, json } = &self.object;
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let root = if group.is_empty() { "/api" } else { "/apis" };
        let version_path = format!("{root}/{api_version}");
        let names = json!({"groupVersion": api_version, "version": version});
        let groups = json!([{"name": group, "versions": [names], "preferredVersion": names}]);
        let document = match path {
            _ if path == format!("{version_path}/{RESOURCE}/{name}") => return Some(json.clone()),
            _ if path == version_path => {
                let resource = json!({
                    "name": RESOURCE, "singularName": "object", "namespaced": false, "kind": kind, "verbs": ["get", "patch"],
                });
                json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version, "resources": [resource]})
            }
            "/version" => json!({"major": "1", "minor": "32", "gitVersion": "v1.32.0"}),
            "/api" if group.is_empty() => json!({"kind": "APIVersions", "versions": [version]}),
            "/api" => json!({"kind": "APIVersions", "versions": []}),
            "/apis" if group.is_empty() => json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": []}),
            "/apis" => json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}),
            _ => return None,
        };
        Some(document.to_string().into_bytes())
    }
}

fn response(status: StatusCode, body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use rstest::rstest;

    use super::*;

    fn server(api_version: &str) -> RecordingServer {
        let object = ServedObject {
            api_version: api_version.to_owned(),
            kind: "Deployment".to_owned(),
            name: "web".to_owned(),
            json: b"the object".to_vec(),
        };
        RecordingServer::start(object).unwrap()
    }

    fn send(server: &RecordingServer, request: &str) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[rstest]
    #[case::object("apps/v1", "/apis/apps/v1/objects/web", "the object")]
    #[case::object_of_the_core_group("v1", "/api/v1/objects/web", "the object")]
    #[case::resource("apps/v1", "/apis/apps/v1", r#""kind":"Deployment""#)]
    #[case::groups("apps/v1", "/apis", r#""name":"apps""#)]
    #[case::no_groups("v1", "/apis", r#""groups":[]"#)]
    #[case::another_object("apps/v1", "/apis/apps/v1/objects/other", "404 Not Found")]
    fn it_serves_the_object_and_its_discovery(
        #[case] api_version: &str,
        #[case] path: &str,
        #[case] expected: &str,
    ) {
        let answer = send(&server(api_version), &format!("GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n"));
        assert!(answer.contains(expected), "{answer}");
    }

    #[test]
    fn it_records_a_patch() {
        let server = server("v1");
        let request = "PATCH /api/v1/objects/web HTTP/1.1\r\nConnection: close\r\nContent-Type: t\r\nContent-Length: 2\r\n\r\n{}";
        assert!(send(&server, request).contains("the object"));
        let expected = RecordedPatch { content_type: "t".to_owned(), body: b"{}".to_vec() };
        assert_eq!(server.recorded(), Some(expected));
        assert_eq!(server.recorded(), None);
    }
}
