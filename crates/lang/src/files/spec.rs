//! Specs of a spec file.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::json::{Json, JsonKind};
use crate::language::{Diagnostic, HELPED_MAX, Inline, Span, is_finite, plain};
use crate::suggest::nearest;
use crate::tables;
use probity_spec::regex::Regex;
use probity_spec::{Date, DateTime, Decimal, Duration, Field, Name, Shape, Spec, Term, Time, Value};

/// A named spec of the file: its name, where that stands, and what it is.
type Member = (Name, Span, Json);
/// Keys that any spec may have; the first three are for people.
const COMMON: [&str; 6] = ["description", "title", "comment", "type", "req", "require"];
const TYPES: [&str; 16] = [
    "Regex", "Str", "String", "Integer", "Number", "Boolean", "Date", "Time", "DateTime", "Duration",
    "Location", "Enum", "List", "Object", "Union", "Decimal",
];
const BOUNDS: [&str; 4] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
/// The most specs that a file may come to, with what references stand for.
const READ_MAX: usize = 20_000;
/// The most requirements, each of which is a small program.
const REQUIRES_MAX: usize = 3_000;
/// References nested deeper than this are refused.
const DEPTH_MAX: usize = 64;

/// Reads the specs of one file.
pub(super) struct SpecReader<'a> {
    pub(super) text: &'a str,
    members: Vec<&'a Member>,
    /// Where each of them stands, by name.
    places: HashMap<&'a str, usize>,
    pub(super) errors: Vec<Diagnostic>,
    /// Names that some spec refers to.
    pub(super) referred: BTreeSet<Name>,
    /// Patterns with their names replaced; none for wrong ones.
    pub(super) expanded: Vec<(Name, Option<String>)>,
    /// Where each of them stands, by name.
    pub(super) expanded_at: HashMap<Name, usize>,
    pub(super) expanding: Vec<Name>,
    /// Those of them that are right, as far as they were asked for: one for each that is expanded.
    pub(super) patterns: Vec<Option<(Name, Arc<Regex>)>>,
    /// How many requirements were read.
    n_requires: usize,
    /// How many specs were read: references are read again each time.
    n_read: usize,
    /// Specs whose reading is under way, and which of them referred to themselves.
    open: Vec<Name>,
    recursive: BTreeSet<Name>,
}

