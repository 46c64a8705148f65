//! Tidiness of whole crates: names that are defined once, and a map that matches the tree.

use std::collections::BTreeMap;

/// Files that take the place of others on some platforms or without some features, and define what those define.
const TWINS: [&str; 3] = ["no_seal.rs", "unprepared.rs", "unsupported.rs"];
/// What begins the definition of a type.
const TYPES: [&str; 5] = ["enum", "struct", "trait", "type", "union"];
/// This many names of types may be defined more than once in the workspace, and this many three times or more: one crate
/// may call a thing as another does, but anyone who searches for a name should find one thing, or two.
const TWICE_MAX: usize = 39;
const THRICE_MAX: usize = 7;
/// Names of types that are retired, with ours.
const RETIRED: [(&str, &str); 16] = [
    ("Arms", "Bandit"),
    ("Climb", "Trajectory"),
    ("Counts", "SortedMap, or what is counted"),
    ("Course", "LineSearch"),
    ("Follower", "ScriptReplayer"),
    ("Given", "what is given, and for what"),
    ("Heard", "Received"),
    ("Keep", "PrefixPolicy"),
    ("Kind", "what it is a kind of"),
    ("Loss", "Imprecision"),
    ("Merits", "CandidateFeatures"),
    ("News", "SearchEvent"),
    ("Peak", "BestCase"),
    ("Said", "ChildMessage"),
    ("Standing", "Scoreboard"),
    ("Want", "PinTargets"),
];
/// The typed questions of the source, and what shows who answers them.
const QUESTIONS: &str = "crates/core/src/source/choices.rs";
const WHO_ANSWERS: [&str; 3] = ["self.answerer", "is_fast()", "is_recording()"];
/// The section about global state, and types of statics that have none.
const GLOBAL_STATE: &str = "\n## Global state\n";
const CONSTANTS: [&str; 3] = ["&", "[Command;", "ArmSet"];
/// The page with the map.
const MAP: &str = "ARCHITECTURE.md";

/// What is untidy about the files of the repository, given by path and text, as `path:line: what, what to do`.
pub(super) fn check(files: &[(String, String)]) -> Vec<String> {
    let mut res = defined_twice(files);
    res.extend(shared_names(files));
    res.extend(not_on_the_map(files));
    res.extend(asks_twice(files));
    res.extend(unlisted_state(files));
    res.extend(wrong_dependencies(files));
    res
}

/// How many names are of two types or more, and of three or more.
pub(super) fn counts(files: &[(String, String)]) -> String {
    let [twice, thrice] = [2, 3].map(|times| names_of(files, times).len());
    format!(
        "{twice} names are of 2 types or more (at most {TWICE_MAX}), {thrice} of 3 (at most {THRICE_MAX})"
    )
}

/// Types that have a retired name, or the name of another in the same crate.
fn defined_twice(files: &[(String, String)]) -> Vec<String> {
    let mut known: BTreeMap<(&str, &str), String> = BTreeMap::new();
    let mut res = Vec::new();
    for it in definitions(files) {
        let Some((name, _)) = source(it.path) else { continue };
        let here = format!("{}:{}", it.path, it.line);
        if let Some((old, ours)) = RETIRED.iter().find(|old| old.0 == it.ty) {
            res.push(format!("{here}: `{old}` is retired, say {ours}"));
        }
        match known.get(&(name, it.ty)) {
            // In one file, they are for different platforms.
            Some(there) if there.starts_with(&format!("{}:", it.path)) => {}
            Some(there) => {
                let ty = it.ty;
                res.push(format!("{here}: `{ty}` is another type at {there}, rename one"));
            }
            None => _ = known.insert((name, it.ty), here),
        }
    }
    res
}

/// Names that too many files of the workspace give to types of their own.
fn shared_names(files: &[(String, String)]) -> Vec<String> {
    let mut res = Vec::new();
    for (times, max) in [(2, TWICE_MAX), (3, THRICE_MAX)] {
        let many = names_of(files, times);
        if many.len() > max {
            let n = many.len();
            let names = many.join(", ");
            res.push(format!(
                "crates:1: {n} names are of {times} types or more, {max} may be, rename some of {names}"
            ));
        }
    }
    res
}

