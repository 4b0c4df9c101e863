//! The adapter protocol (`runner/adapters/PROTOCOL.md`), for adapters in Rust.
//!
//! An adapter describes itself with [`About`] and calls [`converse`] with a function that runs one request.

use std::any::Any;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value, json};

const PROTOCOL: i64 = 1;

/// An implementation under test, as `started` describes it.
pub struct About {
    pub name: &'static str,
    pub version: &'static str,
    pub operations: &'static [&'static str],
    /// The known directives of strategic merge patch. `None` leaves the list out: the runner then asks about all.
    pub directives: Option<&'static [&'static str]>,
    /// The tools as which the implementation applies manifests. Empty for an implementation that is no client.
    pub tools: &'static [&'static str],
}

/// A reply that is no result.
pub enum Failure {
    /// The implementation refused the operation: the id of an error kind, and the implementation's message.
    Refused(&'static str, String),
    /// The implementation lacks a feature.
    Unsupported(String),
    /// The request is not valid.
    BadRequest(String),
}

/// A `run` request.
pub struct Request<'a> {
    request: &'a Map<String, Value>,
    /// The root of the schema and its component, if the request has a schema.
    schema: Option<(String, &'a Value)>,
}

impl Request<'_> {
    /// The operation to perform.
    #[must_use]
    pub fn operation(&self) -> &str {
        self.request.get("operation").and_then(Value::as_str).unwrap_or_default()
    }

    /// The document of this name.
    #[must_use]
    pub fn document(&self, name: &str) -> Option<&Value> {
        self.request.get("documents")?.get(name)
    }

    /// The document of this name, which the operation needs.
    ///
    /// # Errors
    ///
    /// The request is not valid without it.
    pub fn required(&self, name: &str) -> Result<&Value, Failure> {
        self.document(name).ok_or_else(|| Failure::BadRequest(format!("the document {name:?} is missing")))
    }

    /// The option of this name.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&Value> {
        self.request.get("options")?.get(name)
    }

    /// The text of an option, or the empty text.
    #[must_use]
    pub fn text_option(&self, name: &str) -> &str {
        self.option(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The built-in type that the schema describes, as `GROUP.VERSION.KIND` (`core.v1.Pod`).
    ///
    /// The component says it with `x-kubernetes-group-version-kind`, or with its name. A name without group and
    /// version does not count: it can be any type that is called Pod. Of a group's name, only the first part counts
    /// (`networking.k8s.io` is `networking`).
    #[must_use]
    pub fn built_in_type(&self) -> Option<String> {
        let (root, component) = self.schema.as_ref()?;
        let extension = match component.get("x-kubernetes-group-version-kind") {
            Some(Value::Array(list)) if list.len() == 1 => list.first(),
            Some(value) => Some(value),
            None => None,
        };
        let member = |name: &str| extension?.get(name)?.as_str();
        if let (Some(group), Some(version), Some(kind)) = (member("group"), member("version"), member("kind"))
        {
            let group = group.split('.').next().filter(|group| !group.is_empty()).unwrap_or("core");
            return Some(format!("{group}.{version}.{kind}"));
        }
        let name = root.strip_prefix("io.k8s.api.").unwrap_or(root);
        let mut parts = name.split('.');
        let (_group, version, kind) = (parts.next()?, parts.next()?, parts.next()?);
        let is_version =
            version.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        (is_version && kind.starts_with(|c: char| c.is_ascii_uppercase()) && parts.next().is_none())
            .then(|| name.to_owned())
    }

    /// Whether the request has a schema.
    #[must_use]
    pub fn has_schema(&self) -> bool {
        self.schema.is_some()
    }

    /// Checks that the implementation, which cannot leave out a directive that it knows, has the asked profile.
    ///
    /// # Errors
    ///
    /// A directive in `without` is a known one, or a directive in `with` is not.
    pub fn check_profile(&self, known: &[&str]) -> Result<(), Failure> {
        let names = |member: &str| {
            let list =
                self.request.get("profile").and_then(|profile| profile.get(member)).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str)
        };
        if let Some(name) = names("without").find(|name| known.contains(name)) {
            return Err(Failure::Unsupported(format!("{name} is built in and cannot be left out")));
        }
        if let Some(name) = names("with").find(|name| !known.contains(name)) {
            return Err(Failure::Unsupported(format!("{name} is not known")));
        }
        Ok(())
    }
}

/// The document of strategic merge patch that a value is: null, or none, is an empty object.
///
/// # Errors
///
/// `invalid-document` if the value is neither null nor an object.
pub fn as_object(value: Option<&Value>) -> Result<Map<String, Value>, Failure> {
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map.clone()),
        Some(_) => Err(Failure::Refused("invalid-document", "a document is an object".to_owned())),
    }
}

/// Schemas by id: the root that was sent, and the components.
type Schemas = BTreeMap<String, (Value, Value)>;

