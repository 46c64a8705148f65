//! One file of Rust, item by item. Bodies of functions are not parsed: only their signatures count, and sources of
//! the standard library have more syntax than there is on stable.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::{FnArg, Pat, ReceiverKind, ReturnType, UseTree};

use super::cfg::Configuration;
use super::tokens::{
    DEPTH_MAX, SyntaxError, TOKENS_MAX, count, end_of_item, ident_after, is_ident, is_punct, kind_of, parse,
    too_deep, touches, visibility,
};
use super::ty::{RustType, TypeParameter, parameters};

/// What a file has, in its order.
#[derive(Default)]
pub(crate) struct FileItems {
    pub(crate) modules: Vec<ModuleItem>,
    pub(crate) uses: Vec<UseItem>,
    pub(crate) functions: Vec<RustFunction>,
    pub(crate) types: Vec<TypeDefinition>,
    pub(crate) impls: Vec<ImplItem>,
    /// Names of traits.
    pub(crate) traits: Vec<(String, bool)>,
}

/// `mod name;` or `mod name { .. }`
pub(crate) struct ModuleItem {
    pub(crate) name: String,
    pub(crate) is_public: bool,
    /// What it has, where it is in this file.
    pub(crate) items: Option<FileItems>,
    /// `#[path = ".."]`
    pub(crate) path: Option<String>,
    /// Whether it is there under some configurations alone.
    pub(crate) is_conditional: bool,
    pub(crate) line: usize,
}

/// One name of a `use`.
pub(crate) struct UseItem {
    pub(crate) path: Vec<String>,
    /// Its name here; none for all names of a module.
    pub(crate) name: Option<String>,
    pub(crate) is_public: bool,
}

/// A function or method.
#[derive(Clone, Debug)]
pub(crate) struct RustFunction {
    pub(crate) name: String,
    pub(crate) is_public: bool,
    pub(crate) docs: String,
    pub(crate) params: Vec<TypeParameter>,
    /// How it takes `self`.
    pub(crate) receiver: Option<RustType>,
    /// Names and types.
    pub(crate) inputs: Vec<(String, RustType)>,
    pub(crate) output: RustType,
    /// Why it is not to be called by a test, if it is not.
    pub(crate) obstacle: Option<&'static str>,
    /// What its body names that reaches out of the process.
    pub(crate) touches: Option<String>,
}

/// A struct, an enum or an alias.
pub(crate) struct TypeDefinition {
    pub(crate) name: String,
    pub(crate) is_public: bool,
    pub(crate) params: Vec<TypeParameter>,
    pub(crate) has_lifetimes: bool,
    pub(crate) derives: Vec<String>,
    /// Whether tests should not name it: it is deprecated, say.
    pub(crate) is_shunned: bool,
    pub(crate) shape: TypeShape,
}

/// What a type is made of.
pub(crate) enum TypeShape {
    /// Variants with their fields; a struct is one variant without a name.
    Variants(Vec<(String, VariantShape)>),
    Alias(RustType),
    /// Private parts, or more than can be read.
    Opaque,
}

/// The fields of a struct or variant.
pub(crate) struct VariantShape {
    /// With names, where they have some.
    pub(crate) fields: Vec<(Option<String>, RustType)>,
    /// Whether everybody may make one.
    pub(crate) is_open: bool,
}

/// `impl Trait for Type`, or without the trait.
pub(crate) struct ImplItem {
    pub(crate) params: Vec<TypeParameter>,
    /// The trait, with its arguments.
    pub(crate) of: Option<RustType>,
    pub(crate) ty: RustType,
    pub(crate) functions: Vec<RustFunction>,
    /// Associated types.
    pub(crate) types: Vec<(String, RustType)>,
}

