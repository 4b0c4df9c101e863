//! The case format: the types into which the YAML of a suite is decoded. The name of each type ends in `Spec`.
//!
//! The format has no other definition: [`json_schema`] generates the JSON Schema (`cases/suite.schema.json`) from these
//! types and their comments. In the JSON Schema, each type has a separate name (`#[schemars(rename = "…")]`), so that
//! renaming a Rust type does not change the JSON Schema.

mod axes;
mod case;
mod collections;
mod directives;
mod documents;
mod expectation;
mod final_state;
mod intent;
mod keywords;
mod party;
mod print;
mod request_name;
mod setting;
mod source;
mod suite;

pub use axes::{AxesSpec, OverlaySpec};
pub use case::{CaseSpec, DeclareSpec, RenameSpec, ThreeWaySpec, VersionSpec};
use collections::is_default;
pub use collections::{OneOrMore, OrderedMap};
pub use directives::{DirectiveSpec, DirectiveSubjectName, DirectiveValueName};
pub(crate) use documents::DocumentKey;
pub use documents::DocumentsSpec;
pub use expectation::{ConflictSpec, ExclusionSpec, ExpectationSpec, ExpectedAnswerSpec, OwnerSpec};
pub use final_state::{BaseName, FinalStateSpec};
pub use intent::{AddSpec, ChooseSpec, IncrementSpec, IntentSpec, OrderSpec, SelectSpec};
pub use keywords::{Level, Lists, OutcomeName, SchemaName};
pub use party::{OtherRequestSpec, PartySpec, WebhookSpec};
pub use request_name::{RequestName, renamed_request};
pub use setting::SettingSpec;
pub use source::{SchemaSpec, SourceSpec};
pub use suite::{FORMAT_VERSION, FormatKey, RowGroupSpec, SuiteSpec, json_schema, keys, part_name};
