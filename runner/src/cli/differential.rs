//! `skewer differential`.

use clap::Args;
use skewer_engine::schema::builtin::{self, Release};
use skewer_results::control_characters::escape_line;
use skewer_skew::{OperationKind, RequestType};
use skewer_targets::{Target, TargetSpec};
use skewer_trials::differential::{self, AdmissionPlan, DifferentialPlan, TrialTypeSource};

use crate::cli::arguments::target::TargetArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::{self, Stream};
use crate::cli::progress::Progress;
use crate::cli::workers::{parse_jobs, thread_count, with_threads};

/// The arguments of `skewer differential`.
#[derive(Debug, Args)]
pub(super) struct DifferentialArguments {
    #[command(flatten)]
    target: TargetArguments,
    /// Types of the documents: random types, or the kinds of an embedded release (kubernetes-1.32, newest). Default:
    /// random, except for kubectl and API servers, which know only built-in types: their release, or the newest embedded
    /// release that is not newer.
    #[arg(long, value_name = "random|RELEASE")]
    types: Option<String>,
    /// Number of trials. A trial is one operation on random documents.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    count: u64,
    /// Seed of the random documents. The same seed gives the same documents.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Number of the first trial, to repeat a trial of an earlier run.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Compare only this operation. Can be given several times. `server-side-apply` and `managed-update` both select
    /// sequences of both kinds of requests, in which a trial is a sequence; they cannot be combined with others. `request`
    /// selects whole requests to an API server, which is the default for a target that is one.
    #[arg(long = "operation", value_name = "OPERATION")]
    operations: Vec<OperationKind>,
    /// Send only requests of this type to an API server. Can be given several times.
    #[arg(long = "request", value_name = "TYPE", value_parser = parse_request_type)]
    requests: Vec<RequestType>,
    /// Compare the admission of custom resources: random definitions, objects and updates. The target is an adapter with the
    /// operation `admit`, such as that in runner/adapters/apiextensions-apiserver.
    #[arg(long, conflicts_with_all = ["types", "first", "operations", "requests"])]
    admission: bool,
    /// Compare rules in CEL: which random rules a server accepts, and what they say to random objects. The target is an adapter
    /// with the operations `admit` and `validate-definition`. `--count` is the number of rules.
    #[arg(long, conflicts_with_all = ["types", "first", "operations", "requests", "admission"])]
    rules: bool,
    /// Compare the check of definitions of custom resources: random definitions with mistakes, and updates. The target is an
    /// adapter with the operation `validate-definition`, such as that in runner/adapters/apiextensions-apiserver.
    #[arg(long, conflicts_with_all = ["types", "first", "operations", "requests", "admission", "rules"])]
    definitions: bool,
    /// Number of threads, at most 256. Default: one for each processor.
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<usize>,
}

impl DifferentialArguments {
    /// Returns the operations to compare. `release` is the release of an API server.
    fn operations(&self, release: Option<u32>) -> Vec<OperationKind> {
        match (self.operations.as_slice(), self.target.spec()) {
            ([], _) if release.is_some() => vec![OperationKind::Request],
            ([], TargetSpec::Kubectl) => {
                vec![
                    OperationKind::Apply,
                    OperationKind::Apply,
                    OperationKind::JsonMergeApply,
                    OperationKind::JsonPatchApply,
                ]
            }
            ([], _) => differential::trial_operations(),
            (named, _) => named.to_vec(),
        }
    }

    fn request_types(&self) -> Vec<RequestType> {
        if self.requests.is_empty() { differential::request_types() } else { self.requests.clone() }
    }

    /// Returns the source of the types of whole requests to an API server of the release 1.`minor`.
    fn kinds_of_server(&self, minor: u32) -> Result<TrialTypeSource> {
        let release = match self.types.as_deref() {
            None => release_for_minor(Some(minor)),
            Some("random") => {
                let message = "an API server has only built-in kinds: --types names an embedded release, such as \
                               kubernetes-1.32, or is left out";
                return Err(Failure::could_not_run(message));
            }
            Some(name) => builtin::release(name).map_err(|error| Failure::could_not_run(error.message()))?,
        };
        if release.minor() != minor {
            let name = release.name();
            output::print(&format!(
                "the kinds are those of {name}, and the server is of kubernetes-1.{minor}\n"
            ))?;
        }
        TrialTypeSource::of_server(release, minor).map_err(Failure::could_not_run)
    }

