//! A crate as its sources have it: modules, what is in them, and by which path everybody may name it.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use super::cfg::Configuration;
use super::read::{self, FileItems, ImplItem, ModuleItem, RustFunction, TypeDefinition, TypeShape, UseItem};
use super::ty::RustType;
use crate::input;

/// A crate may have this many files, and modules this many levels: more than one that includes itself has.
const FILES_MAX: usize = 20_000;
const LEVELS_MAX: usize = 64;
/// An alias may stand for this many others, one within the other.
const ALIASES_MAX: usize = 16;

/// Types that are no items.
const PRIMITIVES: [&str; 17] = [
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32",
    "u64", "u8", "usize",
];
/// Types of the standard library that are in scope everywhere.
const IN_SCOPE: [&str; 5] = ["Box", "Option", "Result", "String", "Vec"];

/// A crate that was read. Indices are those of its lists.
pub(crate) struct RustCrate {
    /// As code names it.
    pub(crate) name: String,
    /// The first is the root.
    pub(crate) modules: Vec<RustModule>,
    /// With the module that defines them.
    pub(crate) types: Vec<(usize, TypeDefinition)>,
    pub(crate) functions: Vec<(usize, RustFunction)>,
    pub(crate) impls: Vec<(usize, ImplItem)>,
    /// The shortest paths by which everybody may name things.
    public: BTreeMap<ItemId, Vec<String>>,
}

/// A module.
pub(crate) struct RustModule {
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    pub(crate) file: PathBuf,
    is_public: bool,
    children: Vec<usize>,
    uses: Vec<UseItem>,
}

/// What a name may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ItemId {
    Module(usize),
    Type(usize),
    Function(usize),
}

/// Which kind of thing a name is looked up as: a module and a function may share a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Namespace {
    Modules,
    Types,
    Functions,
}

/// Where a name was looked for.
type NameVisit = (usize, String, Namespace);

/// Where sources are.
pub(crate) struct CrateSource {
    pub(crate) name: String,
    pub(crate) root: PathBuf,
    pub(crate) cfg: Configuration,
    /// Whether it is part of the standard library.
    pub(crate) is_std: bool,
}

impl RustCrate {
    /// Reads a crate from its root on.
    pub(crate) fn load(source: &CrateSource) -> Result<RustCrate, String> {
        let mut res = RustCrate {
            name: source.name.clone(),
            modules: Vec::new(),
            types: Vec::new(),
            functions: Vec::new(),
            impls: Vec::new(),
            public: BTreeMap::new(),
        };
        let mut loader = Loader { source, within: Vec::new(), files: 0 };
        let items = loader.file(&source.root)?;
        let folder = source.root.parent().unwrap_or(Path::new("")).to_path_buf();
        let root = RustModule {
            name: source.name.clone(),
            parent: None,
            file: source.root.clone(),
            is_public: true,
            children: Vec::new(),
            uses: Vec::new(),
        };
        loader.module(&mut res, root, items, &folder)?;
        res.public = res.public_paths();
        Ok(res)
    }

    /// The path by which everybody may name a thing.
    pub(crate) fn public_path(&self, id: ItemId) -> Option<&[String]> {
        self.public.get(&id).map(Vec::as_slice)
    }

    /// The path of a module from the root on.
    pub(crate) fn module_path(&self, module: usize) -> Vec<String> {
        let mut res = vec![self.modules[module].name.clone()];
        let mut at = module;
        while let Some(parent) = self.modules[at].parent {
            res.insert(0, self.modules[parent].name.clone());
            at = parent;
        }
        res
    }

    /// What a path that begins in `module` leads to.
    pub(crate) fn find(&self, module: usize, path: &[String], space: Namespace) -> Option<ItemId> {
        self.find_within(module, path, space, &mut Vec::new())
    }

    fn find_within(
        &self,
        module: usize,
        path: &[String],
        space: Namespace,
        seen: &mut Vec<NameVisit>,
    ) -> Option<ItemId> {
        let (mut at, mut rest) = (module, path);
        loop {
            let (first, after) = rest.split_first()?;
            at = match &**first {
                "crate" => 0,
                "self" => at,
                "super" => self.modules[at].parent?,
                _ => break,
            };
            rest = after;
            if rest.is_empty() {
                return (space == Namespace::Modules).then_some(ItemId::Module(at));
            }
        }
        for (i, name) in rest.iter().enumerate() {
            let is_last = i + 1 == rest.len();
            let found = self.lookup(at, name, if is_last { space } else { Namespace::Modules }, seen)?;
            match found {
                ItemId::Module(it) if !is_last => at = it,
                it => return is_last.then_some(it),
            }
        }
        None
    }

