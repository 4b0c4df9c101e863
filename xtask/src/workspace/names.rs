//! What a path means: the modules of all crates with their names, and re-exports.

use std::collections::HashMap;

use syn::{Ident, Item, UseTree};

use super::macros::defined_types;
use super::source::{CrateRoot, RustFile};

/// The modules of all crates.
pub(crate) struct Names {
    modules: Vec<Module>,
    /// Modules by crate root and path.
    by_path: HashMap<(usize, Vec<String>), usize>,
    /// The root modules of libraries by name.
    libraries: HashMap<String, usize>,
}

#[derive(Default)]
struct Module {
    parent: Option<usize>,
    root: usize,
    bindings: HashMap<String, Vec<Binding>>,
    globs: Vec<Vec<String>>,
}

enum Binding {
    Item { file: usize },
    Module(usize),
    Use(Vec<String>),
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resolved {
    Module(usize),
    /// An item, or a part of an item, which a file defines.
    Item {
        file: usize,
    },
}

/// Where an item is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    Private,
    /// `pub(super)`, and `pub(self)`.
    Parent,
    /// `pub`, `pub(crate)` and `pub(in path)`.
    Public,
}

pub(crate) fn visibility(visibility: &syn::Visibility) -> Visibility {
    match visibility {
        syn::Visibility::Inherited => Visibility::Private,
        syn::Visibility::Restricted(within) if within.path.is_ident("self") => Visibility::Private,
        syn::Visibility::Restricted(within) if within.path.is_ident("super") => Visibility::Parent,
        syn::Visibility::Restricted(_) | syn::Visibility::Public(_) => Visibility::Public,
    }
}

/// A name that a `use` declaration brings in. A glob has no name.
pub(crate) struct UsedName {
    pub(crate) path: Vec<String>,
    pub(crate) name: Option<String>,
    pub(crate) line: usize,
}

/// Returns the names of a `use` declaration.
pub(crate) fn used_names(tree: &UseTree) -> Vec<UsedName> {
    let mut names = Vec::new();
    flatten(tree, &[], &mut names);
    names
}

fn flatten(tree: &UseTree, prefix: &[String], names: &mut Vec<UsedName>) {
    let line = |ident: &Ident| ident.span().start().line;
    let joined = |ident: &Ident| {
        let is_self = ident == "self" && !prefix.is_empty();
        prefix.iter().cloned().chain((!is_self).then(|| ident.to_string())).collect::<Vec<_>>()
    };
    match tree {
        UseTree::Path(path) => flatten(&path.tree, &joined(&path.ident), names),
        UseTree::Name(name) => {
            let path = joined(&name.ident);
            names.push(UsedName { name: path.last().cloned(), path, line: line(&name.ident) });
        }
        UseTree::Rename(rename) => {
            let name = Some(rename.rename.to_string());
            names.push(UsedName { path: joined(&rename.ident), name, line: line(&rename.ident) });
        }
        UseTree::Glob(glob) => {
            let line = glob.star_token.spans[0].start().line;
            names.push(UsedName { path: prefix.to_vec(), name: None, line });
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, prefix, names)),
    }
}

impl Names {
    pub(super) fn new(roots: &[CrateRoot], files: &[RustFile]) -> Self {
        let mut names = Self { modules: Vec::new(), by_path: HashMap::new(), libraries: HashMap::new() };
        for file in files {
            let id = names.module(file.root, &file.module);
            if let (true, Some(library)) = (file.module.is_empty(), &roots[file.root].library) {
                names.libraries.insert(library.clone(), id);
            }
        }
        for (index, file) in files.iter().enumerate() {
            let id = names.module(file.root, &file.module);
            names.add_items(
                id,
                &file.syntax.items,
                &Scope { file: index, root: file.root, path: file.module.clone() },
            );
        }
        names
    }

    /// Returns the module of a file.
    pub(crate) fn module_of(&self, file: &RustFile) -> usize {
        self.by_path[&(file.root, file.module.clone())]
    }

    /// Returns the module inside another one, if there is one.
    pub(crate) fn inner(&self, module: usize, name: &str) -> Option<usize> {
        let bindings = self.modules[module].bindings.get(name)?;
        bindings.iter().find_map(|binding| match binding {
            Binding::Module(id) => Some(*id),
            _ => None,
        })
    }

    /// Finds the item or module that a path in a module means. Re-exports are followed.
    pub(crate) fn resolve(&self, module: usize, path: &[String]) -> Option<Resolved> {
        self.resolve_within(module, path, 16)
    }

    fn module(&mut self, root: usize, path: &[String]) -> usize {
        if let Some(id) = self.by_path.get(&(root, path.to_vec())) {
            return *id;
        }
        let parent = path.split_last().map(|(_, parent)| self.module(root, parent));
        let id = self.modules.len();
        self.modules.push(Module { parent, root, ..Module::default() });
        self.by_path.insert((root, path.to_vec()), id);
        id
    }