/// The names that this many files or more give to types of their own.
fn names_of(files: &[(String, String)], times: usize) -> Vec<&str> {
    let mut paths: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for it in definitions(files) {
        let known = paths.entry(it.ty).or_default();
        if known.last() != Some(&it.path) {
            known.push(it.path);
        }
    }
    paths.into_iter().filter(|it| it.1.len() >= times).map(|it| it.0).collect()
}

/// Global state that has no row with its file and its name in the section of the map about it.
fn unlisted_state(files: &[(String, String)]) -> Vec<String> {
    let Some((_, map)) = files.iter().find(|it| it.0 == MAP) else { return Vec::new() };
    let section = map.split_once(GLOBAL_STATE).and_then(|it| it.1.split("\n## ").next()).unwrap_or_default();
    let mut res = Vec::new();
    for (path, text) in files {
        let Some((name, file)) = source(path).filter(|it| !is_test(it.1)) else { continue };
        for (i, line) in own(text).lines().enumerate() {
            let Some((var, ty)) = line.trim().strip_prefix("static ").and_then(|it| it.split_once(": "))
            else {
                continue;
            };
            let is_listed = |row: &str| {
                row.starts_with(&format!("| {name} "))
                    && row.contains(&format!("`{file}`"))
                    && row.contains(&format!("`{var}`"))
            };
            // What has no state is a constant. Macros write statics for others.
            let is_constant = CONSTANTS.iter().any(|it| ty.starts_with(it)) || line.contains('$');
            if !is_constant && !section.lines().any(is_listed) {
                res.push(format!("{path}:{}: `{var}` is global state, list it in {MAP}", i + 1));
            }
        }
    }
    res
}

/// Crates that others depend on than the table of the map says.
fn wrong_dependencies(files: &[(String, String)]) -> Vec<String> {
    let Some((_, map)) = files.iter().find(|it| it.0 == MAP) else { return Vec::new() };
    let manifests: Vec<(&str, &str)> =
        files.iter().filter_map(|(path, text)| Some((manifest(path)?, &**text))).collect();
    let mut res = Vec::new();
    for (name, _) in &manifests {
        let package = if name.contains("probity") { name.to_string() } else { format!("probity-{name}") };
        let users = manifests.iter().filter(|it| depends(it.1, &package)).map(|it| it.0);
        let mut users: Vec<&str> = users.filter(|it| it != name).collect();
        let start = format!("| `{name}` |");
        let Some(row) = map.lines().find(|it| it.starts_with(&start)) else {
            res.push(format!("{MAP}:1: no row says what may depend on `{name}`, add one"));
            continue;
        };
        let mut listed: Vec<&str> = row[start.len()..].split('`').skip(1).step_by(2).collect();
        users.sort_unstable();
        listed.sort_unstable();
        if users != listed {
            let users = users.join(", ");
            res.push(format!("{MAP}:1: on `{name}` depend: {users}; the table says otherwise, correct one"));
        }
    }
    res
}

/// The crate whose manifest a path is.
fn manifest(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml").filter(|it| !it.contains('/'))
}

/// Whether a manifest asks for a package outside of tests.
fn depends(manifest: &str, package: &str) -> bool {
    let mut is_own = false;
    manifest.lines().any(|line| {
        if line.starts_with('[') {
            is_own = line.ends_with("dependencies]") && !line.contains("dev-");
        }
        is_own && line.split([' ', '.', '=']).next() == Some(package)
    })
}

/// Whether a source file is one of tests.
pub(super) fn is_test(file: &str) -> bool {
    file.ends_with("tests.rs")
        || file.contains("tests/")
        || file.contains("test_")
        || file.ends_with("agreement.rs")
}

/// A file without its unit tests, which are at its end.
fn own(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod ").next().unwrap_or_default()
}

/// Questions of the source that look more than once at who answers.
fn asks_twice(files: &[(String, String)]) -> Vec<String> {
    let Some((path, text)) = files.iter().find(|it| it.0 == QUESTIONS) else { return Vec::new() };
    let (mut res, mut looks) = (Vec::new(), 0);
    for (i, line) in text.lines().enumerate() {
        let begins = line.strip_prefix("    ").is_some_and(|it| super::words(it).any(|it| it == "fn"));
        if begins && !line.trim_start().starts_with("//") {
            looks = 0;
        }
        looks += WHO_ANSWERS.iter().map(|it| line.matches(it).count()).sum::<usize>();
        if looks > 1 {
            looks = 0;
            res.push(format!("{path}:{}: this looks twice at who answers, look once", i + 1));
        }
    }
    res
}

