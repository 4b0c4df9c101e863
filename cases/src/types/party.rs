//! The types of the objects of a case, as a party knows them.

use std::sync::Arc;

use skewer_admission::{Admission, AdmissionOptions};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{EnumType, SchemaElement, Type};
use skewer_engine::{Error, ErrorKind, Result};
use skewer_yaml::nearest;

use super::custom_resource::CustomResourceVersion;

/// The types of the objects of a case with one root type.
#[derive(Clone, Debug)]
pub(crate) struct RootTypes {
    /// The types of a server. Its root is the type of the objects.
    pub(crate) context: PatchContext,
    /// The custom resource, if the objects are custom resources.
    pub(crate) custom_resource: Option<Arc<CustomResourceVersion>>,
}

/// The types as one party knows them.
#[derive(Clone, Debug)]
pub(crate) struct PartyTypes {
    /// The types of a server.
    pub(crate) server: PatchContext,
    /// The types of a client. A client decodes custom resources into structs, which keep no unknown fields.
    pub(crate) client: PatchContext,
    /// The custom resource, and the elements that the party lacks.
    custom_resource: Option<(Arc<CustomResourceVersion>, Vec<SchemaElement>)>,
    /// The admission of custom resources on a server of the newest release.
    admission: Option<Arc<Admission>>,
}

impl From<PatchContext> for RootTypes {
    fn from(context: PatchContext) -> Self {
        RootTypes { context, custom_resource: None }
    }
}

impl RootTypes {
    /// Returns the types of a party that lacks no element.
    pub(crate) fn complete(&self) -> PartyTypes {
        let client =
            self.custom_resource.as_ref().map_or(&self.context, |resource| resource.client_context());
        self.party([self.context.clone(), client.clone()], Vec::new())
    }

    /// Returns the types of a party that lacks some elements. The names of their types can be shortened to their last parts.
    ///
    /// # Errors
    ///
    /// Returns an error if the types do not have an element.
    pub(crate) fn without(&self, missing: &[SchemaElement]) -> Result<PartyTypes> {
        let full = |written: &SchemaElement| {
            let element = full_element(&self.context, written)?;
            match self.context.schema.without([&element]) {
                Ok(_) => Ok(element),
                Err(_) => Err(unknown_element(&self.context, written)),
            }
        };
        let missing = missing.iter().map(full).collect::<Result<Vec<SchemaElement>>>()?;
        let PartyTypes { server, client, .. } = self.complete();
        let lacking = |context: PatchContext| -> Result<PatchContext> {
            Ok(PatchContext { schema: Arc::new(context.schema.without(&missing)?), ..context })
        };
        Ok(self.party([lacking(server)?, lacking(client)?], missing))
    }

    fn party(&self, [server, client]: [PatchContext; 2], missing: Vec<SchemaElement>) -> PartyTypes {
        let admission = self
            .custom_resource
            .as_ref()
            .map(|resource| resource.admission(AdmissionOptions::NEWEST, &missing));
        PartyTypes {
            server,
            client,
            admission: admission.map(Arc::new),
            custom_resource: self.custom_resource.clone().map(|resource| (resource, missing)),
        }
    }
}

impl PartyTypes {
    /// Returns the admission of custom resources on a server of a release. `None` stands for the newest release.
    pub(crate) fn admission(&self, minor: Option<u32>) -> Option<Arc<Admission>> {
        match (minor, &self.custom_resource) {
            (Some(minor), Some((custom_resource, missing))) => {
                let options = AdmissionOptions::of_release(minor);
                Some(Arc::new(custom_resource.admission(options, missing)))
            }
            _ => self.admission.clone(),
        }
    }
}

