//! The operation `admit-union`: the target normalizes and validates the unions of an object.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use skewer_engine::OwnedDoc;
use skewer_engine::union::Admitted;
use skewer_engine::union::policy::{Policy, UnionGates};
use skewer_protocol::messages::{ADMIT_UNION, SchemaMessage};
use skewer_skew::UnionWrite;

use super::pool::Pool;
use super::process::message_line;
use super::result::result_of_any_length;
use super::schema_registry::SchemaRegistry;
use crate::OperationError;

/// The rules that a target is asked for, if it decides on unions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnionRules {
    /// Those of the policy of the server, by its name.
    #[default]
    ByName,
    /// Those that the target implements, whatever their name is.
    Own,
}

impl UnionRules {
    /// All values.
    pub const ALL: [UnionRules; 2] = [UnionRules::ByName, UnionRules::Own];

    /// Returns the word of the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            UnionRules::ByName => "by-name",
            UnionRules::Own => OWN,
        }
    }

    /// Returns true if a target can be asked about a server with this policy.
    #[must_use]
    pub fn can_be_those_of(self, policy: &dyn Policy) -> bool {
        self == UnionRules::ByName || policy.gates().is_some()
    }
}

impl fmt::Display for UnionRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for UnionRules {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = UnionRules::ALL.into_iter().find(|rules| rules.as_str() == text);
        found.ok_or_else(|| format!("there are no rules `{text}`: expected by-name or own"))
    }
}

/// The name of the rules of the target in a message.
const OWN: &str = "own";

/// The rules of one request.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestedRules {
    policy: &'static str,
    gates: UnionGates,
}

impl RequestedRules {
    /// Returns the rules for a server with a policy. `None` if the target is not asked about this policy.
    pub(super) fn of(policy: &dyn Policy, rules: UnionRules, listed: &[String]) -> Option<Self> {
        match rules {
            UnionRules::Own => policy.gates().map(|gates| RequestedRules { policy: OWN, gates }),
            UnionRules::ByName => {
                let is_listed = listed.iter().any(|name| name == policy.name());
                let gates = policy.gates().unwrap_or(UnionGates { unions: true, ratcheting: false });
                is_listed.then(|| RequestedRules { policy: policy.name(), gates })
            }
        }
    }
}

/// A request of the operation.
#[derive(Debug, Serialize)]
struct AdmitUnionMessage<'a> {
    kind: &'static str,
    seq: u64,
    operation: &'static str,
    schema: SchemaMessage<&'a OwnedDoc>,
    documents: AdmitUnionDocuments<'a>,
    options: AdmitUnionOptions,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct AdmitUnionDocuments<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<&'a OwnedDoc>,
    new: &'a OwnedDoc,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct AdmitUnionOptions {
    policy: &'static str,
    gate: bool,
    ratcheting: bool,
    request: &'static str,
}

impl<'a> AdmitUnionMessage<'a> {
    fn of(
        seq: u64,
        write: &UnionWrite<'a>,
        rules: RequestedRules,
        schema: SchemaMessage<&'a OwnedDoc>,
    ) -> Self {
        AdmitUnionMessage {
            kind: "run",
            seq,
            operation: ADMIT_UNION,
            schema,
            documents: AdmitUnionDocuments { old: write.old, new: write.new },
            options: AdmitUnionOptions {
                policy: rules.policy,
                gate: rules.gates.unions,
                ratcheting: rules.gates.ratcheting,
                request: write.request_type.name(),
            },
        }
    }
}

