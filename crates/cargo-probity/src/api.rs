//! `probity api`: the table of calls of a type, written from its sources.

use std::path::Path;

use crate::args::Args;
use crate::exit::{CommandError, Exit};
use crate::rust::draw::{Drawer, is_in_std, owner, panics, shown};
use crate::rust::fill::{self, TypeArguments};
use crate::rust::find::{self, Packages};
use crate::rust::krate::{ItemId, RustCrate};
use crate::rust::page::{self, Imports, snake};
use crate::rust::panics::PanicDocs;
use crate::rust::read::{RustFunction, TypeShape};
use crate::rust::ty::RustType;
use crate::rust::with_room;

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let path = args.word(0).unwrap_or_default();
    let chosen = choices(args)?;
    let krate = args.value("crate", |it| Ok(it.to_string()))?;
    let text = with_room(|| {
        let (krate, id) = find_type(&path, krate.as_deref())?;
        let table = ListedType::new(&krate, id, &chosen)?;
        table.text(&path)
    })?;
    page::put(args, &text)?;
    Ok(Exit::Done)
}

/// What `--type` says.
pub(crate) fn choices(args: &Args) -> Result<TypeArguments, CommandError> {
    Ok(args.all("type").map(|it| fill::choice(&it)).collect::<Result<_, _>>()?)
}

/// The parts of a path such as `my_crate::heap::Heap`.
pub(crate) fn parts(path: &str) -> Result<Vec<String>, CommandError> {
    let parts: Vec<String> = path.split("::").map(|it| it.trim().to_string()).collect();
    let is_name = |it: &String| {
        let short = it.strip_prefix("r#").unwrap_or(it);
        short.starts_with(|it: char| it.is_alphabetic() || it == '_')
            && short.chars().all(|it| it.is_alphanumeric() || it == '_')
    };
    if parts.iter().all(is_name) {
        return Ok(parts);
    }
    Err(format!("`{path}` is no path; expected names with `::` between them, such as my_crate::Heap").into())
}

/// The type of this path, with its crate.
fn find_type(path: &str, krate: Option<&str>) -> Result<(RustCrate, usize), CommandError> {
    let parts = parts(path)?;
    let first = krate.unwrap_or(if parts.len() > 1 { &parts[0] } else { "" });
    if find::STD.contains(&first) {
        return in_std(&parts, krate);
    }
    let packages = Packages::around(Path::new("."));
    if first.is_empty() || first == "crate" {
        // A name alone may be a type of the package here, or one of the standard library.
        let here = packages.and_then(|it| it.here()).and_then(|it| Ok(RustCrate::load(&it)?));
        let tried = here.and_then(|krate| type_in(&krate, &parts).map(|it| (krate, it)));
        return match tried {
            Err(err) if first.is_empty() && err.exit == Exit::Misuse => {
                let in_std = in_std(&parts, None);
                in_std.map_err(|other| if other.exit == Exit::Unknown { both(err, &other) } else { err })
            }
            other => other,
        };
    }
    let krate = RustCrate::load(&packages?.krate(first)?)?;
    let id = type_in(&krate, &parts)?;
    Ok((krate, id))
}

/// Two reasons: it is not here, and elsewhere nobody can look.
fn both(err: CommandError, other: &CommandError) -> CommandError {
    CommandError {
        exit: Exit::Unknown,
        text: format!("{}\n  if it is one of `std`: {}", err.text, other.text),
    }
}

/// A type of the standard library, whose crates share one name.
fn in_std(parts: &[String], krate: Option<&str>) -> Result<(RustCrate, usize), CommandError> {
    let name = &parts[parts.len() - 1];
    for it in find::STD.iter().filter(|it| krate.is_none_or(|only| only == "std" || only == **it)) {
        let krate = RustCrate::load(&find::std_source(it)?)?;
        if let Ok(id) = type_in(&krate, parts) {
            return Ok((krate, id));
        }
    }
    Err(format!("there is no type `{name}` in the standard library").into())
}

