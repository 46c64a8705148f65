//! Other platforms that what users depend on has to compile for.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cargo, sources};

/// One row for each platform, with the targets that may show it.
const PLATFORMS: [&[&str]; 5] = [
    &["x86_64-pc-windows-gnu", "x86_64-pc-windows-msvc"],
    &["aarch64-apple-darwin"],
    &["aarch64-unknown-linux-gnu"],
    &["x86_64-unknown-linux-musl"],
    &["wasm32-unknown-unknown", "wasm32-wasip1"],
];

/// The targets that are installed here; and of each platform without, one that could be.
pub(crate) fn targets() -> (Vec<&'static str>, Vec<&'static str>) {
    let folder = folder();
    let (mut installed, mut missing) = (Vec::new(), Vec::new());
    for platform in PLATFORMS {
        let here = platform.iter().filter(|it| is_installed(&folder, it));
        let before = installed.len();
        installed.extend(here);
        if installed.len() == before {
            missing.push(platform[0]);
        }
    }
    (installed, missing)
}

/// Where the compiler has its targets.
fn folder() -> PathBuf {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--print", "sysroot"]).current_dir(cargo::root());
    Path::new(sources::finish(&mut command, "rustc --print sysroot").trim()).join("lib/rustlib")
}

/// Whether there is a standard library for a target: other folders may have its name, too.
fn is_installed(folder: &Path, target: &str) -> bool {
    folder.join(target).join("lib").is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_runs_on_is_installed_and_other_names_are_not() {
        let folder = folder();
        let listed = std::fs::read_dir(&folder).unwrap().filter_map(Result::ok);
        let names: Vec<String> = listed.filter_map(|it| it.file_name().into_string().ok()).collect();
        let is_here = |it: &&String| it.starts_with(std::env::consts::ARCH) && is_installed(&folder, it);
        assert!(names.iter().any(|it| is_here(&it)), "{names:?}");
        assert!(!is_installed(&folder, "no-such-target"));
    }

    #[test]
    fn every_platform_is_checked_or_named_as_missing() {
        let (installed, missing) = targets();
        for platform in PLATFORMS {
            let is_checked = platform.iter().any(|it| installed.contains(it));
            assert!(is_checked ^ missing.contains(&platform[0]), "{platform:?}");
        }
    }
}
