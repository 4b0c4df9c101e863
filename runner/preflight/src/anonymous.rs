//! Objects whose names and values are replaced, so that they can be shown to others.

use std::collections::{BTreeSet, HashMap};

use skewer_engine::document::{from_json, to_json};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{ScalarType, Type, TypeId};
use skewer_engine::{Doc, Map, OwnedDoc, Text};
use skewer_skew::{LAST_APPLIED_ANNOTATION, tools};

use crate::served::ServedKind;
use crate::shown_request::ShownRequest;

/// Whether numbers are replaced, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// The first number is 1, the second one 2.
    Replaced,
    /// They stay, because the types have limits.
    Kept,
}

/// The replacements in the documents of one request: equal values stay equal.
struct Replacements<'a> {
    context: &'a PatchContext,
    numbers: Numbers,
    /// The fields that the types declare. No other key has such a name afterwards, or loses it.
    declared: BTreeSet<String>,
    names: HashMap<String, String>,
    /// The values that the types name.
    named: BTreeSet<String>,
    integers: HashMap<i64, i64>,
}

/// Returns a request whose documents have other names and values: everything that the types do not declare.
pub(crate) fn anonymous(shown: &ShownRequest, served: &ServedKind, numbers: Numbers) -> ShownRequest {
    let context = &served.server.context;
    let mut replacements = Replacements {
        context,
        numbers,
        declared: BTreeSet::new(),
        names: HashMap::new(),
        named: BTreeSet::new(),
        integers: HashMap::new(),
    };
    let mut shown = shown.clone();
    let request = &mut shown.request;
    let documents = [
        shown.live.as_mut(),
        Some(&mut request.document),
        request.last_applied.as_mut(),
        shown.previous.as_mut(),
    ];
    let mut documents: Vec<&mut OwnedDoc> = documents.into_iter().flatten().collect();
    for document in &documents {
        replacements.note_declared(document, Some(context.root));
    }
    for document in &mut documents {
        replacements.replace_object(document);
    }
    shown
}

/// Returns a request with other field managers. Those of the tools stay.
pub(crate) fn with_other_managers(mut shown: ShownRequest) -> ShownRequest {
    let is_known =
        |manager: &str| manager.starts_with("kubectl") || tools().iter().any(|tool| tool.manager == manager);
    let mut names: HashMap<String, String> = HashMap::new();
    let mut rename = |manager: &str| {
        let number = names.len() + 1;
        let renamed = names.entry(manager.to_owned()).or_insert_with(|| format!("manager-{number}"));
        if is_known(manager) { manager.to_owned() } else { renamed.clone() }
    };
    shown.request.manager = rename(&shown.request.manager);
    for document in [shown.live.as_mut(), Some(&mut shown.request.document)].into_iter().flatten() {
        let metadata = document.as_map_mut().and_then(|map| map.get_mut("metadata")?.as_map_mut());
        let entries = metadata.and_then(|metadata| metadata.get_mut("managedFields")?.as_list_mut());
        for entry in entries.into_iter().flatten().filter_map(Doc::as_map_mut) {
            if let Some(Doc::String(manager)) = entry.get_mut("manager") {
                *manager = Text::from(rename(manager));
            }
        }
    }
    shown
}

