//! The language: what programs mean.

use probity_lang::Program;
use probity_spec::{Difference, Model, Relation, RelationKind, Request, Value};

fn read(text: &str) -> Program {
    probity_lang::read("test.spec", text, &|path| match path {
        "airports.csv" => {
            Ok("code,city,runways\nPIT,\"Pittsburgh, PA\",4\nAMS,Amsterdam,6\nLCY,London,1\n".into())
        }
        _ => Err("no such file".into()),
    })
    .unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|it| it.render("test.spec", text)).collect::<String>())
    })
}

/// The requests of a program as texts, spec and difference.
fn shown(text: &str) -> Vec<(String, String)> {
    let shown = |it: &Request| (it.spec.to_string(), it.difference.to_string());
    read(text).outlines.iter().map(|it| shown(&it.request)).collect()
}

/// The spec of the only outline of a program whose statements are given.
fn spec(statements: &str) -> String {
    shown(&format!("{statements} (generate t 5)")).remove(0).0
}

#[test]
fn assertions() {
    let rows = [
        ("(gte 0)", "(<= 0 it)"),
        ("(< x 3)", "(< it 3)"),
        ("(< 3)", "(< it 3)"),
        ("(> 3)", "(< 3 it)"),
        ("(and (gte 0) (lt 10))", "(and (<= 0 it) (< it 10))"),
        ("(or (= 1) (and (gt 5) (not (= 7))))", "(or (= it 1) (and (< 5 it) (not (= it 7))))"),
        ("(not (not (= 3)))", "(= it 3)"),
        ("(=> (gt 5) (= (mod x 2) 0))", "(or (not (< 5 it)) (= (mod it 2) 0))"),
        ("(ite (gt 5) (lt 9) (gt 2))", "(ite (< 5 it) (< it 9) (< 2 it))"),
        ("(if (> x 5) (< x 9) (> x 2))", "(ite (< 5 it) (< it 9) (< 2 it))"),
        ("(between 1 9)", "(and (<= 1 it) (<= it 9))"),
        ("(≥ 0)", "(<= 0 it)"),
        ("(λ (v) (≠ v 3))", "(not (= it 3))"),
        ("(in '(1 2 3))", "(in it (list 1 2 3))"),
        ("(in (map (λ (k) (* k k)) (range 4)))", "(in it (list 0 1 4 9))"),
        ("(< 1 x 9)", "(and (< 1 it) (< it 9))"),
        ("(= (abs (- x 5)) (min x 3))", "(= (abs (- it 5)) (ite (<= it 3) it 3))"),
        ("(< (foldl + 0 (list 1 2 3)))", "(< it 6)"),
        ("(< (apply + 1 '(2 3)))", "(< it 6)"),
        ("(let ([k 3]) (< x k))", "(< it 3)"),
        ("(let loop ([k 3] [sum 0]) (if (= k 0) (= x sum) (loop (- k 1) (+ sum k))))", "(= it 6)"),
        ("(cond [(> x 5) (< x 9)] [else #t])", "(ite (< 5 it) (< it 9) #t)"),
        ("(and #t (= 3))", "(= it 3)"),
        ("(exists (k '(1 2)) (= x (* k 10)))", "(or (= it 10) (= it 20))"),
        ("(match '(leaf 4) [(node l r) (= x l)] [(leaf k) (= x k)])", "(= it 4)"),
        ("(match '(1 2 3) [(cons h t) (= x (+ h (length t)))])", "(= it 3)"),
        ("(match '(a b c) [('a rest ...) (= x (length rest))])", "(= it 2)"),
        ("(begin (define k 2) (= x (* k 3)))", "(= it 6)"),
    ];
    for (assertion, expected) in rows {
        let shown = spec(&format!("(declare x ?Integer) (specify x {assertion})"));
        assert_eq!(shown, format!("(object (x (int (require {expected}))))"), "{assertion}");
    }
}

