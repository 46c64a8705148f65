//! A test as the machine runs it: its questions are answered here, and the answers become variables.

use std::sync::atomic::{AtomicBool, Ordering};

use probity_core::{
    Callbacks, CaseEnd, Choice, Domain, PumpOrder, ScalarKind, Source, Test, Value, case_ended, context,
    narrowed, run_case,
};

use super::{AfterCall, Cache, CallEnd, Machine, RunLimits, symbolic};
use crate::answer;
use crate::expr::{Dag, Expr, FloatOp, Op, Var};
use crate::path::{Imprecision, Path, PinTargets, Run, Step, StepKind, Subject, Verdict};

/// The registers of the first arguments of a function, and of its result.
const RDI: usize = 7;
const RSI: usize = 6;
const RDX: usize = 2;
const RAX: usize = 0;

/// A test in a machine. It lies still in memory: the machine's handlers know where.
pub struct Guest<'t> {
    machine: Machine,
    limits: RunLimits,
    /// Owned. Not a box, for the machine's handlers have this pointer too; and each side uses fields of its own: the guest's
    /// code `test` and `source`, the handlers the others.
    state: *mut GuestState<'t>,
}

/// What the guest's code reads and writes of us.
struct GuestState<'t> {
    test: &'t mut dyn Test,
    source: Source,
    asked: GuestAnswers,
    /// Whether a panic was seen that the test caught, so that panics have to be followed.
    catches: bool,
    witness: Option<Witness<'t>>,
}

/// Says whether a test fails with these answers when it is run natively, in another process: this one must not run the test
/// beside the machine.
pub type Witness<'t> = &'t mut dyn FnMut(&[Value]) -> bool;

/// What the questions of a run are answered with.
#[derive(Default)]
struct GuestAnswers {
    answers: Vec<Value>,
    max: u32,
}

impl<'t> Guest<'t> {
    /// A test to be run on this thread, in this process; see [`explore`](crate::explore) for which process. Without a
    /// witness, panics are followed to their end.
    ///
    /// # Errors
    ///
    /// Why code of this process cannot be interpreted, in words.
    pub fn new(
        cache: Cache,
        test: &'t mut dyn Test,
        limits: RunLimits,
        witness: Option<Witness<'t>>,
    ) -> Result<Guest<'t>, String> {
        let mut machine = Machine::new(cache)?;
        let source = Source::with_callbacks(Callbacks { scalar: ask_scalar, other: ask_other });
        let catches = witness.is_none();
        let state = Box::new(GuestState { test, source, asked: GuestAnswers::default(), catches, witness });
        let state = Box::into_raw(state);
        let context = state.cast();
        machine.intercept(ask_scalar as *const () as u64, answer_scalar, context);
        machine.intercept(ask_other as *const () as u64, answer_other, context);
        machine.intercept(case_ended as *const () as u64, end_case, context);
        machine.intercept(narrowed as *const () as u64, note_more, context);
        machine.intercept(context::pump_point as *const () as u64, pump, context);
        Ok(Guest { machine, limits, state })
    }
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        // SAFETY: it was made by `new` from a box, and the machine does not run any more.
        drop(unsafe { Box::from_raw(self.state) });
    }
}

impl Subject for Guest<'_> {
    fn run(&mut self, answers: &[Value], max: u32) -> Run {
        // SAFETY: the state is our own, and no handler runs now.
        unsafe { (*self.state).asked = GuestAnswers { answers: answers.to_vec(), max } };
        self.machine.dag = Dag::new();
        self.machine.path = Path::default();
        let entry = run_guest as *const () as u64;
        // SAFETY: `run_guest` could be called with the state here: it runs a test, which we have to ourselves, and catches
        // what unwinds. Handlers use other fields of the state than it does.
        let ended = unsafe { self.machine.call(entry, self.state as u64, self.limits) };
        let has_returned = matches!(ended, CallEnd::Returned(_));
        let verdict = match ended {
            CallEnd::Stopped(verdict) => verdict,
            CallEnd::Returned(PASS) => Verdict::Pass,
            CallEnd::Returned(REJECT) => Verdict::Reject,
            CallEnd::Returned(OVERRUN) => Verdict::Overrun,
            CallEnd::Returned(MISUSE) => Verdict::Misuse,
            CallEnd::Returned(_) => Verdict::Fail,
        };
        self.machine.note_end();
        if has_returned {
            self.machine.note_state();
        }
        if ASKED_NATIVELY.swap(false, Ordering::Relaxed) {
            self.machine.record_imprecision(Imprecision::Domain);
        }
        let edges = self.machine.edges();
        let late = self.machine.late_edges();
        let instructions = self.machine.instructions();
        let dag = std::mem::take(&mut self.machine.dag);
        let path = std::mem::take(&mut self.machine.path);
        self.machine.rollback();
        Run { dag, path, verdict, edges, late, instructions }
    }
}

