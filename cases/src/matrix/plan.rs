//! Plans: all that a runner needs to run a cell.

use skewer_engine::patch::PatchContext;
use skewer_engine::skew::{Client, Decoding, Intent, Request, Scenario, Server};
use skewer_engine::union::policy;
use skewer_engine::{Doc, OwnedDoc};

use super::cells::Cell;
use crate::format::RequestName;
use crate::model::{Case, CaseOperation, PartySetting, Point, Setting, ThreeWayOptions};
use crate::types::Declaration;

/// A cell that cannot be run, since it lacks a part. Loading a suite refuses such cells, so that this is an error of Skewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanError {
    missing: &'static str,
}

impl std::fmt::Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the cell has no {}, and was not refused for it when it was loaded: please report this",
            self.missing
        )
    }
}

impl std::error::Error for PlanError {}

/// A cell, ready to run.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Run a scenario.
    Skew(Box<SkewPlan>),
    /// Apply a patch; `context` is the server's, `None` for a JSON merge patch.
    Apply {
        /// The server's.
        context: Option<PatchContext>,
        /// The object.
        live: OwnedDoc,
        /// The patch.
        patch: OwnedDoc,
    },
    /// Create a patch from two documents; `context` is the client's, `None` for a JSON merge patch.
    TwoWay {
        /// The client's.
        context: Option<PatchContext>,
        /// Before.
        original: OwnedDoc,
        /// After.
        modified: OwnedDoc,
    },
    /// Create a patch from three documents; `context` is the client's, `None` for a JSON merge patch.
    ThreeWay {
        /// The client's.
        context: Option<PatchContext>,
        /// The last-applied document.
        last_applied: OwnedDoc,
        /// The modified document.
        modified: OwnedDoc,
        /// The live object.
        live: OwnedDoc,
        /// The options.
        options: ThreeWayOptions,
    },
    /// Merge patches.
    Merge {
        /// The server's.
        context: PatchContext,
        /// In order.
        patches: Vec<OwnedDoc>,
    },
    /// Check two patches for conflicts.
    Conflicts {
        /// The client's.
        context: PatchContext,
        /// One.
        left: OwnedDoc,
        /// The other.
        right: OwnedDoc,
    },
    /// Apply a JSON patch.
    JsonPatchApply {
        /// The object.
        live: OwnedDoc,
        /// The patch: a list of operations.
        patch: OwnedDoc,
    },
    /// Read type declarations.
    Declare(Declaration),
}

/// The owned parts of a scenario.
#[derive(Clone, Debug)]
pub struct SkewPlan {
    /// The live object.
    pub stored: OwnedDoc,
    /// The last-applied document.
    pub last_applied: Option<OwnedDoc>,
    /// The change that the user wants.
    pub intent: Intent,
    /// The patch context of an up-to-date party.
    pub everything: PatchContext,
    /// The client.
    pub client: Client,
    /// The server.
    pub server: Server,
    /// The form in which the client sends the change.
    pub request: Request,
}

impl SkewPlan {
    /// Returns the scenario to run.
    #[must_use]
    pub fn scenario(&self) -> Scenario<'_> {
        Scenario {
            stored: &self.stored,
            last_applied: self.last_applied.as_ref(),
            intent: &self.intent,
            full_context: &self.everything,
            client: &self.client,
            server: &self.server,
            request: self.request,
        }
    }

    /// Returns both parties up to date, for [`SkewPlan::ideal`].
    #[must_use]
    pub fn ideal_parties(&self) -> (Client, Server) {
        (
            Client { context: self.everything.clone(), decoding: self.client.decoding },
            Server { context: self.everything.clone(), ..self.server.clone() },
        )
    }

    /// Returns the scenario with these parties and the whole object as the request, so that no patch format affects the
    /// result.
    #[must_use]
    pub fn ideal<'s>(&'s self, (client, server): &'s (Client, Server)) -> Scenario<'s> {
        let request = if self.request == Request::Create { Request::Create } else { Request::Update };
        Scenario { client, server, request, ..self.scenario() }
    }
}

