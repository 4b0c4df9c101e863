//! A union policy that wraps another one and lacks one of its rules.

use std::sync::LazyLock;

use skewer_engine::ErrorKind;
use skewer_engine::document::OwnedMap;
use skewer_engine::field_path::PathSegment;
use skewer_engine::schema::union::Union;
use skewer_engine::union::policy::{Change, ChangeKind, Policy, REGISTRY, Violation, WriteKind};

/// A rule that a policy can lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Normalization.
    Normalization,
    /// The changes of one kind that normalization makes.
    Change(ChangeName),
    /// Validation.
    Validation,
    /// The violations with one kind of error.
    Violation(ErrorKind),
    /// The comparison with the stored object.
    StoredObject,
    /// The answer to the question whether errors of the stored object are tolerated. It is the opposite one.
    Tolerance,
}

/// The name of a [`ChangeKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeName {
    Cleared,
    Selected,
}

impl ChangeName {
    pub(super) const ALL: [ChangeName; 2] = [ChangeName::Cleared, ChangeName::Selected];

    fn of(change: &Change) -> Option<Self> {
        match change.kind {
            ChangeKind::Cleared(_) => Some(ChangeName::Cleared),
            ChangeKind::Selected(..) => Some(ChangeName::Selected),
            _ => None,
        }
    }

    pub(super) fn id(self) -> &'static str {
        match self {
            ChangeName::Cleared => "cleared",
            ChangeName::Selected => "selected",
        }
    }
}

impl Rule {
    /// Returns all rules, whether or not a policy has them.
    pub(super) fn all() -> impl Iterator<Item = Rule> {
        let violations = ErrorKind::ALL.iter().copied().map(Rule::Violation);
        [Rule::Normalization, Rule::Validation, Rule::StoredObject, Rule::Tolerance]
            .into_iter()
            .chain(ChangeName::ALL.map(Rule::Change))
            .chain(violations)
    }
}

/// A policy without one of its rules.
#[derive(Debug)]
struct WrappedPolicy {
    inner: &'static dyn Policy,
    off: Rule,
}

// A server has a policy that lives as long as the program. The wrappers depend only on the registry, so that a static
// list of all of them has a bounded size, which leaked wrappers would not have.
static WRAPPED: LazyLock<Vec<WrappedPolicy>> = LazyLock::new(|| {
    let wrap = |inner: &'static dyn Policy| Rule::all().map(move |off| WrappedPolicy { inner, off });
    REGISTRY.iter().flat_map(|policy| wrap(*policy)).collect()
});

/// Returns a policy without a rule. A policy that is not registered is returned unchanged.
pub(super) fn without_rule(policy: &'static dyn Policy, off: Rule) -> &'static dyn Policy {
    let is_wanted = |wrapped: &&WrappedPolicy| wrapped.off == off && wrapped.inner.name() == policy.name();
    WRAPPED.iter().find(is_wanted).map_or(policy, |wrapped| wrapped as &dyn Policy)
}

impl WrappedPolicy {
    fn old<'o>(&self, old: Option<&'o OwnedMap>) -> Option<&'o OwnedMap> {
        old.filter(|_| self.off != Rule::StoredObject)
    }

    fn undoes(&self, change: &Change) -> bool {
        matches!(self.off, Rule::Change(name) if ChangeName::of(change) == Some(name))
    }
}

/// Restores the value of a field before a change. The path of a change in a policy has one segment.
fn undo(change: Change, object: &mut OwnedMap) {
    let Some(PathSegment::Key(field)) = change.path.segments().first() else { return };
    let before = match change.kind {
        ChangeKind::Cleared(value) => Some(value),
        ChangeKind::Selected(_, before) => before,
        _ => return,
    };
    match before {
        Some(value) => drop(object.insert(field.clone(), value)),
        None => drop(object.remove(field)),
    }
}

