//! The reports of Skewer: what a report says, and the renderers of all formats. The results of a run are in [`skewer_results`].
//!
//! Models:
//!
//! - [`summary`]: counts over cells, and the state of a run;
//! - [`compare`]: two runs compared;
//! - [`clients`]: what tools that apply manifests do, side by side;
//! - [`kep`]: the matrix of KEP-1027 by policy;
//! - [`laws`]: the verdicts of the laws of patch evolution;
//! - [`mutants`]: the semantic mutants of the engine, and the cells that notice them;
//! - [`negotiation`]: clients that negotiate versions with their server;
//! - [`topology`]: changes of a topology, and the requests that follow them;
//! - [`audit`]: what a change of types does;
//! - [`preflight`]: what the next step of a tool does to objects.
//!
//! Groups and counts: [`group`], [`pivot`], and [`compatibility`], a summary of the outcomes.
//!
//! Most reports are blocks: headings, paragraphs, lists, tables, code and details. A report has one description, a
//! function from its model to blocks, and the module `blocks` has one renderer for each format: text, Markdown and HTML.
//!
//! Renderers of results: [`terminal`], [`markdown`] and [`html`] for people, [`junit`], [`github`] and [`badge`] for programs.
//! [`mod@format`] has them by name. [`diff`] makes diffs of documents, and [`style`] breaks texts into lines.
//!
//! # Scope and limits
//!
//! The crate knows nothing of engines or targets, and judges nothing. The runner decides the statuses of cells, whether
//! a result is better or worse than another one, and whether a conclusion follows. Renderers count, group and sort.
//! Equal results give equal bytes.

pub mod audit;
pub mod badge;
mod blocks;
pub mod clients;
pub mod compare;
pub mod compatibility;
pub mod counts_by_value;
pub mod diff;
mod directives;
pub mod documents;
pub mod format;
pub mod github;
pub mod group;
pub mod html;
pub mod junit;
pub mod kep;
pub mod laws;
pub mod markdown;
pub mod mutants;
mod natural_order;
pub mod negotiation;
pub mod pivot;
pub mod preflight;
pub mod releases;
pub mod result_kind;
mod run_report;
pub mod scoreboard;
pub mod style;
pub mod summary;
pub mod terminal;
#[cfg(test)]
mod test_support;
pub mod topology;

pub use format::{ComparisonFormat, Format, MutantFormat};
pub use run_report::{CitedDocument, EarlierRun, PageOptions, RunReport, SourceLink};
pub use summary::OverallState;
