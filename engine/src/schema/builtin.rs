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
use serde::Deserialize;

use super::kinds::Kinds;
use super::{Declarations, Schema};
use crate::error::{Error, ErrorKind, Result};

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
    kinds: Kinds,
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
///
/// ```
/// use skewer_engine::schema::builtin;
///
/// let release = builtin::release("kubernetes-1.32")?;
/// assert_eq!(release.minor(), 32);
/// assert!(release.find("apps/v1", "Deployment").is_some());
/// assert!(builtin::release("kubernetes-1.3").is_err());
/// # Ok::<(), skewer_engine::Error>(())
/// ```
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

    /// The kinds that objects can have.
    #[must_use]
    pub fn kinds(&'static self) -> &'static Kinds {
        &self.unpacked().kinds
    }

    /// The name of the type of objects with this `apiVersion` and `kind`.
    #[must_use]
    pub fn find(&'static self, api_version: &str, kind: &str) -> Option<&'static str> {
        self.kinds().find(api_version, kind)
    }

    /// The name of the type that is meant by `apps/v1/Deployment`, `v1/Pod`, `core/v1.PodSpec`, `Deployment`
    /// or `PodSpec`; see [`Kinds::resolve`].
    pub fn resolve(&'static self, text: &str) -> Result<&'static str> {
        self.kinds().resolve(text, self.name)
    }

    fn unpacked(&'static self) -> &'static Unpacked {
        self.unpacked.get_or_init(|| match unpack(self.packed) {
            Ok(unpacked) => unpacked,
            // As in `schema`.
            Err(error) => unreachable!("the embedded file of {}: {error}", self.name),
        })
    }
}

fn unpack(packed: &[u8]) -> std::io::Result<Unpacked> {
    let mut text = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut text)?;
    let File { module, declarations } = serde_json::from_slice(&text)?;
    Ok(Unpacked { module, kinds: Kinds::of(&declarations), declarations })
}
