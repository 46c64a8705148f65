//! Types as signatures name them, in a form that can be compared, filled in and written down.

use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::{GenericArgument, GenericParam, PathArguments, TypeParamBound, WherePredicate};

/// A type. Lifetimes are not kept, but for the fact that a named type has some.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RustType {
    /// A path with the arguments of its last part.
    Named { path: Vec<String>, args: Vec<RustType>, borrows: bool },
    /// `&T`, `&mut T`
    Reference { is_mut: bool, to: Box<RustType> },
    /// `[T]`
    Slice(Box<RustType>),
    /// `[T; N]`
    Array(Box<RustType>, String),
    /// `(A, B)`
    Tuple(Vec<RustType>),
    /// `impl Bound`
    Impl(Vec<RustBound>),
    /// Something else, as text: a pointer, a function, a trait object, a constant.
    Other(String),
}

/// The bound of what has to last for ever.
pub(crate) const STATIC: &str = "'static";

/// A bound of a type parameter, such as `AsRef<[u8]>` or `Iterator<Item = T>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RustBound {
    /// The last part of the trait's path.
    pub(crate) name: String,
    pub(crate) args: Vec<RustType>,
    /// What its associated types are.
    pub(crate) items: Vec<(String, RustType)>,
}

/// A type or constant parameter with its bounds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TypeParameter {
    pub(crate) name: String,
    pub(crate) bounds: Vec<RustBound>,
    pub(crate) default: Option<RustType>,
    pub(crate) is_const: bool,
}

impl RustType {
    /// A type without arguments.
    pub(crate) fn plain(name: &str) -> RustType {
        RustType::with(name, Vec::new())
    }

    /// A type with arguments.
    pub(crate) fn with(name: &str, args: Vec<RustType>) -> RustType {
        RustType::Named { path: name.split("::").map(str::to_string).collect(), args, borrows: false }
    }

    /// `&T`
    pub(crate) fn reference(to: RustType) -> RustType {
        RustType::Reference { is_mut: false, to: Box::new(to) }
    }

    pub(crate) fn of(ty: &syn::Type) -> RustType {
        let boxed = |it: &syn::Type| Box::new(RustType::of(it));
        match ty {
            syn::Type::Path(it) if it.qself.is_none() => RustType::of_path(&it.path),
            syn::Type::Reference(it) => {
                RustType::Reference { is_mut: it.mutability.is_some(), to: boxed(&it.elem) }
            }
            syn::Type::Slice(it) => RustType::Slice(boxed(&it.elem)),
            syn::Type::Array(it) => RustType::Array(boxed(&it.elem), text(&it.len)),
            syn::Type::Tuple(it) => RustType::Tuple(it.elems.iter().map(RustType::of).collect()),
            syn::Type::ImplTrait(it) => RustType::Impl(bounds(&it.bounds)),
            syn::Type::Paren(it) => RustType::of(&it.elem),
            syn::Type::Group(it) => RustType::of(&it.elem),
            other => RustType::Other(text(other)),
        }
    }

    pub(crate) fn of_path(path: &syn::Path) -> RustType {
        let (mut args, mut borrows) = (Vec::new(), false);
        if let Some(PathArguments::AngleBracketed(it)) = path.segments.last().map(|it| &it.arguments) {
            for arg in &it.args {
                match arg {
                    GenericArgument::Lifetime(it) => borrows |= it.ident != "static",
                    GenericArgument::Type(it) => args.push(RustType::of(it)),
                    other => args.push(RustType::Other(text(other))),
                }
            }
        }
        RustType::Named { path: path.segments.iter().map(|it| it.ident.to_string()).collect(), args, borrows }
    }

