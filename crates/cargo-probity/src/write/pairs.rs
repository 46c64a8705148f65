//! Round trips: what one function writes, the other reads.

use super::subject::{TestedFunction, assert_same, can_compare, content, is_cloned, pass};
use super::{TestFile, declared};
use crate::rust::draw::{Drawer, PassedAs, TestInput};
use crate::rust::ty::RustType;

/// PanicWords of pairs: there and back.
const PAIRS: [(&str, &str); 19] = [
    ("encode", "decode"),
    ("compress", "decompress"),
    ("deflate", "inflate"),
    ("escape", "unescape"),
    ("quote", "unquote"),
    ("serialize", "deserialize"),
    ("encrypt", "decrypt"),
    ("pack", "unpack"),
    ("format", "parse"),
    ("print", "parse"),
    ("write", "parse"),
    ("render", "parse"),
    ("write", "read"),
    ("dump", "load"),
    ("marshal", "unmarshal"),
    ("to", "from"),
    ("into", "from"),
    ("split", "join"),
    ("wrap", "unwrap"),
];

/// Writes a test for every pair. The other half may be elsewhere in the crate.
pub(crate) fn write(file: &mut TestFile<'_>) {
    let (drawer, n) = (file.drawer, file.subjects.len());
    let here: Vec<&str> = file.subjects.iter().map(|it| &*it.function.name).collect();
    let is_half = |name: &str| here.iter().any(|it| are_a_pair(it, name) || are_a_pair(name, it));
    let all = drawer.krate.functions.iter().enumerate().filter(|it| is_half(&it.1.1.name));
    let is_here =
        |id: usize| file.subjects.iter().any(|it| std::ptr::eq(it.function, &drawer.krate.functions[id].1));
    let elsewhere =
        all.filter(|it| !is_here(it.0)).filter_map(|it| TestedFunction::function(drawer, it.0).ok());
    let elsewhere: Vec<TestedFunction<'_>> = elsewhere.collect();
    let mut tests = Vec::new();
    let both: Vec<&TestedFunction<'_>> = file.subjects.iter().chain(&elsewhere).collect();
    for (i, there) in both.iter().enumerate() {
        for (j, back) in both.iter().enumerate() {
            let is_pair = i != j && (i < n || j < n) && are_a_pair(&there.function.name, &back.function.name);
            tests.extend(is_pair.then(|| round_trip(drawer, there, back).ok().map(|it| (i, it))).flatten());
        }
    }
    for (i, (name, inputs, lines)) in tests {
        file.test(&name, &inputs, &lines);
        if let Some(it) = file.subjects.get_mut(i) {
            it.is_tested = true;
        }
    }
}

/// Whether names say that one function is the way back from the other.
fn are_a_pair(a: &str, b: &str) -> bool {
    let (one, two): (Vec<&str>, Vec<&str>) = (a.split('_').collect(), b.split('_').collect());
    // `rot13_to_text` and `text_to_rot13`
    let turned = |it: &[&str]| {
        it.iter().position(|it| *it == "to").map(|at| (it[..at].join("_"), it[at + 1..].join("_")))
    };
    if let (Some((a, b)), Some((c, d))) = (turned(&one), turned(&two))
        && !a.is_empty()
        && a == d
        && b == c
    {
        return true;
    }
    if PAIRS.iter().any(|(there, back)| with(&one, there, back).is_some_and(|it| it == two)) {
        return true;
    }
    [format!("un{a}"), format!("de{a}")].iter().any(|it| it == b)
}

/// The words with one of them replaced.
fn with<'a>(words: &[&'a str], old: &str, new: &'a str) -> Option<Vec<&'a str>> {
    let at = words.iter().position(|it| *it == old)?;
    let mut res = words.to_vec();
    res[at] = new;
    Some(res)
}

type Written = (String, Vec<String>, Vec<String>);

