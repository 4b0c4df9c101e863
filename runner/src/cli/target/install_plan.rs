//! The description of what an installation will do.

use std::fmt::Write;

use skewer_targets::installed::{InstallPlan, ModulePlan, Tool};

/// Describes a plan, for people.
pub(super) fn describe_plan(plan: &InstallPlan) -> String {
    let rows = [
        ("needs", describe_libraries(plan)),
        ("download", describe_download(plan)),
        (if plan.needs.compile.is_empty() { "unpack" } else { "compile" }, describe_compilation(plan)),
        ("install", format!("about {} as\n{}", plan.needs.size, plan.path.display())),
    ];
    rows.into_iter().fold(format!("{}\n", plan.target), |mut text, (name, value)| {
        let _ = writeln!(text, "  {name:10}{}", value.replace('\n', "\n            "));
        text
    })
}

fn describe_libraries(plan: &InstallPlan) -> String {
    match &plan.modules {
        _ if plan.library.is_empty() => "no library".to_owned(),
        Some(modules) => format!("{} and {} other Go modules", plan.library, modules.all.saturating_sub(1)),
        None => format!("{} and its dependencies", plan.library),
    }
}

fn describe_download(plan: &InstallPlan) -> String {
    let size = plan.needs.download;
    match (plan.tool, &plan.modules) {
        (_, Some(ModulePlan { missing: 0, .. })) => {
            "nothing: all modules are in Go's module cache".to_owned()
        }
        (_, Some(ModulePlan { all, missing, proxy })) if missing == all => {
            format!("all {all} modules, about {size},\nwith GOPROXY={proxy}")
        }
        (_, Some(ModulePlan { all, missing, proxy })) => {
            format!("up to {missing} of {all} modules (all: about {size}),\nwith GOPROXY={proxy}")
        }
        (Tool::Python, None) => {
            format!(
                "about {size} with pip, from the Python Package Index or as pip is configured,\nunless pip's cache has \
                     the packages"
            )
        }
        (Tool::Maven, None) => {
            format!(
                "about {size} from Maven Central or as Maven is configured,\nunless its local repository has them"
            )
        }
        (Tool::Cargo | Tool::Go, None) => {
            format!("about {size} from crates.io or as Cargo is configured,\nunless its cache has the crates")
        }
    }
}

fn describe_compilation(plan: &InstallPlan) -> String {
    let (version, time) = (&plan.tool_version, plan.needs.compile);
    match plan.tool {
        _ if time.is_empty() => format!("with {version}, into a virtual environment"),
        Tool::Go => format!("with {version}: {time},\nor seconds if Go's build cache has the packages"),
        Tool::Cargo | Tool::Python | Tool::Maven => format!("with {version}: {time}"),
    }
}
