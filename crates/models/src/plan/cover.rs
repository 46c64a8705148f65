//! Leaves of a regex: one text for each.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::recipe::Draft;
use super::sample::ReadableLanguage;
use super::shuffle::Permutation;
use super::space::{ValueSpace, room};
use super::work::WorkBudget;
use probity_spec::Random;
use probity_spec::Value;
use probity_spec::regex::{Count, Cover, Language, Leaf};

/// A text variable whose texts are to lie in different leaves.
pub(crate) struct CoverPlan {
    /// The place of the choice.
    at: usize,
    var: usize,
    cover: Arc<Cover>,
    words: ReadableLanguage,
    leaves: Leaves,
}

/// The leaves that have texts.
enum Leaves {
    /// All of them, and every text of theirs is allowed.
    All,
    /// These, each with its texts.
    Listed(Arc<Vec<(u64, Arc<Language>)>>),
    /// There are too many to try them all: they are tried when models are sampled.
    Tried,
}

/// Leaves that are tried one by one for texts that the variable can have.
const LEAVES_MAX: u64 = 10_000;

/// Steps of work to find the texts of a leaf.
const LEAF_STEPS: u64 = 100;

/// Longer texts are not asked for their leaves.
const TEXT_MAX: usize = 1_000;

impl CoverPlan {
    pub(crate) fn new(
        at: usize,
        var: usize,
        cover: Arc<Cover>,
        words: ReadableLanguage,
        work: &WorkBudget,
    ) -> CoverPlan {
        let mut plan = CoverPlan { at, var, cover, words, leaves: Leaves::Tried };
        let few = room(&plan.cover.count()) <= LEAVES_MAX;
        let has_looks = plan.cover.regex().has_looks();
        let within = plan.cover.regex().language().and_then(|it| it.and(&plan.words.language.not()));
        if within.is_ok_and(|it| it.is_empty()) && if few { plan.all_have_texts(work) } else { !has_looks } {
            plan.leaves = Leaves::All;
        } else if few {
            let (leaves, why) = plan.tried(u64::MAX, work);
            if why.is_none() {
                plan.leaves = Leaves::Listed(Arc::new(leaves));
            }
        } else if let Some(leaves) = plan.by_text() {
            plan.leaves = Leaves::Listed(Arc::new(leaves));
        }
        plan
    }

    fn all_have_texts(&self, work: &WorkBudget) -> bool {
        let mut random = Random::new(0);
        (0..room(&self.cover.count())).all(|it| {
            work.go_on(LEAF_STEPS) && self.cover.leaf(it).is_some_and(|it| it.sample(&mut random).is_some())
        })
    }

    /// The first `n` leaves that have texts of the variable; why there may be more.
    fn tried(&self, n: u64, work: &WorkBudget) -> (Vec<(u64, Arc<Language>)>, Option<String>) {
        let mut res = Vec::new();
        for at in 0..LEAVES_MAX.min(room(&self.cover.count())) {
            if res.len() as u64 >= n {
                return (res, None);
            }
            let Some(leaf) = self.cover.leaf(at) else { return (res, None) };
            if !work.go_on(LEAF_STEPS) {
                return (res, Some(work.why()));
            }
            match self.texts_of(&leaf) {
                Ok(both) if !both.is_empty() => res.push((at, Arc::new(both.restrict_to_nice()))),
                Ok(_) => {}
                Err(why) => return (res, Some(why)),
            }
        }
        let rest = room(&self.cover.count()) > LEAVES_MAX && (res.len() as u64) < n;
        (res, rest.then(|| format!("only the first {LEAVES_MAX} leaves were tried")))
    }

    fn texts_of(&self, leaf: &Leaf) -> Result<Language, String> {
        leaf.regex.language()?.and(&self.words.language)
    }

    /// The leaves of all texts, where these are few; nothing if they are not, or the leaves of one are not certain.
    fn by_text(&self) -> Option<Vec<(u64, Arc<Language>)>> {
        let mut leaves = BTreeSet::new();
        for text in ValueSpace::Words(self.words.clone()).all()? {
            let Value::Text(text) = text else { return None };
            let own = self.cover.leaves_of(&text);
            if own.len() >= Cover::LEAVES_MAX || text.chars().count() > TEXT_MAX {
                return None;
            }
            leaves.extend(own);
        }
        let texts = |at: u64| Some((at, Arc::new(self.texts_of(&self.cover.leaf(at)?).ok()?)));
        leaves.into_iter().map(texts).collect()
    }

    pub(crate) fn count(&self) -> Result<Count, String> {
        match &self.leaves {
            Leaves::All => Ok(self.cover.count()),
            Leaves::Listed(leaves) => Ok(Count::Finite(leaves.len().into())),
            Leaves::Tried => Err("there are too many leaves to try them all".to_string()),
        }
    }

    /// Samples `n` distinct leaves; why there may be more if there are fewer.
    pub(crate) fn sample_distinct(
        &self,
        n: u64,
        seed: u64,
        work: &WorkBudget,
    ) -> (CoverSample, Option<String>) {
        let sample = |len: u64, order: Permutation, texts: CoverTexts| CoverSample {
            at: self.at,
            var: self.var,
            len,
            order,
            texts,
        };
        match &self.leaves {
            Leaves::All => {
                let size = room(&self.cover.count());
                // Of leaves without end the first ones, which are the shortest.
                let of = if size > LEAVES_MAX.max(n) { n } else { size };
                (
                    sample(
                        n.min(size),
                        Permutation::new(of.into(), seed),
                        CoverTexts::Leaf(self.cover.clone()),
                    ),
                    None,
                )
            }
            Leaves::Listed(leaves) => {
                let size = leaves.len() as u64;
                (
                    sample(
                        n.min(size),
                        Permutation::new(size.into(), seed),
                        CoverTexts::Listed(leaves.clone()),
                    ),
                    None,
                )
            }
            Leaves::Tried => {
                let (leaves, why) = self.tried(n, work);
                let size = leaves.len() as u64;
                (sample(size, Permutation::new(size.into(), seed), CoverTexts::Listed(Arc::new(leaves))), why)
            }
        }
    }
}

/// A sample of leaves.
pub(crate) struct CoverSample {
    at: usize,
    var: usize,
    len: u64,
    order: Permutation,
    texts: CoverTexts,
}

enum CoverTexts {
    Leaf(Arc<Cover>),
    Listed(Arc<Vec<(u64, Arc<Language>)>>),
}

impl CoverSample {
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Chooses the leaf at a place and a text of it.
    pub(crate) fn fill(&self, index: u64, draft: &mut Draft, random: &mut Random) -> bool {
        let place = self.order.at(index.into()) as u64;
        let (leaf, text) = match &self.texts {
            CoverTexts::Leaf(cover) => (place, cover.leaf(place).and_then(|it| it.sample(random))),
            CoverTexts::Listed(leaves) => {
                let (leaf, language) = &leaves[place as usize];
                (*leaf, short(language, random))
            }
        };
        let Some(text) = text else { return false };
        draft.choices[self.at] = leaf;
        draft.values[self.var] = Value::Text(text.into());
        true
    }
}

/// A text of one of the first few lengths.
fn short(language: &Language, random: &mut Random) -> Option<String> {
    let lengths = language.lengths().first(8);
    let length = *lengths.get(random.index(lengths.len()))?;
    language.sample_nice(random, length)
}
