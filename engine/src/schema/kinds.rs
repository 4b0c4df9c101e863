//! Lookup of types by the kind of an object, or by a full or partial type name.

use rustc_hash::FxHashMap;

use super::{Declarations, Marker};
use crate::document::{Doc, OwnedDoc, OwnedMap, OwnedText, Text, from_json};
use crate::error::{Error, ErrorKind, Result};

/// The marker of a kind in the embedded releases. Its value is for example `apps/v1/Deployment`.
const REGISTERED_KIND_MARKER: &str = "k8s:gvk";
/// The marker of a kind in `OpenAPI` documents. Its value is `={"group":"apps","kind":"Deployment","version":"v1"}` or
/// a list of such maps.
const PUBLISHED_KIND_MARKER: &str = "x-kubernetes-group-version-kind";

/// The kinds and the names of a set of types.
#[derive(Debug)]
pub struct Kinds {
    /// The type name of each kind. The keys have the form `apps/v1/Deployment`.
    kinds: FxHashMap<OwnedText, OwnedText>,
    /// The names of all types, sorted.
    names: Vec<OwnedText>,
}

/// The result of looking up a type by a name.
enum Lookup<'a> {
    /// No type matches the name.
    Missing,
    /// The name of the only type that matches.
    Unique(&'a str),
    /// The kinds or names of all types that match.
    Ambiguous(Vec<&'a str>),
}

impl Declarations {
    /// Returns a copy of the declarations in which the kinds have the markers of `OpenAPI` documents. An `OpenAPI`
    /// document that is written from the copy contains the kinds, so that its types can be looked up by kind.
    #[must_use]
    pub fn with_published_kinds(&self) -> Self {
        let mut declarations = self.clone();
        for ty in &mut declarations.types {
            ty.markers = publish_kinds(&ty.markers);
        }
        declarations
    }
}

impl Kinds {
    /// Collects the kinds from the markers of the types. Both the markers of the embedded releases and those of
    /// `OpenAPI` are read.
    #[must_use]
    pub fn of(declarations: &Declarations) -> Self {
        let mut kinds = FxHashMap::default();
        for ty in &declarations.types {
            for kind in ty.markers.iter().flat_map(kinds_of) {
                // Options of requests (such as `ListOptions`) are registered in each group with equivalent types, so
                // that the first type is used.
                kinds.entry(kind).or_insert_with(|| Text::from(&ty.name));
            }
        }
        let mut names: Vec<OwnedText> = declarations.types.iter().map(|ty| Text::from(&ty.name)).collect();
        names.sort_unstable();
        Kinds { kinds, names }
    }

    /// Returns all kinds, such as `apps/v1/Deployment`, with the names of their types, sorted by kind.
    #[must_use]
    pub fn sorted(&self) -> Vec<(&str, &str)> {
        let mut kinds: Vec<_> =
            self.kinds.iter().map(|(kind, name)| (kind.as_str(), name.as_str())).collect();
        kinds.sort_unstable();
        kinds
    }

    /// Returns the name of the type of objects with this `apiVersion` and `kind`.
    #[must_use]
    pub fn find(&self, api_version: &str, kind: &str) -> Option<&str> {
        self.kinds.get(format!("{api_version}/{kind}").as_str()).map(Text::as_str)
    }

    /// Returns the kind of objects of the type with this name, such as `apps/v1/Deployment`. If the type is registered as
    /// several kinds, returns the first in alphabetical order.
    #[must_use]
    pub fn kind_of(&self, type_name: &str) -> Option<&str> {
        let of_type = self.kinds.iter().filter(|(_, name)| **name == *type_name);
        of_type.map(|(kind, _)| kind.as_str()).min()
    }

    /// Returns the name of the type to which a text refers.
    ///
    /// The text is a kind with its version (`apps/v1/Deployment`, `v1/Pod`) or a type name (`core/v1.PodSpec`). The
    /// version or the package can be left out (`Deployment`, `PodSpec`) if a single type matches. If several types
    /// match and only one of them is in a stable version (`v1`, not `v1beta1`), the stable type is returned.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if no type or several types match. The message suggests a similar name, and refers
    /// to the set of types as `source_name`.
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// use skewer_engine::schema::{Kinds, builtin};
    ///
    /// let kinds = Kinds::of(&builtin::newest().declarations());
    /// assert_eq!(kinds.resolve("apps/v1/Deployment", "the newest release")?, "apps/v1.Deployment");
    /// assert_eq!(kinds.resolve("PodSpec", "the newest release")?, "core/v1.PodSpec");
    /// # }
    /// # Ok::<(), skewer_engine::Error>(())
    /// ```
    pub fn resolve(&self, text: &str, source_name: &str) -> Result<&str> {
        match self.find_by_any_name(text) {
            Lookup::Unique(name) => Ok(name),
            Lookup::Missing => Err(self.unknown_type_error(text, source_name)),
            Lookup::Ambiguous(texts) => {
                let message = format!(
                    "{source_name} has several types `{text}` (expected one of {})",
                    texts.join(", ")
                );
                Err(Error::new(ErrorKind::InvalidSchema, message))
            }
        }
    }

    /// Returns the name of a type as [`Kinds::resolve`] does, or `None` instead of an error. This is faster than
    /// creating an error message, which compares the text with all names.
    #[must_use]
    pub fn look_up(&self, text: &str) -> Option<&str> {
        match self.find_by_any_name(text) {
            Lookup::Unique(name) => Some(name),
            Lookup::Missing | Lookup::Ambiguous(_) => None,
        }
    }

    fn find_by_any_name(&self, text: &str) -> Lookup<'_> {
        if let Some(found) = self.kinds.get(text).map(Text::as_str).or_else(|| self.type_name(text)) {
            return Lookup::Unique(found);
        }
        // A type name can be written like a kind: `core/v1/Pod` instead of `core/v1.Pod`.
        let qualified = text.rsplit_once('/').map(|(package, name)| format!("{package}.{name}"));
        if let Some(found) = qualified.and_then(|name| self.type_name(&name)) {
            return Lookup::Unique(found);
        }
        let kinds = self.kinds.iter().map(|(kind, name)| (kind.as_str(), name.as_str()));
        let mut candidates: Vec<_> = kinds.filter(|(kind, _)| last_part(kind) == text).collect();
        candidates.sort_unstable();
        if candidates.is_empty() {
            let names = self.names.iter().map(Text::as_str).filter(|name| last_part(name) == text);
            candidates = names.map(|name| (name, name)).collect();
        }
        let stable: Vec<_> = candidates.iter().filter(|(_, name)| is_stable(name)).collect();
        match (candidates.as_slice(), stable.as_slice()) {
            ([(_, name)], _) | (_, [(_, name)]) => Lookup::Unique(name),
            ([], _) => Lookup::Missing,
            (several, _) => Lookup::Ambiguous(several.iter().map(|(text, _)| *text).collect()),
        }
    }

    fn type_name(&self, name: &str) -> Option<&str> {
        self.names
            .binary_search_by(|known| known.as_str().cmp(name))
            .ok()
            .map(|index| self.names[index].as_str())
    }

    fn unknown_type_error(&self, text: &str, source_name: &str) -> Error {
        /// Maximum number of names that the message lists if no name is similar.
        const MAX_LISTED: usize = 20;
        // A text without a package is compared with names without packages, so that the package does not count as a
        // difference.
        let qualified = text.contains(['/', '.']);
        let all = self.kinds.keys().chain(&self.names);
        let near = nearest(text, all.map(|name| if qualified { name } else { last_part(name) }));
        let hint = match near {
            Some(near) => format!(": did you mean `{near}`?"),
            None if self.names.len() <= MAX_LISTED => format!(" (expected one of {})", self.names.join(", ")),
            None => String::new(),
        };
        Error::new(ErrorKind::InvalidSchema, format!("{source_name} has no type `{text}`{hint}"))
    }
}

