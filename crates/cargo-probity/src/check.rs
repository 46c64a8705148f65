//! `probity check`: whether inputs satisfy their outline, and whether every pair of them differs.

use std::io::{self, Write};

use probity_lang::json::{self, Json, JsonKind};
use probity_lang::{Diagnostic, Outline};
use probity_models::MOST_PAIRS;
use probity_spec::Value;

use crate::args::Args;
use crate::exit::{CommandError, Exit};
use crate::input::{self, SourceText};
use crate::watch::WatchedWork;

/// Of an input that is shown, this many characters.
const SHOWN_MAX: usize = 200;

/// Runs the command.
pub(crate) fn run(args: &Args, watch: &WatchedWork) -> Result<Exit, CommandError> {
    if args.words[0] == "-" && args.words[1] == "-" {
        let what = "only one of FILE and INPUTS can be the standard input; name a file for the other";
        return Err(what.to_string().into());
    }
    let program = input::program(&args.words[0])?;
    let wanted = input::outlines(&program, args.word(2).as_deref())?;
    let text = input::read(&args.words[1])?;
    let documents = documents(&text.text).map_err(|err| text.render(&[err]))?;
    let found = sort(&documents, &wanted, &text)?;
    let mut exit = Exit::Done;
    let mut out = io::stdout().lock();
    for (wanted, inputs) in wanted.iter().zip(found) {
        // An outline without inputs of its own was not meant, unless it is the only one.
        if inputs.is_empty() && args.word(2).is_none() && program.outlines.len() > 1 {
            watch.console.note(&format!("`{}`: there are no inputs of it", wanted.name));
            continue;
        }
        let (report, how_it_went) = report(wanted, &inputs, &text, watch);
        exit = exit.max(how_it_went);
        if out.write_all(report.as_bytes()).is_err() {
            break;
        }
    }
    Ok(exit)
}

/// One JSON text, or one on each line.
fn documents(text: &str) -> Result<Vec<Json>, Diagnostic> {
    let err = match json::parse(text) {
        Ok(document) => return Ok(vec![document]),
        Err(err) => err,
    };
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            match json::parse(line) {
                Ok(mut document) => {
                    shift(&mut document, start);
                    lines.push(document);
                }
                // No line at all is one: the text as a whole is what is broken.
                Err(_) if lines.is_empty() => return Err(err),
                Err(mut err) => {
                    err.span.start += start;
                    err.span.end += start;
                    return Err(err);
                }
            }
        }
        start += line.len();
    }
    if text.trim().is_empty() { Ok(lines) } else { Some(lines).filter(|it| !it.is_empty()).ok_or(err) }
}

/// Moves the place of a document and of what is directly in it, which is everything that is shown.
fn shift(document: &mut Json, by: usize) {
    document.span.start += by;
    document.span.end += by;
    if let JsonKind::Object(fields) = &mut document.kind {
        for (_, _, field) in fields {
            field.span.start += by;
            field.span.end += by;
        }
    }
}

/// The inputs of every outline: from an array, lines, an object from outlines to arrays, or saved inputs.
fn sort<'a>(
    documents: &'a [Json],
    wanted: &[Outline],
    text: &SourceText,
) -> Result<Vec<Vec<&'a Json>>, String> {
    let mut res: Vec<Vec<&Json>> = wanted.iter().map(|_| Vec::new()).collect();
    let place = |name: &str| wanted.iter().position(|it| *it.name == *name);
    let mut bare: Vec<&Json> = Vec::new();
    for document in documents {
        let items = match &document.kind {
            JsonKind::List(items) => items.iter().collect(),
            _ => vec![document],
        };
        for item in items {
            if let Some((outline, inputs)) = saved(item) {
                // Inputs of an outline that nobody asked about.
                let Some(place) = place(outline) else { continue };
                res[place].extend(inputs);
            } else if let Some(arrays) = arrays(item, wanted) {
                for (outline, inputs) in arrays {
                    if let Some(place) = place(outline) {
                        res[place].extend(inputs);
                    }
                }
            } else {
                bare.push(item);
            }
        }
    }
    if !bare.is_empty() && wanted.len() > 1 {
        let names: Vec<&str> = wanted.iter().map(|it| &*it.name).collect();
        let which = names.join(", ");
        return Err(format!("`{}` does not say whose inputs it has; name the outline: {which}", text.name));
    }
    if let Some(first) = res.first_mut() {
        first.extend(bare);
    }
    Ok(res)
}

