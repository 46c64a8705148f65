//! Any SMT-LIB 2 solver, as a process.
//!
//! What is required is kept here, level by level; so a solver that crashes, or has to be killed because it
//! takes too long, is started again for the next query and told everything anew. Models are decoded and left to the
//! caller to check.
//!
//! The pipe is our own rather than that of a library: a time limit has to be able to kill the process, what the
//! process complains about belongs in our messages, and a transcript has both sides.

mod alphabet;
mod automaton;
mod encode;
mod many;
mod pattern;
mod process;
mod program;
mod sexpr;
mod text;

pub use many::{Many, Pairwise, many};
pub use program::find;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::{Answer, Effort, Solver};
use alphabet::SolverAlphabet;
use encode::SharedTerms;
use probity_spec::flat::{Expr, Scalar, Slot, SlotKind};
use probity_spec::regex::chars::CharSet;
use process::{NoAnswer, Process};
use program::{Dialect, SolverProgram};
use sexpr::Sexpr;
pub(crate) use sexpr::reread;

/// How long a program may take to say that it is a solver.
const START_MILLIS: u64 = 10_000;
/// How long a solver that has its own time limit may go on beyond it before it is killed.
const GRACE_MILLIS: u64 = 500;
/// How many things may be said that are no answer before the program is taken for something else.
const NOISE_MAX: usize = 100;

/// A solver's process that holds requirements over some slots.
pub struct Smt {
    program: SolverProgram,
    transcript: Option<PathBuf>,
    slots: Vec<Slot>,
    /// What is required at every level; the first is the bottom.
    levels: Vec<Vec<Requirement>>,
    common: SharedTerms,
    process: Option<Process>,
    told: ProcessState,
    markers: u64,
}

/// What a solver is told.
#[derive(PartialEq)]
enum Requirement {
    /// An expression holds. Its slots from `k` on are those of another copy: see [`many`].
    Holds { expr: Expr, k: u32, copies: (u32, u32) },
    /// An expression has different values in each of `n` copies of `k` slots.
    Distinct { expr: Expr, k: u32, n: u32 },
    /// The text in a slot has only characters of the alphabet.
    InAlphabet(u32),
}

/// What the process was told, as far as it is not to be told anew.
#[derive(Default)]
struct ProcessState {
    /// For every level that it is in, how many requirements, and what has no term there, in words.
    levels: Vec<(usize, Vec<String>)>,
    /// How many levels it is yet to leave.
    pops: usize,
    alphabet: CharSet,
}

impl Smt {
    /// Starts a program, given by its name or path and perhaps arguments (those for Z3 and cvc5 are known), for
    /// requirements over these slots. Everything said both ways is added to the file `transcript`. It is given up when
    /// `stop` says so. The error says what is wrong with the program and what to do.
    ///
    /// ```no_run
    /// use probity_spec::flat::{Expr, Scalar, Slot, SlotKind, add, eq};
    /// use probity_models::solve::{Answer, Effort, Solver, smt::Smt};
    /// let slot = Slot { name: "x".to_string(), kind: SlotKind::Int { lo: 0, hi: 9 } };
    /// let mut solver = Smt::start("z3", None, &[slot], &|| false).unwrap();
    /// solver.require(&eq(add([Expr::slot(0), Expr::slot(0)]), Expr::int(8)));
    /// let effort = Effort { stop: &|| false, millis: 1_000, seed: 0 };
    /// assert_eq!(solver.solve(&effort), Answer::Sat(vec![Scalar::Int(4)]));
    /// ```
    pub fn start(
        program: &str,
        transcript: Option<&Path>,
        slots: &[Slot],
        stop: &dyn Fn() -> bool,
    ) -> Result<Smt, String> {
        let mut res = Smt {
            program: SolverProgram::read(program)?,
            transcript: transcript.map(Path::to_path_buf),
            slots: slots.to_vec(),
            levels: vec![Vec::new()],
            common: SharedTerms::default(),
            process: None,
            told: ProcessState::default(),
            markers: 0,
        };
        res.connect(stop)?;
        Ok(res)
    }

    /// The number of the process, while there is one.
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// Starts a process that knows nothing yet.
    fn connect(&mut self, stop: &dyn Fn() -> bool) -> Result<(), String> {
        let mut process = Process::start(&self.program.name, &self.program.args, self.transcript.as_deref())?;
        let options = [":print-success false", ":produce-models true", ":global-declarations true"];
        options.iter().for_each(|it| process.say(format!("(set-option {it})")));
        process.say("(set-logic ALL)\n(get-info :name)\n(echo \"probity-start\")".to_string());
        greet(&mut process, &mut self.program, stop)?;
        for (i, slot) in self.slots.iter().enumerate() {
            let name = symbol(&self.slots, i as u32);
            process.say(format!("(declare-const {name} {})", encode::sort(&slot.kind)));
            if let SlotKind::Int { lo, hi } = &slot.kind {
                process.say(format!("(assert (<= {} {name} {}))", encode::int(*lo), encode::int(*hi)));
            }
        }
        self.process = Some(process);
        self.common.forget();
        self.told = ProcessState { levels: vec![(0, Vec::new())], pops: 0, alphabet: CharSet::default() };
        Ok(())
    }

