//! The estimated cost of an expression, for which an API server refuses a definition. Upstream: `Cost` (cel-go, `checker`).

mod calls;
mod size;

use std::collections::HashMap;

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, ListExpr, LiteralValue, SelectExpr, operators,
};

use self::calls::Argument;
use self::size::{NEW_LIST, Size, size_at};
use super::check::is_optional_macro;
use super::declared::Declared;
use super::types::Ty;

const NEW_MAP: u64 = 30;

/// Returns the highest cost of an expression. `types` has the types of its parts, by their ids.
pub(super) fn estimate(expression: &IdedExpr, types: &HashMap<u64, Ty>, variable: &Declared) -> u64 {
    let mut estimator = Estimator {
        types,
        variable,
        paths: HashMap::new(),
        sizes: HashMap::new(),
        entries: HashMap::new(),
        locals: Vec::new(),
    };
    estimator.cost(expression)
}

/// The sizes of the keys and the values of a list or a map. Upstream: `entrySizeEstimate`.
#[derive(Clone, Copy)]
struct Entry {
    is_list: bool,
    key: Size,
    value: Size,
}

impl Entry {
    fn union(self, other: Entry) -> Entry {
        let (key, value) = (self.key.union(other.key), self.value.union(other.value));
        Entry { key, value, ..self }
    }
}

/// A variable of a macro.
struct Local {
    name: String,
    path: Vec<String>,
    size: Option<Size>,
    entry: Option<Entry>,
}

struct Estimator<'e> {
    types: &'e HashMap<u64, Ty>,
    /// The type of `self` and `oldSelf`.
    variable: &'e Declared,
    /// The paths of fields, by the ids of expressions. The first name is that of a variable, or of any other expression.
    paths: HashMap<u64, Vec<String>>,
    sizes: HashMap<u64, Size>,
    entries: HashMap<u64, Entry>,
    locals: Vec<Local>,
}

impl<'e> Estimator<'e> {
    fn cost(&mut self, expression: &'e IdedExpr) -> u64 {
        match &expression.expr {
            Expr::Ident(name) => {
                let path = self.local(name).map_or_else(|| vec![name.clone()], |local| local.path.clone());
                self.paths.insert(expression.id, path);
                1
            }
            Expr::Select(select) => self.select(expression.id, select),
            Expr::Call(call) if is_optional_macro(call) => self.optional_macro(expression.id, call),
            Expr::Call(call) => self.call(expression, call),
            Expr::List(list) => self.list(expression.id, list),
            Expr::Map(map) => {
                let entries = map.entries.iter().map(|entry| &entry.expr);
                self.map(expression.id, entries)
            }
            Expr::Comprehension(comprehension) => self.comprehension(expression.id, comprehension),
            Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => 0,
        }
    }

    fn select(&mut self, id: u64, select: &'e SelectExpr) -> u64 {
        let cost = self.cost(&select.operand);
        if select.test {
            return cost;
        }
        let mut path = self.path(&select.operand);
        path.push(select.field.clone());
        self.paths.insert(id, path);
        let is_free = !matches!(self.ty(&select.operand), Ty::Map(..) | Ty::Object(_));
        cost.saturating_add(u64::from(!is_free))
    }

    fn list(&mut self, id: u64, list: &'e ListExpr) -> u64 {
        let mut cost: u64 = 0;
        let mut value = Size { min: if list.elements.is_empty() { 0 } else { u64::MAX }, max: 0 };
        for element in &list.elements {
            cost = cost.saturating_add(self.cost(element));
            value = value.union(self.size_or_unknown(element));
        }
        self.entries.insert(id, Entry { is_list: true, key: Size::of(1), value });
        cost.saturating_add(NEW_LIST)
    }

    fn map(&mut self, id: u64, entries: impl ExactSizeIterator<Item = &'e EntryExpr>) -> u64 {
        let mut cost: u64 = 0;
        let none = Size { min: if entries.len() == 0 { 0 } else { u64::MAX }, max: 0 };
        let mut known = Entry { is_list: false, key: none, value: none };
        for entry in entries {
            let EntryExpr::MapEntry(entry) = entry else { continue };
            cost = cost.saturating_add(self.cost(&entry.key)).saturating_add(self.cost(&entry.value));
            let (key, value) = (self.size_or_unknown(&entry.key), self.size_or_unknown(&entry.value));
            known = known.union(Entry { key, value, ..known });
        }
        self.entries.insert(id, known);
        cost.saturating_add(NEW_MAP)
    }

