//! `kubectl auth reconcile`: the request with which a tool adds to a role or a binding what it lacks of the manifest.
//! Nothing is taken away. Upstream: `ReconcileOptions.RunReconcile` (k8s.io/kubectl, pkg/cmd/auth), `ReconcileRoleOptions` and
//! `ReconcileRoleBindingOptions` (k8s.io/component-helpers, auth/rbac/reconciliation).

use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};

use super::request::Request;

const API_VERSION: &str = "rbac.authorization.k8s.io/v1";

/// The annotation with the value `false` of an object that is not reconciled.
const PROTECTION: &str = "rbac.authorization.kubernetes.io/autoupdate";

/// The members of a rule whose texts are combined.
const GROUPS: &str = "apiGroups";
const RESOURCES: &str = "resources";
const VERBS: &str = "verbs";
const NAMES: &str = "resourceNames";
const URLS: &str = "nonResourceURLs";

/// Returns the kind of the request and the object that it sends. `None` if the manifest is of another kind, or if the object
/// lacks nothing. A binding to another role is deleted and created again; the request is the creation.
pub(super) fn reconciliation(manifest: &OwnedDoc, live: Option<&OwnedDoc>) -> Option<(Request, OwnedDoc)> {
    if text(manifest, "apiVersion") != API_VERSION {
        return None;
    }
    let is_binding = match text(manifest, "kind") {
        "Role" | "ClusterRole" => false,
        "RoleBinding" | "ClusterRoleBinding" => true,
        _ => return None,
    };
    let Some(live) = live else {
        return Some((Request::Create, manifest.clone()));
    };
    if text_of(metadata(live, "annotations"), PROTECTION) == "false" {
        return None;
    }
    let role = |binding| ["apiGroup", "kind", "name"].map(|key| text_of(member(binding, "roleRef"), key));
    if is_binding && role(manifest) != role(live) {
        return Some((Request::Create, manifest.clone()));
    }
    let mut object = live.clone();
    for map in ["annotations", "labels"] {
        add_metadata(&mut object, map, metadata(manifest, map));
    }
    if is_binding {
        let has = |subject: &OwnedDoc| list(live, "subjects").iter().any(|known| is_subject(known, subject));
        let missing: Vec<OwnedDoc> =
            list(manifest, "subjects").iter().filter(|subject| !has(subject)).cloned().collect();
        add_items(&mut object, "subjects", missing);
    } else {
        add_items(&mut object, "rules", missing_rules(list(live, "rules"), list(manifest, "rules")));
        reconcile_aggregation(&mut object, member(manifest, "aggregationRule"));
    }
    (object != *live).then_some((Request::Update, object))
}

/// Adds the entries that a map of the metadata lacks. The values of the object stay.
fn add_metadata(object: &mut OwnedDoc, map: &'static str, entries: Option<&OwnedDoc>) {
    let Some(entries) = entries.and_then(Doc::as_map).filter(|entries| !entries.is_empty()) else { return };
    let Some(metadata) = object.as_map_mut().and_then(|object| object.get_mut("metadata")?.as_map_mut())
    else {
        return;
    };
    let known = metadata.get(map).and_then(Doc::as_map).into_iter().flat_map(OwnedMap::iter);
    // The later of two entries with the same key stays.
    let all = entries.iter().chain(known).map(|(key, value)| (key.clone(), value.clone())).collect();
    metadata.insert(Text::from_static(map), Doc::Map(all));
}

fn add_items(object: &mut OwnedDoc, key: &'static str, missing: Vec<OwnedDoc>) {
    if missing.is_empty() {
        return;
    }
    let all = list(object, key).iter().cloned().chain(missing).collect();
    if let Some(object) = object.as_map_mut() {
        object.insert(Text::from_static(key), Doc::List(all));
    }
}

/// Adds the selectors that the object lacks. Removes all if the manifest has no `aggregationRule`.
fn reconcile_aggregation(role: &mut OwnedDoc, expected: Option<&OwnedDoc>) {
    const AGGREGATION: &str = "aggregationRule";
    const SELECTORS: &str = "clusterRoleSelectors";
    let Some(expected) = expected.filter(|expected| !expected.is_null()) else {
        if let Some(role) = role.as_map_mut() {
            role.remove(AGGREGATION);
        }
        return;
    };
    let mut selectors = member(role, AGGREGATION)
        .map(|aggregation| list(aggregation, SELECTORS).to_vec())
        .unwrap_or_default();
    let count = selectors.len();
    let missing = list(expected, SELECTORS).iter().filter(|selector| !selectors[..count].contains(selector));
    let missing: Vec<OwnedDoc> = missing.cloned().collect();
    if missing.is_empty() {
        return;
    }
    selectors.extend(missing);
    if let Some(role) = role.as_map_mut() {
        let aggregation = OwnedMap::from_iter([(Text::from_static(SELECTORS), Doc::List(selectors))]);
        role.insert(Text::from_static(AGGREGATION), Doc::Map(aggregation));
    }
}

