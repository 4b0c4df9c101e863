//! The progress of a build, as the output of the tools tells it.

use super::tool::Tool;

/// The progress of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallProgress {
    /// The tool looks for what it needs.
    Preparing,
    /// Libraries are downloaded.
    Downloading {
        /// Number of libraries whose download has begun.
        count: usize,
    },
    /// Libraries are compiled, or installed.
    Compiling {
        /// Number of packages or crates that were not in a cache, and whose compilation has begun.
        count: usize,
    },
    /// The program is started, and asked for its version.
    Checking,
}

/// The step of a build that a line of a tool reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Download,
    Compile,
}

/// The progress of a build so far.
#[derive(Debug)]
pub(super) struct BuildProgress {
    tool: Tool,
    downloads: usize,
    compilations: usize,
}

impl BuildProgress {
    pub(super) fn new(tool: Tool) -> Self {
        BuildProgress { tool, downloads: 0, compilations: 0 }
    }

    /// Reads a line that the tool wrote. Returns `None` if it tells no progress.
    pub(super) fn read(&mut self, line: &str) -> Option<InstallProgress> {
        Some(match step(self.tool, line)? {
            Step::Download => {
                self.downloads += 1;
                InstallProgress::Downloading { count: self.downloads }
            }
            Step::Compile => {
                self.compilations += 1;
                InstallProgress::Compiling { count: self.compilations }
            }
        })
    }
}

fn step(tool: Tool, line: &str) -> Option<Step> {
    let trimmed = line.trim_start();
    let begins = |words: &[&str]| words.iter().any(|word| trimmed.starts_with(word));
    let (is_download, is_compile) = match tool {
        Tool::Go => (begins(&["go: downloading "]), is_package(line)),
        Tool::Cargo => (begins(&["Downloaded "]), begins(&["Compiling "])),
        Tool::Python => (begins(&["Collecting "]), begins(&["Installing collected packages"])),
        Tool::Maven => (begins(&["Downloaded from "]), begins(&["[INFO] Compiling "])),
    };
    is_download.then_some(Step::Download).or(is_compile.then_some(Step::Compile))
}

/// Returns true if a line is the name of a Go package. Messages have spaces or colons.
fn is_package(line: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '~' | '+');
    !line.is_empty() && line.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(Tool::Go, "go: downloading k8s.io/api v0.37.2", Some(Step::Download))]
    #[case(Tool::Go, "k8s.io/api/core/v1", Some(Step::Compile))]
    #[case(Tool::Go, "fmt", Some(Step::Compile))]
    #[case(Tool::Go, "# k8s.io/api/core/v1", None)]
    #[case(Tool::Go, "main.go:3:5: undefined: x", None)]
    #[case(Tool::Go, "", None)]
    #[case(Tool::Cargo, "  Downloaded serde v1.0.0", Some(Step::Download))]
    #[case(Tool::Cargo, "   Compiling serde v1.0.0", Some(Step::Compile))]
    #[case(Tool::Cargo, "error[E0425]: cannot find value `x`", None)]
    #[case(
        Tool::Python,
        "Collecting oper8==0.1.40 (from -r requirements.txt (line 2))",
        Some(Step::Download)
    )]
    #[case(Tool::Python, "Installing collected packages: a, b", Some(Step::Compile))]
    #[case(Tool::Python, "ERROR: No matching distribution found for oper8", None)]
    #[case(
        Tool::Maven,
        "Downloaded from central: https://repo.maven.apache.org/x.jar (1 kB)",
        Some(Step::Download)
    )]
    #[case(Tool::Maven, "[INFO] Compiling 3 source files", Some(Step::Compile))]
    #[case(Tool::Maven, "[ERROR] Failed to execute goal", None)]
    fn lines_of_tools_tell_the_step(#[case] tool: Tool, #[case] line: &str, #[case] expected: Option<Step>) {
        assert_eq!(step(tool, line), expected);
    }
}
