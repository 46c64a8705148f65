//! What is tested of one function: doing it twice changes nothing more, and it never panics.

use super::subject::{TestedFunction, assert_same, can_compare, content, is_cloned, pass};
use super::{TestFile, declared};
use crate::rust::draw::{Drawer, PassedAs, is_daring};
use crate::rust::panics::PanicDocs;
use crate::rust::ty::RustType;

/// PanicWords in the names of functions that have nothing left to do the second time.
const IDEMPOTENT: [&str; 25] = [
    "abs",
    "canonical",
    "canonicalize",
    "ceil",
    "clamp",
    "clean",
    "collapse",
    "compact",
    "dedup",
    "deduplicate",
    "floor",
    "lower",
    "lowercase",
    "normalise",
    "normalize",
    "normalized",
    "round",
    "sanitize",
    "simplify",
    "sort",
    "sorted",
    "trim",
    "trimmed",
    "upper",
    "uppercase",
];

/// Writes a test for every function that has none.
pub(crate) fn write(file: &mut TestFile<'_>) {
    for i in 0..file.subjects.len() {
        let it = &file.subjects[i];
        if it.is_tested {
            continue;
        }
        if let Some((inputs, lines)) = twice(file.drawer, it) {
            let name = format!("{}_twice_is_{}_once", it.label, it.function.name);
            file.test(&name, &inputs, &lines);
            continue;
        }
        let (label, shown) = (it.label.clone(), it.shown.clone());
        match never_panics(file.drawer, it) {
            Ok((inputs, lines)) => file.test(&format!("{label}_never_panics"), &inputs, &lines),
            Err(why) => file.leave_out(&shown, why),
        }
    }
}

/// Doing it twice is doing it once, where the name says so and the types allow it.
fn twice(drawer: &Drawer<'_>, it: &TestedFunction<'_>) -> Option<(Vec<String>, Vec<String>)> {
    if it.panics.is_some() || !it.function.name.split('_').any(|word| IDEMPOTENT.contains(&word)) {
        return None;
    }
    let (first, rest) = it.inputs.split_first()?;
    can_compare(drawer, &first.ty).ok()?;
    let clones = it.inputs.iter().all(|it| it.passed == PassedAs::Reference || is_cloned(drawer, &it.ty));
    if !clones || rest.iter().any(|it| it.passed == PassedAs::Mutable) {
        return None;
    }
    let args = |of: String| -> Vec<String> {
        [of].into_iter().chain(rest.iter().map(|it| pass(it, &it.name, true))).collect()
    };
    let inputs: Vec<String> =
        it.inputs.iter().map(|it| declared(drawer, it, it.passed == PassedAs::Mutable)).collect();
    let name = &first.name;
    let (once, again) = if name == "once" { ("first", "second") } else { ("once", "twice") };
    if first.passed == PassedAs::Mutable {
        let lines = vec![
            format!("{};", it.call(&args(format!("&mut {name}")))),
            format!("let mut {again} = {name}.clone();"),
            format!("{};", it.call(&args(format!("&mut {again}")))),
            assert_same(drawer, &first.ty, again, name),
        ];
        return Some((inputs, lines));
    }
    let output = it.unwrapped(drawer);
    let is_passed = first.passed == PassedAs::Reference || output.ty == first.ty;
    if content(&output.ty) != content(&first.taken) || !is_passed {
        return None;
    }
    let lines = vec![
        output.wrapper.bind(once, &it.call(&args(pass(first, name, true)))),
        format!("let {again} = {};", output.wrapper.unwrap(&it.call(&args(pass(first, once, true))))),
        assert_same(drawer, &first.ty, again, once),
    ];
    Some((inputs, lines))
}

/// It returns, whatever it is given; what the documentation excludes is excluded.
fn never_panics(drawer: &Drawer<'_>, it: &TestedFunction<'_>) -> Result<(Vec<String>, Vec<String>), String> {
    let mut lines = Vec::new();
    match &it.panics {
        Some(PanicDocs { condition: Some(condition), .. }) => {
            let receiver = it.inputs.first().map_or("", |it| &it.name);
            let condition = condition.replace("self.", &format!("{receiver}."));
            lines.push(format!("assume!(!({condition}));"));
        }
        Some(PanicDocs { sentence, .. }) => return Err(format!("its documentation says: {sentence}")),
        None if is_daring(&it.function.name) => return Err("its name says that it may panic".to_string()),
        None => {}
    }
    let (mut inputs, mut args) = (Vec::new(), Vec::new());
    for (i, input) in it.inputs.iter().enumerate() {
        let is_receiver = i == 0 && it.has_receiver;
        if input.passed == PassedAs::Reference && input.from.is_none() && !is_receiver {
            inputs.push(format!("{}: {}", input.name, drawer.text(&input.taken)));
            args.push(input.name.clone());
        } else {
            inputs.push(declared(drawer, input, input.passed == PassedAs::Mutable));
            args.push(pass(input, &input.name, false));
        }
    }
    let result = if it.output == RustType::unit() { "" } else { "let _ = " };
    lines.push(format!("{result}{};", it.call(&args)));
    Ok((inputs, lines))
}
