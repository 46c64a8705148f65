//! Expressions over slots as terms of SMT-LIB.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

use super::alphabet::SolverAlphabet;
use super::{pattern, text};
use probity_spec::flat::{Expr, ExprNode, Scalar, SlotKind};
use probity_spec::regex::Regex;

/// The most characters of one requirement.
const TERM_MAX: usize = 1 << 24;
/// Higher expressions are written in parts.
const HEIGHT_MAX: usize = 50;
/// The most states of the pattern for the neighborhood of a text: its length times the edits.
const NEIGHBOURHOOD_MAX: usize = 2_000;

/// What SMT-LIB calls a kind of slot.
pub(super) fn sort(kind: &SlotKind) -> &'static str {
    match kind {
        SlotKind::Bool => "Bool",
        SlotKind::Int { .. } => "Int",
        SlotKind::Text => "String",
    }
}

/// A whole number.
pub(super) fn int(it: i128) -> String {
    if it < 0 { format!("(- {})", it.unsigned_abs()) } else { it.to_string() }
}

/// What terms have in common.
#[derive(Default)]
pub(super) struct SharedTerms {
    pub(super) alphabet: SolverAlphabet,
    /// The names of patterns, which are long, by their texts.
    patterns: BTreeMap<String, String>,
    /// The commands that define them, until they are said.
    definitions: String,
}

impl SharedTerms {
    /// Notes the characters that an expression distinguishes.
    pub(super) fn note(&mut self, expr: &Expr) {
        let mut seen = HashSet::new();
        let mut rest = vec![expr];
        while let Some(expr) = rest.pop() {
            if !seen.insert(key(expr)) {
                continue;
            }
            match expr.node() {
                ExprNode::Const(Scalar::Text(text)) => self.alphabet.text(text),
                ExprNode::TextLt(..) => self.alphabet.order(),
                ExprNode::Matches(_, regex) if !self.patterns.contains_key(regex.pattern()) => {
                    pattern::note(regex, &mut self.alphabet);
                }
                _ => {}
            }
            rest.extend(expr.parts());
        }
    }

    /// The definitions that were not said yet.
    pub(super) fn definitions(&mut self) -> String {
        std::mem::take(&mut self.definitions)
    }

    /// Begins anew with a solver that knows no definitions.
    pub(super) fn forget(&mut self) {
        self.patterns.clear();
        self.definitions.clear();
    }

    /// The name of a pattern.
    fn pattern(&mut self, regex: &Regex) -> Result<String, String> {
        if let Some(name) = self.patterns.get(regex.pattern()) {
            return Ok(name.clone());
        }
        let term = pattern::term(regex, &self.alphabet);
        let term = term.map_err(|what| format!("{what} in the pattern {regex}"))?;
        let name = format!("pattern{}", self.patterns.len());
        let _ = writeln!(self.definitions, "(define-fun {name} () RegLan {term})");
        self.patterns.insert(regex.pattern().to_string(), name.clone());
        Ok(name)
    }
}

/// The term for an expression, with `name` for the slots; or what has no term, in words that name it.
pub(super) fn term(
    expr: &Expr,
    name: &dyn Fn(u32) -> String,
    common: &mut SharedTerms,
) -> Result<String, String> {
    let mut uses = HashMap::new();
    let mut order = Vec::new();
    count(expr, &mut uses, &mut order);
    let mut writer = ExprWriter { name, common, shared: HashMap::new() };
    // Parts that occur often are written once and named, innermost first; and deep ones, so that writing them stays
    // within a small stack.
    let mut res = String::new();
    let mut open = 0;
    let mut heights: HashMap<ExprKey, usize> = HashMap::new();
    for part in order {
        let below = part.parts().iter().map(|it| heights[&key(it)]).max();
        let height = below.map_or(0, |it| it + 1);
        let is_named = below.is_some() && (uses[&key(part)] > 1 || height >= HEIGHT_MAX);
        heights.insert(key(part), if is_named { 0 } else { height });
        if is_named {
            let term = writer.write(part)?;
            let name = format!("t{open}");
            res.push_str(&format!("(let (({name} {term})) "));
            writer.shared.insert(key(part), name);
            open += 1;
        }
        if res.len() > TERM_MAX {
            return Err(format!("a requirement that takes more than {TERM_MAX} characters in SMT-LIB"));
        }
    }
    res.push_str(&writer.write(expr)?);
    res.push_str(&")".repeat(open));
    Ok(res)
}

/// Represents a node: expressions are shared by reference.
type ExprKey = *const ExprNode;

fn key(expr: &Expr) -> ExprKey {
    expr.node()
}

/// Counts how often every part is used, and lists parts before what they are part of.
fn count<'a>(expr: &'a Expr, uses: &mut HashMap<ExprKey, usize>, order: &mut Vec<&'a Expr>) {
    // Parts are visited twice: to go into them, and to list them after their own.
    let mut rest = vec![(expr, false)];
    while let Some((expr, is_done)) = rest.pop() {
        if is_done {
            order.push(expr);
            continue;
        }
        let uses = uses.entry(key(expr)).or_insert(0);
        *uses += 1;
        if *uses == 1 {
            rest.push((expr, true));
            rest.extend(expr.parts().into_iter().map(|it| (it, false)));
        }
    }
}

