//! Secret values, which are replaced while a dump is read.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use skewer_engine::document::{from_json, to_json};
use skewer_engine::{Doc, FieldPath, OwnedDoc, PathSegment, Text};
use skewer_skew::LAST_APPLIED_ANNOTATION;

/// The annotations in which tools keep a manifest as JSON text: `kubectl apply`, and `kapp`.
pub const MANIFEST_ANNOTATIONS: [&str; 2] = [LAST_APPLIED_ANNOTATION, "kapp.k14s.io/original"];

/// The replacement of secret values by a keyed digest. Equal values have equal digests, so that a change of a value is
/// still a change. The key is random, and lives as long as this value: nobody can compare a digest with those of guesses.
///
/// Strings and numbers are replaced. A boolean or null remains, since any other value would have another type.
#[derive(Debug)]
pub struct Redaction {
    key: RandomState,
    paths: Vec<Vec<String>>,
}

impl Redaction {
    /// Creates a redaction of the values of Secrets, and of the values at further paths in all objects. A path goes
    /// through lists without naming them: `spec.users.password` is the password of each user.
    #[must_use]
    pub fn new(paths: &[FieldPath]) -> Self {
        let names = |path: &FieldPath| {
            let name = |segment: &PathSegment| match segment {
                PathSegment::Key(key) => Some(key.to_string()),
                PathSegment::Index(_) => None,
            };
            path.segments().iter().filter_map(name).collect()
        };
        Redaction { key: RandomState::new(), paths: paths.iter().map(names).collect() }
    }

    /// Replaces the secret values of an object, those of the manifests in its annotations, and those in its managed
    /// fields. Returns true if a value was replaced.
    pub fn redact(&self, object: &mut OwnedDoc) -> bool {
        let values =
            ReplacedValues { key: &self.key, replaced: RefCell::default(), has_any: Cell::new(false) };
        let is_secret = is_secret(object);
        self.redact_fields(object, is_secret, &values);
        for name in MANIFEST_ANNOTATIONS {
            let Some(annotation) = at_mut(object, &["metadata", "annotations", name]) else { continue };
            let manifest = annotation.as_str().and_then(|text| from_json(text.as_bytes()).ok());
            match manifest {
                Some(mut manifest) => {
                    self.redact_fields(&mut manifest, is_secret, &values);
                    let text = String::from_utf8_lossy(&to_json(&manifest)).into_owned();
                    *annotation = Doc::String(Text::from(text));
                }
                // A text that is not JSON can have any value of the object.
                None if is_secret || !self.paths.is_empty() => values.replace(annotation),
                None => {}
            }
        }
        let replaced = values.replaced.take();
        if let Some(Doc::List(entries)) = at_mut(object, &["metadata", "managedFields"])
            && !replaced.is_empty()
        {
            for entry in entries {
                if let Some(fields) = entry.as_map_mut().and_then(|entry| entry.get_mut("fieldsV1")) {
                    replace_in_field_set(fields, &replaced);
                }
            }
        }
        values.has_any.get()
    }

    fn redact_fields(&self, object: &mut OwnedDoc, is_secret: bool, values: &ReplacedValues<'_>) {
        if is_secret {
            for (field, is_base64) in [("data", true), ("stringData", false)] {
                let Some(Doc::Map(data)) = at_mut(object, &[field]) else { continue };
                for (_, value) in data.iter_mut() {
                    values.replace(value);
                    // The API has bytes here, in base 64. Hexadecimal digits in groups of four are base 64, too.
                    if let (Doc::String(text), true) = (&mut *value, is_base64) {
                        *text = Text::from(text.trim_start_matches(PREFIX).to_owned());
                    }
                }
            }
        }
        for path in &self.paths {
            replace_at(object, path, values);
        }
    }
}

/// The beginning of a digest, by which a reader recognizes it.
const PREFIX: &str = "redacted-";

