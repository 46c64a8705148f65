//! The Rust types of a spec, with names that compile.

use std::sync::Arc;

use probity_spec::{Field, Name, Shape, Spec, Value};

/// What a value is in Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A type that has a name already.
    Plain(&'static str),
    /// A whole number without bounds: `Integer`, as wide as the values need it.
    Integer,
    Option(Box<Type>),
    List(Box<Type>),
    /// One of the items.
    Item(usize),
    /// An item that encloses this place.
    Reference(usize),
}

/// A type of our own.
pub(super) struct TypeItem {
    pub(super) name: String,
    pub(super) body: Body,
}

/// What a type of our own consists of.
pub(super) enum Body {
    Struct(Vec<(String, Type)>),
    Enum(Vec<Variant>),
    /// Something recursive that has no name in Rust.
    Tuple(Type),
}

/// One case of an enum or of a union.
pub(super) struct Variant {
    /// What the spec calls it.
    pub(super) case: Name,
    /// What Rust calls it.
    pub(super) name: String,
    /// What it holds.
    pub(super) of: Option<Type>,
}

/// The types of an outline's input.
pub(super) struct Types {
    pub(super) items: Vec<TypeItem>,
    pub(super) input: Type,
    /// The specs of items that stand for themselves, so that equal specs are one type.
    known: Vec<(Spec, usize)>,
    /// The named specs that enclose the place that is looked at.
    enclosing: Vec<(Name, usize)>,
}

impl Default for Types {
    fn default() -> Types {
        Types { items: Vec::new(), input: Type::Integer, known: Vec::new(), enclosing: Vec::new() }
    }
}

/// Names that the file needs for itself.
const TAKEN: [&str; 12] = [
    "Clone",
    "Copy",
    "Debug",
    "INPUTS",
    "Integer",
    "None",
    "Option",
    "PartialEq",
    "Self",
    "Some",
    "String",
    "Vec",
];
/// Words that a raw identifier cannot be.
const NEVER_RAW: [&str; 4] = ["crate", "self", "super", "Self"];
/// Words that an identifier cannot be unless it is raw.
const KEYWORDS: [&str; 47] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "use", "virtual", "where", "while", "yield",
];
/// Ranges that are a machine integer's, with its name.
const MACHINE: [(i128, i128, &str); 8] = [
    (i8::MIN as i128, i8::MAX as i128, "i8"),
    (0, u8::MAX as i128, "u8"),
    (i16::MIN as i128, i16::MAX as i128, "i16"),
    (0, u16::MAX as i128, "u16"),
    (i32::MIN as i128, i32::MAX as i128, "i32"),
    (0, u32::MAX as i128, "u32"),
    (i64::MIN as i128, i64::MAX as i128, "i64"),
    (0, u64::MAX as i128, "u64"),
];

impl Types {
    /// The types of a spec, whose own is `Input`.
    pub(super) fn of(spec: &Spec) -> Types {
        let mut res = Types::default();
        res.input = res.ty(spec, "Input");
        // A spec that is no object still gets a type of that name.
        if res.input != Type::Item(0) {
            let body = Body::Tuple(res.input.clone());
            res.input = Type::Item(res.items.len());
            res.items.push(TypeItem { name: "Input".to_string(), body });
        }
        res
    }

    /// The type of a spec; `hint` is what to call it where the spec has no name.
    fn ty(&mut self, spec: &Spec, hint: &str) -> Type {
        let is_own = matches!(spec.shape, Shape::Object(_) | Shape::Enum(_) | Shape::Union(_));
        let is_recursive = spec.name.as_ref().is_some_and(|it| mentions(&spec.shape, it));
        if !is_own && !is_recursive {
            return self.plain(spec, hint);
        }
        if let Some((_, item)) = self.known.iter().find(|it| it.0 == *spec) {
            return Type::Item(*item);
        }
        // The input keeps its name, whatever its spec is called.
        let wanted = spec.name.as_deref().filter(|_| hint != "Input").unwrap_or(hint);
        let name = self.unique(&camel(wanted));
        let item = self.items.len();
        self.items.push(TypeItem { name, body: Body::Struct(Vec::new()) });
        if let Some(name) = &spec.name {
            self.enclosing.push((name.clone(), item));
        }
        let body = match &spec.shape {
            Shape::Object(fields) => Body::Struct(self.fields(fields)),
            Shape::Enum(cases) => Body::Enum(self.variants(cases.iter().map(|it| (it, None)))),
            Shape::Union(cases) => Body::Enum(self.variants(cases.iter().map(|it| (&it.0, Some(&it.1))))),
            _ => Body::Tuple(self.plain(spec, hint)),
        };
        self.items[item].body = body;
        if spec.name.is_some() {
            self.enclosing.pop();
        }
        if is_closed(spec, &mut Vec::new()) {
            self.known.push((spec.clone(), item));
        }
        Type::Item(item)
    }