#[test]
fn types() {
    let rows = [
        ("?Boolean", "bool"),
        ("?u8", "(int 0 255)"),
        ("?i16", "(int -32768 32767)"),
        ("?(Integer 0 _)", "(int 0 _)"),
        ("?(Number 3)", "(number 3)"),
        ("?(String 1 4)", "(text (require (<= 1 (length it))) (require (<= (length it) 4)))"),
        ("?(String #rx\"[a-z]+\")", "(text (require (matches it #rx\"[a-z]+\")))"),
        ("?(Option Date)", "(option date)"),
        (
            "?(List (Option Time) 2)",
            "(list (option time) (require (<= 2 (length it))) (require (<= (length it) 2)))",
        ),
        ("?(Enum a \"b c\" 'd)", "(enum a b c d)"),
        ("?(Union (id Integer) (name String))", "(union (id int) (name text))"),
        ("?(Object (a Integer) (optional b ?Date))", "(object (a int) (b? (option date)))"),
    ];
    for (kind, expected) in rows {
        assert_eq!(spec(&format!("(declare x {kind})")), format!("(object (x {expected}))"), "{kind}");
    }
}

#[test]
fn lists_options_unions_and_dates() {
    let rows = [
        ("?(List Integer)", "(forall (gte 0))", "(forall (x1 it) (<= 0 x1))"),
        (
            "?(List Integer)",
            "(forall (e x) (exists (f x) (= e (neg f))))",
            "(forall (x2 it) (exists (x1 it) (= x2 (neg x1))))",
        ),
        ("?(List Integer)", "sorted", "(sorted it)"),
        ("?(List Integer)", "(= (sum x) 10)", "(= (sum it) 10)"),
        ("?(List Integer)", "(λ (l) (= (nth l 0) (length l)))", "(= (nth it 0) (length it))"),
        ("?(Option Date)", "some?", "(some? it)"),
        (
            "?(Option Date)",
            "(=> (some? x) (> (unwrap x) #date\"2020-01-01\"))",
            "(or (not (some? it)) (< 2020-01-01 (unwrap it)))",
        ),
        ("?(Option Date)", "(!= none)", "(not (= it none))"),
        ("?(Union (id Integer) (name String))", "(is id)", "(is it id)"),
        (
            "?(Union (id Integer) (name String))",
            "(=> (is x id) (> (as x id) 0))",
            "(or (not (is it id)) (< 0 (as it id)))",
        ),
        ("?Date", "(= (weekday x) 7)", "(= (weekday it) 7)"),
        ("?Date", "(> (+ x (days 3)) (date \"2020-01-01\"))", "(< 2020-01-01 (+ it PT259200S))"),
        ("?(Enum a b)", "(= 'b)", "(= it b)"),
        ("?(Enum a b)", "(in '(a))", "(in it (list a))"),
        ("?Location", "(λ (l) (= (country l) \"NL\"))", "(= (. it country) \"NL\")"),
        ("?Location", "(= \"Amsterdam\")", "(= it \"Amsterdam\")"),
        ("?String", "(= (string-append x \"b\") \"ab\")", "(= (concat it \"b\") \"ab\")"),
        ("?String", "(contains \"@\")", "(contains it \"@\")"),
    ];
    for (kind, assertion, expected) in rows {
        let shown = spec(&format!("(declare x {kind}) (specify x {assertion})"));
        assert!(
            shown.ends_with(&format!("(require {expected}))))"))
                || shown.ends_with(&format!("(require {expected})))")),
            "{assertion}: {shown}"
        );
    }
}

