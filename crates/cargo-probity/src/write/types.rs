//! What traits promise: texts that are read as they were written, conversions there and back, laws of what was written by
//! hand. What was derived follows its laws.

use super::subject::{Wrapper, assert_same, can_compare, is_cloned};
use super::{TestFile, declared};
use crate::rust::draw::{Drawer, TestInput};
use crate::rust::page::snake;
use crate::rust::read::ImplItem;
use crate::rust::ty::RustType;

/// Writes tests for the types.
pub(crate) fn write(file: &mut TestFile<'_>) {
    for id in file.types.clone() {
        if file.drawer.krate.types[id].1.params.is_empty() {
            texts(file, id);
            laws(file, id);
        }
    }
    conversions(file);
}

/// `Display` and `FromStr`.
fn texts(file: &mut TestFile<'_>, id: usize) {
    let drawer = file.drawer;
    if !drawer.implements(id, "Display") || !drawer.implements(id, "FromStr") {
        return;
    }
    let ty = drawer.krate.type_of(id, Vec::new());
    let item = &drawer.krate.types[id].1;
    if let Err(why) = can_compare(drawer, &ty) {
        return file.leave_out(&format!("{} as text", item.name), why);
    }
    let is_shown = implementation(drawer, id, "FromStr").is_some_and(|(module, it)| {
        let err = it.types.iter().find(|it| it.0 == "Err").map(|it| drawer.resolved(module, id, &it.1));
        err.is_some_and(|it| drawer.has(&it, "Debug"))
    });
    let (name, text) = (snake(&item.name), drawer.text(&ty));
    let read = |it: &str| Wrapper::Result(is_shown).unwrap(&format!("{it}.parse::<{text}>()"));
    match drawer.input(&name, &ty) {
        Ok(input) => {
            let lines = [
                format!("let read = {};", read(&format!("{name}.to_string()"))),
                assert_same(drawer, &ty, "read", &name),
            ];
            file.test(&format!("{name}_is_read_as_written"), &[declared(drawer, &input, false)], &lines);
        }
        Err(_) => {
            let lines = [
                "// Few texts are read: draw better ones, as in `#[from(\"[0-9]+\")] text: String`."
                    .to_string(),
                format!("let Ok({name}) = text.parse::<{text}>() else {{ return }};"),
                format!("let read = {};", read(&format!("{name}.to_string()"))),
                assert_same(drawer, &ty, "read", &name),
            ];
            file.test(&format!("{name}_is_read_as_written"), &["text: &str".to_string()], &lines);
        }
    }
}

/// The `impl` of a trait for a type, with its module.
fn implementation<'a>(drawer: &Drawer<'a>, id: usize, name: &str) -> Option<(usize, &'a ImplItem)> {
    let krate = drawer.krate;
    krate.impls.iter().map(|it| (it.0, &it.1)).find(|(module, it)| {
        it.of.as_ref().and_then(RustType::named).is_some_and(|it| it.0 == name)
            && drawer.is_of(*module, &it.ty, id)
    })
}

