//! `#[probity::api]` and `api!`: the calls of a type become a table, and a test that runs sequences of them.

use crate::attribute::string;
use crate::function::ours;
use crate::parse::{
    Cursor, Error, Pair, Result, commas, find, is_punct, is_type, is_word, mentions, start, unraw,
    unwrap_none,
};
use crate::pm::{Delimiter, Group, Ident, Literal, Span, TokenTree};
use crate::template::{Tokens, fill, fill_at, fill_over, list};

const NO_TABLE: &str = "write the name of the test, the type and its calls: \
                        `api! { deque: VecDeque<u8> { fn new() -> Self; fn len(&self) -> usize; } }`";
const NO_CALL: &str = "this is no call; write its signature, as in `fn push(&mut self, it: u8);`, \
                       or `fn at(&self, i: usize) -> u8, panics if i >= self.len();`";
const NO_IMPL: &str =
    "`#[probity::api]` goes on the `impl` of a type; for a type of another crate write `probity::api_table!`";

/// A type with its calls.
struct ApiTable {
    /// Those of the test.
    attrs: Tokens,
    /// The test, and what values are called.
    name: Ident,
    ty: Tokens,
    methods: Vec<ApiCall>,
    settings: Vec<Pair>,
}

/// One call.
struct ApiCall {
    name: Ident,
    receiver: Option<Passing>,
    params: Vec<CallParam>,
    /// What it returns; empty where that is nothing.
    result: Tokens,
    /// When it panics by its documentation.
    panics: Option<Tokens>,
    /// The body, where it is known: a panic there is the method's own.
    body: Option<Group>,
}

struct CallParam {
    name: Option<Ident>,
    passing: Passing,
    /// What is passed, or lent.
    ty: Tokens,
}

#[derive(Clone, Copy, PartialEq)]
enum Passing {
    Given,
    Lent,
    LentMut,
}

/// The test that `api! { name: Type { calls } }` represents.
pub(crate) fn expand_table(item: Tokens) -> Result<Tokens> {
    let mut cursor = Cursor { rest: &item };
    let attrs = cursor.attributes().into_iter().flat_map(|it| it.tokens).collect();
    let name = cursor.ident().ok_or_else(|| Error::over(&item, NO_TABLE))?;
    let settings = cursor.group(Delimiter::Parenthesis).unwrap_or_default();
    let (Some((TokenTree::Group(body), ty)), true) =
        (cursor.rest.split_last(), is_punct(cursor.rest.first(), ':'))
    else {
        return Err(Error::over(&item, NO_TABLE));
    };
    let ty = ty[1..].to_vec();
    if body.delimiter() != Delimiter::Brace || !is_type(&ty) {
        return Err(Error::over(&item, NO_TABLE));
    }
    let body: Tokens = body.stream().into_iter().collect();
    let mut methods = Vec::new();
    for call in body.split(|it| is_punct(Some(it), ';')).filter(|it| !it.is_empty()) {
        methods.push(ApiCall::declared(call, &ty)?);
    }
    if methods.is_empty() {
        return Err(Error::new(name.span(), format!("`{name}` has no calls; {NO_CALL}")));
    }
    ApiTable { attrs, name, ty, methods, settings: Pair::list(&settings)? }.test()
}

