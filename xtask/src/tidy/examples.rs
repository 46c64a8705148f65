//! Examples: every public item that users can reach has one, or is used in that of its type.

use std::collections::{BTreeMap, BTreeSet};

use super::house;

/// The crates whose public items all have examples. Of others those have, in `ALSO`, that one of these names in a
/// `pub use`.
const ROOTS: [&str; 3] = ["core", "coverage", "probity"];
const ALSO: [(&str, &str); 3] =
    [("probity_core", "core"), ("probity_models", "models"), ("probity_spec", "spec")];
/// What may follow the fence of an example that is compiled.
const COMPILED: [&str; 6] = ["rust", "no_run", "should_panic", "compile_fail", "test_harness", "edition2024"];

/// Public items without an example, as `path:line: what, what to do`.
pub(super) fn check(files: &[(String, String)]) -> Vec<String> {
    let crates = Crates::read(files);
    let missing = crates
        .items()
        .filter(|(module, item)| crates.is_reached(module, item) && !crates.is_shown(module, item));
    let error = |(_, it): (&str, &DocItem)| {
        let name = it.full_name();
        format!("{}:{}: `{name}` has no example, write one, or use it in that of its type", it.path, it.line)
    };
    missing.map(error).collect()
}

/// How many public items users can reach.
pub(super) fn counts(files: &[(String, String)]) -> String {
    let crates = Crates::read(files);
    let n = crates.items().filter(|(module, item)| crates.is_reached(module, item)).count();
    format!("{n} public items need an example")
}

/// Something that may have an example.
struct DocItem<'a> {
    path: &'a str,
    line: usize,
    /// The type or trait that it is a function of.
    owner: Option<String>,
    kind: ItemKind,
    name: String,
    docs: Vec<&'a str>,
    /// The code in its docs.
    examples: String,
    /// Up to its body.
    signature: String,
}

#[derive(Clone, Copy, PartialEq)]
enum ItemKind {
    Function,
    Macro,
    Type,
}

impl DocItem<'_> {
    fn full_name(&self) -> String {
        self.owner.iter().fold(self.name.clone(), |name, owner| format!("{owner}::{name}"))
    }

    /// What its documentation links to: the names between the brackets of its links.
    fn links(&self) -> impl Iterator<Item = &str> {
        let parts = self.docs.iter().flat_map(|it| it.split("[`").skip(1));
        parts.filter_map(|it| Some(it.split_once("`]")?.0.trim_end_matches(['(', ')', '!'])))
    }

    /// Whether code uses it.
    fn is_used(&self, code: &str) -> bool {
        let name = &self.name;
        code.match_indices(name.as_str()).any(|(at, _)| {
            let (before, after) = (&code[..at], &code[at + name.len()..]);
            let begins = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let ends = match self.kind {
                ItemKind::Function => after.starts_with('(') || after.starts_with("::<"),
                ItemKind::Macro => after.starts_with('!'),
                ItemKind::Type => !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'),
            };
            // A function may also be handed over, or be written for a trait.
            let is_method = self.owner.is_none() || before.ends_with(['.', ':']) || before.ends_with("fn ");
            begins && ends && is_method
        })
    }
}

/// The code that documentation shows.
fn examples(docs: &[&str]) -> String {
    let (mut res, mut open) = (String::new(), None);
    for line in docs {
        match (line.trim_start().strip_prefix("```"), open) {
            (Some(_), Some(_)) => open = None,
            (Some(info), None) => open = Some(is_compiled(info)),
            (None, Some(true)) => res = res + line + "\n",
            (None, _) => {}
        }
    }
    res
}

fn is_compiled(info: &str) -> bool {
    info.split(',').all(|it| it.is_empty() || COMPILED.contains(&it.trim()))
}

/// A `pub use` of one name, or of all (`*`).
struct Reexport {
    from: Vec<String>,
    name: String,
}