/// Reads a file. `is_lenient` is for sources with syntax that is not stable: what is not understood is passed over.
pub(crate) fn read(text: &str, cfg: &Configuration, is_lenient: bool) -> Result<FileItems, SyntaxError> {
    // `#!/usr/bin/env` is no token; `#![attribute]` is one.
    let is_script = text.starts_with("#!") && !text[2..].trim_start().starts_with('[');
    let text = if is_script { format!("//{}", &text[2..]) } else { text.to_string() };
    let tokens: TokenStream = text.parse().map_err(|err: proc_macro2::LexError| {
        SyntaxError::new(err.span(), "no Rust from here on: a bracket, a quote or a comment is not closed")
    })?;
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    if let Some(at) = too_deep(&tokens) {
        return Err(SyntaxError::new(at, format!("brackets nest deeper than {DEPTH_MAX} levels")));
    }
    let mut res = FileItems::default();
    ItemReader { cfg, is_lenient }.items(&tokens, &mut res)?;
    Ok(res)
}

struct ItemReader<'a> {
    cfg: &'a Configuration,
    is_lenient: bool,
}

/// The attributes of an item that matter.
#[derive(Default)]
struct ItemAttributes {
    docs: String,
    derives: Vec<String>,
    path: Option<String>,
    obstacle: Option<&'static str>,
    is_off: bool,
    is_conditional: bool,
    is_non_exhaustive: bool,
}

