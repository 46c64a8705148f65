//! Solvers that are missing, wrong, slow or broken: each is explained, and none is left behind.

#![cfg(unix)]

use std::cell::Cell;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use probity_models::solve::smt::{Smt, find};
use probity_models::solve::{Answer, Effort, Solver};
use probity_models::{Encoding, Options, SolverChoice, Total, generate};
use probity_spec::flat::{Expr, Scalar, Slot, SlotKind};
use probity_spec::{Difference, Request, Shape, Spec, Term};

/// A solver that greets and then does as its first argument says. `FILE` is its second.
const FAKE: &str = r#"
crash() { echo 'out of memory' >&2; exit 3; }
while read -r line; do
  case "$line" in
    '(get-info :name)') echo '(:name "fake")' ;;
    '(echo "'*) line=${line#'(echo "'}; echo "${line%'")'}" ;;
    '(get-value'*) echo "$VALUE" ;;
    '(check-sat)') case "$1" in
      crash) crash ;;
      crash-once) if [ -e "$2" ]; then echo unsat; else : > "$2"; crash; fi ;;
      hang) exec sleep 3600 ;;
      words) echo hello ;;
      bracket) echo ')' ;;
      error) echo '(error "no texts here")' ;;
      noise) exec yes ;;
      half) printf '(a (b'; exit 0 ;;
      unknown) echo unknown ;;
      large) echo sat; VALUE='((x 170141183460469231731687303715884105728))' ;;
      outside) echo sat; VALUE='((x 10))' ;;
      short) echo sat; VALUE='()' ;;
      *) echo unsat ;;
    esac ;;
    '(get-info :reason-unknown)') echo '(:reason-unknown "(incomplete (theory arithmetic))")' ;;
  esac
done
"#;

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("smt-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn slots() -> [Slot; 1] {
    [Slot { name: "x".to_string(), kind: SlotKind::Int { lo: 0, hi: 9 } }]
}

/// Starts the fake in a folder, which must not have spaces in its path.
fn fake(folder: &Path, does: &str, transcript: Option<&Path>) -> Result<Smt, String> {
    let script = folder.join("fake.sh");
    fs::write(&script, FAKE).unwrap();
    let program = format!("sh {} {does} {}", script.display(), folder.join("once").display());
    Smt::start(&program, transcript, &slots(), &|| false)
}

/// Far more than any answer takes, however busy the machine is.
const PATIENT: u64 = 3_600_000;

fn effort(millis: u64) -> Effort<'static> {
    Effort { stop: &|| false, millis, seed: 0 }
}

fn is_alive(process: u32) -> bool {
    Command::new("sh").args(["-c", &format!("kill -0 {process} 2>/dev/null")]).status().unwrap().success()
}

#[test]
fn programs_that_are_no_solvers_are_explained() {
    let rows = [
        ("no-such-solver", "`no-such-solver` cannot be started", "install z3 or cvc5"),
        ("cat", "`cat` is no SMT-LIB 2 solver: it repeats what it is told", "name z3, cvc5"),
        ("false", "`false` ended in the middle (exit status: 1)", "name z3, cvc5"),
        ("yes", "`yes` is no SMT-LIB 2 solver: it says things that are no answers", "name z3, cvc5"),
        ("sh -c exit", "`sh` ended in the middle", "name z3, cvc5"),
        ("printf )", "`printf` closes a bracket that it did not open", "name z3, cvc5"),
        ("ls /no/such/folder", "and it said: ls:", "name z3, cvc5"),
        ("", "no solver is named", "name z3, cvc5"),
    ];
    for (program, what, what_to_do) in rows {
        let error = Smt::start(program, None, &slots(), &|| false).err().expect(program);
        assert!(error.contains(what) && error.contains(what_to_do), "{program}: {error}");
    }
}