#[derive(Default)]
struct ModuleNames<'a> {
    items: Vec<DocItem<'a>>,
    reexports: Vec<Reexport>,
    /// The public modules in it.
    children: Vec<String>,
}

/// Modules by path, such as `core::engine::corpus`, and which of their names can be reached.
#[derive(Default)]
struct Crates<'a> {
    modules: BTreeMap<String, ModuleNames<'a>>,
    reached: BTreeSet<(String, String)>,
}

impl<'a> Crates<'a> {
    fn read(files: &'a [(String, String)]) -> Self {
        let mut res = Crates::default();
        for (path, text) in files {
            let Some((name, file)) = house::source(path) else { continue };
            if !ROOTS.contains(&name) && !ALSO.iter().any(|it| it.1 == name) || house::is_test(file) {
                continue;
            }
            let file = file.strip_suffix(".rs").unwrap_or(file);
            let inner = file.strip_suffix("/mod").unwrap_or(if file == "lib" { "" } else { file });
            let module = if inner.is_empty() {
                name.to_string()
            } else {
                format!("{name}/{inner}").replace('/', "::")
            };
            let modules = &mut res.modules;
            FileReader { path, module, modules, owner: None, inline: None }.read(without_tests(text));
        }
        for root in ROOTS {
            res.reach(root, "*");
        }
        res
    }

    fn items(&self) -> impl Iterator<Item = (&str, &DocItem<'a>)> {
        self.modules.iter().flat_map(|(module, it)| it.items.iter().map(|item| (&**module, item)))
    }

    /// Notes that a name of a module can be reached, wherever that has it from.
    fn reach(&mut self, module: &str, name: &str) {
        if !self.reached.insert((module.to_string(), name.to_string())) {
            return;
        }
        let Some(it) = self.modules.get(module) else { return };
        let mut next: Vec<(String, String)> = Vec::new();
        for item in it.items.iter().filter(|it| it.owner.is_none() && name == "*") {
            next.push((module.to_string(), item.name.clone()));
        }
        for child in it.children.iter().filter(|it| name == "*" || name == **it) {
            next.push((format!("{module}::{child}"), "*".to_string()));
        }
        for it in &it.reexports {
            if (name == "*" || name == it.name || it.name == "*")
                && let Some(from) = resolve(module, &it.from)
            {
                next.push((
                    from,
                    if name == "*" || it.name != "*" { it.name.clone() } else { name.to_string() },
                ));
            }
        }
        for (module, name) in next {
            self.reach(&module, &name);
        }
    }

    fn is_reached(&self, module: &str, item: &DocItem) -> bool {
        let name = item.owner.as_ref().unwrap_or(&item.name);
        // A type's functions may be in other modules than the type.
        let is_type = |it: &&(String, String)| crate_of(&it.0) == crate_of(module) && it.1 == *name;
        match item.owner {
            // It is for the whole crate.
            None if item.kind == ItemKind::Macro => true,
            Some(_) => self.reached.iter().filter(is_type).any(|it| self.defines(&it.0, name)),
            None => self.reached.contains(&(module.to_string(), name.clone())),
        }
    }

    fn defines(&self, module: &str, name: &str) -> bool {
        self.modules
            .get(module)
            .is_some_and(|it| it.items.iter().any(|it| it.owner.is_none() && it.name == name))
    }

    /// Whether its own example, that of its type, or one that it links to, shows it.
    fn is_shown(&self, module: &str, item: &DocItem) -> bool {
        if !item.examples.is_empty() {
            return true;
        }
        let mut near: Vec<String> = item.links().map(str::to_string).collect();
        near.extend(item.owner.clone());
        // A type that only a function returns is shown where that is.
        let is_made = |other: &DocItem| {
            let (_, returned) = other.signature.split_once("->").unwrap_or_default();
            item.kind == ItemKind::Type && super::words(returned).any(|it| it == item.name)
        };
        let shows = |other: &DocItem| {
            let code = &other.examples;
            let name = other.full_name();
            !code.is_empty()
                && near.iter().any(|it| {
                    *it == name || name.ends_with(&format!("::{it}")) || it.ends_with(&format!("::{name}"))
                })
                && (item.is_used(code) || is_made(other))
        };
        self.items().any(|(it, other)| crate_of(it) == crate_of(module) && shows(other))
    }
}

