//! Tests of definitions of which the use of a version changes, or that have two versions.

use rstest::rstest;
use skewer_engine::Doc;
use skewer_reports::audit::{Audit, Severity};

use super::{thing, two_versions};
use crate::explore::ExploreOptions;
use crate::input::DefinitionFile;
use crate::run::audit_definitions;

/// Returns the audit of one version of two definitions.
fn audit_of(old: &DefinitionFile, new: &DefinitionFile, version: &str) -> Audit {
    let audits = audit_definitions(old, new, ExploreOptions::default()).expect("valid types");
    audits.into_iter().find(|audit| audit.versions == version).expect("an audit of the version")
}

fn read(text: &str) -> DefinitionFile {
    DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
}

/// Every request in the version ends with “not found”, so that nothing else of it is lost without an error.
#[test]
fn a_version_that_is_no_longer_served_has_no_other_effects() {
    let old =
        two_versions("a: {type: string}", "a: {type: string}, lost: {type: string}, n: {type: integer}");
    let served = two_versions("a: {type: string}", "a: {type: string}, n: {type: integer, maximum: 5}");
    let mut version = served.version("v2").cloned().expect("a version");
    version.as_map_mut().expect("a map").insert("served".into(), Doc::Bool(false));
    let new = served.with_version("v2", &version).to_string();
    let audit = audit_of(&old, &read(&new), "v2");
    let found: Vec<(Severity, &str)> =
        audit.findings.iter().map(|finding| (finding.severity, finding.change.as_str())).collect();
    assert_eq!(
        found,
        [
            (Severity::Loud, "version no longer served"),
            (Severity::Note, "2 changes in a version that is not served")
        ]
    );
}

/// Both versions change: no conversion between them hides it.
#[test]
fn the_same_change_of_two_versions_is_not_hidden_by_the_conversion() {
    let with = |keywords: &str| {
        let object = format!("o: {{type: object, properties: {{a: {{type: string}}}}{keywords}}}");
        two_versions(&object, &object)
    };
    let audit = audit_of(&with(""), &with(", x-kubernetes-preserve-unknown-fields: true"), "v2");
    assert_eq!(audit.not_simulated, [""; 0]);
    let changes: Vec<&str> = audit.findings.iter().map(|finding| finding.change.as_str()).collect();
    assert_eq!(changes, ["unknown fields kept"]);
}

/// Returns a definition with these lines after its version.
fn with_status(subresources: &str, status: &str) -> DefinitionFile {
    read(&thing(&format!(
        "      subresources: {{{subresources}}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {{type: object, properties: {{a: {{type: string}}}}}}
            {status}
"
    )))
}

const STATUS: &str = "status: {type: object, properties: {s: {type: string}}}";

/// A controller that writes to the new subresource fails on a server with the old version.
#[test]
fn a_status_that_comes_with_its_subresource_is_one_change() {
    let audit = audit_of(&with_status("", ""), &with_status("status: {}", STATUS), "v1");
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    assert_eq!((finding.severity, finding.path.as_str()), (Severity::Note, "status"));
    assert_eq!(finding.change, "subresource status added, field added");
    let effect = "requests to the subresource status are refused (not-found): controllers that write the status on a server \
                  with the old version";
    assert!(finding.effects.iter().any(|shown| shown == effect), "{finding:#?}");
}

/// Requests to the main resource keep the stored status, also that of clients that do not know all of it.
#[test]
fn an_old_client_does_not_drop_a_status_with_a_subresource() {
    let more = STATUS.replace("{s:", "{t: {type: string}, s:");
    let audit = audit_of(&with_status("", STATUS), &with_status("status: {}", &more), "v1");
    let of_field = audit.findings.iter().find(|finding| finding.change == "1 field added").expect("a note");
    assert_eq!(
        of_field.effects,
        ["a server that does not know a new field drops it, and refuses a server-side apply that has it \
             (field-not-declared)"]
    );
}

/// Whether no value meant the same, only the controller knows. It sets the status next.
#[test]
fn a_default_of_a_field_that_was_there_is_silent_outside_of_the_status() {
    let default = |status: &str| status.replace("s: {type: string", "s: {type: string, default: x");
    let of_status = audit_of(&with_status("", STATUS), &with_status("", &default(STATUS)), "v1");
    assert_eq!(of_status.findings[0].severity, Severity::Note, "{:#?}", of_status.findings);
    let spec = STATUS.replace("status:", "other:");
    let of_spec = audit_of(&with_status("", &spec), &with_status("", &default(&spec)), "v1");
    let [finding] = of_spec.findings.as_slice() else { panic!("{:#?}", of_spec.findings) };
    assert_eq!(finding.severity, Severity::Silent, "{finding:#?}");
    assert_eq!(
        finding.effects,
        ["set to the default: stored objects, with every client; new objects from old manifests"]
    );
    assert!(finding.advice[0].starts_with("make sure that no value meant the same"), "{finding:#?}");
}

