//! Properties that hold for all unions and all objects.

use proptest::prelude::*;

use super::*;
use crate::document::{Doc, Map, OwnedDoc, OwnedMap, Text};
use crate::schema::union::{Cardinality, DeclarationForm, Member, UnionSelection, Unions};
use crate::schema::{Declarations, Marker};
use crate::union::policy::{self, Policy, WriteKind};

const FIELDS: [&str; 4] = ["a", "b", "c", "d"];
const VALUES: [&str; 6] = ["A", "B", "C", "D", "Empty", ""];

fn member() -> impl Strategy<Value = (bool, bool)> {
    (any::<bool>(), any::<bool>())
}

prop_compose! {
    fn discriminated()(
        members in prop::collection::vec(member(), 0..=4),
        values in prop::sample::subsequence(VALUES.to_vec(), 0..=6),
        open in prop::bool::weighted(0.2),
        default in prop::option::weighted(0.3, prop::sample::select(VALUES.to_vec())),
        form in prop::sample::select(vec![
            DeclarationForm::Kep, DeclarationForm::Declarative, DeclarationForm::List { deduce: None }, DeclarationForm::List { deduce: Some(false) },
        ]),
    ) -> Union {
        let members = members.iter().enumerate().map(|(i, (optional, zero_is_unset))| {
            let mut member = Member::new(FIELDS[i], VALUES[i]);
            member.optional = *optional;
            member.zero_is_unset = *zero_is_unset;
            member
        });
        let mut union = Union::discriminated("type", values, members.collect());
        union.form = form;
        let discriminator = union.discriminator.as_mut().unwrap();
        discriminator.default = default.map(Text::from);
        if open {
            discriminator.values = None;
        }
        union
    }
}

fn union() -> impl Strategy<Value = Union> {
    let legacy = (1..=4_usize, any::<bool>()).prop_map(|(fields, exactly)| {
        let cardinality = if exactly { Cardinality::ExactlyOne } else { Cardinality::AtMostOne };
        Union::legacy(FIELDS.into_iter().take(fields), cardinality)
    });
    prop_oneof![4 => discriminated(), 1 => legacy]
}

fn value() -> impl Strategy<Value = OwnedDoc> {
    prop_oneof![
        4 => Just(Doc::Int(1)),
        1 => Just(Doc::Int(0)),
        1 => Just(Doc::Null),
        1 => Just(Doc::Map(Map::new())),
        1 => Just(Doc::from("")),
        1 => Just(Doc::List(vec![Doc::Null])),
    ]
}

fn discriminator() -> impl Strategy<Value = OwnedDoc> {
    prop_oneof![
        8 => prop::sample::select(VALUES.to_vec()).prop_map(Doc::from),
        1 => Just(Doc::from("Unknown")),
        1 => value(),
    ]
}

prop_compose! {
    fn object()(
        members in prop::collection::btree_map(prop::sample::select(FIELDS.to_vec()), value(), 0..=4),
        ty in prop::option::weighted(0.8, discriminator()),
        other in prop::option::of(value()),
    ) -> OwnedMap {
        let fields = members.into_iter().map(|(field, value)| (Text::from(field), value));
        fields.chain(ty.map(|ty| (Text::from("type"), ty))).chain(other.map(|v| (Text::from("other"), v))).collect()
    }
}

fn write() -> impl Strategy<Value = (WriteKind, Option<OwnedMap>)> {
    prop_oneof![
        1 => Just((WriteKind::Create, None)),
        6 => object().prop_map(|old| (WriteKind::Update, Some(old))),
        1 => Just((WriteKind::Update, None)),
    ]
}

