//! The order of the steps before a custom resource is stored. Upstream: `customresource_handler.go` (`schemaCoercingDecoder`)
//! and `pkg/registry/customresource/strategy.go` of `apiextensions-apiserver`.

use std::sync::Arc;

use skewer_engine::document::{OwnedDoc, Text};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::field_path::{FieldPath, PathSegment};
use skewer_engine::patch::PatchContext;
use skewer_engine::union::policy::Policy;
use skewer_engine::union::{self, Admitted};

use super::cel::{CompiledRules, RuleOptions};
use super::conversion::MovedFields;
use super::default::{drop_nulls, set_defaults};
use super::definition::{CustomResourceDefinition, Version};
use super::go_regex::{NotCompiled, Pattern};
use super::metadata;
use super::not_simulated::NotSimulated;
use super::options::AdmissionOptions;
use super::prune::prune;
use super::structural::StructuralSchema;
use super::structural::visit::visit;
use super::validate::outcome::{Finding, ValueReport};
use super::validate::{list_types, scale, value};

/// The field that the subresource of the same name writes.
const STATUS: &str = "status";

/// How an API server admits the objects of one version of a custom resource, through the main resource or the subresource
/// `status`.
///
/// The metadata of the object is not validated.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Admission {
    /// The version.
    pub version: Version,
    /// The settings that depend on the release of the server, and on the definition as a whole.
    pub options: AdmissionOptions,
    compiled: Arc<Compiled>,
    /// The admission of the version in which objects are stored, if that is another one.
    pub(super) storage: Option<Arc<Admission>>,
    /// Whether the stored objects are of the version of requests, and not of that in which objects are stored now.
    pub(super) has_older_objects: bool,
    /// The fields that have other places in the version in which objects are stored.
    pub(super) moved: Arc<MovedFields>,
    /// The definition of the version, if it is known.
    definition: Option<Arc<CustomResourceDefinition>>,
    /// Whether the version lacks elements that it has in the definition.
    lacks_elements: bool,
}

/// The parts that are compiled once for a version.
#[derive(Debug)]
struct Compiled {
    rules: CompiledRules,
    not_simulated: Vec<NotSimulated>,
    errors: Vec<Error>,
}

impl Compiled {
    fn of(version: &Version, options: AdmissionOptions) -> Compiled {
        let (rules, mut not_simulated, errors) = CompiledRules::compile(&version.schema, options);
        not_simulated.extend(patterns_not_simulated(&version.schema));
        Compiled { rules, not_simulated, errors }
    }
}

/// An object after its review.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reviewed {
    /// The object to store, if there are no errors.
    pub object: OwnedDoc,
    /// The errors. The request is refused if there are any.
    pub errors: Vec<Error>,
    /// The errors in values that did not change. An API server stores the object. kube-apiserver 1.36 reports those of rules
    /// as warnings.
    pub warnings: Vec<Error>,
}

/// Two admissions of equal versions are equal.
impl PartialEq for Admission {
    fn eq(&self, other: &Self) -> bool {
        self.version == other.version
            && self.options == other.options
            && self.storage == other.storage
            && self.has_older_objects == other.has_older_objects
            && self.moved == other.moved
    }
}

impl Admission {
    /// Creates the admission of a version on a server of the newest release. Compiles the rules of the version. A rule that
    /// is not valid is not evaluated: see [`Admission::refused_rules`].
    #[must_use]
    pub fn new(version: Version) -> Self {
        Admission::with_options(version, AdmissionOptions::NEWEST)
    }

    /// Creates the admission of a version on a server of the Kubernetes release `1.minor`.
    #[must_use]
    pub fn of_release(version: Version, minor: u32) -> Self {
        Admission::with_options(version, AdmissionOptions::of_release(minor))
    }

    /// Creates the admission of a version. See [`Admission::new`].
    #[must_use]
    pub fn with_options(version: Version, options: AdmissionOptions) -> Self {
        let compiled = Arc::new(Compiled::of(&version, options));
        Admission {
            version,
            options,
            compiled,
            storage: None,
            has_older_objects: false,
            moved: Arc::default(),
            definition: None,
            lacks_elements: false,
        }
    }