/// Returns a rule for each permission of `expected` that no rule of `existing` gives. Upstream: `validation.Covers`.
fn missing_rules(existing: &[OwnedDoc], expected: &[OwnedDoc]) -> Vec<OwnedDoc> {
    let permissions = expected.iter().flat_map(permissions);
    permissions
        .filter(|permission| !existing.iter().any(|aggregation| gives(aggregation, permission)))
        .collect()
}

/// Divides a rule into rules of one verb and one resource or URL. Upstream: `validation.BreakdownRule`.
fn permissions(rule: &OwnedDoc) -> Vec<OwnedDoc> {
    let names = match texts(rule, NAMES) {
        names if names.is_empty() => vec![None],
        names => names.into_iter().map(Some).collect(),
    };
    let mut permissions = Vec::new();
    for group in texts(rule, GROUPS) {
        for resource in texts(rule, RESOURCES) {
            for verb in texts(rule, VERBS) {
                permissions.extend(names.iter().map(|name| {
                    let name = name.map(|name| (NAMES, name));
                    rule_of([(GROUPS, group), (RESOURCES, resource), (VERBS, verb)].into_iter().chain(name))
                }));
            }
        }
    }
    for url in texts(rule, URLS) {
        permissions.extend(texts(rule, VERBS).into_iter().map(|verb| rule_of([(URLS, url), (VERBS, verb)])));
    }
    permissions
}

fn rule_of<'t>(members: impl IntoIterator<Item = (&'static str, &'t str)>) -> OwnedDoc {
    let members = members.into_iter().map(|(key, value)| {
        (Text::from_static(key), Doc::List(vec![Doc::String(Text::from(value.to_owned()))]))
    });
    Doc::Map(members.collect())
}

/// Returns true if a rule gives a permission. Upstream: `validation.ruleCovers`.
fn gives(rule: &OwnedDoc, permission: &OwnedDoc) -> bool {
    let has = |key, covers: &dyn Fn(&str, &str) -> bool| {
        let given = texts(rule, key);
        texts(permission, key).iter().all(|wanted| given.iter().any(|given| covers(given, wanted)))
    };
    let is_or_all = |given: &str, wanted: &str| given == "*" || given == wanted;
    let is_resource = |given: &str, wanted: &str| {
        let subresource = wanted.split_once('/').map(|(_, subresource)| subresource);
        is_or_all(given, wanted) || subresource.is_some_and(|name| given.strip_prefix("*/") == Some(name))
    };
    let is_url = |given: &str, wanted: &str| {
        given == wanted || given.ends_with('*') && wanted.starts_with(given.trim_end_matches('*'))
    };
    // A rule without names is one for all of them.
    let names = texts(rule, NAMES);
    let is_named = names.is_empty() || !texts(permission, NAMES).is_empty() && has(NAMES, &|a, b| a == b);
    is_named
        && has(VERBS, &is_or_all)
        && has(GROUPS, &is_or_all)
        && has(RESOURCES, &is_resource)
        && has(URLS, &is_url)
}

/// Returns true if two subjects are equal as values of the type, in which an empty text is no value.
fn is_subject(known: &OwnedDoc, subject: &OwnedDoc) -> bool {
    ["kind", "apiGroup", "name", "namespace"].iter().all(|key| text(known, key) == text(subject, key))
}

fn member<'d>(object: &'d OwnedDoc, key: &str) -> Option<&'d OwnedDoc> {
    object.as_map()?.get(key)
}

fn metadata<'d>(object: &'d OwnedDoc, key: &str) -> Option<&'d OwnedDoc> {
    member(member(object, "metadata")?, key)
}

fn text<'d>(object: &'d OwnedDoc, key: &str) -> &'d str {
    text_of(Some(object), key)
}

fn text_of<'d>(object: Option<&'d OwnedDoc>, key: &str) -> &'d str {
    object.and_then(|object| member(object, key)?.as_str()).unwrap_or_default()
}

fn list<'d>(object: &'d OwnedDoc, key: &str) -> &'d [OwnedDoc] {
    member(object, key).and_then(Doc::as_list).unwrap_or_default()
}

