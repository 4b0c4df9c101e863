//! The maximum size of a report.

use std::fmt::Write as _;

/// The maximum size of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SizeLimit {
    /// Maximum number of bytes: 65,536 for a comment, 1,048,576 for a job summary. Cells that do not fit are left out,
    /// and the report says how many. The text above the cells is never cut.
    pub max_bytes: Option<usize>,
}

/// Number of bytes reserved for the line with the number of cells that were left out.
const RESERVED_BYTES: usize = 120;

impl SizeLimit {
    /// Adds a text if it fits.
    pub(crate) fn append(self, text: &mut String, addition: &str) {
        if self.max_bytes.is_none_or(|limit| text.len() + addition.len() <= limit) {
            text.push_str(addition);
        }
    }

    /// Returns the limit of a comment on a pull request: GitHub refuses more than 65,536 characters.
    #[must_use]
    pub const fn comment() -> Self {
        SizeLimit { max_bytes: Some(65_536) }
    }

    /// Returns the limit of a job summary: GitHub refuses more than 1 MiB.
    #[must_use]
    pub const fn job_summary() -> Self {
        SizeLimit { max_bytes: Some(1 << 20) }
    }

    /// Adds the sections that fit, and the number of sections that were left out.
    pub(crate) fn append_sections(self, text: &mut String, sections: impl ExactSizeIterator<Item = String>) {
        let count = sections.len();
        for (index, section) in sections.enumerate() {
            let left_out = count - index;
            let room = if left_out == 1 { 0 } else { RESERVED_BYTES };
            if self.max_bytes.is_some_and(|limit| text.len() + section.len() + room > limit) {
                // Writing to a string can't fail.
                let _ = writeln!(text, "\nand {left_out} more cells, for which there is no room here");
                return;
            }
            text.push_str(&section);
        }
    }
}