/// The test that `back` undoes `there`, if their types say so.
fn round_trip(
    drawer: &Drawer<'_>,
    there: &TestedFunction<'_>,
    back: &TestedFunction<'_>,
) -> Result<Written, String> {
    let (written, read) = (there.unwrapped(drawer), back.unwrapped(drawer));
    let value =
        there.inputs.iter().position(|it| content(&it.taken) == content(&read.ty)).ok_or("types differ")?;
    let (middle, adapted) = back
        .inputs
        .iter()
        .enumerate()
        .find_map(|(i, it)| Some((i, adapt(drawer, &written.ty, it)?)))
        .ok_or("types differ")?;
    // What both take beside that is drawn once.
    let others = |all: &TestedFunction<'_>, at: usize| {
        let rest = all.inputs.iter().enumerate().filter(move |it| it.0 != at);
        rest.map(|it| it.1.clone()).collect::<Vec<TestInput>>()
    };
    let (mine, theirs) = (others(there, value), others(back, middle));
    let fits = theirs.iter().all(|it| mine.iter().any(|mine| mine.ty == it.ty && mine.name == it.name));
    let is_changed = |it: &TestInput| it.passed == PassedAs::Mutable;
    if !fits || there.inputs.iter().chain(&back.inputs).any(is_changed) {
        return Err("inputs differ".to_string());
    }
    let input = &there.inputs[value];
    can_compare(drawer, &input.ty)?;
    let needs_clone = |it: &TestInput| it.passed == PassedAs::Value && !is_cloned(drawer, &it.ty);
    if there.inputs.iter().any(needs_clone) {
        return Err("an input cannot be cloned".to_string());
    }
    let used: Vec<&str> = there.inputs.iter().map(|it| &*it.name).collect();
    let fresh = |name: &str| if used.contains(&name) { format!("{name}_") } else { name.to_string() };
    let (there_name, back_name) = (fresh("written"), fresh("read"));
    let args: Vec<String> = back
        .inputs
        .iter()
        .enumerate()
        .map(|(i, it)| if i == middle { adapted.replace('$', &there_name) } else { pass(it, &it.name, true) })
        .collect();
    let inputs: Vec<String> = there.inputs.iter().map(|it| declared(drawer, it, false)).collect();
    let lines = vec![
        written.wrapper.bind(&there_name, &there.plain_call(true)),
        format!("let {back_name} = {};", read.wrapper.unwrap(&back.call(&args))),
        assert_same(drawer, &input.ty, &owned(&read.ty, &back_name), &input.name),
    ];
    Ok((format!("{}_undoes_{}", back.label, there.label), inputs, lines))
}

/// How `$`, a value of the type, is handed to an input; none if it does not fit.
fn adapt(drawer: &Drawer<'_>, ty: &RustType, input: &TestInput) -> Option<&'static str> {
    let (has, wants) = (content(ty), content(&input.taken));
    let is_same = has == wants;
    let is_text = has.is("String");
    let bytes = RustType::with("Vec", vec![RustType::plain("u8")]);
    match input.passed {
        PassedAs::Reference if is_same => Some("&$"),
        PassedAs::Reference if is_text && wants == bytes => Some("$.as_bytes()"),
        PassedAs::Value if is_same && *ty == input.ty => Some("$"),
        PassedAs::Value if is_same && wants.is("String") => Some("$.to_string()"),
        PassedAs::Value if is_same && wants == bytes => Some("$.to_vec()"),
        // What is shown is what is read.
        PassedAs::Reference if wants.is("String") && drawer.has(ty, "Display") && !is_text => {
            Some("&$.to_string()")
        }
        _ => None,
    }
}

/// A value in a form that can be compared with what was drawn.
fn owned(ty: &RustType, name: &str) -> String {
    match ty.named() {
        Some(("Box" | "Rc" | "Arc", [of])) if of.is("str") => format!("String::from(&*{name})"),
        Some(("Box" | "Rc" | "Arc", [RustType::Slice(_)])) => format!("{name}.to_vec()"),
        Some(("Box" | "Rc" | "Arc", [_])) => format!("*{name}"),
        _ => name.to_string(),
    }
}
