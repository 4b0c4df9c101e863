//! The embedded types of several Kubernetes releases.
//!
//! ```
//! use skewer_engine::schema::builtin;
//!
//! let release = builtin::release("kubernetes-1.32").unwrap();
//! assert_eq!(release.find("apps/v1", "Deployment"), Some("apps/v1.Deployment"));
//! assert_eq!(release.resolve("Deployment").unwrap(), "apps/v1.Deployment");
//! ```
//!
//! The file `engine/builtin/README.md` describes the embedded files and their source. The types of a release are
//! unpacked and compiled on their first use. The declarations take more memory than the compiled types, and are kept only
//! as long as a caller of [`Release::declarations`] uses them.

use std::io::Read;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use flate2::read::GzDecoder;
use serde::Deserialize;

use super::kinds::Kinds;
use super::{Declarations, Schema, TypeId};
use crate::error::{Error, ErrorKind, Result};

/// A Kubernetes release with its types.
#[derive(Debug)]
pub struct Release {
    name: &'static str,
    /// The embedded file: JSON, compressed with gzip.
    packed: &'static [u8],
    types: OnceLock<Types>,
    declarations: Mutex<Weak<Declarations>>,
}

/// Releases are equal if they have the same name.
impl PartialEq for Release {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[derive(Debug)]
struct Types {
    module: String,
    kinds: Kinds,
    schema: Arc<Schema>,
}

/// The content of an embedded file, which `engine/builtin/gen` writes.
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
            types: OnceLock::new(),
            declarations: Mutex::new(Weak::new()),
        }),+];
    };
}

releases! {
    "kubernetes-1.17"
    "kubernetes-1.20"
    "kubernetes-1.22"
    "kubernetes-1.24"
    "kubernetes-1.26"
    "kubernetes-1.27"
    "kubernetes-1.28"
    "kubernetes-1.30"
    "kubernetes-1.32"
    "kubernetes-1.34"
    "kubernetes-1.36"
    "kubernetes-1.37"
}

/// Returns the embedded releases, from the oldest to the newest.
#[must_use]
pub fn releases() -> &'static [Release] {
    &RELEASES
}

/// Returns the newest embedded release, which is the default.
#[must_use]
pub fn newest() -> &'static Release {
    &RELEASES[RELEASES.len() - 1]
}

/// Returns the embedded release with this name. The name is `newest` or, for example, `kubernetes-1.32`.
///
/// # Errors
///
/// [`ErrorKind::InvalidSchema`] if no such release is embedded. The message lists the embedded releases.
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
        let message = format!("no release {name:?} is embedded (expected newest, {})", names.join(", "));
        Error::new(ErrorKind::InvalidSchema, message)
    })
}

/// Returns the release whose compiled types these are. Returns `None` if no release has these types, or if a party has
/// changed them.
#[must_use]
pub fn release_of_schema(schema: &Arc<Schema>) -> Option<&'static Release> {
    RELEASES
        .iter()
        .find(|release| release.types.get().is_some_and(|types| Arc::ptr_eq(&types.schema, schema)))
}

/// A kind of objects of an embedded release.
#[derive(Clone, Copy, Debug)]
pub struct ReleaseKind {
    /// The release.
    pub release: &'static Release,
    /// The API version, such as `apps/v1`.
    pub api_version: &'static str,
    /// The kind, such as `Deployment`.
    pub kind: &'static str,
}

impl ReleaseKind {
    /// Returns the kind whose objects have a type. Returns `None` if the types are not exactly those of an embedded
    /// release, or if no kind has the type.
    ///
    /// ```
    /// use skewer_engine::schema::builtin::{self, ReleaseKind};
    ///
    /// let schema = builtin::newest().schema();
    /// let deployment = ReleaseKind::of(schema, schema.named("apps/v1.Deployment").expect("a type")).expect("a kind");
    /// assert_eq!((deployment.api_version, deployment.kind), ("apps/v1", "Deployment"));
    /// assert!(ReleaseKind::of(schema, schema.named("core/v1.PodSpec").expect("a type")).is_none());
    /// ```
    #[must_use]
    pub fn of(schema: &Arc<Schema>, ty: TypeId) -> Option<Self> {
        let release = release_of_schema(schema)?;
        let (api_version, kind) = release.kinds().kind_of(&schema.as_struct(ty)?.name)?.rsplit_once('/')?;
        Some(ReleaseKind { release, api_version, kind })
    }
}

impl Release {
    /// Returns the name of the release, for example `kubernetes-1.32`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the minor version of the release, for example 32 for `kubernetes-1.32`.
    #[must_use]
    pub fn minor(&self) -> u32 {
        self.name.rsplit('.').next().and_then(|minor| minor.parse().ok()).unwrap_or_default()
    }

    /// Returns the Go module that declares the types, with its version, for example `k8s.io/api v0.32.13`.
    #[must_use]
    pub fn module(&'static self) -> &'static str {
        &self.types().module
    }

    /// Returns the declarations of the types. They are unpacked again if no other caller uses them any more.
    #[must_use]
    pub fn declarations(&self) -> Arc<Declarations> {
        let mut known = self.declarations.lock().unwrap_or_else(PoisonError::into_inner);
        known.upgrade().unwrap_or_else(|| {
            let declarations = Arc::new(self.unpack().declarations);
            *known = Arc::downgrade(&declarations);
            declarations
        })
    }

    /// Returns the compiled types.
    #[must_use]
    pub fn schema(&'static self) -> &'static Arc<Schema> {
        &self.types().schema
    }

    /// Returns the kinds of objects that the release has.
    #[must_use]
    pub fn kinds(&'static self) -> &'static Kinds {
        &self.types().kinds
    }

    /// Returns the name of the type of objects with this `apiVersion` and `kind`.
    #[must_use]
    pub fn find(&'static self, api_version: &str, kind: &str) -> Option<&'static str> {
        self.kinds().find(api_version, kind)
    }

    /// Returns the name of the type to which a text refers. The text is for example `apps/v1/Deployment`, `v1/Pod`,
    /// `core/v1.PodSpec`, `Deployment` or `PodSpec`. See [`Kinds::resolve`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if the release has no such type, or several.
    pub fn resolve(&'static self, text: &str) -> Result<&'static str> {
        self.kinds().resolve(text, self.name)
    }

    fn types(&'static self) -> &'static Types {
        self.types.get_or_init(|| {
            let File { module, declarations } = self.unpack();
            match Schema::compile(&declarations) {
                Ok(schema) => Types { module, kinds: Kinds::of(&declarations), schema: Arc::new(schema) },
                // The file is embedded in the program, and a test compiles the types of all embedded files.
                Err(errors) => unreachable!("the embedded types of {}: {errors:?}", self.name),
            }
        })
    }

    fn unpack(&self) -> File {
        match unpack(self.packed) {
            Ok(file) => file,
            // The file is embedded in the program, and a test unpacks all embedded files.
            Err(error) => unreachable!("the embedded file of {}: {error}", self.name),
        }
    }
}

fn unpack(packed: &[u8]) -> std::io::Result<File> {
    let mut text = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}
