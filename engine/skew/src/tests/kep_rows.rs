//! The eight rows of the test matrix that KEP-1027 cites, and the feature gate.
//!
//! The tests vary whether a party knows the member `c`. A structured client that does not know it drops it, an
//! unstructured client keeps it, and a server that does not know it drops it while decoding.

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::document::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::union::{admit, policy};

use super::*;
use crate::{Decoder, Edit, Intent, UnknownFieldHandling, convert};

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

/// The schema view of a party.
#[derive(Clone, Copy, PartialEq)]
enum View {
    Full,
    WithoutC,
}

fn context(view: View) -> PatchContext {
    let full = schema_of(TYPES);
    let elements = ["With.c", "Without.c", "Kind=C"].map(|element| element.parse().unwrap());
    let view = if view == View::Full { full } else { full.without(&elements).unwrap() };
    PatchContext::of(Arc::new(view), "Root").unwrap()
}

struct Row<'a> {
    client: View,
    structured: bool,
    server: View,
    live: &'a str,
    /// The new fields of `with` or `without`. If empty, the client sends the object as it was read.
    intent: &'a str,
}

/// Returns the object that the server stores after an update, or the kind of its error.
fn update(row: &Row<'_>, policy: &str) -> Result<String, String> {
    let (client, server, full) = (context(row.client), context(row.server), context(View::Full));
    let live = convert(&server, &json(row.live), Decoder::Json, UnknownFieldHandling::Drop).unwrap();
    let decode = |value: OwnedDoc| {
        if row.structured {
            convert(&client, &value, Decoder::Json, UnknownFieldHandling::Drop).unwrap()
        } else {
            value
        }
    };
    let mut edited = decode(live.clone());
    let intent = json(row.intent);
    let edits = intent.as_map().unwrap().iter().map(|(union, fields)| Edit::Choose {
        selector: union.parse().unwrap(),
        fields: fields.as_map().unwrap().clone(),
    });
    Intent(edits.collect()).edit(&mut edited, &client, &full).unwrap();
    let decoded = convert(&server, &decode(edited), Decoder::Json, UnknownFieldHandling::Drop).unwrap();
    let policy = policy::by_name(policy).unwrap();
    let admitted = admit(&server, policy, Some(&live), decoded);
    admitted.map(|admitted| admitted.object.to_string()).map_err(|errors| errors[0].kind().id().to_owned())
}

/// The client's view, whether the client is structured, and the server's view.
type Parties = (View, bool, View);

const UNAWARE_STRUCTURED: Parties = (View::WithoutC, true, View::Full);
const UNAWARE_UNSTRUCTURED: Parties = (View::WithoutC, false, View::Full);
const UNAWARE_SERVER: Parties = (View::Full, true, View::WithoutC);

const LIVE_C: &str = r#"{"with":{"c":1,"type":"C"},"without":{"c":1}}"#;
const LIVE_A: &str = r#"{"with":{"a":1,"type":"A"},"without":{"a":1}}"#;

