use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use skewer_engine::FieldPath;

use crate::{Position, Span};

/// One error in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The message without a full stop. It contains the suggested name if there is one.
    pub message: String,
    /// The part of the text to which the message refers.
    pub span: Span,
    /// A short text beside the carets under the source line.
    pub label: Option<String>,
    /// Advice on how to correct the error, or a list of the known names.
    pub help: Option<String>,
    /// The field path of the error in the document, such as `cases[2].expect[0].when`. If the path is not known, it is
    /// the root.
    pub path: FieldPath,
}

impl Diagnostic {
    /// Creates a diagnostic that has only a span and a message.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { message: message.into(), span, label: None, help: None, path: FieldPath::root() }
    }

    /// Creates the diagnostic for a key that a map has twice. `span` is the second one, and `first` is the position of
    /// the first one.
    pub(super) fn duplicate_key(key: &str, span: Span, first: Position) -> Self {
        let help = format!("the first one is at line {}, column {}", first.line, first.column);
        Diagnostic { help: Some(help), ..Diagnostic::new(span, format!("the map has the key `{key}` twice")) }
    }
}

/// Maximum number of errors of a file that are reported. Further errors are only counted: nobody reads more, and each
/// error costs a search for similar names.
pub const MAX_DIAGNOSTICS: usize = 100;

/// A collector for the errors of a file. Errors can be added in any order and through a shared reference.
///
/// Diagnostics with the same message and the same span are kept only once, so a node that is checked twice, or reached
/// through an alias, is reported once. At most [`MAX_DIAGNOSTICS`] diagnostics are kept.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    collected: RefCell<UniqueDiagnostics>,
}

/// Diagnostics without duplicates. `index` maps a span and a message to the position in `list`.
#[derive(Clone, Debug, Default)]
pub(super) struct UniqueDiagnostics {
    list: Vec<Diagnostic>,
    index: HashMap<(Span, String), usize>,
    /// The spans of the errors beyond the maximum, which are only counted.
    omitted: HashSet<Span>,
}

impl UniqueDiagnostics {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl From<UniqueDiagnostics> for Diagnostics {
    fn from(collected: UniqueDiagnostics) -> Self {
        Diagnostics { collected: RefCell::new(collected) }
    }
}

impl Diagnostics {
    /// Creates an empty collector.
    #[must_use]
    pub fn new() -> Self {
        Diagnostics::default()
    }

    /// Adds an error. The returned handle adds details to the error: `diagnostics.error(span, "…").help("…")`.
    pub fn error(&self, span: Span, message: impl Into<String>) -> AddedDiagnostic<'_> {
        self.push(Diagnostic::new(span, message))
    }

    /// Adds a diagnostic.
    pub fn push(&self, diagnostic: Diagnostic) -> AddedDiagnostic<'_> {
        let collected = &mut *self.collected.borrow_mut();
        let next = collected.list.len();
        if next >= MAX_DIAGNOSTICS {
            let known = collected.index.get(&(diagnostic.span, diagnostic.message)).copied();
            if known.is_none() {
                collected.omitted.insert(diagnostic.span);
            }
            return AddedDiagnostic { diagnostics: self, index: known.unwrap_or(usize::MAX) };
        }
        let index = *collected.index.entry((diagnostic.span, diagnostic.message.clone())).or_insert(next);
        if index == next {
            collected.list.push(diagnostic);
        }
        AddedDiagnostic { diagnostics: self, index }
    }

    /// Adds several diagnostics.
    pub fn extend(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            self.push(diagnostic);
        }
    }

    /// Counts an error without keeping a diagnostic. Use this when [`Diagnostics::is_full`] returns true.
    pub fn count(&self, span: Span) {
        self.collected.borrow_mut().omitted.insert(span);
    }

    /// Returns true if further diagnostics are only counted, so that their details need not be computed.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.collected.borrow().list.len() >= MAX_DIAGNOSTICS
    }

    /// Returns true if a diagnostic is about a part of a span.
    #[must_use]
    pub fn has_error_in(&self, span: Span) -> bool {
        let collected = self.collected.borrow();
        collected.list.iter().any(|diagnostic| {
            let inner = diagnostic.span;
            span.offset <= inner.offset && inner.end() <= span.end()
        })
    }

    /// Returns the number of errors that were counted but not kept.
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.collected.borrow().omitted.len()
    }

    /// Returns true if no diagnostic was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.collected.borrow().list.is_empty()
    }

    /// Returns the number of diagnostics that are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.collected.borrow().list.len()
    }

    /// Returns the collected diagnostics as a value that can be shared between threads.
    pub(super) fn into_collected(self) -> UniqueDiagnostics {
        self.collected.into_inner()
    }

    /// Returns the diagnostics, sorted by their position in the source.
    #[must_use]
    pub fn into_vec(self) -> Vec<Diagnostic> {
        let mut list = self.collected.into_inner().list;
        list.sort_by(|a, b| (a.span.offset, &a.message).cmp(&(b.span.offset, &b.message)));
        list
    }
}

/// A handle that adds details to a diagnostic that was just added.
#[derive(Debug)]
pub struct AddedDiagnostic<'a> {
    diagnostics: &'a Diagnostics,
    index: usize,
}

impl AddedDiagnostic<'_> {
    /// Sets the advice.
    #[allow(clippy::must_use_candidate, clippy::return_self_not_must_use)] // It is used as a statement.
    pub fn help(self, help: impl Into<String>) -> Self {
        self.update(|diagnostic| diagnostic.help = Some(help.into()))
    }

    /// Sets the label beside the carets.
    #[allow(clippy::must_use_candidate, clippy::return_self_not_must_use)]
    pub fn label(self, label: impl Into<String>) -> Self {
        self.update(|diagnostic| diagnostic.label = Some(label.into()))
    }

    /// Sets the field path in the document.
    #[allow(clippy::must_use_candidate, clippy::return_self_not_must_use)]
    pub fn path(self, path: FieldPath) -> Self {
        self.update(|diagnostic| diagnostic.path = path)
    }

    fn update(self, update: impl FnOnce(&mut Diagnostic)) -> Self {
        if let Some(diagnostic) = self.diagnostics.collected.borrow_mut().list.get_mut(self.index) {
            update(diagnostic);
        }
        self
    }
}
