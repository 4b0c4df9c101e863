//! The comparison of the owners of fields with the expected ones.

use std::fmt::Write;

use skewer_cases::FieldOwner;

/// Describes the differences between the expected and the actual owners of fields, one line for each manager.
pub(super) fn describe_difference(expected: &[FieldOwner], actual: &[FieldOwner]) -> String {
    let mut text = "the owners of fields are not as expected".to_owned();
    let mut keys: Vec<_> = expected.iter().chain(actual).map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        let (expected, actual) = (fields_of(expected, key), fields_of(actual, key));
        if expected != actual {
            let (manager, operation, subresource) = key;
            let of = if subresource.is_empty() { String::new() } else { format!(" of `{subresource}`") };
            let _ = write!(
                text,
                "\n  {manager:?} by {operation}{of}: expected {}; actual {}",
                list(&expected),
                list(&actual)
            );
        }
    }
    text
}

/// The manager, the operation and the subresource of an owner.
type Key<'a> = (&'a str, &'a str, &'a str);

fn key(owner: &FieldOwner) -> Key<'_> {
    (&owner.manager, owner.operation.name(), &owner.subresource)
}

/// Returns the fields of each entry with the key. There are several entries for requests in several API versions.
fn fields_of<'o>(owners: &'o [FieldOwner], of: Key<'_>) -> Vec<&'o [String]> {
    owners.iter().filter(|owner| key(owner) == of).map(|owner| owner.fields.as_slice()).collect()
}

fn list(entries: &[&[String]]) -> String {
    let fields = |fields: &&[String]| match fields {
        [] => "no fields".to_owned(),
        fields => fields.join(" "),
    };
    match entries {
        [] => "no owner".to_owned(),
        entries => entries.iter().map(fields).collect::<Vec<_>>().join(", and "),
    }
}

#[cfg(test)]
mod tests {
    use skewer_engine::error::ManagerOperation;

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
        assert_eq!(describe_difference(&expected, &actual), lines.join("\n"));
    }
}
