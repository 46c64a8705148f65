//! The `impl` that `#[probity::model]` stands on: a model with its commands and invariants.

use crate::attribute::Names;
use crate::blanks;
use crate::function::{Param, ParamKind, ours, uses};
use crate::parse::{
    Attr, Cursor, Error, Result, commas, find, is_punct, is_word, mentions, start, unraw, unwrap_none,
};
use crate::pm::{Delimiter, Group, Ident, Span, TokenTree};
use crate::template::{Tokens, fill, fill_at, fill_over, list};

const NO_IMPL: &str =
    "a model is a type with methods; put `#[probity::model(..)]` on its `impl Model { .. }`";

/// The `impl` of a model as it was written.
pub(super) struct ModelImpl {
    pub(super) attrs: Vec<Attr>,
    pub(super) ty: Tokens,
    /// All items, without our attributes.
    items: Tokens,
    pub(super) commands: Vec<ModelMethod>,
    pub(super) invariants: Vec<ModelMethod>,
}

/// A method of it.
pub(super) struct ModelMethod {
    pub(super) name: Ident,
    pub(super) asyncness: Option<Ident>,
    pub(super) weight: Tokens,
    /// What `#[when(..)]` says; empty where nothing does.
    when: Tokens,
    pub(super) params: Vec<Param>,
    /// Whether it says that it returns something.
    returns: bool,
}

impl ModelImpl {
    pub(super) fn new(item: Tokens) -> Result<ModelImpl> {
        let item = unwrap_none(item);
        let mut cursor = Cursor { rest: &item };
        let attrs = cursor.attributes();
        if !is_word(cursor.rest.first(), "impl") {
            return Err(Error::over(&item[..item.len().min(1)], NO_IMPL));
        }
        cursor.take(1);
        if is_punct(cursor.rest.first(), '<') {
            let message =
                "a model has no generics, since nobody says what to fill in for them; write the types out";
            return Err(Error::over(&cursor.rest[..1], message));
        }
        let Some((TokenTree::Group(body), ty)) = cursor.rest.split_last() else {
            return Err(Error::over(&item, NO_IMPL));
        };
        if let Some(it) = ty.iter().find(|it| is_word(Some(it), "for")) {
            return Err(Error::new(it.span(), NO_IMPL));
        }
        let mut res = ModelImpl {
            attrs,
            ty: ty.to_vec(),
            items: Tokens::new(),
            commands: Vec::new(),
            invariants: Vec::new(),
        };
        let body: Tokens = body.stream().into_iter().collect();
        let mut cursor = Cursor { rest: &body };
        while !cursor.rest.is_empty() {
            res.read_item(&mut cursor)?;
        }
        if res.commands.is_empty() {
            let message = "a model without commands; give it methods that the system has, too";
            return Err(Error::over(&res.ty, message));
        }
        Ok(res)
    }

    /// Reads one item, which is a command if it is a method.
    fn read_item(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let attrs = cursor.attributes();
        let start = cursor.rest;
        let _ = cursor.visibility();
        let (mut asyncness, mut name) = (None, None);
        while let Some(word) = cursor.ident() {
            match &*word.to_string() {
                "fn" => name = cursor.ident(),
                "async" => asyncness = Some(word),
                _ => {}
            }
            if name.is_some() {
                break;
            }
        }
        let generics = cursor.angles().map(<[TokenTree]>::to_vec);
        let before = start.len() - cursor.rest.len();
        let (Some(name), Some(params)) = (name, cursor.group(Delimiter::Parenthesis)) else {
            // A constant, or a type.
            cursor.take(find(cursor.rest, ';', false) + 1);
            attrs.iter().for_each(|it| self.items.extend_from_slice(&it.tokens));
            self.items.extend_from_slice(&start[..start.len() - cursor.rest.len()]);
            return Ok(());
        };
        let is_body =
            |it: &TokenTree| matches!(it, TokenTree::Group(it) if it.delimiter() == Delimiter::Brace);
        let rest = cursor.take(cursor.rest.iter().position(is_body).map_or(cursor.rest.len(), |it| it + 1));
        let all = commas(&params);
        let is_method = all.first().is_some_and(|it| find(it, ':', true) == it.len() && mentions(it, "self"));
        let our = |it: &Attr| ["when", "weight", "invariant"].iter().any(|name| it.is(name));
        let mut kept = all.first().filter(|_| is_method).map(|it| vec![it.to_vec()]).unwrap_or_default();
        if is_method {
            if let Some(it) = generics.filter(|it| !it.is_empty()) {
                let message = "a command has no generics, since nobody says what to fill in for them; write the types out";
                return Err(Error::over(&it, message));
            }
            let method = ModelMethod::new(&attrs, asyncness, name, &all[1..], rest)?;
            kept.extend(method.params.iter().map(Param::to_tokens));
            match attrs.iter().any(|it| it.is("invariant")) {
                true => self.invariants.push(method),
                false => self.commands.push(method),
            }
        } else if let Some(it) = attrs.iter().find(|it| our(it)) {
            let message = "this is about methods; give the function a `self`, or remove it";
            return Err(Error::over(&it.tokens, message));
        } else {
            kept = all.iter().map(|it| it.to_vec()).collect();
        }
        attrs.iter().filter(|it| !our(it)).for_each(|it| self.items.extend_from_slice(&it.tokens));
        self.items.extend_from_slice(&start[..before]);
        self.items.push(Group::new(Delimiter::Parenthesis, list(&kept).into_iter().collect()).into());
        self.items.extend_from_slice(rest);
        Ok(())
    }

