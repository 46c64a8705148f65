//! What can be drawn, and how: by type, or by a function that the written file has.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use super::fill::{self, TypeArguments};
use super::krate::{ItemId, RustCrate};
use super::page::{Imports, snake};
use super::panics::{PanicDocs, documented};
use super::read::{RustFunction, TypeShape, VariantShape};
use super::ty::RustType;

/// Types without parameters that Probity draws: numbers, others that are copied, and others that are cloned.
const PLAIN: [&str; 31] = [
    "bool",
    "char",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "Duration",
    "SystemTime",
    "IpAddr",
    "Ipv4Addr",
    "Ipv6Addr",
    "SocketAddr",
    "SocketAddrV4",
    "SocketAddrV6",
    "Ordering",
    "String",
    "CString",
    "OsString",
    "PathBuf",
    "RangeFull",
    "()",
];
/// Which of them are copied, and which are whole numbers.
const COPIED: Range<usize> = 0..25;
const WHOLE: Range<usize> = 2..14;
/// Types with parameters that Probity draws if it draws those.
const HOLDERS: [&str; 22] = [
    "Vec",
    "Option",
    "Result",
    "Box",
    "Rc",
    "Arc",
    "Cell",
    "RefCell",
    "VecDeque",
    "LinkedList",
    "BinaryHeap",
    "BTreeMap",
    "BTreeSet",
    "HashMap",
    "HashSet",
    "Range",
    "RangeInclusive",
    "RangeFrom",
    "RangeTo",
    "Bound",
    "Wrapping",
    "Reverse",
];
/// Inputs of these names are sizes: a great one takes all memory there is.
const SIZES: [&str; 15] = [
    "additional",
    "cap",
    "capacity",
    "count",
    "depth",
    "len",
    "length",
    "limit",
    "max",
    "n",
    "new_len",
    "repeat",
    "size",
    "times",
    "width",
];
/// Functions that make something and may fail have fewer inputs than this, or all count the same.
const INPUTS_MAX: usize = 8;
/// Types that say where something is outside of the process.
const OUTSIDE: [&str; 6] = ["Path", "PathBuf", "OsStr", "OsString", "SocketAddr", "File"];

/// How a value is handed to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassedAs {
    Value,
    Reference,
    Mutable,
}

/// An input of a test.
#[derive(Clone, Debug)]
pub(crate) struct TestInput {
    pub(crate) name: String,
    /// What is drawn, which owns what it refers to.
    pub(crate) ty: RustType,
    /// What the function takes.
    pub(crate) taken: RustType,
    pub(crate) passed: PassedAs,
    /// Whether it is copied rather than cloned where it is used twice.
    pub(crate) is_copied: bool,
    /// The generator, where the type alone does not say how.
    pub(crate) from: Option<String>,
}

/// Knows what can be drawn in the tests of one crate.
pub(crate) struct Drawer<'a> {
    pub(crate) krate: &'a RustCrate,
    pub(crate) imports: RefCell<Imports<'a>>,
    /// What `--type` says.
    pub(crate) chosen: TypeArguments,
    /// Functions that draw types, by type; none where there is no way, or it is being looked for.
    recipes: RefCell<BTreeMap<usize, Option<Recipe>>>,
}

/// A function of the written file that draws a type.
#[derive(Clone)]
struct Recipe {
    name: String,
    text: String,
}

