//! Requests to a field manager. The expectations are the answers of `managedfields.FieldManager` of apimachinery 0.37.2,
//! which `skewer differential --operation server-side-apply` compares with those of the engine.

mod applies;
mod entries;
mod updates;
mod validation;
mod versions;

use std::sync::Arc;

use super::{FieldManager, Resource, ResourceVersion, WriteRequest};
use crate::document::{Doc, OwnedDoc, from_json, to_json};
use crate::error::{Error, Result};
use crate::patch::PatchLibrary;
use crate::schema::Schema;

const TYPES: &str = r#"
type Object struct {
  APIVersion string      `json:"apiVersion"`
  Kind       string      `json:"kind"`
  Metadata   metav1.ObjectMeta `json:"metadata"`
  Spec       Spec        `json:"spec"`
}
type Spec struct {
  Replicas *int              `json:"replicas,omitempty"`
  Paused   *bool             `json:"paused,omitempty"`
  Labels   map[string]string `json:"labels,omitempty"`
  // +mapType=atomic
  Selector map[string]string `json:"selector,omitempty"`
  // +listType=map
  // +listMapKey=port
  // +listMapKey=protocol
  Ports []Port `json:"ports,omitempty"`
  // +listType=map
  // +listMapKey=id
  Items []Item `json:"items,omitempty"`
  // +listType=set
  Names []string `json:"names,omitempty"`
  // +listType=set
  Numbers []float64 `json:"numbers,omitempty"`
  Args []string `json:"args,omitempty"`
  Template *Template `json:"template,omitempty"`
  Any runtime.RawExtension `json:"any,omitempty"`
}
type Port struct {
  Port int `json:"port"`
  // +default="TCP"
  Protocol string `json:"protocol,omitempty"`
  Name string `json:"name,omitempty"`
  Weight *int `json:"weight,omitempty"`
}
type Item struct {
  ID    *intstr.IntOrString `json:"id,omitempty"`
  Value string              `json:"value,omitempty"`
}
type Template struct {
  Image string `json:"image,omitempty"`
  Cpu   *int   `json:"cpu,omitempty"`
}
"#;

fn json(text: &str) -> OwnedDoc {
    from_json(text.as_bytes()).unwrap()
}

fn version(api_version: &str, types: &str) -> ResourceVersion {
    let schema = Schema::compile(&crate::schema::go::read(types).unwrap()).unwrap();
    let root = schema.named("Object").unwrap();
    ResourceVersion {
        api_version: api_version.into(),
        schema: Arc::new(schema),
        root,
        renames: Vec::new(),
        reset_fields: Vec::new(),
    }
}

fn resource() -> Resource {
    Resource::new(vec![version("v1", TYPES)])
}

fn object(spec: &str) -> OwnedDoc {
    json(&format!(r#"{{"apiVersion":"v1","kind":"Object","metadata":{{"name":"x"}},"spec":{spec}}}"#))
}

struct Server {
    resource: Resource,
    stored: Option<OwnedDoc>,
}

impl Server {
    fn new() -> Self {
        Server { resource: resource(), stored: None }
    }

    fn manager(&self) -> FieldManager<'_> {
        FieldManager {
            resource: &self.resource,
            api_version: "v1",
            subresource: "",
            library: PatchLibrary::NEWEST,
        }
    }

    /// Applies a spec as a manager. A refused request leaves the object unchanged.
    fn try_apply(&mut self, manager: &str, spec: &str, force: bool) -> Result<()> {
        let request = WriteRequest { manager, force, time: None };
        let configuration = object(spec);
        let result = self.manager().apply(self.stored.as_ref(), &configuration, request);
        let live = self.stored.as_ref().map(to_json);
        let of_text = self.manager().apply_json(live.as_deref(), &to_json(&configuration), request);
        assert_eq!(of_text, result.as_ref().map(to_json).map_err(Error::clone));
        self.stored = Some(result?);
        Ok(())
    }

    #[track_caller]
    fn apply(mut self, manager: &str, spec: &str) -> Self {
        self.try_apply(manager, spec, false).unwrap();
        self
    }

    #[track_caller]
    fn force(mut self, manager: &str, spec: &str) -> Self {
        self.try_apply(manager, spec, true).unwrap();
        self
    }

    #[track_caller]
    fn refused(&mut self, manager: &str, spec: &str) -> Error {
        self.try_apply(manager, spec, false).unwrap_err()
    }

    #[track_caller]
    fn update(mut self, manager: &str, spec: &str) -> Self {
        let request = WriteRequest { manager, force: false, time: None };
        let new = object(spec);
        let result = self.manager().update(self.stored.as_ref(), &new, request).unwrap();
        let live = self.stored.as_ref().map(to_json);
        let of_text = self.manager().update_json(live.as_deref(), &to_json(&new), request);
        assert_eq!(of_text.unwrap(), to_json(&result));
        self.stored = Some(result);
        self
    }

    fn spec(&self) -> String {
        let spec = self.stored.as_ref().and_then(|object| object.as_map()?.get("spec"));
        spec.map(ToString::to_string).unwrap_or_default()
    }

    /// Returns the owned fields below `spec`, by manager: `name: FieldsV1`.
    fn owners(&self) -> Vec<String> {
        let entries = entries_of(self.stored.as_ref().unwrap());
        let text = |entry: &OwnedDoc, key: &str| {
            entry.as_map().unwrap().get(key).and_then(Doc::as_str).unwrap_or_default().to_owned()
        };
        let owners = entries.iter().map(|entry| {
            let fields = text(entry, "fieldsV1");
            let below = fields.strip_prefix(r#"{"f:spec":"#).and_then(|fields| fields.strip_suffix('}'));
            format!("{}: {}", text(entry, "manager"), below.unwrap_or(&fields))
        });
        owners.collect()
    }
}

fn entries_of(object: &OwnedDoc) -> Vec<OwnedDoc> {
    let metadata = object.as_map().and_then(|map| map.get("metadata")).and_then(Doc::as_map);
    let entries = metadata.and_then(|map| map.get("managedFields")).and_then(Doc::as_list);
    entries.unwrap_or_default().to_vec()
}