#[test]
fn solvers_that_break_in_the_middle_are_explained() {
    let folder = folder("break");
    let rows = [
        ("crash", "`sh` ended in the middle (exit status: 3, and it said: out of memory)"),
        ("words", "`sh` neither says sat nor unsat but `hello`"),
        ("bracket", "`sh` closes a bracket that it did not open"),
        ("error", "`sh` does not understand the query: no texts here"),
        ("noise", "`sh` answers what was not asked"),
        ("half", "`sh` ended in the middle of an answer"),
        ("unknown", "`sh` cannot tell: (incomplete (theory arithmetic))"),
        ("large", "`sh` gives x the value 170141183460469231731687303715884105728, which is beyond its kind"),
        ("outside", "`sh` gives x the value 10, which is beyond its kind"),
        ("short", "`sh` gives no model"),
    ];
    for (does, expected) in rows {
        let mut smt = fake(&folder, does, None).unwrap();
        let process = smt.process_id().unwrap();
        assert_eq!(smt.solve(&effort(PATIENT)), Answer::Unknown(expected.to_string()), "{does}");
        drop(smt);
        assert!(!is_alive(process), "{does}");
    }
}

#[test]
fn a_crash_costs_one_query() {
    let mut smt = fake(&folder("once"), "crash-once", None).unwrap();
    smt.push();
    smt.require(&Expr::constant(Scalar::Bool(false)));
    assert!(matches!(smt.solve(&effort(PATIENT)), Answer::Unknown(_)));
    assert_eq!(smt.solve(&effort(PATIENT)), Answer::Unsat);
}

#[test]
fn slow_solvers_are_killed() {
    let mut smt = fake(&folder("hang"), "hang", None).unwrap();
    let process = smt.process_id().unwrap();
    assert!(is_alive(process));
    assert_eq!(smt.solve(&effort(50)), Answer::Unknown("`sh` did not answer within 50 ms".to_string()));
    assert!(!is_alive(process));

    // The next query gets a new one, which a stop ends as well.
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let answer = smt.solve(&Effort { stop: &stop, millis: PATIENT, seed: 0 });
    assert!(matches!(answer, Answer::Unknown(_)));
    assert_eq!(smt.process_id(), None);
    assert!(matches!(smt.solve(&effort(0)), Answer::Unknown(why) if why.contains("no time is left")));
}

#[test]
fn a_silent_program_is_not_waited_for_after_a_stop() {
    let folder = folder("silent");
    let note = folder.join("process");
    let script = folder.join("silent.sh");
    fs::write(&script, format!("echo $$ > {}; exec sleep 3600", note.display())).unwrap();
    // As soon as there is a process to be left behind.
    let process = || fs::read_to_string(&note).ok().and_then(|it| it.trim().parse::<u32>().ok());
    let error = Smt::start(&format!("sh {}", script.display()), None, &slots(), &|| process().is_some());
    assert!(error.err().unwrap().contains("`sh` was stopped before"));
    assert!(!is_alive(process().unwrap()));
}

#[test]
fn a_solver_ends_with_its_owner() {
    let smt = fake(&folder("drop"), "unsat", None).unwrap();
    let process = smt.process_id().unwrap();
    assert!(is_alive(process));
    drop(smt);
    assert!(!is_alive(process));
}

#[test]
fn transcripts_have_both_sides() {
    let folder = folder("transcript");
    let path = folder.join("said.smt2");
    let mut smt = fake(&folder, "unsat", Some(&path)).unwrap();
    smt.require(&Expr::slot(0));
    assert_eq!(smt.solve(&effort(PATIENT)), Answer::Unsat);
    drop(smt);
    let said = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    let place = |line: &str| lines.iter().position(|it| *it == line).expect(line);
    assert!(place("(declare-const |0 x| Int)") < place("(assert (<= 0 |0 x| 9))"));
    assert!(place("(assert |0 x|)") < place("(check-sat)"));
    assert!(place("(check-sat)") < place("; unsat"));

    let nowhere = folder.join("nowhere").join("said.smt2");
    let error = fake(&folder, "unsat", Some(&nowhere)).err().unwrap();
    assert!(error.contains("cannot be written") && error.contains("name another file"), "{error}");
}

