//! What the feature `spec` adds: `#[derive(Spec)]`, `spec!` and `different = ..`. Each writes down calls of
//! functions in `probity::spec`.

mod chars;
pub(crate) mod declare;
pub(crate) mod derive;
pub(crate) mod different;
mod expr;
pub(crate) mod measures;
mod pattern;

pub(crate) use expr::term;

use std::cell::RefCell;
use std::rc::Rc;

use crate::parse::{Error, Pair, Result, is_punct, mentions, start};
use crate::pm::{Literal, Span, TokenStream, TokenTree};
use crate::template::{Tokens, fill_at};

/// What names mean in an expression.
pub(crate) struct NameScope {
    pub(crate) krate: Tokens,
    /// The variable that holds the spec whose fields the names are.
    pub(crate) variable: Tokens,
    /// What a name represents: a field, a blank.
    pub(crate) what: &'static str,
    pub(crate) names: Vec<String>,
    /// What `it` represents, where it does.
    pub(crate) it: Option<Tokens>,
    /// Who finds mistakes in names that are not ours.
    pub(crate) checks: NameChecks,
}

/// Who finds mistakes in the names of fields, variants and measures.
#[derive(Clone)]
pub(crate) enum NameChecks {
    /// Nobody: only what requirements know is allowed.
    Nobody,
    /// The compiler: the expression stands somewhere else as code, too.
    Code,
    /// The compiler, for whom statements are collected: the types of names, and the statements.
    Types(Vec<(String, Tokens)>, Rc<RefCell<Vec<Tokens>>>),
}

impl NameChecks {
    /// Those of fields with these types.
    pub(crate) fn of(types: Vec<(String, Tokens)>) -> NameChecks {
        NameChecks::Types(types, Rc::default())
    }

    /// Has the compiler look at a statement, in which `$ty` is the type of `name`; whether that is known.
    pub(crate) fn add(
        &self,
        name: Option<&str>,
        span: Span,
        text: &str,
        holes: &[(&str, &[TokenTree])],
    ) -> bool {
        let NameChecks::Types(types, statements) = self else { return matches!(self, NameChecks::Code) };
        let ty = match name {
            Some(name) => match types.iter().find(|it| it.0 == name) {
                Some(it) => it.1.clone(),
                None => return false,
            },
            None => Tokens::new(),
        };
        statements.borrow_mut().push(fill_at(span, text, &[holes, &[("ty", &ty)]].concat()));
        true
    }

    /// A closure that is never called, with all statements.
    fn statements(&self) -> Tokens {
        match self {
            NameChecks::Types(_, all) if !all.borrow().is_empty() => {
                let all: Tokens = all.borrow().concat();
                fill_at(
                    Span::call_site(),
                    "#[allow(unused, clippy::all, clippy::pedantic)] let _ = || { $all };",
                    &[("all", &all)],
                )
            }
            _ => Tokens::new(),
        }
    }
}

impl NameScope {
    /// The same names, with `it` for one of them.
    fn at(&self, name: &str) -> NameScope {
        let NameScope { krate, variable, what, names, checks, .. } = self;
        let it = Some(self.field(name, Span::call_site()));
        let (krate, variable, names, checks) =
            (krate.clone(), variable.clone(), names.clone(), checks.clone());
        NameScope { krate, variable, what, names, it, checks }
    }

    fn field(&self, name: &str, span: Span) -> Tokens {
        let text = "$krate::spec::Term::field($krate::spec::Term::it(), $name)";
        fill_at(span, text, &[("krate", &self.krate), ("name", &[Literal::string(name).into()])])
    }

    /// The term that `name` represents.
    fn name(&self, name: &str, span: Span) -> Result<Tokens> {
        match (name, &self.it) {
            ("self", _) => Ok(fill_at(span, "$krate::spec::Term::it()", &[("krate", &self.krate)])),
            ("it", Some(it)) => Ok(it.clone()),
            _ if self.names.iter().any(|it| it == name) => Ok(self.field(name, span)),
            _ => {
                let names: Vec<String> = self.names.iter().map(|it| format!("`{it}`")).collect();
                let what = self.what;
                if names.is_empty() {
                    let message = format!(
                        "`{name}` is not understood here; take the value apart with one `match self`"
                    );
                    return Err(Error::new(span, message));
                }
                Err(Error::new(span, format!("no {what} is called `{name}`; there are {}", names.join(", "))))
            }
        }
    }

    /// Whether `tokens` use a name of this scope.
    fn is_used(&self, tokens: &[TokenTree]) -> bool {
        self.names.iter().any(|it| mentions(tokens, it)) || mentions(tokens, "self")
    }
}

/// An expression that may be written as a text as well: `require = "a < b"`.
fn unquoted(tokens: &[TokenTree]) -> Result<Tokens> {
    let [TokenTree::Literal(literal)] = tokens else { return Ok(tokens.to_vec()) };
    let text = literal.to_string();
    let inner =
        text.trim_start_matches('r').trim_matches('#').strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let Some(inner) = inner else { return Ok(tokens.to_vec()) };
    let inner = if text.starts_with('r') {
        inner.to_string()
    } else {
        inner.replace("\\\"", "\"").replace("\\\\", "\\")
    };
    let stream: TokenStream = inner
        .parse()
        .map_err(|_| Error::new(literal.span(), "the text is no expression; mend its brackets"))?;
    Ok(at(stream, literal.span()))
}

/// All of `stream` at one place.
fn at(stream: TokenStream, span: Span) -> Tokens {
    let mut res = Tokens::new();
    for mut tree in stream {
        if let TokenTree::Group(it) = &tree {
            let inner = at(it.stream(), span).into_iter().collect();
            tree = crate::pm::Group::new(it.delimiter(), inner).into();
        }
        tree.set_span(span);
        res.push(tree);
    }
    res
}

