//! Arguments of a call from a command line: files and numbers by parameter.

use strand_array::{Array, Context, DType};
use strand_interp::Value;
use strand_ir::{FnId, Host, Parameter, Type};

use crate::Document;

/// Reads a file's bytes; the error is a whole sentence.
pub type ReadFile<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

/// A value for a parameter: a `.npy` file for a tensor (converted where no value is lost), or a
/// number, `true`, `false` or a text for a host parameter. A tensor also takes a number.
///
/// # Errors
/// A whole sentence that names the parameter and what it takes.
pub fn parse_argument(param: &Parameter, text: &str, read: &ReadFile) -> Result<Value, String> {
    let name = &param.name;
    let wrong = |wanted: &str| format!("{name}={text}: {name} takes {wanted}");
    match &param.ty {
        Some(Type::Host(Host::Int)) => text
            .parse()
            .map(Value::Int)
            .map_err(|_| wrong("a whole number")),
        Some(Type::Host(Host::Float)) => text
            .parse()
            .map(Value::Float)
            .map_err(|_| wrong("a number")),
        Some(Type::Host(Host::Bool)) => text
            .parse()
            .map(Value::Bool)
            .map_err(|_| wrong("true or false")),
        Some(Type::Host(Host::Str)) => Ok(Value::Str(text.to_owned())),
        Some(Type::Tensor(_)) | None => tensor(param, text, read),
        Some(_) => Err(format!("{name} can't be given on a command line")),
    }
}

fn tensor(param: &Parameter, text: &str, read: &ReadFile) -> Result<Value, String> {
    if !text.to_ascii_lowercase().ends_with(".npy") {
        return number(text)
            .ok_or_else(|| format!("{0}={text}: {0} takes a .npy file or a number", param.name));
    }
    let bytes = read(text)?;
    let failed = |error| format!("{text} can't be read: {error}");
    let array = strand_array::npy::read(&Context::default(), &bytes).map_err(failed)?;
    let wanted = param
        .ty
        .as_ref()
        .and_then(Type::tensor)
        .map(|ty| ty.dtype.as_str());
    let Some(wanted) = wanted.filter(|wanted| *wanted != array.dtype().name()) else {
        return Ok(Value::Tensor(array));
    };
    let dtype = DType::NUMERIC
        .iter()
        .copied()
        .find(|dtype| dtype.name() == wanted)
        .filter(|dtype| serves(&array, *dtype));
    let Some(dtype) = dtype else {
        return Err(format!(
            "{text} holds {}, but {} takes {wanted}",
            array.dtype().name(),
            param.name
        ));
    };
    array
        .cast(&Context::default(), dtype)
        .map(Value::Tensor)
        .map_err(failed)
}

fn number(text: &str) -> Option<Value> {
    let int = text.parse().map(Value::Int);
    int.or_else(|_| text.parse().map(Value::Float)).ok()
}

impl Document {
    /// The function of a name.
    ///
    /// # Errors
    /// A sentence that names the functions there are.
    pub fn find_function(&self, name: &str) -> Result<FnId, String> {
        let program = self.program();
        program.find_function(name).ok_or_else(|| {
            let known: Vec<&str> = program
                .functions
                .iter()
                .filter(|f| !f.is_method())
                .map(|f| &*f.name)
                .collect();
            match known.as_slice() {
                [] => format!("there is no function {name}: the program has none"),
                _ => format!("there is no function {name}, only {}", known.join(", ")),
            }
        })
    }

    /// A value for each parameter, in order, from values by name; defaults where none is given.
    ///
    /// # Errors
    /// A sentence: an unknown or missing parameter, one given twice, or what `parse` says.
    pub fn arguments(
        &self,
        id: FnId,
        given: &[(&str, &str)],
        parse: &dyn Fn(&Parameter, &str) -> Result<Value, String>,
    ) -> Result<Vec<Value>, String> {
        let function = self.program().function(id);
        for (at, (name, _)) in given.iter().enumerate() {
            if !function.params.iter().any(|param| *param.name == **name) {
                let names: Vec<&str> = function.params.iter().map(|param| &*param.name).collect();
                return Err(format!(
                    "{} has no parameter {name}, only {}",
                    function.name,
                    names.join(", ")
                ));
            }
            if given[..at].iter().any(|(earlier, _)| earlier == name) {
                return Err(format!("{name} is given twice"));
            }
        }
        let value = |param: &Parameter| {
            let found = given.iter().find(|(name, _)| **name == *param.name);
            match found {
                Some((_, text)) => parse(param, text),
                None => default(param)
                    .ok_or_else(|| format!("{} needs --arg {}=…", function.name, param.name)),
            }
        };
        function.params.iter().map(value).collect()
    }
}

fn default(param: &Parameter) -> Option<Value> {
    use strand_ir::ExprKind;
    let mut expr = param.default.as_ref()?;
    while let ExprKind::Lift(inner) = &expr.kind {
        expr = inner;
    }
    match &expr.kind {
        ExprKind::Int(value) => Some(Value::Int(*value)),
        ExprKind::Float(value) => Some(Value::Float(*value)),
        ExprKind::Bool(value) => Some(Value::Bool(*value)),
        ExprKind::Str(text) => Some(Value::Str(text.clone())),
        _ => None,
    }
}

/// Whether a file's values may stand for those of `wanted`: bools for anything, whole numbers where
/// each has its place, floats for floats (files hold f64, NumPy's default, where f32 is meant).
fn serves(array: &Array, wanted: DType) -> bool {
    match array.dtype() {
        DType::Bool => true,
        found if found.is_float() => wanted.is_float(),
        _ if wanted == DType::F64 => true,
        found if found.is_integer() && wanted.is_integer() => {
            let (least, greatest) = wanted.bounds();
            let mut values = array.to_vec_i64().into_iter();
            values.all(|value| (least..=greatest).contains(&value))
        }
        _ => false,
    }
}