    /// The `impl` as the compiler shall see it.
    pub(super) fn implementation(&self) -> Tokens {
        let attrs: Tokens =
            self.attrs.iter().filter(|it| !is_of_test(it)).flat_map(|it| it.tokens.clone()).collect();
        fill("$attrs impl $ty { $items }", &[("attrs", &attrs), ("ty", &self.ty), ("items", &self.items)])
    }

    /// `#[cfg(test)]`, and the conditions under which there is a model.
    pub(super) fn condition(&self) -> Tokens {
        let mut res = fill("#[cfg(test)]", &[]);
        self.attrs.iter().filter(|it| it.is("cfg")).for_each(|it| res.extend_from_slice(&it.tokens));
        res
    }

    /// Methods that draw the arguments of commands, and say whether they are open. As methods, since both may use `self`.
    pub(super) fn helpers(&self, names: &Names) -> Result<Tokens> {
        let mut res = Tokens::new();
        for it in &self.commands {
            let krate = names.krate(it.name.span());
            let (types, values) = (it.types(names), it.values());
            let always = fill("true", &[]);
            let when = if it.when.is_empty() { &always } else { &it.when };
            let holes: [(&str, &[TokenTree]); 12] = [
                ("may", &it.helper("may")),
                ("open", &it.helper("open")),
                ("draw", &it.helper("draw")),
                ("when", when),
                ("before", if it.is_about_args() { &always } else { when }),
                ("args", &ours("args")),
                ("types", &types),
                ("values", &values),
                ("krate", &krate),
                ("source", &names.source),
                ("bind", &it.bind()),
                ("draws", &blanks::inline(names, &it.params)?),
            ];
            res.extend(fill(
                "fn $may(&self) -> bool { $before }
                #[allow(clippy::unused_unit)]
                fn $draw(&self, $source: &mut $krate::Source) -> $types { $draws $values }
                fn $open(&self, $args: &$types) -> bool { $bind $when }",
                &holes,
            ));
        }
        // The methods that a condition calls may be of any kind.
        Ok(fill(
            "$condition
            #[allow(unused_variables, clippy::all, clippy::pedantic)]
            impl $ty { $res }",
            &[("condition", &self.condition()), ("ty", &self.ty), ("res", &res)],
        ))
    }

    /// The last name of its type, as names of functions are written.
    pub(super) fn snake(&self) -> String {
        let is_name = |it: &&TokenTree| matches!(it, TokenTree::Ident(_));
        let generics = find(&self.ty, '<', false);
        let name =
            self.ty[..generics].iter().rev().find(is_name).map_or_else(String::new, ToString::to_string);
        let mut res = String::new();
        for (at, it) in name.trim_start_matches("r#").chars().enumerate() {
            if it.is_uppercase() && at > 0 {
                res.push('_');
            }
            res.extend(it.to_lowercase());
        }
        res
    }

    /// The name of a function of ours beside it.
    pub(super) fn function(&self, name: &str) -> Tokens {
        vec![Ident::new(&format!("__{}_{name}", self.snake()), Span::call_site()).into()]
    }
}

impl ModelMethod {
    fn new(
        attrs: &[Attr],
        asyncness: Option<Ident>,
        name: Ident,
        params: &[&[TokenTree]],
        rest: &[TokenTree],
    ) -> Result<ModelMethod> {
        let mut params: Vec<Param> = params.iter().map(|it| Param::new(it)).collect::<Result<_>>()?;
        let is_invariant = attrs.iter().any(|it| it.is("invariant"));
        for param in &mut params {
            match param.kind {
                _ if is_invariant => {}
                ParamKind::Setup => {
                    let message = "a model has no `setup`; remove this, or draw it with `#[from(..)]`";
                    return Err(Error::over(&param.pattern, message));
                }
                // A `&mut T`, whatever it is drawn by.
                _ if param.is_mut() => {
                    let message = "results are compared, and what a command writes here is none; return it";
                    return Err(Error::over(&param.ty, message));
                }
                _ => {}
            }
        }
        if is_invariant && (params.len() > 1 || params.iter().any(|it| it.reference.is_none())) {
            let message = "an invariant is about the model and the system; write `(&self)` or `(&self, system: &System)`";
            return Err(Error::new(name.span(), message));
        }
        let (mut when, mut weight) = (Tokens::new(), fill("1", &[]));
        for attr in attrs {
            if attr.is("when") {
                let hint = "no condition; write one, as in `#[when(self.0 > 0)]`";
                if is_invariant || !when.is_empty() {
                    let message = "a command has one `#[when(..)]`; remove this, or join both by `&&`";
                    return Err(Error::over(&attr.tokens, message));
                }
                when = attr.arguments(hint)?;
            } else if attr.is("weight") {
                weight = attr.arguments("no weight; write one, as in `#[weight(3)]`")?;
                if !matches!(weight[..], [TokenTree::Literal(_)]) {
                    return Err(Error::over(
                        &weight,
                        "a weight is a number; write one, as in `#[weight(3)]`",
                    ));
                }
            }
        }
        let returns = is_punct(rest.first(), '-');
        Ok(ModelMethod { name, asyncness, weight, when, params, returns })
    }