/// The type of a crate that a path means: its public path, the one it is defined by, or the end of one of these.
fn type_in(krate: &RustCrate, parts: &[String]) -> Result<usize, CommandError> {
    let (name, before) = parts.split_last().ok_or_else(|| "no path".to_string())?;
    let wanted: Vec<&str> = before.iter().map(String::as_str).skip_while(|it| is_crate(it, krate)).collect();
    let mut found = Vec::new();
    for (id, (module, it)) in krate.types.iter().enumerate() {
        let public = krate.public_path(ItemId::Type(id)).map(<[String]>::to_vec);
        let renamed = public.as_ref().is_some_and(|it| it.last() == Some(name));
        // An alias has no methods of its own.
        if it.name != *name && !renamed || matches!(it.shape, TypeShape::Alias(_)) {
            continue;
        }
        let defined = [krate.module_path(*module), vec![it.name.clone()]].concat();
        let fits = |path: &[String]| {
            let inner = &path[1..path.len() - 1];
            inner.ends_with(&wanted.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        if public.as_ref().is_some_and(|it| fits(it)) || fits(&defined) {
            found.push((public.is_none(), public.unwrap_or(defined), id));
        }
    }
    found.sort_by_key(|it| (it.0, it.1.len()));
    let path = parts.join("::");
    match found.as_slice() {
        [] => Err(format!("there is no type `{path}` in `{}`; check the path", krate.name).into()),
        [(true, ..), ..] => {
            Err(format!("`{path}` is private, so no test outside of `{}` can use it", krate.name).into())
        }
        [one] => Ok(one.2),
        // One that can be named by the very path is meant, or the only one that can be named.
        [one, other, ..] if other.0 || one.1.len() < other.1.len() => Ok(one.2),
        many => {
            let all: Vec<String> =
                many.iter().filter(|it| !it.0).map(|it| format!("`{}`", it.1.join("::"))).collect();
            Err(format!("`{path}` may be any of {}; name one", all.join(", ")).into())
        }
    }
}

/// Whether a name means the crate itself.
pub(crate) fn is_crate(name: &str, krate: &RustCrate) -> bool {
    name == "crate" || name == krate.name || name.replace('-', "_") == krate.name || find::STD.contains(&name)
}

/// A method that the table has.
struct ListedCall<'a> {
    function: &'a RustFunction,
    inputs: Vec<(String, RustType)>,
    output: RustType,
    panics: Option<PanicDocs>,
}

/// The table of calls of one type.
struct ListedType<'a> {
    drawer: Drawer<'a>,
    this: RustType,
    /// What its parameters are that are not written.
    defaults: Vec<RustType>,
    calls: Vec<ListedCall<'a>>,
    /// Names of methods, and why they are left out.
    left_out: Vec<(String, String)>,
    /// Whether `default` makes the first value.
    has_default: bool,
    /// Whether nothing does.
    has_none: bool,
}

