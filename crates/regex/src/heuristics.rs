//! What makes two texts of a pattern count as two: heuristics that can be switched on and off by name.

use std::fmt;

/// What makes two texts of a regex count as two. The default is what testers asked the paper's authors for: branches
/// differ, characters of a class do not, and repetitions are short or long.
///
/// ```
/// use probity_regex::Heuristics;
/// let mut it = Heuristics::default();
/// assert!(it.set("plus-as-concatenation", true) && !it.set("no-such-name", true));
/// assert_eq!(it.get("few-lengths"), Some(true));
/// assert_eq!(Heuristics::none().to_string(), "none");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Heuristics {
    /// `branches`: each alternative of a union is another; so is what is optional when it is present and when not.
    pub branches: bool,
    /// `classes-as-one`: the characters of a class are the same. Without it, and without `classes-as-unions`, each
    /// range that a class was written with is another.
    pub classes_as_one: bool,
    /// `classes-as-unions`: each character of a class is another. It outweighs `classes-as-one`.
    pub classes_as_unions: bool,
    /// `first-letter-classes`: a class that heads a repetition is split into the ranges it was written with.
    pub first_letter_classes: bool,
    /// `few-lengths`: all repetitions of a text are short, or all of them are long.
    pub few_lengths: bool,
    /// `plus-as-concatenation`: repetitions are unrolled, so every number of them is another, and so is every choice
    /// in each of them. It outweighs `few-lengths`; with `first-letter-classes` the class at every position is split.
    pub plus_as_concatenation: bool,
}

impl Default for Heuristics {
    fn default() -> Self {
        Heuristics {
            branches: true,
            classes_as_one: true,
            classes_as_unions: false,
            first_letter_classes: true,
            few_lengths: true,
            plus_as_concatenation: false,
        }
    }
}

impl Heuristics {
    /// Their names in the language.
    pub const NAMES: [&'static str; 6] = [
        "branches",
        "classes-as-one",
        "classes-as-unions",
        "first-letter-classes",
        "few-lengths",
        "plus-as-concatenation",
    ];

    /// All of them off: one leaf for all texts, but for the ranges of classes.
    pub fn none() -> Heuristics {
        Heuristics {
            branches: false,
            classes_as_one: false,
            classes_as_unions: false,
            first_letter_classes: false,
            few_lengths: false,
            plus_as_concatenation: false,
        }
    }

    /// Whether the one with that name is on; none where there is no such name.
    pub fn get(&self, name: &str) -> Option<bool> {
        { *self }.named(name).copied()
    }

    /// Switches the one with that name; false where there is no such name.
    pub fn set(&mut self, name: &str, on: bool) -> bool {
        self.named(name).map(|it| *it = on).is_some()
    }

    fn named(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "branches" => &mut self.branches,
            "classes-as-one" => &mut self.classes_as_one,
            "classes-as-unions" => &mut self.classes_as_unions,
            "first-letter-classes" => &mut self.first_letter_classes,
            "few-lengths" => &mut self.few_lengths,
            "plus-as-concatenation" => &mut self.plus_as_concatenation,
            _ => return None,
        })
    }
}

/// The names of those that are on.
impl fmt::Display for Heuristics {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let names: Vec<&str> =
            Heuristics::NAMES.into_iter().filter(|it| self.get(it) == Some(true)).collect();
        f.write_str(if names.is_empty() { "none" } else { "" })?;
        f.write_str(&names.join(" "))
    }
}
