//! The terms that outputs and messages use without explaining them. `GLOSSARY.md` has all terms of the project.

/// The terms, each with its meaning.
pub(super) const TERMS: [(&str, &str); 33] = [
    (
        "silent",
        "a word for the outcomes ignored, leftover, lost, diverged, wrongly-accepted and leaked: the request was accepted without the intended effect, so that the user sees no error. Select such cells with `--outcome silent`",
    ),
    (
        "ideal",
        "the final state of the same intent when both parties are up to date: a stored object or a refusal. The client sends the whole object as an update (or creates it), whatever the request of the cell is. A server-side apply without an intent is sent as it is, with force, so that a conflict is `refused` and never `rejected`",
    ),
    (
        "before",
        "the run of the old client on the old server. A case promises with `before` to be no worse than this run. `as-before (lost)` is an outcome that would be `lost` without the promise",
    ),
    ("intent", "the change that the user wants, whatever the types of the client have"),
    ("final state", "the stored object, or the error, with which a cell ends"),
    ("expectation", "the result or the outcome that a case requires of some of its cells (`expect`)"),
    ("suite", "one YAML file with cases"),
    (
        "case",
        "one entry of a suite: a patch case has a `patch` and a result; a skew case has an `intent` of a client, and an outcome",
    ),
    ("axis", "a dimension of a case, such as `client` with the values `old` and `new`"),
    ("cell", "one combination of the values of the axes of a case. It runs as one test"),
    ("level", "the degree to which an expectation is binding: required, recommended, proposed or erratum"),
    ("state", "the result of a whole run or suite: ok, incomplete, not run or FAILED"),
    (
        "problem",
        "a problem of a run that belongs to no cell, such as an error in a deviation file. It fails the run",
    ),
    (
        "union",
        "fields of which at most one can be set, or exactly one. Go types declare a union with markers, and OpenAPI with `x-kubernetes-unions`. `skewer union check FILE` lists the unions of types",
    ),
    (
        "member",
        "a field of a union. Its marker is `+unionMember` (`+unionMember=VALUE`, `+unionMember,optional`), or without a discriminator `+k8s:unionMember` or `+k8s:zeroOrOneOfMember`",
    ),
    (
        "discriminator",
        "the field of a union whose value selects a member. Its marker is `+unionDiscriminator`. Its type is a string type with constants and the marker `+enum`, and it is `+required` or has a `+default`",
    ),
    (
        "marker",
        "a comment above a field or a type in Go that says more than the type, such as `+enum` or `+listType=map`. The case format describes the markers that Skewer reads",
    ),
    (
        "listType",
        "the marker that says what identifies the items of a list in a server-side apply: `map` (the fields of `+listMapKey`), `set` (their value), or `atomic` (the list is one value). Without it, `patchStrategy` and `patchMergeKey` decide",
    ),
    (
        "field path",
        "a path into an object, such as `spec.ports[0].name`. An intent selects items by their contents (`ports[port=53]`), `unknown-fields` has `ports[].name`, and `conflicts` and `owners` have `.ports[port=53].name`",
    ),
    (
        "ratcheting",
        "an error in a value that a request does not change is only a warning, since Kubernetes 1.30. The items of a list are compared with the old ones only if the list is a map (`x-kubernetes-list-type: map`): a change in another list is a change of all its items",
    ),
    ("definition", "a CustomResourceDefinition: the versions of a kind of objects, each with a schema"),
    (
        "manifest",
        "the file of a user from which an object is created or applied. An old manifest was written before the change",
    ),
    (
        "conversion",
        "what a server does with an object that is stored in another version than that of the request: it changes only the name of the version, and drops the fields that a version does not have; or it asks a webhook (`spec.conversion` of the definition)",
    ),
    (
        "guess",
        "a removed and an added field that look like one field with a new name. `--rename OLD=NEW` says that they are",
    ),
    (
        "change",
        "what an audit compares: one keyword of one element of a schema, such as an enum that has one value less",
    ),
    (
        "finding",
        "what one change does, in all situations: which objects and clients it concerns, and how. `skewer audit OLD NEW --explain ID` shows an example",
    ),
    (
        "situation",
        "in an audit, an object that was stored under one definition, and the request of a client to a server, each with the old or the new definition. The same without this difference is what it is compared with",
    ),
    (
        "group",
        "in an audit, the same change with the same effects at several paths or in several versions. Its id begins with G; `--accept` of it accepts each path, and no path that is new later",
    ),
    (
        "left over",
        "in an audit, a value that stays although the client removed it, because the client or the server does not know who owns it",
    ),
    (
        "stale",
        "owners that a server keeps for a version or a field that it does not know any more (`metadata.managedFields`); an accepted finding that no longer exists",
    ),
    (
        "storedVersions",
        "the list of all versions in which a server has stored objects (`status.storedVersions` of a definition). A server refuses a definition that lacks one of them. Only an administrator removes a version from the list, after every object was stored again",
    ),
    ("target", "an implementation under test. The default is the engine of Skewer (builtin)"),
    ("adapter", "a program that wraps a target and speaks the protocol of runner/adapters/PROTOCOL.md"),
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_glossary_has_all_terms() {
        let glossary = Path::new(env!("CARGO_MANIFEST_DIR")).join("../GLOSSARY.md");
        let glossary = fs::read_to_string(glossary).unwrap();
        let rows = glossary.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
        let terms: Vec<&str> = rows.flat_map(|(terms, _)| terms.split(", ")).collect();
        for (term, _) in &TERMS {
            assert!(terms.contains(term), "{term}");
        }
    }
}