/// A type that is defined outside of tests.
struct Definition<'a> {
    path: &'a str,
    line: usize,
    ty: &'a str,
}

/// The types of the workspace, but for those of tests and of files that take the place of others.
fn definitions(files: &[(String, String)]) -> Vec<Definition<'_>> {
    let mut res = Vec::new();
    for (path, text) in files {
        let inside = source(path).map(|it| it.1);
        let Some(file) = inside.or(["suite/src/", "xtask/src/"].iter().find_map(|it| path.strip_prefix(it)))
        else {
            continue;
        };
        if !path.ends_with(".rs") || is_test(file) || TWINS.iter().any(|it| file.ends_with(it)) {
            continue;
        }
        // Unit tests may name things as they like.
        for (i, line) in own(text).lines().enumerate() {
            if let Some(ty) = defined(line) {
                res.push(Definition { path, line: i + 1, ty });
            }
        }
    }
    res
}

/// The name of the type that a line defines for its whole file.
fn defined(line: &str) -> Option<&str> {
    let mut words = super::words(line).peekable();
    if line.starts_with(' ') || line.starts_with('/') {
        return None;
    }
    while matches!(words.peek(), Some(&("pub" | "crate" | "super" | "in" | "unsafe"))) {
        words.next();
    }
    TYPES.contains(&words.next()?).then(|| words.next()).flatten()
}

/// Crates and modules that their section of the map does not name, and files that it names and do not exist.
fn not_on_the_map(files: &[(String, String)]) -> Vec<String> {
    let Some((_, map)) = files.iter().find(|it| it.0 == MAP) else { return Vec::new() };
    let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, _) in files {
        if let Some((name, file)) = source(path) {
            modules.entry(name).or_default().push(file);
        }
    }
    let mut res = Vec::new();
    for (name, files) in modules {
        let heading = format!("### `crates/{name}`");
        let Some((before, rest)) = map.split_once(&heading) else {
            res.push(format!("{MAP}:1: there is no `{heading}`, say what the crate is for"));
            continue;
        };
        let line = before.lines().count() + 1;
        let section = rest.split("\n##").next().unwrap_or_default();
        let named: Vec<&str> = section.split('`').skip(1).step_by(2).collect();
        for file in &files {
            let top = file.split('/').next().unwrap_or_default();
            let stem = top.strip_suffix(".rs").unwrap_or(top);
            let is_named = |it: &&str| {
                it.strip_suffix(".rs").or(it.strip_suffix('/')).unwrap_or(it).split('/').any(|it| it == stem)
            };
            if !matches!(stem, "lib" | "main" | "mod" | "tests" | "bin") && !named.iter().any(is_named) {
                res.push(format!("{MAP}:{line}: crates/{name} has `{file}`, name it in this section"));
            }
        }
        for it in named.iter().filter(|it| it.ends_with(".rs")) {
            if !files.iter().any(|file| file.ends_with(*it)) {
                res.push(format!("{MAP}:{line}: crates/{name} has no `{it}`, correct this section"));
            }
        }
    }
    res.sort();
    res.dedup();
    res
}

