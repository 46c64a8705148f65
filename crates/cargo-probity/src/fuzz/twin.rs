//! The twin of a build: the tests of the workspace, compiled so that another fuzzer sees which code they run, with that
//! fuzzer in them.
//!
//! Cargo calls a wrapper in place of rustc for the crates of the workspace. It is this program under another name, which
//! carries what the wrapper adds. Cargo counts the wrapper's path among what a crate is made of, so that the twin is beside
//! the plain build, and neither makes the other stale. Crates of others are shared.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use super::foreign::ForeignFuzzer;
use crate::exit::CommandError;

/// What the name of a wrapper begins with.
const WRAPPER: &str = "probity-rustc-";
/// What the wrapper adds for crates whose code is watched, one argument a line.
const WATCH: &str = "PROBITY_TWIN_WATCH";
/// What it adds for whatever is linked: code that is watched calls the fuzzer, from build scripts, too.
const LINK: &str = "PROBITY_TWIN_LINK";

/// The environment in which cargo builds the twin. The wrapper is put into `folder`.
pub(crate) fn environment(
    fuzzer: &ForeignFuzzer,
    folder: &Path,
) -> Result<Vec<(&'static str, OsString)>, CommandError> {
    let watch = fuzzer.kind.watch_flags().join("\n");
    let link: Vec<String> = fuzzer
        .libraries
        .iter()
        .map(|it| format!("-Clink-arg={}", it.display()))
        .chain(fuzzer.kind.link_flags().iter().map(|it| it.to_string()))
        .collect();
    let link = link.join("\n");
    let mut hasher = DefaultHasher::new();
    (&watch, &link, env!("CARGO_PKG_VERSION")).hash(&mut hasher);
    let name = format!("{WRAPPER}{}-{:016x}", fuzzer.kind.name(), hasher.finish());
    let wrapper = folder.join(name + env::consts::EXE_SUFFIX);
    let failed = |err| format!("cannot write `{}`: {err}", wrapper.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let own = env::current_exe().map_err(|err| format!("cannot find this program: {err}"))?;
    // Another process may be using the one that is there: it is replaced, not written to.
    let new = wrapper.with_extension(std::process::id().to_string());
    fs::copy(own, &new).and_then(|_| fs::rename(&new, &wrapper)).map_err(failed)?;
    Ok(vec![("RUSTC_WORKSPACE_WRAPPER", wrapper.into()), (WATCH, watch.into()), (LINK, link.into())])
}

/// Is rustc, where this program was started as its wrapper.
pub(crate) fn run_as_rustc() -> Option<ExitCode> {
    let program = PathBuf::from(env::args_os().next()?);
    let is_wrapper = program.file_name()?.to_string_lossy().starts_with(WRAPPER);
    let mut args = env::args_os().skip(1);
    let rustc = is_wrapper.then(|| args.next()).flatten()?;
    let args: Vec<OsString> = args.collect();
    let added =
        |name: &str| env::var(name).unwrap_or_default().lines().map(OsString::from).collect::<Vec<_>>();
    let crate_kind = CrateKind::of(&args);
    let mut command = Command::new(rustc);
    command.args(args);
    if crate_kind == CrateKind::Watched {
        command.args(added(WATCH));
    }
    if crate_kind != CrateKind::None {
        command.args(added(LINK));
    }
    let status = command.status().ok()?;
    Some(ExitCode::from(status.code().map_or(1, |it| it as u8)))
}

/// What a call of rustc compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CrateKind {
    /// Nothing: cargo asks what rustc is like.
    None,
    /// Code that runs while others are compiled, and our own.
    Unwatched,
    /// Code of the user.
    Watched,
}

impl CrateKind {
    fn of(args: &[OsString]) -> CrateKind {
        let value = |option: &str| {
            let joined = format!("{option}=");
            args.iter().enumerate().find_map(|(at, it)| {
                let text = it.to_string_lossy().into_owned();
                if text == option {
                    args.get(at + 1).map(|it| it.to_string_lossy().into_owned())
                } else {
                    text.strip_prefix(&joined).map(str::to_string)
                }
            })
        };
        let Some(name) = value("--crate-name").filter(|it| it != "___") else { return CrateKind::None };
        let is_macro = value("--crate-type").is_some_and(|it| it == "proc-macro");
        let is_own = name == "probity" || name.starts_with("probity_");
        if is_macro || is_own || name.starts_with("build_script_") {
            CrateKind::Unwatched
        } else {
            CrateKind::Watched
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_of_the_user_is_watched() {
        let rows = [
            ("-vV", CrateKind::None),
            ("- --crate-name ___ --print=file-names", CrateKind::None),
            ("--crate-name app --edition=2024 src/lib.rs --crate-type lib", CrateKind::Watched),
            ("--crate-name app src/lib.rs --test", CrateKind::Watched),
            ("--crate-name build_script_build build.rs --crate-type bin", CrateKind::Unwatched),
            ("--crate-name app_macros src/lib.rs --crate-type proc-macro", CrateKind::Unwatched),
            ("--crate-name app_macros src/lib.rs --crate-type=proc-macro", CrateKind::Unwatched),
            ("--crate-name probity_core src/lib.rs --crate-type lib", CrateKind::Unwatched),
        ];
        for (line, expected) in rows {
            let args: Vec<OsString> = line.split_whitespace().map(Into::into).collect();
            assert_eq!(CrateKind::of(&args), expected, "{line}");
        }
    }
}
