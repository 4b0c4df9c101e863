//! Trials of a change of the patch format in one situation.

mod change_keys;
mod equivalence;
mod merge_keys;
mod superset;

use std::cell::OnceCell;
use std::sync::Arc;

use skewer_engine::directive::MapScope;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::Schema;
use skewer_engine::union::policy;
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc, Result};
use skewer_skew::{
    BuiltInDefaults, Client, Decoder, Decoding, FinalState, Intent, Operation, OperationKind, OtherRequest,
    Request, RequestOptions, Role, Scenario, Server, StepName,
};

use self::change_keys::{has_change_keys, has_change_keys_in_free_key_map, without_change_keys};
use self::equivalence::is_equivalent;
use self::merge_keys::has_unique_merge_keys;
use self::superset::SupersetComparison;
use super::format_change::{FormatChange, FormatVersion, PatchFormatPair};
use super::situation::{ClientIntent, LawSituation, PatchSource, SituationViews};

/// One situation with a change of the patch format: the patches of an old and a new client, and an old and a new server
/// that receive them.
pub struct LawTrial<'a> {
    /// The change under test.
    pub change: &'a FormatChange,
    /// The situation.
    pub situation: &'a LawSituation,
    formats: &'a PatchFormatPair,
    parties: TrialParties,
    live: OwnedDoc,
    /// The patch of a client without the change. If the situation contains the patch: that patch without the change's
    /// keys.
    pub old_patch: Result<OwnedDoc>,
    /// The patch of a client with the change. `None` if the situation contains the patch and the patch has none of the
    /// change's keys.
    pub new_patch: Option<Result<OwnedDoc>>,
    /// The ideal, if it is known.
    pub ideal: Option<FinalState>,
    /// The final states by patch (old, new) and server (old, new), which are computed on first use.
    final_states: [[OnceCell<Option<FinalState>>; 2]; 2],
}

/// The old and new clients and servers, and the requests of another client.
struct TrialParties {
    up_to_date: PatchContext,
    clients: [Client; 2],
    servers: [Server; 2],
    /// The requests that the server processes between the client's read and its patch.
    meanwhile: Vec<OtherRequest>,
}

impl TrialParties {
    fn new(
        change: &FormatChange,
        formats: &PatchFormatPair,
        situation: &LawSituation,
        views: &SituationViews,
    ) -> Self {
        let context = |version: FormatVersion, schema: &Arc<Schema>| {
            let schema = match change.metadata_tag.filter(|_| version == FormatVersion::Old) {
                Some(tag) => Arc::new(schema.without_tag(tag)),
                None => Arc::clone(schema),
            };
            let directives = formats.directives(version).clone();
            PatchContext { schema, directives, ..views.up_to_date.clone() }
        };
        let client = |version| Client::new(context(version, &views.client), situation.decoding);
        let server = |version| lenient_server(context(version, &views.server));
        TrialParties {
            up_to_date: views.up_to_date.clone(),
            clients: FormatVersion::ALL.map(client),
            servers: FormatVersion::ALL.map(server),
            meanwhile: meanwhile_requests(situation, &views.up_to_date),
        }
    }
}

/// Returns the requests that the server of a trial processes between the client's read and its patch.
fn meanwhile_requests(situation: &LawSituation, up_to_date: &PatchContext) -> Vec<OtherRequest> {
    let PatchSource::Intent(ClientIntent { meanwhile, .. }) = &situation.patch_source else {
        return Vec::new();
    };
    let request = |intent: &Intent| OtherRequest {
        client: Client::new(up_to_date.clone(), Decoding::Structured),
        server: None,
        request: Request::Update,
        options: RequestOptions::default(),
        document: None,
        intent: Arc::new(intent.clone()),
    };
    meanwhile.iter().map(request).collect()
}

/// Creates a server that drops unknown fields and has no union policy.
///
/// The laws assume that a server "silently ignores patch directives that it does not recognize". A server with strict
/// field validation refuses every unknown directive.
fn lenient_server(context: PatchContext) -> Server {
    Server {
        context,
        strict: false,
        policy: policy::NONE,
        admission: None,
        defaults: BuiltInDefaults::NotSimulated,
    }
}

impl<'a> LawTrial<'a> {
    /// Creates the patches of both clients. Returns `None` if the situation is not usable for the change:
    ///
    /// - its types are invalid, or its intent cannot be applied;
    /// - its documents contain keys of the change as data;
    /// - the change does not apply to the maps in question (see [`FormatChange::scope`]);
    /// - items of a merging list lack their merge keys or share them. The format requires that a merge key "must always
    ///   be present and unique to perform the merge"; the keys are those of the new parties.
    #[must_use]
    pub fn new(
        change: &'a FormatChange,
        formats: &'a PatchFormatPair,
        situation: &'a LawSituation,
    ) -> Option<Self> {
        Self::with_views(change, formats, situation, &situation.views().ok()?)
    }

