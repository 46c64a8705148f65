//! A Rust file: `INPUTS`, `inputs()`, and the types of their parts. To be a module, or to be included.

mod types;

use probity_lang::json::Spacing;
use probity_spec::{Decimal, Spec, Value};

use super::Format;
use types::{Body, Type, Types, unique_module};

/// A static slice, with the types behind it: only then is it known how wide the integers are. Everything in it
/// is `Copy` and constant, which compiles in far less time than vectors would.
pub(crate) struct Rust {
    several: bool,
    modules: Vec<String>,
    types: Types,
    /// Whether some value of an unbounded integer needs more than 64 bits.
    is_wide: bool,
}

impl Rust {
    pub(crate) fn new(several: bool) -> Rust {
        Rust { several, modules: Vec::new(), types: Types::default(), is_wide: false }
    }
}

impl Format for Rust {
    fn begin(&mut self, outline: &str, spec: &Spec, out: &mut String) {
        self.types = Types::of(spec);
        self.is_wide = false;
        out.push_str(&format!("// The inputs of {outline:?}, written by `probity generate`.\n"));
        if self.several {
            let module = unique_module(outline, &self.modules);
            out.push_str(&format!("pub mod {module} {{\n"));
            self.modules.push(module);
        }
        out.push_str(
            "\n/// Every pair differs.\n#[allow(dead_code, clippy::all)]\npub static INPUTS: &[Input] = &[\n",
        );
    }

    fn input(&mut self, value: &Value, _: Spacing, out: &mut String) {
        out.push_str("    ");
        let mut writer = RustWriter { types: &self.types, is_wide: &mut self.is_wide, out };
        writer.expr(&self.types.input, value);
        out.push_str(",\n");
    }

    fn end(&mut self, out: &mut String) {
        out.push_str("];\n\n/// The inputs, to keep.\n#[allow(dead_code)]\n");
        out.push_str("pub fn inputs() -> Vec<Input> {\n    INPUTS.to_vec()\n}\n");
        out.push_str(&self.types.items_text(self.is_wide));
        if self.several {
            out.push_str("}\n\n");
        }
    }

    fn finish(&mut self, _: &mut String) {}
}

/// Writes values as expressions.
struct RustWriter<'a> {
    types: &'a Types,
    is_wide: &'a mut bool,
    out: &'a mut String,
}

impl RustWriter<'_> {
    fn expr(&mut self, of: &Type, value: &Value) {
        match (of, value) {
            (Type::Option(_), Value::Option(None)) => self.out.push_str("None"),
            (Type::Option(of), Value::Option(Some(it))) => self.within("Some(", of, it),
            (Type::List(of), Value::List(items)) => {
                self.out.push_str("&[");
                for (i, item) in items.iter().enumerate() {
                    self.out.push_str(if i == 0 { "" } else { ", " });
                    self.expr(of, item);
                }
                self.out.push(']');
            }
            (Type::Item(item), value) => self.item(*item, value),
            (Type::Reference(item), value) => {
                self.out.push('&');
                self.item(*item, value);
            }
            (of, Value::Row(table, row)) => self.expr(of, table.key(*row)),
            (_, Value::Bool(it)) => self.out.push_str(&it.to_string()),
            (of, Value::Int(it)) => {
                *self.is_wide |= *of == Type::Integer && i64::try_from(*it).is_err();
                self.out.push_str(&it.to_string());
            }
            (_, Value::Number(it)) => self.out.push_str(&float(*it)),
            (_, Value::Text(it)) => self.out.push_str(&format!("{it:?}")),
            (_, value) => self.out.push_str(&format!("{:?}", value.to_string())),
        }
    }

    /// A value in round brackets.
    fn within(&mut self, before: &str, of: &Type, value: &Value) {
        self.out.push_str(before);
        self.expr(of, value);
        self.out.push(')');
    }

    fn item(&mut self, item: usize, value: &Value) {
        let types = self.types;
        let item = &types.items[item];
        self.out.push_str(&item.name);
        match (&item.body, value) {
            (Body::Struct(fields), Value::Object(values)) => {
                self.out.push_str(" {");
                for (i, ((name, of), (_, value))) in fields.iter().zip(values).enumerate() {
                    self.out.push_str(if i == 0 { " " } else { ", " });
                    self.out.push_str(&format!("{name}: "));
                    self.expr(of, value);
                }
                self.out.push_str(" }");
            }
            (Body::Enum(cases), Value::Case(case)) => {
                let name = cases.iter().find(|it| it.case == *case).map_or("", |it| &it.name);
                self.out.push_str(&format!("::{name}"));
            }
            (Body::Enum(cases), Value::Union(case, value)) => {
                let Some(it) = cases.iter().find(|it| it.case == *case) else { return };
                let Some(of) = &it.of else { return };
                self.within(&format!("::{}(", it.name), of, value);
            }
            (Body::Tuple(of), value) => self.within("(", of, value),
            // A value of another shape than its spec's: there is none.
            _ => {}
        }
    }
}

/// The nearest `f64`.
fn float(it: Decimal) -> String {
    let text = it.to_string();
    if it.scale() == 0 { format!("{text}.0") } else { text }
}
