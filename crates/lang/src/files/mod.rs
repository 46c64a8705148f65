//! Spec files: the JSON form of specs, as in Figure 2 of the paper.
//!
//! A file is an object of named specs; the braces around it and the commas between its members may be missing, as
//! in the paper. See `crates/probity/guide/language.md` for all that a spec may say.

mod patterns;
mod spec;

use crate::json::{Json, JsonKind, parse_spec_file};
use crate::language::{Diagnostic, Inline, Outline, Program, Span, check_length, roomy};
use probity_spec::{Difference, Name, Request, Shape, Spec};
use spec::SpecReader;

/// Models of an outline that does not say how many.
const N: usize = 100;
/// The most models that an outline may ask for.
const N_MAX: i128 = 1_000_000_000;

/// Reads a spec file. Each object that no other spec refers to is an outline, unless the file says what to
/// generate.
///
/// ```
/// let text = r#""age": {"type": "Integer", "minimum": 0}  "Person": {"name": {"type": "Str"}, "age": "age"}"#;
/// let program = probity_lang::files::read("people.json", text).unwrap();
/// assert_eq!(&*program.outlines[0].name, "Person");
/// assert_eq!(program.outlines[0].request.spec.to_string(), "(object (name text) (age (int 0 _)))");
/// ```
pub fn read(file: &str, text: &str) -> Result<Program, Vec<Diagnostic>> {
    roomy(|| read_here(file, text)).map_err(|it| vec![it])?
}

fn read_here(file: &str, text: &str) -> Result<Program, Vec<Diagnostic>> {
    check_length(text).map_err(|it| vec![it])?;
    let json = parse_spec_file(text).map_err(|it| vec![it])?;
    let JsonKind::Object(members) = &json.kind else {
        return Err(vec![Diagnostic::new(
            format!("expected an object of specs, found {}", json.what()),
            json.span,
        )]);
    };
    let specs: Vec<_> = members.iter().filter(|it| &*it.0 != "generate").collect();
    let mut reader = SpecReader::new(text, &specs);
    let named: Vec<(Name, Option<Spec>)> =
        specs.iter().map(|it| (it.0.clone(), reader.named(&it.0, it.1))).collect();
    let named: Vec<(Name, Spec)> = named.into_iter().filter_map(|it| Some((it.0, it.1?))).collect();
    let stem = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let name = stem.split_once('.').map_or(stem, |it| it.0).into();
    let generate = members.iter().find(|it| &*it.0 == "generate").map(|it| &it.2);
    let mut file = SpecFile { reader, named, outlines: Vec::new() };
    match generate {
        Some(Json { kind: JsonKind::Object(outlines), .. }) => {
            outlines.iter().for_each(|it| file.outline(&it.0, it.1, &it.2));
        }
        Some(it) => {
            if let Some(n) = file.count(it) {
                file.defaults(n);
            }
        }
        None => file.defaults(N),
    }
    let SpecFile { mut reader, named, outlines } = file;
    if outlines.is_empty() && reader.errors.is_empty() {
        let error = Diagnostic::new("this file has no spec to generate", json.span);
        reader.errors.push(error.help("write `\"name\": {\"type\": \"Integer\"}`"));
    }
    if reader.errors.is_empty() {
        return Ok(Program { name, outlines, specs: named });
    }
    reader.errors.sort_by_key(|it| it.span);
    reader.errors.dedup();
    Err(reader.errors)
}

/// A file whose specs are read.
struct SpecFile<'a> {
    reader: SpecReader<'a>,
    named: Vec<(Name, Spec)>,
    outlines: Vec<Outline>,
}

