//! The command line of a test program.

use std::path::PathBuf;

/// What a test program is asked to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TestOptions {
    /// The one test to run, by its whole name.
    pub(crate) test: Option<String>,
    /// Which tests to run, as a pattern with `*` and `?`.
    pub(crate) filter: Option<String>,
    pub(crate) lists: bool,
    pub(crate) help: bool,
    pub(crate) runs_disabled: bool,
    pub(crate) boring_only: bool,
    pub(crate) unwinds: bool,
    /// Cases in this process: faster by what a process costs, but a crash ends the program.
    pub(crate) no_fork: bool,
    pub(crate) exits_on_failure: bool,
    pub(crate) aborts_on_failure: bool,
    /// Saved inputs to run: files, or folders of files.
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) input_is_stdin: bool,
    /// Where failing inputs are written as DeepState writes them.
    pub(crate) output: Option<PathBuf>,
    /// Settings, as variables of the environment have them.
    pub(crate) settings: Vec<(String, String)>,
    /// The least level of logs that is shown.
    pub(crate) log_level: Option<i32>,
}

/// What the help says.
pub(crate) const HELP: &str = "\
Runs the tests of this program, each with many inputs.

  --list_tests            list the tests
  --test_filter PATTERN   run the tests whose names match, with * and ?
  --probity_test NAME     run this test
  --replay INPUT          run one input: what `replay` in a report says
  --input_test_file FILE  run the input in this file (--input_which_test NAME: of which test)
  --input_test_dir DIR, --input_test_files_dir DIR, --input_stdin   the same, of several
  --output_test_dir DIR   write failing inputs there
  --fuzz                  search for as long as --timeout says, or 2 minutes
  --seed N, --timeout SECONDS, --min_log_level N
  --no-fork               run cases in this process; a crash ends it
  --unwind                leave cases by unwinding, so that destructors run
  --run_disabled, --boring_only, --exit_on_fail, --abort_on_fail

Every setting of probity.toml is an option too: --engine concolic, --cases 5000, --time 10s,
--verbose, --isolate false, ...
";

impl TestOptions {
    /// Reads them. `settings` are the names of the settings, which are options too.
    pub(crate) fn read(
        arguments: impl IntoIterator<Item = String>,
        settings: &[&str],
    ) -> Result<TestOptions, String> {
        let mut res = TestOptions::default();
        let mut arguments = arguments.into_iter().peekable();
        while let Some(argument) = arguments.next() {
            let Some(option) = argument.strip_prefix("--") else {
                return Err(format!("`{argument}` is no option; `--help` lists them"));
            };
            let (name, mut value) = match option.split_once('=') {
                Some((name, value)) => (name.to_string(), Some(value.to_string())),
                None => (option.to_string(), None),
            };
            let name = name.replace('-', "_");
            if FLAGS.contains(&name.as_str()) {
                // Flags may have a value, too: `--fork false`.
                if value.is_none() && arguments.peek().is_some_and(|it| it == "true" || it == "false") {
                    value = arguments.next();
                }
                res.flag(&name, value.as_deref() != Some("false"));
                continue;
            }
            if name == "verbose" {
                res.set("verbose", "true".into());
                continue;
            }
            let value = match value.or_else(|| arguments.next()) {
                Some(value) => value,
                None => return Err(format!("`--{name}` has no value; write `--{name} VALUE`")),
            };
            res.value(&name, value, settings)?;
        }
        Ok(res)
    }

    fn flag(&mut self, name: &str, is_on: bool) {
        match name {
            "help" => self.help = is_on,
            "list_tests" => self.lists = is_on,
            "run_disabled" => self.runs_disabled = is_on,
            "boring_only" => self.boring_only = is_on,
            "exit_on_fail" => self.exits_on_failure = is_on,
            "abort_on_fail" => self.aborts_on_failure = is_on,
            "input_stdin" => self.input_is_stdin = is_on,
            "unwind" => self.unwinds = is_on,
            "fork" => self.no_fork = !is_on,
            "no_fork" => self.no_fork = is_on,
            "fuzz" if is_on => {
                self.set("time", "120s".into());
                self.set("cases", u64::MAX.to_string());
            }
            _ => {}
        }
    }

    fn value(&mut self, name: &str, value: String, settings: &[&str]) -> Result<(), String> {
        match name {
            "probity_test" | "input_which_test" => self.test = Some(value),
            "test_filter" => self.filter = Some(value),
            "input_test_file" | "input_test_dir" | "input_test_files_dir" => self.inputs.push(value.into()),
            "output_test_dir" => self.output = Some(value.into()),
            "timeout" => {
                let seconds = value.trim_end_matches('s');
                self.set("time", format!("{seconds}s"));
            }
            "num_workers" => {} // cases of one test run one after the other
            "min_log_level" => {
                self.log_level =
                    Some(value.parse().map_err(|_| format!("`--{name} {value}`: write a number"))?)
            }
            "replay" => self.set("replay", value),
            name if settings.contains(&name) => self.set(name, value),
            name => return Err(format!("`--{name}` is no option; `--help` lists them")),
        }
        Ok(())
    }

    /// The last one counts.
    fn set(&mut self, name: &str, value: String) {
        self.settings.retain(|it| it.0 != name);
        self.settings.push((name.to_string(), value));
    }
}

/// TestOptions without a value. Of DeepState's, some ask for what always is so.
const FLAGS: [&str; 17] = [
    "help",
    "list_tests",
    "run_disabled",
    "boring_only",
    "exit_on_fail",
    "abort_on_fail",
    "input_stdin",
    "unwind",
    "fork",
    "no_fork",
    "fuzz",
    "random",
    "fuzz_save_passing",
    "take_over",
    "verbose_reads",
    "direct_run",
    "klee",
];

/// Whether a name matches a pattern in which `*` is any text and `?` any character.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&it) if it == '?' || it == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, from)) = star else { return false };
                (p, n) = (at + 1, from + 1);
                star = Some((at, from + 1));
            }
        }
    }
    pattern[p..].iter().all(|it| *it == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<TestOptions, String> {
        TestOptions::read(line.split_whitespace().map(String::from), &["seed", "engine"])
    }

    #[test]
    fn options_are_read() {
        let options = read("--seed 7 --timeout=3 --test_filter A* --fork false --engine=concolic").unwrap();
        assert!(options.no_fork && options.filter.as_deref() == Some("A*"));
        let pairs = [("seed", "7"), ("time", "3s"), ("engine", "concolic")];
        assert_eq!(options.settings, pairs.map(|(a, b)| (a.to_string(), b.to_string())));
        let rows = [
            ("seed", "`seed` is no option; `--help` lists them"),
            ("--sed 7", "`--sed` is no option; `--help` lists them"),
            ("--seed", "`--seed` has no value; write `--seed VALUE`"),
            ("--min_log_level x", "`--min_log_level x`: write a number"),
        ];
        for (line, expected) in rows {
            assert_eq!(read(line).unwrap_err(), expected, "{line}");
        }
    }

    #[test]
    fn patterns_match() {
        let rows = [
            ("*", "", true),
            ("A_*", "A_b", true),
            ("A_*", "B_b", false),
            ("*b?d*", "abbcd", true),
            ("a", "ab", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
        ];
        for (pattern, name, expected) in rows {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
