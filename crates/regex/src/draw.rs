//! Texts of a pattern as choices, so that every engine can draw them and every shrinker can make them simple.

use std::sync::Arc;

use probity_core::{Combine, Domain, Generator, Part, Source, Spaces, SpanKind, misuse};

use super::chars::{CharSet, at};
use super::language::Language;
use super::nfa;
use super::node::Node;
use super::pattern::Regex;
use super::sample::distances;

/// Texts that match a regex as a whole, drawn from a source: short and simple ones are the simplest. The misuse is
/// reported where it is drawn from a regex that no text matches.
///
/// ```
/// use probity_core::sample;
/// use probity_regex::{Regex, strings};
/// let time = Regex::new(r"(1[0-2]|[1-9]):[0-5]\d ?(AM|PM)").unwrap();
/// assert!(time.is_match(&sample(&strings(&time), 7)));
/// ```
pub fn strings(regex: &Regex) -> Strings {
    Strings { way: regex.draws(way), regex: regex.clone() }
}

/// See [`strings`].
#[derive(Clone, Debug)]
pub struct Strings {
    way: Result<DrawMethod, String>,
    regex: Regex,
}

/// How the texts of a pattern are drawn.
#[derive(Clone, Debug)]
pub(super) enum DrawMethod {
    Tree(Arc<DrawTree>),
    Walk(Arc<Language>, Arc<[u32]>),
    /// Assertions in a pattern that is too large for an automaton: some texts have to be thrown away.
    Checked(Arc<DrawTree>),
}

/// A pattern as choices, simplest first.
#[derive(Clone, Debug)]
pub(super) enum DrawTree {
    Literal(Arc<str>),
    Chars(Draws),
    Concat(Vec<DrawTree>),
    Union(Vec<DrawTree>),
    Repeat(Box<DrawTree>, u32, Option<u32>),
}

fn way(regex: &Regex) -> Result<DrawMethod, String> {
    let settled = regex.settled();
    nfa::check_size(settled)?;
    regex.check_not_empty()?;
    let tree = Arc::new(DrawTree::of(settled));
    if !settled.has_looks() {
        return Ok(DrawMethod::Tree(tree));
    }
    Ok(match regex.language() {
        Ok(language) => {
            let distances = distances(&language).into();
            DrawMethod::Walk(language, distances)
        }
        Err(_) => DrawMethod::Checked(tree),
    })
}

impl Strings {
    /// Why there is nothing to draw, if so.
    pub fn check(&self) -> Result<(), String> {
        self.way.as_ref().map(|_| ()).map_err(String::clone)
    }
}

impl Generator for Strings {
    type Value = String;

    fn generate(&self, source: &mut Source) -> String {
        match &self.way {
            Ok(DrawMethod::Tree(tree)) => source.span("String", SpanKind::Group, |src| tree.text(src)),
            Ok(DrawMethod::Walk(language, distances)) => {
                source.span("String", SpanKind::Group, |src| walk(language, distances, src))
            }
            Ok(DrawMethod::Checked(tree)) => {
                source.such_that(|src| tree.text(src), |it| self.regex.is_match(it))
            }
            Err(message) => misuse(message.clone()),
        }
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        match &self.way {
            Ok(DrawMethod::Tree(tree)) => tree.space(spaces),
            _ => spaces.unknown("a pattern with word boundaries or anchors in its middle"),
        }
    }
}

impl Combine for Strings {}

impl DrawTree {
    fn of(node: &Node) -> DrawTree {
        match node {
            Node::Empty | Node::Look(_) => DrawTree::Concat(Vec::new()),
            Node::Literal(text) => DrawTree::Literal(text.clone()),
            Node::Class(class) => DrawTree::Chars(Draws::of(&class.set)),
            Node::Concat(parts) => DrawTree::Concat(parts.iter().map(DrawTree::of).collect()),
            Node::Union(parts) => {
                let mut parts: Vec<&Node> = parts.iter().filter(|it| !it.is_nothing()).collect();
                parts.sort_by_key(|it| it.min_len());
                match &parts[..] {
                    [one] => DrawTree::of(one),
                    _ => DrawTree::Union(parts.into_iter().map(DrawTree::of).collect()),
                }
            }
            Node::Repeat(repeat) if repeat.node.is_nothing() => DrawTree::Concat(Vec::new()),
            Node::Repeat(repeat) => {
                DrawTree::Repeat(Box::new(DrawTree::of(&repeat.node)), repeat.min, repeat.max)
            }
        }
    }

    fn text(&self, source: &mut Source) -> String {
        let mut res = String::new();
        self.draw(source, &mut res);
        res
    }