    /// Sends the process what it does not have yet. Starts one if there is none, or if the characters to choose from
    /// are others by now.
    fn tell(&mut self, stop: &dyn Fn() -> bool) -> Result<(), String> {
        for (i, level) in self.levels.iter().enumerate() {
            let told = self.told.levels.get(i).map_or(0, |it| it.0);
            for requirement in level.iter().skip(told) {
                if let Requirement::Holds { expr, .. } | Requirement::Distinct { expr, .. } = requirement {
                    self.common.note(expr);
                }
            }
        }
        let is_new = self.told.levels.iter().all(|it| it.0 == 0);
        if self.process.is_none() || !is_new && self.told.alphabet != *self.common.alphabet.chosen() {
            self.connect(stop)?;
        }
        self.told.alphabet.clone_from(self.common.alphabet.chosen());
        let mut res = String::new();
        if self.told.pops > 0 {
            let _ = writeln!(res, "(pop {})", self.told.pops);
            self.told.pops = 0;
        }
        for i in self.told.levels.len() - 1..self.levels.len() {
            if i == self.told.levels.len() {
                res.push_str("(push 1)\n");
                self.told.levels.push((0, Vec::new()));
            }
            for requirement in &self.levels[i][self.told.levels[i].0..] {
                match term(requirement, &self.slots, &mut self.common) {
                    Ok(term) => {
                        let _ = writeln!(res, "{}(assert {term})", self.common.definitions());
                    }
                    Err(what) => self.told.levels[i].1.push(what),
                }
            }
            self.told.levels[i].0 = self.levels[i].len();
        }
        if let (false, Some(process)) = (res.is_empty(), &mut self.process) {
            process.say(res);
        }
        Ok(())
    }

