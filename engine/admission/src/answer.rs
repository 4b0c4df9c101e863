//! The operation `admit` of the protocol of targets: one custom resource is admitted.

use skewer_engine::document::{Doc, Map, OwnedDoc, OwnedMap, Text};
use skewer_engine::error::{Error, ErrorKind, Result};

use super::definition::CustomResourceDefinition;
use super::{Admission, AdmissionOptions};

/// The operation `admit`.
#[derive(Clone, Copy, Debug)]
pub struct AdmitRequest<'a> {
    /// The definition of the custom resource.
    pub definition: &'a OwnedDoc,
    /// The stored object, if it is updated.
    pub old: Option<&'a OwnedDoc>,
    /// The object of the request.
    pub new: &'a OwnedDoc,
    /// Whether unknown fields are refused.
    pub strict: bool,
    /// Whether errors in values that did not change are ignored.
    pub ratcheting: bool,
}

impl AdmitRequest<'_> {
    /// Returns the admission of the first version of the definition.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if the definition cannot be read, or has no versions.
    pub fn admission(&self) -> Result<Admission> {
        let definition = CustomResourceDefinition::read(self.definition).map_err(|errors| {
            let messages: Vec<String> = errors.iter().map(Error::to_string).collect();
            Error::new(ErrorKind::InvalidSchema, messages.join("; "))
        })?;
        let version = definition.versions.into_iter().next();
        let version =
            version.ok_or_else(|| Error::new(ErrorKind::InvalidSchema, "the definition has no versions"))?;
        let options = AdmissionOptions::NEWEST
            .with_ratcheting(self.ratcheting)
            .with_preserve_unknown_fields(definition.preserve_unknown_fields);
        Ok(Admission::with_options(version, options))
    }
}

/// Performs the operation. `admission` is that of the definition. The result has the member `object` with the object to
/// store, or the member `errors`.
///
/// # Errors
///
/// [`ErrorKind::Undecodable`] if the old object cannot be decoded.
pub fn answer(admission: &Admission, request: &AdmitRequest<'_>) -> Result<OwnedDoc> {
    let old = request.old.map(|old| admission.decode(old, false)).transpose();
    let old = old.map_err(|error| Error::new(ErrorKind::Undecodable, error.to_string()))?;
    let mut result = Map::new();
    match admission.decode_and_review(old.as_ref(), request.new, request.strict) {
        Ok(reviewed) if reviewed.errors.is_empty() => {
            result.insert(Text::from_static("object"), reviewed.object);
        }
        Ok(reviewed) => add_errors(&mut result, &reviewed.errors),
        Err(errors) => add_errors(&mut result, &errors),
    }
    Ok(Doc::Map(result))
}

fn add_errors(result: &mut OwnedMap, errors: &[Error]) {
    let mut described: Vec<(String, &str, &Error)> =
        errors.iter().map(|error| (error.path().to_string(), error.kind().id(), error)).collect();
    described.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let errors = described.into_iter().map(|(path, kind, error)| {
        let mut member = Map::new();
        member.insert(Text::from_static("kind"), Doc::from(kind).to_static());
        member.insert(Text::from_static("path"), Doc::from(path.as_str()).to_static());
        member.insert(Text::from_static("message"), Doc::from(error.message()).to_static());
        Doc::Map(member)
    });
    result.insert(Text::from_static("errors"), Doc::List(errors.collect()));
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use skewer_engine::document::from_json;

    const DEFINITION: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{
        "group":"example.com","names":{"kind":"Tab"},"versions":[{"name":"v1","schema":{"openAPIV3Schema":{
        "type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"integer","maximum":2},
        "b":{"type":"integer"},"l":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}}}}}]}}"#;

    fn document(json: &str) -> OwnedDoc {
        from_json(json.as_bytes()).expect("valid JSON").to_static()
    }

    /// The expectations are the answers of `k8s.io/apiextensions-apiserver` 0.37.2.
    #[rstest]
    #[case::pruned(None, r#"{"a":1,"z":1}"#, (false, true), r#"{"a":1}"#)]
    #[case::strict(None, r#"{"z":1,"y":1}"#, (true, true), "strict-unknown-field spec.y, strict-unknown-field spec.z")]
    #[case::all_errors(None, r#"{"a":3,"b":"x"}"#, (false, true), "invalid-value spec.a, undecodable spec.b")]
    #[case::repeated(None, r#"{"l":["x","x"]}"#, (false, true), "duplicate-value spec.l[1]")]
    #[case::ratcheted(Some(r#"{"a":3}"#), r#"{"a":3,"b":1}"#, (false, true), r#"{"a":3,"b":1}"#)]
    #[case::no_ratcheting(Some(r#"{"a":3}"#), r#"{"a":3,"b":1}"#, (false, false), "invalid-value spec.a")]
    fn an_answer_has_the_object_or_all_errors(
        #[case] old: Option<&str>,
        #[case] new: &str,
        #[case] (strict, ratcheting): (bool, bool),
        #[case] expected: &str,
    ) {
        let tab = |spec: &str| {
            document(&format!(
                r#"{{"apiVersion":"example.com/v1","kind":"Tab","metadata":{{}},"spec":{spec}}}"#
            ))
        };
        let (definition, old, new) = (document(DEFINITION), old.map(tab), tab(new));
        let request =
            AdmitRequest { definition: &definition, old: old.as_ref(), new: &new, strict, ratcheting };
        let answer = answer(&request.admission().unwrap(), &request).unwrap();
        let answer = answer.as_map().unwrap();
        let summary = match answer.get("errors") {
            None => answer.get("object").unwrap().as_map().unwrap().get("spec").unwrap().to_string(),
            Some(errors) => {
                let member = |error: &OwnedDoc, key: &str| {
                    error.as_map().unwrap().get(key).unwrap().as_str().unwrap().to_owned()
                };
                let errors = errors.as_list().unwrap().iter();
                let lines: Vec<String> = errors
                    .map(|error| format!("{} {}", member(error, "kind"), member(error, "path")))
                    .collect();
                lines.join(", ")
            }
        };
        assert_eq!(summary, expected);
    }

    #[test]
    fn a_definition_that_cannot_be_read_is_an_invalid_schema() {
        let (definition, new) = (document("{}"), document("{}"));
        let request =
            AdmitRequest { definition: &definition, old: None, new: &new, strict: false, ratcheting: true };
        assert_eq!(request.admission().unwrap_err().kind(), ErrorKind::InvalidSchema);
    }
}
