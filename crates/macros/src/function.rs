//! What `#[probity::test]` stands on: a function whose parameters are blanks.

use crate::parse::{
    Attr, Cursor, Error, Result, commas, find, is_punct, is_word, mentions, split, start, unwrap_none,
};
use crate::pm::{Delimiter, Ident, Literal, Span, TokenTree};
use crate::template::{Tokens, fill, fill_at};

/// A function as it was written.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attr>,
    pub(crate) vis: Tokens,
    pub(crate) asyncness: Option<Ident>,
    pub(crate) name: Ident,
    pub(crate) params: Vec<Param>,
    /// The type it returns and its body.
    pub(crate) rest: Tokens,
}

/// One parameter, without the attributes that are ours.
pub(crate) struct Param {
    pub(crate) attrs: Vec<Attr>,
    pub(crate) pattern: Tokens,
    pub(crate) ty: Tokens,
    /// The reference that it takes, if it takes one.
    pub(crate) reference: Option<Reference>,
    pub(crate) kind: Kind,
}

/// The type `&'lifetime mut to`.
pub(crate) struct Reference {
    lifetime: Tokens,
    pub(crate) mutability: Tokens,
    to: Tokens,
}

/// Where a parameter's value comes from.
pub(crate) enum Kind {
    /// It is drawn, by the generator of `#[from(..)]` or else of its type.
    Blank(Option<Tokens>),
    /// It is what `setup = ..` made.
    Setup,
    /// It is the source itself.
    Source,
}

const GENERICS: &str = "a test has no generics, since nobody says what to fill in for them; \
                        write the types out, and one test for each";
const NO_FUNCTION: &str = "a test is a function; put `#[probity::test]` on one";

impl Function {
    pub(crate) fn new(item: Tokens) -> Result<Function> {
        let item = unwrap_none(item);
        let mut cursor = Cursor { rest: &item };
        let attrs = cursor.attributes();
        let vis = cursor.visibility().to_vec();
        let mut asyncness = None;
        let no_function = || Error::over(&item, NO_FUNCTION);
        loop {
            let word = cursor.ident().ok_or_else(no_function)?;
            match &*word.to_string() {
                "fn" => break,
                "async" => asyncness = Some(word),
                "const" | "unsafe" | "extern" => {
                    return Err(Error::new(word.span(), format!("a test is a plain `fn`; remove `{word}`")));
                }
                _ => return Err(Error::new(word.span(), NO_FUNCTION)),
            }
        }
        let name = cursor.ident().ok_or_else(no_function)?;
        if let Some(generics @ [_, ..]) = cursor.angles() {
            return Err(Error::over(generics, GENERICS));
        }
        let params = cursor.group(Delimiter::Parenthesis).ok_or_else(no_function)?;
        let params = commas(&params).into_iter().map(Param::new).collect::<Result<_>>()?;
        let rest = cursor.rest.to_vec();
        match rest.iter().find(|it| is_word(Some(it), "where")) {
            Some(it) => Err(Error::new(it.span(), GENERICS)),
            None => Ok(Function { attrs, vis, asyncness, name, params, rest }),
        }
    }
}

impl Param {
    fn new(tokens: &[TokenTree]) -> Result<Param> {
        let mut cursor = Cursor { rest: tokens };
        let attrs = cursor.attributes();
        let pattern = cursor.take(find(cursor.rest, ':', true)).to_vec();
        cursor.take(1);
        if mentions(&pattern, "self") {
            let message = "a test is no method; move it out of the `impl` and drop `self`";
            return Err(Error::over(&pattern, message));
        }
        let ty = cursor.rest.to_vec();
        if mentions(&ty, "impl") {
            return Err(Error::over(&ty, GENERICS));
        }
        let reference = Reference::new(&ty);
        if let Some(it) = reference.as_ref().filter(|it| mentions(&it.lifetime, "static")) {
            return Err(Error::over(&it.lifetime, "a drawn value lives for one case; remove `'static`"));
        }
        let (from, attrs) = split(attrs, "from");
        let (setup, attrs) = split(attrs, "setup");
        let kind = match (&from[..], &setup[..], &reference) {
            ([], [], Some(it)) if !it.mutability.is_empty() && is_path_to(&ungroup(&it.to), "Source") => {
                Kind::Source
            }
            ([], [], _) => Kind::Blank(None),
            ([from], [], _) => {
                Kind::Blank(Some(from.arguments("no generator; write one, as in `#[from(0..10)]`")?))
            }
            ([], [_], Some(_)) => Kind::Setup,
            ([], [_], None) => {
                let hint = "what `setup` made is lent to every case; take it as `&T` or `&mut T`";
                return Err(Error::over(&ty, hint));
            }
            ([_, attr, ..], ..) | (_, [attr, ..], _) => {
                let hint = "a parameter has one `#[from(..)]` or one `#[setup]`; remove this";
                return Err(Error::over(&attr.tokens, hint));
            }
        };
        Ok(Param { attrs, pattern, ty, reference, kind })
    }

    /// The name of a parameter that is `name` or `mut name`.
    pub(crate) fn name(&self) -> Option<Ident> {
        match self.pattern.as_slice() {
            [TokenTree::Ident(it)] if it.to_string() != "_" => Some(it.clone()),
            [word, TokenTree::Ident(it)] if is_word(Some(word), "mut") => Some(it.clone()),
            _ => None,
        }
    }

    pub(crate) fn is_blank(&self) -> bool {
        matches!(self.kind, Kind::Blank(_))
    }

