//! Plans: everything that a runner needs to run a cell.

use std::collections::BTreeMap;
use std::sync::Arc;

use skewer_engine::patch::{PatchContext, SpareCapacity};
use skewer_engine::server_side_apply::Resource;
use skewer_engine::union::policy;
use skewer_engine::{Doc, OwnedDoc, OwnedText};
use skewer_skew::{
    Client, Decoding, InvalidOperation, Operand, Operation, OperationDeclaration, OtherRequest, Performer,
    Request, RequestType, Role, Scenario, Server,
};

use super::cells::Cell;
use crate::format::RequestName;
use crate::model::{Case, CaseOperation, OtherRequestSetting, PartySetting, PatchOperation, Point, Setting};
use crate::types::Declaration;

/// The error that a cell cannot be run because a part is missing. Such a cell is already an error when the suite is
/// loaded, so a `PlanError` indicates a bug in Skewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanError {
    missing: &'static str,
}

impl PlanError {
    /// The error that the case does not have the root type of the cell.
    pub(super) fn no_root_type() -> Self {
        PlanError { missing: "root type" }
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

/// The plan of a cell: what to run, with all data that the run needs.
#[derive(Clone, Debug)]
pub enum Plan {
    /// A scenario to run.
    Skew(Box<Scenario>),
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
    /// The resource with the versions that the case declares. `None` stands for a resource with one version.
    pub resource: Option<Arc<Resource>>,
    /// The documents by role.
    pub documents: BTreeMap<Role, Arc<OwnedDoc>>,
    /// The type of the request, if the operation is a whole request to a server.
    pub request_type: RequestType,
    /// Whether the server validates fields strictly. Only a whole request depends on it.
    pub strict: bool,
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
        let documents = self.documents.iter().map(|(role, document)| (*role, (&**document).into()));
        let list = self.declaration().list_operand();
        let list = list.map(|operand| (operand.role, Operand::List(&self.operation.list)));
        let operation = Operation::new(self.operation.kind, self.context.as_ref(), documents.chain(list))?;
        let mut options = self.operation.options.as_operation_options();
        options.field_manager.resource = self.resource.as_deref();
        options.request.request_type = self.request_type;
        options.request.strict = self.strict;
        Ok(operation.with_options(options))
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
        self.plan_with(self.setting(point))
    }

    /// Returns the plan of a point with this setting.
    pub(super) fn plan_with(&self, setting: Setting) -> Result<Plan, PlanError> {
        match &self.operation {
            CaseOperation::Skew => self.scenario(setting).map(|scenario| Plan::Skew(Box::new(scenario))),
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
        let context = declaration.needs_types().then(|| {
            if declaration.is_request() {
                self.server_context(root, party)
            } else {
                self.context(root, party)
            }
        });
        let context = context.transpose()?;
        let mut documents = BTreeMap::new();
        let request_type = setting.request.and_then(RequestName::request_type);
        for role in declaration.document_roles() {
            match setting.documents.remove(&role) {
                Some(document) => {
                    documents.insert(role, document);
                }
                // A request that creates the object needs no live object.
                None if declaration.is_request() && role == Role::Live => {}
                None => return Err(PlanError { missing: role.name() }),
            }
        }
        Ok(PatchPlan {
            operation: operation.clone(),
            context,
            resource: self.resource.clone(),
            documents,
            request_type: if declaration.is_request() {
                request_type.ok_or(PlanError { missing: "request" })?
            } else {
                RequestType::default()
            },
            strict: setting.server.validates_strictly(),
        })
    }

    fn context(&self, root: Option<&OwnedText>, party: &PartySetting) -> Result<PatchContext, PlanError> {
        self.views.context(root, party).ok_or(PlanError { missing: "view of the types for a party" })
    }

    /// Returns the context of a server that processes requests. It merges patches into the lists of its structs.
    fn server_context(
        &self,
        root: Option<&OwnedText>,
        party: &PartySetting,
    ) -> Result<PatchContext, PlanError> {
        let spare_capacity = party.spare_capacity.unwrap_or(SpareCapacity::None);
        Ok(PatchContext { spare_capacity, ..self.context(root, party)? })
    }

    fn client(&self, root: Option<&OwnedText>, party: &PartySetting) -> Result<Client, PlanError> {
        let decoding = match party.unstructured {
            Some(true) => Decoding::Unstructured,
            Some(false) | None => Decoding::Structured,
        };
        let context = match decoding {
            Decoding::Structured => self.views.client_context(root, party),
            Decoding::Unstructured => self.views.context(root, party),
        };
        let context = context.ok_or(PlanError { missing: "view of the types for a party" })?;
        Ok(Client { context, decoding })
    }

    fn server(&self, root: Option<&OwnedText>, party: &PartySetting) -> Result<Server, PlanError> {
        Ok(Server {
            context: self.server_context(root, party)?,
            strict: party.validates_strictly(),
            policy: party.policy.unwrap_or(policy::NONE),
            admission: self.views.admission(root, party),
        })
    }

    fn other_requests(
        &self,
        root: Option<&OwnedText>,
        settings: &[Arc<OtherRequestSetting>],
    ) -> Result<Vec<OtherRequest>, PlanError> {
        let request = |setting: &Arc<OtherRequestSetting>| {
            let server = setting.server.as_ref().map(|server| self.server(root, server)).transpose()?;
            Ok(OtherRequest {
                client: self.client(root, &setting.client)?,
                server,
                request: setting.request,
                options: setting.client.request_options(),
                document: setting.document.clone(),
                intent: Arc::clone(&setting.intent),
            })
        };
        settings.iter().map(request).collect()
    }

    fn scenario(&self, mut setting: Setting) -> Result<Scenario, PlanError> {
        let request =
            setting.request.and_then(RequestName::request).ok_or(PlanError { missing: "request" })?;
        let root = setting.root.as_ref();
        let creates_object = matches!(request, Request::Create | Request::ServerSideApply)
            || setting.history.first().is_some_and(|other| other.can_create_object());
        let stored = match setting.documents.remove(&Role::Live) {
            Some(live) => live,
            None if creates_object => Arc::new(Doc::Null),
            None => return Err(PlanError { missing: "live" }),
        };
        let configuration = setting.documents.remove(&Role::Configuration);
        let needs_intent = request != Request::ServerSideApply || configuration.is_none();
        let intent = match setting.intent {
            None if needs_intent => return Err(PlanError { missing: "intent" }),
            intent => intent.unwrap_or_default(),
        };
        Ok(Scenario {
            stored,
            last_applied: setting.documents.remove(&Role::LastApplied),
            intent,
            full_context: self.views.up_to_date(root).ok_or(PlanError::no_root_type())?.clone(),
            full_admission: self.views.up_to_date_admission(root),
            client: self.client(root, &setting.client)?,
            server: self.server(root, &setting.server)?,
            request,
            options: setting.client.request_options(),
            configuration,
            history: self.other_requests(root, &setting.history)?,
            meanwhile: self.other_requests(root, &setting.meanwhile)?,
        })
    }
}