/// The `impl` as it was, and the test of its public calls.
pub(crate) fn expand_impl(settings: &[TokenTree], item: Tokens) -> Result<Tokens> {
    let pairs = Pair::list(settings)?;
    let item = unwrap_none(item);
    let mut cursor = Cursor { rest: &item };
    cursor.attributes();
    if !is_word(cursor.rest.first(), "impl") {
        return Err(Error::over(&item[..1], NO_IMPL));
    }
    cursor.take(1);
    let generics: Tokens = cursor.angles().unwrap_or_default().to_vec();
    let Some((TokenTree::Group(body), head)) = cursor.rest.split_last() else {
        return Err(Error::shown());
    };
    let head = &head[..head.iter().position(|it| is_word(Some(it), "where")).unwrap_or(head.len())];
    if let Some(it) = head.iter().find(|it| is_word(Some(it), "for")) {
        return Err(Error::new(
            it.span(),
            "the calls of a trait are not the type's own; put it on another `impl`",
        ));
    }
    // What each type parameter is: as it was said, else `u8`.
    let (chosen, settings): (Vec<Pair>, Vec<Pair>) = pairs
        .into_iter()
        .partition(|pair| type_params(&generics).iter().any(|it| it.to_string() == pair.key.to_string()));
    let choose = |tokens: &[TokenTree]| {
        type_params(&generics).into_iter().fold(tokens.to_vec(), |tokens, param| {
            let pair = chosen.iter().find(|it| it.key.to_string() == param.to_string());
            let with = pair.map_or_else(|| fill("u8", &[]), |it| it.value.clone());
            replace(&tokens, &param.to_string(), &with)
        })
    };
    let ty = choose(head);
    let Some(last) = last_name(&ty) else { return Err(Error::over(head, NO_IMPL)) };
    let name = Ident::new(&format!("{}_api", snake(&last)), start(head));
    let body: Tokens = body.stream().into_iter().collect();
    let methods = methods(&body, &ty, &choose);
    let mut res = item.clone();
    if methods.is_empty() {
        let message =
            "there is no public call with parameters of known types; make one `pub`, or remove the attribute";
        return Err(Error::over(head, message));
    }
    res.extend(fill("#[cfg(test)]", &[]));
    res.extend(ApiTable { attrs: Tokens::new(), name, ty, methods, settings }.test()?);
    Ok(res)
}

/// The names of the parameters that are types.
fn type_params(generics: &[TokenTree]) -> Vec<Ident> {
    commas(generics)
        .into_iter()
        .filter_map(|it| match it {
            [TokenTree::Ident(it), ..] if it.to_string() != "const" => Some(it.clone()),
            _ => None,
        })
        .collect()
}

/// The public methods of an `impl` that can be called: without generics of their own, and safe.
fn methods(body: &[TokenTree], ty: &[TokenTree], choose: &dyn Fn(&[TokenTree]) -> Tokens) -> Vec<ApiCall> {
    let mut res = Vec::new();
    let mut cursor = Cursor { rest: body };
    while !cursor.rest.is_empty() {
        let attrs = cursor.attributes();
        let is_public = cursor.visibility().len() == 1;
        let head = cursor.rest;
        // An item ends with braces, or with a semicolon.
        let end = head.iter().position(|it| {
            is_punct(Some(it), ';')
                || matches!(it, TokenTree::Group(it) if it.delimiter() == Delimiter::Brace)
        });
        let Some(end) = end else { break };
        cursor.take(end + 1);
        let is_left_out = attrs.iter().any(|it| it.is("cfg"));
        let TokenTree::Group(body) = &head[end] else { continue };
        let head = if is_word(head.first(), "const") { &head[1..end] } else { &head[..end] };
        if is_public && !is_left_out && is_word(head.first(), "fn") {
            let head = choose(head);
            let head = &head[..head.iter().position(|it| is_word(Some(it), "where")).unwrap_or(head.len())];
            if let Ok(method) = ApiCall::declared(head, ty) {
                res.push(ApiCall { body: Some(body.clone()), ..method });
            }
        }
    }
    res
}

impl ApiCall {
    /// Reads `fn name(params) -> result, panics if condition`.
    fn declared(tokens: &[TokenTree], ty: &[TokenTree]) -> Result<ApiCall> {
        let no_call = || Error::over(tokens, NO_CALL);
        let mut cursor = Cursor { rest: tokens };
        cursor.attributes();
        cursor.visibility();
        let word = cursor.ident().ok_or_else(no_call)?;
        if word.to_string() != "fn" {
            return Err(Error::new(word.span(), format!("a call is a plain `fn`; remove `{word}`")));
        }
        let name = cursor.ident().ok_or_else(no_call)?;
        let generics = cursor.angles().unwrap_or_default();
        if commas(generics).into_iter().any(|it| !is_punct(it.first(), '\'')) {
            return Err(Error::over(generics, "a call has no generics; write the types out"));
        }
        let params = cursor.group(Delimiter::Parenthesis).ok_or_else(no_call)?;
        let (result, panics) = cursor.rest.split_at(find(cursor.rest, ',', true));
        let result = match result {
            [] => Tokens::new(),
            [dash, arrow, ty @ ..] if is_punct(Some(dash), '-') && is_punct(Some(arrow), '>') => ty.to_vec(),
            _ => return Err(Error::over(result, NO_CALL)),
        };
        let panics = match panics {
            [] | [_] => None,
            [_, panics, when, condition @ ..]
                if is_word(Some(panics), "panics") && is_word(Some(when), "if") && !condition.is_empty() =>
            {
                Some(condition.to_vec())
            }
            _ => return Err(Error::over(&panics[1..], "no condition; write `panics if` and one")),
        };
        let mut receiver = None;
        let mut known = Vec::new();
        for (at, param) in commas(&params).into_iter().enumerate() {
            match receiver_of(param).filter(|_| at == 0) {
                Some(it) => receiver = Some(it),
                None => known.push(CallParam::new(param, ty)?),
            }
        }
        let result = replace(&result, "Self", ty);
        Ok(ApiCall { name, receiver, params: known, result, panics, body: None })
    }
}

