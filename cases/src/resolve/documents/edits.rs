//! The checks of the edits of an intent: their paths, and the values that they write.

use skewer_engine::document::DocKind;
use skewer_engine::schema::{Schema, Type, TypeId};
use skewer_skew::{Selector, SelectorStep};
use skewer_yaml::{Node, Span};

use super::walk::{
    DollarKeys, Finding, FindingKind, Types, Walk, describe, field_types, is_free_form, item_types, items,
    quote, structs,
};

/// Advice for types that have no union at a path.
const UNION_HELP: &str = "declare one: +unionDiscriminator and +unionMember, or +k8s:unionMember, in Go; x-kubernetes-unions in \
                          OpenAPI (+union, or a discriminator without members, declares none). `skewer union check FILE` lists \
                          the unions of a file";

/// Checks the paths and the values of an intent against the types of the object.
pub(super) fn check_intent<'a>(intent: &Node, root: &Types<'a>, walk: &mut Walk<'a>) {
    if let Some(values) = intent.get("set") {
        walk.check(values, root, DollarKeys::AreFields);
    }
    for edit in items(intent.get("choose")) {
        check_selected(edit.get("at"), root, walk, |types, walk| {
            if let (Some(fields), Some(at)) = (edit.get("fields"), edit.get("at"))
                && walk.check_map_type(at.span, types)
            {
                walk.check(fields, types, DollarKeys::AreFields);
            }
        });
    }
    for edit in items(intent.get("select")) {
        let findings = walk.findings.len();
        check_selected(edit.get("at"), root, walk, |types, walk| {
            let Some(member) = edit.get("member") else { return };
            let name = member.as_str().unwrap_or_default();
            let member_types = field_types(types, name);
            if member_types.is_empty() {
                walk.report_unknown_field(name, member.span, types);
                add_help(walk.findings.last_mut(), "write the name of a member as in documents: `fieldA`");
                return;
            }
            walk.check_union(Some(name), member.span, types);
            if let Some(value) = edit.get("value") {
                walk.within(&quote(name), |walk| walk.check(value, &member_types, DollarKeys::AreFields));
            }
        });
        // The union at an unknown path is not known.
        if let Some(finding) = walk.findings.get_mut(findings..).and_then(|new| new.first_mut())
            && edit.get("at").is_some_and(|at| at.span == finding.span)
        {
            finding.kind = FindingKind::ImpossibleEdit;
            finding.help.get_or_insert_with(|| "correct the path: the types must have the union".to_owned());
        }
    }
    for edit in items(intent.get("add")) {
        check_selected(edit.get("at"), root, walk, |types, walk| {
            if let (Some(item), Some(at)) = (edit.get("item"), edit.get("at")) {
                walk.check_list(at.span, types);
                walk.within("[]", |walk| walk.check(item, &item_types(types), DollarKeys::AreFields));
            }
        });
    }
    for at in items(intent.get("clear")) {
        check_selected(Some(at), root, walk, |types, walk| walk.check_union(None, at.span, types));
    }
    for at in items(intent.get("remove")) {
        let findings = walk.findings.len();
        check_selected(Some(at), root, walk, |_, _| {});
        let finding = walk.findings.get_mut(findings..).and_then(|new| new.last_mut());
        let list = list_of_text(root).unwrap_or_else(|| "finalizers".to_owned());
        let item = at.as_str().unwrap_or_default();
        // The name of an item, such as `example.com/x`, and no path.
        if !item.contains('[') && (item.contains('/') || !item.contains('.')) {
            add_help(finding, &format!("an item of a list of texts is removed with `{list}[={item}]`"));
        }
    }
    for edit in items(intent.get("order")) {
        check_selected(edit.get("at"), root, walk, |types, walk| {
            walk.check_list(edit.get("at").map_or(edit.span, |at| at.span), types);
        });
    }
    for edit in items(intent.get("increment")) {
        check_selected(edit.get("at"), root, walk, |types, walk| {
            walk.check_integer(edit.get("at").map_or(edit.span, |at| at.span), types);
        });
    }
}

