//! The target `exec:COMMAND`: an implementation in any language, behind a program that speaks the adapter protocol
//! (`runner/adapters/PROTOCOL.md`).
//!
//! All threads share a pool of processes, each with several open requests at a time. If a request times out, ends the
//! process or is answered against the protocol, then only the cell of that request fails: the process is started
//! again, and its other open requests are repeated, one at a time. If too many requests in a row are not answered,
//! the program is given up, and the remaining cells are not run.

mod admit_union;
mod capabilities;
mod field_manager;
mod openapi;
mod pool;
mod process;
mod reply;
pub(crate) mod request;
mod resource_schema;
mod result;
mod schema_registry;
mod stderr;
#[cfg(test)]
pub(super) mod test_support;
#[cfg(test)]
mod tests;
mod union_message;
mod unions;
pub(crate) mod whole_request;

use std::time::Duration;

use skewer_admission::{AdmitRequest, DefinitionRequest};
use skewer_engine::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::patch::PatchLibrary;
use skewer_engine::schema::builtin;
use skewer_engine::union::Admitted;
use skewer_protocol::admit::{AdmitMessage, DefinitionMessage};
use skewer_protocol::manifest::ManifestMessage;
use skewer_protocol::messages::{
    ADMIT, ADMIT_UNION, APPLY_MANIFEST, Capabilities, UNSTRUCTURED_LOOKUP, VALIDATE_DEFINITION, read_document,
};
use skewer_skew::{ManifestRequest, Operation, OperationKind, Operations, ServerAccess, UnionWrite};

use self::admit_union::RequestedRules;
pub use self::admit_union::UnionRules;
use self::pool::Pool;
use self::process::message_line;
use self::reply::{AdapterAnswer, ReplyLine, parse_reply};
use self::request::PreparedRequest;
use self::schema_registry::SchemaRegistry;
use self::unions::AskedUnions;
use super::failure::{OperationError, TargetFailure, unsupported};
use super::library::why_not_reproducible;
use super::{Target, TargetError, TargetInfo};

/// Describes how the runner interprets a line from an adapter. Authors of adapters and the fuzzer use this function.
#[must_use]
pub fn describe_reply(line: &[u8]) -> String {
    let reply = parse_reply(line);
    if let ReplyLine::Answer(seq, AdapterAnswer::Result(text)) = &reply {
        return format!("Result({seq}, {:?})", read_document(text));
    }
    format!("{reply:?}")
}

/// Returns true if the type of the object refers to itself, directly or through other types. Adapters cannot build
/// types of their language from such a schema, so they look up patch metadata in the OpenAPI document.
#[must_use]
pub fn is_recursive(context: &PatchContext) -> bool {
    openapi::publish(&context.schema, context.root).is_recursive
}

/// The options for running an adapter.
#[derive(Clone, Debug)]
pub struct ExecOptions {
    /// Time limit for one request.
    pub timeout: Duration,
    /// Maximum number of processes. If there are more threads than processes, threads share processes.
    pub processes: usize,
    /// The rules that the adapter is asked for, if it decides on unions.
    pub union_rules: UnionRules,
}

impl ExecOptions {
    /// Returns the options with these limits, and the defaults of the others.
    #[must_use]
    pub fn new(timeout: Duration, processes: usize) -> Self {
        ExecOptions { timeout, processes, union_rules: UnionRules::default() }
    }
}

/// An implementation behind the adapter protocol.
#[derive(Debug)]
pub struct ExecTarget {
    pool: Pool,
    schemas: SchemaRegistry,
    union_rules: UnionRules,
}

impl ExecTarget {
    /// The form of its names.
    pub const NAME_FORM: &'static str = "exec:COMMAND";

    /// Splits a command into words as a shell does, and starts the program without a shell.
    ///
    /// # Errors
    /// Fails if the command has no words or an unclosed quote, if the program cannot be started, or if it does not
    /// answer `start`.
    pub fn open(command: &str, options: &ExecOptions) -> Result<Self, TargetError> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| {
            TargetError::new(format!("invalid command {command:?}: expected words with closed quotes"))
        })?;
        let pool = Pool::open(words, options.processes, options.timeout)
            .map_err(|failure| TargetError::new(format!("`{command}` {}", failure.why)))?;
        let target =
            ExecTarget { pool, schemas: SchemaRegistry::default(), union_rules: options.union_rules };
        if options.union_rules == UnionRules::Own && !target.supports_named(ADMIT_UNION) {
            return Err(TargetError::new(format!(
                "{} does not support {ADMIT_UNION}, so that it has no rules of its own for unions: expected `{ADMIT_UNION}` \
                 in `supports.operations`",
                target.pool.info().name
            )));
        }
        Ok(target)
    }

    fn supported(&self) -> &Capabilities {
        &self.pool.info().supports
    }

    fn supports(&self, kind: OperationKind) -> bool {
        self.supports_named(kind.name())
    }

    fn supports_named(&self, operation: &str) -> bool {
        self.supported().operations.iter().any(|supported| supported == operation)
    }

    fn require_named(&self, operation: &str) -> Result<(), OperationError> {
        if self.supports_named(operation) {
            return Ok(());
        }
        Err(unsupported(format!("{} does not support {operation}", self.pool.info().name)))
    }
}

