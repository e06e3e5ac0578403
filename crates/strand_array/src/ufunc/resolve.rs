//! Which loop a call takes: by the types of its operands, or by the signature asked for.

use super::operand::Given;
use super::table::{Def, Loop, Resolver, code_of};
use crate::cast::{Casting, can_cast};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::promote::{Weak, default_of, result_type};

/// The types asked for: one per operand, inputs first; `None` where any will do.
pub type Signature = Vec<Option<DType>>;

/// A chosen loop with the types of all operands.
pub(super) struct Chosen {
    pub(super) run: &'static Loop,
    pub(super) types: Vec<DType>,
}

impl Chosen {
    fn new(run: &'static Loop) -> Self {
        Self {
            run,
            types: run.types().collect(),
        }
    }
}

/// What is known of a call's operands.
pub(super) struct Request<'a> {
    pub(super) inputs: &'a [Given],
    /// Types of outputs that are given.
    pub(super) outputs: &'a [Option<Descr>],
    pub(super) signature: Option<&'a Signature>,
    pub(super) casting: Casting,
}

/// Finds the loop.
///
/// # Errors
/// `NoLoop`.
pub(super) fn resolve(def: &Def, request: &Request<'_>) -> Result<Chosen> {
    match request.signature {
        Some(signature) if signature.iter().any(Option::is_some) => {
            by_signature(def, request, signature)
        }
        _ => by_types(def, request.inputs),
    }
}

fn no_loop(def: &Def, given: &[Given]) -> ArrayError {
    let names: Vec<&str> = given
        .iter()
        .map(|given| match given {
            Given::Typed(dtype) => dtype.name(),
            Given::Weak(Weak::Int) => "host int",
            Given::Weak(Weak::Float) => "host float",
            Given::Weak(Weak::Complex) => "host complex",
        })
        .collect();
    ArrayError::NoLoop {
        ufunc: def.name.into(),
        types: names.join(", "),
    }
}

/// The type of each input: a weak number takes that of what it meets.
fn input_types(def: &Def, given: &[Given]) -> Result<Vec<DType>> {
    let typed: Vec<Descr> = given
        .iter()
        .filter_map(|g| match g {
            Given::Typed(dtype) => Some(Descr::new(*dtype)),
            Given::Weak(_) => None,
        })
        .collect();
    let strongest = given
        .iter()
        .filter_map(|g| match g {
            Given::Weak(weak) => Some(*weak),
            Given::Typed(_) => None,
        })
        .max();
    let meets = match strongest {
        Some(_) if typed.is_empty() => None,
        Some(weak) => {
            let typed: Vec<&Descr> = typed.iter().collect();
            let common = result_type(&typed, Some(weak)).map_err(|_| no_loop(def, given))?;
            Some(common.dtype())
        }
        None => None,
    };
    Ok(given
        .iter()
        .map(|g| match g {
            Given::Typed(dtype) => *dtype,
            Given::Weak(weak) => meets.unwrap_or(default_of(*weak)),
        })
        .collect())
}

fn by_types(def: &Def, given: &[Given]) -> Result<Chosen> {
    let mut types = input_types(def, given)?;
    match def.resolver {
        Resolver::NoBool if types.iter().all(|t| *t == DType::Bool) => {
            return Err(no_loop(def, given));
        }
        Resolver::Divide if !types.iter().any(|t| t.is_float() || t.is_complex()) => {
            types.fill(DType::F64);
        }
        Resolver::Logical if types.iter().any(|t| Some(t) != types.first()) => {
            // Operands of different types count by their truth alone.
            types.fill(DType::Bool);
        }
        Resolver::Ldexp => ldexp(given, &mut types),
        _ => {}
    }
    first_safe(def, &types).ok_or_else(|| no_loop(def, given))
}

/// `ldexp` keeps its second operand apart: a weak exponent is an i32, and a weak integer before a whole exponent counts as small.
fn ldexp(given: &[Given], types: &mut [DType]) {
    let [first, second] = types else { return };
    if let Some(Given::Weak(weak)) = given.get(1) {
        *second = match weak {
            Weak::Int => DType::I32,
            other => default_of(*other),
        };
        if let Some(Given::Typed(dtype)) = given.first() {
            *first = *dtype;
        }
    } else if given.first() == Some(&Given::Weak(Weak::Int))
        && second.is_integer()
        && *second != DType::U64
    {
        *first = DType::I8;
        *second = if second.size() < 4 {
            *second
        } else {
            DType::I64
        };
    }
}

fn safe(from: DType, to: DType) -> bool {
    can_cast(&Descr::new(from), &Descr::new(to), Casting::Safe)
}

/// The first loop to which all inputs cast safely.
fn first_safe(def: &Def, types: &[DType]) -> Option<Chosen> {
    let fits = |run: &&'static Loop| {
        types
            .iter()
            .zip(run.types())
            .all(|(from, to)| safe(*from, to))
    };
    def.loops().find(fits).map(Chosen::new)
}

/// The loop with exactly these types.
pub(super) fn exact_loop(def: &Def, types: &[DType]) -> Option<Chosen> {
    let fits = |run: &&'static Loop| run.types().eq(types.iter().copied());
    def.loops().find(fits).map(Chosen::new)
}

