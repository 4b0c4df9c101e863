//! The results file: written cell by cell as a run goes on, and read back.
//!
//! Each cell stands on a line of its own, so that line tools and version control can work with it.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::error::Category;

use crate::file::AtomicFile;
use crate::model::{Cell, Problem, Results, RunInfo, VERSION};

/// Writes results to any stream, one cell at a time, without keeping them.
///
/// Dropped before [`finish`](Writer::finish), it closes the document and marks it as partial.
#[derive(Debug)]
pub struct Writer<W: Write> {
    // Present until the document is closed.
    out: Option<W>,
    cell_count: u64,
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    pub fn new(mut out: W, run: &RunInfo) -> io::Result<Self> {
        write!(out, "{{\"version\":{VERSION},\"run\":")?;
        serde_json::to_writer(&mut out, run)?;
        out.write_all(b",\"cells\":[")?;
        Ok(Writer { out: Some(out), cell_count: 0 })
    }

    /// Writes one cell. Cells stand in the file in the order of these calls.
    pub fn write_cell(&mut self, cell: &Cell) -> io::Result<()> {
        let Some(out) = &mut self.out else { return Err(already_closed()) };
        out.write_all(if self.cell_count == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(out, cell)?;
        self.cell_count += 1;
        Ok(())
    }

    /// Number of cells that were written.
    #[must_use]
    pub fn cell_count(&self) -> u64 {
        self.cell_count
    }

    /// Closes the document of a complete run, with the problems that belong to no cell, and gives the stream back.
    pub fn finish(mut self, problems: &[Problem]) -> io::Result<W> {
        self.close(false, problems)
    }

    /// Closes the document of a run that ended early and gives the stream back.
    pub fn finish_partial(mut self) -> io::Result<W> {
        self.close(true, &[])
    }

    fn close(&mut self, partial: bool, problems: &[Problem]) -> io::Result<W> {
        let mut out = self.out.take().ok_or_else(already_closed)?;
        out.write_all(if self.cell_count == 0 { b"]" } else { b"\n]" })?;
        out.write_all(if partial { b",\"partial\":true" } else { b"" })?;
        if !problems.is_empty() {
            out.write_all(b",\"problems\":")?;
            serde_json::to_writer(&mut out, problems)?;
        }
        out.write_all(b"}\n")?;
        out.flush()?;
        Ok(out)
    }
}

impl<W: Write> Drop for Writer<W> {
    fn drop(&mut self) {
        // An unfinished document ends here for want of a better place; an error has nobody left to go to.
        let _ = self.close(true, &[]);
    }
}

fn already_closed() -> io::Error {
    io::Error::other("the results were closed already")
}

/// Writes results to a file, one cell at a time. The file appears under its name when the run ends.
///
/// Dropped before [`finish`](FileWriter::finish) (an interrupt, a panic), it leaves a file with the cells so
/// far, marked as partial.
#[derive(Debug)]
pub struct FileWriter {
    // Present until the file has its name.
    writer: Option<Writer<BufWriter<AtomicFile>>>,
}

impl FileWriter {
    /// Starts the file that is to be at `path`.
    pub fn create(path: &Path, run: &RunInfo) -> io::Result<Self> {
        let out = BufWriter::with_capacity(1 << 16, AtomicFile::create(path)?);
        Ok(FileWriter { writer: Some(Writer::new(out, run)?) })
    }

    /// Writes one cell.
    pub fn write_cell(&mut self, cell: &Cell) -> io::Result<()> {
        let written = self.writer.as_mut().ok_or_else(already_closed)?.write_cell(cell);
        if written.is_err() {
            // The file may end within a cell now, and must not take the place of a good one.
            self.writer = None;
        }
        written
    }

    /// Ends the file of a complete run, with the problems that belong to no cell.
    pub fn finish(mut self, problems: &[Problem]) -> io::Result<()> {
        self.close(false, problems)
    }

    /// Ends the file of a run that ended early.
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
        // As in `Writer`: nobody is left to hear of an error.
        let _ = self.close(true, &[]);
    }
}

/// Writes whole results to a stream.
pub fn write(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer::new(out, &results.run)?;
    for cell in &results.cells {
        writer.write_cell(cell)?;
    }
    writer.close(results.partial, &results.problems)?;
    Ok(())
}

/// Why a results file could not be read. Displayed as `file:line:column: message`.
#[derive(Debug)]
pub struct ReadError {
    /// The file, where there is one.
    pub path: Option<PathBuf>,
    /// The line and column, from 1, where the fault is in the text.
    pub position: Option<(usize, usize)>,
    /// The fault.
    pub kind: ReadErrorKind,
}

/// A fault of a results file.
#[derive(Debug, thiserror::Error)]
pub enum ReadErrorKind {
    /// It could not be read at all.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It holds nothing.
    #[error("the file is empty; the run that was to write it has not ended")]
    Empty,
    /// It ends before the JSON does.
    #[error("the file ends too early: {0}")]
    Truncated(String),
    /// It is not JSON, or not the JSON of a results file.
    #[error("{0}")]
    Malformed(String),
    /// It is of a version that this program does not read.
    #[error("the file is of results version {0}, and this program reads version {VERSION}")]
    Version(u32),
    /// Two cells have one id.
    #[error("the cell id `{0}` stands twice")]
    DuplicateId(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}", path.display())?;
            if let Some((line, column)) = self.position {
                write!(f, ":{line}:{column}")?;
            }
            f.write_str(": ")?;
        } else if let Some((line, column)) = self.position {
            write!(f, "line {line}, column {column}: ")?;
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for ReadError {}

impl From<ReadErrorKind> for ReadError {
    fn from(kind: ReadErrorKind) -> Self {
        ReadError { path: None, position: None, kind }
    }
}

/// Reads a results file.
pub fn read(path: &Path) -> Result<Results, ReadError> {
    fs::read(path)
        .map_err(|error| ReadErrorKind::Io(error).into())
        .and_then(|bytes| parse(&bytes))
        .map_err(|error| ReadError { path: Some(path.to_owned()), ..error })
}

/// Reads the text of a results file.
pub fn parse(bytes: &[u8]) -> Result<Results, ReadError> {
    // The version is looked at first only when the rest does not fit: a file of another version is allowed to
    // look altogether different.
    #[derive(Deserialize)]
    struct VersionOnly {
        version: u32,
    }

    let results: Results = serde_json::from_slice(bytes).map_err(|error| {
        match serde_json::from_slice::<VersionOnly>(bytes) {
            Ok(VersionOnly { version }) if version != VERSION => ReadErrorKind::Version(version).into(),
            _ => malformed(&error, bytes),
        }
    })?;
    if results.version != VERSION {
        return Err(ReadErrorKind::Version(results.version).into());
    }
    let mut seen = HashSet::with_capacity(results.cells.len());
    if let Some(twice) = results.cells.iter().find(|cell| !seen.insert(cell.id.as_str())) {
        return Err(ReadErrorKind::DuplicateId(twice.id.clone()).into());
    }
    Ok(results)
}

fn malformed(error: &serde_json::Error, bytes: &[u8]) -> ReadError {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return ReadErrorKind::Empty.into();
    }
    // serde_json ends its message with the position, which is displayed in front.
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let message = text.strip_suffix(&position).unwrap_or(&text).to_owned();
    let kind = match error.classify() {
        Category::Eof => ReadErrorKind::Truncated(message),
        _ => ReadErrorKind::Malformed(message),
    };
    ReadError { path: None, position: Some((error.line(), error.column())), kind }
}

#[cfg(test)]
mod tests;