impl ItemReader<'_> {
    fn items(&self, tokens: &[TokenTree], res: &mut FileItems) -> Result<(), SyntaxError> {
        let mut at = 0;
        while at < tokens.len() {
            let (attributes, start) = self.attributes(tokens, at);
            let (is_public, start) = visibility(tokens, start);
            let end = end_of_item(tokens, start);
            let item = &tokens[start..end];
            at = end.max(at + 1);
            if attributes.is_off || item.is_empty() {
                continue;
            }
            match self.item(item, is_public, attributes, res) {
                Err(_) if self.is_lenient => {}
                other => other?,
            }
        }
        Ok(())
    }

    fn item(
        &self,
        tokens: &[TokenTree],
        is_public: bool,
        attributes: ItemAttributes,
        res: &mut FileItems,
    ) -> Result<(), SyntaxError> {
        let (kind, _) = kind_of(tokens);
        let body = tokens.last().and_then(|it| match it {
            TokenTree::Group(it) if it.delimiter() == Delimiter::Brace => Some(it),
            _ => None,
        });
        let name = || ident_after(tokens, &kind).unwrap_or_default();
        match &*kind {
            "fn" => res.functions.push(function(tokens, is_public, attributes)?),
            "use" => uses(&parse::<syn::ItemUse>(tokens)?.tree, &mut Vec::new(), is_public, res),
            "struct" | "enum" => res.types.push(self.type_item(&kind, tokens, is_public, attributes)?),
            "union" => {
                let params = Vec::new();
                let (derives, shape) = (Vec::new(), TypeShape::Opaque);
                let (name, is_shunned) = (name(), attributes.obstacle.is_some());
                res.types.push(TypeDefinition {
                    name,
                    is_public,
                    params,
                    has_lifetimes: false,
                    derives,
                    is_shunned,
                    shape,
                });
            }
            "type" => {
                let it: syn::ItemType = parse(tokens)?;
                res.types.push(TypeDefinition {
                    name: it.ident.to_string(),
                    is_public,
                    params: parameters(&it.generics),
                    has_lifetimes: it.generics.lifetimes().next().is_some(),
                    derives: Vec::new(),
                    is_shunned: attributes.obstacle.is_some(),
                    shape: TypeShape::Alias(RustType::of(&it.ty)),
                });
            }
            "trait" => res.traits.push((name(), is_public)),
            "impl" => {
                let Some(body) = body else { return Ok(()) };
                res.impls.push(self.impl_item(&tokens[..tokens.len() - 1], body)?);
            }
            "mod" => {
                let mut items = None;
                if let Some(body) = body {
                    let mut inner = FileItems::default();
                    self.items(&body.stream().into_iter().collect::<Vec<_>>(), &mut inner)?;
                    items = Some(inner);
                }
                let is_conditional = attributes.is_conditional;
                let line = tokens[0].span().start().line;
                let path = attributes.path;
                res.modules.push(ModuleItem { name: name(), is_public, items, path, is_conditional, line });
            }
            _ => {}
        }
        Ok(())
    }

    fn type_item(
        &self,
        kind: &str,
        tokens: &[TokenTree],
        is_public: bool,
        attributes: ItemAttributes,
    ) -> Result<TypeDefinition, SyntaxError> {
        let shape_of = |fields: &syn::Fields, all_public: bool| VariantShape {
            fields: fields
                .iter()
                .map(|it| (it.ident.as_ref().map(ToString::to_string), given(&it.ty)))
                .collect(),
            is_open: all_public || fields.iter().all(|it| matches!(it.vis, syn::Visibility::Public(_))),
        };
        let (name, generics, shape);
        if count(tokens) > TOKENS_MAX {
            name = ident_after(tokens, kind).unwrap_or_default();
            (generics, shape) = (syn::Generics::default(), TypeShape::Opaque);
        } else if kind == "struct" {
            let it: syn::ItemStruct = parse(tokens)?;
            let mut fields = shape_of(&it.fields, false);
            fields.is_open &= !attributes.is_non_exhaustive;
            name = it.ident.to_string();
            (generics, shape) = (it.generics, TypeShape::Variants(vec![(String::new(), fields)]));
        } else {
            let it: syn::ItemEnum = parse(tokens)?;
            let variants = it.variants.iter().filter(|it| !self.of(&it.attrs).is_off);
            let variants = variants.map(|it| {
                let mut fields = shape_of(&it.fields, true);
                let attributes = self.of(&it.attrs);
                fields.is_open = !attributes.is_non_exhaustive && attributes.obstacle.is_none();
                (it.ident.to_string(), fields)
            });
            name = it.ident.to_string();
            shape = TypeShape::Variants(variants.collect());
            generics = it.generics;
        }
        let has_lifetimes = generics.lifetimes().next().is_some();
        let (derives, is_shunned) = (attributes.derives, attributes.obstacle.is_some());
        Ok(TypeDefinition {
            name,
            is_public,
            params: parameters(&generics),
            has_lifetimes,
            derives,
            is_shunned,
            shape,
        })
    }

    fn impl_item(&self, header: &[TokenTree], body: &Group) -> Result<ImplItem, SyntaxError> {
        // `const impl` is for the standard library alone.
        let mut tokens = header[usize::from(self.is_lenient && is_ident(&header[0], "const"))..].to_vec();
        let mut empty = Group::new(Delimiter::Brace, TokenStream::new());
        empty.set_span(body.span());
        tokens.push(TokenTree::Group(empty));
        let it: syn::ItemImpl = parse(&tokens)?;
        let mut inner = FileItems::default();
        self.items(&body.stream().into_iter().collect::<Vec<_>>(), &mut inner)?;
        let types = inner.types.into_iter().filter_map(|it| match it.shape {
            TypeShape::Alias(ty) => Some((it.name, ty)),
            _ => None,
        });
        Ok(ImplItem {
            params: parameters(&it.generics),
            of: it.trait_.as_ref().map(|it| RustType::of_path(&it.0)),
            ty: RustType::of(&it.self_ty),
            functions: inner.functions,
            types: types.collect(),
        })
    }

    /// The attributes that begin at `at`, and where they end.
    fn attributes(&self, tokens: &[TokenTree], mut at: usize) -> (ItemAttributes, usize) {
        let mut res = ItemAttributes::default();
        while is_punct(tokens.get(at), '#') {
            // `#![..]` is about what is around it.
            let is_inner = is_punct(tokens.get(at + 1), '!');
            let group = at + 1 + usize::from(is_inner);
            let Some(TokenTree::Group(it)) = tokens.get(group) else { break };
            if !is_inner {
                self.attribute(&it.stream().into_iter().collect::<Vec<_>>(), &mut res);
            }
            at = group + 1;
        }
        (res, at)
    }

    /// The same of attributes that were parsed.
    fn of(&self, all: &[syn::Attribute]) -> ItemAttributes {
        let mut res = ItemAttributes::default();
        for it in all {
            let tokens = quote::ToTokens::to_token_stream(&it.meta);
            self.attribute(&tokens.into_iter().collect::<Vec<_>>(), &mut res);
        }
        res
    }

    fn attribute(&self, tokens: &[TokenTree], res: &mut ItemAttributes) {
        let inside = || match tokens.get(1) {
            Some(TokenTree::Group(it)) => it.stream().into_iter().collect::<Vec<_>>(),
            _ => Vec::new(),
        };
        let value = || {
            let text = tokens.get(2).map(ToString::to_string).unwrap_or_default();
            syn::parse_str::<syn::LitStr>(&text).map(|it| it.value()).ok()
        };
        match &*tokens.first().map(ToString::to_string).unwrap_or_default() {
            "doc" if is_punct(tokens.get(1), '=') => {
                res.docs.push_str(&value().unwrap_or_default());
                res.docs.push('\n');
            }
            "doc" if inside().iter().any(|it| is_ident(it, "hidden")) => res.obstacle = Some("is hidden"),
            "path" => res.path = value(),
            "unstable" => res.obstacle = Some("is unstable"),
            "deprecated" => res.obstacle = Some("is deprecated"),
            "non_exhaustive" => res.is_non_exhaustive = true,
            "cfg" => {
                res.is_conditional = true;
                res.is_off |= !self.cfg.holds(&inside());
            }
            "cfg_attr" => {
                let inside = inside();
                let comma = inside.iter().position(|it| is_punct(Some(it), ',')).unwrap_or(inside.len());
                if self.cfg.holds(&inside[..comma]) {
                    for it in inside[comma..].split(|it| is_punct(Some(it), ',')) {
                        self.attribute(it, res);
                    }
                }
            }
            "derive" => {
                for it in inside().split(|it| is_punct(Some(it), ',')) {
                    res.derives.extend(it.last().map(ToString::to_string));
                }
            }
            _ => {}
        }
    }
}