    /// The name of a method of ours for it.
    pub(super) fn helper(&self, what: &str) -> Tokens {
        vec![Ident::new(&format!("__{what}_{}", unraw(&self.name)), self.name.span()).into()]
    }

    /// Whether its condition is about its arguments.
    fn is_about_args(&self) -> bool {
        self.params.iter().filter_map(Param::name).any(|it| uses(&self.when, &it.to_string()))
    }

    /// The tuple of what is drawn.
    pub(super) fn types(&self, names: &Names) -> Tokens {
        let types: Vec<Tokens> = self.params.iter().map(|it| it.drawn(names)).collect();
        tuple(&types)
    }

    /// The tuple of what was drawn.
    fn values(&self) -> Tokens {
        let values = self.params.iter().enumerate().map(|(i, it)| match &it.reference {
            Some(_) => ours(&format!("value{i}")),
            None => blanks::binding(i, it),
        });
        tuple(&values.collect::<Vec<_>>())
    }

    /// Binds the parameters to what is in the tuple `args`.
    fn bind(&self) -> Tokens {
        let mut res = Tokens::new();
        for (i, param) in self.params.iter().enumerate() {
            let value = match &param.reference {
                Some(_) => fill(&format!("&$args.{i}"), &[("args", &ours("args"))]),
                None => fill(&format!("::core::clone::Clone::clone(&$args.{i})"), &[("args", &ours("args"))]),
            };
            let name = blanks::binding(i, param);
            let holes: [(&str, &[TokenTree]); 3] = [("name", &name), ("ty", &param.ty), ("value", &value)];
            res.extend(fill("let $name: $ty = $value;", &holes));
        }
        res
    }

    /// A call of it on `receiver` with what is in the tuple `args`.
    pub(super) fn call(&self, receiver: &str) -> Tokens {
        // Where the method takes another `self`, the receiver is shown.
        let receiver = Ident::new(receiver, Span::mixed_site().located_at(self.name.span()));
        let args = self.params.iter().enumerate().map(|(i, param)| {
            let text = match &param.reference {
                Some(_) => format!("&$args.{i}"),
                None => format!("{{ let $arg: $ty = ::core::clone::Clone::clone(&$args.{i}); $arg }}"),
            };
            // Where the system takes another type, this one is shown.
            let here = |name| [Ident::new(name, Span::mixed_site().located_at(start(&param.ty))).into()];
            let holes: [(&str, &[TokenTree]); 3] =
                [("args", &here("args")), ("arg", &here("arg")), ("ty", &param.ty)];
            fill_over(&param.ty, &text, &holes)
        });
        let holes: [(&str, &[TokenTree]); 3] = [
            ("receiver", &[receiver.into()]),
            ("name", &[self.name.clone().into()]),
            ("args", &list(&args.collect::<Vec<_>>())),
        ];
        let text =
            if self.asyncness.is_some() { "$receiver.$name($args).await" } else { "$receiver.$name($args)" };
        fill_at(self.name.span(), text, &holes)
    }

    /// The statement that checks an invariant.
    pub(super) fn check(&self, names: &Names, system: &str) -> Tokens {
        let arg = match self.params.first() {
            Some(it) if it.is_mut() => fill(&format!("&mut {system}"), &[("system", &ours("system"))]),
            Some(_) => fill(&format!("&{system}"), &[("system", &ours("system"))]),
            None => Tokens::new(),
        };
        let holes: [(&str, &[TokenTree]); 4] = [
            ("model", &ours("model")),
            ("name", &[self.name.clone().into()]),
            ("arg", &arg),
            ("krate", &names.krate(self.name.span())),
        ];
        let text = if self.returns {
            "$krate::Outcome::conclude($model.$name($arg));"
        } else {
            "$model.$name($arg);"
        };
        fill_at(self.name.span(), text, &holes)
    }
}

/// Whether an attribute of the `impl` is for its tests.
pub(super) fn is_of_test(attr: &Attr) -> bool {
    attr.is("ignore") || attr.is("should_panic")
}

fn tuple(items: &[Tokens]) -> Tokens {
    let mut inner = list(items);
    if items.len() == 1 {
        inner.extend(fill(",", &[]));
    }
    fill("($inner)", &[("inner", &inner)])
}
