//! Reports as self-contained HTML files: they load nothing, neither from the network nor from other files.
//!
//! `results` is the page of a run or a comparison, whose scripts show the results as tables. All other pages are rendered
//! from `blocks`, which also have the elements, the escaping and the frame of this page.
//!
//! Foreign text cannot become markup. `Markup` escapes it, the data of a run is in a script element that no text can end,
//! and the scripts create text nodes only. The content security policy forbids the page to load anything.

pub(crate) mod results;

pub use self::results::page::{write, write_comparison};