fn marker_value() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "", "=A", "=a", "=", ",optional", "=A,optional", "=x", "(union: \"u\")", "=+k8s:unionMember",
            "(since: \"1.37\")=+k8s:unionDiscriminator", r#"={"fieldMembers":{"A":{"name":"a"}}}"#,
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn marked_field() -> impl Strategy<Value = serde_json::Value> {
    let names = vec![
        "unionDiscriminator",
        "unionMember",
        "unionDiscriminatedBy",
        "k8s:unionDiscriminator",
        "k8s:unionMember",
        "k8s:zeroOrOneOfMember",
        "k8s:beta",
        "k8s:item",
        "x-kubernetes-unions",
    ];
    let markers = prop::collection::vec((prop::sample::select(names), marker_value()), 0..3);
    let types = vec![
        serde_json::json!({"named": "Kind"}),
        serde_json::json!({"scalar": "string"}),
        serde_json::json!({"named": "In"}),
        serde_json::json!({"pointer": {"named": "Missing"}}),
        serde_json::json!({"list": {"scalar": "integer"}}),
    ];
    let name = prop::sample::select(vec!["a", "A", "b", "x", ""]);
    (name, prop::sample::select(types), markers, any::<bool>(), 1..9_u32).prop_map(
        |(name, ty, markers, inline, line)| {
            let markers: Vec<_> = markers
                .into_iter()
                .map(|(name, value)| serde_json::json!({"name": name, "value": value}))
                .collect();
            serde_json::json!({"name": name, "goName": name, "type": ty, "markers": markers, "inline": inline,
            "omitEmpty": true, "line": line})
        },
    )
}

