//! Evidence for a change of definitions: the writers of a field, and the findings of the audit that no object shows.

use skewer_audit::explore::ExploreOptions;
use skewer_audit::input::DefinitionFile;
use skewer_audit::run::audit_definitions;
use skewer_engine::OwnedDoc;
use skewer_engine::schema::builtin::Release;
use skewer_reports::audit::Severity;
use skewer_reports::preflight::AuditedChange;
use skewer_skew::owners;

use crate::owners::path_text;
use crate::served::ServedKinds;

/// Returns the writers of a field of an object, such as `operator (Update, example.com/v1beta1)`. An empty path is the whole
/// object. The version is that of the writer, if the object was read in another one.
#[must_use]
pub fn writers(object: &OwnedDoc, path: &str) -> Vec<String> {
    let version = object.as_map().and_then(|object| object.get("apiVersion")?.as_str()).unwrap_or_default();
    let wrote = |fields: &skewer_engine::server_side_apply::FieldSet<'_>| {
        let mut has = path.is_empty();
        fields.for_each(|member| {
            let member: Vec<_> = member.iter().map(|element| element.to_static()).collect();
            has |= is_at_or_below(&path_text(&member), path);
        });
        has
    };
    let writers = owners(object).into_iter().filter(|owner| wrote(&owner.fields)).map(|owner| {
        let name = owner.name();
        match name.strip_suffix(')') {
            Some(name) if owner.api_version != version => format!("{name}, {})", owner.api_version),
            _ => name,
        }
    });
    writers.collect()
}

/// A function that says whether an object of a kind has a finding on one of some paths.
pub type ShownPaths<'a> = dyn Fn(&str, &dyn Fn(&str) -> bool) -> bool + 'a;

/// Returns the findings of the audit of all definitions that no object shows.
#[must_use]
pub fn changes_without_object(
    before: &ServedKinds,
    after: &ServedKinds,
    release: &Release,
    is_shown: &ShownPaths<'_>,
) -> Vec<AuditedChange> {
    let read = |definition: &OwnedDoc| DefinitionFile::read("definition", definition.to_string().as_bytes());
    let mut changes = Vec::new();
    for new in after.definitions() {
        let Some(old) = before.definitions().find(|old| (&old.group, &old.kind) == (&new.group, &new.kind))
        else {
            continue;
        };
        let (Ok(old), Ok(file)) = (read(old.document()), read(new.document())) else { continue };
        let options = ExploreOptions { release: Some(release.minor()), ..ExploreOptions::default() };
        let audits = audit_definitions(&old, &file, options).unwrap_or_default();
        for finding in audits.into_iter().flat_map(|audit| audit.findings) {
            let paths: Vec<&String> = finding.paths.iter().chain([&finding.path]).collect();
            let is_of_finding = |path: &str| paths.iter().any(|of| is_at_or_below(path, of));
            let is_minor = matches!(finding.severity, Severity::Note | Severity::NotJudged);
            if is_minor || is_shown(&new.kind, &is_of_finding) {
                continue;
            }
            let title = finding.title();
            let (kind, severity, id) = (new.kind.clone(), finding.severity, finding.id);
            let change = AuditedChange { kind, severity, title, id };
            // Several versions can have the same change.
            if !changes.contains(&change) {
                changes.push(change);
            }
        }
    }
    changes
}

/// Returns true if a path is another one, or below it. The items of a list are one.
fn is_at_or_below(path: &str, above: &str) -> bool {
    let of_schema = |path: &str| {
        let mut is_item = false;
        let is_kept = |c: &char| {
            is_item = match c {
                '[' => true,
                ']' => false,
                _ => return !is_item,
            };
            false
        };
        path.chars().filter(is_kept).collect::<String>()
    };
    let (path, above) = (of_schema(path), of_schema(above));
    !above.is_empty()
        && path.strip_prefix(&above).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("spec.a", "spec.a", true)]
    #[case("spec.a.b", "spec.a", true)]
    #[case("spec.ab", "spec.a", false)]
    #[case("spec", "spec.a", false)]
    #[case(r#"spec.l[name="x.y"].a"#, "spec.l[].a", true)]
    #[case("spec.l[0].b", "spec.l[].a", false)]
    #[case("spec.a", "", false)]
    fn paths_of_items_are_those_of_their_list(
        #[case] path: &str,
        #[case] above: &str,
        #[case] is_below: bool,
    ) {
        assert_eq!(is_at_or_below(path, above), is_below);
    }
}
