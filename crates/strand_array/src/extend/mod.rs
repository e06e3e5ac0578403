//! Extension modules: tables of named functions with a doc text each, and constants.
//!
//! A [`Function`] describes its [`Parameter`]s: which have to be given, which may be given by name, and a
//! [`Converter`] each. A call binds arguments to parameters by Python's rules, converts them in order, and hands
//! them to the function as a [`Call`]. Arrays that are read and written are resolved when the function
//! has ended well, and discarded when it hasn't. Every error names the function.
//!
//! ```
//! use strand_array::extend::{Converter, Function, Module, Parameter};
//! use strand_array::{Context, Value};
//!
//! let ctx = Context::default();
//! let power = Function::new(
//!     "power",
//!     "x to a whole power.",
//!     vec![
//!         Parameter::required("x", Converter::Float),
//!         Parameter::optional("n", Converter::Int, 2_i64),
//!     ],
//!     |call| Ok(call.float("x")?.powi(call.int("n")? as i32).into()),
//! )?;
//! let module = Module::new("small", "A function and a constant.")
//!     .with_function(power)?
//!     .with_constant("limit", 10_i64)?;
//!
//! let cube = module.call(&ctx, "power", &[2.0.into()], &[("n", 3_i64.into())])?;
//! assert!(matches!(cube, Value::Float(8.0)));
//! let error = module.call(&ctx, "power", &[], &[]).unwrap_err();
//! assert_eq!(error.to_string(), "power: x is missing");
//! assert_eq!(error.class(), "TypeError");
//! # Ok::<(), strand_array::ArrayError>(())
//! ```
//!
//! [`example`] writes a larger one, step by step.

mod bind;
mod convert;
pub mod example;

pub use bind::Call;
pub use convert::{Converter, Needs};

use std::rc::Rc;

use crate::context::Context;
use crate::error::{ArrayError, Result};
use crate::value::Value;

/// How a parameter may be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// By place or by name.
    Free,
    /// By name alone.
    Named,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    name: String,
    converter: Converter,
    manner: Manner,
    default: Option<Value>,
}

impl Parameter {
    /// One that has to be given, by place or by name.
    #[must_use]
    pub fn required(name: &str, converter: Converter) -> Self {
        Self {
            name: name.into(),
            converter,
            manner: Manner::Free,
            default: None,
        }
    }

    /// One that may be left out: the default is converted in its place.
    #[must_use]
    pub fn optional(name: &str, converter: Converter, default: impl Into<Value>) -> Self {
        Self {
            default: Some(default.into()),
            ..Self::required(name, converter)
        }
    }

