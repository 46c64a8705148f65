//! How long the first build of a test takes for somebody who adds a library to their crate.
//!
//! Probity is built from a git repository, as a copy of the sources here: cargo builds what lies beside the user's crate
//! incrementally, and what is fetched not, which is faster.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use crate::quality::table::Table;
use crate::{cargo, sources};

/// A library as a user adds it.
struct Library {
    name: &'static str,
    /// What is in its manifest line for Probity; the line of a peer is that of `peers/Cargo.toml`.
    features: Option<&'static str>,
    /// Its package.
    package: &'static str,
    /// A test that a user of it writes.
    test: &'static str,
    /// The parts of proptest's wall time and processor time that it may take.
    most: Option<(f64, f64)>,
}

/// The one that is the measure.
const MEASURE: &str = "proptest";
/// Builds for minutes: left out unless asked for, and built once.
const SLOW: &str = "hegel";

const OURS: &str = "\
#[probity::test]
fn commutes(a: i64, b: i64) {
    assert_eq!(a.wrapping_add(b), b.wrapping_add(a));
}
";

const WITH_PATTERN: &str = "\
#[probity::test]
fn keeps_its_length(#[from(\"[a-z]{1,8}\")] word: String) {
    assert_eq!(word.to_uppercase().len(), word.len());
}
";

const LIBRARIES: [Library; 7] = [
    Library { name: "probity", features: Some(""), package: "probity", test: OURS, most: Some((1.05, 1.3)) },
    Library {
        name: "probity without concolic",
        features: Some(", default-features = false"),
        package: "probity",
        test: OURS,
        most: Some((0.7, 0.7)),
    },
    Library {
        name: "probity with patterns",
        features: Some(", features = [\"regex\"]"),
        package: "probity",
        test: WITH_PATTERN,
        most: Some((1.4, 1.4)),
    },
    Library {
        name: MEASURE,
        features: None,
        package: "proptest",
        test: "\
proptest::proptest! {
    #[test]
    fn commutes(a: i64, b: i64) {
        proptest::prop_assert_eq!(a.wrapping_add(b), b.wrapping_add(a));
    }
}
",
        most: None,
    },
    Library {
        name: "quickcheck",
        features: None,
        package: "quickcheck",
        test: "\
#[test]
fn commutes() {
    fn property(a: i64, b: i64) -> bool {
        a.wrapping_add(b) == b.wrapping_add(a)
    }
    quickcheck::quickcheck(property as fn(i64, i64) -> bool);
}
",
        most: None,
    },
    Library {
        name: "bolero",
        features: None,
        package: "bolero",
        test: "\
#[test]
fn commutes() {
    bolero::check!()
        .with_type::<(i64, i64)>()
        .for_each(|(a, b)| assert_eq!(a.wrapping_add(*b), b.wrapping_add(*a)));
}
",
        most: None,
    },
    Library {
        name: SLOW,
        features: None,
        package: "hegeltest",
        test: "\
#[hegel::test]
fn commutes(tc: hegel::TestCase) {
    let a: i64 = tc.draw(hegel::generators::integers());
    let b: i64 = tc.draw(hegel::generators::integers());
    assert_eq!(a.wrapping_add(b), b.wrapping_add(a));
}
",
        most: None,
    },
];

