//! Tests that every operation of the engine is in the protocol: in the messages, in `skewer serve`, in the JSON
//! Schema of the protocol and in PROTOCOL.md.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use skewer_admission::{AdmitRequest, DefinitionRequest};
use skewer_engine::patch::{Overwrite, PatchContext, Precondition};
use skewer_engine::server_side_apply::{Rename, Resource, ResourceVersion};
use skewer_engine::{Doc, Map, OwnedDoc, Text};
use skewer_protocol::admit::{AdmitMessage, DefinitionMessage};
use skewer_protocol::documents::MEMBERS;
use skewer_protocol::messages::{
    ADMIT, ADMIT_UNION, RequestMessage, UNION_OPERATIONS, VALIDATE_DEFINITION, operation_names,
};
use skewer_skew::{
    BuiltIn, FieldManagerOptions, OperandDeclaration, Operation, OperationDeclaration, OperationKind,
    OperationOptions, Role, untyped_context,
};

use super::reply::{ReplyLine, parse_reply};
use super::request::PreparedRequest;
use super::result::result_of_answer;
use super::schema_registry::{SchemaRegistry, SentSchemas};
use super::test_support::{FLAT, context, documents};

const SCHEMA_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../adapters/protocol.schema.json");
const DESCRIPTION: &str = include_str!("../../../adapters/PROTOCOL.md");

/// Returns the name of the message member that carries the documents of a role.
fn member(role: Role) -> &'static str {
    MEMBERS.iter().find(|(other, _)| *other == role).map_or("", |(_, member)| member)
}

