//! The modules of a crate, and what a name means in each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Item, UseTree, Visibility};

use crate::page::Page;

/// The names that lead from the root to a module; none for the root.
pub(crate) type ModulePath = Vec<String>;

/// One module, as it is declared.
pub(crate) struct Module {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) is_pub: bool,
    pub(crate) page: Page,
    pub(crate) items: Vec<Item>,
    pub(crate) uses: Vec<Use>,
}

/// One name that a `use` brings in.
pub(crate) struct Use {
    pub(crate) is_pub: bool,
    /// `None`: all names of the module.
    pub(crate) name: Option<String>,
    pub(crate) path: Vec<String>,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meaning {
    Module(ModulePath),
    /// An item, by the module that defines it.
    Item(ModulePath, String),
}

/// All modules of a crate.
pub(crate) struct Tree {
    pub(crate) modules: BTreeMap<ModulePath, Module>,
}

impl Tree {
    /// The modules of the crate with this root file. What is compiled for tests alone, or hidden, is left out; what a feature
    /// adds is there.
    pub(crate) fn read(root: &Path) -> Self {
        let mut tree = Self { modules: BTreeMap::new() };
        let folder = root.parent().expect("a folder").to_path_buf();
        let text =
            std::fs::read_to_string(root).unwrap_or_else(|error| panic!("{}: {error}", root.display()));
        let file = parse(&text, root);
        let page = Page::of(&file.attrs, root);
        let place = Place { file: root.to_path_buf(), folder, line: 1, is_pub: true, page };
        tree.add(Vec::new(), place, file.items);
        tree
    }

    /// A crate of one file.
    pub(crate) fn of_text(text: &str) -> Self {
        let file = parse(text, Path::new("lib.rs"));
        let page = Page::of(&file.attrs, Path::new("lib.rs"));
        let place = Place { file: "lib.rs".into(), folder: ".".into(), line: 1, is_pub: true, page };
        let mut tree = Self { modules: BTreeMap::new() };
        tree.add(Vec::new(), place, file.items);
        tree
    }

    fn add(&mut self, path: ModulePath, place: Place, items: Vec<Item>) {
        let (mut kept, mut uses) = (Vec::new(), Vec::new());
        for item in items.into_iter().filter(|item| !is_left_out(attributes(item))) {
            match item {
                Item::Mod(module) => {
                    let child = [&path[..], &[module.ident.to_string()]].concat();
                    let name = module.ident.to_string();
                    let line = module.ident.span().start().line;
                    let is_pub = matches!(module.vis, Visibility::Public(_));
                    let outer = Page::of(&module.attrs, &place.file);
                    if let Some((_, items)) = module.content {
                        let (file, folder) = (place.file.clone(), place.folder.join(&name));
                        self.add(child, Place { file, folder, line, is_pub, page: outer }, items);
                        continue;
                    }
                    let file =
                        [format!("{name}.rs"), format!("{name}/mod.rs")].map(|name| place.folder.join(name));
                    let file = file.into_iter().find(|file| file.exists());
                    let file = file.unwrap_or_else(|| panic!("no file for the module {}", child.join("::")));
                    let text = std::fs::read_to_string(&file).expect("a source file");
                    let parsed = parse(&text, &file);
                    let page = outer.and(&Page::of(&parsed.attrs, &file));
                    let folder = place.folder.join(&name);
                    self.add(child, Place { file, folder, line: 1, is_pub, page }, parsed.items);
                }
                Item::Use(item) => {
                    let is_pub = matches!(item.vis, Visibility::Public(_));
                    flatten(&item.tree, &mut Vec::new(), &mut |name, path| {
                        uses.push(Use { is_pub, name, path });
                    });
                }
                Item::Macro(item) if item.mac.path.is_ident("macro_rules") => {
                    kept.extend(items_of_macro(item.mac.tokens));
                }
                item => kept.push(item),
            }
        }
        let Place { file, line, is_pub, page, .. } = place;
        self.modules.insert(path, Module { file, line, is_pub, page, items: kept, uses });
    }

    /// What a path means in a module; `None` where it leads out of the crate.
    pub(crate) fn resolve(&self, from: &[String], path: &[String]) -> Option<Meaning> {
        self.resolve_within(from, path, 16)
    }