/// Returns a definition with versions, each with the fields of `spec`. Objects are stored in `storage`.
pub(super) fn stored_in(storage: &str, versions: &[(&str, &str)], conversion: &str) -> DefinitionFile {
    let version = |(name, fields): &(&str, &str)| {
        format!(
            "    - {{name: {name}, served: true, storage: {}, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: \
             {{type: object, properties: {{{fields}}}}}}}}}}}}}\n",
            *name == storage
        )
    };
    let versions: String = versions.iter().map(version).collect();
    read(&format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: things.example.com}}\n\
         spec:\n  group: example.com\n  names: {{kind: Thing, plural: things, singular: thing, listKind: ThingList}}\n  \
         scope: Namespaced\n{conversion}  versions:\n{versions}"
    ))
}

/// Returns the names of the versions, the severities, the changes and the effects of all findings.
fn found_between(old: &DefinitionFile, new: &DefinitionFile) -> Vec<(String, Severity, String, Vec<String>)> {
    let audits = audit_definitions(old, new, ExploreOptions::default()).expect("valid types");
    let of_audit = |audit: Audit| {
        let versions = audit.versions;
        audit.findings.into_iter().map(move |it| (versions.clone(), it.severity, it.change, it.effects))
    };
    audits.into_iter().flat_map(of_audit).collect()
}

const BOTH: [(&str, &str); 2] = [
    ("v1beta1", "a: {type: string}, before: {type: string}"),
    ("v1", "a: {type: string}, after: {type: string}"),
];

const STORED_ELSEWHERE: &str = "objects are stored in v1 instead of v1beta1";

/// Before, a request in v1 dropped the field of v1beta1, and no object had that of v1. Now the server drops the field of
/// v1beta1 whatever is written, and a request in v1beta1 drops that of v1.
#[test]
fn another_version_for_storage_counts_with_its_new_effects() {
    let found = found_between(&stored_in("v1beta1", &BOTH, ""), &stored_in("v1", &BOTH, ""));
    let found: Vec<(&str, Severity, &str, &str)> = found
        .iter()
        .map(|(versions, severity, change, effects)| {
            (versions.as_str(), *severity, change.as_str(), effects[0].as_str())
        })
        .collect();
    assert_eq!(
        found,
        [
            (
                "v1beta1",
                Severity::Silent,
                "not in v1, in which objects are stored now",
                "lost: stored objects, with every client; new objects from old manifests"
            ),
            (
                "v1beta1",
                Severity::Note,
                STORED_ELSEWHERE,
                "stored objects stay in v1beta1 until they are written; status.storedVersions has both versions"
            ),
            (
                "v1beta1 and v1",
                Severity::Silent,
                "1 field in one version only",
                "the fields that v1beta1 does not have are lost: requests in v1beta1 to objects created in v1, with every \
                 client"
            ),
        ]
    );
}

/// The older of two versions is the first, wherever objects are stored.
#[test]
fn an_added_version_is_compared_from_the_older_one() {
    let of_version = |name, fields| (name, fields);
    let before = [of_version("v1beta1", "a: {type: string}")];
    let after = [("v1", "a: {type: string, maxLength: 3}"), before[0]];
    let found = found_between(&stored_in("v1beta1", &before, ""), &stored_in("v1beta1", &after, ""));
    let versions: Vec<(&str, &str)> = found.iter().map(|it| (it.0.as_str(), it.2.as_str())).collect();
    assert_eq!(versions, [("v1beta1 and v1", "maxLength 3 added")]);
    let found = found_between(&stored_in("v1beta1", &before, ""), &stored_in("v1", &after, ""));
    let versions: Vec<(&str, &str)> = found.iter().map(|it| (it.0.as_str(), it.2.as_str())).collect();
    assert_eq!(versions, [("v1beta1", STORED_ELSEWHERE), ("v1beta1 and v1", "maxLength 3 added")]);
    assert_eq!(
        found[0].3[1],
        "the old definition cannot be installed again: status.storedVersions has v1, which it does not have"
    );
}

/// A webhook could convert what a server drops without it.
#[test]
fn a_webhook_that_is_removed_lets_the_server_drop_fields() {
    let webhook = "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: \
                   \"https://a.example/convert\"}}}\n";
    let with = |conversion: &str| stored_in("v1", &BOTH, conversion);
    let found = found_between(&with(webhook), &with(""));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].1, found[0].2.as_str()), (Severity::Silent, "2 fields in one version only"));
    assert_eq!(found_between(&with(""), &with("")), []);
    assert_eq!(found_between(&with(""), &with(webhook)), []);
    assert_eq!(found_between(&with(webhook), &stored_in("v1beta1", &BOTH, webhook)).len(), 1);
}