/// Checks the path of a selector, and then the edit of the value that it selects.
pub(super) fn check_selected<'a>(
    at: Option<&Node>,
    root: &Types<'a>,
    walk: &mut Walk<'a>,
    check: impl FnOnce(&Types<'a>, &mut Walk<'a>),
) {
    let Some(at) = at else { return };
    let Some(selector) = at.as_str().and_then(|text| text.parse::<Selector>().ok()) else { return };
    if let Some(types) = walk.check_selector(&selector, at.span, root) {
        check(&types, walk);
    }
    walk.leave();
}

/// Says what to do about a finding that cannot be deliberate.
fn add_help(finding: Option<&mut Finding>, help: &str) {
    if let Some(finding) = finding {
        finding.help = Some(help.to_owned());
    }
}

/// Returns the name of the first field of an object that is a list of texts.
fn list_of_text(root: &Types<'_>) -> Option<String> {
    root.iter().find_map(|(schema, ty)| {
        let mut fields = schema.as_struct(*ty)?.fields();
        let is_text = |item: TypeId| schema.get(item).accepts_scalar(DocKind::String);
        let found = fields.find(|field| schema.item(field.ty).is_some_and(is_text))?;
        Some(found.name.to_string())
    })
}

impl<'a> Walk<'a> {
    /// Checks that the selected value is a list.
    pub(super) fn check_list(&mut self, span: Span, types: &Types<'a>) {
        if item_types(types).is_empty() {
            let message = format!("the path selects {}, but this edit needs a list", describe(types));
            self.push(FindingKind::WrongType, span, message);
        }
    }

    /// Checks that the selected value is a map, for an edit that chooses its fields. Returns false after a finding.
    pub(super) fn check_map_type(&mut self, span: Span, types: &Types<'a>) -> bool {
        let is_map =
            |(schema, ty): &(&Schema, TypeId)| matches!(schema.get(*ty), Type::Struct(_) | Type::Map(_));
        let is_accepted = is_free_form(types) || types.iter().any(is_map);
        if !is_accepted {
            let message = format!("the path selects {}, but `choose` needs a map", describe(types));
            self.push(FindingKind::WrongType, span, message);
        }
        is_accepted
    }

    /// Checks that the selected value is an integer.
    pub(super) fn check_integer(&mut self, span: Span, types: &Types<'a>) {
        let is_accepted = |(schema, ty): &(&Schema, TypeId)| schema.get(*ty).accepts_scalar(DocKind::Int);
        if !is_free_form(types) && !types.iter().any(is_accepted) {
            let message = format!("the path selects {}, but `increment` needs an integer", describe(types));
            self.push_impossible(span, message, "correct the path");
        }
    }

    /// Checks that the selected value has a union. If a member is given, the union must have that member.
    pub(super) fn check_union(&mut self, member: Option<&str>, span: Span, types: &Types<'a>) {
        let mut unions = types.iter().flat_map(|(schema, ty)| schema.unions(*ty));
        if unions.any(|union| member.is_none_or(|member| union.member(member).is_some())) {
            return;
        }
        let of = structs(types).next().map_or("the type", |s| s.name.as_str());
        let message = match member {
            Some(member) => format!("{of} has no union with a member `{member}`"),
            None => format!("{of} has no union"),
        };
        self.push_impossible(span, message, UNION_HELP);
    }

    /// Adds a finding about an edit that no client can make.
    fn push_impossible(&mut self, span: Span, message: String, help: &str) {
        self.push(FindingKind::ImpossibleEdit, span, message);
        add_help(self.findings.last_mut(), help);
    }
}

/// Returns true if a path leads through a map with free keys, or a value of any type.
pub(super) fn has_free_keys(selector: &Selector, root: &Types<'_>) -> bool {
    let mut types = root.clone();
    selector.steps().iter().any(|step| {
        let is_free = types.iter().any(|(schema, ty)| matches!(schema.get(*ty), Type::Map(_) | Type::Any));
        types = match step {
            SelectorStep::Key(key) => field_types(&types, key),
            SelectorStep::Index(_) | SelectorStep::Matching(_) => item_types(&types),
        };
        is_free
    })
}
