//! Which items are there: `#[cfg(..)]` as the crate is built here, without `test`.

use proc_macro2::TokenTree;

use super::tokens::is_punct;

/// What a crate is built with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Configuration {
    /// The features that are on.
    pub(crate) features: Vec<String>,
}

impl Configuration {
    /// Whether the predicates in these tokens all hold, as those of `all(..)`.
    pub(crate) fn holds(&self, tokens: &[TokenTree]) -> bool {
        tokens.split(|it| is_punct(Some(it), ',')).filter(|it| !it.is_empty()).all(|it| self.holds_one(it))
    }

    fn holds_one(&self, tokens: &[TokenTree]) -> bool {
        let name = tokens[0].to_string();
        let inside = |it: &TokenTree| match it {
            TokenTree::Group(it) => it.stream().into_iter().collect::<Vec<_>>(),
            _ => Vec::new(),
        };
        let value = tokens.get(2).map(ToString::to_string).unwrap_or_default();
        let value = value.trim_matches('"');
        match (&*name, tokens.get(1)) {
            ("all", Some(it)) => self.holds(&inside(it)),
            ("any", Some(it)) => {
                let inside = inside(it);
                inside.split(|it| is_punct(Some(it), ',')).any(|it| !it.is_empty() && self.holds_one(it))
            }
            ("not", Some(it)) => !self.holds(&inside(it)),
            ("feature", _) => self.features.iter().any(|it| it == value),
            ("target_os", _) => value == std::env::consts::OS,
            ("target_arch", _) => value == std::env::consts::ARCH,
            ("target_family", _) => value == std::env::consts::FAMILY,
            ("target_pointer_width", _) => value == usize::BITS.to_string(),
            ("target_has_atomic", _) => true,
            ("panic", _) => value == "unwind",
            ("unix", _) => cfg!(unix),
            ("windows", _) => cfg!(windows),
            ("true" | "debug_assertions", _) => true,
            // `test`, `doc`, `miri`, and what build scripts set.
            _ => false,
        }
    }
}
