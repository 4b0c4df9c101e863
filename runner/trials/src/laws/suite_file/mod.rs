//! Rendering of an example as a suite file for the corpus.

mod go_source;

use skewer_cases::format::{
    AxesSpec, CaseSpec, ExpectationSpec, Level, OtherRequestSpec, PartySpec, RequestName, SchemaSpec,
    SettingSpec, SourceSpec, SuiteSpec,
};
use skewer_cases::yaml::OptionalField;
use skewer_engine::directive::Directive;
use skewer_engine::profile::Profile;
use skewer_engine::schema::SchemaElement;
use skewer_engine::{Error, OwnedDoc};
use skewer_skew::{Decoding, FinalState, Request, Role};

use super::format_change::{FormatChange, FormatVersion};
use super::law::{Law, ViolationKind};
use super::situation::{ClientIntent, PatchSource};
use super::trial::LawTrial;
use super::verdict::Example;

/// Renders an example as a suite file. Its expectations are the computed final states, so that its cells pass.
///
/// The file names the directive of the change. A proposed directive must therefore be added to the registry before the
/// file can be used. If several changes have a directive of the same name, and the name therefore does not identify the
/// change, the file instead contains the patches of the old and the new client, with their results on an old server.
pub(super) fn render(change: &FormatChange, example: &Example) -> String {
    let Some(trial) = LawTrial::new(change, &example.formats, &example.situation) else {
        return String::new();
    };
    let builder = SuiteBuilder { change, example, trial };
    let suite = match &example.situation.patch_source {
        PatchSource::Intent(intent) if change.has_distinct_name() => builder.with_skew_case(intent),
        _ => builder.with_patch_cases(),
    };
    suite.print()
}

/// Returns the name of the suite, which is the path of its file below the corpus folder.
pub(super) fn suite_name(change: &FormatChange, example: &Example) -> String {
    let mut name = String::from("laws/");
    let suffix = if example.violation == Some(ViolationKind::Refusal) { "-refused" } else { "" };
    for c in format!("{}-{}{suffix}", change.name, example.law.name()).chars() {
        match c {
            c if c.is_ascii_uppercase() => {
                // For example, `$retainKeys` becomes `retain-keys`.
                name.push('-');
                name.push(c.to_ascii_lowercase());
            }
            c if c.is_ascii_alphanumeric() => name.push(c),
            '-' | ' ' => name.push('-'),
            _ => {}
        }
    }
    name
}

struct SuiteBuilder<'a> {
    change: &'a FormatChange,
    example: &'a Example,
    trial: LawTrial<'a>,
}

