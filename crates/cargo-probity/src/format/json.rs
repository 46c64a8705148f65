//! JSON: an array with an input on each line, lines without the array, and files of saved inputs.

use probity_lang::json::{self, Spacing};
use probity_spec::{Spec, Value};

use super::Format;

/// An array of inputs; for several outlines an object from their names to their arrays.
pub(crate) struct JsonFormat {
    several: bool,
    outlines: usize,
    inputs: usize,
    spec: Option<Spec>,
}

impl JsonFormat {
    pub(crate) fn new(several: bool) -> JsonFormat {
        JsonFormat { several, outlines: 0, inputs: 0, spec: None }
    }
}

impl Format for JsonFormat {
    fn begin(&mut self, outline: &str, spec: &Spec, out: &mut String) {
        if self.several {
            out.push_str(if self.outlines == 0 { "{\n" } else { ",\n" });
            out.push_str(&text(outline));
            out.push_str(": ");
        }
        out.push('[');
        self.outlines += 1;
        self.inputs = 0;
        self.spec = Some(spec.clone());
    }

    fn input(&mut self, value: &Value, spacing: Spacing, out: &mut String) {
        out.push_str(if self.inputs == 0 { "\n  " } else { ",\n  " });
        out.push_str(&json::write_spaced(self.spec.as_ref(), value, spacing));
        self.inputs += 1;
    }

    fn end(&mut self, out: &mut String) {
        out.push_str(if self.inputs == 0 { "]" } else { "\n]" });
    }

    fn finish(&mut self, out: &mut String) {
        match (self.several, self.outlines) {
            (true, 0) => out.push_str("{}\n"),
            (true, _) => out.push_str("\n}\n"),
            (false, 0) => out.push_str("[]\n"),
            (false, _) => out.push('\n'),
        }
    }
}

/// An input on each line; for several outlines `{"outline": NAME, "input": INPUT}`.
pub(crate) struct Lines {
    several: bool,
    outline: String,
    spec: Option<Spec>,
}

impl Lines {
    pub(crate) fn new(several: bool) -> Lines {
        Lines { several, outline: String::new(), spec: None }
    }
}

impl Format for Lines {
    fn begin(&mut self, outline: &str, spec: &Spec, _: &mut String) {
        self.outline = text(outline);
        self.spec = Some(spec.clone());
    }

    fn input(&mut self, value: &Value, spacing: Spacing, out: &mut String) {
        // Line ends within texts are escaped, so these are white space.
        let input = json::write_spaced(self.spec.as_ref(), value, spacing).replace('\n', " ");
        if self.several {
            out.push_str(&format!("{{\"outline\":{},\"input\":{input}}}\n", self.outline));
        } else {
            out.push_str(&input);
            out.push('\n');
        }
    }

    fn end(&mut self, _: &mut String) {}

    fn finish(&mut self, _: &mut String) {}
}

/// Saved inputs for a test runner: `{"outline": NAME, "inputs": [INPUT, …]}`; an array of those for several.
pub(crate) struct SavedInputs {
    several: bool,
    array: JsonFormat,
}

impl SavedInputs {
    pub(crate) fn new(several: bool) -> SavedInputs {
        SavedInputs { several, array: JsonFormat::new(false) }
    }
}

impl Format for SavedInputs {
    fn begin(&mut self, outline: &str, spec: &Spec, out: &mut String) {
        if self.several {
            out.push_str(if self.array.outlines == 0 { "[\n" } else { ",\n" });
        }
        out.push_str(&format!("{{\"outline\": {}, \"inputs\": ", text(outline)));
        self.array.begin(outline, spec, out);
    }

    fn input(&mut self, value: &Value, spacing: Spacing, out: &mut String) {
        self.array.input(value, spacing, out);
    }

    fn end(&mut self, out: &mut String) {
        self.array.end(out);
        out.push('}');
    }

    fn finish(&mut self, out: &mut String) {
        match (self.several, self.array.outlines) {
            (true, 0) => out.push_str("[]\n"),
            (true, _) => out.push_str("\n]\n"),
            (false, _) => out.push('\n'),
        }
    }
}

/// A text in quotes.
pub(super) fn text(it: &str) -> String {
    json::write(&Value::from(it))
}

/// A value of a spec.
pub(super) fn written(spec: Option<&Spec>, value: &Value) -> String {
    json::write_spaced(spec, value, Spacing::None)
}