fn texts<'d>(object: &'d OwnedDoc, key: &str) -> Vec<&'d str> {
    list(object, key).iter().filter_map(Doc::as_str).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;

    use super::*;

    fn document(kind: &str, members: &str) -> OwnedDoc {
        let text = format!(
            r#"{{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"{kind}","metadata":{{}},{members}}}"#
        );
        from_json(text.as_bytes()).expect("valid JSON")
    }

    // The answers are those of `computeReconciledRole` and `computeReconciledRoleBinding` in component-helpers 0.37.
    #[rstest]
    #[case::a_verb(
        r#""rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]"#,
        r#""rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}]"#,
        r#"{"apiGroups":[""],"resources":["pods"],"verbs":["list"]}"#
    )]
    #[case::names(
        r#""rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"],"resourceNames":["a"]}]"#,
        r#""rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"],"resourceNames":["a","b"]}]"#,
        r#"{"apiGroups":[""],"resourceNames":["b"],"resources":["pods"],"verbs":["get"]}"#
    )]
    #[case::all_names(
        r#""rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"],"resourceNames":["a"]}]"#,
        r#""rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]"#,
        r#"{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}"#
    )]
    #[case::a_url(
        r#""rules":[{"nonResourceURLs":["/healthz/*"],"verbs":["get"]}]"#,
        r#""rules":[{"nonResourceURLs":["/healthz/a","/livez"],"verbs":["get"]}]"#,
        r#"{"nonResourceURLs":["/livez"],"verbs":["get"]}"#
    )]
    fn a_role_gets_the_permissions_that_it_lacks(
        #[case] live: &str,
        #[case] manifest: &str,
        #[case] added: &str,
    ) {
        let (live, manifest) = (document("Role", live), document("Role", manifest));
        let (request, object) = reconciliation(&manifest, Some(&live)).expect("a request");
        assert_eq!(request, Request::Update);
        let rules = list(&object, "rules");
        assert_eq!(rules[..rules.len() - 1], *list(&live, "rules"));
        assert_eq!(rules.last().map(ToString::to_string).as_deref(), Some(added));
    }

    #[rstest]
    #[case::all(
        r#"["*"],"resources":["*"],"verbs":["*"]"#,
        r#"["apps"],"resources":["a/b"],"verbs":["get"]"#
    )]
    #[case::all_subresources(
        r#"[""],"resources":["*/b"],"verbs":["get"]"#,
        r#"[""],"resources":["a/b"],"verbs":["get"]"#
    )]
    #[case::fewer(
        r#"[""],"resources":["a","b"],"verbs":["get"]"#,
        r#"[""],"resources":["a"],"verbs":["get"]"#
    )]
    fn permissions_that_a_role_has_are_not_added(#[case] live: &str, #[case] manifest: &str) {
        let role = |rule| document("ClusterRole", &format!(r#""rules":[{{"apiGroups":{rule}}}]"#));
        assert_eq!(reconciliation(&role(manifest), Some(&role(live))), None);
    }

    #[test]
    fn a_binding_gets_subjects_or_is_created_again() {
        let binding = |subjects: &str, role| {
            let role = format!(r#""roleRef":{{"kind":"Role","name":"{role}"}}"#);
            document("RoleBinding", &format!(r#""subjects":[{subjects}],{role}"#))
        };
        let (a, b) = (r#"{"kind":"User","name":"a"}"#, r#"{"kind":"User","name":"b"}"#);
        let reconciled = reconciliation(&binding(b, "x"), Some(&binding(a, "x")));
        assert_eq!(reconciled, Some((Request::Update, binding(&format!("{a},{b}"), "x"))));
        let other = binding(b, "y");
        assert_eq!(reconciliation(&other, Some(&binding(a, "x"))), Some((Request::Create, other.clone())));
        assert_eq!(reconciliation(&other, None), Some((Request::Create, other.clone())));
    }

    #[test]
    fn metadata_is_added_and_stays() {
        let role = |metadata: &str| {
            let text = format!(
                r#"{{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{metadata}}}"#
            );
            from_json(text.as_bytes()).expect("valid JSON")
        };
        let manifest = role(r#"{"labels":{"a":"2","c":"2"}}"#);
        let reconciled = reconciliation(&manifest, Some(&role(r#"{"labels":{"a":"1","b":"1"}}"#)));
        assert_eq!(reconciled, Some((Request::Update, role(r#"{"labels":{"a":"1","b":"1","c":"2"}}"#))));
        let protected = r#"{"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"false"}}"#;
        assert_eq!(reconciliation(&manifest, Some(&role(protected))), None);
    }

    #[test]
    fn selectors_are_added_and_removed_with_their_member() {
        let role = |rule: &str| document("ClusterRole", rule);
        let of =
            |selectors: &str| role(&format!(r#""aggregationRule":{{"clusterRoleSelectors":[{selectors}]}}"#));
        let (a, b) = (r#"{"matchLabels":{"a":"a"}}"#, r#"{"matchLabels":{"b":"b"}}"#);
        let all = of(&format!("{a},{b}"));
        assert_eq!(reconciliation(&of(b), Some(&of(a))), Some((Request::Update, all)));
        let none = role(r#""rules":[]"#);
        let removed = reconciliation(&none, Some(&of(a)))
            .map(|(request, object)| (request, member(&object, "aggregationRule").is_none()));
        assert_eq!(removed, Some((Request::Update, true)));
    }
}
