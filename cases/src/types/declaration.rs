//! Type declarations in a case that tests whether the declarations are valid.

use skewer_engine::schema::MetadataTags;
use skewer_engine::schema::go::GoErrorKind;
use skewer_engine::schema::union::UnionErrorKind;
use skewer_engine::{Error, ErrorKind, OwnedDoc};

use super::compiled::{SchemaFormat, Types};
use super::go_text::{GoTextError, parse_go};

/// The type declarations of a case that declares types.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub(crate) text: DeclarationText,
    /// The metadata tags that directives declare.
    pub(crate) tags: MetadataTags,
}

/// Compares only the text: all declarations of a corpus have the same metadata tags.
impl PartialEq for Declaration {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// The text of a [`Declaration`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DeclarationText {
    /// Go type declarations.
    Go(String),
    /// An `OpenAPI` document or a `CustomResourceDefinition`.
    OpenApi(OwnedDoc),
}

/// An error in type declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclarationError {
    /// The error of the engine.
    pub error: Error,
    /// The id of the rule for Go declarations (`GoErrorKind`) or for unions (`UnionErrorKind`) that the text violates.
    /// `None` if the error is about something else.
    pub rule: Option<&'static str>,
}

/// Returns the ids of all rules that type declarations can violate, including the rules for the given metadata tags.
pub(crate) fn declaration_rules(tags: &MetadataTags) -> impl Iterator<Item = &'static str> + Clone {
    let go = GoErrorKind::ALL.iter().map(|kind| kind.id());
    let of_tags = tags.iter().filter_map(|tag| Some(tag.check?.rule));
    go.chain(of_tags).chain(UnionErrorKind::ALL.iter().map(|kind| kind.id()))
}

impl Declaration {
    /// Compiles the declarations and returns all errors. The list is empty if they are valid.
    #[must_use]
    pub fn errors(&self) -> Vec<DeclarationError> {
        match &self.text {
            DeclarationText::Go(text) => match parse_go(text, &self.tags) {
                Ok(declarations) => compile_errors(Types::compile_with_tags(
                    DISPLAY_NAME,
                    SchemaFormat::Go,
                    declarations,
                    &self.tags,
                )),
                Err(errors) => errors.into_iter().map(DeclarationError::from).collect(),
            },
            DeclarationText::OpenApi(document) => {
                compile_errors(Types::from_document(DISPLAY_NAME, document, &self.tags))
            }
        }
    }
}

/// The name of the declarations in messages.
const DISPLAY_NAME: &str = "the declaration";

fn compile_errors(types: Result<Types, Vec<Error>>) -> Vec<DeclarationError> {
    let errors = types.err().unwrap_or_default();
    errors.into_iter().map(|error| DeclarationError { error, rule: None }).collect()
}

impl From<GoTextError> for DeclarationError {
    fn from(error: GoTextError) -> Self {
        let message = format!("{}:{}: {}", error.line, error.column, error.message);
        DeclarationError { error: Error::new(ErrorKind::InvalidSchema, message), rule: Some(error.rule) }
    }
}