    /// The same, given by name alone.
    #[must_use]
    pub fn keyword_only(self) -> Self {
        Self {
            manner: Manner::Named,
            ..self
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

type Body = dyn Fn(&Call<'_>) -> Result<Value>;

/// A named function of a module.
#[derive(Clone)]
pub struct Function {
    name: String,
    doc: String,
    parameters: Vec<Parameter>,
    body: Rc<Body>,
}

impl Function {
    /// A function whose body gives nothing ([`Value::None`]), one value, or several ([`Value::Tuple`]).
    ///
    /// # Errors
    /// `BadModule` for a name that isn't one, two parameters of one name, or one that has to be given after
    /// one that may be left out.
    pub fn new(
        name: &str,
        doc: &str,
        parameters: Vec<Parameter>,
        body: impl Fn(&Call<'_>) -> Result<Value> + 'static,
    ) -> Result<Self> {
        let wrong = |why: String| ArrayError::BadModule { why };
        check_name(name)?;
        let mut optional = None;
        let mut named = None;
        for (at, parameter) in parameters.iter().enumerate() {
            check_name(&parameter.name)?;
            let mut before = parameters.iter().take(at);
            if before.any(|other| other.name == parameter.name) {
                return Err(wrong(format!(
                    "{name} has two parameters {}",
                    parameter.name
                )));
            }
            match parameter.manner {
                Manner::Named => named = named.or(Some(&parameter.name)),
                Manner::Free => {
                    if let Some(named) = named {
                        let why = format!(
                            "{} of {name} stands after {named}, which is given by name",
                            parameter.name
                        );
                        return Err(wrong(why));
                    }
                    match (optional, &parameter.default) {
                        (Some(optional), None) => {
                            let why = format!(
                                "{} of {name} has to be given, but {optional} before it hasn't",
                                parameter.name
                            );
                            return Err(wrong(why));
                        }
                        (None, Some(_)) => optional = Some(&parameter.name),
                        _ => {}
                    }
                }
            }
        }
        Ok(Self {
            name: name.into(),
            doc: doc.into(),
            parameters,
            body: Rc::new(body),
        })
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the function does; `f.__doc__`.
    #[must_use]
    pub fn doc(&self) -> &str {
        &self.doc
    }

    /// The parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// How the function is called: `clip(x, low=0, *, casting='same_kind')`.
    #[must_use]
    pub fn signature(&self) -> String {
        let mut parts = vec![];
        let mut starred = false;
        for parameter in &self.parameters {
            if parameter.manner == Manner::Named && !starred {
                parts.push("*".to_owned());
                starred = true;
            }
            parts.push(match &parameter.default {
                None => parameter.name.clone(),
                Some(value) => format!("{}={}", parameter.name, written(value)),
            });
        }
        format!("{}({})", self.name, parts.join(", "))
    }

    /// Calls the function with arguments by place and by name.
    ///
    /// # Errors
    /// `BadArguments` for too many, missing, unknown and repeated ones; `Argument` for one that can't be
    /// converted; `Function` with what the function itself says. Arrays that would be written back are as
    /// they were then.
    pub fn call(
        &self,
        ctx: &Context,
        arguments: &[Value],
        keywords: &[(&str, Value)],
    ) -> Result<Value> {
        let call = Call::bind(self, ctx, arguments, keywords)?;
        match (self.body)(&call) {
            Ok(value) => {
                call.resolve().map_err(|error| self.failed(error))?;
                Ok(value)
            }
            Err(error) => {
                call.discard();
                Err(self.failed(error))
            }
        }
    }

    fn failed(&self, error: ArrayError) -> ArrayError {
        ArrayError::Function {
            function: self.name.clone(),
            error: Box::new(error),
        }
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.signature())
    }
}

/// A default as signatures show it.
fn written(value: &Value) -> String {
    match value {
        Value::None => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Int(v) => v.to_string(),
        Value::Float(v) => format!("{v:?}"),
        Value::Text(text) => format!("{text:?}").replace('"', "'"),
        _ => "...".into(),
    }
}

fn check_name(name: &str) -> Result<()> {
    let mut letters = name.chars();
    let starts = letters
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_');
    if starts && letters.all(|c| c.is_alphanumeric() || c == '_') {
        Ok(())
    } else {
        Err(ArrayError::BadModule {
            why: format!("{name:?} isn't a name"),
        })
    }
}

/// A table of functions and constants under one name.
#[derive(Clone, Debug)]
pub struct Module {
    name: String,
    doc: String,
    functions: Vec<Function>,
    constants: Vec<(String, Value)>,
}

impl Module {
    /// A module with nothing in it. Its name may have dots.
    #[must_use]
    pub fn new(name: &str, doc: &str) -> Self {
        Self {
            name: name.into(),
            doc: doc.into(),
            functions: vec![],
            constants: vec![],
        }
    }

    /// Adds a function.
    ///
    /// # Errors
    /// `BadModule` if the module has something of that name.
    pub fn with_function(mut self, function: Function) -> Result<Self> {
        self.check_new(&function.name)?;
        self.functions.push(function);
        Ok(self)
    }

    /// Adds a constant; `PyModule_AddObject` and its kin.
    ///
    /// # Errors
    /// `BadModule` if the module has something of that name, or the name isn't one.
    pub fn with_constant(mut self, name: &str, value: impl Into<Value>) -> Result<Self> {
        check_name(name)?;
        self.check_new(name)?;
        self.constants.push((name.into(), value.into()));
        Ok(self)
    }

    fn check_new(&self, name: &str) -> Result<()> {
        if self.function(name).is_some() || self.constant(name).is_some() {
            return Err(ArrayError::BadModule {
                why: format!("{} has two things named {name}", self.name),
            });
        }
        Ok(())
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the module is for.
    #[must_use]
    pub fn doc(&self) -> &str {
        &self.doc
    }

    /// The functions, in the order in which they came.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// A function by its name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// A constant by its name.
    #[must_use]
    pub fn constant(&self, name: &str) -> Option<&Value> {
        let found = self.constants.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// Calls a function by its name.
    ///
    /// # Errors
    /// `NoSuchFunction`; as [`Function::call`].
    pub fn call(
        &self,
        ctx: &Context,
        name: &str,
        arguments: &[Value],
        keywords: &[(&str, Value)],
    ) -> Result<Value> {
        let function = self
            .function(name)
            .ok_or_else(|| ArrayError::NoSuchFunction {
                module: self.name.clone(),
                name: name.into(),
            })?;
        function.call(ctx, arguments, keywords)
    }
}