impl SuiteBuilder<'_> {
    /// Returns the suite without its cases.
    fn heading(&self) -> SuiteSpec {
        let Example { law, situation, formats, why, .. } = self.example;
        let verb = if *law == Law::Benefit { "keeps" } else { "breaks" };
        let is_proposed = self.change.has_distinct_name() && self.profile() == Profile::Proposed;
        SuiteSpec {
            suite: suite_name(self.change, self.example).into(),
            about: format!(
                "{} {verb} the law \"{}\" with the other directives of {}: {why}. Shrunk from {}.",
                self.change.name,
                law.name(),
                formats.profile,
                situation.origin
            ),
            source: Some(SourceSpec {
                document: "strategic-merge-patch".into(),
                section: document_section(*law).into(),
            }),
            level: Some(if *law == Law::Benefit { Level::Recommended } else { Level::Erratum }),
            profile: is_proposed.then(|| "proposed".into()),
            directives: self
                .change
                .directive
                .form()
                .map(|form| (self.change.name, form.into()))
                .into_iter()
                .collect(),
            schema: Some(
                SchemaSpec::of_go(&go_source::go_source(&situation.types), &situation.root_type).into(),
            ),
            ..SuiteSpec::default()
        }
    }

    /// Returns the smallest profile that contains the directives of both parties.
    fn profile(&self) -> Profile {
        let today = Profile::Today.directives_among(&self.change.all_directives());
        let in_today = FormatVersion::ALL.iter().all(|version| {
            self.example.formats.directives(*version).iter().all(|directive| today.knows(directive.name()))
        });
        if in_today { Profile::Today } else { Profile::Proposed }
    }

    /// Returns the parties with the directives of each version.
    fn parties(&self) -> impl Iterator<Item = (&'static str, PartySpec)> {
        let profile = self.profile().directives_among(&self.change.all_directives());
        FormatVersion::ALL.into_iter().map(move |version| {
            let known = self.example.formats.directives(version);
            let missing = profile.iter().map(Directive::name).filter(|directive| !known.knows(directive));
            let without = missing.map(Into::into).collect();
            (version.name(), PartySpec { without, ..PartySpec::default() })
        })
    }

    fn axis<'n>(
        &self,
        name: &'n str,
        setting: fn(PartySpec) -> SettingSpec,
    ) -> (&'n str, Vec<(&'static str, SettingSpec)>) {
        (name, self.parties().map(|(version, party)| (version, setting(party))).collect())
    }

    fn server_axis(&self) -> (&'static str, Vec<(&'static str, SettingSpec)>) {
        self.axis("server", |server| SettingSpec { server: Some(server), ..SettingSpec::default() })
    }

    fn with_skew_case(&self, intent: &ClientIntent) -> SuiteSpec {
        let situation = &self.example.situation;
        let last_applied = intent.last_applied.iter().map(|document| (Role::LastApplied, document.clone()));
        let documents = last_applied.chain([(Role::Live, intent.live.clone())]);
        let meanwhile = intent.meanwhile.as_ref().map(|edits| OtherRequestSpec {
            client: None,
            server: None,
            request: RequestName::from(Request::Update).into(),
            subresource: None,
            document: OptionalField::Absent,
            intent: Some(edits.into()),
        });
        let before = self.final_state(intent, FormatVersion::Old, FormatVersion::Old);
        let versions = FormatVersion::ALL
            .into_iter()
            .flat_map(|client| FormatVersion::ALL.map(|server| (client, server)));
        let expectations = versions.map(|(client, server)| ExpectationSpec {
            when: [("client", client.name().into()), ("server", server.name().into())].into_iter().collect(),
            ..self.expectation(intent, client, server, before.as_ref())
        });
        let case = CaseSpec {
            id: "example".into(),
            setting: SettingSpec {
                client: party(&situation.missing_in_client, situation.decoding),
                server: party(&situation.missing_in_server, Decoding::Structured),
                documents: documents.collect(),
                intent: Some((&intent.intent).into()),
                meanwhile: meanwhile.map(Into::into).into_iter().collect(),
                request: Some(intent.request().into()),
                ..SettingSpec::default()
            },
            expect: expectations.map(Into::into).collect(),
            ..CaseSpec::default()
        };
        let client_axis =
            self.axis("client", |client| SettingSpec { client: Some(client), ..SettingSpec::default() });
        SuiteSpec {
            axes: AxesSpec::of([client_axis, self.server_axis()]),
            before: [("client", "old".into()), ("server", "old".into())].into_iter().collect(),
            cases: vec![case],
            ..self.heading()
        }
    }

    fn final_state(
        &self,
        intent: &ClientIntent,
        client: FormatVersion,
        server: FormatVersion,
    ) -> Option<FinalState> {
        let scenario = self.trial.scenario(intent, client, server);
        self.change.implementation.run(&scenario, &mut |_, _| {})
    }

    fn expectation(
        &self,
        intent: &ClientIntent,
        client: FormatVersion,
        server: FormatVersion,
        before: Option<&FinalState>,
    ) -> ExpectationSpec {
        // A case always has an ideal, even if that of the situation is unknown.
        let (Some(state), Some(ideal)) =
            (self.final_state(intent, client, server), self.trial.compute_ideal(intent))
        else {
            return ExpectationSpec::default();
        };
        let context = self.trial.up_to_date_context();
        let live = if intent.meanwhile.is_some() { self.trial.live() } else { &intent.live };
        let stored = skewer_skew::without_unset_fields(context, live.clone());
        let judgement = skewer_skew::judge(context, &stored, &state, &ideal, before);
        let answer = match state {
            FinalState::Stored(document) => answer(Ok(document)),
            FinalState::Refused(error) => answer(Err(error)),
        };
        ExpectationSpec { outcome: Some(judgement.outcome.into()), ..answer }
    }

    /// Returns the suite with a case for each patch. A case names the directives that a server knows. If the change has no
    /// name of its own, a case cannot have a server that knows it, so that the only server is an old one.
    fn with_patch_cases(&self) -> SuiteSpec {
        let has_versions = self.change.has_distinct_name();
        let versions: &[FormatVersion] =
            if has_versions { &FormatVersion::ALL } else { &[FormatVersion::Old] };
        let live = self.trial.live();
        let case = |id: &str, patch: &OwnedDoc| {
            let expectation = |version: &FormatVersion| ExpectationSpec {
                when: has_versions.then(|| ("server", version.name().into())).into_iter().collect(),
                ..self.trial.merge_on_server(*version, patch).map(answer).unwrap_or_default()
            };
            CaseSpec {
                id: id.into(),
                setting: SettingSpec {
                    documents: [(Role::Live, live.clone()), (Role::Patch, patch.clone())]
                        .into_iter()
                        .collect(),
                    ..SettingSpec::default()
                },
                expect: versions.iter().map(|version| expectation(version).into()).collect(),
                ..CaseSpec::default()
            }
        };
        let patches =
            [("old-patch", Some(&self.trial.old_patch)), ("new-patch", self.trial.new_patch.as_ref())];
        let cases = patches.into_iter().filter_map(|(id, patch)| Some(case(id, patch?.as_ref().ok()?)));
        SuiteSpec {
            axes: AxesSpec::of(has_versions.then(|| self.server_axis())),
            cases: cases.collect(),
            ..self.heading()
        }
    }
}

fn party(missing: &[SchemaElement], decoding: Decoding) -> Option<PartySpec> {
    let party = PartySpec {
        without: missing.iter().map(|element| element.to_string().into()).collect(),
        unstructured: (decoding == Decoding::Unstructured).then(|| true.into()),
        ..PartySpec::default()
    };
    (party != PartySpec::default()).then_some(party)
}

fn answer(result: Result<OwnedDoc, Error>) -> ExpectationSpec {
    match result {
        Ok(document) => ExpectationSpec::of_result(document),
        Err(error) => ExpectationSpec {
            directive: error.directive().map(Into::into),
            ..ExpectationSpec::of_error(error.kind().id())
        },
    }
}

fn document_section(law: Law) -> &'static str {
    match law {
        Law::Backward => "Requirements for any changes to the patch format",
        Law::Forward => "Client version skew",
        Law::Superset | Law::NoNewRequirement => "Strategies for introducing new patch behavior",
        Law::Benefit => "Changing patch format",
    }
}
