//! How long the first build of a test takes for somebody who adds a library to their crate.

use crate::library::Library;
use crate::report::{Bound, Entry, Report, Target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Builds a crate with one test per library; the best of `repeat` builds counts. Hegel, which builds for
/// minutes, is left out unless `all` is set, and then is built once.
pub fn report(repeat: u64, all: bool) -> Report {
    let libraries = Library::ALL
        .into_iter()
        .filter(|&library| library != Library::Recording && (all || library != Library::Hegel));
    let home = std::env::temp_dir().join(format!("peers-build-{}", std::process::id()));
    let mut users: Vec<User> = libraries.map(|library| User::new(library, &home)).collect();
    for round in 0..repeat {
        for user in &mut users {
            if round == 0 || user.library != Library::Hegel {
                user.build();
            }
        }
    }
    fs::remove_dir_all(&home).expect("the temporary crates can be removed");
    let ours = seconds_of(&users, Library::Probity);
    let rows = users.iter().map(|user| {
        let ratio = if user.library.is_peer() { Entry::Number(ours / user.seconds) } else { Entry::Missing };
        vec![
            ("library", Entry::Text(user.library.name().to_owned())),
            ("seconds", Entry::Number(user.seconds)),
            ("probity/peer", ratio),
        ]
    });
    let target = Target {
        about: "probity / proptest".to_owned(),
        figure: ours / seconds_of(&users, Library::Proptest),
        bound: Bound::AtMost(MOST_OF_PROPTEST),
    };
    let about = format!("cargo test --no-run from nothing but the sources, best of {repeat}");
    Report { measure: "build time", about, rows: rows.collect(), targets: vec![target] }
}

/// The share of proptest's build time that Probity may take.
const MOST_OF_PROPTEST: f64 = 0.5;

/// A crate which uses a library in one test.
struct User {
    library: Library,
    home: PathBuf,
    /// Of the fastest build so far.
    seconds: f64,
}

impl User {
    /// Writes the crate and fetches what it depends on, so that no download is measured.
    fn new(library: Library, all_homes: &Path) -> User {
        let (package, test) = library.user_test();
        let home = all_homes.join(package);
        fs::create_dir_all(home.join("src")).expect("a temporary crate can be made");
        let dependency = dependency_line(library, package);
        let manifest = format!(
            "[package]\nname = \"user\"\nedition = \"2024\"\n[dev-dependencies]\n{dependency}\n[workspace]\n"
        );
        fs::write(home.join("Cargo.toml"), manifest).expect("a temporary crate can be written");
        fs::write(home.join("src/lib.rs"), format!("#![cfg(test)]\n{test}")).expect("and so can its test");
        let user = User { library, home, seconds: f64::INFINITY };
        user.cargo(&["fetch"]);
        user
    }

    fn build(&mut self) {
        let start = Instant::now();
        self.cargo(&["test", "--no-run"]);
        self.seconds = self.seconds.min(start.elapsed().as_secs_f64());
        fs::remove_dir_all(self.target()).expect("a build can be removed");
    }

    fn cargo(&self, arguments: &[&str]) {
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(arguments)
            .current_dir(&self.home)
            .env("CARGO_TARGET_DIR", self.target())
            .output()
            .expect("cargo can be started");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cargo {arguments:?} for {} failed:\n{errors}", self.library.name());
    }

    fn target(&self) -> PathBuf {
        self.home.join("target")
    }
}

/// The line of a manifest that asks for `library`: for a peer, the very line of this package's manifest.
fn dependency_line(library: Library, package: &str) -> String {
    if !library.is_peer() {
        return format!(
            "{package} = {{ path = {:?} }}",
            concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/probity")
        );
    }
    let mut lines = include_str!("../Cargo.toml").lines();
    let line = lines.find(|line| line.split(" =").next() == Some(package));
    line.expect("every peer is a dependency of this package").to_owned()
}

fn seconds_of(users: &[User], library: Library) -> f64 {
    users.iter().find(|user| user.library == library).expect("the library was built").seconds
}