    fn resolve_within(&self, from: &[String], path: &[String], depth: u32) -> Option<Meaning> {
        let depth = depth.checked_sub(1)?;
        let Some((first, rest)) = path.split_first() else { return Some(Meaning::Module(from.to_vec())) };
        match first.as_str() {
            "crate" => return self.resolve_within(&[], rest, depth),
            "self" => return self.resolve_within(from, rest, depth),
            "super" => return self.resolve_within(&from[..from.len().checked_sub(1)?], rest, depth),
            _ => {}
        }
        let module = self.modules.get(from)?;
        if rest.is_empty() && module.items.iter().any(|item| name_of(item).as_ref() == Some(first)) {
            return Some(Meaning::Item(from.to_vec(), first.clone()));
        }
        let child = [from, std::slice::from_ref(first)].concat();
        if self.modules.contains_key(&child) {
            return self.resolve_within(&child, rest, depth);
        }
        module.uses.iter().find_map(|brought| match &brought.name {
            Some(name) if name == first => {
                self.resolve_within(from, &[&brought.path[..], rest].concat(), depth)
            }
            None => self.resolve_within(from, &[&brought.path[..], path].concat(), depth),
            Some(_) => None,
        })
    }
}

/// Where a module is written.
struct Place {
    file: PathBuf,
    /// Where its children are.
    folder: PathBuf,
    line: usize,
    is_pub: bool,
    page: Page,
}

fn parse(text: &str, file: &Path) -> syn::File {
    syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Whether an item is compiled for tests alone, or hidden from the documentation.
pub(crate) fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Ok(list) = attribute.meta.require_list() else { return false };
        let words: Vec<String> = words(list.tokens.clone());
        let has = |word: &str| words.iter().any(|other| other == word);
        (list.path.is_ident("cfg") && (has("test") || has("doctest")) && !has("not"))
            || (list.path.is_ident("doc") && has("hidden"))
    })
}

fn words(tokens: TokenStream) -> Vec<String> {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) => words(group.stream()),
            TokenTree::Ident(word) => vec![word.to_string()],
            _ => Vec::new(),
        })
        .collect()
}

/// The items that the rules of a macro write, once, under the names of its parameters: `pub struct $name` is `name`. Nothing
/// where they write no items.
fn items_of_macro(tokens: TokenStream) -> Vec<Item> {
    let groups = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    });
    // A rule is a pattern and what it writes.
    let written = groups.skip(1).step_by(2).map(without_parameters);
    written.filter_map(|tokens| syn::parse2::<syn::File>(tokens).ok()).flat_map(|file| file.items).collect()
}

fn without_parameters(tokens: TokenStream) -> TokenStream {
    let mut kept = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(sign) if sign.as_char() == '$' => {
                // A repetition is left out with its sign; a parameter keeps its name.
                if tokens.next_if(|next| matches!(next, TokenTree::Group(_))).is_some() {
                    tokens.next();
                }
            }
            TokenTree::Group(group) => {
                let mut inner =
                    proc_macro2::Group::new(group.delimiter(), without_parameters(group.stream()));
                inner.set_span(group.span());
                kept.push(TokenTree::Group(inner));
            }
            token => kept.push(token),
        }
    }
    kept.into_iter().collect()
}

fn flatten(tree: &UseTree, path: &mut Vec<String>, found: &mut impl FnMut(Option<String>, Vec<String>)) {
    let mut leaf = |name: Option<String>, last: Option<String>| {
        let mut path = path.clone();
        match last {
            Some(last) if last != "self" => path.push(last),
            _ => {}
        }
        let name = match name {
            Some(name) if name == "self" => path.last().cloned(),
            name => name,
        };
        if name.as_deref() != Some("_") {
            found(name, path);
        }
    };
    match tree {
        UseTree::Path(step) => {
            path.push(step.ident.to_string());
            flatten(&step.tree, path, found);
            path.pop();
        }
        UseTree::Name(name) => leaf(Some(name.ident.to_string()), Some(name.ident.to_string())),
        UseTree::Rename(rename) => leaf(Some(rename.rename.to_string()), Some(rename.ident.to_string())),
        UseTree::Glob(_) => leaf(None, None),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path, found)),
    }
}

/// The attributes of an item that can be public.
pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name of an item that has one of its own.
pub(crate) fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