    /// Whether it is a `&mut T`.
    pub(crate) fn is_mut(&self) -> bool {
        self.reference.as_ref().is_some_and(|it| !it.mutability.is_empty())
    }

    /// The type that is drawn: for a reference, what can be lent as it.
    pub(crate) fn drawn(&self) -> Tokens {
        self.reference.as_ref().map_or_else(|| self.ty.clone(), |it| owned(&it.to))
    }

    pub(crate) fn to_tokens(&self) -> Tokens {
        let attrs: Tokens = self.attrs.iter().flat_map(|it| it.tokens.clone()).collect();
        fill("$attrs $pattern: $ty", &[("attrs", &attrs), ("pattern", &self.pattern), ("ty", &self.ty)])
    }
}

impl Reference {
    fn new(ty: &[TokenTree]) -> Option<Reference> {
        let ty = ungroup(ty);
        let mut cursor = Cursor { rest: &ty };
        if !is_punct(cursor.take(1).first(), '&') {
            return None;
        }
        let lifetime = if is_punct(cursor.rest.first(), '\'') { cursor.take(2) } else { &[] };
        let is_mut = is_word(cursor.rest.first(), "mut");
        let mutability = cursor.take(usize::from(is_mut));
        Some(Reference {
            lifetime: lifetime.to_vec(),
            mutability: mutability.to_vec(),
            to: cursor.rest.to_vec(),
        })
    }
}

/// An expression that describes the choices of `generator`, which draws `name`, a `ty`. It is not run in
/// a case, so there is no value of those drawn `before` that it could use.
pub(crate) fn space_of(
    generator: &[TokenTree],
    mut before: impl Iterator<Item = String>,
    name: &str,
    ty: &[TokenTree],
    spaces: &[TokenTree],
) -> Tokens {
    if let Some(before) = before.find(|it| uses(generator, it)) {
        let what = Literal::string(&format!("`{name}`, whose generator uses `{before}`")).into();
        return fill("$spaces.unknown($what)", &[("spaces", spaces), ("what", &[what])]);
    }
    // The type tells `0..9` of which type it is; a closure can do so and leave room for coercions.
    fill_at(
        start(generator),
        "$spaces.drawn($generator, |$it| -> $ty { $it })",
        &[("spaces", spaces), ("generator", generator), ("ty", ty), ("it", &ours("it"))],
    )
}

/// A variable that cannot meet a name of the user.
pub(crate) fn ours(name: &str) -> Tokens {
    vec![Ident::new(name, Span::mixed_site()).into()]
}

/// What to do where something needs the feature that is off.
#[cfg(not(any(test, feature = "spec")))]
pub(crate) const ENABLE: &str = "enable the `spec` feature (`cargo add probity --features spec`)";

/// The generator that stands in `#[from(..)]`, where a text is a pattern.
pub(crate) fn generator_of(tokens: &Tokens, krate: &[TokenTree]) -> Result<Tokens> {
    match unwrap_none(tokens.clone()).as_slice() {
        [TokenTree::Literal(it)] if it.to_string().starts_with(['"', 'r']) => pattern(it, krate),
        _ => Ok(tokens.clone()),
    }
}

#[cfg(any(test, feature = "spec"))]
fn pattern(literal: &Literal, krate: &[TokenTree]) -> Result<Tokens> {
    Ok(fill_at(
        literal.span(),
        "$krate::spec::matching($literal)",
        &[("krate", krate), ("literal", &[literal.clone().into()])],
    ))
}

#[cfg(not(any(test, feature = "spec")))]
fn pattern(literal: &Literal, _: &[TokenTree]) -> Result<Tokens> {
    Err(Error::new(literal.span(), format!("a pattern as a generator needs specs; {ENABLE}")))
}

/// Whether an expression names a variable, perhaps in the text of a `format!`.
pub(crate) fn uses(tokens: &[TokenTree], name: &str) -> bool {
    tokens.iter().any(|it| match it {
        TokenTree::Group(it) => uses(&it.stream().into_iter().collect::<Tokens>(), name),
        TokenTree::Literal(it) => it.to_string().contains(&format!("{{{}", name.trim_start_matches("r#"))),
        it => is_word(Some(it), name),
    })
}

/// The type without parentheses, shown or not.
fn ungroup(ty: &[TokenTree]) -> Tokens {
    if let [TokenTree::Group(it)] = ty {
        let inner: Tokens = it.stream().into_iter().collect();
        let is_tuple = inner.is_empty() || find(&inner, ',', true) < inner.len();
        if it.delimiter() == Delimiter::None || it.delimiter() == Delimiter::Parenthesis && !is_tuple {
            return ungroup(&inner);
        }
    }
    ty.to_vec()
}

/// Whether `ty` is `name`, wherever that is.
fn is_path_to(ty: &[TokenTree], name: &str) -> bool {
    let is_ident = |it: &TokenTree| matches!(it, TokenTree::Ident(_));
    is_word(ty.last(), name)
        && ty.iter().all(|it| is_ident(it) || is_punct(Some(it), ':'))
        && !ty.windows(2).any(|it| is_ident(&it[0]) && is_ident(&it[1]))
}

/// The type that is drawn for a reference to `ty`.
fn owned(ty: &[TokenTree]) -> Tokens {
    let ty = ungroup(ty);
    if is_path_to(&ty, "str") {
        return fill("::std::string::String", &[]);
    }
    match (Cursor { rest: &ty }).group(Delimiter::Bracket) {
        Some(item) if find(&item, ';', true) == item.len() => {
            fill("::std::vec::Vec<$item>", &[("item", &item)])
        }
        _ => ty,
    }
}