impl Replacements<'_> {
    fn ty(&self, ty: Option<TypeId>) -> &Type {
        ty.map_or(&Type::Any, |ty| self.context.schema.get(ty))
    }

    fn field(&self, ty: Option<TypeId>, key: &str) -> Option<TypeId> {
        match self.ty(ty) {
            Type::Struct(declared) => declared.field(key).map(|field| field.ty),
            _ => None,
        }
    }

    fn items(&self, ty: Option<TypeId>) -> Option<TypeId> {
        match self.ty(ty) {
            Type::List(item) | Type::Map(item) => Some(*item),
            _ => None,
        }
    }

    fn note_declared(&mut self, value: &OwnedDoc, ty: Option<TypeId>) {
        match value {
            Doc::Map(map) => {
                for (key, value) in map.iter() {
                    let field = self.field(ty, key);
                    if field.is_some() {
                        self.declared.insert(key.to_string());
                    }
                    self.note_declared(value, field.or_else(|| self.items(ty)));
                }
            }
            Doc::List(items) => items.iter().for_each(|item| self.note_declared(item, self.items(ty))),
            _ => {}
        }
    }

    /// Replaces the content of a whole object. Its type stays.
    fn replace_object(&mut self, object: &mut OwnedDoc) {
        let root = Some(self.context.root);
        let Doc::Map(members) = object else { return };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "apiVersion" | "kind" => {}
                "metadata" => self.replace_metadata(value),
                _ => {
                    let ty = self.field(root, key);
                    self.replace(value, ty);
                }
            }
        }
        // A field that the types do not have has a name of its own.
        let members = std::mem::take(members).into_iter();
        let is_of_object = |key: &str| matches!(key, "apiVersion" | "kind" | "metadata");
        let renamed = members.map(|(key, value)| {
            let key = if is_of_object(&key) { key } else { Text::from(self.key(&key)) };
            (key, value)
        });
        *object = Doc::Map(renamed.collect());
    }

    fn replace_metadata(&mut self, metadata: &mut OwnedDoc) {
        let Doc::Map(members) = metadata else { return };
        let kept = ["name", "namespace", "labels", "annotations", "finalizers", "managedFields"];
        members.retain(|key, _| kept.contains(&key.as_str()));
        for (key, value) in members.iter_mut() {
            match (key.as_str(), value) {
                ("annotations", Doc::Map(annotations)) => {
                    let manifest = annotations.remove(LAST_APPLIED_ANNOTATION);
                    let mut others = Doc::Map(std::mem::take(annotations));
                    self.replace(&mut others, None);
                    *annotations = others.as_map().cloned().unwrap_or_default();
                    let read = manifest
                        .as_ref()
                        .and_then(Doc::as_str)
                        .and_then(|text| from_json(text.as_bytes()).ok());
                    if let Some(mut manifest) = read {
                        self.replace_object(&mut manifest);
                        let text = String::from_utf8_lossy(&to_json(&manifest)).into_owned();
                        annotations.insert(Text::from_static(LAST_APPLIED_ANNOTATION), Doc::from(text));
                    }
                }
                ("managedFields", Doc::List(entries)) => {
                    for entry in entries.iter_mut().filter_map(Doc::as_map_mut) {
                        if let Some(fields) = entry.get_mut("fieldsV1") {
                            self.replace_in_field_set(fields);
                        }
                    }
                }
                (_, value) => self.replace(value, None),
            }
        }
    }

    fn replace(&mut self, value: &mut OwnedDoc, ty: Option<TypeId>) {
        match value {
            Doc::Map(map) => {
                let members: Vec<_> = std::mem::take(map).into_iter().collect();
                let renamed: Map<'static> = members
                    .into_iter()
                    .map(|(key, mut value)| {
                        let ty = self.field(ty, &key).or_else(|| self.items(ty));
                        self.replace(&mut value, ty);
                        (Text::from(self.key(&key)), value)
                    })
                    .collect();
                *map = renamed;
            }
            Doc::List(items) => {
                let ty = self.items(ty);
                for item in items.iter_mut() {
                    self.replace(item, ty);
                }
            }
            Doc::String(text) => {
                if let Some(replaced) = self.string(text, ty) {
                    *text = Text::from(replaced);
                }
            }
            Doc::Int(number) => *number = self.integer(*number),
            Doc::Float(_) | Doc::Bool(_) | Doc::Null => {}
        }
    }

    /// Returns the replacement of a string. `None` for a value that the types name.
    fn string(&mut self, text: &str, ty: Option<TypeId>) -> Option<String> {
        let number = self.names.len() + 1;
        let replaced = match self.ty(ty) {
            Type::Enum(named) if named.values.iter().any(|value| *value == *text) => {
                self.named.insert(text.to_owned());
                return None;
            }
            // Four characters of base 64.
            Type::Scalar(ScalarType::Bytes) => format!("{number:04}"),
            Type::Scalar(ScalarType::Quantity | ScalarType::IntOrString) => number.to_string(),
            Type::Scalar(ScalarType::Time | ScalarType::MicroTime | ScalarType::Duration) => return None,
            _ => format!("v{number}"),
        };
        Some(self.names.entry(text.to_owned()).or_insert(replaced).clone())
    }

    fn key(&mut self, key: &str) -> String {
        if self.declared.contains(key) {
            return key.to_owned();
        }
        let replaced = format!("v{}", self.names.len() + 1);
        self.names.entry(key.to_owned()).or_insert(replaced).clone()
    }

    fn integer(&mut self, number: i64) -> i64 {
        // Zero and one often have a meaning.
        if self.numbers == Numbers::Kept || matches!(number, 0 | 1) {
            return number;
        }
        let next = i64::try_from(self.integers.len()).unwrap_or_default() + 2;
        *self.integers.entry(number).or_insert(next)
    }

    fn replace_in_field_set(&mut self, fields: &mut OwnedDoc) {
        if let Doc::String(text) = fields {
            let mut set = from_json(text.as_bytes()).unwrap_or(Doc::Map(Map::new()));
            self.replace_in_field_set(&mut set);
            *text = Text::from(String::from_utf8_lossy(&to_json(&set)).into_owned());
            return;
        }
        let Doc::Map(map) = fields else { return };
        let members: Vec<_> = std::mem::take(map).into_iter().collect();
        let renamed: Map<'static> = members
            .into_iter()
            .map(|(element, mut below)| {
                self.replace_in_field_set(&mut below);
                (Text::from(self.path_element(&element)), below)
            })
            .collect();
        *map = renamed;
    }

    /// Returns the replacement of an element of a field set, such as `f:color` or `k:{"name":"web"}`.
    fn path_element(&mut self, element: &str) -> String {
        let Some((kind, text)) = element.split_once(':') else { return element.to_owned() };
        match kind {
            "f" => format!("f:{}", self.path_field(text)),
            "k" | "v" => {
                let Ok(mut identity) = from_json(text.as_bytes()) else { return element.to_owned() };
                self.replace_identity(&mut identity);
                format!("{kind}:{}", String::from_utf8_lossy(&to_json(&identity)))
            }
            _ => element.to_owned(),
        }
    }

    /// Returns the replacement of a field of a field set. A field that no document has can be any.
    fn path_field(&mut self, key: &str) -> String {
        let of_object = ["metadata", "labels", "annotations", "finalizers", LAST_APPLIED_ANNOTATION];
        if of_object.contains(&key) { key.to_owned() } else { self.key(key) }
    }

    /// Replaces the values of the keys of an item, which are values of the documents.
    fn replace_identity(&mut self, identity: &mut OwnedDoc) {
        match identity {
            Doc::Map(keys) => keys.iter_mut().for_each(|(_, value)| self.replace_identity(value)),
            Doc::String(text) => {
                if !self.named.contains(text.as_str())
                    && let Some(replaced) = self.string(text, None)
                {
                    *text = Text::from(replaced);
                }
            }
            Doc::Int(number) => *number = self.integer(*number),
            _ => {}
        }
    }
}