    /// Returns the admission with the definition of its version.
    #[must_use]
    pub fn with_definition(mut self, definition: Arc<CustomResourceDefinition>) -> Self {
        self.definition = Some(definition);
        self
    }

    /// Returns the admission of a version that lacks elements which it has in its definition.
    #[must_use]
    pub fn lacking_elements(mut self) -> Self {
        self.lacks_elements = true;
        self
    }

    /// Returns the definition of the resource, if it is known.
    #[must_use]
    pub fn resource_definition(&self) -> Option<&CustomResourceDefinition> {
        self.definition.as_deref()
    }

    /// Returns the definition of the version. `None` if the version is not exactly that of a definition, for example because
    /// the server lacks elements of it.
    #[must_use]
    pub fn definition(&self) -> Option<&CustomResourceDefinition> {
        self.resource_definition().filter(|_| !self.lacks_elements)
    }

    /// Returns the admission on a server of the Kubernetes release `1.minor`.
    #[must_use]
    pub fn on_release(mut self, minor: u32) -> Self {
        let preserve = self.options.preserve_unknown_fields;
        let is_other = self.options.minor != minor;
        self.options = AdmissionOptions::of_release(minor).with_preserve_unknown_fields(preserve);
        if is_other {
            self.compiled = Arc::new(Compiled::of(&self.version, self.options));
        }
        self.storage = self.storage.map(|storage| Arc::new(Admission::clone(&storage).on_release(minor)));
        self
    }

    /// Returns the errors of rules because of which a server of the release refuses to create the definition. Their paths are
    /// in the schema.
    #[must_use]
    pub fn refused_rules(&self) -> &[Error] {
        &self.compiled.errors
    }

    /// Returns the compiled rules of the version.
    #[must_use]
    pub fn rules(&self) -> &CompiledRules {
        &self.compiled.rules
    }

    /// Returns the parts of the schema that are not simulated. Their paths are in the schema.
    #[must_use]
    pub fn not_simulated(&self) -> &[NotSimulated] {
        &self.compiled.not_simulated
    }

    /// Decodes an object from a request or from storage: drops unknown fields, and sets defaults.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Undecodable`] if a field of the metadata does not have its type
    /// - [`ErrorKind::StrictUnknownField`] if `strict` and the object has an unknown field
    /// - [`ErrorKind::InvalidValue`] if an object inside of the object cannot be decoded
    pub fn decode(&self, object: &OwnedDoc, strict: bool) -> Result<OwnedDoc> {
        let (decoded, unknown) = self.decode_with_unknown_fields(object)?;
        match unknown.into_iter().next() {
            Some(path) if strict => Err(unknown_field(path)),
            _ => Ok(decoded),
        }
    }

    /// Sets the defaults of an object that is the result of a server-side apply. It is not decoded again: nulls in the
    /// configuration stay, also where they are not valid, and the metadata of objects inside of the object is not decoded. It has
    /// no unknown fields, which the apply refuses. Upstream: `structuredMergeManager.Apply`, which calls the defaulter only.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Undecodable`] if a field of the metadata does not have its type.
    pub fn default_applied(&self, object: &OwnedDoc) -> Result<OwnedDoc> {
        let schema = &self.version.schema;
        let mut object = object.clone();
        let mut unknown = Vec::new();
        metadata::coerce_root(&mut object, &mut unknown)?;
        set_defaults(schema, &mut object);
        Ok(object)
    }

    fn decode_with_unknown_fields(&self, object: &OwnedDoc) -> Result<(OwnedDoc, Vec<FieldPath>)> {
        let schema = &self.version.schema;
        let mut object = object.clone();
        let mut unknown = Vec::new();
        metadata::coerce_root(&mut object, &mut unknown)?;
        if !self.options.preserve_unknown_fields {
            unknown.extend(prune(schema, &mut object));
            drop_nulls(schema, &mut object);
        }
        metadata::coerce_embedded(schema, &mut object, &mut unknown)?;
        set_defaults(schema, &mut object);
        Ok((object, unknown))
    }