/// How `self` is passed, where the parameter is that.
fn receiver_of(param: &[TokenTree]) -> Option<Passing> {
    if !is_word(param.last(), "self") {
        return None;
    }
    Some(match param.first() {
        Some(it) if is_punct(Some(it), '&') && mentions(param, "mut") => Passing::LentMut,
        Some(it) if is_punct(Some(it), '&') => Passing::Lent,
        _ => Passing::Given,
    })
}

impl CallParam {
    fn new(tokens: &[TokenTree], ty: &[TokenTree]) -> Result<CallParam> {
        let (pattern, of) = tokens.split_at(find(tokens, ':', true));
        let Some((_, of)) = of.split_first() else { return Err(Error::over(tokens, NO_CALL)) };
        let name = pattern.iter().rev().find_map(|it| match it {
            TokenTree::Ident(it) if it.to_string() != "_" => Some(it.clone()),
            _ => None,
        });
        for word in ["impl", "dyn", "fn"] {
            if mentions(of, word) {
                return Err(Error::over(
                    of,
                    format!("nothing says what to pass for `{word}`; leave this call out"),
                ));
            }
        }
        let of = unwrap_none(replace(of, "Self", ty));
        let mut cursor = Cursor { rest: &of };
        if !is_punct(cursor.rest.first(), '&') {
            return Ok(CallParam { name, passing: Passing::Given, ty: of });
        }
        cursor.take(1);
        if is_punct(cursor.rest.first(), '\'') {
            cursor.take(2);
        }
        let is_mut = is_word(cursor.rest.first(), "mut");
        cursor.take(usize::from(is_mut));
        let passing = if is_mut { Passing::LentMut } else { Passing::Lent };
        Ok(CallParam { name, passing, ty: cursor.rest.to_vec() })
    }

    fn label(&self, at: usize) -> String {
        self.name.as_ref().map_or_else(|| format!("arg{at}"), unraw)
    }
}

impl ApiTable {
    fn test(&self) -> Result<Tokens> {
        let ApiTable { attrs, name, ty, methods, settings } = self;
        let krate = match settings.iter().find(|it| it.key.to_string() == "crate") {
            Some(it) => it.value.clone(),
            None => fill("::probity", &[]),
        };
        let mut pairs: Vec<Tokens> = settings
            .iter()
            .map(|it| fill("$key = $value", &[("key", &[it.key.clone().into()]), ("value", &it.value)]))
            .collect();
        if settings.iter().all(|it| it.key.to_string() != "isolate") {
            pairs.push(fill("isolate = true", &[]));
        }
        let called = unraw(name);
        let called = called.strip_suffix("_api").unwrap_or(&called);
        let names: Vec<Tokens> = methods.iter().map(|it| string(&unraw(&it.name))).collect();
        let weights: Vec<Tokens> = methods.iter().map(|_| vec![Literal::u32_suffixed(1).into()]).collect();
        let calls: Vec<Tokens> = methods.iter().map(|it| self.call(it, &krate, called)).collect();
        let source = ours("source");
        Ok(fill(
            "#[$krate::test($settings)]
            $attrs
            #[allow(unused_mut, unused_variables, clippy::all)]
            fn $name($source: &mut $krate::Source) {
                static ARMS: $krate::api::ArmSet = $krate::api::ArmSet::new(&[$names], &[$weights]);
                static TABLE: $krate::api::CallTable = $krate::api::CallTable {
                    name: $called,
                    ty: $text,
                    arms: &ARMS,
                    calls: &[$calls],
                };
                $krate::api::run_calls($source, &TABLE);
            }",
            &[
                ("krate", &krate),
                ("attrs", attrs),
                ("settings", &list(&pairs)),
                ("name", &[name.clone().into()]),
                ("source", &source),
                ("names", &list(&names)),
                ("weights", &list(&weights)),
                ("called", &string(called)),
                ("text", &string(&text(ty))),
                ("calls", &list(&calls)),
            ],
        ))
    }

