//! Which program is the solver, and how it is called.

use std::path::Path;

/// A solver's program.
pub(super) struct SolverProgram {
    /// Its name on the path, or its path.
    pub(super) name: String,
    pub(super) args: Vec<String>,
    pub(super) dialect: Dialect,
}

/// What is known beyond the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Z3,
    Cvc5,
    Other,
}

/// A program that speaks SMT-LIB 2: the value of `PROBITY_SOLVER` if it is set, else the first of `z3` and `cvc5`
/// on the path. The caller reads the environment.
///
/// ```
/// use probity_models::solve::smt::find;
/// assert_eq!(find(Some("my-solver --fast"), None), Some("my-solver --fast".to_string()));
/// assert_eq!(find(None, Some("/nowhere")), None);
/// ```
pub fn find(chosen: Option<&str>, path: Option<&str>) -> Option<String> {
    if let Some(chosen) = chosen.map(str::trim).filter(|it| !it.is_empty()) {
        return Some(chosen.to_string());
    }
    let folders: Vec<_> = std::env::split_paths(path.unwrap_or_default()).collect();
    let is_there = |name: &&str| {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        folders.iter().any(|it| !it.as_os_str().is_empty() && is_program(&it.join(&file)))
    };
    ["z3", "cvc5"].iter().find(|it| is_there(it)).map(|it| it.to_string())
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

impl SolverProgram {
    /// Reads a program with its arguments. A path with spaces is taken whole if there is such a file.
    pub(super) fn read(text: &str) -> Result<SolverProgram, String> {
        let mut words = text.split_whitespace().map(str::to_string);
        let (name, args): (String, Vec<String>) = if Path::new(text.trim()).is_file() {
            (text.trim().to_string(), Vec::new())
        } else {
            let name = words.next();
            let message = "no solver is named; name z3, cvc5 or another SMT-LIB 2 solver".to_string();
            (name.ok_or(message)?, words.collect())
        };
        let stem = Path::new(&name).file_stem().map(|it| it.to_string_lossy().to_lowercase());
        let dialect = Dialect::of(&stem.unwrap_or_default());
        let args = if args.is_empty() { dialect.args() } else { args };
        Ok(SolverProgram { name, args, dialect })
    }

    /// Learns what the solver calls itself: its program may have any name.
    pub(super) fn learn(&mut self, name: &str) {
        if self.dialect == Dialect::Other {
            self.dialect = Dialect::of(&name.to_lowercase());
        }
    }
}

impl Dialect {
    fn of(name: &str) -> Dialect {
        match name {
            _ if name.starts_with("z3") => Dialect::Z3,
            _ if name.starts_with("cvc5") => Dialect::Cvc5,
            _ => Dialect::Other,
        }
    }

    fn args(self) -> Vec<String> {
        let args: &[&str] = match self {
            Dialect::Z3 => &["-in", "-smt2"],
            Dialect::Cvc5 => {
                &["--quiet", "--incremental", "--produce-models", "--lang=smt2", "--strings-exp"]
            }
            Dialect::Other => &[],
        };
        args.iter().map(|it| it.to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_with_their_arguments() {
        let rows: [(&str, &str, &[&str], Dialect); 4] = [
            ("z3", "z3", &["-in", "-smt2"], Dialect::Z3),
            ("/opt/z3-4.13/z3.exe", "/opt/z3-4.13/z3.exe", &["-in", "-smt2"], Dialect::Z3),
            ("z3 -in -v:0", "z3", &["-in", "-v:0"], Dialect::Z3),
            ("yices-smt2 --incremental", "yices-smt2", &["--incremental"], Dialect::Other),
        ];
        for (text, name, args, dialect) in rows {
            let program = SolverProgram::read(text).unwrap();
            assert_eq!((&*program.name, program.dialect), (name, dialect));
            assert_eq!(program.args, args);
        }
        assert!(SolverProgram::read("  ").is_err());
    }
}
