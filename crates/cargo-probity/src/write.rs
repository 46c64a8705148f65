//! `probity write`: first tests for the functions of a module, from their signatures.
//!
//! `subject` is a function as tests call it, `pairs` has round trips, `alone` what is tested of one function, `like` two
//! functions that do the same, `types` what traits promise.

mod alone;
mod like;
mod pairs;
mod subject;
mod types;

use std::fs;
use std::path::Path;

use crate::api::{choices, is_crate, parts};
use crate::args::Args;
use crate::exit::{CommandError, Exit};
use crate::rust::draw::{Drawer, TestInput};
use crate::rust::find::{self, Packages};
use crate::rust::krate::{ItemId, Namespace, RustCrate};
use crate::rust::page::{self, has_word};
use crate::rust::with_room;
use subject::TestedFunction;

/// A line of a test may have this many characters.
const WIDTH: usize = 100;

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let path = args.word(0).unwrap_or_default();
    let chosen = choices(args)?;
    let krate = args.value("crate", |it| Ok(it.to_string()))?;
    let other = args.value("like", |it| Ok(it.to_string()))?;
    let text = with_room(|| {
        let (krate, target) = find_target(&path, krate.as_deref())?;
        let drawer = Drawer::new(&krate, chosen.clone());
        let mut tests = TestFile::new(&drawer, &target);
        match &other {
            Some(other) => like::write(&mut tests, &krate, other)?,
            None => {
                pairs::write(&mut tests);
                types::write(&mut tests);
                alone::write(&mut tests);
            }
        }
        let like = other.as_ref().map(|it| format!(" --like {it}")).unwrap_or_default();
        tests.text(&format!("{path}{like}"))
    })?;
    page::put(args, &text)?;
    Ok(Exit::Done)
}

/// What tests are written for.
pub(crate) struct WriteTarget {
    /// Modules whose functions and types are meant.
    modules: Vec<usize>,
    /// The one function that is meant, if it is one.
    function: Option<usize>,
    /// How to call it in the file.
    name: String,
}

/// What a path means: a file, a module, or a function.
fn find_target(path: &str, krate: Option<&str>) -> Result<(RustCrate, WriteTarget), CommandError> {
    let is_file = Path::new(path).extension().is_some_and(|it| it == "rs") || path.contains(['/', '\\']);
    if is_file {
        return find_file(path);
    }
    let parts = parts(path)?;
    let first = krate.unwrap_or(&parts[0]);
    let source = if find::STD.contains(&first) {
        find::std_source(first)?
    } else {
        let packages = Packages::around(Path::new("."))?;
        if first == "crate" { packages.here()? } else { packages.krate(first)? }
    };
    let krate = RustCrate::load(&source)?;
    let target = target_in(&krate, &parts)?;
    Ok((krate, target))
}

/// The module or function of a crate that a path means.
pub(crate) fn target_in(krate: &RustCrate, parts: &[String]) -> Result<WriteTarget, CommandError> {
    let inner: Vec<String> = parts.iter().skip_while(|it| is_crate(it, krate)).cloned().collect();
    let name = [vec![krate.name.clone()], inner.clone()].concat().join("::");
    let inner = [vec!["crate".to_string()], inner].concat();
    if let Some(ItemId::Module(it)) = krate.find(0, &inner, Namespace::Modules) {
        return Ok(WriteTarget { modules: vec![it], function: None, name });
    }
    if let Some(ItemId::Function(it)) = krate.find(0, &inner, Namespace::Functions) {
        return Ok(WriteTarget { modules: Vec::new(), function: Some(it), name });
    }
    let hint = if krate.find(0, &inner, Namespace::Types).is_some() {
        "it is a type: name its module, or use `probity api`"
    } else {
        "check the path"
    };
    Err(format!("there is no module and no function `{name}`; {hint}").into())
}

/// The modules in a file.
fn find_file(path: &str) -> Result<(RustCrate, WriteTarget), CommandError> {
    let file = fs::canonicalize(path).map_err(|_| format!("there is no file `{path}`; check its path"))?;
    if !file.is_file() {
        return Err(format!("`{path}` is no file; name one that ends in `.rs`").into());
    }
    let packages = Packages::around(file.parent().unwrap_or(Path::new(".")))?;
    let krate = RustCrate::load(&packages.around_file(&file)?)?;
    let is_here = |it: &usize| fs::canonicalize(&krate.modules[*it].file).is_ok_and(|it| it == file);
    let modules: Vec<usize> = (0..krate.modules.len()).filter(is_here).collect();
    let Some(first) = modules.first() else {
        let text = format!(
            "`{path}` is no part of the library `{}`, so no test can use it; name it in a `mod`",
            krate.name
        );
        return Err(text.into());
    };
    let name = krate.module_path(*first).join("::");
    Ok((krate, WriteTarget { modules, function: None, name }))
}

/// The tests that are written, and what is left out.
pub(crate) struct TestFile<'a> {
    pub(crate) drawer: &'a Drawer<'a>,
    /// The functions that can be called.
    pub(crate) subjects: Vec<TestedFunction<'a>>,
    /// The types that are meant.
    pub(crate) types: Vec<usize>,
    title: String,
    names: Vec<String>,
    text: String,
    left_out: Vec<(String, String)>,
    private: Vec<String>,
    /// Public modules within.
    modules: Vec<String>,
}

