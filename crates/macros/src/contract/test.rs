//! The test of a contract: inputs that it allows, one call, and whatever the checks on the way say.

use super::clause::Clauses;
#[cfg(any(test, feature = "spec"))]
use super::literal;
use super::signature::{ContractFunction, ContractParam, Receiver, in_angles};
use super::{ContractSettings, Owner, renamed, text_of, truth};
use crate::parse::{Attr, Error, Result, mentions, start, unraw};
use crate::pm::{Ident, TokenTree};
use crate::template::{Tokens, fill, fill_at, list};

/// What `self` is called in the test.
const THIS: &str = "this";

/// A parameter as the test has it.
struct ContractBlank<'a> {
    name: Tokens,
    /// Its type, with what represents type parameters.
    ty: Tokens,
    /// Whether a reference is `mut`, and what it refers to.
    reference: Option<(bool, Tokens)>,
    from: Option<&'a Attr>,
    /// The pattern that takes it apart, where contracts use the names in it.
    apart: Option<&'a Tokens>,
}

/// The test `NAME_keeps_its_contract`.
pub(super) fn expand(
    settings: &ContractSettings,
    method: &ContractFunction,
    clauses: &Clauses,
    owner: Option<&Owner>,
) -> Result<Tokens> {
    let own = &method.generics.names;
    let of_owner = owner.map_or(&[][..], |it| &it.generics.names);
    let is_given = |it: &&Ident| settings.types.iter().any(|pair| pair.key.to_string() == it.to_string());
    if let Some(name) = own.iter().chain(of_owner).find(|it| !is_given(it)) {
        let message = format!(
            "nobody says what to test with in the place of `{name}`; write `#[probity::contract({name} = ..)]`"
        );
        return Err(Error::new(name.span(), message));
    }
    let this = owner.map(|it| settings.concrete(&it.ty));
    let concrete = |tokens: &[TokenTree]| {
        let tokens = settings.concrete(tokens);
        match &this {
            Some(this) => renamed(&tokens, "Self", this),
            None => tokens,
        }
    };
    let blanks = blanks(method, this.as_deref(), &concrete)?;
    let this_name: Tokens = vec![Ident::new(THIS, super::call_site()).into()];
    // In an expression `Self::new()` has its type in brackets.
    let in_brackets = this.as_ref().map_or_else(Tokens::new, |it| fill("<$it>", &[("it", it)]));
    let condition = |it: &Tokens| {
        let it = renamed(&settings.concrete(it), "Self", &in_brackets);
        renamed(&it, "self", &this_name)
    };
    let requires: Vec<Tokens> = clauses.requires.iter().map(condition).collect();

    let (together, narrowed, told) = narrowed(settings, &blanks, &requires);
    let mut params: Vec<Tokens> = Vec::new();
    let mut lent = Tokens::new();
    if !together.is_empty() {
        params.push(narrowed);
    }
    for (i, blank) in blanks.iter().enumerate() {
        let ContractBlank { name, ty, reference, from, apart } = blank;
        if let Some(apart) = apart {
            lent.extend(fill("let $apart = $name;", &[("apart", apart), ("name", name)]));
        }
        if together.contains(&i) {
            if let Some((is_mut, to)) = reference {
                let text =
                    if *is_mut { "let $name: &mut $to = &mut $name;" } else { "let $name: &$to = &$name;" };
                lent.extend(fill(text, &[("name", name), ("to", to)]));
            }
            continue;
        }
        let from = match from {
            Some(it) => concrete(&it.tokens),
            None => Tokens::new(),
        };
        params.push(fill("$from $name: $ty", &[("from", &from), ("name", name), ("ty", ty)]));
    }
    let mut assumes = told;
    for it in &requires {
        let holes: [(&str, &[TokenTree]); 3] =
            [("krate", &settings.krate), ("it", &truth(&borrowed(it, &blanks))), ("text", &text_of(it))];
        assumes.extend(fill("$krate::contract::assume($it, $text);", &holes));
    }
    Ok(call(settings, method, owner, &TestParts { params, lent, assumes, this, blanks }))
}