/// Lets the target decide on the unions of an object.
pub(super) fn ask(
    pool: &Pool,
    schemas: &SchemaRegistry,
    write: &UnionWrite<'_>,
    rules: RequestedRules,
) -> Result<Admitted, OperationError> {
    let schema = schemas.publish_unions(write.context);
    let answer = pool.ask(|seq, sent_schemas| {
        message_line(&AdmitUnionMessage::of(seq, write, rules, schema.message(sent_schemas)))
    })?;
    Ok(Admitted::by_implementation(write.new, result_of_any_length(answer)?))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};
    use skewer_engine::document::from_json;
    use skewer_engine::union::policy;
    use skewer_skew::RequestType;

    use super::super::schema_registry::SentSchemas;
    use super::super::test_support::context;
    use super::*;

    const SCHEMA_FILE: &str = include_str!("../../../adapters/protocol.schema.json");

    const TYPES: &str = r#"
        type T struct {
            // +unionDiscriminator
            Type Letter `json:"type"`
            // +unionMember
            // +optional
            A *int `json:"a,omitempty"`
            // +unionMember,optional
            // +optional
            B *int `json:"b,omitempty"`
            Choice Choice `json:"choice,omitempty"`
        }
        // +enum
        type Letter string
        const (
            A Letter = "A"
            B Letter = "B"
            None Letter = ""
        )
        type Choice struct {
            // +k8s:unionMember
            // +k8s:optional
            X *int `json:"x,omitempty"`
        }
    "#;

    #[rstest]
    #[case::own(UnionRules::Own, "kep-1027", Some(("own", true, false)))]
    #[case::own_ratcheting(UnionRules::Own, "kep-1027-ratcheting", Some(("own", true, true)))]
    #[case::own_with_the_gate_off(UnionRules::Own, "none", Some(("own", false, false)))]
    #[case::own_is_not_another(UnionRules::Own, "deduce", None)]
    #[case::by_name(UnionRules::ByName, "kep-1027-ratcheting", Some(("kep-1027-ratcheting", true, true)))]
    #[case::by_a_name_of_other_rules(UnionRules::ByName, "deduce", Some(("deduce", true, false)))]
    #[case::by_a_name_that_is_not_listed(UnionRules::ByName, "legacy", None)]
    fn the_rules_of_a_request(
        #[case] rules: UnionRules,
        #[case] name: &str,
        #[case] expected: Option<(&str, bool, bool)>,
    ) {
        let listed = ["kep-1027-ratcheting", "deduce"].map(str::to_owned);
        let requested = RequestedRules::of(policy::by_name(name).unwrap(), rules, &listed);
        let found = requested.map(|rules| (rules.policy, rules.gates.unions, rules.gates.ratcheting));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_request_has_the_unions_of_its_types_and_fits_the_json_schema() {
        let (context, schemas) = (context(TYPES), SchemaRegistry::default());
        let policy = policy::by_name("kep-1027").unwrap();
        let new = from_json(br#"{"type":"A","a":1}"#).unwrap();
        let write =
            UnionWrite { context: &context, policy, request_type: RequestType::Update, old: None, new: &new };
        let rules = RequestedRules::of(policy, UnionRules::Own, &[]).unwrap();
        let published = schemas.publish_unions(&context);
        let message = AdmitUnionMessage::of(7, &write, rules, published.message(&mut SentSchemas::new()));
        let request = serde_json::to_value(&message).unwrap();
        let types = &request["schema"]["openapi"]["components"]["schemas"];
        let members = json!({
            "": null,
            "A": {"name": "a", "optional": false},
            "B": {"name": "b", "optional": true}
        });
        assert_eq!(types["T"]["properties"]["type"]["x-kubernetes-unions"], json!({"fieldMembers": members}));
        let choice = json!([{"kind": "exactly-one", "members": [{"field": "x", "value": "X"}]}]);
        assert_eq!(types["Choice"]["x-skewer-unions"], choice);
        let schema: Value = serde_json::from_str(SCHEMA_FILE).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&request), "{request}");
        for member in ["schema", "documents", "options"] {
            let mut invalid = request.clone();
            invalid.as_object_mut().unwrap().remove(member);
            assert!(!validator.is_valid(&invalid), "{invalid}");
        }
    }
}