#[rstest]
#[case::row_12_the_member_is_silently_dropped(
    UNAWARE_STRUCTURED,
    LIVE_C.replace(r#""with":{"c":1,"type":"C"},"#, ""),
    "{}",
    [("legacy", Ok(r#"{"without":{}}"#)), ("kep-1027", Ok(r#"{"without":{}}"#)), ("deduce", Ok(r#"{"without":{}}"#))]
)]
#[case::row_16_the_dropped_member_is_an_error(
    UNAWARE_STRUCTURED,
    LIVE_C.replace(r#","without":{"c":1}"#, ""),
    "{}",
    // The conclusion of the KEP implies that the member is kept. Validation rule 2 of the KEP refuses the request.
    [
        ("kep-1027", Err("union-selected-member-empty")),
        ("kep-1027-ratcheting", Err("union-selected-member-empty")),
        ("deduce", Ok(r#"{"with":{"type":"C"}}"#)),
    ]
)]
#[case::row_22_clearing_cannot_be_expressed(
    UNAWARE_UNSTRUCTURED,
    LIVE_C.replace(r#""with":{"c":1,"type":"C"},"#, ""),
    r#"{"without":{}}"#,
    [
        ("legacy", Ok(r#"{"without":{"c":1}}"#)),
        ("kep-1027", Ok(r#"{"without":{"c":1}}"#)),
        ("deduce", Ok(r#"{"without":{"c":1}}"#)),
    ]
)]
#[case::row_27_the_member_is_cleared_as_intended(
    UNAWARE_UNSTRUCTURED,
    LIVE_C.replace(r#","without":{"c":1}"#, ""),
    r#"{"with":{"type":""}}"#,
    [
        ("kep-1027", Ok(r#"{"with":{"type":""}}"#)),
        ("kep-1027-ratcheting", Ok(r#"{"with":{"type":""}}"#)),
        ("deduce", Ok(r#"{"with":{"c":1,"type":"C"}}"#)),
    ]
)]
#[case::row_23_the_change_of_member_needs_deduction(
    UNAWARE_UNSTRUCTURED,
    LIVE_C.replace(r#""with":{"c":1,"type":"C"},"#, ""),
    r#"{"without":{"b":2}}"#,
    [
        ("legacy", Err("union-several-members")),
        ("kep-1027", Err("union-several-members")),
        ("deduce", Ok(r#"{"without":{"b":2}}"#)),
    ]
)]
#[case::row_28_the_server_follows_the_discriminator(
    UNAWARE_UNSTRUCTURED,
    LIVE_C.replace(r#","without":{"c":1}"#, ""),
    r#"{"with":{"b":2,"type":"B"}}"#,
    [
        ("kep-1027", Ok(r#"{"with":{"b":2,"type":"B"}}"#)),
        ("deduce", Ok(r#"{"with":{"b":2,"type":"B"}}"#)),
        ("declarative", Err("union-unselected-member-set")),
    ]
)]
#[case::row_34_the_member_is_silently_cleared(
    UNAWARE_SERVER,
    LIVE_A.replace(r#""with":{"a":1,"type":"A"},"#, ""),
    r#"{"without":{"c":3}}"#,
    [("legacy", Ok(r#"{"without":{}}"#)), ("kep-1027", Ok(r#"{"without":{}}"#)), ("deduce", Ok(r#"{"without":{}}"#))]
)]
#[case::row_34_with_an_empty_live_object(
    UNAWARE_SERVER,
    "{}".to_owned(),
    r#"{"without":{"c":3}}"#,
    [("legacy", Ok(r#"{"without":{}}"#)), ("kep-1027", Ok(r#"{"without":{}}"#)), ("deduce", Ok(r#"{"without":{}}"#))]
)]
#[case::row_39_the_unknown_value_is_refused(
    UNAWARE_SERVER,
    LIVE_A.replace(r#","without":{"a":1}"#, ""),
    r#"{"with":{"c":3,"type":"C"}}"#,
    [
        ("kep-1027", Err("union-unknown-discriminator")),
        ("kep-1027-ratcheting", Err("union-unknown-discriminator")),
        ("none", Ok(r#"{"with":{"type":"C"}}"#)),
    ]
)]
#[case::row_39_with_an_empty_live_object(
    UNAWARE_SERVER,
    "{}".to_owned(),
    r#"{"with":{"c":3,"type":"C"}}"#,
    [
        ("kep-1027", Err("union-unknown-discriminator")),
        ("kep-1027-ratcheting", Err("union-unknown-discriminator")),
        ("deduce", Ok(r#"{"with":{"type":"C"}}"#)),
    ]
)]
fn the_cited_rows_have_the_outcomes_of_the_kep(
    #[case] (client, structured, server): Parties,
    #[case] live: String,
    #[case] intent: &str,
    #[case] outcomes: [(&str, Result<&str, &str>); 3],
) {
    for (policy, expected) in outcomes {
        let row = Row { client, structured, server, live: &live, intent };
        assert_eq!(update(&row, policy), expected.map(str::to_owned).map_err(str::to_owned), "{policy}");
    }
}

/// KEP-1027, "Turning the gate off and on again": an invalid object that was stored while the gate was off can be read.
/// The next write must correct it, except with ratcheting.
#[test]
fn an_invalid_object_stored_with_the_gate_off_is_readable_and_must_be_corrected() {
    let row = |live, intent| Row { client: View::Full, structured: true, server: View::Full, live, intent };
    let invalid = r#"{"with":{"a":1,"b":1,"type":"A"}}"#;
    // The gate is off: the invalid object is stored.
    assert_eq!(
        update(&row(r#"{"with":{"a":1,"type":"A"}}"#, r#"{"with":{"a":1,"b":1,"type":"A"}}"#), "none"),
        Ok(invalid.to_owned())
    );
    // The gate is on: the invalid object can be read.
    assert_eq!(
        convert(&context(View::Full), &json(invalid), Decoder::Json, UnknownFieldHandling::Drop).unwrap(),
        json(invalid)
    );
    // A write that changes another field fails, except with ratcheting.
    let other_field = r#"{"labels":{"x":"y"}}"#;
    assert_eq!(update(&row(invalid, other_field), "kep-1027"), Err("union-several-members".to_owned()));
    let stored = update(&row(invalid, other_field), "kep-1027-ratcheting").unwrap();
    assert_eq!(stored, r#"{"labels":{"x":"y"},"with":{"a":1,"b":1,"type":"A"}}"#);
    // A write that corrects the object succeeds.
    for policy in ["kep-1027", "kep-1027-ratcheting"] {
        let corrected = update(&row(invalid, r#"{"with":{"a":1,"type":"A"}}"#), policy);
        assert_eq!(corrected, Ok(r#"{"with":{"a":1,"type":"A"}}"#.to_owned()));
    }
}

/// KEP-1027 ("If the client sets only its member and the discriminator") covers all kinds of requests.
#[test]
fn parties_without_skew_reach_the_intended_state_under_each_policy_that_reads_discriminators() {
    for policy in ["deduce", "kep-1027", "kep-1027-ratcheting", "discriminator-defaulting", "declarative"] {
        let row = Row {
            client: View::Full,
            structured: true,
            server: View::Full,
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
