//! Files for OSS-Fuzz and ClusterFuzzLite, which build fuzz targets by a script in a container of theirs: the script builds the
//! test binaries with a fuzzer in them, and puts a small program for each test beside them.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::targets::{self, FuzzTarget};
use super::zip::{self, NamedFile};
use crate::exit::{CommandError, Exit};
use crate::rust::find::workspace;

/// What can be written.
const OSS_FUZZ: &str = "oss-fuzz";

/// Writes the files: `args` begins with the folder, and goes on with tests and arguments of cargo.
pub(super) fn run(kind: &OsStr, args: &[OsString], corpus: Option<&OsString>) -> Result<Exit, CommandError> {
    if kind != OSS_FUZZ {
        let text = format!("`--export` is `{}`; expected {OSS_FUZZ}", kind.to_string_lossy());
        return Err(text.into());
    }
    let (words, rest) = targets::split(args);
    let Some((folder, tests)) = words.split_first() else {
        return Err("`--export oss-fuzz` needs a folder; write `--export oss-fuzz FOLDER`"
            .to_string()
            .into());
    };
    let folder = PathBuf::from(folder);
    let failed = |err: std::io::Error| format!("cannot write to `{}`: {err}", folder.display());
    fs::create_dir_all(folder.join("corpus")).map_err(failed)?;
    let rest: Vec<OsString> = rest.into_iter().cloned().chain(tests.iter().map(OsString::from)).collect();
    let mut exported = Vec::new();
    for test in targets::find(&rest, &[])? {
        let name = target_name(&test);
        let Some(seeds) = seeds(&test, corpus, &folder)? else { continue };
        if !seeds.is_empty() {
            fs::write(folder.join("corpus").join(format!("{name}.zip")), zip::stored(&seeds))
                .map_err(failed)?;
        }
        exported.push((name, test));
    }
    if exported.is_empty() {
        return Err("none of these is a test of Probity's, so there is nothing to fuzz".to_string().into());
    }
    let root = workspace(Path::new(".")).map_or(std::env::current_dir().unwrap_or_default(), |it| it.0);
    let project = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let build = folder.join("build.sh");
    for (path, text) in [
        (folder.join("project.yaml"), project_yaml(&project, &origin(&root))),
        (folder.join("Dockerfile"), dockerfile(&project, &origin(&root))),
        (build.clone(), build_script(&project, &exported)),
    ] {
        fs::write(path, text).map_err(failed)?;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&build, fs::Permissions::from_mode(0o755)).map_err(failed)?;
    }
    let names: Vec<&str> = exported.iter().map(|it| &*it.0).collect();
    crate::print(&format!("{} fuzz targets in {}: {}\n", names.len(), folder.display(), names.join(", ")))?;
    Ok(Exit::Done)
}

/// What a test is called there: letters, digits and `_`, and the same name for no two tests of a workspace.
fn target_name(test: &FuzzTarget) -> String {
    let binary = test.picked_by.iter().skip(1).map(|it| it.trim_start_matches("--"));
    let words: Vec<&str> = binary.chain([&*test.test]).collect();
    words.join("_").chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect()
}

/// The corpus of a test as bytes, each with its name; none where it is no test of ours.
fn seeds(
    test: &FuzzTarget,
    corpus: Option<&OsString>,
    folder: &Path,
) -> Result<Option<Vec<NamedFile>>, CommandError> {
    let bytes = std::path::absolute(folder.join(".bytes")).unwrap_or_else(|_| folder.join(".bytes"));
    let _ = fs::remove_dir_all(&bytes); // it may not be there
    let mut run = test.command("auto");
    run.env("PROBITY_BYTES_TO", &bytes).env_remove("PROBITY_CAMPAIGN").env("PROBITY_ISOLATE", "true");
    run.envs(corpus.map(|it| ("PROBITY_CORPUS", it)));
    run.stdout(Stdio::null()).stderr(Stdio::null());
    run.status().map_err(|err| format!("cannot run `{}`: {err}", test.exe.display()))?;
    let Ok(files) = fs::read_dir(&bytes) else { return Ok(None) };
    let name = |it: &fs::DirEntry| it.file_name().to_string_lossy().into_owned();
    let mut res: Vec<NamedFile> =
        files.flatten().filter_map(|it| Some((name(&it), fs::read(it.path()).ok()?))).collect();
    res.sort();
    let _ = fs::remove_dir_all(&bytes); // it is of no more use
    Ok(Some(res))
}

