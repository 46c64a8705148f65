//! The command line: which command, with which options. Parsing, `--help` and suggestions go by one table.

use std::ffi::OsString;

use crate::suggest::nearest;

/// A command with its options, as parsed and as shown by `--help`.
pub(crate) struct Command {
    /// The word after `probity`.
    pub(crate) name: &'static str,
    /// What stands after the word.
    pub(crate) usage: &'static str,
    /// One line for the list of commands.
    pub(crate) summary: &'static str,
    /// What `--help` says between usage and options.
    pub(crate) about: &'static str,
    /// How many words it needs, and how many it takes.
    pub(crate) words: (usize, usize),
    /// Its options.
    pub(crate) options: &'static [&'static Opt],
    /// What `--help` says at the end.
    pub(crate) ending: &'static str,
    /// Whether options that are not its own are another program's.
    pub(crate) passes_on: bool,
}

/// An option of a command.
pub(crate) struct Opt {
    /// Without its dashes.
    pub(crate) long: &'static str,
    /// The letter of its short form.
    pub(crate) short: Option<char>,
    /// What to call its value, if it takes one.
    pub(crate) value: Option<&'static str>,
    /// A line or more for `--help`.
    pub(crate) help: &'static str,
}

/// What was on the command line of a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Args {
    /// Words that are no options.
    pub(crate) words: Vec<OsString>,
    /// Options by their long name; of two with one name the last counts.
    options: Vec<(&'static str, OsString)>,
    /// Whether help was asked for.
    pub(crate) help: bool,
    /// What was not ours, where the command passes it on.
    pub(crate) rest: Vec<OsString>,
}

impl Args {
    /// Reads what follows the command's name.
    pub(crate) fn parse(command: &Command, args: impl IntoIterator<Item = OsString>) -> Result<Args, String> {
        let mut args = args.into_iter();
        let mut res = Args::default();
        while let Some(arg) = args.next() {
            let text = arg.to_str().unwrap_or_default();
            if text == "--" && command.passes_on {
                res.rest.push(arg);
                res.rest.extend(args.by_ref());
            } else if text == "--" {
                res.words.extend(args.by_ref());
            } else if text == "-h" || text == "--help" {
                res.help = true;
            } else if arg.as_encoded_bytes().starts_with(b"-") && text != "-" {
                match split(command, text) {
                    Ok((opt, value)) => {
                        let value = value_of(opt, value, &mut args)?;
                        res.options.push((opt.long, value));
                    }
                    Err(_) if command.passes_on => res.rest.push(arg),
                    Err(why) => return Err(why),
                }
            } else if command.passes_on {
                res.rest.push(arg);
            } else {
                res.words.push(arg);
            }
        }
        let (least, most) = command.words;
        let n = res.words.len();
        if !res.help && (n < least || n > most) {
            let what = if n < least { "something is missing" } else { "there is a word too many" };
            return Err(format!("{what}; write `probity {} {}`", command.name, command.usage));
        }
        Ok(res)
    }

    /// Whether the option was given.
    pub(crate) fn has(&self, long: &str) -> bool {
        self.options.iter().any(|it| it.0 == long)
    }

    /// The value of an option, which may be a path.
    pub(crate) fn os(&self, long: &str) -> Option<&OsString> {
        self.options.iter().rfind(|it| it.0 == long).map(|it| &it.1)
    }

    /// All values of an option that may be given several times.
    pub(crate) fn all(&self, long: &str) -> impl Iterator<Item = String> {
        self.options.iter().filter(move |it| it.0 == long).map(|it| it.1.to_string_lossy().into_owned())
    }

    /// The value of an option, read by `read`, which says what it expects.
    pub(crate) fn value<T>(
        &self,
        long: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let Some(value) = self.os(long) else { return Ok(None) };
        let text = value.to_string_lossy();
        let dashes = if long.len() == 1 { "-" } else { "--" };
        read(&text).map(Some).map_err(|expected| format!("`{dashes}{long}` is `{text}`; expected {expected}"))
    }

    /// A word that has to be text.
    pub(crate) fn word(&self, index: usize) -> Option<String> {
        self.words.get(index).map(|it| it.to_string_lossy().into_owned())
    }
}

/// The option that an argument begins, and the part of it that is already the value.
fn split<'a>(command: &Command, text: &'a str) -> Result<(&'static Opt, Option<&'a str>), String> {
    if let Some(long) = text.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |it| (it.0, Some(it.1)));
        let found = command.options.iter().find(|it| it.long == name);
        return found.map(|it| (*it, value)).ok_or_else(|| {
            let known: Vec<&str> = command.options.iter().map(|it| it.long).chain(["help"]).collect();
            let hint = nearest(name, &known).map_or_else(
                || format!("`probity help {}` lists those there are", command.name),
                |it| format!("did you mean `--{it}`?"),
            );
            format!("unknown option `--{name}`; {hint}")
        });
    }
    let mut chars = text.chars();
    chars.next();
    let letter = chars.next();
    let rest = chars.as_str();
    let found = command.options.iter().find(|it| it.short.is_some() && it.short == letter);
    let found = found.filter(|it| rest.is_empty() || it.value.is_some());
    let value = Some(rest.strip_prefix('=').unwrap_or(rest)).filter(|_| !rest.is_empty());
    found.map(|it| (*it, value)).ok_or_else(|| {
        format!("unknown option `{text}`; `probity help {}` lists those there are", command.name)
    })
}