struct TestParts<'a> {
    params: Vec<Tokens>,
    lent: Tokens,
    assumes: Tokens,
    this: Option<Tokens>,
    blanks: Vec<ContractBlank<'a>>,
}

/// The function of the test.
fn call(
    settings: &ContractSettings,
    method: &ContractFunction,
    owner: Option<&Owner>,
    parts: &TestParts,
) -> Tokens {
    let generics: Vec<Tokens> =
        method.generics.names.iter().map(|it| settings.concrete(&[it.clone().into()])).collect();
    let mut path: Tokens = match &parts.this {
        Some(this) => match owner.and_then(|it| it.of_trait.as_ref()) {
            Some(of) => fill("<$this as $of>::", &[("this", this), ("of", &settings.concrete(of))]),
            None => fill("<$this>::", &[("this", this)]),
        },
        None => Tokens::new(),
    };
    path.push(super::checked_name(method));
    if !mentions(&method.item, "impl") {
        path.extend(in_angles(&generics));
    }
    let all: Vec<Tokens> = settings
        .test
        .iter()
        .map(|pair| fill("$key = $value", &[("key", &[pair.key.clone().into()]), ("value", &pair.value)]))
        .collect();
    let prefix = owner.map_or(String::new(), |it| match &it.of_trait {
        Some(of) => format!("{}_{}_", snake(&it.ty), snake_with_arguments(of)),
        None => format!("{}_", snake(&it.ty)),
    });
    let name = format!("{prefix}{}_keeps_its_contract", unraw(&method.name));
    let unsafety = if method.is("unsafe") { fill("unsafe", &[]) } else { Tokens::new() };
    let (asyncness, awaits) =
        if method.is("async") { (fill("async", &[]), fill(".await", &[])) } else { Default::default() };
    let args: Vec<Tokens> =
        parts.blanks.iter().map(|it| it.apart.map_or_else(|| it.name.clone(), Clone::clone)).collect();
    fill_at(
        method.name.span(),
        "#[cfg(test)]
        #[allow(unused_mut, unused_variables, clippy::needless_borrow, clippy::let_unit_value)]
        #[$krate::test($settings)]
        $attrs
        $async fn $name($params) {
            $lent
            $assumes
            let _ = $unsafe { $path($args) $await };
        }",
        &[
            ("krate", &settings.krate),
            ("settings", &list(&all)),
            ("attrs", &method.of_test.iter().flat_map(|it| it.tokens.clone()).collect::<Tokens>()),
            ("async", &asyncness),
            ("name", &[Ident::new(&name, method.name.span()).into()]),
            ("params", &list(&parts.params)),
            ("lent", &parts.lent),
            ("assumes", &parts.assumes),
            ("unsafe", &unsafety),
            ("path", &path),
            ("args", &list(&args)),
            ("await", &awaits),
        ],
    )
}

fn blanks<'a>(
    method: &'a ContractFunction,
    this: Option<&[TokenTree]>,
    concrete: &dyn Fn(&[TokenTree]) -> Tokens,
) -> Result<Vec<ContractBlank<'a>>> {
    let mut res = Vec::new();
    if let (Some(receiver), Some(this)) = (&method.receiver, this) {
        let name = vec![Ident::new(THIS, super::call_site()).into()];
        let (text, reference) = match receiver {
            Receiver::Value => ("$this", None),
            Receiver::Ref => ("&$this", Some((false, this.to_vec()))),
            Receiver::RefMut => ("&mut $this", Some((true, this.to_vec()))),
        };
        res.push(ContractBlank {
            name,
            ty: fill(text, &[("this", this)]),
            reference,
            from: None,
            apart: None,
        });
    }
    for (i, input) in method.params.iter().enumerate() {
        let ContractParam { from, ty, .. } = input;
        if mentions(ty, "impl") {
            let message = "nobody says which type to draw here; make it a type parameter, and write \
                           `#[probity::contract(T = ..)]`";
            return Err(Error::over(ty, message));
        }
        let reference = input.reference().map(|(is_mut, to)| (is_mut, concrete(&to)));
        // What has no name of its own is drawn all the same.
        let name = match &input.name {
            Some(it) => vec![it.clone().into()],
            None => vec![Ident::new(&format!("param{i}"), start(ty)).into()],
        };
        res.push(ContractBlank {
            name,
            ty: concrete(ty),
            reference,
            from: from.as_ref(),
            apart: input.apart(),
        });
    }
    Ok(res)
}

