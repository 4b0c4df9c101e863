//! Requests in one version of a custom resource whose objects are stored in another version. Upstream:
//! `apiextensions-apiserver`, `crdConversionRESTOptionsGetter` and `schemaCoercingConverter`: objects are pruned by the
//! schema of each version to which they are converted, and get the defaults of the version in which they are stored.

use std::sync::Arc;

use super::default::drop_nulls;
use super::prune::prune;
use super::strategy::Admission;
use crate::document::OwnedDoc;
use crate::error::Result;

impl Admission {
    /// Returns the admission of requests in this version if objects are stored in another one, with the conversion strategy
    /// `None`.
    #[must_use]
    pub fn with_storage_version(mut self, storage: Arc<Admission>) -> Self {
        self.storage = Some(storage);
        self
    }

    /// Returns the admission of requests if objects are stored in the version of the requests.
    #[must_use]
    pub fn without_storage_version(mut self) -> Self {
        self.storage = None;
        self
    }

    /// Reads an object from storage, in the version of requests.
    ///
    /// # Errors
    ///
    /// Those of [`Admission::decode`].
    pub fn read(&self, stored: &OwnedDoc) -> Result<OwnedDoc> {
        match &self.storage {
            None => self.decode(stored, false),
            Some(storage) => {
                let object = storage.decode(stored, false)?;
                Ok(self.convert(object))
            }
        }
    }

    /// Converts an admitted object to the version in which it is stored.
    #[must_use]
    pub fn to_storage(&self, object: OwnedDoc) -> OwnedDoc {
        match &self.storage {
            None => object,
            Some(storage) => storage.convert(object),
        }
    }

    /// Converts an object of another version to this one.
    fn convert(&self, mut object: OwnedDoc) -> OwnedDoc {
        if !self.options.preserve_unknown_fields {
            prune(&self.version.schema, &mut object);
            drop_nulls(&self.version.schema, &mut object);
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::definition::CustomResourceDefinition;
    use crate::document::from_json;

    /// Returns the admission of requests in `v1`, whose objects are stored in `v2`.
    fn admission() -> Admission {
        let version = |name: &str, field: &str| {
            format!(
                r#"{{"name":"{name}","served":true,"storage":false,"schema":{{"openAPIV3Schema":{{"type":"object",
                "properties":{{"a":{{"type":"string"}},"{field}":{{"type":"string","default":"{name}"}}}}}}}}}}"#
            )
        };
        let definition = format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{{
            "group":"example.com","names":{{"kind":"Tab"}},"versions":[{},{}]}}}}"#,
            version("v1", "b"),
            version("v2", "c")
        );
        let document: OwnedDoc = from_json(definition.as_bytes()).expect("valid JSON").to_static();
        let definition = CustomResourceDefinition::read(&document).expect("a valid definition");
        let [v1, v2] = <[_; 2]>::try_from(definition.versions).expect("two versions");
        Admission::new(v1).with_storage_version(Arc::new(Admission::new(v2)))
    }

    fn object(json: &str) -> OwnedDoc {
        from_json(json.as_bytes()).expect("valid JSON").to_static()
    }

    #[test]
    fn an_object_is_read_with_the_defaults_of_storage_and_without_fields_of_either() {
        let read = admission().read(&object(r#"{"a":"1","b":"2","c":"3"}"#));
        assert_eq!(read, Ok(object(r#"{"a":"1"}"#)));
    }

    #[test]
    fn an_object_is_stored_without_the_fields_that_only_the_version_of_the_request_has() {
        let stored = admission().to_storage(object(r#"{"a":"1","b":"2"}"#));
        assert_eq!(stored, object(r#"{"a":"1"}"#));
    }
}
