//! A function as tests call it.

use crate::rust::draw::{Drawer, PassedAs, TestInput, owner, panics};
use crate::rust::fill::{self, TypeArguments};
use crate::rust::krate::ItemId;
use crate::rust::page::snake;
use crate::rust::panics::PanicDocs;
use crate::rust::read::RustFunction;
use crate::rust::ty::RustType;

/// A function or method that can be called with what is drawn.
pub(crate) struct TestedFunction<'a> {
    pub(crate) function: &'a RustFunction,
    /// The name in the names of tests, and for people.
    pub(crate) label: String,
    pub(crate) shown: String,
    /// What stands before the arguments; the name alone for methods with a receiver.
    callee: String,
    pub(crate) has_receiver: bool,
    /// The receiver first, if there is one.
    pub(crate) inputs: Vec<TestInput>,
    pub(crate) output: RustType,
    pub(crate) panics: Option<PanicDocs>,
    /// Whether a test that was written calls it with everything.
    pub(crate) is_tested: bool,
}

/// A result without what it may be wrapped in.
pub(crate) struct Unwrapped {
    pub(crate) ty: RustType,
    pub(crate) wrapper: Wrapper,
}

/// What a result may be wrapped in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapper {
    Nothing,
    Option,
    /// Whether the error can be shown.
    Result(bool),
}

impl Wrapper {
    /// Takes the value out of an expression, or fails the test.
    pub(crate) fn unwrap(self, it: &str) -> String {
        match self {
            Wrapper::Nothing => it.to_string(),
            Wrapper::Option | Wrapper::Result(true) => format!("{it}.unwrap()"),
            Wrapper::Result(false) => format!("{it}.ok().unwrap()"),
        }
    }

    /// Binds the value, or ends the case.
    pub(crate) fn bind(self, name: &str, it: &str) -> String {
        match self {
            Wrapper::Nothing => format!("let {name} = {it};"),
            Wrapper::Option => format!("let Some({name}) = {it} else {{ return }};"),
            Wrapper::Result(_) => format!("let Ok({name}) = {it} else {{ return }};"),
        }
    }
}

impl<'a> TestedFunction<'a> {
    /// The function of this number, or why it cannot be called.
    pub(crate) fn function(drawer: &'a Drawer<'a>, id: usize) -> Result<TestedFunction<'a>, String> {
        let (module, it) = &drawer.krate.functions[id];
        let path = drawer.krate.public_path(ItemId::Function(id)).ok_or("is not public")?;
        let callee = drawer.imports.borrow_mut().function(path);
        TestedFunction::new(drawer, it, *module, None, callee)
    }

    /// A method of a type.
    pub(crate) fn method(
        drawer: &'a Drawer<'a>,
        id: usize,
        module: usize,
        it: &'a RustFunction,
    ) -> Result<TestedFunction<'a>, String> {
        if !drawer.krate.types[id].1.params.is_empty() {
            return Err("belongs to a generic type; `probity api` writes its calls".to_string());
        }
        let ty = drawer.text(&drawer.krate.type_of(id, Vec::new()));
        let callee = if it.receiver.is_some() { it.name.clone() } else { format!("{ty}::{}", it.name) };
        TestedFunction::new(drawer, it, module, Some(id), callee)
    }

    fn new(
        drawer: &'a Drawer<'a>,
        it: &'a RustFunction,
        module: usize,
        owner_type: Option<usize>,
        callee: String,
    ) -> Result<TestedFunction<'a>, String> {
        if let Some(why) = it.obstacle {
            return Err(why.to_string());
        }
        if let Some(it) = &it.touches {
            return Err(format!("names `{it}`, which may lead out of the process"));
        }
        let filling = fill::fill(&it.params, &drawer.chosen, &TypeArguments::new())?;
        let names: Vec<String> = it.params.iter().map(|it| it.name.clone()).collect();
        let resolved = |ty: &RustType| {
            let ty = drawer.krate.resolve(module, ty, &names);
            let ty = owner_type.map_or(ty.clone(), |id| drawer.resolved(module, id, &ty));
            let ty = fill::apply(&ty, &filling);
            // `&T` where `T: AsRef<str>` became `&&str`.
            ty.map(&|it| match &it {
                RustType::Reference { is_mut: false, to } if matches!(**to, RustType::Reference { .. }) => {
                    (**to).clone()
                }
                _ => it,
            })
        };
        let mut inputs = Vec::new();
        if let (Some(receiver), Some(id)) = (&it.receiver, owner_type) {
            let name = snake(&drawer.krate.types[id].1.name);
            inputs.push(drawer.input(&name, &resolved(receiver))?);
        }
        for (name, ty) in &it.inputs {
            inputs.push(drawer.input(name, &resolved(ty))?);
        }
        let output = resolved(&it.output);
        if output.any(&|it| matches!(it, RustType::Named { path, .. } if names.contains(&path[0]))) {
            return Err(format!("returns `{output}`, which is not known"));
        }
        if inputs.is_empty() {
            return Err("takes no input".to_string());
        }
        if matches!(&output, RustType::Other(it) if it == "!") {
            return Err("does not return".to_string());
        }
        let mut seen: Vec<String> = Vec::new();
        for input in &mut inputs {
            while seen.contains(&input.name) {
                input.name.push('_');
            }
            seen.push(input.name.clone());
        }
        let known: Vec<(&str, &RustType)> = inputs.iter().map(|it| (&*it.name, &it.taken)).collect();
        let methods: Vec<&str> = match owner_type.filter(|_| it.receiver.is_some()) {
            Some(id) => {
                let plain =
                    drawer.methods(id).map(|it| it.1).filter(|it| it.is_public && it.inputs.is_empty());
                plain.filter(|it| it.receiver.is_some()).map(|it| &*it.name).collect()
            }
            None => Vec::new(),
        };
        let panics = panics(&it.docs, &known, &methods);
        let type_name = owner_type.map(|id| &*drawer.krate.types[id].1.name);
        let label = type_name.map_or(it.name.clone(), |ty| format!("{}_{}", snake(ty), it.name));
        let shown = type_name.map_or(it.name.clone(), |ty| format!("{ty}::{}", it.name));
        let has_receiver = it.receiver.is_some();
        Ok(TestedFunction {
            function: it,
            label,
            shown,
            callee,
            has_receiver,
            inputs,
            output,
            panics,
            is_tested: false,
        })
    }

    /// The call with these arguments, one for each input.
    pub(crate) fn call(&self, args: &[String]) -> String {
        match args {
            [first, rest @ ..] if self.has_receiver => {
                // A method borrows by itself.
                let first = first.trim_start_matches("&mut ").trim_start_matches('&');
                format!("{first}.{}({})", self.callee, rest.join(", "))
            }
            _ => format!("{}({})", self.callee, args.join(", ")),
        }
    }

    /// The call with all inputs as they were drawn; those that are used later are kept.
    pub(crate) fn plain_call(&self, keep: bool) -> String {
        let args: Vec<String> = self.inputs.iter().map(|it| pass(it, &it.name, keep)).collect();
        self.call(&args)
    }

    /// What it returns, without what that is wrapped in.
    pub(crate) fn unwrapped(&self, drawer: &Drawer<'_>) -> Unwrapped {
        match self.output.named() {
            Some(("Option", [ty])) => Unwrapped { ty: ty.clone(), wrapper: Wrapper::Option },
            Some(("Result", [ty, rest @ ..])) => {
                let shown = rest.first().is_some_and(|it| drawer.has(it, "Debug"));
                Unwrapped { ty: ty.clone(), wrapper: Wrapper::Result(shown) }
            }
            _ => Unwrapped { ty: self.output.clone(), wrapper: Wrapper::Nothing },
        }
    }
}

