//! The case format: the types into which the YAML of a suite is decoded. The name of each type ends in `Spec`.
//!
//! The format has no other definition: [`json_schema`] generates the JSON Schema (`cases/suite.schema.json`) from these
//! types and their comments. In the JSON Schema, each type has a separate name (`#[schemars(rename = "…")]`), so that
//! renaming a Rust type does not change the JSON Schema.

mod axes;
mod case;
mod collections;
mod documents;
mod expectation;
mod final_state;
mod intent;
mod keywords;
mod overlay;
mod print;
mod request_name;
mod source;
mod suite;
mod version;

pub use axes::{AxesSpec, OtherRequestSpec, PartySpec, SettingSpec};
pub use case::{CaseSpec, DeclareSpec, ThreeWaySpec};
pub use collections::{OneOrMore, OrderedMap};
pub(crate) use documents::DocumentKey;
pub use documents::DocumentsSpec;
pub use expectation::{ConflictSpec, ExclusionSpec, ExpectationSpec, ExpectedAnswerSpec, OwnerSpec};
pub use final_state::{BaseName, FinalStateSpec};
pub use intent::{AddSpec, ChooseSpec, IncrementSpec, IntentSpec, OrderSpec, SelectSpec};
pub use keywords::{Level, Lists, OutcomeName, SchemaName};
pub use overlay::OverlaySpec;
pub use request_name::{RequestName, renamed_request};
pub use source::{SchemaSpec, SourceSpec};
pub use suite::{FORMAT_VERSION, RowGroupSpec, SuiteSpec};
pub use version::{RenameSpec, VersionSpec};

/// Returns true if a field has the value that it has if its key is left out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Returns the JSON Schema of a suite file, for editors.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(SuiteSpec);
    schema.insert("title".to_owned(), "A suite of Skewer cases".into());
    schema
}
