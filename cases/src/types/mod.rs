//! Types of objects: from a release, from a file, or from the text of a case.

mod compiled;
mod custom_resource;
mod declaration;
mod go_text;
mod party;

pub(crate) use compiled::document_diagnostic;
pub use compiled::{SchemaFormat, Types};
pub use custom_resource::CustomResourceVersion;
pub use declaration::{Declaration, DeclarationError};
pub(crate) use declaration::{DeclarationText, declaration_rules};
pub(crate) use go_text::{GoTextError, ignored_markers, overlay_release, parse_go};
pub(crate) use party::{PartyTypes, RootTypes};
