//! The arguments of `format`. Upstream: cel-go, `ext/formatting.go`, `stringFormatChecker`.

use cel::Value;
use cel::common::ast::{EntryExpr, Expr, IdedExpr};

use super::check::{Checked, Checker, Problem};
use super::standard;
use super::types::Ty;
use super::value::string;

impl Checker {
    /// Checks a text with clauses such as `%s` and `%.2f`.
    pub(super) fn check_format(&mut self, text: &str, arguments: &[IdedExpr]) -> Checked<()> {
        let verbs = verbs(text).map_err(Problem::Invalid)?;
        for (index, verb) in verbs.iter().enumerate() {
            let argument =
                arguments.get(index).ok_or_else(|| invalid(&format!("index {index} out of range")))?;
            self.check_clause(*verb, argument)?;
        }
        if verbs.len() == arguments.len() {
            return Ok(());
        }
        let (used, given) = (verbs.len(), arguments.len());
        Err(invalid(&format!("too many arguments supplied to string.format (expected {used}, got {given})")))
    }

    fn check_clause(&mut self, verb: char, argument: &IdedExpr) -> Checked<()> {
        let ty = self.check(argument)?;
        let fits = match verb {
            's' => self.is_printable(argument)?,
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
    fn is_printable(&mut self, argument: &IdedExpr) -> Checked<bool> {
        if matches!(self.check(argument)?, Ty::Object(_) | Ty::Optional(_) | Ty::Opaque(_)) {
            return Ok(false);
        }
        let inner: Vec<&IdedExpr> = match &argument.expr {
            Expr::List(list) => list.elements.iter().collect(),
            Expr::Map(map) => {
                let entries = map.entries.iter().map(|entry| &entry.expr);
                let values = entries.filter_map(|entry| match entry {
                    EntryExpr::MapEntry(entry) => Some([&entry.key, &entry.value]),
                    EntryExpr::StructField(_) => None,
                });
                values.flatten().collect()
            }
            _ => Vec::new(),
        };
        for value in inner {
            if !self.is_printable(value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn invalid(message: &str) -> Problem {
    Problem::Invalid(message.to_owned())
}

/// Returns the letters of the clauses of a text, such as `s` for `%s` and `f` for `%.2f`.
fn verbs(text: &str) -> Result<Vec<char>, String> {
    let mut verbs = Vec::new();
    let mut rest = text;
    while let Some((_, clause)) = rest.split_once('%') {
        if let Some(after) = clause.strip_prefix('%') {
            rest = after;
            continue;
        }
        let precision = clause.strip_prefix('.');
        let clause =
            precision.map_or(clause, |digits| digits.trim_start_matches(|c: char| c.is_ascii_digit()));
        let verb = clause.chars().next().ok_or("unexpected end of string")?;
        verbs.push(verb);
        rest = &clause[verb.len_utf8()..];
    }
    Ok(verbs)
}

/// The text and the arguments of a call of `format`.
pub(super) struct FormatCall {
    pub(super) text: String,
    pub(super) arguments: Vec<Value>,
}

/// Returns the call with texts for the scalars that `kube-cel` writes in another way: those of `%s`, and negative numbers in other
/// bases. Upstream: `FormatString`, `FormatBinary`, `FormatHex`, `FormatOctal`.
pub(super) fn with_texts(text: &str, arguments: &[Value]) -> FormatCall {
    let mut call = FormatCall { text: String::new(), arguments: arguments.to_vec() };
    let mut arguments = call.arguments.iter_mut();
    let mut rest = text;
    while let Some((before, clause)) = rest.split_once('%') {
        call.text.push_str(before);
        call.text.push('%');
        let Some(verb) = clause.chars().next() else { break };
        rest = &clause[verb.len_utf8()..];
        let written = if verb == '%' { None } else { arguments.next() };
        let as_text = written.and_then(|argument| {
            *argument = text_of(verb, argument)?;
            Some(())
        });
        call.text.push(if as_text.is_some() { 's' } else { verb });
        // The precision of a number comes before the letter.
        let end = rest.find(|c: char| !c.is_ascii_digit()).filter(|_| verb == '.').unwrap_or(0);
        call.text.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    call.text.push_str(rest);
    call
}

/// Returns the text of an argument, if it is written as one.
fn text_of(verb: char, argument: &Value) -> Option<Value> {
    let text = |digits: String| Some(string(&format!("-{digits}")));
    match (verb, argument) {
        ('s', Value::List(_) | Value::Map(_) | Value::Null | Value::Function(..)) => None,
        ('s', scalar) => standard::call("string", std::slice::from_ref(scalar))?.ok(),
        ('x', Value::Int(number)) if *number < 0 => text(format!("{:x}", number.unsigned_abs())),
        ('X', Value::Int(number)) if *number < 0 => text(format!("{:X}", number.unsigned_abs())),
        ('b', Value::Int(number)) if *number < 0 => text(format!("{:b}", number.unsigned_abs())),
        ('o', Value::Int(number)) if *number < 0 => text(format!("{:o}", number.unsigned_abs())),
        _ => None,
    }
}