/// An expression in which what can be changed is only lent.
fn borrowed(tokens: &[TokenTree], blanks: &[ContractBlank]) -> Tokens {
    let mut lent = Tokens::new();
    for ContractBlank { name, reference, .. } in blanks {
        if reference.as_ref().is_some_and(|it| it.0) && mentions(tokens, &name[0].to_string()) {
            lent.extend(fill("let $it = &*$it;", &[("it", name)]));
        }
    }
    if lent.is_empty() {
        return vec![super::grouped(tokens)];
    }
    fill("{ $lent $it }", &[("lent", &lent), ("it", tokens)])
}

/// The blanks that are drawn together by what specs have words for, the parameter that has them, and what informs the run of
/// the requirements where there is none.
#[cfg(any(test, feature = "spec"))]
fn narrowed(
    settings: &ContractSettings,
    blanks: &[ContractBlank],
    requires: &[Tokens],
) -> (Vec<usize>, Tokens, Tokens) {
    use crate::function::ours;
    let krate = &settings.krate;
    let name_of = |it: &ContractBlank| match &it.name[0] {
        TokenTree::Ident(it) => unraw(it),
        other => other.to_string(),
    };
    let free: Vec<usize> = (0..blanks.len()).filter(|it| blanks[*it].from.is_none()).collect();
    let scope = crate::spec::NameScope {
        krate: krate.clone(),
        variable: ours("scope"),
        what: "parameter",
        names: free.iter().map(|it| name_of(&blanks[*it])).collect(),
        it: None,
        checks: crate::spec::NameChecks::Code,
    };
    let mut terms = Tokens::new();
    let mut together: Vec<usize> = Vec::new();
    let (mut told, mut n_terms) = (Vec::new(), 0);
    for it in requires {
        let term = crate::spec::term(it, &scope);
        let used: Vec<usize> =
            free.iter().copied().filter(|at| mentions(it, &blanks[*at].name[0].to_string())).collect();
        let Some(term) = term.ok().filter(|_| !used.is_empty()) else {
            told.push(condition(it, None));
            continue;
        };
        told.push(condition(it, Some(n_terms)));
        n_terms += 1;
        let names: Vec<Tokens> = used.iter().map(|at| vec![literal(&name_of(&blanks[*at]))]).collect();
        together.extend(used);
        terms.extend(fill(
            "(&[$names], |$scope: &$krate::spec::Spec| $term),",
            &[("names", &list(&names)), ("scope", &scope.variable), ("krate", krate), ("term", &term)],
        ));
    }
    together.sort_unstable();
    together.dedup();
    if together.is_empty() {
        return (Vec::new(), Tokens::new(), filters(settings, requires));
    }
    let (mut patterns, mut types, mut specs, mut reads) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut by_type = Vec::new();
    for at in &together {
        let ContractBlank { name, ty, reference, .. } = &blanks[*at];
        let is_mut = reference.as_ref().is_some_and(|it| it.0);
        patterns.push(if is_mut { fill("mut $name", &[("name", name)]) } else { name.clone() });
        let drawn = match reference {
            Some((_, to)) => fill("<$to as $krate::Referent>::Owner", &[("to", to), ("krate", krate)]),
            None => ty.clone(),
        };
        let label = [literal(&name_of(&blanks[*at]))];
        let holes: [(&str, &[TokenTree]); 4] =
            [("krate", krate), ("ty", &drawn), ("name", &label), ("source", &ours("source"))];
        specs.push(fill("($name, (&$krate::spec::SpecProbe::<$ty>::new()).spec())", &holes));
        reads.push(fill_at(
            start(ty),
            "(&$krate::spec::SpecProbe::<$ty>::new()).read(&$value, $name, $source)",
            &[&holes[..], &[("value", &ours("value"))]].concat(),
        ));
        by_type.push(fill_at(start(ty), "<$ty as $krate::Generate>::generate($source)", &holes));
        types.push(drawn);
    }
    let one = |mut it: Vec<Tokens>| {
        if it.len() == 1 { it.remove(0) } else { fill("($it)", &[("it", &list(&it))]) }
    };
    // What is wrong with a type is said where the first is.
    let param = fill_at(
        start(&blanks[together[0]].ty),
        "#[from({
            #[allow(unused_imports)]
            use $krate::spec::{ProbeSpec as _, ProbeType as _};
            fn $inputs() -> $krate::spec::Spec {
                $krate::spec::rust::required(&[$specs], &[$terms])
            }
            |$source: &mut $krate::Source| {
                if $krate::Source::is_interpreted($source) {
                    return $by_type;
                }
                $krate::contract::tell(&[$told], || $krate::spec::rust::narrowing(&[$specs], &[$terms]));
                let $value = $krate::spec::draw_required($inputs, $source);
                $reads
            }
        })] $patterns: $types",
        &[
            ("krate", krate),
            ("inputs", &ours("inputs")),
            ("specs", &list(&specs)),
            ("terms", &terms),
            ("source", &ours("source")),
            ("value", &ours("value")),
            ("reads", &one(reads)),
            ("by_type", &one(by_type)),
            ("told", &list(&told)),
            ("patterns", &one(patterns)),
            ("types", &one(types)),
        ],
    );
    (together, param, Tokens::new())
}