    /// A name in a module. What leads back to where it was looked for already, in `seen`, leads nowhere.
    fn lookup(
        &self,
        module: usize,
        name: &str,
        space: Namespace,
        seen: &mut Vec<NameVisit>,
    ) -> Option<ItemId> {
        if seen.iter().any(|it| it.0 == module && it.1 == name && it.2 == space) {
            return None;
        }
        seen.push((module, name.to_string(), space));
        let own = match space {
            Namespace::Modules => {
                let found = self.modules[module].children.iter().find(|it| self.modules[**it].name == name);
                found.map(|it| ItemId::Module(*it))
            }
            Namespace::Types => {
                self.types.iter().position(|it| it.0 == module && it.1.name == name).map(ItemId::Type)
            }
            Namespace::Functions => {
                self.functions.iter().position(|it| it.0 == module && it.1.name == name).map(ItemId::Function)
            }
        };
        if own.is_some() {
            return own;
        }
        for it in self.modules[module].uses.iter().filter(|it| it.name.as_deref() == Some(name)) {
            let found = self.find_within(module, &it.path, space, seen);
            if found.is_some() {
                return found;
            }
        }
        self.modules[module].uses.iter().filter(|it| it.name.is_none()).find_map(|it| {
            match self.find_within(module, &it.path, Namespace::Modules, seen) {
                Some(ItemId::Module(from)) => self.lookup(from, name, space, seen),
                _ => None,
            }
        })
    }

    /// The type with names that mean the same everywhere: `crate::..` for the crate's own, `std::..` for others. Names in
    /// `params` stay.
    pub(crate) fn resolve(&self, module: usize, ty: &RustType, params: &[String]) -> RustType {
        self.resolve_within(module, ty, params, ALIASES_MAX)
    }

    fn resolve_within(&self, module: usize, ty: &RustType, params: &[String], left: usize) -> RustType {
        ty.map(&|it| {
            let RustType::Named { path, args, borrows } = &it else { return it };
            if params.contains(&path[0]) || path[0] == "Self" {
                return it;
            }
            let Some(ItemId::Type(found)) = self.find(module, path, Namespace::Types) else {
                let path = self.foreign(module, path);
                return RustType::Named { path, args: args.clone(), borrows: *borrows };
            };
            let (home, item) = &self.types[found];
            match &item.shape {
                TypeShape::Alias(of) if left > 0 => {
                    let names: Vec<String> = item.params.iter().map(|it| it.name.clone()).collect();
                    let of = self.resolve_within(*home, of, &names, left - 1);
                    of.map(&|it| {
                        let at = names.iter().position(|name| it.is(name));
                        let default = at.and_then(|at| item.params[at].default.clone());
                        at.and_then(|at| args.get(at).cloned()).or(default).unwrap_or(it)
                    })
                }
                _ => {
                    let mut path = self.module_path(*home);
                    path[0] = "crate".to_string();
                    path.push(item.name.clone());
                    let borrows = *borrows || item.has_lifetimes;
                    RustType::Named { path, args: args.clone(), borrows }
                }
            }
        })
    }

    /// A path out of the crate, from the first name on.
    fn foreign(&self, module: usize, path: &[String]) -> Vec<String> {
        // `use std::str` brings a module; `str` is still a type.
        if path.len() == 1 && PRIMITIVES.contains(&&*path[0]) {
            return path.to_vec();
        }
        let import = self.modules[module].uses.iter().find(|it| it.name.as_ref() == Some(&path[0]));
        let mut res = import.map_or_else(Vec::new, |it| it.path.clone());
        let own = if res.is_empty() { path } else { &path[1..] };
        res.extend(own.iter().cloned());
        // `crate::alloc::..` is what `extern crate alloc` brings.
        if res[0] == "crate" && res.len() > 2 && matches!(&*res[1], "core" | "alloc" | "std") {
            res.remove(0);
        }
        // A macro may have made it.
        if res[0] == "crate" {
            res[0] = self.name.clone();
        }
        if matches!(&*res[0], "core" | "alloc") && res.len() > 1 {
            res[0] = "std".to_string();
        }
        // One name for what has several.
        let last = res.len() - 1;
        if res[0] == "std" && IN_SCOPE.contains(&&*res[last]) {
            res.drain(..last);
        }
        res
    }