    fn draw(&self, source: &mut Source, text: &mut String) {
        match self {
            DrawTree::Literal(it) => text.push_str(it),
            DrawTree::Chars(chars) => text.push(chars.draw(source)),
            DrawTree::Concat(parts) => parts.iter().for_each(|it| it.draw(source, text)),
            DrawTree::Union(parts) => source.span("alternative", SpanKind::Group, |src| {
                let at = src.pick(parts.len());
                parts[at].draw(src, text);
            }),
            DrawTree::Repeat(of, min, max) => {
                let item = |src: &mut Source, _| of.draw(src, text);
                match max {
                    Some(max) => source.list("repetition", *min, *max, item),
                    None => source.list_within_size("repetition", *min, u32::MAX, item),
                }
            }
        }
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        match self {
            DrawTree::Literal(_) => spaces.nothing(),
            DrawTree::Chars(chars) => chars.space(spaces),
            DrawTree::Concat(parts) => {
                let parts: Vec<Part> = parts.iter().map(|it| it.space(spaces)).collect();
                spaces.sequence(&parts)
            }
            DrawTree::Union(parts) => {
                let parts: Vec<Part> = parts.iter().map(|it| it.space(spaces)).collect();
                spaces.pick(&parts)
            }
            DrawTree::Repeat(of, min, max) => {
                let of = of.space(spaces);
                match max {
                    Some(max) => spaces.list(of, *min, *max),
                    None => spaces.list_within_size(of, *min, u32::MAX),
                }
            }
        }
    }
}

/// The characters of a class in ranges, readable ones first.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    /// The first ranges: printable ASCII.
    printable: Vec<(char, char)>,
    others: Vec<(char, char)>,
    /// How likely each printable range is, and last the others.
    weights: Vec<u32>,
}

/// What printable characters have over others, where a class has both.
const PRINTABLE_WEIGHT: u32 = 64;

impl Draws {
    pub(super) fn of(set: &CharSet) -> Draws {
        let ranges = |set: CharSet| -> Vec<(char, char)> {
            set.ranges().iter().map(|it| (at(it.0), at(it.1))).collect()
        };
        let ascii = CharSet::of_chars([(' ', '~')]);
        let mut printable = ranges(set.and(&ascii));
        printable.sort_by_key(|it| simplicity(*it));
        let others = ranges(set.and(&ascii.not()));
        let size = |it: &(char, char)| it.1 as u32 - it.0 as u32 + 1;
        let mut weights: Vec<u32> = printable.iter().map(|it| size(it) * PRINTABLE_WEIGHT).collect();
        if !others.is_empty() {
            weights.push((weights.iter().sum::<u32>() / PRINTABLE_WEIGHT).max(1));
        }
        Draws { printable, others, weights }
    }

    fn draw(&self, source: &mut Source) -> char {
        let at = match self.weights.len() {
            1 => 0,
            _ => source.pick_weighted(&self.weights),
        };
        let (lo, hi) = match self.printable.get(at) {
            Some(range) => *range,
            None if self.others.len() == 1 => self.others[0],
            None => self.others[source.pick(self.others.len())],
        };
        if lo == hi { lo } else { source.char(lo, hi) }
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let mut range = |&(min, max): &(char, char)| match min == max {
            true => spaces.nothing(),
            false => spaces.choice(Domain::Char { min, max }),
        };
        let mut parts: Vec<Part> = self.printable.iter().map(&mut range).collect();
        let others: Vec<Part> = self.others.iter().map(&mut range).collect();
        match others.len() {
            0 => {}
            1 => parts.extend(others),
            _ => parts.push(spaces.pick(&others)),
        }
        if parts.len() == 1 { parts[0] } else { spaces.pick(&parts) }
    }
}

/// Letters before digits before the rest.
fn simplicity((lo, hi): (char, char)) -> u32 {
    let has = |from: char, to: char| lo <= to && from <= hi;
    match () {
        () if has('a', 'z') => 0,
        () if has('A', 'Z') => 1,
        () if has('0', '9') => 2,
        () if has(' ', ' ') => 3,
        () => 4,
    }
}

/// Goes through the automaton: a list of moves, and then by the shortest way to an end. So moves can be left out and
/// what remains is a text again.
fn walk(language: &Language, distances: &[u32], source: &mut Source) -> String {
    let mut res = String::new();
    let mut state = language.dfa.start;
    let mut step = |src: &mut Source, is_open: &dyn Fn(u32, u32) -> bool| {
        let near = distances[state as usize];
        let mut moves: Vec<_> = language.moves()[state as usize].iter().collect();
        moves.retain(|it| is_open(near, distances[it.to as usize]));
        moves.sort_by_key(|it| distances[it.to as usize]);
        let at = if moves.len() > 1 { src.pick(moves.len()) } else { 0 };
        let Some(way) = moves.get(at) else { return false };
        res.push(way.chars.draws.draw(src));
        state = way.to;
        true
    };
    let most = language.lengths().max().map_or(u32::MAX, |it| u32::try_from(it).unwrap_or(u32::MAX));
    source.list_within_size("moves", 0, most, |src, _| _ = step(src, &|_, _| true));
    while step(source, &|near, next| next < near) {}
    res
}
