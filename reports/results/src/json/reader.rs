//! The reader of results files. It does not keep the text of the file, and stops when a limit is exceeded.

use std::cell::{Cell as Shared, RefCell};
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;

use super::v1;
use crate::model::{Cell, Location, Results, RunInfo, Source, VERSION};

/// The oldest version that is read. Its sentences become values.
const OLDEST_VERSION: u32 = 1;

/// Maximum length of a results file in bytes. Two and a half million cells of the built-in corpus fit.
pub const MAX_RESULTS_BYTES: u64 = 2 << 30;

/// Maximum number of cells in a results file.
pub const MAX_CELLS: usize = 4_000_000;

/// Maximum length in bytes of one cell in a results file, and of the text before the first cell.
pub const MAX_CELL_BYTES: u64 = 64 << 20;

/// The error of reading a results file. Displayed as `cannot read file: message` if the file cannot be read, and else as
/// `file:line:column: message`.
#[derive(Debug)]
pub struct ReadError {
    /// Path of the file, if there is one.
    pub path: Option<PathBuf>,
    /// Line and column, from 1, if the fault is in the text.
    pub position: Option<(usize, usize)>,
    /// Kind of the fault.
    pub kind: ReadErrorKind,
}

/// A fault of a results file.
#[derive(Debug, thiserror::Error)]
pub enum ReadErrorKind {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is empty.
    #[error("the file is empty; the run that was to write it has not ended")]
    Empty,
    /// The file ends before its JSON does.
    #[error("the file ends too early: {0}")]
    Truncated(String),
    /// The file is not JSON, or not the JSON of a results file.
    #[error("not a results file: {0} (expected a file that `skewer run --report json=FILE` wrote)")]
    Malformed(String),
    /// The file has a version that this program does not read.
    #[error("the file has results version {0}, expected {OLDEST_VERSION} or {VERSION}{help}", help = version_help(*.0))]
    Version(u32),
    /// The file has too many cells.
    #[error("the file has more than {0} cells")]
    TooManyCells(usize),
    /// Two cells have the same id.
    #[error("the cell id `{0}` occurs twice")]
    DuplicateId(String),
}

/// Returns what to do about a version, as the end of a message.
fn version_help(found: u32) -> &'static str {
    if found > VERSION { ": use a newer version of Skewer" } else { "" }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_unread = matches!(self.kind, ReadErrorKind::Io(_));
        match (&self.path, self.position) {
            (Some(path), _) if is_unread => write!(f, "cannot read {}: ", path.display())?,
            (Some(path), Some((line, column))) => write!(f, "{}:{line}:{column}: ", path.display())?,
            (Some(path), None) => write!(f, "{}: ", path.display())?,
            (None, Some((line, column))) => write!(f, "line {line}, column {column}: ")?,
            (None, None) => {}
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
///
/// # Errors
///
/// All kinds of [`ReadErrorKind`], with the path.
pub fn read(path: &Path) -> Result<Results, ReadError> {
    File::open(path)
        .map_err(|error| ReadErrorKind::Io(error).into())
        .and_then(read_from)
        .map_err(|error| ReadError { path: Some(path.to_owned()), ..error })
}

/// Reads the text of a results file.
///
/// # Errors
///
/// All kinds of [`ReadErrorKind`].
pub fn parse(bytes: &[u8]) -> Result<Results, ReadError> {
    read_from(bytes)
}

/// Reads a results file from a stream. The rest of the stream is not read after an error.
///
/// # Errors
///
/// All kinds of [`ReadErrorKind`].
pub fn read_from(stream: impl Read) -> Result<Results, ReadError> {
    read_within(stream, Limits::default())
}

/// The limits of a results file.
#[derive(Clone, Copy, Debug)]
struct Limits {
    bytes: u64,
    cell_bytes: u64,
    cells: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: MAX_RESULTS_BYTES, cell_bytes: MAX_CELL_BYTES, cells: MAX_CELLS }
    }
}

fn read_within(stream: impl Read, limits: Limits) -> Result<Results, ReadError> {
    let state = ReaderState {
        limits,
        cell_bytes_left: Shared::new(limits.cell_bytes),
        is_begun: Shared::new(false),
        fault: RefCell::new(None),
    };
    let stream = LimitedStream { stream, bytes_left: limits.bytes, state: &state };
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, stream));
    let read = deserializer.deserialize_map(ResultsVisitor(&state));
    let read = read.and_then(|results| deserializer.end().map(|()| results));
    let results = read.map_err(|error| state.explain(error))?;
    let mut seen = HashSet::with_capacity(results.cells.len());
    if let Some(twice) = results.cells.iter().find(|cell| !seen.insert(cell.id.as_str())) {
        return Err(ReadErrorKind::DuplicateId(twice.id.clone()).into());
    }
    Ok(results)
}

