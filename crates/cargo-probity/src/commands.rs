//! What `probity` can do: the table of commands that parsing and help go by.

use crate::args::{Command, Opt};

const N: Opt = Opt {
    long: "n",
    short: Some('n'),
    value: Some("N"),
    help: "How many inputs, for every outline; else as many as the outline says",
};
const SEED: Opt =
    Opt { long: "seed", short: None, value: Some("S"), help: "Another seed, other inputs; the default is 0" };
const FORMAT: Opt = Opt {
    long: "format",
    short: Some('f'),
    value: Some("FORMAT"),
    help: "json (the default), ndjson, csv, rust, junit-json or randoop",
};
const OUTPUT: Opt = Opt {
    long: "output",
    short: Some('o'),
    value: Some("FILE"),
    help: "Write there rather than to the standard output; a complete file or none",
};
const CLASS: Opt = Opt {
    long: "class",
    short: None,
    value: Some("NAME"),
    help: "The class that Randoop's literals belong to, else java.lang.String",
};
const EXPLAIN: Opt = Opt {
    long: "explain",
    short: None,
    value: None,
    help: "Say what was planned, what went to a solver, and why",
};
const SOLVER: Opt = Opt {
    long: "solver",
    short: None,
    value: Some("SOLVER"),
    help: "Who solves what cannot be planned: builtin (the default), z3, cvc5, or any\n\
           program that speaks SMT-LIB 2; PROBITY_SOLVER says so for every call",
};
const ENCODING: Opt = Opt {
    long: "encoding",
    short: None,
    value: Some("WAY"),
    help: "How a solver is asked for many inputs: auto (the default), one-at-a-time,\n\
           distinct or all-at-once",
};
const TIMEOUT: Opt = Opt {
    long: "timeout",
    short: None,
    value: Some("TIME"),
    help: "Give up an outline when no further input was found for so long:\n\
           500ms, 5s (the default), 2m",
};
const TRANSCRIPT: Opt = Opt {
    long: "transcript",
    short: None,
    value: Some("FILE"),
    help: "Write down all that is said to the solver's program and by it",
};
const DEPTH: Opt = Opt {
    long: "depth",
    short: None,
    value: Some("N"),
    help: "How often a value of a recursive type stands within its own kind at most;\n\
           the default is 5, or less where that is too much",
};
const NO_PLAN: Opt =
    Opt { long: "no-plan", short: None, value: None, help: "Solve everything, to compare with the plans" };

/// Every command, in the order of the help.
pub(crate) static COMMANDS: [Command; 15] =
    [GENERATE, CHECK, COUNT, TEST, PROVE, REPLAY, FUZZ, COMPARE, ETNA, CORPUS, UNCOVERED, NEW, API, WRITE, C];