/// Builds a crate with one test per library, in turn; the best of `repeat` builds counts.
pub(crate) fn run(repeat: u64, all: bool, json: bool) -> ExitCode {
    let home = std::env::temp_dir().join(format!("probity-build-time-{}", std::process::id()));
    let source = home.join("source");
    sources::copy(&source);
    let cargo_home = own_cargo_home(&home);
    let libraries = LIBRARIES.iter().filter(|it| all || it.name != SLOW);
    let mut users: Vec<User> = libraries.map(|it| User::new(it, &home, &source, &cargo_home)).collect();
    for round in 0..repeat {
        for user in users.iter_mut().filter(|it| round == 0 || it.library.name != SLOW) {
            user.build();
        }
    }
    fs::remove_dir_all(&home).expect("the temporary crates can be removed");
    let table = table(&users, repeat);
    print!("{}", if json { table.json() } else { table.text() });
    if table.missed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn table(users: &[User], repeat: u64) -> Table {
    let title = format!(
        "first build of a test: `cargo test --no-run` with sources that were fetched, best of {repeat}, in seconds"
    );
    let columns = ["library", "wall", "processor", "wall / proptest's", "processor / proptest's"];
    let mut table = Table::new(title, &columns);
    let measure = users.iter().find(|it| it.library.name == MEASURE).expect("it was built");
    for it in users {
        let (wall, processor) = (it.wall / measure.wall, it.processor / measure.processor);
        let figures = [it.wall, it.processor, wall, processor].map(|it| format!("{it:.2}"));
        let cells = [vec![it.library.name.to_string()], figures.to_vec()].concat();
        match it.library.most {
            Some(most) => {
                let target = format!("<= {}, <= {}", most.0, most.1);
                table.row(cells, target, Some(wall <= most.0 && processor <= most.1));
            }
            None => table.row(cells, "", None),
        }
    }
    table
}

/// A crate which uses a library in one test.
struct User {
    library: &'static Library,
    home: PathBuf,
    cargo_home: PathBuf,
    /// Of the fastest build so far.
    wall: f64,
    processor: f64,
}

impl User {
    /// Writes the crate and fetches what it depends on, so that no download is measured.
    fn new(library: &'static Library, homes: &Path, source: &Path, cargo_home: &Path) -> User {
        let home = homes.join(library.name.replace(' ', "-"));
        fs::create_dir_all(home.join("src")).expect("a temporary crate can be made");
        let dependency = match library.features {
            Some(features) => format!("probity = {{ git = \"file://{}\"{features} }}", source.display()),
            None => line_of_peer(library.package),
        };
        let manifest = format!(
            "[package]\nname = \"user\"\nedition = \"2024\"\n[dev-dependencies]\n{dependency}\n[workspace]\n"
        );
        fs::write(home.join("Cargo.toml"), manifest).expect("a temporary crate can be written");
        let test = format!("#![cfg(test)]\n{}", library.test);
        fs::write(home.join("src/lib.rs"), test).expect("and so can its test");
        let cargo_home = cargo_home.to_path_buf();
        let user = User { library, home, cargo_home, wall: f64::INFINITY, processor: f64::INFINITY };
        user.cargo(&["fetch"]);
        user
    }

    fn build(&mut self) {
        let (start, before) = (Instant::now(), processor_time_of_children());
        self.cargo(&["test", "--no-run"]);
        self.wall = self.wall.min(start.elapsed().as_secs_f64());
        self.processor = self.processor.min(processor_time_of_children() - before);
        fs::remove_dir_all(self.home.join("target")).expect("a build can be removed");
    }

    fn cargo(&self, args: &[&str]) {
        let mut command = cargo::silent(args, &[]);
        command.current_dir(&self.home).env("CARGO_HOME", &self.cargo_home);
        command.env("CARGO_TARGET_DIR", self.home.join("target"));
        sources::finish(&mut command, self.library.name);
    }
}

/// The very line of the manifest of `peers` that asks for a package.
fn line_of_peer(package: &str) -> String {
    let manifest = fs::read_to_string(cargo::root().join("peers/Cargo.toml")).expect("it is there");
    let line = manifest.lines().find(|line| line.split(" =").next() == Some(package));
    line.expect("every peer is a dependency of `peers`").to_string()
}

/// A home of cargo's with the registry and the configuration of the usual one: what is fetched by git would stay there.
fn own_cargo_home(home: &Path) -> PathBuf {
    let usual = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let usual = usual.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).expect("there is a home");
    let own = home.join("cargo-home");
    fs::create_dir_all(&own).expect("a folder can be made");
    for name in ["registry", "config.toml"] {
        #[cfg(unix)]
        if usual.join(name).exists() {
            std::os::unix::fs::symlink(usual.join(name), own.join(name)).expect("links can be made");
        }
    }
    own
}

/// Seconds of the processor that finished children and their children took; not a number where the system does not say.
fn processor_time_of_children() -> f64 {
    /// Of user and system time, in the system's ticks, of which there are 100 a second on every Linux.
    const FIELDS: std::ops::Range<usize> = 13..15;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may contain anything.
    let Some((_, rest)) = stat.rsplit_once(") ") else { return f64::NAN };
    let fields: Vec<&str> = rest.split(' ').collect();
    let ticks = |it: &str| it.parse().unwrap_or(f64::NAN);
    fields.get(FIELDS).map_or(f64::NAN, |it| it.iter().copied().map(ticks).sum::<f64>() / 100.0)
}
