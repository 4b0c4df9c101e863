//! The resource that an object is stored under.

use std::borrow::Cow;
use std::cell::RefCell;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube_fake_client::r#gen::discovery;
use serde_json::{Map, Value};
use skewer_adapter::Failure;

/// The resource of an object, and where requests to it go.
#[derive(Clone, Default)]
pub(crate) struct Endpoint {
    group: String,
    version: String,
    pub(crate) kind: String,
    plural: String,
    namespaced: bool,
}

/// The group, version and kind of documents that name none.
const DEFAULT_GROUP: &str = "skewer.example";
const DEFAULT_VERSION: &str = "v1";
const DEFAULT_KIND: &str = "Object";

impl Endpoint {
    /// The endpoint of the first document that says its version or kind, or else of a built-in type
    /// (`GROUP.VERSION.KIND`). Documents of other types are custom resources.
    pub(crate) fn of(documents: &[&Map<String, Value>], built_in: Option<&str>) -> Result<Self, Failure> {
        let (mut group, mut version, mut kind) = built_in.and_then(find_built_in).unwrap_or((
            DEFAULT_GROUP.to_owned(),
            DEFAULT_VERSION.to_owned(),
            DEFAULT_KIND.to_owned(),
        ));
        for member in ["apiVersion", "kind"] {
            let Some(value) = documents.iter().find_map(|document| document.get(member)) else { continue };
            let Some(text) = value.as_str().filter(|text| is_path_segment(text)) else {
                return Err(Failure::Unsupported(format!(
                    "the fake client cannot store an object with this {member}"
                )));
            };
            if member == "kind" {
                text.clone_into(&mut kind);
            } else {
                let (of_group, of_version) = text.split_once('/').unwrap_or(("", text));
                of_group.clone_into(&mut group);
                of_version.clone_into(&mut version);
            }
        }
        let plural = discovery::get_plural(&group, &version, &kind).map(str::to_owned);
        let namespaced = discovery::is_namespaced(&group, &version, &kind).unwrap_or(true);
        let plural = plural.unwrap_or_else(|| format!("{}s", kind.to_lowercase()));
        Ok(Self { group, version, kind, plural, namespaced })
    }

    pub(crate) fn is_built_in(&self) -> bool {
        discovery::get_plural(&self.group, &self.version, &self.kind).is_some()
    }

    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// The path of the collection.
    pub(crate) fn path(&self, namespace: Option<&str>) -> String {
        let root = if self.group.is_empty() { "/api" } else { "/apis" };
        let namespaces = match namespace {
            Some(namespace) => format!("/namespaces/{namespace}"),
            None if self.namespaced => "/namespaces/default".to_owned(),
            None => String::new(),
        };
        format!("{root}/{}{namespaces}/{}", self.api_version(), self.plural)
    }

    /// Makes [`Declared`] this resource.
    pub(crate) fn declare(&self) {
        DECLARED.with_borrow_mut(|declared| declared.clone_from(self));
    }
}

fn is_path_segment(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-./".contains(c))
}

/// The group, version and kind of a built-in type, whose name has only the first part of the group.
fn find_built_in(name: &str) -> Option<(String, String, String)> {
    let mut parts = name.split('.');
    let (short, version, kind) = (parts.next()?, parts.next()?, parts.next()?);
    let short = if short == "core" { "" } else { short };
    let (group, ..) = discovery::list_resources()
        .iter()
        .find(|(group, v, k, _)| group.split('.').next() == Some(short) && *v == version && *k == kind)?;
    Some(((*group).to_owned(), version.to_owned(), kind.to_owned()))
}

thread_local! {
    static DECLARED: RefCell<Endpoint> = RefCell::default();
}

/// The custom resource of the request that is being run.
///
/// The fake client wants custom resources declared by a Rust type. This one has the names of the last
/// [`Endpoint::declare`].
pub(crate) struct Declared(ObjectMeta);

impl Resource for Declared {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        DECLARED.with_borrow(|declared| declared.kind.clone().into())
    }

    fn group((): &()) -> Cow<'_, str> {
        DECLARED.with_borrow(|declared| declared.group.clone().into())
    }

    fn version((): &()) -> Cow<'_, str> {
        DECLARED.with_borrow(|declared| declared.version.clone().into())
    }

    fn plural((): &()) -> Cow<'_, str> {
        DECLARED.with_borrow(|declared| declared.plural.clone().into())
    }

    fn meta(&self) -> &ObjectMeta {
        &self.0
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.0
    }
}
