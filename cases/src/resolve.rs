//! From a file as it is written to a suite whose cells can be run.

use std::sync::Arc;

use skewer_engine::ErrorKind;
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::Precondition;
use skewer_engine::profile::Profile;

use crate::axes::{self, unknown};
use crate::documents;
use crate::format::{
    AnswerFile, CaseFile, DeclareFile, ExpectationFile, Named, RequestName, SettingFile, SourceFile,
    SuiteFile, ThreeWayFile,
};
use crate::model::{
    Answer, Axis, Case, Expectation, Location, Operands, PartySpec, Promise, Setting, Source, Suite,
    ThreeWayOperands,
};
use crate::parties::Views;
use crate::schemas::{self, Schemas};
use crate::twin;
use crate::types::Declaration;
use crate::yaml::{Diagnostics, Document, Spanned};

/// Resolves a suite. Everything that is wrong is reported; what could be resolved is returned all the same.
pub(crate) fn suite(
    file: &SuiteFile,
    name: &str,
    all: &DirectiveSet,
    document: &Document,
    diagnostics: &Diagnostics,
) -> Suite {
    let is_sound = diagnostics.is_empty();
    let resolver = Resolver { suite: file, file: name.into(), all, document, is_sound, diagnostics };
    let mut schemas = Schemas::default();
    let mut cases: Vec<Case> = Vec::new();
    for case in &file.cases {
        axes::name_is_plain(&case.id, "a case", diagnostics);
        if cases.iter().any(|held| *held.id == *case.id.value) {
            diagnostics.error(case.id.span, format!("the case `{}` is in the suite twice", case.id));
            continue;
        }
        if let Some(resolved) = resolver.case(case, &mut schemas) {
            let twin = twin::resolve(case, &resolved, &cases, diagnostics);
            cases.push(Case { no_worse_than: twin.map(Box::new), ..resolved });
        }
    }
    if file.cases.is_empty() {
        diagnostics.error(file.suite.span, "the suite has no cases");
    }
    Suite { name: file.suite.value.clone(), about: file.about.clone(), file: name.to_owned(), cases }
}

/// Reads the name of a profile.
pub(crate) fn profile(name: &Spanned<String>, diagnostics: &Diagnostics) -> Option<Profile> {
    let profile = Profile::from_name(name);
    if profile.is_none() {
        diagnostics
            .error(name.span, format!("there is no profile `{name}`"))
            .help("there is today, proposed, and kubernetes-1.N for each release");
    }
    profile
}

struct Resolver<'a> {
    suite: &'a SuiteFile,
    file: Arc<str>,
    /// The directives that there are.
    all: &'a DirectiveSet,
    document: &'a Document,
    /// Nothing was wrong with the file before it was resolved.
    is_sound: bool,
    diagnostics: &'a Diagnostics,
}

