use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, EnumAccess, Error, VariantAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use skewer_skew::{PatchFormat, Request, RequestType};

/// The name of a request, or of a patch format that no request uses. The names are those of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestName(&'static str);

/// The names that requests had in earlier versions, each with its present name. Suite files can still have them.
pub(crate) const OLD_NAMES: [(&str, &str); 1] = [("apply", "client-side-apply")];

/// Returns the present name of a request that had another name in an earlier version.
#[must_use]
pub fn renamed_request(old_name: &str) -> Option<&'static str> {
    OLD_NAMES.iter().find(|(old, _)| *old == old_name).map(|(_, new)| *new)
}

/// All names: those of requests, then those of the patch formats that are not also the name of a request.
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut names: Vec<&str> = Request::ALL.iter().map(|request| request.name()).collect();
    let formats = PatchFormat::ALL.iter().filter(|format| **format != PatchFormat::OfRequest);
    let formats = formats.map(|format| format.name());
    let others: Vec<&str> = formats.filter(|format| !names.contains(format)).collect();
    names.extend(others);
    names
});

/// The names that a suite file can have: all names, then the old names.
static ACCEPTED_NAMES: LazyLock<Vec<&str>> =
    LazyLock::new(|| NAMES.iter().copied().chain(OLD_NAMES.map(|(old, _)| old)).collect());

impl RequestName {
    /// Returns the request of a skew case. Returns `None` if the name is `json-patch`, which only a patch case can use.
    #[must_use]
    pub fn request(self) -> Option<Request> {
        Request::ALL.into_iter().find(|request| request.name() == self.0)
    }

    /// Returns the type of a whole request to a server. Returns `None` for `client-side-apply`, with which a client chooses
    /// the type, and for the formats that no request has.
    #[must_use]
    pub fn request_type(self) -> Option<RequestType> {
        RequestType::from_name(self.0)
    }

    /// Returns the format of the patch. Returns `None` if the request is not a patch, or if the format depends on the
    /// types.
    #[must_use]
    pub fn format(self) -> Option<PatchFormat> {
        PatchFormat::ALL.iter().copied().find(|format| format.name() == self.0)
    }

    /// Returns the name in case files and cell ids.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }

    fn about(self) -> &'static str {
        let of_format = || self.format().map(|format| format.declaration().about);
        self.request().map(Request::about).or_else(of_format).unwrap_or_default()
    }
}

impl From<Request> for RequestName {
    fn from(request: Request) -> Self {
        RequestName(request.name())
    }
}

impl From<RequestType> for RequestName {
    fn from(request: RequestType) -> Self {
        RequestName(request.name())
    }
}

impl From<PatchFormat> for RequestName {
    fn from(format: PatchFormat) -> Self {
        RequestName(format.name())
    }
}

impl Serialize for RequestName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for RequestName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Variant;

        impl<'de> Visitor<'de> for Variant {
            type Value = RequestName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a request")
            }

            fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<RequestName, A::Error> {
                let (name, content) = access.variant::<String>()?;
                content.unit_variant()?;
                let present = renamed_request(&name).unwrap_or(&name);
                let known = NAMES.iter().copied().find(|known| *known == present);
                known.map(RequestName).ok_or_else(|| A::Error::unknown_variant(&name, &NAMES))
            }
        }

        deserializer.deserialize_enum("RequestName", &ACCEPTED_NAMES, Variant)
    }
}

impl JsonSchema for RequestName {
    fn schema_name() -> Cow<'static, str> {
        "RequestName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let variant = |name: &&'static str| json_schema!({"const": name, "description": RequestName(name).about(), "type": "string"});
        let old = OLD_NAMES.map(|(old, new)| {
            let description = format!("The old name of `{new}`.");
            json_schema!({"const": old, "deprecated": true, "description": description, "type": "string"})
        });
        json_schema!({
            "description": "The form in which a client sends a change, or the format of a patch.",
            "oneOf": NAMES.iter().map(variant).chain(old).collect::<Vec<_>>(),
        })
    }
}