/// A type of something that others give. What has to last for ever is not drawn.
fn given(ty: &syn::Type) -> RustType {
    let text = quote::ToTokens::to_token_stream(ty).to_string();
    if text.contains("'static") { RustType::Other(text) } else { RustType::of(ty) }
}

fn function(
    tokens: &[TokenTree],
    is_public: bool,
    attributes: ItemAttributes,
) -> Result<RustFunction, SyntaxError> {
    let skipped = usize::from(is_ident(&tokens[0], "default"));
    let it: syn::Signature = parse(&tokens[skipped..tokens.len() - 1])?;
    let (mut receiver, mut inputs) = (None, Vec::new());
    for (i, input) in it.inputs.iter().enumerate() {
        match input {
            FnArg::Receiver(it) => {
                let this = RustType::plain("Self");
                receiver = Some(match &it.kind {
                    ReceiverKind::Value => this,
                    ReceiverKind::Reference(_, _, is_mut) => {
                        RustType::Reference { is_mut: is_mut.is_some(), to: Box::new(this) }
                    }
                    ReceiverKind::Typed(_, ty) => RustType::of(ty),
                    _ => RustType::Other("self".to_string()),
                });
            }
            FnArg::Typed(it) => {
                let name = match &*it.pat {
                    Pat::Ident(it) => it.ident.to_string(),
                    _ => format!("input_{i}"),
                };
                // A leading underline says that it is not used inside, which is no matter of the caller.
                let short = name.trim_start_matches('_');
                let name = if short.is_empty() { format!("input_{i}") } else { short.to_string() };
                inputs.push((name, given(&it.ty)));
            }
        }
    }
    let obstacle = if matches!(it.safety, syn::Safety::Unsafe(_)) {
        Some("is unsafe")
    } else if it.asyncness.is_some() {
        Some("is async")
    } else {
        attributes.obstacle
    };
    let touches = match tokens.last() {
        Some(TokenTree::Group(body)) => touches(body.stream()),
        _ => None,
    };
    Ok(RustFunction {
        name: it.ident.to_string(),
        is_public,
        docs: attributes.docs,
        params: parameters(&it.generics),
        receiver,
        inputs,
        output: match &it.output {
            ReturnType::Default => RustType::unit(),
            ReturnType::Type(_, it) => RustType::of(it),
        },
        obstacle,
        touches,
    })
}

