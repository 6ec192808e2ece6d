//! Writes a source file anew so that it holds all its mutants, each behind a question that is asked at run time.
//!
//! `a + b` becomes `if on(7) { a - b } else if on(8) { a * b } else { a + b }`, a body starts with
//! `if on(9) { return Default::default(); }`. An operand that holds mutants itself is bound first, so that no text doubles.

use crate::list::{Mutant, Place};
use proc_macro2::Span;
use std::collections::{HashMap, HashSet};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

type Bytes = std::ops::Range<usize>;

enum Kind {
    /// Left, right, operator as it stands.
    Binary(Bytes, Bytes, String),
    Unary(Bytes),
    Guard,
    /// Text to put in at the start of the range.
    Before(Vec<(usize, String)>, Before),
    /// The word `const` of a function: taken out.
    Nothing,
}

enum Before {
    Body,
    ArmWithoutGuard,
}

struct Site {
    range: Bytes,
    kind: Kind,
    /// Number of the mutant, and what stands there instead.
    instead: Vec<(usize, String)>,
}

struct Finder<'a> {
    at: HashMap<(Place, &'a str), Vec<(usize, &'a Mutant)>>,
    sites: Vec<Site>,
    constant: usize,
    keep_const: &'a HashSet<String>,
}

fn place(span: Span) -> Place {
    let start = span.start();
    Place { line: start.line, column: start.column + 1 }
}

fn bytes(span: Span) -> Bytes {
    span.byte_range()
}

fn holds_let(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => holds_let(&binary.left) || holds_let(&binary.right),
        syn::Expr::Paren(inner) => holds_let(&inner.expr),
        _ => false,
    }
}

