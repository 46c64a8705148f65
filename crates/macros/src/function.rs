//! What `#[probity::test]` stands on: a function whose parameters are blanks.

use crate::attribute::Names;
use crate::parse::{
    Attr, Cursor, Error, Result, commas, find, is_punct, is_type, is_word, mentions, split, start,
    unwrap_none,
};
use crate::pm::{Delimiter, Group, Ident, Literal, Span, TokenTree};
use crate::template::{Tokens, fill, fill_at, fill_over, list};

/// A function as it was written.
pub(crate) struct ParsedFunction {
    pub(crate) attrs: Vec<Attr>,
    pub(crate) vis: Tokens,
    pub(crate) asyncness: Option<Ident>,
    pub(crate) name: Ident,
    pub(crate) params: Vec<Param>,
    /// The place of its parentheses, after which the compiler would have a result added.
    parentheses: Span,
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
    pub(crate) kind: ParamKind,
}

/// The type `&'lifetime mut to`.
pub(crate) struct Reference {
    lifetime: Tokens,
    pub(crate) mutability: Tokens,
    to: Tokens,
}

/// Where a parameter's value comes from.
pub(crate) enum ParamKind {
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

impl ParsedFunction {
    pub(crate) fn new(item: Tokens) -> Result<ParsedFunction> {
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
        let parentheses = cursor.rest.first().map_or_else(Span::call_site, TokenTree::span);
        let params = cursor.group(Delimiter::Parenthesis).ok_or_else(no_function)?;
        let mut params: Vec<Param> = commas(&params).into_iter().map(Param::new).collect::<Result<_>>()?;
        no_twins(&params)?;
        for i in 1..params.len() {
            let (before, rest) = params.split_at_mut(i);
            before.iter_mut().for_each(|it| it.is_used_by(&rest[0]));
        }
        let rest = cursor.rest.to_vec();
        if let Some(it) = rest.iter().find(|it| is_word(Some(it), "where")) {
            return Err(Error::new(it.span(), GENERICS));
        }
        match rest.last() {
            Some(TokenTree::Group(it)) if it.delimiter() == Delimiter::Brace => {
                Ok(ParsedFunction { attrs, vis, asyncness, name, params, parentheses, rest })
            }
            _ => Err(Error::over(&rest, "a test without a body; write one, as in `{ assert!(..) }`")),
        }
    }

    /// Its parameters as they were written, in their parentheses.
    pub(crate) fn list(&self) -> TokenTree {
        let params: Vec<Tokens> = self.params.iter().map(Param::to_tokens).collect();
        let mut res = Group::new(Delimiter::Parenthesis, list(&params).into_iter().collect());
        res.set_span(self.parentheses);
        res.into()
    }