fn uses(tree: &UseTree, path: &mut Vec<String>, is_public: bool, res: &mut FileItems) {
    let full = |path: &[String], last: String| {
        // `use a::{self}` is `use a`.
        if last == "self" && !path.is_empty() { path.to_vec() } else { [path, &[last]].concat() }
    };
    match tree {
        UseTree::Path(it) => {
            path.push(it.ident.to_string());
            uses(&it.tree, path, is_public, res);
            path.pop();
        }
        UseTree::Name(it) => {
            let path = full(path, it.ident.to_string());
            let name = path.last().cloned();
            res.uses.push(UseItem { path, name, is_public });
        }
        UseTree::Rename(it) => {
            let (path, name) = (full(path, it.ident.to_string()), Some(it.rename.to_string()));
            res.uses.push(UseItem { path, name, is_public });
        }
        UseTree::Glob(_) => res.uses.push(UseItem { path: path.clone(), name: None, is_public }),
        UseTree::Group(it) => it.items.iter().for_each(|it| uses(it, path, is_public, res)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Functions, types and impls that are found.
    fn found(text: &str) -> Vec<String> {
        let Ok(items) = read(text, &Configuration::default(), false) else {
            return vec!["error".to_string()];
        };
        let functions = items.functions.iter().map(|it| format!("fn {}", it.name));
        let types = items.types.iter().map(|it| format!("type {}", it.name));
        let impls = items.impls.iter().map(|it| format!("impl {} {}", it.ty, it.functions.len()));
        functions.chain(types).chain(impls).collect()
    }

    #[test]
    fn items_end_where_they_end() {
        let rows: &[(&str, &[&str])] = &[
            ("fn a() {} fn b();", &["fn a", "fn b"]),
            ("const A: u8 = { 1 }; fn a() {}", &["fn a"]),
            ("const fn a() {} fn b() {}", &["fn a", "fn b"]),
            ("static A: &[u8] = &[1]; use a::{b, c}; fn a() {}", &["fn a"]),
            ("extern crate alloc; extern \"C\" { fn x(); } fn a() {}", &["fn a"]),
            ("pub unsafe extern \"C\" fn a() {} fn b() {}", &["fn a", "fn b"]),
            ("fn a() -> A<{ 1 }> where B: C, {} fn b() {}", &["fn a", "fn b"]),
            ("fn a(f: impl Fn(u8) -> u8) -> u8 {} fn b() {}", &["fn a", "fn b"]),
            ("struct A; struct B(u8); struct C { a: u8 } fn a() {}", &["fn a", "type A", "type B", "type C"]),
            ("impl A<{ 1 }> { fn a() {} } fn b() {}", &["fn b", "impl A<{ 1 }> 1"]),
            ("unsafe impl<T> A for B<T> where T: C<D>, { fn a() {} } enum E {}", &["type E", "impl B<T> 1"]),
            ("a! {} b!(); c::d![1]; macro_rules! e { () => { fn x() {} } } fn a() {}", &["fn a"]),
            ("union A { a: u8 } fn union() {} type B = [u8; { 1 }];", &["fn union", "type A", "type B"]),
            ("#![allow(x)] #[cfg(test)] fn a() {} #[cfg(not(test))] fn b() {}", &["fn b"]),
            ("#!/usr/bin/env run\nfn a() {}", &["fn a"]),
            ("pub(crate) fn a() {} pub(in super::b) fn c() {}", &["fn a", "fn c"]),
            (")", &["error"]),
            ("", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(found(text), *expected, "{text}");
        }
    }

    #[test]
    fn nothing_panics_on_what_is_cut_or_lacks_a_character() {
        let text = include_str!("../../tests/command/sources/codec.txt");
        // A window at a time, so that it does not take long: what is before an item does not matter to it.
        for start in (0..text.len()).step_by(200) {
            let part = &text[start..(start + 400).min(text.len())];
            for at in 0..part.len() {
                found(&part[..at]);
                found(&format!("{}{}", &part[..at], &part[at + 1..]));
            }
        }
    }
}