impl<'a> Drawer<'a> {
    pub(crate) fn new(krate: &'a RustCrate, chosen: TypeArguments) -> Drawer<'a> {
        Drawer { krate, imports: RefCell::new(Imports::new(krate)), chosen, recipes: RefCell::default() }
    }

    /// How a type is written.
    pub(crate) fn text(&self, ty: &RustType) -> String {
        self.imports.borrow_mut().ty(ty)
    }

    /// An input of this name and resolved type, or why there can be none.
    pub(crate) fn input(&self, name: &str, ty: &RustType) -> Result<TestInput, String> {
        if ty.any(&|it| it.named().is_some_and(|it| OUTSIDE.contains(&it.0))) {
            return Err(format!("`{name}: {}` may lead out of the process", shown(ty)));
        }
        let (owned, passed) = match ty {
            RustType::Reference { is_mut, to } => {
                (owner(to), if *is_mut { PassedAs::Mutable } else { PassedAs::Reference })
            }
            RustType::Impl(bounds) => {
                let param = super::ty::TypeParameter {
                    name: name.to_string(),
                    bounds: bounds.clone(),
                    default: None,
                    is_const: false,
                };
                let filled = fill::by_bounds(&param, &TypeArguments::new());
                let filled = filled.map_err(|_| format!("`{name}: {}` cannot be drawn", shown(ty)))?;
                return self.input(name, &filled);
            }
            _ => (ty.clone(), PassedAs::Value),
        };
        let cannot = |why: String| format!("`{name}: {}` cannot be drawn{why}", shown(ty));
        let mut from = self.generator(&owned).map_err(cannot)?;
        if owned.is("usize") && SIZES.contains(&name) {
            from = Some("0..=64".to_string());
        }
        let is_copied = self.has(&owned, "Copy");
        Ok(TestInput { name: name.to_string(), ty: owned, taken: ty.clone(), passed, is_copied, from })
    }

    /// The generator of a resolved type that owns what it has; none where the type says it.
    fn generator(&self, ty: &RustType) -> Result<Option<String>, String> {
        if self.is_drawn_by_type(ty) {
            return Ok(None);
        }
        match ty.named() {
            Some(("Vec", [item])) => Ok(self.generator(item)?.map(|it| format!("vec({it}, ..=8)"))),
            Some(("Option", [item])) => Ok(self.generator(item)?.map(|it| format!("optional({it})"))),
            _ => match self.krate.own_type(ty).and_then(|it| self.recipe(it)) {
                Some(name) => Ok(Some(name)),
                None if self.krate.own_type(ty).is_some() => {
                    Err(", and no public way to make one was found".to_string())
                }
                None => Err(String::new()),
            },
        }
    }

    /// Whether the type has a generator of its own.
    pub(crate) fn is_drawn_by_type(&self, ty: &RustType) -> bool {
        match ty {
            RustType::Tuple(all) => all.len() <= 8 && all.iter().all(|it| self.is_drawn_by_type(it)),
            RustType::Array(it, _) => self.is_drawn_by_type(it),
            RustType::Named { path, args, borrows: false } => {
                if self.krate.own_type(ty).is_some() {
                    return self.has(ty, "Generate");
                }
                let known = path.len() == 1 || path[0] == "std";
                let name = path.last().map_or("", String::as_str);
                let inner = |it: &RustType| match it {
                    RustType::Slice(it) => self.is_drawn_by_type(it),
                    it if matches!(name, "Box" | "Rc" | "Arc") && it.is("str") => true,
                    it => self.is_drawn_by_type(it),
                };
                known && (args.is_empty() && PLAIN.contains(&name))
                    || known && !args.is_empty() && HOLDERS.contains(&name) && args.iter().all(inner)
            }
            _ => false,
        }
    }

    /// Whether a resolved type has a trait that can be derived.
    pub(crate) fn has(&self, ty: &RustType, name: &str) -> bool {
        match ty {
            RustType::Reference { to, is_mut } => match name {
                "Clone" | "Copy" => !is_mut,
                _ => self.has(to, name),
            },
            RustType::Tuple(all) => all.iter().all(|it| self.has(it, name)),
            RustType::Array(it, _) | RustType::Slice(it) => self.has(it, name),
            RustType::Named { path, args, .. } => {
                if let Some(it) = self.krate.own_type(ty) {
                    return self.is_derived(it, name) || self.implements(it, name);
                }
                let last = path.last().map_or("", String::as_str);
                let known = PLAIN.contains(&last) || HOLDERS.contains(&last) || matches!(last, "str" | "Cow");
                let lacks = match name {
                    "Copy" => !PLAIN[COPIED].contains(&last) && last != "Option",
                    "PartialEq" => matches!(last, "BinaryHeap"),
                    _ => false,
                };
                // Errors of the standard library are all shown, and little else of it is unknown here.
                let shown = name == "Debug" && path[0] == "std";
                (known || shown) && !lacks && args.iter().all(|it| self.has(it, name))
            }
            _ => false,
        }
    }

    pub(crate) fn is_derived(&self, id: usize, name: &str) -> bool {
        self.krate.types[id].1.derives.iter().any(|it| it == name)
    }

    /// Whether there is an `impl` of the trait.
    pub(crate) fn implements(&self, id: usize, name: &str) -> bool {
        self.krate.impls.iter().any(|(module, it)| {
            it.of.as_ref().and_then(RustType::named).is_some_and(|it| it.0 == name)
                && self.is_of(*module, &it.ty, id)
        })
    }

    /// Whether a type in a module is the type `id`.
    pub(crate) fn is_of(&self, module: usize, ty: &RustType, id: usize) -> bool {
        let same_name = ty.named().is_some_and(|it| it.0 == self.krate.types[id].1.name);
        // Names are cheaper to compare than to resolve; one that was renamed is rare.
        same_name && self.krate.own_type(&self.krate.resolve(module, ty, &[])) == Some(id)
    }

    /// The name of the function that draws a type of the crate, if there is a way.
    fn recipe(&self, id: usize) -> Option<String> {
        if let Some(known) = self.recipes.borrow().get(&id) {
            return known.as_ref().map(|it| it.name.clone());
        }
        // A type within itself would be drawn without an end.
        self.recipes.borrow_mut().insert(id, None);
        let item = &self.krate.types[id].1;
        let is_plain = item.params.is_empty() && !item.has_lifetimes && !item.is_shunned;
        let is_public = self.krate.public_path(ItemId::Type(id)).is_some();
        let body = if is_plain && is_public && self.has(&self.krate.type_of(id, Vec::new()), "Debug") {
            self.by_parts(id).or_else(|| self.by_constructor(id)).or_else(|| self.by_conversion(id))
        } else {
            None
        };
        let recipe = body.map(|body| {
            let name = format!("draw_{}", snake(&item.name));
            let ty = self.text(&self.krate.type_of(id, Vec::new()));
            let source = if super::page::has_word(&body, "src") { "src" } else { "_src" };
            let text = format!("fn {name}({source}: &mut Source) -> {ty} {{\n    {body}\n}}\n");
            Recipe { name, text }
        });
        let name = recipe.as_ref().map(|it| it.name.clone());
        self.recipes.borrow_mut().insert(id, recipe);
        name
    }

    /// Fields that everybody may set, or variants.
    fn by_parts(&self, id: usize) -> Option<String> {
        let (module, item) = &self.krate.types[id];
        let TypeShape::Variants(variants) = &item.shape else { return None };
        let ty = self.text(&self.krate.type_of(id, Vec::new()));
        let is_enum = variants.first().is_some_and(|it| !it.0.is_empty());
        let ways = variants.iter().filter_map(|(name, shape)| {
            let whole = if is_enum { format!("{ty}::{name}") } else { ty.clone() };
            self.variant(*module, &whole, shape)
        });
        let ways: Vec<String> = ways.collect();
        let last = ways.len().checked_sub(1)?;
        if !is_enum || last == 0 {
            return ways.into_iter().next();
        }
        let arms = ways.iter().enumerate().map(|(i, it)| {
            let pattern = if i == last { "_".to_string() } else { i.to_string() };
            format!("        {pattern} => {it},\n")
        });
        Some(format!("match src.draw(0..={last}) {{\n{}    }}", arms.collect::<String>()))
    }

    fn variant(&self, module: usize, whole: &str, shape: &VariantShape) -> Option<String> {
        if !shape.is_open {
            return None;
        }
        let mut parts = Vec::new();
        for (name, ty) in &shape.fields {
            if ty.any(&|it| matches!(it, RustType::Reference { .. })) {
                return None;
            }
            let drawn =
                self.drawn(&self.krate.resolve(module, ty, &[]), name.as_deref().unwrap_or_default())?;
            parts.push(name.as_ref().map_or_else(|| drawn.clone(), |it| format!("{it}: {drawn}")));
        }
        let parts = parts.join(", ");
        Some(match shape.fields.first() {
            None => whole.to_string(),
            Some((None, _)) => format!("{whole}({parts})"),
            Some((Some(_), _)) => format!("{whole} {{ {parts} }}"),
        })
    }

    /// A function that makes one of what can be drawn: one that always does before one that may fail, `new` before others,
    /// then the one that takes most, or if it may fail, least.
    fn by_constructor(&self, id: usize) -> Option<String> {
        let mut best: Option<((bool, bool, usize), String)> = None;
        for (module, it) in self.methods(id) {
            if it.receiver.is_some() || !it.is_public || it.obstacle.is_some() || !it.params.is_empty() {
                continue;
            }
            // Without an input, `now` and `random` differ each time.
            let is_constant = it.inputs.is_empty() && !matches!(&*it.name, "new" | "empty" | "default");
            if it.touches.is_some() || is_constant || may_panic(it) {
                continue;
            }
            let output = self.resolved(module, id, &it.output);
            let (made, end) = match output.named() {
                Some(("Option", [of])) => (of.clone(), ""),
                Some(("Result", [of, ..])) => (of.clone(), ".ok()"),
                _ => (output, "always"),
            };
            let inputs: Vec<RustType> = it.inputs.iter().map(|it| self.resolved(module, id, &it.1)).collect();
            // Few texts are accepted where not all are.
            let is_number = |ty: &RustType| ty.named().is_some_and(|it| PLAIN[COPIED].contains(&it.0));
            if self.krate.own_type(&made) != Some(id) || end != "always" && !inputs.iter().all(is_number) {
                continue;
            }
            let args: Option<Vec<String>> =
                it.inputs.iter().zip(&inputs).map(|((name, _), ty)| self.drawn(ty, name)).collect();
            let Some(args) = args else { continue };
            // The fewer inputs, the more likely all are accepted.
            let n = if end == "always" { args.len() } else { INPUTS_MAX.saturating_sub(args.len()) };
            let rank = (end == "always", it.name == "new" && !args.is_empty(), n);
            if best.as_ref().is_none_or(|it| it.0 < rank) {
                let ty = self.text(&self.krate.type_of(id, Vec::new()));
                let call = format!("{ty}::{}({})", it.name, args.join(", "));
                let text = if end == "always" {
                    call
                } else {
                    format!(
                        "// If too many cases are rejected, draw what is accepted.\n    let made = from(|src: &mut Source| {call}{end});\n    src.draw(made.filter(Option::is_some)).unwrap()"
                    )
                };
                best = Some((rank, text));
            }
        }
        best.map(|it| it.1)
    }

    /// `From` something that can be drawn.
    fn by_conversion(&self, id: usize) -> Option<String> {
        self.krate.impls.iter().find_map(|(module, it)| {
            let (name, args) = it.of.as_ref()?.named()?;
            if name != "From" || !it.params.is_empty() || !self.is_of(*module, &it.ty, id) {
                return None;
            }
            let drawn = self.drawn(&self.krate.resolve(*module, args.first()?, &[]), "")?;
            Some(format!("{}::from({drawn})", self.text(&self.krate.type_of(id, Vec::new()))))
        })
    }

    /// An expression that draws an argument from `src`.
    fn drawn(&self, ty: &RustType, name: &str) -> Option<String> {
        let input = self.input(name, ty).ok()?;
        let it = match &input.from {
            Some(it) => format!("src.draw({it})"),
            None => format!("src.any::<{}>()", self.text(&input.ty)),
        };
        Some(match input.passed {
            PassedAs::Value => it,
            PassedAs::Reference => format!("&{it}"),
            PassedAs::Mutable => format!("&mut {it}"),
        })
    }

    /// The methods of a type, with the modules that their types are named in.
    pub(crate) fn methods(&self, id: usize) -> impl Iterator<Item = (usize, &RustFunction)> {
        let impls =
            self.krate.impls.iter().filter(move |it| it.1.of.is_none() && self.is_of(it.0, &it.1.ty, id));
        impls.flat_map(|(module, it)| it.functions.iter().map(|function| (*module, function)))
    }

    /// A type as a method of the type `id` names it.
    pub(crate) fn resolved(&self, module: usize, id: usize, ty: &RustType) -> RustType {
        let this = self.krate.type_of(id, Vec::new());
        let resolved = self.krate.resolve(module, ty, &[]);
        resolved.map(&|it| if it.is("Self") { this.clone() } else { it })
    }

    /// The functions that `text` draws by, with those that they call.
    pub(crate) fn recipes(&self, text: &str) -> String {
        let recipes = self.recipes.borrow();
        let all: Vec<&Recipe> = recipes.values().flatten().collect();
        let mut used: Vec<&Recipe> = Vec::new();
        let mut seen = text.to_string();
        while let Some(it) = all
            .iter()
            .find(|it| super::page::has_word(&seen, &it.name) && !used.iter().any(|old| old.name == it.name))
        {
            used.push(it);
            seen.push_str(&it.text);
        }
        used.iter().map(|it| format!("{}\n", it.text)).collect()
    }
}

/// Whether the documentation or the name of a function says that it panics for some inputs.
pub(crate) fn may_panic(it: &RustFunction) -> bool {
    documented(&it.docs, &[], &[]).is_some() || is_daring(&it.name)
}

/// Whether a name says that inputs have to be right.
pub(crate) fn is_daring(name: &str) -> bool {
    name.split('_').any(|it| matches!(it, "assert" | "expect" | "unchecked" | "unwrap"))
}

/// The section on panics of a function with these inputs; conditions are about whole numbers.
pub(crate) fn panics(docs: &str, inputs: &[(&str, &RustType)], methods: &[&str]) -> Option<PanicDocs> {
    let is_whole = |ty: &RustType| ty.named().is_some_and(|it| PLAIN[WHOLE].contains(&it.0));
    let whole: Vec<&str> = inputs.iter().filter(|it| is_whole(it.1)).map(|it| it.0).collect();
    let mut res = documented(docs, &whole, methods)?;
    // Measures of `self` are compared with what has their type.
    let is_other = |it: &&(&str, &RustType)| whole.contains(&it.0) && !it.1.is("usize");
    let mixes = |text: &String| {
        text.contains("self.") && inputs.iter().filter(is_other).any(|it| super::page::has_word(text, it.0))
    };
    res.condition = res.condition.filter(|it| !mixes(it));
    Some(res)
}

/// Whether the standard library has a type of this name that Probity draws.
pub(crate) fn is_in_std(name: &str) -> bool {
    PLAIN.contains(&name) || HOLDERS.contains(&name)
}

/// What owns what a reference refers to.
pub(crate) fn owner(ty: &RustType) -> RustType {
    match ty {
        RustType::Slice(it) => RustType::with("Vec", vec![(**it).clone()]),
        RustType::Named { .. } => match ty.named() {
            Some(("str", [])) => RustType::plain("String"),
            Some(("CStr", [])) => RustType::plain("std::ffi::CString"),
            _ => ty.clone(),
        },
        _ => ty.clone(),
    }
}

/// A type for messages: names alone.
pub(crate) fn shown(ty: &RustType) -> String {
    ty.write(&mut |path| path.last().cloned().unwrap_or_default())
}