impl<'a> ListedType<'a> {
    fn new(krate: &'a RustCrate, id: usize, chosen: &TypeArguments) -> Result<ListedType<'a>, CommandError> {
        let drawer = Drawer::new(krate, chosen.clone());
        let (module, item) = &krate.types[id];
        let names: Vec<String> = item.params.iter().map(|it| it.name.clone()).collect();
        let methods: Vec<&RustFunction> = drawer.methods(id).map(|it| it.1).collect();
        let inner = methods.iter().flat_map(|it| &it.params).map(|it| it.name.clone());
        let known: Vec<String> = names.iter().cloned().chain(inner).collect();
        if let Some(unknown) =
            chosen.keys().find(|it| !known.iter().any(|name| it.split("::").next() == Some(name)))
        {
            let known = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            let text =
                format!("`--type {unknown}=..`: `{}` has no such parameter; it has {known}", item.name);
            return Err(text.into());
        }
        let filling = fill::fill(&item.params, chosen, &chosen.clone())
            .map_err(|why| format!("`{}` {why}", item.name))?;
        // What has a default is not written, unless it was chosen.
        let written =
            item.params.iter().rposition(|it| it.default.is_none() || chosen.contains_key(&it.name));
        let written = written.map_or(0, |it| it + 1);
        let whole: Vec<RustType> =
            item.params.iter().map(|it| krate.resolve(*module, &filling[&it.name], &[])).collect();
        let this = krate.type_of(id, whole[..written].to_vec());
        let defaults = whole[written..].to_vec();
        let all = krate.type_of(id, whole);
        let mut table = ListedType {
            drawer,
            this,
            defaults,
            calls: Vec::new(),
            left_out: Vec::new(),
            has_default: false,
            has_none: false,
        };
        table.collect(krate, id, chosen, &all);
        table.settle();
        table.begin(id);
        if table.calls.is_empty() {
            let why: String = table.left_out.iter().map(|it| format!("\n  {}: {}", it.0, it.1)).collect();
            let text = format!("no method of `{}` can be called by a test{why}", item.name);
            return Err(CommandError { exit: Exit::Violation, text });
        }
        Ok(table)
    }

    /// All public methods, as calls or with the reason why not.
    fn collect(&mut self, krate: &'a RustCrate, id: usize, chosen: &TypeArguments, all: &RustType) {
        let impls =
            krate.impls.iter().filter(|it| it.1.of.is_none() && self.drawer.is_of(it.0, &it.1.ty, id));
        let impls: Vec<_> = impls.collect();
        let methods: Vec<&str> = impls
            .iter()
            .flat_map(|it| &it.1.functions)
            .filter(|it| it.is_public && it.inputs.is_empty() && it.receiver.is_some())
            .map(|it| &*it.name)
            .collect();
        for (module, it) in impls {
            let names: Vec<String> = it.params.iter().map(|it| it.name.clone()).collect();
            let pattern = krate.resolve(*module, &it.ty, &names);
            let pattern = with_defaults(&pattern, all);
            let mut filling = chosen.clone();
            filling.retain(|name, _| name.contains("::"));
            let fits = fill::unify(&pattern, all, &it.params, &mut filling);
            let lacking = it.params.iter().find_map(|it| {
                let is_byte = filling.get(&it.name).is_some_and(|it| it.is("u8"));
                fill::by_bounds(it, &filling).err().filter(|_| is_byte && !chosen.contains_key(&it.name))
            });
            for function in it.functions.iter().filter(|it| it.is_public) {
                let res = if let Some(why) = &lacking {
                    Err(why.clone())
                } else if fits {
                    self.call(krate, *module, function, &filling, all, &methods)
                } else {
                    Err(format!("is for `{}`", shown(&pattern)))
                };
                match res {
                    Ok(it) => self.calls.push(it),
                    Err(why) => self.left_out.push((function.name.clone(), why)),
                }
            }
        }
    }

    fn call(
        &self,
        krate: &'a RustCrate,
        module: usize,
        function: &'a RustFunction,
        filling: &TypeArguments,
        all: &RustType,
        methods: &[&str],
    ) -> Result<ListedCall<'a>, String> {
        if let Some(why) = function.obstacle {
            return Err(why.to_string());
        }
        if let Some(it) = &function.touches {
            return Err(format!("names `{it}`, which may lead out of the process"));
        }
        if let Some(RustType::Named { args, .. }) = &function.receiver
            && !args.is_empty()
        {
            return Err("takes `self` in a box or the like".to_string());
        }
        let filling = fill::fill(&function.params, &self.drawer.chosen, filling)?;
        let names: Vec<String> = filling.keys().cloned().collect();
        let resolved = |ty: &RustType| {
            let ty = fill::apply(&krate.resolve(module, ty, &names), &filling);
            ty.map(&|it| {
                if self.is_this(&it, all) { RustType::plain("Self") } else { self.without_defaults(it) }
            })
        };
        let mut inputs = Vec::new();
        for (name, ty) in &function.inputs {
            let ty = match resolved(ty) {
                RustType::Impl(bounds) => {
                    let (name, default) = (name.clone(), None);
                    let param = crate::rust::ty::TypeParameter { name, bounds, default, is_const: false };
                    fill::by_bounds(&param, &filling)?
                }
                other => other,
            };
            inputs.push((name.clone(), ty));
        }
        let output = resolved(&function.output);
        if output.any(&|it| match it {
            RustType::Named { borrows, .. } => *borrows,
            RustType::Impl(_) | RustType::Other(_) => true,
            _ => false,
        }) {
            return Err(format!("returns `{}`, which borrows or has no name", shown(&output)));
        }
        let borrows = |it: &RustType| it.any(&|it| matches!(it, RustType::Reference { .. }));
        let lends = function.receiver.iter().chain(inputs.iter().map(|it| &it.1)).any(borrows);
        if borrows(&output) && !lends {
            return Err(format!("returns `{}`, which is never freed", shown(&output)));
        }
        let is_open = |ty: &RustType| {
            ty.any(&|it| matches!(it, RustType::Named { path, .. } if names.contains(&path[0])))
        };
        if let Some(it) = inputs.iter().map(|it| &it.1).chain([&output]).find(|it| is_open(it)) {
            return Err(format!("names `{}`, which is not known", it));
        }
        let imports: &Imports<'_> = &self.drawer.imports.borrow();
        if !imports.is_public(&output) || inputs.iter().any(|it| !imports.is_public(&it.1)) {
            return Err("names a private type".to_string());
        }
        let known: Vec<(&str, &RustType)> = inputs.iter().map(|it| (&*it.0, &it.1)).collect();
        let methods = if function.receiver.is_some() { methods } else { &[] };
        let panics = panics(&function.docs, &known, methods);
        Ok(ListedCall { function, inputs, output, panics })
    }

    /// Whether a type is the one of the table, with or without what it leaves to defaults.
    fn is_this(&self, ty: &RustType, all: &RustType) -> bool {
        match (ty, &self.this, all) {
            (
                RustType::Named { path, args, .. },
                RustType::Named { path: this, args: least, .. },
                RustType::Named { args: most, .. },
            ) => path == this && args.len() >= least.len() && most.starts_with(args),
            _ => false,
        }
    }

    /// The type without arguments at its end that are defaults of the table's type, such as an allocator.
    fn without_defaults(&self, mut ty: RustType) -> RustType {
        if let RustType::Named { args, .. } = &mut ty {
            while args.last().is_some_and(|it| self.defaults.contains(it)) {
                args.pop();
            }
        }
        ty
    }