impl Resolver<'_> {
    fn case(&self, file: &CaseFile, schemas: &mut Schemas) -> Option<Case> {
        let told_before = self.diagnostics.len();
        let axes = axes::resolve(&self.suite.axes, &file.axes, self.diagnostics);
        let base = axes::setting(&own_setting(file), self.diagnostics);
        let operands = self.operands(file, &axes, &base);
        let mut excluded = Vec::new();
        for exclusion in self.suite.exclude.iter().chain(&file.exclude) {
            excluded.push(axes::condition(&exclusion.when.value, &axes, self.diagnostics));
        }
        let promise = self.promise_of(file, &axes, operands.as_ref());
        let expectations: Vec<_> = file
            .expect
            .iter()
            .map(|expectation| self.expectation(expectation, &axes, operands.as_ref()))
            .collect();
        let needs_no_schema = matches!(
            operands,
            Some(
                Operands::JsonMergeApply
                    | Operands::JsonMergeTwoWay
                    | Operands::JsonMergeThreeWay(_)
                    | Operands::JsonPatchApply
                    | Operands::Declare(_)
            )
        );
        let views = self.views(file, (&axes, &base), needs_no_schema, schemas)?;
        let source = self.source(file.source.as_ref().or(self.suite.source.as_ref()));
        let case = Case {
            suite: self.suite.suite.value.as_str().into(),
            id: file.id.value.as_str().into(),
            about: file.about.as_deref().unwrap_or(&self.suite.about).into(),
            level: file.level.or(self.suite.level).unwrap_or_default(),
            source,
            kep: file.kep.clone(),
            issue: file.issue.clone(),
            operands: operands?,
            axes,
            promise,
            expectations,
            no_worse_than: None,
            excluded,
            base,
            views,
        };
        // What is missing most likely follows from what is wrong.
        if self.is_sound && self.diagnostics.len() == told_before {
            crate::check::documents(&case, file, self.diagnostics);
            crate::check::totality(&case, file, self.suite, self.diagnostics);
        }
        Some(case)
    }

    /// What the case does follows from the documents that it has.
    fn operands(&self, file: &CaseFile, axes: &[Axis], base: &Setting) -> Option<Operands> {
        let any =
            |of: fn(&Setting) -> bool| of(base) || axes.iter().any(|a| a.values.iter().any(|(_, s)| of(s)));
        let skew = any(|s| s.intent.is_some());
        let apply = any(|s| s.patch.is_some());
        let diff = any(|s| s.modified.is_some());
        let json = base.request == Some(RequestName::JsonMergePatch);
        let found =
            [skew, apply, diff, file.merge.is_some(), file.conflicts.is_some(), file.declare.is_some()]
                .iter()
                .filter(|is| **is)
                .count();
        if found != 1 {
            let what = if found == 0 { "does nothing" } else { "does several things" };
            self.diagnostics.error(file.id.span, format!("the case `{}` {what}", file.id)).help(
                "it has `live` and `intent` (skew), `live` and `patch` (apply), `original` and `modified` (two-way), \
                 `last-applied`, `modified` and `live` (three-way), `merge`, `conflicts`, or `declare`",
            );
            return None;
        }
        self.request_fits(file, axes, skew);
        if let Some(declare) = &file.declare {
            return self.declaration(declare, file).map(Operands::Declare);
        }
        if apply && base.request == Some(RequestName::JsonPatch) {
            return Some(Operands::JsonPatchApply);
        }
        let how = || three_way(file.three_way.clone().unwrap_or_default());
        let three = diff && any(|s| s.last_applied.is_some());
        if let Some(conflicts) = &file.conflicts {
            let [left, right] = conflicts.as_slice() else {
                self.diagnostics.error(file.id.span, "`conflicts` compares two patches");
                return None;
            };
            return Some(Operands::Conflicts(left.clone(), right.clone()));
        }
        Some(match (skew, apply, three, json) {
            (true, ..) => Operands::Skew,
            (_, true, _, false) => Operands::Apply,
            (_, true, _, true) => Operands::JsonMergeApply,
            (_, _, true, false) => Operands::ThreeWay(how()),
            (_, _, true, true) => Operands::JsonMergeThreeWay(how()),
            _ if diff && json => Operands::JsonMergeTwoWay,
            _ if diff => Operands::TwoWay,
            _ => Operands::Merge(file.merge.clone().unwrap_or_default()),
        })
    }

    /// A skew case sends what a client can create from documents; a patch case is in a format.
    fn request_fits(&self, file: &CaseFile, axes: &[Axis], skew: bool) {
        let in_axes = axes.iter().flat_map(|axis| axis.values.iter().filter_map(|(_, s)| s.request));
        if skew && file.request.into_iter().chain(in_axes).any(|request| request.request().is_none()) {
            self.diagnostics
                .error(file.id.span, format!("`json-patch` is no request of the skew case `{}`", file.id))
                .help(
                    "no client makes one from documents: write the patch, in a case with `live` and `patch`",
                );
        }
        let formats = [RequestName::StrategicMergePatch, RequestName::JsonMergePatch, RequestName::JsonPatch];
        if let Some(request) = file.request.filter(|request| !skew && !formats.contains(request)) {
            let message = format!("`{}` is no format of the patch in the case `{}`", request.name(), file.id);
            self.diagnostics.error(file.id.span, message).help(
                "there is strategic-merge-patch (the default), json-merge-patch and json-patch; `update`, `create` and \
                 `apply` are for skew cases, which have an `intent`",
            );
        }
    }

    fn declaration(&self, declare: &DeclareFile, file: &CaseFile) -> Option<Declaration> {
        match (&declare.go, declare.openapi.as_ref()) {
            (Some(text), None) => Some(Declaration::Go(text.value.clone())),
            (None, Some(document)) => Some(Declaration::OpenApi(document.value.clone())),
            _ => {
                self.diagnostics
                    .error(file.id.span, "types are declared by `go` or by `openapi`")
                    .help("say exactly one of them under `declare`");
                None
            }
        }
    }

    fn views(
        &self,
        file: &CaseFile,
        (axes, base): (&[Axis], &Setting),
        needs_no_schema: bool,
        schemas: &mut Schemas,
    ) -> Option<Views> {
        let Some(schema) = file.schema.as_ref().or(self.suite.schema.as_ref()) else {
            if needs_no_schema {
                return Some(Views::new(schemas::anything()?, Profile::Today, self.all.clone()));
            }
            self.diagnostics
                .error(file.id.span, format!("the case `{}` has no schema", file.id))
                .help("say `schema:` for the suite or for the case");
            return None;
        };
        let everything = schemas.resolve(schema, self.document, self.diagnostics)?;
        let profile = file.profile.as_ref().or(self.suite.profile.as_ref());
        let profile = profile.map_or(Some(Profile::Today), |name| self::profile(name, self.diagnostics))?;
        let builtin_root = schema.builtin.as_ref().map(|_| schema.root.value.clone());
        let mut views = Views::new(everything, profile, self.all.clone()).with_builtin_root(builtin_root);
        for party in parties(axes, base) {
            if let Err(error) = views.prepare(&party) {
                self.diagnostics.error(file.id.span, format!("a party of the case `{}`: {error}", file.id));
                return None;
            }
        }
        Some(views)
    }

    fn source(&self, file: Option<&SourceFile>) -> Option<Source> {
        let file = file?;
        let cited = || Source {
            document: file.document.value.as_str().into(),
            section: file.section.value.as_str().into(),
        };
        let Some(document) = documents::document(&file.document) else {
            // The headings of other people's documents are theirs.
            if file.document.starts_with("https://") || file.document.starts_with("http://") {
                return Some(cited());
            }
            let names = documents::DOCUMENTS.iter().map(|d| d.name);
            unknown(&file.document, "document", names, self.diagnostics);
            return None;
        };
        if !document.sections.contains(&file.section.as_str()) {
            let what = format!("section of {}", document.name);
            unknown(&file.section, &what, document.sections.iter().copied(), self.diagnostics);
        }
        Some(cited())
    }

    /// A suite's promise says nothing of the patch cases that it may have beside its skew cases.
    fn promise_of(&self, file: &CaseFile, axes: &[Axis], operands: Option<&Operands>) -> Option<Promise> {
        if matches!(operands, Some(Operands::Skew) | None) {
            let before = if file.before.0.is_empty() { &self.suite.before } else { &file.before };
            return self.promise(before, axes);
        }
        if let Some((name, _)) = file.before.0.first() {
            let message = "`before` is for skew cases: a patch case has one result, whatever was before";
            self.diagnostics.error(name.span, message).help("remove it");
        }
        None
    }

    fn promise(&self, before: &Named<Spanned<String>>, axes: &[Axis]) -> Option<Promise> {
        let mut fixed = Vec::new();
        for (name, value) in &before.0 {
            let when = Named(vec![(name.clone(), crate::format::OneOrMore(vec![value.clone()]))]);
            let condition = axes::condition(&when, axes, self.diagnostics);
            fixed.extend(condition.0.iter().filter_map(|(axis, values)| Some((*axis, *values.first()?))));
        }
        (!fixed.is_empty()).then_some(Promise { fixed })
    }

    fn expectation(
        &self,
        file: &Spanned<ExpectationFile>,
        axes: &[Axis],
        operands: Option<&Operands>,
    ) -> Expectation {
        let own = AnswerFile {
            outcome: file.outcome,
            result: file.result.clone(),
            error: file.error.clone(),
            rule: file.rule.clone(),
        };
        // What is written, of which a misspelt error is one; it was told already that there is none such.
        let written =
            if file.any_of.is_empty() { std::slice::from_ref(&own) } else { file.any_of.as_slice() };
        let answers: Vec<Answer> = written.iter().map(|answer| self.answer(answer)).collect();
        let span = file.span;
        let skew = matches!(operands, Some(Operands::Skew) | None);
        let said = |answer: &AnswerFile| {
            answer.outcome.is_some() || answer.result.as_ref().is_some() || answer.error.is_some()
        };
        if !written.iter().all(said) {
            self.diagnostics.error(span, "the expectation expects nothing").help(if skew {
                "say an `outcome`, a `result` or an `error`"
            } else {
                "say a `result` or an `error`"
            });
        }
        if !skew && written.iter().any(|answer| answer.outcome.is_some()) {
            self.diagnostics
                .error(span, "`outcome` is for skew cases; this one has a `result` or an `error`")
                .help("a skew case has `live`, `intent` and `request`");
        }
        let declares = matches!(operands, Some(Operands::Declare(_)));
        if !declares && written.iter().any(|answer| answer.rule.is_some()) {
            self.diagnostics.error(span, "`rule` is for cases that `declare` types").help("remove it");
        }
        if declares && written.iter().any(|answer| answer.error.is_none()) {
            self.diagnostics
                .error(span, "types that a case declares are to be refused")
                .help("say an `error`; types that are good are those of any other case");
        }
        let condition = axes::condition(&file.when, axes, self.diagnostics);
        let line = self.document.position(span).line;
        let location = Location { file: Arc::clone(&self.file), line };
        Expectation {
            condition,
            answers,
            worse: file.worse,
            because: file.reason().map(Into::into),
            location,
        }
    }

    fn answer(&self, file: &AnswerFile) -> Answer {
        let error = file.error.as_ref().and_then(|name| {
            let kind = ErrorKind::from_id(name);
            if kind.is_none() {
                let ids = ErrorKind::ALL.iter().map(|kind| kind.id());
                unknown(name, "kind of error", ids, self.diagnostics);
            }
            kind
        });
        let rule = file.rule.as_ref().and_then(|name| {
            let found = crate::types::rules().find(|rule| *rule == name.as_str());
            if found.is_none() {
                unknown(name, "rule of declarations", crate::types::rules(), self.diagnostics);
            }
            found
        });
        Answer { outcome: file.outcome.map(Into::into), result: file.result.as_ref().cloned(), error, rule }
    }
}

