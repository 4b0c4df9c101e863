//! One situation, with a change of the patch format and without it.

use std::cell::OnceCell;
use std::sync::Arc;

use skewer_engine::patch::{self, PatchContext};
use skewer_engine::schema::Schema;
use skewer_engine::skew::{self, BuiltIn, Client, FinalState, Intent, Request, Scenario, Server, StepName};
use skewer_engine::union::policy;
use skewer_engine::{Doc, Error, OwnedDoc, Result};

use super::own;
use super::same;
use super::situation::{Content, Situation, Views, makes_no_sense};
use super::subject::{Era, Pair, Scope, Subject};
use super::unique;

/// What clients of both ages send in a situation, and servers of both ages to send it to.
pub struct Trial<'a> {
    /// What is tried.
    pub subject: &'a Subject,
    /// The situation.
    pub situation: &'a Situation,
    pair: &'a Pair,
    parties: Parties,
    read: OwnedDoc,
    /// The patch of a client without the change; for a patch at hand, what it is without the change's keys.
    pub old_patch: Result<OwnedDoc>,
    /// The patch of a client with the change; none where the patch at hand has none of the change's keys.
    pub new_patch: Option<Result<OwnedDoc>>,
    /// What should be stored, where that is known.
    pub ideal: Option<FinalState>,
    /// What each server makes of the old patch and of the new one, once somebody asked.
    ends: [[OnceCell<FinalState>; 2]; 2],
}

/// The parties, with the change and without it.
struct Parties {
    everything: PatchContext,
    clients: [Client; 2],
    servers: [Server; 2],
}

impl Parties {
    fn new(subject: &Subject, pair: &Pair, situation: &Situation, views: &Views) -> Self {
        let context = |era: Era, schema: &Arc<Schema>| {
            let schema = match subject.tag.filter(|_| era == Era::Old) {
                Some(tag) => Arc::new(schema.without_tag(tag)),
                None => Arc::clone(schema),
            };
            PatchContext { schema, directives: pair.directives(era).clone(), ..views.everything.clone() }
        };
        let client = |era| Client { context: context(era, &views.client), decoding: situation.decoding };
        let server = |era| server(context(era, &views.server));
        Parties {
            everything: views.everything.clone(),
            clients: Era::ALL.map(client),
            servers: Era::ALL.map(server),
        }
    }
}

/// It drops what it does not know. That is what the laws suppose of servers: "it silently ignores patch directives
/// that it does not recognize". One that validates fields strictly refuses every new directive. Unions are fields to
/// it: the laws are of patches.
fn server(context: PatchContext) -> Server {
    Server { context, strict: false, policy: policy::NONE }
}

impl<'a> Trial<'a> {
    /// Makes the patches. `None` where the situation says nothing about the change: it cannot be run at all, or
    /// its documents hold the change's keys as data, or it is out of the change's scope.
    ///
    /// Documents in which items of a merging list lack their merge key or share it are left out: "it must always
    /// be present and unique to perform the merge", by the keys that new parties use.
    #[must_use]
    pub fn of(subject: &'a Subject, pair: &'a Pair, situation: &'a Situation) -> Option<Self> {
        Self::with(subject, pair, situation, &situation.views().ok()?)
    }

    /// The same where the views are at hand.
    #[must_use]
    pub fn with(
        subject: &'a Subject,
        pair: &'a Pair,
        situation: &'a Situation,
        views: &Views,
    ) -> Option<Self> {
        let parties = Parties::new(subject, pair, situation, views);
        let mut trial = Trial {
            subject,
            situation,
            pair,
            parties,
            read: Doc::Null,
            old_patch: Ok(Doc::Null),
            new_patch: None,
            ideal: None,
            ends: Default::default(),
        };
        if !situation.content.documents().into_iter().all(|document| trial.is_sound(document)) {
            return None;
        }
        trial.prepare()?;
        trial.is_in_scope().then_some(trial)
    }

    fn is_sound(&self, document: &OwnedDoc) -> bool {
        let everything = &self.parties.everything;
        let new = PatchContext { directives: self.pair.new.clone(), ..everything.clone() };
        !own::are_in(self.subject, document) && unique::are_keys(&new, document)
    }

    /// A patch that the change has no part in is in every scope.
    fn is_in_scope(&self) -> bool {
        let Some(Ok(patch)) = &self.new_patch else { return true };
        if self.subject.scope == Scope::Any || !own::are_in(self.subject, patch) {
            return true;
        }
        let everything = &self.parties.everything;
        let free = own::are_in_free_keys(self.subject, everything, patch, everything.root);
        free == (self.subject.scope == Scope::FreeKeys)
    }

    fn prepare(&mut self) -> Option<()> {
        match &self.situation.content {
            Content::Patch { live, patch } => {
                self.read.clone_from(live);
                self.old_patch = Ok(own::without(self.subject, patch));
                self.new_patch = own::are_in(self.subject, patch).then(|| Ok(patch.clone()));
            }
            Content::Intent { stored, last_applied, intent, has_ideal } => {
                let (read, old_patch) = self.sent(Era::Old, (stored, last_applied.as_ref(), intent))?;
                let (_, new_patch) = self.sent(Era::New, (stored, last_applied.as_ref(), intent))?;
                self.read = read;
                self.old_patch = old_patch;
                self.new_patch = Some(new_patch);
                self.ideal = if *has_ideal { Some(self.ideal_of(stored, intent)?) } else { None };
            }
        }
        Some(())
    }