    /// The same with `f` for its parts, innermost first.
    pub(crate) fn map(&self, f: &dyn Fn(RustType) -> RustType) -> RustType {
        let each = |all: &[RustType]| all.iter().map(|it| it.map(f)).collect();
        f(match self {
            RustType::Named { path, args, borrows } => {
                RustType::Named { path: path.clone(), args: each(args), borrows: *borrows }
            }
            RustType::Reference { is_mut, to } => {
                RustType::Reference { is_mut: *is_mut, to: Box::new(to.map(f)) }
            }
            RustType::Slice(it) => RustType::Slice(Box::new(it.map(f))),
            RustType::Array(it, n) => RustType::Array(Box::new(it.map(f)), n.clone()),
            RustType::Tuple(all) => RustType::Tuple(each(all)),
            RustType::Impl(all) => RustType::Impl(all.iter().map(|it| it.map(f)).collect()),
            RustType::Other(it) => RustType::Other(it.clone()),
        })
    }

    /// Whether `f` holds of it or a part of it.
    pub(crate) fn any(&self, f: &dyn Fn(&RustType) -> bool) -> bool {
        f(self)
            || match self {
                RustType::Named { args, .. } => args.iter().any(|it| it.any(f)),
                RustType::Reference { to, .. } => to.any(f),
                RustType::Slice(it) | RustType::Array(it, _) => it.any(f),
                RustType::Tuple(all) => all.iter().any(|it| it.any(f)),
                RustType::Impl(_) | RustType::Other(_) => false,
            }
    }

    /// The last part of its name and its arguments.
    pub(crate) fn named(&self) -> Option<(&str, &[RustType])> {
        match self {
            RustType::Named { path, args, .. } => Some((path.last()?, args)),
            _ => None,
        }
    }

    /// Whether it is the type of this name, without arguments.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.named().is_some_and(|it| it.0 == name && it.1.is_empty())
    }

    /// Nothing.
    pub(crate) fn unit() -> RustType {
        RustType::Tuple(Vec::new())
    }

    /// How it is written down, with `name` for the paths in it.
    pub(crate) fn write(&self, name: &mut dyn FnMut(&[String]) -> String) -> String {
        let mut list = |all: &[RustType]| all.iter().map(|it| it.write(name)).collect::<Vec<_>>().join(", ");
        match self {
            RustType::Named { path, args, .. } => {
                let args = if args.is_empty() { String::new() } else { format!("<{}>", list(args)) };
                name(path) + &args
            }
            RustType::Reference { is_mut, to } => {
                format!("&{}{}", if *is_mut { "mut " } else { "" }, to.write(name))
            }
            RustType::Slice(it) => format!("[{}]", it.write(name)),
            RustType::Array(it, n) => format!("[{}; {n}]", it.write(name)),
            RustType::Tuple(all) if all.len() == 1 => format!("({},)", all[0].write(name)),
            RustType::Tuple(all) => format!("({})", list(all)),
            RustType::Impl(all) => {
                format!("impl {}", all.iter().map(RustBound::to_string).collect::<Vec<_>>().join(" + "))
            }
            RustType::Other(it) => it.clone(),
        }
    }
}

impl std::fmt::Display for RustType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.write(&mut |path| path.join("::")))
    }
}

impl RustBound {
    fn map(&self, f: &dyn Fn(RustType) -> RustType) -> RustBound {
        RustBound {
            name: self.name.clone(),
            args: self.args.iter().map(|it| it.map(f)).collect(),
            items: self.items.iter().map(|it| (it.0.clone(), it.1.map(f))).collect(),
        }
    }
}

impl std::fmt::Display for RustBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let args = self.args.iter().map(RustType::to_string);
        let args: Vec<String> =
            args.chain(self.items.iter().map(|it| format!("{} = {}", it.0, it.1))).collect();
        f.write_str(&self.name)?;
        if args.is_empty() { Ok(()) } else { write!(f, "<{}>", args.join(", ")) }
    }
}

