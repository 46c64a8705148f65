//! `cargo probity c`: the library for C and C++, built and installed with what CMake and pkg-config read.
//!
//! Cargo says where the sources of what it built are, so that a checkout, a git dependency and a registry are one case:
//! headers and the rest are copied from there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Output, Stdio};
use std::{env, fs, io};

use probity_lang::json::{self, Json, JsonKind};

use crate::args::Args;
use crate::exit::{CommandError, Exit};
use crate::fuzz::targets::text;

/// The package that is built.
const PACKAGE: &str = "probity-c";
/// Its folder in the checkout that this command was built from, where that is still there.
const OWN_SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../c");
/// Archives of one file each, and that file.
const ARCHIVES: [(&str, &str); 3] = [
    ("libprobity_main.a", "native/main.c"),
    ("libprobity_fuzz.a", "native/fuzz.c"),
    ("libprobity_entry.a", "native/entry.c"),
];
/// What the library needs besides, for pkg-config.
const FRAMEWORKS: &str = if cfg!(target_os = "macos") { " -framework CoreFoundation" } else { "" };
/// Other files: of the package, and of the prefix.
const FILES: [(&str, &str); 9] = [
    ("include/probity.h", "include/probity.h"),
    ("include/probity.hpp", "include/probity.hpp"),
    ("include/deepstate/DeepState.h", "include/deepstate/DeepState.h"),
    ("include/deepstate/DeepState.hpp", "include/deepstate/DeepState.hpp"),
    ("include/deepstate/Klee.h", "include/deepstate/Klee.h"),
    ("package/probity.pc", "lib/pkgconfig/probity.pc"),
    ("package/ProbityConfig.cmake", "lib/cmake/Probity/ProbityConfig.cmake"),
    ("package/ProbityConfigVersion.cmake", "lib/cmake/Probity/ProbityConfigVersion.cmake"),
    ("package/ProbityAddTests.cmake", "lib/cmake/Probity/ProbityAddTests.cmake"),
];

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    if !cfg!(unix) {
        return Err("tests in C and C++ run on Unix only".to_string().into());
    }
    let prefix = args.os("prefix").filter(|it| !it.is_empty());
    let prefix =
        prefix.ok_or_else(|| "where to install is missing; write `probity c --prefix DIR`".to_string())?;
    let prefix =
        std::path::absolute(prefix).map_err(|err| format!("cannot use {}: {err}", prefix.display()))?;
    let tools = CTools::find()?;
    // It fails before the long part, where it may not write there.
    create_folder(&prefix.join("lib"))?;
    let built = LibrarySource::choose(args.os("source"))?.build(&args.rest)?;
    built.install(&prefix, &tools)?;
    let shown = prefix.display();
    crate::print(&format!(
        "installed Probity {} for C and C++ in {shown}\n  \
         CMake: find_package(Probity REQUIRED), with -DCMAKE_PREFIX_PATH={shown}\n  \
         pkg-config: PKG_CONFIG_PATH={shown}/lib/pkgconfig pkg-config --cflags --libs probity\n",
        built.version
    ))
    .map_err(CommandError::from)
}

/// What makes archives of C files.
struct CTools {
    compiler: Vec<String>,
    archiver: Vec<String>,
}

impl CTools {
    fn find() -> Result<CTools, CommandError> {
        let compiler = CTools::words("CC", "cc");
        let archiver = CTools::words("AR", "ar");
        let is_there = |tool: &[String]| {
            let said = CTools::command(tool).arg("--version").stdin(Stdio::null()).output();
            said.map_err(|err| err.to_string())
        };
        is_there(&compiler).map_err(|err| {
            failure(format!(
                "cannot run the C compiler `{}`: {err}; install one (`apt install gcc`, `dnf install gcc`, \
                 `xcode-select --install`), or set CC to its path",
                compiler.join(" ")
            ))
        })?;
        is_there(&archiver).map_err(|err| {
            failure(format!(
                "cannot run `{}`: {err}; install it (`apt install binutils`), or set AR to its path",
                archiver.join(" ")
            ))
        })?;
        Ok(CTools { compiler, archiver })
    }

