//! Calls: which argument belongs to which parameter, and the converted arguments as a function gets them.

use std::rc::Rc;

use super::convert::{Converted, Needs};
use super::{Function, Manner};
use crate::array::Array;
use crate::cast::Casting;
use crate::context::Context;
use crate::descr::Descr;
use crate::error::{ArrayError, Result};
use crate::make::WriteBack;
use crate::ufunc::{MemoryOrder, Mode};
use crate::value::Value;

/// A call: the converted arguments by the names of the parameters.
///
/// A getter fails if no parameter has that name or its converter gives something else, which is a mistake of
/// the function, not of its caller.
pub struct Call<'a> {
    function: &'a Function,
    ctx: &'a Context,
    values: Vec<Converted>,
}

impl<'a> Call<'a> {
    /// Binds arguments by Python's rules and converts them in the order of the parameters. If one can't be
    /// converted, those before it are let go.
    pub(super) fn bind(
        function: &'a Function,
        ctx: &'a Context,
        arguments: &[Value],
        keywords: &[(&str, Value)],
    ) -> Result<Self> {
        let given = bound(function, arguments, keywords)?;
        let mut call = Self {
            function,
            ctx,
            values: Vec::with_capacity(given.len()),
        };
        for (parameter, value) in function.parameters.iter().zip(given) {
            match parameter.converter.convert(ctx, &value) {
                Ok(converted) => call.values.push(converted),
                Err(error) => {
                    call.discard();
                    return Err(ArrayError::Argument {
                        function: function.name.clone(),
                        parameter: parameter.name.clone(),
                        error: Box::new(error),
                    });
                }
            }
        }
        Ok(call)
    }

    /// Writes back what was written into copies; after a failure the others are discarded.
    pub(super) fn resolve(self) -> Result<()> {
        let mut failure = None;
        for copy in self.copies() {
            if let (None, Err(error)) = (&failure, copy.resolve()) {
                failure = Some(error);
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// Forgets what was written into copies.
    pub(super) fn discard(self) {
        self.copies().for_each(WriteBack::discard);
    }

    fn copies(self) -> impl Iterator<Item = WriteBack> {
        self.values.into_iter().filter_map(|value| match value {
            Converted::InOut(copy) => Some(copy),
            _ => None,
        })
    }

    /// The context that results are made in.
    #[must_use]
    pub fn ctx(&self) -> &'a Context {
        self.ctx
    }

    fn get(&self, name: &str, wanted: &'static str) -> Result<&Converted> {
        let mut places = self.function.parameters.iter().zip(&self.values);
        let found = places.find(|(parameter, _)| parameter.name == name);
        let (_, value) = found.ok_or_else(|| self.mistake(name, wanted))?;
        Ok(value)
    }

    fn mistake(&self, name: &str, wanted: &'static str) -> ArrayError {
        ArrayError::BadModule {
            why: format!(
                "{} has no parameter {name} that is {wanted}",
                self.function.name
            ),
        }
    }
}

/// Getters: name, what it gives, and which converted value that is.
macro_rules! getters {
    ($($(#[$doc:meta])* $name:ident -> $type:ty, $wanted:literal: $pattern:pat => $value:expr;)*) => {
        impl Call<'_> {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// `BadModule` if no such parameter has that name.
            pub fn $name(&self, name: &str) -> Result<$type> {
                match self.get(name, $wanted)? {
                    $pattern => Ok($value),
                    _ => Err(self.mistake(name, $wanted)),
                }
            }
        )*}
    };
}
getters! {
    /// A dtype.
    descr -> &Descr, "a dtype": Converted::Descr(v) => v;
    /// An array that is read, or one that is read and written.
    array -> &Array, "an array": Converted::Array(v) => v;
    /// An array that is read and written, with its guard.
    inout -> &WriteBack, "an array to write": Converted::InOut(v) => v;
    /// An axis; `None` for all of them.
    axis -> Option<i64>, "an axis": Converted::Axis(v) => *v;
    /// A casting rule.
    casting -> Casting, "a casting rule": Converted::Casting(v) => *v;
    /// A memory order.
    order -> MemoryOrder, "a memory order": Converted::Order(v) => *v;
    /// What to do with a kind of numeric finding.
    mode -> Mode, "an error mode": Converted::Mode(v) => *v;
    /// A whole number.
    int -> i64, "a whole number": Converted::Int(v) => *v;
    /// A float.
    float -> f64, "a float": Converted::Float(v) => *v;
    /// A truth value.
    boolean -> bool, "a truth value": Converted::Bool(v) => *v;
    /// A text.
    text -> &Rc<str>, "a text": Converted::Text(v) => v;
    /// A host value as it came.
    value -> &Value, "a value": Converted::Value(v) => v;
}

/// One value for every parameter: what was given, else the default.
fn bound(
    function: &Function,
    arguments: &[Value],
    keywords: &[(&str, Value)],
) -> Result<Vec<Value>> {
    let wrong = |why: String| ArrayError::BadArguments {
        function: function.name.clone(),
        why,
    };
    let parameters = &function.parameters;
    let free = parameters
        .iter()
        .filter(|p| p.manner == Manner::Free)
        .count();
    if arguments.len() > free {
        let needed = parameters
            .iter()
            .filter(|p| p.manner == Manner::Free && p.default.is_none())
            .count();
        let count = if needed == free {
            format!("{free}")
        } else {
            format!("{needed} to {free}")
        };
        let why = format!(
            "it takes {count} arguments by place, not {}",
            arguments.len()
        );
        return Err(wrong(why));
    }
    for (at, (name, _)) in keywords.iter().enumerate() {
        if keywords.iter().take(at).any(|(other, _)| other == name) {
            return Err(wrong(format!("{name} is given twice by name")));
        }
        match parameters.iter().position(|p| p.name == *name) {
            None => return Err(wrong(format!("it has no parameter {name}"))),
            Some(place) if place < arguments.len() => {
                return Err(wrong(format!("{name} is given by place and by name")));
            }
            Some(_) => {}
        }
    }
    let values = parameters.iter().enumerate().map(|(at, parameter)| {
        let by_name = || keywords.iter().find(|(name, _)| *name == parameter.name);
        let given = match arguments.get(at) {
            Some(value) => Some(value.clone()),
            None => by_name().map(|(_, value)| value.clone()),
        };
        given
            .or_else(|| parameter.default.clone())
            .ok_or_else(|| wrong(format!("{} is missing", parameter.name)))
    });
    values.collect()
}

impl Needs {
    /// The needs of an argument that is read; `NPY_ARRAY_IN_ARRAY` of a dtype.
    #[must_use]
    pub fn read(descr: impl Into<Descr>) -> Self {
        Self {
            descr: Some(descr.into()),
            requirements: crate::Requirements::IN,
            ..Self::default()
        }
    }

    /// The needs of an argument that is read and written; `NPY_ARRAY_INOUT_ARRAY2` of a dtype.
    #[must_use]
    pub fn written(descr: impl Into<Descr>) -> Self {
        Self {
            descr: Some(descr.into()),
            requirements: crate::Requirements::INOUT,
            ..Self::default()
        }
    }
}