#[test]
fn patterns() {
    let rows = [
        ("(concat \":\" #rx\"a|b\" #rx\"c\")", vec!["a:c", "b:c"], vec!["ac", ":ac", "a:b"]),
        ("(concat \".\" #rx\"a\" #rx\"c\" #rx\"d\")", vec!["a.c.d"], vec!["axcxd"]),
        ("(concat #rx\"a|b\" #rx\"c\")", vec!["ac", "bc"], vec!["a", "c"]),
        ("(concat \"a\" \"b\")", vec!["ab"], vec!["a", "b"]),
        ("(re-concat \"a|b\" \"c\")", vec!["ac", "bc"], vec!["a", "c"]),
        ("(re-union \"ab\" #rx\"c\")", vec!["ab", "c"], vec!["ac", "b"]),
        ("(re-? (re-union \"ab\" \"c\"))", vec!["", "ab", "c"], vec!["abc"]),
        ("(re-+ \"a|b\")", vec!["a", "abba"], vec![""]),
        ("(re-* \"ab\")", vec!["", "abab"], vec!["aba"]),
        ("(re-repeat \"ab\" 2)", vec!["abab"], vec!["ab", "ababab"]),
        ("(re-repeat \"ab\" 1 2)", vec!["ab", "abab"], vec!["", "ababab"]),
        ("(regexp-quote \"a.b\")", vec!["a.b"], vec!["axb"]),
        ("\"[0-5]\\d\"", vec!["59"], vec!["60", "5d"]),
        ("#px\"\\\\d\\t\\u0041\"", vec!["1\tA"], vec!["\\d"]),
    ];
    for (pattern, yes, no) in rows {
        let program = read(&format!("(declare r {pattern}) (declare x ?r) (generate t 5)"));
        let spec = &program.outlines[0].request.spec;
        let admits = |text: &str| spec.admits(&Value::Object(vec![("x".into(), text.into())])).is_ok();
        assert!(yes.iter().all(|it| admits(it)), "{pattern}: {spec}");
        assert!(!no.iter().any(|it| admits(it)), "{pattern}: {spec}");
    }
}