impl SpecFile<'_> {
    fn error(&mut self, error: Diagnostic) {
        self.reader.errors.push(error);
    }

    /// Outlines for what no other spec refers to: the objects, or everything where there is no object.
    fn defaults(&mut self, n: usize) {
        let free: Vec<(Name, Spec)> =
            self.named.iter().filter(|it| !self.reader.referred.contains(&it.0)).cloned().collect();
        let is_object = |it: &&(Name, Spec)| matches!(it.1.shape, Shape::Object(_));
        let objects: Vec<_> = free.iter().filter(is_object).collect();
        let chosen = if objects.is_empty() { free.iter().collect() } else { objects };
        for (name, spec) in chosen {
            let request = Request { spec: model(name, spec), difference: Difference::Never, n };
            self.outlines.push(Outline { name: name.clone(), request });
        }
    }

    fn count(&mut self, json: &Json) -> Option<usize> {
        if let JsonKind::Number(it) = &json.kind
            && it.scale() == 0
            && (0..=N_MAX).contains(&it.mantissa())
        {
            return Some(it.mantissa() as usize);
        }
        let error = Diagnostic::new("this is not a number of models", json.span);
        self.error(error.label(format!("expected a number from 0 to {N_MAX}")));
        None
    }

    /// `"outline": {"of": "Event", "n": 100, "different": {"path": "constraint"}, "require": ["assertion"]}`.
    fn outline(&mut self, name: &Name, span: Span, json: &Json) {
        let JsonKind::Object(members) = &json.kind else {
            let error = Diagnostic::new(format!("expected an object, found {}", json.what()), json.span);
            self.error(error.help("write `{\"of\": \"Event\", \"n\": 100}`"));
            return;
        };
        self.reader.known_keys(members, &["of", "n", "different", "require"]);
        let (of, of_span) = match json.get("of").map(|it| (&it.kind, it.span)) {
            Some((JsonKind::Text(it), span)) => (it.clone(), span),
            None => (name.clone(), span),
            Some((_, span)) => return self.error(Diagnostic::new("expected the name of a spec", span)),
        };
        let n = json.get("n").map_or(Some(N), |it| self.count(it));
        let Some((_, spec)) = self.named.iter().find(|it| it.0 == of).cloned() else {
            if !self.reader.has(&of) {
                let error = Diagnostic::new(format!("unknown spec `{of}`"), of_span);
                let help = self.reader.nearest(&of, self.named.iter().map(|it| &*it.0));
                self.error(error.help(help.unwrap_or("say which spec with `\"of\": \"name\"`".to_string())));
            }
            return;
        };
        let mut spec = model(&of, &spec);
        if let Some(requires) = json.get("require") {
            self.reader.requirements(requires, &mut spec);
        }
        let mut parts = Vec::new();
        match json.get("different").map(|it| (&it.kind, it.span)) {
            None => {}
            Some((JsonKind::Object(paths), _)) => {
                for (path, path_span, constraint) in paths {
                    parts.extend(self.different(&spec, path, *path_span, constraint));
                }
            }
            Some((_, span)) => {
                let error = Diagnostic::new("expected an object of fields and constraints", span);
                self.error(error.help("write `{\"location\": \"different-time-zones\"}`"));
            }
        }
        let difference = match parts.len() {
            0 => Difference::Never,
            1 => parts.remove(0),
            _ => Difference::Any(parts),
        };
        if let Some(n) = n {
            self.outlines.push(Outline { name: name.clone(), request: Request { spec, difference, n } });
        }
    }

    fn different(&mut self, spec: &Spec, path: &str, path_span: Span, json: &Json) -> Option<Difference> {
        let JsonKind::Text(code) = &json.kind else {
            let error = Diagnostic::new("expected a constraint in quotes", json.span);
            self.error(error.help("write `\"not-equal\"` or `\"(numeric-distance 10)\"`"));
            return None;
        };
        let path: Vec<&str> = path.split('.').filter(|it| *it != "it").collect();
        let (text, span) = (self.reader.text, json.span);
        let (patterns, types) = (&self.reader.patterns(), &self.named);
        let inline = Inline { text, span, code, spec, patterns, types };
        match inline.constraint(&path) {
            Ok(difference) => Some(difference),
            Err(errors) => {
                for error in errors {
                    // A field that is not there is the path's mistake.
                    let of_path = error.span == json.span || error.message.contains("has no field");
                    let span = if of_path { path_span } else { error.span };
                    self.error(Diagnostic { span, ..error });
                }
                None
            }
        }
    }
}

/// A spec as a model: an object as it is, anything else as the one field of an object.
fn model(name: &Name, spec: &Spec) -> Spec {
    match &spec.shape {
        Shape::Object(_) => spec.clone(),
        _ => Spec::object([(name.clone(), spec.clone())]),
    }
}
