//! What of a crate its users can name, and the documentation of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use syn::{Attribute, FnArg, ImplItem, Item, ReturnType, Signature, TraitItem, Type, Visibility};

use crate::page::Page;
use crate::tree::{Meaning, Module, ModulePath, Tree, attributes, is_left_out, name_of};

/// Where an item is written, and what it is called there.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// The room: the module right under the root by which users reach it.
    pub(crate) room: String,
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) page: Page,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.name)
    }
}

/// A public function: free, of a type, or of a trait.
pub(crate) struct Function {
    pub(crate) named: Named,
    pub(crate) returns_result: bool,
    pub(crate) returns_self: bool,
    /// Whether it takes something beside `self`.
    pub(crate) has_arguments: bool,
}

/// A public struct, enum or trait, with the page of the module by which users reach it.
pub(crate) struct Noun {
    pub(crate) named: Named,
    pub(crate) module: Page,
}

/// A public module, and whether one of its items has an example.
pub(crate) struct Room {
    pub(crate) named: Named,
    pub(crate) has_items: bool,
}

#[derive(Default)]
pub(crate) struct Surface {
    pub(crate) functions: Vec<Function>,
    pub(crate) nouns: Vec<Noun>,
    pub(crate) modules: Vec<Room>,
}

impl Surface {
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut surface = Self::default();
        let public = public_items(tree);
        for (path, module) in tree.modules.iter().filter(|(path, _)| is_reachable(tree, path)) {
            let has_items = public.values().any(|by| by == path);
            surface.modules.push(Room {
                named: named(path, module, path.join("::"), module.line, module.page.clone()),
                has_items,
            });
        }
        for (path, module) in &tree.modules {
            for item in &module.items {
                let by = |name: &String| public.get(&(path.clone(), name.clone()));
                if let Item::Impl(block) = item {
                    let Some(name) = self_name(&block.self_ty).filter(|_| block.trait_.is_none()) else {
                        continue;
                    };
                    let Some(Meaning::Item(home, name)) = tree.resolve(path, &name) else { continue };
                    let Some(by) = public.get(&(home, name.clone())) else { continue };
                    for item in &block.items {
                        let ImplItem::Fn(function) = item else { continue };
                        if matches!(function.vis, Visibility::Public(_)) && !is_left_out(&function.attrs) {
                            surface.add_function(by, module, Some(&name), &function.sig, &function.attrs);
                        }
                    }
                }
                let Some((name, by)) = name_of(item).and_then(|name| by(&name).map(|by| (name, by))) else {
                    continue;
                };
                match item {
                    Item::Fn(function) => {
                        surface.add_function(by, module, None, &function.sig, &function.attrs);
                    }
                    Item::Struct(_) | Item::Enum(_) | Item::Trait(_) => {
                        let line = line_of(item);
                        let page = Page::of(attributes(item), &module.file);
                        let named = named(by, module, name.clone(), line, page);
                        surface.nouns.push(Noun { named, module: tree.modules[by].page.clone() });
                    }
                    _ => {}
                }
                if let Item::Trait(definition) = item {
                    for item in &definition.items {
                        let TraitItem::Fn(function) = item else { continue };
                        if !is_left_out(&function.attrs) {
                            surface.add_function(by, module, Some(&name), &function.sig, &function.attrs);
                        }
                    }
                }
            }
        }
        surface
    }

    fn add_function(
        &mut self,
        by: &ModulePath,
        module: &Module,
        of: Option<&String>,
        signature: &Signature,
        attributes: &[Attribute],
    ) {
        let name = signature.ident.to_string();
        let name = of.map_or(name.clone(), |of| format!("{of}::{name}"));
        let page = Page::of(attributes, &module.file);
        let line = signature.ident.span().start().line;
        self.functions.push(Function {
            named: named(by, module, name, line, page),
            returns_result: returns(signature, "Result"),
            returns_self: returns(signature, "Self"),
            has_arguments: signature.inputs.iter().any(|input| matches!(input, FnArg::Typed(_))),
        });
    }
}

fn named(by: &ModulePath, module: &Module, name: String, line: usize, page: Page) -> Named {
    let room = by.first().cloned().unwrap_or_else(|| "the crate".into());
    Named { room, name, file: module.file.clone(), line, page }
}

/// Each item that users can name, by the module that defines it, with the module by which they reach it.
fn public_items(tree: &Tree) -> BTreeMap<(ModulePath, String), ModulePath> {
    let mut found = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for path in tree.modules.keys().filter(|path| is_reachable(tree, path)) {
        add_items(tree, path, path, &mut seen, &mut found);
    }
    found
}

fn add_items(
    tree: &Tree,
    by: &ModulePath,
    path: &ModulePath,
    seen: &mut BTreeSet<(ModulePath, ModulePath)>,
    found: &mut BTreeMap<(ModulePath, String), ModulePath>,
) {
    if !seen.insert((by.clone(), path.clone())) {
        return;
    }
    let module = &tree.modules[path];
    for item in module.items.iter().filter(|item| is_pub(item)) {
        if let Some(name) = name_of(item) {
            found.entry((path.clone(), name)).or_insert_with(|| by.clone());
        }
    }
    for brought in module.uses.iter().filter(|brought| brought.is_pub) {
        match tree.resolve(path, &brought.path) {
            Some(Meaning::Item(home, name)) => {
                found.entry((home, name)).or_insert_with(|| by.clone());
            }
            Some(Meaning::Module(inner)) => add_items(tree, by, &inner, seen, found),
            None => {}
        }
    }
}

/// Whether a module and all that lead to it are declared public.
fn is_reachable(tree: &Tree, path: &ModulePath) -> bool {
    (0..=path.len()).all(|length| tree.modules.get(&path[..length]).is_some_and(|module| module.is_pub))
}

fn is_pub(item: &Item) -> bool {
    let visibility = match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        _ => return false,
    };
    matches!(visibility, Visibility::Public(_))
}

fn line_of(item: &Item) -> usize {
    let name = match item {
        Item::Enum(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        _ => return 0,
    };
    name.span().start().line
}

fn self_name(of: &Type) -> Option<Vec<String>> {
    let Type::Path(path) = of else { return None };
    Some(path.path.segments.iter().map(|segment| segment.ident.to_string()).collect())
}

fn returns(signature: &Signature, name: &str) -> bool {
    let ReturnType::Type(_, returned) = &signature.output else { return false };
    self_name(returned).is_some_and(|path| path.last().is_some_and(|last| last == name))
}
