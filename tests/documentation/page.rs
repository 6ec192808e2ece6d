//! The documentation of one item, as rustdoc would read it.

use std::path::Path;

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text above an item.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    text: String,
}

/// What `concat!` makes of these: literals as they are, and a word for what only the caller of a macro knows.
fn concatenated(tokens: proc_macro2::TokenStream) -> String {
    let piece = |token| match token {
        proc_macro2::TokenTree::Literal(literal) => match Lit::new(literal) {
            Lit::Str(text) => text.value(),
            other => quoted(&other),
        },
        proc_macro2::TokenTree::Punct(_) => String::new(),
        _ => "name".into(),
    };
    tokens.into_iter().map(piece).collect()
}

fn quoted(literal: &Lit) -> String {
    match literal {
        Lit::Int(number) => number.to_string(),
        Lit::Float(number) => number.to_string(),
        Lit::Bool(truth) => truth.value.to_string(),
        _ => "literal".into(),
    }
}

impl Page {
    /// The documentation among the attributes of an item of this file. A page that is kept in a file of its own is read;
    /// what another macro makes of it counts as text without an example.
    pub(crate) fn of(attributes: &[Attribute], file: &Path) -> Self {
        let mut page = Self::default();
        for attribute in attributes {
            let Meta::NameValue(pair) = &attribute.meta else { continue };
            if !pair.path.is_ident("doc") {
                continue;
            }
            let line = match &pair.value {
                Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => line.value(),
                Expr::Macro(made) if made.mac.path.is_ident("include_str") => {
                    let name: syn::LitStr = made.mac.parse_body().expect("a file name");
                    let path = file.parent().expect("a folder").join(name.value());
                    std::fs::read_to_string(&path)
                        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
                }
                Expr::Macro(made) if made.mac.path.is_ident("concat") => {
                    concatenated(made.mac.tokens.clone())
                }
                _ => "made by a macro".into(),
            };
            page.text.push_str(&line);
            page.text.push('\n');
        }
        page
    }

    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.text.push_str(&other.text);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Whether it has a section of this name.
    pub(crate) fn has_section(&self, name: &str) -> bool {
        self.parts().0.iter().any(|line| line.trim().strip_prefix("# ") == Some(name))
    }

    /// Whether it has an example that is run and checks something.
    pub(crate) fn has_example(&self) -> bool {
        !self.parts().1.is_empty()
    }

    /// Whether an example that is run and checks something names this item.
    pub(crate) fn shows(&self, name: &str) -> bool {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        self.parts().1.iter().any(|code| code.split(|character| !is_word(character)).any(|word| word == name))
    }

    /// The lines of prose, and the code of the examples.
    fn parts(&self) -> (Vec<&str>, Vec<String>) {
        let (mut prose, mut examples) = (Vec::new(), Vec::new());
        let mut block: Option<(&str, String)> = None;
        for line in self.text.lines() {
            let fence = line.trim().strip_prefix("```");
            match (&mut block, fence) {
                (None, None) => prose.push(line),
                (None, Some(kind)) => block = Some((kind, String::new())),
                (Some((_, code)), None) => {
                    code.push_str(line);
                    code.push('\n');
                }
                (Some(_), Some(_)) => {
                    let (kind, code) = block.take().expect("a block is open");
                    if is_example(kind, &code) {
                        examples.push(code);
                    }
                }
            }
        }
        (prose, examples)
    }
}

/// Whether a block is Rust that is compiled, and would fail if the answer were another.
fn is_example(kind: &str, code: &str) -> bool {
    let mut words = kind.split(',').map(str::trim).filter(|word| !word.is_empty());
    let fails = ["compile_fail", "should_panic"].iter().any(|word| kind.contains(word));
    words.all(|word| ["rust", "no_run", "compile_fail", "should_panic"].contains(&word))
        && (fails || code.contains("assert"))
}
