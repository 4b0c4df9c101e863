//! A walk over a document along the types of a case.

use skewer_engine::directive::{
    Directive, DirectiveForm, DirectiveSet, DirectiveSubject, Placement, target_field,
};
use skewer_engine::document::DocKind;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Field, ScalarType, Schema, StructType, Type, TypeId};
use skewer_engine::{FieldPath, OwnedDoc, OwnedText, PathSegment};
use skewer_skew::{Selector, SelectorStep};
use skewer_yaml::{MapEntry, Node, NodeData, Span, nearest};

/// The meaning of a `$` key in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum DollarKeys {
    /// A `$` key is a field like any other.
    AreFields,
    /// A `$` key with the name of a directive is that directive.
    AreDirectives,
}

/// A part of a document that no party knows or that has the wrong type.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) kind: FindingKind,
    /// The path in the notation of `unknown-fields` and `wrong-types`, in which `[]` stands for any item of a list.
    pub(super) path: String,
    pub(super) span: Span,
    pub(super) message: String,
    /// Advice for a path that cannot be deliberate.
    pub(super) help: Option<String>,
}

/// The kinds of [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FindingKind {
    /// No party knows the field or the directive.
    UnknownField,
    /// The value does not have the type of its field.
    WrongType,
    /// No client of the case can make an edit: the types declare no such union, or the value has another type. No cell of
    /// the case can be run.
    ImpossibleEdit,
}

/// The types of the value at one path: one for each schema of the case in which the path exists.
pub(super) type Types<'a> = Vec<(&'a Schema, TypeId)>;

/// Returns the types of the whole object.
pub(super) fn root_types<'a>(contexts: &[&'a PatchContext]) -> Types<'a> {
    contexts.iter().map(|context| (&*context.schema, context.root)).collect()
}

/// A walk over documents that collects findings.
pub(super) struct Walk<'a> {
    pub(super) directives: &'a DirectiveSet,
    pub(super) findings: Vec<Finding>,
    /// The path of the current value, as in [`Finding::path`].
    path: Vec<String>,
    /// Whether every object has the fields that all Kubernetes objects have, even if its type does not declare them.
    has_object_metadata: bool,
    /// Whether clients and servers decode the documents, so that an integer must have the width of its type.
    has_clients: bool,
}

/// The fields of all Kubernetes objects.
const OBJECT_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

impl<'a> Walk<'a> {
    pub(super) fn new(directives: &'a DirectiveSet) -> Self {
        Walk {
            directives,
            findings: Vec::new(),
            path: Vec::new(),
            has_object_metadata: false,
            has_clients: false,
        }
    }

    /// Accepts the fields that all Kubernetes objects have, such as `metadata.managedFields`, even if the type of the
    /// object does not declare them.
    pub(super) fn with_object_metadata(self) -> Self {
        Walk { has_object_metadata: true, ..self }
    }

    /// Checks also the width of integers.
    pub(super) fn with_clients(self) -> Self {
        Walk { has_clients: true, ..self }
    }

    /// Returns true if all Kubernetes objects have this field of the current value.
    fn is_object_metadata(&self, name: &str) -> bool {
        self.has_object_metadata
            && match self.path.as_slice() {
                [] => OBJECT_FIELDS.contains(&name),
                [parent] => parent == "metadata" && name == "managedFields",
                _ => false,
            }
    }

    /// Checks a value and everything in it.
    pub(super) fn check(&mut self, node: &Node, types: &Types<'a>, dollar_keys: DollarKeys) {
        if types.is_empty() || is_free_form(types) {
            return;
        }
        match &node.data {
            NodeData::Null => {}
            NodeData::Map(entries) => self.check_map(node, entries, types, dollar_keys),
            NodeData::List(items) => {
                let item_types = item_types(types);
                if item_types.is_empty() {
                    self.report_wrong_type(node.span, DocKind::List, types);
                }
                for item in items.iter().filter(|_| !item_types.is_empty()) {
                    self.within("[]", |walk| walk.check(item, &item_types, dollar_keys));
                }
            }
            NodeData::Int(integer)
                if self.has_clients && i32::try_from(*integer).is_err() && are_short_integers(types) =>
            {
                let message = format!("expected an integer of 32 bits, found {integer}");
                self.push(FindingKind::WrongType, node.span, message);
            }
            _ => self.check_scalar(node.span, node.to_doc().kind(), types),
        }
    }