#[cfg(not(any(test, feature = "spec")))]
fn narrowed(
    settings: &ContractSettings,
    _: &[ContractBlank],
    requires: &[Tokens],
) -> (Vec<usize>, Tokens, Tokens) {
    (Vec::new(), Tokens::new(), filters(settings, requires))
}

/// Informs the run that all requirements filter what is drawn.
fn filters(settings: &ContractSettings, requires: &[Tokens]) -> Tokens {
    let told: Vec<Tokens> = requires.iter().map(|it| condition(it, None)).collect();
    match told.is_empty() {
        true => Tokens::new(),
        false => fill(
            "$krate::contract::tell(&[$told], || ::std::vec::Vec::new());",
            &[("krate", &settings.krate), ("told", &list(&told))],
        ),
    }
}

/// A requirement as the run is told of it, with its place among those that specs have words for.
fn condition(requires: &[TokenTree], at: Option<usize>) -> Tokens {
    let text = text_of(requires);
    match at {
        Some(at) => fill(&format!("($text, ::core::option::Option::Some({at}))"), &[("text", &text)]),
        None => fill("($text, ::core::option::Option::None)", &[("text", &text)]),
    }
}

/// A trait's name with its arguments, which tell one `impl` from another: `from_u8`.
fn snake_with_arguments(of: &[TokenTree]) -> String {
    let at = of.iter().position(|it| matches!(it, TokenTree::Punct(it) if it.as_char() == '<'));
    let arguments = at.map_or(&[][..], |it| &of[it..]).iter().filter_map(|it| match it {
        TokenTree::Ident(it) => Some(snake(&[it.clone().into()])),
        _ => None,
    });
    std::iter::once(snake(of)).chain(arguments).collect::<Vec<_>>().join("_")
}

/// A type's name as it is in the name of a function.
fn snake(ty: &[TokenTree]) -> String {
    let is_name = |it: &&TokenTree| matches!(it, TokenTree::Ident(_));
    let until = ty
        .iter()
        .position(|it| matches!(it, TokenTree::Punct(it) if it.as_char() == '<'))
        .unwrap_or(ty.len());
    let name = ty[..until].iter().rfind(is_name).map(ToString::to_string).unwrap_or_default();
    let mut res = String::new();
    for char in name.trim_start_matches("r#").chars() {
        if char.is_uppercase() && !res.is_empty() {
            res.push('_');
        }
        res.extend(char.to_lowercase());
    }
    res
}