    /// Returns the cost of a macro such as `all`.
    fn comprehension(&mut self, id: u64, comprehension: &'e ComprehensionExpr) -> u64 {
        let ComprehensionExpr { iter_range, accu_init, loop_step, .. } = comprehension;
        let mut cost = self.cost(iter_range).saturating_add(self.cost(accu_init));
        let accumulator = Local {
            name: comprehension.accu_var.clone(),
            path: self.path(accu_init),
            size: self.size(accu_init),
            entry: self.entry(accu_init),
        };
        self.locals.push(accumulator);
        let entry = self.entry(iter_range);
        let is_list =
            entry.map_or_else(|| matches!(self.ty(iter_range), Ty::List(..)), |entry| entry.is_list);
        let mut path = self.path(iter_range);
        path.push(if is_list { "@items" } else { "@keys" }.to_owned());
        let size = entry.map(|entry| if is_list { entry.value } else { entry.key });
        self.locals.push(Local { name: comprehension.iter_var.clone(), path, size, entry: None });
        let step = self.cost(&comprehension.loop_cond).saturating_add(self.cost(loop_step));
        self.remove_local(&comprehension.iter_var);
        cost = cost.saturating_add(self.cost(&comprehension.result));
        self.remove_local(&comprehension.accu_var);
        let count = self.size_or_unknown(iter_range);
        match &accu_init.expr {
            Expr::Literal(_) => self.set_size(id, self.size(accu_init)),
            Expr::List(_) | Expr::Map(_) => {
                self.set_size(id, Some(count));
                self.set_entry(id, self.entry(loop_step));
            }
            _ => {}
        }
        cost.saturating_add(count.max.saturating_mul(step))
    }

    /// Returns the cost of `target.optMap(x, body)`, which is `target.hasValue() ? optional.of(body) : optional.none()`, where
    /// `x` is `target.value()`, or of `target.optFlatMap(x, body)`. Upstream: `optMap`, `costBind`.
    fn optional_macro(&mut self, id: u64, call: &'e CallExpr) -> u64 {
        let (Some(target), [variable, body]) = (&call.target, call.args.as_slice()) else { return 0 };
        let is_flat = call.func_name == "optFlatMap";
        let Expr::Ident(name) = &variable.expr else { return 0 };
        let (condition, value) = (self.cost(target).saturating_add(1), self.cost(target).saturating_add(1));
        let size = match self.ty(target) {
            Ty::Optional(inner) => size_of_type(&inner),
            _ => None,
        };
        self.locals.push(Local { name: name.clone(), path: Vec::new(), size, entry: None });
        let body_cost = self.cost(body).saturating_add(u64::from(!is_flat));
        self.remove_local(name);
        let none = self.types.get(&id).and_then(size_of_type).unwrap_or(Size::UNKNOWN);
        let size = if is_flat { self.size_or_unknown(body).union(none) } else { none };
        self.set_size(id, Some(size));
        condition.saturating_add(NEW_LIST).saturating_add(value).saturating_add(body_cost)
    }

    fn call(&mut self, expression: &'e IdedExpr, call: &'e CallExpr) -> u64 {
        let id = expression.id;
        let mut arguments = Vec::with_capacity(call.args.len());
        let mut costs = Vec::with_capacity(call.args.len());
        for argument in &call.args {
            costs.push(self.cost(argument));
            arguments.push(self.argument(argument));
        }
        let sum = costs.iter().fold(0_u64, |sum, cost| sum.saturating_add(*cost));
        // The namespace of a function, such as `sets`, is no value.
        let namespace = call.target.as_deref().filter(|target| !self.types.contains_key(&target.id));
        let name = match namespace.map(|target| &target.expr) {
            Some(Expr::Ident(namespace)) => format!("{namespace}.{}", call.func_name),
            _ => call.func_name.clone(),
        };
        match (name.as_str(), call.args.as_slice()) {
            ("dyn", [argument]) => {
                self.set_size(id, self.size(argument));
                self.set_entry(id, self.entry(argument));
                return sum.saturating_add(1);
            }
            (operators::LOGICAL_AND | operators::LOGICAL_OR, _) => {
                self.set_size(id, Some(Size::of(1)));
                return sum;
            }
            (operators::CONDITIONAL, [_, a, b]) => {
                let size = self.size_or_unknown(a).union(self.size_or_unknown(b));
                self.set_size(id, Some(size));
                self.set_entry(id, self.entry(a).zip(self.entry(b)).map(|(a, b)| a.union(b)));
                return costs[0].saturating_add(costs[1].max(costs[2]));
            }
            _ => {}
        }
        let target = call.target.as_deref().filter(|_| namespace.is_none());
        let (target_cost, target) = match target {
            Some(target) => (self.cost(target), Some(self.argument(target))),
            None => (0, None),
        };
        let overloads = calls::overloads(&name, target.as_ref(), &arguments, self.variable);
        let mut size: Option<Size> = None;
        let mut cost = 0;
        for overload in overloads {
            cost = cost.max(overload.cost);
            size = size.zip(overload.size).map(|(a, b)| a.union(b)).or(size).or(overload.size);
            if let (Some(step), [container, ..]) = (overload.step, call.args.as_slice()) {
                size = self.entry(container).map(|entry| entry.value);
                let mut path = self.path(container);
                path.push(step.to_owned());
                self.paths.insert(id, path);
            }
            if let (true, [a, b]) = (overload.is_sum, call.args.as_slice()) {
                self.set_entry(id, self.entry(a).zip(self.entry(b)).map(|(a, b)| a.union(b)));
            }
            size = size.or_else(|| self.size(expression));
        }
        self.set_size(id, size);
        sum.saturating_add(target_cost).saturating_add(cost)
    }