/// Every party that a point of the matrix can have, so that its view is made before the run.
fn parties(axes: &[Axis], base: &Setting) -> Vec<PartySpec> {
    let side = |of: fn(&Setting) -> &PartySpec| {
        let mut specs = vec![of(base).clone()];
        for axis in axes {
            if axis.values.iter().all(|(_, setting)| of(setting).sees_everything()) {
                continue;
            }
            specs = specs
                .iter()
                .flat_map(|spec| {
                    axis.values.iter().map(|(_, setting)| {
                        let mut spec = spec.clone();
                        spec.overlay(of(setting));
                        spec
                    })
                })
                .collect();
        }
        specs
    };
    let mut parties = side(|setting| &setting.client);
    parties.extend(side(|setting| &setting.server));
    parties
}

fn own_setting(file: &CaseFile) -> SettingFile {
    SettingFile {
        client: file.client.clone(),
        server: file.server.clone(),
        live: file.live.clone(),
        last_applied: file.last_applied.clone(),
        patch: file.patch.clone(),
        original: file.original.clone(),
        modified: file.modified.clone(),
        intent: file.intent.clone(),
        request: file.request,
    }
}

fn three_way(file: ThreeWayFile) -> ThreeWayOperands {
    let keys = file.keys_unchanged.into_iter().map(|key| Precondition::KeyUnchanged(key.into()));
    let metadata =
        file.metadata_keys_unchanged.into_iter().map(|key| Precondition::MetadataKeyUnchanged(key.into()));
    ThreeWayOperands { overwrite: file.overwrite, preconditions: keys.chain(metadata).collect::<Vec<_>>() }
}