    /// Whether values of this type are kept: its own, and those that some call takes.
    fn pool_name(&self, ty: &[TokenTree], called: &str) -> Option<String> {
        if text(ty) == text(&self.ty) {
            return Some(called.to_string());
        }
        let mut taken = self.methods.iter().flat_map(|it| &it.params);
        taken.any(|it| text(&it.ty) == text(ty)).then(|| last_name(ty).map(|it| snake(&it)))?
    }

    fn call(&self, method: &ApiCall, krate: &[TokenTree], called: &str) -> Tokens {
        let mut args: Vec<Argument> = Vec::new();
        if let Some(passing) = method.receiver {
            args.push(Argument {
                at: 0,
                passing,
                name: None,
                label: "self".into(),
                ty: self.ty.clone(),
                place: vec![method.name.clone().into()],
                is_own: true,
            });
        }
        for param in &method.params {
            let at = args.len();
            let is_own = text(&param.ty) == text(&self.ty);
            let owner = fill("<$to as $krate::Referent>::Owner", &[("to", &param.ty), ("krate", krate)]);
            let is_lent = param.passing != Passing::Given && !is_own;
            args.push(Argument {
                at,
                passing: param.passing,
                name: param.name.clone(),
                label: param.label(at),
                ty: if is_lent { owner } else { param.ty.clone() },
                place: param.ty.clone(),
                is_own,
            });
        }
        let each = |make: &dyn Fn(&Argument) -> Tokens| -> Tokens { args.iter().flat_map(make).collect() };
        let texts: Vec<Tokens> =
            args.iter().skip(usize::from(method.receiver.is_some())).map(Argument::text).collect();
        let head = match method.receiver {
            Some(_) => fill("::std::format!(\"{}.\", $this.text())", &[("this", &args[0].variable())]),
            None => fill(
                "::std::string::String::from($ty)",
                &[("ty", &string(&format!("<{}>::", text(&self.ty))))],
            ),
        };
        let passed: Vec<Tokens> = args.iter().map(Argument::passed).collect();
        let call = fill_at(
            method.name.span(),
            "<$ty>::$name($args)",
            &[("ty", &self.ty), ("name", &[method.name.clone().into()]), ("args", &list(&passed))],
        );
        let (work, keep) = self.result(method, krate, called, &call);
        let label = format!("{}::{}", text(&self.ty), unraw(&method.name));
        fill(
            "$krate::api::TableCall {
                is_open: |calls| true $open,
                run: |calls| {
                    $lets
                    let panics: bool = $panics;
                    let code = calls.code(|| {
                        let args: &[::std::string::String] = &[$texts];
                        ::std::format!(\"{}{}({})\", $head, $method, args.join(\", \"))
                    });
                    $give
                    let made = calls.call($label, $lines, code, panics, || $work)?;
                    $back
                    $keep
                    ::core::option::Option::Some(())
                },
            }",
            &[
                ("krate", krate),
                ("open", &self.open(&args, krate)),
                ("lets", &each(&|it| it.bind(krate))),
                ("panics", &panics(method, &args)),
                ("texts", &list(&texts)),
                ("head", &head),
                ("method", &string(&unraw(&method.name))),
                ("give", &each(&Argument::give)),
                ("label", &string(&label)),
                ("lines", &lines(method)),
                ("work", &work),
                ("back", &each(&Argument::put_back)),
                ("keep", &keep),
            ],
        )
    }