    fn add_items(&mut self, id: usize, items: &[Item], scope: &Scope) {
        for item in items {
            match item {
                Item::Mod(module) => {
                    let inner = scope.inner(&module.ident);
                    let child = self.module(scope.root, &inner.path);
                    self.bind(id, module.ident.to_string(), Binding::Module(child));
                    if let Some((_, items)) = &module.content {
                        self.add_items(child, items, &inner);
                    }
                }
                Item::Use(declaration) => {
                    for used in used_names(&declaration.tree) {
                        match used.name {
                            Some(name) => self.bind(id, name, Binding::Use(used.path)),
                            None => self.modules[id].globs.push(used.path),
                        }
                    }
                }
                _ => {
                    let in_macro = match item {
                        Item::Macro(item) => defined_types(item),
                        _ => Vec::new(),
                    };
                    for name in name_of(item).into_iter().chain(&in_macro) {
                        self.bind(id, name.to_string(), Binding::Item { file: scope.file });
                    }
                }
            }
        }
    }

    fn bind(&mut self, module: usize, name: String, binding: Binding) {
        self.modules[module].bindings.entry(name).or_default().push(binding);
    }

    fn resolve_within(&self, module: usize, path: &[String], depth: usize) -> Option<Resolved> {
        let (first, rest) = path.split_first()?;
        let depth = depth.checked_sub(1)?;
        match first.as_str() {
            "crate" => {
                let root = self.by_path.get(&(self.modules[module].root, Vec::new()))?;
                self.walk(*root, rest, depth)
            }
            "self" => self.walk(module, rest, depth),
            "super" => {
                let parent = self.modules[module].parent?;
                let is_super = rest.first().is_some_and(|next| next == "super");
                if is_super {
                    self.resolve_within(parent, rest, depth)
                } else {
                    self.walk(parent, rest, depth)
                }
            }
            name => {
                self.walk(module, path, depth).or_else(|| self.walk(*self.libraries.get(name)?, rest, depth))
            }
        }
    }

    /// Finds what a path means that begins with a name of the module.
    fn walk(&self, module: usize, path: &[String], depth: usize) -> Option<Resolved> {
        let Some((first, rest)) = path.split_first() else { return Some(Resolved::Module(module)) };
        let depth = depth.checked_sub(1)?;
        let follow = |target: Resolved| match target {
            Resolved::Module(id) => self.walk(id, rest, depth),
            Resolved::Item { .. } => Some(target),
        };
        let bindings = self.modules[module].bindings.get(first).map_or(&[][..], Vec::as_slice);
        let found = bindings.iter().filter_map(|binding| match binding {
            Binding::Item { file } => Some(Resolved::Item { file: *file }),
            Binding::Module(id) => follow(Resolved::Module(*id)),
            Binding::Use(used) if used.first() == Some(first) && used.len() == 1 => {
                follow(Resolved::Module(*self.libraries.get(first)?))
            }
            Binding::Use(used) => self.resolve_within(module, used, depth).and_then(follow),
        });
        // A module and an item can have one name: a path that ends here means the item.
        let mut found: Vec<Resolved> = found.collect();
        found.sort_by_key(|target| matches!(target, Resolved::Module(_)) == rest.is_empty());
        if let Some(target) = found.first() {
            return Some(*target);
        }
        self.modules[module].globs.iter().find_map(|glob| match self.resolve_within(module, glob, depth)? {
            Resolved::Module(id) if id != module => self.walk(id, path, depth),
            _ => None,
        })
    }
}

/// Where items are: their file, and their module.
struct Scope {
    file: usize,
    root: usize,
    path: Vec<String>,
}

impl Scope {
    fn inner(&self, name: &Ident) -> Self {
        let path = self.path.iter().cloned().chain([name.to_string()]).collect();
        Self { file: self.file, root: self.root, path }
    }
}

fn name_of(item: &Item) -> Option<&Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Macro(item) => item.ident.as_ref(),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::workspace;

    fn resolve(path: &str) -> Option<String> {
        let workspace = workspace(&[
            ("engine/src/lib.rs", "mod a; pub mod b; pub use a::inner::Thing; pub use b as renamed;"),
            ("engine/src/a.rs", "pub mod inner { pub struct Thing; } pub use super::b::*;"),
            ("engine/src/b.rs", "use super::*; pub enum Kind { One } pub fn b() {}"),
            ("cases/src/lib.rs", "pub use engine as library; mod c;"),
            ("cases/src/c.rs", "use crate::library::a::Kind as K; use super::*;"),
        ]);
        let file = workspace.files.iter().find(|file| file.path.ends_with("c.rs")).unwrap();
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        match workspace.names.resolve(workspace.names.module_of(file), &path)? {
            Resolved::Item { file } => Some(workspace.files[file].path.clone()),
            Resolved::Module(_) => Some("module".to_owned()),
        }
    }

    #[test]
    fn paths_lead_to_the_file_of_the_definition() {
        for path in
            ["engine::Thing", "crate::library::Thing", "super::library::a::inner::Thing", "library::Thing"]
        {
            assert_eq!(resolve(path).as_deref(), Some("engine/src/a.rs"), "{path}");
        }
        for path in ["K::One", "engine::renamed::Kind", "engine::a::Kind", "engine::b::b"] {
            assert_eq!(resolve(path).as_deref(), Some("engine/src/b.rs"), "{path}");
        }
        assert_eq!(resolve("engine::a::inner").as_deref(), Some("module"));
        assert_eq!(resolve("std::fmt"), None);
        assert_eq!(resolve("engine::Missing"), None);
    }
}
