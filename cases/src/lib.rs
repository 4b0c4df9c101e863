//! The cases of Skewer: the case format, loading and checking of suites, matrix expansion, and the built-in corpus.
//!
//! A suite is a YAML file. It is parsed with source spans ([`yaml`]), decoded into the types of [`mod@format`], and
//! converted to a [`Suite`] of checked [`Case`]s. The matrix of each case is then expanded into [`Cell`]s. An
//! [`Expectation`] must apply to every cell, and every expectation must apply to at least one cell. Everything else is
//! an error of the file.
//!
//! This crate does not run cells. [`Cell::plan`] returns everything that a runner needs.
//!
//! ```
//! use skewer_cases::{Corpus, CorpusFile};
//!
//! let suite = br#"
//! suite: ports
//! about: Ports are identified by their number.
//! schema: {builtin: newest, root: Service}
//! axes:
//!   server:
//!     old: {without: [core/v1.ServicePort.appProtocol]}
//!     new: {}
//! cases:
//!   - id: name-a-port
//!     live: {spec: {ports: [{port: 80}]}}
//!     patch: {spec: {ports: [{port: 80, name: http}]}}
//!     expect:
//!       - result: {spec: {ports: [{port: 80, name: http}]}}
//! "#;
//! let file = CorpusFile { path: "ports.yaml".into(), display_name: "ports.yaml".into(), content: suite.to_vec(), folder: None };
//! let corpus = Corpus::load(vec![file])?;
//! let ids: Vec<String> = corpus.cells().map(|cell| cell.id()).collect();
//! assert_eq!(ids, ["ports/name-a-port[server=old]", "ports/name-a-port[server=new]"]);
//! # Ok::<(), skewer_cases::LoadError>(())
//! ```

mod case_files;
mod corpus;
pub mod design_documents;
pub mod format;
mod managed_fields;
mod matrix;
mod model;
mod names;
mod not_a_suite;
pub mod quotations;
mod references;
mod resolve;
mod setting;
mod types;

pub use skewer_yaml as yaml;

pub use case_files::{CorpusFile, MAX_CASE_FILE, MAX_DOCUMENT, read_limited};
pub use corpus::{Corpus, LoadError};
pub use format::Level;
pub use managed_fields::{FieldOwner, field_owners, readable_managed_fields};
pub use matrix::{
    ApiServerPlan, Cell, IdealClasses, NoApiServerPlan, NotAboutServer, PatchPlan, Plan, sort_by_id,
};
pub use model::{
    Axis, BaseDocument, Case, CaseOperation, Citation, CompatibilityPromise, ConditionalFinalState,
    EditedDocument, Expectation, ExpectedAnswer, ExpectedConflict, PatchOperation, PatchOptions, PinnedError,
    PinnedFinalState, Point, Suite, SuiteLine,
};
pub use resolve::{TooManyCells, UserProfile, deliberate_paths};
pub use setting::PlanError;
pub use types::{CustomResourceVersion, Declaration, DeclarationError, SchemaFormat, Types};