    /// Creates a trial like [`LawTrial::new`], with schema views that are already compiled.
    #[must_use]
    pub fn with_views(
        change: &'a FormatChange,
        formats: &'a PatchFormatPair,
        situation: &'a LawSituation,
        views: &SituationViews,
    ) -> Option<Self> {
        let parties = TrialParties::new(change, formats, situation, views);
        let mut trial = LawTrial {
            change,
            situation,
            formats,
            parties,
            live: Doc::Null,
            old_patch: Ok(Doc::Null),
            new_patch: None,
            ideal: None,
            final_states: Default::default(),
        };
        if !situation.patch_source.objects().into_iter().all(|document| trial.is_usable(document)) {
            return None;
        }
        trial.create_patches()?;
        trial.is_in_scope().then_some(trial)
    }

    fn is_usable(&self, document: &OwnedDoc) -> bool {
        let new = PatchContext { directives: self.formats.new.clone(), ..self.up_to_date_context().clone() };
        !has_change_keys(self.change, document) && has_unique_merge_keys(&new, document)
    }

    /// Returns true if all keys of the change in the new patch are in maps of the change's scope.
    fn is_in_scope(&self) -> bool {
        let Some(Ok(patch)) = &self.new_patch else { return true };
        if self.change.scope == MapScope::All || !has_change_keys(self.change, patch) {
            return true;
        }
        let context = self.up_to_date_context();
        let is_free_key_map = has_change_keys_in_free_key_map(self.change, context, patch, context.root);
        is_free_key_map == (self.change.scope == MapScope::FreeKeyMaps)
    }

    fn create_patches(&mut self) -> Option<()> {
        match &self.situation.patch_source {
            PatchSource::Given { live, patch } => {
                self.live.clone_from(live);
                self.old_patch = Ok(without_change_keys(self.change, patch));
                self.new_patch = has_change_keys(self.change, patch).then(|| Ok(patch.clone()));
            }
            PatchSource::Intent(intent) => {
                let (live, old_patch) = self.create_patch(FormatVersion::Old, intent)?;
                let (_, new_patch) = self.create_patch(FormatVersion::New, intent)?;
                self.live = live;
                self.old_patch = old_patch;
                self.new_patch = Some(new_patch);
                self.ideal = if intent.has_ideal { Some(self.compute_ideal(intent)?) } else { None };
            }
        }
        Some(())
    }

    /// Returns the patch that the client creates from what it reads from an old server, and the live object when the
    /// server receives the patch. Another client can have changed it since.
    fn create_patch(
        &self,
        version: FormatVersion,
        intent: &ClientIntent,
    ) -> Option<(OwnedDoc, Result<OwnedDoc>)> {
        let (mut live, mut request, mut is_usable) = (None, None, true);
        let mut record_step = |name: StepName, document: &OwnedDoc| match name {
            StepName::Read => live = Some(document.clone()),
            StepName::Edited => is_usable &= self.is_usable(document),
            StepName::Meanwhile => {
                is_usable &= self.is_usable(document);
                live = Some(document.clone());
            }
            StepName::Request => request = Some(document.clone()),
            _ => {}
        };
        let scenario = self.scenario(intent, version, FormatVersion::Old);
        let final_state =
            self.change.implementation.run(&scenario, &mut record_step).filter(|_| is_usable)?;
        let patch = match (request, final_state) {
            (Some(patch), _) => Ok(patch),
            (None, FinalState::Refused(error)) if !is_invalid_situation(error.kind()) => Err(error),
            (None, _) => return None,
        };
        Some((live?, patch))
    }

    /// Returns the scenario in which a client sends the intent to a server, with the given versions.
    pub(super) fn scenario(
        &self,
        intent: &ClientIntent,
        client: FormatVersion,
        server: FormatVersion,
    ) -> Scenario {
        let up_to_date = self.up_to_date_context().clone();
        Scenario {
            last_applied: intent.last_applied.clone().map(Arc::new),
            intent: Arc::new(intent.intent.clone()),
            client: self.client(client).clone(),
            server: self.server(server).clone(),
            request: intent.request(),
            meanwhile: self.parties.meanwhile.clone(),
            ..Scenario::up_to_date(Arc::new(intent.live.clone()), up_to_date)
        }
    }