fn kinds_of(marker: &Marker) -> Vec<OwnedText> {
    match marker.name.as_str() {
        REGISTERED_KIND_MARKER => vec![Text::from(&marker.value)],
        PUBLISHED_KIND_MARKER => {
            let published = marker.value.strip_prefix('=').and_then(|json| from_json(json.as_bytes()).ok());
            match &published {
                Some(Doc::List(list)) => list.iter().filter_map(parse_published_kind).collect(),
                Some(one) => parse_published_kind(one).into_iter().collect(),
                None => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

fn parse_published_kind(value: &OwnedDoc) -> Option<OwnedText> {
    let part = |key| value.as_map()?.get(key)?.as_str();
    let (version, kind) = (part("version")?, part("kind")?);
    Some(match part("group") {
        None | Some("") => Text::from(format!("{version}/{kind}")),
        Some(group) => Text::from(format!("{group}/{version}/{kind}")),
    })
}

/// Replaces the kind markers of the embedded releases by the kind marker of `OpenAPI` documents.
fn publish_kinds(markers: &[Marker]) -> Vec<Marker> {
    let (registered, mut others): (Vec<_>, Vec<_>) =
        markers.iter().cloned().partition(|marker| marker.name == REGISTERED_KIND_MARKER);
    let kinds: Vec<OwnedDoc> = registered
        .iter()
        .filter_map(|marker| {
            let (api_version, kind) = marker.value.rsplit_once('/')?;
            let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
            let entries = [("group", group), ("kind", kind), ("version", version)];
            let map: OwnedMap =
                entries.into_iter().map(|(key, text)| (Text::from(key), Doc::from(text))).collect();
            Some(Doc::Map(map))
        })
        .collect();
    if !kinds.is_empty() {
        let value = format!("={}", Doc::List(kinds));
        others.push(Marker::new(PUBLISHED_KIND_MARKER, value));
    }
    others
}

/// Returns the name without group, version and package: `Deployment` for `apps/v1/Deployment`, `apps/v1.Deployment` and
/// `io.k8s.api.apps.v1.Deployment`.
fn last_part(name: &str) -> &str {
    name.rsplit(['/', '.']).next().unwrap_or(name)
}

/// Returns true if a type belongs to a stable version, as `apps/v1.Deployment` does.
fn is_stable(name: &str) -> bool {
    let version = name.rsplit(['/', '.']).nth(1).and_then(|version| version.strip_prefix('v'));
    version.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the name that is most similar to the text, ignoring case. Returns `None` if the edit distance of each name
/// is more than a third of its length.
fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// Maximum length of names that are compared. The time for an edit distance is the product of both lengths.
    const MAX_LENGTH: usize = 128;
    /// Maximum number of names that are compared.
    const MAX_COMPARED: usize = 20_000;
    if text.len() > MAX_LENGTH {
        return None;
    }
    let lower_case = text.to_lowercase();
    // The edit distance is at least the difference of the lengths. Most names are excluded by this check.
    let letters = lower_case.chars().count();
    let is_near_in_length = |name: &str| {
        let count = name.chars().count();
        count.abs_diff(letters) * 3 <= name.len()
    };
    let names = names.filter(|name| name.len() <= MAX_LENGTH && is_near_in_length(name)).take(MAX_COMPARED);
    let scored = names.map(|name| (strsim::damerau_levenshtein(&lower_case, &name.to_lowercase()), name));
    // The alphabetically first of several names with the same distance is used, so that messages are deterministic.
    scored.min().filter(|(distance, name)| distance * 3 <= name.len()).map(|(_, name)| name)
}
