//! The parties of a scenario, with their views of the types.

use std::sync::Arc;

use skewer_engine::patch::PatchContext;
use skewer_engine::union::policy;
use skewer_skew::{BuiltInDefaults, Client, Decoding, OtherRequest, Server};

use super::other_request::OtherRequestSetting;
use super::party::PartySetting;
use super::types_name::TypesName;
use super::views::Views;

/// The error that a cell cannot be run because a part is missing. Such a cell is already an error when the suite is
/// loaded, so a `PlanError` indicates a bug in Skewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanError {
    missing: &'static str,
}

impl PlanError {
    /// The error that the types of a party were not prepared.
    pub(crate) const NO_VIEW: PlanError = PlanError { missing: "view of the types for a party" };

    /// The error that the cell does not have this part.
    pub(crate) fn without(missing: &'static str) -> Self {
        PlanError { missing }
    }
}

impl std::fmt::Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the cell has no {}, although its suite was loaded without an error: please report this",
            self.missing
        )
    }
}

impl std::error::Error for PlanError {}

/// The two parties of a cell.
#[derive(Clone, Copy)]
pub(super) struct CellParties<'a> {
    pub(super) client: &'a PartySetting,
    pub(super) server: &'a PartySetting,
}

impl Views {
    /// Returns the client of requests to a server.
    pub(super) fn client(
        &self,
        types: &TypesName,
        party: &PartySetting,
        server: &PartySetting,
    ) -> Result<Client, PlanError> {
        if party.negotiates == Some(true) {
            let version = PartySetting { negotiates: None, ..self.negotiated(types, party, server) };
            let own = self.server_context(types, server).ok_or(PlanError::NO_VIEW)?;
            let of_version = self.server_context(types, &version).ok_or(PlanError::NO_VIEW)?;
            // The server runs its own code, also for patches of an older version.
            let merging = PatchContext {
                library: own.library,
                spare_capacity: own.spare_capacity,
                lookup: own.lookup,
                ..of_version
            };
            let client = self.client(types, &version, server)?;
            return Ok(Client { negotiated: Some(Arc::new(merging)), ..client });
        }
        let decoding = match party.unstructured {
            Some(true) => Decoding::Unstructured,
            Some(false) | None => Decoding::Structured,
        };
        let context = match decoding {
            Decoding::Structured => self.client_context(types, party),
            Decoding::Unstructured => self.context(types, party),
        };
        let context = context.ok_or(PlanError::NO_VIEW)?;
        Ok(Client::new(context, decoding))
    }

    pub(super) fn server(&self, types: &TypesName, party: &PartySetting) -> Result<Server, PlanError> {
        Ok(Server {
            context: self.server_context(types, party).ok_or(PlanError::NO_VIEW)?,
            strict: party.validates_strictly(),
            policy: party.policy.unwrap_or(policy::NONE),
            admission: self.admission(types, party),
            defaults: match party.defaults {
                Some(true) => BuiltInDefaults::Simulated,
                // Cells have the fields that they are about.
                Some(false) | None => BuiltInDefaults::NotSimulated,
            },
        })
    }

    pub(super) fn other_requests(
        &self,
        types: &TypesName,
        settings: &[Arc<OtherRequestSetting>],
        parties: CellParties<'_>,
    ) -> Result<Vec<OtherRequest>, PlanError> {
        let request = |setting: &Arc<OtherRequestSetting>| {
            let server = setting.server.as_ref().map(|server| self.server(types, server)).transpose()?;
            let mut options = setting.client.request_options(setting.subresource.clone());
            options.tool = options.tool.or_else(|| parties.client.tool.clone());
            let processed_by = setting.server.as_ref().unwrap_or(parties.server);
            Ok(OtherRequest {
                client: self.client(types, &setting.client, processed_by)?,
                server,
                request: setting.request,
                options,
                document: setting.document.clone(),
                intent: Arc::clone(&setting.intent),
            })
        };
        settings.iter().map(request).collect()
    }
}