const PASS: u64 = 0;
const REJECT: u64 = 1;
const OVERRUN: u64 = 2;
const FAIL: u64 = 3;
const MISUSE: u64 = 4;

/// What the machine runs.
extern "C" fn run_guest(state: *mut u8) -> u64 {
    let state = state.cast::<GuestState<'_>>();
    // SAFETY: `Guest::run` passes its own state, which outlives the call; nobody else looks at these fields meanwhile.
    let (source, test) = unsafe { (&mut (*state).source, &mut *(*state).test) };
    match run_case(source, test) {
        Err(_) => MISUSE,
        Ok(case) => match case.verdict {
            probity_core::Verdict::Pass => PASS,
            probity_core::Verdict::Reject(_) | probity_core::Verdict::Skipped => REJECT,
            probity_core::Verdict::Overrun => OVERRUN,
            probity_core::Verdict::Fail(_) => FAIL,
        },
    }
}

/// Set where native code called the test's own back, and that asked.
static ASKED_NATIVELY: AtomicBool = AtomicBool::new(false);

/// Runs natively only: the machine answers in its place.
#[inline(never)]
extern "C" fn ask_scalar(kind: ScalarKind, min: u64, max: u64) -> u64 {
    ASKED_NATIVELY.store(true, Ordering::Relaxed);
    std::hint::black_box(kind.domain(min, max).simplest().scalar().unwrap_or(min))
}

/// Runs natively only: the machine answers in its place.
#[inline(never)]
extern "C" fn ask_other(domain: &Domain, value: &mut Value) {
    ASKED_NATIVELY.store(true, Ordering::Relaxed);
    *value = domain.simplest();
    std::hint::black_box((domain, value));
}