    /// The type of the crate that a resolved type is.
    pub(crate) fn own_type(&self, ty: &RustType) -> Option<usize> {
        match ty {
            RustType::Named { path, .. } if path[0] == "crate" => {
                match self.find(0, path, Namespace::Types) {
                    Some(ItemId::Type(it)) => Some(it),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A type of the crate as a resolved type.
    pub(crate) fn type_of(&self, id: usize, args: Vec<RustType>) -> RustType {
        let (home, item) = &self.types[id];
        let mut path = self.module_path(*home);
        path[0] = "crate".to_string();
        path.push(item.name.clone());
        RustType::Named { path, args, borrows: item.has_lifetimes }
    }

    /// The shortest public path of everything that has one.
    fn public_paths(&self) -> BTreeMap<ItemId, Vec<String>> {
        let mut res = BTreeMap::new();
        let mut seen = vec![Vec::new(); self.modules.len()];
        let mut queue = VecDeque::from([(0, vec![self.name.clone()])]);
        while let Some((module, path)) = queue.pop_front() {
            // A module that is reachable by many paths is walked by the shortest, and once for what includes it.
            if seen[module].len() > 1 || seen[module].contains(&path) {
                continue;
            }
            seen[module].push(path.clone());
            res.entry(ItemId::Module(module)).or_insert_with(|| path.clone());
            let with = |name: &str| [&*path, &[name.to_string()]].concat();
            let mut add = |id: ItemId, at: Vec<String>| _ = res.entry(id).or_insert(at);
            for (i, (home, it)) in self.types.iter().enumerate() {
                if *home == module && it.is_public {
                    add(ItemId::Type(i), with(&it.name));
                }
            }
            for (i, (home, it)) in self.functions.iter().enumerate() {
                if *home == module && it.is_public {
                    add(ItemId::Function(i), with(&it.name));
                }
            }
            for it in self.modules[module].uses.iter().filter(|it| it.is_public) {
                for space in [Namespace::Modules, Namespace::Types, Namespace::Functions] {
                    let found = self.find(module, &it.path, space);
                    match (found, &it.name) {
                        (Some(ItemId::Module(it)), None) => queue.push_front((it, path.clone())),
                        (Some(ItemId::Module(it)), Some(name)) => queue.push_back((it, with(name))),
                        (Some(id), Some(name)) => add(id, with(name)),
                        _ => {}
                    }
                }
            }
            for it in &self.modules[module].children {
                if self.modules[*it].is_public {
                    queue.push_back((*it, with(&self.modules[*it].name)));
                }
            }
        }
        res
    }
}

/// What was found of a module.
type FoundModule = (Option<FileItems>, PathBuf, PathBuf);

/// Reads files, and knows which ones it is within.
struct Loader<'a> {
    source: &'a CrateSource,
    within: Vec<PathBuf>,
    files: usize,
}

impl Loader<'_> {
    fn file(&mut self, path: &Path) -> Result<FileItems, String> {
        self.files += 1;
        if self.files > FILES_MAX {
            return Err(format!("`{}` has more than {FILES_MAX} files; name a module", self.source.name));
        }
        if path.metadata().is_ok_and(|it| !it.is_file() && !it.is_dir()) {
            return Err(format!("`{}` is no regular file; name one", path.display()));
        }
        let text = input::read(path.as_os_str())?;
        read::read(&text.text, &self.source.cfg, self.source.is_std).map_err(|it| {
            format!("{}:{}:{}: {}; `cargo check` says more", path.display(), it.line, it.column, it.what)
        })
    }

    /// Adds a module with its items; `folder` is where files of its children are.
    fn module(
        &mut self,
        res: &mut RustCrate,
        module: RustModule,
        items: FileItems,
        folder: &Path,
    ) -> Result<usize, String> {
        let (id, file) = (res.modules.len(), module.file.clone());
        res.modules.push(RustModule { uses: items.uses, ..module });
        res.functions.extend(items.functions.into_iter().map(|it| (id, it)));
        res.types.extend(items.types.into_iter().map(|it| (id, it)));
        res.impls.extend(items.impls.into_iter().map(|it| (id, it)));
        if self.within.len() >= LEVELS_MAX {
            let at = file.display();
            return Err(format!(
                "{at}: modules nest deeper than {LEVELS_MAX} levels; does one include itself?"
            ));
        }
        for it in items.modules {
            let Some((items, file_of, child_folder)) = self.child(&file, folder, &it)? else { continue };
            let items = it.items.or(items).unwrap_or_default();
            self.within.push(file_of.clone());
            let child = RustModule {
                name: it.name,
                parent: Some(id),
                file: file_of,
                is_public: it.is_public,
                children: Vec::new(),
                uses: Vec::new(),
            };
            let child = self.module(res, child, items, &child_folder)?;
            self.within.pop();
            res.modules[id].children.push(child);
        }
        Ok(id)
    }

    /// What a module in a file has, unless it is in the same file; its file, and where the files of its children are.
    fn child(&mut self, file: &Path, folder: &Path, it: &ModuleItem) -> Result<Option<FoundModule>, String> {
        let short = it.name.trim_start_matches("r#");
        let child_folder = folder.join(short);
        if it.items.is_some() {
            return Ok(Some((None, file.to_path_buf(), child_folder)));
        }
        let candidates = match &it.path {
            // Beside the file, whatever its name.
            Some(path) => vec![file.parent().unwrap_or(Path::new("")).join(path)],
            None => vec![folder.join(format!("{short}.rs")), child_folder.join("mod.rs")],
        };
        let Some(found) = candidates.iter().find(|it| it.exists()) else {
            if it.is_conditional || self.source.is_std {
                return Ok(None);
            }
            let (at, first) = (file.display(), candidates[0].display());
            return Err(format!("{at}:{}: there is no file `{first}` for `mod {short}`; add it", it.line));
        };
        if self.within.contains(found) {
            return Err(format!("{}:{}: `mod {short}` includes itself; remove it", file.display(), it.line));
        }
        let is_mod = found.file_name().is_some_and(|it| it == "mod.rs");
        let beside = found.parent().unwrap_or(Path::new("")).to_path_buf();
        let inner = if is_mod || it.path.is_some() { beside } else { child_folder };
        Ok(Some((Some(self.file(found)?), found.clone(), inner)))
    }
}