/// A variable as the argument of an input.
pub(crate) fn pass(input: &TestInput, variable: &str, keep: bool) -> String {
    match input.passed {
        PassedAs::Reference => format!("&{variable}"),
        PassedAs::Mutable => format!("&mut {variable}"),
        PassedAs::Value if keep && !input.is_copied => format!("{variable}.clone()"),
        PassedAs::Value => variable.to_string(),
    }
}

/// Whether a value can be used twice.
pub(crate) fn is_cloned(drawer: &Drawer<'_>, ty: &RustType) -> bool {
    drawer.has(ty, "Copy") || drawer.has(ty, "Clone")
}

/// What a value is once it is owned, to tell if two types hold the same.
pub(crate) fn content(ty: &RustType) -> RustType {
    match ty {
        RustType::Reference { to, .. } => content(to),
        RustType::Slice(_) => owner(ty),
        _ => match ty.named() {
            Some(("str", [])) => owner(ty),
            Some(("Cow" | "Box" | "Rc" | "Arc", [of])) => content(of),
            _ => ty.clone(),
        },
    }
}

/// Whether equality may fail for a value and itself: floats may be no number.
pub(crate) fn has_float(drawer: &Drawer<'_>, ty: &RustType) -> bool {
    fn within(drawer: &Drawer<'_>, ty: &RustType, left: usize) -> bool {
        use crate::rust::read::TypeShape;
        ty.any(&|it| {
            let own = drawer.krate.own_type(it).filter(|_| left > 0).map(|it| &drawer.krate.types[it]);
            it.is("f32")
                || it.is("f64")
                || own.is_some_and(|(module, it)| match &it.shape {
                    TypeShape::Variants(all) => all
                        .iter()
                        .flat_map(|it| &it.1.fields)
                        .any(|it| within(drawer, &drawer.krate.resolve(*module, &it.1, &[]), left - 1)),
                    _ => false,
                })
        })
    }
    /// Levels of types within types.
    const LEVELS: usize = 4;
    within(drawer, ty, LEVELS)
}

/// The line that two values are equal.
pub(crate) fn assert_same(drawer: &Drawer<'_>, ty: &RustType, left: &str, right: &str) -> String {
    if has_float(drawer, ty) {
        // Two values that are no number are not equal, but look the same.
        return format!("assert_eq!(format!(\"{{:?}}\", {left}), format!(\"{{:?}}\", {right}));");
    }
    format!("assert_eq!({left}, {right});")
}

/// Whether two values of the type can be compared and shown, and if not why.
pub(crate) fn can_compare(drawer: &Drawer<'_>, ty: &RustType) -> Result<(), String> {
    for name in ["PartialEq", "Debug"] {
        if !drawer.has(ty, name) {
            return Err(format!("`{}` has no `{name}`", crate::rust::draw::shown(ty)));
        }
    }
    Ok(())
}
