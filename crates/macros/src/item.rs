//! What `#[derive(Generate)]` stands on: a struct or an enum with its parameters.

use crate::parse::{
    Attr, Cursor, Error, Result, commas, find, is_punct, is_type, is_word, start, unwrap_none,
};
use crate::pm::{Delimiter, Ident, TokenTree};
use crate::template::Tokens;

/// A struct or an enum as it was written.
pub(crate) struct Item {
    pub(crate) attrs: Vec<Attr>,
    pub(crate) name: Ident,
    pub(crate) params: Vec<TypeParam>,
    /// The predicates of its `where`.
    pub(crate) bounds: Vec<Tokens>,
    pub(crate) data: Data,
}

pub(crate) enum Data {
    Struct(Vec<Field>),
    Enum(Vec<Variant>),
}

pub(crate) struct Variant {
    pub(crate) attrs: Vec<Attr>,
    pub(crate) name: Ident,
    pub(crate) fields: Vec<Field>,
}

pub(crate) struct Field {
    pub(crate) attrs: Vec<Attr>,
    pub(crate) is_public: bool,
    /// `None` in a tuple.
    pub(crate) name: Option<Ident>,
    pub(crate) ty: Tokens,
}

/// A parameter of a type, which is a type itself or a `const`.
pub(crate) struct TypeParam {
    pub(crate) name: Ident,
    pub(crate) is_const: bool,
    /// It with its bounds, but without its default.
    pub(crate) declaration: Tokens,
}

impl Item {
    pub(crate) fn new(item: Tokens) -> Result<Item> {
        let item = unwrap_none(item);
        let mut cursor = Cursor { rest: &item };
        let attrs = cursor.attributes();
        cursor.visibility();
        let keyword = word(&mut cursor)?;
        let name = word(&mut cursor)?;
        let is_enum = match &*keyword.to_string() {
            "struct" => false,
            "enum" => true,
            _ => {
                let message = "nothing says which field of a union holds; write `impl Generate` yourself";
                return Err(Error::new(keyword.span(), message));
            }
        };
        let params = commas(cursor.angles().unwrap_or(&[]));
        let params = params.into_iter().map(TypeParam::new).collect::<Result<_>>()?;
        // A tuple stands before `where`, all else after it and last.
        let tuple = cursor.group(Delimiter::Parenthesis);
        let (mut body, mut bounds) = (None, cursor.rest);
        if let [between @ .., last] = cursor.rest {
            body = Cursor { rest: std::slice::from_ref(last) }.group(Delimiter::Brace);
            bounds = between;
        }
        if is_word(bounds.first(), "where") {
            bounds = &bounds[1..];
        }
        let bounds = commas(bounds).into_iter().map(<[TokenTree]>::to_vec).collect();
        let data = match (tuple, body) {
            (_, Some(it)) if is_enum => Data::Enum(variants(&it)?),
            (Some(it), _) => Data::Struct(fields(&it, false)?),
            (None, Some(it)) => Data::Struct(fields(&it, true)?),
            (None, None) => Data::Struct(Vec::new()),
        };
        Ok(Item { attrs, name, params, bounds, data })
    }
}

impl TypeParam {
    fn new(tokens: &[TokenTree]) -> Result<TypeParam> {
        let mut cursor = Cursor { rest: tokens };
        cursor.attributes();
        if is_punct(cursor.rest.first(), '\'') {
            let message = "a generated value owns its parts; \
                           hold `String` for `&str`, or write `impl Generate` for some lifetimes yourself";
            return Err(Error::over(cursor.rest, message));
        }
        let is_const = is_word(cursor.rest.first(), "const");
        cursor.take(usize::from(is_const));
        let name = word(&mut cursor)?;
        let declaration = tokens[..find(tokens, '=', true)].to_vec();
        Ok(TypeParam { name, is_const, declaration })
    }
}

fn variants(tokens: &[TokenTree]) -> Result<Vec<Variant>> {
    let mut res = Vec::new();
    let mut cursor = Cursor { rest: tokens };
    while !cursor.rest.is_empty() {
        let attrs = cursor.attributes();
        cursor.visibility();
        let name = word(&mut cursor)?;
        let fields = match cursor.group(Delimiter::Parenthesis) {
            Some(it) => fields(&it, false)?,
            None => fields(&cursor.group(Delimiter::Brace).unwrap_or_default(), true)?,
        };
        res.push(Variant { attrs, name, fields });
        // What is left of it is a discriminant.
        cursor.take(find(cursor.rest, ',', false) + 1);
    }
    Ok(res)
}

fn fields(tokens: &[TokenTree], named: bool) -> Result<Vec<Field>> {
    let mut res = Vec::new();
    for tokens in commas(tokens) {
        let mut cursor = Cursor { rest: tokens };
        let attrs = cursor.attributes();
        let is_public = cursor.visibility().len() == 1;
        let name = if named { Some(word(&mut cursor)?) } else { None };
        cursor.take(usize::from(named));
        if !is_type(cursor.rest) {
            return Err(Error::shown());
        }
        res.push(Field { attrs, is_public, name, ty: cursor.rest.to_vec() });
    }
    Ok(res)
}

fn word(cursor: &mut Cursor) -> Result<Ident> {
    let span = start(cursor.rest);
    cursor.ident().ok_or_else(|| Error::new(span, "a name is missing here; write one"))
}
