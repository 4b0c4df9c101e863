//! Plans: everything that a runner needs to run a cell.

use std::collections::BTreeMap;

use skewer_engine::patch::PatchContext;
use skewer_engine::skew::{
    Client, Decoding, Intent, InvalidOperation, Operand, Operation, OperationDeclaration, Performer, Request,
    Role, Scenario, Server,
};
use skewer_engine::union::policy;
use skewer_engine::{Doc, OwnedDoc, OwnedText};

use super::cells::Cell;
use crate::format::RequestName;
use crate::model::{Case, CaseOperation, PartySetting, PatchOperation, Point, Setting};
use crate::types::Declaration;

/// The error that a cell cannot be run because a part is missing. Such a cell is already an error when the suite is
/// loaded, so a `PlanError` indicates a bug in Skewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanError {
    missing: &'static str,
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

/// The plan of a cell: what to run, with all data that the run needs.
#[derive(Clone, Debug)]
pub enum Plan {
    /// A scenario to run.
    Skew(Box<SkewPlan>),
    /// An operation on patches to perform.
    Patch(PatchPlan),
    /// Type declarations to read.
    Declare(Declaration),
}

/// An operation on patches, with its documents.
#[derive(Clone, Debug)]
pub struct PatchPlan {
    /// The operation, with its list of documents and its options.
    pub operation: PatchOperation,
    /// The patch context of the party that performs the operation; `None` if the operation needs no types.
    pub context: Option<PatchContext>,
    /// The documents by role.
    pub documents: BTreeMap<Role, OwnedDoc>,
}

impl PatchPlan {
    /// Returns the declaration of the operation.
    #[must_use]
    pub fn declaration(&self) -> &'static OperationDeclaration {
        self.operation.kind.declaration()
    }

    /// Returns the operation to perform.
    ///
    /// # Errors
    /// Returns an error if the plan has the wrong operands. Plans from [`Cell::plan`] have the right operands.
    pub fn operation(&self) -> Result<Operation<'_>, InvalidOperation> {
        let documents = self.documents.iter().map(|(role, document)| (*role, document.into()));
        let list = self.declaration().list_operand();
        let list = list.map(|operand| (operand.role, Operand::List(&self.operation.list)));
        let operation = Operation::new(self.operation.kind, self.context.as_ref(), documents.chain(list))?;
        Ok(operation.with_options(self.operation.options.as_operation_options()))
    }
}

/// The data of a scenario, which [`SkewPlan::scenario`] borrows.
#[derive(Clone, Debug)]
pub struct SkewPlan {
    /// The live object.
    pub stored: OwnedDoc,
    /// The last-applied document, if the cell has one.
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

    /// Returns a client and a server that are both up to date, for [`SkewPlan::ideal`].
    #[must_use]
    pub fn ideal_parties(&self) -> (Client, Server) {
        (
            Client { context: self.everything.clone(), decoding: self.client.decoding },
            Server { context: self.everything.clone(), ..self.server.clone() },
        )
    }

    /// Returns the scenario with the given parties. The request sends the whole object, so that no patch format affects
    /// the result.
    #[must_use]
    pub fn ideal<'s>(&'s self, (client, server): &'s (Client, Server)) -> Scenario<'s> {
        let request = if self.request == Request::Create { Request::Create } else { Request::Update };
        Scenario { client, server, request, ..self.scenario() }
    }
}

impl Cell<'_> {
    /// Returns the plan of the cell.
    ///
    /// # Errors
    /// Returns an error if the cell lacks a part. Loading a suite rules this out.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        self.case.plan_at(&self.point())
    }

    /// Returns the plan of the old client on the old server. Returns `None` if no compatibility promise covers the
    /// cell.
    #[must_use]
    pub fn plan_before(&self) -> Option<Result<Plan, PlanError>> {
        let promise = self.case.promise.as_ref()?;
        Some(self.case.plan_at(&promise.before(&self.point())))
    }
}

impl Case {
    fn plan_at(&self, point: &Point) -> Result<Plan, PlanError> {
        let setting = self.setting(point);
        match &self.operation {
            CaseOperation::Skew => self.skew_plan(setting).map(|plan| Plan::Skew(Box::new(plan))),
            CaseOperation::Patch(operation) => self.patch_plan(operation, setting).map(Plan::Patch),
            CaseOperation::Declare(declaration) => Ok(Plan::Declare(declaration.clone())),
        }
    }

    fn patch_plan(&self, operation: &PatchOperation, mut setting: Setting) -> Result<PatchPlan, PlanError> {
        let declaration = operation.kind.declaration();
        let party = match declaration.performer {
            Performer::Client => &setting.client,
            Performer::Server => &setting.server,
        };
        let root = setting.root.as_ref();
        let context = declaration.needs_types().then(|| self.context(root, party)).transpose()?;
        let mut documents = BTreeMap::new();
        for role in declaration.document_roles() {
            let document = setting.documents.remove(&role).ok_or(PlanError { missing: role.name() })?;
            documents.insert(role, document);
        }
        Ok(PatchPlan { operation: operation.clone(), context, documents })
    }

    fn context(&self, root: Option<&OwnedText>, party: &PartySetting) -> Result<PatchContext, PlanError> {
        self.views.context(root, party).ok_or(PlanError { missing: "view of the types for a party" })
    }

    fn skew_plan(&self, mut setting: Setting) -> Result<SkewPlan, PlanError> {
        let request =
            setting.request.and_then(RequestName::request).ok_or(PlanError { missing: "request" })?;
        let decoding = match setting.client.unstructured {
            Some(true) => Decoding::Unstructured,
            Some(false) | None => Decoding::Structured,
        };
        let root = setting.root.as_ref();
        Ok(SkewPlan {
            stored: match (setting.documents.remove(&Role::Live), request) {
                (Some(live), _) => live,
                (None, Request::Create) => Doc::Null,
                (None, _) => return Err(PlanError { missing: "live" }),
            },
            last_applied: setting.documents.remove(&Role::LastApplied),
            intent: setting.intent.ok_or(PlanError { missing: "intent" })?,
            everything: self.views.up_to_date(root).ok_or(PlanError { missing: "root type" })?.clone(),
            client: Client { context: self.context(root, &setting.client)?, decoding },
            server: Server {
                context: self.context(root, &setting.server)?,
                strict: setting.server.strict.unwrap_or(false),
                policy: setting.server.policy.unwrap_or(policy::NONE),
            },
            request,
        })
    }
}
