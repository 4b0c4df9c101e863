//! Directives that the engine does not have: only their form is declared.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{
    Directive, DirectiveForm, DirectiveSet, DirectiveSubject, IntroducedIn, Placement, by_name, target_field,
};

/// A directive of which the engine knows only the form.
#[derive(Debug)]
struct DeclaredDirective {
    name: &'static str,
    form: DirectiveForm,
}

impl Directive for DeclaredDirective {
    fn name(&self) -> &'static str {
        self.name
    }

    fn placement(&self) -> Placement {
        match self.form.applies_to {
            DirectiveSubject::Map => Placement::Map,
            DirectiveSubject::Field | DirectiveSubject::List => Placement::Field,
        }
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Declaration
    }

    fn form(&self) -> Option<DirectiveForm> {
        Some(self.form)
    }

    /// A key that only begins with the name can belong to another declared directive.
    fn is_own_key(&self, key: &str) -> bool {
        key == self.name || target_field(self, key).is_some()
    }
}

/// Declared directives live as long as the program, as those of the registry do, and each is created once.
static DECLARED: Mutex<BTreeMap<(String, DirectiveForm), &'static DeclaredDirective>> =
    Mutex::new(BTreeMap::new());

/// Maximum number of distinct declared directives.
const MAX_DECLARED: usize = 10_000;

/// Returns the directive with this name and form. The name begins with `$`.
///
/// ```
/// use skewer_engine::directive::{self, DirectiveForm, DirectiveSet, DirectiveSubject, DirectiveValue};
///
/// let form = DirectiveForm { applies_to: DirectiveSubject::List, carries: DirectiveValue::Boolean };
/// let append_only = directive::declared("$appendOnly", form)?;
/// let known = DirectiveSet::of(DirectiveSet::all().iter().chain([append_only]));
/// assert!(known.knows("$appendOnly") && known.directive_for_key("$appendOnly/finalizers").is_some());
/// # Ok::<(), skewer_engine::directive::InvalidDeclaration>(())
/// ```
///
/// # Errors
///
/// Returns the reason if the name is not one of a directive, if the registry has a directive of which it is a key, or
/// if too many directives were declared.
pub fn declared(name: &str, form: DirectiveForm) -> Result<&'static dyn Directive, InvalidDeclaration> {
    let is_word = name.strip_prefix('$').is_some_and(|word| {
        word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(|c| c.is_ascii_alphanumeric())
    });
    if !is_word {
        return Err(InvalidDeclaration::Name);
    }
    if let Some(owner) = owner_in_registry(name) {
        return Err(InvalidDeclaration::Registered(owner));
    }
    let mut declared = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = declared.get(&(name.to_owned(), form)) {
        return Ok(*known);
    }
    if declared.len() >= MAX_DECLARED {
        return Err(InvalidDeclaration::TooMany);
    }
    let directive = &*Box::leak(Box::new(DeclaredDirective { name: name.to_owned().leak(), form }));
    declared.insert((name.to_owned(), form), directive);
    Ok(directive)
}

/// Returns the registered directive that claims a key with this name.
fn owner_in_registry(name: &str) -> Option<&'static str> {
    let owner = by_name(name).or_else(|| DirectiveSet::all().directive_for_key(name))?;
    Some(owner.name())
}

/// The reason why a directive cannot be declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidDeclaration {
    /// The name is not `$` and a word.
    Name,
    /// The key belongs to this directive of the registry.
    Registered(&'static str),
    /// Too many directives were declared.
    TooMany,
}

impl std::fmt::Display for InvalidDeclaration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InvalidDeclaration::Name => f.write_str(
                "invalid name of a directive: expected `$` and a word in camel case, such as `$appendOnly`",
            ),
            InvalidDeclaration::Registered(name) => {
                write!(
                    f,
                    "the engine has the directive `{name}`, to which this key belongs: choose another name"
                )
            }
            InvalidDeclaration::TooMany => {
                write!(f, "more than {MAX_DECLARED} different directives are declared: declare fewer")
            }
        }
    }
}

impl std::error::Error for InvalidDeclaration {}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::directive::DirectiveValue;
    #[cfg(feature = "go")]
    use crate::test_support::json;

    const FORM: DirectiveForm =
        DirectiveForm { applies_to: DirectiveSubject::List, carries: DirectiveValue::Boolean };

    #[rstest]
    #[case::no_dollar("appendOnly", InvalidDeclaration::Name)]
    #[case::no_word("$", InvalidDeclaration::Name)]
    #[case::slash("$append/only", InvalidDeclaration::Name)]
    #[case::registered("$retainKeys", InvalidDeclaration::Registered("$retainKeys"))]
    #[case::claimed("$setElementOrderOnly", InvalidDeclaration::Registered("$setElementOrder"))]
    fn a_name_must_be_free(#[case] name: &str, #[case] expected: InvalidDeclaration) {
        assert_eq!(declared(name, FORM).unwrap_err(), expected);
    }

    #[test]
    fn one_name_and_form_is_one_directive() {
        let first = declared("$onlyOnce", FORM).unwrap();
        assert!(std::ptr::eq(first.name(), declared("$onlyOnce", FORM).unwrap().name()));
        let other = DirectiveForm { carries: DirectiveValue::Strings, ..FORM };
        assert_eq!(declared("$onlyOnce", other).unwrap().form(), Some(other));
        assert!(!first.is_own_key("$onlyOnceMore/a") && first.is_own_key("$onlyOnce/a"));
    }

    /// An old server does not know the directive. The engine has no hook of it, and must do the same as that server.
    #[cfg(feature = "go")]
    #[rstest]
    #[case::of_a_list(r#"{"list":["a"]}"#, r#"{"$appendOnly/list":true,"list":["b"]}"#)]
    #[case::deletion(
        r#"{"list":["a"]}"#,
        r#"{"$appendOnly/list":true,"$deleteFromPrimitiveList/list":["a"]}"#
    )]
    #[case::in_a_new_map(r"{}", r#"{"inner":{"$appendOnly/list":true,"list":["b"]}}"#)]
    #[case::beside_retain_keys(
        r#"{"inner":{"list":["a"]}}"#,
        r#"{"inner":{"$retainKeys":["list"],"$appendOnly/list":true,"list":["b"]}}"#
    )]
    fn the_engine_treats_a_declared_directive_as_a_field(#[case] live: &str, #[case] patch: &str) {
        let types = r#"
            type Root struct {
                List  []string `json:"list,omitempty" patchStrategy:"merge"`
                Inner *Root    `json:"inner,omitempty" patchStrategy:"retainKeys"`
            }"#;
        let old = crate::test_support::context_of(types, "Root");
        let declared = declared("$appendOnly", FORM).unwrap();
        let directives = DirectiveSet::of(old.directives.iter().chain([declared]));
        let new = crate::patch::PatchContext { directives, ..old.clone() };
        let apply = |context| crate::patch::apply(context, &json(live), &json(patch));
        assert_eq!(apply(&new), apply(&old));
    }
}