/// The two names are one field, so that the effects on both are those of one change.
#[test]
fn the_new_name_of_a_field_is_explored_too() {
    let fields = |name: &str| {
        format!(
            "o: {{type: object, properties: {{a: {{type: string}}, {name}: {{type: integer, minimum: 3}}}}}}"
        )
    };
    let (before, after) = (fields("size"), fields("sizeLimit"));
    let both = [("v1beta1", before.as_str()), ("v1", after.as_str())];
    let found = found_between(&stored_in("v1beta1", &both, ""), &stored_in("v1", &both, ""));
    let between: Vec<_> = found.iter().filter(|it| it.0 == "v1beta1 and v1").collect();
    let [(_, severity, change, effects)] = between.as_slice() else { panic!("{found:#?}") };
    assert_eq!((*severity, change.as_str()), (Severity::Silent, "field renamed to sizeLimit? (a guess)"));
    assert_eq!(
        effects,
        &[
            "sizeLimit of the same object lost: requests in v1beta1 to objects created in v1, with every client"
        ]
    );
}

/// Returns an old definition, of `v1beta1`, without a word about unknown fields.
fn old_definition(spec: &str) -> DefinitionFile {
    read(&format!(
        "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {{name: things.example.com}}\n\
         spec:\n  group: example.com\n  version: v1\n  names: {{kind: Thing, plural: things, singular: thing, listKind: \
         ThingList}}\n  scope: Namespaced\n  validation:\n    openAPIV3Schema: {{properties: {{spec: {{\
         properties: {{{spec}}}}}}}}}\n"
    ))
}

const NO_LONGER_KEPT: &str = "unknown fields no longer kept";

/// A definition of `v1beta1` keeps unknown fields unless it says otherwise. What becomes of them depends on how the new one is
/// installed.
#[rstest]
#[case::replaced("preserveUnknownFields: false", "a: {type: string}", &[(Severity::Silent, NO_LONGER_KEPT)])]
#[case::not_mentioned("", "a: {type: string}", &[
    (Severity::Silent, NO_LONGER_KEPT),
    (Severity::Note, "preserveUnknownFields not mentioned, true before"),
])]
#[case::refused("", "a: {type: string, default: x}", &[
    (Severity::Silent, NO_LONGER_KEPT),
    (Severity::Silent, "default \"x\" added"),
    (Severity::Loud, "preserveUnknownFields not mentioned, true before"),
])]
fn unknown_fields_of_old_definitions_are_seen(
    #[case] setting: &str,
    #[case] spec: &str,
    #[case] expected: &[(Severity, &str)],
) {
    let new = stored_in("v1", &[("v1", spec)], &format!("  {setting}\n"));
    let found = found_between(&old_definition("a: {type: string}"), &new);
    let found: Vec<(Severity, &str)> = found.iter().map(|it| (it.1, it.2.as_str())).collect();
    assert_eq!(found, expected);
}

/// A server keeps false, too.
#[test]
fn an_old_definition_in_place_of_a_new_one_does_not_keep_unknown_fields() {
    let new = stored_in("v1", &[("v1", "a: {type: string}")], "");
    let found = found_between(&new, &old_definition("a: {type: string}"));
    let last = found.last().expect("a finding");
    assert_eq!(
        (last.1, last.2.as_str()),
        (Severity::Note, "preserveUnknownFields not mentioned, false before")
    );
}

/// A definition that was read from a server has the setting, too.
#[test]
fn a_definition_of_a_server_that_keeps_unknown_fields_is_read() {
    let kept = stored_in("v1", &[("v1", "a: {type: string}")], "  preserveUnknownFields: true\n");
    let dropped = stored_in("v1", &[("v1", "a: {type: string}")], "  preserveUnknownFields: false\n");
    assert_eq!(found_between(&kept, &kept), []);
    let found = found_between(&kept, &dropped);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].2, NO_LONGER_KEPT);
    // A typed client has dropped the field before the change, too.
    assert_eq!(
        found[0].3,
        [
            "unknown lost: stored objects, with typed-patch, untyped-update, untyped-patch, kubectl-apply; new objects from old \
             manifests",
            "refused (field-not-declared at unknown): stored objects, with server-side-apply; new objects from old manifests, \
             with server-side apply"
        ]
    );
}