    /// The type that it returns; empty where that is not said.
    pub(crate) fn returned(&self) -> &[TokenTree] {
        match self.rest.as_slice() {
            [dash, arrow, ty @ .., _] if is_punct(Some(dash), '-') && is_punct(Some(arrow), '>') => ty,
            _ => &[],
        }
    }
}

impl Param {
    pub(crate) fn new(tokens: &[TokenTree]) -> Result<Param> {
        let mut cursor = Cursor { rest: tokens };
        let attrs = attributes(&mut cursor)?;
        let pattern = cursor.take(find(cursor.rest, ':', true)).to_vec();
        cursor.take(1);
        if mentions(&pattern, "self") {
            let message = "a test is no method; move it out of the `impl` and drop `self`";
            return Err(Error::over(&pattern, message));
        }
        let ty = cursor.rest.to_vec();
        if !is_type(&ty) {
            return Err(Error::shown());
        }
        if mentions(&ty, "impl") {
            return Err(Error::over(&ty, GENERICS));
        }
        if let Some(other) = sized(&ungroup(&ty)) {
            let message = format!("a parameter has a size, and this type has none; take {other}");
            return Err(Error::over(&ty, message));
        }
        let (from, attrs) = split(attrs, "from");
        let mut reference = Reference::new(&ty);
        if let Some([tick, name]) = reference.as_ref().map(|it| &it.lifetime[..])
            && !is_word(Some(name), "_")
        {
            if from.is_empty() || !is_word(Some(name), "static") {
                let message = format!("a drawn value lives for one case; remove `{tick}{name}`");
                return Err(Error::over(&[tick.clone(), name.clone()], message));
            }
            // It is what the generator makes.
            reference = None;
        }
        let (setup, attrs) = split(attrs, "setup");
        let kind = match (&from[..], &setup[..], &reference) {
            ([], [], Some(it)) if !it.mutability.is_empty() && is_path_to(&it.to, "Source") => {
                ParamKind::Source
            }
            ([], [], _) => ParamKind::Blank(None),
            ([from], [], _) => {
                ParamKind::Blank(Some(from.arguments("no generator; write one, as in `#[from(0..10)]`")?))
            }
            ([], [_], Some(_)) => ParamKind::Setup,
            ([], [_], None) => {
                let hint = "what `setup` made is lent to every case; take it as `&T` or `&mut T`";
                return Err(Error::over(&ty, hint));
            }
            ([_, attr, ..], ..) | (_, [attr, ..], _) => {
                let hint = "a parameter has one `#[from(..)]` or one `#[setup]`; remove this";
                return Err(Error::over(&attr.tokens, hint));
            }
        };
        if let (ParamKind::Blank(None), Some(it)) = (&kind, reference.as_ref().filter(|it| it.is_dyn())) {
            let message = "nothing says which type to draw and to lend as this; name a generator of one, \
                           as in `#[from(0..10)] it: &dyn Debug`";
            return Err(Error::over(&it.to, message));
        }
        Ok(Param { attrs, pattern, ty, reference, kind })
    }

    /// Where the generator of `later` uses this parameter, the compiler should not miss a use of it in the test.
    fn is_used_by(&mut self, later: &Param) {
        if let (ParamKind::Blank(Some(it)), Some(name)) = (&later.kind, self.name())
            && uses(it, &name.to_string())
        {
            let tokens = fill("#[allow(unused_variables)]", &[]);
            self.attrs.extend(Cursor { rest: &tokens }.attributes());
        }
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
        matches!(self.kind, ParamKind::Blank(_))
    }

    /// Whether it is a `&str` with a generator, which may make any kind of text.
    pub(crate) fn is_made_text(&self) -> bool {
        let is_text = matches!(&self.referent()[..], [it] if is_word(Some(it), "str"));
        is_text
            && self.reference.is_some()
            && !self.is_mut()
            && matches!(self.kind, ParamKind::Blank(Some(_)))
    }

    /// Whether it is a `&mut T`.
    pub(crate) fn is_mut(&self) -> bool {
        self.reference.as_ref().is_some_and(|it| !it.mutability.is_empty())
    }

    /// The type, or what it refers to.
    pub(crate) fn referent(&self) -> &Tokens {
        self.reference.as_ref().map_or(&self.ty, |it| &it.to)
    }

    /// The type that is drawn: for a reference, what can be lent as it.
    pub(crate) fn drawn(&self, names: &Names) -> Tokens {
        let Some(Reference { to, .. }) = &self.reference else { return self.ty.clone() };
        if self.reference.as_ref().is_some_and(Reference::is_dyn) {
            return fill_at(start(to), "_", &[]);
        }
        let krate = names.krate(start(to));
        fill_over(to, "<$to as $krate::Referent>::Owner", &[("to", to), ("krate", &krate)])
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
            to: ungroup(cursor.rest),
        })
    }

    /// Whether it is a `&dyn Trait`.
    fn is_dyn(&self) -> bool {
        is_word(self.to.first(), "dyn")
    }
}

