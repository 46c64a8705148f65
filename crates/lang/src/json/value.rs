//! Values of a spec from JSON.

use std::sync::Arc;

use super::{Json, JsonKind};
use probity_spec::{Field, Float64, Name, Shape, Spec, Table, Value};

/// The value of a spec that a JSON value represents; what [`write`](super::write) writes, it reads back. Only
/// shapes are checked, not requirements.
///
/// ```
/// use probity_lang::json;
/// use probity_spec::{Shape, Spec, Value};
/// let spec = Spec::object([("age", Spec::new(Shape::int(0, 150)))]);
/// let it = json::parse(r#"{"age": 7}"#).unwrap();
/// assert_eq!(json::value(&spec, &it), Ok(Value::Object(vec![("age".into(), Value::Int(7))])));
/// let it = json::parse(r#"{"age": "7"}"#).unwrap();
/// assert_eq!(json::value(&spec, &it).unwrap_err(), "`age`: expected a whole number, found a string");
/// ```
pub fn value(spec: &Spec, json: &Json) -> Result<Value, String> {
    let mut place = JsonPlace { enclosing: Vec::new(), path: String::new() };
    place.value(spec, json)
}

struct JsonPlace<'a> {
    /// The named specs around this place, for recursion.
    enclosing: Vec<&'a Spec>,
    /// Where we are, for messages: `items[2].price`.
    path: String,
}

impl<'a> JsonPlace<'a> {
    fn wrong(&self, message: &str) -> String {
        if self.path.is_empty() { message.to_string() } else { format!("`{}`: {message}", self.path) }
    }

    fn value(&mut self, spec: &'a Spec, json: &Json) -> Result<Value, String> {
        let depth = self.enclosing.len();
        if spec.name.is_some() {
            self.enclosing.push(spec);
        }
        let res = self.shaped(spec, json);
        self.enclosing.truncate(depth);
        res
    }

    fn shaped(&mut self, spec: &'a Spec, json: &Json) -> Result<Value, String> {
        let expected = |this: &JsonPlace, what: &str| {
            Err(this.wrong(&format!("expected {what}, found {}", json.what())))
        };
        match (&spec.shape, &json.kind) {
            (Shape::Bool, JsonKind::Bool(it)) => Ok(Value::Bool(*it)),
            (Shape::Bool, _) => expected(self, "true or false"),
            (Shape::Int { .. }, JsonKind::Number(it)) if it.scale() == 0 => Ok(Value::Int(it.mantissa())),
            (Shape::Int { .. }, JsonKind::Number(it)) => {
                Err(self.wrong(&format!("expected a whole number, found {it}")))
            }
            (Shape::Int { .. }, _) => expected(self, "a whole number"),
            (Shape::Number { .. }, JsonKind::Number(it)) => Ok(Value::Number(*it)),
            (Shape::Number { .. }, _) => expected(self, "a number"),
            (Shape::Float, JsonKind::Number(it)) => {
                Ok(Value::Float(Float64::new(it.to_string().parse().unwrap_or(f64::NAN))))
            }
            (Shape::Float, _) => expected(self, "a number"),
            (Shape::Text, JsonKind::Text(it)) => Ok(Value::Text(it.clone())),
            (Shape::Text, _) => expected(self, "a string"),
            (Shape::Date, JsonKind::Text(it)) => self.read(it, "a date such as 2017-10-21", Value::Date),
            (Shape::Date, _) => expected(self, "a date"),
            (Shape::Time, JsonKind::Text(it)) => self.read(it, "a time such as 10:00:00", Value::Time),
            (Shape::Time, _) => expected(self, "a time"),
            (Shape::DateTime, JsonKind::Text(it)) => {
                self.read(it, "a date and time such as 2017-10-21T10:00:00", Value::DateTime)
            }
            (Shape::DateTime, _) => expected(self, "a date and time"),
            (Shape::Duration, JsonKind::Text(it)) => {
                self.read(it, "a duration such as PT90S", Value::Duration)
            }
            (Shape::Duration, _) => expected(self, "a duration"),
            (Shape::Option(_), JsonKind::Null) => Ok(Value::Option(None)),
            (Shape::Option(of), kind) => {
                let inner = match (self.is_option(of), kind) {
                    (true, JsonKind::List(items)) if items.len() == 1 => &items[0],
                    (true, _) => return expected(self, "null or an array of one"),
                    (false, _) => json,
                };
                Ok(Value::Option(Some(Box::new(self.value(of, inner)?))))
            }
            (Shape::List(of), JsonKind::List(items)) => {
                let each = |(i, it): (usize, &Json)| self.below(&format!("[{i}]"), |this| this.value(of, it));
                Ok(Value::List(items.iter().enumerate().map(each).collect::<Result<_, _>>()?))
            }
            (Shape::List(_), _) => expected(self, "an array"),
            (Shape::Object(fields), JsonKind::Object(members)) => self.object(fields, members),
            (Shape::Object(_), _) => expected(self, "an object"),
            (Shape::Enum(cases), JsonKind::Text(it)) => match cases.iter().find(|case| **case == *it) {
                Some(case) => Ok(Value::Case(case.clone())),
                None => Err(self.wrong(&format!("`{it}` is none of {}", cases.join(", ")))),
            },
            (Shape::Enum(_), _) => expected(self, "a string"),
            (Shape::Union(cases), JsonKind::Object(members)) if members.len() == 1 => {
                let (key, _, inner) = &members[0];
                let Some((name, of)) = cases.iter().find(|it| it.0 == *key) else {
                    let names: Vec<&str> = cases.iter().map(|it| &*it.0).collect();
                    return Err(self.wrong(&format!("`{key}` is none of {}", names.join(", "))));
                };
                let inner = self.below(&format!(".{key}"), |this| this.value(of, inner))?;
                Ok(Value::Union(name.clone(), Box::new(inner)))
            }
            (Shape::Union(_), _) => expected(self, "an object with one member, named after the case"),
            (Shape::Table(table), kind) => self.row(table, kind),
            (Shape::Named(name), _) => self.again(name, json),
        }
    }