    fn check_scalar(&mut self, span: Span, kind: DocKind, types: &Types<'a>) {
        let is_accepted = |(schema, ty): &(&Schema, TypeId)| schema.get(*ty).accepts_scalar(kind);
        if kind != DocKind::Null && !types.is_empty() && !types.iter().any(is_accepted) {
            self.report_wrong_type(span, kind, types);
        }
    }

    fn check_map(&mut self, node: &Node, entries: &[MapEntry], types: &Types<'a>, dollar_keys: DollarKeys) {
        let is_map =
            |(schema, ty): &(&Schema, TypeId)| matches!(schema.get(*ty), Type::Struct(_) | Type::Map(_));
        let has_directive = |entry: &MapEntry| self.directives.directive_for_key(entry.name()).is_some();
        let takes_directives = dollar_keys == DollarKeys::AreDirectives;
        if !types.iter().any(is_map) {
            // `{$patch: replace}` can be written in place of any value, or as an item of a list of scalars.
            if !(takes_directives && entries.iter().any(has_directive)) {
                self.report_wrong_type(node.span, DocKind::Map, types);
            }
            return;
        }
        for entry in entries {
            let field_types = field_types(types, entry.name());
            let is_field = structs(types).any(|s| s.field(entry.name()).is_some());
            if self.is_object_metadata(entry.name()) && (field_types.is_empty() || !self.path.is_empty()) {
                continue;
            }
            if takes_directives && !is_field && has_directive(entry) {
                self.check_directive_key(entry, types);
            } else if !field_types.is_empty() {
                self.within(&quote(entry.name()), |walk| walk.check(&entry.value, &field_types, dollar_keys));
            } else if takes_directives && entry.name().starts_with('$') {
                self.check_directive_key(entry, types);
            } else {
                self.report_unknown_field(entry.name(), entry.key.span, types);
            }
        }
    }

    /// Checks that a directive with this key exists, and that the field to which it applies is known.
    fn check_directive_key(&mut self, entry: &MapEntry, types: &Types<'a>) {
        let key = entry.name();
        let Some(directive) = self.directives.directive_for_key(key) else {
            let names = self.directives.iter().map(Directive::name);
            let (name, field) = key.split_once('/').map_or((key, None), |(name, field)| (name, Some(field)));
            let near = nearest(name, names).map(|near| match field {
                Some(field) => format!("{near}/{field}"),
                None => near.to_owned(),
            });
            let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            let message = format!("no directive has the key `{key}`{hint}");
            self.report(FindingKind::UnknownField, key, entry.key.span, message);
            return;
        };
        if let Some(field) =
            target_field(directive, key).filter(|_| directive.placement() == Placement::Field)
            && field_types(types, field).is_empty()
            && !is_free_form(types)
        {
            let message = format!("{}: `{key}`", unknown_field(field, types));
            self.report(FindingKind::UnknownField, key, entry.key.span, message);
        }
        if let Some(form) = directive.form() {
            self.check_declared_form(entry, types, directive, form);
        }
    }

    /// Checks the key and the value of a directive that the suite declares. Those of the engine's directives are checked by
    /// the engine.
    fn check_declared_form(
        &mut self,
        entry: &MapEntry,
        types: &Types<'a>,
        directive: &dyn Directive,
        form: DirectiveForm,
    ) {
        let key = entry.name();
        let mut report =
            |span: Span, message: String| self.report(FindingKind::WrongType, key, span, message);
        let field = target_field(directive, key);
        if form.applies_to != DirectiveSubject::Map && field.is_none() {
            report(entry.key.span, format!("`{key}` must name a field: expected `{key}/FIELD`"));
        }
        let of_field = field.map(|field| (field, field_types(types, field)));
        if let Some((field, of_field)) = of_field.filter(|(_, of_field)| !of_field.is_empty())
            && form.applies_to == DirectiveSubject::List
            && item_types(&of_field).is_empty()
        {
            report(
                entry.key.span,
                format!("`{key}` applies to a list, but `{field}` is {}", describe(&of_field)),
            );
        }
        let value = entry.value.to_doc();
        if !form.carries.accepts(&value) {
            let found = value.kind().with_article();
            let expected = form.carries.with_article();
            report(entry.value.span, format!("`{key}` carries {found}, expected {expected}"));
        }
    }