/// The first loop with the types asked for, to which the rest casts safely, and from which outputs cast
/// under the rule.
/// A type asked for as output alone is tried as that of all inputs too.
fn by_signature(def: &Def, request: &Request<'_>, signature: &Signature) -> Result<Chosen> {
    if signature.len() != def.operands() {
        return Err(ArrayError::BadArgument {
            op: "signature",
            why: format!("{} takes {} types", def.name, def.operands()),
        });
    }
    let open = signature.iter().take(def.nin).all(Option::is_none);
    if def.resolver == Resolver::Compare && open {
        // The outputs of comparisons are bools, whatever their operands.
        return match signature.last() {
            Some(Some(DType::Bool)) => by_types(def, request.inputs),
            _ => Err(no_loop(def, request.inputs)),
        };
    }
    if let Some(chosen) = exact(def, request, signature) {
        return Ok(chosen);
    }
    if let Some(chosen) = matching(def, request, signature) {
        return Ok(chosen);
    }
    let (inputs, outputs) = signature.split_at(def.nin);
    let common = outputs.first().copied().flatten();
    if inputs.iter().all(Option::is_none)
        && common.is_some()
        && outputs.iter().all(|t| *t == common)
        && request.inputs.iter().all(|given| match given {
            Given::Weak(Weak::Int) if request.casting == Casting::Unsafe => true,
            Given::Weak(weak) => common.is_some_and(|to| weak_fits(*weak, to)),
            Given::Typed(_) => true,
        })
        && let Some(chosen) = matching(def, request, &vec![common; signature.len()])
    {
        return Ok(chosen);
    }
    let types = signature
        .iter()
        .map(|t| t.map_or("any", DType::name))
        .collect::<Vec<_>>();
    Err(ArrayError::NoLoop {
        ufunc: def.name.into(),
        types: types.join(", "),
    })
}

/// A loop that is exactly that of the operands, or of the signature where it says something.
fn exact(def: &Def, request: &Request<'_>, signature: &Signature) -> Option<Chosen> {
    let wanted: Option<Vec<DType>> = request
        .inputs
        .iter()
        .zip(signature)
        .map(|(given, wanted)| match (wanted, given) {
            (Some(dtype), _) => Some(*dtype),
            (None, Given::Typed(dtype)) => Some(*dtype),
            (None, Given::Weak(_)) => None,
        })
        .collect();
    let wanted = wanted?;
    let fits = |run: &&'static Loop| {
        let mut types = run.types();
        let inputs = wanted.iter().all(|w| types.next() == Some(*w));
        let outputs = signature.iter().skip(def.nin);
        inputs && outputs.zip(types).all(|(w, t)| w.is_none_or(|w| w == t))
    };
    def.loops().find(fits).map(Chosen::new)
}

fn matching(def: &Def, request: &Request<'_>, signature: &Signature) -> Option<Chosen> {
    let casts = |given: &Given, to: DType| match given {
        Given::Typed(dtype) => {
            // What the signature leaves open casts safely at most.
            let rule = request.casting.min(Casting::Safe);
            can_cast(&Descr::new(*dtype), &Descr::new(to), rule)
        }
        Given::Weak(weak) => weak_fits(*weak, to),
    };
    let fits = |run: &&'static Loop| {
        let mut types = run.types();
        let mut wanted = signature.iter();
        let mut next = || Some((types.next()?, wanted.next()?));
        for given in request.inputs {
            match next() {
                Some((to, Some(asked))) if to == *asked => {}
                Some((to, None)) if casts(given, to) => {}
                _ => return false,
            }
        }
        for out in request.outputs {
            let casts_out = |from: DType| {
                let from = Descr::new(from);
                out.as_ref()
                    .is_none_or(|to| can_cast(&from, to, request.casting))
            };
            match next() {
                Some((from, Some(asked))) if from == *asked => {}
                Some((from, None)) if casts_out(from) => {}
                _ => return false,
            }
        }
        true
    };
    def.loops().find(fits).map(Chosen::new)
}

/// Whether a host number may become an element of a type. NumPy asks for its own type under
/// `equiv` alone, and for no kind but of complex numbers.
pub(super) fn weak_casts(weak: Weak, to: DType, casting: Casting) -> bool {
    if casting == Casting::Equiv {
        return to == default_of(weak);
    }
    weak != Weak::Complex || to.is_complex()
}

/// Whether a host number is within the kind of a type.
fn weak_fits(weak: Weak, to: DType) -> bool {
    match weak {
        Weak::Int => to != DType::Bool,
        Weak::Float => to.is_float() || to.is_complex(),
        Weak::Complex => to.is_complex(),
    }
}

/// The characters of a signature, `dd->d`, as types; one character alone is that of the output.
///
/// # Errors
/// `BadArgument` if a character is unknown or the form is another.
pub fn parse_signature(text: &str, nin: usize, nout: usize) -> Result<Signature> {
    let wrong = || ArrayError::BadArgument {
        op: "signature",
        why: format!("'{text}' doesn't name {nin} inputs and {nout} outputs"),
    };
    let code = |c: char| super::table::dtype_of(c).map(Some).ok_or_else(wrong);
    let Some((inputs, outputs)) = text.split_once("->") else {
        let mut chars = text.chars();
        return match (chars.next(), chars.next()) {
            (Some(c), None) => {
                let mut signature = vec![None; nin];
                signature.extend(vec![code(c)?; nout]);
                Ok(signature)
            }
            _ => Err(wrong()),
        };
    };
    if inputs.chars().count() != nin || outputs.chars().count() != nout {
        return Err(wrong());
    }
    inputs.chars().chain(outputs.chars()).map(code).collect()
}

/// NumPy's text of a loop's types.
pub(super) fn text_of(types: &[DType], nin: usize) -> String {
    let code = |t: &DType| code_of(*t).unwrap_or('V');
    let (inputs, outputs) = types.split_at(nin.min(types.len()));
    let inputs: String = inputs.iter().map(code).collect();
    let outputs: String = outputs.iter().map(code).collect();
    format!("{inputs}->{outputs}")
}
