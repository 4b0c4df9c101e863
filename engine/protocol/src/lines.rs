//! Reading of lines of limited length.

use std::io::{BufRead, ErrorKind, Result};

/// The result of reading a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRead {
    /// A line was read.
    Line,
    /// The line is longer than the limit. The rest of the line was not read.
    TooLong,
    /// The input has no more lines.
    End,
}

/// Reads a line of at most `max_bytes` into `line`, without the line feed. The last line does not need a line feed.
///
/// # Errors
/// Fails if the input cannot be read.
pub fn read_line(from: &mut impl BufRead, line: &mut Vec<u8>, max_bytes: usize) -> Result<LineRead> {
    // Frees the memory of a long line, so that it is not kept while shorter lines are read.
    line.clear();
    line.shrink_to(1 << 20);
    loop {
        let Some(available) = fill(from)? else {
            return Ok(if line.is_empty() { LineRead::End } else { LineRead::Line });
        };
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        if line.len() + part.len() > max_bytes {
            return Ok(LineRead::TooLong);
        }
        line.extend_from_slice(part);
        let used = end.map_or(available.len(), |end| end + 1);
        from.consume(used);
        if end.is_some() {
            return Ok(LineRead::Line);
        }
    }
}

/// Skips the rest of a line, including the line feed.
///
/// # Errors
/// Fails if the input cannot be read.
pub fn skip_line(from: &mut impl BufRead) -> Result<()> {
    while let Some(available) = fill(from)? {
        let end = available.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(available.len(), |end| end + 1);
        from.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(())
}

/// Returns the bytes that can be read next, or `None` at the end of the input.
fn fill(from: &mut impl BufRead) -> Result<Option<&[u8]>> {
    // The loop discards the buffer and `fill_buf` is called once more below: the borrow checker rejects a loop that
    // returns the buffer.
    while let Err(error) = from.fill_buf() {
        if error.kind() != ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let available = from.fill_buf()?;
    Ok((!available.is_empty()).then_some(available))
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    #[test]
    fn lines_are_read_with_any_buffer_size() {
        for capacity in [1, 2, 64] {
            let mut from = BufReader::with_capacity(capacity, &b"one\n\ntwo"[..]);
            let mut lines = Vec::new();
            let mut line = Vec::new();
            while read_line(&mut from, &mut line, 3).unwrap() == LineRead::Line {
                lines.push(String::from_utf8(std::mem::take(&mut line)).unwrap());
            }
            assert_eq!(lines, ["one", "", "two"]);
        }
    }

    #[test]
    fn a_line_without_end_is_too_long() {
        let mut line = Vec::new();
        let read = read_line(&mut BufReader::new(std::io::repeat(b'x')), &mut line, 100_000).unwrap();
        assert_eq!(read, LineRead::TooLong);
        assert!(line.len() <= 100_000);
    }

    #[test]
    fn the_line_after_one_that_is_too_long_can_be_read() {
        for capacity in [1, 7, 64] {
            let text = std::io::repeat(b'x').take(1000).chain(&b"\nnext"[..]);
            let mut from = BufReader::with_capacity(capacity, text);
            let mut line = Vec::new();
            assert_eq!(read_line(&mut from, &mut line, 10).unwrap(), LineRead::TooLong);
            skip_line(&mut from).unwrap();
            assert_eq!(read_line(&mut from, &mut line, 10).unwrap(), LineRead::Line);
            assert_eq!(line, b"next");
        }
    }
}
