//! The capabilities that an adapter declares: the description for users, and warnings about unknown names. Most such
//! names are misspelled.

use skewer_engine::directive::REGISTRY;
use skewer_engine::union::policy;
use skewer_skew::OperationKind;
use skewer_yaml::nearest;

use skewer_protocol::messages::{
    ADMIT_UNION, APPLY_MANIFEST, Capabilities, DIALECTS, LOOKUPS, UNION_KINDS, UNION_OPERATIONS,
    operation_names,
};

/// Maximum number of unknown names that are reported.
const MAX_REPORTED: usize = 10;

/// Returns the categories of capabilities, each with the names in it. A category that matters to none of the declared
/// operations is left out, unless the adapter declares names in it.
pub(super) fn categories(supports: &Capabilities) -> Vec<(&'static str, Vec<String>)> {
    let kinds: Vec<OperationKind> = supports.operations.iter().filter_map(|name| name.parse().ok()).collect();
    let has_directives = kinds.iter().any(|kind| kind.is_strategic() || *kind == OperationKind::Request);
    let has_types = kinds.iter().any(|kind| kind.declaration().needs_types());
    let has_unions = supports.operations.iter().any(|name| UNION_OPERATIONS.contains(&name.as_str()));
    let admits_unions = supports.operations.iter().any(|name| name == ADMIT_UNION);
    let applies = supports.operations.iter().any(|name| name == APPLY_MANIFEST);
    let always = |names: &Vec<String>| Some(names.clone());
    let policies = Some(supports.policies.clone()).filter(|policies| !policies.is_empty());
    let lists = [
        (true, "operations", always(&supports.operations), ""),
        (has_directives, "directives", supports.directives.clone(), "not declared, so that all are sent"),
        (has_types, "schema dialects", supports.dialects.clone(), "not declared"),
        (has_directives, "lookups", always(&supports.lookups), ""),
        (has_unions, "unions", always(&supports.unions), ""),
        (admits_unions, "union policies", policies, "not listed, so that only `run --policy own` asks"),
        (applies, "tools", always(&supports.tools), ""),
        (false, "operations that may write 1.0 as 1", always(&supports.lossy_numbers), ""),
    ];
    lists
        .into_iter()
        .filter(|(matters, _, declared, _)| {
            *matters || declared.as_ref().is_some_and(|names| !names.is_empty())
        })
        .map(|(_, category, declared, note)| (category, declared.unwrap_or_else(|| vec![note.to_owned()])))
        .collect()
}

/// Returns a message for each unknown name in `supports`, with the most similar known name.
pub(super) fn unknown_names(supports: &Capabilities) -> Vec<String> {
    let directives: Vec<&str> = REGISTRY.iter().map(|directive| directive.name()).collect();
    let operations = operation_names();
    let policies: Vec<&str> = policy::REGISTRY.iter().map(|policy| policy.name()).collect();
    let tools = skewer_skew::tools();
    let tools: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let lists: [(&str, &[String], &[&str]); 8] = [
        ("operations", &supports.operations, &operations),
        ("directives", supports.directives.as_deref().unwrap_or_default(), &directives),
        ("dialects", supports.dialects.as_deref().unwrap_or_default(), &DIALECTS),
        ("lookups", &supports.lookups, &LOOKUPS),
        ("unions", &supports.unions, &UNION_KINDS),
        ("policies", &supports.policies, &policies),
        ("tools", &supports.tools, &tools),
        ("lossyNumbers", &supports.lossy_numbers, &operations),
    ];
    let mut messages = Vec::new();
    for (member, names, known) in lists {
        for name in names.iter().filter(|name| !known.contains(&name.as_str())) {
            let hint = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                // A suite can declare a directive that the engine does not have.
                None if member == "directives" && name.starts_with('$') => continue,
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
    use rstest::rstest;

    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[rstest]
    #[case::json_merge_patch(&["json-merge-apply"], &["operations"])]
    #[case::unions(&["validate-union"], &["operations", "unions"])]
    #[case::unions_of_objects(&["admit-union"], &["operations", "union policies"])]
    #[case::types_only(&["server-side-apply"], &["operations", "schema dialects"])]
    #[case::strategic(&["two-way"], &["operations", "directives", "schema dialects", "lookups"])]
    #[case::whole_requests(&["request"], &["operations", "directives", "schema dialects", "lookups"])]
    fn categories_that_matter_to_no_operation_are_left_out(
        #[case] operations: &[&str],
        #[case] expected: &[&str],
    ) {
        let supports = Capabilities { operations: names(operations), ..Capabilities::default() };
        let categories: Vec<&str> = categories(&supports).into_iter().map(|(category, _)| category).collect();
        assert_eq!(categories, expected);
    }

    #[test]
    fn declared_names_are_always_described() {
        let supports = Capabilities {
            operations: names(&["json-merge-apply"]),
            directives: Some(names(&["$patch"])),
            lossy_numbers: names(&["json-merge-apply"]),
            ..Capabilities::default()
        };
        assert_eq!(
            categories(&supports),
            [
                ("operations", names(&["json-merge-apply"])),
                ("directives", names(&["$patch"])),
                ("operations that may write 1.0 as 1", names(&["json-merge-apply"])),
            ]
        );
    }

    #[test]
    fn unknown_names_are_reported_with_the_nearest_known_one() {
        let supports = Capabilities {
            operations: names(&["apply", "aply", "validate-union"]),
            directives: Some(names(&["$retainKey"])),
            dialects: Some(names(&["patch-metadata", "list-topologies"])),
            lookups: names(&["openapi", "go"]),
            unions: names(&["exactly_one"]),
            policies: names(&["kep-1072"]),
            lossy_numbers: names(&["three-ways"]),
            tools: names(&["helm5"]),
        };
        assert_eq!(
            unknown_names(&supports),
            [
                "`supports.operations` has the unknown name `aply`: did you mean `apply`?",
                "`supports.directives` has the unknown name `$retainKey`: did you mean `$retainKeys`?",
                "`supports.dialects` has the unknown name `list-topologies`: did you mean `list-topology`?",
                "`supports.lookups` has the unknown name `go`: known are openapi, struct, unstructured",
                "`supports.unions` has the unknown name `exactly_one`: did you mean `exactly-one`?",
                "`supports.policies` has the unknown name `kep-1072`: did you mean `kep-1027`?",
                "`supports.tools` has the unknown name `helm5`: did you mean `helm3`?",
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
