//! What a runner needs to run a cell.

use skewer_engine::patch::PatchContext;
use skewer_engine::skew::{Client, Decoding, Intent, Request, Scenario, Server};
use skewer_engine::union::policy;
use skewer_engine::{Doc, OwnedDoc};

use crate::expand::Cell;
use crate::format::RequestName;
use crate::model::{Case, Operands, Point, Setting, ThreeWayOperands};
use crate::types::Declaration;

/// Why a cell cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// A party is to be without a directive that the engine does not have.
    UnknownDirective(String),
    /// A party lacks what no view was made for.
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

/// A cell, ready to run.
#[derive(Clone, Debug)]
pub enum Plan {
    /// A client and a server at work.
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
        /// What was applied last.
        last_applied: OwnedDoc,
        /// What is wanted.
        modified: OwnedDoc,
        /// What is stored.
        live: OwnedDoc,
        /// How.
        how: ThreeWayOperands,
    },
    /// Merge patches.
    Merge {
        /// The server's.
        context: PatchContext,
        /// In order.
        patches: Vec<OwnedDoc>,
    },
    /// Ask two patches for conflicts.
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
    /// Read types.
    Declare(Declaration),
}

/// A scenario that owns its parts.
#[derive(Clone, Debug)]
pub struct SkewPlan {
    /// What is stored.
    pub stored: OwnedDoc,
    /// What the client applied last time.
    pub last_applied: Option<OwnedDoc>,
    /// What the user wants.
    pub intent: Intent,
    /// What somebody up to date knows.
    pub everything: PatchContext,
    /// Who sends.
    pub client: Client,
    /// Who stores.
    pub server: Server,
    /// What is sent.
    pub request: Request,
}

impl SkewPlan {
    /// The scenario to run.
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

    /// The parties with everyone up to date, for [`SkewPlan::ideal`].
    #[must_use]
    pub fn ideal_parties(&self) -> (Client, Server) {
        (
            Client { context: self.everything.clone(), decoding: self.client.decoding },
            Server { context: self.everything.clone(), ..self.server.clone() },
        )
    }

    /// The scenario with these parties, sent as a whole object: no patch format stands between what is wanted and
    /// what is stored.
    #[must_use]
    pub fn ideal<'s>(&'s self, (client, server): &'s (Client, Server)) -> Scenario<'s> {
        let request = if self.request == Request::Create { Request::Create } else { Request::Update };
        Scenario { client, server, request, ..self.scenario() }
    }
}

impl Cell<'_> {
    /// What is to be run.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        self.case.plan_at(&self.point())
    }

    /// Where a compatibility promise covers the cell: the scenario of the old client on the old server.
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
        let need = |document: &Option<OwnedDoc>, what| document.clone().ok_or(PlanError::Missing(what));
        let two_way = |context| {
            Ok(Plan::TwoWay {
                context,
                original: need(&setting.original, "original")?,
                modified: need(&setting.modified, "modified")?,
            })
        };
        let three_way = |context, how: &ThreeWayOperands| {
            Ok(Plan::ThreeWay {
                context,
                last_applied: need(&setting.last_applied, "last-applied")?,
                modified: need(&setting.modified, "modified")?,
                live: need(&setting.live, "live")?,
                how: how.clone(),
            })
        };
        let apply = |context| {
            Ok(Plan::Apply {
                context,
                live: need(&setting.live, "live")?,
                patch: need(&setting.patch, "patch")?,
            })
        };
        match &self.operands {
            Operands::Skew => self.skew_plan(setting).map(|plan| Plan::Skew(Box::new(plan))),
            Operands::Apply => apply(Some(server()?)),
            Operands::JsonMergeApply => apply(None),
            Operands::JsonPatchApply => Ok(Plan::JsonPatchApply {
                live: need(&setting.live, "live")?,
                patch: need(&setting.patch, "patch")?,
            }),
            Operands::Declare(declaration) => Ok(Plan::Declare(declaration.clone())),
            Operands::TwoWay => two_way(Some(client()?)),
            Operands::JsonMergeTwoWay => two_way(None),
            Operands::ThreeWay(how) => three_way(Some(client()?), how),
            Operands::JsonMergeThreeWay(how) => three_way(None, how),
            Operands::Merge(patches) => Ok(Plan::Merge { context: server()?, patches: patches.clone() }),
            Operands::Conflicts(left, right) => {
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
            everything: self.views.everything().clone(),
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
