//! Functions of texts in which `kube-cel` differs from upstream: indexes out of range, empty separators, and regular
//! expressions. Upstream: cel-go, `ext/strings.go`, and `k8s.io/apiserver/pkg/cel/library/regex.go`.

use cel::Value;

use super::value::{Evaluated, list, string};
use crate::go_regex::Pattern;

/// Calls a function of a text, which is the first argument. Returns `None` if it is not one of these functions.
pub(super) fn call(name: &str, args: &[Value]) -> Option<Evaluated> {
    let [Value::String(text), rest @ ..] = args else { return None };
    let chars: Vec<char> = text.chars().collect();
    Some(match (name, rest) {
        ("charAt", [Value::Int(at)]) if usize::try_from(*at).is_ok_and(|at| at == chars.len()) => {
            Ok(string(""))
        }
        ("charAt", [Value::Int(at)]) => {
            part(&chars, *at, at.saturating_add(1)).map_err(|_| out_of_range(*at))
        }
        ("substring", [Value::Int(start)]) => {
            part(&chars, *start, i64::try_from(chars.len()).unwrap_or(i64::MAX))
        }
        ("substring", [Value::Int(start), Value::Int(end)]) => part(&chars, *start, *end),
        ("indexOf", [Value::String(part)]) => index_of(&chars, part, 0),
        ("indexOf", [Value::String(part), Value::Int(offset)]) => index_of(&chars, part, *offset),
        ("lastIndexOf", [Value::String(part)]) => Ok(last_index_of(&chars, part, chars.len())),
        ("lastIndexOf", [Value::String(part), Value::Int(offset)]) => match usize::try_from(*offset) {
            // A text that is not empty is not found from an offset behind the end.
            Ok(offset) if !part.is_empty() && offset >= chars.len() => Ok(Value::Int(-1)),
            Ok(offset) => Ok(last_index_of(&chars, part, offset)),
            Err(_) => Err(out_of_range(*offset)),
        },
        ("replace", [Value::String(old), Value::String(new)]) => Ok(string(&text.replace(old.as_str(), new))),
        ("replace", [Value::String(old), Value::String(new), Value::Int(count)]) => {
            Ok(string(&text.replacen(old.as_str(), new, count_of(*count))))
        }
        ("split", [Value::String(separator)]) => Ok(split(text, separator, usize::MAX)),
        ("split", [Value::String(separator), Value::Int(count)]) => {
            Ok(split(text, separator, count_of(*count)))
        }
        ("find", [Value::String(pattern)]) => {
            compiled(pattern).map(|pattern| string(pattern.find_all(text).next().unwrap_or_default()))
        }
        ("findAll", [Value::String(pattern)]) => find_all(text, pattern, usize::MAX),
        ("findAll", [Value::String(pattern), Value::Int(count)]) => find_all(text, pattern, count_of(*count)),
        _ => return None,
    })
}

fn compiled(pattern: &str) -> Result<Pattern, String> {
    Pattern::compile(pattern).map_err(|problem| format!("Illegal regex: {problem}"))
}

fn find_all(text: &str, pattern: &str, count: usize) -> Evaluated {
    compiled(pattern).map(|pattern| list(pattern.find_all(text).take(count).map(string)))
}

/// Returns a count, of which a negative one stands for all.
fn count_of(count: i64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn out_of_range(index: i64) -> String {
    format!("index out of range: {index}")
}

fn part(chars: &[char], start: i64, end: i64) -> Evaluated {
    if start > end {
        return Err(format!("invalid substring range. start: {start}, end: {end}"));
    }
    let from =
        usize::try_from(start).ok().filter(|from| *from <= chars.len()).ok_or_else(|| out_of_range(start))?;
    let to = usize::try_from(end).ok().filter(|to| *to <= chars.len()).ok_or_else(|| out_of_range(end))?;
    Ok(string(&chars[from..to].iter().collect::<String>()))
}

fn index_of(chars: &[char], part: &str, offset: i64) -> Evaluated {
    let start = usize::try_from(offset).map_err(|_| out_of_range(offset))?;
    let part: Vec<char> = part.chars().collect();
    if part.is_empty() {
        return Ok(position(Some(start.min(chars.len()))));
    }
    let rest = chars.get(start..).unwrap_or_default();
    Ok(position(rest.windows(part.len()).position(|window| window == part).map(|found| found + start)))
}

/// Returns the last position of a part that is not after an offset.
fn last_index_of(chars: &[char], part: &str, offset: usize) -> Value {
    let part: Vec<char> = part.chars().collect();
    if part.is_empty() {
        return position(Some(offset.min(chars.len())));
    }
    let end = chars.len().min(offset.saturating_add(part.len()));
    position(chars[..end].windows(part.len()).rposition(|window| window == part))
}

fn position(found: Option<usize>) -> Value {
    Value::Int(found.and_then(|found| i64::try_from(found).ok()).unwrap_or(-1))
}

/// Splits a text into at most `count` parts. Without a separator, each character is a part. Upstream: Go's `strings.SplitN`.
fn split(text: &str, separator: &str, count: usize) -> Value {
    if count == 0 {
        return list([]);
    }
    if !separator.is_empty() {
        return list(text.splitn(count, separator).map(string));
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if parts.len() + 1 == count { rest.len() } else { first.len_utf8() };
        let (part, after) = rest.split_at(end);
        parts.push(string(part));
        rest = after;
    }
    list(parts)
}
