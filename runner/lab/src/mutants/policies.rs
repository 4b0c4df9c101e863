//! Mutants with another union policy, or with a policy that lacks one of its rules.

use std::sync::LazyLock;

use skewer_engine::document::{Doc, OwnedMap, Text};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::union::{Cardinality, Member, Union};
use skewer_engine::union::policy::{Policy, REGISTRY, Violation, WriteKind};
use skewer_execute::execute::prepared::{Parties, PartyChange};

use super::facts::Facts;
use super::mutant::{Family, Mutant, Mutation};
use super::wrapped_policy::{Rule, without_rule};

/// Returns the mutants of all registered policies.
pub(super) fn mutants() -> Vec<Mutant> {
    let others = |policy: &'static dyn Policy| {
        REGISTRY.iter().copied().filter(move |other| other.name() != policy.name())
    };
    let replaced = REGISTRY.iter().copied().flat_map(|policy| {
        others(policy).map(move |by| {
            let (name, about) =
                (policy.name(), format!("servers with the policy {} have {}", policy.name(), by.name()));
            Mutant::new(
                format!("policy/{name}={}", by.name()),
                about,
                Family::PolicyReplaced,
                OtherPolicy { name, by },
            )
        })
    });
    let rules = REGISTRY
        .iter()
        .copied()
        .flat_map(|policy| rules_of(policy).into_iter().filter_map(move |off| rule_mutant(policy, off)));
    replaced.chain(rules).collect()
}

fn rule_mutant(policy: &'static dyn Policy, off: Rule) -> Option<Mutant> {
    let name = policy.name();
    let (id, what) = match off {
        Rule::Normalization => ("normalization-off".to_owned(), "does not normalize".to_owned()),
        Rule::Change(change) => {
            let what = match change.id() {
                "cleared" => "clears no member",
                _ => "sets no discriminator",
            };
            (format!("change-off/{}", change.id()), what.to_owned())
        }
        // Without its validation, a policy that does not normalize is the policy `none`.
        Rule::Validation => return None,
        Rule::Violation(kind) => {
            let id = kind.id().strip_prefix("union-").unwrap_or(kind.id());
            (format!("rule-off/{id}"), format!("does not report the error {}", kind.id()))
        }
        Rule::StoredObject => {
            ("stored-object-ignored".to_owned(), "does not compare with the stored object".to_owned())
        }
        Rule::Tolerance => {
            let tolerates = if policy.tolerates_stored_errors() { "does not tolerate" } else { "tolerates" };
            ("tolerance-flipped".to_owned(), format!("{tolerates} errors of the stored object"))
        }
    };
    let mutation = OtherPolicy { name, by: without_rule(policy, off) };
    Some(Mutant::new(
        format!("policy/{name}/{id}"),
        format!("the policy {name} {what}"),
        Family::PolicyRule,
        mutation,
    ))
}

/// Servers with the policy of this name have another policy.
struct OtherPolicy {
    name: &'static str,
    by: &'static dyn Policy,
}

impl PartyChange for OtherPolicy {
    fn change_parties(&self, parties: &mut Parties, _full_context: &PatchContext) {
        if parties.server.policy.name() == self.name {
            parties.server.policy = self.by;
        }
    }
}

impl Mutation for OtherPolicy {
    fn affects(&self, facts: &Facts) -> bool {
        facts.server.as_ref().is_some_and(|server| server.has_unions && server.policy == self.name)
    }
}

/// A struct with a union that a policy admits.
struct Sample {
    union: Union,
    write: WriteKind,
    old: Option<OwnedMap>,
    new: OwnedMap,
}

/// All structs with a union of two members, with and without a stored struct. They tell which rules a policy has.
static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let mut samples = Vec::new();
    for union in unions() {
        for new in objects() {
            let stored = objects().into_iter().map(|old| (WriteKind::Update, Some(old)));
            let without_stored = [(WriteKind::Create, None), (WriteKind::Update, None)];
            for (write, old) in stored.chain(without_stored) {
                samples.push(Sample { union: union.clone(), write, old, new: new.clone() });
            }
        }
    }
    samples
});

