//! The eight rows of the test matrix that KEP-1027 cites, on the side of the server, and the feature gate.
//!
//! What reaches the server comes out of the views: a structured client drops the member that it does not know,
//! an unstructured one keeps it, and a server that does not know it drops it while decoding.

use std::sync::Arc;

use rstest::rstest;

use super::*;
use crate::document::OwnedDoc;
use crate::patch::PatchContext;
use crate::skew::{Edit, Intent, UnknownFieldHandling, convert};
use crate::test_support::json;
use crate::union::{admit, policy};

const TYPES: &str = r#"
// +enum
type Kind string
const (
  KindA Kind = "A"
  KindB Kind = "B"
  KindC Kind = "C"
  None Kind = ""
)
type Root struct {
  With *With `json:"with,omitempty"`
  Without *Without `json:"without,omitempty"`
  Labels map[string]string `json:"labels,omitempty"`
}
type With struct {
  // +unionDiscriminator
  // +required
  Type Kind `json:"type"`
  // +unionMember
  // +optional
  A *int `json:"a,omitempty"`
  // +unionMember
  // +optional
  B *int `json:"b,omitempty"`
  // +unionMember
  // +optional
  C *int `json:"c,omitempty"`
}
type Without struct {
  // +k8s:zeroOrOneOfMember
  A *int `json:"a,omitempty"`
  // +k8s:zeroOrOneOfMember
  B *int `json:"b,omitempty"`
  // +k8s:zeroOrOneOfMember
  C *int `json:"c,omitempty"`
}
"#;

#[derive(Clone, Copy, PartialEq)]
enum Knows {
    All,
    NotC,
}

fn party(knows: Knows) -> PatchContext {
    let everything = schema(TYPES);
    let elements = ["With.c", "Without.c", "Kind=C"].map(|element| element.parse().unwrap());
    let view = if knows == Knows::All { everything } else { everything.without(&elements).unwrap() };
    PatchContext::of(Arc::new(view), "Root").unwrap()
}

struct Row<'a> {
    client: Knows,
    structured: bool,
    server: Knows,
    live: &'a str,
    /// The fields of `with` or `without` that the client chooses; nothing: it echoes.
    intent: &'a str,
}

/// What the server stores after an update, or why it refuses.
fn update(row: &Row<'_>, policy: &str) -> Result<String, String> {
    let (client, server, everything) = (party(row.client), party(row.server), party(Knows::All));
    let live = convert(&server, &json(row.live), UnknownFieldHandling::Drop).unwrap();
    let hold = |value: OwnedDoc| {
        if row.structured { convert(&client, &value, UnknownFieldHandling::Drop).unwrap() } else { value }
    };
    let mut edited = hold(live.clone());
    let intent = json(row.intent);
    let edits = intent.as_map().unwrap().iter().map(|(union, fields)| Edit::Choose {
        selector: union.parse().unwrap(),
        fields: fields.as_map().unwrap().clone(),
    });
    Intent(edits.collect()).edit(&mut edited, &client, &everything).unwrap();
    let decoded = convert(&server, &hold(edited), UnknownFieldHandling::Drop).unwrap();
    let policy = policy::by_name(policy).unwrap();
    let admitted = admit(&server, policy, Some(&live), decoded);
    admitted.map(|admitted| admitted.object.to_string()).map_err(|errors| errors[0].kind().id().to_owned())
}

const UNAWARE_STRUCTURED: (Knows, bool, Knows) = (Knows::NotC, true, Knows::All);
const UNAWARE_UNSTRUCTURED: (Knows, bool, Knows) = (Knows::NotC, false, Knows::All);
const UNAWARE_SERVER: (Knows, bool, Knows) = (Knows::All, true, Knows::NotC);

const LIVE_C: &str = r#"{"with":{"c":1,"type":"C"},"without":{"c":1}}"#;
const LIVE_A: &str = r#"{"with":{"a":1,"type":"A"},"without":{"a":1}}"#;

