//! Definitions that an API server refuses. Nothing can be said about objects with them.

use skewer_audit::input::DefinitionFile;
use skewer_audit::input::documents::definitions;
use skewer_cases::yaml::FileErrors;

use crate::dump::DumpSource;
use crate::served::ServedKinds;

/// Checks the definitions of files that a user names as such. They replace those of `before`. Without it, a server has them: an
/// older one can have accepted what a server of today refuses to create.
///
/// # Errors
///
/// Returns the errors of all files, with their places. A document that cannot be read is one if it mentions definitions.
pub(crate) fn check_definitions(sources: &[DumpSource], before: Option<&ServedKinds>) -> Result<(), String> {
    let refusals = |read: &DefinitionFile| match before {
        None => read.refusals(Some(&read.definition)),
        Some(before) => {
            let replaced = before.definitions().find(|known| known.name == read.definition.name);
            read.refusals(replaced)
        }
    };
    let mut refused = Vec::new();
    for source in sources {
        for (name, bytes) in source.texts()? {
            let read = match definitions(&name, &bytes) {
                Ok(read) => read,
                Err(errors) => {
                    refused.push(text_of(&errors));
                    continue;
                }
            };
            let errors =
                read.iter().map(|read| (read, refusals(read))).filter(|(_, errors)| !errors.is_empty());
            refused.extend(errors.map(|(read, errors)| text_of(&read.errors(&errors))));
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(refused.join("\n")) }
}

fn text_of(errors: &FileErrors) -> String {
    errors.to_string().trim_end().to_owned()
}