/// The crate of a source file, and its path in there.
pub(super) fn source(path: &str) -> Option<(&str, &str)> {
    let (name, file) = path.strip_prefix("crates/")?.split_once("/src/")?;
    (path.ends_with(".rs") && !name.contains('/')).then_some((name, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        check(&files.iter().map(|it| (it.0.to_string(), it.1.to_string())).collect::<Vec<_>>())
    }

    #[test]
    fn a_name_is_defined_once_in_a_crate() {
        let a = ("crates/a/src/x.rs", "pub(crate) struct Part;\n    enum Inner {}\n");
        let b = (
            "crates/a/src/y.rs",
            "//! Y.\nenum Part {}\nenum Inner {}\n#[cfg(test)]\nmod tests {}\nstruct Part;",
        );
        let rename = "crates/a/src/y.rs:2: `Part` is another type at crates/a/src/x.rs:1, rename one";
        assert_eq!(found(&[a, b]), [rename]);
        let retired = "crates/a/src/x.rs:1: `News` is retired, say SearchEvent";
        assert_eq!(found(&[("crates/a/src/x.rs", "pub enum News {}")]), [retired]);
        assert_eq!(found(&[a, ("crates/b/src/y.rs", b.1), ("crates/a/src/unsupported.rs", b.1)]), [""; 0]);
    }

    #[test]
    fn few_names_are_shared() {
        let file = |name: &str, n: usize| {
            let text = (0..n).fold(String::new(), |res, i| format!("{res}struct Type{i};\n"));
            (format!("crates/{name}/src/x.rs"), text)
        };
        let found = |n: &[usize]| {
            let files: Vec<_> = ["a", "b", "c"].iter().zip(n).map(|(name, n)| file(name, *n)).collect();
            let first = |it: &String| it.split(", ").next().unwrap_or_default().to_string();
            check(&files).iter().map(first).collect::<Vec<_>>()
        };
        assert_eq!(found(&[60, TWICE_MAX, THRICE_MAX]), [""; 0]);
        assert_eq!(found(&[60, 40, 0]), ["crates:1: 40 names are of 2 types or more"]);
        assert_eq!(found(&[8, 8, 8]), ["crates:1: 8 names are of 3 types or more"]);
    }

    #[test]
    fn a_question_looks_once_at_who_answers() {
        let one = "impl Source {\n    fn bool(&mut self) {\n        match &self.answerer {}\n    }\n";
        let two = "    fn int(&mut self) {\n        if self.is_fast() {}\n        match self.answerer {}\n    }\n}\n";
        assert_eq!(found(&[(QUESTIONS, one)]), [""; 0]);
        let expected = format!("{QUESTIONS}:7: this looks twice at who answers, look once");
        assert_eq!(found(&[(QUESTIONS, &(one.to_string() + two))]), [expected]);
    }

    #[test]
    fn global_state_is_listed() {
        let rows = "### `crates/a`: things\n`x.rs`\n## Global state\n\n| a `x.rs` | `ONE` | a thread |\n";
        let file = "    static ONE: Cell<u8> = x;\nstatic TWO: Cell<u8> = x;\nstatic WORDS: &[u8] = &[];\n";
        let expected = "crates/a/src/x.rs:2: `TWO` is global state, list it in ARCHITECTURE.md";
        assert_eq!(found(&[(MAP, rows), ("crates/a/src/x.rs", file)]), [expected]);
    }

    #[test]
    fn who_depends_on_whom_is_listed() {
        let core = ("crates/core/Cargo.toml", "[package]\n");
        let user = (
            "crates/a/Cargo.toml",
            "[dependencies]\nprobity-core.workspace = true\n[dev-dependencies]\nprobity-a = 1",
        );
        let rows = "| `a` | nothing |\n| `core` | `a` |\n";
        assert_eq!(found(&[(MAP, rows), core, user]), [""; 0]);
        let expected = "ARCHITECTURE.md:1: on `core` depend: a; the table says otherwise, correct one";
        assert_eq!(found(&[(MAP, "| `a` | nothing |\n| `core` | `b` |\n"), core, user]), [expected]);
        let missing = "ARCHITECTURE.md:1: no row says what may depend on `a`, add one";
        assert_eq!(found(&[(MAP, "| `core` | `a` |\n"), core, user]), [missing]);
    }

    #[test]
    fn the_map_names_what_there_is() {
        let map = "### `crates/a`: things\n\n`x.rs` and `gone.rs`\n\n## Next\n`y.rs`";
        let files =
            [(MAP, map), ("crates/a/src/lib.rs", ""), ("crates/a/src/x/z.rs", ""), ("crates/a/src/y.rs", "")];
        let expected = [
            "ARCHITECTURE.md:1: crates/a has `y.rs`, name it in this section",
            "ARCHITECTURE.md:1: crates/a has no `gone.rs`, correct this section",
            "ARCHITECTURE.md:1: crates/a has no `x.rs`, correct this section",
        ];
        assert_eq!(found(&files), expected);
        let other = found(&[(MAP, ""), ("crates/a/src/lib.rs", "")]);
        assert_eq!(other, ["ARCHITECTURE.md:1: there is no `### `crates/a``, say what the crate is for"]);
    }
}