/// Which variables an outline has, and where requirements stand.
#[test]
fn outlines() {
    let rows = [
        // All globals when nothing is referred to; those that are parts of objects stand inside.
        (
            "(declare a ?Integer) (declare b ?Object) (specify b (with a a)) (generate t 5)",
            "(object (b (object (a int))))",
        ),
        // Those that are referred to, with what requirements relate to them.
        (
            "(declare a ?Integer) (declare b ?Integer) (declare c ?Integer) (specify a (< b)) (generate t 5 (specify b (gt 3)))",
            "(object (b (int (require (< 3 it)))) (a int) (require (< (. it a) (. it b))))",
        ),
        // Declared ones come first, globals that no statement names are left out.
        (
            "(declare g ?Integer) (declare h ?Integer) (generate t 5 (declare x ?String) (constrain h not-equal))",
            "(object (x text) (h int))",
        ),
        // A copy takes its requirements along, also those of its parts, and the original stays out.
        (
            "(declare a ?Integer) (specify a (gte 0)) (declare o ?Object) (specify o (with a a) (with b ?Integer) (with b (gt 1))) (require (< (. o a) 9)) (generate t 5 (declare p ?o))",
            "(object (p (object (a (int (require (<= 0 it)))) (b (int (require (< 1 it)))))))",
        ),
        // Requirements between fields stand at their object.
        (
            "(declare s ?Date) (declare e ?Date) (specify e (> s)) (declare trip ?Object) (specify trip (with start s) (with end e)) (generate t 5 (declare x ?trip))",
            "(object (x (object (start date) (end date) (require (< (. it start) (. it end))))))",
        ),
        // An optional part is required of only where it is there.
        (
            "(declare s ?Integer) (declare e ?Integer) (specify e (> s)) (declare o ?Object) (specify o (with s s) (with-optional e e)) (generate t 5)",
            "(object (o (object (s int) (e? (option int)) (require (or (not (some? (. it e))) (< (. it s) (unwrap (. it e))))))))",
        ),
        // An alias is the same value under its last name.
        (
            "(declare a ?Integer) (specify a (gte 0)) (generate t 5 (declare b a) (specify b (lt 5)))",
            "(object (b (int (require (<= 0 it)) (require (< it 5)))))",
        ),
        // A part of two objects is the same in both.
        (
            "(declare a ?Integer) (declare o ?Object) (declare p ?Object) (specify o (with x a)) (specify p (with y a)) (generate t 5)",
            "(object (o (object (x int))) (p (object (y int))) (require (= (. (. it o) x) (. (. it p) y))))",
        ),
        // Constants, patterns and terms as fields.
        (
            "(declare n ?Integer) (declare o ?Object) (specify o (with n n) (with k \"x\") (with r #rx\"a+\") (with m (* 2 n))) (generate t 5)",
            "(object (o (object (n int) (k (text (require (= it \"x\")))) (r (text (require (matches it #rx\"a+\")))) (m int) (require (= (. it m) (* 2 (. it n)))))))",
        ),
        // A variable as the element of a list comes with what is specified of it.
        (
            "(declare a ?Integer) (specify a (gte 0)) (declare l ?(List a 0 3)) (generate t 5 (specify l distinct))",
            "(object (l (list (int (require (<= 0 it))) (require (<= (length it) 3)) (require (distinct it)))))",
        ),
        // Recursive types.
        (
            "(define-type Tree (Object (value Integer) (kids (List Tree 0 2))) (λ (t) (> (. t value) 0))) (declare t ?Tree) (generate g 5)",
            "(object (t (object (value int) (kids (list (named Tree) (require (<= (length it) 2)))) (called Tree) (require (< 0 (. it value))))))",
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(shown(text)[0].0, expected, "{text}");
    }
}

#[test]
fn statements_of_a_generate_are_its_own() {
    let text = "(declare n ?Integer) (constrain n (numeric-distance 2))
        (generate a 5 (specify n (gt 3)) (constrain n not-equal)) (generate b 7)";
    let expected = [
        (
            "(object (n (int (require (< 3 it)))))",
            "(some-of (relation (. it n) (numeric-distance 2)) (relation (. it n) not-equal))",
        ),
        ("(object (n int))", "(relation (. it n) (numeric-distance 2))"),
    ];
    assert_eq!(shown(text), expected.map(|(a, b)| (a.to_string(), b.to_string())));
}

#[test]
fn tables_are_types_and_columns_functions() {
    let text = "(table Airport \"airports.csv\") (declare from ?Airport)
        (generate t 5 (specify from (λ (a) (> (runways a) 2))) (constrain from (λ (a b) (≠ (city a) (city b)))))";
    let request = &read(text).outlines[0].request;
    assert!(request.spec.to_string().ends_with("(require (< 2 (. it runways))))))"), "{}", request.spec);
    assert_eq!(request.difference.to_string(), "(relation (. (. it from) city) not-equal)");
}

/// Constraints as they are read, over `x`.
#[test]
fn constraints() {
    let rows = [
        ("?Integer", "not-equal", "(relation (. it x) not-equal)"),
        ("?Integer", "≠", "(relation (. it x) not-equal)"),
        ("?Integer", "(numeric-distance 0.5)", "(relation (. it x) (numeric-distance 0.5))"),
        ("?Integer", "(relation x (numeric-distance 5))", "(relation (. it x) (numeric-distance 5))"),
        ("?Integer", "(λ (a b) (≥ (abs (- a b)) 5))", "(relation (. it x) (numeric-distance 5))"),
        ("?Integer", "(λ (a b) (not (< (abs (- b a)) 5)))", "(relation (. it x) (numeric-distance 5))"),
        ("?Integer", "(λ (a b) (≠ (mod a 10) (mod b 10)))", "(relation (mod (. it x) 10) not-equal)"),
        (
            "?Integer",
            "(λ (a b) (or (≠ (mod b 3) (mod a 3)) (≠ a b)))",
            "(some-of (relation (mod (. it x) 3) not-equal) (relation (. it x) not-equal))",
        ),
        (
            "?Integer",
            "(λ (a b) (≠ (mod a 10) (mod b 9)))",
            "(relation (. it x) (lambda (it other) (not (= (mod it 10) (mod other 9)))))",
        ),
        (
            "?(List Integer)",
            "(λ (a b) (≠ (nth a 0) (nth b 0)))",
            "(relation (. it x) (lambda (it other) (not (= (nth it 0) (nth other 0)))))",
        ),
        ("?String", "(λ (a b) (≠ (length a) (length b)))", "(relation (. it x) different-lengths)"),
        ("?String", "(λ (a b) (> (edit-distance a b) 2))", "(relation (. it x) (edit-distance 3))"),
        ("?String", "(edit-distance 2)", "(relation (. it x) (edit-distance 2))"),
        (
            "?String",
            "(all-of different-lengths (not (edit-distance 9)))",
            "(all-of (relation (. it x) different-lengths) (not (relation (. it x) (edit-distance 9))))",
        ),
        ("?Integer", "(some-of never not-equal)", "(relation (. it x) not-equal)"),
        (
            "?Integer",
            "(enumerate* (list (lt 3) (gte 3)) (list never not-equal))",
            "(enumerate* ((< (. it x) 3) never) ((<= 3 (. it x)) (relation (. it x) not-equal)))",
        ),
        (
            "?Integer",
            "(enumerate-linear (map (λ (k) (= k)) (range 2)))",
            "(enumerate* ((= (. it x) 0) never) ((= (. it x) 1) never))",
        ),
        ("?Location", "different-countries", "(relation (. (. it x) country) not-equal)"),
        (
            "?(Option (Enum a b))",
            "(cover-json (not whitespace))",
            "(enumerate* ((not (some? (. it x))) never) ((some? (. it x)) (enumerate* ((= (unwrap (. it x)) a) never) ((= (unwrap (. it x)) b) never))))",
        ),
        (
            "?(List Integer 1 2)",
            "(cover-json (only lengths))",
            "(enumerate* ((= (length (. it x)) 1) never) ((= (length (. it x)) 2) never))",
        ),
        (
            "?(Union (a Integer) (b (List Integer)))",
            "(cover-json (only alternatives lengths))",
            "(enumerate* ((is (. it x) a) never) ((is (. it x) b) (enumerate* ((= (length (as (. it x) b)) 0) never) ((= (length (as (. it x) b)) 1) never) ((= (length (as (. it x) b)) 2) never) ((<= 3 (length (as (. it x) b))) never))))",
        ),
    ];
    for (kind, constraint, expected) in rows {
        let text = format!("(declare x {kind}) (generate t 5 (constrain-solutions x {constraint}))");
        assert_eq!(shown(&text)[0].1, expected, "{constraint}");
    }
}

/// A relation means the same whichever shape it is brought to: against Rust, on all pairs of a small domain.
#[test]
fn relations_mean_what_they_say() {
    type Holds = fn(i128, i128) -> bool;
    let rows: [(&str, Holds); 7] = [
        ("(λ (a b) (≥ (abs (- a b)) 3))", |a, b| (a - b).abs() >= 3),
        ("(λ (a b) (> (abs (- a b)) 3))", |a, b| (a - b).abs() > 3),
        ("(λ (a b) (≠ (mod a 3) (mod b 3)))", |a, b| a.rem_euclid(3) != b.rem_euclid(3)),
        ("(λ (a b) (not (≤ (abs (- a b)) 2)))", |a, b| (a - b).abs() > 2),
        ("(λ (a b) (or (< a b) (> (+ a b) 3)))", |a, b| a < b || a + b > 3),
        ("(λ (a b) (≠ (div 6 a) (div 6 b)))", |a, b| {
            // Undefined is not equal to anything.
            a == 0 || b == 0 || 6_i128.div_euclid(a) != 6_i128.div_euclid(b)
        }),
        ("(λ (a b) (and (≠ a b) (≥ (abs (- (* a a) (* b b))) 4)))", |a, b| {
            a != b && (a * a - b * b).abs() >= 4
        }),
    ];
    for (relation, holds) in rows {
        let text = format!("(declare x ?(Integer -5 5)) (generate t 5 (constrain x {relation}))");
        let request = &read(&text).outlines[0].request;
        let model =
            |x: i128| Model { value: Value::Object(vec![("x".into(), Value::Int(x))]), choices: vec![] };
        for (a, b) in (-5..=5).flat_map(|a| (-5..=5).map(move |b| (a, b))) {
            let expected = a != b && holds(a, b) && holds(b, a);
            assert_eq!(request.differ(&model(a), &model(b)), expected, "{relation} of {a} and {b}");
        }
    }
}

/// A relation may look at other variables: those of the first model.
#[test]
fn relations_of_several_variables() {
    let text = "(declare x ?(Integer 0 3)) (declare y ?(Integer 0 3))
        (generate t 5 (constrain x (λ (a b) (> (+ a y) b))))";
    let request = &read(text).outlines[0].request;
    assert!(matches!(
        &request.difference,
        Difference::Relation(Relation { kind: RelationKind::Holds(_), .. })
    ));
    let model = |x: i128, y: i128| {
        let value = Value::Object(vec![("x".into(), Value::Int(x)), ("y".into(), Value::Int(y))]);
        Model { value, choices: vec![] }
    };
    for (x, y, v, w) in (0..256).map(|i| (i % 4, i / 4 % 4, i / 16 % 4, i / 64)) {
        let expected = (x, y) != (v, w) && x + y > v && v + w > x;
        assert_eq!(request.differ(&model(x, y), &model(v, w)), expected, "{x} {y} {v} {w}");
    }
}

/// Whatever text is given, reading ends, without a panic, within the limits.
#[test]
fn any_text_is_read_or_refused() {
    let mut random = probity_spec::Random::new(11);
    let pieces = [
        "(",
        ")",
        "[",
        "]",
        "'",
        "?",
        "\"",
        "#rx\"",
        "#|",
        "|#",
        "declare ",
        "specify ",
        "generate ",
        "define ",
        "x ",
        "f ",
        "match ",
        "λ ",
        "let ",
        "cond ",
        "3 ",
        "-1 ",
        "0.5 ",
        "Integer ",
        "(x) ",
        "forall ",
        "map ",
        "list ",
        "enumerate* ",
        "cover-regexp ",
        "cover-json ",
        "with ",
        ". ",
        "é",
        "\\",
        "_ ",
        "... ",
        "apply ",
        "curry ",
        "and ",
        "not ",
        "relation ",
        "never ",
        "Option ",
        "List ",
        "Object ",
        "?x ",
        "(declare x ?Integer) ",
        "(generate t 5) ",
        "(define (f a) ",
        "if ",
        "first ",
        "nth ",
        "concat ",
        "as ",
        "is ",
        "table ",
    ];
    for _ in 0..1_500 {
        let n = random.below(40);
        let text: String = (0..n).map(|_| pieces[random.below(pieces.len() as u64) as usize]).collect();
        if let Err(errors) = probity_lang::read("a.spec", &text, &|_| Err("none".into())) {
            assert!(!errors.is_empty());
            errors.iter().for_each(|it| assert!(it.render("a.spec", &text).contains("a.spec:"), "{text}"));
        }
        let json = text.replace('(', "{").replace(')', "}").replace('\'', ":").replace("x ", "\"type\"");
        let _ = probity_lang::files::read("a.json", &json);
    }
    for deep in ["(".repeat(100_000), "'".repeat(100_000), "?(".repeat(50_000), "(not ".repeat(99)] {
        assert!(probity_lang::read("a.spec", &deep, &|_| Err("none".into())).is_err());
    }
}

/// Recursion that ends is fine to some depth; what does not end is told, in whatever way it recurses.
#[test]
fn recursion_has_limits() {
    let sum =
        "(define (sum n) (if (= n 0) 0 (+ n (sum (- n 1))))) (declare x ?Integer) (specify x (= (sum 900)))";
    assert_eq!(spec(sum), "(object (x (int (require (= it 405450)))))");
    let looped = "(define (up k n) (if (= n 0) k (up (+ k 1) (- n 1)))) (declare x ?Integer) (specify x (= (up 0 9000)))";
    assert_eq!(spec(looped), "(object (x (int (require (= it 9000)))))");
    for body in [
        "(+ 1 (f n))",
        "(first (map f (list n)))",
        "(match n [k (let ([r (f k)]) r)])",
        "(cond [(f n) 0] [else 1])",
        "(forall (list 1) (λ (x) (f n)))",
        "(filter (curry (λ (a x) (f n)) 1) (list 1))",
        "(enumerate* (map (λ (x) (f n)) (list 1)) (list never))",
        "(foldl (λ (x a) (f a)) n (list 1))",
        "(apply f (list n))",
    ] {
        let text = format!("(define (f n) {body}) (declare x ?Integer) (declare y (f 1)) (generate t 5)");
        let errors = probity_lang::read("a.spec", &text, &|_| Err("none".into())).unwrap_err();
        assert_eq!(errors.len(), 1, "{body}: {errors:?}");
        assert!(errors[0].message.contains("calls nest") || errors[0].message.contains("steps"), "{body}");
    }
}

/// A short program can stand for something huge; it is refused, and soon.
#[test]
fn what_doubles_is_refused() {
    let doubled = |step: &str| -> String {
        let one = |i: i32| step.replace("{i}", &i.to_string()).replace("{j}", &(i - 1).to_string());
        (1..60).map(one).collect()
    };
    let rows = [
        ("(declare t0 ?Integer)", "(define t{i} (+ t{j} t{j}))", "(require (= t59 3))"),
        ("(declare t0 ?Boolean)", "(define t{i} (and t{j} (not t{j})))", "(require t59)"),
        (
            "(define t0 \"ab\") (declare x ?String)",
            "(define t{i} (string-append t{j} t{j}))",
            "(require (= x t59))",
        ),
        ("(define t0 '(1)) (declare x ?Integer)", "(define t{i} (list t{j} t{j}))", "(require (in x t59))"),
        ("(define t0 '(1)) (declare x ?Integer)", "(define t{i} (append t{j} t{j}))", "(require (in x t59))"),
        (
            "(define t0 #rx\"ab\") (declare x ?String)",
            "(define t{i} (re-concat t{j} t{j}))",
            "(specify x (matches t59))",
        ),
        (
            "(declare x ?Integer) (define t0 (relation x not-equal))",
            "(define t{i} (all-of t{j} (not t{j})))",
            "(constrain x t59)",
        ),
        (
            "(declare x ?Integer) (define t0 (relation x not-equal))",
            "(define t{i} (enumerate* '(#t #t) (list t{j} t{j})))",
            "(constrain x t59)",
        ),
        ("(declare t0 ?Object)", "(declare t{i} ?Object) (specify t{i} (with a t{j}) (with b t{j}))", ""),
        ("(declare t0 ?Object)", "(declare t{i} ?Object) (specify t{i} (with a ?t{j}) (with b ?t{j}))", ""),
        ("(define-type T0 Integer)", "(define-type T{i} (Object (a T{j}) (b T{j})))", "(declare x ?T59)"),
        (
            "(define (f n) (if (= n 0) 0 (+ (f (- n 1)) (f (- n 1)))))",
            "",
            "(declare x ?Integer) (specify x (= (f 60)))",
        ),
    ];
    for (first, step, last) in rows {
        let steps = doubled(step);
        let text = format!("{first} {steps} {last} (generate t 5)");
        let errors = probity_lang::read("a.spec", &text, &|_| Err("none".into())).err().unwrap_or_default();
        assert!(!errors.is_empty(), "{step} is taken");
    }
    let specs = doubled("\"T{i}\": {\"a\": \"T{j}\", \"b\": \"T{j}\"}, ");
    let text = format!("{{{specs} \"T0\": {{\"type\": \"Integer\"}}}}");
    assert!(probity_lang::files::read("a.json", &text).is_err());
    let patterns = doubled("\"p{i}\": {\"type\": \"Regex\", \"pat\": \"$p{j}$p{j}\"}, ");
    let text = format!("{{{patterns} \"p0\": {{\"type\": \"Regex\", \"pat\": \"ab\"}}}}");
    assert!(probity_lang::files::read("a.json", &text).is_err());
}

#[test]
fn combined_patterns_are_refused_where_they_get_too_large() {
    let nested = |n: usize| "(re-repeat ".repeat(n) + "#rx\"a\"" + &" 0 1000)".repeat(n);
    for (n, refused) in [(1, false), (2, true), (8, true), (40, true)] {
        let program = format!("(declare t ?String) (specify t (matches {}))\n(generate ts 3)", nested(n));
        let read = probity_lang::read("a.spec", &program, &|_| Err(String::new()));
        let errors = read.err().unwrap_or_default();
        assert_eq!(errors.iter().any(|it| it.message.contains("too large")), refused, "{n}: {errors:?}");
    }
}
