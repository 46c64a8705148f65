//! `spec! { .. }`: fields with their types, ranges and patterns, and what is required of them together.

use super::{NameChecks, NameScope, check_fit, declare, expr, object};
use crate::function::ours;
use crate::parse::{Cursor, Error, Pair, Result, find, is_punct, is_word, start, unraw};
use crate::pm::{Ident, Literal, TokenTree};
use crate::template::{Tokens, fill, list};

const HINT: &str = "a spec lists fields and requirements, as in \
                    `low: u8 in 0..=100, name: String matches \"[a-z]+\", require len(name) <= low`";

/// What follows a field's type, and the attribute it represents.
const WORDS: [(&str, &str); 3] = [("in", "range"), ("len", "len"), ("matches", "matches")];

/// A generator of a tuple of the fields; of the value alone where there is one field.
pub(crate) fn expand(tokens: &[TokenTree]) -> Result<Tokens> {
    let krate = fill("::probity", &[]);
    let (fields, requires) = items(tokens)?;
    if fields.is_empty() {
        return Err(Error::over(tokens, format!("a spec without fields has no value; {HINT}")));
    }
    let names = fields.iter().map(|it| unraw(&it.name)).collect();
    let types = fields.iter().map(|it| (unraw(&it.name), it.ty.clone())).collect();
    let checks = NameChecks::of(types);
    let scope =
        NameScope { krate: krate.clone(), variable: ours("scope"), what: "field", names, it: None, checks };
    let (mut specs, mut terms, mut reads, mut types) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for Declaration { name, ty, pairs } in fields {
        let name = unraw(&name);
        let spec = fill("<$ty as $krate::spec::Declared>::spec()", &[("ty", &ty), ("krate", &krate)]);
        check_fit(&ty, &pairs, &scope);
        let it = declare(&name, spec, &pairs, &scope)?;
        specs.push((name.clone(), it.spec));
        terms.extend(it.requires);
        let name = [Literal::string(&name).into()];
        let read = "<$ty as $krate::spec::Declared>::from_value($value.field($name)?)";
        reads.push(fill(read, &[("ty", &ty), ("krate", &krate), ("value", &ours("value")), ("name", &name)]));
        types.push(ty);
    }
    for tokens in requires {
        terms.push(expr::term(&tokens, &scope)?);
    }
    let (types, reads) = match (&types[..], &reads[..]) {
        ([ty], [read]) => (ty.clone(), read.clone()),
        _ => {
            let reads: Vec<Tokens> = reads.iter().map(|it| fill("$it?", &[("it", it)])).collect();
            let reads = fill("::core::option::Option::Some(($it))", &[("it", &list(&reads))]);
            (fill("($it)", &[("it", &list(&types))]), reads)
        }
    };
    Ok(fill(
        "{
            fn $spec() -> $krate::spec::Spec { $object }
            fn $read($value: &$krate::spec::Value) -> ::core::option::Option<$types> {
                $reads
            }
            $krate::spec::Declaration::of($spec, $read)
        }",
        &[
            ("spec", &ours("spec")),
            ("krate", &krate),
            ("object", &object(&specs, &terms, &scope)),
            ("read", &ours("read")),
            ("value", &ours("value")),
            ("types", &types),
            ("reads", &reads),
        ],
    ))
}

/// One field as it was written.
struct Declaration {
    name: Ident,
    ty: Tokens,
    pairs: Vec<Pair>,
}

fn items(tokens: &[TokenTree]) -> Result<(Vec<Declaration>, Vec<Tokens>)> {
    let (mut fields, mut requires) = (Vec::<Declaration>::new(), Vec::new());
    let mut cursor = Cursor { rest: tokens };
    while let Some(first) = cursor.rest.first() {
        if is_word(Some(first), "require") && !is_punct(cursor.rest.get(1), ':') {
            cursor.take(1);
            let mut n = 0;
            while !ends_item(&cursor.rest[n..]) {
                n += 1;
            }
            requires.push(cursor.take(n).to_vec());
        } else {
            let field = field(&mut cursor)?;
            if fields.iter().any(|it| unraw(&it.name) == unraw(&field.name)) {
                return Err(Error::new(
                    field.name.span(),
                    format!("`{}` is declared twice; remove one", field.name),
                ));
            }
            fields.push(field);
        }
        cursor.take(1);
    }
    Ok((fields, requires))
}

/// Whether the item ends here: at the end, or at a comma before the next.
fn ends_item(rest: &[TokenTree]) -> bool {
    match rest {
        [] => true,
        [comma, after @ ..] if is_punct(Some(comma), ',') => match after {
            [] => true,
            [word, ..] if is_word(Some(word), "require") => true,
            [TokenTree::Ident(_), colon, next, ..] => {
                is_punct(Some(colon), ':') && !is_punct(Some(next), ':')
            }
            _ => false,
        },
        _ => false,
    }
}

/// `name: type`, and what follows the type.
fn field(cursor: &mut Cursor) -> Result<Declaration> {
    let at = cursor.rest;
    let (Some(name), true) = (cursor.ident(), is_punct(cursor.rest.first(), ':')) else {
        return Err(Error::new(start(at), format!("`{}` begins no field; {HINT}", at[0])));
    };
    cursor.take(1);
    let is_end = |at: usize, rest: &[TokenTree]| {
        ends_item(&rest[at..]) || WORDS.iter().any(|it| is_word(rest.get(at), it.0))
    };
    let mut n = 0;
    while !is_end(n, cursor.rest) {
        // The `<` of a type has its `>`, with commas between.
        n += if is_punct(cursor.rest.get(n), '<') { find(&cursor.rest[n + 1..], '>', true) + 2 } else { 1 };
        n = n.min(cursor.rest.len());
    }
    let ty = cursor.take(n).to_vec();
    if ty.is_empty() {
        return Err(Error::new(name.span(), format!("`{name}` has no type; {HINT}")));
    }
    let mut pairs = Vec::new();
    while let Some((_, key)) = WORDS.iter().find(|it| is_word(cursor.rest.first(), it.0)) {
        let span = start(cursor.take(1));
        let mut n = 0;
        while !is_end(n, cursor.rest) {
            n += 1;
        }
        let value = cursor.take(n).to_vec();
        if value.is_empty() {
            return Err(Error::new(span, format!("nothing follows `{key}` of `{name}`; {HINT}")));
        }
        pairs.push(Pair { key: Ident::new(key, span), value });
    }
    match cursor.rest {
        [] => {}
        [comma, ..] if is_punct(Some(comma), ',') => {}
        [other, ..] => {
            return Err(Error::new(other.span(), format!("`{other}` is not understood here; {HINT}")));
        }
    }
    Ok(Declaration { name, ty, pairs })
}
