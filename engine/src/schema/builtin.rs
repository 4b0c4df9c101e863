//! The types of Kubernetes itself, embedded for several releases.
//!
//! ```
//! use skewer_engine::schema::builtin;
//!
//! let release = builtin::release("kubernetes-1.32").unwrap();
//! assert_eq!(release.find("apps/v1", "Deployment"), Some("apps/v1.Deployment"));
//! assert_eq!(release.resolve("Deployment").unwrap(), "apps/v1.Deployment");
//! ```
//!
//! What the files hold, and where it is from: `engine/builtin/README.md`. A release is unpacked when it is
//! first asked for, and compiled when its schema is.

use std::io::Read;
use std::sync::{Arc, OnceLock};

use flate2::read::GzDecoder;
use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::{Declarations, Schema, TypeDecl};
use crate::error::{Error, ErrorKind, Result};

/// The marker of a type that is registered as a kind; its value is `apps/v1/Deployment`.
pub const KIND_MARKER: &str = "k8s:gvk";

/// A release of Kubernetes with its types.
#[derive(Debug)]
pub struct Release {
    name: &'static str,
    packed: &'static [u8],
    unpacked: OnceLock<Unpacked>,
    schema: OnceLock<Arc<Schema>>,
}

#[derive(Debug)]
struct Unpacked {
    module: String,
    declarations: Declarations,
    /// The type of each kind, by `apps/v1/Deployment`.
    kinds: FxHashMap<String, usize>,
}

/// A file as it is written by `engine/builtin/gen`.
#[derive(Deserialize)]
struct File {
    module: String,
    declarations: Declarations,
}

macro_rules! releases {
    ($($name:literal)+) => {
        static RELEASES: [Release; [$($name),+].len()] = [$(Release {
            name: $name,
            packed: include_bytes!(concat!("../../builtin/", $name, ".json.gz")),
            unpacked: OnceLock::new(),
            schema: OnceLock::new(),
        }),+];
    };
}

releases! {
    "kubernetes-1.17"
    "kubernetes-1.20"
    "kubernetes-1.22"
    "kubernetes-1.24"
    "kubernetes-1.26"
    "kubernetes-1.28"
    "kubernetes-1.30"
    "kubernetes-1.32"
    "kubernetes-1.34"
    "kubernetes-1.36"
    "kubernetes-1.37"
}

/// The embedded releases, the oldest first.
#[must_use]
pub fn releases() -> &'static [Release] {
    &RELEASES
}

/// The newest embedded release, which serves where none is named.
#[must_use]
pub fn newest() -> &'static Release {
    &RELEASES[RELEASES.len() - 1]
}

/// The release of this name: `kubernetes-1.32`, or `newest`.
///
/// [`ErrorKind::InvalidSchema`] when it is not embedded; the message lists those that are.
pub fn release(name: &str) -> Result<&'static Release> {
    if name == "newest" {
        return Ok(newest());
    }
    RELEASES.iter().find(|release| release.name == name).ok_or_else(|| {
        let names: Vec<&str> = RELEASES.iter().map(Release::name).collect();
        let message = format!("no release {name:?} is embedded: there is newest, {}", names.join(", "));
        Error::new(ErrorKind::InvalidSchema, message)
    })
}

impl Release {
    /// `kubernetes-1.32`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The 32 of `kubernetes-1.32`.
    #[must_use]
    pub fn minor(&self) -> u32 {
        self.name.rsplit('.').next().and_then(|minor| minor.parse().ok()).unwrap_or_default()
    }

