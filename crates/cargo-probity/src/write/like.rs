//! `--like OTHER`: two functions that do the same.

use std::path::Path;

use super::subject::{TestedFunction, Wrapper, assert_same, can_compare, is_cloned, pass};
use super::{TestFile, WriteTarget, declared, target_in};
use crate::api::{is_crate, parts};
use crate::exit::CommandError;
use crate::rust::draw::{Drawer, PassedAs, shown};
use crate::rust::find::{self, Packages};
use crate::rust::krate::{ItemId, RustCrate};
use crate::rust::read::RustFunction;
use crate::rust::ty::RustType;

/// Writes a test for every function that has a counterpart in `other`.
pub(crate) fn write(file: &mut TestFile<'_>, krate: &RustCrate, other: &str) -> Result<(), CommandError> {
    let path = parts(other)?;
    if find::STD.contains(&&*path[0]) {
        if file.subjects.len() != 1 {
            return Err(format!("`{other}` is one function; name one of yours to compare it with").into());
        }
        // Its sources may not be here; the compiler sees if it fits.
        return each(file, |_| Ok(other.to_string()));
    }
    let elsewhere;
    let other_crate = if is_crate(&path[0], krate) {
        krate
    } else {
        elsewhere = RustCrate::load(&Packages::around(Path::new("."))?.krate(&path[0])?)?;
        &elsewhere
    };
    let target = target_in(other_crate, &path)?;
    each(file, |it| counterpart(other_crate, &target, it))
}

fn each(
    file: &mut TestFile<'_>,
    find: impl Fn(&RustFunction) -> Result<String, String>,
) -> Result<(), CommandError> {
    for i in 0..file.subjects.len() {
        let it = &file.subjects[i];
        let name = it.shown.clone();
        let test = if it.has_receiver || it.shown.contains("::") {
            Err("is a method; only functions are compared".to_string())
        } else {
            find(it.function).and_then(|other| same(file.drawer, it, &other))
        };
        match test {
            Ok((name, inputs, lines)) => file.test(&name, &inputs, &lines),
            Err(why) => file.leave_out(&name, why),
        }
    }
    Ok(())
}

/// The path of the function that does the same.
fn counterpart(krate: &RustCrate, target: &WriteTarget, it: &RustFunction) -> Result<String, String> {
    let found = krate.functions.iter().enumerate().find(|(id, (module, other))| {
        target.function == Some(*id) || target.modules.contains(module) && other.name == it.name
    });
    let (id, (_, other)) = found.ok_or_else(|| format!("`{}` has no such function", target.name))?;
    let path =
        krate.public_path(ItemId::Function(id)).ok_or_else(|| format!("`{}` is not public", target.name))?;
    let types = |of: &RustFunction| -> Vec<String> {
        let of = of.inputs.iter().map(|it| &it.1).chain([&of.output]);
        of.map(shown).collect()
    };
    if types(it) != types(other) {
        return Err(format!("`{}` has another signature", path.join("::")));
    }
    Ok(path.join("::"))
}

/// The test that both give the same.
fn same(
    drawer: &Drawer<'_>,
    it: &TestedFunction<'_>,
    other: &str,
) -> Result<(String, Vec<String>, Vec<String>), String> {
    let changed: Vec<&str> =
        it.inputs.iter().filter(|it| it.passed == PassedAs::Mutable).map(|it| &*it.name).collect();
    let needs_clone = |it: &&crate::rust::draw::TestInput| it.passed != PassedAs::Reference;
    if let Some(it) = it.inputs.iter().filter(needs_clone).find(|it| !is_cloned(drawer, &it.ty)) {
        return Err(format!("`{}` cannot be cloned", it.name));
    }
    let mut lines = Vec::new();
    for name in &changed {
        lines.push(format!("let mut other_{name} = {name}.clone();"));
    }
    let theirs: Vec<String> = it
        .inputs
        .iter()
        .map(|it| {
            if changed.contains(&&*it.name) {
                format!("&mut other_{}", it.name)
            } else {
                pass(it, &it.name, true)
            }
        })
        .collect();
    let (mine, theirs) = (it.plain_call(true), format!("{other}({})", theirs.join(", ")));
    let output = it.unwrapped(drawer);
    if it.output == RustType::unit() {
        if changed.is_empty() {
            return Err("returns nothing that could be compared".to_string());
        }
        lines.extend([format!("{mine};"), format!("{theirs};")]);
    } else if can_compare(drawer, &it.output).is_ok() {
        lines.push(assert_same(drawer, &it.output, &mine, &theirs));
    } else if matches!(output.wrapper, Wrapper::Result(_)) && can_compare(drawer, &output.ty).is_ok() {
        lines.push(assert_same(drawer, &output.ty, &format!("{mine}.ok()"), &format!("{theirs}.ok()")));
    } else {
        can_compare(drawer, &it.output)?;
    }
    for input in it.inputs.iter().filter(|it| changed.contains(&&*it.name)) {
        can_compare(drawer, &input.ty)?;
        lines.push(assert_same(drawer, &input.ty, &input.name, &format!("other_{}", input.name)));
    }
    let inputs = it.inputs.iter().map(|it| declared(drawer, it, it.passed == PassedAs::Mutable)).collect();
    let other = other.rsplit("::").next().unwrap_or_default();
    let name = if other == it.label {
        format!("{other}_is_like_the_other")
    } else {
        format!("{}_is_like_{other}", it.label)
    };
    Ok((name, inputs, lines))
}