    /// The type of a shape that needs none of our own.
    fn plain(&mut self, spec: &Spec, hint: &str) -> Type {
        match &spec.shape {
            Shape::Bool => Type::Plain("bool"),
            Shape::Int { min: Some(min), max: Some(max) } => Type::Plain(integer(*min, *max)),
            Shape::Int { .. } => Type::Integer,
            Shape::Number { .. } => Type::Plain("f64"),
            Shape::Option(of) => Type::Option(Box::new(self.ty(of, hint))),
            Shape::List(of) => Type::List(Box::new(self.ty(of, hint))),
            Shape::Table(table) => match table.rows.first().and_then(|it| it.first()) {
                Some(Value::Bool(_)) => Type::Plain("bool"),
                Some(Value::Int(_)) => Type::Integer,
                Some(Value::Number(_)) => Type::Plain("f64"),
                _ => Type::Plain("&'static str"),
            },
            Shape::Named(name) => {
                let found = self.enclosing.iter().rfind(|it| it.0 == *name);
                found.map_or(Type::Plain("&'static str"), |it| Type::Reference(it.1))
            }
            _ => Type::Plain("&'static str"),
        }
    }

    fn fields(&mut self, fields: &[Field]) -> Vec<(String, Type)> {
        let mut res: Vec<(String, Type)> = Vec::new();
        for field in fields {
            let name = unique(&snake(&field.name), |it| res.iter().any(|known| known.0 == it));
            let of = self.ty(&field.spec, &field.name);
            res.push((name, of));
        }
        res
    }

    fn variants<'a>(
        &mut self,
        cases: impl Iterator<Item = (&'a Name, Option<&'a Arc<Spec>>)>,
    ) -> Vec<Variant> {
        let mut res: Vec<Variant> = Vec::new();
        for (case, spec) in cases {
            let name = unique(&camel(case), |it| it == "Self" || res.iter().any(|known| known.name == it));
            let of = spec.map(|it| self.ty(it, case));
            res.push(Variant { case: case.clone(), name, of });
        }
        res
    }

    fn unique(&self, name: &str) -> String {
        unique(name, |it| TAKEN.contains(&it) || self.items.iter().any(|known| known.name == it))
    }

    /// The definitions of the types.
    pub(super) fn items_text(&self, is_wide: bool) -> String {
        let mut res = String::new();
        let uses_integer = self.items.iter().any(|it| match &it.body {
            Body::Struct(fields) => fields.iter().any(|it| it.1.has_integer()),
            Body::Enum(cases) => cases.iter().any(|it| it.of.as_ref().is_some_and(Type::has_integer)),
            Body::Tuple(of) => of.has_integer(),
        });
        if uses_integer {
            let width = if is_wide { "i128" } else { "i64" };
            res.push_str("\n/// A whole number without bounds in the spec.\n#[allow(dead_code)]\n");
            res.push_str(&format!("pub type Integer = {width};\n"));
        }
        for item in &self.items {
            let keyword = if matches!(item.body, Body::Enum(_)) { "enum" } else { "struct" };
            res.push_str("\n#[allow(dead_code)]\n#[derive(Clone, Copy, Debug, PartialEq)]\n");
            res.push_str(&format!("pub {keyword} {}", item.name));
            match &item.body {
                Body::Struct(fields) => {
                    res.push_str(" {\n");
                    for (name, of) in fields {
                        res.push_str(&format!("    pub {name}: {},\n", self.text(of)));
                    }
                    res.push_str("}\n");
                }
                Body::Enum(cases) => {
                    res.push_str(" {\n");
                    for it in cases {
                        let of = it.of.as_ref().map_or(String::new(), |of| format!("({})", self.text(of)));
                        res.push_str(&format!("    {}{of},\n", it.name));
                    }
                    res.push_str("}\n");
                }
                Body::Tuple(of) => res.push_str(&format!("(pub {});\n", self.text(of))),
            }
        }
        res
    }

    fn text(&self, of: &Type) -> String {
        match of {
            Type::Plain(name) => name.to_string(),
            Type::Integer => "Integer".to_string(),
            Type::Option(of) => format!("Option<{}>", self.text(of)),
            Type::List(of) => format!("&'static [{}]", self.text(of)),
            Type::Item(item) => self.items[*item].name.clone(),
            Type::Reference(item) => format!("&'static {}", self.items[*item].name),
        }
    }
}

