//! Where the sources of a crate are: `cargo metadata` knows the packages, `rustc` the standard library.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use probity_lang::json::{self, Json, JsonKind};

use super::cfg::Configuration;
use super::krate::CrateSource;
use crate::exit::{CommandError, Exit};
use crate::suggest::nearest;

/// The crates of the standard library, in the order in which a type is looked for.
pub(crate) const STD: [&str; 3] = ["alloc", "std", "core"];

/// What cargo knows of the packages around a folder.
pub(crate) struct Packages {
    all: Vec<LocalPackage>,
    /// Names of crates that the package here depends on, with their places in `all`.
    direct: Vec<(String, usize)>,
    /// The package here.
    here: Option<usize>,
    /// Why dependencies are not known, if they are not.
    incomplete: Option<String>,
}

struct LocalPackage {
    name: String,
    version: String,
    folder: PathBuf,
    /// The library's name and root.
    library: Option<(String, PathBuf)>,
    features: Vec<String>,
    is_own: bool,
}

impl Packages {
    /// Asks cargo, without the network and without a change to the lock file.
    pub(crate) fn around(folder: &Path) -> Result<Packages, CommandError> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let host = String::from_utf8_lossy(&run(rustc(), &["-vV"], folder)?.stdout).into_owned();
        let host = host.lines().find_map(|it| it.strip_prefix("host: ")).unwrap_or_default();
        let base = ["metadata", "--format-version", "1", "--offline", "--locked"];
        let full = run(cargo(), &[&base[..], &["--filter-platform", host]].concat(), folder)?;
        if full.status.success() {
            return Packages::read(&full.stdout, None);
        }
        // The package itself can be read without its dependencies.
        let own = run(cargo(), &[&base[..4], &["--no-deps"]].concat(), folder)?;
        if !own.status.success() {
            return Err(failure("cargo metadata", &own));
        }
        Packages::read(&own.stdout, Some(complaint(&full)))
    }

    fn read(text: &[u8], incomplete: Option<String>) -> Result<Packages, CommandError> {
        let text = String::from_utf8_lossy(text);
        let json = json::parse(&text)
            .map_err(|it| format!("cannot read what `cargo metadata` says: {}", it.message))?;
        let members: Vec<&str> = list(json.get("workspace_members")).filter_map(text_of).collect();
        let nodes: Vec<&Json> =
            json.get("resolve").into_iter().flat_map(|it| list(it.get("nodes"))).collect();
        let node = |id: &str| nodes.iter().find(|it| it.get("id").and_then(text_of) == Some(id));
        let (mut all, mut ids) = (Vec::new(), Vec::new());
        for it in list(json.get("packages")) {
            let word = |key: &str| it.get(key).and_then(text_of).unwrap_or_default();
            let id = word("id");
            let library = list(it.get("targets")).find(|it| {
                list(it.get("kind"))
                    .filter_map(text_of)
                    .any(|it| matches!(it, "lib" | "rlib" | "dylib" | "cdylib"))
            });
            let library = library.and_then(|it| {
                let name = it.get("name").and_then(text_of)?.replace('-', "_");
                Some((name, PathBuf::from(it.get("src_path").and_then(text_of)?)))
            });
            // Without an answer about features, those by default are taken to be on.
            let on =
                node(id).map(|it| list(it.get("features")).filter_map(text_of).map(str::to_string).collect());
            all.push(LocalPackage {
                name: word("name").to_string(),
                version: word("version").to_string(),
                folder: Path::new(word("manifest_path")).parent().unwrap_or(Path::new("")).to_path_buf(),
                library,
                features: on.unwrap_or_else(|| defaults(it)),
                is_own: members.contains(&id),
            });
            ids.push(id);
        }
        let place = |id: &str| ids.iter().position(|it| *it == id);
        let root = json.get("resolve").and_then(|it| it.get("root")).and_then(text_of);
        let here = root.and_then(place).or_else(|| {
            let mut own = (0..all.len()).filter(|it| all[*it].is_own);
            own.next().filter(|_| own.next().is_none())
        });
        let mut direct = Vec::new();
        for it in root.and_then(node).into_iter().flat_map(|it| list(it.get("deps"))) {
            let name = it.get("name").and_then(text_of);
            direct.extend(name.map(str::to_string).zip(it.get("pkg").and_then(text_of).and_then(place)));
        }
        Ok(Packages { all, direct, here, incomplete })
    }

    /// The crate of this name, as code or as a manifest names it.
    pub(crate) fn krate(&self, name: &str) -> Result<CrateSource, CommandError> {
        let code = name.replace('-', "_");
        let by_name = |it: &&LocalPackage| {
            it.name == name
                || it.name.replace('-', "_") == code
                || it.library.as_ref().is_some_and(|it| it.0 == code)
        };
        let direct = self.direct.iter().find(|it| it.0 == code).map(|it| &self.all[it.1]);
        let own = self.all.iter().find(|it| it.is_own && by_name(it));
        let newest = || self.all.iter().filter(by_name).max_by_key(|it| numbers(&it.version));
        match direct.or(own).or_else(newest) {
            // A dependency may have another name here.
            Some(it) => self.source(it, direct.is_some().then_some(code)),
            None => Err(self.unknown(name)),
        }
    }

    /// The crate of the package here.
    pub(crate) fn here(&self) -> Result<CrateSource, CommandError> {
        match self.here {
            Some(it) => self.source(&self.all[it], None),
            None => Err("there are several packages here; name one with `--crate`".to_string().into()),
        }
    }

    /// The crate whose package a file is in.
    pub(crate) fn around_file(&self, file: &Path) -> Result<CrateSource, CommandError> {
        let around = self.all.iter().filter(|it| file.starts_with(&it.folder));
        match around.max_by_key(|it| it.folder.as_os_str().len()) {
            Some(it) => self.source(it, None),
            None => Err(format!("`{}` is in no package that cargo knows", file.display()).into()),
        }
    }

    fn source(&self, it: &LocalPackage, name: Option<String>) -> Result<CrateSource, CommandError> {
        let Some((library, root)) = &it.library else {
            let why =
                format!("`{}` has no library, so no test can use it; move its code to `src/lib.rs`", it.name);
            return Err(why.into());
        };
        let cfg = Configuration { features: it.features.clone() };
        let name = name.unwrap_or_else(|| library.clone());
        Ok(CrateSource { name, root: root.clone(), cfg, is_std: false })
    }

    fn unknown(&self, name: &str) -> CommandError {
        let known: Vec<&str> = self.all.iter().map(|it| &*it.name).collect();
        let hint = match (&self.incomplete, nearest(name, &known)) {
            (Some(why), _) => format!("dependencies are not known ({why}); run `cargo fetch` once"),
            (None, Some(it)) => format!("did you mean `{it}`?"),
            (None, None) => format!("add it to the dependencies: `cargo add --dev {name}`"),
        };
        format!("there is no crate `{name}` here; {hint}").into()
    }
}