/// Laws of traits that were written by hand.
fn laws(file: &mut TestFile<'_>, id: usize) {
    let drawer = file.drawer;
    let ty = drawer.krate.type_of(id, Vec::new());
    let by_hand = |name: &str| drawer.implements(id, name) && !drawer.is_derived(id, name);
    let has = |name: &str| drawer.has(&ty, name);
    let item = &drawer.krate.types[id].1;
    let mut laws: Vec<(&str, Vec<&str>, Vec<&str>)> = Vec::new();
    if has("Ord") && has("PartialEq") && (by_hand("Ord") || by_hand("PartialOrd") || by_hand("PartialEq")) {
        let lines = vec![
            "assert_eq!(Ord::cmp(&a, &b), Ord::cmp(&b, &a).reverse());",
            "assert_eq!(PartialOrd::partial_cmp(&a, &b), Some(Ord::cmp(&a, &b)));",
            "assert_eq!(a == b, Ord::cmp(&a, &b).is_eq());",
            "if a <= b && b <= c {",
            "    assert!(a <= c);",
            "}",
        ];
        laws.push(("is_in_order", vec!["a", "b", "c"], lines));
    }
    if has("Hash") && has("PartialEq") && (by_hand("Hash") || by_hand("PartialEq")) {
        let lines = vec![
            "use std::hash::BuildHasher;",
            "let hashes = std::hash::RandomState::new();",
            "if a == b {",
            "    assert_eq!(hashes.hash_one(&a), hashes.hash_one(&b));",
            "}",
        ];
        laws.push(("hashes_alike_if_equal", vec!["a", "b"], lines));
    }
    if by_hand("Clone") && has("PartialEq") && has("Debug") {
        laws.push(("equals_its_clone", vec!["a"], vec!["assert_eq!(a.clone(), a);"]));
    }
    for (law, names, lines) in laws {
        let inputs: Result<Vec<TestInput>, String> = names.iter().map(|it| drawer.input(it, &ty)).collect();
        match inputs {
            Ok(inputs) => {
                let inputs: Vec<String> = inputs.iter().map(|it| declared(drawer, it, false)).collect();
                let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
                file.test(&format!("{}_{law}", snake(&item.name)), &inputs, &lines);
            }
            Err(_) => {
                let why = "no public way to make one was found";
                file.leave_out(&format!("{} {}", item.name, law.replace('_', " ")), why);
            }
        }
    }
}

/// A conversion: from what, into what, and whether it may fail.
struct Conversion {
    from: RustType,
    into: RustType,
    may_fail: bool,
}

/// `From` there, `From` or `TryFrom` back.
fn conversions(file: &mut TestFile<'_>) {
    let drawer = file.drawer;
    let mut all = Vec::new();
    for (module, it) in drawer.krate.impls.iter().filter(|it| it.1.params.is_empty()) {
        let Some((name, [from])) = it.of.as_ref().and_then(RustType::named) else { continue };
        if !matches!(name, "From" | "TryFrom") {
            continue;
        }
        let into = drawer.krate.resolve(*module, &it.ty, &[]);
        let from =
            drawer.krate.resolve(*module, from, &[]).map(&|it| if it.is("Self") { into.clone() } else { it });
        all.push(Conversion { from, into, may_fail: name == "TryFrom" });
    }
    let is_meant = |ty: &RustType| drawer.krate.own_type(ty).is_some_and(|it| file.types.contains(&it));
    let mut tests = Vec::new();
    for there in all.iter().filter(|it| !it.may_fail && (is_meant(&it.from) || is_meant(&it.into))) {
        let Some(back) = all.iter().find(|it| it.from == there.into && it.into == there.from) else {
            continue;
        };
        let name = snake(there.from.named().map_or("value", |it| it.0));
        // Types without parameters are named after themselves; a number named `u8` reads badly.
        let variable =
            if drawer.krate.own_type(&there.from).is_some() { name.clone() } else { "value".to_string() };
        let Ok(input) = drawer.input(&variable, &there.from) else { continue };
        if can_compare(drawer, &there.from).is_err()
            || !is_cloned(drawer, &input.ty)
            || input.ty != there.from
        {
            continue;
        }
        let kept =
            if drawer.has(&input.ty, "Copy") { variable.clone() } else { format!("{variable}.clone()") };
        let [from, into] = [&there.from, &there.into].map(|it| {
            let text = drawer.text(it);
            if it.named().is_some_and(|it| it.1.is_empty()) { text } else { format!("<{text}>") }
        });
        let (read, value) = if back.may_fail {
            (format!("{from}::try_from(converted).ok()"), format!("Some({variable})"))
        } else {
            (format!("{from}::from(converted)"), variable.clone())
        };
        let other = snake(there.into.named().map_or("value", |it| it.0));
        let lines = vec![
            format!("let converted = {into}::from({kept});"),
            assert_same(drawer, &there.from, &read, &value),
        ];
        tests.push((format!("{name}_is_back_from_{other}"), vec![declared(drawer, &input, false)], lines));
    }
    for (name, inputs, lines) in tests {
        file.test(&name, &inputs, &lines);
    }
}
