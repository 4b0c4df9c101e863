//! Quotations in suites, and the check that they are word for word in the design documents.
//!
//! Text in straight quotation marks (`"…"`) in `about`, `because` and comments, and the whole text of `cites`, quotes one
//! of the four design documents. `…` or `[…]` marks words that are left out: the parts follow each other in one section.
//! Case, punctuation, line breaks and the marks of Markdown do not count, and single quotation marks are used inside a
//! quotation. Fewer than three words are a term, which is not looked up. Everything else that is quoted, such as an issue,
//! an error message or another document, has typographic quotation marks (`“…”`).

mod check;
mod passage;
mod prose;

pub use check::{Misquotation, QuotationProblem, check_file};
pub use passage::{Lookup, Passage, Quotation, QuotationMarks, quotations_in};
