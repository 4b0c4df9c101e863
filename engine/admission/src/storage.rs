//! Requests in one version of a custom resource whose objects are stored in another version. Upstream:
//! `apiextensions-apiserver`, `crdConversionRESTOptionsGetter` and `schemaCoercingConverter`: objects are pruned by the
//! schema of each version to which they are converted, and get the defaults of the version in which they are stored.

use std::sync::Arc;

use skewer_engine::document::OwnedDoc;
use skewer_engine::error::Result;

use super::conversion::MovedFields;
use super::default::drop_nulls;
use super::prune::prune;
use super::strategy::Admission;

impl Admission {
    /// Returns the admission of requests in this version if objects are stored in another one, with the conversion strategy
    /// `None`.
    #[must_use]
    pub fn with_storage_version(mut self, storage: Arc<Admission>) -> Self {
        self.storage = Some(storage);
        self
    }

    /// Returns the admission of requests if the conversion to the version in which objects are stored also moves
    /// fields, as a webhook does. Without another version, nothing is converted.
    #[must_use]
    pub fn with_moved_fields(mut self, moved: MovedFields) -> Self {
        self.moved = Arc::new(moved);
        self
    }

    /// Returns the admission of requests if objects are stored in the version of the requests.
    #[must_use]
    pub fn without_storage_version(mut self) -> Self {
        self.storage = None;
        self.moved = Arc::default();
        self
    }

    /// Returns the admission of requests to objects that were stored in the version of the requests, before another version was
    /// chosen for storage: they are read as they are, and converted when they are written. Upstream:
    /// `getOrCreateServingInfoFor` (`customresource_handler.go`), whose storage of a version decodes into that version, and
    /// encodes in the version for storage.
    #[must_use]
    pub fn with_older_objects(mut self) -> Self {
        self.has_older_objects = true;
        self
    }

    /// Returns the version in which objects are stored, if that is another one.
    #[must_use]
    pub fn storage_version(&self) -> Option<&Arc<Admission>> {
        self.storage.as_ref()
    }

    /// Returns true if a conversion between versions of the resource moves fields, also if requests in this version need no
    /// conversion.
    #[must_use]
    pub fn is_of_moved_fields(&self) -> bool {
        !self.moved.is_empty()
    }

    /// Returns true if the conversion to the version in which objects are stored moves fields.
    #[must_use]
    pub fn moves_fields(&self) -> bool {
        self.storage.is_some() && !self.moved.is_empty()
    }

    /// Moves the fields of an object of this version to their places in the version in which objects are stored.
    pub fn move_to_storage(&self, object: &mut OwnedDoc) {
        if self.storage.is_some() {
            self.moved.apply(object);
        }
    }

    /// Moves the fields of a stored object to their places in this version.
    pub fn move_from_storage(&self, object: &mut OwnedDoc) {
        if self.storage.is_some() {
            self.moved.reversed().apply(object);
        }
    }

    /// Reads an object from storage, in the version of requests.
    ///
    /// # Errors
    ///
    /// Those of [`Admission::decode`].
    pub fn read(&self, stored: &OwnedDoc) -> Result<OwnedDoc> {
        match &self.storage {
            None => self.decode(stored, false),
            Some(_) if self.has_older_objects => self.decode(stored, false),
            Some(storage) => {
                let mut object = storage.decode(stored, false)?;
                self.move_from_storage(&mut object);
                Ok(self.convert(object))
            }
        }
    }

    /// Converts an admitted object to the version in which it is stored.
    #[must_use]
    pub fn to_storage(&self, object: OwnedDoc) -> OwnedDoc {
        match &self.storage {
            None => object,
            Some(storage) => {
                let mut object = object;
                self.move_to_storage(&mut object);
                storage.convert(object)
            }
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
    use crate::conversion::{ConversionStep, MovedField};
    use crate::definition::CustomResourceDefinition;
    use skewer_engine::document::from_json;

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

    /// The object is of the time before `v2` was chosen for storage.
    #[test]
    fn an_older_object_is_read_as_it_is_and_converted_when_it_is_written() {
        let admission = admission().with_older_objects();
        let read = admission.read(&object(r#"{"a":"1","b":"2"}"#)).expect("a valid object");
        assert_eq!(read, object(r#"{"a":"1","b":"2"}"#));
        assert_eq!(admission.to_storage(read), object(r#"{"a":"1"}"#));
    }

    #[test]
    fn a_moved_field_survives_the_way_to_storage_and_back() {
        let step = |name: &str| vec![ConversionStep::Field(name.to_owned().into())];
        let moved =
            MovedFields::new(vec![MovedField { from: step("b"), to: step("c") }]).expect("a conversion");
        let admission = admission().with_moved_fields(moved);
        let stored = admission.to_storage(object(r#"{"a":"1","b":"2"}"#));
        assert_eq!(stored, object(r#"{"a":"1","c":"2"}"#));
        assert_eq!(admission.read(&stored), Ok(object(r#"{"a":"1","b":"2"}"#)));
        // The default of the stored version is read in the field of the version of the request.
        assert_eq!(admission.read(&object(r#"{"a":"1"}"#)), Ok(object(r#"{"a":"1","b":"v2"}"#)));
        let own = admission.without_storage_version();
        assert_eq!(own.to_storage(object(r#"{"b":"2"}"#)), object(r#"{"b":"2"}"#));
    }

    #[test]
    fn an_object_is_stored_without_the_fields_that_only_the_version_of_the_request_has() {
        let stored = admission().to_storage(object(r#"{"a":"1","b":"2"}"#));
        assert_eq!(stored, object(r#"{"a":"1"}"#));
    }

    /// kube-apiserver 1.36.3 refuses such an apply configuration: `spec.a in body must be of type string: "null"`.
    #[test]
    fn a_null_of_an_apply_configuration_is_refused_and_that_of_another_request_dropped() {
        let admission = admission();
        let null = object(r#"{"a":null}"#);
        assert_eq!(admission.decode(&null, false), Ok(object(r#"{"b":"v1"}"#)));
        let applied = admission.default_applied(&null).expect("an object");
        assert_eq!(applied, object(r#"{"a":null,"b":"v1"}"#));
        assert_eq!(
            admission.admit(None, applied).expect_err("a refusal").kind(),
            skewer_engine::ErrorKind::Undecodable
        );
    }
}