impl Target for ExecTarget {
    fn info(&self) -> TargetInfo {
        let info = self.pool.info();
        TargetInfo { name: info.name.clone(), version: info.version.clone(), language: info.language.clone() }
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }

    fn has_lossy_floats(&self, operation: &Operation<'_>) -> bool {
        self.supported().lossy_numbers.iter().any(|lossy| lossy == operation.kind().name())
    }

    fn leaves_to_engine(&self, operation: OperationKind) -> bool {
        // An adapter that only has one half of the work of a party leaves the other half.
        [ADMIT_UNION, APPLY_MANIFEST].iter().any(|own| self.supports_named(own)) && !self.supports(operation)
    }

    fn kubernetes_release(&self) -> Option<u32> {
        let info = self.pool.info();
        let is_api_server = self.supports(OperationKind::Request) && !self.supports(OperationKind::Apply);
        let minor = info.version.as_deref()?.trim_start_matches('v').strip_prefix("1.")?.split('.').next()?;
        minor.parse().ok().filter(|_| is_api_server)
    }

    fn has_declared_directive(&self, name: &str) -> bool {
        self.supported().directives.iter().flatten().any(|listed| listed == name)
    }

    fn permanent_failure(&self) -> Option<String> {
        self.pool.permanent_failure().map(str::to_owned)
    }

    fn capabilities(&self) -> Vec<(&'static str, Vec<String>)> {
        capabilities::categories(self.supported())
    }

    fn admit(&self, request: &AdmitRequest<'_>) -> Result<OwnedDoc, OperationError> {
        self.require_named(ADMIT)?;
        let answer = self.pool.ask(|seq, _| message_line(&AdmitMessage::of(seq, request)))?;
        result::result_of_any_length(answer)
    }

    fn validate_definition(&self, request: &DefinitionRequest<'_>) -> Result<OwnedDoc, OperationError> {
        self.require_named(VALIDATE_DEFINITION)?;
        let answer = self.pool.ask(|seq, _| message_line(&DefinitionMessage::of(seq, request)))?;
        result::result_of_any_length(answer)
    }

    fn stop(&self) {
        self.pool.stop();
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = capabilities::unknown_names(self.supported());
        match self.pool.unsolicited_replies() {
            0 => {}
            n => warnings.push(format!(
                "it sent {n} replies that answer no open request: expected one reply for each request"
            )),
        }
        warnings
    }
}

impl Operations<TargetFailure> for ExecTarget {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let name = operation.kind().name();
        if !self.supports(operation.kind()) {
            return Err(unsupported(format!("{} does not support {name}", self.pool.info().name)));
        }
        if operation.kind().declaration().is_request() {
            let Some(kind) = operation.context().and_then(whole_request::kind_of) else {
                return Err(unsupported("an API server has only the built-in kinds".to_owned()));
            };
            let release = kind.release;
            if self.kubernetes_release().is_none() && release.minor() != builtin::newest().minor() {
                return Err(unsupported(format!(
                    "the target does not say its release, so that it is taken for {}, not {}",
                    builtin::newest().name(),
                    release.name()
                )));
            }
        }
        let lookups = &self.supported().lookups;
        if request::is_for_custom_resource(operation)
            && !lookups.iter().any(|lookup| lookup == UNSTRUCTURED_LOOKUP)
        {
            return Err(unsupported(format!(
                "{} does not support the lookup of custom resources",
                self.pool.info().name
            )));
        }
        if let Some(directive) =
            request::unlisted_directive(operation, self.supported().directives.as_deref())
        {
            return Err(unsupported(format!("{} does not support {directive}", self.pool.info().name)));
        }
        // An API server is asked only about its own release. Other adapters are tested as the newest library.
        if self.kubernetes_release().is_none()
            && let Some(why) = why_not_reproducible(operation, PatchLibrary::NEWEST)
        {
            return Err(unsupported(why));
        }
        let prepared = PreparedRequest::new(operation, &self.schemas, lookups);
        let answer = self.pool.ask(|seq, sent_schemas| prepared.line(seq, sent_schemas))?;
        result::result_of_answer(answer, &prepared)
    }

    fn apply_manifest(
        &self,
        request: &ManifestRequest<'_>,
        server: ServerAccess<'_>,
    ) -> Option<Result<OwnedDoc, OperationError>> {
        let is_client = self.tools()?.iter().any(|tool| tool == request.tool.name);
        is_client.then(|| {
            let answer = self.pool.ask(|seq, _| message_line(&ManifestMessage::of(seq, request, server)))?;
            result::result_of_any_length(answer)
        })
    }

    fn tools(&self) -> Option<Vec<String>> {
        self.supports_named(APPLY_MANIFEST).then(|| self.supported().tools.clone())
    }

    fn admit_unions(&self, write: &UnionWrite<'_>) -> Option<Result<Admitted, OperationError>> {
        let listed = &self.supported().policies;
        let rules = RequestedRules::of(write.policy, self.union_rules, listed);
        match rules.filter(|_| self.supports_named(ADMIT_UNION)) {
            Some(rules) => Some(admit_union::ask(&self.pool, &self.schemas, write, rules)),
            None => AskedUnions::admit(&self.pool, write),
        }
    }
}