/// The attributes of a parameter. Comments of its documentation are for readers: a function may not have them there.
fn attributes(cursor: &mut Cursor) -> Result<Vec<Attr>> {
    let mut attrs = cursor.attributes();
    attrs.retain(|it| !it.is("doc"));
    for attr in &attrs {
        if attr.is("cfg") {
            let message = "a parameter cannot depend on `cfg`; put `#[cfg(..)]` on the test, and write one test for each \
                           case";
            return Err(Error::over(&attr.tokens, message));
        }
        if !attr.path.iter().all(|it| matches!(it, TokenTree::Ident(_)) || is_punct(Some(it), ':')) {
            return Err(Error::shown());
        }
    }
    Ok(attrs)
}

/// A variable that cannot meet a name of the user.
pub(crate) fn ours(name: &str) -> Tokens {
    vec![Ident::new(name, Span::mixed_site()).into()]
}

/// What to do where something needs the feature that is off.
#[cfg(not(any(test, feature = "spec")))]
pub(crate) const ENABLE: &str = "enable the `spec` feature (`cargo add probity --features spec`)";

/// The generator that is in `#[from(..)]`, where a text is a pattern.
pub(crate) fn generator_of(tokens: &Tokens, krate: &[TokenTree]) -> Result<Tokens> {
    let (it, rest) = tokens.split_at(find(tokens, ',', false));
    if let [_, more @ ..] = rest
        && !more.is_empty()
    {
        let message = "a blank has one generator; remove this, or choose with `one_of([..])`";
        return Err(Error::over(more, message));
    }
    match unwrap_none(it.to_vec()).as_slice() {
        [TokenTree::Literal(it)] if it.to_string().starts_with(['"', 'r']) => pattern(it, krate),
        _ => Ok(it.to_vec()),
    }
}

#[cfg(any(test, feature = "regex"))]
fn pattern(literal: &Literal, krate: &[TokenTree]) -> Result<Tokens> {
    Ok(fill_at(
        literal.span(),
        "$krate::spec::matching($literal)",
        &[("krate", krate), ("literal", &[literal.clone().into()])],
    ))
}

#[cfg(not(any(test, feature = "regex")))]
fn pattern(literal: &Literal, _: &[TokenTree]) -> Result<Tokens> {
    Err(Error::new(
        literal.span(),
        "patterns as generators are off; enable the `regex` feature (`cargo add probity --features regex`)",
    ))
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

/// Fails where two parameters are the source, or have one name.
fn no_twins(params: &[Param]) -> Result<()> {
    for (i, param) in params.iter().enumerate() {
        let before = &params[..i];
        let is_source = |it: &Param| matches!(it.kind, ParamKind::Source);
        if is_source(param) && before.iter().any(is_source) {
            return Err(Error::over(&param.ty, "a test has one source; remove this parameter"));
        }
        let name = |it: &Param| it.name().map(|it| it.to_string());
        if let Some(twin) =
            name(param).filter(|it| before.iter().any(|before| name(before).as_ref() == Some(it)))
        {
            let message = format!("two parameters are called `{twin}`; rename one");
            return Err(Error::over(&param.pattern, message));
        }
    }
    Ok(())
}

/// What to take in the place of a type whose values have no size of their own.
fn sized(ty: &[TokenTree]) -> Option<&'static str> {
    let is_slice = |it: &TokenTree| match it {
        TokenTree::Group(it) if it.delimiter() == Delimiter::Bracket => {
            let inner: Tokens = it.stream().into_iter().collect();
            find(&inner, ';', false) == inner.len()
        }
        _ => false,
    };
    match ty {
        [it] if is_word(Some(it), "str") => Some("`&str` or `String`"),
        [it] if is_slice(it) => Some("a reference to it or a `Vec`"),
        [it, ..] if is_word(Some(it), "dyn") => Some("a reference to it or a `Box`, with `#[from(..)]`"),
        _ => None,
    }
}

/// Whether `ty` is `name`, wherever that is.
fn is_path_to(ty: &[TokenTree], name: &str) -> bool {
    let is_ident = |it: &TokenTree| matches!(it, TokenTree::Ident(_));
    is_word(ty.last(), name)
        && ty.iter().all(|it| is_ident(it) || is_punct(Some(it), ':'))
        && !ty.windows(2).any(|it| is_ident(&it[0]) && is_ident(&it[1]))
}