    /// Checks the fields that a selector names, and returns the types of the selected value. Returns `None` after a
    /// finding.
    pub(super) fn check_selector(
        &mut self,
        selector: &Selector,
        span: Span,
        root: &Types<'a>,
    ) -> Option<Types<'a>> {
        let depth = self.path.len();
        let mut types = root.clone();
        for step in selector.steps() {
            if is_free_form(&types) {
                break;
            }
            let next = match step {
                SelectorStep::Key(key) => {
                    let next = field_types(&types, key);
                    if next.is_empty() {
                        self.report_unknown_field(key, span, &types);
                    }
                    self.path.push(quote(key));
                    next
                }
                SelectorStep::Index(_) | SelectorStep::Matching(_) => {
                    let next = item_types(&types);
                    if next.is_empty() {
                        let message =
                            format!("expected {}, but the path selects an item of a list", describe(&types));
                        self.report(FindingKind::WrongType, "[]", span, message);
                    }
                    self.path.push("[]".to_owned());
                    if let SelectorStep::Matching(conditions) = step {
                        self.check_conditions(conditions, span, &next);
                    }
                    next
                }
            };
            types = next;
            if types.is_empty() {
                self.path.truncate(depth);
                return None;
            }
        }
        Some(types)
    }

    /// Resets the path after a selector was checked.
    pub(super) fn leave(&mut self) {
        self.path.clear();
    }

    fn check_conditions(&mut self, conditions: &[(OwnedText, OwnedDoc)], span: Span, item: &Types<'a>) {
        if item.is_empty() || is_free_form(item) {
            return;
        }
        for (key, value) in conditions {
            if key.is_empty() {
                self.check_scalar(span, value.kind(), item);
                continue;
            }
            let types = field_types(item, key);
            if types.is_empty() {
                self.report_unknown_field(key, span, item);
            } else {
                self.within(&quote(key), |walk| walk.check_scalar(span, value.kind(), &types));
            }
        }
    }

    /// Checks one operation of a JSON patch.
    pub(super) fn check_json_patch_operation(&mut self, operation: &Node, root: &Types<'a>) {
        for key in ["path", "from"] {
            let Some(node) = operation.get(key) else { continue };
            let Some(pointer) = node.as_str() else { continue };
            let types = self.check_pointer(pointer, node.span, root);
            if let (Some(types), "path", Some(value)) = (types, key, operation.get("value")) {
                self.check(value, &types, DollarKeys::AreFields);
            }
            self.leave();
        }
    }

    fn check_pointer(&mut self, pointer: &str, span: Span, root: &Types<'a>) -> Option<Types<'a>> {
        let mut types = root.clone();
        for token in pointer.split('/').skip(1) {
            if is_free_form(&types) {
                break;
            }
            let key = token.replace("~1", "/").replace("~0", "~");
            let items = item_types(&types);
            if items.is_empty() {
                let next = field_types(&types, &key);
                if next.is_empty() {
                    self.report_unknown_field(&key, span, &types);
                    return None;
                }
                self.path.push(quote(&key));
                types = next;
            } else {
                self.path.push("[]".to_owned());
                types = items;
            }
        }
        Some(types)
    }

    /// Reports that no party knows a field of the current value.
    pub(super) fn report_unknown_field(&mut self, name: &str, span: Span, types: &Types<'a>) {
        let has_fields = types.iter().any(|(schema, ty)| schema.as_struct(*ty).is_some());
        if has_fields {
            self.report(FindingKind::UnknownField, name, span, unknown_field(name, types));
            if self.path.is_empty() && OBJECT_FIELDS.contains(&name) {
                let help = format!(
                    "declare it (in Go, embed `metav1.TypeMeta` and `metav1.ObjectMeta`), or add to the case: \
                     `unknown-fields: [{name}]`"
                );
                if let Some(finding) = self.findings.last_mut() {
                    finding.help = Some(help);
                }
            }
        } else {
            let message = format!("expected {}, but the path selects a field `{name}`", describe(types));
            self.report(FindingKind::WrongType, name, span, message);
        }
    }

    fn report_wrong_type(&mut self, span: Span, found: DocKind, types: &Types<'a>) {
        let message = format!("expected {}, found {}", describe(types), found.with_article());
        self.push(FindingKind::WrongType, span, message);
    }

    /// Adds a finding at the current path.
    pub(super) fn push(&mut self, kind: FindingKind, span: Span, message: String) {
        self.findings.push(Finding { kind, path: join(&self.path), span, message, help: None });
    }

    fn report(&mut self, kind: FindingKind, key: &str, span: Span, message: String) {
        self.path.push(if key == "[]" { key.to_owned() } else { quote(key) });
        self.push(kind, span, message);
        self.path.pop();
    }

    pub(super) fn within(&mut self, step: &str, check: impl FnOnce(&mut Self)) {
        self.path.push(step.to_owned());
        check(self);
        self.path.pop();
    }
}

