//! The documents that the benchmarks use.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use skewer_engine::OwnedDoc;
use skewer_engine::document::{from_json, to_json};
use skewer_engine::patch::PatchLibrary;
use skewer_engine::patch::{PatchContext, two_way};
use skewer_engine::schema::{Schema, builtin, go};
use skewer_engine::server_side_apply::{FieldManager, Resource, ResourceVersion, WriteRequest};

/// The texts of a Deployment with 5 containers of 20 environment variables each, and of patches for it.
///
/// `runner/adapters/apimachinery/cmd/bench` measures the Go library with the same texts. If `SKEWER_BENCH_DOCUMENTS` names a
/// folder that this program has written, the texts are read from the folder.
pub(crate) struct Deployment {
    pub(crate) live: Vec<u8>,
    pub(crate) last_applied: Vec<u8>,
    pub(crate) modified: Vec<u8>,
    /// The patch that a client sends to change live into modified.
    pub(crate) patch: Vec<u8>,
    /// A hand-written patch for one variable of one container.
    pub(crate) small_patch: Vec<u8>,
    /// `live` with its managed fields: [`APPLIER`] applied `last_applied`, and [`UPDATER`] changed the rest.
    pub(crate) managed_live: Vec<u8>,
    /// `managed_live` with the spec of `modified`.
    pub(crate) managed_new: Vec<u8>,
}

/// The manager that applies the Deployment. It takes over fields of other managers.
pub(crate) const APPLIER: WriteRequest<'_> = WriteRequest { manager: "kubectl", force: true, time: None };

/// The manager that updates the Deployment.
pub(crate) const UPDATER: WriteRequest<'_> = WriteRequest { manager: "controller", force: false, time: None };

const SMALL_PATCH: &str = concat!(
    r#"{"spec":{"template":{"spec":{"containers":[{"name":"container-2","#,
    r#""env":[{"name":"VARIABLE_07","value":"changed"}]}]}}}}"#
);

impl Deployment {
    pub(crate) fn new() -> Self {
        match std::env::var_os("SKEWER_BENCH_DOCUMENTS") {
            Some(folder) => Self::from_folder(&PathBuf::from(folder)),
            None => Self::generated(),
        }
    }

    fn from_folder(folder: &std::path::Path) -> Self {
        let read = |name: &str| {
            std::fs::read(folder.join(name))
                .unwrap_or_else(|error| panic!("cannot read {}/{name}: {error}", folder.display()))
        };
        Deployment {
            live: read("live.json"),
            last_applied: read("last-applied.json"),
            modified: read("modified.json"),
            patch: read("patch.json"),
            small_patch: read("small-patch.json"),
            managed_live: read("managed-live.json"),
            managed_new: read("managed-new.json"),
        }
    }

    fn generated() -> Self {
        let (live, modified) = (deployment(true, false), deployment(false, true));
        let value = |text: &str| from_json(text.as_bytes()).expect("the generated text is JSON");
        let patch = two_way(&context(), &value(&live), &value(&modified)).expect("the documents are valid");
        let last_applied = deployment(false, false);
        let resource = deployments();
        let manager = field_manager(&resource);
        let applied = manager.apply(None, &value(&last_applied), APPLIER);
        let applied = applied.expect("the configuration is valid");
        let managed_live = manager.update(Some(&applied), &value(&live), UPDATER);
        let managed_live = managed_live.expect("the object is valid");
        let mut managed_new = managed_live.clone();
        let spec = value(&modified).as_map().and_then(|map| map.get("spec")).cloned();
        let members = managed_new.as_map_mut().expect("the object is a map");
        members.insert("spec".into(), spec.expect("the object has a spec"));
        Deployment {
            live: live.into_bytes(),
            last_applied: last_applied.into_bytes(),
            managed_live: to_json(&managed_live),
            managed_new: to_json(&managed_new),
            modified: modified.into_bytes(),
            patch: to_json(&patch),
            small_patch: SMALL_PATCH.as_bytes().to_vec(),
        }
    }
}

/// Writes a Deployment. The fields have the order of the Go struct, in which Go's encoder writes them.
fn deployment(live: bool, modified: bool) -> String {
    let containers: Vec<String> = (0..5).map(|i| container(i, modified)).collect();
    format!(
        r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"web","labels":{{"app":"web","tier":"front"}}{}}},"spec":{{"replicas":{},"strategy":{{}},"template":{{"spec":{{"containers":[{}]}}}}}}}}"#,
        if live { r#","annotations":{"revision":"7"}"# } else { "" },
        if live { 5 } else { 3 },
        containers.join(",")
    )
}

fn container(i: usize, modified: bool) -> String {
    let variables: Vec<String> = (0..20)
        .filter(|j| !(modified && i == 0 && *j == 11))
        .map(|j| {
            let value =
                if modified && j == 7 { "changed".to_owned() } else { format!("value {j} of container {i}") };
            format!(r#"{{"name":"VARIABLE_{j:02}","value":"{value}"}}"#)
        })
        .collect();
    format!(
        r#"{{"name":"container-{i}","image":"registry.example/app-{i}:1.{}","env":[{}],"ports":[{{"containerPort":{},"protocol":"TCP"}}]}}"#,
        usize::from(modified),
        variables.join(","),
        8000 + i
    )
}

/// Returns the context of a party that knows the Deployment of the newest release.
pub(crate) fn context() -> PatchContext {
    let release = builtin::newest();
    let name = release.resolve("Deployment").expect("the release has the type Deployment");
    PatchContext::of(Arc::clone(release.schema()), name).expect("the type is in the schema")
}

/// Returns the resource Deployment of the newest release.
pub(crate) fn deployments() -> Resource {
    let release = builtin::newest();
    let name = release.resolve("Deployment").expect("the release has the type Deployment");
    let schema = Arc::clone(release.schema());
    let version = ResourceVersion {
        api_version: "apps/v1".into(),
        root: schema.named(name).expect("the type is in the schema"),
        schema,
        renames: Vec::new(),
        reset_fields: Vec::new(),
    };
    Resource::new(vec![version])
}

/// Returns the field manager of a resource with one version.
pub(crate) fn field_manager(resource: &Resource) -> FieldManager<'_> {
    FieldManager {
        resource,
        api_version: &resource.versions[0].api_version,
        subresource: "",
        library: PatchLibrary::NEWEST,
    }
}