    fn type_source(&self, target_version: Option<&str>) -> Result<TrialTypeSource> {
        let release = match (self.types.as_deref(), self.target.spec()) {
            (None, TargetSpec::Kubectl) => release_for_version(target_version.unwrap_or_default()),
            (None | Some("random"), _) => return Ok(TrialTypeSource::Random),
            (Some(name), _) => {
                builtin::release(name).map_err(|error| Failure::could_not_run(error.message()))?
            }
        };
        TrialTypeSource::of_release(release).map_err(Failure::could_not_run)
    }
}

/// Returns the newest embedded release that is not newer than a version such as `v1.32.4`.
fn release_for_version(version: &str) -> &'static Release {
    release_for_minor(version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok()))
}

/// Returns the newest embedded release that is not newer than 1.`minor`. Returns the oldest one if all are newer, and the
/// newest one for an unknown version.
fn release_for_minor(minor: Option<u32>) -> &'static Release {
    let not_newer = |release: &&Release| minor.is_none_or(|minor| release.minor() <= minor);
    builtin::releases().iter().rev().find(not_newer).unwrap_or(&builtin::releases()[0])
}

fn parse_request_type(name: &str) -> std::result::Result<RequestType, String> {
    RequestType::from_name(name)
        .ok_or_else(|| format!("expected one of {}", RequestType::ALL.map(RequestType::name).join(", ")))
}

pub(super) fn differential(arguments: &DifferentialArguments) -> Result {
    let threads = thread_count(arguments.jobs, usize::try_from(arguments.count).unwrap_or(usize::MAX));
    let target = arguments.target.open(threads)?;
    let target = &*target;
    let info = target.info();
    if arguments.admission || arguments.definitions || arguments.rules {
        return compare_documents(arguments, target, threads);
    }
    let server = target.kubernetes_release();
    let type_source = match server {
        Some(minor) => arguments.kinds_of_server(minor)?,
        None => arguments.type_source(info.version.as_deref())?,
    };
    let plan = DifferentialPlan {
        seed: arguments.seed,
        first: arguments.first,
        count: arguments.count,
        operations: arguments.operations(server),
        request_types: arguments.request_types(),
        type_source,
    };
    let version = info.version.map(|version| format!(" {}", escape_line(&version))).unwrap_or_default();
    output::print(&format!(
        "builtin against {}{version}: seed {}, trials {} to {}\n\n",
        escape_line(&info.name),
        plan.seed,
        plan.first,
        plan.first + plan.count.saturating_sub(1)
    ))?;
    let progress = Progress::of(plan.count, "trials");
    let report = with_threads(threads, || differential::run(&plan, target, &|more| progress.add(more)))?;
    let report = report.map_err(Failure::could_not_run)?;
    drop(progress);
    output::print(&report.text_within(Stream::Output.style().line_width()))?;
    match target.permanent_failure() {
        Some(why) => Err(Failure::new(Exit::TargetFailed, format!("the target {why}"))),
        None if report.has_failed() => Ok(Exit::CellFailed),
        None => Ok(Exit::Ok),
    }
}

fn compare_documents(arguments: &DifferentialArguments, target: &dyn Target, threads: usize) -> Result {
    let info = target.info();
    let version = info.version.map(|version| format!(" {}", escape_line(&version))).unwrap_or_default();
    let DifferentialArguments { seed, count, .. } = *arguments;
    let what = match arguments {
        DifferentialArguments { definitions: true, .. } => "definitions",
        DifferentialArguments { rules: true, .. } => "rules",
        _ => "admission",
    };
    let name = escape_line(&info.name);
    output::print(&format!("{what}: builtin against {name}{version}: seed {seed}, {count} trials\n\n"))?;
    let progress = Progress::of(count, "trials");
    let plan = AdmissionPlan { seed, count };
    let on_progress = |more| progress.add(more);
    let compared = with_threads(threads, || match what {
        "rules" => differential::compare_rules(&plan, target, &on_progress)
            .map(|report| (report.text(), report.has_failed())),
        "definitions" => differential::compare_definitions(&plan, target, &on_progress)
            .map(|report| (report.text(), report.has_failed())),
        _ => differential::compare_admission(&plan, target, &on_progress)
            .map(|report| (report.text(), report.has_failed())),
    })?;
    let (text, has_failed) = compared.map_err(|why| Failure::new(Exit::TargetFailed, why))?;
    drop(progress);
    output::print(&text)?;
    Ok(if has_failed { Exit::CellFailed } else { Exit::Ok })
}