/// Returns true if the types allow any value.
pub(super) fn is_free_form(types: &Types<'_>) -> bool {
    types.iter().any(|(schema, ty)| matches!(schema.get(*ty), Type::Any))
}

/// Returns true if every type is an integer of 32 bits.
fn are_short_integers(types: &Types<'_>) -> bool {
    let is_short = |(schema, ty): &(&Schema, TypeId)| matches!(schema.get(*ty), Type::Scalar(scalar) if *scalar == ScalarType::Int32);
    !types.is_empty() && types.iter().all(is_short)
}

pub(super) fn structs<'t, 'a>(types: &'t Types<'a>) -> impl Iterator<Item = &'a StructType> + use<'t, 'a> {
    types.iter().filter_map(|(schema, ty)| schema.as_struct(*ty))
}

/// Returns the types of a field. The result is empty if no type has the field.
pub(super) fn field_types<'a>(types: &Types<'a>, name: &str) -> Types<'a> {
    let of_type = |(schema, ty): &(&'a Schema, TypeId)| match schema.get(*ty) {
        Type::Map(value) => Some((*schema, *value)),
        Type::Any => Some((*schema, *ty)),
        _ => schema.field(*ty, name).map(|field: &Field| (*schema, field.ty)),
    };
    types.iter().filter_map(of_type).collect()
}

/// Returns the types of list items. The result is empty if no type is a list.
pub(super) fn item_types<'a>(types: &Types<'a>) -> Types<'a> {
    let of_type = |(schema, ty): &(&'a Schema, TypeId)| match schema.get(*ty) {
        Type::Any => Some((*schema, *ty)),
        _ => schema.item(*ty).map(|item| (*schema, item)),
    };
    types.iter().filter_map(of_type).collect()
}

fn unknown_field(name: &str, types: &Types<'_>) -> String {
    let of = structs(types).next().map_or("the type", |s| s.name.as_str());
    let known = structs(types).flat_map(StructType::fields).map(|field| field.name.as_str());
    let hint = nearest(name, known).map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
    format!("{of} has no field `{name}` that any party knows{hint}")
}

pub(super) fn describe(types: &Types<'_>) -> String {
    types.first().map_or_else(|| "nothing".to_owned(), |(schema, ty)| schema.get(*ty).describe())
}

/// Formats a map key as a step of a path.
pub(super) fn quote(key: &str) -> String {
    let mut path = FieldPath::root();
    path.push(PathSegment::Key(key.into()));
    path.to_string()
}

fn join(steps: &[String]) -> String {
    let mut path = String::new();
    for step in steps {
        if !path.is_empty() && !step.starts_with('[') {
            path.push('.');
        }
        path.push_str(step);
    }
    if path.is_empty() { ".".to_owned() } else { path }
}

/// Returns true if a path in the notation of `unknown-fields` and `wrong-types` leads to a field that the types have.
pub(super) fn is_known_path(path: &str, root: &Types<'_>) -> bool {
    let Ok(selector) = path.replace("[]", "[0]").parse::<Selector>() else { return false };
    let mut types = root.clone();
    for step in selector.steps() {
        types = match step {
            SelectorStep::Key(key) => field_types(&types, key),
            SelectorStep::Index(_) | SelectorStep::Matching(_) => item_types(&types),
        };
    }
    !types.is_empty()
}

/// Returns the items of a list. Returns an empty slice if the node is not a list or is absent.
pub(super) fn items(node: Option<&Node>) -> &[Node] {
    node.map_or(&[], Node::items)
}