/// Every object has these fields.
#[test]
fn a_definition_that_names_the_fields_of_every_object_changes_nothing() {
    let with = |required: &str, fields: &str| {
        read(&thing(&format!(
            "      schema: {{openAPIV3Schema: {{type: object, {required}properties: {{{fields}spec: {{type: object}}}}}}}}\n"
        )))
    };
    let fields = "apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}, ";
    let (none, named) = (with("", ""), with("", fields));
    let required = with("required: [metadata], ", fields);
    assert_eq!(found_between(&none, &named), []);
    assert_eq!(found_between(&named, &none), []);
    // The server sets a name and a time of creation before it validates.
    assert_eq!(found_between(&named, &required), []);
}

/// With `--rollback`, the change is reverted.
#[test]
fn a_definition_that_cannot_be_installed_again_is_loud_if_it_has_to_be() {
    let old = stored_in("v1beta1", &[("v1beta1", "a: {type: string}")], "");
    let new = stored_in("v1", &[("v1beta1", "a: {type: string}"), ("v1", "a: {type: string}")], "");
    let options = ExploreOptions { rollback: true, ..ExploreOptions::default() };
    let audits = audit_definitions(&old, &new, options).expect("valid types");
    let found: Vec<_> = audits.iter().flat_map(|audit| &audit.findings).collect();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].severity, found[0].change.as_str()), (Severity::Loud, STORED_ELSEWHERE));
}

/// A client reads what was stored before as it is. A server with declared renames converts it as a webhook does.
#[test]
fn an_object_that_was_stored_before_is_read_as_it_is() {
    let with = |storage| {
        stored_in(
            storage,
            &[
                ("v1beta1", "o: {type: object, required: [a], properties: {a: {type: string}}}"),
                ("v1", "o: {type: object}"),
            ],
            "",
        )
    };
    let found = found_between(&with("v1beta1"), &with("v1"));
    let (_, severity, change, effects) = &found[0];
    assert_eq!(
        (*severity, change.as_str()),
        (Severity::Silent, "not in v1, in which objects are stored now")
    );
    assert_eq!(effects, &["lost: stored objects, with every client; new objects from old manifests"]);
}

/// A field that one version did not have was lost before, with all fields in it.
#[test]
fn a_difference_in_a_known_difference_is_known() {
    let fields = |in_old: &str| format!("a: {{type: string}}, o: {{type: object, properties: {{{in_old}}}}}");
    let (none, some, all) = (
        "a: {type: string}".to_owned(),
        fields("x: {type: string}"),
        fields("x: {type: string}, y: {type: string}"),
    );
    let with = |first: &str| stored_in("v1", &[("v1beta1", first), ("v1", &all)], "");
    let found = found_between(&with(&none), &with(&some));
    assert!(found.iter().all(|it| it.0 == "v1beta1"), "{found:#?}");
}

/// The versions have rules of their own, as before. Only the version for storage is another one.
#[test]
fn what_a_rule_of_one_version_refused_before_is_judged() {
    let of = |name: &str| {
        format!(
            "o: {{type: object, properties: {{{name}: {{type: string}}, limit: {{type: integer}}}}, x-kubernetes-validations: \
             [{{rule: 'has(self.{name}) || !has(self.limit)'}}]}}"
        )
    };
    let (first, second) = (of("cohort"), of("cohortName"));
    let with = |storage: &str| stored_in(storage, &[("v1beta1", &first), ("v1", &second)], "");
    let found = found_between(&with("v1beta1"), &with("v1"));
    assert!(found.iter().all(|it| it.1 != Severity::NotJudged), "{found:#?}");
}

/// Two equal items are refused to every manager.
#[test]
fn a_list_that_is_a_set_now_is_advised_as_what_it_refuses() {
    let with = |list_type: &str| {
        format!(
            "o: {{type: array, items: {{type: object, properties: {{l: {{type: array, {list_type}items: {{type: string}}}}}}}}}}"
        )
    };
    let audit = super::audit(&with(""), &with("x-kubernetes-list-type: set, "));
    assert_eq!(audit.findings[0].severity, Severity::Loud, "{:#?}", audit.findings);
    assert_eq!(
        audit.findings[0].advice,
        ["look for lists with equal items, or items with equal keys, before the change"]
    );
}

/// If the value is the only field, a server-side apply that gives it up leaves no object for the server to complete.
#[test]
fn a_default_that_is_removed_is_missed_by_a_server_side_apply_too() {
    let with = |default: &str| {
        format!("o: {{type: object, properties: {{a: {{type: string{default}}}, b: {{type: string}}}}}}")
    };
    let audit = super::audit(&with(", default: x"), &with(""));
    assert_eq!(
        audit.findings[0].effects[0],
        "lost: stored objects, with every client that removes the value; new objects from old manifests"
    );
}