/// Returns an element with the full name of its type. An element whose type is unknown stays as it is.
fn full_element(context: &PatchContext, element: &SchemaElement) -> Result<SchemaElement> {
    let (schema, name) = (&context.schema, element.type_name());
    if schema.named(name).is_some() {
        return Ok(element.clone());
    }
    // The root type comes first: the types of several versions can have the same last parts.
    let of_root = root_name(context).and_then(|root| with_root(root, name));
    if let Some(full) = of_root.filter(|full| schema.named(full).is_some()) {
        return Ok(element.clone().with_type_name(full.into()));
    }
    let is_short_for =
        |full: &&str| full.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with(['.', '/']));
    let names = schema.names();
    let found: Vec<&str> = names.into_iter().filter(is_short_for).collect();
    match found.as_slice() {
        [] => Ok(element.clone()),
        [full] => Ok(element.clone().with_type_name((*full).into())),
        [first, second, ..] => {
            let message =
                format!("several types end in {name}: write the whole name, such as {first} or {second}");
            Err(Error::new(ErrorKind::InvalidSchema, message))
        }
    }
}

/// Returns the name of the type of the objects.
fn root_name(context: &PatchContext) -> Option<&str> {
    match context.schema.get(context.root) {
        Type::Struct(root) => Some(root.name.as_str()),
        _ => None,
    }
}

/// Returns the full name for a name that begins with the last part of the name of the root type.
fn with_root(root: &str, name: &str) -> Option<String> {
    let (first, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
    (last_part(root) == first).then(|| format!("{root}{rest}"))
}

fn last_part(name: &str) -> &str {
    name.rsplit(['.', '/']).next().unwrap_or(name)
}

/// Returns the enum type of a field, such as that of `Target.type`.
fn enum_of_field<'c>(context: &'c PatchContext, field: &str) -> Option<&'c EnumType> {
    let (type_name, field) = field.rsplit_once('.')?;
    let ty = context.schema.named(type_name)?;
    match context.schema.get(context.schema.field(ty, field)?.ty) {
        Type::Enum(found) => Some(found),
        _ => None,
    }
}

/// Returns the error that the types do not have an element. It suggests a similar one.
fn unknown_element(context: &PatchContext, element: &SchemaElement) -> Error {
    let written = element.to_string();
    let root = root_name(context).unwrap_or_default();
    let is_short = with_root(root, element.type_name()).is_some();
    let (mut known, mut enums) = (Vec::new(), Vec::new());
    for name in context.schema.names() {
        let s = match context.schema.named(name).map(|id| context.schema.get(id)) {
            Some(Type::Struct(s)) => s,
            Some(Type::Enum(e)) => {
                enums.push(e);
                continue;
            }
            _ => continue,
        };
        let shown = match name.strip_prefix(root) {
            Some(rest) if is_short => format!("{}{rest}", last_part(root)),
            _ => name.to_owned(),
        };
        known.extend(s.fields().map(|field| format!("{shown}.{}", field.name)));
    }
    // Names that begin alike come first, because only some names are compared.
    let (first, _) = written.split_at(written.rfind('.').unwrap_or_default());
    known.sort_by_key(|name| !name.starts_with(first));
    let near = if let SchemaElement::EnumValue { type_name, value } = element {
        let of_field = enum_of_field(context, type_name).map(|found| vec![found]);
        let enums = of_field.unwrap_or(enums).into_iter();
        let values = enums.flat_map(|e| e.values.iter().map(|value| format!("{}={value}", e.name)));
        let values: Vec<String> = values.collect();
        let same = values.iter().find(|known| known.rsplit('=').next() == Some(value.as_str()));
        nearest(&written, values.iter().map(String::as_str)).or(same.map(String::as_str)).map(str::to_owned)
    } else {
        // A name that ends in the same field is meant, if there is one: the type is often guessed.
        let same_field = known
            .iter()
            .map(String::as_str)
            .filter(|name| name.rsplit('.').next() == written.rsplit('.').next() && name.contains('.'));
        let near = nearest(&written, same_field.clone()).or(same_field.clone().next());
        near.or_else(|| nearest(&written, known.iter().map(String::as_str))).map(str::to_owned)
    };
    let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
    Error::new(ErrorKind::InvalidSchema, format!("the types of the case have no `{written}`{hint}"))
}