    /// What the client reads, and the patch that it makes.
    fn sent(
        &self,
        era: Era,
        (stored, last_applied, intent): (&OwnedDoc, Option<&OwnedDoc>, &Intent),
    ) -> Option<(OwnedDoc, Result<OwnedDoc>)> {
        let scenario = Scenario {
            stored,
            last_applied,
            intent,
            full_context: &self.parties.everything,
            client: self.client(era),
            server: self.server(Era::Old),
            request: if last_applied.is_some() { Request::Apply } else { Request::StrategicMergePatch },
        };
        let (mut read, mut sent, mut is_sound) = (None, None, true);
        let mut record = |name: StepName, document: &OwnedDoc| match name {
            StepName::Read => read = Some(document.clone()),
            StepName::Edited => is_sound = self.is_sound(document),
            StepName::Request => sent = Some(document.clone()),
            _ => {}
        };
        let end = skew::run(&scenario, &BuiltIn, &mut record).ok().filter(|_| is_sound)?;
        let sent = match (sent, end) {
            (Some(patch), _) => Ok(patch),
            (None, FinalState::Refused(error)) if !makes_no_sense(error.kind()) => Err(error),
            (None, _) => return None,
        };
        Some((read?, sent))
    }

    /// The intent sent as an update with everyone up to date: no patch format stands between what is wanted and
    /// what is stored.
    pub(super) fn ideal_of(&self, stored: &OwnedDoc, intent: &Intent) -> Option<FinalState> {
        let everything = &self.parties.everything;
        let scenario = Scenario {
            stored,
            last_applied: None,
            intent,
            full_context: everything,
            client: &Client { context: everything.clone(), decoding: self.situation.decoding },
            server: &server(everything.clone()),
            request: Request::Update,
        };
        skew::run(&scenario, &BuiltIn, &mut |_, _| {}).ok()
    }

    /// A client with the change or without it.
    #[must_use]
    pub fn client(&self, era: Era) -> &Client {
        &self.parties.clients[era as usize]
    }

    /// A server with the change or without it.
    #[must_use]
    pub fn server(&self, era: Era) -> &Server {
        &self.parties.servers[era as usize]
    }

    /// What the server has before it takes the patch.
    #[must_use]
    pub fn read(&self) -> &OwnedDoc {
        &self.read
    }

    /// What somebody up to date knows.
    #[must_use]
    pub fn everything(&self) -> &PatchContext {
        &self.parties.everything
    }

    /// What a server stores of the old client's patch, if there is one.
    #[must_use]
    pub fn of_old_patch(&self, server: Era) -> Option<&FinalState> {
        let patch = self.old_patch.as_ref().ok()?;
        Some(self.ends[0][server as usize].get_or_init(|| self.serve(server, patch)))
    }

    /// What a server stores of the new client's patch, if there is one.
    #[must_use]
    pub fn of_new_patch(&self, server: Era) -> Option<&FinalState> {
        let patch = self.new_patch.as_ref()?.as_ref().ok()?;
        Some(self.ends[1][server as usize].get_or_init(|| self.serve(server, patch)))
    }

    /// What a server stores of a patch.
    #[must_use]
    pub fn serve(&self, era: Era, patch: &OwnedDoc) -> FinalState {
        let server = self.server(era);
        let merged = patch::apply(&server.context, &self.read, patch);
        match merged.and_then(|merged| server.store(Some(&self.read), &merged)) {
            Ok(stored) => FinalState::Stored(stored.object),
            Err(error) => FinalState::Refused(error),
        }
    }

    /// Is the patch one that somebody wrote, and not one that a client of this situation makes?
    #[must_use]
    pub fn is_at_hand(&self) -> bool {
        matches!(self.situation.content, Content::Patch { .. })
    }

    /// The new client's patch, where there is one that has to do with the change.
    #[must_use]
    pub fn concerned(&self) -> Option<&Result<OwnedDoc, Error>> {
        self.new_patch.as_ref().filter(|patch| match patch {
            Ok(patch) => self.subject.is_keyless() || own::are_in(self.subject, patch),
            Err(_) => true,
        })
    }

    /// Is the new client's patch, without the change's keys, the old client's?
    #[must_use]
    pub fn is_superset(&self, new: &OwnedDoc, old: &OwnedDoc) -> bool {
        let client = &self.client(Era::New).context;
        own::Comparison { subject: self.subject, client, any_order: self.pair.order_is_open() }
            .is_superset(new, old)
    }

    /// Are two ends the same, as far as the format before the change promised anything?
    #[must_use]
    pub fn same(&self, a: &FinalState, b: &FinalState) -> bool {
        same::ends(&self.parties.everything, a, b, self.pair.order_is_open())
    }

    /// Is the end what should come of it?
    #[must_use]
    pub fn is_ideal(&self, end: &FinalState) -> bool {
        self.ideal.as_ref().is_some_and(|ideal| same::ends(&self.parties.everything, end, ideal, false))
    }
}