fn crate_of(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

/// The module that a path of a `pub use` in `module` means; none in a crate that nobody asks about.
fn resolve(module: &str, path: &[String]) -> Option<String> {
    let mut res: Vec<&str> = module.split("::").collect();
    for (i, part) in path.iter().enumerate() {
        match part.as_str() {
            "self" => {}
            "crate" => res.truncate(1),
            "super" => _ = res.pop(),
            name => {
                if i == 0
                    && let Some((_, name)) = ALSO.iter().find(|it| it.0 == name)
                {
                    res = vec![name];
                } else if i == 0 && name.starts_with("probity_") {
                    return None;
                } else {
                    res.push(name);
                }
            }
        }
    }
    Some(res.join("::"))
}

/// Reads the lines of one file. They are formatted, so that indentation says where what is in ends.
struct FileReader<'a, 'm> {
    path: &'a str,
    module: String,
    modules: &'m mut BTreeMap<String, ModuleNames<'a>>,
    /// The type or trait that indented lines belong to, and whether it is a trait.
    owner: Option<(String, bool)>,
    /// The module that they belong to.
    inline: Option<String>,
}

impl<'a> FileReader<'a, '_> {
    fn read(mut self, text: &'a str) {
        let lines: Vec<&str> = text.lines().collect();
        let (mut docs, mut attributes) = (Vec::new(), String::new());
        let mut next = 0;
        while let Some(code) = lines.get(next).map(|it| it.trim_start()) {
            let at = next;
            next = at + 1;
            if let Some(doc) = code.strip_prefix("///") {
                docs.push(doc.strip_prefix(' ').unwrap_or(doc));
            } else if code.starts_with("#[") {
                next = statement(&lines, at, &[']']);
                attributes += &lines[at..next].concat();
            } else if !code.is_empty() && !code.starts_with("//") {
                let ends: &[char] = if code.starts_with("pub use ") { &[';'] } else { &['{', ';', '}'] };
                let head = lines[at..statement(&lines, at, ends)].join(" ");
                self.item(&head, at + 1, &std::mem::take(&mut attributes), std::mem::take(&mut docs));
            }
        }
    }

    /// Reads an item up to its body, with what is above it.
    fn item(&mut self, head: &str, line: usize, attributes: &str, docs: Vec<&'a str>) {
        let code = head.trim_start();
        let indent = head.len() - code.len();
        if indent == 0 {
            (self.owner, self.inline) = (None, None);
        }
        let is_hidden = attributes.contains("doc(hidden)");
        let path = self.inline.as_ref().unwrap_or(&self.module);
        let module = self.modules.entry(path.clone()).or_default();
        let in_owner = self.owner.as_ref().filter(|_| indent == 4);
        if let Some(paths) = code.strip_prefix("pub use ") {
            // What it is called here does not matter.
            let paths = paths.split(" as ").next().unwrap_or_default().replace([' ', ';'], "");
            if !is_hidden {
                reexport(&[], &paths, &mut module.reexports);
            }
        } else if let Some(name) = code.strip_prefix("pub mod ") {
            let name = name.trim_end_matches([';', ' ', '{']).to_string();
            if !is_hidden {
                module.children.push(name.clone());
            }
            self.inline = code.ends_with('{').then(|| format!("{path}::{name}"));
        } else if indent == 0 && code.starts_with("impl") {
            self.owner = implemented(code).filter(|_| !is_hidden).map(|it| (it, false));
        } else if let Some((kind, name)) = defined(code, attributes, in_owner.is_some_and(|it| it.1)) {
            let owner = in_owner.map(|it| it.0.clone());
            let is_item = !is_hidden && (indent == 0 || owner.is_some());
            if is_item && code.starts_with("pub trait ") {
                self.owner = Some((name.clone(), true));
            }
            if is_item {
                let (examples, signature) = (examples(&docs), code.to_string());
                module.items.push(DocItem {
                    path: self.path,
                    line,
                    owner,
                    kind,
                    name,
                    docs,
                    examples,
                    signature,
                });
            }
        }
    }
}

