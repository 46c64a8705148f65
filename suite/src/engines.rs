//! The engines, with what they are not asked to find.

use crate::{Known, Report, Row, check};

/// A way to search.
///
/// ```
/// use probity_suite::{Engine, ENGINES, Report};
///
/// let lazy = Engine {
///     name: "lazy",
///     search: |_, _| Report::Passes { inputs: None, paths: None },
///     is_steady: true,
///     excluded: &[],
/// };
/// assert!(ENGINES.iter().all(|it| it.name != lazy.name));
/// ```
pub struct Engine {
    /// What it is called.
    pub name: &'static str,
    /// Searches a row with a seed.
    pub search: fn(&Row, u64) -> Report,
    /// Whether the same seed always finds the same, however busy the machine is.
    pub is_steady: bool,
    /// What it is not asked to find.
    pub excluded: &'static [Exclusion],
}

/// Why some rows are not for an engine.
///
/// ```
/// let exclusions = probity_suite::ENGINES.iter().flat_map(|it| it.excluded);
/// assert!(exclusions.into_iter().all(|it| !it.why.is_empty() && !it.rows.is_empty()));
/// ```
pub struct Exclusion {
    /// The reason.
    pub why: &'static str,
    /// The names of the rows.
    pub rows: &'static [&'static str],
}

impl Engine {
    /// Why a row is not for this engine, where it is not.
    ///
    /// ```
    /// let random = probity_suite::ENGINES.iter().find(|it| it.name == "random").unwrap();
    /// let row = |name| probity_suite::rows().find(|it| it.name == name).unwrap();
    /// assert_eq!(random.excludes(row("number_u32")), Some("one number in millions"));
    /// assert_eq!(random.excludes(row("index")), None);
    /// ```
    pub fn excludes(&self, row: &Row) -> Option<&'static str> {
        self.excluded.iter().find(|it| it.rows.contains(&row.name)).map(|it| it.why)
    }
}

/// The engines, and the portfolio that is the default.
///
/// The budget is cases: 10,000, or 3,000 runs of the concolic engine, which cost more. The time is far more than that
/// takes.
///
/// ```
/// let row = probity_suite::rows().find(|it| it.name == "index").unwrap();
/// for engine in probity_suite::ENGINES {
///     assert!(matches!((engine.search)(row, 1), probity_suite::Report::Fails(_)), "{}", engine.name);
/// }
/// ```
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "random",
        search: |row, seed| check(row, seed, |it| it.engine("random").cases(10_000).time("60m")),
        is_steady: true,
        excluded: &[NUMBERS, TEXTS, COMBINATIONS, SCORES],
    },
    Engine {
        name: "exhaustive",
        search: |row, seed| check(row, seed, |it| it.engine("exhaustive").cases(10_000).time("60m")),
        is_steady: true,
        excluded: &[LARGE_NUMBERS, LONG_LISTS, RARE_CHARACTERS, FEW_FLOATS],
    },
    Engine {
        name: "targeted",
        search: |row, seed| check(row, seed, |it| it.engine("targeted").cases(10_000).time("60m")),
        is_steady: true,
        excluded: &[NUMBERS, TEXTS, COMBINATIONS, PLATEAUS],
    },
    #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
    Engine {
        name: "concolic",
        search: |row, seed| check(row, seed, |it| it.engine("concolic").cases(3_000).time("2m")),
        is_steady: false,
        excluded: &[MANY_RUNS, LONG_TEXT, LONG_SOLVING],
    },
    Engine {
        name: "auto",
        search: |row, seed| match row.known {
            Known::Fails { .. } => check(row, seed, |it| it.cases(10_000).time("60m").concolic("2m")),
            // It takes all the time that it is given where it cannot say that every path was run.
            _ => check(row, seed, |it| it.cases(10_000).time("60m").concolic("500ms")),
        },
        is_steady: false,
        #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
        excluded: &[MANY_RUNS],
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
        excluded: &[NUMBERS, TEXTS, COMBINATIONS, PLATEAUS],
    },
];

const NUMBERS: Exclusion = Exclusion {
    why: "one number in millions",
    rows: &[
        "magic_mul",
        "magic_mix",
        "u128_product",
        "u128_scaled",
        "float_line",
        "float_box",
        "search_between",
        "number_u32",
        "number_i64",
        "double",
    ],
};

const TEXTS: Exclusion = Exclusion {
    why: "one text in millions",
    rows: &[
        "string_equal",
        "string_parts",
        "parse_u32",
        "parse_i64",
        "date_leap",
        "date_bytes",
        "four_bytes",
        "secret",
        "packet_sum",
        "packet_crc",
        "caught_payload",
        "runs_decoded",
        "runs_encoded",
        "states_codes",
    ],
};

const COMBINATIONS: Exclusion = Exclusion {
    why: "one combination in many thousands",
    rows: &[
        "determinant_3",
        "determinant_sum",
        "search_found",
        "sort_middle",
        "sort_steps",
        "struct_equal",
        "struct_variant",
        "tree_zigzag",
        "tree_arena",
        "btree_get",
        "btree_range",
        "hash_text",
        "hash_fixed",
        "caught_index",
        "states_door",
    ],
};

const SCORES: Exclusion = Exclusion {
    why: "only the score leads there",
    rows: &["score_bits", "score_place", "score_word", "score_weight", "score_order"],
};

const PLATEAUS: Exclusion = Exclusion {
    why: "most steps that raise the score lead where none raises it further",
    rows: &["score_order"],
};

const LARGE_NUMBERS: Exclusion = Exclusion {
    why: "inputs with smaller numbers come first, and there are too many",
    rows: &[
        "magic_mul",
        "magic_mix",
        "u128_product",
        "u128_scaled",
        "determinant_3",
        "determinant_sum",
        "search_found",
        "search_between",
        "sort_middle",
        "sort_steps",
        "struct_equal",
        "struct_variant",
        "tree_zigzag",
        "tree_arena",
        "btree_get",
        "btree_range",
        "hash_fixed",
        "states_codes",
        "states_door",
        "number_u32",
        "number_i64",
        "four_bytes",
        "double",
        "score_bits",
        "score_place",
        "score_word",
        "score_order",
        "int_min",
        "midpoint",
    ],
};

const LONG_LISTS: Exclusion = Exclusion {
    why: "shorter inputs come first, and there are too many",
    rows: &[
        "string_equal",
        "string_parts",
        "parse_u32",
        "parse_i64",
        "date_leap",
        "date_bytes",
        "hash_text",
        "packet_sum",
        "packet_crc",
        "caught_payload",
        "runs_decoded",
        "runs_encoded",
        "secret",
        "long_bytes",
        "quicksort",
        "climbing_path",
        "long_string",
    ],
};

const RARE_CHARACTERS: Exclusion = Exclusion {
    why: "inputs with commoner characters come first, and there are too many",
    rows: &["lower_case", "reversal", "next_char"],
};

const FEW_FLOATS: Exclusion = Exclusion {
    why: "a few floats stand for all, and it is none of them",
    rows: &["float_line", "float_box", "reciprocal"],
};

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
const MANY_RUNS: Exclusion = Exclusion { why: "more than 3,000 runs", rows: &["hash_fixed", "runs_decoded"] };

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
const LONG_TEXT: Exclusion = Exclusion {
    why: "a text of hundreds of bytes, each a choice; random cases have one",
    rows: &["long_string"],
};

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
const LONG_SOLVING: Exclusion = Exclusion {
    why: "takes minutes, and there is nothing to find",
    rows: &["printed_and_parsed", "sorted_once"],
};
