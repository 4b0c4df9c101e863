//! The course of an apply: the requests that a tool sends for one object.

use std::convert::Infallible;

use skewer_engine::{Error, OwnedDoc};
use skewer_skew::{ApplyTool, ManifestApply, OperationError, ToolChange};

use crate::request::{Answer, Answered};
use crate::served::ServedKind;

/// An object, and the manifest that a tool applies to it.
#[derive(Clone, Copy, Debug)]
pub struct Applied<'a> {
    /// The kind.
    pub served: &'a ServedKind,
    /// The live object with its managed fields. `None` if it does not exist.
    pub live: Option<&'a OwnedDoc>,
    /// The manifest.
    pub manifest: &'a OwnedDoc,
    /// The manifest before, if it is known.
    pub previous: Option<&'a OwnedDoc>,
}

/// The requests of a tool for one object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// The requests, and what came of them.
    pub requests: Vec<Answered>,
    /// The object after them. `None` if it does not exist.
    pub object: Option<OwnedDoc>,
    /// The first refusal, which ends the course.
    pub refusal: Option<Error>,
}

/// Lets a tool apply a manifest in the simulation.
#[must_use]
pub fn apply(tool: &ApplyTool, applied: Applied<'_>, change: ToolChange) -> Course {
    let course = apply_with(tool, applied, change, &mut |request, live| {
        Ok::<_, Infallible>(Answered::simulate(request, applied.served, live))
    });
    match course {
        Ok(course) => course,
        Err(never) => match never {},
    }
}

/// Lets a tool apply a manifest. `answer` sends its requests.
///
/// # Errors
///
/// Fails with the first failure of `answer`. A refusal is a part of the course.
pub fn apply_with<F>(
    tool: &ApplyTool,
    applied: Applied<'_>,
    change: ToolChange,
    answer: &mut Answer<'_, F>,
) -> Result<Course, F> {
    let mut course = Course { object: applied.live.cloned(), ..Course::default() };
    let apply = ManifestApply {
        manifest: applied.manifest,
        previous: applied.previous,
        change,
        is_custom_resource: applied.served.client.context.custom_resource,
        force: false,
    };
    let end = tool.apply(apply, applied.live, &mut |request, live| {
        let answered = answer(request.clone(), live).map_err(OperationError::NoAnswer)?;
        let end = answered.end.clone();
        if !request.is_dry_run {
            course.object = end.as_ref().ok().cloned().or(course.object.take());
        }
        // The refusal of a dry run is that of the request.
        if !request.is_dry_run || end.is_err() {
            course.requests.push(answered);
        }
        end.map_err(OperationError::Refused)
    });
    match end {
        Ok(_) => {}
        Err(OperationError::Refused(error)) => course.refusal = Some(error),
        Err(OperationError::NoAnswer(failure)) => return Err(failure),
    }
    Ok(course)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_cases::yaml;
    use skewer_engine::schema::builtin;

    use skewer_skew::ToolRequest;

    use super::*;
    use crate::served::{KindVersion, ServedKinds};

    const LIVE: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","old":"1"}}
  managedFields:
    - {manager: helm, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:z': {}}}}
    - {manager: kubectl-client-side-apply, operation: Update, apiVersion: v1, fieldsType: FieldsV1,
       fieldsV1: {'f:data': {'f:x': {}, 'f:old': {}}, 'f:metadata': {'f:annotations': {'f:kubectl.kubernetes.io/last-applied-configuration': {}}}}}
data: {x: "1", old: "1", z: "1"}
"#;

    const MANIFEST: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: '1'}\n";

    fn document(text: &str) -> OwnedDoc {
        yaml::read_manifest("", text.as_bytes()).expect("valid YAML")
    }

    /// Returns the requests of a tool in words, and the keys of the object after them.
    fn course_of(tool: &str, change: ToolChange) -> (Vec<String>, Vec<String>) {
        let version = KindVersion { request: "v1".into(), kind: "ConfigMap".into(), stored: "v1".into() };
        let served = ServedKinds::of(builtin::newest()).get(&version).expect("a built-in kind");
        let (live, manifest) = (document(LIVE), document(MANIFEST));
        let previous = document(&MANIFEST.replace("x: '1'", "x: '1', z: '1'"));
        let applied =
            Applied { served: &served, live: Some(&live), manifest: &manifest, previous: Some(&previous) };
        let course = apply(&ApplyTool::named(tool).expect("a tool"), applied, change);
        let requests = course.requests.iter().map(|answered| {
            let ToolRequest { request, manager, force, .. } = &answered.request;
            format!("{} {manager}{}", request.name(), if *force { " forced" } else { "" })
        });
        let object = course.object.expect("the object exists");
        let data = object.as_map().and_then(|object| object.get("data")?.as_map()).expect("it has data");
        (requests.collect(), data.keys().map(ToString::to_string).collect())
    }

    #[rstest]
    #[case::keeps_the_annotation_and_takes_over_its_owner(
        "kubectl", ToolChange::Never,
        &[
            "server-side-apply kubectl", "server-side-apply kubectl-last-applied", "update kubectl",
            "server-side-apply kubectl",
        ],
        &["x", "z"]
    )]
    #[case::removes_what_the_annotation_has("kubectl-csa", ToolChange::Never,
        &["client-side-apply kubectl-client-side-apply"], &["x", "z"])]
    #[case::removes_what_the_last_release_had("helm3", ToolChange::Never, &["client-side-apply helm"], &["old", "x"])]
    #[case::takes_over_nothing("helm4", ToolChange::Never, &["server-side-apply helm"], &["old", "x", "z"])]
    #[case::takes_over_its_own_updates("helm4", ToolChange::Now, &["update helm", "server-side-apply helm"], &["old", "x"])]
    #[case::takes_over_all_of_kubectl("flux", ToolChange::Never,
        &["update kustomize-controller", "server-side-apply kustomize-controller forced"], &["x", "z"])]
    #[case::has_a_manager_of_its_own("argocd", ToolChange::Never, &["client-side-apply argocd-controller"], &["x", "z"])]
    #[case::takes_over_kubectl_first("argocd-ssa", ToolChange::Never,
        &["update argocd-controller", "server-side-apply argocd-controller forced"], &["x", "z"])]
    #[case::takes_over_kubectl_last("argocd-3.0-ssa", ToolChange::Never,
        &["server-side-apply argocd-controller forced", "update argocd-controller",
          "server-side-apply argocd-controller forced"], &["x", "z"])]
    #[case::sends_the_whole_object("controller-update", ToolChange::Never, &["update controller"], &["old", "x", "z"])]
    #[case::sends_its_manifest_as_the_object("controller-replace", ToolChange::Never, &["update controller"], &["x"])]
    #[case::sends_its_fields("controller-patch", ToolChange::Never, &["json-merge-patch controller"], &["old", "x", "z"])]
    #[case::applies("controller-apply", ToolChange::Now, &["server-side-apply controller forced"], &["old", "x", "z"])]
    fn a_tool_sends_its_requests(
        #[case] tool: &str,
        #[case] change: ToolChange,
        #[case] requests: &[&str],
        #[case] keys: &[&str],
    ) {
        let (sent, left) = course_of(tool, change);
        assert_eq!(
            (sent, left),
            (
                requests.iter().map(ToString::to_string).collect(),
                keys.iter().map(ToString::to_string).collect()
            )
        );
    }
}