impl Type {
    fn has_integer(&self) -> bool {
        match self {
            Type::Integer => true,
            Type::Option(of) | Type::List(of) => of.has_integer(),
            Type::Plain(_) | Type::Item(_) | Type::Reference(_) => false,
        }
    }
}

/// The name of a module for an outline.
pub(super) fn unique_module(outline: &str, known: &[String]) -> String {
    unique(&snake(outline), |it| known.iter().any(|known| known == it))
}

/// The machine integer that has these bounds, else one that holds them.
fn integer(min: i128, max: i128) -> &'static str {
    let exact = MACHINE.iter().find(|it| (it.0, it.1) == (min, max));
    let wide = MACHINE[6..].iter().find(|it| it.0 <= min && max <= it.1);
    exact.or(wide).map_or("i128", |it| it.2)
}

/// Whether a shape refers to an enclosing spec of this name.
fn mentions(shape: &Shape, name: &Name) -> bool {
    match shape {
        Shape::Named(it) => it == name,
        _ => parts(shape).iter().any(|it| mentions(&it.shape, name)),
    }
}

/// Whether everything that a spec refers to is within it.
fn is_closed(spec: &Spec, enclosing: &mut Vec<Name>) -> bool {
    if let Shape::Named(name) = &spec.shape {
        return enclosing.contains(name);
    }
    enclosing.extend(spec.name.clone());
    let res = parts(&spec.shape).iter().all(|it| is_closed(it, enclosing));
    if spec.name.is_some() {
        enclosing.pop();
    }
    res
}

fn parts(shape: &Shape) -> Vec<&Spec> {
    match shape {
        Shape::Option(of) | Shape::List(of) => vec![of],
        Shape::Object(fields) => fields.iter().map(|it| &*it.spec).collect(),
        Shape::Union(cases) => cases.iter().map(|it| &*it.1).collect(),
        _ => Vec::new(),
    }
}

/// The name itself or, where it is taken, with the first number that makes it free.
fn unique(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|i| format!("{}{i}", name.strip_prefix("r#").unwrap_or(name)));
    let mut names = std::iter::once(name.to_string()).chain(numbered);
    names.find(|it| !is_taken(it)).unwrap_or_default()
}

/// `eventName` as `event_name`.
fn snake(name: &str) -> String {
    let word = words(name).join("_").to_lowercase();
    let word = if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{word}")
    } else {
        word
    };
    if NEVER_RAW.contains(&&*word) || word == "_" {
        format!("{word}_")
    } else if KEYWORDS.contains(&&*word) {
        format!("r#{word}")
    } else {
        word
    }
}

/// `eventName` as `EventName`.
fn camel(name: &str) -> String {
    let mut res = String::new();
    for word in words(name) {
        let (first, rest) = word.split_at(1);
        res.push_str(&first.to_uppercase());
        res.push_str(rest);
    }
    if res.is_empty() || res.starts_with(|c: char| c.is_ascii_digit()) { format!("N{res}") } else { res }
}

/// The words of a name: where letters and digits end, and where a capital follows a small letter.
fn words(name: &str) -> Vec<String> {
    let mut res: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            let begins_word = c.is_ascii_uppercase() && !before.is_ascii_uppercase();
            let goes_on = before.is_ascii_alphanumeric() && !begins_word;
            match res.last_mut().filter(|_| goes_on) {
                Some(word) => word.push(c),
                None => res.push(c.to_string()),
            }
        }
        before = c;
    }
    res
}
