//! Tables.

use super::line::{Inline, Line, plain};

/// A table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Line>>,
    /// Whether all columns but the first are narrow, so that a page turns their names.
    pub(crate) has_narrow_columns: bool,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: Line,
    /// Explanation of the name.
    pub(crate) title: Option<String>,
    pub(crate) is_number: bool,
}

impl Column {
    /// Makes a column of texts.
    pub(crate) fn text(name: impl Into<Line>) -> Self {
        Column { name: name.into(), title: None, is_number: false }
    }

    /// Makes a column of numbers.
    pub(crate) fn number(name: impl Into<Line>) -> Self {
        Column { is_number: true, ..Column::text(name) }
    }

    /// Makes columns of texts.
    pub(crate) fn texts<const N: usize>(names: [&'static str; N]) -> impl Iterator<Item = Column> {
        names.into_iter().map(|name| Column::text(plain(name)))
    }

    /// Makes columns of numbers.
    pub(crate) fn numbers<const N: usize>(names: [&'static str; N]) -> impl Iterator<Item = Column> {
        names.into_iter().map(|name| Column::number(plain(name)))
    }
}

impl Table {
    /// Makes a table without rows.
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Table { columns: columns.into_iter().collect(), rows: Vec::new(), has_narrow_columns: false }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, fields: impl IntoIterator<Item = impl Into<Line>>) {
        self.rows.push(fields.into_iter().map(Into::into).collect());
    }

    /// Adds rows.
    pub(crate) fn with<R: IntoIterator<Item = impl Into<Line>>>(
        mut self,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        rows.into_iter().for_each(|row| self.push(row));
        self
    }
}

/// Makes the field of a number.
pub(crate) fn number(number: impl ToString + Copy) -> Inline {
    plain(number.to_string())
}

/// Makes the field of a count. It is empty for 0, so that other numbers are easy to see.
pub(crate) fn count(count: usize) -> Inline {
    plain(if count == 0 { String::new() } else { count.to_string() })
}
