//! The format `FieldsV1`: a field set as JSON. Upstream: `Set.ToJSON`, `Set.FromJSON` and `SerializePathElement`.
//!
//! A key of an object is a path element: `f:name`, `k:{"port":53}`, `v:"x"` or `i:0`. The key `.` says that the element
//! above it is a member. An element with an empty object is a member, too.

use std::borrow::Cow;
use std::io::Write;

use super::{FieldSet, ItemKeys, Node, PathElement, as_float};
use crate::document::{
    Doc, JsonFormat, Map, Text, escape_free_prefix_length, from_json, from_json_borrowed,
    split_escape_free_string, write_doc,
};
use crate::error::{Error, ErrorKind, Result};

impl<'a> FieldSet<'a> {
    /// Reads a field set.
    ///
    /// Elements of unknown types, such as `z:x`, are ignored. Numbers are read as 64-bit floats, as upstream reads them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidManagedFields`] if the text is no JSON object, or if a key is no path element.
    pub fn from_json(text: &str) -> Result<FieldSet<'static>> {
        let document = from_json_borrowed(text.as_bytes()).map_err(|error| invalid(error.to_string()))?;
        Ok(FieldSet::from_doc(&document)?.to_static())
    }

    /// Reads a field set that is part of a document.
    ///
    /// # Errors
    ///
    /// The errors of [`FieldSet::from_json`].
    pub fn from_doc(document: &'a Doc<'_>) -> Result<Self> {
        match document {
            Doc::Null => Ok(FieldSet::new()),
            Doc::Map(map) => read_children(map).map(|(set, _)| set),
            other => Err(invalid(format!("expected an object, found {}", other.kind().with_article()))),
        }
    }
}

/// Reads the elements below another one. Returns them, and whether the other element is a member itself.
fn read_children<'a>(map: &'a Map<'_>) -> Result<(FieldSet<'a>, bool)> {
    let mut nodes = Vec::with_capacity(map.len());
    let mut has_dot = false;
    for (key, value) in map.iter() {
        if *key == "." {
            has_dot = true;
            continue;
        }
        let Some(element) = read_element(key)? else { continue };
        let (children, is_member) = match value {
            Doc::Null => (FieldSet::new(), true),
            Doc::Map(map) => read_children(map)?,
            other => {
                let found = other.kind().with_article();
                return Err(invalid(format!("expected an object below {key:?}, found {found}")));
            }
        };
        nodes.push(Node { element, is_member, children });
    }
    let children = FieldSet::from_nodes(nodes);
    let is_member = has_dot || children.is_empty();
    Ok((children, is_member))
}

/// Reads a path element. Returns `None` if its type is unknown. Upstream: `DeserializePathElement`.
fn read_element(text: &str) -> Result<Option<PathElement<'_>>> {
    let bytes = text.as_bytes();
    if bytes.len() < 2 {
        return Err(invalid(format!(
            "the key {text:?} is no path element: expected a type, a colon and a value"
        )));
    }
    if bytes[1] != b':' {
        return Err(invalid(format!("the key {text:?} is no path element: expected a colon after its type")));
    }
    let value = text.get(2..).unwrap_or_default();
    let read_value = |value| match with_float_zeros(value) {
        Cow::Borrowed(value) => from_json_borrowed(value.as_bytes()),
        Cow::Owned(value) => from_json(value.as_bytes()),
    };
    let read_value = |value| {
        let value = read_value(value).map_err(|error| invalid(format!("the key {text:?}: {error}")))?;
        Ok::<_, Error>(with_floats(value))
    };
    Ok(Some(match bytes[0] {
        b'f' => PathElement::Field(Text::borrowed(value)),
        b'v' => PathElement::Value(match split_escape_free_string(value) {
            Some((string, "")) => Doc::String(string),
            _ => read_value(value)?,
        }),
        b'k' => PathElement::Key(match read_string_key(value) {
            Some(keys) => keys,
            None => match read_value(value)? {
                Doc::Map(keys) => keys.into_iter().collect(),
                Doc::Null => ItemKeys::from_iter([]),
                _ => {
                    return Err(invalid(format!(
                        "the key {text:?}: expected an object with the keys of an item"
                    )));
                }
            },
        }),
        b'i' => {
            let index = value.parse();
            PathElement::Index(index.map_err(|_| invalid(format!("the key {text:?}: expected an index")))?)
        }
        _ => return Ok(None),
    }))
}

/// Reads the keys of an item that has one key with a string, such as `{"name":"x"}`. Most items have. Returns `None` for
/// any other JSON, and if a string has escapes.
fn read_string_key(json: &str) -> Option<ItemKeys<'_>> {
    let (name, rest) = split_escape_free_string(json.strip_prefix('{')?)?;
    let (value, rest) = split_escape_free_string(rest.strip_prefix(':')?)?;
    (rest == "}").then(|| ItemKeys::one(name, Doc::String(value)))
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidManagedFields, message)
}

/// Writes each `-0` in the JSON text of a path element as `-0.0`, because it is a float with a sign there. In all other
/// JSON text, `-0` is the integer 0.
fn with_float_zeros(json: &str) -> Cow<'_, str> {
    if !json.contains("-0") {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 2);
    let mut is_in_string = false;
    let mut is_escaped = false;
    for (at, c) in json.char_indices() {
        text.push(c);
        is_in_string ^= c == '"' && !is_escaped;
        is_escaped = is_in_string && c == '\\' && !is_escaped;
        let is_zero = c == '0' && !is_in_string && json[..at].ends_with('-');
        // An exponent such as `1e-0` is not a number of its own.
        let is_exponent = json[..at].ends_with("e-") || json[..at].ends_with("E-");
        let continues = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E');
        if is_zero && !is_exponent && !json[at + 1..].starts_with(continues) {
            text.push_str(".0");
        }
    }
    Cow::Owned(text)
}