    /// Leaves out calls whose inputs nobody draws and no call makes.
    fn settle(&mut self) {
        loop {
            let made: Vec<RustType> = self.calls.iter().flat_map(|it| parts_of(&it.output)).collect();
            let lacks = |(_, ty): &&(String, RustType)| {
                let ty = match ty {
                    RustType::Reference { to, .. } => owner(to),
                    other => other.clone(),
                };
                !ty.is("Self") && !self.drawer.is_drawn_by_type(&ty) && !made.contains(&ty)
            };
            let first = |it: &ListedCall<'_>| it.inputs.iter().find(lacks).cloned();
            let found = self.calls.iter().enumerate().find_map(|(at, it)| Some((at, first(it)?)));
            let Some((at, (name, ty))) = found else { break };
            let why = format!("`{name}: {}` is neither drawn nor made by a call", shown(&ty));
            let call = self.calls.remove(at);
            self.left_out.push((call.function.name.clone(), why));
        }
    }

    /// Somebody has to make the first value: `default`, where nothing else does.
    fn begin(&mut self, id: usize) {
        let is_self = |it: &RustType| it.any(&|it| it.is("Self"));
        let makes = |it: &ListedCall<'_>| {
            let needs = it.function.receiver.is_some() || it.inputs.iter().any(|it| is_self(&it.1));
            !needs && parts_of(&it.output).iter().any(is_self)
        };
        let name = &self.drawer.krate.types[id].1.name;
        let has = |it: &str| self.drawer.is_derived(id, it) || self.drawer.implements(id, it);
        if has("Generate")
            || self.drawer.krate.name == "std" && is_in_std(name)
            || self.calls.iter().any(makes)
        {
            return;
        }
        self.has_default = has("Default");
        self.has_none = !self.has_default;
    }

    fn text(&self, path: &str) -> Result<String, CommandError> {
        let mut body = String::new();
        if self.has_default {
            body += "        fn default() -> Self;\n";
        }
        if self.has_none {
            body += "        // No call here makes the first value: add one.\n";
        }
        for it in &self.calls {
            let (condition, comment) = match &it.panics {
                Some(PanicDocs { condition: Some(it), .. }) => (format!(", panics if {it}"), String::new()),
                Some(it) => (String::new(), format!("        // documented panics: {}\n", it.sentence)),
                None => (String::new(), String::new()),
            };
            let receiver = it.function.receiver.as_ref().map(|it| match it {
                RustType::Reference { is_mut: true, .. } => "&mut self".to_string(),
                RustType::Reference { .. } => "&self".to_string(),
                _ => "self".to_string(),
            });
            let inputs = it.inputs.iter().map(|(name, ty)| format!("{name}: {}", self.drawer.text(ty)));
            let inputs: Vec<String> = receiver.into_iter().chain(inputs).collect();
            let output = if it.output == RustType::unit() {
                String::new()
            } else {
                format!(" -> {}", self.drawer.text(&it.output))
            };
            let name = &it.function.name;
            body += &format!("{comment}        fn {name}({}){output}{condition};\n", inputs.join(", "));
        }
        let this = self.drawer.text(&self.this);
        let name = snake(self.this.named().map_or("it", |it| it.0));
        let table = format!("probity::api_table! {{\n    {name}: {this} {{\n{body}    }}\n}}\n");
        let mut res = format!("// Written by `probity api {path}`: read it before you run it.\n\n");
        for line in self.drawer.imports.borrow().lines(&table) {
            res += &format!("{line}\n");
        }
        res += if res.ends_with("\n\n") { "" } else { "\n" };
        res += &table;
        if !self.left_out.is_empty() {
            res += "\n// Left out:\n";
            for (name, why) in &self.left_out {
                res += &format!("//   {name}: {why}\n");
            }
        }
        Ok(res)
    }
}

/// What a result brings: itself, and what is in it.
fn parts_of(ty: &RustType) -> Vec<RustType> {
    let mut res = vec![ty.clone()];
    match ty {
        RustType::Tuple(all) => res.extend(all.iter().flat_map(parts_of)),
        RustType::Named { path, args, .. }
            if path.last().is_some_and(|it| it == "Option" || it == "Result") =>
        {
            res.extend(args.iter().flat_map(parts_of));
        }
        _ => {}
    }
    res
}

/// The type with the arguments that it leaves to their defaults.
fn with_defaults(pattern: &RustType, all: &RustType) -> RustType {
    match (pattern, all) {
        (RustType::Named { path, args, borrows }, RustType::Named { args: whole, .. }) => {
            let args = args.iter().chain(whole.iter().skip(args.len())).cloned().collect();
            RustType::Named { path: path.clone(), args, borrows: *borrows }
        }
        _ => pattern.clone(),
    }
}
