//! Types that upstream's server-side apply refuses.

use rustc_hash::FxHashSet;

use super::compiled::{Schema, Type, TypeId};
use super::field_meta::{FieldMeta, PatchStrategy};
use super::patch_meta::ListType;
use crate::error::{Error, ErrorKind, Result};

impl Schema {
    /// Checks that upstream can convert a type, and all types to which it refers, to a schema of server-side apply. It
    /// refuses the whole schema if it does not understand a single list. Upstream: `getListElementRelationship`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if a list has the list type `map` without keys, or no list type and a patch strategy
    /// other than `merge`, `retainKeys` and `merge,retainKeys`.
    pub fn check_topology(&self, root: TypeId) -> Result<()> {
        let mut visited = FxHashSet::default();
        let mut queue = vec![root];
        while let Some(ty) = queue.pop() {
            if !visited.insert(ty) {
                continue;
            }
            match self.get(ty) {
                Type::List(inner) | Type::Map(inner) => {
                    self.check_list(ty, &FieldMeta::NONE)
                        .map_err(|message| invalid("a nested list", &message))?;
                    queue.push(*inner);
                }
                Type::Struct(s) => {
                    for field in s.fields() {
                        self.check_list(field.ty, &field.meta).map_err(|message| {
                            invalid(&format!("{}.{}", field.declared_in, field.name), &message)
                        })?;
                        queue.push(self.without_own_list(field.ty));
                    }
                }
                Type::Scalar(_) | Type::Enum(_) | Type::Any => {}
            }
        }
        Ok(())
    }

    /// Returns the type that is to be visited next for a field. It is that of the items if the field is a list, because
    /// the list itself was checked with the metadata of the field.
    fn without_own_list(&self, ty: TypeId) -> TypeId {
        self.item(ty).unwrap_or(ty)
    }

    fn check_list(&self, ty: TypeId, meta: &FieldMeta) -> std::result::Result<(), String> {
        if !matches!(self.get(ty), Type::List(_)) {
            return Ok(());
        }
        let declared = self.topology(ty);
        let list_types =
            [(meta.list_type, &meta.list_map_keys), (declared.list_type, &declared.list_map_keys)];
        match list_types.into_iter().find_map(|(list_type, keys)| Some((list_type?, keys))) {
            Some((ListType::Map, keys)) if keys.is_empty() => Err("missing map keys".to_owned()),
            Some(_) => Ok(()),
            None => check_strategy(meta),
        }
    }
}

fn invalid(place: &str, message: &str) -> Error {
    Error::new(ErrorKind::InvalidSchema, format!("{place}: {message}"))
}

fn check_strategy(meta: &FieldMeta) -> std::result::Result<(), String> {
    let base = match meta.strategy {
        PatchStrategy::Unset => None,
        PatchStrategy::Merge => Some("merge"),
        PatchStrategy::Replace => Some("replace"),
    };
    let words: Vec<&str> = base.into_iter().chain(meta.strategy_words()).collect();
    match words.as_slice() {
        [] | ["merge" | "retainKeys"] | ["merge", "retainKeys"] => Ok(()),
        unknown => Err(format!("unknown patch strategy {}", unknown.join(","))),
    }
}

#[cfg(test)]
#[cfg(feature = "go")]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::schema::go;

    fn check(fields: &str) -> Result<()> {
        let text = format!(
            "type Root struct {{\n  Nested *Root `json:\"nested\"`\n  Inner Inner `json:\"inner\"`\n}}\n\
             type Inner struct {{\n{fields}\n}}\ntype Item struct {{}}\n// +listType=map\ntype Keyless []Item\n\
             // +listType=set\ntype Names []string\n// +listType=map\n// +listMapKey=name\ntype Keyed []Item"
        );
        let schema = Schema::compile(&go::read(&text).unwrap()).unwrap();
        schema.check_topology(schema.named("Root").unwrap())
    }

    #[rstest]
    #[case::no_metadata("A []string `json:\"a\"`")]
    #[case::merged("A []string `json:\"a\" patchStrategy:\"merge\"`")]
    #[case::retained("A []Item `json:\"a\" patchStrategy:\"merge,retainKeys\" patchMergeKey:\"name\"`")]
    #[case::only_retained("A []Item `json:\"a\" patchStrategy:\"retainKeys\"`")]
    #[case::a_list_type_hides_the_strategy(
        "// +listType=atomic\nA []Item `json:\"a\" patchStrategy:\"replace\"`"
    )]
    #[case::the_list_type_of_the_type("A Keyed `json:\"a\" patchStrategy:\"replace\"`")]
    #[case::the_field_replaces_the_type("// +listType=atomic\nA Keyless `json:\"a\"`")]
    #[case::replaced_struct("A Item `json:\"a\" patchStrategy:\"replace\"`")]
    #[case::replaced_map("A map[string]string `json:\"a\" patchStrategy:\"replace\"`")]
    fn understood_lists_pass(#[case] fields: &str) {
        check(fields).unwrap();
    }

    #[rstest]
    #[case::replaced(
        "A []string `json:\"a\" patchStrategy:\"replace\"`",
        "Inner.a: unknown patch strategy replace"
    )]
    #[case::replaced_and_retained(
        "A []Item `json:\"a\" patchStrategy:\"replace,retainKeys\"`",
        "Inner.a: unknown patch strategy replace,retainKeys"
    )]
    #[case::no_keys("// +listType=map\nA []Item `json:\"a\"`", "Inner.a: missing map keys")]
    #[case::no_keys_of_the_type("A Keyless `json:\"a\"`", "Inner.a: missing map keys")]
    #[case::no_keys_of_a_nested_list("A map[string]Keyless `json:\"a\"`", "a nested list: missing map keys")]
    #[case::no_keys_of_items("A []Keyless `json:\"a\"`", "a nested list: missing map keys")]
    fn lists_that_upstream_does_not_understand_are_refused(#[case] fields: &str, #[case] expected: &str) {
        let error = check(fields).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidSchema, expected));
    }

    #[cfg(feature = "builtin")]
    #[test]
    fn every_kind_of_the_embedded_releases_passes() {
        for release in crate::schema::builtin::releases() {
            let schema = release.schema();
            for (kind, name) in release.kinds().sorted() {
                let checked = schema.check_topology(schema.named(name).unwrap());
                assert!(checked.is_ok(), "{} of {}: {checked:?}", kind, release.name());
            }
        }
    }
}