impl Finder<'_> {
    fn take(&mut self, at: Place, genre: &str) -> Vec<(usize, String)> {
        if self.constant > 0 {
            return Vec::new();
        }
        self.at
            .remove(&(at, match genre {
                "BinaryOperator" => "BinaryOperator",
                "UnaryOperator" => "UnaryOperator",
                "MatchArmGuard" => "MatchArmGuard",
                "MatchArm" => "MatchArm",
                _ => "FnValue",
            }))
            .map(|found| found.into_iter().map(|(id, mutant)| (id, mutant.replacement.clone())).collect())
            .unwrap_or_default()
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block, walk: impl FnOnce(&mut Self)) {
        let keep = signature.constness.is_some() && self.keep_const.contains(&signature.ident.to_string());
        if let Some(word) = signature.constness
            && !keep
        {
            self.sites.push(Site { range: bytes(word.span()), kind: Kind::Nothing, instead: Vec::new() });
        }
        self.constant += usize::from(keep);
        if let Some(first) = block.stmts.first() {
            let opaque = matches!(&signature.output, syn::ReturnType::Type(_, kind) if matches!(**kind, syn::Type::ImplTrait(_)));
            let instead = self.take(place(first.span()), "FnValue");
            if !instead.is_empty() && !opaque {
                let open = bytes(block.brace_token.span.open()).end;
                let kind = Kind::Before(instead, Before::Body);
                self.sites.push(Site { range: open..open, kind, instead: Vec::new() });
            }
        }
        walk(self);
        self.constant -= usize::from(keep);
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block, |finder| visit::visit_item_fn(finder, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block, |finder| visit::visit_impl_item_fn(finder, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        match &item.default {
            Some(block) => self.function(&item.sig, block, |finder| visit::visit_trait_item_fn(finder, item)),
            None => visit::visit_trait_item_fn(self, item),
        }
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.constant += 1;
        visit::visit_item_const(self, item);
        self.constant -= 1;
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.constant += 1;
        visit::visit_impl_item_const(self, item);
        self.constant -= 1;
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.constant += 1;
        visit::visit_item_static(self, item);
        self.constant -= 1;
    }

    fn visit_expr_const(&mut self, item: &'ast syn::ExprConst) {
        self.constant += 1;
        visit::visit_expr_const(self, item);
        self.constant -= 1;
    }

    fn visit_type(&mut self, kind: &'ast syn::Type) {
        self.constant += 1;
        visit::visit_type(self, kind);
        self.constant -= 1;
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if !holds_let(&binary.left) && !holds_let(&binary.right) {
            let instead = self.take(place(binary.op.span()), "BinaryOperator");
            if !instead.is_empty() {
                let operator = binary.op.span().source_text().unwrap();
                let kind = Kind::Binary(bytes(binary.left.span()), bytes(binary.right.span()), operator);
                self.sites.push(Site { range: bytes(binary.span()), kind, instead });
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let instead = self.take(place(unary.op.span()), "UnaryOperator");
        if !instead.is_empty() {
            let kind = Kind::Unary(bytes(unary.expr.span()));
            self.sites.push(Site { range: bytes(unary.span()), kind, instead });
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let gone = self.take(place(arm.span()), "MatchArm");
        match &arm.guard {
            Some((_, guard)) if !holds_let(guard) => {
                let mut instead = self.take(place(guard.span()), "MatchArmGuard");
                instead.extend(gone.into_iter().map(|(id, _)| (id, "false".to_string())));
                if !instead.is_empty() {
                    self.sites.push(Site { range: bytes(guard.span()), kind: Kind::Guard, instead });
                }
            }
            None if !gone.is_empty() => {
                let end = bytes(arm.pat.span()).end;
                let kind = Kind::Before(gone, Before::ArmWithoutGuard);
                self.sites.push(Site { range: end..end, kind, instead: Vec::new() });
            }
            _ => {}
        }
        visit::visit_arm(self, arm);
    }
}

pub struct Woven {
    pub text: String,
    pub numbers: HashSet<usize>,
}

struct Writer<'a> {
    text: &'a str,
    sites: Vec<Site>,
    without: &'a HashSet<usize>,
    numbers: HashSet<usize>,
}

const ON: &str = "crate::mutant::on";

impl Writer<'_> {
    fn inside(&self, range: &Bytes, from: usize) -> bool {
        self.sites[from..].iter().any(|site| site.range.start >= range.start && site.range.end <= range.end)
    }

    /// What stands in `range`, with the sites from number `from` on put in.
    fn emit(&mut self, range: Bytes, from: usize) -> String {
        let mut out = String::new();
        let mut at = range.start;
        let mut number = from;
        while number < self.sites.len() && self.sites[number].range.start < range.end.max(range.start + 1) {
            let site = self.sites[number].range.clone();
            if site.start >= at && site.end <= range.end {
                out.push_str(&self.text[at..site.start]);
                out.push_str(&self.site(number));
                at = site.end;
            }
            number += 1;
        }
        out.push_str(&self.text[at..range.end]);
        out
    }

    fn choose(&mut self, instead: Vec<(usize, String)>, asis: &str) -> String {
        let mut out = String::new();
        for (id, text) in instead {
            self.numbers.insert(id);
            out.push_str(&format!("if {ON}({id}) {{ {text} }} else "));
        }
        if out.is_empty() { asis.to_string() } else { format!("({out}{{ {asis} }})") }
    }

    fn site(&mut self, number: usize) -> String {
        let range = self.sites[number].range.clone();
        let next = number + 1;
        let without = self.without;
        let keep = |list: &[(usize, String)]| -> Vec<(usize, String)> {
            list.iter().filter(|(id, _)| !without.contains(id)).cloned().collect()
        };
        let instead = keep(&self.sites[number].instead);
        match &self.sites[number].kind {
            Kind::Nothing => String::new(),
            Kind::Before(list, Before::Body) => {
                let mut out = String::new();
                for (id, text) in keep(list) {
                    self.numbers.insert(id);
                    out.push_str(&format!(" if {ON}({id}) {{ return {text}; }} "));
                }
                out
            }
            Kind::Before(list, Before::ArmWithoutGuard) => {
                let mut out = String::new();
                for (id, _) in keep(list) {
                    self.numbers.insert(id);
                    out.push_str(&format!(" if !{ON}({id})"));
                }
                out
            }
            Kind::Guard => {
                let asis = self.emit(range, next);
                self.choose(instead, &asis)
            }
            Kind::Unary(inner) => {
                let inner = inner.clone();
                let operator = self.text[range.start..inner.start].to_string();
                if !self.inside(&inner, next) {
                    let value = &self.text[inner];
                    let instead = instead.into_iter().map(|(id, _)| (id, value.to_string())).collect();
                    return self.choose(instead, &format!("{operator}{value}"));
                }
                let value = self.emit(inner, next);
                let instead = instead.into_iter().map(|(id, _)| (id, "__inner".to_string())).collect();
                let choice = self.choose(instead, &format!("{operator}__inner"));
                format!("(match {value} {{ __inner => {choice} }})")
            }
            Kind::Binary(left, right, operator) => {
                let (left, right, operator) = (left.clone(), right.clone(), operator.clone());
                let assigns = operator.ends_with('=') && !matches!(&*operator, "==" | "!=" | "<=" | ">=");
                let lazy = matches!(&*operator, "&&" | "||");
                let compares = matches!(&*operator, "==" | "!=" | "<" | ">" | "<=" | ">=");
                let (bind_left, bind_right) =
                    (!assigns && self.inside(&left, next), !lazy && self.inside(&right, next));
                let (left, right) = (self.emit(left, next), self.emit(right, next));
                let name = |bound: bool, name: &str, text: &str| match (bound, compares) {
                    (false, _) => text.to_string(),
                    (true, true) => format!("*{name}"),
                    (true, false) => name.to_string(),
                };
                let value = |text: &str| if compares { format!("&({text})") } else { text.to_string() };
                let (l, r) = (name(bind_left, "__left", &left), name(bind_right, "__right", &right));
                let instead = instead.into_iter().map(|(id, other)| (id, format!("{l} {other} {r}"))).collect();
                let choice = self.choose(instead, &format!("{l} {operator} {r}"));
                match (bind_left, bind_right) {
                    (false, false) => choice,
                    (true, false) => format!("(match {} {{ __left => {choice} }})", value(&left)),
                    (false, true) => format!("(match {} {{ __right => {choice} }})", value(&right)),
                    (true, true) => {
                        format!("(match ({}, {}) {{ (__left, __right) => {choice} }})", value(&left), value(&right))
                    }
                }
            }
        }
    }
}

/// `mutants` with their numbers, all of this file. Those of `without` are left out. Functions named in `keep_const` stay
/// `const`, and have none; the others lose that word, since the question can't be asked in a constant.
pub fn weave(text: &str, mutants: &[(usize, &Mutant)], without: &HashSet<usize>, keep_const: &HashSet<String>) -> Woven {
    let mut at: HashMap<(Place, &str), Vec<(usize, &Mutant)>> = HashMap::new();
    for (id, mutant) in mutants {
        at.entry((mutant.span.start, &mutant.genre)).or_default().push((*id, mutant));
    }
    let file = syn::parse_file(text).expect("the source parses");
    let mut finder = Finder { at, sites: Vec::new(), constant: 0, keep_const };
    finder.visit_file(&file);
    let mut sites = finder.sites;
    sites.sort_by_key(|site| (site.range.start, std::cmp::Reverse(site.range.end)));
    let mut writer = Writer { text, sites, without, numbers: HashSet::new() };
    let text = writer.emit(0..text.len(), 0);
    Woven { text, numbers: writer.numbers }
}