/// The state that the stream and the parts of the deserializer share.
struct ReaderState {
    limits: Limits,
    /// Number of bytes that the current cell may still have.
    cell_bytes_left: Shared<u64>,
    /// Whether the reader has reached the JSON object of the file.
    is_begun: Shared<bool>,
    /// The fault that ended the reading, if the fault is not in the JSON syntax.
    fault: RefCell<Option<ReadErrorKind>>,
}

impl ReaderState {
    /// Stores a fault, and returns the error that ends the reading.
    fn fail<E: serde::de::Error>(&self, fault: ReadErrorKind) -> E {
        *self.fault.borrow_mut() = Some(fault);
        E::custom("")
    }

    fn explain(&self, error: serde_json::Error) -> ReadError {
        if let Some(fault) = self.fault.take() {
            return fault.into();
        }
        // The message of serde_json ends with the position. `ReadError` displays the position before the message
        // instead.
        let text = error.to_string();
        let position = format!(" at line {} column {}", error.line(), error.column());
        let message = text.strip_suffix(&position).unwrap_or(&text).to_owned();
        let kind = match error.classify() {
            Category::Io => return ReadErrorKind::Io(error.into()).into(),
            Category::Eof if !self.is_begun.get() => return ReadErrorKind::Empty.into(),
            Category::Eof => ReadErrorKind::Truncated(message),
            _ => ReadErrorKind::Malformed(message),
        };
        ReadError { path: None, position: Some((error.line(), error.column())), kind }
    }
}

/// A stream that fails if the file or a cell is too long.
struct LimitedStream<'s, R> {
    stream: R,
    bytes_left: u64,
    state: &'s ReaderState,
}

impl<R: Read> Read for LimitedStream<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        let too_large = |message: String| io::Error::new(io::ErrorKind::FileTooLarge, message);
        let limits = self.state.limits;
        self.bytes_left = self
            .bytes_left
            .checked_sub(count as u64)
            .ok_or_else(|| too_large(format!("the file has more than {} bytes", limits.bytes)))?;
        let cell_bytes_left = self.state.cell_bytes_left.get().checked_sub(count as u64);
        self.state.cell_bytes_left.set(
            cell_bytes_left
                .ok_or_else(|| too_large(format!("a cell has more than {} bytes", limits.cell_bytes)))?,
        );
        Ok(count)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Field {
    Version,
    Run,
    Cells,
    Partial,
    Problems,
    /// A field of a later version of the program, which is ignored.
    #[serde(other)]
    Other,
}

/// Visits the object of a results file.
struct ResultsVisitor<'s>(&'s ReaderState);

impl<'de> Visitor<'de> for ResultsVisitor<'_> {
    type Value = Results;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the object of a results file")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Results, A::Error> {
        let ResultsVisitor(state) = self;
        state.is_begun.set(true);
        let (mut version, mut run, mut cells) = (None, None, None);
        let (mut partial, mut problems) = (None, None);
        while let Some(field) = map.next_key()? {
            match field {
                Field::Version => {
                    let found = set_once(&mut version, "version", map.next_value::<u32>()?)?;
                    // The rest of a file of another version is not read, because its structure can be different.
                    if !(OLDEST_VERSION..=VERSION).contains(found) {
                        return Err(state.fail(ReadErrorKind::Version(*found)));
                    }
                }
                Field::Run => {
                    set_once::<RunInfo, _>(&mut run, "run", map.next_value()?)?;
                }
                Field::Cells => {
                    set_once(&mut cells, "cells", map.next_value_seed(CellsVisitor(state))?)?;
                }
                Field::Partial => {
                    set_once(&mut partial, "partial", map.next_value()?)?;
                }
                Field::Problems => {
                    set_once(&mut problems, "problems", map.next_value()?)?;
                }
                Field::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let missing = A::Error::missing_field;
        let version = version.ok_or_else(|| missing("version"))?;
        let run = run.ok_or_else(|| missing("run"))?;
        let mut cells: Vec<Cell> = cells.ok_or_else(|| missing("cells"))?;
        if version == OLDEST_VERSION {
            cells = cells.into_iter().map(v1::upgrade).collect();
        }
        Ok(Results {
            version: VERSION,
            run,
            cells,
            partial: partial.unwrap_or_default(),
            problems: problems.unwrap_or_default(),
        })
    }
}

/// Sets the value of a field that can occur once, and returns it.
fn set_once<'f, T, E: serde::de::Error>(
    field: &'f mut Option<T>,
    name: &'static str,
    value: T,
) -> Result<&'f T, E> {
    if field.is_some() {
        return Err(E::duplicate_field(name));
    }
    Ok(field.insert(value))
}

/// Visits the list of cells.
struct CellsVisitor<'s>(&'s ReaderState);

