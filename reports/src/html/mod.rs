//! Reports as self-contained HTML files: they load nothing, neither from the network nor from other files.
//!
//! `markup` has the elements and the escaping, `frame` the head of a page with its style and its content security
//! policy. On top of these, `results` is the page of a run or a comparison, whose scripts show the results as tables.
//! All other pages are rendered from [blocks](crate::blocks).
//!
//! Foreign text cannot become markup. `markup::Markup` escapes it, the data of a run is in a script element that no
//! text can end, and the scripts create text nodes only. The content security policy forbids the page to load anything.

pub(crate) mod frame;
pub(crate) mod markup;
pub(crate) mod results;

pub use self::results::options::{CitedDocument, EarlierRun, PageOptions, RunReport, SourceLink};
pub use self::results::page::{write, write_comparison};
