//! The words of the language: what each is called and how many arguments it takes.

/// A word that can be called.
#[derive(Debug)]
pub(crate) struct Word {
    /// Its name, and other names for it.
    pub(crate) names: &'static [&'static str],
    pub(crate) id: Id,
    /// How many arguments it needs: with fewer it awaits the first ones.
    pub(crate) min: usize,
    pub(crate) max: usize,
    /// How it is written.
    pub(crate) usage: &'static str,
}

const MANY: usize = usize::MAX;

macro_rules! words {
    ($($id:ident $min:literal $max:tt $usage:literal [$($name:literal),+];)*) => {
        /// Which word it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Id { $($id),* }

        /// All of them.
        pub(crate) static WORDS: &[Word] = &[
            $(Word { names: &[$($name),+], id: Id::$id, min: $min, max: $max, usage: $usage }),*
        ];
    };
}

words! {
    And 1 MANY "(and a …)" ["and", "∧"];
    Or 1 MANY "(or a …)" ["or", "∨"];
    Not 1 1 "(not a)" ["not", "¬"];
    Ite 3 3 "(ite condition then else)" ["ite"];
    Implies 2 2 "(=> a b)" ["=>", "implies", "⇒"];
    Eq 2 MANY "(= x y)" ["=", "eq", "equal?", "eq?"];
    Ne 2 2 "(!= x y)" ["!=", "ne", "≠"];
    Lt 2 MANY "(< x y)" ["<", "lt"];
    Le 2 MANY "(<= x y)" ["<=", "lte", "≤"];
    Gt 2 MANY "(> x y)" [">", "gt"];
    Ge 2 MANY "(>= x y)" [">=", "gte", "≥"];
    Between 3 3 "(between x low high)" ["between"];
    Add 1 MANY "(+ x y)" ["+"];
    Sub 1 2 "(- x y)" ["-", "−"];
    Mul 1 MANY "(* x y)" ["*"];
    Div 2 2 "(div x y)" ["div", "quotient"];
    Mod 2 2 "(mod x y)" ["mod", "modulo", "remainder"];
    Neg 1 1 "(neg x)" ["neg"];
    Abs 1 1 "(abs x)" ["abs"];
    Min 2 2 "(min x y)" ["min"];
    Max 2 2 "(max x y)" ["max"];
    Length 1 1 "(length x)" ["length", "string-length", "len"];
    StringAppend 1 MANY "(string-append a b)" ["string-append"];
    StartsWith 2 2 "(starts-with text start)" ["starts-with", "prefix?"];
    EndsWith 2 2 "(ends-with text end)" ["ends-with", "suffix?"];
    Contains 2 2 "(contains text part)" ["contains", "contains?"];
    Substring 3 3 "(substring text start length)" ["substring"];
    IndexOf 2 2 "(index-of text part)" ["index-of"];
    Matches 2 2 "(matches text regex)" ["matches", "matches?"];
    Nth 2 2 "(nth list index)" ["nth", "list-ref"];
    In 2 2 "(in x list)" ["in", "member", "member?"];
    Sorted 1 1 "(sorted list)" ["sorted", "sorted?"];
    Distinct 1 1 "(distinct list)" ["distinct", "distinct?"];
    Sum 1 1 "(sum list)" ["sum"];
    Forall 2 2 "(forall list f) or (forall (x list) a)" ["forall", "∀"];
    Exists 2 2 "(exists list f) or (exists (x list) a)" ["exists", "∃"];
    IsSome 1 1 "(some? option)" ["some?", "is-some"];
    IsNone 1 1 "(none? option)" ["none?", "is-none"];
    MakeSome 1 1 "(some x)" ["some"];
    Unwrap 1 1 "(unwrap option)" ["unwrap"];
    Year 1 1 "(year date)" ["year"];
    Month 1 1 "(month date)" ["month"];
    Day 1 1 "(day date)" ["day"];
    Weekday 1 1 "(weekday date)" ["weekday"];
    DateOf 1 1 "(date-of datetime)" ["date-of"];
    TimeOf 1 1 "(time-of datetime)" ["time-of"];
    ToInt 1 1 "(to-int x)" ["to-int"];
    Date 1 1 "(date \"2017-10-21\")" ["date"];
    Time 1 1 "(time \"10:00\")" ["time"];
    DateTime 1 1 "(datetime \"2017-10-21T10:00:00\")" ["datetime"];
    Duration 1 1 "(duration \"PT90S\")" ["duration"];
    Days 1 1 "(days n)" ["days"];
    Hours 1 1 "(hours n)" ["hours"];
    Minutes 1 1 "(minutes n)" ["minutes"];
    Seconds 1 1 "(seconds n)" ["seconds"];
    Regexp 1 1 "(regexp text)" ["regexp", "regex"];
    RegexpQuote 1 1 "(regexp-quote text)" ["regexp-quote"];
    Concat 1 MANY "(concat separator regex …)" ["concat"];
    ReConcat 1 MANY "(re-concat regex …)" ["re-concat", "re-cat"];
    ReUnion 1 MANY "(re-union regex …)" ["re-union", "re-or"];
    ReOptional 1 1 "(re-? regex)" ["re-?", "re-optional"];
    RePlus 1 1 "(re-+ regex)" ["re-+", "re-plus"];
    ReStar 1 1 "(re-* regex)" ["re-*", "re-star"];
    ReRepeat 2 3 "(re-repeat regex min [max])" ["re-repeat"];
    List 0 MANY "(list x …)" ["list"];
    Cons 2 2 "(cons x list)" ["cons"];
    First 1 1 "(first list)" ["first", "car"];
    Second 1 1 "(second list)" ["second", "cadr"];
    Rest 1 1 "(rest list)" ["rest", "cdr"];
    Last 1 1 "(last list)" ["last"];
    IsNull 1 1 "(null? list)" ["null?", "empty?"];
    Append 0 MANY "(append list …)" ["append"];
    Reverse 1 1 "(reverse list)" ["reverse"];
    Range 1 3 "(range end) or (range start end [step])" ["range"];
    Map 2 MANY "(map f list …)" ["map"];
    Filter 2 2 "(filter f list)" ["filter"];
    Foldl 3 3 "(foldl f start list)" ["foldl"];
    Foldr 3 3 "(foldr f start list)" ["foldr"];
    Apply 2 MANY "(apply f x … list)" ["apply"];
    Curry 1 MANY "(curry f x …)" ["curry"];
    NotEqual 1 1 "(relation x not-equal)" ["not-equal"];
    DifferentLengths 1 1 "(relation x different-lengths)" ["different-lengths"];
    NumericDistance 2 2 "(relation x (numeric-distance d))" ["numeric-distance"];
    EditDistance 2 2 "(relation x (edit-distance d)) or (edit-distance a b)" ["edit-distance"];
    Relation 2 2 "(relation x r)" ["relation"];
    AllOf 1 MANY "(all-of c …)" ["all-of"];
    SomeOf 1 MANY "(some-of c …)" ["some-of"];
    Enumerate 2 2 "(enumerate* (list a …) (list c …))" ["enumerate*"];
}

