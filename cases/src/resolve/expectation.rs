//! Converts the expectations of a case to the checked model.

use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::field_path::needs_quotes;
use skewer_engine::{ErrorKind, FieldPath, InvalidFieldPath};
use skewer_skew::{
    OperationDeclaration, OperationKind, Outcome, Selector, SelectorStep, without_managed_fields,
};
use skewer_yaml::{Diagnostics, ParsedFile, Span, Spanned};

use super::axes::{CaseAxes, resolve_condition};
use crate::format::{
    BaseName, ConflictSpec, ExpectationSpec, ExpectedAnswerSpec, FinalStateSpec, OutcomeName, OwnerSpec,
};
use crate::managed_fields::{FieldOwner, readable_managed_fields};
use crate::model::{
    BaseDocument, CaseOperation, ConditionalFinalState, EditedDocument, Expectation, ExpectedAnswer,
    ExpectedConflict, PinnedError, PinnedFinalState, SuiteLine,
};
use crate::names::{report_unknown, report_unknown_directive};
use crate::types::declaration_rules;

/// Converts the expectations of one case.
pub(super) struct ExpectationResolver<'a> {
    pub(super) axes: CaseAxes<'a>,
    /// The operation of the case; `None` if an error was reported for the operation.
    pub(super) operation: Option<&'a CaseOperation>,
    /// Whether one of the requests of the case is a server-side apply, so that fields have owners.
    pub(super) has_server_side_apply: bool,
    /// Whether a compatibility promise covers cells of the case.
    pub(super) has_promise: bool,
    pub(super) all_directives: &'a DirectiveSet,
    pub(super) file_name: &'a Arc<str>,
    pub(super) file: &'a ParsedFile,
    pub(super) diagnostics: &'a Diagnostics,
}

