//! The texts of the objects of a dump: one at a time, so that the memory is that of the largest object.
//!
//! `kubectl get -o yaml` prints one document of the kind `List` with all objects. The reader takes it apart by its
//! indentation, or by its braces if it is JSON, before any part of it is parsed.

use std::io::{self, BufRead};

/// Maximum length of the text of one object, in bytes. An API server stores at most 1.5 MB of an object by default.
pub const MAX_OBJECT: usize = 16 << 20;

/// The text of one object of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectText {
    /// YAML or JSON.
    pub text: String,
    /// The number of lines before the text.
    pub lines_before: usize,
}

/// Reads the texts of the objects of a dump: documents, and the items of lists. Documents without content are left out.
/// The documents that contain the items of lists are passed on, too, without their items.
///
/// # Errors
///
/// The errors of the reader. [`io::ErrorKind::InvalidData`] if the text is not UTF-8, and
/// [`io::ErrorKind::FileTooLarge`] if an object is longer than [`MAX_OBJECT`].
pub fn each_object_text(mut reader: impl BufRead, found: &mut dyn FnMut(ObjectText)) -> io::Result<()> {
    let mut lines_before = 0;
    loop {
        let buffered = reader.fill_buf()?;
        let Some(first) = buffered.first() else { return Ok(()) };
        match first {
            b' ' | b'\t' | b'\r' | b'\n' => {
                lines_before += usize::from(*first == b'\n');
                reader.consume(1);
            }
            b'{' => return JsonObjects::new(lines_before).read(reader, found),
            _ => return YamlObjects::new(lines_before).read(reader, found),
        }
    }
}

fn too_large(line: usize) -> io::Error {
    let message = format!("the object at line {line} has more than {MAX_OBJECT} bytes");
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// The reader of YAML documents.
struct YamlObjects {
    document: Part,
    item: Part,
    /// The indentation of the items, while the lines are those of items.
    items_at: Option<usize>,
    /// Whether the last line with content was `items:`.
    after_items: bool,
    line: usize,
}

/// The lines of a document or an item that have been read.
#[derive(Default)]
struct Part {
    text: String,
    lines_before: usize,
}

impl Part {
    fn push(&mut self, line: &str, number: usize) -> io::Result<()> {
        if self.text.is_empty() {
            self.lines_before = number;
        }
        if self.text.len() + line.len() > MAX_OBJECT {
            return Err(too_large(self.lines_before + 1));
        }
        self.text.push_str(line);
        Ok(())
    }

    fn end(&mut self, found: &mut dyn FnMut(ObjectText)) {
        let has_content =
            self.text.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        let text = std::mem::take(&mut self.text);
        if has_content {
            found(ObjectText { text, lines_before: self.lines_before });
        }
    }
}

impl YamlObjects {
    fn new(line: usize) -> Self {
        YamlObjects {
            document: Part::default(),
            item: Part::default(),
            items_at: None,
            after_items: false,
            line,
        }
    }

    fn read(mut self, mut reader: impl BufRead, found: &mut dyn FnMut(ObjectText)) -> io::Result<()> {
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 {
            self.read_line(&line, found)?;
            self.line += 1;
            line.clear();
        }
        self.end_document(found);
        Ok(())
    }

    fn end_document(&mut self, found: &mut dyn FnMut(ObjectText)) {
        self.item.end(found);
        self.document.end(found);
        self.items_at = None;
        self.after_items = false;
    }

    fn read_line(&mut self, line: &str, found: &mut dyn FnMut(ObjectText)) -> io::Result<()> {
        let content = line.trim_start_matches(' ');
        let indentation = line.len() - content.len();
        let is_empty = content.trim().is_empty() || content.starts_with('#');
        let is_marker = |marker: &str| {
            line.strip_prefix(marker)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
        };
        if is_marker("---") || is_marker("...") {
            self.end_document(found);
            return Ok(());
        }
        let begins_item = content.starts_with("- ") || content.trim_end() == "-";
        if self.after_items && !is_empty {
            self.items_at = begins_item.then_some(indentation);
            self.after_items = false;
        }
        match self.items_at {
            Some(at) if begins_item && indentation == at => {
                self.item.end(found);
                // The item becomes a document of its own, in the same columns.
                self.item.push(&line.replacen('-', " ", 1), self.line)
            }
            Some(at) if is_empty || indentation > at => self.item.push(line, self.line),
            _ => {
                self.item.end(found);
                self.items_at = None;
                self.after_items = self.after_items || line.trim_end() == "items:";
                self.document.push(line, self.line)
            }
        }
    }
}

/// The reader of JSON documents.
struct JsonObjects {
    line: usize,
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// The last string at depth 1: the key before a value.
    key: Vec<u8>,
    has_items: bool,
    document: Vec<u8>,
    document_line: usize,
    item: Vec<u8>,
    item_line: usize,
}

impl JsonObjects {
    fn new(line: usize) -> Self {
        JsonObjects {
            line,
            depth: 0,
            is_in_string: false,
            is_escaped: false,
            key: Vec::new(),
            has_items: false,
            document: Vec::new(),
            document_line: line,
            item: Vec::new(),
            item_line: line,
        }
    }

    fn read(mut self, mut reader: impl BufRead, found: &mut dyn FnMut(ObjectText)) -> io::Result<()> {
        loop {
            let buffered = reader.fill_buf()?;
            if buffered.is_empty() {
                break;
            }
            let length = buffered.len();
            for byte in buffered {
                self.read_byte(*byte, found)?;
            }
            reader.consume(length);
        }
        // A document that does not end is passed on as it is: the parser says what it lacks.
        end_json(&mut self.item, self.item_line, found)?;
        end_json(&mut self.document, self.document_line, found)
    }

    fn read_byte(&mut self, byte: u8, found: &mut dyn FnMut(ObjectText)) -> io::Result<()> {
        let is_in_item = self.has_items && self.depth >= 2;
        if self.is_in_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_string = false,
                _ if self.depth == 1 => self.key.push(byte),
                _ => {}
            }
            return self.keep(byte, is_in_item);
        }
        match byte {
            b'"' => {
                self.is_in_string = true;
                if self.depth == 1 {
                    self.key.clear();
                }
                self.keep(byte, is_in_item)
            }
            b'{' | b'[' => {
                if byte == b'[' && self.depth == 1 && self.key == b"items" {
                    self.has_items = true;
                }
                self.depth += 1;
                // The bracket of the items belongs to the document, and the braces of an item to the item.
                self.keep(byte, is_in_item)
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                let was_of_items = self.has_items && self.depth == 1;
                self.keep(byte, is_in_item && !was_of_items)?;
                if was_of_items {
                    end_json(&mut self.item, self.item_line, found)?;
                    self.has_items = false;
                } else if self.has_items && self.depth == 2 {
                    end_json(&mut self.item, self.item_line, found)?;
                } else if self.depth == 0 {
                    end_json(&mut self.document, self.document_line, found)?;
                }
                Ok(())
            }
            b',' if self.has_items && self.depth == 2 => Ok(()),
            _ => self.keep(byte, is_in_item),
        }
    }

    fn keep(&mut self, byte: u8, is_in_item: bool) -> io::Result<()> {
        let (part, line) = if is_in_item {
            (&mut self.item, &mut self.item_line)
        } else {
            (&mut self.document, &mut self.document_line)
        };
        if part.is_empty() {
            *line = self.line;
        }
        self.line += usize::from(byte == b'\n');
        // Blanks between objects belong to none.
        if !(part.is_empty() && byte.is_ascii_whitespace()) {
            part.push(byte);
        }
        if part.len() > MAX_OBJECT { Err(too_large(*line + 1)) } else { Ok(()) }
    }
}