/// The values of one object that were replaced.
struct ReplacedValues<'k> {
    key: &'k RandomState,
    replaced: RefCell<HashMap<String, String>>,
    has_any: Cell<bool>,
}

impl ReplacedValues<'_> {
    /// Replaces each scalar of a value.
    fn replace(&self, value: &mut OwnedDoc) {
        let is_scalar = matches!(value, Doc::Int(_) | Doc::Float(_) | Doc::String(_));
        self.has_any.set(self.has_any.get() || is_scalar);
        match value {
            Doc::Null | Doc::Bool(_) => {}
            Doc::Int(number) => {
                *value = small_number(self.key.hash_one(*number));
            }
            Doc::Float(number) => {
                *value = small_number(self.key.hash_one(number.to_bits()));
            }
            Doc::String(text) => {
                let [first, second] = [0, 1].map(|part: u8| self.key.hash_one((part, text.as_str())));
                let digest = format!("{PREFIX}{first:016x}{second:016x}");
                self.replaced.borrow_mut().insert(text.to_string(), digest.clone());
                *text = Text::from(digest);
            }
            Doc::List(items) => items.iter_mut().for_each(|item| self.replace(item)),
            Doc::Map(map) => map.iter_mut().for_each(|(_, value)| self.replace(value)),
        }
    }
}

/// Returns a number that is small enough for any numeric type.
fn small_number(digest: u64) -> OwnedDoc {
    Doc::Int(i64::try_from(digest >> 33).unwrap_or_default())
}

fn replace_at(value: &mut OwnedDoc, path: &[String], values: &ReplacedValues<'_>) {
    match (value, path) {
        (value, []) => values.replace(value),
        (Doc::List(items), path) => items.iter_mut().for_each(|item| replace_at(item, path, values)),
        (Doc::Map(map), [name, rest @ ..]) => {
            if let Some(value) = map.get_mut(name) {
                replace_at(value, rest, values);
            }
        }
        _ => {}
    }
}

/// Replaces values in the elements of a field set that identify an item by its value or by its keys.
fn replace_in_field_set(fields: &mut OwnedDoc, replaced: &HashMap<String, String>) {
    if let Doc::String(text) = fields {
        if let Ok(mut set) = from_json(text.as_bytes()) {
            replace_in_field_set(&mut set, replaced);
            *text = Text::from(String::from_utf8_lossy(&to_json(&set)).into_owned());
        }
        return;
    }
    let Doc::Map(map) = fields else { return };
    let members = std::mem::take(map).into_iter().map(|(key, mut value)| {
        replace_in_field_set(&mut value, replaced);
        let identity = key.split_once(':').filter(|(kind, _)| matches!(*kind, "v" | "k"));
        let redacted = identity.and_then(|(kind, text)| {
            let mut identity = from_json(text.as_bytes()).ok()?;
            replace_strings(&mut identity, replaced);
            Some(Text::from(format!("{kind}:{}", String::from_utf8_lossy(&to_json(&identity)))))
        });
        (redacted.unwrap_or(key), value)
    });
    *map = members.collect();
}

fn replace_strings(value: &mut OwnedDoc, replaced: &HashMap<String, String>) {
    match value {
        Doc::String(text) => {
            if let Some(digest) = replaced.get(text.as_str()) {
                *text = Text::from(digest.clone());
            }
        }
        Doc::List(items) => items.iter_mut().for_each(|item| replace_strings(item, replaced)),
        Doc::Map(map) => map.iter_mut().for_each(|(_, value)| replace_strings(value, replaced)),
        _ => {}
    }
}

fn is_secret(object: &OwnedDoc) -> bool {
    let member = |key: &str| object.as_map()?.get(key)?.as_str();
    member("apiVersion") == Some("v1") && member("kind") == Some("Secret")
}

/// Returns the value at a path of keys.
fn at_mut<'d>(value: &'d mut OwnedDoc, path: &[&str]) -> Option<&'d mut OwnedDoc> {
    path.iter().try_fold(value, |value, key| value.as_map_mut()?.get_mut(key))
}
