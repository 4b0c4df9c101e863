//! Plans: all that a runner needs to run a cell.

use skewer_engine::patch::PatchContext;
use skewer_engine::skew::{Client, Decoding, Intent, Request, Scenario, Server};
use skewer_engine::union::policy;
use skewer_engine::{Doc, OwnedDoc};

use super::cells::Cell;
use crate::format::RequestName;
use crate::model::{Case, CaseOperation, Point, Setting, ThreeWayOptions, ViewError};
use crate::types::Declaration;

/// The reason why a cell cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// A party is to lack a directive that the engine does not have.
    UnknownDirective(String),
    /// No view was made for a party.
    UnknownView,
    /// A document that the case's operation needs is missing.
    Missing(&'static str),
}

impl std::fmt::Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PlanError::UnknownDirective(name) => write!(
                f,
                "a party is to be without the directive {name}, which the engine does not have: is it misspelt, or \
                 missing from the registry?"
            ),
            PlanError::UnknownView => f.write_str("no view was made of what a party of the case lacks"),
            PlanError::Missing(what) => write!(f, "the case has no `{what}` at this point of its matrix"),
        }
    }
}

impl std::error::Error for PlanError {}

impl From<ViewError> for PlanError {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::UnknownDirective(name) => PlanError::UnknownDirective(name),
            ViewError::NotPrepared => PlanError::UnknownView,
        }
    }
}

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
        let client = || self.views.context(&setting.client);
        let server = || self.views.context(&setting.server);
        let require = |document: &Option<OwnedDoc>, name| document.clone().ok_or(PlanError::Missing(name));
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

    fn skew_plan(&self, setting: Setting) -> Result<SkewPlan, PlanError> {
        let request = setting.request.and_then(RequestName::request).ok_or(PlanError::Missing("request"))?;
        let decoding = match setting.client.unstructured {
            Some(true) => Decoding::Unstructured,
            Some(false) | None => Decoding::Structured,
        };
        Ok(SkewPlan {
            stored: match (setting.live, request) {
                (Some(live), _) => live,
                (None, Request::Create) => Doc::Null,
                (None, _) => return Err(PlanError::Missing("live")),
            },
            last_applied: setting.last_applied,
            intent: setting.intent.ok_or(PlanError::Missing("intent"))?,
            everything: self.views.up_to_date().clone(),
            client: Client { context: self.views.context(&setting.client)?, decoding },
            server: Server {
                context: self.views.context(&setting.server)?,
                strict: setting.server.strict.unwrap_or(false),
                policy: setting.server.policy.unwrap_or(policy::NONE),
            },
            request,
        })
    }
}
