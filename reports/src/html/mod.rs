//! Reports as self-contained HTML files: they load nothing, neither from the network nor from other files.
//!
//! This module is the only writer of HTML. `markup` has the elements and the escaping, `frame` the head of a page with
//! its style and its content security policy. On top of these there is one file or folder for each page:
//!
//! - `results`: the results of a run or a comparison, which scripts in the page show as tables;
//! - `kep`: the report on KEP-1027, as a page and as a part of the page of a run;
//! - `laws`: the report on the laws of patch evolution;
//! - `audit`: the report on a change of types;
//! - `scoreboard`: several implementations, side by side.
//!
//! Foreign text cannot become markup. `markup::Markup` escapes it, the data of a run is in a script element that no
//! text can end, and the scripts create text nodes only. The content security policy forbids the page to load anything.

mod audit;
mod frame;
mod kep;
mod laws;
mod markup;
mod results;
mod scoreboard;

pub use self::audit::audit_page;
pub use self::kep::kep_page;
pub use self::laws::laws_page;
pub(crate) use self::markup::escape;
pub use self::results::{CitedDocument, EarlierRun, PageOptions, SourceLink, write, write_comparison};
pub use self::scoreboard::scoreboard_page;