/// The ends of a range as tokens, and whether the upper one is included. One value is a range of its own.
fn ends(tokens: &[TokenTree]) -> (&[TokenTree], &[TokenTree], bool) {
    let is_dots = |at: &usize| is_punct(tokens.get(*at), '.') && is_punct(tokens.get(*at + 1), '.');
    match (0..tokens.len()).find(is_dots) {
        None => (tokens, tokens, true),
        Some(dots) => {
            let inclusive = is_punct(tokens.get(dots + 2), '=');
            (&tokens[..dots], &tokens[dots + 2 + usize::from(inclusive)..], inclusive)
        }
    }
}

/// What is declared of a field: changes of its spec, and requirements that mention other fields.
struct Declared {
    /// An expression of the field's spec.
    spec: Tokens,
    /// Terms over the whole.
    requires: Vec<Tokens>,
}

/// What `pairs` such as `range = 0..=9` declare of the field `name`, whose spec is `spec`.
fn declare(name: &str, mut spec: Tokens, pairs: &[Pair], scope: &NameScope) -> Result<Declared> {
    let scope = scope.at(name);
    let mut requires = Vec::new();
    for Pair { key, value } in pairs {
        let krate = &scope.krate;
        match &*key.to_string() {
            "range" | "len" => {
                let (low, high, inclusive) = ends(value);
                let end = |tokens: &[TokenTree]| match tokens {
                    [] => Ok(fill_at(key.span(), "::core::option::Option::None", &[])),
                    _ => expr::term(tokens, &scope).map(|it| {
                        fill_at(start(tokens), "::core::option::Option::Some($it)", &[("it", &it)])
                    }),
                };
                let inclusive = fill_at(key.span(), if inclusive { "true" } else { "false" }, &[]);
                let (low, high) = (end(low)?, end(high)?);
                let is_local = !scope.is_used(value) && !mentions(value, "it");
                let text = match (&*key.to_string(), is_local) {
                    ("range", true) => "$krate::spec::rust::range($it, $low, $high, $inclusive)",
                    ("len", true) => "$krate::spec::rust::lengths($it, $low, $high, $inclusive)",
                    ("range", false) => "$krate::spec::rust::ranges($scope, $it, $low, $high, $inclusive)",
                    _ => "$krate::spec::rust::lengths_of($scope, $it, $low, $high, $inclusive)",
                };
                let it = if is_local { spec.clone() } else { scope.name("it", key.span())? };
                let holes: [(&str, &[TokenTree]); 6] = [
                    ("krate", krate),
                    ("scope", &scope.variable),
                    ("it", &it),
                    ("low", &low),
                    ("high", &high),
                    ("inclusive", &inclusive),
                ];
                let made = fill_at(key.span(), text, &holes);
                if is_local { spec = made } else { requires.push(made) }
            }
            "matches" => {
                let holes: [(&str, &[TokenTree]); 3] = [("krate", krate), ("it", &spec), ("value", value)];
                spec = fill_at(start(value), "$krate::spec::rust::pattern($it, $value)", &holes);
            }
            "require" => requires.push(expr::term(&unquoted(value)?, &scope)?),
            other => {
                let message =
                    format!("nothing is declared by `{other}`; write `range`, `len`, `matches` or `require`");
                return Err(Error::new(key.span(), message));
            }
        }
    }
    Ok(Declared { spec, requires })
}

/// Has the compiler look whether `pairs` fit a field of the type `ty`.
fn check_fit(ty: &[TokenTree], pairs: &[Pair], scope: &NameScope) {
    let text_of = |end: &[TokenTree]| match end {
        [TokenTree::Literal(it)] if it.to_string().starts_with(['"', 'r']) => Some("Some(true)"),
        [TokenTree::Literal(it)] | [TokenTree::Punct(_), TokenTree::Literal(it)]
            if it.to_string().starts_with(|it: char| it.is_ascii_digit()) =>
        {
            Some("Some(false)")
        }
        _ => None,
    };
    for Pair { key, value } in pairs {
        let (low, high, _) = ends(value);
        let of_texts = text_of(low).or(text_of(high)).unwrap_or("None");
        let call = match &*key.to_string() {
            "range" => format!("range(::core::option::Option::{of_texts})"),
            "len" => "len()".to_string(),
            "matches" => "matches()".to_string(),
            _ => continue,
        };
        let text = format!("const _: () = <$of as $krate::spec::Declared>::DECLARABLE.{call};");
        scope.checks.add(None, key.span(), &text, &[("of", ty), ("krate", &scope.krate)]);
    }
}

/// An expression of an object's spec: its fields, then what is required of them together.
fn object(fields: &[(String, Tokens)], requires: &[Tokens], scope: &NameScope) -> Tokens {
    let holes: [(&str, &[TokenTree]); 2] = [("krate", &scope.krate), ("scope", &scope.variable)];
    let fill = |text: &str, more: &[(&str, &[TokenTree])]| {
        fill_at(Span::call_site(), text, &[&holes, more].concat())
    };
    let fields: Tokens = fields
        .iter()
        .flat_map(|(name, spec)| {
            fill("($name, $spec),", &[("name", &[Literal::string(name).into()]), ("spec", spec)])
        })
        .collect();
    let requires: Tokens = requires
        .iter()
        .flat_map(|it| fill("let $scope = &$krate::spec::rust::requiring($scope, $it);", &[("it", it)]))
        .collect();
    fill(
        "{
            let $scope = &$krate::spec::Spec::object::<&str>([$fields]);
            $checks
            $requires
            ::core::clone::Clone::clone($scope)
        }",
        &[("fields", &fields), ("requires", &requires), ("checks", &scope.checks.statements())],
    )
}