/// `{"outline": NAME, "inputs": […]}` or `{"outline": NAME, "input": …}`.
fn saved(document: &Json) -> Option<(&str, Vec<&Json>)> {
    let JsonKind::Object(fields) = &document.kind else { return None };
    let [(first, _, outline), (second, _, inputs)] = &fields[..] else { return None };
    let JsonKind::Text(outline) = &outline.kind else { return None };
    match (&**first, &**second, &inputs.kind) {
        ("outline", "inputs", JsonKind::List(items)) => Some((outline, items.iter().collect())),
        ("outline", "input", _) => Some((outline, vec![inputs])),
        _ => None,
    }
}

/// An object from outlines to arrays.
fn arrays<'a>(document: &'a Json, wanted: &[Outline]) -> Option<Vec<(&'a str, Vec<&'a Json>)>> {
    let JsonKind::Object(fields) = &document.kind else { return None };
    let names_one = fields.iter().any(|it| wanted.iter().any(|wanted| *wanted.name == *it.0));
    let all = fields.iter().map(|(name, _, it)| match &it.kind {
        JsonKind::List(items) => Some((&**name, items.iter().collect())),
        _ => None,
    });
    all.collect::<Option<Vec<_>>>().filter(|_| names_one)
}

/// What is wrong with the inputs of one outline.
fn report(wanted: &Outline, inputs: &[&Json], text: &SourceText, watch: &WatchedWork) -> (String, Exit) {
    let Outline { name, request } = wanted;
    let mut wrong: Vec<(usize, String)> = Vec::new();
    let mut places: Vec<usize> = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    for (i, input) in inputs.iter().enumerate() {
        match json::value(&request.spec, input) {
            Ok(value) => {
                places.push(i);
                values.push(value);
            }
            Err(why) => wrong.push((i, why)),
        }
    }
    let found = probity_models::check(request, &values);
    wrong.extend(found.violations.iter().map(|(i, why)| (places[*i], why.clone())));
    wrong.sort();
    let mut res = String::new();
    for (i, why) in &wrong {
        res.push_str(&format!("`{name}`: input {} is illegal: {why}\n", i + 1));
        res.push_str(&shown(inputs[*i], text));
    }
    for (i, j) in &found.same {
        let (i, j) = (places[*i], places[*j]);
        res.push_str(&format!("`{name}`: inputs {} and {} do not differ\n", i + 1, j + 1));
        res.push_str(&shown(inputs[i], text));
        res.push_str(&shown(inputs[j], text));
    }
    if found.same.len() >= MOST_PAIRS {
        watch.console.note(&format!("`{name}`: only {MOST_PAIRS} of the pairs that do not differ are shown"));
    }
    for note in &found.notes {
        watch.console.note(&format!("`{name}`: {note}"));
    }
    let n = inputs.len();
    if res.is_empty() {
        let inputs = if n == 1 { "input" } else { "inputs" };
        (format!("`{name}`: {n} {inputs}, all legal and pairwise different\n"), Exit::Done)
    } else {
        (res, Exit::Violation)
    }
}

/// The line and the beginning of an input, as it is in the file.
fn shown(input: &Json, text: &SourceText) -> String {
    let span = input.span;
    let line = text.text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
    let source = text.text.get(span.start..span.end).unwrap_or_default();
    let words: Vec<&str> = source.split_whitespace().collect();
    let flat = if source.contains('\n') { words.join(" ") } else { source.to_string() };
    let mut short: String = flat.chars().take(SHOWN_MAX).collect();
    if short.len() < flat.len() {
        short.push('…');
    }
    format!("  line {line}: {short}\n")
}
