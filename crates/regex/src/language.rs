//! Languages: sets of texts that an automaton knows.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

use num_bigint::BigUint;

use super::chars::{CharSet, Picker};
use super::count::{LengthCounts, Weights};
use super::dfa::{DEAD, Dfa, explore};
use super::draw::Draws;
use super::nfa::{Nfa, STEPS_MAX, TOO_MANY_STEPS};
use super::node::{Class, ClassOrigin, Node};
use super::{Lengths, lengths};

/// How many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// Exactly this many.
    Finite(BigUint),
    /// Without end.
    Infinite,
}

impl Count {
    /// Exactly this many.
    pub fn of(n: u64) -> Count {
        Count::Finite(n.into())
    }
}

/// A regular set of texts. Equal sets are equal. See [`Regex::language`](super::Regex::language).
///
/// ```
/// use probity_regex::{Count, Language, Regex};
/// let word = Regex::new("[ab]{1,3}").unwrap().language().unwrap();
/// let both = word.and(&Language::containing("b")?)?.and(&Language::ending_with("a")?)?;
/// assert_eq!(both.count(), Count::of(4), "ba, aba, baa, bba");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Language {
    pub(super) dfa: Dfa,
    moves: OnceLock<Vec<Vec<Transition>>>,
    lengths: OnceLock<Lengths>,
    pub(super) counts: Mutex<LengthCounts>,
    pub(super) weights: Mutex<Weights>,
}

/// All the characters by which a state goes to another one.
#[derive(Debug)]
pub(super) struct Transition {
    pub(super) to: u32,
    /// How many characters.
    pub(super) n: u32,
    pub(super) chars: Arc<Chars>,
}

/// The characters of a move; most automata have few such sets and many moves.
#[derive(Debug)]
pub(super) struct Chars {
    pub(super) picker: Picker,
    pub(super) draws: Draws,
}

impl Language {
    pub(super) fn of(dfa: Dfa) -> Language {
        let (counts, weights) = (Mutex::default(), Mutex::default());
        Language { dfa, moves: OnceLock::new(), lengths: OnceLock::new(), counts, weights }
    }

    fn of_node(node: &Node) -> Result<Language, String> {
        Nfa::new(node)?.language(STEPS_MAX)
    }

    /// Small enough that it cannot fail.
    fn of_small_node(node: &Node) -> Language {
        Language::of_node(node).unwrap_or_else(|it| unreachable!("a small automaton {it}"))
    }

    /// All texts.
    pub fn any() -> Language {
        Language::of_small_node(&Node::repeat(any_char(), 0, None))
    }

    /// No text.
    pub fn none() -> Language {
        Language::of_small_node(&Node::nothing())
    }

    /// One text; an error where it is too long for an automaton.
    pub fn literal(text: &str) -> Result<Language, String> {
        Language::of_node(&Node::literal(text)).map_err(|it| format!("a text {it}"))
    }

    /// Texts with at least `min` and at most `max` characters.
    ///
    /// ```
    /// use probity_regex::Language;
    /// let short = Language::of_length(2, Some(3))?;
    /// assert!(short.contains("né") && !short.contains("n"));
    /// # Ok::<(), String>(())
    /// ```
    pub fn of_length(min: usize, max: Option<usize>) -> Result<Language, String> {
        if max.is_some_and(|max| max < min) {
            return Ok(Language::none());
        }
        let narrow = |n: usize| u32::try_from(n).map_err(|_| "a length of 2^32 or more".to_string());
        let node = Node::repeat(any_char(), narrow(min)?, max.map(narrow).transpose()?);
        Language::of_node(&node).map_err(|it| format!("the length {it}"))
    }

    /// Texts that begin with `text`.
    pub fn starting_with(text: &str) -> Result<Language, String> {
        let rest = Node::repeat(any_char(), 0, None);
        Language::of_node(&Node::concat(vec![Node::literal(text), rest]))
    }

    /// Texts that end with `text`.
    pub fn ending_with(text: &str) -> Result<Language, String> {
        let rest = Node::repeat(any_char(), 0, None);
        Language::of_node(&Node::concat(vec![rest, Node::literal(text)]))
    }

    /// Texts that contain `text`.
    pub fn containing(text: &str) -> Result<Language, String> {
        let rest = Node::repeat(any_char(), 0, None);
        Language::of_node(&Node::concat(vec![rest.clone(), Node::literal(text), rest]))
    }

    /// Texts of both.
    pub fn and(&self, other: &Language) -> Result<Language, String> {
        self.product(other, |a, b| a && b)
    }

    /// Texts of either.
    pub fn or(&self, other: &Language) -> Result<Language, String> {
        self.product(other, |a, b| a || b)
    }

    fn product(&self, other: &Language, accepts: fn(bool, bool) -> bool) -> Result<Language, String> {
        let (a, b) = (&self.dfa, &other.dfa);
        let (alphabet, pairs) = a.alphabet.refine(&b.alphabet)?;
        let next = |&(x, y): &(u32, u32), res: &mut Vec<_>| {
            let (x, y) = (a.row(x), b.row(y));
            let live = |(x, y): (u32, u32)| accepts(x != DEAD, y != DEAD).then_some((x, y));
            res.extend(pairs.iter().map(|it| live((x[it.0], y[it.1]))));
            Ok(())
        };
        let accepts = |&(x, y): &(u32, u32)| accepts(a.accepts[x as usize], b.accepts[y as usize]);
        let dfa = explore(alphabet, (a.start, b.start), next, accepts);
        dfa.map(|it| Language::of(it.minimal())).map_err(|it| format!("the combination of two patterns {it}"))
    }

