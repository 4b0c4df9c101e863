//! Indented JSON for documents that are printed or read by people.

use std::io;

use serde::Serialize;
use serde_json::Serializer;

use crate::control_characters::SafeJsonFormatter;

/// Writes a value as indented JSON with a line feed at the end. Characters that are not safe to show are escaped as in
/// [`escape_json`](crate::control_characters::escape_json).
///
/// # Errors
///
/// Errors of writing, and values that JSON cannot express, such as a map whose keys are not text.
pub fn write_pretty(value: &(impl Serialize + ?Sized), mut out: impl io::Write) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut out, SafeJsonFormatter::pretty()))?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_lines_and_hidden_characters_are_escapes() {
        let mut json = Vec::new();
        write_pretty(&std::collections::BTreeMap::from([("a", "\u{202e}")]), &mut json).unwrap();
        assert_eq!(String::from_utf8(json).unwrap(), "{\n  \"a\": \"\\u202e\"\n}\n");
    }
}
