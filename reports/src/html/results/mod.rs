//! The page of a run or of a comparison.
//!
//! The results are in the page as JSON, and the scripts of the page show them as tables.
//!
//! Cells that have an axis `law` are shown as the laws of patch evolution on a page of their own: by the axis
//! `directive` if there is one, otherwise by case. The report on KEP-1027, if there is one, is a template that the
//! scripts show on the page of the policies.

mod cell_table;
pub(crate) mod page;
mod page_data;
mod script_safe;
#[cfg(test)]
mod tests;