fn policy(name: &str) -> &'static dyn Policy {
    policy::by_name(name).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normalizing_twice_is_normalizing_once(union in union(), (write, old) in write(), new in object()) {
        for policy in policy::REGISTRY {
            let mut once = new.clone();
            policy.normalize(write, old.as_ref(), &mut once, &union);
            let mut twice = once.clone();
            let changes = policy.normalize(write, old.as_ref(), &mut twice, &union);
            prop_assert_eq!(&once, &twice, "{}", policy.name());
            prop_assert!(changes.is_empty(), "{}: {:?}", policy.name(), changes);
        }
    }

    #[test]
    fn normalization_changes_only_the_union_and_returns_all_changes(
        union in union(), (write, old) in write(), new in object()
    ) {
        for policy in policy::REGISTRY {
            let mut normalized = new.clone();
            let mut replayed = new.clone();
            for change in policy.normalize(write, old.as_ref(), &mut normalized, &union) {
                let field = change.path.to_string();
                let discriminator = union.discriminator.as_ref().map(|d| d.field.as_str());
                match change.kind {
                    policy::ChangeKind::Cleared(value) => {
                        prop_assert!(union.member(&field).is_some() || discriminator == Some(field.as_str()));
                        prop_assert_eq!(replayed.remove(&field), Some(value));
                    }
                    policy::ChangeKind::Selected(value, before) => {
                        prop_assert_eq!(discriminator, Some(field.as_str()));
                        prop_assert_eq!(replayed.insert(field.into(), Doc::String(value)), before);
                    }
                    // A policy only restores members. Implementations outside of the engine can replace them.
                    policy::ChangeKind::Replaced(value, before) => {
                        prop_assert_eq!(old.as_ref().and_then(|old| old.get(&field)), Some(&value));
                        prop_assert!(union.member(&field).is_some(), "{} replaced {field}", policy.name());
                        prop_assert_eq!(replayed.insert(field.into(), value), before);
                    }
                }
            }
            prop_assert_eq!(replayed, normalized, "{}", policy.name());
        }
    }

    #[test]
    fn kep_1027_clears_if_and_only_if_the_discriminator_was_modified(
        union in discriminated(), (write, old) in write(), new in object()
    ) {
        let discriminator = union.discriminator.clone().unwrap();
        let modified = discriminator.effective_value(old.as_ref()) != discriminator.effective_value(Some(&new));
        let selected = match union.selection(&new) {
            Some(UnionSelection::Member(member)) => Some(Some(member.field.clone())),
            Some(UnionSelection::NoMember) => Some(None),
            _ => None,
        };
        let mut normalized = new.clone();
        policy("kep-1027").normalize(write, old.as_ref(), &mut normalized, &union);
        match selected.filter(|_| modified && write == WriteKind::Update) {
            None => prop_assert_eq!(normalized, new),
            Some(keep) => {
                let mut expected = union.set_members(&new);
                expected.retain(|member| Some(&member.field) == keep.as_ref());
                prop_assert_eq!(union.set_members(&normalized), expected);
            }
        }
    }

    #[test]
    fn an_object_that_kep_1027_accepts_has_only_the_selected_member(
        union in discriminated(), (write, old) in write(), mut new in object()
    ) {
        let policy = policy("kep-1027");
        policy.normalize(write, old.as_ref(), &mut new, &union);
        if policy.validate(write, old.as_ref(), &new, &union).is_empty() {
            match union.selection(&new) {
                Some(UnionSelection::Member(member)) => {
                    let set = union.set_members(&new);
                    prop_assert!(set == [member] || (member.optional && set.is_empty()));
                }
                Some(UnionSelection::NoMember) => prop_assert!(union.set_members(&new).is_empty()),
                other => prop_assert!(false, "{other:?} was accepted"),
            }
        }
    }

    #[test]
    fn an_accepted_object_is_accepted_again_unchanged(union in union(), (write, old) in write(), object in object()) {
        for policy in policy::REGISTRY {
            let mut new = object.clone();
            policy.normalize(write, old.as_ref(), &mut new, &union);
            if policy.validate(write, old.as_ref(), &new, &union).is_empty() {
                let mut again = new.clone();
                policy.normalize(WriteKind::Update, Some(&new), &mut again, &union);
                prop_assert_eq!(&again, &new, "{}", policy.name());
                let violations = policy.validate(WriteKind::Update, Some(&new), &again, &union);
                prop_assert!(violations.is_empty(), "{}: {:?}", policy.name(), violations);
            }
        }
    }

    #[test]
    fn ratcheting_accepts_unchanged_objects_and_all_that_kep_1027_accepts(
        union in union(), (write, old) in write(), new in object()
    ) {
        let strict = policy("kep-1027").validate(write, old.as_ref(), &new, &union);
        let ratcheting = policy("kep-1027-ratcheting").validate(write, old.as_ref(), &new, &union);
        prop_assert!(ratcheting.iter().all(|violation| strict.contains(violation)));
        prop_assert!(policy("kep-1027-ratcheting").validate(WriteKind::Update, Some(&new), &new, &union).is_empty());
    }

    #[test]
    fn a_party_never_names_a_member_that_it_does_not_know(union in discriminated(), (write, old) in write(), new in object()) {
        let mut view = union;
        view.remove_field("a");
        for policy in policy::REGISTRY {
            let mut new = new.clone();
            let changes = policy.normalize(write, old.as_ref(), &mut new, &view);
            prop_assert!(changes.iter().all(|change| change.path.to_string() != "a"));
            let violations = policy.validate(write, old.as_ref(), &new, &view);
            prop_assert!(violations.iter().all(|violation| violation.field.as_deref() != Some("a")));
        }
    }

    #[test]
    fn all_markers_yield_unions_or_errors(
        fields in prop::collection::vec(marked_field(), 0..6),
        type_marker in prop::option::of(any::<String>()),
    ) {
        let mut declarations: Declarations = serde_json::from_value(serde_json::json!({"types": [
            {"name": "Kind", "shape": {"enum": {"closed": true, "values": [{"value": "A"}, {"value": ""}]}}},
            {"name": "In", "shape": {"struct": [{"name": "a", "type": {"named": "Kind"}, "line": 3,
                "markers": [{"name": "unionDiscriminator"}]}]}},
            {"name": "T", "shape": {"struct": fields}, "line": 2},
        ]})).unwrap();
        declarations.types[2].markers.extend(type_marker.map(|value| {
            Marker { name: "x-kubernetes-unions".to_owned(), value, line: 0 }
        }));
        match Unions::declared(&declarations) {
            Ok(unions) => for union in unions.of_type("T") {
                let known = |field: &str| fields.iter().any(|f| f["name"] == field) || field == "a";
                prop_assert!(union.members.iter().all(|member| known(&member.field)));
            },
            Err(errors) => prop_assert!(errors.is_sorted_by_key(|error| error.line)),
        }
    }
}
