//! The file that is written: names are brought into scope where they are used, and nothing else is.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::krate::{ItemId, Namespace, RustCrate};
use super::ty::RustType;
use crate::args::Args;
use crate::exit::CommandError;

/// Names that are in scope everywhere.
const PRELUDE: [&str; 8] = ["Box", "Err", "Ok", "Option", "Result", "String", "ToString", "Vec"];

/// The names of a file, and the paths behind them.
pub(crate) struct Imports<'a> {
    krate: &'a RustCrate,
    paths: BTreeMap<String, Vec<String>>,
}

impl<'a> Imports<'a> {
    pub(crate) fn new(krate: &'a RustCrate) -> Imports<'a> {
        Imports { krate, paths: BTreeMap::new() }
    }

    /// How a type is written.
    pub(crate) fn ty(&mut self, ty: &RustType) -> String {
        ty.write(&mut |path| self.name(path))
    }

    /// How a resolved path is written.
    fn name(&mut self, path: &[String]) -> String {
        let public = match path {
            [first, _, ..] if first == "crate" => {
                let found = self.krate.find(0, path, Namespace::Types);
                found.and_then(|it| self.krate.public_path(it)).map(<[String]>::to_vec)
            }
            [first, _, _, ..] if first == "std" => Some(path.to_vec()),
            _ => None,
        };
        public.map_or_else(|| path.join("::"), |it| self.bring(it))
    }

    /// How a function is called: with its module before it, so that it does not get in the way of others.
    pub(crate) fn function(&mut self, path: &[String]) -> String {
        match path {
            [modules @ .., name] if modules.len() > 1 => format!("{}::{name}", self.bring(modules.to_vec())),
            _ => path.join("::"),
        }
    }

    /// A short name for a path, unless that is taken.
    fn bring(&mut self, path: Vec<String>) -> String {
        let Some(last) = path.last().cloned() else { return String::new() };
        if PRELUDE.contains(&&*last) {
            return if path[0] == "std" { last } else { path.join("::") };
        }
        let known = self.paths.entry(last.clone()).or_insert_with(|| path.clone());
        if *known == path { last } else { path.join("::") }
    }

    /// The lines that bring into scope what `text` uses.
    pub(crate) fn lines(&self, text: &str) -> Vec<String> {
        let used = self.paths.iter().filter(|it| has_word(text, it.0)).map(|it| it.1.join("::"));
        let mut res: Vec<String> = used.map(|it| format!("use {it};")).collect();
        res.sort();
        res
    }

    /// Whether everybody may name a resolved type.
    pub(crate) fn is_public(&self, ty: &RustType) -> bool {
        !ty.any(&|it| {
            self.krate.own_type(it).is_some_and(|it| self.krate.public_path(ItemId::Type(it)).is_none())
        })
    }
}

/// Whether `word` is in code, as a word of its own that no path leads to; comments do not count.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let code = text.lines().map(|it| it.split("//").next().unwrap_or_default());
    code.into_iter().any(|line| {
        line.match_indices(word).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + word.len()..]);
            !before.ends_with(is_part) && !before.ends_with("::") && !after.starts_with(is_part)
        })
    })
}

/// A name in the style of functions: `VecDeque` is `vec_deque`.
pub(crate) fn snake(name: &str) -> String {
    let mut res = String::new();
    let mut before_is_lower = false;
    for it in name.chars() {
        if it.is_uppercase() && before_is_lower {
            res.push('_');
        }
        before_is_lower = it.is_lowercase() || it.is_ascii_digit();
        res.extend(it.to_lowercase());
    }
    res
}

/// Puts the text where `--output` says, but never in the place of a file.
pub(crate) fn put(args: &Args, text: &str) -> Result<(), CommandError> {
    let Some(path) = args.os("output") else {
        // Anyone who reads it may stop reading.
        let _ = io::stdout().write_all(text.as_bytes());
        return Ok(());
    };
    let path = Path::new(path);
    let name = path.display();
    let cannot = |err: io::Error| match err.kind() {
        io::ErrorKind::AlreadyExists => {
            format!("`{name}` is there already and is not overwritten; remove it or choose another name")
        }
        _ => format!("cannot write `{name}`: {err}; choose another path"),
    };
    let mut file = File::create_new(path).map_err(cannot)?;
    file.write_all(text.as_bytes()).map_err(cannot)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_code() {
        let rows = [
            ("let it = Map::new();", "Map", true),
            ("let it = HashMap::new();", "Map", false),
            ("let it = a::Map::new();", "Map", false),
            ("x // Map", "Map", false),
            ("&mut Map", "Map", true),
            ("", "Map", false),
        ];
        for (text, word, expected) in rows {
            assert_eq!(has_word(text, word), expected, "{text}");
        }
    }

    #[test]
    fn names_are_put_in_the_style_of_functions() {
        for (name, expected) in
            [("VecDeque", "vec_deque"), ("Heap", "heap"), ("BTreeMap", "btree_map"), ("U8Set", "u8_set")]
        {
            assert_eq!(snake(name), expected);
        }
    }
}