    fn argument(&self, expression: &'e IdedExpr) -> Argument<'e> {
        let path = self.path(expression);
        let is_accumulator = path.first().is_some_and(|name| name == "@result");
        Argument {
            expression,
            path: if is_accumulator { Vec::new() } else { path },
            ty: self.ty(expression),
            size: self.size(expression),
        }
    }

    fn ty(&self, expression: &IdedExpr) -> Ty {
        self.types.get(&expression.id).cloned().unwrap_or(Ty::Dyn)
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    fn remove_local(&mut self, name: &str) {
        if let Some(position) = self.locals.iter().rposition(|local| local.name == name) {
            self.locals.remove(position);
        }
    }

    fn path(&self, expression: &IdedExpr) -> Vec<String> {
        match &expression.expr {
            Expr::Ident(name) if self.local(name).is_some() => {
                self.local(name).map(|local| local.path.clone()).unwrap_or_default()
            }
            _ => self.paths.get(&expression.id).cloned().unwrap_or_default(),
        }
    }

    fn entry(&self, expression: &IdedExpr) -> Option<Entry> {
        self.entries.get(&expression.id).copied().or_else(|| match &expression.expr {
            Expr::Ident(name) => self.local(name)?.entry,
            _ => None,
        })
    }

    fn set_entry(&mut self, id: u64, entry: Option<Entry>) {
        if let Some(entry) = entry {
            self.entries.insert(id, entry);
        }
    }

    fn set_size(&mut self, id: u64, size: Option<Size>) {
        if let Some(size) = size {
            self.sizes.insert(id, size);
        }
    }

    fn size_or_unknown(&self, expression: &IdedExpr) -> Size {
        self.size(expression).unwrap_or(Size::UNKNOWN)
    }

    /// Returns the size of a value, if it is known. Upstream: `computeSize`.
    fn size(&self, expression: &IdedExpr) -> Option<Size> {
        if let Some(size) = self.sizes.get(&expression.id) {
            return Some(*size);
        }
        if let Some(size) = size_of_literal(expression) {
            return Some(size);
        }
        if let Some(size) = size_at(self.variable, &self.path(expression)) {
            return Some(size);
        }
        size_of_type(&self.ty(expression)).or_else(|| match &expression.expr {
            Expr::Ident(name) => self.local(name)?.size,
            _ => None,
        })
    }
}

fn size_of_literal(expression: &IdedExpr) -> Option<Size> {
    let size = match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => text.inner().chars().count(),
        Expr::Literal(LiteralValue::Bytes(bytes)) => bytes.inner().len(),
        Expr::Literal(_) => 1,
        Expr::List(list) => list.elements.len(),
        Expr::Map(map) => map.entries.len(),
        _ => return None,
    };
    Some(Size::of(size as u64))
}

/// Returns the size of the values of a type that all have the same. Upstream: `isScalar`.
fn size_of_type(ty: &Ty) -> Option<Size> {
    match ty {
        Ty::Bool | Ty::Int | Ty::Uint | Ty::Double | Ty::Duration | Ty::Timestamp => Some(Size::of(1)),
        Ty::Optional(inner) => size_of_type(inner),
        _ => None,
    }
}