/// Where the sources come from.
fn origin(root: &Path) -> String {
    let asked = Command::new("git").arg("-C").arg(root).args(["remote", "get-url", "origin"]).output();
    let said = asked.ok().filter(|it| it.status.success()).map(|it| it.stdout).unwrap_or_default();
    let said = String::from_utf8_lossy(&said).trim().to_string();
    if said.starts_with("https://") { said } else { "https://example.com/edit/this.git".to_string() }
}

fn project_yaml(project: &str, origin: &str) -> String {
    format!(
        "# {project} on OSS-Fuzz. Written by `cargo probity fuzz --export oss-fuzz`: edit the addresses.
homepage: \"{origin}\"
main_repo: \"{origin}\"
language: rust
primary_contact: \"you@example.com\"
fuzzing_engines:
  - libfuzzer
sanitizers:
  - address
"
    )
}

fn dockerfile(project: &str, origin: &str) -> String {
    format!(
        "# Written by `cargo probity fuzz --export oss-fuzz`.
FROM gcr.io/oss-fuzz-base/base-builder-rust
RUN git clone --depth 1 {origin} $SRC/{project}
WORKDIR $SRC/{project}
COPY build.sh $SRC/
COPY corpus $SRC/corpus
"
    )
}

fn build_script(project: &str, exported: &[(String, FuzzTarget)]) -> String {
    let mut res = format!(
        r##"#!/bin/bash -eu
# Builds the tests of {project} as fuzz targets. Written by `cargo probity fuzz --export oss-fuzz`.

# The fuzzer without its main: a test binary has one of its own, and hands its test over.
engine=$(find "$(clang -print-resource-dir)" -name 'libclang_rt.fuzzer_no_main*' | grep -v i386 | head -n 1)
target=x86_64-unknown-linux-gnu
# With a target, build scripts and procedural macros are built without these.
export RUSTFLAGS="${{RUSTFLAGS:-}} -Cpasses=sancov-module \
  -Cllvm-args=-sanitizer-coverage-level=3 \
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
  -Cllvm-args=-sanitizer-coverage-pc-table \
  -Cllvm-args=-sanitizer-coverage-trace-compares \
  -Cllvm-args=-max-loads-per-memcmp=0 \
  -Clink-arg=$engine -Clink-arg=-lstdc++ \
  -Clink-arg=-Wl,-u,LLVMFuzzerRunDriver,--export-dynamic-symbol=LLVMFuzzerRunDriver"

# build NAME TEST ARGUMENTS OF CARGO..
build() {{
  local name=$1 test=$2
  shift 2
  local binary
  # Optimized, with the checks of tests. A message is of the tests where its profile says so.
  binary=$(cargo test --no-run --target "$target" --config profile.dev.opt-level=3 --message-format=json "$@" |
    grep '"test":true}},"features"' | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
  cp "$binary" "$OUT/$name.tests"
  cat > "$OUT/$name" <<END
#!/bin/bash
# LLVMFuzzerTestOneInput: this word makes it a fuzz target.
here=\$(dirname "\$(readlink -f "\$0")")
export PROBITY_FUZZER_PROGRAM="\$0"
export PROBITY_FUZZER_ARGUMENTS="\$(printf '%s\n' "\$@")"
exec "\$here/$name.tests" "$test" --exact --nocapture --include-ignored --test-threads=1
END
  chmod +x "$OUT/$name"
  if [ -f "$SRC/corpus/$name.zip" ]; then
    cp "$SRC/corpus/$name.zip" "$OUT/${{name}}_seed_corpus.zip"
  fi
}}

cd "$SRC/{project}"
"##
    );
    for (name, test) in exported {
        let _ = writeln!(res, "build {name} '{}' {}", test.test, test.picked_by.join(" "));
    }
    res
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_names_of_their_own() {
        let target = |picked_by: &str, test: &str| FuzzTarget {
            exe: PathBuf::new(),
            folder: PathBuf::new(),
            picked_by: picked_by.split(' ').map(str::to_string).collect(),
            test: test.to_string(),
            is_named: true,
        };
        let tests = [target("-p app --test ten", "a::b"), target("-p app --lib", "a::b")];
        let names: Vec<String> = tests.iter().map(target_name).collect();
        assert_eq!(names, ["app_test_ten_a__b", "app_lib_a__b"]);
        let script = build_script("app", &names.into_iter().zip(tests).collect::<Vec<_>>());
        assert!(script.contains("\nbuild app_test_ten_a__b 'a::b' -p app --test ten\n"), "{script}");
        assert!(script.contains("${name}_seed_corpus.zip") && !script.contains("{{"), "{script}");
    }
}
