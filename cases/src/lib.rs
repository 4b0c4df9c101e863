//! The cases of Skewer: what they are, how they are read, and the built-in corpus.
//!
//! A suite is one YAML file ([`mod@format`]), read with the position of everything in it ([`yaml`]), checked and
//! resolved into [`Suite`]s of [`Case`]s, and expanded into the [`Cell`]s of each case's matrix. Every cell
//! has one [`Expectation`], and every expectation has a cell: anything else is an error of the file.
//!
//! The crate knows what a cell is, not how it is run: [`Cell::plan`] is what a runner needs.
//!
//! ```
//! use skewer_cases::{Corpus, SuiteFile};
//!
//! let suite = br#"
//! suite: ports
//! about: Ports are told apart by their number.
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
//! let file = SuiteFile { path: "ports.yaml".into(), shown: "ports.yaml".into(), content: suite.to_vec() };
//! let corpus = Corpus::load(vec![file])?;
//! let ids: Vec<String> = corpus.cells().map(|cell| cell.id()).collect();
//! assert_eq!(ids, ["ports/name-a-port[server=old]", "ports/name-a-port[server=new]"]);
//! # Ok::<(), skewer_cases::LoadError>(())
//! ```

mod axes;
mod check;
mod corpus;
pub mod documents;
mod expand;
pub mod format;
mod model;
mod parties;
mod plan;
mod profile;
mod resolve;
mod schemas;
mod twin;
mod types;
pub mod yaml;

pub use corpus::{Corpus, LoadError, SuiteFile};
pub use expand::{Cell, sort_by_id};
pub use format::{Level, OutcomeName, RequestName};
pub use model::{
    Answer, Axis, Case, Expectation, Location, Operands, Point, Promise, Source, Suite, ThreeWayOperands,
};
pub use plan::{Plan, PlanError, SkewPlan};
pub use profile::UserProfile;
pub use types::{Declaration, Form, Refusal, Types, rules};
