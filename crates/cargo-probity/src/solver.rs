//! Which solver: by option, by environment, or the one that needs nothing.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use probity_models::SolverChoice;

use crate::exit::{CommandError, Exit};

/// The variable that names a solver for every call.
const VARIABLE: &str = "PROBITY_SOLVER";
/// The solver that needs nothing installed.
const BUILTIN: &str = "builtin";

/// The solver that was asked for, by `--solver` or else by the environment; or why it cannot be used.
pub(crate) fn choose(
    option: Option<&OsStr>,
    transcript: Option<PathBuf>,
) -> Result<SolverChoice, CommandError> {
    let variable = env::var_os(VARIABLE).filter(|it| !it.is_empty());
    let (wanted, origin) = match (option, &variable) {
        (Some(option), _) => (option, "--solver"),
        (None, Some(variable)) => (&**variable, VARIABLE),
        (None, None) => (OsStr::new(BUILTIN), ""),
    };
    let program = wanted.to_str().ok_or_else(|| format!("`{origin}` is not UTF-8: {wanted:?}"))?;
    if program == BUILTIN {
        return match transcript {
            None => Ok(SolverChoice::Builtin),
            Some(_) => {
                let what = "`--transcript` writes down what is said to a solver's program; add `--solver z3`";
                Err(what.to_string().into())
            }
        };
    }
    let found = is_there(program, env::var_os("PATH").as_deref());
    if !found {
        return Err(CommandError { exit: Exit::Unknown, text: missing(program, origin) });
    }
    Ok(SolverChoice::Smt { program: program.to_string(), transcript })
}

/// Whether a program, with or without arguments behind it, is a file or on the path.
fn is_there(program: &str, path: Option<&OsStr>) -> bool {
    let first = program.split_whitespace().next().unwrap_or_default();
    [program, first].into_iter().any(|it| {
        let is_path = it.contains('/') || it.contains(std::path::MAIN_SEPARATOR);
        if is_path {
            return Path::new(it).is_file();
        }
        let name = |folder: PathBuf| folder.join(format!("{it}{}", env::consts::EXE_SUFFIX)).is_file();
        !it.is_empty() && path.is_some_and(|path| env::split_paths(path).any(name))
    })
}

fn missing(program: &str, origin: &str) -> String {
    let install = match program {
        "z3" => "install it (`apt install z3`, `brew install z3` or `pip install z3-solver`)",
        "cvc5" => "install it (`apt install cvc5`, `brew install cvc5`, or from its releases)",
        _ => "check the path",
    };
    format!(
        "there is no solver `{program}`, asked for by `{origin}`; {install}, name a program that speaks SMT-LIB 2, \
         or use `--solver {BUILTIN}`, which needs nothing"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_on_the_path_and_by_path() {
        let exe = env::current_exe().unwrap();
        let folder = exe.parent().unwrap();
        let name = exe.file_stem().unwrap().to_str().unwrap();
        let path = exe.to_str().unwrap();
        assert!(is_there(path, None));
        assert!(is_there(&format!("{path} --flag"), None));
        assert!(is_there(name, Some(folder.as_os_str())));
        assert!(is_there(&format!("{name} -in"), Some(folder.as_os_str())));
        assert!(!is_there(name, None));
        assert!(!is_there("", Some(folder.as_os_str())));
        assert!(!is_there(&format!("{path}-no"), Some(folder.as_os_str())));
    }
}