    /// Decodes, prepares and validates an object. `old` is the object that it replaces, as it was decoded from storage.
    ///
    /// # Errors
    ///
    /// The errors of [`Admission::decode`]: under strict validation, one for each unknown field.
    pub fn decode_and_review(
        &self,
        old: Option<&OwnedDoc>,
        object: &OwnedDoc,
        strict: bool,
    ) -> std::result::Result<Reviewed, Vec<Error>> {
        let (decoded, unknown) = self.decode_with_unknown_fields(object).map_err(|error| vec![error])?;
        if strict && !unknown.is_empty() {
            return Err(unknown.into_iter().map(unknown_field).collect());
        }
        Ok(self.review(old, decoded))
    }

    /// Admits a decoded object. `old` is the object that it replaces, or `None` if it is created. Returns the object to
    /// store.
    ///
    /// # Errors
    ///
    /// The first error of [`Admission::review`].
    pub fn admit(&self, old: Option<&OwnedDoc>, object: OwnedDoc) -> Result<OwnedDoc> {
        let reviewed = self.review(old, object);
        match reviewed.errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(reviewed.object),
        }
    }

    /// Prepares and validates a decoded object that is sent to the main resource (`""`) or to a subresource. `old` is the
    /// object that it replaces, or `None` if it is created.
    #[must_use]
    pub fn review_request(&self, subresource: &str, old: Option<&OwnedDoc>, object: OwnedDoc) -> Reviewed {
        match old {
            Some(old) if subresource == STATUS => self.review_status(old, &object),
            old => self.review(old, object),
        }
    }

    /// Prepares and validates a decoded object. `old` is the object that it replaces, or `None` if it is created.
    #[must_use]
    pub fn review(&self, old: Option<&OwnedDoc>, object: OwnedDoc) -> Reviewed {
        let mut object = object;
        if self.version.has_status {
            keep_status(old, &mut object);
        }
        let report = self.validate(old, &object);
        self.with_rules(old, object, report, self.options.ratcheting)
    }

    /// Evaluates the rules of an object that was validated otherwise.
    fn with_rules(
        &self,
        old: Option<&OwnedDoc>,
        object: OwnedDoc,
        report: ValueReport,
        is_ratcheting: bool,
    ) -> Reviewed {
        let ValueReport { errors, warnings, .. } = report;
        let is_blocked = errors.iter().any(|finding| finding.blocks);
        let into_errors =
            |findings: Vec<Finding>| findings.into_iter().map(|finding| finding.error).collect();
        let (mut errors, mut warnings): (Vec<Error>, Vec<Error>) =
            (into_errors(errors), into_errors(warnings));
        if !is_blocked {
            let options = RuleOptions::default().with_ratcheting(is_ratcheting);
            let (refused, ratcheted) = self.compiled.rules.evaluate(&object, old, options);
            errors.extend(refused);
            warnings.extend(ratcheted);
        }
        Reviewed { object, errors, warnings }
    }

    /// Prepares and validates a decoded object that is sent to the subresource `status`: only the status changes, and only
    /// the status is validated by its schema. `old` is the stored object. Upstream: `statusStrategy.PrepareForUpdate`,
    /// `statusStrategy.ValidateUpdate`.
    fn review_status(&self, old: &OwnedDoc, sent: &OwnedDoc) -> Reviewed {
        let mut object = old.clone();
        keep_status(Some(sent), &mut object);
        let report = self.validate_status(old, &object);
        self.with_rules(Some(old), object, report, self.options.ratchets_status())
    }

    /// Validates the status of an object. Until 1.32, its errors are not ratcheted: the status was compared with the whole
    /// old object. Upstream: kubernetes#129503, `ValidateStatusUpdate`.
    fn validate_status(&self, old: &OwnedDoc, object: &OwnedDoc) -> ValueReport {
        let status_of = |object: &'_ OwnedDoc| object.as_map()?.get(STATUS).cloned();
        let schema = &self.version.schema;
        let mut outcome = ValueReport::default();
        if let (Some(status), Some(schema)) = (status_of(object), schema.properties.get(STATUS)) {
            let old = status_of(old).filter(|_| self.options.ratchets_status());
            let report = value::validate_field(schema, &status, old.as_ref(), self.options);
            outcome.merge_inner(report, |error| error.at(STATUS));
        }
        if let Some(scale) = &self.version.scale {
            let selector = scale.label_selector_path.as_deref();
            outcome.errors.extend(scale::validate([&*scale.status_replicas_path], selector, object));
        }
        if list_types::validate(schema, old).is_empty() {
            outcome.errors.extend(list_types::validate(schema, object));
        }
        outcome
    }

    /// Validates an object, except for its rules. Upstream: `customResourceStrategy.Validate`, `ValidateUpdate`.
    fn validate(&self, old: Option<&OwnedDoc>, object: &OwnedDoc) -> ValueReport {
        let schema = &self.version.schema;
        let correlated = old.filter(|_| self.options.ratcheting);
        let mut outcome = value::validate(schema, object, correlated, self.options);
        if let Some(scale) = &self.version.scale {
            let replicas = [&*scale.spec_replicas_path, &*scale.status_replicas_path];
            let selector = scale.label_selector_path.as_deref();
            outcome.errors.extend(scale::validate(replicas, selector, object));
        }
        outcome.errors.extend(metadata::validate(schema, object));
        let had_errors = old.is_some_and(|old| !list_types::validate(schema, old).is_empty());
        if !had_errors {
            outcome.errors.extend(list_types::validate(schema, object));
        }
        outcome
    }

    /// Admits a custom resource: decodes it, normalizes and validates its unions, and then validates it by its definition.
    /// `old` is the stored object.
    ///
    /// # Errors
    ///
    /// All errors of the object: first those of [`union::admit`], then those of the definition. Of the latter, an
    /// error is left out if the policy reported one at the same path.
    pub fn admit_with_unions(
        &self,
        context: &PatchContext,
        policy: &dyn Policy,
        old: Option<&OwnedDoc>,
        new: &OwnedDoc,
    ) -> std::result::Result<Admitted, Vec<Error>> {
        let one = |error: Error| vec![error];
        let old = old.map(|old| self.read(old)).transpose().map_err(|error| one(error.in_base()))?;
        let decoded = self.decode(new, false).map_err(one)?;
        let (mut admitted, mut errors) = union::review(context, policy, old.as_ref(), decoded);
        let reviewed = self.review(old.as_ref(), admitted.object);
        let is_new = |error: &Error| !errors.iter().any(|other: &Error| other.path() == error.path());
        let of_definition: Vec<Error> = reviewed.errors.into_iter().filter(is_new).collect();
        errors.extend(of_definition);
        admitted.object = reviewed.object;
        if errors.is_empty() { Ok(admitted) } else { Err(errors) }
    }
}