    fn row(&self, table: &Arc<Table>, kind: &JsonKind) -> Result<Value, String> {
        let is_key = |row: &u32| match (table.key(*row), kind) {
            (Value::Text(key), JsonKind::Text(it)) => key == it,
            (Value::Int(key), JsonKind::Number(it)) => it.scale() == 0 && *key == it.mantissa(),
            (Value::Number(key), JsonKind::Number(it)) => key == it,
            (Value::Bool(key), JsonKind::Bool(it)) => key == it,
            (key, JsonKind::Text(it)) => key.to_string() == **it,
            _ => false,
        };
        match (0..table.rows.len() as u32).find(is_key) {
            Some(row) => Ok(Value::Row(table.clone(), row)),
            None => Err(self.wrong(&format!("no row of {} has this key", table.name))),
        }
    }

    /// A value of the spec around this place that has that name.
    fn again(&mut self, name: &Name, json: &Json) -> Result<Value, String> {
        let Some(at) = self.enclosing.iter().rposition(|it| it.name.as_ref() == Some(name)) else {
            return Err(self.wrong(&format!("no spec around this place is called `{name}`")));
        };
        // The specs below the named one are out of scope inside it.
        let below = self.enclosing.split_off(at + 1);
        let res = self.shaped(self.enclosing[at], json);
        self.enclosing.truncate(at + 1);
        self.enclosing.extend(below);
        res
    }

    fn object(
        &mut self,
        fields: &'a [Field],
        members: &[(Name, crate::Span, Json)],
    ) -> Result<Value, String> {
        if let Some((key, ..)) = members.iter().find(|it| fields.iter().all(|field| field.name != it.0)) {
            return Err(self.wrong(&format!("unknown field `{key}`")));
        }
        let mut res = Vec::new();
        for field in fields {
            let json = members.iter().find(|it| it.0 == field.name).map(|it| &it.2);
            let dot = if self.path.is_empty() { "" } else { "." };
            let value = match json {
                None if matches!(field.spec.shape, Shape::Option(_)) => Value::Option(None),
                None => return Err(self.wrong(&format!("the field `{}` is missing", field.name))),
                Some(it) => {
                    self.below(&format!("{dot}{}", field.name), |this| this.value(&field.spec, it))?
                }
            };
            res.push((field.name.clone(), value));
        }
        Ok(Value::Object(res))
    }

    fn is_option(&self, spec: &Spec) -> bool {
        match &spec.shape {
            Shape::Named(name) => self
                .enclosing
                .iter()
                .rev()
                .find(|it| it.name.as_ref() == Some(name))
                .is_some_and(|it| matches!(it.shape, Shape::Option(_))),
            shape => matches!(shape, Shape::Option(_)),
        }
    }

    fn below<T>(&mut self, step: &str, go: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path.push_str(step);
        let res = go(self);
        self.path.truncate(length);
        res
    }

    fn read<T: std::str::FromStr>(
        &self,
        text: &str,
        what: &str,
        make: fn(T) -> Value,
    ) -> Result<Value, String> {
        text.parse().map(make).map_err(|_| self.wrong(&format!("expected {what}, found \"{text}\"")))
    }
}
