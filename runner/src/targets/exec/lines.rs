//! Lines of a bounded length.

use std::io::{BufRead, Error, ErrorKind, Result};

/// Longest line, in bytes. The largest Kubernetes objects have some 3 MiB, and the schemas of all types some 10.
const MAX_LINE_BYTES: usize = 64 << 20;

/// Reads a line without its line feed; false at the end. A last line without line feed counts.
pub(crate) fn read_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool> {
    loop {
        let available = match from.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(!line.is_empty());
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        line.extend_from_slice(&available[..end.unwrap_or(available.len())]);
        let used = end.map_or(available.len(), |end| end + 1);
        from.consume(used);
        if end.is_some() {
            return Ok(true);
        }
        if line.len() > MAX_LINE_BYTES {
            return Err(Error::other(format!("a line has more than {} MiB", MAX_LINE_BYTES >> 20)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_with_any_buffer_size() {
        for capacity in [1, 2, 64] {
            let mut from = std::io::BufReader::with_capacity(capacity, &b"one\n\ntwo"[..]);
            let mut lines = Vec::new();
            let mut line = Vec::new();
            while read_line(&mut from, &mut line).unwrap() {
                lines.push(String::from_utf8(std::mem::take(&mut line)).unwrap());
            }
            assert_eq!(lines, ["one", "", "two"]);
        }
    }

    #[test]
    fn a_line_without_end_is_an_error() {
        let mut line = Vec::new();
        assert!(read_line(&mut std::io::BufReader::new(std::io::repeat(b'x')), &mut line).is_err());
    }
}