    /// Asks a question, and collects the answers up to a marker of our own. Takes the time off `millis`, after which
    /// there is some grace for solvers that keep to a limit themselves.
    fn ask(
        &mut self,
        question: &str,
        millis: &mut u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Sexpr>, String> {
        let name = &self.program.name;
        let Some(process) = self.process.as_mut() else { return Err(format!("`{name}` is gone")) };
        self.markers += 1;
        let marker = format!("probity-{}", self.markers);
        process.say(format!("{question}\n(echo \"{marker}\")"));
        let mut res = Vec::new();
        let limit = *millis;
        let mut left = millis.saturating_add(GRACE_MILLIS);
        let why = loop {
            match process.answer(&mut left, stop) {
                Ok(answer) if answer.word() == Some(&marker) => {
                    *millis = left.saturating_sub(GRACE_MILLIS);
                    return Ok(res);
                }
                Ok(answer) => res.push(answer),
                Err(NoAnswer::Late) if left > 0 => break format!("`{name}` was stopped"),
                Err(NoAnswer::Late) => break format!("`{name}` did not answer within {limit} ms"),
                Err(NoAnswer::Broken(message)) => break message,
            }
            if res.len() > NOISE_MAX {
                break format!("`{name}` answers what was not asked");
            }
        };
        // It is in the middle of something: the next query gets a new one.
        self.process = None;
        Err(why)
    }

    /// Says what a query may cost and where to start, as far as the solver can be told. cvc5 takes a seed only before
    /// everything else.
    fn limit(&self, millis: u64, seed: u64) -> String {
        // Z3 refuses more than 32 bits; the clock here is the one that counts then.
        let millis = millis.clamp(1, u32::MAX.into());
        match self.program.dialect {
            Dialect::Z3 => {
                let seed = seed % (1 << 31);
                format!("(set-option :timeout {millis})\n(set-option :smt.random_seed {seed})\n")
            }
            Dialect::Cvc5 => format!("(set-option :tlimit-per {millis})\n"),
            Dialect::Other => String::new(),
        }
    }

    /// A model, none (in the inner option) if there is none; or why it is not known.
    fn check(&mut self, effort: &Effort, millis: &mut u64) -> Result<Option<Vec<Scalar>>, String> {
        self.tell(effort.stop)?;
        let name = self.program.name.clone();
        if let Some(what) = self.told.levels.iter().flat_map(|it| &it.1).next() {
            return Err(format!("`{name}` was not asked: SMT-LIB cannot express {what}"));
        }
        let question = format!("{}(check-sat)", self.limit(*millis, effort.seed));
        let answers = self.ask(&question, millis, effort.stop)?;
        if let Some(error) = answers.iter().find_map(complaint) {
            return Err(format!("`{name}` does not understand the query: {error}"));
        }
        match answers.last().and_then(Sexpr::word) {
            Some("sat") => self.model(effort, millis),
            Some("unsat") if !self.common.alphabet.may_miss() => Ok(None),
            // With all the characters there are it may be otherwise.
            Some("unsat") if self.common.alphabet.widen() => self.check(effort, millis),
            Some("unsat") => {
                let what = "there may be models with characters above U+2FFFF, which SMT-LIB does not have";
                Err(format!("`{name}` found none, but {what}"))
            }
            Some("unknown" | "timeout") => Err(self.why_unknown(effort)),
            _ => {
                let said: Vec<String> = answers.iter().map(Sexpr::to_string).collect();
                Err(format!("`{name}` neither says sat nor unsat but `{}`", said.join(" ")))
            }
        }
    }

    fn why_unknown(&mut self, effort: &Effort) -> String {
        let name = self.program.name.clone();
        let answers = self.ask("(get-info :reason-unknown)", &mut 0, effort.stop).unwrap_or_default();
        let reason = match answers.first() {
            Some(Sexpr::List(parts)) => parts.get(1).and_then(Sexpr::word).unwrap_or_default(),
            _ => "",
        };
        match reason {
            "timeout" | "canceled" | "resourceout" => {
                format!("`{name}` did not find out within {} ms", effort.millis)
            }
            "" | "incomplete" => format!("`{name}` cannot tell"),
            _ => format!("`{name}` cannot tell: {reason}"),
        }
    }

    /// The model that the solver just found.
    fn model(&mut self, effort: &Effort, millis: &mut u64) -> Result<Option<Vec<Scalar>>, String> {
        let name = self.program.name.clone();
        if self.slots.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let names: Vec<String> = (0..self.slots.len() as u32).map(|it| symbol(&self.slots, it)).collect();
        let answers = self.ask(&format!("(get-value ({}))", names.join(" ")), millis, effort.stop)?;
        let pairs = match answers.first() {
            Some(Sexpr::List(pairs)) if pairs.len() == self.slots.len() => pairs,
            _ => return Err(format!("`{name}` gives no model")),
        };
        let mut res = Vec::with_capacity(pairs.len());
        for (i, (pair, slot)) in pairs.iter().zip(&self.slots).enumerate() {
            let value = if let Sexpr::List(pair) = pair { pair.get(1) } else { None };
            let in_alphabet = Requirement::InAlphabet(i as u32);
            match value.map(|it| scalar(it, &slot.kind, &self.common.alphabet)) {
                Some(Ok(scalar)) => res.push(scalar),
                // Rarely needed and costly, so it is not required beforehand.
                Some(Err(NotScalar::NotInAlphabet))
                    if !self.levels.iter().flatten().any(|it| *it == in_alphabet) =>
                {
                    self.level().push(in_alphabet);
                    return self.check(effort, millis);
                }
                _ => {
                    let value = value.map(Sexpr::to_string).unwrap_or_default();
                    return Err(format!(
                        "`{name}` gives {} the value {value}, which is beyond its kind",
                        slot.name
                    ));
                }
            }
        }
        Ok(Some(res))
    }

    /// The innermost level.
    fn level(&mut self) -> &mut Vec<Requirement> {
        self.levels.last_mut().expect("the bottom level stays")
    }
}

impl Solver for Smt {
    fn name(&self) -> String {
        self.program.name.clone()
    }

    fn require(&mut self, expr: &Expr) {
        self.level().push(Requirement::Holds { expr: expr.clone(), k: u32::MAX, copies: (0, 0) });
    }

    fn push(&mut self) {
        self.levels.push(Vec::new());
    }

    fn pop(&mut self) {
        // The bottom level stays.
        if self.levels.len() > 1 {
            self.levels.pop();
            if self.told.levels.len() > self.levels.len() {
                self.told.levels.pop();
                self.told.pops += 1;
            }
        }
    }