impl<'de> DeserializeSeed<'de> for CellsVisitor<'_> {
    type Value = Vec<Cell>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Cell>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for CellsVisitor<'_> {
    type Value = Vec<Cell>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of cells")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Cell>, A::Error> {
        let CellsVisitor(state) = self;
        let mut cells: Vec<Cell> = Vec::new();
        while let Some(cell) = list.next_element()? {
            if cells.len() == state.limits.cells {
                return Err(state.fail(ReadErrorKind::TooManyCells(state.limits.cells)));
            }
            cells.push(match cells.last() {
                Some(previous) => share_texts(cell, previous),
                None => cell,
            });
            state.cell_bytes_left.set(state.limits.cell_bytes);
        }
        Ok(cells)
    }
}

/// Lets a cell share the texts that are equal in the previous cell. The cells of a case follow each other, and have
/// many equal texts.
fn share_texts(cell: Cell, previous: &Cell) -> Cell {
    let share = |text: Arc<str>, known: &Arc<str>| if text == *known { Arc::clone(known) } else { text };
    let share_optional = |text: Option<Arc<str>>, known: Option<&Arc<str>>| match (text, known) {
        (Some(text), Some(known)) => Some(share(text, known)),
        (text, _) => text,
    };
    let location = match (cell.location, &previous.location) {
        (Some(location), Some(known)) => {
            Some(Location { file: share(location.file, &known.file), ..location })
        }
        (location, _) => location,
    };
    let source = match (cell.source, &previous.source) {
        (Some(source), Some(known)) => Some(Source {
            document: share(source.document, &known.document),
            section: share_optional(source.section, known.section.as_ref()),
        }),
        (source, _) => source,
    };
    Cell {
        suite: share(cell.suite, &previous.suite),
        case: share(cell.case, &previous.case),
        about: share_optional(cell.about, previous.about.as_ref()),
        because: share_optional(cell.because, previous.because.as_ref()),
        location,
        source,
        ..cell
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const HEAD: &str =
        r#"{"version":2,"run":{"tool_version":"0","corpus_hash":"0","target":{"name":"t"}},"cells":["#;

    fn cell(id: &str) -> String {
        format!(r#"{{"id":"{id}","suite":"s","case":"c","status":"pass"}}"#)
    }

    /// A stream that fails the test if all of it is read.
    struct Endless(u8, u64);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = self.1.checked_sub(buffer.len() as u64).expect("the reader has to give up");
            buffer.fill(self.0);
            Ok(buffer.len())
        }
    }

    #[rstest]
    #[case::zeros(
        "",
        0,
        "line 1, column 1: not a results file: expected value (expected a file that `skewer run --report json=FILE` wrote)"
    )]
    #[case::white_space("", b' ', "a cell has more than 1000000 bytes")]
    #[case::a_text(r#"{"version":1,"run":{"tool_version":""#, b'a', "a cell has more than 1000000 bytes")]
    #[case::behind_the_end("HEAD]}", b'\n', "a cell has more than 1000000 bytes")]
    fn an_endless_stream_is_an_error(#[case] begin: &str, #[case] then: u8, #[case] message: &str) {
        let begin = begin.replace("HEAD", HEAD);
        let limits = Limits { bytes: 10_000_000, cell_bytes: 1_000_000, cells: 10 };
        let stream = begin.as_bytes().chain(Endless(then, 1_200_000));
        assert_eq!(read_within(stream, limits).unwrap_err().to_string(), message);
    }

    #[rstest]
    #[case::within(3, 1_000, None)]
    #[case::too_many_cells(2, 1_000, Some("the file has more than 2 cells"))]
    #[case::too_many_bytes(3, 200, Some("the file has more than 200 bytes"))]
    fn a_file_beyond_a_limit_is_an_error(
        #[case] cells: usize,
        #[case] bytes: u64,
        #[case] message: Option<&str>,
    ) {
        let text = format!("{HEAD}{}]}}", ["1", "2", "3"].map(cell).join(","));
        let read = read_within(text.as_bytes(), Limits { bytes, cell_bytes: 1_000, cells });
        assert_eq!(read.err().map(|error| error.to_string()).as_deref(), message);
    }

    #[test]
    fn the_limit_of_a_cell_applies_to_each_cell() {
        let limits = Limits { bytes: 10_000_000, cell_bytes: 200_000, cells: 100_000 };
        let cells: Vec<String> = (0..20_000).map(|n| cell(&n.to_string())).collect();
        let text = format!("{HEAD}{}]}}", cells.join(","));
        assert!(text.len() > 1_000_000);
        let results = read_within(text.as_bytes(), limits).unwrap();
        assert_eq!(results.cells.len(), 20_000);
        assert!(Arc::ptr_eq(&results.cells[0].suite, &results.cells[19_999].suite));
    }
}
