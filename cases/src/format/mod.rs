//! The case format: the types that a suite's YAML is read into.
//!
//! They are the format's one definition: the reader decodes into them, and the JSON Schema
//! (`cases/suite.schema.json`) is generated from them. [`json_schema`] writes it.

mod case;
mod named;
mod words;

pub use case::{
    AddFile, AnswerFile, AxesFile, CaseFile, ChooseFile, DeclareFile, ExclusionFile, ExpectationFile,
    IntentFile, OrderFile, PartyFile, SchemaFile, SelectFile, SettingFile, SourceFile, SuiteFile,
    ThreeWayFile,
};
pub use named::{Named, OneOrMore};
pub use words::{Level, OutcomeName, RequestName};

/// The JSON Schema of a suite file, for editors.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(SuiteFile);
    schema.insert("title".to_owned(), "A suite of Skewer cases".into());
    schema
}
