//! Any implementation in any language: a program that speaks the adapter protocol
//! (`runner/adapters/PROTOCOL.md`).
//!
//! Its processes are kept alive and shared by all threads, several requests at a time each. A request that a
//! process does not answer in time, or over which it ends or answers nonsense, costs its own cell: the process
//! is started again, and what it had not answered is asked again, one request at a time.

pub(crate) mod lines;
mod openapi;
mod pool;
mod process;
pub(crate) mod protocol;
pub(crate) mod request;
mod stderr;

use std::time::Duration;

use skewer_engine::OwnedDoc;
use skewer_engine::patch::PatchContext;
use skewer_engine::skew::{Operation, OperationError, Operations, TargetFailure, TargetFailureKind};

use self::pool::Pool;
use self::request::{Prepared, Schemas, UNSTRUCTURED};
use super::{Target, TargetError, TargetInfo};

/// What the runner makes of a line of an adapter, in words: for whoever writes an adapter, and for fuzzing.
#[must_use]
pub fn describe_reply(line: &[u8]) -> String {
    format!("{:?}", protocol::read_reply(line))
}

/// Does some type of the object contain itself? Types of the adapters' languages then cannot be built from it, and
/// adapters look its metadata up in OpenAPI.
pub(crate) fn is_recursive(context: &PatchContext) -> bool {
    openapi::publish(&context.schema, context.root).recursive
}

/// How an adapter is run.
#[derive(Clone, Debug)]
pub struct ExecOptions {
    /// How long one request may take.
    pub timeout: Duration,
    /// How many processes there are at most. Threads beyond that share them.
    pub processes: usize,
}

/// An implementation behind the adapter protocol.
#[derive(Debug)]
pub struct ExecTarget {
    pool: Pool,
    schemas: Schemas,
}

impl ExecTarget {
    /// Starts a command, which is split into words as a shell would. No shell runs it.
    pub fn open(command: &str, options: &ExecOptions) -> Result<Self, TargetError> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words =
            words.ok_or_else(|| TargetError::new(format!("{command:?} is no command: is a quote open?")))?;
        let pool = Pool::open(words, options.processes, options.timeout)
            .map_err(|ended| TargetError::new(format!("`{command}` {}", ended.why)))?;
        Ok(ExecTarget { pool, schemas: Schemas::default() })
    }

    fn supported(&self) -> &protocol::Supports {
        &self.pool.started().supports
    }

    /// How often a process had to be started again.
    pub fn restarts(&self) -> u64 {
        self.pool.restarts()
    }
}

impl Target for ExecTarget {
    fn info(&self) -> TargetInfo {
        let started = self.pool.started();
        TargetInfo {
            name: started.name.clone(),
            version: started.version.clone(),
            language: started.language.clone(),
        }
    }

    fn operations(&self) -> &(dyn Operations + Sync) {
        self
    }

    fn loses_floats(&self, operation: &Operation<'_>) -> bool {
        self.supported().lossy_numbers.iter().any(|lossy| lossy == request::name(operation))
    }

    fn broken(&self) -> Option<String> {
        self.pool.broken().map(str::to_owned)
    }

    fn supports(&self) -> Vec<(&'static str, Vec<String>)> {
        let supports = self.supported();
        vec![
            ("operations", supports.operations.clone()),
            ("directives", supports.directives.clone()),
            ("lookups", supports.lookups.clone()),
            ("unions", supports.unions.clone()),
            ("operations that may write 1.0 as 1", supports.lossy_numbers.clone()),
        ]
    }

    fn complaints(&self) -> Vec<String> {
        match self.pool.unasked() {
            0 => Vec::new(),
            n => vec![format!("it sent {n} replies that answer no open request: each is answered once")],
        }
    }
}

impl Operations for ExecTarget {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let name = request::name(operation);
        if !self.supported().operations.iter().any(|supported| supported == name) {
            let why = format!("{} does not do {name}", self.pool.started().name);
            return Err(OperationError::TargetFailed(TargetFailure {
                kind: TargetFailureKind::Unsupported,
                why,
            }));
        }
        let lookups = &self.supported().lookups;
        if request::is_of_custom_resource(operation) && !lookups.iter().any(|lookup| lookup == UNSTRUCTURED) {
            let why = format!("{} cannot be told of custom resources", self.pool.started().name);
            return Err(OperationError::TargetFailed(TargetFailure {
                kind: TargetFailureKind::Unsupported,
                why,
            }));
        }
        let prepared = Prepared::new(operation, &self.schemas, lookups);
        match self.pool.ask(|seq, had| prepared.line(seq, had)) {
            Ok(answer) => request::outcome(answer),
            Err(ended) => {
                let kind =
                    if ended.timed_out { TargetFailureKind::TimeOut } else { TargetFailureKind::Crash };
                Err(OperationError::TargetFailed(TargetFailure {
                    kind,
                    why: format!("the target {}", ended.why),
                }))
            }
        }
    }
}
