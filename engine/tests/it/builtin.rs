//! The embedded types of the Kubernetes releases: compilation, patch metadata, and the lookup of types and kinds.

use rstest::rstest;
use skewer_engine::ErrorKind;
use skewer_engine::schema::builtin::{self, Release};
use skewer_engine::schema::{Field, Kinds, PatchStrategy, Shape, openapi};

#[test]
fn every_release_unpacks_and_compiles() {
    for release in builtin::releases() {
        let declarations = release.declarations();
        let declared = &declarations.types;
        assert!(declared.len() > 700, "{}: {} types", release.name(), declared.len());
        assert!(
            declared.is_sorted_by(|a, b| a.name < b.name),
            "{}: the types are not sorted by name",
            release.name()
        );
        assert_eq!(release.schema().names().len(), declared.len());
        assert!(release.kinds().sorted().len() > 200, "{}", release.name());
        let minor = format!("v0.{}.", release.minor());
        assert!(release.module().starts_with("k8s.io/api ") && release.module().contains(&minor));
    }
}

#[test]
fn releases_are_in_order_and_the_newest_is_the_last() {
    let minors: Vec<u32> = builtin::releases().iter().map(Release::minor).collect();
    assert_eq!(minors, [17, 20, 22, 24, 26, 27, 28, 30, 32, 34, 36, 37]);
    assert_eq!(builtin::newest().name(), "kubernetes-1.37");
    assert_eq!(builtin::release("newest").unwrap(), builtin::newest());
    assert_ne!(builtin::release("kubernetes-1.36").unwrap(), builtin::newest());
}

#[test]
fn embedded_files_are_small() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/builtin");
    let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let packed: Vec<_> =
        files.filter(|file| file.path().extension().is_some_and(|extension| extension == "gz")).collect();
    assert_eq!(
        packed.len(),
        builtin::releases().len(),
        "the number of embedded releases differs from the number of files"
    );
    let bytes: u64 = packed.iter().map(|file| file.metadata().unwrap().len()).sum();
    assert!(bytes < 2_000_000, "{bytes} bytes");
}

#[rstest]
#[case::kind("apps/v1/Deployment", "apps/v1.Deployment")]
#[case::kind_without_group("v1/Pod", "core/v1.Pod")]
#[case::kind_of_a_group_with_dots("networking.k8s.io/v1/Ingress", "networking/v1.Ingress")]
#[case::bare_kind_with_one_stable_version("Deployment", "apps/v1.Deployment")]
#[case::bare_kind_of_the_core_group("Pod", "core/v1.Pod")]
#[case::type_name("core/v1.PodSpec", "core/v1.PodSpec")]
#[case::type_in_the_form_of_a_kind("core/v1/PodSpec", "core/v1.PodSpec")]
#[case::bare_type("PodSpec", "core/v1.PodSpec")]
#[case::bare_type_with_one_stable_version("DeploymentStrategy", "apps/v1.DeploymentStrategy")]
#[case::kind_of_an_unstable_version("apps/v1beta1/Deployment", "apps/v1beta1.Deployment")]
fn a_type_is_resolved_by_kind_or_name(#[case] text: &str, #[case] name: &str) {
    assert_eq!(builtin::newest().resolve(text).unwrap(), name);
}

#[rstest]
#[case::typo("Deploymnet", "kubernetes-1.37 has no type `Deploymnet`: did you mean `Deployment`?")]
#[case::lower_case("deployment", "did you mean `Deployment`?")]
#[case::typo_in_a_kind("apps/v1/Deploymet", "did you mean `apps/v1/Deployment`?")]
#[case::typo_in_a_version("app/v1/Deployment", "did you mean `apps/v1/Deployment`?")]
#[case::two_stable_groups(
    "Event",
    "several types `Event` (expected one of events.k8s.io/v1/Event, events.k8s.io/v1beta1/Event, v1/Event)"
)]
#[case::two_stable_versions(
    "HorizontalPodAutoscaler",
    "autoscaling/v1/HorizontalPodAutoscaler, autoscaling/v2/"
)]
#[case::no_similar_name("Zzzzzzzzzzzzzzzz", "kubernetes-1.37 has no type `Zzzzzzzzzzzzzzzz`")]
#[case::empty_name("", "kubernetes-1.37 has no type ``")]
fn an_unresolved_type_is_refused_with_a_reason(#[case] text: &str, #[case] message: &str) {
    let error = builtin::newest().resolve(text).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSchema);
    assert!(error.message().contains(message), "{}", error.message());
    assert!(error.message().contains("did you mean") == message.contains("did you mean"), "{error}");
}