impl Policy for WrappedPolicy {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn about(&self) -> &'static str {
        self.inner.about()
    }

    fn normalize(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        if self.off == Rule::Normalization {
            return Vec::new();
        }
        let changes = self.inner.normalize(write, self.old(old), new, union);
        let (undone, kept): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| self.undoes(change));
        undone.into_iter().rev().for_each(|change| undo(change, new));
        kept
    }

    fn validate(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        let mut violations = self.inner.validate(write, self.old(old), new, union);
        violations.retain(|violation| match self.off {
            Rule::Validation => false,
            Rule::Violation(kind) => violation.kind != kind,
            _ => true,
        });
        violations
    }

    fn tolerates_stored_errors(&self) -> bool {
        self.inner.tolerates_stored_errors() != (self.off == Rule::Tolerance)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::Doc;
    use skewer_engine::document::from_json;
    use skewer_engine::schema::union::Member;
    use skewer_engine::union::policy;

    use super::*;

    fn object(json: &str) -> OwnedMap {
        match from_json(json.as_bytes()).unwrap() {
            Doc::Map(map) => map,
            other => panic!("{other}"),
        }
    }

    /// Returns the normalized object and the kinds of its violations.
    fn admit(policy: &dyn Policy, old: &str, new: &str) -> (String, Vec<ErrorKind>) {
        let union =
            Union::discriminated("type", ["A", "B"], vec![Member::new("a", "A"), Member::new("b", "B")]);
        let (old, mut new) = (object(old), object(new));
        policy.normalize(WriteKind::Update, Some(&old), &mut new, &union);
        let violations = policy.validate(WriteKind::Update, Some(&old), &new, &union);
        (Doc::Map(new).to_string(), violations.into_iter().map(|violation| violation.kind).collect())
    }

    const SWITCHED: &str = r#"{"a":{},"b":{},"type":"B"}"#;
    const CLEARED: &str = r#"{"b":{},"type":"B"}"#;
    const STORED: &str = r#"{"a":{},"type":"A"}"#;

    #[rstest]
    #[case::normalization(Rule::Normalization, SWITCHED, &[ErrorKind::UnionUnselectedMemberSet])]
    #[case::clearing(Rule::Change(ChangeName::Cleared), SWITCHED, &[ErrorKind::UnionUnselectedMemberSet])]
    #[case::another_change(Rule::Change(ChangeName::Selected), CLEARED, &[])]
    #[case::validation(Rule::Validation, CLEARED, &[])]
    #[case::violation(Rule::Violation(ErrorKind::UnionSeveralMembers), CLEARED, &[])]
    fn normalization_lacks_only_its_rule(
        #[case] off: Rule,
        #[case] object: &str,
        #[case] kinds: &[ErrorKind],
    ) {
        let kep = policy::by_name("kep-1027").unwrap();
        assert_eq!(admit(kep, STORED, SWITCHED), (CLEARED.to_owned(), Vec::new()));
        assert_eq!(admit(without_rule(kep, off), STORED, SWITCHED), (object.to_owned(), kinds.to_vec()));
    }

    /// The reasons for which an object with both members is refused.
    const REASONS: [ErrorKind; 2] = [ErrorKind::UnionSeveralMembers, ErrorKind::UnionUnselectedMemberSet];

    #[rstest]
    #[case::validation(Rule::Validation, &[])]
    #[case::violation(Rule::Violation(ErrorKind::UnionSeveralMembers), &REASONS[1..])]
    #[case::another_violation(Rule::Violation(ErrorKind::UnionNoMember), &REASONS)]
    #[case::normalization(Rule::Normalization, &REASONS)]
    fn validation_lacks_only_its_rule(#[case] off: Rule, #[case] kinds: &[ErrorKind]) {
        let kep = policy::by_name("kep-1027").unwrap();
        let both = r#"{"a":{},"b":{},"type":"A"}"#;
        assert_eq!(admit(kep, STORED, both).1, REASONS);
        assert_eq!(admit(without_rule(kep, off), STORED, both), (both.to_owned(), kinds.to_vec()));
    }

    #[test]
    fn a_discriminator_that_was_set_gets_its_value_back() {
        let deduce = policy::by_name("deduce").unwrap();
        let without = without_rule(deduce, Rule::Change(ChangeName::Selected));
        for (new, selected) in [(r#"{"b":{}}"#, CLEARED), (r#"{"b":{},"type":"A"}"#, CLEARED)] {
            assert_eq!(admit(deduce, STORED, new).0, selected);
            assert_eq!(admit(without, STORED, new).0, new);
        }
    }

    #[test]
    fn without_the_stored_object_every_discriminator_is_modified() {
        let kep = policy::by_name("kep-1027").unwrap();
        let both = r#"{"a":{},"b":{},"type":"A"}"#;
        assert_eq!(admit(without_rule(kep, Rule::StoredObject), STORED, both).0, STORED);
    }

    #[test]
    fn tolerance_is_the_opposite() {
        for policy in REGISTRY {
            let flipped = without_rule(*policy, Rule::Tolerance);
            assert_ne!(flipped.tolerates_stored_errors(), policy.tolerates_stored_errors());
            assert_eq!((flipped.name(), flipped.about()), (policy.name(), policy.about()));
        }
    }
}