/// Converts all numbers in a value to floats.
fn with_floats(value: Doc<'_>) -> Doc<'_> {
    match value {
        Doc::Int(_) => Doc::Float(as_float(&value)),
        Doc::List(items) => Doc::List(items.into_iter().map(with_floats).collect()),
        Doc::Map(mut map) => {
            map.iter_mut().for_each(|(_, value)| *value = with_floats(std::mem::take(value)));
            Doc::Map(map)
        }
        other => other,
    }
}

impl FieldSet<'_> {
    /// Writes the set as upstream writes it, byte for byte.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = Vec::with_capacity(1024);
        self.write(false, &mut out, &mut Vec::new());
        String::from_utf8(out).unwrap_or_default()
    }

    fn write(&self, is_member: bool, out: &mut Vec<u8>, element: &mut Vec<u8>) {
        out.push(b'{');
        if is_member && !self.nodes.is_empty() {
            out.extend_from_slice(br#"".":{}"#);
        }
        for (index, node) in self.nodes.iter().enumerate() {
            if index > 0 || is_member {
                out.push(b',');
            }
            if let PathElement::Field(name) = &node.element {
                out.extend_from_slice(b"\"f:");
                write_rest_of_string(name.as_bytes(), Escapes::Json, out);
            } else {
                element.clear();
                write_element(&node.element, element);
                write_string(element, Escapes::Json, out);
            }
            out.push(b':');
            node.children.write(node.is_member, out, element);
        }
        out.push(b'}');
    }
}

fn write_element(element: &PathElement<'_>, out: &mut Vec<u8>) {
    match element {
        PathElement::Field(name) => {
            out.extend_from_slice(b"f:");
            out.extend_from_slice(name.as_bytes());
        }
        PathElement::Key(keys) => {
            out.extend_from_slice(b"k:{");
            for (index, (name, value)) in keys.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_string(name.as_bytes(), Escapes::Json, out);
                out.push(b':');
                write_doc(value, ValueFormat, out);
            }
            out.push(b'}');
        }
        PathElement::Value(value) => {
            out.extend_from_slice(b"v:");
            write_doc(value, ValueFormat, out);
        }
        PathElement::Index(index) => write_display(format_args!("i:{index}"), out),
        PathElement::Unidentified => {}
    }
}

fn write_display(text: std::fmt::Arguments<'_>, out: &mut Vec<u8>) {
    // Writing to a `Vec` cannot fail.
    let _ = out.write_fmt(text);
}

/// The format of keys and values in path elements.
#[derive(Clone, Copy)]
struct ValueFormat;

impl JsonFormat for ValueFormat {
    fn write_string(self, text: &Text<'_>, out: &mut Vec<u8>) {
        write_string(text.as_bytes(), Escapes::Html, out);
    }

    fn write_float(self, value: f64, out: &mut Vec<u8>) {
        write_float(value, out);
    }
}

/// Writes a float. It has an exponent of at least two digits below 1e-6 and from 1e21 on, and no fraction if it is
/// whole. Upstream: `jsoniter`'s `WriteFloat64`.
fn write_float(value: f64, out: &mut Vec<u8>) {
    let magnitude = value.abs();
    if value == 0.0 || (1e-6..1e21).contains(&magnitude) {
        return write_display(format_args!("{value}"), out);
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    write_display(format_args!("{digits}e{sign}{exponent:0>2}"), out);
}

/// The characters that a string has as escapes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// Quotes, backslashes and control characters.
    Json,
    /// Also the characters that are special in HTML and JavaScript: `<`, `>`, `&`, U+2028 and U+2029.
    Html,
}

/// Writes a string in quotes. The text is UTF-8.
fn write_string(text: &[u8], escapes: Escapes, out: &mut Vec<u8>) {
    out.push(b'"');
    write_rest_of_string(text, escapes, out);
}

/// Writes the end of a string, with the closing quote. The text is UTF-8.
fn write_rest_of_string(text: &[u8], escapes: Escapes, out: &mut Vec<u8>) {
    // The characters U+2028 and U+2029 have three bytes, of which this one is the first.
    const SEPARATOR: u8 = 0xe2;
    let plain_length = |text: &[u8]| {
        let length = escape_free_prefix_length(text);
        let is_html = |byte: &u8| matches!(byte, b'<' | b'>' | b'&' | &SEPARATOR);
        let html = if escapes == Escapes::Html { text[..length].iter().position(is_html) } else { None };
        html.unwrap_or(length)
    };
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(plain_length(rest));
        out.extend_from_slice(plain);
        let Some((byte, after)) = special.split_first() else { break };
        let byte = *byte;
        rest = after;
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            SEPARATOR => match after {
                [0x80, last @ (0xa8 | 0xa9), ..] => {
                    write_display(format_args!("\\u202{:x}", last & 0xf), out);
                    rest = &after[2..];
                }
                _ => out.push(byte),
            },
            _ => write_display(format_args!("\\u{byte:04x}"), out),
        }
    }
    out.push(b'"');
}