#[test]
fn solvers_are_found_on_the_path() {
    use std::os::unix::fs::PermissionsExt;
    let (a, b) = (folder("path-a"), folder("path-b"));
    let path = std::env::join_paths([&a, &b]).unwrap().into_string().unwrap();
    let install = |folder: &Path, name: &str, mode| {
        fs::write(folder.join(name), "").unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    let found = || find(None, Some(&path));
    assert_eq!(found(), None);
    install(&a, "z3", 0o644);
    assert_eq!(found(), None);
    install(&a, "cvc5", 0o755);
    assert_eq!(found().as_deref(), Some("cvc5"));
    install(&b, "z3", 0o755);
    assert_eq!(found().as_deref(), Some("z3"));
    assert_eq!(find(Some(" "), Some(&path)).as_deref(), Some("z3"));
    assert_eq!(find(Some("mine"), Some(&path)).as_deref(), Some("mine"));
}

/// A solver that says `unsat` to everything, whatever it is asked.
fn liar(folder: &Path) -> SolverChoice {
    let script = folder.join("liar.sh");
    fs::write(&script, FAKE).unwrap();
    SolverChoice::Smt { program: format!("sh {} unsat", script.display()), transcript: None }
}

#[test]
fn a_solver_that_claims_there_is_none_is_not_believed() {
    let folder = folder("liar");
    let solver = liar(&folder);
    let int = |max: i128| Spec::new(Shape::int(0, max));
    let (x, y) = (Term::it().field("x"), Term::it().field("y"));
    let pair = |max: i128| Spec::object([("x", int(max)), ("y", int(max))]);
    // What brute force finds: (0, 7), (1, 6) .. (7, 0).
    let sum = pair(9).require(x.clone().plus(y.clone()).eq(Term::int(7)));
    let none = pair(9).require(x.clone().plus(y.clone()).eq(Term::int(70)));
    for encoding in [Encoding::Auto, Encoding::OneAtATime, Encoding::AllAtOnce, Encoding::Distinct] {
        for (spec, n, exists) in [(&sum, 5, 8_usize), (&sum, 20, 8), (&none, 5, 0)] {
            let request = Request { spec: spec.clone(), difference: Difference::Never, n };
            let options = Options { solver: solver.clone(), encoding, plan: false, ..Options::default() };
            let mut models = 0;
            let made = generate(&request, &options, &mut |_| {
                models += 1;
                ControlFlow::Continue(())
            })
            .unwrap();
            assert_eq!(models, n.min(exists), "{encoding:?}: {made:?}");
            if encoding == Encoding::OneAtATime {
                let told = made.explanation.iter().any(|it| it.contains("program was wrong"));
                assert_eq!(told, exists > 0, "{made:?}");
            }
            match made.total {
                Total::Exactly(total) => assert_eq!(total, exists.into(), "{encoding:?}"),
                Total::AtLeast(total, _) => assert!(total <= exists.into(), "{encoding:?}"),
                Total::Infinite => panic!("{encoding:?}"),
            }
        }
    }
}

#[test]
fn a_claim_that_nobody_can_check_says_whose_it_is() {
    let solver = liar(&folder("claims"));
    // Fermat's last theorem for the power of five and numbers of fifteen digits: no search settles it.
    let fields = ["x", "y", "z"].map(|it| (it, Spec::new(Shape::int(1, 999_999_999_999_999))));
    let power = |name: &str| {
        let it = || Term::it().field(name);
        (0..4).fold(it(), |power, _| power.times(it()).modulo(Term::int(1_000_003_000_007)))
    };
    let spec = Spec::object(fields).require(power("x").plus(power("y")).eq(power("z").plus(Term::int(3))));
    let request = Request { spec, difference: Difference::Never, n: 3 };
    let asked = Cell::new(0);
    let stop = || (asked.set(asked.get() + 1), asked.get() > 60).1;
    let options = Options { solver, plan: false, stop: &stop, ..Options::default() };
    let made = generate(&request, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    let Total::AtLeast(_, why) = made.total else { panic!("{made:?}") };
    assert!(
        why.contains("`sh` claims that no more exist, and the built-in solver could not check it"),
        "{why}"
    );
}