    /// The Go module that the types are from: `k8s.io/api v0.32.13`.
    #[must_use]
    pub fn module(&'static self) -> &'static str {
        &self.unpacked().module
    }

    /// The types as declared.
    #[must_use]
    pub fn declarations(&'static self) -> &'static Declarations {
        &self.unpacked().declarations
    }

    /// The types, ready for use.
    #[must_use]
    pub fn schema(&'static self) -> &'static Arc<Schema> {
        self.schema.get_or_init(|| match Schema::compile(self.declarations()) {
            Ok(schema) => Arc::new(schema),
            // The file is part of the program, and a test compiles every one of them.
            Err(errors) => unreachable!("the embedded types of {}: {errors:?}", self.name),
        })
    }

    /// The kinds, as `apps/v1/Deployment` and the name of the type, sorted.
    #[must_use]
    pub fn kinds(&'static self) -> Vec<(&'static str, &'static str)> {
        let unpacked = self.unpacked();
        let mut kinds: Vec<_> =
            unpacked.kinds.iter().map(|(kind, at)| (kind.as_str(), unpacked.name(*at))).collect();
        kinds.sort_unstable();
        kinds
    }

    /// The name of the type that is registered as this kind.
    #[must_use]
    pub fn find(&'static self, api_version: &str, kind: &str) -> Option<&'static str> {
        let unpacked = self.unpacked();
        unpacked.kinds.get(&format!("{api_version}/{kind}")).map(|at| unpacked.name(*at))
    }

    /// The name of the type that is meant: by a kind with its version (`apps/v1/Deployment`, `v1/Pod`), by
    /// the name of a type (`core/v1.PodSpec`), or by either without version and package where only one is
    /// meant (`Deployment`, `PodSpec`). Where several are, and just one of them is stable (`v1`, not
    /// `v1beta1`), it is that one.
    ///
    /// [`ErrorKind::InvalidSchema`] when there is none, or several; the message says which are near.
    pub fn resolve(&'static self, text: &str) -> Result<&'static str> {
        let unpacked = self.unpacked();
        if let Some(at) = unpacked.kinds.get(text) {
            return Ok(unpacked.name(*at));
        }
        if let Some(found) = unpacked.type_named(text) {
            return Ok(found);
        }
        // `core/v1/Pod`: the package of a type, written like a kind.
        if let Some((package, name)) = text.rsplit_once('/')
            && let Some(found) = unpacked.type_named(&format!("{package}.{name}"))
        {
            return Ok(found);
        }
        let mut candidates: Vec<_> =
            self.kinds().into_iter().filter(|(kind, _)| last(kind, '/') == text).collect();
        if candidates.is_empty() {
            let names = unpacked.declarations.types.iter().map(|ty| ty.name.as_str());
            candidates = names.filter(|name| last(name, '.') == text).map(|name| (name, name)).collect();
        }
        let stable: Vec<_> = candidates.iter().filter(|(_, name)| is_stable(name)).collect();
        match (candidates.as_slice(), stable.as_slice()) {
            ([(_, name)], _) | (_, [(_, name)]) => Ok(name),
            ([], _) => Err(self.unknown(text)),
            (several, _) => {
                let texts: Vec<&str> = several.iter().map(|(text, _)| *text).collect();
                let message =
                    format!("{} has several types {text}: say which of {}", self.name, texts.join(", "));
                Err(Error::new(ErrorKind::InvalidSchema, message))
            }
        }
    }

    fn unknown(&'static self, text: &str) -> Error {
        let kinds = self.kinds();
        let types = self.unpacked().declarations.types.iter();
        // A slip in the last part is looked for among last parts, so that a long package weighs nothing.
        let short = kinds.iter().map(|(kind, _)| last(kind, '/'));
        let full = kinds.iter().map(|(kind, _)| *kind);
        let names = types.clone().map(|ty| ty.name.as_str());
        let short_names = types.map(|ty| last(&ty.name, '.'));
        let near = if text.contains(['/', '.']) {
            nearest(text, full.chain(names))
        } else {
            nearest(text, short.chain(short_names))
        };
        let hint = near.map(|near| format!(": did you mean {near}?")).unwrap_or_default();
        Error::new(ErrorKind::InvalidSchema, format!("{} has no type {text}{hint}", self.name))
    }

    fn unpacked(&'static self) -> &'static Unpacked {
        self.unpacked.get_or_init(|| match unpack(self.packed) {
            Ok(file) => Unpacked::of(file),
            // As in `schema`.
            Err(error) => unreachable!("the embedded file of {}: {error}", self.name),
        })
    }
}

fn unpack(packed: &[u8]) -> std::io::Result<File> {
    let mut text = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

impl Unpacked {
    fn of(File { module, declarations }: File) -> Self {
        let kinds = declarations.types.iter().enumerate().flat_map(|(at, ty)| {
            let kinds = ty.markers.iter().filter(|marker| marker.name == KIND_MARKER);
            kinds.map(move |marker| (marker.value.clone(), at))
        });
        Unpacked { module, kinds: kinds.collect(), declarations }
    }

    fn name(&self, at: usize) -> &str {
        &self.declarations.types[at].name
    }

    /// The types are sorted by name.
    fn type_named(&self, name: &str) -> Option<&str> {
        let types: &[TypeDecl] = &self.declarations.types;
        types.binary_search_by(|ty| ty.name.as_str().cmp(name)).ok().map(|at| types[at].name.as_str())
    }
}

fn last(text: &str, separator: char) -> &str {
    text.rsplit(separator).next().unwrap_or(text)
}

/// Is this a type of a stable version: `apps/v1.Deployment`?
fn is_stable(name: &str) -> bool {
    let package = name.split('.').next().unwrap_or(name);
    let version = last(package, '/');
    version.strip_prefix('v').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The name that was probably meant. A third of it at most may have to change, and case does not count.
fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// Distances take time by the product of both lengths.
    const LONGEST: usize = 128;
    if text.len() > LONGEST {
        return None;
    }
    let wanted = text.to_lowercase();
    let scored = names.map(|name| (strsim::damerau_levenshtein(&wanted, &name.to_lowercase()), name));
    let best = scored.min_by_key(|(distance, _)| *distance);
    best.filter(|(distance, name)| distance * 3 <= name.len()).map(|(_, name)| name)
}
