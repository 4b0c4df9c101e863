//! The operation `validate-definition` of the protocol of targets.

use skewer_engine::document::{Doc, Map, OwnedDoc, OwnedMap, Text};
use skewer_engine::error::Result;
use skewer_engine::schema::openapi::decode_definition;

use super::problems;

/// The operation `validate-definition`: says whether a server accepts a definition.
#[derive(Clone, Copy, Debug)]
pub struct DefinitionRequest<'a> {
    /// The definition.
    pub new: &'a OwnedDoc,
    /// The definition that it replaces, if any.
    pub old: Option<&'a OwnedDoc>,
}

impl DefinitionRequest<'_> {
    /// Performs the operation. The result has the member `errors`, a list with the members `reason`, `path` and `message` of each
    /// error, sorted. The reasons are those of servers: `field.ErrorType` of upstream.
    ///
    /// # Errors
    ///
    /// [`skewer_engine::ErrorKind::Undecodable`] if a definition cannot be decoded.
    pub fn answer(&self) -> Result<OwnedDoc> {
        let old = self.old.map(decode_definition);
        if let Some(old) = &old {
            problems(old, None)?;
        }
        let problems = problems(&decode_definition(self.new), old.as_ref())?;
        let mut errors: Vec<[String; 3]> = problems
            .iter()
            .map(|problem| {
                let path = problem.error.path().to_string();
                [path, problem.reason.to_string(), problem.error.message().to_owned()]
            })
            .collect();
        errors.sort();
        let errors = errors.iter().map(|[path, reason, message]| {
            let members = [("reason", reason), ("path", path), ("message", message)];
            let member = |(key, text): (&'static str, &String)| {
                (Text::from_static(key), Doc::from(text.as_str()).to_static())
            };
            Doc::Map(members.map(member).into_iter().collect::<OwnedMap>())
        });
        let mut result = Map::new();
        result.insert(Text::from_static("errors"), Doc::List(errors.collect()));
        Ok(Doc::Map(result))
    }
}
