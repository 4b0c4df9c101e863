//! The case format: the types that the YAML of a suite is decoded into. The name of each ends in `Spec`.
//!
//! They are the one definition of the format: the JSON Schema (`cases/suite.schema.json`) is generated from them and from
//! their comments by [`json_schema`]. The schema has names of its own for them (`#[schemars(rename = "…")]`), which stay
//! when a type is renamed.

mod axes;
mod case;
mod collections;
mod documents;
mod expectation;
mod intent;
mod keywords;
mod request_name;
mod source;
mod suite;

pub use axes::{AxesSpec, PartySpec, SettingSpec};
pub use case::{CaseSpec, DeclareSpec, ThreeWaySpec};
pub use collections::{OneOrMore, OrderedMap};
pub(crate) use documents::DocumentKey;
pub use documents::DocumentsSpec;
pub use expectation::{ExclusionSpec, ExpectationSpec, ExpectedAnswerSpec};
pub use intent::{AddSpec, ChooseSpec, IntentSpec, OrderSpec, SelectSpec};
pub use keywords::{Level, OutcomeName};
pub use request_name::RequestName;
pub use source::{SchemaSpec, SourceSpec};
pub use suite::SuiteSpec;

/// Returns the JSON Schema of a suite file, for editors.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(SuiteSpec);
    schema.insert("title".to_owned(), "A suite of Skewer cases".into());
    schema
}