impl<'a> TestFile<'a> {
    fn new(drawer: &'a Drawer<'a>, target: &WriteTarget) -> TestFile<'a> {
        let krate = drawer.krate;
        let mut res = TestFile {
            drawer,
            subjects: Vec::new(),
            types: Vec::new(),
            title: target.name.clone(),
            names: Vec::new(),
            text: String::new(),
            left_out: Vec::new(),
            private: Vec::new(),
            modules: Vec::new(),
        };
        for (id, it) in krate.modules.iter().enumerate() {
            let path = krate.public_path(ItemId::Module(id));
            let is_within = it.parent.is_some_and(|it| target.modules.contains(&it));
            res.modules.extend(path.filter(|_| is_within).map(|it| format!("`{}`", it.join("::"))));
        }
        for (id, (home, it)) in krate.functions.iter().enumerate() {
            let is_here = target.modules.contains(home) || target.function == Some(id);
            let is_meant = is_here || res.is_named_in(target, ItemId::Function(id));
            if is_meant && krate.public_path(ItemId::Function(id)).is_none() {
                res.private.push(it.name.clone());
            } else if is_meant {
                res.add(&it.name, TestedFunction::function(drawer, id));
            }
        }
        for (id, (home, _)) in krate.types.iter().enumerate().filter(|it| !it.1.1.is_shunned) {
            let is_meant = target.modules.contains(home) || res.is_named_in(target, ItemId::Type(id));
            if is_meant && krate.public_path(ItemId::Type(id)).is_some() {
                res.types.push(id);
            }
        }
        for id in res.types.clone() {
            for (module, it) in drawer.methods(id).filter(|it| it.1.is_public) {
                let name = format!("{}::{}", krate.types[id].1.name, it.name);
                res.add(&name, TestedFunction::method(drawer, id, module, it));
            }
        }
        res
    }

    /// Whether everybody names a thing by one of the modules.
    fn is_named_in(&self, target: &WriteTarget, id: ItemId) -> bool {
        let krate = self.drawer.krate;
        let Some([modules @ .., _]) = krate.public_path(id) else { return false };
        target.modules.iter().any(|it| krate.public_path(ItemId::Module(*it)) == Some(modules))
    }

    fn add(&mut self, name: &str, subject: Result<TestedFunction<'a>, String>) {
        match subject {
            Ok(it) => self.subjects.push(it),
            Err(why) => self.left_out.push((name.to_string(), why)),
        }
    }

    /// Leaves something out, for a reason.
    pub(crate) fn leave_out(&mut self, name: &str, why: impl Into<String>) {
        self.left_out.push((name.to_string(), why.into()));
    }

    /// Adds a test.
    pub(crate) fn test(&mut self, name: &str, inputs: &[String], lines: &[String]) {
        let name = name.replace("r#", "");
        let taken = self.names.iter().filter(|it| **it == name).count();
        self.names.push(name.clone());
        let name = if taken == 0 { name } else { format!("{name}_{}", taken + 1) };
        let mut head = format!("fn {name}({}) {{", inputs.join(", "));
        if head.chars().count() > WIDTH {
            head = format!(
                "fn {name}(\n{}) {{",
                inputs.iter().map(|it| format!("    {it},\n")).collect::<String>()
            );
        }
        let body: String = lines.iter().map(|it| format!("    {it}\n")).collect();
        self.text += &format!("#[probity::test]\n{head}\n{body}}}\n\n");
    }

    fn text(&self, args: &str) -> Result<String, CommandError> {
        let reasons = |prefix: &str| {
            let left_out = self.left_out.iter().map(|it| format!("{prefix}{}: {}\n", it.0, it.1));
            let private = (!self.private.is_empty())
                .then(|| format!("{prefix}not public: {}\n", self.private.join(", ")));
            left_out.chain(private).collect::<String>()
        };
        if self.text.is_empty() {
            let modules = if self.modules.is_empty() {
                String::new()
            } else {
                format!("; there is more in {}", self.modules.join(", "))
            };
            let text = format!(
                "nothing in `{}` can be tested from its signature{modules}\n{}",
                self.title,
                reasons("  ")
            );
            return Err(CommandError { exit: Exit::Violation, text: text.trim_end().to_string() });
        }
        let body = format!("{}{}", self.drawer.recipes(&self.text), self.text);
        let mut res = format!("//! Tests of `{}`, written by `probity write {args}`.\n", self.title);
        res += "//!\n//! They follow from names and signatures alone. Edit them: what is a function for?\n\n";
        let prelude = ["Source", "assume", "optional", "vec"].iter().any(|it| has_word(&body, it));
        let mut uses = self.drawer.imports.borrow().lines(&body);
        uses.extend(prelude.then(|| "use probity::prelude::*;".to_string()));
        uses.sort();
        for it in &uses {
            res += &format!("{it}\n");
        }
        res += if uses.is_empty() { "" } else { "\n" };
        res += body.trim_end();
        res += "\n";
        let reasons = reasons("//   ");
        if !reasons.is_empty() {
            res += &format!("\n// Left out:\n{reasons}");
        }
        Ok(res)
    }
}

/// An input as a test declares it, owned.
pub(crate) fn declared(drawer: &Drawer<'_>, input: &TestInput, is_mut: bool) -> String {
    let from = input.from.as_ref().map(|it| format!("#[from({it})] ")).unwrap_or_default();
    format!("{from}{}{}: {}", if is_mut { "mut " } else { "" }, input.name, drawer.text(&input.ty))
}