impl Cell<'_> {
    /// Returns the plan of the cell.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        self.case.plan_at(&self.point())
    }

    /// Returns the plan of the old client on the old server, if a compatibility promise covers the cell.
    #[must_use]
    pub fn plan_before(&self) -> Option<Result<Plan, PlanError>> {
        let promise = self.case.promise.as_ref()?;
        Some(self.case.plan_at(&promise.before(&self.point())))
    }
}

impl Case {
    fn plan_at(&self, point: &Point) -> Result<Plan, PlanError> {
        let setting = self.setting(point);
        let client = || self.context(&setting.client);
        let server = || self.context(&setting.server);
        let require = |document: &Option<OwnedDoc>, name| document.clone().ok_or(PlanError { missing: name });
        let two_way = |context| {
            Ok(Plan::TwoWay {
                context,
                original: require(&setting.original, "original")?,
                modified: require(&setting.modified, "modified")?,
            })
        };
        let three_way = |context, options: &ThreeWayOptions| {
            Ok(Plan::ThreeWay {
                context,
                last_applied: require(&setting.last_applied, "last-applied")?,
                modified: require(&setting.modified, "modified")?,
                live: require(&setting.live, "live")?,
                options: options.clone(),
            })
        };
        let apply = |context| {
            Ok(Plan::Apply {
                context,
                live: require(&setting.live, "live")?,
                patch: require(&setting.patch, "patch")?,
            })
        };
        match &self.operation {
            CaseOperation::Skew => self.skew_plan(setting).map(|plan| Plan::Skew(Box::new(plan))),
            CaseOperation::Apply => apply(Some(server()?)),
            CaseOperation::JsonMergeApply => apply(None),
            CaseOperation::JsonPatchApply => Ok(Plan::JsonPatchApply {
                live: require(&setting.live, "live")?,
                patch: require(&setting.patch, "patch")?,
            }),
            CaseOperation::Declare(declaration) => Ok(Plan::Declare(declaration.clone())),
            CaseOperation::TwoWay => two_way(Some(client()?)),
            CaseOperation::JsonMergeTwoWay => two_way(None),
            CaseOperation::ThreeWay(options) => three_way(Some(client()?), options),
            CaseOperation::JsonMergeThreeWay(options) => three_way(None, options),
            CaseOperation::Merge(patches) => Ok(Plan::Merge { context: server()?, patches: patches.clone() }),
            CaseOperation::Conflicts(left, right) => {
                Ok(Plan::Conflicts { context: client()?, left: left.clone(), right: right.clone() })
            }
        }
    }

    fn context(&self, party: &PartySetting) -> Result<PatchContext, PlanError> {
        self.views.context(party).ok_or(PlanError { missing: "view of the types for a party" })
    }

    fn skew_plan(&self, setting: Setting) -> Result<SkewPlan, PlanError> {
        let request =
            setting.request.and_then(RequestName::request).ok_or(PlanError { missing: "request" })?;
        let decoding = match setting.client.unstructured {
            Some(true) => Decoding::Unstructured,
            Some(false) | None => Decoding::Structured,
        };
        Ok(SkewPlan {
            stored: match (setting.live, request) {
                (Some(live), _) => live,
                (None, Request::Create) => Doc::Null,
                (None, _) => return Err(PlanError { missing: "live" }),
            },
            last_applied: setting.last_applied,
            intent: setting.intent.ok_or(PlanError { missing: "intent" })?,
            everything: self.views.up_to_date().clone(),
            client: Client { context: self.context(&setting.client)?, decoding },
            server: Server {
                context: self.context(&setting.server)?,
                strict: setting.server.strict.unwrap_or(false),
                policy: setting.server.policy.unwrap_or(policy::NONE),
            },
            request,
        })
    }
}