/// A file without its unit tests, which are at its end. Those in a file of their own may be named anywhere.
fn without_tests(text: &str) -> &str {
    let mut found = text.match_indices("#[cfg(test)]\nmod ");
    let is_inline = |at: usize| text[at..].lines().nth(1).is_some_and(|it| !it.ends_with(';'));
    found.find(|it| is_inline(it.0)).map_or(text, |it| &text[..it.0])
}

/// The line after that where what begins on line `from` ends, with one of these.
fn statement(lines: &[&str], from: usize, ends: &[char]) -> usize {
    let code = |it: &&str| it.split(" // ").next().unwrap_or_default().trim_end().ends_with(ends);
    let found = lines[from..].iter().position(code);
    found.map_or(lines.len(), |it| from + it + 1)
}

/// The type that `impl Type {` is for; none where it is of a trait.
fn implemented(head: &str) -> Option<String> {
    let mut rest = head.strip_prefix("impl")?;
    if rest.starts_with('<') {
        let mut depth = 0;
        let before = |(at, c): (usize, char)| {
            // The `>` of `->` closes nothing.
            depth += i32::from(c == '<') - i32::from(c == '>' && !rest[..at].ends_with('-'));
            (depth == 0).then_some(at)
        };
        rest = &rest[rest.char_indices().find_map(before)? + 1..];
    }
    let is_of_trait = rest.split(" where ").next().unwrap_or_default().contains(" for ");
    let path = rest.trim_start().split(['<', ' ', '{']).next()?;
    (!is_of_trait).then(|| path.rsplit("::").next().unwrap_or_default().to_string())
}