    /// A program with its first arguments, as a variable says or by its usual name.
    fn words(variable: &str, usual: &str) -> Vec<String> {
        let words = env::var(variable).unwrap_or_default();
        let words: Vec<String> = words.split_whitespace().map(str::to_string).collect();
        if words.is_empty() { vec![usual.to_string()] } else { words }
    }

    fn command(tool: &[String]) -> Command {
        let mut res = Command::new(&tool[0]);
        res.args(&tool[1..]);
        res
    }

    /// Makes an archive of a C file.
    fn archive(&self, file: &Path, include: &Path, archive: &Path) -> Result<(), CommandError> {
        let object = archive.with_extension("o");
        let mut compile = CTools::command(&self.compiler);
        compile.args(["-std=c11", "-O2", "-fPIC", "-c", "-I"]).arg(include).arg(file).arg("-o").arg(&object);
        finish(&mut compile)?;
        // A member that is there already would stay beside the new one.
        let _ = fs::remove_file(archive);
        let made = finish(CTools::command(&self.archiver).arg("rcs").arg(archive).arg(&object));
        let _ = fs::remove_file(&object);
        made.map(|_| ())
    }
}

/// Where cargo builds the package from.
struct LibrarySource {
    manifest: PathBuf,
    /// A package that depends on the one to build, and is removed at the end.
    scratch: Option<PathBuf>,
}

impl LibrarySource {
    fn choose(named: Option<&OsString>) -> Result<LibrarySource, CommandError> {
        let folder = match named {
            Some(named) => PathBuf::from(named),
            None if Path::new(OWN_SOURCE).join("Cargo.toml").is_file() => OWN_SOURCE.into(),
            None => return LibrarySource::of_registry(),
        };
        let inner = folder.join("crates/c/Cargo.toml");
        let manifest = if inner.is_file() { inner } else { folder.join("Cargo.toml") };
        let is_ours = fs::read_to_string(&manifest).is_ok_and(|it| it.contains(&format!("\"{PACKAGE}\"")));
        if !is_ours {
            let shown = folder.display();
            return Err(format!(
                "`--source {shown}`: {PACKAGE} is not there; name a checkout of Probity, or its folder crates/c"
            )
            .into());
        }
        Ok(LibrarySource { manifest, scratch: None })
    }

    /// A package whose one dependency is the library in the version of this command.
    fn of_registry() -> Result<LibrarySource, CommandError> {
        let folder = env::temp_dir().join(format!("probity-c-{}", process::id()));
        let version = env!("CARGO_PKG_VERSION");
        let text = format!(
            "[package]\nname = \"probity-c-build\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{PACKAGE} = \"={version}\"\n\n[workspace]\n"
        );
        // It fails where somebody else has made the folder.
        fs::create_dir(&folder).map_err(|err| format!("cannot make {}: {err}", folder.display()))?;
        let manifest = folder.join("Cargo.toml");
        let res = LibrarySource { manifest, scratch: Some(folder.clone()) };
        create_folder(&folder.join("src"))?;
        write(&res.manifest, text.as_bytes())?;
        write(&folder.join("src/lib.rs"), b"")?;
        Ok(res)
    }

