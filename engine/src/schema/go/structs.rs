//! The fields of structs.

use tree_sitter::Node;

use super::comments::Pending;
use super::errors::{GoErrorKind, Position};
use super::markers::{self, DefaultText};
use super::parse::{children, position};
use super::read::Reader;
use super::tags::{Tag, read_tag};
use crate::schema::{FieldDecl, PatchMeta, TypeExpr};

/// A field, with what can only be settled when all types are known.
pub(super) struct Field {
    pub(super) decl: FieldDecl,
    pub(super) at: Position,
    pub(super) default: Option<DefaultText>,
    /// `json:",string"`.
    pub(super) as_string: bool,
    /// `json:",inline"`, as opposed to embedding alone.
    pub(super) says_inline: bool,
}

impl Reader<'_> {
    /// The fields of a `struct_type` node.
    pub(super) fn struct_fields(&mut self, node: Node<'_>, holder: &str) -> Vec<Field> {
        let mut fields = Vec::new();
        let Some(list) = children(node).into_iter().find(|child| child.kind() == "field_declaration_list")
        else {
            return fields;
        };
        let mut pending = Pending::default();
        let mut previous_row = Some(list.start_position().row);
        for child in children(list) {
            match child.kind() {
                "comment" => pending.push(child, previous_row),
                "field_declaration" => {
                    let comments = pending.above(child, false);
                    self.field(child, &comments, holder, &mut fields);
                    previous_row = Some(child.end_position().row);
                }
                _ => {}
            }
        }
        fields
    }

    fn field(&mut self, node: Node<'_>, comments: &[Node<'_>], holder: &str, fields: &mut Vec<Field>) {
        let found = self.unclaimed.claim(comments);
        let tag = node.child_by_field_name("tag");
        let tag =
            tag.map(|tag| read_tag(self.text(tag), position(tag), &mut self.errors)).unwrap_or_default();
        let Some(type_node) = node.child_by_field_name("type") else { return };
        if tag.json.ignored {
            // The author leaves the field out of documents, whatever its type.
            return;
        }
        let names: Vec<Node<'_>> =
            children(node).into_iter().filter(|c| c.kind() == "field_identifier").collect();
        if names.is_empty() {
            let mut field = self.embedded(node, type_node, &tag, holder);
            field.default = markers::apply(found, &mut field.decl, &mut self.errors);
            fields.push(field);
            return;
        }
        let first = self.text(names[0]);
        let ty = self.type_expr(type_node, &format!("{holder}.{first}"));
        for name in names {
            let mut field = self.plain(name, ty.clone(), &tag);
            field.default = markers::apply(found.clone(), &mut field.decl, &mut self.errors);
            fields.push(field);
        }
    }

    fn plain(&mut self, name: Node<'_>, ty: TypeExpr, tag: &Tag) -> Field {
        let go_name = self.text(name);
        if !exported(go_name) {
            let message = format!(
                "the field `{go_name}` is not exported, so encoding/json would leave it out: export it or remove it"
            );
            self.error(name, GoErrorKind::UnexportedField, message);
        }
        if tag.json.inline {
            let message = format!(
                "`,inline` on the named field `{go_name}`: encoding/json inlines only embedded structs; remove the name"
            );
            self.error(name, GoErrorKind::BadInline, message);
        }
        let json_name = tag.json.name.clone().unwrap_or_else(|| go_name.to_owned());
        new_field(json_name, go_name, ty, tag, position(name))
    }

    fn embedded(&mut self, node: Node<'_>, type_node: Node<'_>, tag: &Tag, holder: &str) -> Field {
        let go_name = self.text(type_node).rsplit('.').next().unwrap_or_default().trim();
        let mut ty = self.type_expr(type_node, &format!("{holder}.{go_name}"));
        if children(node).iter().any(|child| child.kind() == "*") {
            ty = TypeExpr::Pointer(Box::new(ty));
        }
        if let Some(name) = tag.json.name.as_ref().filter(|_| tag.json.inline) {
            let message =
                format!("the JSON tag names the field {name:?} and inlines it: it can do one of the two");
            self.error(node, GoErrorKind::BadInline, message);
        }
        let json_name = tag.json.name.clone().unwrap_or_default();
        let mut field = new_field(json_name, go_name, ty, tag, position(node));
        field.decl.inline = tag.json.name.is_none();
        field
    }
}

fn new_field(name: String, go_name: &str, ty: TypeExpr, tag: &Tag, at: Position) -> Field {
    let decl = FieldDecl {
        name,
        go_name: go_name.to_owned(),
        ty,
        inline: false,
        omit_empty: tag.json.omit_empty,
        omit_zero: tag.json.omit_zero,
        required: None,
        default: None,
        patch: PatchMeta::clone(&tag.patch),
        markers: Vec::new(),
        line: at.line,
    };
    Field { decl, at, default: None, as_string: tag.json.as_string, says_inline: tag.json.inline }
}

/// Go exports names that begin with an upper-case letter.
pub(super) fn exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}