fn end_json(bytes: &mut Vec<u8>, lines_before: usize, found: &mut dyn FnMut(ObjectText)) -> io::Result<()> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        bytes.clear();
        return Ok(());
    }
    let text = String::from_utf8(std::mem::take(bytes))
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the text is not UTF-8"))?;
    found(ObjectText { text, lines_before });
    Ok(())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn texts(dump: &str) -> Vec<(usize, String)> {
        let mut texts = Vec::new();
        each_object_text(dump.as_bytes(), &mut |found| {
            texts.push((found.lines_before, found.text.split_whitespace().collect::<Vec<_>>().join(" ")));
        })
        .unwrap();
        texts
    }

    #[rstest]
    #[case::documents("a: 1\n---\n# nothing\n---\nb:\n  - x\n", &[(0, "a: 1"), (4, "b: - x")])]
    #[case::list(
        "apiVersion: v1\nitems:\n- a: |\n    - no item\n  b: 2\n- c: 3\nkind: List\n",
        &[(2, "a: | - no item b: 2"), (5, "c: 3"), (0, "apiVersion: v1 items: kind: List")]
    )]
    #[case::indented_list("items:\n  - a:\n      - 1\n  - b: 2\n", &[(1, "a: - 1"), (3, "b: 2"), (0, "items:")])]
    #[case::items_further_down("spec:\n  items:\n  - a\n", &[(0, "spec: items: - a")])]
    #[case::json("{\"a\":\n1}\n{\"b\":[{}]}", &[(0, "{\"a\": 1}"), (2, "{\"b\":[{}]}")])]
    #[case::json_list(
        "{\"items\": [\n {\"a\": \"}]\\\"\"},\n {\"items\": [1]}\n], \"kind\": \"List\"}",
        &[(1, "{\"a\": \"}]\\\"\"}"), (2, "{\"items\": [1]}"), (0, "{\"items\": [], \"kind\": \"List\"}")]
    )]
    #[case::json_without_end("{\"a\": {", &[(0, "{\"a\": {")])]
    fn each_object_is_a_text_with_its_line(#[case] dump: &str, #[case] expected: &[(usize, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect();
        assert_eq!(texts(dump), expected);
    }

    #[test]
    fn an_object_that_is_too_large_is_named() {
        let dump = format!("a: 1\n---\nb: {}\n", "x".repeat(MAX_OBJECT));
        let error = each_object_text(dump.as_bytes(), &mut |_| {}).unwrap_err();
        assert_eq!(error.to_string(), format!("the object at line 3 has more than {MAX_OBJECT} bytes"));
    }
}