/// The value of an option: what is in the same argument, or the next one.
fn value_of(
    opt: &Opt,
    value: Option<&str>,
    args: &mut dyn Iterator<Item = OsString>,
) -> Result<OsString, String> {
    match (opt.value, value) {
        (None, None) => Ok(OsString::new()),
        (None, Some(value)) => Err(format!("`--{}` takes no value; leave out `{value}`", opt.long)),
        (Some(_), Some(value)) => Ok(value.into()),
        (Some(what), None) => args
            .next()
            .ok_or_else(|| format!("`--{}` needs a value; write `--{} {what}`", opt.long, opt.long)),
    }
}

/// A whole number: `1_000` or `0x3e8`.
pub(crate) fn number(text: &str) -> Result<u64, String> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |it| (it, 16));
    let starts_well = digits.starts_with(|c: char| c.is_ascii_hexdigit());
    let parsed = u64::from_str_radix(&digits.replace('_', ""), radix).ok().filter(|_| starts_well);
    parsed.ok_or_else(|| "a whole number below 2^64, such as 100".to_string())
}

/// A duration above zero in milliseconds: `500ms`, `5s`, `2m`, `1h`.
pub(crate) fn millis(text: &str) -> Result<u64, String> {
    let read = || {
        let (digits, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
        let units = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];
        let (_, size) = units.into_iter().find(|it| it.0 == unit)?;
        number(digits).ok()?.checked_mul(size).filter(|it| *it > 0)
    };
    read().ok_or_else(|| "a duration such as 500ms, 5s or 2m".to_string())
}

/// One of some words.
pub(crate) fn one_of<T: Copy>(text: &str, known: &[(&'static str, T)]) -> Result<T, String> {
    let names: Vec<&str> = known.iter().map(|it| it.0).collect();
    known.iter().find(|it| it.0 == text).map(|it| it.1).ok_or_else(|| {
        let hint = nearest(text, &names).map_or(String::new(), |it| format!(", did you mean {it}?"));
        format!("one of {}{hint}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: Opt = Opt { long: "count", short: Some('n'), value: Some("N"), help: "" };
    const EXPLAIN: Opt = Opt { long: "explain", short: None, value: None, help: "" };
    const COMMAND: Command = Command {
        name: "do",
        usage: "FILE [NAME]",
        summary: "",
        about: "",
        words: (1, 2),
        options: &[&COUNT, &EXPLAIN],
        ending: "",
        passes_on: false,
    };

    fn parse(command: &Command, line: &str) -> Result<Args, String> {
        Args::parse(command, line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn lines_are_parsed() {
        // The line, its words, its count, whether it explains.
        let rows: &[(&str, &[&str], Option<&str>, bool)] = &[
            ("f", &["f"], None, false),
            ("-", &["-"], None, false),
            ("f -n 5 g", &["f", "g"], Some("5"), false),
            ("-n5 f --explain", &["f"], Some("5"), true),
            ("-n=5 f", &["f"], Some("5"), false),
            ("--count=5 --count 6 f", &["f"], Some("6"), false),
            ("--count -1 f", &["f"], Some("-1"), false),
            ("-- -n --explain", &["-n", "--explain"], None, false),
        ];
        for (line, words, count, explain) in rows {
            let args = parse(&COMMAND, line).unwrap();
            assert_eq!(args.words, *words, "{line}");
            assert_eq!(args.os("count").map(|it| it.to_str().unwrap()), *count, "{line}");
            assert_eq!(args.has("explain"), *explain, "{line}");
        }
    }

    #[test]
    fn mistakes_are_explained() {
        let rows = [
            ("", "something is missing; write `probity do FILE [NAME]`"),
            ("a b c", "there is a word too many; write `probity do FILE [NAME]`"),
            ("f --coutn 5", "unknown option `--coutn`; did you mean `--count`?"),
            ("f --zzz", "unknown option `--zzz`; `probity help do` lists those there are"),
            ("f -x", "unknown option `-x`; `probity help do` lists those there are"),
            ("f --count", "`--count` needs a value; write `--count N`"),
            ("f --explain=no", "`--explain` takes no value; leave out `no`"),
        ];
        for (line, expected) in rows {
            assert_eq!(parse(&COMMAND, line).unwrap_err(), expected, "{line}");
        }
    }

    #[test]
    fn what_is_not_ours_is_passed_on() {
        let command = Command { passes_on: true, words: (0, 0), ..COMMAND };
        let args = parse(&command, "--release -n 5 name -p x -- --nocapture -n 6").unwrap();
        assert_eq!(args.rest, ["--release", "name", "-p", "x", "--", "--nocapture", "-n", "6"]);
        assert_eq!(args.os("count"), Some(&"5".into()));
    }

    #[test]
    fn values_are_read() {
        let numbers = [("5", Some(5)), ("1_000", Some(1000)), ("0x10", Some(16)), ("-1", None), ("_", None)];
        for (text, expected) in numbers {
            assert_eq!(number(text).ok(), expected, "{text}");
        }
        let durations = [
            ("500ms", Some(500)),
            ("5s", Some(5000)),
            ("2m", Some(120_000)),
            ("5", None),
            ("0s", None),
            ("99999999999999999999h", None),
            ("é", None),
        ];
        for (text, expected) in durations {
            assert_eq!(millis(text).ok(), expected, "{text}");
        }
        let known = [("json", 1), ("csv", 2)];
        assert_eq!(one_of("csv", &known), Ok(2));
        assert_eq!(one_of("jsno", &known).unwrap_err(), "one of json, csv, did you mean json?");
        assert_eq!(one_of("pictures", &known).unwrap_err(), "one of json, csv");
    }
}