impl ExpectationResolver<'_> {
    pub(super) fn resolve(&self, spec: &Spanned<ExpectationSpec>) -> Expectation {
        let single = ExpectedAnswerSpec {
            outcome: spec.outcome,
            result: spec.result.clone(),
            exact: spec.exact,
            error: spec.error.clone(),
            directive: spec.directive.clone(),
            rule: spec.rule.clone(),
            at: spec.at.clone(),
            conflicts: spec.conflicts.clone(),
            owners: spec.owners.clone(),
        };
        let specs =
            if spec.any_of.is_empty() { std::slice::from_ref(&single) } else { spec.any_of.as_slice() };
        self.check_alternatives(&single, spec);
        if spec.because.as_ref().is_some_and(|because| because.trim().is_empty()) {
            self.diagnostics
                .error(spec.span, "the `because` of the expectation is empty")
                .help("write the reason, or remove the key");
        }
        let answers: Vec<ExpectedAnswer> = specs.iter().map(|answer| self.resolve_answer(answer)).collect();
        self.check_answers(specs, spec);
        for answer in specs {
            self.check_contradictions(answer, spec);
        }
        let condition = resolve_condition(&spec.when, self.axes, self.diagnostics);
        Expectation {
            condition,
            answers,
            final_states: spec
                .final_states
                .iter()
                .filter_map(|state| self.resolve_final_state(state, spec))
                .collect(),
            worse: spec.worse,
            because: spec.reason().map(Into::into),
            location: self.location(spec.span),
        }
    }

    fn location(&self, span: Span) -> SuiteLine {
        SuiteLine { file: Arc::clone(self.file_name), line: self.file.position(span).line }
    }

    /// Reports keys of an answer beside `any-of`, which would have no effect. `single` has these keys.
    fn check_alternatives(&self, single: &ExpectedAnswerSpec, spec: &Spanned<ExpectationSpec>) {
        let given = [
            ("outcome", single.outcome.is_some()),
            ("result", single.result.as_ref().is_some()),
            ("exact", single.exact.is_some()),
            ("error", single.error.is_some()),
            ("directive", single.directive.is_some()),
            ("rule", single.rule.is_some()),
            ("at", single.at.is_some()),
            ("conflicts", single.conflicts.is_some()),
            ("owners", single.owners.is_some()),
        ];
        let names: Vec<String> =
            given.iter().filter(|(_, given)| *given).map(|(name, _)| format!("`{name}`")).collect();
        if !spec.any_of.is_empty() && !names.is_empty() {
            self.diagnostics
                .error(
                    spec.span,
                    format!("`any-of` stands alone: move {} into its answers", names.join(", ")),
                )
                .help("beside `any-of`, an expectation has only `when`, `because`, `cites` and `worse`");
        }
    }

    /// Reports an answer that no cell can give, because its parts exclude each other.
    fn check_contradictions(&self, answer: &ExpectedAnswerSpec, spec: &Spanned<ExpectationSpec>) {
        let report = |what: &str, help: &str| {
            self.diagnostics.error(spec.span, format!("no cell can meet the expectation: {what}")).help(help);
        };
        let (is_refused, is_stored) = match answer.outcome {
            // The old client on the old server can have been refused as well.
            None | Some(OutcomeName::AsBefore) => (false, false),
            Some(OutcomeName::Refused | OutcomeName::Rejected) => (true, false),
            Some(_) => (false, true),
        };
        let outcome = answer.outcome.map_or("", |outcome| Outcome::from(outcome).name());
        let (has_error, has_result) = (answer.error.is_some(), answer.result.as_ref().is_some());
        let expects_document = |state: &Spanned<FinalStateSpec>| state.error.is_none();
        if has_error && has_result {
            report("it has a `result` and an `error`", "remove one of them");
        } else if is_stored && has_error {
            let help = "remove the `error`, or expect `refused` or `rejected`";
            report(&format!("with the outcome `{outcome}`, an object is stored"), help);
        } else if is_refused && has_result {
            let help = "remove the `result`, or expect another outcome";
            report(&format!("with the outcome `{outcome}`, no object is stored"), help);
        } else if (is_stored || has_result) && !spec.final_states.iter().all(expects_document) {
            report("an object is stored, but a final state is an error", "correct one of them");
        } else if (is_refused || has_error) && spec.final_states.iter().any(expects_document) {
            report("the request is refused, but a final state is a document", "correct one of them");
        }
        if answer.outcome == Some(OutcomeName::AsBefore)
            && !self.has_promise
            && self.operation == Some(&CaseOperation::Skew)
        {
            let help =
                "name the point of the old client and the old server: `before: {client: old, server: old}`";
            report("the outcome `as-before` needs a promise, and the case has no `before`", help);
        }
    }

    /// Reports answers that are empty or do not fit the operation. The answers are checked as written: a misspelt error
    /// name counts as an error here, because the unknown name is reported elsewhere.
    fn check_answers(&self, answers: &[ExpectedAnswerSpec], spec: &Spanned<ExpectationSpec>) {
        let span = spec.span;
        let is_skew = matches!(self.operation, Some(CaseOperation::Skew) | None);
        let is_given = |answer: &ExpectedAnswerSpec| {
            answer.outcome.is_some()
                || answer.result.as_ref().is_some()
                || answer.error.is_some()
                || answer.owners.is_some()
        };
        // A misspelt value was left out, and is reported already.
        if !answers.iter().all(is_given) && !self.diagnostics.has_error_in(span) {
            self.diagnostics.error(span, "the expectation expects nothing").help(if is_skew {
                "add an `outcome`, a `result` or an `error`"
            } else {
                "add a `result` or an `error`"
            });
        }
        if !is_skew && answers.iter().any(|answer| answer.outcome.is_some()) {
            self.diagnostics
                .error(span, "`outcome` is for skew cases: expected a `result` or an `error`")
                .help("a skew case has `live`, `intent` and `request`");
        }
        let is_declare = matches!(self.operation, Some(CaseOperation::Declare(_)));
        if !is_declare && self.operation.is_some() && answers.iter().any(|answer| answer.rule.is_some()) {
            self.diagnostics.error(span, "`rule` is for cases that `declare` types").help("remove `rule`");
        }
        if is_declare && answers.iter().any(|answer| answer.error.is_none()) {
            self.diagnostics
                .error(span, "an expectation about declared types must have an `error`")
                .help("add an `error`; to show that types are valid, write a case that uses them");
        }
    }

    /// Converts an ideal. Returns `None` after reporting an error.
    pub(super) fn resolve_ideal(&self, spec: &Spanned<FinalStateSpec>) -> Option<ConditionalFinalState> {
        if let Some(base) = spec.of.as_ref().filter(|base| base.value == BaseName::Ideal) {
            self.diagnostics
                .error(base.span, "an ideal cannot be made from the ideal")
                .help("write `of: live`, or the whole document (`result`)");
        }
        self.resolve_pinned_state(spec)
    }

    /// Converts a final state of an expectation. Returns `None` after reporting an error.
    fn resolve_final_state(
        &self,
        spec: &Spanned<FinalStateSpec>,
        expectation: &ExpectationSpec,
    ) -> Option<ConditionalFinalState> {
        let is_skew = matches!(self.operation, Some(CaseOperation::Skew) | None);
        if !expectation.any_of.is_empty() {
            self.diagnostics
                .error(spec.span, "`final-states` and `any-of` cannot be combined")
                .help("write the `result` or the `error` of each answer");
        } else if !is_skew && spec.error.is_none() {
            self.diagnostics
                .error(spec.span, "the final states of a patch case are errors")
                .help("write `error` and `at` here, and a `result` in the expectation");
        }
        self.resolve_pinned_state(spec)
    }

    fn resolve_pinned_state(&self, spec: &Spanned<FinalStateSpec>) -> Option<ConditionalFinalState> {
        let given = [spec.result.as_ref().is_some(), spec.of.is_some(), spec.error.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            self.diagnostics
                .error(spec.span, "a final state needs exactly one of `result`, `of` and `error`")
                .help("write a stored document (`result`), edits (`of`, `set`, `remove`) or an error (`error`, `at`)");
        }
        if spec.of.is_none() && !(spec.set.0.is_empty() && spec.remove.is_empty()) {
            self.diagnostics
                .error(spec.span, "`set` and `remove` need `of`")
                .help("write `of: live` or `of: ideal`, the document to edit");
        }
        if spec.at.is_some() && spec.error.is_none() {
            self.diagnostics.error(spec.span, "`at` is the field path of an `error`").help("add `error`");
        }
        let set =
            spec.set.0.iter().filter_map(|(path, value)| Some((self.resolve_path(path)?, value.clone())));
        let state = match (&spec.of, spec.result.as_ref(), &spec.error) {
            (Some(base), _, _) => PinnedFinalState::Edited(EditedDocument {
                base: match base.value {
                    BaseName::Live => BaseDocument::Live,
                    BaseName::Ideal => BaseDocument::Ideal,
                },
                set: set.collect(),
                remove: spec.remove.iter().filter_map(|path| self.resolve_path(path)).collect(),
            }),
            (None, Some(document), _) if self.has_server_side_apply => {
                PinnedFinalState::Document(without_managed_fields(document.clone()))
            }
            (None, Some(document), _) => PinnedFinalState::Document(document.clone()),
            (None, None, error) => PinnedFinalState::Refused(PinnedError {
                kind: self.resolve_error_kind(error.as_ref()?)?,
                path: spec.at.as_ref().and_then(|path| self.resolve_path(path)),
            }),
        };
        Some(ConditionalFinalState {
            location: self.location(spec.span),
            condition: resolve_condition(&spec.when, self.axes, self.diagnostics),
            state,
        })
    }

    fn resolve_path(&self, text: &Spanned<String>) -> Option<FieldPath> {
        match text.parse() {
            Ok(path) => Some(path),
            Err(error) => {
                self.diagnostics.error(text.span, InvalidFieldPath::to_string(&error));
                None
            }
        }
    }

    fn resolve_error_kind(&self, name: &Spanned<String>) -> Option<ErrorKind> {
        let kind = ErrorKind::from_id(name);
        if kind.is_none() {
            let ids = ErrorKind::ALL.iter().map(|kind| kind.id());
            report_unknown(name, "kind of error", ids, self.diagnostics);
        }
        kind
    }

    fn resolve_answer(&self, spec: &ExpectedAnswerSpec) -> ExpectedAnswer {
        let error = spec.error.as_ref().and_then(|name| self.resolve_error_kind(name));
        if let Some(path) = spec.at.as_ref().filter(|_| spec.error.is_none()) {
            self.diagnostics.error(path.span, "`at` is the field path of an `error`").help("add `error`");
        }
        let directive = spec.directive.as_ref().and_then(|name| {
            if error != Some(ErrorKind::InvalidDirective) {
                self.diagnostics
                    .error(name.span, "`directive` is for the error `invalid-directive`")
                    .help("remove `directive`");
                return None;
            }
            if !self.all_directives.knows(name) {
                report_unknown_directive(name, self.all_directives, self.diagnostics);
            }
            Some(name.value.as_str().into())
        });
        let rule = spec.rule.as_ref().and_then(|name| {
            let tags = self.all_directives.metadata_tags();
            let rule = declaration_rules(&tags).find(|rule| *rule == name.as_str());
            if rule.is_none() {
                report_unknown(name, "rule of declarations", declaration_rules(&tags), self.diagnostics);
            }
            rule
        });
        let takes_field_manager =
            self.operation.and_then(CaseOperation::declaration).is_some_and(|of| of.takes_field_manager);
        let result = spec.result.as_ref().cloned();
        ExpectedAnswer {
            outcome: spec.outcome.map(Into::into),
            result: match result {
                Some(result) if takes_field_manager => Some(readable_managed_fields(result)),
                // Final states have no managed fields: an expectation lists the owners instead.
                Some(result) if self.has_server_side_apply => Some(without_managed_fields(result)),
                result => result,
            },
            is_exact: self.resolve_exact(spec),
            error,
            path: spec.at.as_ref().and_then(|path| self.resolve_path(path)),
            directive,
            rule,
            conflicts: spec.conflicts.as_ref().map(|conflicts| self.resolve_conflicts(conflicts, error)),
            owners: spec.owners.as_ref().map(|owners| self.resolve_owners(owners, spec)),
        }
    }

    /// Returns whether the result must be exact. Reports the key in a case in which every result is exact or none is.
    fn resolve_exact(&self, spec: &ExpectedAnswerSpec) -> bool {
        let Some(exact) = &spec.exact else { return false };
        let declaration = self.operation.and_then(CaseOperation::declaration);
        if self.operation.is_some() && !declaration.is_some_and(OperationDeclaration::is_request) {
            self.diagnostics.error(exact.span, "`exact` is for cases with a `body`").help(
                "remove `exact`: a server stores no object in this case, or its unset fields do not count",
            );
        } else if spec.result.as_ref().is_none() {
            self.diagnostics.error(exact.span, "`exact` needs a `result`").help("add the `result`");
        }
        exact.value
    }

    fn resolve_conflicts(
        &self,
        specs: &Spanned<Vec<ConflictSpec>>,
        error: Option<ErrorKind>,
    ) -> Vec<ExpectedConflict> {
        let has_conflicts = match self.operation {
            Some(CaseOperation::Skew) => self.has_server_side_apply,
            Some(operation) => operation.declaration().is_some_and(OperationDeclaration::takes_force),
            None => true,
        };
        if !has_conflicts {
            let kinds = OperationKind::ALL.iter().filter(|kind| kind.declaration().takes_force());
            let names = kinds.map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(" and ");
            self.diagnostics
                .error(specs.span, format!("`conflicts` is for the error of {names}"))
                .help("remove `conflicts`");
        } else if error != Some(ErrorKind::Conflict) {
            self.diagnostics
                .error(specs.span, "`conflicts` is for the error `conflict`")
                .help("add `error: conflict`");
        }
        for path in specs.iter().map(|conflict| &conflict.path) {
            self.check_field_set_path(path);
        }
        let conflict = |spec: &ConflictSpec| ExpectedConflict {
            manager: spec.manager.clone(),
            path: spec.path.value.clone(),
        };
        let mut conflicts: Vec<_> = specs.iter().map(conflict).collect();
        conflicts.sort_unstable();
        conflicts
    }

    /// Reports a path that is not in the notation of field sets, because no owner can have it.
    fn check_field_set_path(&self, path: &Spanned<String>) {
        let Some(written) = field_set_path(path).filter(|written| written != &path.value) else { return };
        self.diagnostics
            .error(
                path.span,
                format!("`{path}` is not in the notation of field sets: did you mean `{written}`?"),
            )
            .help("a path begins with a dot, and values are JSON: '.listeners[name=\"https\"].port'");
    }

    fn resolve_owners(
        &self,
        specs: &Spanned<Vec<OwnerSpec>>,
        answer: &ExpectedAnswerSpec,
    ) -> Vec<FieldOwner> {
        let is_refused = matches!(answer.outcome, Some(OutcomeName::Refused | OutcomeName::Rejected));
        let is_skew = matches!(self.operation, Some(CaseOperation::Skew) | None);
        let report = |message: &str, help: &str| {
            self.diagnostics.error(specs.span, message).help(help);
        };
        if !is_skew {
            let help = "write the managed fields of the `result`, or write a skew case";
            report("`owners` is for skew cases", help);
        } else if is_refused || answer.error.is_some() {
            report(
                "`owners` is for an accepted request",
                "remove `owners`: a refused request changes no owner",
            );
        } else if !self.has_server_side_apply {
            let help = "remove `owners`: without a `server-side-apply`, the server keeps no managed fields";
            report("`owners` needs a request that is a `server-side-apply`", help);
        }
        for path in specs.iter().flat_map(|owner| &owner.fields) {
            self.check_field_set_path(path);
        }
        let owner = |spec: &OwnerSpec| {
            let mut fields: Vec<String> = spec.fields.iter().map(|path| path.value.clone()).collect();
            fields.sort_unstable();
            fields.dedup();
            FieldOwner {
                manager: spec.manager.clone(),
                operation: spec.operation,
                subresource: spec.subresource.clone().unwrap_or_default(),
                fields,
            }
        };
        let mut owners: Vec<_> = specs.iter().map(owner).collect();
        owners.sort_unstable();
        owners
    }
}

/// Returns the path in the notation of field sets for a path that is probably meant. Returns `None` if the path cannot be read,
/// or has keys that field sets write in another way.
fn field_set_path(path: &str) -> Option<String> {
    let text = path.strip_prefix('.').unwrap_or(path);
    let mut written = String::new();
    for step in text.parse::<Selector>().ok()?.steps() {
        match step {
            SelectorStep::Key(key) if needs_quotes(key) => return None,
            SelectorStep::Key(key) => written.extend([".", key]),
            SelectorStep::Index(index) => written.extend(["[", &index.to_string(), "]"]),
            SelectorStep::Matching(conditions) => {
                let conditions = conditions.iter().map(|(key, value)| format!("{key}={value}"));
                written.extend(["[", &conditions.collect::<Vec<_>>().join(","), "]"]);
            }
        }
    }
    Some(written)
}