#[test]
fn the_error_of_an_unknown_release_lists_the_known_releases() {
    let error = builtin::release("kubernetes-1.18").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSchema);
    assert!(error.message().contains("newest, kubernetes-1.17, kubernetes-1.20"), "{error}");
}

#[test]
fn kinds_are_found_by_version_and_name() {
    let newest = builtin::newest();
    assert_eq!(newest.find("apps/v1", "Deployment"), Some("apps/v1.Deployment"));
    assert_eq!(newest.find("v1", "Service"), Some("core/v1.Service"));
    assert_eq!(newest.find("apps/v1", "Pod"), None);
    assert_eq!(newest.find("apps/v1", "DeploymentSpec"), None, "DeploymentSpec is a type but not a kind");
}

fn field(release: &'static Release, ty: &str, field: &str) -> Field {
    let schema = release.schema();
    schema.field(schema.named(ty).unwrap(), field).unwrap().clone()
}

#[test]
fn patch_metadata_matches_kubernetes() {
    for release in builtin::releases() {
        let strategy = field(release, "apps/v1.DeploymentSpec", "strategy").meta;
        assert!(
            strategy.has_tag("retainKeys") && strategy.strategy == PatchStrategy::Unset,
            "{}",
            release.name()
        );
        let volumes = field(release, "core/v1.PodSpec", "volumes").meta;
        assert!(
            volumes.has_tag("retainKeys")
                && volumes.strategy == PatchStrategy::Merge
                && volumes.merge_key == ["name"]
        );
        let ports = field(release, "core/v1.Container", "ports").meta;
        assert!(ports.strategy == PatchStrategy::Merge && ports.merge_key == ["containerPort"]);
        let ports = field(release, "core/v1.ServiceSpec", "ports").meta;
        assert!(ports.strategy == PatchStrategy::Merge && ports.merge_key == ["port"]);
        let finalizers = field(release, "meta/v1.ObjectMeta", "finalizers").meta;
        assert!(finalizers.strategy == PatchStrategy::Merge && finalizers.merge_key.is_empty());
    }
}

#[test]
fn releases_differ_where_kubernetes_changed() {
    let has_scheduling_gates = |name: &str| {
        let declarations = builtin::release(name).unwrap().declarations();
        let declared = declarations.get("core/v1.PodSpec").unwrap();
        let Shape::Struct(fields) = &declared.shape else { panic!("PodSpec is not a struct") };
        fields.iter().any(|field| field.name == "schedulingGates")
    };
    assert!(!has_scheduling_gates("kubernetes-1.17") && has_scheduling_gates("kubernetes-1.26"));
}

#[test]
fn embedded_fields_are_fields_of_the_kind() {
    let newest = builtin::newest();
    assert!(
        newest.schema().field(newest.schema().named("apps/v1.Deployment").unwrap(), "apiVersion").is_some()
    );
}

#[test]
fn a_release_written_as_openapi_is_read_back_with_the_same_kinds() {
    let declarations = builtin::newest().declarations().with_published_kinds();
    for document in [openapi::write_v2(&declarations), openapi::write_v3(&declarations)] {
        let read = openapi::read(&document).unwrap();
        assert_eq!(Kinds::of(&read).sorted(), builtin::newest().kinds().sorted());
    }
}