fn answer_scalar(machine: &mut Machine, context: *mut ()) -> AfterCall {
    // SAFETY: `Guest::new` passes its state as the context of these handlers, and only handlers use this field meanwhile.
    let asked = unsafe { &(*context.cast::<GuestState<'_>>()).asked };
    let kind = ScalarKind::from_code(machine.cpu.gpr[RDI] as u32).expect("our own code passes a kind");
    let bounds = [RSI, RDX].map(|it| machine.shadow.gpr[it]);
    let depends = bounds.iter().any(|it| it.is_some());
    if depends && !matches!(kind, ScalarKind::Unsigned | ScalarKind::Signed) {
        // What a domain is has to be known: other bounds are other paths.
        let site = caller(machine);
        symbolic::pin_register(machine, RSI, site);
        symbolic::pin_register(machine, RDX, site);
    }
    let (min, max) = (machine.cpu.gpr[RSI], machine.cpu.gpr[RDX]);
    let domain = kind.domain(min, max);
    let answer = match kind {
        ScalarKind::Unsigned | ScalarKind::Signed if depends => {
            ask_between(machine, asked, kind, domain, bounds)
        }
        _ => ask(machine, asked, &domain, domain.clone()),
    };
    let Some((value, e)) = answer else {
        return too_many();
    };
    let is_signed = matches!(machine.path.choices.last(), Some(Choice { domain: Domain::Int { min, .. }, .. }) if *min < 0);
    let e = if is_signed { machine.dag.sext(e, 64) } else { machine.dag.zext(e, 64) };
    machine.cpu.gpr[RAX] = value.scalar().expect("the domain of a scalar has no floats");
    machine.shadow.set_general(&machine.dag, RAX, e);
    AfterCall::Return
}

/// Ends a run that asks for too many choices: it fails where a check was broken before.
fn too_many() -> AfterCall {
    AfterCall::Stop(if context::is_broken() { Verdict::Fail } else { Verdict::Overrun })
}

fn answer_other(machine: &mut Machine, context: *mut ()) -> AfterCall {
    // SAFETY: as in `answer_scalar`; the guest passes a reference to a domain.
    let (asked, domain) =
        unsafe { (&(*context.cast::<GuestState<'_>>()).asked, &*(machine.cpu.gpr[RDI] as *const Domain)) };
    let (at, size) = (machine.cpu.gpr[RSI], size_of::<Value>() as u64);
    if machine.shadow.load_any(machine.cpu.gpr[RDI], size_of::<Domain>() as u64) {
        machine.record_imprecision(Imprecision::Domain);
    }
    let domain = own(domain);
    let Some((value, e)) = ask(machine, asked, &domain, domain.clone()) else { return too_many() };
    machine.shadow.clear(at, size);
    let place = at as *mut Value;
    // SAFETY: the guest passes a place for a value, and waits.
    let place = unsafe {
        place.write(value);
        &*place
    };
    match place {
        Value::Int(it) => {
            let min = matches!(domain, Domain::Int { min, .. } if min < 0);
            let e = if min { machine.dag.sext(e, 128) } else { machine.dag.zext(e, 128) };
            machine.shadow.store(&machine.dag, std::ptr::from_ref(it) as u64, 16, e);
        }
        Value::Float(it) => {
            let wide = machine.dag.width(e) == 64;
            let e = if wide { e } else { machine.dag.float(FloatOp::Convert(64), e, Expr::NONE) };
            machine.shadow.store(&machine.dag, std::ptr::from_ref(it) as u64, 8, e);
        }
        // A question for a word, asked by a part that is drawn later.
        Value::Bool(it) => store_small(machine, std::ptr::from_ref(it) as u64, 1, e),
        Value::Char(it) => store_small(machine, std::ptr::from_ref(it) as u64, 4, e),
        Value::Pick(it) | Value::Length(it) => store_small(machine, std::ptr::from_ref(it) as u64, 4, e),
    }
    AfterCall::Return
}

/// A copy of a domain of the guest that outlives it: weights that it shares would go with its memory.
fn own(domain: &Domain) -> Domain {
    match domain {
        Domain::Pick { n, weights: Some(weights), shut, free } => {
            Domain::Pick { n: *n, weights: Some((**weights).into()), shut: *shut, free: *free }
        }
        other => other.clone(),
    }
}

fn store_small(machine: &mut Machine, at: u64, bytes: u8, e: Expr) {
    let e = machine.dag.zext(e, 8 * bytes);
    machine.shadow.store(&machine.dag, at, bytes.into(), e);
}

fn end_case(machine: &mut Machine, context: *mut ()) -> AfterCall {
    match CaseEnd::from_code(machine.cpu.gpr[RDI] as u32) {
        Some(CaseEnd::Rejected) => return AfterCall::Stop(Verdict::Reject),
        Some(CaseEnd::Overrun) => return AfterCall::Stop(Verdict::Overrun),
        Some(CaseEnd::Failed) => {}
        Some(CaseEnd::Other) | None => return AfterCall::Enter,
    }
    let state = context.cast::<GuestState<'_>>();
    // SAFETY: as in `answer_scalar`.
    let (catches, witness) = unsafe { (&mut (*state).catches, &mut (*state).witness) };
    // To follow a panic to its end takes some 50,000 instructions; to run natively elsewhere, about a millisecond.
    if !*catches && fails_natively(machine, witness) {
        return AfterCall::Stop(Verdict::Fail);
    }
    *catches = true;
    AfterCall::Enter
}

/// Whether the test fails when it is run as ever with the answers of this run, elsewhere.
fn fails_natively(machine: &Machine, witness: &mut Option<Witness<'_>>) -> bool {
    let values: Vec<Value> = machine.path.choices.iter().map(|it| it.value).collect();
    witness.as_mut().is_some_and(|fails| fails(&values))
}

/// `narrowed(by)`
fn note_more(machine: &mut Machine, _: *mut ()) -> AfterCall {
    machine.record_imprecision(Imprecision::Generator);
    AfterCall::Enter
}

/// `pump_point(value, max, order)`
fn pump(machine: &mut Machine, _: *mut ()) -> AfterCall {
    let of = machine.shadow.gpr[RDI];
    let max = machine.cpu.gpr[RSI] as u32;
    let want = match PumpOrder::from_code(machine.cpu.gpr[RDX] as u32) {
        Some(PumpOrder::Smallest) => PinTargets::Smallest(max),
        Some(PumpOrder::Greatest) => PinTargets::Greatest(max),
        Some(PumpOrder::Ends) | None => PinTargets::Ends(max),
    };
    if of.is_some() {
        let site = caller(machine);
        symbolic::pin_wanted(machine, of, want, site);
    }
    AfterCall::Enter
}

/// Where the function that is about to be entered was called.
fn caller(machine: &Machine) -> u64 {
    // The machine calls handlers right after the call has pushed its return address.
    machine.load(machine.cpu.gpr[4], 8)
}

/// Answers a question for an integer whose bounds depend on answers before it: they stay expressions, and the answer is a
/// variable of all that lies between them in any run.
fn ask_between(
    machine: &mut Machine,
    asked: &GuestAnswers,
    kind: ScalarKind,
    domain: Domain,
    bounds: [Expr; 2],
) -> Option<(Value, Expr)> {
    let now = [machine.cpu.gpr[RSI], machine.cpu.gpr[RDX]];
    let dag = &mut machine.dag;
    let mut bound = |n: usize| if bounds[n].is_some() { bounds[n] } else { dag.constant(now[n].into(), 64) };
    let [min, max] = [bound(0), bound(1)];
    let whole = match kind {
        ScalarKind::Unsigned => Domain::int(dag.range(min).0 as i128, dag.range(max).1 as i128),
        _ => Domain::int(i64::MIN.into(), i64::MAX.into()),
    };
    let (value, e) = ask(machine, asked, &domain, whole)?;
    let dag = &mut machine.dag;
    let (wide, is_signed) = (dag.resize(e, 64), kind == ScalarKind::Signed);
    let within = match is_signed {
        true => [dag.sle(min, wide), dag.sle(wide, max)],
        false => [dag.ule(min, wide), dag.ule(wide, max)],
    };
    for condition in within {
        push_bound(machine, condition);
    }
    Some((value, e))
}

/// Takes note that a condition is part of a domain.
fn push_bound(machine: &mut Machine, condition: Expr) {
    if !machine.dag.is_constant(condition) {
        let asked = machine.path.choices.len() as u32;
        machine.path.steps.push(Step { condition, kind: StepKind::Bound, site: 0, to: 0, other: 0, asked });
    }
}

/// Answers one question with a member of `now`, and makes a variable of `domain`, which has all of these. `None`: there were
/// too many questions.
fn ask(machine: &mut Machine, asked: &GuestAnswers, now: &Domain, domain: Domain) -> Option<(Value, Expr)> {
    let index = machine.path.choices.len();
    if index >= asked.max as usize {
        return None;
    }
    let value = asked.answers.get(index).map_or(now.simplest(), |it| now.fit(*it));
    let var = answer::var(index as u32, &domain);
    let e = match var.min == var.max {
        true => machine.dag.constant(var.min, var.width),
        false => machine.dag.var(var, answer::bits(&domain, value)),
    };
    machine.path.choices.push(Choice { domain: domain.clone(), value });
    machine.note_answer();
    let bound = bound(&mut machine.dag, &domain, e, var);
    push_bound(machine, bound);
    Some((value, e))
}

/// What the range of the variable does not say of the domain.
fn bound(dag: &mut Dag, domain: &Domain, e: Expr, var: Var) -> Expr {
    match *domain {
        Domain::Int { min, max, .. } if min < 0 => {
            let (min, max) = (dag.constant(min as u128, var.width), dag.constant(max as u128, var.width));
            let (above, below) = (dag.sle(min, e), dag.sle(e, max));
            dag.binary(Op::And, above, below)
        }
        Domain::Pick { shut, .. } if shut != 0 => {
            let mut open = dag.constant(1, 1);
            for at in (var.min..=var.max.min(63)).filter(|it| shut >> it & 1 == 1) {
                let at = dag.constant(at, var.width);
                let is_shut = dag.eq(e, at);
                let is_open = dag.not(is_shut);
                open = dag.binary(Op::And, open, is_open);
            }
            open
        }
        Domain::Char { min, max } if min <= '\u{d7ff}' && max >= '\u{e000}' => {
            let (first, last) = (dag.constant(0xd800, var.width), dag.constant(0xdfff, var.width));
            let (below, above) = (dag.ult(e, first), dag.ult(last, e));
            dag.binary(Op::Or, below, above)
        }
        Domain::Float { min, max, nan, single } => {
            let bits = |it: f64| if single { u128::from((it as f32).to_bits()) } else { it.to_bits().into() };
            let infinity = bits(f64::INFINITY);
            let (min, max) = (dag.constant(bits(min), var.width), dag.constant(bits(max), var.width));
            let [min, key, max] = [min, e, max].map(|it| total_order(dag, it));
            let (above, below) = (dag.sle(min, key), dag.sle(key, max));
            let within = dag.binary(Op::And, above, below);
            let magnitude = dag.extract(e, var.width - 2, 0);
            let infinity = dag.constant(infinity, var.width - 1);
            let is_nan = dag.ult(infinity, magnitude);
            if nan {
                dag.binary(Op::Or, within, is_nan)
            } else {
                let is_number = dag.not(is_nan);
                dag.binary(Op::And, within, is_number)
            }
        }
        _ => dag.truth(true),
    }
}

/// A signed integer that is ordered as the total order of floats with these bits.
fn total_order(dag: &mut Dag, bits: Expr) -> Expr {
    let width = dag.width(bits);
    let all = dag.constant(u128::from(width) - 1, width);
    let signs = dag.binary(Op::AShr, bits, all);
    let one = dag.constant(1, width);
    let flips = dag.binary(Op::LShr, signs, one);
    dag.binary(Op::Xor, bits, flips)
}