/// `probity generate`
pub(crate) const GENERATE: Command = Command {
    name: "generate",
    usage: "FILE [OUTLINE] [OPTIONS]",
    summary: "write inputs of which every pair differs",
    about: "\
Writes inputs for the outlines of FILE: each satisfies its spec, and every pair
differs as the outline says. FILE is a program in the language or a spec file in
JSON; `-` is the standard input. Without OUTLINE, every outline has its turn.

Only inputs go to the standard output, all else to the standard error. Ctrl-C ends
with what was found so far, complete in its format.",
    words: (1, 2),
    options: &[
        &N,
        &SEED,
        &FORMAT,
        &OUTPUT,
        &EXPLAIN,
        &SOLVER,
        &ENCODING,
        &TIMEOUT,
        &TRANSCRIPT,
        &NO_PLAN,
        &DEPTH,
        &CLASS,
    ],
    ending: "\
Formats, for one outline / for several:
  json        an array of inputs / an object from outline to array
  ndjson      an input on each line / {\"outline\": …, \"input\": …} on each line
  csv         a table with a header; nested values as JSON / name one outline
  rust        INPUTS, inputs() and their types / a module for each outline
  junit-json  {\"outline\": …, \"inputs\": […]} / an array of those
  randoop     a file for Randoop's --literals-file, each literal once

Exit codes:
  0  all inputs that were asked for
  1  no input satisfies an outline
  2  the command line, a file or the output cannot be used
  3  fewer exist than were asked for; all of them were written
  4  a solver is missing or failed, or it could not be told in time if there are more
  130, 143  ended by Ctrl-C, by SIGTERM; what was found is written",
    passes_on: false,
};

/// `probity check`
pub(crate) const CHECK: Command = Command {
    name: "check",
    usage: "FILE INPUTS [OUTLINE]",
    summary: "do these inputs satisfy their spec and differ pairwise?",
    about: "\
Reads INPUTS, as `probity generate` writes them in the formats json, ndjson and
junit-json, and says which of them do not satisfy the outline and which pairs do not
differ. FILE or INPUTS may be `-`, the standard input.",
    words: (2, 3),
    options: &[],
    ending: "\
Exit codes:
  0  every input satisfies its outline and every pair differs
  1  something does not; it is named on the standard output
  2  the command line or a file cannot be used",
    passes_on: false,
};

/// `probity count`
pub(crate) const COUNT: Command = Command {
    name: "count",
    usage: "FILE [OUTLINE] [OPTIONS]",
    summary: "how many inputs are there of which every pair differs?",
    about: "\
Writes how many inputs the largest set has of which every pair differs: a number,
`infinite`, or `at least` a number when it could not be told whether there are more.
For several outlines, a line for each that begins with its name and a colon.",
    words: (1, 2),
    options: &[&SEED, &SOLVER, &ENCODING, &TIMEOUT, &TRANSCRIPT, &NO_PLAN, &DEPTH],
    ending: "\
Exit codes:
  0  the number is known
  2  the command line or a file cannot be used
  4  a solver is missing or failed, or it could not be told in time
  130, 143  ended by Ctrl-C, by SIGTERM",
    passes_on: false,
};

/// Options of `probity test`, one for each setting whose name cargo does not use.
const TEST_OPTIONS: &[&Opt] = &[
    &setting("engine", "NAME", "Which engine answers: auto, random, exhaustive, targeted"),
    &setting("cases", "N", "How many cases a search runs"),
    &setting("time", "TIME", "How long a search lasts at most, such as 10s"),
    &setting("seed", "S", "What all random answers follow from"),
    &setting("swarm", "WHAT", "What random cases leave out of arms and variants: true, false, exhaustive"),
    &setting("schedule", "NAME", "How the temperature of the targeted engine falls"),
    &setting("size", "N", "The greatest size of an input that the exhaustive engine visits"),
    &setting("shard", "K/N", "Which part of the cases or inputs is run"),
    &setting("start", "N", "With which input the exhaustive engine starts"),
    &setting("prove", "GOAL", "What tests are to be proved for: true, false, or the most choices"),
    &setting("max-shrink", "N", "How many cases shrinking may run"),
    &setting("max-rejects", "N", "How many rejected cases per wanted case are tolerated"),
    &setting("hang", "TIME", "How long one case may take before its input is named"),
    &setting("store", "FOLDER", "Where failures are kept, or false"),
    &setting("corpus", "FOLDER", "Where the coverage engine keeps cases, or off"),
    &setting("explain", "BOOL", "Whether a failure is explained"),
    &setting("events", "FILE", "Where events are written"),
    &setting("replay", "FAILURE", "A stored failure or choices to run instead of a search"),
];

const fn setting(long: &'static str, value: &'static str, help: &'static str) -> Opt {
    Opt { long, short: None, value: Some(value), help }
}

/// `probity test`
pub(crate) const TEST: Command = Command {
    name: "test",
    usage: "[OPTIONS] [ARGUMENTS OF CARGO TEST]",
    summary: "run `cargo test` with these settings",
    about: "\
Runs `cargo test` with the settings below, which win over the environment, the tests'
attributes and `probity.toml`. All other arguments are passed on.",
    words: (0, 0),
    options: TEST_OPTIONS,
    ending: "The exit code is that of cargo, or 2 when a setting cannot be used.",
    passes_on: true,
};

/// `probity prove`
pub(crate) const PROVE: Command = Command {
    name: "prove",
    usage: "[TEST] [OPTIONS] [ARGUMENTS OF CARGO TEST]",
    summary: "prove tests and contracts, and list what is proved",
    about: "\
Builds the tests and runs those of Probity that have TEST in their names, or all, each
in a process of its own. A test that does not fail is then proved: the code is
interpreted on every path, for as long as TIME says. The table has what came of each:
proved for every input, proved for every input of up to some number of choices, not proved
and why, or how it fails. What is proved holds for the code as it was compiled; with
--release, that is the optimized code.

Tests that say `prove = N` are proved up to N choices. All other arguments are passed
on to cargo.",
    words: (0, 0),
    options: &[&PROVE_TIME, &PROVE_CHOICES, &JOBS],
    ending: "\
Exit codes:
  0  every test is proved, for every input or up to some number of choices
  1  a test fails
  2  the command line cannot be used, or there is no test to prove
  3  no test fails, but not all of them are proved
  4  cargo is missing or failed
  130, 143  ended by Ctrl-C, by SIGTERM",
    passes_on: true,
};

const PROVE_TIME: Opt = Opt {
    long: "time",
    short: None,
    value: Some("TIME"),
    help: "How long the search and the proof of a test last at most, each: 10s, 2m",
};
const PROVE_CHOICES: Opt = Opt {
    long: "choices",
    short: None,
    value: Some("N"),
    help: "Prove every test for inputs of up to N choices",
};

const FOR: Opt = Opt {
    long: "for",
    short: None,
    value: Some("TIME"),
    help: "How long: 30s, 10m, 8h; without it, until Ctrl-C",
};
const JOBS: Opt = Opt {
    long: "jobs",
    short: Some('j'),
    value: Some("N"),
    help: "How many processes at once; as many as there are cores otherwise",
};
const FUZZ_ENGINE: Opt = Opt {
    long: "engine",
    short: None,
    value: Some("NAME"),
    help: "Another engine than coverage: random, targeted, concolic; or libfuzzer, afl",
};
const EXPORT: Opt = Opt {
    long: "export",
    short: None,
    value: Some("oss-fuzz"),
    help: "Write files for OSS-Fuzz into the folder that follows",
};
const SYNC: Opt = Opt {
    long: "sync",
    short: None,
    value: Some("FOLDER"),
    help: "Exchange cases with AFL++ processes in this folder (their -o)",
};
const CORPUS_FOLDER: Opt = Opt {
    long: "corpus",
    short: None,
    value: Some("FOLDER"),
    help: "Where corpora are; else in `probity-corpus` of cargo's target folder",
};

/// `probity fuzz`
pub(crate) const FUZZ: Command = Command {
    name: "fuzz",
    usage: "[TEST] [OPTIONS] [ARGUMENTS OF CARGO TEST]",
    summary: "search for as long as you like, by several processes on one corpus",
    about: "\
Builds the tests and runs those of Probity that have TEST in their names, or all, with
the coverage engine: in turns, by several processes that share a corpus. What is found
is stored as ordinary failures, which plain `cargo test` runs first, and the search goes
on. It resumes where it stopped, however that was: kill it at any time.

On a terminal one line shows where it stands; elsewhere, a line each ten seconds.
All other arguments are passed on to cargo.",
    words: (0, 0),
    options: &[&FOR, &JOBS, &FUZZ_ENGINE, &CORPUS_FOLDER, &SYNC, &EXPORT],
    ending: "\
Exit codes:
  0  nothing was found, or Ctrl-C ended a search without `--for`
  1  something was found, and stored
  2  the command line cannot be used, or no test was searched
  4  cargo is missing or failed
  130, 143  ended by Ctrl-C, by SIGTERM",
    passes_on: true,
};

const COMPARED_TIME: Opt = Opt {
    long: "for",
    short: None,
    value: Some("TIME"),
    help: "How long each engine has for each test; 10s otherwise",
};
const COMPARED_ENGINES: Opt = Opt {
    long: "engine",
    short: None,
    value: Some("NAMES"),
    help: "Only these, such as random,coverage,afl",
};
const SEARCH_SEED: Opt =
    Opt { long: "seed", short: None, value: Some("S"), help: "What random answers follow from; 0 otherwise" };
const SVG: Opt =
    Opt { long: "svg", short: None, value: Some("FILE"), help: "Draw the times to failure, too" };
const JSON_LINES: Opt = Opt {
    long: "json",
    short: None,
    value: None,
    help: "Print a JSON object for each test and engine, in place of the table",
};

/// `probity compare`
pub(crate) const COMPARE: Command = Command {
    name: "compare",
    usage: "[TEST ..] [OPTIONS] [ARGUMENTS OF CARGO TEST]",
    summary: "run tests under every engine there is, for the same time",
    about: "\
Runs each of the tests under each engine: random, exhaustive, targeted, coverage, concolic,
and libfuzzer and afl where they are installed. Each has the same time on one processor, begins
with nothing, and ends with the first failure. The table has, for each test and engine, after
which time it failed, how many cases ran, how many blocks of the workspace's own code they
reached, and the time of the processor; then what each engine found, and what it found alone.

Nothing is stored: `probity fuzz` does that.",
    words: (0, 0),
    options: &[&COMPARED_TIME, &COMPARED_ENGINES, &SEARCH_SEED, &SVG, &JSON_LINES],
    ending: "\
Exit codes:
  0  the table is printed
  2  the command line cannot be used
  4  cargo or a fuzzer that was asked for is missing or failed",
    passes_on: true,
};

const ETNA_ENGINE: Opt = Opt {
    long: "engine",
    short: None,
    value: Some("NAME"),
    help: "Which engine: random, exhaustive, targeted, coverage, concolic, libfuzzer, afl",
};

/// `probity etna`
pub(crate) const ETNA: Command = Command {
    name: "etna",
    usage: "TEST [OPTIONS] [ARGUMENTS OF CARGO TEST]",
    summary: "run one test once and print a line of JSON, for the benchmark ETNA",
    about: "\
Runs TEST under one engine, random if none is named, and prints one line that ETNA's runner reads:
  {\"status\":\"Failed\",\"tests\":17,\"discards\":0,\"time\":\"1500us\",\"counterexample\":\"(n = 3)\"}
Status is Failed, Finished (every case that was wanted, or all there are), TimedOut, GaveUp (too
much was rejected) or Aborted (it could not run; `error` says why).",
    words: (0, 0),
    options: &[&COMPARED_TIME, &ETNA_ENGINE, &SEARCH_SEED],
    ending: "\
Exit codes:
  0  the line is printed
  2  the command line cannot be used
  4  cargo or the fuzzer is missing or failed",
    passes_on: true,
};

/// `probity corpus`
pub(crate) const CORPUS: Command = Command {
    name: "corpus",
    usage: "minimize|show|import|export [TEST] [FOLDER] [OPTIONS]",
    summary: "show, minimize and copy what the coverage engine has kept",
    about: "\
  minimize [TEST]        keep only cases that reach something, the smallest first
  show [TEST]            how many cases there are, and how many blocks they reach
  import TEST FOLDER     copy the cases of a folder into the corpus of TEST
  export TEST FOLDER     copy the corpus of TEST into a folder

Each case is a file that is named by its content: to merge two corpora, copy files.
Files that are damaged are named, and put aside under names that end in `.stale`.",
    words: (1, 3),
    options: &[&CORPUS_FOLDER],
    ending: "\
Exit codes:
  0  it is done
  2  the command line or a folder cannot be used
  4  cargo is missing or failed",
    passes_on: false,
};

/// `probity uncovered`
pub(crate) const UNCOVERED: Command = Command {
    name: "uncovered",
    usage: "[TEST] [OPTIONS]",
    summary: "list what the workspace's own code never reached",
    about: "\
Lists lines of the workspace's own code that no case of a search by coverage reached,
as `file:line` with the source line, from the line tables of the test binaries. Only
functions that some case entered are gone through line by line; those that none
entered are listed by their first line. Run `cargo probity fuzz` before, and build
nothing in between: what was reached is known of one build.",
    words: (0, 1),
    options: &[&CORPUS_FOLDER],
    ending: "\
Exit codes:
  0  all was reached
  1  something was not
  2  the command line cannot be used, or nobody knows what was reached
  4  cargo is missing or failed",
    passes_on: false,
};

/// `probity replay`
pub(crate) const REPLAY: Command = Command {
    name: "replay",
    usage: "FILE",
    summary: "run one stored failure",
    about: "\
Runs the test that the stored failure FILE is of, with its input alone: what the line
`replay:` of a report does, in every shell.",
    words: (1, 1),
    options: &[],
    ending: "The exit code is that of cargo, 2 when FILE cannot be used, or 4 without cargo.",
    passes_on: false,
};

/// `probity new`
pub(crate) const NEW: Command = Command {
    name: "new",
    usage: "NAME",
    summary: "write a first file of tests, tests/NAME.rs",
    about: "\
Writes tests/NAME.rs in the package of the current folder: tests by type, by generator,
with a type of its own and with a sequence of calls, to run and to change.",
    words: (1, 1),
    options: &[],
    ending: "\
Exit codes:
  0  the file is written
  2  NAME is no name, the file is there already, or it cannot be written",
    passes_on: false,
};

/// Where a new file goes.
const NEW_FILE: Opt = Opt {
    long: "output",
    short: Some('o'),
    value: Some("FILE"),
    help: "Write to a new file instead of the standard output; a file that is there stays",
};
const CRATE: Opt = Opt {
    long: "crate",
    short: None,
    value: Some("NAME"),
    help: "The crate to look in; std, core and alloc need rust-src",
};
const TYPE: Opt = Opt {
    long: "type",
    short: None,
    value: Some("T=TYPE"),
    help: "What a type parameter is, instead of u8; may be given several times",
};

/// `probity api`
pub(crate) const API: Command = Command {
    name: "api",
    usage: "PATH [OPTIONS]",
    summary: "write the table of calls of a type, from its sources",
    about: "\
Writes `probity::api_table! { .. }` for the type PATH, such as `my_crate::Heap`,
`smallvec::SmallVec` or `VecDeque`: its public methods whose inputs can be drawn or
made by other calls. What is left out is in a comment, with the reason. Panics that
the documentation states become `panics if ..` where the condition is plain, and
a comment otherwise. Read the table before you run it.

Sources are found by `cargo metadata`, without the network, and those of std in the
component rust-src.",
    words: (1, 1),
    options: &[&CRATE, &TYPE, &NEW_FILE],
    ending: "\
Exit codes:
  0  the table is written
  1  no method can be called by a test; the reasons are named
  2  the command line, a source or the output cannot be used
  4  cargo, rustc or rust-src is missing or failed",
    passes_on: false,
};

/// `probity write`
pub(crate) const WRITE: Command = Command {
    name: "write",
    usage: "PATH [OPTIONS]",
    summary: "write first tests for the functions of a module, from their signatures",
    about: "\
Writes a file of tests for PATH: a source file such as `src/codec.rs`, a module such as
`my_crate::codec`, or a function. Functions never panic; pairs such as encode and decode,
`Display` and `FromStr`, `From` and back are round trips; what normalizes, sorts or trims
changes nothing when it is done twice; `Ord` and `Hash` written by hand follow their laws.
What is left out is in a comment, with the reason. Put the file into `tests/`, and edit it:
it says what functions look like, not what they are for.",
    words: (1, 1),
    options: &[&LIKE, &CRATE, &TYPE, &NEW_FILE],
    ending: "\
Exit codes:
  0  the tests are written
  1  no test could be written; the reasons are named
  2  the command line, a source or the output cannot be used
  4  cargo, rustc or rust-src is missing or failed",
    passes_on: false,
};

const LIKE: Opt = Opt {
    long: "like",
    short: None,
    value: Some("OTHER"),
    help: "A function or module that does the same: tests that results are equal",
};

/// `probity c`
pub(crate) const C: Command = Command {
    name: "c",
    usage: "--prefix DIR [OPTIONS] [ARGUMENTS OF CARGO BUILD]",
    summary: "build and install Probity for C and C++",
    about: "\
Builds the library for C and C++ and installs it in DIR: headers in `include`, libraries
in `lib`, and what CMake's `find_package(Probity)` and `pkg-config probity` read. All of
it finds itself, so DIR may be moved.

Sources are those that this command was built from, while they are there, and else those
of the crate probity-c of the same version, which cargo downloads. Needs cargo, a C
compiler (`cc`, or what CC says) and `ar` (or AR). All other arguments are passed on to
`cargo build --release`; a `--profile` takes the place of `--release`.",
    words: (0, 0),
    options: &[&PREFIX, &SOURCE],
    ending: "\
Exit codes:
  0  it is installed
  2  the command line or a folder cannot be used
  4  cargo, the C compiler or ar is missing or failed",
    passes_on: true,
};

const PREFIX: Opt = Opt {
    long: "prefix",
    short: None,
    value: Some("DIR"),
    help: "Where to install, such as /usr/local or ~/.local",
};
const SOURCE: Opt = Opt {
    long: "source",
    short: None,
    value: Some("DIR"),
    help: "A checkout of Probity to build, or its folder crates/c",
};