/// What the first line of an item makes public.
fn defined(head: &str, attributes: &str, is_in_trait: bool) -> Option<(ItemKind, String)> {
    let code = head.trim_start();
    let name = |rest: &str| super::words(rest).next().map(str::to_string).filter(|_| !rest.starts_with('$'));
    if let Some(rest) = code.strip_prefix("macro_rules! ") {
        return Some((ItemKind::Macro, name(rest).filter(|_| attributes.contains("macro_export"))?));
    }
    let mut rest = code.strip_prefix("pub ").or(is_in_trait.then_some(code))?;
    for word in ["const ", "async ", "unsafe ", "extern \"C\" "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    if let Some(rest) = rest.strip_prefix("fn ") {
        return Some((ItemKind::Function, name(rest)?));
    }
    let types = ["enum ", "struct ", "trait ", "type ", "union "];
    let rest = types.iter().find_map(|it| rest.strip_prefix(it)).filter(|_| !is_in_trait)?;
    Some((ItemKind::Type, name(rest)?))
}

/// Adds the names of a `pub use`, written without white space, such as `a::{b,c::d}`.
fn reexport(prefix: &[String], paths: &str, res: &mut Vec<Reexport>) {
    let (mut depth, mut begin) = (0, 0);
    for (at, c) in paths.char_indices().chain([(paths.len(), ',')]) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c != ',' || depth != 0 {
            continue;
        }
        let path = &paths[begin..at];
        begin = at + 1;
        if path.is_empty() {
            continue; // behind the last comma
        }
        let outer = path.split('{').next().unwrap_or_default();
        let mut from = prefix.to_vec();
        from.extend(outer.split("::").filter(|it| !it.is_empty()).map(str::to_string));
        if let Some(inner) = path.strip_prefix(outer).and_then(|it| it.strip_prefix('{')) {
            reexport(&from, inner.strip_suffix('}').unwrap_or(inner), res);
        } else if let Some(name) = from.pop() {
            res.push(Reexport { from, name });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "/// ```\n/// let it = make().len();\n/// ```\n";

    /// What lacks an example, by its name.
    fn missing(files: &[(&str, String)]) -> Vec<String> {
        let files: Vec<_> = files.iter().map(|it| (format!("crates/{}", it.0), it.1.clone())).collect();
        check(&files).iter().filter_map(|it| Some(it.split('`').nth(1)?.to_string())).collect()
    }

    #[test]
    fn items_without_an_example_are_found() {
        let made = format!("{EXAMPLE}pub fn make() -> Made {{\n}}\n");
        let rows: &[(String, &[&str])] = &[
            ("/// A.\npub fn a() {}\npub(crate) fn b() {}\nfn c() {}".to_string(), &["a"]),
            (format!("{EXAMPLE}#[derive(\n    Debug\n)]\npub struct A;\npub enum B {{}}"), &["B"]),
            (
                "/// ```text\n/// a\n/// ```\npub fn a() {}\n#[doc(hidden)] // why\npub fn b() {}"
                    .to_string(),
                &["a"],
            ),
            ("/// ```ignore\n/// a\n/// ```\npub const unsafe fn a() {}".to_string(), &["a"]),
            ("/// ```no_run\n/// a\n/// ```\npub type A = u8;".to_string(), &[]),
            ("macro_rules! a {\n}\n#[macro_export]\nmacro_rules! b {\n}".to_string(), &["b"]),
            // A type that a function makes, and its functions.
            (format!("{made}/// See [`make`].\npub struct Made;"), &[]),
            (format!("{made}/// Not `make`.\npub struct Made;"), &["Made"]),
            (format!("{made}/// See [`make`].\npub struct Other;"), &["Other"]),
            (
                format!(
                    "{EXAMPLE}pub struct A;\nimpl<F: Fn() -> u8> A<F> {{\n    pub fn len() {{}}\n    pub fn get() {{}}\n}}"
                ),
                &["A::get"],
            ),
            (format!("{EXAMPLE}pub struct A;\nimpl B for A {{\n    fn get() {{}}\n}}"), &[]),
            (format!("{EXAMPLE}pub trait A {{\n    fn get();\n    fn len();\n}}"), &["A::get"]),
            ("#[cfg(test)]\nmod tests {\n}\npub fn a() {}".to_string(), &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(missing(&[("core/src/lib.rs", text.clone())]), *expected, "{text}");
        }
    }

    #[test]
    fn only_what_users_reach_needs_one() {
        let item = "pub fn a() {}\npub fn b() {}\n".to_string();
        let rows: [(&str, &[&str]); 8] = [
            ("mod x;", &[]),
            ("pub mod x;", &["a", "b"]),
            ("#[doc(hidden)]\npub mod x;", &[]),
            ("mod x;\npub use x::b;", &["b"]),
            ("mod x;\npub use self::{\n    x::{a},\n    y::c,\n};", &["a"]),
            ("mod x;\npub(crate) use x::a;\n#[doc(hidden)]\npub use x::b;", &[]),
            ("mod x;\npub use x::*;", &["a", "b"]),
            ("mod x;\npub mod inner {\n    pub use crate::x::a;\n}", &["a"]),
        ];
        for (text, expected) in rows {
            let files = [("probity/src/lib.rs", text.to_string()), ("probity/src/x.rs", item.clone())];
            assert_eq!(missing(&files), *expected, "{text}");
        }
        let spec = [
            ("probity/src/lib.rs", "pub use probity_spec::draw::b;\npub use probity_other::a;".to_string()),
            ("spec/src/lib.rs", "pub mod draw;\npub fn c() {}".to_string()),
            ("spec/src/draw/mod.rs", item),
        ];
        assert_eq!(missing(&spec), ["b"]);
    }
}