struct ExprWriter<'a> {
    name: &'a dyn Fn(u32) -> String,
    common: &'a mut SharedTerms,
    shared: HashMap<ExprKey, String>,
}

impl ExprWriter<'_> {
    fn write(&mut self, expr: &Expr) -> Result<String, String> {
        if let Some(name) = self.shared.get(&key(expr)) {
            return Ok(name.clone());
        }
        use ExprNode::*;
        match expr.node() {
            Const(Scalar::Bool(it)) => Ok(it.to_string()),
            Const(Scalar::Int(it)) => Ok(int(*it)),
            Const(Scalar::Text(it)) => text::write(it),
            Slot(slot) => Ok((self.name)(*slot)),
            And(of) => self.many("and", of, "true"),
            Or(of) => self.many("or", of, "false"),
            Add(of) => self.many("+", of, "0"),
            Concat(of) => self.many("str.++", of, "\"\""),
            Not(of) => self.apply("not", &[of]),
            Ite(a, b, c) => self.apply("ite", &[a, b, c]),
            Eq(a, b) => self.apply("=", &[a, b]),
            Le(a, b) => self.apply("<=", &[a, b]),
            Lt(a, b) => self.apply("<", &[a, b]),
            Mul(a, b) => self.apply("*", &[a, b]),
            // SMT-LIB's are Euclidean as well.
            Div(a, b) => self.apply("div", &[a, b]),
            Mod(a, b) => self.apply("mod", &[a, b]),
            Len(of) => self.apply("str.len", &[of]),
            StartsWith(a, b) => self.apply("str.prefixof", &[b, a]),
            EndsWith(a, b) => self.apply("str.suffixof", &[b, a]),
            Contains(a, b) => self.apply("str.contains", &[a, b]),
            Substr(a, b, c) => self.apply("str.substr", &[a, b, c]),
            IndexOf(a, b) => Ok(format!("(str.indexof {} {} 0)", self.write(a)?, self.write(b)?)),
            TextLt(a, b) => self.apply("str.<", &[a, b]),
            EditsAtLeast(a, b, edits) => self.edits(a, b, edits),
            Matches(of, regex) => {
                let pattern = self.common.pattern(regex)?;
                Ok(format!("(str.in_re {} {pattern})", self.write(of)?))
            }
        }
    }

    fn apply(&mut self, op: &str, args: &[&Expr]) -> Result<String, String> {
        let mut res = format!("({op}");
        for arg in args {
            res.push(' ');
            res.push_str(&self.write(arg)?);
        }
        res.push(')');
        Ok(res)
    }

    /// An operation that SMT-LIB wants two arguments for at least.
    fn many(&mut self, op: &str, args: &[Expr], none: &str) -> Result<String, String> {
        match args {
            [] => Ok(none.to_string()),
            [one] => self.write(one),
            _ => self.apply(op, &args.iter().collect::<Vec<_>>()),
        }
    }

    /// SMT-LIB does not know edits, but the texts near to a given one are a regular language.
    fn edits(&mut self, a: &Expr, b: &Expr, edits: &Expr) -> Result<String, String> {
        let (known, other) = match (a.as_const(), b.as_const()) {
            (Some(Scalar::Text(known)), _) => (known, b),
            (_, Some(Scalar::Text(known))) => (known, a),
            _ => return Err("the edit distance between two unknown texts".to_string()),
        };
        let Some(edits) = edits.as_int() else {
            return Err("an edit distance that is not known".to_string());
        };
        if edits <= 0 {
            return Ok("true".to_string());
        }
        let other = self.write(other)?;
        Ok(format!("(not {})", is_near(&other, known, edits - 1)?))
    }
}

/// Whether a term is within this many edits of a known text: `r_i_e` matches what is within `e` edits of the rest of
/// the known text from its `i`th character on.
fn is_near(term: &str, known: &str, edits: i128) -> Result<String, String> {
    let known: Vec<char> = known.chars().collect();
    let edits = usize::try_from(edits).unwrap_or(usize::MAX);
    if (known.len() + 1).saturating_mul(edits.saturating_add(1)) > NEIGHBOURHOOD_MAX {
        return Err(format!("an edit distance of {edits} to a text of {} characters", known.len()));
    }
    let mut res = String::new();
    let mut open = 0;
    for i in (0..=known.len()).rev() {
        for e in 0..=edits {
            let mut ways = Vec::new();
            match known.get(i) {
                None => ways.push(text::RE_EMPTY.to_string()),
                Some(c) => {
                    let kept = text::write(c.encode_utf8(&mut [0; 4]))?;
                    ways.push(format!("(re.++ (str.to_re {kept}) r_{}_{e})", i + 1));
                    if e > 0 {
                        ways.push(format!("(re.++ (re.opt re.allchar) r_{}_{})", i + 1, e - 1));
                    }
                }
            }
            if e > 0 {
                ways.push(format!("(re.++ re.allchar r_{i}_{})", e - 1));
            }
            let pattern =
                if ways.len() == 1 { ways.remove(0) } else { format!("(re.union {})", ways.join(" ")) };
            res.push_str(&format!("(let ((r_{i}_{e} {pattern})) "));
            open += 1;
        }
    }
    res.push_str(&format!("(str.in_re {term} r_0_{edits})"));
    res.push_str(&")".repeat(open));
    Ok(res)
}
