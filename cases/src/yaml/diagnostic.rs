use std::cell::RefCell;
use std::collections::HashMap;

use skewer_engine::FieldPath;

use super::Span;

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, with the suggestion if there is one; no full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// A word or two beside the mark under the source line.
    pub label: Option<String>,
    /// What to do about it, or what is known there.
    pub help: Option<String>,
    /// Where in the document, as `cases[2].expect[0].when`; the root where it isn't known.
    pub path: FieldPath,
}

impl Diagnostic {
    /// A diagnostic with only a message.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { message: message.into(), span, label: None, help: None, path: FieldPath::root() }
    }
}

/// Collects what is wrong with a file, in any order, from behind a shared reference.
///
/// The same message at the same place is kept once, so that what is reached over an alias, or checked twice,
/// is reported once.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    found: RefCell<Found>,
}

#[derive(Clone, Debug, Default)]
struct Found {
    list: Vec<Diagnostic>,
    index: HashMap<(Span, String), usize>,
}

impl Diagnostics {
    /// An empty collector.
    #[must_use]
    pub fn new() -> Self {
        Diagnostics::default()
    }

    /// Adds an error; what is returned adds to it: `diagnostics.error(span, "…").help("…")`.
    pub fn error(&self, span: Span, message: impl Into<String>) -> Pending<'_> {
        self.push(Diagnostic::new(span, message))
    }

    /// Adds a diagnostic.
    pub fn push(&self, diagnostic: Diagnostic) -> Pending<'_> {
        let found = &mut *self.found.borrow_mut();
        let next = found.list.len();
        let index = *found.index.entry((diagnostic.span, diagnostic.message.clone())).or_insert(next);
        if index == next {
            found.list.push(diagnostic);
        }
        Pending { diagnostics: self, index }
    }

    /// Adds several.
    pub fn extend(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            self.push(diagnostic);
        }
    }

    /// Is nothing wrong?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.borrow().list.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.borrow().list.len()
    }

    /// All of them in the order of the source.
    #[must_use]
    pub fn into_vec(self) -> Vec<Diagnostic> {
        let mut list = self.found.into_inner().list;
        list.sort_by(|a, b| (a.span.offset, &a.message).cmp(&(b.span.offset, &b.message)));
        list
    }
}

/// A diagnostic that was just added, to say more about it.
#[derive(Debug)]
pub struct Pending<'a> {
    diagnostics: &'a Diagnostics,
    index: usize,
}

impl Pending<'_> {
    /// Says what to do about it.
    #[allow(clippy::must_use_candidate, clippy::return_self_not_must_use)] // It is used as a statement.
    pub fn help(self, help: impl Into<String>) -> Self {
        self.change(|diagnostic| diagnostic.help = Some(help.into()))
    }

    /// Says something beside the mark.
    #[allow(clippy::must_use_candidate, clippy::return_self_not_must_use)]
    pub fn label(self, label: impl Into<String>) -> Self {
        self.change(|diagnostic| diagnostic.label = Some(label.into()))
    }

    /// Says where in the document it is.
    #[allow(clippy::must_use_candidate, clippy::return_self_not_must_use)]
    pub fn path(self, path: FieldPath) -> Self {
        self.change(|diagnostic| diagnostic.path = path)
    }

    fn change(self, change: impl FnOnce(&mut Diagnostic)) -> Self {
        if let Some(diagnostic) = self.diagnostics.found.borrow_mut().list.get_mut(self.index) {
            change(diagnostic);
        }
        self
    }
}