/// The parameters of an item, lifetimes left out.
pub(crate) fn parameters(generics: &syn::Generics) -> Vec<TypeParameter> {
    let mut res: Vec<TypeParameter> = Vec::new();
    for it in &generics.params {
        res.push(match it {
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(it) => TypeParameter {
                name: it.ident.to_string(),
                bounds: bounds(&it.bounds),
                default: it.default.as_ref().map(|it| RustType::of(&it.1)),
                is_const: false,
            },
            GenericParam::Const(it) => TypeParameter {
                name: it.ident.to_string(),
                bounds: Vec::new(),
                default: None,
                is_const: true,
            },
        });
    }
    let clauses = generics.where_clause.iter().flat_map(|it| &it.predicates);
    for it in clauses {
        let WherePredicate::Type(it) = it else { continue };
        let of = RustType::of(&it.bounded_ty);
        // Bounds on other types say something of their arguments: `K: Borrow<Q>` is a bound of `Q` below.
        match res.iter_mut().find(|param| of.is(&param.name)) {
            Some(param) => param.bounds.extend(bounds(&it.bounds)),
            None => {
                let all = bounds(&it.bounds);
                if !all.iter().any(|it| it.name == "Borrow") {
                    demand(it, &mut res);
                }
                borrowed(&of, &all, &mut res);
            }
        }
    }
    let own = res.clone();
    for it in &own {
        borrowed(&RustType::plain(&it.name), &it.bounds, &mut res);
    }
    res
}

/// Adds a clause that is not understood to the parameters that it names.
fn demand(clause: &syn::PredicateType, params: &mut [TypeParameter]) {
    let tokens: Vec<String> = clause.to_token_stream().into_iter().map(|it| it.to_string()).collect();
    for param in params.iter_mut().filter(|it| tokens.contains(&it.name)) {
        param.bounds.push(RustBound { name: text(clause), args: Vec::new(), items: Vec::new() });
    }
}

/// What `of: Borrow<Q>` says of `Q`, as a bound `Equivalent<of>` of it.
fn borrowed(of: &RustType, bounds: &[RustBound], params: &mut [TypeParameter]) {
    for it in bounds.iter().filter(|it| it.name == "Borrow") {
        let Some(param) =
            params.iter_mut().find(|param| it.args.first().is_some_and(|it| it.is(&param.name)))
        else {
            continue;
        };
        let bound = RustBound { name: "Equivalent".to_string(), args: vec![of.clone()], items: Vec::new() };
        param.bounds.push(bound);
    }
}

fn bounds<'a>(all: impl IntoIterator<Item = &'a TypeParamBound>) -> Vec<RustBound> {
    all.into_iter().filter_map(bound).collect()
}

/// Anything but `?Sized` and lifetimes that end.
fn bound(it: &TypeParamBound) -> Option<RustBound> {
    let it = match it {
        TypeParamBound::Trait(it) => it,
        TypeParamBound::Lifetime(it) if it.ident == "static" => {
            return Some(RustBound { name: STATIC.to_string(), args: Vec::new(), items: Vec::new() });
        }
        // `[const] Trait`, as sources of the standard library have it.
        TypeParamBound::Verbatim(tokens) => {
            let is_mark =
                |it: &TokenTree| !matches!(it, TokenTree::Ident(it) if it != "const" && it != "async");
            let rest = tokens.clone().into_iter().skip_while(is_mark).collect();
            return match syn::parse2(rest).ok()? {
                TypeParamBound::Verbatim(_) => None,
                it => bound(&it),
            };
        }
        _ => return None,
    };
    let last = it.path.segments.last().filter(|it| it.ident != "Sized")?;
    let mut res = RustBound { name: last.ident.to_string(), args: Vec::new(), items: Vec::new() };
    match &last.arguments {
        PathArguments::AngleBracketed(args) => {
            for arg in &args.args {
                match arg {
                    GenericArgument::Type(it) => res.args.push(RustType::of(it)),
                    GenericArgument::AssocType(it) => {
                        res.items.push((it.ident.to_string(), RustType::of(&it.ty)));
                    }
                    _ => {}
                }
            }
        }
        PathArguments::Parenthesized(it) => res.args.push(RustType::Other(text(it))),
        PathArguments::None => {}
    }
    Some(res)
}

/// Tokens as one would write them, more or less.
fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}