    fn solve(&mut self, effort: &Effort) -> Answer {
        if (effort.stop)() || effort.millis == 0 {
            return Answer::Unknown(format!("`{}` was not asked: no time is left", self.program.name));
        }
        match self.check(effort, &mut { effort.millis }) {
            Ok(Some(model)) => Answer::Sat(model),
            Ok(None) => Answer::Unsat,
            Err(why) => Answer::Unknown(why),
        }
    }
}

/// Waits for a new process to show that it is a solver, and learns which.
fn greet(process: &mut Process, program: &mut SolverProgram, stop: &dyn Fn() -> bool) -> Result<(), String> {
    let name = program.name.clone();
    let wrong = |what: String| {
        format!(
            "`{name}` is no SMT-LIB 2 solver: it {what}; name z3, cvc5 or another one, with its arguments"
        )
    };
    let mut millis = START_MILLIS;
    for _ in 0..NOISE_MAX {
        match process.answer(&mut millis, stop) {
            Ok(answer) if answer.word() == Some("probity-start") => return Ok(()),
            Ok(Sexpr::List(parts)) => match (parts.first().and_then(Sexpr::word), parts.get(1)) {
                (Some(":name"), Some(name)) => program.learn(name.word().unwrap_or_default()),
                (Some("error"), Some(what)) => return Err(wrong(format!("says {what}"))),
                (Some("set-option" | "echo"), _) => return Err(wrong("repeats what it is told".to_string())),
                _ => {}
            },
            Ok(_) => {}
            Err(NoAnswer::Late) if millis > 0 => {
                return Err(format!("`{name}` was stopped before it said that it is an SMT-LIB 2 solver"));
            }
            Err(NoAnswer::Late) => return Err(wrong(format!("says nothing for {START_MILLIS} ms"))),
            Err(NoAnswer::Broken(message)) => {
                return Err(format!(
                    "{message}; name z3, cvc5 or another SMT-LIB 2 solver, with its arguments"
                ));
            }
        }
    }
    Err(wrong("says things that are no answers".to_string()))
}

/// The term that a requirement is for a solver.
fn term(requirement: &Requirement, slots: &[Slot], common: &mut SharedTerms) -> Result<String, String> {
    match requirement {
        Requirement::Holds { expr, k: u32::MAX, .. } => encode::term(expr, &|it| symbol(slots, it), common),
        Requirement::Holds { expr, k, copies } => {
            let of_copy = |it: u32| if it < *k { it + copies.0 * k } else { it - k + copies.1 * k };
            encode::term(expr, &|it| symbol(slots, of_copy(it)), common)
        }
        Requirement::Distinct { expr, k, n } => {
            let copy = |i: u32| encode::term(expr, &|it| symbol(slots, it + i * k), common);
            let terms: Result<Vec<String>, String> = (0..*n).map(copy).collect();
            Ok(format!("(distinct {})", terms?.join(" ")))
        }
        Requirement::InAlphabet(slot) => {
            let ranges = common.alphabet.chosen().char_ranges().map(|it| text::range(it.0, it.1));
            // A union has two parts at least.
            let ranges: Vec<String> = ranges.chain(["re.none".to_string()]).collect();
            Ok(format!("(str.in_re {} (re.* (re.union {})))", symbol(slots, *slot), ranges.join(" ")))
        }
    }
}

/// What a solver calls a slot: its number, and for people where it comes from.
fn symbol(slots: &[Slot], slot: u32) -> String {
    let name = slots.get(slot as usize).map_or("", |it| &it.name);
    let is_plain = |c: &char| matches!(c, ' '..='~') && !matches!(c, '|' | '\\');
    let name: String = name.chars().map(|c| if is_plain(&c) { c } else { '?' }).collect();
    format!("|{slot} {name}|")
}

fn complaint(answer: &Sexpr) -> Option<String> {
    match answer {
        Sexpr::List(parts) if parts.first().and_then(Sexpr::word) == Some("error") => {
            Some(parts.get(1).and_then(Sexpr::word).unwrap_or_default().to_string())
        }
        _ => None,
    }
}

/// Why a value is none for a slot.
enum NotScalar {
    /// A text with a character that the alphabet does not have, or that is none.
    NotInAlphabet,
    /// It is of another kind, or too large.
    Other,
}

fn scalar(value: &Sexpr, kind: &SlotKind, alphabet: &SolverAlphabet) -> Result<Scalar, NotScalar> {
    match (kind, value) {
        (SlotKind::Bool, value) => match value.word() {
            Some("true") => Ok(Scalar::Bool(true)),
            Some("false") => Ok(Scalar::Bool(false)),
            _ => Err(NotScalar::Other),
        },
        (SlotKind::Int { lo, hi }, value) => {
            let int = value.int().filter(|it| (lo..=hi).contains(&it));
            int.map(Scalar::Int).ok_or(NotScalar::Other)
        }
        (SlotKind::Text, Sexpr::Text(inside)) => {
            let codes = text::read(inside).into_iter();
            let text: Option<String> =
                codes.map(|it| char::from_u32(it).filter(|it| alphabet.has(*it))).collect();
            text.map(|it| Scalar::Text(it.into())).ok_or(NotScalar::NotInAlphabet)
        }
        _ => Err(NotScalar::Other),
    }
}