impl Word {
    /// How to write it, as help.
    pub(crate) fn help(&self) -> String {
        format!("write `{}`", self.usage.replace(" or ", "` or `"))
    }
}

impl Id {
    /// The word itself.
    pub(crate) fn word(self) -> &'static Word {
        &WORDS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::interp::{SPECIAL, STATEMENTS};
    use probity_spec::Structure;
    use probity_spec::regex::Heuristics;

    #[test]
    fn every_word_is_documented() {
        let page = include_str!("../../../../crates/probity/guide/language.md");
        let words = WORDS.iter().map(|it| it.names[0]).chain(SPECIAL).chain(STATEMENTS);
        for word in words.chain(Heuristics::NAMES).chain(Structure::NAMES) {
            let is_told = ["`", "(", " "].iter().any(|it| page.contains(&format!("{it}{word}")));
            assert!(is_told, "crates/probity/guide/language.md does not document `{word}`");
        }
    }

    #[test]
    fn words_have_one_meaning_and_are_in_order() {
        for (i, word) in WORDS.iter().enumerate() {
            assert_eq!(word.id.word().names, word.names);
            let others = WORDS[..i].iter().flat_map(|it| it.names);
            assert!(!others.into_iter().any(|it| word.names.contains(it)), "{:?}", word.names);
        }
    }
}
