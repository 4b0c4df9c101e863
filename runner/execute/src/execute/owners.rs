//! The comparison of the owners of fields with the expected ones.

use skewer_cases::FieldOwner;
use skewer_results::OwnerDifference;

/// Returns the differences between the expected and the actual owners of fields, one for each manager.
pub(super) fn owner_differences(expected: &[FieldOwner], actual: &[FieldOwner]) -> Vec<OwnerDifference> {
    let mut keys: Vec<_> = expected.iter().chain(actual).map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    let difference = |key: Key<'_>| {
        let (manager, operation, subresource) = key;
        OwnerDifference {
            manager: manager.to_owned(),
            operation: operation.to_owned(),
            subresource: (!subresource.is_empty()).then(|| subresource.to_owned()),
            expected: fields_of(expected, key),
            actual: fields_of(actual, key),
        }
    };
    let differences = keys.into_iter().map(difference);
    differences.filter(|difference| difference.expected != difference.actual).collect()
}

/// The manager, the operation and the subresource of an owner.
type Key<'a> = (&'a str, &'a str, &'a str);

fn key(owner: &FieldOwner) -> Key<'_> {
    (&owner.manager, owner.operation.name(), &owner.subresource)
}

/// Returns the fields of each entry with the key. There are several entries for requests in several API versions.
fn fields_of(owners: &[FieldOwner], of: Key<'_>) -> Vec<Vec<String>> {
    owners.iter().filter(|owner| key(owner) == of).map(|owner| owner.fields.clone()).collect()
}

#[cfg(test)]
mod tests {
    use skewer_engine::error::ManagerOperation;
    use skewer_results::Reason;

    use super::*;

    fn owner(manager: &str, operation: ManagerOperation, subresource: &str, fields: &[&str]) -> FieldOwner {
        FieldOwner {
            manager: manager.to_owned(),
            operation,
            subresource: subresource.to_owned(),
            fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        }
    }

    #[test]
    fn each_manager_that_differs_has_a_line() {
        use ManagerOperation::{Apply, Update};
        let same = owner("same", Apply, "", &[".a"]);
        let expected =
            [owner("helm", Apply, "", &[".a", ".b"]), owner("hpa", Update, "scale", &[]), same.clone()];
        let actual = [
            owner("helm", Apply, "", &[".a"]),
            owner("helm", Update, "", &[".b"]),
            owner("helm", Update, "", &[".c"]),
            same,
        ];
        let lines = [
            "the owners of fields are not as expected",
            r#"  "helm" by Apply: expected .a .b; actual .a"#,
            r#"  "helm" by Update: expected no owner; actual .b, and .c"#,
            r#"  "hpa" by Update of `scale`: expected no fields; actual no owner"#,
        ];
        let reason = Reason::OwnersDiffer(owner_differences(&expected, &actual));
        assert_eq!(reason.to_string(), lines.join("\n"));
    }
}