    fn build(self, rest: &[OsString]) -> Result<Built, CommandError> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args(["build", "-p", PACKAGE, "--message-format=json-render-diagnostics", "--manifest-path"]);
        cargo.arg(&self.manifest);
        if !rest.iter().any(|it| it.to_string_lossy().starts_with("--profile")) {
            cargo.arg("--release");
        }
        let output = cargo.args(rest).stderr(Stdio::inherit()).output().map_err(|err| {
            failure(format!("cannot run cargo: {err}; install Rust, or set CARGO to its path"))
        })?;
        if !output.status.success() {
            let hint = match self.scratch {
                Some(_) => "name a checkout of Probity with `--source DIR`",
                None => "what it said is above",
            };
            return Err(failure(format!("cargo could not build {PACKAGE}; {hint}")));
        }
        let said = String::from_utf8_lossy(&output.stdout);
        let built = said.lines().filter_map(|line| Built::read(&json::parse(line).ok()?)).next_back();
        let mut built = built.ok_or_else(|| {
            failure(format!("cargo built {PACKAGE} without its libraries; this target may have none"))
        })?;
        built.sources = Some(self);
        Ok(built)
    }
}

impl Drop for LibrarySource {
    fn drop(&mut self) {
        if let Some(folder) = &self.scratch {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// What cargo built.
struct Built {
    /// The folder of the package.
    folder: PathBuf,
    version: String,
    archive: PathBuf,
    shared: PathBuf,
    /// They stay as long as files are copied from there.
    sources: Option<LibrarySource>,
}

impl Built {
    /// What a message of cargo says of the library.
    fn read(message: &Json) -> Option<Built> {
        let name = text(message.get("target")?.get("name")?)?;
        if name != "probity_c" {
            return None;
        }
        let JsonKind::List(files) = &message.get("filenames")?.kind else { return None };
        let ending = |endings: &[&str]| {
            let mut paths = files.iter().filter_map(text).map(PathBuf::from);
            paths.find(|it| it.extension().is_some_and(|it| endings.iter().any(|end| it == *end)))
        };
        let (_, version) = text(message.get("package_id")?)?.rsplit_once(['#', '@'])?;
        Some(Built {
            folder: Path::new(text(message.get("manifest_path")?)?).parent()?.into(),
            version: version.to_string(),
            archive: ending(&["a"])?,
            shared: ending(&["so", "dylib"])?,
            sources: None,
        })
    }

    fn install(&self, prefix: &Path, tools: &CTools) -> Result<(), CommandError> {
        let lib = prefix.join("lib");
        let ending = self.shared.extension().unwrap_or_default().to_string_lossy();
        let libraries =
            [(&self.archive, "libprobity.a".to_string()), (&self.shared, format!("libprobity.{ending}"))];
        for (from, name) in libraries {
            place(&lib.join(name), |new| fs::copy(from, new).map(|_| ()))?;
        }
        for (archive, file) in ARCHIVES {
            tools.archive(&self.folder.join(file), &self.folder.join("include"), &lib.join(archive))?;
        }
        for (from, to) in FILES {
            let to = prefix.join(to);
            create_folder(to.parent().unwrap_or(prefix))?;
            let bytes = read(&self.folder.join(from))?;
            let text = String::from_utf8_lossy(&bytes);
            let text = text.replace("@VERSION@", &self.version).replace("@FRAMEWORKS@", FRAMEWORKS);
            write(&to, text.as_bytes())?;
        }
        Ok(())
    }
}

/// Runs a program to its end, which has to be a good one.
fn finish(command: &mut Command) -> Result<Output, CommandError> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|err| failure(format!("cannot run {command:?}: {err}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failure(format!("{command:?} failed:\n{said}")));
    }
    Ok(output)
}

fn create_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|err| {
        format!("cannot make {}: {err}; name a folder that you may write to with `--prefix`", path.display())
    })
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|err| format!("cannot read {}: {err}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    place(path, |new| fs::write(new, bytes))
}

/// Puts a file into its place in one step: a program that runs keeps the old library.
fn place(path: &Path, write: impl Fn(&Path) -> io::Result<()>) -> Result<(), String> {
    let mut new = path.as_os_str().to_os_string();
    new.push(".new");
    let new = PathBuf::from(new);
    let placed = write(&new).and_then(|()| fs::rename(&new, path));
    placed.map_err(|err| format!("cannot write {}: {err}", path.display()))
}

fn failure(text: String) -> CommandError {
    CommandError { exit: Exit::Unknown, text }
}