#[rstest]
#[case::row_12_the_member_is_silently_dropped(
    UNAWARE_STRUCTURED,
    LIVE_C.replace(r#""with":{"c":1,"type":"C"},"#, ""),
    "{}",
    [("legacy", Ok(r#"{"without":{}}"#)), ("kep-1027", Ok(r#"{"without":{}}"#)), ("deduce", Ok(r#"{"without":{}}"#))]
)]
#[case::row_16_it_is_not_silent(
    UNAWARE_STRUCTURED,
    LIVE_C.replace(r#","without":{"c":1}"#, ""),
    "{}",
    // The document's conclusion reads as if the member were kept; its validation rule 2 refuses the request.
    [
        ("kep-1027", Err("union-selected-member-empty")),
        ("kep-1027-ratcheting", Err("union-selected-member-empty")),
        ("deduce", Ok(r#"{"with":{"type":"C"}}"#)),
    ]
)]
#[case::row_22_cannot_be_expressed(
    UNAWARE_UNSTRUCTURED,
    LIVE_C.replace(r#""with":{"c":1,"type":"C"},"#, ""),
    r#"{"without":{}}"#,
    [
        ("legacy", Ok(r#"{"without":{"c":1}}"#)),
        ("kep-1027", Ok(r#"{"without":{"c":1}}"#)),
        ("deduce", Ok(r#"{"without":{"c":1}}"#)),
    ]
)]
#[case::row_27_cleared_as_intended(
    UNAWARE_UNSTRUCTURED,
    LIVE_C.replace(r#","without":{"c":1}"#, ""),
    r#"{"with":{"type":""}}"#,
    [
        ("kep-1027", Ok(r#"{"with":{"type":""}}"#)),
        ("kep-1027-ratcheting", Ok(r#"{"with":{"type":""}}"#)),
        ("deduce", Ok(r#"{"with":{"c":1,"type":"C"}}"#)),
    ]
)]
#[case::row_23_needs_deduction(
    UNAWARE_UNSTRUCTURED,
    LIVE_C.replace(r#""with":{"c":1,"type":"C"},"#, ""),
    r#"{"without":{"b":2}}"#,
    [
        ("legacy", Err("union-several-members")),
        ("kep-1027", Err("union-several-members")),
        ("deduce", Ok(r#"{"without":{"b":2}}"#)),
    ]
)]
#[case::row_28_the_discriminator_is_respected(
    UNAWARE_UNSTRUCTURED,
    LIVE_C.replace(r#","without":{"c":1}"#, ""),
    r#"{"with":{"b":2,"type":"B"}}"#,
    [
        ("kep-1027", Ok(r#"{"with":{"b":2,"type":"B"}}"#)),
        ("deduce", Ok(r#"{"with":{"b":2,"type":"B"}}"#)),
        ("declarative", Err("union-unselected-member-set")),
    ]
)]
#[case::row_34_silently_cleared(
    UNAWARE_SERVER,
    LIVE_A.replace(r#""with":{"a":1,"type":"A"},"#, ""),
    r#"{"without":{"c":3}}"#,
    [("legacy", Ok(r#"{"without":{}}"#)), ("kep-1027", Ok(r#"{"without":{}}"#)), ("deduce", Ok(r#"{"without":{}}"#))]
)]
#[case::row_34_with_nothing_live(
    UNAWARE_SERVER,
    "{}".to_owned(),
    r#"{"without":{"c":3}}"#,
    [("legacy", Ok(r#"{"without":{}}"#)), ("kep-1027", Ok(r#"{"without":{}}"#)), ("deduce", Ok(r#"{"without":{}}"#))]
)]
#[case::row_39_refused(
    UNAWARE_SERVER,
    LIVE_A.replace(r#","without":{"a":1}"#, ""),
    r#"{"with":{"c":3,"type":"C"}}"#,
    [
        ("kep-1027", Err("union-unknown-discriminator")),
        ("kep-1027-ratcheting", Err("union-unknown-discriminator")),
        ("none", Ok(r#"{"with":{"type":"C"}}"#)),
    ]
)]
#[case::row_39_with_nothing_live(
    UNAWARE_SERVER,
    "{}".to_owned(),
    r#"{"with":{"c":3,"type":"C"}}"#,
    [
        ("kep-1027", Err("union-unknown-discriminator")),
        ("kep-1027-ratcheting", Err("union-unknown-discriminator")),
        ("deduce", Ok(r#"{"with":{"type":"C"}}"#)),
    ]
)]
fn the_cited_rows_come_out_as_the_kep_says(
    #[case] (client, structured, server): (Knows, bool, Knows),
    #[case] live: String,
    #[case] intent: &str,
    #[case] outcomes: [(&str, Result<&str, &str>); 3],
) {
    for (policy, expected) in outcomes {
        let row = Row { client, structured, server, live: &live, intent };
        assert_eq!(update(&row, policy), expected.map(str::to_owned).map_err(str::to_owned), "{policy}");
    }
}

/// "Turning the gate off and on again": what was stored meanwhile can be read, and must be corrected by the next
/// write, unless ratcheting.
#[test]
fn with_the_gate_off_and_on_again_an_invalid_object_is_read_and_must_be_corrected() {
    let row = |live, intent| Row { client: Knows::All, structured: true, server: Knows::All, live, intent };
    let invalid = r#"{"with":{"a":1,"b":1,"type":"A"}}"#;
    // Off: it is stored.
    assert_eq!(
        update(&row(r#"{"with":{"a":1,"type":"A"}}"#, r#"{"with":{"a":1,"b":1,"type":"A"}}"#), "none"),
        Ok(invalid.to_owned())
    );
    // On: it can be read.
    assert_eq!(
        convert(&party(Knows::All), &json(invalid), UnknownFieldHandling::Drop).unwrap(),
        json(invalid)
    );
    // A write that is about something else fails, unless there is ratcheting.
    let something_else = r#"{"labels":{"x":"y"}}"#;
    assert_eq!(update(&row(invalid, something_else), "kep-1027"), Err("union-several-members".to_owned()));
    let stored = update(&row(invalid, something_else), "kep-1027-ratcheting").unwrap();
    assert_eq!(stored, r#"{"labels":{"x":"y"},"with":{"a":1,"b":1,"type":"A"}}"#);
    // A write that corrects it succeeds.
    for policy in ["kep-1027", "kep-1027-ratcheting"] {
        let corrected = update(&row(invalid, r#"{"with":{"a":1,"type":"A"}}"#), policy);
        assert_eq!(corrected, Ok(r#"{"with":{"a":1,"type":"A"}}"#.to_owned()));
    }
}

/// "If the client sets only its member and the discriminator", the sentence of the KEP is about any request.
#[test]
fn an_aware_client_on_an_aware_server_gets_what_it_wants() {
    for policy in ["deduce", "kep-1027", "kep-1027-ratcheting", "discriminator-defaulting", "declarative"] {
        let row = Row {
            client: Knows::All,
            structured: true,
            server: Knows::All,
            live: LIVE_A,
            intent: r#"{"with":{"c":3,"type":"C"},"without":{"c":3}}"#,
        };
        assert_eq!(
            update(&row, policy),
            Ok(r#"{"with":{"c":3,"type":"C"},"without":{"c":3}}"#.to_owned()),
            "{policy}"
        );
    }
}