/// Keeps a schema that was sent in full, and finds the schema of a request.
fn read_schema<'a>(
    request: &'a Map<String, Value>,
    schemas: &'a mut Schemas,
) -> Result<Option<(String, &'a Value)>, Failure> {
    let Some(schema) = request.get("schema") else { return Ok(None) };
    let id = schema.get("id").and_then(Value::as_str);
    let root = schema.get("root");
    let sent = schema.get("openapi").map(|openapi| &openapi["components"]["schemas"]);
    if let (Some(id), Some(components)) = (id, sent) {
        schemas.insert(id.to_owned(), (root.cloned().unwrap_or_default(), components.clone()));
    }
    let (root, components) = match (sent, id.and_then(|id| schemas.get(id))) {
        (Some(components), _) => (root, components),
        (None, Some((kept, components))) => (root.or(Some(kept)), components),
        (None, None) => {
            return Err(Failure::BadRequest(format!("a schema with id {id:?} has not been sent")));
        }
    };
    let root = root.and_then(Value::as_str).unwrap_or_default();
    match components.get(root) {
        Some(component) => Ok(Some((root.to_owned(), component))),
        None => Err(Failure::Refused("invalid-schema", format!("the schema has no component {root:?}"))),
    }
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
}

/// The reply to a `run` request.
fn run<F>(about: &About, request: &Map<String, Value>, schemas: &mut Schemas, operate: &mut F) -> Value
where
    F: FnMut(&Request<'_>) -> Result<Value, Failure>,
{
    let Some(seq) = request.get("seq").and_then(Value::as_i64) else {
        return json!({"kind": "error", "message": "a request needs a \"seq\""});
    };
    // A schema is kept even if the operation is unsupported.
    let outcome = read_schema(request, schemas).and_then(|schema| {
        let request = Request { request, schema };
        if !about.operations.contains(&request.operation()) {
            return Err(Failure::Unsupported(format!(
                "the operation {:?} is not implemented",
                request.operation()
            )));
        }
        let preconditions = request.option("preconditions").and_then(Value::as_array);
        if preconditions.is_some_and(|list| !list.is_empty()) {
            return Err(Failure::Unsupported("preconditions are not implemented".to_owned()));
        }
        catch_unwind(AssertUnwindSafe(|| operate(&request)))
            .unwrap_or_else(|panic| Err(Failure::Refused("panic", message_of(&*panic))))
    });
    match outcome {
        Ok(result) => json!({"kind": "result", "seq": seq, "result": result}),
        Err(Failure::Refused(kind, message)) => {
            json!({"kind": "refused", "seq": seq, "error": {"kind": kind, "message": message}})
        }
        Err(Failure::Unsupported(reason)) => json!({"kind": "unsupported", "seq": seq, "reason": reason}),
        Err(Failure::BadRequest(message)) => json!({"kind": "error", "seq": seq, "message": message}),
    }
}

/// The reply to a line that is no JSON for this parser. It reads at most 128 levels.
fn unreadable(line: &str, error: &serde_json::Error) -> Value {
    let seq = seq_of(line);
    let message = error.to_string();
    match seq {
        Some(seq) if message.contains("recursion limit") => {
            json!({"kind": "refused", "seq": seq, "error": {"kind": "too-deep", "message": message}})
        }
        Some(seq) => {
            json!({"kind": "error", "seq": seq, "message": format!("the line is not a request: {message}")})
        }
        None => json!({"kind": "error", "message": format!("the line is not a request: {message}")}),
    }
}

/// The number of a request that is not JSON for this parser. The runner writes it as the second member.
fn seq_of(line: &str) -> Option<i64> {
    let (_, rest) = line.get(..64).unwrap_or(line).split_once("\"seq\":")?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// The reply to one line, or nothing for `stop`.
fn answer<F>(about: &About, line: &str, schemas: &mut Schemas, operate: &mut F) -> Option<Value>
where
    F: FnMut(&Request<'_>) -> Result<Value, Failure>,
{
    let request: Map<String, Value> = match serde_json::from_str(line) {
        Ok(request) => request,
        Err(error) => return Some(unreadable(line, &error)),
    };
    Some(match request.get("kind").and_then(Value::as_str) {
        Some("stop") => return None,
        Some("run") => run(about, &request, schemas, operate),
        Some("start") if request.get("protocol").and_then(Value::as_i64) == Some(PROTOCOL) => {
            let mut supports = json!({"operations": about.operations});
            if let Some(directives) = about.directives {
                supports["directives"] = json!(directives);
            }
            if !about.tools.is_empty() {
                supports["tools"] = json!(about.tools);
            }
            json!({
                "kind": "started", "protocol": PROTOCOL,
                "name": about.name, "version": about.version, "language": "rust",
                "supports": supports,
            })
        }
        Some("start") => {
            json!({"kind": "error", "message": format!("this adapter speaks protocol {PROTOCOL}")})
        }
        _ => json!({"kind": "error", "message": "requests of this kind are not known"}),
    })
}

/// Answers the requests of `input` until it ends.
///
/// # Errors
///
/// The input or the output cannot be used.
pub fn converse_with<F>(
    about: &About,
    input: impl BufRead,
    mut output: impl Write,
    mut operate: F,
) -> io::Result<()>
where
    F: FnMut(&Request<'_>) -> Result<Value, Failure>,
{
    let mut schemas = Schemas::new();
    for line in input.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let Some(reply) = answer(about, &line, &mut schemas, &mut operate) else { break };
        writeln!(output, "{reply}")?;
        output.flush()?;
    }
    Ok(())
}

/// Answers the requests on standard input until it ends.
///
/// # Errors
///
/// Standard input or output cannot be used.
pub fn converse<F>(about: &About, operate: F) -> io::Result<()>
where
    F: FnMut(&Request<'_>) -> Result<Value, Failure>,
{
    converse_with(about, io::stdin().lock(), io::stdout().lock(), operate)
}

/// The replies to requests. For tests of adapters.
///
/// # Panics
///
/// A reply is no JSON.
pub fn replies<F>(about: &About, requests: &[Value], operate: F) -> Vec<Value>
where
    F: FnMut(&Request<'_>) -> Result<Value, Failure>,
{
    let input = requests.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let mut output = Vec::new();
    converse_with(about, input.as_bytes(), &mut output, operate).expect("the lines are in memory");
    let text = String::from_utf8(output).expect("replies are UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a reply is JSON")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: About = About { name: "test", version: "1", operations: &["apply"], directives: None, tools: &[] };

    fn root_type(schema: &Value) -> Option<String> {
        let mut found = None;
        let request = json!({"kind": "run", "seq": 1, "operation": "apply", "schema": schema});
        let replies = replies(&ABOUT, &[request], |request| {
            found = request.built_in_type();
            Ok(Value::Null)
        });
        assert_eq!(replies[0]["kind"], "result", "{replies:?}");
        found
    }

    #[test]
    fn built_in_types_have_a_group_and_a_version() {
        let of = |root: &str, component: Value| {
            root_type(&json!({"root": root, "openapi": {"components": {"schemas": {root: component}}}}))
        };
        for (root, expected) in [
            ("core.v1.Pod", Some("core.v1.Pod")),
            (
                "io.k8s.api.autoscaling.v2beta2.HorizontalPodAutoscaler",
                Some("autoscaling.v2beta2.HorizontalPodAutoscaler"),
            ),
            ("Pod", None),
            ("a.b.C", None),
        ] {
            assert_eq!(of(root, json!({})).as_deref(), expected);
        }
        let kind = json!([{"group": "networking.k8s.io", "version": "v1", "kind": "Ingress"}]);
        let component = json!({"x-kubernetes-group-version-kind": kind});
        assert_eq!(of("Any", component).as_deref(), Some("networking.v1.Ingress"));
    }

    #[test]
    fn schemas_are_kept_and_failures_cost_one_request() {
        let run = |seq: u8, more: Value| {
            let mut request = json!({"kind": "run", "seq": seq, "operation": "apply"});
            request.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            request
        };
        let full = json!({"id": "s", "root": "core.v1.Pod", "openapi": {"components": {"schemas": {"core.v1.Pod": {}}}}});
        let requests = [
            json!({"kind": "start", "protocol": 1}),
            json!({"kind": "start", "protocol": 2}),
            run(1, json!({"operation": "merge", "schema": full})),
            run(2, json!({"schema": {"id": "s"}})),
            run(3, json!({"schema": {"id": "never"}})),
            run(4, json!({"schema": {"id": "s", "root": "Missing"}})),
            run(5, json!({"options": {"preconditions": [{"keyUnchanged": "a"}]}})),
            run(6, json!({})),
            json!({"kind": "stop"}),
            run(7, json!({})),
        ];
        let replies = replies(&ABOUT, &requests, |request| match request.built_in_type() {
            Some(name) => Ok(json!(name)),
            None => panic!("no type"),
        });
        let kinds: Vec<&str> = replies.iter().filter_map(|reply| reply["kind"].as_str()).collect();
        let expected =
            ["started", "error", "unsupported", "result", "error", "refused", "unsupported", "refused"];
        assert_eq!(kinds, expected);
        assert_eq!(replies[3], json!({"kind": "result", "seq": 2, "result": "core.v1.Pod"}));
        assert_eq!(replies[7]["error"], json!({"kind": "panic", "message": "no type"}));
    }

    #[test]
    fn a_line_that_is_not_json_for_the_parser_is_answered_with_its_number() {
        let line = "{\"kind\":\"run\",\"seq\":12,\"documents\":{\"patch\":1e400}}\n";
        let mut output = Vec::new();
        converse_with(&ABOUT, line.as_bytes(), &mut output, |_| Ok(Value::Null)).expect("in memory");
        let reply: Value = serde_json::from_slice(&output).expect("a reply");
        assert_eq!((&reply["kind"], &reply["seq"]), (&json!("error"), &json!(12)));
    }
}