    /// Computes the ideal: the final state of the intent as an update between up-to-date parties. An update does not
    /// depend on the patch format. The client reads the object after the requests of others.
    pub(super) fn compute_ideal(&self, intent: &ClientIntent) -> Option<FinalState> {
        let scenario = self.scenario(intent, FormatVersion::New, FormatVersion::New).ideal();
        skewer_skew::run_built_in(&scenario, &mut |_, _| {}).ok()
    }

    /// Returns the client of a format version.
    #[must_use]
    pub fn client(&self, version: FormatVersion) -> &Client {
        &self.parties.clients[version as usize]
    }

    /// Returns the server of a format version.
    #[must_use]
    pub fn server(&self, version: FormatVersion) -> &Server {
        &self.parties.servers[version as usize]
    }

    /// Returns the live object to which the servers apply the patches.
    #[must_use]
    pub fn live(&self) -> &OwnedDoc {
        &self.live
    }

    /// Returns the patch context of an up-to-date party.
    #[must_use]
    pub fn up_to_date_context(&self) -> &PatchContext {
        &self.parties.up_to_date
    }

    /// Returns the final state of the old client's patch on a server, if there is such a patch.
    #[must_use]
    pub fn final_state_of_old_patch(&self, server: FormatVersion) -> Option<&FinalState> {
        let patch = self.old_patch.as_ref().ok()?;
        self.final_states[0][server as usize].get_or_init(|| self.apply_on_server(server, patch)).as_ref()
    }

    /// Returns the final state of the new client's patch on a server, if there is such a patch.
    #[must_use]
    pub fn final_state_of_new_patch(&self, server: FormatVersion) -> Option<&FinalState> {
        let patch = self.new_patch.as_ref()?.as_ref().ok()?;
        self.final_states[1][server as usize].get_or_init(|| self.apply_on_server(server, patch)).as_ref()
    }

    /// Merges a patch into the live object, as a server does before it stores the object. Returns `None` if the
    /// implementation does not answer.
    #[must_use]
    pub fn merge_on_server(&self, version: FormatVersion, patch: &OwnedDoc) -> Option<Result<OwnedDoc>> {
        let operands = [(Role::Live, (&self.live).into()), (Role::Patch, patch.into())];
        let operation = Operation::new(OperationKind::Apply, Some(&self.server(version).context), operands);
        self.change.implementation.perform(&operation.ok()?)
    }

    /// Applies a patch to the live object on a server. Returns `None` if the implementation does not answer.
    #[must_use]
    pub fn apply_on_server(&self, version: FormatVersion, patch: &OwnedDoc) -> Option<FinalState> {
        let server = self.server(version);
        let merged = self.merge_on_server(version, patch)?;
        Some(match merged.and_then(|merged| server.store(Some(&self.live), &merged, Decoder::Unstructured)) {
            Ok(stored) => {
                let context = self.up_to_date_context();
                FinalState::Stored(skewer_skew::without_unset_fields(context, stored.object))
            }
            Err(error) => FinalState::Refused(error),
        })
    }

    /// Returns the new client's patch, or the error of creating it, if the change affects it.
    #[must_use]
    pub fn affected_new_patch(&self) -> Option<&Result<OwnedDoc, Error>> {
        self.new_patch.as_ref().filter(|patch| match patch {
            Ok(patch) => self.change.is_keyless() || has_change_keys(self.change, patch),
            Err(_) => true,
        })
    }

    /// Returns a patch without the change's keys.
    #[must_use]
    pub fn without_change_keys(&self, patch: &OwnedDoc) -> OwnedDoc {
        without_change_keys(self.change, patch)
    }

    /// Returns true if the new client's patch, without the change's keys, equals the old client's patch.
    #[must_use]
    pub fn is_superset(&self, new: &OwnedDoc, old: &OwnedDoc) -> bool {
        let comparison = SupersetComparison {
            change: self.change,
            client: &self.client(FormatVersion::New).context,
            ignores_list_order: self.formats.is_list_order_open(),
        };
        comparison.is_superset(new, old)
    }

    /// Returns true if two final states are equal in everything that the old format defines.
    #[must_use]
    pub fn is_equivalent(&self, a: &FinalState, b: &FinalState) -> bool {
        is_equivalent(self.up_to_date_context(), a, b, self.formats.is_list_order_open())
    }

    /// Returns true if the final state is the ideal.
    #[must_use]
    pub fn is_ideal(&self, state: &FinalState) -> bool {
        let ideal = self.ideal.as_ref();
        ideal.is_some_and(|ideal| is_equivalent(self.up_to_date_context(), state, ideal, false))
    }
}

/// Returns true if the error kind indicates an invalid situation, and not a patch that cannot be created.
fn is_invalid_situation(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::InvalidIntent | ErrorKind::InvalidSchema)
}
