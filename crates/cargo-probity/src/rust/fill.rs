//! What takes the place of type parameters: what `--type` says, what a bound asks for, or `u8`.

use std::collections::BTreeMap;

use super::draw::owner;
use super::ty::{RustBound, RustType, STATIC, TypeParameter};

/// What parameters are, by name.
pub(crate) type TypeArguments = BTreeMap<String, RustType>;

/// What takes the place of constants: small, and no power that hides a mistake of one.
const CONSTANT: &str = "3";
/// Traits that `u8` has.
const OF_BYTES: [&str; 42] = [
    "Add",
    "AddAssign",
    "Any",
    "Binary",
    "BitAnd",
    "BitOr",
    "BitXor",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Destruct",
    "Display",
    "Div",
    "DivAssign",
    "Eq",
    "From",
    "Freeze",
    "FromStr",
    "Hash",
    "LowerHex",
    "Mul",
    "MulAssign",
    "Not",
    "Octal",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Product",
    "RefUnwindSafe",
    "Rem",
    "RemAssign",
    "Send",
    "Shl",
    "Shr",
    "Sub",
    "SubAssign",
    "Sum",
    "Sync",
    "Unpin",
    "UnwindSafe",
    "UpperHex",
];

/// What the parameters of an item are. The reason if one of them is not known.
pub(crate) fn fill(
    params: &[TypeParameter],
    chosen: &TypeArguments,
    known: &TypeArguments,
) -> Result<TypeArguments, String> {
    let mut res = known.clone();
    for it in params {
        let ty = match (chosen.get(&it.name), &it.default) {
            (Some(ty), _) => ty.clone(),
            (None, Some(ty)) => apply(ty, &res),
            (None, None) if it.is_const => RustType::plain(CONSTANT),
            (None, None) => by_bounds(it, &res)?,
        };
        res.insert(it.name.clone(), ty);
    }
    Ok(res)
}

/// The type with everything filled in.
pub(crate) fn apply(ty: &RustType, filling: &TypeArguments) -> RustType {
    ty.map(&|it| match &it {
        RustType::Named { path, args, .. } if args.is_empty() => {
            let whole = filling.get(&path.join("::")).cloned();
            whole.or_else(|| item_of(path, filling)).unwrap_or(it)
        }
        RustType::Array(of, n) => match filling.get(n) {
            Some(n) => RustType::Array(of.clone(), n.to_string()),
            None => it,
        },
        _ => it,
    })
}

/// `A::Item` where `A` is an array or a list.
fn item_of(path: &[String], filling: &TypeArguments) -> Option<RustType> {
    let [of, item] = path else { return None };
    match filling.get(of)? {
        RustType::Array(it, _) | RustType::Slice(it) if item == "Item" => Some((**it).clone()),
        RustType::Named { args, .. } if item == "Item" => args.first().cloned(),
        _ => None,
    }
}

/// What bounds ask for.
pub(crate) fn by_bounds(param: &TypeParameter, filling: &TypeArguments) -> Result<RustType, String> {
    let filled = |it: &RustType| apply(it, filling);
    let item = |it: &RustBound| it.items.iter().find(|it| it.0 == "Item").map(|it| filled(&it.1));
    let is_static = param.bounds.iter().any(|it| it.name == STATIC);
    if let Some(it) = param.bounds.iter().find(|it| it.name.contains(' ')) {
        return Err(format!("needs `{it}`; name a type with `--type {}=..`", param.name));
    }
    for it in &param.bounds {
        let first = it.args.first().map(filled);
        let ty = match (&*it.name, first) {
            ("AsRef" | "Borrow" | "Deref", Some(of)) if is_static => Some(owner(&of)),
            ("AsRef" | "Borrow" | "Deref", Some(of)) if !of.is(&param.name) => Some(RustType::reference(of)),
            ("Into" | "Equivalent", Some(of)) => Some(match of.named() {
                Some(("Cow", [of])) if of.is("str") => RustType::plain("String"),
                _ => of,
            }),
            ("IntoIterator", _) => item(it).map(|it| RustType::with("Vec", vec![it])),
            ("RangeBounds", Some(of)) => Some(RustType::with("std::ops::Range", vec![of])),
            ("ToString", _) => Some(RustType::plain("String")),
            ("Read" | "BufRead", _) => {
                Some(RustType::reference(RustType::Slice(Box::new(RustType::plain("u8")))))
            }
            ("Fn" | "FnMut" | "FnOnce", _) => return Err("takes a function".to_string()),
            _ => None,
        };
        if let Some(ty) = ty {
            return Ok(ty);
        }
    }
    match param.bounds.iter().find(|it| !OF_BYTES.contains(&&*it.name) && it.name != STATIC) {
        Some(it) => Err(format!("needs `{}: {it}`; name a type with `--type {}=..`", param.name, param.name)),
        None if param.bounds.iter().any(|it| it.name == "Display") => Ok(RustType::plain("String")),
        None => Ok(RustType::plain("u8")),
    }
}

