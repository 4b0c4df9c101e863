//! The arguments of `format`. Upstream: cel-go, `ext/formatting.go`, `stringFormatChecker`.

use cel::Value;
use cel::common::ast::{EntryExpr, Expr, IdedExpr};

use super::check::{Checked, Checker, Problem};
use super::standard;
use super::types::Ty;
use super::value::string;

impl Checker {
    /// Checks a text with clauses such as `%s` and `%.2f`.
    pub(super) fn check_format(&self, text: &str, arguments: &[IdedExpr]) -> Checked<()> {
        let clauses = Clauses::of(text).map_err(invalid)?;
        for (index, clause) in clauses.list.iter().enumerate() {
            let argument =
                arguments.get(index).ok_or_else(|| invalid(&format!("index {index} out of range")))?;
            self.check_clause(clause.verb, argument)?;
        }
        let (used, given) = (clauses.list.len(), arguments.len());
        if used == given {
            return Ok(());
        }
        Err(invalid(&format!("too many arguments supplied to string.format (expected {used}, got {given})")))
    }

    fn check_clause(&self, verb: char, argument: &IdedExpr) -> Checked<()> {
        let ty = self.checked(argument);
        let fits = match verb {
            's' => self.is_printable(argument),
            'd' | 'o' => matches!(ty, Ty::Int | Ty::Uint),
            'f' | 'e' => matches!(ty, Ty::Double | Ty::String),
            'b' => matches!(ty, Ty::Int | Ty::Uint | Ty::Bool),
            'x' | 'X' => matches!(ty, Ty::Int | Ty::Uint | Ty::String | Ty::Bytes),
            _ => return Err(invalid(&format!("unrecognized formatting clause {verb:?}"))),
        };
        if fits || matches!(ty, Ty::Dyn | Ty::Open) {
            Ok(())
        } else {
            Err(invalid(&format!("error during formatting: a value of the type '{ty}' for %{verb}")))
        }
    }

    /// Whether the clause `%s` takes an argument. Of lists and maps, only the values of literals are checked.
    fn is_printable(&self, argument: &IdedExpr) -> bool {
        if matches!(self.checked(argument), Ty::Object(_) | Ty::Optional(_) | Ty::Opaque(_)) {
            return false;
        }
        match &argument.expr {
            Expr::List(list) => list.elements.iter().all(|element| self.is_printable(element)),
            Expr::Map(map) => map.entries.iter().all(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => {
                    self.is_printable(&entry.key) && self.is_printable(&entry.value)
                }
                EntryExpr::StructField(_) => true,
            }),
            _ => true,
        }
    }
}

fn invalid(message: &str) -> Problem {
    Problem::Invalid(message.to_owned())
}

/// A text with clauses such as `%s` and `%.2f`.
struct Clauses<'t> {
    list: Vec<Clause<'t>>,
    /// The text after the last clause.
    rest: &'t str,
}

struct Clause<'t> {
    /// The text between the clause before and this one.
    before: &'t str,
    /// The precision with its dot, such as `.2`.
    precision: &'t str,
    verb: char,
}

impl<'t> Clauses<'t> {
    fn of(text: &'t str) -> Result<Clauses<'t>, &'static str> {
        let mut clauses = Clauses { list: Vec::new(), rest: text };
        let mut searched = 0;
        while let Some(found) = clauses.rest[searched..].find('%') {
            let (before, clause) = clauses.rest.split_at(searched + found);
            let clause = &clause[1..];
            if clause.starts_with('%') {
                searched = before.len() + 2;
                continue;
            }
            let end = clause.strip_prefix('.').map_or(0, |after| {
                clause.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len()
            });
            let (precision, after) = clause.split_at(end);
            let verb = after.chars().next().ok_or("unexpected end of string")?;
            clauses.list.push(Clause { before, precision, verb });
            clauses.rest = &after[verb.len_utf8()..];
            searched = 0;
        }
        Ok(clauses)
    }
}

/// The text and the arguments of a call of `format`.
pub(super) struct FormatCall {
    pub(super) text: String,
    pub(super) arguments: Vec<Value>,
}

/// Returns the call with texts for the scalars that `kube-cel` writes in another way: those of `%s`, and negative numbers in other
/// bases. `None` if the text is not valid. Upstream: `FormatString`, `FormatBinary`, `FormatHex`, `FormatOctal`.
///
/// Fails if bytes are no text.
pub(super) fn with_texts(text: &str, arguments: &[Value]) -> Result<Option<FormatCall>, String> {
    let Ok(clauses) = Clauses::of(text) else { return Ok(None) };
    let mut call = FormatCall { text: String::new(), arguments: arguments.to_vec() };
    for (index, Clause { before, precision, verb }) in clauses.list.into_iter().enumerate() {
        call.text.push_str(before);
        call.text.push('%');
        let as_text = match call.arguments.get(index) {
            Some(argument) => text_of(verb, argument)?,
            None => None,
        };
        let as_text = as_text.map(|text| {
            call.arguments[index] = text;
            's'
        });
        // A text has no precision.
        call.text.push_str(if as_text.is_some() { "" } else { precision });
        call.text.push(as_text.unwrap_or(verb));
    }
    call.text.push_str(clauses.rest);
    Ok(Some(call))
}

/// Returns the text of an argument, if it is written as one. Fails if bytes are no text.
fn text_of(verb: char, argument: &Value) -> Result<Option<Value>, String> {
    let text = |digits: String| Some(string(&format!("-{digits}")));
    Ok(match (verb, argument) {
        ('s', Value::List(items)) => {
            items.iter().try_for_each(|item| text_of(verb, item).map(drop))?;
            None
        }
        ('s', Value::Map(map)) => {
            map.map.values().try_for_each(|value| text_of(verb, value).map(drop))?;
            None
        }
        ('s', Value::Null | Value::Function(..)) => None,
        ('s', scalar) => standard::call("string", std::slice::from_ref(scalar))
            .transpose()
            .map_err(|error| format!("error during formatting: {error}"))?,
        ('x', Value::Int(number)) if *number < 0 => text(format!("{:x}", number.unsigned_abs())),
        ('X', Value::Int(number)) if *number < 0 => text(format!("{:X}", number.unsigned_abs())),
        ('b', Value::Int(number)) if *number < 0 => text(format!("{:b}", number.unsigned_abs())),
        ('o', Value::Int(number)) if *number < 0 => text(format!("{:o}", number.unsigned_abs())),
        _ => None,
    })
}