    /// A text of the one followed by a text of the other.
    pub fn concat(&self, other: &Language) -> Result<Language, String> {
        let (a, b) = (&self.dfa, &other.dfa);
        let (alphabet, pairs) = a.alphabet.refine(&b.alphabet)?;
        // Where the first ends, the second may begin; so it can be in several states at once.
        let key = |first: u32, mut second: Vec<u32>| {
            if a.accepts[first as usize] {
                second.push(b.start);
            }
            second.sort_unstable();
            second.dedup();
            second.retain(|&it| it != DEAD);
            (first, second)
        };
        let mut steps = 0_u64;
        let next = |(first, second): &(u32, Vec<u32>), res: &mut Vec<_>| {
            steps += (second.len() + 1) as u64 * pairs.len() as u64;
            if steps > STEPS_MAX {
                return Err(TOO_MANY_STEPS.to_string());
            }
            for &(x, y) in &pairs {
                let first = a.row(*first)[x];
                let to = key(first, second.iter().map(|&it| b.row(it)[y]).collect());
                res.push((first != DEAD || !to.1.is_empty()).then_some(to));
            }
            Ok(())
        };
        let accepts = |(_, second): &(u32, Vec<u32>)| second.iter().any(|&it| b.accepts[it as usize]);
        let dfa = explore(alphabet, key(a.start, Vec::new()), next, accepts);
        dfa.map(|it| Language::of(it.minimal())).map_err(|it| format!("one pattern after another {it}"))
    }

    /// All other texts.
    ///
    /// ```
    /// use probity_regex::Language;
    /// let not_a = Language::literal("a")?.not();
    /// assert!(not_a.contains("") && !not_a.contains("a") && not_a.contains("aa"));
    /// assert_eq!(not_a.not(), Language::literal("a")?);
    /// # Ok::<(), String>(())
    /// ```
    #[must_use]
    pub fn not(&self) -> Language {
        Language::of(self.dfa.not())
    }

    /// Only the texts whose characters are all printable ASCII; itself where there is no such text.
    #[must_use]
    pub fn restrict_to_nice(&self) -> Language {
        let nice = Class::new(CharSet::of_chars([(' ', '~')]), "[ -~]", Vec::new(), ClassOrigin::Class);
        let nice = Language::of_small_node(&Node::repeat(Node::Class(nice), 0, None));
        self.and(&nice).ok().filter(|it| !it.is_empty()).unwrap_or_else(|| self.clone())
    }

    /// Whether it has no text.
    pub fn is_empty(&self) -> bool {
        self.dfa.start == DEAD
    }

    /// Whether it has that text.
    pub fn contains(&self, text: &str) -> bool {
        let mut state = self.dfa.start;
        for c in text.chars() {
            state = self.dfa.go(state, c);
            if state == DEAD {
                return false;
            }
        }
        self.dfa.accepts[state as usize]
    }

    /// The lengths that its texts have.
    pub fn lengths(&self) -> &Lengths {
        self.lengths.get_or_init(|| lengths::of(self))
    }

    /// For every state where it can go, but for the dead state.
    pub(super) fn moves(&self) -> &[Vec<Transition>] {
        self.moves.get_or_init(|| {
            let sets = self.dfa.alphabet.sets();
            let mut known = HashMap::new();
            (0..self.dfa.len() as u32).map(|it| moves_of(self.dfa.row(it), &sets, &mut known)).collect()
        })
    }
}

/// The moves of a state; those with the same letters share their characters.
fn moves_of(
    row: &[u32],
    sets: &[CharSet],
    known: &mut HashMap<Vec<usize>, (u32, Arc<Chars>)>,
) -> Vec<Transition> {
    let mut targets: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (letter, to) in row.iter().enumerate().filter(|it| *it.1 != DEAD) {
        targets.entry(*to).or_default().push(letter);
    }
    let to = |(to, letters): (u32, Vec<usize>)| {
        let (n, chars) = known.entry(letters).or_insert_with_key(|letters| {
            let ranges = letters.iter().flat_map(|&it| sets[it].ranges());
            let set = CharSet::of(ranges.copied().collect());
            (set.len(), Arc::new(Chars { picker: Picker::new(&set), draws: Draws::of(&set) }))
        });
        Transition { to, n: *n, chars: chars.clone() }
    };
    targets.into_iter().map(to).collect()
}

fn any_char() -> Node {
    Node::Class(Class::new(CharSet::default().not(), "(?s:.)", Vec::new(), ClassOrigin::Dot))
}

impl Clone for Language {
    fn clone(&self) -> Language {
        Language::of(self.dfa.clone())
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Language) -> bool {
        self.dfa == other.dfa
    }
}

impl Eq for Language {}