    /// Whether there are values for the parameters.
    fn open(&self, args: &[Argument], krate: &[TokenTree]) -> Tokens {
        let own = args.iter().filter(|it| it.is_own).count();
        let mut res = Tokens::new();
        if own > 0 {
            let n = vec![Literal::usize_suffixed(own).into()];
            res.extend(fill("&& calls.has::<$ty>($n)", &[("ty", &self.ty), ("n", &n)]));
        }
        for arg in args.iter().filter(|it| !it.is_own) {
            let n = args.iter().filter(|it| text(&it.ty) == text(&arg.ty)).count();
            let n = vec![Literal::usize_suffixed(n).into()];
            res.extend(fill(
                "&& calls.can_have::<$ty>($n, &$krate::api::facts!($ty))",
                &[("ty", &arg.ty), ("n", &n), ("krate", krate)],
            ));
        }
        res
    }

    /// What the call is and what is done with its result.
    fn result(
        &self,
        method: &ApiCall,
        krate: &[TokenTree],
        called: &str,
        call: &[TokenTree],
    ) -> (Tokens, Tokens) {
        let result = unwrap_none(method.result.clone());
        let inner = match result.as_slice() {
            [outer, open, inner @ .., _] if is_punct(Some(open), '<') => match &*outer.to_string() {
                "Option" => Some((inner.to_vec(), "Some")),
                "Result" => Some((inner[..find(inner, ',', true)].to_vec(), "Ok")),
                _ => None,
            },
            _ => None,
        };
        // The list of a foreign type is written by hand, and may be wrong about what is returned.
        let is_written = method.body.is_none() && !result.is_empty() && !mentions(&result, "impl");
        let typed = fill("{ let made: $ty = $call; made }", &[("ty", &result), ("call", call)]);
        let borrows = result.iter().any(|it| is_punct(Some(it), '&') || is_punct(Some(it), '\''));
        let call = if is_written && !borrows { &typed } else { call };
        let whole = fill("::core::result::Result::Ok($call)", &[("call", call)]);
        let keep = |ty: &[TokenTree], template: &str, name: &str, unwrap: &str| {
            fill(
                template,
                &[("ty", ty), ("name", &string(name)), ("unwrap", &string(unwrap)), ("krate", krate)],
            )
        };
        if let Some(name) = self.pool_name(&result, called).filter(|_| !result.is_empty()) {
            return (
                whole,
                keep(&result, "calls.keep(made, $name, $unwrap, $krate::api::facts!($ty));", &name, ""),
            );
        }
        if let Some((inner, variant)) = inner
            && let Some(name) = self.pool_name(&inner, called)
        {
            let template = format!(
                "if let ::core::prelude::v1::{variant}(made) = made \
                 {{ calls.keep(made, $name, $unwrap, $krate::api::facts!($ty)); }}"
            );
            return (whole, keep(&inner, &template, &name, ".unwrap()"));
        }
        let work = fill(
            "{
                #[allow(unused_imports)]
                use $krate::api::probes::*;
                $krate::api::ResultProbe(::core::option::Option::Some($call)).examine()
            }",
            &[("krate", krate), ("call", call)],
        );
        (work, Tokens::new())
    }
}

/// One argument of a call.
struct Argument {
    at: usize,
    passing: Passing,
    name: Option<Ident>,
    label: String,
    ty: Tokens,
    /// Where errors about it are shown.
    place: Tokens,
    /// Whether it is of the type whose calls these are: such values are never drawn.
    is_own: bool,
}

impl Argument {
    fn variable(&self) -> Tokens {
        let span = Span::mixed_site().located_at(start(&self.place));
        vec![Ident::new(&format!("arg{}", self.at), span).into()]
    }

    fn bind(&self, krate: &[TokenTree]) -> Tokens {
        let template = match self.is_own {
            true => "let mut $it = calls.hold::<$ty>();",
            false => "let mut $it = calls.argument::<$ty>($label, &$krate::api::facts!($ty));",
        };
        let holes: [(&str, &[TokenTree]); 4] =
            [("it", &self.variable()), ("ty", &self.ty), ("label", &string(&self.label)), ("krate", krate)];
        fill_over(&self.place, template, &holes)
    }

    fn text(&self) -> Tokens {
        let template = match self.passing {
            Passing::Given => "$it.text()",
            Passing::Lent => "::std::format!(\"&{}\", $it.text())",
            Passing::LentMut => "::std::format!(\"&mut {}\", $it.text())",
        };
        fill(template, &[("it", &self.variable())])
    }