impl<'a> SpecReader<'a> {
    pub(super) fn new(text: &'a str, members: &[&'a Member]) -> SpecReader<'a> {
        SpecReader {
            text,
            members: members.to_vec(),
            places: members.iter().enumerate().map(|(at, it)| (&*it.0, at)).collect(),
            patterns: Vec::new(),
            n_requires: 0,
            errors: Vec::new(),
            referred: BTreeSet::new(),
            expanded: Vec::new(),
            expanded_at: HashMap::new(),
            expanding: Vec::new(),
            n_read: 0,
            open: Vec::new(),
            recursive: BTreeSet::new(),
        }
    }

    pub(super) fn json(&self, name: &str) -> Option<&'a Json> {
        self.places.get(name).map(|at| &self.members[*at].2)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.json(name).is_some()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        // After many mistakes nobody asks for them.
        let most = if self.errors.len() < HELPED_MAX { self.members.len() } else { 0 };
        self.members[..most].iter().map(|it| &*it.0).collect::<Vec<_>>().into_iter()
    }

    /// `did you mean` the nearest of the known names; nothing after many mistakes.
    pub(super) fn nearest<'n>(&self, name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
        if self.errors.len() < HELPED_MAX { nearest(name, known) } else { None }
    }

    /// The spec of that name, which is referred to at `span`.
    pub(super) fn named(&mut self, name: &Name, span: Span) -> Option<Spec> {
        let json = self.json(name)?;
        if self.open.contains(name) {
            self.recursive.insert(name.clone());
            return Some(Spec::new(Shape::Named(name.clone())));
        }
        if self.open.len() >= DEPTH_MAX {
            self.errors.push(Diagnostic::new(format!("specs nest more than {DEPTH_MAX} deep"), span));
            return None;
        }
        self.open.push(name.clone());
        let spec = self.spec(json);
        self.open.pop();
        let spec = spec?;
        if !self.recursive.contains(name) {
            return Some(spec);
        }
        if !is_finite(&spec, name) {
            let error = Diagnostic::new(format!("a `{name}` contains itself without end"), span);
            self.errors.push(error.help("make the inner one optional: `\"req\": false`"));
            return None;
        }
        Some(spec.named(name.clone()))
    }

    /// A spec; `req` is for the object around it.
    fn spec(&mut self, json: &'a Json) -> Option<Spec> {
        self.n_read += 1;
        if self.n_read >= READ_MAX {
            if self.n_read == READ_MAX {
                let error = format!("the specs of this file have more than {READ_MAX} parts");
                self.errors.push(Diagnostic::new(error, json.span));
            }
            return None;
        }
        match &json.kind {
            JsonKind::Text(name) => self.reference(name, json.span),
            JsonKind::Object(members) => {
                match members.iter().find(|it| &*it.0 == "type" && matches!(it.2.kind, JsonKind::Text(_))) {
                    Some((_, _, it)) => self.typed(it, json, members),
                    None => self.object(members).map(|it| Spec::new(Shape::Object(it))),
                }
            }
            _ => {
                let error = Diagnostic::new(format!("expected a spec, found {}", json.what()), json.span);
                self.errors
                    .push(error.help("a spec is an object such as `{\"type\": \"Integer\"}`, or a name"));
                None
            }
        }
    }

    /// A spec by its name: one of the file, or a type that needs no more.
    fn reference(&mut self, name: &Name, span: Span) -> Option<Spec> {
        if self.has(name) {
            self.referred.insert(name.clone());
            return self.named(name, span);
        }
        if &**name == "Location" {
            return Some(Spec::new(Shape::Table(tables::location())));
        }
        if let Some(shape) = plain(name) {
            return Some(Spec::new(shape));
        }
        let error = Diagnostic::new(format!("unknown type `{name}`"), span);
        let known = TYPES.into_iter().chain(self.names());
        let help = self
            .nearest(name, known)
            .unwrap_or_else(|| format!("types are {}, and the names of this file", TYPES.join(", ")));
        self.errors.push(error.help(help));
        None
    }

    fn object(&mut self, members: &'a [Member]) -> Option<Vec<Field>> {
        let mut fields = Some(Vec::new());
        for (name, _, json) in members {
            let spec = self.spec(json);
            let optional = json.get("type").is_some() && self.read_optional(json);
            match (spec, &mut fields) {
                (Some(spec), Some(fields)) => {
                    let spec = if optional { Spec::option(spec) } else { spec };
                    fields.push(Field { name: name.clone(), spec: spec.into(), optional });
                }
                _ => fields = None,
            }
        }
        fields
    }

    fn read_optional(&mut self, json: &Json) -> bool {
        match json.get("req").map(|it| (&it.kind, it.span)) {
            None => false,
            Some((JsonKind::Bool(it), _)) => !it,
            Some((JsonKind::Text(it), _)) if matches!(&**it, "true" | "false") => &**it == "false",
            Some((_, span)) => {
                self.errors.push(Diagnostic::new("`req` is neither true nor false", span));
                false
            }
        }
    }

    fn typed(&mut self, kind: &'a Json, json: &'a Json, members: &'a [Member]) -> Option<Spec> {
        let JsonKind::Text(name) = &kind.kind else { return None };
        let keys: &[&str] = match &**name {
            _ if self.has(name) => &[],
            "Regex" => &["pat", "minLength", "maxLength"],
            "Str" | "String" | "Text" => &["pat", "minLength", "maxLength"],
            "Integer" | "Int" => {
                &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
            }
            "Number" | "Decimal" => {
                &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "decimals"]
            }
            "Date" | "Time" | "DateTime" | "Duration" => &BOUNDS,
            "Enum" => &["values"],
            "List" => &["items", "minItems", "maxItems", "uniqueItems"],
            "Object" => &["fields"],
            "Union" => &["cases"],
            _ => &[],
        };
        let known: Vec<&str> = COMMON.iter().chain(keys).copied().collect();
        self.known_keys(members, &known);
        self.read_optional(json);
        let mut spec = match &**name {
            _ if self.has(name) => self.reference(name, kind.span)?,
            "Regex" if json.get("pat").is_none() => {
                let error = Diagnostic::new("a Regex needs its pattern", kind.span);
                self.errors.push(error.help("add `\"pat\": \"…\"`"));
                return None;
            }
            "Regex" => Spec::new(Shape::Text),
            "Integer" | "Int" => self.integer(json)?,
            "Number" | "Decimal" => self.number(json)?,
            "Enum" => self.enumeration(json)?,
            "List" => self.list(json)?,
            "Object" => match json.get("fields").map(|it| &it.kind) {
                Some(JsonKind::Object(fields)) => Spec::new(Shape::Object(self.object(fields)?)),
                _ => {
                    return self.needs(
                        json,
                        "an Object needs its fields",
                        "\"fields\": {\"name\": {\"type\": \"Str\"}}",
                    );
                }
            },
            "Union" => self.union(json)?,
            _ => self.reference(name, kind.span)?,
        };
        if let Some(pat) = json.get("pat") {
            let regex = self.regex(pat)?;
            spec = spec.require(Term::it().matches(regex));
        }
        spec = match spec.shape {
            Shape::Text => self.lengths(json, spec, "minLength", "maxLength")?,
            Shape::List(_) => self.lengths(json, spec, "minItems", "maxItems")?,
            Shape::Date | Shape::Time | Shape::DateTime | Shape::Duration => self.moments(json, spec)?,
            _ => spec,
        };
        if let Some(requires) = json.get("require") {
            self.requirements(requires, &mut spec);
        }
        Some(spec)
    }

    fn needs<T>(&mut self, json: &Json, message: &str, add: &str) -> Option<T> {
        self.errors.push(Diagnostic::new(message, json.span).help(format!("write `{add}`")));
        None
    }

    /// Reports keys that mean nothing.
    pub(super) fn known_keys(&mut self, members: &[Member], known: &[&str]) {
        for (key, span, _) in members {
            if !known.contains(&&**key) {
                let error = Diagnostic::new(format!("unknown key `{key}`"), *span);
                let help = self.nearest(key, known.iter().copied());
                let help = help.unwrap_or_else(|| format!("known here are {}", known.join(", ")));
                self.errors.push(error.help(help));
            }
        }
    }

    /// `require`: an expression of the language in quotes, or several.
    pub(super) fn requirements(&mut self, json: &Json, spec: &mut Spec) {
        let items = if let JsonKind::List(items) = &json.kind { items.iter().collect() } else { vec![json] };
        for item in items {
            let JsonKind::Text(code) = &item.kind else {
                let error = Diagnostic::new("expected an assertion in quotes", item.span);
                self.errors.push(error.help("write `\"(< start end)\"`"));
                continue;
            };
            self.n_requires += 1;
            if self.n_requires > REQUIRES_MAX {
                if self.n_requires == REQUIRES_MAX + 1 {
                    let error = format!("this file has more than {REQUIRES_MAX} requirements");
                    self.errors.push(Diagnostic::new(error, item.span).help("join them with `and`"));
                }
                return;
            }
            let (text, patterns) = (self.text, self.patterns());
            let inline =
                Inline { text, span: item.span, code, spec: &*spec, patterns: &patterns, types: &[] };
            match inline.assertion() {
                Ok(term) => spec.requires.push(term),
                Err(errors) => self.errors.extend(errors),
            }
        }
    }

    fn decimal(&mut self, json: &Json, key: &str) -> Option<Option<Decimal>> {
        match json.get(key).map(|it| (&it.kind, it.span)) {
            None => Some(None),
            Some((JsonKind::Number(it), _)) => Some(Some(*it)),
            Some((_, span)) => {
                self.errors.push(Diagnostic::new(format!("`{key}` must be a number"), span));
                None
            }
        }
    }

    fn whole(&mut self, json: &Json, key: &str) -> Option<Option<i128>> {
        match self.decimal(json, key)? {
            Some(it) if it.scale() > 0 => {
                let span = json.get(key).map_or(json.span, |it| it.span);
                self.errors.push(Diagnostic::new(format!("`{key}` must be a whole number"), span));
                None
            }
            it => Some(it.map(|it| it.mantissa())),
        }
    }

    fn integer(&mut self, json: &Json) -> Option<Spec> {
        let (min, above) = (self.whole(json, "minimum")?, self.whole(json, "exclusiveMinimum")?);
        let (max, below) = (self.whole(json, "maximum")?, self.whole(json, "exclusiveMaximum")?);
        let min = min.max(above.map(|it| it.saturating_add(1)));
        let max = match (max, below.map(|it| it.saturating_sub(1))) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.ordered(json, min, max)?;
        let spec = Spec::new(Shape::Int { min, max });
        Some(match self.whole(json, "multipleOf")? {
            Some(0) => return self.needs(json, "nothing is a multiple of 0", "\"multipleOf\": 5"),
            Some(of) => spec.require(Term::it().modulo(Term::int(of)).eq(Term::int(0))),
            None => spec,
        })
    }

    fn ordered<T: PartialOrd + std::fmt::Display>(
        &mut self,
        json: &Json,
        min: Option<T>,
        max: Option<T>,
    ) -> Option<()> {
        match (min, max) {
            (Some(min), Some(max)) if min > max => {
                let error = Diagnostic::new(format!("nothing is between {min} and {max}"), json.span);
                self.errors.push(error.help("swap the bounds"));
                None
            }
            _ => Some(()),
        }
    }

    fn number(&mut self, json: &Json) -> Option<Spec> {
        let decimals = match self.whole(json, "decimals")? {
            None => 2,
            Some(it) if (0..=18).contains(&it) => it as u32,
            Some(_) => return self.needs(json, "the decimals must be between 0 and 18", "\"decimals\": 2"),
        };
        let mut spec = Spec::new(Shape::Number { decimals });
        let (min, max) = (self.decimal(json, "minimum")?, self.decimal(json, "maximum")?);
        self.ordered(json, min, max)?;
        for key in BOUNDS {
            if let Some(bound) = self.decimal(json, key)? {
                spec = spec.require(bounded(key, Value::Number(bound)));
            }
        }
        Some(spec)
    }

    fn moments(&mut self, json: &Json, mut spec: Spec) -> Option<Spec> {
        for key in BOUNDS {
            let Some(bound) = json.get(key) else { continue };
            let JsonKind::Text(text) = &bound.kind else {
                self.errors.push(Diagnostic::new(format!("`{key}` must be a string"), bound.span));
                return None;
            };
            let value = match spec.shape {
                Shape::Date => text.parse::<Date>().map(Value::Date),
                Shape::Time => text.parse::<Time>().map(Value::Time),
                Shape::DateTime => text.parse::<DateTime>().map(Value::DateTime),
                _ => text.parse::<Duration>().map(Value::Duration),
            };
            let Ok(value) = value else {
                let form = match spec.shape {
                    Shape::Date => "2017-10-21",
                    Shape::Time => "10:00:00",
                    Shape::DateTime => "2017-10-21T10:00:00",
                    _ => "PT90S",
                };
                let error = Diagnostic::new(format!("`{text}` is not a {}", spec), bound.span);
                self.errors.push(error.help(format!("write it as `\"{form}\"`")));
                return None;
            };
            spec.requires.push(bounded(key, value));
        }
        Some(spec)
    }

    fn lengths(&mut self, json: &Json, mut spec: Spec, least: &str, most: &str) -> Option<Spec> {
        let (min, max) = (self.whole(json, least)?, self.whole(json, most)?);
        self.ordered(json, min, max)?;
        if let Some(min) = min.filter(|it| *it > 0) {
            spec = spec.require(Term::int(min).le(Term::it().len()));
        }
        if let Some(max) = max {
            spec = spec.require(Term::it().len().le(Term::int(max)));
        }
        Some(spec)
    }

    fn enumeration(&mut self, json: &Json) -> Option<Spec> {
        let mut cases: Vec<Name> = Vec::new();
        let mut known = BTreeSet::new();
        let values = if let Some(JsonKind::List(it)) = json.get("values").map(|it| &it.kind) {
            it
        } else {
            &Vec::new()
        };
        for value in values {
            match &value.kind {
                JsonKind::Text(it) if !known.insert(it) => {
                    self.errors.push(Diagnostic::new(format!("the case `{it}` is there twice"), value.span));
                }
                JsonKind::Text(it) => cases.push(it.clone()),
                _ => self.errors.push(Diagnostic::new("a case must be a string", value.span)),
            }
        }
        if cases.is_empty() {
            return self.needs(json, "an Enum needs its values", "\"values\": [\"small\", \"large\"]");
        }
        Some(Spec::new(Shape::Enum(cases)))
    }

    fn list(&mut self, json: &'a Json) -> Option<Spec> {
        let Some(items) = json.get("items") else {
            return self.needs(json, "a List needs its items", "\"items\": {\"type\": \"Integer\"}");
        };
        let Some(items) = self.spec(items) else {
            // The bounds have mistakes of their own.
            self.lengths(json, Spec::new(Shape::Text), "minItems", "maxItems");
            return None;
        };
        let spec = Spec::list(items);
        let unique = json.get("uniqueItems").is_some_and(|it| it.kind == JsonKind::Bool(true));
        Some(if unique { spec.require(Term::apply(probity_spec::Op::Distinct, [Term::it()])) } else { spec })
    }

    fn union(&mut self, json: &'a Json) -> Option<Spec> {
        let cases = match json.get("cases").map(|it| &it.kind) {
            Some(JsonKind::Object(cases)) if !cases.is_empty() => cases,
            _ => {
                return self.needs(
                    json,
                    "a Union needs its cases",
                    "\"cases\": {\"id\": {\"type\": \"Integer\"}}",
                );
            }
        };
        let mut res: Vec<(Name, Arc<Spec>)> = Vec::new();
        for (name, _, json) in cases {
            res.push((name.clone(), self.spec(json)?.into()));
        }
        Some(Spec::new(Shape::Union(res)))
    }
}

/// The requirement that a bound represents.
fn bounded(key: &str, bound: Value) -> Term {
    let bound = Term::constant(bound);
    match key {
        "minimum" => bound.le(Term::it()),
        "maximum" => Term::it().le(bound),
        "exclusiveMinimum" => bound.lt(Term::it()),
        _ => Term::it().lt(bound),
    }
}
