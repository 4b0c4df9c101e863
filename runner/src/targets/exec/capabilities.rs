//! Warnings about unknown names among the capabilities that an adapter declares. Most such names are misspelled.

use skewer_cases::yaml::nearest;
use skewer_engine::directive::REGISTRY;

use super::messages::{Capabilities, DIALECTS, LOOKUPS, UNION_KINDS, operation_names};

/// Maximum number of unknown names that are reported.
const MAX_REPORTED: usize = 10;

/// Returns a message for each unknown name in `supports`, with the most similar known name.
pub(super) fn unknown_names(supports: &Capabilities) -> Vec<String> {
    let directives: Vec<&str> = REGISTRY.iter().map(|directive| directive.name()).collect();
    let operations = operation_names();
    let lists: [(&str, &[String], &[&str]); 6] = [
        ("operations", &supports.operations, &operations),
        ("directives", supports.directives.as_deref().unwrap_or_default(), &directives),
        ("dialects", supports.dialects.as_deref().unwrap_or_default(), &DIALECTS),
        ("lookups", &supports.lookups, &LOOKUPS),
        ("unions", &supports.unions, &UNION_KINDS),
        ("lossyNumbers", &supports.lossy_numbers, &operations),
    ];
    let mut messages = Vec::new();
    for (member, names, known) in lists {
        for name in names.iter().filter(|name| !known.contains(&name.as_str())) {
            let hint = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known are {}", known.join(", ")),
            };
            messages.push(format!("`supports.{member}` has the unknown name `{name}`: {hint}"));
        }
    }
    let others = messages.len().saturating_sub(MAX_REPORTED);
    if others > 0 {
        messages.truncate(MAX_REPORTED);
        messages.push(format!("`supports` has {others} more unknown names"));
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn unknown_names_are_reported_with_the_nearest_known_one() {
        let supports = Capabilities {
            operations: names(&["apply", "aply", "validate-union"]),
            directives: Some(names(&["$retainKey"])),
            dialects: Some(names(&["patch-metadata", "list-topologies"])),
            lookups: names(&["openapi", "go"]),
            unions: names(&["exactly_one"]),
            lossy_numbers: names(&["three-ways"]),
        };
        assert_eq!(
            unknown_names(&supports),
            [
                "`supports.operations` has the unknown name `aply`: did you mean `apply`?",
                "`supports.directives` has the unknown name `$retainKey`: did you mean `$retainKeys`?",
                "`supports.dialects` has the unknown name `list-topologies`: did you mean `list-topology`?",
                "`supports.lookups` has the unknown name `go`: known are openapi, struct, unstructured",
                "`supports.unions` has the unknown name `exactly_one`: did you mean `exactly-one`?",
                "`supports.lossyNumbers` has the unknown name `three-ways`: did you mean `three-way`?",
            ]
        );
    }

    #[test]
    fn many_unknown_names_are_counted() {
        let supports = Capabilities {
            operations: (0..500).map(|n| format!("{n}")).collect(),
            ..Capabilities::default()
        };
        let messages = unknown_names(&supports);
        assert_eq!(messages.len(), MAX_REPORTED + 1);
        assert_eq!(messages[MAX_REPORTED], "`supports` has 490 more unknown names");
    }
}
