use skewer_engine::OwnedDoc;

use super::places::{Places, Shape};
use super::raw::Raw;
use super::{Diagnostics, LineIndex, manifest, read_manifest, read_value};

/// Writes a document as YAML that reads back as the same value.
///
/// A document for which YAML as `serde_yaml` writes it would not do so is written as JSON, which is YAML: one
/// that nests beyond [`MAX_DEPTH`](super::MAX_DEPTH), one with a key `<<`, and strings that the block style
/// changes.
#[must_use]
pub fn write(value: &OwnedDoc) -> String {
    if let Ok(text) = serde_yaml::to_string(value)
        && read_value("", text.as_bytes()).is_ok_and(|read| read == *value)
    {
        return text;
    }
    format!("{value}\n")
}

/// [`write()`] for Kubernetes, which reads YAML 1.1: strings like `yes` are quoted.
#[must_use]
pub fn write_manifest(value: &OwnedDoc) -> String {
    let text = quoted(write(value));
    if read_manifest("", text.as_bytes()).is_ok_and(|read| read == *value) {
        return text;
    }
    format!("{value}\n")
}

/// The same text with quotes around the strings that Kubernetes would take for something else: `yes`, `1_000`.
fn quoted(text: String) -> String {
    let Ok(places) = Places::read(&text, &Diagnostics::new()) else { return text };
    let is_string = |scalar: &str| {
        let other = manifest::resolve(scalar).filter(|raw| !matches!(raw, Raw::String(_)));
        other.is_some() && matches!(Raw::read(&LineIndex::new(scalar.into())), Ok(Raw::String(_)))
    };
    let mut quoted = String::with_capacity(text.len());
    let mut written = 0;
    for place in places.in_order().filter(|place| matches!(place.shape, Shape::Scalar(true))) {
        let (from, to) = (place.span.offset, place.span.end());
        if let (Some(before), Some(scalar)) = (text.get(written..from), text.get(from..to))
            && is_string(scalar)
        {
            quoted.extend([before, "'", scalar, "'"]);
            written = to;
        }
    }
    quoted.push_str(text.get(written..).unwrap_or_default());
    quoted
}

#[cfg(test)]
mod tests {
    use skewer_engine::document::from_json;

    use super::*;

    #[test]
    fn strings_that_kubernetes_reads_otherwise_are_quoted() {
        let json = r#"{"a":"yes","b":["n",true,12,"1_000","yes\nno",{"on":"x"}],"c":"0644","d":"x"}"#;
        let written = write_manifest(&from_json(json.as_bytes()).unwrap());
        let expected =
            "a: 'yes'\nb:\n- 'n'\n- true\n- 12\n- '1_000'\n- |-\n  yes\n  no\n- 'on': x\nc: '0644'\nd: x\n";
        assert_eq!(written, expected);
    }
}