/// Returns unions with the members `a` and `b`: plain ones, and ones with the discriminator `type`.
fn unions() -> Vec<Union> {
    let discriminated =
        |values: &[&'static str], members| Union::discriminated("type", values.iter().copied(), members);
    let (a, b) = (Member::new("a", "A"), Member::new("b", "B"));
    let mut of_enum = discriminated(&["A", "B", "None"], vec![a.clone(), b.clone()]);
    if let Some(discriminator) = &mut of_enum.discriminator {
        discriminator.enum_type = Some(Text::from("Type"));
    }
    vec![
        of_enum,
        discriminated(&["A", "B"], vec![a.clone(), b.clone()]),
        discriminated(&["A", "B"], vec![a.optional(), b.optional()]),
        Union::legacy(["a", "b"], Cardinality::AtMostOne),
        Union::legacy(["a", "b"], Cardinality::ExactlyOne),
    ]
}

fn objects() -> Vec<OwnedMap> {
    let discriminators = [
        None,
        Some(Doc::from("A")),
        Some(Doc::from("B")),
        Some(Doc::from("None")),
        Some(Doc::from("X")),
        Some(Doc::Int(1)),
    ];
    let mut objects = Vec::new();
    for discriminator in discriminators {
        for set in [&[][..], &["a"], &["b"], &["a", "b"]] {
            let mut object = OwnedMap::new();
            if let Some(discriminator) = &discriminator {
                object.insert(Text::from_static("type"), discriminator.clone());
            }
            for member in set {
                object.insert(Text::from(*member), Doc::Map(OwnedMap::new()));
            }
            objects.push(object);
        }
    }
    objects
}

/// Returns the rules that a policy has: without the rule, it admits some sample differently. Every policy tolerates stored
/// errors or does not.
fn rules_of(policy: &'static dyn Policy) -> Vec<Rule> {
    let admitted: Vec<_> = SAMPLES.iter().map(|sample| admit(policy, sample)).collect();
    let reports =
        |kind| admitted.iter().any(|(_, violations)| violations.iter().any(|v: &Violation| v.kind == kind));
    let has_rule = |rule: &Rule| match *rule {
        Rule::Tolerance => true,
        Rule::Violation(kind) => reports(kind),
        rule => {
            let without = without_rule(policy, rule);
            SAMPLES.iter().zip(&admitted).any(|(sample, admitted)| admit(without, sample) != *admitted)
        }
    };
    Rule::all().filter(has_rule).collect()
}

/// Returns the normalized struct and its violations.
fn admit(policy: &dyn Policy, sample: &Sample) -> (OwnedMap, Vec<Violation>) {
    let Sample { union, write, old, new } = sample;
    let mut new = new.clone();
    policy.normalize(*write, old.as_ref(), &mut new, union);
    let violations = policy.validate(*write, old.as_ref(), &new, union);
    (new, violations)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        mutants().into_iter().map(|mutant| mutant.name).collect()
    }

    #[test]
    fn every_policy_is_replaced_by_every_other_one() {
        let replaced = names().into_iter().filter(|name| name.contains('=')).count();
        assert_eq!(replaced, REGISTRY.len() * (REGISTRY.len() - 1));
    }

    #[test]
    fn only_rules_that_a_policy_has_are_off() {
        let names = names();
        for (name, is_mutant) in [
            ("policy/kep-1027/rule-off/unknown-discriminator", true),
            ("policy/declarative/rule-off/unknown-enum-value", true),
            ("policy/deduce/change-off/selected", true),
            ("policy/kep-1027/change-off/selected", false),
            ("policy/none/normalization-off", false),
            ("policy/legacy/rule-off/unknown-discriminator", false),
            ("policy/legacy/stored-object-ignored", false),
        ] {
            assert_eq!(names.iter().any(|found| found == name), is_mutant, "{name}");
        }
    }

    #[test]
    fn names_are_unique() {
        let (mut sorted, number) = (names(), names().len());
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), number);
    }
}
