//! Versions in rules. Upstream: `k8s.io/apiserver/pkg/cel/library/semverlib.go`, and `github.com/blang/semver`.

use cel::Value;

use super::value::string;

/// Returns the arguments of a function of versions as the library takes them. A version has no build metadata then, which counts
/// in no comparison, and is complete if the second argument says so.
pub(super) fn normalized(name: &str, args: &[Value]) -> Option<Vec<Value>> {
    let (text, is_lenient) = match (name, args) {
        ("semver" | "isSemver", [Value::String(text)]) => (text, false),
        ("semver" | "isSemver", [Value::String(text), Value::Bool(is_lenient)]) => (text, *is_lenient),
        _ => return None,
    };
    let text = if is_lenient { completed(text) } else { text.to_string() };
    let without_build = text.split_once('+').filter(|(_, build)| is_build(build));
    Some(vec![string(without_build.map_or(text.as_str(), |(version, _)| version))])
}

fn is_build(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.split('.').all(is_part)
}

/// Returns the version with three numbers, without zeros before them. Upstream: `normalizeAndParse`.
fn completed(text: &str) -> String {
    let without_zeros = |part: &str| match part.trim_start_matches('0') {
        _ if part.len() == 1 => part.to_owned(),
        trimmed if trimmed.starts_with(|c: char| c.is_ascii_digit()) => trimmed.to_owned(),
        trimmed if part.is_empty() => trimmed.to_owned(),
        trimmed => format!("0{trimmed}"),
    };
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
    // A short version with more than numbers is no version.
    let has_more = parts.last().is_some_and(|last| last.contains(['+', '-']));
    parts.resize(if has_more { parts.len() } else { 3 }, "0".to_owned());
    parts.join(".")
}
