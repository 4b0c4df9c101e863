//! Results as one HTML file that needs nothing besides: no network, no other file.
//!
//! The results stand in the page as JSON, in which nothing can end the script element that holds them; the page's
//! scripts build all that is seen from it, and put text in as text only. A content security policy forbids the
//! page to load anything.
//!
//! Cells that have an axis `law` are shown as the laws of patch evolution on a page of their own: by the axis
//! `directive` where there is one, else by case. Where the matrix of KEP-1027 was run, the policies have a page.

mod cell_table;
mod page;
mod page_data;
mod script_safe;
#[cfg(test)]
mod tests;

pub use page::{write, write_comparison};
