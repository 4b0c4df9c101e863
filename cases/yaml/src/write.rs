use granit_parser::{Event, ScalarStyle};
use skewer_engine::{Doc, OwnedDoc};

use crate::events::{Events, SpannedEvent};
use crate::layout::Layout;
use crate::scalar::{self, Dialect, write_flow_string};
use crate::{read_document, read_manifest};

/// Writes a document as YAML. Reading the YAML returns the same value.
///
/// If `serde_yaml` would write text that does not read back as the same value, the document is written as JSON, which
/// is valid YAML. This happens with nesting beyond [`MAX_DEPTH`](crate::MAX_DEPTH), with a key `<<`, and with strings
/// that the block style changes.
#[must_use]
pub fn write(value: &OwnedDoc) -> String {
    let reads_back = |text: &String| read_document("", text.as_bytes()).is_ok_and(|read| read == *value);
    serde_yaml::to_string(value).ok().filter(reads_back).unwrap_or_else(|| format!("{value}\n"))
}

/// Writes a document as one line of YAML that reads back as the same value. Most strings have no quotes. If
/// the YAML would not read back as the same value, the document is written as JSON.
#[must_use]
pub fn write_flow(value: &OwnedDoc) -> String {
    let text = Layout::of(value).flow_with(write_flow_string);
    match read_document("", text.as_bytes()) {
        Ok(read) if read == *value => text,
        _ => value.to_string(),
    }
}

/// Writes a document like [`write()`], but for Kubernetes, which reads YAML 1.1. Strings like `yes` are quoted. `1.0`
/// reads back as `1`, because Kubernetes reads a float with a whole value as an integer.
#[must_use]
pub fn write_manifest(value: &OwnedDoc) -> String {
    let text = quote_ambiguous_strings(&write(value));
    if read_manifest("", text.as_bytes()).is_ok_and(|read| read == as_manifest(value)) {
        return text;
    }
    format!("{value}\n")
}

/// Returns the value that Kubernetes reads from a manifest with this document: a float with a whole value becomes an
/// integer.
fn as_manifest(value: &OwnedDoc) -> OwnedDoc {
    match value {
        Doc::Float(float) => Doc::from_go_float(*float),
        Doc::List(items) => Doc::List(items.iter().map(as_manifest).collect()),
        Doc::Map(map) => Doc::Map(map.iter().map(|(key, value)| (key.clone(), as_manifest(value))).collect()),
        other => other.clone(),
    }
}

/// Quotes the plain strings that YAML 1.1 reads as another type, such as `yes` and `1_000`.
fn quote_ambiguous_strings(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    let mut copied = 0;
    for SpannedEvent { event, span, .. } in Events::new(text).map_while(Result::ok) {
        let Event::Scalar(scalar, ScalarStyle::Plain, ..) = event else { continue };
        let is_string_in = |dialect| scalar::resolve(&scalar, dialect).is_none();
        if is_string_in(Dialect::Core) && !is_string_in(Dialect::Manifest) {
            quoted.extend([text.get(copied..span.offset).unwrap_or_default(), "'", &scalar, "'"]);
            copied = span.end();
        }
    }
    quoted.push_str(text.get(copied..).unwrap_or_default());
    quoted
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;

    use super::*;

    #[test]
    fn strings_that_yaml_1_1_reads_as_another_type_are_quoted() {
        let json = r#"{"a":"yes","b":["n",true,12,"1_000","yes\nno",{"on":"x"}],"c":"0644","d":"x"}"#;
        let written = write_manifest(&from_json(json.as_bytes()).unwrap());
        let expected =
            "a: 'yes'\nb:\n- 'n'\n- true\n- 12\n- '1_000'\n- |-\n  yes\n  no\n- 'on': x\nc: '0644'\nd: x\n";
        assert_eq!(written, expected);
    }

    #[rstest]
    #[case(r#"{"a":[1,"x",null]}"#, "{a: [1, x, null]}")]
    #[case(r#"{"$setElementOrder/a":["b"]}"#, "{$setElementOrder/a: [b]}")]
    #[case(r#"{"true":"no","1":"1","e":""}"#, r#"{"1": "1", e: "", "true": "no"}"#)]
    #[case(r##"["a: b","#c","1.0"]"##, r##"["a: b", "#c", "1.0"]"##)]
    fn documents_are_written_with_few_quotes(#[case] json: &str, #[case] expected: &str) {
        let value = from_json(json.as_bytes()).unwrap();
        assert_eq!(write_flow(&value), expected);
    }
}