const LIST_TYPES: &str = r#"
type Root struct {
  Items []Item `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
}
type Item struct {
  Name string `json:"name"`
  Size int    `json:"size,omitempty"`
}
"#;

/// Documents with lists that are merged by key.
pub(crate) struct Lists {
    pub(crate) context: PatchContext,
    /// A list of n items.
    pub(crate) original: OwnedDoc,
    /// The list with n/10 items changed, n/10 deleted and n/10 added, in another order.
    pub(crate) modified: OwnedDoc,
    /// The patch that changes `original` into `modified`.
    pub(crate) patch: OwnedDoc,
}

impl Lists {
    pub(crate) fn new(n: i64) -> Self {
        let declarations = go::read(LIST_TYPES).expect("the declarations are valid Go");
        let schema = Schema::compile(&declarations).expect("the types compile");
        let context = PatchContext::of(Arc::new(schema), "Root").expect("Root is declared");
        let original = list((0..n).map(|i| (i, i)));
        let modified = (0..n).filter(|i| i % 10 != 3).map(|i| if i % 10 == 6 { (i, -i) } else { (i, i) });
        let added = (0..n / 10).map(|i| (n + i, i));
        let modified = list(added.chain(modified));
        let patch = two_way(&context, &original, &modified).expect("the documents are valid");
        Lists { context, original, modified, patch }
    }
}

fn list(items: impl Iterator<Item = (i64, i64)>) -> OwnedDoc {
    let items: Vec<String> =
        items.map(|(name, size)| format!(r#"{{"name":"item-{name:06}","size":{size}}}"#)).collect();
    let text = format!(r#"{{"items":[{}]}}"#, items.join(","));
    from_json(text.as_bytes()).expect("the generated text is JSON")
}

/// A volume is a union of this many members: as many as those of `core/v1.Volume` in Kubernetes 1.37.
const MEMBERS: usize = 30;

/// An object with n volumes, each of which is a union, and 5 containers of 20 environment variables each. A patch switches the
/// member of the last volume.
pub(crate) struct Volumes {
    pub(crate) context: PatchContext,
    pub(crate) live: Vec<u8>,
    pub(crate) patch: Vec<u8>,
}

impl Volumes {
    /// Creates the object. `markers` says whether the types declare the unions.
    pub(crate) fn new(n: usize, markers: bool) -> Self {
        let declarations = go::read(&volume_types(markers)).expect("the declarations are valid Go");
        let schema = Schema::compile(&declarations).expect("the types compile");
        let context = PatchContext::of(Arc::new(schema), "Pod").expect("Pod is declared");
        let volume = |i: usize| {
            let member = i % MEMBERS;
            format!(
                r#"{{"name":"volume-{i}","type":"M{member}","m{member}":{{"path":"/data/{i}","readOnly":true}}}}"#
            )
        };
        let volumes: Vec<String> = (0..n).map(volume).collect();
        let containers: Vec<String> = (0..5).map(|i| container(i, false)).collect();
        let live = format!(
            r#"{{"spec":{{"containers":[{}],"volumes":[{}]}}}}"#,
            containers.join(","),
            volumes.join(",")
        );
        let (last, new) = (n - 1, n % MEMBERS);
        let patch = format!(
            r#"{{"spec":{{"volumes":[{{"name":"volume-{last}","type":"M{new}","m{new}":{{"path":"/other"}}}}]}}}}"#
        );
        Volumes { context, live: live.into_bytes(), patch: patch.into_bytes() }
    }
}

/// Writes the types of the object, with or without the markers of unions.
fn volume_types(markers: bool) -> String {
    let marker = |text: &str| if markers { format!("  // +{text}\n") } else { String::new() };
    let (mut members, mut values) = (String::new(), String::new());
    for i in 0..MEMBERS {
        members += &[marker("unionMember"), marker("optional")].concat();
        let _ = writeln!(members, "  M{i} *Source `json:\"m{i},omitempty\"`");
        let _ = writeln!(values, "  V{i} VolumeType = \"M{i}\"");
    }
    let discriminator = [marker("unionDiscriminator"), marker("required")].concat();
    format!(
        r#"
type Pod struct {{
  Spec Spec `json:"spec"`
}}
type Spec struct {{
  Containers []Container `json:"containers" patchStrategy:"merge" patchMergeKey:"name"`
  Volumes    []Volume    `json:"volumes,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
}}
type Container struct {{
  Name  string `json:"name"`
  Image string `json:"image,omitempty"`
  Env   []Env  `json:"env,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Ports []Port `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"containerPort"`
}}
type Env struct {{
  Name  string `json:"name"`
  Value string `json:"value,omitempty"`
}}
type Port struct {{
  ContainerPort int    `json:"containerPort"`
  Protocol      string `json:"protocol,omitempty"`
}}
// +enum
type VolumeType string
const (
{values})
type Volume struct {{
  Name string `json:"name"`
{discriminator}  Type VolumeType `json:"type,omitempty"`
{members}}}
type Source struct {{
  Path     string `json:"path,omitempty"`
  ReadOnly bool   `json:"readOnly,omitempty"`
}}
"#
    )
}
