//! The results file: it is written cell by cell during a run, and read back.
//!
//! Each cell is on a line of its own, so that line-based tools and version control can work with the file.

mod reader;
mod v1;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::Serializer;

use crate::control_characters::SafeJsonFormatter;
use crate::file::AtomicFile;
use crate::model::{Cell, Problem, Results, RunInfo, VERSION};

pub use reader::{
    MAX_CELL_BYTES, MAX_CELLS, MAX_RESULTS_BYTES, ReadError, ReadErrorKind, parse, read, read_from,
};

/// Writes a value as indented JSON with a line feed at the end. Characters that are not safe to show are escaped as in
/// [`escape_json`](crate::control_characters::escape_json).
///
/// # Errors
///
/// Errors of writing, and values that JSON cannot express, such as a map whose keys are not text.
pub fn write_pretty(value: &(impl Serialize + ?Sized), mut out: impl Write) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut out, SafeJsonFormatter::pretty()))?;
    out.write_all(b"\n")
}

/// Writes results to a stream, cell by cell, without keeping the cells in memory.
///
/// A writer that is dropped before [`finish`](Writer::finish) closes the JSON object, and marks the results as partial.
#[derive(Debug)]
pub struct Writer<W: Write> {
    // `None` after the JSON object was closed.
    out: Option<W>,
    cell_count: u64,
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    ///
    /// Errors of writing.
    pub fn new(mut out: W, run: &RunInfo) -> io::Result<Self> {
        write!(out, "{{\"version\":{VERSION},\"run\":")?;
        run.serialize(&mut Serializer::with_formatter(&mut out, SafeJsonFormatter::compact()))?;
        out.write_all(b",\"cells\":[")?;
        Ok(Writer { out: Some(out), cell_count: 0 })
    }

    /// Writes one cell. The file has the cells in the order of these calls.
    ///
    /// # Errors
    ///
    /// Errors of writing, and an error if the JSON object was closed before.
    pub fn write_cell(&mut self, cell: &Cell) -> io::Result<()> {
        let Some(out) = &mut self.out else { return Err(already_closed()) };
        out.write_all(if self.cell_count == 0 { b"\n" } else { b",\n" })?;
        cell.serialize(&mut Serializer::with_formatter(out, SafeJsonFormatter::compact()))?;
        self.cell_count += 1;
        Ok(())
    }

    /// Returns the number of written cells.
    #[must_use]
    pub fn cell_count(&self) -> u64 {
        self.cell_count
    }

    /// Writes the end of a complete run, with the problems that belong to no cell, and returns the stream.
    ///
    /// # Errors
    ///
    /// Errors of writing.
    pub fn finish(mut self, problems: &[Problem]) -> io::Result<W> {
        self.close(false, problems)
    }

    /// Writes the end of a run that ended early, and returns the stream.
    ///
    /// # Errors
    ///
    /// Errors of writing.
    pub fn finish_partial(mut self) -> io::Result<W> {
        self.close(true, &[])
    }

    fn close(&mut self, partial: bool, problems: &[Problem]) -> io::Result<W> {
        let mut out = self.out.take().ok_or_else(already_closed)?;
        out.write_all(if self.cell_count == 0 { b"]" } else { b"\n]" })?;
        out.write_all(if partial { b",\"partial\":true" } else { b"" })?;
        if !problems.is_empty() {
            out.write_all(b",\"problems\":")?;
            problems.serialize(&mut Serializer::with_formatter(&mut out, SafeJsonFormatter::compact()))?;
        }
        out.write_all(b"}\n")?;
        out.flush()?;
        Ok(out)
    }
}

impl<W: Write> Drop for Writer<W> {
    fn drop(&mut self) {
        // `drop` cannot return an error.
        let _ = self.close(true, &[]);
    }
}

fn already_closed() -> io::Error {
    io::Error::other("the results are already closed")
}

/// Writes results to a file, cell by cell. The file gets its name when the run ends.
///
/// A writer that is dropped before [`finish`](FileWriter::finish), for example after an interrupt or a panic, leaves a
/// file with the cells written so far. The file is marked as partial.
#[derive(Debug)]
pub struct FileWriter {
    // `None` after the file was closed or discarded.
    writer: Option<Writer<BufWriter<AtomicFile>>>,
}

impl FileWriter {
    /// Creates the file and writes the header.
    ///
    /// # Errors
    ///
    /// Errors of [`AtomicFile::create`], and errors of writing.
    pub fn create(path: &Path, run: &RunInfo) -> io::Result<Self> {
        FileWriter::new(AtomicFile::create(path)?, run)
    }

    /// Writes the header to a file.
    ///
    /// # Errors
    ///
    /// Errors of writing.
    pub fn new(file: AtomicFile, run: &RunInfo) -> io::Result<Self> {
        let out = BufWriter::with_capacity(1 << 16, file);
        Ok(FileWriter { writer: Some(Writer::new(out, run)?) })
    }

    /// Writes one cell.
    ///
    /// # Errors
    ///
    /// Errors of writing. After an error the file is discarded.
    pub fn write_cell(&mut self, cell: &Cell) -> io::Result<()> {
        let written = self.writer.as_mut().ok_or_else(already_closed)?.write_cell(cell);
        if written.is_err() {
            // The file can now end in the middle of a cell, so that it must not replace an existing file.
            self.writer = None;
        }
        written
    }

    /// Ends the file of a complete run, with the problems that belong to no cell.
    ///
    /// # Errors
    ///
    /// Errors of writing and of [`AtomicFile::commit`].
    pub fn finish(mut self, problems: &[Problem]) -> io::Result<()> {
        self.close(false, problems)
    }

    /// Ends the file of a run that ended early.
    ///
    /// # Errors
    ///
    /// Errors of writing and of [`AtomicFile::commit`].
    pub fn finish_partial(mut self) -> io::Result<()> {
        self.close(true, &[])
    }

    fn close(&mut self, partial: bool, problems: &[Problem]) -> io::Result<()> {
        let mut writer = self.writer.take().ok_or_else(already_closed)?;
        writer.close(partial, problems)?.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
    }
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        // `drop` cannot return an error.
        let _ = self.close(true, &[]);
    }
}

/// Writes results to a stream.
///
/// # Errors
///
/// Errors of writing.
pub fn write(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer::new(out, &results.run)?;
    for cell in &results.cells {
        writer.write_cell(cell)?;
    }
    writer.close(results.partial, &results.problems)?;
    Ok(())
}

#[cfg(test)]
mod tests;
