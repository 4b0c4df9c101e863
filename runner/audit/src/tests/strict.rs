//! Clients whose types refuse values that they do not have.

use rstest::rstest;
use skewer_reports::audit::{Audit, Severity};

use super::{ExploreOptions, audit_with};
use crate::clients::Clients;

fn audit(old: &str, new: &str, clients: Option<&str>) -> Audit {
    let clients = clients.map(|name| {
        let mut clients = Clients::default();
        assert!(clients.add(name));
        clients
    });
    audit_with(old, new, ExploreOptions { clients, ..ExploreOptions::default() })
}

const OLD_ENUM: &str = "a: {type: string, enum: [one]}";
const NEW_ENUM: &str = "a: {type: string, enum: [one, two]}";
const REQUIRED: &str = "o: {type: object, required: [b], properties: {a: {type: string}, b: {type: string}}}";
const OPTIONAL: &str = "o: {type: object, properties: {a: {type: string}, b: {type: string}}}";

#[rstest]
#[case::enum_value(OLD_ENUM, NEW_ENUM, "with a new value")]
#[case::required_field(REQUIRED, OPTIONAL, "without the field")]
fn a_declared_strict_client_cannot_read_what_its_types_do_not_have(
    #[case] old: &str,
    #[case] new: &str,
    #[case] which: &str,
) {
    let unreadable = &format!(
        "objects {which} cannot be read, nor lists with such an object: old clients, with strict-update"
    );
    for (clients, severity) in [(Some("strict-controller"), Severity::Loud), (None, Severity::Note)] {
        let audit = audit(old, new, clients);
        let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
        assert_eq!(finding.severity, severity, "{finding:#?}");
        assert!(finding.effects.iter().any(|effect| effect == unreadable), "{finding:#?}");
    }
    let of_others = audit(old, new, Some("typed-controller"));
    assert!(of_others.findings.iter().all(|finding| finding.severity == Severity::Note), "{of_others:#?}");
}

/// A client that does not know a field ignores it, and a value that both have is no matter of types.
#[rstest]
#[case::field(OPTIONAL, &OPTIONAL.replace("b: {type: string}", "b: {type: string}, c: {type: string}"))]
#[case::removed_value(NEW_ENUM, OLD_ENUM)]
#[case::length("a: {type: string, maxLength: 2}", "a: {type: string, maxLength: 5}")]
fn a_strict_client_reads_all_other_objects(#[case] old: &str, #[case] new: &str) {
    let audit = audit(old, new, Some("strict-controller"));
    let effects: Vec<&String> = audit.findings.iter().flat_map(|finding| &finding.effects).collect();
    assert!(effects.iter().all(|effect| !effect.contains("cannot be read")), "{effects:#?}");
}
