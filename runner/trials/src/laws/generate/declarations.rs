//! Generation of type declarations with all kinds of patch metadata.

use skewer_engine::schema::{
    Declarations, FieldDecl, MetadataTags, PatchMeta, ScalarType, Shape, TagForm, TypeDecl, TypeExpr,
};

use crate::random_testing::Random;

/// Maximum depth of nested structs below the root.
const MAX_DEPTH: usize = 2;

/// Generates declarations whose root type is `Object`.
pub(super) fn generate_declarations(random: &mut Random) -> Declarations {
    let mut generator = DeclarationGenerator { random, types: Vec::new() };
    generator.add_struct("Object", 0, Vec::new());
    let mut types = generator.types;
    // The root is declared first.
    types.reverse();
    Declarations::new(types)
}

/// A generator of declarations. A type is added after the types to which it refers.
struct DeclarationGenerator<'a> {
    random: &'a mut Random,
    types: Vec<TypeDecl>,
}

/// The templates for the fields of a struct. Two fields of a struct never have the same name.
const FIELD_TEMPLATES: [FieldTemplate; 8] = [
    FieldTemplate::Text,
    FieldTemplate::Number,
    FieldTemplate::Labels,
    FieldTemplate::Union,
    FieldTemplate::Scalars,
    FieldTemplate::Items,
    FieldTemplate::Items,
    FieldTemplate::Inner,
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldTemplate {
    Text,
    Number,
    Labels,
    Union,
    Scalars,
    Items,
    Inner,
}

impl DeclarationGenerator<'_> {
    /// Adds a struct with the given fields and some random ones. Returns the name of the struct.
    fn add_struct(&mut self, name: &str, depth: usize, mut fields: Vec<FieldDecl>) -> String {
        let mut templates = FIELD_TEMPLATES;
        self.random.shuffle(&mut templates);
        let count = 1 + self.random.below(3);
        for template in templates {
            if fields.len() >= count + 2 {
                break;
            }
            let Some(field) = self.generate_field(template, depth) else { continue };
            if fields.iter().all(|other| other.name != field.name) {
                fields.push(field);
            }
        }
        let same_name_count =
            self.types.iter().filter(|ty| ty.name.trim_end_matches(char::is_numeric) == name).count();
        let name =
            if same_name_count == 0 { name.to_owned() } else { format!("{name}{}", same_name_count + 1) };
        let shape = Shape::Struct(fields);
        self.types.push(TypeDecl::new(&name, shape));
        name
    }

    fn generate_field(&mut self, template: FieldTemplate, depth: usize) -> Option<FieldDecl> {
        if depth >= MAX_DEPTH
            && !matches!(template, FieldTemplate::Text | FieldTemplate::Number | FieldTemplate::Scalars)
        {
            return None;
        }
        Some(match template {
            FieldTemplate::Text => field_decl("note", string_type(), PatchMeta::default()),
            FieldTemplate::Number => {
                field_decl("size", TypeExpr::Scalar(ScalarType::Integer), PatchMeta::default())
            }
            FieldTemplate::Labels => {
                field_decl("labels", TypeExpr::Map(Box::new(string_type())), PatchMeta::default())
            }
            FieldTemplate::Union => self.union_field(depth),
            FieldTemplate::Scalars => {
                let merge = self.random.chance(750);
                field_decl(
                    "tags",
                    TypeExpr::List(Box::new(string_type())),
                    PatchMeta::with_strategies(merge.then_some("merge")),
                )
            }
            FieldTemplate::Items => self.item_list_field(depth),
            FieldTemplate::Inner => {
                let name = self.add_struct("Inner", depth + 1, Vec::new());
                field_decl("inner", pointer_to(name), PatchMeta::default())
            }
        })
    }

    /// Generates a field with a discriminated union, in most cases with the strategy words that directives declare.
    fn union_field(&mut self, depth: usize) -> FieldDecl {
        let mut fields = vec![field_decl("type", string_type(), PatchMeta::default())];
        for member in ["foo", "bar"] {
            let name = self.add_struct("Member", depth + 1, Vec::new());
            fields.push(field_decl(member, pointer_to(name), PatchMeta::default()));
        }
        let name = self.add_struct("Union", depth + 1, fields);
        let patch = if self.random.chance(700) {
            PatchMeta::with_strategies(declared_words())
        } else {
            PatchMeta::default()
        };
        field_decl("union", pointer_to(name), patch)
    }

    /// Generates a list of maps. The list is merged or replaced, and can have keys in the tags that directives declare.
    fn item_list_field(&mut self, depth: usize) -> FieldDecl {
        let keys = vec![
            field_decl("name", string_type(), PatchMeta::default()),
            field_decl("kind", string_type(), PatchMeta::default()),
        ];
        let item = self.add_struct("Item", depth + 1, keys);
        let mut patch = PatchMeta::default();
        if self.random.chance(800) {
            let tagged = self.random.chance(300);
            patch = PatchMeta::with_strategies(
                std::iter::once("merge").chain(declared_words().filter(|_| tagged)),
            );
            patch.merge_key = vec!["name".to_owned()];
        }
        for tag in MetadataTags::registered().iter().filter(|tag| tag.form == TagForm::MergeKeys) {
            let keys: &[&str] = match self.random.below(4) {
                0 => &["name"],
                1 => &["name", "kind"],
                _ => &[],
            };
            patch.set_tag(tag.name, keys.iter().map(|key| (*key).to_owned()).collect());
        }
        field_decl("items", TypeExpr::List(Box::new(TypeExpr::Named(item))), patch)
    }
}

fn string_type() -> TypeExpr {
    TypeExpr::Scalar(ScalarType::String)
}

fn pointer_to(name: String) -> TypeExpr {
    TypeExpr::Pointer(Box::new(TypeExpr::Named(name)))
}

/// Returns the words that registered directives declare for the patch strategy.
fn declared_words() -> impl Iterator<Item = &'static str> {
    MetadataTags::registered().strategy_words().collect::<Vec<_>>().into_iter()
}

fn field_decl(name: &str, ty: TypeExpr, patch: PatchMeta) -> FieldDecl {
    FieldDecl::new(name, ty).with_omit_empty(true).with_patch(patch)
}