#[test]
fn every_operation_is_sent_and_served() {
    let mut context = context(FLAT);
    context.directives = context.directives.without("$retainKeys");
    let (schemas, mut sent_schemas) = (SchemaRegistry::default(), SentSchemas::new());
    let preconditions = [Precondition::KeyUnchanged("b".into())];
    // A whole request is sent without its types: see the next test.
    for kind in OperationKind::ALL.iter().filter(|kind| !kind.declaration().is_request()) {
        let documents = documents(*kind);
        let operation = Operation::of_documents(*kind, &context, &documents).unwrap();
        let operation = operation.with_options(OperationOptions {
            overwrite: Overwrite::Yes,
            preconditions: &preconditions,
            field_manager: FieldManagerOptions { manager: "m", ..FieldManagerOptions::default() },
            ..OperationOptions::default()
        });
        // Each request is its own session, to which no schema was sent.
        sent_schemas.clear();
        let prepared = PreparedRequest::new(&operation, &schemas, &[]);
        let line = prepared.line(7, &mut sent_schemas);
        let input = [br#"{"kind":"start","protocol":1}"#, &b"\n"[..], &line].concat();
        let mut output = Vec::new();
        crate::serve::serve(&*input, &mut output).unwrap();
        let replies: Vec<&[u8]> = output.split(|byte| *byte == b'\n').collect();
        let ReplyLine::Started(info) = parse_reply(replies[0]) else { panic!("not started") };
        assert!(info.supports.operations.iter().any(|name| name == kind.name()), "{kind}");
        let ReplyLine::Answer(7, answer) = parse_reply(replies[1]) else { panic!("{kind}: no answer") };
        let result = result_of_answer(answer, &prepared);
        assert_eq!(result, Ok(BuiltIn::execute(&operation).unwrap()), "{kind}");
    }
}

#[test]
fn a_document_that_an_operation_requires_is_asked_for_and_another_is_empty() {
    for kind in OperationKind::ALL {
        for operand in kind.declaration().operands {
            let others = kind.declaration().operands.iter().filter(|other| *other != operand);
            let members: Vec<String> =
                others.map(|other| format!(r#""{}":{{}}"#, member(other.role))).collect();
            let line = format!(
                r#"{{"kind":"run","seq":1,"operation":"{kind}","schema":{{"root":"T","openapi":{{"components":{{"schemas":{{"T":{{"type":"object"}}}}}}}}}},"documents":{{{}}}}}"#,
                members.join(",")
            );
            let input = format!("{{\"kind\":\"start\",\"protocol\":1}}\n{line}");
            let mut output = Vec::new();
            crate::serve::serve(input.as_bytes(), &mut output).unwrap();
            let reply = String::from_utf8(output).unwrap().lines().nth(1).unwrap().to_owned();
            let is_asked_for = reply.contains(&format!("the document `{}` is missing", operand.role));
            assert_eq!(is_asked_for, operand.is_required(), "{kind}, {:?}: {reply}", operand.role);
        }
    }
}

/// Returns the request of a server-side apply by the manager `m`, and the reply of `skewer serve`.
fn server_side_apply(context: &PatchContext, field_manager: FieldManagerOptions<'_>) -> (Value, Value) {
    let documents = documents(OperationKind::ServerSideApply);
    let operation = Operation::of_documents(OperationKind::ServerSideApply, context, &documents).unwrap();
    let operation = operation.with_options(OperationOptions { field_manager, ..OperationOptions::default() });
    let lookups = ["struct".to_owned()];
    let line = PreparedRequest::new(&operation, &SchemaRegistry::default(), &lookups)
        .line(1, &mut SentSchemas::new());
    let input = [br#"{"kind":"start","protocol":1}"#, &b"\n"[..], &line].concat();
    let mut output = Vec::new();
    crate::serve::serve(&*input, &mut output).unwrap();
    let reply = output.split(|byte| *byte == b'\n').nth(1).unwrap();
    (serde_json::from_slice(&line).unwrap(), serde_json::from_slice(reply).unwrap())
}

#[test]
fn every_version_of_a_resource_has_its_types_in_the_request() {
    let keys = |keys: &[&str]| keys.iter().map(|key| Text::from(*key)).collect::<Vec<_>>();
    let version = |name: &str, context: &PatchContext| ResourceVersion {
        api_version: name.into(),
        schema: Arc::clone(&context.schema),
        root: context.root,
        renames: Vec::new(),
        reset_fields: Vec::new(),
    };
    let (one, other) = (context(FLAT), context(&FLAT.replace(r#""a""#, r#""b""#)));
    let mut versions = vec![version("example.com/v1", &one), version("example.com/v2", &other)];
    versions[1].renames.push(Rename { hub: keys(&["a"]), version: keys(&["spec", "b"]) });
    versions[1].reset_fields.push(keys(&["status"]));
    let resource = Resource::new(versions);
    let options = FieldManagerOptions {
        time: None,
        manager: "m",
        force: true,
        subresource: "scale",
        api_version: Some("example.com/v1"),
        resource: Some(&resource),
        csa_managers: &[],
    };
    let (request, reply) = server_side_apply(&one, options);
    assert_eq!(
        request["options"],
        json!({
            "manager": "m",
            "force": true,
            "subresource": "scale",
            "apiVersion": "example.com/v1",
            "versions": [
                {"apiVersion": "example.com/v1", "root": "0.T"},
                {
                    "apiVersion": "example.com/v2",
                    "root": "1.T",
                    "renames": [{"hub": ["a"], "version": ["spec", "b"]}],
                    "resetFields": [["status"]],
                },
            ],
        })
    );
    let components = request["schema"]["openapi"]["components"]["schemas"].as_object().unwrap();
    assert!(components.contains_key("0.T") && components.contains_key("1.T"), "{components:?}");
    assert_eq!(reply["kind"], "result", "{reply}");
}

#[test]
fn an_object_without_a_schema_is_sent_without_one() {
    let options = FieldManagerOptions { manager: "m", ..FieldManagerOptions::default() };
    let (request, reply) = server_side_apply(&untyped_context().unwrap(), options);
    assert_eq!(request.get("schema"), None, "{request}");
    assert_eq!(reply["kind"], "result", "{reply}");
}

#[test]
fn requests_fit_the_json_schema_of_the_protocol() {
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(SCHEMA_FILE).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let (context, schemas) = (context(FLAT), SchemaRegistry::default());
    for kind in OperationKind::ALL {
        let documents = documents(*kind);
        let operation = Operation::of_documents(*kind, &context, &documents).unwrap();
        let request = |operation: &Operation<'_>| -> Value {
            let line = PreparedRequest::new(operation, &schemas, &[]).line(3, &mut SentSchemas::new());
            assert!(line.starts_with(br#"{"kind":"run","seq":3,"#));
            serde_json::from_slice(&line).unwrap()
        };
        let valid = request(&operation);
        assert!(validator.is_valid(&valid), "{valid}");
        for operand in kind.declaration().operands {
            let mut request = valid.clone();
            let documents = request["documents"].as_object_mut().unwrap();
            assert!(documents.remove(member(operand.role)).is_some(), "{kind} has no {}", operand.role);
            assert_eq!(validator.is_valid(&request), !operand.is_required(), "{request}");
        }
        let mut request = valid.clone();
        let had_schema = request.as_object_mut().unwrap().remove("schema").is_some();
        let declaration = kind.declaration();
        // An API server has its own types.
        let sends_schema = declaration.needs_types() && !declaration.is_request();
        let expected = (sends_schema, !declaration.needs_schema());
        assert_eq!((had_schema, validator.is_valid(&request)), expected, "{kind}");
    }
    for request in [
        RequestMessage::<&OwnedDoc>::of("stop"),
        RequestMessage { protocol: Some(1), ..RequestMessage::of("start") },
    ] {
        let request = serde_json::to_value(&request).unwrap();
        assert!(validator.is_valid(&request), "{request}");
    }
}

#[test]
fn a_request_to_admit_an_object_fits_the_json_schema_of_the_protocol() {
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(SCHEMA_FILE).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let document = Doc::Map(Map::new());
    for old in [None, Some(&document)] {
        let request =
            AdmitRequest { definition: &document, old, new: &document, strict: true, ratcheting: false };
        let valid = serde_json::to_value(AdmitMessage::of(3, &request)).unwrap();
        assert!(validator.is_valid(&valid), "{valid}");
        for member in ["definition", "new"] {
            let mut invalid = valid.clone();
            invalid["documents"].as_object_mut().unwrap().remove(member);
            assert!(!validator.is_valid(&invalid), "{invalid}");
        }
    }
}

#[test]
fn a_request_to_validate_a_definition_fits_the_json_schema_of_the_protocol() {
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(SCHEMA_FILE).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let document = Doc::Map(Map::new());
    for old in [None, Some(&document)] {
        let request = DefinitionRequest { new: &document, old };
        let mut message = serde_json::to_value(DefinitionMessage::of(3, &request)).unwrap();
        assert!(validator.is_valid(&message), "{message}");
        message["documents"].as_object_mut().unwrap().remove("new");
        assert!(!validator.is_valid(&message), "{message}");
    }
}

/// Returns the parts of the JSON Schema that are generated from the operations, each with its path in the file.
fn derived_parts() -> Vec<(&'static [&'static str], Value)> {
    let names_where = |condition: &dyn Fn(&OperationDeclaration) -> bool| -> Vec<&str> {
        let kinds = OperationKind::ALL.iter().filter(|kind| condition(kind.declaration()));
        kinds.map(|kind| kind.name()).collect()
    };
    let rule = |names: &[&str], then: Value| json!({"if": {"properties": {"operation": {"enum": names}}}, "then": then});
    let mut rules = vec![rule(
        &names_where(&OperationDeclaration::needs_schema),
        json!({"required": ["schema", "documents"]}),
    )];
    // Operations that require the same documents share one rule.
    let required = |declaration: &OperationDeclaration| -> Vec<OperandDeclaration> {
        declaration.operands.iter().filter(|operand| operand.is_required()).copied().collect()
    };
    let mut seen = Vec::new();
    for kind in OperationKind::ALL {
        let operands = required(kind.declaration());
        if seen.contains(&operands) {
            continue;
        }
        let members: Vec<&str> = operands.iter().map(|operand| member(operand.role)).collect();
        let lengths = operands.iter().filter_map(|operand| {
            Some((member(operand.role), json!({"minItems": operand.length?, "maxItems": operand.length?})))
        });
        let lengths: BTreeMap<&str, Value> = lengths.collect();
        let documents = if lengths.is_empty() {
            json!({"required": members})
        } else {
            json!({"required": members, "properties": lengths})
        };
        let names = names_where(&|declaration| required(declaration) == operands);
        rules.push(rule(&names, json!({"properties": {"documents": documents}, "required": ["documents"]})));
        seen.push(operands);
    }
    let then =
        json!({"properties": {"documents": {"required": ["new"]}}, "required": ["documents", "union"]});
    rules.push(rule(&UNION_OPERATIONS, then));
    let properties = json!({
        "documents": {"required": ["new"]},
        "options": {"required": ["policy", "gate", "ratcheting"]}
    });
    let then = json!({"properties": properties, "required": ["schema", "documents", "options"]});
    rules.push(rule(&[ADMIT_UNION], then));
    let documents = json!({"required": ["definition", "new"]});
    let then = json!({"properties": {"documents": documents}, "required": ["documents"]});
    rules.push(rule(&[ADMIT], then));
    let then = json!({"properties": {"documents": {"required": ["new"]}}, "required": ["documents"]});
    rules.push(rule(&[VALIDATE_DEFINITION], then));
    let document = json!({"$ref": "#/$defs/document"});
    let mut properties: BTreeMap<&str, Value> = BTreeMap::new();
    for (role, member) in MEMBERS.iter() {
        let is_list = role.declaration().is_list;
        let list = json!({"type": "array", "items": document});
        properties.insert(member, if is_list { list } else { document.clone() });
    }
    properties.extend(["definition", "old", "new"].map(|member| (member, document.clone())));
    vec![
        (&["$defs", "operation", "examples"], json!(operation_names())),
        (&["$defs", "run", "allOf"], Value::Array(rules)),
        (&["$defs", "documents", "properties"], json!(properties)),
    ]
}

/// Returns the text of the value at a path in a JSON text.
fn value_at<'t>(text: &'t str, path: &[&str]) -> &'t str {
    let mut value: &RawValue = serde_json::from_str(text).unwrap();
    for key in path {
        let members: HashMap<&str, &RawValue> = serde_json::from_str(value.get()).unwrap();
        value = members[key];
    }
    value.get()
}

/// Formats a value as JSON text, indented to fit at `depth`.
fn indented(value: &Value, depth: usize) -> String {
    serde_json::to_string_pretty(value).unwrap().replace('\n', &format!("\n{}", "  ".repeat(depth)))
}

/// `SKEWER_UPDATE=1 cargo test -p skewer-targets --lib` rewrites the parts of the JSON Schema that are generated from the
/// operations.
#[test]
fn the_json_schema_of_the_protocol_is_current() {
    let mut text = std::fs::read_to_string(SCHEMA_FILE).unwrap();
    for (path, expected) in derived_parts() {
        let current = value_at(&text, path).to_owned();
        let is_current = serde_json::from_str::<Value>(&current).unwrap() == expected;
        if std::env::var_os("SKEWER_UPDATE").is_some() && !is_current {
            text = text.replacen(&current, &indented(&expected, path.len()), 1);
            std::fs::write(SCHEMA_FILE, &text).unwrap();
            continue;
        }
        assert!(
            is_current,
            "{path:?} in {SCHEMA_FILE} is stale: run SKEWER_UPDATE=1 cargo test -p skewer-targets --lib"
        );
    }
}

/// Returns the cells of every table row of PROTOCOL.md whose first cell is `name`.
fn rows(name: &str) -> impl Iterator<Item = Vec<&'static str>> {
    let first = format!("| `{name}` |");
    let rows = DESCRIPTION.lines().filter(move |line| line.starts_with(&first));
    rows.map(|row| row.split('|').map(str::trim).collect())
}

#[test]
fn the_description_of_the_protocol_has_every_operation() {
    for kind in OperationKind::ALL {
        let documents: Vec<String> = kind
            .declaration()
            .operands
            .iter()
            .map(|operand| {
                let mark = if operand.is_required() { "**" } else { "" };
                format!("{mark}`{}`{mark}", member(operand.role))
            })
            .collect();
        let described = rows(kind.name()).any(|cells| cells[2].starts_with(&documents.join(", ")));
        assert!(described, "PROTOCOL.md has no row of `{kind}` with {}", documents.join(", "));
    }
    for (option, takes) in [
        ("overwrite", (|declaration| declaration.takes_overwrite) as fn(&OperationDeclaration) -> bool),
        ("preconditions", |declaration| declaration.takes_preconditions),
        ("force", OperationDeclaration::takes_force),
        ("apiVersion", OperationDeclaration::takes_versions),
        ("versions", OperationDeclaration::takes_versions),
        ("csaManagers", OperationDeclaration::takes_csa_managers),
    ] {
        let kinds = OperationKind::ALL.iter().filter(|kind| takes(kind.declaration()));
        let names = kinds.map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ");
        assert!(rows(option).any(|cells| cells[2] == names), "PROTOCOL.md: `{option}` is for {names}");
    }
}