/// The sources of a crate of the standard library.
pub(crate) fn std_source(name: &str) -> Result<CrateSource, CommandError> {
    let output = run(rustc(), &["--print", "sysroot"], Path::new("."))?;
    if !output.status.success() {
        return Err(failure("rustc --print sysroot", &output));
    }
    let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_string();
    let root = Path::new(&sysroot).join("lib/rustlib/src/rust/library").join(name).join("src/lib.rs");
    if !root.is_file() {
        let text =
            "the sources of the standard library are not installed; run `rustup component add rust-src`";
        return Err(CommandError { exit: Exit::Unknown, text: text.to_string() });
    }
    Ok(CrateSource { name: "std".to_string(), root, cfg: Configuration::default(), is_std: true })
}

/// Where cargo builds what is around a folder.
pub(crate) fn target_folder(folder: &Path) -> Result<PathBuf, CommandError> {
    Ok(workspace(folder)?.1)
}

/// The root of the workspace around a folder, and where cargo builds it.
pub(crate) fn workspace(folder: &Path) -> Result<(PathBuf, PathBuf), CommandError> {
    let output = run(cargo(), &["metadata", "--format-version", "1", "--offline", "--no-deps"], folder)?;
    if !output.status.success() {
        return Err(failure("cargo metadata", &output));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let json =
        json::parse(&said).map_err(|it| format!("cannot read what `cargo metadata` says: {}", it.message))?;
    let path = |key: &str| json.get(key).and_then(text_of).map(PathBuf::from).unwrap_or_default();
    Ok((path("workspace_root"), path("target_directory")))
}

fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or("cargo".into()))
}

fn rustc() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or("rustc".into()))
}

fn run<S: AsRef<OsStr>>(mut command: Command, args: &[S], folder: &Path) -> Result<Output, CommandError> {
    command.args(args).current_dir(folder).output().map_err(|err| {
        let program = command.get_program().display();
        let text =
            format!("cannot run `{program}`: {err}; install Rust, or set CARGO and RUSTC to their paths");
        CommandError { exit: Exit::Unknown, text }
    })
}

fn failure(what: &str, output: &Output) -> CommandError {
    CommandError { exit: Exit::Unknown, text: format!("`{what}` failed: {}", complaint(output)) }
}

/// The first line that a program complained in.
fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find(|it| it.starts_with("error")).or(text.lines().next());
    line.unwrap_or("it does not say why").trim_start_matches("error: ").to_string()
}

/// The features that are on by default, with those that they turn on.
fn defaults(package: &Json) -> Vec<String> {
    let mut res = vec!["default".to_string()];
    let mut at = 0;
    while at < res.len() {
        let more = package.get("features").and_then(|it| it.get(&res[at]));
        for it in list(more).filter_map(text_of) {
            if !res.iter().any(|old| old == it) {
                res.push(it.to_string());
            }
        }
        at += 1;
    }
    res
}

fn list(json: Option<&Json>) -> impl Iterator<Item = &Json> {
    let items = match json.map(|it| &it.kind) {
        Some(JsonKind::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter()
}

fn text_of(json: &Json) -> Option<&str> {
    match &json.kind {
        JsonKind::Text(it) => Some(it),
        _ => None,
    }
}

/// The numbers of a version, to compare by.
fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '-', '+']).map(|it| it.parse().unwrap_or(0)).collect()
}
