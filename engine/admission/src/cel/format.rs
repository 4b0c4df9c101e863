//! The arguments of `format`. Upstream: cel-go, `ext/formatting.go`, `stringFormatChecker`.

use cel::Value;
use cel::common::ast::{EntryExpr, Expr, IdedExpr};
use cel::objects::Key;
use skewer_engine::go_quote;

use super::check::Checker;
use super::problem::{Checked, Problem};
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

/// Returns the call with texts for the arguments that `kube-cel` writes in another way: those of `%s`, `%f` and `%e`, and negative
/// numbers in other bases. `None` if the text is not valid. Upstream: `stringFormatter`.
///
/// Fails if an argument has no text.
pub(super) fn with_texts(text: &str, arguments: &[Value]) -> Result<Option<FormatCall>, String> {
    let Ok(clauses) = Clauses::of(text) else { return Ok(None) };
    let mut call = FormatCall { text: String::new(), arguments: arguments.to_vec() };
    for (index, Clause { before, precision, verb }) in clauses.list.into_iter().enumerate() {
        call.text.push_str(before);
        call.text.push('%');
        let as_text = match call.arguments.get(index) {
            Some(argument) => text_of(verb, precision, argument)
                .map_err(|error| format!("error during formatting: {error}"))?,
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

/// Returns the text of an argument, if it is written as one.
fn text_of(verb: char, precision: &str, argument: &Value) -> Result<Option<Value>, String> {
    let digits: Option<usize> = precision.strip_prefix('.').and_then(|digits| digits.parse().ok());
    let text = match (verb, argument) {
        ('s', value) => printed(value)?,
        ('f', value) => fixed(double(value, "fixed-point")?, digits.unwrap_or(DEFAULT_PRECISION)),
        ('e', value) => scientific(double(value, "scientific")?, digits.unwrap_or(DEFAULT_PRECISION)),
        ('x', Value::Int(number)) if *number < 0 => format!("-{:x}", number.unsigned_abs()),
        ('X', Value::Int(number)) if *number < 0 => format!("-{:X}", number.unsigned_abs()),
        ('b', Value::Int(number)) if *number < 0 => format!("-{:b}", number.unsigned_abs()),
        ('o', Value::Int(number)) if *number < 0 => format!("-{:o}", number.unsigned_abs()),
        _ => return Ok(None),
    };
    Ok(Some(string(&text)))
}

const DEFAULT_PRECISION: usize = 6;

/// Returns the number for `%f` and `%e`. Upstream: `stringFormatter.Fixed`, `stringFormatter.Scientific`.
fn double(value: &Value, clause: &str) -> Result<f64, String> {
    match value {
        Value::Float(number) => Ok(*number),
        Value::String(text) if matches!(text.as_str(), "NaN" | "Infinity" | "-Infinity") => {
            text.parse().map_err(|_| format!("could not convert {text:?} to float64"))
        }
        _ => {
            let ty = standard::type_name(value);
            Err(format!("{clause} clause can only be used on doubles, was given {ty}"))
        }
    }
}

/// Writes a number as `message.Printer` of `golang.org/x/text` does in English: `1,234.50`.
fn fixed(number: f64, precision: usize) -> String {
    if !number.is_finite() {
        return not_finite(number);
    }
    let text = format!("{:.precision$}", number.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = sign(number).to_owned();
    for (index, digit) in whole.char_indices() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

/// Writes a number as `message.Printer` does with `%Ne`: `1.234560×10⁰⁴`. The precision of the clause is the width, and six digits
/// follow the dot.
fn scientific(number: f64, width: usize) -> String {
    let text = if number.is_finite() {
        let text = format!("{:.DEFAULT_PRECISION$e}", number.abs());
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (minus, exponent) = exponent.strip_prefix('-').map_or(("", exponent), |exponent| ("⁻", exponent));
        let raised = format!("{exponent:0>2}").chars().map(superscript).collect::<String>();
        format!("{}{digits}×10{minus}{raised}", sign(number))
    } else {
        not_finite(number)
    };
    format!("{text:>width$}")
}

fn superscript(digit: char) -> char {
    digit.to_digit(10).and_then(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize)).unwrap_or(digit)
}

fn not_finite(number: f64) -> String {
    if number.is_nan() { "NaN".to_owned() } else { format!("{}∞", sign(number)) }
}

/// Zero has no sign, but a number that is rounded to zero has one.
fn sign(number: f64) -> &'static str {
    if number < 0.0 { "-" } else { "" }
}

/// Returns the text of a value for `%s`. Upstream: `FormatString`, `formatList`, `formatMap`.
fn printed(value: &Value) -> Result<String, String> {
    match value {
        Value::List(items) => {
            let items = items.iter().map(printed_inside).collect::<Result<Vec<_>, _>>()?;
            Ok(format!("[{}]", items.join(", ")))
        }
        Value::Map(map) => {
            let entry = |(key, value): (&Key, &Value)| {
                let key = match key {
                    Key::String(text) => go_quote(text),
                    Key::Bool(_) | Key::Int(_) | Key::Uint(_) => key.to_string(),
                };
                Ok((key, printed_inside(value)?))
            };
            let mut entries = map.map.iter().map(entry).collect::<Result<Vec<_>, String>>()?;
            entries.sort();
            let entries: Vec<String> =
                entries.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
            Ok(format!("{{{}}}", entries.join(", ")))
        }
        Value::Null => Ok("null".to_owned()),
        Value::Function(name, None) => Ok(name.to_string()),
        scalar => match standard::call("string", std::slice::from_ref(scalar)) {
            Some(Ok(Value::String(text))) => Ok(text.to_string()),
            Some(Err(error)) => Err(error),
            _ => Err(format!("no formatting function for {}", standard::type_name(scalar))),
        },
    }
}

/// Returns the text of a value inside of a list or a map, as a literal. Upstream: `clauseForType`, `quoteForCEL`.
fn printed_inside(value: &Value) -> Result<String, String> {
    let text = match value {
        Value::Float(number) if number.is_finite() => return Ok(format!("{number:.DEFAULT_PRECISION$}")),
        value => printed(value)?,
    };
    Ok(match value {
        Value::String(_) | Value::Float(_) => go_quote(&text),
        Value::Bytes(_) => format!("b{}", go_quote(&text)),
        Value::Timestamp(_) => format!("timestamp({})", go_quote(&text)),
        Value::Duration(_) => format!("duration({})", go_quote(&text)),
        _ => text,
    })
}
