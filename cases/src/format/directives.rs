//! Directives that a suite declares.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skewer_engine::directive::{DirectiveForm, DirectiveSubject, DirectiveValue};

/// The form of a directive that Skewer does not have. A party that is not `without` the directive knows it, unless it has the
/// profile of a release. The built-in engine treats the key as an ordinary field, as an old server does. A target that lists
/// the directive in `supports.directives` is asked.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields, rename = "DirectiveFile")]
pub struct DirectiveSpec {
    /// The value to which the directive applies.
    pub applies_to: DirectiveSubjectName,
    /// The value of the directive in a patch. A patch with another value is an error, unless the case names it in
    /// `wrong-types`. The default is `anything`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub carries: DirectiveValueName,
}

/// The value to which a declared directive applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DirectiveSubjectName {
    /// The map that has the key, which is the name of the directive: `$name`.
    Map,
    /// A field of the map, which the key names: `$name/field`.
    Field,
    /// A field whose value is a list, which the key names: `$name/field`.
    List,
}

/// The value of a declared directive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DirectiveValueName {
    /// Any value.
    #[default]
    Anything,
    /// A boolean.
    Boolean,
    /// A string.
    String,
    /// A list of strings.
    Strings,
    /// A map.
    Map,
    /// A list of maps.
    Maps,
}

impl From<&DirectiveSpec> for DirectiveForm {
    fn from(spec: &DirectiveSpec) -> Self {
        DirectiveForm {
            applies_to: match spec.applies_to {
                DirectiveSubjectName::Map => DirectiveSubject::Map,
                DirectiveSubjectName::Field => DirectiveSubject::Field,
                DirectiveSubjectName::List => DirectiveSubject::List,
            },
            carries: match spec.carries {
                DirectiveValueName::Anything => DirectiveValue::Anything,
                DirectiveValueName::Boolean => DirectiveValue::Boolean,
                DirectiveValueName::String => DirectiveValue::String,
                DirectiveValueName::Strings => DirectiveValue::Strings,
                DirectiveValueName::Map => DirectiveValue::Map,
                DirectiveValueName::Maps => DirectiveValue::Maps,
            },
        }
    }
}

impl From<DirectiveForm> for DirectiveSpec {
    fn from(form: DirectiveForm) -> Self {
        DirectiveSpec {
            applies_to: match form.applies_to {
                DirectiveSubject::Map => DirectiveSubjectName::Map,
                DirectiveSubject::Field => DirectiveSubjectName::Field,
                DirectiveSubject::List => DirectiveSubjectName::List,
            },
            carries: match form.carries {
                DirectiveValue::Anything => DirectiveValueName::Anything,
                DirectiveValue::Boolean => DirectiveValueName::Boolean,
                DirectiveValue::String => DirectiveValueName::String,
                DirectiveValue::Strings => DirectiveValueName::Strings,
                DirectiveValue::Map => DirectiveValueName::Map,
                DirectiveValue::Maps => DirectiveValueName::Maps,
            },
        }
    }
}