/// What the parameters in `pattern` have to be for it to be `ty`; none if it cannot be.
pub(crate) fn unify(
    pattern: &RustType,
    ty: &RustType,
    params: &[TypeParameter],
    res: &mut TypeArguments,
) -> bool {
    let is_param = |name: &str| params.iter().any(|it| it.name == name);
    let mut put = |name: &str, ty: RustType| res.entry(name.to_string()).or_insert(ty.clone()) == &ty;
    match (pattern, ty) {
        (RustType::Named { path, args, .. }, _)
            if path.len() == 1 && args.is_empty() && is_param(&path[0]) =>
        {
            put(&path[0], ty.clone())
        }
        (RustType::Array(a, n), RustType::Array(b, m)) => {
            let same = if is_param(n) { put(n, RustType::plain(m)) } else { n == m };
            same && unify(a, b, params, res)
        }
        (RustType::Slice(a), RustType::Slice(b)) => unify(a, b, params, res),
        (RustType::Named { path: a, args: all, .. }, RustType::Named { path: b, args: others, .. }) => {
            a == b
                && all.len() == others.len()
                && all.iter().zip(others).all(|it| unify(it.0, it.1, params, res))
        }
        (RustType::Reference { to: a, is_mut: m }, RustType::Reference { to: b, is_mut: n }) => {
            m == n && unify(a, b, params, res)
        }
        (RustType::Tuple(all), RustType::Tuple(others)) => {
            all.len() == others.len() && all.iter().zip(others).all(|it| unify(it.0, it.1, params, res))
        }
        (a, b) => a == b,
    }
}

/// Reads `T=u16` as `--type` takes it.
pub(crate) fn choice(text: &str) -> Result<(String, RustType), String> {
    let wrong = || format!("`--type` is `{text}`; expected a parameter and its type, such as T=u16");
    let (name, ty) = text.split_once('=').ok_or_else(wrong)?;
    let ty = ty.trim();
    let is_number = !ty.is_empty() && ty.bytes().all(|it| it.is_ascii_digit());
    let ty = if is_number {
        RustType::plain(ty)
    } else {
        // What is too long for a person to write would overflow the parser's stack.
        const LENGTH_MAX: usize = 1000;
        let parsed = (ty.len() <= LENGTH_MAX).then(|| syn::parse_str::<syn::Type>(ty).ok()).flatten();
        RustType::of(&parsed.ok_or_else(wrong)?)
    };
    let name = name.trim();
    if name.is_empty() { Err(wrong()) } else { Ok((name.to_string(), ty)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_filled_by_their_bounds() {
        let rows = [
            ("fn f<T>(it: T)", "u8"),
            ("fn f<T: Ord + Clone>(it: T)", "u8"),
            ("fn f<T: AsRef<[u8]>>(it: T)", "&[u8]"),
            ("fn f<T: ?Sized + AsRef<str>>(it: &T)", "&str"),
            ("fn f<T>(it: T) where T: Into<String>", "String"),
            ("fn f<'a, T: Into<Cow<'a, str>>>(it: T)", "String"),
            ("fn f<T: IntoIterator<Item = (u8, bool)>>(it: T)", "Vec<(u8, bool)>"),
            ("fn f<T: ?Sized>(it: &T) where K: Borrow<T>", "K"),
            ("fn f<T: Display>(it: T)", "String"),
            ("fn f<T: AsRef<[u8]> + 'static>(it: T)", "Vec<u8>"),
            ("fn f<T>(it: T) where Self: Has<T>", "needs `Self : Has < T >`; name a type with `--type T=..`"),
            ("fn f<const T: usize>()", "3"),
            ("fn f<T: FnMut(u8) -> u8>(it: T)", "takes a function"),
            ("fn f<T: Shape>(it: T)", "needs `T: Shape`; name a type with `--type T=..`"),
        ];
        for (text, expected) in rows {
            let signature: syn::Signature = syn::parse_str(text).unwrap();
            let params = super::super::ty::parameters(&signature.generics);
            let filled = fill(&params, &TypeArguments::new(), &TypeArguments::new());
            let text_of = filled.map_or_else(|why| why, |it| it["T"].to_string());
            assert_eq!(text_of, expected, "{text}");
        }
    }

    #[test]
    fn patterns_fit_types() {
        let ty = |text: &str| RustType::of(&syn::parse_str(text).unwrap());
        let signature: syn::Signature = syn::parse_str("fn f<T, const N: usize>()").unwrap();
        let params = super::super::ty::parameters(&signature.generics);
        let rows = [
            ("T", "u8", true),
            ("[T; N]", "[u8; 4]", true),
            ("[T; 2]", "[u8; 4]", false),
            ("(T, T)", "(u8, u8)", true),
            ("(T, T)", "(u8, u16)", false),
            ("Vec<T>", "Vec<[u8]>", true),
            ("Vec<T>", "Box<u8>", false),
            ("String", "String", true),
        ];
        for (pattern, text, expected) in rows {
            let mut filling = TypeArguments::new();
            let fits = unify(&ty(pattern), &ty(text), &params, &mut filling);
            assert_eq!(fits, expected, "{pattern} {text}");
            if fits {
                assert_eq!(apply(&ty(pattern), &filling), ty(text), "{pattern} {text}");
            }
        }
    }
}