    fn give(&self) -> Tokens {
        match self.passing {
            Passing::Given => fill("let mut $it = $it.into_value();", &[("it", &self.variable())]),
            _ => Tokens::new(),
        }
    }

    fn passed(&self) -> Tokens {
        let template = match self.passing {
            Passing::Given => "$it",
            Passing::Lent => "&*$it.value()",
            Passing::LentMut => "&mut *$it.value()",
        };
        fill_over(&self.place, template, &[("it", &self.variable())])
    }

    fn put_back(&self) -> Tokens {
        match self.passing {
            Passing::Given => Tokens::new(),
            _ => fill("calls.put_back($it);", &[("it", &self.variable())]),
        }
    }
}

/// Whether the call panics by its documentation: an expression over `self` and the parameters, which are lent to it.
fn panics(method: &ApiCall, args: &[Argument]) -> Tokens {
    let Some(condition) = &method.panics else { return fill("false", &[]) };
    let this = ours("this");
    let mut lets = Tokens::new();
    let mut condition = condition.clone();
    for arg in args {
        let (name, variable) = match &arg.name {
            Some(it) => (it.to_string(), vec![it.clone().into()]),
            None if arg.label == "self" => ("self".to_string(), this.clone()),
            None => continue,
        };
        let holes: [(&str, &[TokenTree]); 2] = [("name", &variable), ("it", &arg.variable())];
        lets.extend(fill("let $name = &*$it.value();", &holes));
        condition = replace(&condition, &name, &fill("(*$name)", &holes));
    }
    fill("{ $lets $condition }", &[("lets", &lets), ("condition", &condition)])
}

/// Where the method stands.
fn lines(method: &ApiCall) -> Tokens {
    let Some(body) = &method.body else { return fill("::core::option::Option::None", &[]) };
    let first = fill_at(method.name.span(), "::core::line!()", &[]);
    let last = fill_at(body.span_close(), "::core::line!()", &[]);
    let file = fill_at(method.name.span(), "::core::file!()", &[]);
    fill(
        "::core::option::Option::Some(($file, $first, $last))",
        &[("file", &file), ("first", &first), ("last", &last)],
    )
}

/// The tokens with others in the place of a name, at any depth; fields and methods of that name stay.
fn replace(tokens: &[TokenTree], name: &str, with: &[TokenTree]) -> Tokens {
    let mut res = Tokens::new();
    for (at, tree) in tokens.iter().enumerate() {
        let is_part = at > 0 && is_punct(tokens.get(at - 1), '.');
        match tree {
            TokenTree::Group(it) => {
                let inner = replace(&it.stream().into_iter().collect::<Tokens>(), name, with);
                let mut group = Group::new(it.delimiter(), inner.into_iter().collect());
                group.set_span(it.span());
                res.push(group.into());
            }
            it if is_word(Some(it), name) && !is_part => res.extend_from_slice(with),
            it => res.push(it.clone()),
        }
    }
    res
}

/// The last name of the path to a type.
fn last_name(ty: &[TokenTree]) -> Option<String> {
    let path = &ty[..find(ty, '<', false).min(ty.len())];
    path.iter().rev().find_map(|it| match it {
        TokenTree::Ident(it) => Some(unraw(it)),
        _ => None,
    })
}

/// `VecDeque` as `vec_deque`.
fn snake(name: &str) -> String {
    let mut res = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !res.is_empty() {
            res.push('_');
        }
        res.extend(c.to_lowercase());
    }
    res
}

/// A type as it is written.
fn text(ty: &[TokenTree]) -> String {
    let mut res = String::new();
    for tree in ty {
        let piece = match tree {
            TokenTree::Group(it) => {
                let inner = text(&it.stream().into_iter().collect::<Tokens>());
                match it.delimiter() {
                    Delimiter::Parenthesis => format!("({inner})"),
                    Delimiter::Bracket => format!("[{inner}]"),
                    Delimiter::Brace => format!("{{{inner}}}"),
                    Delimiter::None => inner,
                }
            }
            it => it.to_string(),
        };
        let is_word_char = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
        let touches = is_word_char(res.chars().last()) && is_word_char(piece.chars().next());
        if touches || res.ends_with([',', ';']) {
            res.push(' ');
        }
        res.push_str(&piece);
    }
    res
}