fn unknown_field(path: FieldPath) -> Error {
    Error::new(ErrorKind::StrictUnknownField, "unknown field, refused by strict field validation")
        .with_path(Some(path))
}

/// Returns the patterns that only Go can read.
fn patterns_not_simulated(schema: &StructuralSchema) -> Vec<NotSimulated> {
    let mut found = Vec::new();
    visit(schema, &mut |path, part| {
        if let (Some(pattern), None) = (&part.validation.pattern, &part.validation.regex) {
            let reason = match Pattern::compile(pattern) {
                Err(NotCompiled::NotSimulated(reason)) => reason.to_owned(),
                Err(invalid) => invalid.to_string(),
                Ok(_) => return,
            };
            let mut path = path.clone();
            path.push(PathSegment::Key(Text::from_static("pattern")));
            found.push(NotSimulated::new(path, pattern.clone(), reason));
        }
    });
    found
}

/// Replaces the status by the old one: with the subresource `status`, a request to the main resource does not change it.
/// Upstream: `PrepareForCreate`, `PrepareForUpdate`.
fn keep_status(old: Option<&OwnedDoc>, object: &mut OwnedDoc) {
    let Some(object) = object.as_map_mut() else { return };
    match old.and_then(|old| old.as_map()?.get(STATUS)) {
        Some(status) => {
            object.insert(Text::from_static(STATUS), status.clone());
        }
        None => {
            object.remove(STATUS);
        }
    }
}
